/* unary.c -- operators of one operand, element by element.
 *
 * Each is an expression of x, and of the parameters a and b, made into a loop for each
 * class of numbers that the operator has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>
#include <tgmath.h>

/* Of floats; tgmath picks the function of the type T. NaN gives NaN where the expression
 * does not say otherwise. */
#define FLOAT_UNARY(X, T, c)                                                           \
    X(T, c, Abs, fabs(x))                                                              \
    X(T, c, Acos, acos(x))                                                             \
    X(T, c, Acosh, acosh(x))                                                           \
    X(T, c, Asin, asin(x))                                                             \
    X(T, c, Asinh, asinh(x))                                                           \
    X(T, c, Atan, atan(x))                                                             \
    X(T, c, Atanh, atanh(x))                                                           \
    X(T, c, Ceil, ceil(x))                                                             \
    X(T, c, Celu, x < 0 ? a * expm1(x / a) : x)                                        \
    X(T, c, Cos, cos(x))                                                               \
    X(T, c, Cosh, cosh(x))                                                             \
    X(T, c, Elu, x < 0 ? a * expm1(x) : x)                                             \
    X(T, c, Erf, erf(x))                                                               \
    X(T, c, Exp, exp(x))                                                               \
    X(T, c, Floor, floor(x))                                                           \
    X(T, c, Gelu, x / 2 * (1 + erf(x * (T)SQRT_HALF)))                                 \
    X(T, c, GeluTanh, x / 2 * (1 + tanh((T)SQRT_2_PI * (x + (T)0.044715 * x * x * x)))) \
    X(T, c, HardSigmoid, clamp_##c(a * x + b))                                         \
    X(T, c, HardSwish, x * clamp_##c(x / 6 + (T)0.5))                                  \
    X(T, c, LeakyRelu, x < 0 ? a * x : x)                                              \
    X(T, c, Log, log(x))                                                               \
    X(T, c, Mish, x * tanh(softplus_##c(x)))                                           \
    X(T, c, Neg, -x)                                                                   \
    X(T, c, Reciprocal, 1 / x)                                                         \
    X(T, c, Relu, x < 0 ? 0 : x)                                                       \
    X(T, c, Round, nearbyint(x))                                                       \
    X(T, c, Selu, x > 0 ? b * x : b * a * expm1(x))                                    \
    X(T, c, Shrink, x < -a ? x + b : x > a ? x - b : 0)                 \
    X(T, c, Sigmoid, sigmoid_##c(x))                                                   \
    X(T, c, Sign, isnan(x) ? x : (T)((x > 0) - (x < 0)))                               \
    X(T, c, Sin, sin(x))                                                               \
    X(T, c, Sinh, sinh(x))                                                             \
    X(T, c, Softplus, softplus_##c(x))                                                 \
    X(T, c, Softsign, x / (1 + fabs(x)))                                               \
    X(T, c, Sqrt, sqrt(x))                                                             \
    X(T, c, Swish, x * sigmoid_##c(a * x))                                             \
    X(T, c, Tan, tan(x))                                                               \
    X(T, c, Tanh, tanh(x))                                                             \
    X(T, c, ThresholdedRelu, x > a ? x : 0)

#define I64_UNARY(X)                                                                   \
    X(int64_t, i64, Abs, x < 0 ? negated(x) : x)                                       \
    X(int64_t, i64, BitwiseNot, ~x)                                                    \
    X(int64_t, i64, Neg, negated(x))                                                   \
    X(int64_t, i64, Not, !x)                                                           \
    X(int64_t, i64, Relu, x < 0 ? 0 : x)                                               \
    X(int64_t, i64, Sign, (x > 0) - (x < 0))
#define U64_UNARY(X)                                                                   \
    X(uint64_t, u64, Abs, x)                                                           \
    X(uint64_t, u64, BitwiseNot, ~x)                                                   \
    X(uint64_t, u64, Sign, x > 0)

#define SQRT_2_PI 0.79788456080286535588 /* of 2 by pi */
#define SQRT_HALF 0.70710678118654752440
#define HELPERS(T, c)                                                                  \
    static T clamp_##c(T x) { return x < 0 ? 0 : x > 1 ? 1 : x; }                      \
    static T sigmoid_##c(T x) {                                                        \
        return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));                     \
    }                                                                                  \
    static T softplus_##c(T x) {                                                       \
        return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));                             \
    }
HELPERS(float, f32)
HELPERS(double, f64)

static int64_t negated(int64_t x) { return (int64_t)(0 - (uint64_t)x); }

#define DEFINE(T, c, name, expression)                                                 \
    static bool name##_##c(const struct eval_map *m, const struct eval_array *in,      \
                           struct eval_array *r) {                                     \
        const T a = (T)m->alpha, b = (T)m->beta;                                       \
        RW_UNUSED(a);                                                                  \
        RW_UNUSED(b);                                                                  \
        for (uint64_t i = 0; i < r->count; i++) {                                      \
            const T x = in->c[i];                                                      \
            r->c[i] = expression;                                                      \
        }                                                                              \
        return true;                                                                   \
    }
FLOAT_UNARY(DEFINE, float, f32)
FLOAT_UNARY(DEFINE, double, f64)
I64_UNARY(DEFINE)
U64_UNARY(DEFINE)

enum unary_op {
#define NAME(T, c, name, expression) name,
    FLOAT_UNARY(NAME, , )
    BitwiseNot, Not, UNARY_N
};
static eval_tiler *const unaries[UNARY_N][EVAL_CLASSES] = {
#define FLOAT_ROW(T, c, name, expression) [name] = {name##_f32, name##_f64, NULL, NULL},
    FLOAT_UNARY(FLOAT_ROW, , )
};
static eval_tiler *const of_integers[UNARY_N][2] = {
    [Abs] = {Abs_i64, Abs_u64},    [BitwiseNot] = {BitwiseNot_i64, BitwiseNot_u64},
    [Neg] = {Neg_i64, NULL},       [Not] = {Not_i64, NULL},
    [Relu] = {Relu_i64, NULL},     [Sign] = {Sign_i64, Sign_u64},
};

static eval_tiler *function_of(enum unary_op op, enum eval_class c) {
    return c == EVAL_I64 || c == EVAL_U64 ? of_integers[op][c == EVAL_U64] : unaries[op][c];
}

/* The parameters under the names that the operators give them; no operator has two. */
static void read_parameters(const struct eval_job *j, struct eval_map *m) {
    m->alpha = ir_eval_attr_float(j, "alpha") + ir_eval_attr_float(j, "lambd");
    m->beta = ir_eval_attr_float(j, "beta") + ir_eval_attr_float(j, "gamma") +
              ir_eval_attr_float(j, "bias");
}

static bool plan_unary(struct eval_job *j, struct eval_map *m) {
    if (!ir_eval_map_add(j, m, 0)) return false;
    const struct eval_source *x = &m->in[0];
    if ((j->which == Not) != (x->dtype == IR_BOOL)) return false;
    m->run = function_of((enum unary_op)j->which, x->class);
    read_parameters(j, m);
    return m->run && ir_eval_map_broadcast(m, x->dtype, x->class);
}

static bool plan_gelu(struct eval_job *j, struct eval_map *m) {
    if (ir_eval_attr_is(j, "approximate", "tanh", "none")) j->which = GeluTanh;
    else if (!ir_eval_attr_is(j, "approximate", "none", "none")) return false;
    return plan_unary(j, m);
}

/* --- kinds of floats --------------------------------------------------------------- */

static bool is_nan(const struct eval_map *m, const struct eval_array *x,
                   struct eval_array *r) {
    RW_UNUSED(m);
    for (uint64_t i = 0; i < r->count; i++)
        r->i64[i] = x->class == EVAL_F32 ? isnan(x->f32[i]) : isnan(x->f64[i]);
    return true;
}

/* alpha: do negative ones count; beta: do positive ones. */
static bool is_inf(const struct eval_map *m, const struct eval_array *x,
                   struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        double d = x->class == EVAL_F32 ? (double)x->f32[i] : x->f64[i];
        r->i64[i] = isinf(d) && (d < 0 ? m->alpha : m->beta) != 0;
    }
    return true;
}

static bool plan_kind(struct eval_job *j, struct eval_map *m, eval_tiler *run) {
    if (!ir_eval_map_add(j, m, 0) || !ir_dtype_is_float(m->in[0].dtype)) return false;
    m->run = run;
    m->alpha = ir_eval_attr_int(j, "detect_negative", 1) != 0;
    m->beta = ir_eval_attr_int(j, "detect_positive", 1) != 0;
    return ir_eval_map_broadcast(m, IR_BOOL, EVAL_I64);
}
static bool plan_is_nan(struct eval_job *j, struct eval_map *m) {
    return plan_kind(j, m, is_nan);
}
static bool plan_is_inf(struct eval_job *j, struct eval_map *m) {
    return plan_kind(j, m, is_inf);
}

#define OP(name) {#name, plan_unary, name}
const struct eval_map_op ir_eval_unary_ops[] = {
    OP(Abs), OP(Acos), OP(Acosh), OP(Asin), OP(Asinh), OP(Atan), OP(Atanh), OP(BitwiseNot),
    OP(Ceil), OP(Celu), OP(Cos), OP(Cosh), OP(Elu), OP(Erf), OP(Exp), OP(Floor),
    OP(HardSigmoid), OP(HardSwish), OP(LeakyRelu), OP(Log), OP(Mish), OP(Neg), OP(Not),
    OP(Reciprocal), OP(Relu), OP(Round), OP(Selu), OP(Shrink), OP(Sigmoid), OP(Sign),
    OP(Sin), OP(Sinh), OP(Softplus), OP(Softsign), OP(Sqrt), OP(Swish), OP(Tan), OP(Tanh),
    OP(ThresholdedRelu), {"Gelu", plan_gelu, Gelu}, {"IsNaN", plan_is_nan, 0},
    {"IsInf", plan_is_inf, 0}, {NULL, NULL, 0},
};
