/* index.c -- operators that take part of a tensor, or put tensors together.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

#include <math.h>

/* The dims of data with those of the indices in place of one. */
static bool gather_along(struct infer *x, const struct infer_shape *data, int64_t along,
                         enum ir_dtype t) {
    struct infer_shape index, out = {0};
    uint32_t axis;
    if (!infer_axis(x, along, data->rank, &axis)) return false;
    if (!infer_shape_of(x, 1, &index)) return true;
    if (data->rank - 1 + index.rank > INFER_MAX_RANK) return true;
    for (uint32_t i = 0; i < axis; i++) out.dim[out.rank++] = data->dim[i];
    for (uint32_t i = 0; i < index.rank; i++) out.dim[out.rank++] = index.dim[i];
    for (uint32_t i = axis + 1; i < data->rank; i++) out.dim[out.rank++] = data->dim[i];
    infer_set(x, 0, t, &out);
    return true;
}

bool infer_gather(struct infer *x) {
    struct infer_shape data;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &data)) return true;
    return gather_along(x, &data, infer_int(x, "axis", 0), infer_dtype(x, 0));
}

/* com.microsoft GatherBlockQuantized (data, indices, scales, zero points): of bytes each
 * holds several elements. */
bool infer_gather_block_quantized(struct infer *x) {
    struct infer_shape data;
    int64_t bits = infer_int(x, "bits", 4);
    enum ir_dtype t = infer_dtype(x, 2);
    infer_set_unranked(x, 0, t, 0);
    if (!infer_shape_of(x, 0, &data) || !data.rank || bits < 1 || bits > 8) return true;
    ir_dim *last = &data.dim[data.rank - 1];
    if (infer_dtype(x, 0) == IR_UINT8)
        *last = ir_dim_mul(x->d, *last, infer_const(x, 8 / bits));
    return gather_along(x, &data, infer_int(x, "gather_axis", 0), t);
}

/* GatherElements: the shape of the indices. */
bool infer_gather_elements(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 0), 1);
    return true;
}

bool infer_gather_nd(struct infer *x) {
    struct infer_shape data, index, out = {0};
    int64_t batch = infer_int(x, "batch_dims", 0), depth;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &data) || !infer_shape_of(x, 1, &index)) return true;
    if (!index.rank || batch < 0 || batch >= index.rank || batch > data.rank)
        return infer_fail(x, "batch_dims %" PRId64 " does not fit ranks %u and %u", batch,
                          data.rank, index.rank);
    if (!infer_is_const(x, index.dim[index.rank - 1], &depth)) return true;
    if (depth < 1 || depth > data.rank - batch)
        return infer_fail(x, "indices of %" PRId64 " items for a tensor of rank %u", depth,
                          data.rank);
    if (index.rank - 1 + data.rank - (uint32_t)(depth + batch) > INFER_MAX_RANK)
        return true;
    for (uint32_t i = 0; i + 1 < index.rank; i++) out.dim[out.rank++] = index.dim[i];
    for (uint32_t i = (uint32_t)(depth + batch); i < data.rank; i++)
        out.dim[out.rank++] = data.dim[i];
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

/* --- Concat, Split ----------------------------------------------------------------- */

/* Operands first, first + step, ... along an axis. */
static bool concat_operands(struct infer *x, uint32_t first, uint32_t step, int64_t along) {
    struct infer_shape sum = {0}, s;
    uint32_t axis = 0;
    infer_set_unranked(x, 0, infer_dtype(x, first), 0);
    for (uint32_t k = first; k < x->nin; k += step) {
        if (!infer_shape_of(x, k, &s)) return true;
        if (k == first) {
            sum = s;
            if (!infer_axis(x, along, s.rank, &axis)) return false;
            continue;
        }
        if (s.rank != sum.rank)
            return infer_fail(x, "operands of ranks %u and %u", sum.rank, s.rank);
        for (uint32_t i = 0; i < s.rank; i++) {
            if (i == axis) sum.dim[i] = ir_dim_add(x->d, sum.dim[i], s.dim[i]);
            else if (!infer_same(x, &sum.dim[i], s.dim[i], "dimensions besides the axis"))
                return false;
        }
    }
    infer_set(x, 0, infer_dtype(x, first), &sum);
    return true;
}

bool infer_concat(struct infer *x) {
    return concat_operands(x, 0, 1, infer_int(x, "axis", 1));
}

/* (y scale, y zero point, then tensor, scale, zero point each) */
bool infer_qlinear_concat(struct infer *x) {
    return concat_operands(x, 2, 3, infer_int(x, "axis", 0));
}

/* How long part k of n is: as `split` says, else equal parts, the last one smaller. */
static ir_dim part_length(struct infer *x, const struct infer_ints *split,
                          const struct ir_symval *value, ir_dim whole, uint32_t k) {
    int64_t n = infer_int(x, "num_outputs", x->nout);
    if (split->known) return k < split->n ? infer_const(x, split->at[k]) : IR_DIM_UNKNOWN;
    if (value) {
        ir_dim item = k < value->len ? value->items[k] : IR_DIM_UNKNOWN;
        return infer_never_negative(x, item) ? item : IR_DIM_UNKNOWN;
    }
    if (split->given || n < 1) return IR_DIM_UNKNOWN;
    if (x->schema && x->schema->since < 18) /* all parts equal */
        return ir_dim_floordiv(x->d, whole, infer_const(x, n));
    ir_dim chunk = infer_ceildiv(x, whole, n);
    if (k + 1 < n) return chunk;
    return ir_dim_sub(x->d, whole, ir_dim_mul(x->d, chunk, infer_const(x, n - 1)));
}

bool infer_split(struct infer *x) {
    struct infer_shape s;
    struct infer_ints split = infer_ints(x, "split");
    const struct ir_symval *value = infer_has(x, 1) ? infer_value_of(x, 1) : NULL;
    uint32_t axis;
    int64_t parts = infer_int(x, "num_outputs", x->nout);
    if (parts != x->nout)
        return infer_fail(x, "%" PRId64 " parts for %u outputs", parts, x->nout);
    for (uint32_t k = 0; k < x->nout; k++) infer_set_unranked(x, k, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!infer_axis(x, infer_int(x, "axis", 0), s.rank, &axis)) return false;
    ir_dim whole = s.dim[axis];
    for (uint32_t k = 0; k < x->nout; k++) {
        s.dim[axis] = part_length(x, &split, value, whole, k);
        infer_set(x, k, infer_dtype(x, 0), &s);
    }
    return true;
}

/* --- Slice ------------------------------------------------------------------------- */

/* What exporters write for "to the end" is no less; exact for every dim that is known. */
#define SLICE_TO_END 1000000000

/* A bound of a slice in 0..whole. -k counts from the end: whole - min(whole, k), which
 * is max(whole - k, 0) in the form that cancels against other slices of the same dim. */
static ir_dim slice_bound(const struct infer *x, ir_dim whole, ir_dim bound) {
    int64_t value, low, high;
    if (infer_is_const(x, bound, &value)) {
        bool symbolic = !infer_is_const(x, whole, &low);
        if (symbolic && value >= SLICE_TO_END) return whole;
        if (value <= (symbolic ? -SLICE_TO_END : -INT64_MAX)) return infer_const(x, 0);
        ir_dim size = infer_const(x, value < 0 ? -value : value);
        ir_dim inside = ir_dim_min(x->d, whole, size);
        return value < 0 ? ir_dim_sub(x->d, whole, inside) : inside;
    }
    ir_dim_bounds(x->d, bound, &low, &high);
    if (low >= 0) return ir_dim_min(x->d, whole, bound);
    if (high >= 0) return IR_DIM_UNKNOWN;
    ir_dim size = ir_dim_sub(x->d, infer_const(x, 0), bound);
    return ir_dim_sub(x->d, whole, ir_dim_min(x->d, whole, size));
}

/* With a negative step: from start, clamped to the dims there are, down to behind end. */
static int64_t backward_count(int64_t size, int64_t from, int64_t to, int64_t step) {
    if (size == 0) return 0;
    from = from < -size ? 0 : from < 0 ? from + size : from >= size ? size - 1 : from;
    to = to < -size ? -1 : to < 0 ? to + size : to >= size ? size - 1 : to;
    return from <= to ? 0 : (from - to - 1) / -step + 1;
}

/* Of a dim that is not known only the whole can be taken backwards. */
static ir_dim backward_length(const struct infer *x, ir_dim whole, ir_dim start, ir_dim end,
                              int64_t step) {
    int64_t from, to, size;
    if (!infer_is_const(x, start, &from) || !infer_is_const(x, end, &to) ||
        step == INT64_MIN)
        return IR_DIM_UNKNOWN;
    if (infer_is_const(x, whole, &size) && size >= 0)
        return infer_const(x, backward_count(size, from, to, step));
    bool from_last = from == -1 || from >= SLICE_TO_END;
    bool to_first = to <= -SLICE_TO_END;
    return from_last && to_first ? infer_ceildiv(x, whole, -step) : IR_DIM_UNKNOWN;
}

static ir_dim slice_length(const struct infer *x, ir_dim whole, ir_dim start, ir_dim end,
                           int64_t step) {
    if (step < 0) return backward_length(x, whole, start, end, step);
    ir_dim from = slice_bound(x, whole, start), to = slice_bound(x, whole, end);
    ir_dim length = ir_dim_sub(x->d, to, from);
    bool is_tail = to == whole; /* from is never beyond it */
    if (!is_tail && ir_dim_less(x->d, to, from) != IR_FALSE)
        length = ir_dim_max(x->d, length, infer_const(x, 0));
    return step == 1 ? length : infer_ceildiv(x, length, step);
}

/* The bounds of a slice: as many starts as ends, axes and steps. */
static bool read_slice(struct infer *x, const struct infer_shape *s,
                       struct infer_slice *r) {
    struct infer_ints starts = infer_ints(x, "starts"), ends = infer_ints(x, "ends");
    struct infer_ints axes = infer_ints(x, "axes"), steps = infer_ints(x, "steps");
    bool inputs = infer_items_of(x, 1, &r->start) && infer_items_of(x, 2, &r->end);
    if (!inputs) {
        if (!starts.known || !ends.known || starts.n > INFER_MAX_RANK || ends.n != starts.n)
            return false;
        r->start.rank = r->end.rank = starts.n;
        for (uint32_t i = 0; i < starts.n; i++) {
            r->start.dim[i] = infer_const(x, starts.at[i]);
            r->end.dim[i] = infer_const(x, ends.at[i]);
        }
    }
    uint32_t n = r->start.rank;
    if (r->end.rank != n || n > s->rank || (axes.given && (!axes.known || axes.n != n)))
        return false;
    if (steps.known && steps.n != n) return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t axis = axes.known ? axes.at[i] : i;
        if (axis < 0) axis += s->rank;
        if (axis < 0 || axis >= s->rank) return false;
        r->axis[i] = (uint32_t)axis;
        r->step[i] = steps.known ? steps.at[i] : steps.given ? 0 : 1; /* 0: not known */
    }
    return true;
}

bool infer_read_slice(struct infer *x, struct infer_slice *r) {
    struct infer_shape s;
    return infer_shape_of(x, 0, &s) && read_slice(x, &s, r);
}

bool infer_slice(struct infer *x) {
    struct infer_shape s;
    struct infer_slice r;
    struct infer_ints axes = infer_ints(x, "axes");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    for (uint32_t i = 0, axis; axes.known && i < axes.n; i++)
        if (!infer_axis(x, axes.at[i], s.rank, &axis)) return false;
    if (!read_slice(x, &s, &r)) {
        s = (struct infer_shape){.rank = s.rank};
        infer_set(x, 0, infer_dtype(x, 0), &s);
        return true;
    }
    for (uint32_t i = 0; i < r.start.rank; i++) {
        ir_dim *d = &s.dim[r.axis[i]];
        *d = r.step[i] ? slice_length(x, *d, r.start.dim[i], r.end.dim[i], r.step[i])
                       : IR_DIM_UNKNOWN;
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* --- made dims --------------------------------------------------------------------- */

/* Of constants, fractions too: ceil((limit - start)/step). */
static ir_dim float_range_length(const struct infer *x) {
    double v[3];
    if (!ir_dtype_is_float(infer_dtype(x, 0))) return IR_DIM_UNKNOWN;
    for (uint32_t i = 0; i < 3; i++) {
        ir_value in = ir_input(x->g, x->n, i);
        const struct ir_tensor *t = in == IR_NONE ? NULL : ir_const(x->g, in);
        if (!t || t->count != 1 || !ir_tensor_double_at(x->m, t, 0, &v[i]))
            return IR_DIM_UNKNOWN;
    }
    double n = ceil((v[1] - v[0]) / v[2]);
    if (!(n < 1e15)) return IR_DIM_UNKNOWN;
    return infer_const(x, n > 0 ? (int64_t)n : 0);
}

static ir_dim range_length(struct infer *x) {
    const struct ir_symval *v[3];
    int64_t step;
    ir_dim by_floats = float_range_length(x);
    if (by_floats) return by_floats;
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = infer_value_of(x, i);
        if (!v[i] || v[i]->len != 1) return IR_DIM_UNKNOWN;
    }
    if (!infer_is_const(x, v[2]->items[0], &step) || step == 0 || step == INT64_MIN)
        return IR_DIM_UNKNOWN;
    ir_dim start = v[0]->items[0], limit = v[1]->items[0];
    ir_dim span =
        step > 0 ? ir_dim_sub(x->d, limit, start) : ir_dim_sub(x->d, start, limit);
    if (!infer_never_negative(x, span)) span = ir_dim_max(x->d, span, infer_const(x, 0));
    return infer_ceildiv(x, span, step < 0 ? -step : step);
}

bool infer_range(struct infer *x) {
    struct infer_shape s = {.rank = 1, .dim = {range_length(x)}};
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

bool infer_one_hot(struct infer *x) {
    struct infer_shape s;
    const struct ir_symval *depth = infer_value_of(x, 1);
    uint32_t axis;
    infer_set_unranked(x, 0, infer_dtype(x, 2), 0);
    if (!infer_shape_of(x, 0, &s) || s.rank == INFER_MAX_RANK) return true;
    if (!infer_axis(x, infer_int(x, "axis", -1), s.rank + 1, &axis)) return false;
    memmove(&s.dim[axis + 1], &s.dim[axis], (s.rank++ - axis) * sizeof *s.dim);
    s.dim[axis] = depth && depth->len == 1 && infer_never_negative(x, depth->items[0])
                      ? depth->items[0] : IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 2), &s);
    return true;
}

bool infer_non_zero(struct infer *x) {
    struct infer_shape s, out = {.rank = 2};
    if (infer_shape_of(x, 0, &s)) out.dim[0] = infer_const(x, s.rank);
    infer_set(x, 0, IR_INT64, &out);
    return true;
}

/* Compress: as many as are true, along an axis or of all elements in a row. */
bool infer_compress(struct infer *x) {
    struct infer_shape s;
    uint32_t axis;
    const struct ir_attr *along = ir_find_attr(x->g, x->n, "axis");
    if (!along) {
        infer_set(x, 0, infer_dtype(x, 0), &(struct infer_shape){.rank = 1});
        return true;
    }
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!infer_axis(x, along->i, s.rank, &axis)) return false;
    s.dim[axis] = IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* Unique: the elements, or slices along an axis; then three lists of positions. */
bool infer_unique(struct infer *x) {
    struct infer_shape list = {.rank = 1};
    infer_compress(x);
    for (uint32_t k = 1; k < 4; k++) infer_set(x, k, IR_INT64, &list);
    return x->why == NULL;
}

bool infer_pad(struct infer *x) {
    struct infer_shape s, pads;
    struct infer_ints fixed = infer_ints(x, "pads"), axes = infer_ints(x, "axes");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    uint32_t n = axes.known ? axes.n : s.rank;
    if (fixed.known && fixed.n <= INFER_MAX_RANK) {
        pads.rank = fixed.n;
        for (uint32_t i = 0; i < fixed.n; i++) pads.dim[i] = infer_const(x, fixed.at[i]);
    } else if (!infer_items_of(x, 1, &pads)) {
        pads = (struct infer_shape){.rank = 2 * n};
    }
    if (pads.rank != 2 * n || (axes.given && !axes.known)) {
        infer_set(x, 0, infer_dtype(x, 0), &(struct infer_shape){.rank = s.rank});
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis;
        if (!infer_axis(x, axes.known ? axes.at[i] : i, s.rank, &axis)) return false;
        ir_dim both = ir_dim_add(x->d, pads.dim[i], pads.dim[n + i]);
        s.dim[axis] = ir_dim_add(x->d, s.dim[axis], both);
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}
