/* signal.c -- Fourier transforms and windows over signals.
 *
 * Complex numbers are a last dimension of 2; a transform of real data is symmetric, so that
 * n/2 + 1 items stand for all n ("onesided").
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

static ir_dim half_and_one(const struct infer *x, ir_dim n) {
    return ir_dim_add(x->d, ir_dim_floordiv(x->d, n, infer_const(x, 2)), infer_const(x, 1));
}

/* n from n/2 + 1, supposing that n is even. */
static ir_dim from_half(const struct infer *x, ir_dim half) {
    return ir_dim_mul(x->d, ir_dim_sub(x->d, half, infer_const(x, 1)), infer_const(x, 2));
}

/* Operand 1, the length, cuts the signal or fills it up. From opset 20 the axis is an
 * operand, the last but one if it is not given; before, an attribute. */
bool infer_dft(struct infer *x) {
    struct infer_shape s;
    struct infer_ints given = infer_ints(x, "axis");
    bool onesided = infer_int(x, "onesided", 0), inverse = infer_int(x, "inverse", 0);
    uint32_t axis;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank < 2) return infer_fail(x, "the input has rank %u, wanted 2 or more", s.rank);
    if (given.given && (!given.known || given.n != 1)) {
        bool kept = !infer_has(x, 1) && !onesided; /* whatever the axis is */
        if (!kept) s = (struct infer_shape){.rank = s.rank};
        s.dim[s.rank - 1] = infer_const(x, onesided && inverse ? 1 : 2);
        infer_set(x, 0, infer_dtype(x, 0), &s);
        return true;
    }
    int64_t otherwise = x->schema && x->schema->since < 20 ? 1 : -2;
    if (!infer_axis(x, given.given ? given.at[0] : otherwise, s.rank, &axis)) return false;
    ir_dim *n = &s.dim[axis];
    if (infer_has(x, 1)) *n = infer_size_of(x, 1);
    else if (onesided && inverse) *n = from_half(x, *n);
    if (onesided && !inverse) *n = half_and_one(x, *n);
    s.dim[s.rank - 1] = infer_const(x, onesided && inverse ? 1 : 2);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* (signal [batch, n, 1 or 2], step, window, frame length) -> [batch, frames, bins, 2] */
bool infer_stft(struct infer *x) {
    struct infer_shape s, window, out = {.rank = 4};
    bool known = infer_shape_of(x, 0, &s);
    if (known && s.rank != 3 && s.rank != 2)
        return infer_fail(x, "the signal has rank %u, wanted 3", s.rank);
    ir_dim frame = known ? s.dim[1] : IR_DIM_UNKNOWN;
    if (infer_has(x, 3)) frame = infer_size_of(x, 3);
    else if (infer_has(x, 2))
        frame = infer_shape_of(x, 2, &window) && window.rank == 1 ? window.dim[0]
                                                                  : IR_DIM_UNKNOWN;
    if (known) {
        ir_dim steps = ir_dim_sub(x->d, s.dim[1], frame);
        steps = ir_dim_floordiv(x->d, steps, infer_size_of(x, 1));
        out.dim[0] = s.dim[0];
        out.dim[1] = ir_dim_add(x->d, steps, infer_const(x, 1));
    }
    out.dim[2] = infer_int(x, "onesided", 1) ? half_and_one(x, frame) : frame;
    out.dim[3] = infer_const(x, 2);
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

/* (bands, length of the transform, ...): a column for each band. */
bool infer_mel_weight_matrix(struct infer *x) {
    struct infer_shape s = {.rank = 2};
    s.dim[0] = half_and_one(x, infer_size_of(x, 1));
    s.dim[1] = infer_size_of(x, 0);
    infer_set(x, 0, infer_named_dtype(x, "output_datatype", IR_FLOAT), &s);
    return true;
}

/* com.microsoft: the transform of the last dims; the result has the pair behind them. */
bool infer_rfft(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !s.rank || s.rank == INFER_MAX_RANK) return true;
    if (infer_int(x, "onesided", 1))
        s.dim[s.rank - 1] = half_and_one(x, s.dim[s.rank - 1]);
    s.dim[s.rank++] = infer_const(x, 2);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

bool infer_irfft(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank < 2) return infer_fail(x, "the input has rank %u, wanted 2 or more", s.rank);
    s.rank--;
    if (infer_int(x, "onesided", 1)) s.dim[s.rank - 1] = from_half(x, s.dim[s.rank - 1]);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* HannWindow and its like: a list as long as the operand says. */
bool infer_window_function(struct infer *x) {
    struct infer_shape s = {.rank = 1, .dim = {infer_size_of(x, 0)}};
    infer_set(x, 0, infer_named_dtype(x, "output_datatype", IR_FLOAT), &s);
    return true;
}
