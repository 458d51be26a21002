/* remap.c -- Slice, Expand and Tile as views of the operand; and Pad, each element of which
 * comes from a place that is found axis by axis or, where that is outside, as the way of
 * padding says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include "ir/tensor/tensor_bytes.h"

enum outside { FILL, EDGE, REFLECT, WRAP };

struct remap {
    struct eval_cells x;
    struct eval_shape out;
    int64_t begin[EVAL_RANK];
    enum outside outside;
    unsigned char fill[sizeof(struct ir_string)];
};

/* Same rank, every element from its own place. */
static bool remap_init(struct eval_job *j, struct remap *m, enum outside outside) {
    memset(m, 0, sizeof *m);
    if (!ir_eval_cells(j, 0, &m->x)) return false;
    m->out = m->x.shape;
    m->outside = outside;
    return true;
}

/* Where position p, outside 0..dim-1, is taken from; -1: nowhere. dim > 0. */
static int64_t from_outside(enum outside way, int64_t p, int64_t dim) {
    switch (way) {
    case FILL: return -1;
    case EDGE: return p < 0 ? 0 : dim - 1;
    case REFLECT: return p < 0 ? -p : 2 * (dim - 1) - p;
    case WRAP: break;
    }
    return p % dim < 0 ? p % dim + dim : p % dim;
}

/* The source of the element at `pos`, or -1: the fill. */
static int64_t source_of(const struct remap *m, const int64_t *pos, const int64_t *stride) {
    int64_t at = 0;
    for (uint32_t a = 0; a < m->out.rank; a++) {
        int64_t dim = m->x.shape.at[a], p = m->begin[a] + pos[a];
        if (p < 0 || p >= dim) p = dim ? from_outside(m->outside, p, dim) : -1;
        if (p < 0 || p >= dim) return -1;
        at += p * stride[a];
    }
    return at;
}

static bool put_remapped(struct eval_job *j, const struct remap *m) {
    struct eval_cells r;
    struct eval_walk w;
    int64_t stride[EVAL_RANK];
    if (!ir_eval_cells_new(j, m->x.dtype, &m->out, &r)) return false;
    ir_eval_strides(&m->x.shape, stride);
    ir_eval_walk_over(&w, &m->out);
    for (uint64_t i = 0; i < r.count; i++, ir_eval_walk_next(&w)) {
        int64_t from = source_of(m, w.pos, stride);
        memcpy(r.at + i * r.size, from < 0 ? m->fill : m->x.at + (size_t)from * r.size,
               r.size);
    }
    return ir_eval_put_cells(j, 0, &r);
}

/* --- Slice ------------------------------------------------------------------------- */

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Cuts axis a of the view, and of the result's shape, to what there is of a slice. */
static bool slice_axis(struct ir_view *v, struct eval_shape *s, uint32_t a, int64_t start,
                       int64_t end, int64_t step) {
    int64_t dim = s->at[a], length = 0;
    if (step == 0 || step == INT64_MIN) return false;
    if (step < 0 && end >= INT32_MAX) return false; /* to the runtime: to the very first */
    if (start < 0) start += dim;
    if (end < 0) end += dim;
    if (step > 0) {
        start = clamp(start, 0, dim);
        end = clamp(end, 0, dim);
        if (end > start) length = (end - start - 1) / step + 1;
    } else {
        start = clamp(start, 0, dim - 1);
        end = clamp(end, -1, dim - 1);
        if (start > end) length = (start - end - 1) / -step + 1;
    }
    s->at[a] = v->axes[a].dim = length;
    if (length > 0) v->start += start * v->axes[a].step;
    if (length > 1) v->axes[a].step *= step; /* a step beyond the axis is taken by nobody */
    return true;
}

static bool eval_slice(struct eval_job *j) {
    struct eval_shape s;
    enum ir_dtype t;
    uint64_t count;
    struct ir_axis axes_of_view[EVAL_RANK];
    struct ir_view v;
    struct eval_ints starts, ends, axes, steps;
    bool seen[EVAL_RANK] = {false};
    if (!ir_eval_operand_shape(j, 0, &t, &s) || !ir_eval_count(&s, &count) ||
        !ir_eval_ints(j, "starts", 1, &starts) || !ir_eval_ints(j, "ends", 2, &ends) ||
        !ir_eval_ints(j, "axes", 3, &axes) || !ir_eval_ints(j, "steps", 4, &steps))
        return false;
    if (!starts.given || starts.n != ends.n || (axes.given && axes.n != starts.n) ||
        (steps.given && steps.n != starts.n) || starts.n > s.rank)
        return false;
    ir_eval_view_all(&s, axes_of_view, &v);
    for (uint32_t i = 0; i < starts.n; i++) {
        uint32_t a = i;
        if (axes.given && !ir_eval_axis(axes.at[i], s.rank, &a)) return false;
        if (seen[a]) return false;
        seen[a] = true;
        if (!slice_axis(&v, &s, a, starts.at[i], ends.at[i], steps.given ? steps.at[i] : 1))
            return false;
    }
    v.count = ir_eval_span(&s, 0, s.rank);
    return ir_eval_put_view(j, 0, 0, &v, &s);
}

/* --- Pad --------------------------------------------------------------------------- */

static bool pad_mode(const struct eval_job *j, enum outside *out) {
    static const char *const names[] = {"constant", "edge", "reflect", "wrap"};
    for (uint32_t i = 0; i < countof(names); i++)
        if (ir_eval_attr_is(j, "mode", names[i], names[0])) {
            *out = (enum outside)i;
            return true;
        }
    return false;
}

/* The constant that fills: an attribute before opset 11 (of float tensors alone), an
 * operand since; zero when absent. */
static bool pad_fill(struct eval_job *j, struct remap *m) {
    const struct ir_attr *value = ir_eval_attr(j, "value");
    struct eval_cells c;
    if (value) {
        uint32_t bits;
        memcpy(&bits, &value->f, sizeof bits);
        ir_store_le(m->fill, 4, bits);
        return m->x.dtype == IR_FLOAT;
    }
    if (!ir_eval_given(j, 2)) return m->x.dtype != IR_STRING;
    if (!ir_eval_cells(j, 2, &c) || c.dtype != m->x.dtype || c.count != 1) return false;
    memcpy(m->fill, c.at, c.size);
    return true;
}

/* Negative pads crop; together with wrapping they are open, and not evaluated. A reflection
 * reaches no further than the operand does. */
static bool pad_axis(struct remap *m, uint32_t a, int64_t before, int64_t after) {
    int64_t dim = m->x.shape.at[a], furthest = m->outside == REFLECT ? dim - 1 : INT64_MAX;
    if (m->outside == WRAP && (before < 0 || after < 0)) return false;
    if (before > furthest || after > furthest || (m->outside != FILL && dim == 0))
        return false;
    return rw_sub_i64(0, before, &m->begin[a]) && rw_add_i64(dim, before, &m->out.at[a]) &&
           rw_add_i64(m->out.at[a], after, &m->out.at[a]) && m->out.at[a] >= 0;
}

static bool eval_pad(struct eval_job *j) {
    struct remap m;
    enum outside mode;
    struct eval_ints pads, axes;
    bool seen[EVAL_RANK] = {false};
    if (!pad_mode(j, &mode) || !remap_init(j, &m, mode) || !pad_fill(j, &m)) return false;
    if (!ir_eval_ints(j, "pads", 1, &pads) || !ir_eval_ints(j, "axes", 3, &axes))
        return false;
    uint32_t n = axes.given ? axes.n : m.x.shape.rank;
    if (!pads.given || n > EVAL_RANK || pads.n != 2 * n) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = i;
        if (axes.given && !ir_eval_axis(axes.at[i], m.x.shape.rank, &a)) return false;
        if (seen[a] || !pad_axis(&m, a, pads.at[i], pads.at[n + i])) return false;
        seen[a] = true;
    }
    return put_remapped(j, &m);
}

/* --- Expand, Tile ------------------------------------------------------------------ */

static bool eval_expand(struct eval_job *j) {
    struct eval_ints wanted;
    struct eval_shape from, to, s;
    enum ir_dtype t;
    struct ir_axis axes[EVAL_RANK], grown[EVAL_RANK];
    struct ir_view v;
    uint64_t count;
    if (!ir_eval_operand_shape(j, 0, &t, &from) || !ir_eval_ints(j, "shape", 1, &wanted))
        return false;
    if (!wanted.given || !ir_eval_ints_shape(&wanted, &to)) return false;
    if (!ir_eval_broadcast(&from, &to, &s) || !ir_eval_count(&s, &count) ||
        !ir_eval_count(&from, &v.count))
        return false;
    ir_eval_view_all(&from, axes, &v);
    uint32_t lead = s.rank - from.rank;
    for (uint32_t a = 0; a < s.rank; a++) {
        bool own = a >= lead && from.at[a - lead] == s.at[a];
        grown[a] = own ? axes[a - lead] : (struct ir_axis){s.at[a], 0};
    }
    v.axes = grown;
    v.rank = s.rank;
    v.count = count;
    return ir_eval_put_view(j, 0, 0, &v, &s);
}

/* Each axis is repeated: two axes of a view, the outer one standing still. */
static bool eval_tile(struct eval_job *j) {
    struct eval_ints repeats;
    struct eval_shape s;
    enum ir_dtype t;
    struct ir_axis axes[EVAL_RANK], tiled[2 * EVAL_RANK];
    struct ir_view v;
    uint64_t count;
    if (j->e->schema->since < 6 || !ir_eval_operand_shape(j, 0, &t, &s)) return false;
    if (!ir_eval_ints(j, "repeats", 1, &repeats) || repeats.n != s.rank ||
        !ir_eval_count(&s, &count))
        return false;
    ir_eval_view_all(&s, axes, &v);
    for (uint32_t a = 0; a < repeats.n; a++) {
        if (repeats.at[a] < 0 || !rw_mul_i64(s.at[a], repeats.at[a], &s.at[a]))
            return false;
        tiled[2 * a] = (struct ir_axis){repeats.at[a], 0};
        tiled[2 * a + 1] = axes[a];
    }
    v.axes = tiled;
    v.rank = 2 * s.rank;
    return ir_eval_count(&s, &v.count) && ir_eval_put_view(j, 0, 0, &v, &s);
}

const struct eval_op ir_eval_remap_ops[] = {
    {"Expand", eval_expand, 0}, {"Pad", eval_pad, 0}, {"Slice", eval_slice, 0},
    {"Tile", eval_tile, 0},     {NULL, NULL, 0},
};
