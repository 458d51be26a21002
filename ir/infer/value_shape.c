/* value_shape.c -- values of shape tensors: operators that make, move and gather
 * items.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* The items of output k, taken as they are from `from`. */
static void take(struct infer *x, uint32_t k, const ir_dim *from, uint32_t n) {
    uint32_t rank, len;
    ir_dim items[INFER_MAX_ITEMS];
    if (!infer_value_length(x, k, &rank, &len) || len != n) return;
    if (n) memcpy(items, from, n * sizeof *items);
    infer_put_items(x, k, rank, n, items);
}

/* Squeeze, Unsqueeze, Reshape, Flatten: the same items in the same order. */
void infer_value_moved(struct infer *x) {
    const struct ir_symval *a = infer_table_of(x, 0);
    if (a) take(x, 0, a->items, a->len);
}

/* Rows and columns of a table that operand 0 is known to be. */
static const struct ir_symval *table(const struct infer *x, int64_t size[2]) {
    struct infer_shape s;
    const struct ir_symval *a = infer_table_of(x, 0);
    bool known = a && a->rank == 2 && infer_shape_of(x, 0, &s) && s.rank == 2 &&
                 infer_is_const(x, s.dim[0], &size[0]) &&
                 infer_is_const(x, s.dim[1], &size[1]) && size[0] <= INFER_MAX_ITEMS &&
                 size[1] <= INFER_MAX_ITEMS && size[0] * size[1] == a->len;
    return known ? a : NULL;
}

void infer_value_transpose(struct infer *x) {
    int64_t size[2];
    ir_dim items[INFER_MAX_ITEMS];
    struct infer_ints perm = infer_ints(x, "perm");
    const struct ir_symval *a = table(x, size);
    if (a && perm.given && !perm.known) return; /* a function's caller says it */
    if (!a || (perm.given && (perm.at[0] == 0 || perm.at[0] == -2))) {
        infer_value_moved(x);
        return;
    }
    uint32_t n = 0;
    for (int64_t j = 0; j < size[1]; j++)
        for (int64_t i = 0; i < size[0]; i++) items[n++] = a->items[i * size[1] + j];
    take(x, 0, items, n);
}

void infer_value_shape(struct infer *x) {
    struct infer_shape s;
    int64_t from, to;
    if (!infer_shape_of(x, 0, &s)) return;
    infer_shape_range(s.rank, infer_int(x, "start", 0), infer_int(x, "end", INT64_MAX),
                      &from, &to);
    take(x, 0, s.dim + from, (uint32_t)(to - from));
}

void infer_value_size(struct infer *x) {
    struct infer_shape s;
    if (!infer_shape_of(x, 0, &s)) return;
    ir_dim count = infer_product(x, &s, 0, s.rank);
    take(x, 0, &count, 1);
}

void infer_value_concat(struct infer *x) {
    ir_dim items[INFER_MAX_ITEMS];
    struct infer_shape part;
    uint32_t n = 0;
    for (uint32_t k = 0; k < x->nin; k++) {
        if (!infer_items_of(x, k, &part) || n + part.rank > INFER_MAX_ITEMS) return;
        memcpy(items + n, part.dim, part.rank * sizeof *items);
        n += part.rank;
    }
    take(x, 0, items, n);
}

/* Item `index` of a list; negative ones count from the end. */
static ir_dim at(const struct infer *x, const struct infer_shape *list, ir_dim index) {
    int64_t i;
    if (!infer_is_const(x, index, &i)) return IR_DIM_UNKNOWN;
    if (i < 0) i += list->rank;
    return i >= 0 && i < list->rank ? list->dim[i] : IR_DIM_UNKNOWN;
}

void infer_value_gather(struct infer *x) {
    struct infer_shape list;
    ir_dim items[INFER_MAX_ITEMS];
    const struct ir_symval *index = infer_value_of(x, 1);
    const struct ir_type *data = infer_in(x, 0);
    if (!index || !ir_type_ranked(data) || data->rank != 1 || !infer_items_of(x, 0, &list))
        return;
    for (uint32_t i = 0; i < index->len; i++) items[i] = at(x, &list, index->items[i]);
    take(x, 0, items, index->len);
}

/* The positions that the one axis of a slice takes of `len`. */
static bool positions(const struct infer *x, const struct infer_slice *r, int64_t len,
                      uint32_t *n, int64_t at[INFER_MAX_ITEMS]) {
    int64_t from, to, step = r->step[0];
    if (!step || len > INFER_MAX_ITEMS || !infer_is_const(x, r->start.dim[0], &from) ||
        !infer_is_const(x, r->end.dim[0], &to))
        return false;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? len : len - 1;
    if (from < 0) from = from < -len ? low : from + len;
    if (to < 0) to = to < -len ? low : to + len;
    if (from > high) from = high;
    if (to > high) to = high;
    *n = 0;
    for (int64_t i = from; step > 0 ? i < to : i > to; i += step) {
        at[(*n)++] = i;
        if (step > len || step < -len) break;
    }
    return true;
}

/* Rows or columns of a table. */
static void slice_table(struct infer *x, const struct infer_slice *r) {
    int64_t size[2], at[INFER_MAX_ITEMS];
    ir_dim items[INFER_MAX_ITEMS];
    const struct ir_symval *a = table(x, size);
    uint32_t n, taken = 0, axis = r->axis[0];
    if (!a || !positions(x, r, size[axis], &n, at)) return;
    int64_t rows = axis ? size[0] : n, columns = axis ? n : size[1];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            items[taken++] = a->items[axis ? i * size[1] + at[j] : at[i] * size[1] + j];
    take(x, 0, items, taken);
}

void infer_value_slice(struct infer *x) {
    struct infer_shape list;
    struct infer_slice r;
    ir_dim items[INFER_MAX_ITEMS];
    int64_t at[INFER_MAX_ITEMS];
    uint32_t n;
    if (!infer_read_slice(x, &r) || r.start.rank != 1) return;
    if (!infer_items_of(x, 0, &list)) {
        slice_table(x, &r);
        return;
    }
    if (!positions(x, &r, list.rank, &n, at)) return;
    for (uint32_t i = 0; i < n; i++) items[i] = list.dim[at[i]];
    take(x, 0, items, n);
}

void infer_value_split(struct infer *x) {
    struct infer_shape list, part;
    int64_t len;
    uint32_t from = 0;
    if (!infer_items_of(x, 0, &list)) return;
    for (uint32_t k = 0; k < x->nout; k++) {
        if (!infer_out_shape(x, k, &part) || part.rank != 1) return;
        if (!infer_is_const(x, part.dim[0], &len) || len < 0 || len > list.rank - from)
            return;
        take(x, k, list.dim + from, (uint32_t)len);
        from += (uint32_t)len;
    }
}

/* The one item, or that of every position: what Expand and ConstantOfShape repeat. */
static void repeat(struct infer *x, ir_dim item) {
    struct infer_shape s;
    ir_dim items[INFER_MAX_ITEMS];
    int64_t len = 1;
    if (!infer_out_shape(x, 0, &s) || s.rank > 1) return;
    if (s.rank && !infer_is_const(x, s.dim[0], &len)) return;
    if (len < 0 || len > INFER_MAX_ITEMS) return;
    for (int64_t i = 0; i < len; i++) items[i] = item;
    take(x, 0, items, (uint32_t)len);
}

void infer_value_constant_of_shape(struct infer *x) {
    struct ir_param p = ir_param(x->g, x->n, "value", x->tmp);
    int64_t value;
    if (p.attr.type != IR_ATTR_TENSOR || !p.attr.n || p.attr.tensors[0]->count != 1) return;
    if (ir_tensor_int_at(x->m, p.attr.tensors[0], 0, &value))
        repeat(x, infer_const(x, value));
}

void infer_value_expand(struct infer *x) {
    const struct ir_symval *a = infer_value_of(x, 0);
    if (!a) return;
    if (a->len == 1) repeat(x, a->items[0]);
    else take(x, 0, a->items, a->len);
}

/* A list, again and again. */
void infer_value_tile(struct infer *x) {
    struct infer_shape list, s;
    ir_dim items[INFER_MAX_ITEMS];
    int64_t len;
    if (!infer_items_of(x, 0, &list) || !list.rank) return;
    if (!infer_out_shape(x, 0, &s) || s.rank != 1) return;
    if (!infer_is_const(x, s.dim[0], &len) || len < 0 || len > INFER_MAX_ITEMS) return;
    for (int64_t i = 0; i < len; i++) items[i] = list.dim[i % list.rank];
    take(x, 0, items, (uint32_t)len);
}

/* Item i of a constant list of places, which has a dimension of 1 behind. */
static bool place_at(const struct infer *x, const struct ir_tensor *places, uint32_t i,
                     uint32_t len, uint32_t *out) {
    int64_t at;
    if (!ir_tensor_int_at(x->m, places, i, &at)) return false;
    if (at < 0) at += len;
    *out = (uint32_t)at;
    return at >= 0 && at < len;
}

/* ScatterND(list, places [n, 1], items [n]), as exporters write x[i] = v. */
void infer_value_scatter_nd(struct infer *x) {
    struct infer_shape list, items;
    ir_value v = ir_input(x->g, x->n, 1);
    const struct ir_tensor *places = v == IR_NONE ? NULL : ir_const(x->g, v);
    const char *reduction = infer_string(x, "reduction");
    if (*reduction && !rw_streq(reduction, "none")) return;
    if (!places || places->rank != 2 || places->dims[1] != 1) return;
    if (!infer_items_of(x, 0, &list) || !infer_items_of(x, 2, &items)) return;
    if (places->count != items.rank) return;
    for (uint32_t i = 0; i < items.rank; i++) {
        uint32_t at;
        if (!place_at(x, places, i, list.rank, &at)) return;
        list.dim[at] = items.dim[i];
    }
    take(x, 0, list.dim, list.rank);
}

void infer_value_range(struct infer *x) {
    struct infer_shape s;
    ir_dim items[INFER_MAX_ITEMS];
    int64_t len;
    const struct ir_symval *start = infer_value_of(x, 0), *step = infer_value_of(x, 2);
    if (ir_dtype_is_float(infer_dtype(x, 0))) return;
    if (!start || !step || start->len != 1 || step->len != 1 || !infer_out_shape(x, 0, &s))
        return;
    if (!infer_is_const(x, s.dim[0], &len) || len < 0 || len > INFER_MAX_ITEMS) return;
    for (int64_t i = 0; i < len; i++)
        items[i] = i ? ir_dim_add(x->d, items[i - 1], step->items[0]) : start->items[0];
    take(x, 0, items, (uint32_t)len);
}

/* --- reductions of a list ---------------------------------------------------------- */

typedef ir_dim fold_item(struct ir_dims *d, ir_dim a, ir_dim b);

static void fold(struct infer *x, fold_item *f, bool has_start, int64_t start) {
    const struct ir_symval *a = infer_value_of(x, 0);
    struct infer_shape s;
    if (!a || a->rank != 1 || ir_dtype_is_float(infer_dtype(x, 0))) return;
    if (!infer_out_shape(x, 0, &s)) return;
    if (s.rank == 1 && !infer_is_one(x, s.dim[0])) return; /* reduces nothing */
    if (!a->len && !has_start) return;
    ir_dim sum = a->len && !has_start ? a->items[0] : infer_const(x, start);
    for (uint32_t i = has_start ? 0 : 1; i < a->len; i++) sum = f(x->d, sum, a->items[i]);
    take(x, 0, &sum, 1);
}

void infer_value_reduce_sum(struct infer *x) { fold(x, ir_dim_add, true, 0); }
void infer_value_reduce_prod(struct infer *x) { fold(x, ir_dim_mul, true, 1); }
void infer_value_reduce_max(struct infer *x) { fold(x, ir_dim_max, false, 0); }
void infer_value_reduce_min(struct infer *x) { fold(x, ir_dim_min, false, 0); }

void infer_value_cumsum(struct infer *x) {
    const struct ir_symval *a = infer_value_of(x, 0);
    ir_dim items[INFER_MAX_ITEMS];
    if (!a || a->rank != 1 || a->len > INFER_MAX_ITEMS) return;
    if (ir_dtype_is_float(infer_dtype(x, 0))) return;
    if (infer_int(x, "exclusive", 0) || infer_int(x, "reverse", 0)) return;
    for (uint32_t i = 0; i < a->len; i++)
        items[i] = i ? ir_dim_add(x->d, items[i - 1], a->items[i]) : a->items[i];
    take(x, 0, items, a->len);
}
