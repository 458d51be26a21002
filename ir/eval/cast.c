/* cast.c -- Cast and CastLike between all numeric types.
 *
 * Where the standard leaves the result open (a float beyond an integer type, NaN to a
 * type without it, negative numbers to float8e8m0) nothing is evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

static float as_float(const struct eval_array *x, uint64_t i) {
    switch (x->class) {
    case EVAL_F32: return x->f32[i];
    case EVAL_F64: return (float)x->f64[i];
    case EVAL_I64: return (float)x->i64[i];
    case EVAL_U64: break;
    }
    return (float)x->u64[i];
}

static double as_double(const struct eval_array *x, uint64_t i) {
    switch (x->class) {
    case EVAL_F32: return (double)x->f32[i];
    case EVAL_F64: return x->f64[i];
    case EVAL_I64: return (double)x->i64[i];
    case EVAL_U64: break;
    }
    return (double)x->u64[i];
}

static bool is_floating(const struct eval_array *x) {
    return x->class == EVAL_F32 || x->class == EVAL_F64;
}

static void to_float(const struct eval_array *x, struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        if (r->class == EVAL_F32) r->f32[i] = as_float(x, i);
        else r->f64[i] = as_double(x, i);
    }
}

static void to_bool(const struct eval_array *x, struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++)
        r->i64[i] = is_floating(x) ? as_double(x, i) != 0 : x->i64[i] != 0;
}

static bool is_unsigned(enum ir_dtype t) {
    return t == IR_UINT8 || t == IR_UINT16 || t == IR_UINT32 || t == IR_UINT64 ||
           t == IR_UINT4 || t == IR_UINT2;
}

/* Integers keep their low bits; floats are cut towards zero. */
static bool to_integer(const struct eval_array *x, struct eval_array *r) {
    int width = (int)ir_dtype_bits(r->dtype);
    bool no_sign = is_unsigned(r->dtype);
    double end = ldexp(1, no_sign ? width : width - 1), begin = no_sign ? 0 : -end;
    for (uint64_t i = 0; i < r->count; i++) {
        if (!is_floating(x)) {
            r->u64[i] = x->u64[i];
            continue;
        }
        double whole = trunc(as_double(x, i));
        if (!(whole >= begin && whole < end)) return false;
        if (no_sign) r->u64[i] = (uint64_t)whole;
        else r->i64[i] = (int64_t)whole;
    }
    return true;
}

static bool is_small_float(enum ir_dtype t) {
    return ir_dtype_is_float(t) && ir_dtype_bits(t) < 16;
}

#define E8M0_NAN 255
#define E8M0_BIAS 127
enum round { ROUND_UP, ROUND_DOWN, ROUND_NEAREST };

/* A power of two, found from below by the way of rounding; ties go up. */
static uint32_t to_e8m0(float f, bool saturate, enum round round) {
    int exponent;
    if (isnan(f) || (!saturate && (f == 0 || isinf(f)))) return E8M0_NAN;
    if (f == 0) return 0;
    if (isinf(f)) return E8M0_NAN - 1;
    float fraction = 2 * frexpf(f, &exponent); /* 1 <= fraction < 2 */
    float above = round == ROUND_UP ? nextafterf(1, 2) : round == ROUND_NEAREST ? 1.5f : 2;
    int e = exponent - 1 + E8M0_BIAS + (fraction >= above);
    if (e >= 0 && e < E8M0_NAN) return (uint32_t)e;
    return !saturate ? E8M0_NAN : e < 0 ? 0 : E8M0_NAN - 1;
}

static enum round round_mode(const struct eval_job *j) {
    if (ir_eval_attr_is(j, "round_mode", "down", "up")) return ROUND_DOWN;
    return ir_eval_attr_is(j, "round_mode", "up", "up") ? ROUND_UP : ROUND_NEAREST;
}

static bool to_small_float(struct eval_job *j, const struct eval_array *x,
                           struct eval_array *r) {
    bool saturate = ir_eval_attr_int(j, "saturate", 1) != 0;
    for (uint64_t i = 0; i < r->count; i++) {
        float f = as_float(x, i);
        if (isnan(f) && !ir_dtype_has_nan(r->dtype)) return false;
        if (r->dtype == IR_FLOAT8E8M0) {
            if (signbit(f) && !isnan(f)) return false;
            r->u64[i] = to_e8m0(f, saturate, round_mode(j));
        } else r->u64[i] = ir_small_float_encode(r->dtype, (double)f, saturate);
    }
    return true;
}

static bool convert(struct eval_job *j, const struct eval_array *x, struct eval_array *r) {
    if (r->dtype == IR_BOOL) to_bool(x, r);
    else if (is_small_float(r->dtype)) return to_small_float(j, x, r);
    else if (ir_dtype_is_float(r->dtype)) to_float(x, r);
    else return to_integer(x, r);
    return true;
}

static bool cast(struct eval_job *j, enum ir_dtype to) {
    struct eval_array x, r;
    struct eval_cells same;
    if (!ir_eval_given(j, 0)) return false;
    if (j->e->in[0]->dtype == to)
        return ir_eval_cells(j, 0, &same) && ir_eval_put_cells(j, 0, &same);
    enum eval_class class = is_small_float(to) ? EVAL_I64 : ir_eval_class_of(to);
    return ir_eval_array(j, 0, &x) && ir_eval_array_new(j, to, class, &x.shape, &r) &&
           convert(j, &x, &r) && ir_eval_put(j, 0, &r);
}

/* Version 1 names the type in words: not evaluated. */
static bool eval_cast(struct eval_job *j) {
    const struct ir_attr *to = ir_eval_attr(j, "to");
    if (!to || to->type != IR_ATTR_INT || to->i <= 0 || to->i >= IR_DTYPE_N) return false;
    return cast(j, (enum ir_dtype)to->i);
}

static bool eval_cast_like(struct eval_job *j) {
    return ir_eval_given(j, 1) && cast(j, j->e->in[1]->dtype);
}

const struct eval_op ir_eval_cast_ops[] = {
    {"Cast", eval_cast, 0},
    {"CastLike", eval_cast_like, 0},
    {NULL, NULL, 0},
};
