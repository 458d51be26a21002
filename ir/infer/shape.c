/* shape.c -- operators that give the same elements another shape.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* --- Reshape ----------------------------------------------------------------------- */

struct reshape {
    struct infer_shape in, out;
    bool in_known;
    uint32_t open;  /* items that the element count decides: -1 or not known */
    uint32_t where; /* the last of them */
};

/* One item of the wanted shape. A symbolic item that may be negative may mean "the rest",
 * so nothing is said of it. */
static bool reshape_item(struct infer *x, struct reshape *r, uint32_t i, ir_dim item,
                         bool allow_zero, bool *rest) {
    int64_t value;
    ir_dim d = infer_never_negative(x, item) ? item : IR_DIM_UNKNOWN;
    if (infer_is_const(x, item, &value)) {
        if (value < -1) return infer_fail(x, "the new shape has the item %" PRId64, value);
        if (value == -1 && *rest) return infer_fail(x, "the new shape has two items -1");
        if (value == -1) *rest = true;
        if (value == 0 && !allow_zero) {
            if (r->in_known && i >= r->in.rank)
                return infer_fail(
                    x, "item %u of the new shape is 0, beyond the data's rank %u", i,
                    r->in.rank);
            d = r->in_known ? r->in.dim[i] : IR_DIM_UNKNOWN;
        }
    }
    if (!d) r->open++, r->where = i;
    r->out.dim[i] = d;
    return true;
}

/* Elements are neither lost nor made. */
static bool solve_count(struct infer *x, struct reshape *r) {
    if (!r->in_known || r->open > 1) return true;
    ir_dim total = infer_product(x, &r->in, 0, r->in.rank), others = infer_const(x, 1);
    int64_t a, b;
    for (uint32_t i = 0; i < r->out.rank; i++)
        if (!r->open || i != r->where) others = ir_dim_mul(x->d, others, r->out.dim[i]);
    bool both = infer_is_const(x, total, &a) && infer_is_const(x, others, &b);
    if (both && (r->open ? b != 0 && a % b != 0 : a != b))
        return infer_fail(x, "%" PRId64 " elements do not fit %s%" PRId64, a,
                          r->open ? "a multiple of " : "", b);
    if (r->open) r->out.dim[r->where] = ir_dim_floordiv(x->d, total, others);
    else return infer_same(x, &total, others, "the element counts");
    return true;
}

bool infer_reshape(struct infer *x) {
    struct reshape r = {.open = 0};
    struct infer_shape items;
    struct infer_ints old = infer_ints(x, "shape"); /* the attribute before opset 5 */
    bool rest = false, allow_zero = infer_int(x, "allowzero", 0) != 0;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_items_of(x, 1, &items)) {
        if (!old.known || old.n > INFER_MAX_RANK) return true;
        items.rank = old.n;
        for (uint32_t i = 0; i < old.n; i++) items.dim[i] = infer_const(x, old.at[i]);
    }
    r.in_known = infer_shape_of(x, 0, &r.in);
    r.out.rank = items.rank;
    for (uint32_t i = 0; i < items.rank; i++)
        if (!reshape_item(x, &r, i, items.dim[i], allow_zero, &rest)) return false;
    if (!solve_count(x, &r)) return false;
    infer_set(x, 0, infer_dtype(x, 0), &r.out);
    return true;
}

/* --- dims put in, taken out, permuted ---------------------------------------------- */

bool infer_flatten(struct infer *x) {
    struct infer_shape s, out = {.rank = 2};
    int64_t axis = infer_int(x, "axis", 1);
    if (infer_shape_of(x, 0, &s)) {
        if (axis < 0) axis += s.rank;
        if (axis < 0 || axis > s.rank)
            return infer_fail(x, "axis %" PRId64 " is not of a tensor of rank %u", axis,
                              s.rank);
        out.dim[0] = infer_product(x, &s, 0, (uint32_t)axis);
        out.dim[1] = infer_product(x, &s, (uint32_t)axis, s.rank);
    }
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

bool infer_transpose(struct infer *x) {
    struct infer_shape s, out;
    struct infer_ints perm = infer_ints(x, "perm");
    bool seen[INFER_MAX_RANK] = {false};
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    out.rank = s.rank;
    if (perm.known && perm.n != s.rank)
        return infer_fail(x, "\"perm\" has %u items for a tensor of rank %u", perm.n,
                          s.rank);
    for (uint32_t i = 0; i < s.rank; i++) {
        uint32_t from = s.rank - 1 - i;
        if (perm.known && !infer_axis(x, perm.at[i], s.rank, &from)) return false;
        if (seen[from]) return infer_fail(x, "\"perm\" names dimension %u twice", from);
        seen[from] = true;
        out.dim[i] = s.dim[from];
    }
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

bool infer_unsqueeze(struct infer *x) {
    struct infer_shape s, out = {0}, items;
    bool is_new[INFER_MAX_RANK] = {false};
    struct infer_ints axes = infer_ints(x, "axes");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!axes.known) {
        if (infer_items_of(x, 1, &items) && items.rank + s.rank <= INFER_MAX_RANK)
            infer_set(x, 0, infer_dtype(x, 0),
                      &(struct infer_shape){.rank = s.rank + items.rank});
        return true;
    }
    out.rank = s.rank + axes.n;
    if (axes.n > INFER_MAX_RANK || out.rank > INFER_MAX_RANK) return true;
    for (uint32_t i = 0; i < axes.n; i++) {
        uint32_t axis;
        if (!infer_axis(x, axes.at[i], out.rank, &axis)) return false;
        if (is_new[axis]) return infer_fail(x, "\"axes\" names dimension %u twice", axis);
        is_new[axis] = true;
    }
    for (uint32_t i = 0, from = 0; i < out.rank; i++)
        out.dim[i] = is_new[i] ? infer_const(x, 1) : s.dim[from++];
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

/* Without axes every 1 goes; what may be a 1 leaves the rank open. */
static bool squeeze_ones(struct infer *x, const struct infer_shape *s) {
    struct infer_shape out = {0};
    for (uint32_t i = 0; i < s->rank; i++) {
        enum ir_truth one = ir_dim_equal(x->d, s->dim[i], infer_const(x, 1));
        if (one == IR_UNKNOWN) return true;
        if (one == IR_FALSE) out.dim[out.rank++] = s->dim[i];
    }
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

bool infer_squeeze(struct infer *x) {
    struct infer_shape s, out = {0};
    bool gone[INFER_MAX_RANK] = {false};
    struct infer_ints axes = infer_ints(x, "axes");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!axes.given) return squeeze_ones(x, &s);
    if (!axes.known) return true;
    for (uint32_t i = 0; i < axes.n; i++) {
        uint32_t axis;
        int64_t value;
        if (!infer_axis(x, axes.at[i], s.rank, &axis)) return false;
        if (infer_is_const(x, s.dim[axis], &value) && value != 1)
            return infer_fail(x, "dimension %u is %" PRId64 ", wanted 1", axis, value);
        gone[axis] = true;
    }
    for (uint32_t i = 0; i < s.rank; i++)
        if (!gone[i]) out.dim[out.rank++] = s.dim[i];
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

/* --- space and depth --------------------------------------------------------------- */

bool infer_depth_to_space(struct infer *x) {
    struct infer_shape s;
    int64_t block = infer_int(x, "blocksize", 0);
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (block < 1 || block > INT32_MAX)
        return infer_fail(x, "attribute \"blocksize\" is %" PRId64, block);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank != 4) return infer_fail(x, "the input has rank %u, wanted 4", s.rank);
    bool to_space = rw_streq(ir_op_name(x->g, x->n), "DepthToSpace");
    ir_dim b = infer_const(x, block), area = ir_dim_mul(x->d, b, b);
    if (to_space) {
        s.dim[1] = ir_dim_floordiv(x->d, s.dim[1], area);
        for (int i = 2; i < 4; i++) s.dim[i] = ir_dim_mul(x->d, s.dim[i], b);
    } else {
        s.dim[1] = ir_dim_mul(x->d, s.dim[1], area);
        for (int i = 2; i < 4; i++) s.dim[i] = ir_dim_floordiv(x->d, s.dim[i], b);
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* --- what becomes a shape ---------------------------------------------------------- */

bool infer_shape_op(struct infer *x) {
    struct infer_shape s, out = {.rank = 1};
    int64_t start = infer_int(x, "start", 0), end = infer_int(x, "end", INT64_MAX);
    if (infer_shape_of(x, 0, &s)) {
        int64_t from, to;
        infer_shape_range(s.rank, start, end, &from, &to);
        out.dim[0] = infer_const(x, to - from);
    }
    infer_set(x, 0, IR_INT64, &out);
    return true;
}

void infer_shape_range(uint32_t rank, int64_t start, int64_t end, int64_t *from,
                       int64_t *to) {
    int64_t r = rank;
    *from = start < -r ? 0 : start < 0 ? start + r : start > r ? r : start;
    *to = end < -r ? 0 : end < 0 ? end + r : end > r ? r : end;
    if (*to < *from) *to = *from;
}

bool infer_size(struct infer *x) {
    infer_set(x, 0, IR_INT64, &(struct infer_shape){0});
    return true;
}

/* --- the shape is a value ---------------------------------------------------------- */

/* Items that must be dims: what may be negative is not known. */
static void only_dims(const struct infer *x, struct infer_shape *s) {
    for (uint32_t i = 0; i < s->rank; i++) {
        int64_t value;
        if (!infer_is_const(x, s->dim[i], &value) && !infer_never_negative(x, s->dim[i]))
            s->dim[i] = IR_DIM_UNKNOWN;
    }
}

bool infer_constant_of_shape(struct infer *x) {
    struct infer_shape s;
    struct ir_param p = ir_param(x->g, x->n, "value", x->tmp);
    enum ir_dtype t = IR_FLOAT;
    if (p.attr.type == IR_ATTR_TENSOR && p.attr.n) t = p.attr.tensors[0]->dtype;
    infer_set_unranked(x, 0, t, 0);
    if (!infer_items_of(x, 0, &s)) return true;
    only_dims(x, &s);
    infer_set(x, 0, t, &s);
    return true;
}

bool infer_expand(struct infer *x) {
    struct infer_shape s, wanted;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !infer_items_of(x, 1, &wanted)) return true;
    only_dims(x, &wanted);
    for (uint32_t i = 0; i < wanted.rank; i++) {
        int64_t value; /* some exporters write -1 for "as it is" */
        if (infer_is_const(x, wanted.dim[i], &value) && value == -1)
            wanted.dim[i] = infer_const(x, 1);
    }
    if (!infer_broadcast_with(x, &s, &wanted)) return false;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

bool infer_tile(struct infer *x) {
    struct infer_shape s, repeats;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!infer_items_of(x, 1, &repeats)) repeats = (struct infer_shape){.rank = s.rank};
    if (repeats.rank != s.rank)
        return infer_fail(x, "\"repeats\" has %u items for a tensor of rank %u",
                          repeats.rank, s.rank);
    only_dims(x, &repeats);
    for (uint32_t i = 0; i < s.rank; i++)
        s.dim[i] = ir_dim_mul(x->d, s.dim[i], repeats.dim[i]);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}
