/* remap.c -- Slice, Pad, Expand and Tile: each output element comes from a place of
 * the operand that is found axis by axis, at begin + i * step, or, where that is outside,
 * as the way of padding says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include "ir/tensor/tensor_bytes.h"

enum outside { FILL, EDGE, REFLECT, WRAP };

struct remap {
    struct eval_cells x;
    struct eval_shape out;
    int64_t begin[EVAL_RANK], step[EVAL_RANK];
    enum outside outside;
    unsigned char fill[sizeof(struct ir_string)];
};

/* Same rank, every element from its own place. */
static bool remap_init(struct eval_job *j, struct remap *m, enum outside outside) {
    memset(m, 0, sizeof *m);
    if (!ir_eval_cells(j, 0, &m->x)) return false;
    m->out = m->x.shape;
    m->outside = outside;
    for (uint32_t a = 0; a < EVAL_RANK; a++) m->step[a] = 1;
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
        int64_t dim = m->x.shape.at[a], p = m->begin[a] + pos[a] * m->step[a];
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

/* Begin and length of a slice of an axis, cut to what there is. */
static bool slice_axis(struct remap *m, uint32_t a, int64_t start, int64_t end,
                       int64_t step) {
    int64_t dim = m->x.shape.at[a], length = 0;
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
    m->begin[a] = start;
    m->step[a] = step;
    m->out.at[a] = length;
    return true;
}

static bool eval_slice(struct eval_job *j) {
    struct remap m;
    struct eval_ints starts, ends, axes, steps;
    bool seen[EVAL_RANK] = {false};
    if (!remap_init(j, &m, FILL) || !ir_eval_ints(j, "starts", 1, &starts) ||
        !ir_eval_ints(j, "ends", 2, &ends) || !ir_eval_ints(j, "axes", 3, &axes) ||
        !ir_eval_ints(j, "steps", 4, &steps))
        return false;
    if (!starts.given || starts.n != ends.n || (axes.given && axes.n != starts.n) ||
        (steps.given && steps.n != starts.n) || starts.n > m.x.shape.rank)
        return false;
    for (uint32_t i = 0; i < starts.n; i++) {
        uint32_t a = i;
        if (axes.given && !ir_eval_axis(axes.at[i], m.x.shape.rank, &a)) return false;
        if (seen[a]) return false;
        seen[a] = true;
        if (!slice_axis(&m, a, starts.at[i], ends.at[i], steps.given ? steps.at[i] : 1))
            return false;
    }
    return put_remapped(j, &m);
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
    struct remap m;
    struct eval_ints wanted;
    struct eval_shape to, lifted = {0};
    if (!remap_init(j, &m, WRAP) || !ir_eval_ints(j, "shape", 1, &wanted)) return false;
    if (!wanted.given || !ir_eval_ints_shape(&wanted, &to)) return false;
    if (!ir_eval_broadcast(&m.x.shape, &to, &m.out)) return false;
    /* The operand at the rank of the result: axes of 1 in front. */
    lifted.rank = m.out.rank;
    for (uint32_t a = 0; a < lifted.rank; a++) {
        uint32_t lead = lifted.rank - m.x.shape.rank;
        lifted.at[a] = a < lead ? 1 : m.x.shape.at[a - lead];
    }
    m.x.shape = lifted;
    return put_remapped(j, &m);
}

static bool eval_tile(struct eval_job *j) {
    struct remap m;
    struct eval_ints repeats;
    if (j->e->schema->since < 6 || !remap_init(j, &m, WRAP)) return false;
    if (!ir_eval_ints(j, "repeats", 1, &repeats) || repeats.n != m.x.shape.rank)
        return false;
    for (uint32_t a = 0; a < repeats.n; a++)
        if (repeats.at[a] < 0 || !rw_mul_i64(m.out.at[a], repeats.at[a], &m.out.at[a]))
            return false;
    return put_remapped(j, &m);
}

const struct eval_op ir_eval_remap_ops[] = {
    {"Expand", eval_expand, 0}, {"Pad", eval_pad, 0}, {"Slice", eval_slice, 0},
    {"Tile", eval_tile, 0},     {NULL, NULL, 0},
};
