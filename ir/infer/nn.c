/* nn.c -- normalisation with channels, resizing, recurrence, quantised gathers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

#include <math.h>

/* In training the running statistics come out too, shaped like those that went in. */
bool infer_batch_norm(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    for (uint32_t k = 1; k < x->nout; k++)
        infer_set_like(x, k, infer_dtype(x, 3), k % 2 ? 3 : 4);
    return true;
}

/* --- Resize ------------------------------------------------------------------------ */

/* floor(in*scale), as ONNX Runtime computes it in float. */
static ir_dim scaled(const struct infer *x, ir_dim in, float scale) {
    int64_t size;
    if (!(scale > 0) || scale > 1e6f) return IR_DIM_UNKNOWN;
    if (infer_is_const(x, in, &size) && size >= 0 && size < (1 << 24)) {
        float out = floorf(scale * (float)size);
        return out < 1e15f ? infer_const(x, (int64_t)out) : IR_DIM_UNKNOWN;
    }
    if (scale == floorf(scale)) return ir_dim_mul(x->d, in, infer_const(x, (int64_t)scale));
    float inverse = 1 / scale;
    if (inverse == floorf(inverse) && 1 / inverse == scale && fmodf(inverse, 2) == 0)
        return ir_dim_floordiv(x->d, in, infer_const(x, (int64_t)inverse));
    return IR_DIM_UNKNOWN;
}

static bool apply_scales(struct infer *x, struct infer_shape *s, const uint32_t *axis,
                         uint32_t n) {
    struct ir_param p = ir_param(x->g, x->n, "scales", x->tmp);
    bool known = p.attr.type == IR_ATTR_FLOATS && p.attr.n;
    if (known && p.attr.n != n)
        return infer_fail(x, "\"scales\" has %u items, wanted %u", p.attr.n, n);
    for (uint32_t i = 0; i < n; i++) {
        ir_dim *d = &s->dim[axis[i]];
        *d = known ? scaled(x, *d, p.attr.floats[i]) : IR_DIM_UNKNOWN;
    }
    return true;
}

/* Sizes with the aspect kept: all dims by one factor, the least or the greatest of those
 * that were asked for. */
static void keep_aspect(struct infer *x, const struct infer_shape *s, const uint32_t *axis,
                        bool not_larger, struct infer_shape *sizes) {
    float factor = 0;
    int64_t in, out;
    for (uint32_t i = 0; i < sizes->rank; i++) {
        bool known = infer_is_const(x, s->dim[axis[i]], &in) &&
                     infer_is_const(x, sizes->dim[i], &out) && in > 0 && out >= 0;
        if (!known || in > (1 << 24) || out > (1 << 24)) {
            *sizes = (struct infer_shape){.rank = sizes->rank};
            return;
        }
        float f = (float)out / (float)in;
        if (i == 0 || (not_larger ? f < factor : f > factor)) factor = f;
    }
    for (uint32_t i = 0; i < sizes->rank; i++) {
        infer_is_const(x, s->dim[axis[i]], &in);
        sizes->dim[i] = infer_const(x, (int64_t)floorf(factor * (float)in + 0.5f));
    }
}

static void apply_sizes(struct infer *x, struct infer_shape *s, const uint32_t *axis,
                        uint32_t n) {
    struct infer_shape sizes;
    const char *policy = infer_string(x, "keep_aspect_ratio_policy");
    if (!infer_items_of(x, 3, &sizes) || sizes.rank != n)
        sizes = (struct infer_shape){.rank = n};
    if (*policy && !rw_streq(policy, "stretch"))
        keep_aspect(x, s, axis, rw_streq(policy, "not_larger"), &sizes);
    for (uint32_t i = 0; i < n; i++)
        s->dim[axis[i]] =
            infer_never_negative(x, sizes.dim[i]) ? sizes.dim[i] : IR_DIM_UNKNOWN;
}

bool infer_resize(struct infer *x) {
    struct infer_shape s;
    struct infer_ints axes = infer_ints(x, "axes");
    uint32_t axis[INFER_MAX_RANK], n;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    n = axes.known ? axes.n : s.rank;
    for (uint32_t i = 0; i < n && i < INFER_MAX_RANK; i++)
        if (!infer_axis(x, axes.known ? axes.at[i] : i, s.rank, &axis[i])) return false;
    if (n > INFER_MAX_RANK) return infer_fail(x, "\"axes\" has %u items", n);
    if (infer_has(x, 3)) {
        apply_sizes(x, &s, axis, n);
    } else if (!apply_scales(x, &s, axis, n)) {
        return false;
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* --- recurrence -------------------------------------------------------------------- */

/* LSTM, GRU, RNN: Y [seq, dirs, batch, hidden], then the last states [dirs, batch, hidden];
 * with layout 1 the batch comes first. */
bool infer_recurrent(struct infer *x) {
    struct infer_shape s = {.rank = 3}, y = {.rank = 4}, last = {.rank = 3};
    bool known = infer_shape_of(x, 0, &s), batch_first = infer_int(x, "layout", 0) != 0;
    int64_t hidden = infer_int(x, "hidden_size", -1);
    if (known && s.rank != 3)
        return infer_fail(x, "the input has rank %u, wanted 3", s.rank);
    ir_dim size = hidden >= 0 ? infer_const(x, hidden) : IR_DIM_UNKNOWN;
    bool two_way = rw_streq(infer_string(x, "direction"), "bidirectional");
    ir_dim dirs = infer_const(x, two_way ? 2 : 1);
    ir_dim seq = s.dim[batch_first], batch = s.dim[!batch_first];
    if (!known) seq = batch = IR_DIM_UNKNOWN;
    if (batch_first) {
        memcpy(y.dim, (ir_dim[]){batch, seq, dirs, size}, 4 * sizeof *y.dim);
        memcpy(last.dim, (ir_dim[]){batch, dirs, size}, 3 * sizeof *y.dim);
    } else {
        memcpy(y.dim, (ir_dim[]){seq, dirs, batch, size}, 4 * sizeof *y.dim);
        memcpy(last.dim, (ir_dim[]){dirs, batch, size}, 3 * sizeof *y.dim);
    }
    infer_set(x, 0, infer_dtype(x, 0), &y);
    infer_set(x, 1, infer_dtype(x, 0), &last);
    infer_set(x, 2, infer_dtype(x, 0), &last);
    return true;
}
