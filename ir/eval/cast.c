/* cast.c -- Cast, CastLike and BitCast between all numeric types.
 *
 * Where the standard leaves the result open (a float beyond an integer type, NaN to a
 * type without it, negative numbers to float8e8m0) nothing is evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

static void to_float(const struct eval_array *x, struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        if (r->class == EVAL_F32) r->f32[i] = ir_eval_as_float(x, i);
        else r->f64[i] = ir_eval_as_double(x, i);
    }
}

static void to_bool(const struct eval_array *x, struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++)
        r->i64[i] = ir_eval_is_floating(x) ? ir_eval_as_double(x, i) != 0 : x->i64[i] != 0;
}

static bool is_unsigned(enum ir_dtype t) {
    return t == IR_UINT8 || t == IR_UINT16 || t == IR_UINT32 || t == IR_UINT64 ||
           t == IR_UINT4 || t == IR_UINT2;
}

/* Integers keep their low bits; floats are cut towards zero, but to less than a byte ONNX
 * Runtime rounds them: there only whole ones are cast. */
static bool to_integer(const struct eval_array *x, struct eval_array *r) {
    int width = (int)ir_dtype_bits(r->dtype);
    bool no_sign = is_unsigned(r->dtype);
    double end = ldexp(1, no_sign ? width : width - 1), begin = no_sign ? 0 : -end;
    for (uint64_t i = 0; i < r->count; i++) {
        if (!ir_eval_is_floating(x)) {
            r->u64[i] = x->u64[i];
            continue;
        }
        double given = ir_eval_as_double(x, i), whole = trunc(given);
        if (!(whole >= begin && whole < end) || (width < 8 && whole != given)) return false;
        if (no_sign) r->u64[i] = (uint64_t)whole;
        else r->i64[i] = (int64_t)whole;
    }
    return true;
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

bool ir_eval_to_small_float(enum ir_dtype t, float f, bool saturate, uint64_t *bits) {
    if (isnan(f) && !ir_dtype_has_nan(t)) return false;
    *bits = ir_small_float_encode(t, (double)f, saturate);
    return true;
}

/* flag: saturate; which: the way of rounding to float8e8m0. */
static bool to_small_floats(const struct eval_map *m, const struct eval_array *x,
                            struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        float f = ir_eval_as_float(x, i);
        if (r->dtype == IR_FLOAT8E8M0) {
            if (signbit(f) && !isnan(f)) return false;
            r->u64[i] = to_e8m0(f, m->flag, (enum round)m->which);
        } else if (!ir_eval_to_small_float(r->dtype, f, m->flag, &r->u64[i])) return false;
    }
    return true;
}

static bool convert(const struct eval_map *m, const struct eval_array *x,
                    struct eval_array *r) {
    if (r->dtype == IR_BOOL) to_bool(x, r);
    else if (ir_eval_is_small_float(r->dtype)) return to_small_floats(m, x, r);
    else if (ir_dtype_is_float(r->dtype)) to_float(x, r);
    else return to_integer(x, r);
    return true;
}

static bool keep_bits(const struct eval_map *m, const struct eval_array *x,
                      struct eval_array *r) {
    RW_UNUSED(m);
    for (uint64_t i = 0; i < r->count; i++)
        r->u64[i] = x->u64[i]; /* of either class */
    return true;
}

/* Reads the operand's cells as they are, and makes them cells of another type. */
static bool plan_bits(struct eval_map *m, enum ir_dtype to) {
    static const enum ir_dtype as[] = {
        [1] = IR_UINT8, [2] = IR_UINT16, [4] = IR_UINT32, [8] = IR_UINT64};
    struct eval_source *x = &m->in[0];
    if (ir_dtype_bits(x->dtype) != ir_dtype_bits(to)) return false;
    x->dtype = as[ir_eval_cell_size(x->dtype)];
    x->class = ir_eval_class_of(x->dtype);
    m->run = keep_bits;
    return ir_eval_map_broadcast(m, to, EVAL_U64);
}

static bool plan_to(struct eval_job *j, struct eval_map *m, enum ir_dtype to) {
    if (!ir_eval_map_add(j, m, 0) || !ir_eval_is_number(to)) return false;
    if (m->in[0].dtype == to) return plan_bits(m, to);
    m->flag = ir_eval_attr_int(j, "saturate", 1) != 0;
    m->which = ir_eval_attr_is(j, "round_mode", "down", "up") ? ROUND_DOWN
               : ir_eval_attr_is(j, "round_mode", "up", "up") ? ROUND_UP
                                                              : ROUND_NEAREST;
    m->run = convert;
    enum eval_class class = ir_eval_is_small_float(to) ? EVAL_I64 : ir_eval_class_of(to);
    return ir_eval_map_broadcast(m, to, class);
}

bool ir_eval_attr_dtype(const struct eval_job *j, const char *name, enum ir_dtype fallback,
                        enum ir_dtype *out) {
    const struct ir_attr *to = ir_eval_attr(j, name);
    *out = fallback;
    if (!to) return true;
    if (to->type != IR_ATTR_INT || to->i <= 0 || to->i >= IR_DTYPE_N) return false;
    *out = (enum ir_dtype)to->i;
    return true;
}

/* Version 1 names the type in words: not evaluated. */
static bool plan_cast(struct eval_job *j, struct eval_map *m) {
    enum ir_dtype to;
    return ir_eval_attr_dtype(j, "to", IR_UNDEFINED, &to) && plan_to(j, m, to);
}

static bool plan_cast_like(struct eval_job *j, struct eval_map *m) {
    return ir_eval_given(j, 1) && plan_to(j, m, j->e->in[1]->dtype);
}

static bool plan_bit_cast(struct eval_job *j, struct eval_map *m) {
    enum ir_dtype to;
    return ir_eval_attr_dtype(j, "to", IR_UNDEFINED, &to) && ir_eval_is_number(to) &&
           ir_eval_map_add(j, m, 0) && plan_bits(m, to);
}

const struct eval_map_op ir_eval_cast_ops[] = {
    {"Cast", plan_cast, 0},
    {"CastLike", plan_cast_like, 0},
    {"BitCast", plan_bit_cast, 0},
    {NULL, NULL, 0},
};
