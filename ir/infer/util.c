/* util.c -- reading operands and parameters, saying what outputs are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"

/* --- operands ---------------------------------------------------------------------- */

bool infer_has(const struct infer *x, uint32_t k) {
    return ir_input(x->g, x->n, k) != IR_NONE;
}

const struct ir_type *infer_in(const struct infer *x, uint32_t k) {
    ir_value v = ir_input(x->g, x->n, k);
    return v == IR_NONE ? NULL : ir_val(x->g, v)->type;
}

enum ir_dtype infer_dtype(const struct infer *x, uint32_t k) {
    return ir_type_dtype(infer_in(x, k));
}

bool infer_type_shape(const struct infer *x, const struct ir_type *t,
                      struct infer_shape *s) {
    if (!ir_type_ranked(t) || t->rank > INFER_MAX_RANK) return false;
    s->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++) s->dim[i] = ir_dim_find(x->d, t->dims[i]);
    return true;
}

bool infer_shape_of(const struct infer *x, uint32_t k, struct infer_shape *s) {
    return infer_type_shape(x, infer_in(x, k), s);
}

/* A constant of floats that are integers, as shape arithmetic by way of floats has. */
static const struct ir_symval *float_constant(const struct infer *x, ir_value v) {
    const struct ir_tensor *t = ir_const(x->g, v);
    ir_dim items[INFER_MAX_ITEMS];
    if (!t || t->rank > 1 || t->count > INFER_MAX_ITEMS) return NULL;
    if (t->dtype != IR_FLOAT && t->dtype != IR_DOUBLE) return NULL;
    for (uint32_t i = 0; i < t->count; i++) {
        int64_t value;
        if (!ir_tensor_int_at(x->m, t, i, &value)) return NULL;
        items[i] = infer_const(x, value);
    }
    struct ir_symval *s = arena_new(x->tmp, struct ir_symval);
    *s = (struct ir_symval){.rank = t->rank, .len = (uint32_t)t->count,
                            .items = arena_copy(x->tmp, items, t->count * sizeof *items)};
    return s;
}

const struct ir_symval *infer_table_of(const struct infer *x, uint32_t k) {
    ir_value v = ir_input(x->g, x->n, k);
    if (v == IR_NONE) return NULL;
    const struct ir_symval *s = ir_symval_of(x->g, v);
    return s ? s : float_constant(x, v);
}

const struct ir_symval *infer_value_of(const struct infer *x, uint32_t k) {
    const struct ir_symval *s = infer_table_of(x, k);
    return s && s->rank <= 1 ? s : NULL;
}

bool infer_items_of(const struct infer *x, uint32_t k, struct infer_shape *items) {
    const struct ir_symval *value = infer_value_of(x, k);
    struct infer_shape s;
    int64_t len;
    if (value && value->len <= INFER_MAX_RANK) {
        items->rank = value->len;
        for (uint32_t i = 0; i < value->len; i++)
            items->dim[i] = ir_dim_find(x->d, value->items[i]);
        return true;
    }
    if (!infer_shape_of(x, k, &s) || s.rank != 1 || !infer_is_const(x, s.dim[0], &len))
        return false;
    if (len < 0 || len > INFER_MAX_RANK) return false;
    *items = (struct infer_shape){.rank = (uint32_t)len};
    return true;
}

ir_dim infer_size_of(const struct infer *x, uint32_t k) {
    const struct ir_symval *value = infer_value_of(x, k);
    if (!value || value->len != 1) return IR_DIM_UNKNOWN;
    ir_dim size = ir_dim_find(x->d, value->items[0]);
    return infer_never_negative(x, size) ? size : IR_DIM_UNKNOWN;
}

/* --- parameters -------------------------------------------------------------------- */

static bool given(const struct ir_param *p) {
    return p->source == IR_PARAM_ATTR || p->source == IR_PARAM_CONST;
}

int64_t infer_int(const struct infer *x, const char *name, int64_t otherwise) {
    struct ir_param p = ir_param(x->g, x->n, name, x->tmp);
    if (given(&p) && p.attr.type == IR_ATTR_INT) return p.attr.i;
    const struct ir_attr *a = ir_find_attr(x->g, x->n, name); /* no schema: as written */
    return a && a->type == IR_ATTR_INT && !a->ref ? a->i : otherwise;
}

const char *infer_string(const struct infer *x, const char *name) {
    struct ir_param p = ir_param(x->g, x->n, name, x->tmp);
    if (!given(&p) || p.attr.type != IR_ATTR_STRING || !p.attr.s.at) return "";
    return arena_strndup(x->tmp, p.attr.s.at, p.attr.s.len);
}

enum ir_dtype infer_named_dtype(const struct infer *x, const char *name,
                                enum ir_dtype otherwise) {
    int64_t t = infer_int(x, name, IR_UNDEFINED);
    return t > IR_UNDEFINED && t < IR_DTYPE_N ? (enum ir_dtype)t : otherwise;
}

/* The items of a known value when all are constants. */
static bool constant_items(const struct infer *x, const struct ir_symval *value,
                           struct infer_ints *out) {
    int64_t *at = arena_new_array(x->tmp, int64_t, value->len);
    for (uint32_t i = 0; i < value->len; i++)
        if (!infer_is_const(x, value->items[i], &at[i])) return false;
    *out = (struct infer_ints){true, true, value->len, at};
    return true;
}

struct infer_ints infer_ints(const struct infer *x, const char *name) {
    struct ir_param p = ir_param(x->g, x->n, name, x->tmp);
    struct infer_ints r = {.given = given(&p) || p.source == IR_PARAM_DYNAMIC};
    if (given(&p) && p.attr.type == IR_ATTR_INTS)
        return (struct infer_ints){true, true, p.attr.n, p.attr.ints};
    if (given(&p) && p.attr.type == IR_ATTR_INT) {
        int64_t *one = arena_copy(x->tmp, &p.attr.i, sizeof p.attr.i);
        return (struct infer_ints){true, true, 1, one};
    }
    if (p.source == IR_PARAM_DYNAMIC && p.input != IR_NONE) {
        const struct ir_symval *value = ir_symval_of(x->g, p.input);
        if (value && value->rank <= 1 && constant_items(x, value, &r)) return r;
    }
    return r;
}

bool infer_axis(struct infer *x, int64_t axis, uint32_t rank, uint32_t *out) {
    if (axis < -(int64_t)rank || axis >= (int64_t)rank)
        return infer_fail(x, "axis %" PRId64 " is not of a tensor of rank %u", axis, rank);
    *out = (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
    return true;
}

/* --- outputs ----------------------------------------------------------------------- */

bool infer_fail(struct infer *x, const char *format, ...) {
    va_list args;
    va_start(args, format);
    x->why = arena_vprintf(x->m->arena, format, args);
    va_end(args);
    return false;
}

void infer_set_type(struct infer *x, uint32_t k, const struct ir_type *t) {
    if (k >= x->nout || !t) return;
    x->out[k].known = true;
    x->out[k].type = *t;
    x->out[k].type.own = 0;
}

void infer_set(struct infer *x, uint32_t k, enum ir_dtype t, const struct infer_shape *s) {
    if (k >= x->nout) return;
    if (s->rank > INFER_MAX_RANK) {
        infer_set_unranked(x, k, t, 0);
        return;
    }
    const ir_dim *dims = arena_copy(x->tmp, s->dim, s->rank * sizeof *s->dim);
    infer_set_type(x, k, &(struct ir_type){.kind = IR_TENSOR, .dtype = t, .ranked = true,
                                           .rank = s->rank, .dims = dims});
}

void infer_set_dims(struct infer *x, uint32_t k, enum ir_dtype t, uint32_t rank,
                    const ir_dim *dims) {
    struct infer_shape s = {.rank = rank};
    memcpy(s.dim, dims, rank * sizeof *dims);
    infer_set(x, k, t, &s);
}

void infer_set_unranked(struct infer *x, uint32_t k, enum ir_dtype t, uint32_t opaque) {
    infer_set_type(x, k,
                   &(struct ir_type){.kind = IR_TENSOR, .dtype = t, .opaque = opaque});
}

void infer_set_like(struct infer *x, uint32_t k, enum ir_dtype t, uint32_t in) {
    const struct ir_type *type = infer_in(x, in);
    struct infer_shape s;
    if (infer_type_shape(x, type, &s)) infer_set(x, k, t, &s);
    else infer_set_unranked(x, k, t, type && type->kind == IR_TENSOR ? type->opaque : 0);
}

void infer_set_value(struct infer *x, uint32_t k, uint32_t rank, uint32_t len,
                     const ir_dim *items) {
    bool any = false;
    for (uint32_t i = 0; i < len; i++) any |= items[i] != IR_DIM_UNKNOWN;
    if (k >= x->nout || (len && !any)) return;
    struct ir_symval *value = arena_new(x->tmp, struct ir_symval);
    *value = (struct ir_symval){rank, len, arena_copy(x->tmp, items, len * sizeof *items)};
    x->out[k].symval = value;
}

bool infer_out_shape(const struct infer *x, uint32_t k, struct infer_shape *s) {
    return k < x->nout && x->out[k].known && infer_type_shape(x, &x->out[k].type, s);
}

/* --- dims -------------------------------------------------------------------------- */

ir_dim infer_const(const struct infer *x, int64_t value) {
    return ir_dim_const(x->d, value);
}

bool infer_is_const(const struct infer *x, ir_dim d, int64_t *value) {
    return ir_dim_is_const(x->d, d, value);
}

bool infer_is_one(const struct infer *x, ir_dim d) {
    int64_t value;
    return infer_is_const(x, d, &value) && value == 1;
}

bool infer_never_negative(const struct infer *x, ir_dim d) {
    int64_t low, high;
    ir_dim_bounds(x->d, d, &low, &high);
    return low >= 0;
}

ir_dim infer_product(const struct infer *x, const struct infer_shape *s, uint32_t from,
                     uint32_t to) {
    ir_dim product = infer_const(x, 1);
    for (uint32_t i = from; i < to; i++) product = ir_dim_mul(x->d, product, s->dim[i]);
    return product;
}

ir_dim infer_ceildiv(const struct infer *x, ir_dim a, int64_t b) {
    ir_dim up = ir_dim_add(x->d, a, infer_const(x, b - 1));
    return ir_dim_floordiv(x->d, up, infer_const(x, b));
}

static bool has_uses(const struct infer *x) {
    for (uint32_t k = 0; k < x->nout; k++) {
        ir_value v = ir_output(x->g, x->n, k);
        if (v != IR_NONE && ir_val(x->g, v)->nuses) return true;
    }
    return false;
}

/* A node of the main graph does whose result is used, but not one in a branch or a body. */
bool infer_runs_always(const struct infer *x) {
    return x->run->assuming || (!x->g->outer && !x->g->function && has_uses(x));
}

bool infer_same(struct infer *x, ir_dim *a, ir_dim b, const char *what) {
    int64_t p, q;
    bool a_const = infer_is_const(x, *a, &p), b_const = infer_is_const(x, b, &q);
    if (a_const && b_const && p != q)
        return infer_fail(x, "%s do not agree: %" PRId64 " and %" PRId64, what, p, q);
    if (x->run->proving && *a && b && ir_dim_equal(x->d, *a, b) != IR_TRUE)
        return infer_fail(x, "%s are not proven to agree", what);
    if (infer_runs_always(x)) ir_dim_unify(x->d, *a, b);
    if (!*a || (b_const && !a_const)) *a = b;
    *a = ir_dim_find(x->d, *a);
    return true;
}

static bool is_never_one(const struct infer *x, ir_dim d) {
    return ir_dim_equal(x->d, d, infer_const(x, 1)) == IR_FALSE;
}

/* Of dimensions that are never 1 neither can give way to the other: they are the same. */
bool infer_broadcast_with(struct infer *x, struct infer_shape *s,
                          const struct infer_shape *t) {
    if (t->rank > s->rank) { /* ones in front */
        uint32_t more = t->rank - s->rank;
        memmove(&s->dim[more], s->dim, s->rank * sizeof *s->dim);
        for (uint32_t i = 0; i < more; i++) s->dim[i] = infer_const(x, 1);
        s->rank = t->rank;
    }
    for (uint32_t i = 0; i < t->rank; i++) {
        ir_dim *a = &s->dim[s->rank - t->rank + i], b = t->dim[i];
        int64_t p, q;
        if (infer_is_const(x, *a, &p) && infer_is_const(x, b, &q) && p != q && p != 1 &&
            q != 1)
            return infer_fail(x, "dimensions %" PRId64 " and %" PRId64 " do not broadcast",
                              p, q);
        bool agree = *a == b || (is_never_one(x, *a) && is_never_one(x, b));
        if (agree && infer_runs_always(x)) ir_dim_unify(x->d, *a, b);
        *a = ir_dim_broadcast(x->d, *a, b);
    }
    return true;
}
