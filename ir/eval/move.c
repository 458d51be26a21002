/* move.c -- operators that move or name elements: whole tensors and blocks of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

/* --- the same elements under another shape ----------------------------------------- */

static bool put_reshaped(struct eval_job *j, const struct eval_shape *s) {
    enum ir_dtype t;
    struct eval_shape from;
    struct ir_axis axes[EVAL_RANK];
    struct ir_view v;
    uint64_t count, wanted;
    if (!ir_eval_operand_shape(j, 0, &t, &from) || !ir_eval_count(&from, &count) ||
        !ir_eval_count(s, &wanted) || count != wanted)
        return false;
    ir_eval_view_all(&from, axes, &v);
    return ir_eval_put_view(j, 0, 0, &v, s);
}

static bool eval_identity(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s;
    return ir_eval_operand_shape(j, 0, &t, &s) && put_reshaped(j, &s);
}

/* The dimension given as -1 takes what the others leave. */
static bool fill_in(struct eval_shape *s, uint32_t open, uint64_t total) {
    uint64_t others;
    s->at[open] = 1;
    if (!ir_eval_count(s, &others) || others == 0 || total % others) return false;
    s->at[open] = (int64_t)(total / others);
    return true;
}

static bool eval_reshape(struct eval_job *j) {
    struct eval_ints wanted;
    struct eval_shape from, to;
    enum ir_dtype t;
    uint32_t open = EVAL_RANK;
    bool zero_is_copy = ir_eval_attr_int(j, "allowzero", 0) == 0;
    if (!ir_eval_operand_shape(j, 0, &t, &from) || !ir_eval_ints(j, "shape", 1, &wanted))
        return false;
    if (!wanted.given || wanted.n > EVAL_RANK) return false;
    to.rank = wanted.n;
    for (uint32_t i = 0; i < to.rank; i++) {
        to.at[i] = wanted.at[i];
        if (to.at[i] == 0 && zero_is_copy) {
            if (i >= from.rank) return false;
            to.at[i] = from.at[i];
        } else if (to.at[i] == -1) {
            if (open != EVAL_RANK) return false;
            open = i;
        }
    }
    uint64_t total;
    if (!ir_eval_count(&from, &total)) return false;
    if (open != EVAL_RANK && !fill_in(&to, open, total)) return false;
    return put_reshaped(j, &to);
}

static bool eval_flatten(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s;
    if (!ir_eval_operand_shape(j, 0, &t, &s)) return false;
    int64_t axis = ir_eval_attr_int(j, "axis", 1);
    if (axis < 0) axis += s.rank;
    if (axis < 0 || axis > (int64_t)s.rank) return false;
    struct eval_shape flat = {.rank = 2};
    flat.at[0] = (int64_t)ir_eval_span(&s, 0, (uint32_t)axis);
    flat.at[1] = (int64_t)ir_eval_span(&s, (uint32_t)axis, s.rank);
    return put_reshaped(j, &flat);
}

/* Marks the axes of a list; false when one is outside or comes twice. */
static bool mark_axes(const struct eval_ints *axes, uint32_t rank, bool *marked) {
    memset(marked, 0, EVAL_RANK * sizeof *marked);
    for (uint32_t i = 0; i < axes->n; i++) {
        uint32_t a;
        if (!ir_eval_axis(axes->at[i], rank, &a) || marked[a]) return false;
        marked[a] = true;
    }
    return true;
}

static bool eval_squeeze(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s, r = {0};
    struct eval_ints axes;
    bool gone[EVAL_RANK];
    if (!ir_eval_operand_shape(j, 0, &t, &s) || !ir_eval_ints(j, "axes", 1, &axes))
        return false;
    if (axes.given && axes.n == 0) return false; /* the runtime: all; the standard: none */
    if (!mark_axes(&axes, s.rank, gone)) return false;
    for (uint32_t i = 0; i < s.rank; i++) {
        if (!axes.given) gone[i] = s.at[i] == 1;
        if (gone[i] && s.at[i] != 1) return false;
        if (!gone[i]) r.at[r.rank++] = s.at[i];
    }
    return put_reshaped(j, &r);
}

static bool eval_unsqueeze(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s, r = {0};
    struct eval_ints axes;
    bool added[EVAL_RANK];
    if (!ir_eval_operand_shape(j, 0, &t, &s) || !ir_eval_ints(j, "axes", 1, &axes))
        return false;
    if (!axes.given || axes.n > EVAL_RANK - s.rank) return false;
    r.rank = s.rank + axes.n;
    if (!mark_axes(&axes, r.rank, added)) return false;
    for (uint32_t i = 0, from = 0; i < r.rank; i++) r.at[i] = added[i] ? 1 : s.at[from++];
    return put_reshaped(j, &r);
}

/* --- of the shape ------------------------------------------------------------------ */

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

static bool eval_shape_of(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s, one = {.rank = 1};
    struct eval_array r;
    if (!ir_eval_operand_shape(j, 0, &t, &s)) return false;
    int64_t rank = s.rank;
    int64_t start = ir_eval_attr_int(j, "start", 0), end = ir_eval_attr_int(j, "end", rank);
    start = clamp(start < 0 ? start + rank : start, 0, rank);
    end = clamp(end < 0 ? end + rank : end, start, rank);
    one.at[0] = end - start;
    if (!ir_eval_array_new(j, IR_INT64, EVAL_I64, &one, &r)) return false;
    memcpy(r.i64, s.at + start, (size_t)(end - start) * sizeof *r.i64);
    return ir_eval_put(j, 0, &r);
}

static bool eval_size(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s, scalar = {0};
    struct eval_array r;
    uint64_t count;
    if (!ir_eval_operand_shape(j, 0, &t, &s) || !ir_eval_count(&s, &count)) return false;
    if (!ir_eval_array_new(j, IR_INT64, EVAL_I64, &scalar, &r)) return false;
    r.i64[0] = (int64_t)count;
    return ir_eval_put(j, 0, &r);
}

/* --- strided copies ---------------------------------------------------------------- */

static bool eval_transpose(struct eval_job *j) {
    struct eval_shape from, s;
    enum ir_dtype t;
    uint64_t count;
    struct ir_axis axes[EVAL_RANK], moved[EVAL_RANK];
    struct ir_view v;
    bool used[EVAL_RANK];
    const struct ir_attr *perm = ir_eval_attr(j, "perm");
    if (!ir_eval_operand_shape(j, 0, &t, &from) || !ir_eval_count(&from, &count))
        return false;
    const struct eval_ints order = {true, perm ? perm->n : 0, perm ? perm->ints : NULL};
    if (perm && (perm->n != from.rank || !mark_axes(&order, from.rank, used))) return false;
    ir_eval_view_all(&from, axes, &v);
    s.rank = from.rank;
    for (uint32_t i = 0; i < s.rank; i++) {
        uint32_t k = s.rank - 1 - i;
        if (perm && !ir_eval_axis(perm->ints[i], s.rank, &k)) return false;
        s.at[i] = from.at[k];
        moved[i] = axes[k];
    }
    v.axes = moved;
    return ir_eval_put_view(j, 0, 0, &v, &s);
}

static bool eval_where(struct eval_job *j) {
    struct eval_array cond;
    struct eval_cells x, y, r;
    struct eval_shape s;
    struct eval_walk w;
    if (!ir_eval_array(j, 0, &cond) || cond.dtype != IR_BOOL) return false;
    if (!ir_eval_cells(j, 1, &x) || !ir_eval_cells(j, 2, &y) || x.dtype != y.dtype)
        return false;
    if (!ir_eval_broadcast(&cond.shape, &x.shape, &s) ||
        !ir_eval_broadcast(&s, &y.shape, &s))
        return false;
    if (!ir_eval_cells_new(j, x.dtype, &s, &r)) return false;
    ir_eval_walk_over(&w, &s);
    ir_eval_walk_broadcast(&w, &cond.shape);
    ir_eval_walk_broadcast(&w, &x.shape);
    ir_eval_walk_broadcast(&w, &y.shape);
    for (uint64_t i = 0; i < r.count; i++, ir_eval_walk_next(&w)) {
        bool yes = cond.i64[w.off[0]] != 0;
        const unsigned char *from = yes ? x.at + (size_t)w.off[1] * x.size
                                        : y.at + (size_t)w.off[2] * y.size;
        memcpy(r.at + i * r.size, from, r.size);
    }
    return ir_eval_put_cells(j, 0, &r);
}

/* --- blocks ------------------------------------------------------------------------ */

/* The shape of all operands joined on the axis; their other dims must agree. */
static bool joined_shape(struct eval_job *j, int64_t axis, uint32_t *at, enum ir_dtype *t,
                         struct eval_shape *out) {
    if (!ir_eval_operand_shape(j, 0, t, out) || !ir_eval_axis(axis, out->rank, at))
        return false;
    for (uint32_t k = 1; k < j->e->nin; k++) {
        enum ir_dtype other;
        struct eval_shape s;
        if (!ir_eval_operand_shape(j, k, &other, &s) || other != *t || s.rank != out->rank)
            return false;
        int64_t own = s.at[*at];
        s.at[*at] = out->at[*at];
        if (!ir_eval_same_shape(&s, out) || !rw_add_i64(out->at[*at], own, &out->at[*at]))
            return false;
    }
    return true;
}

static bool eval_concat(struct eval_job *j) {
    const struct ir_attr *axis = ir_eval_attr(j, "axis");
    struct eval_shape s;
    enum ir_dtype t;
    uint32_t at;
    if (!axis && j->e->schema->since >= 4) return false;
    return joined_shape(j, axis ? axis->i : 1, &at, &t, &s) &&
           ir_eval_put_joined(j, at, &s);
}

/* Without sizes the axis is cut into equal parts, the last one smaller where opset 18
 * allows it. */
static bool part_size(const struct eval_job *j, const struct eval_ints *sizes, int64_t dim,
                      uint32_t k, int64_t begin, int64_t *size) {
    int64_t parts = j->e->nout;
    if (sizes->given) *size = sizes->at[k];
    else {
        if (j->e->schema->since < 18 && dim % parts) return false;
        int64_t each = dim / parts + (dim % parts != 0);
        *size = dim - begin < each ? dim - begin : each;
    }
    return *size >= 0 && *size <= dim - begin;
}

static bool eval_split(struct eval_job *j) {
    struct eval_shape from;
    struct eval_ints sizes;
    enum ir_dtype t;
    uint64_t count;
    uint32_t at;
    int64_t begin = 0, size;
    if (!ir_eval_operand_shape(j, 0, &t, &from) || !ir_eval_count(&from, &count) ||
        !ir_eval_ints(j, "split", 1, &sizes))
        return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", 0), from.rank, &at)) return false;
    if (j->e->schema->since < 2 || (sizes.given && sizes.n != j->e->nout)) return false;
    if (ir_eval_attr_int(j, "num_outputs", j->e->nout) != j->e->nout) return false;
    for (uint32_t k = 0; k < j->e->nout; k++, begin += size) {
        struct eval_shape s = from;
        struct ir_axis axes[EVAL_RANK];
        struct ir_view v;
        if (!part_size(j, &sizes, from.at[at], k, begin, &size)) return false;
        ir_eval_view_all(&from, axes, &v);
        s.at[at] = axes[at].dim = size;
        v.start = begin * axes[at].step;
        v.count = ir_eval_span(&s, 0, s.rank);
        if (!ir_eval_put_view(j, k, 0, &v, &s)) return false;
    }
    return begin == from.at[at];
}

const struct eval_op ir_eval_move_ops[] = {
    {"Concat", eval_concat, 0},       {"Flatten", eval_flatten, 0},
    {"Identity", eval_identity, 0},   {"Reshape", eval_reshape, 0},
    {"Shape", eval_shape_of, 0},      {"Size", eval_size, 0},
    {"Split", eval_split, 0},         {"Squeeze", eval_squeeze, 0},
    {"Transpose", eval_transpose, 0}, {"Unsqueeze", eval_unsqueeze, 0},
    {"Where", eval_where, 0},         {NULL, NULL, 0},
};
