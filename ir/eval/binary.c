/* binary.c -- operators of two and more operands, element by element: arithmetic,
 * comparison, logic, bits.
 *
 * Each operator is an expression of x and y, made into a loop for each class of numbers
 * by the lists below, with the condition under which it is not evaluated. Integers are
 * computed modulo 2^64 and cut to their width when stored, which is the wrap of that
 * width.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>
#include <tgmath.h>

/* X(type of the operands, their class, class of the result, name, refused, result) */

/* A NaN wins against a number. */
#define OF_FLOATS(X, T, c)                                                             \
    X(T, c, c, Add, false, x + y)                                                      \
    X(T, c, c, Sub, false, x - y)                                                      \
    X(T, c, c, Mul, false, x * y)                                                       \
    X(T, c, c, Div, false, x / y)                                                      \
    X(T, c, c, Remainder, false, fmod(x, y))                                           \
    X(T, c, c, Modulo, false, modulo_##c(x, y))                                        \
    X(T, c, c, Min, false, isnan(x) || x < y ? x : y)                                  \
    X(T, c, c, Max, false, isnan(x) || x > y ? x : y)                                  \
    X(T, c, c, PRelu, false, x < 0 ? x * y : x)

/* W is the unsigned type, in which overflow is no error. */
#define OF_INTEGERS(X, T, W, c)                                                        \
    X(T, c, c, Add, false, (T)((W)x + (W)y))                                           \
    X(T, c, c, Sub, false, (T)((W)x - (W)y))                                           \
    X(T, c, c, Mul, false, (T)((W)x * (W)y))                                           \
    X(T, c, c, Div, y == 0, quotient_##c(x, y))                                        \
    X(T, c, c, Remainder, y == 0, remainder_##c(x, y))                                 \
    X(T, c, c, Modulo, y == 0, modulo_##c(x, y))                                       \
    X(T, c, c, Min, false, x < y ? x : y)                                              \
    X(T, c, c, Max, false, x > y ? x : y)                                              \
    X(T, c, c, BitwiseAnd, false, x & y)                                                \
    X(T, c, c, BitwiseOr, false, x | y)                                                \
    X(T, c, c, BitwiseXor, false, x ^ y)                                               \
    X(T, c, i64, And, false, x != 0 && y != 0)                                         \
    X(T, c, i64, Or, false, x != 0 || y != 0)                                          \
    X(T, c, i64, Xor, false, (x != 0) != (y != 0))

#define COMPARISONS(X, T, c)                                                           \
    X(T, c, i64, Equal, false, x == y)                                                 \
    X(T, c, i64, Greater, false, x > y)                                                \
    X(T, c, i64, GreaterOrEqual, false, x >= y)                                        \
    X(T, c, i64, Less, false, x < y)                                                   \
    X(T, c, i64, LessOrEqual, false, x <= y)

/* Division by -1 is negation, which wraps. The modulus has the sign of the divisor. */
static uint64_t quotient_u64(uint64_t x, uint64_t y) { return x / y; }
static uint64_t remainder_u64(uint64_t x, uint64_t y) { return x % y; }
static uint64_t modulo_u64(uint64_t x, uint64_t y) { return x % y; }
static int64_t quotient_i64(int64_t x, int64_t y) {
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
static int64_t remainder_i64(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }
static int64_t modulo_i64(int64_t x, int64_t y) {
    int64_t r = remainder_i64(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
#define FLOAT_MODULO(T, c)                                                             \
    static T modulo_##c(T x, T y) {                                                    \
        T r = fmod(x, y);                                                              \
        if (r == 0) return copysign(r, y);                                             \
        return (r < 0) != (y < 0) ? r + y : r;                                         \
    }
FLOAT_MODULO(float, f32)
FLOAT_MODULO(double, f64)

#define DEFINE(T, c, to, name, refused, result)                                        \
    static bool name##_##c(const struct eval_map *m, const struct eval_array *in,      \
                           struct eval_array *r) {                                     \
        RW_UNUSED(m);                                                                  \
        for (uint64_t i = 0; i < r->count; i++) {                                      \
            const T x = in[0].c[i], y = in[1].c[i];                                    \
            if (refused) return false;                                                 \
            r->to[i] = result;                                                         \
        }                                                                              \
        return true;                                                                   \
    }
OF_FLOATS(DEFINE, float, f32)
OF_FLOATS(DEFINE, double, f64)
OF_INTEGERS(DEFINE, int64_t, uint64_t, i64)
OF_INTEGERS(DEFINE, uint64_t, uint64_t, u64)
COMPARISONS(DEFINE, float, f32)
COMPARISONS(DEFINE, double, f64)
COMPARISONS(DEFINE, int64_t, i64)
COMPARISONS(DEFINE, uint64_t, u64)

enum binary_op {
    ADD, SUB, MUL, DIV, REMAINDER, MODULO, MIN, MAX, PRELU, BIT_AND, BIT_OR, BIT_XOR,
    AND, OR, XOR, EQUAL, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, BINARY_N
};
#define ANY(name) {name##_f32, name##_f64, name##_i64, name##_u64}
#define WHOLE(name) {NULL, NULL, name##_i64, name##_u64}
static eval_tiler *const binaries[BINARY_N][EVAL_CLASSES] = {
    [ADD] = ANY(Add), [SUB] = ANY(Sub), [MUL] = ANY(Mul), [DIV] = ANY(Div),
    [REMAINDER] = ANY(Remainder), [MODULO] = ANY(Modulo), [MIN] = ANY(Min),
    [MAX] = ANY(Max), [PRELU] = {PRelu_f32, PRelu_f64, NULL, NULL},
    [BIT_AND] = WHOLE(BitwiseAnd), [BIT_OR] = WHOLE(BitwiseOr),
    [BIT_XOR] = WHOLE(BitwiseXor), [AND] = WHOLE(And), [OR] = WHOLE(Or), [XOR] = WHOLE(Xor), [EQUAL] = ANY(Equal), [GREATER] = ANY(Greater),
    [GREATER_OR_EQUAL] = ANY(GreaterOrEqual), [LESS] = ANY(Less),
    [LESS_OR_EQUAL] = ANY(LessOrEqual),
};

/* Before opset 7 shapes were broadcast in another way, before 8 not those of many
 * operands: evaluated when they are equal. */
static bool shapes_agree(const struct eval_job *j, const struct eval_map *m,
                         int32_t broadcast_since) {
    for (uint32_t k = 1; k < m->nin; k++)
        if (j->e->schema->since < broadcast_since &&
            !ir_eval_same_shape(&m->in[0].shape, &m->in[k].shape))
            return false;
    return true;
}

static bool add_all(struct eval_job *j, struct eval_map *m) {
    for (uint32_t k = 0; k < j->e->nin; k++)
        if (!ir_eval_map_add(j, m, k) || m->in[k].dtype != m->in[0].dtype) return false;
    return m->nin > 0;
}

static bool plan_pair(struct eval_job *j, struct eval_map *m, enum binary_op op) {
    if (!add_all(j, m) || m->nin != 2 || !shapes_agree(j, m, 7)) return false;
    m->run = binaries[op][m->in[0].class];
    return m->run && ir_eval_map_broadcast(m, m->in[0].dtype, m->in[0].class);
}

static bool plan_binary(struct eval_job *j, struct eval_map *m) {
    return plan_pair(j, m, (enum binary_op)j->which);
}

static bool plan_compare(struct eval_job *j, struct eval_map *m) {
    if (!plan_pair(j, m, (enum binary_op)j->which)) return false;
    bool logic = j->which == AND || j->which == OR || j->which == XOR;
    m->dtype = IR_BOOL;
    m->class = EVAL_I64;
    return !logic || m->in[0].dtype == IR_BOOL;
}

/* The slope is broadcast to x, and not x to it. */
static bool plan_prelu(struct eval_job *j, struct eval_map *m) {
    return plan_pair(j, m, PRELU) && ir_eval_same_shape(&m->shape, &m->in[0].shape);
}

/* fmod=1 asks for the remainder of C, with the sign of the dividend: the only one that
 * floats have before opset 28. */
static bool plan_mod(struct eval_job *j, struct eval_map *m) {
    bool like_c = ir_eval_attr_int(j, "fmod", 0) != 0;
    if (!plan_pair(j, m, like_c ? REMAINDER : MODULO)) return false;
    return like_c || j->e->schema->since >= 28 || !ir_dtype_is_float(m->dtype);
}

/* --- powers ------------------------------------------------------------------------ */

/* The exponent may be of another type. ONNX Runtime computes powers of integers in
 * double; what is beyond their type is not evaluated. */
static bool power(const struct eval_map *m, const struct eval_array *in,
                  struct eval_array *r) {
    double end = exp2((double)(ir_dtype_bits(m->dtype) - 1));
    for (uint64_t i = 0; i < r->count; i++) {
        double d = pow(ir_eval_as_double(&in[0], i), ir_eval_as_double(&in[1], i));
        if (r->class == EVAL_F32) r->f32[i] = (float)d;
        else if (r->class == EVAL_F64) r->f64[i] = d;
        else if (fabs(d) < end) r->i64[i] = (int64_t)d;
        else return false;
    }
    return true;
}

static bool plan_pow(struct eval_job *j, struct eval_map *m) {
    if (!ir_eval_map_add(j, m, 0) || !ir_eval_map_add(j, m, 1)) return false;
    if (!shapes_agree(j, m, 7) || m->in[0].class == EVAL_U64) return false;
    m->run = power;
    return ir_eval_map_broadcast(m, m->in[0].dtype, m->in[0].class);
}

/* --- shifts ------------------------------------------------------------------------ */

/* Since opset 28 a shift by the width or more leaves the sign; before, its result was
 * open, and it is not evaluated. flag: to the left. */
static bool shift(const struct eval_map *m, const struct eval_array *in,
                  struct eval_array *r) {
    uint64_t width = ir_dtype_bits(m->dtype);
    for (uint64_t i = 0; i < r->count; i++) {
        uint64_t x = in[0].u64[i], by = in[1].u64[i];
        bool negative = r->class == EVAL_I64 && in[0].i64[i] < 0;
        if (by >= width && m->which < 28) return false;
        if (by >= width) r->u64[i] = negative && !m->flag ? UINT64_MAX : 0;
        else if (m->flag) r->u64[i] = x << by;
        else r->u64[i] = negative ? ~(~x >> by) : x >> by;
    }
    return true;
}

static bool plan_shift(struct eval_job *j, struct eval_map *m) {
    if (!add_all(j, m) || m->nin != 2 || !ir_dtype_is_int(m->in[0].dtype)) return false;
    m->run = shift;
    m->which = (uint32_t)j->e->schema->since;
    m->flag = ir_eval_attr_is(j, "direction", "LEFT", "");
    if (!m->flag && !ir_eval_attr_is(j, "direction", "RIGHT", "")) return false;
    return ir_eval_map_broadcast(m, m->in[0].dtype, m->in[0].class);
}

/* --- any number of operands -------------------------------------------------------- */

static void copy_items(struct eval_array *r, const struct eval_array *x) {
    memcpy(r->f64, x->f64, (size_t)r->count * (r->class == EVAL_F32 ? 4 : 8));
}

/* Joins the operands to the result, one after the other. flag: their mean. */
static bool join(const struct eval_map *m, const struct eval_array *in,
                 struct eval_array *r) {
    copy_items(r, &in[0]);
    for (uint32_t k = 1; k < m->nin; k++) {
        const struct eval_array pair[2] = {*r, in[k]};
        if (!m->inner(m, pair, r)) return false;
    }
    for (uint64_t i = 0; m->flag && i < r->count; i++) {
        if (r->class == EVAL_F32) r->f32[i] /= (float)m->nin;
        else r->f64[i] /= (double)m->nin;
    }
    return true;
}

static bool plan_variadic(struct eval_job *j, struct eval_map *m) {
    if (!add_all(j, m) || !shapes_agree(j, m, 8)) return false;
    m->run = join;
    m->inner = binaries[j->which][m->in[0].class];
    return ir_eval_map_broadcast(m, m->in[0].dtype, m->in[0].class);
}

static bool plan_mean(struct eval_job *j, struct eval_map *m) {
    m->flag = true;
    return plan_variadic(j, m) && ir_dtype_is_float(m->dtype);
}

/* --- Clip -------------------------------------------------------------------------- */

static bool has_infinity(const struct eval_array *x) {
    for (uint64_t i = 0; ir_eval_is_floating(x) && i < x->count; i++)
        if (isinf(ir_eval_as_double(x, i))) return true;
    return false;
}

/* The bounds follow x. flag: there is no lower one. The runtime takes the largest finite
 * number for a bound that is absent, and passes over one that is NaN. */
static bool clip(const struct eval_map *m, const struct eval_array *in,
                 struct eval_array *r) {
    copy_items(r, &in[0]);
    for (uint32_t k = 1; k < m->nin; k++)
        if (ir_eval_has_nan(&in[k])) return false;
    for (uint32_t k = 0; k < m->nin && m->nin < 3; k++)
        if (has_infinity(&in[k])) return false;
    for (uint32_t k = 1; k < m->nin; k++) {
        enum binary_op op = k == 1 && !m->flag ? MAX : MIN;
        const struct eval_array pair[2] = {*r, in[k]};
        if (!binaries[op][r->class](m, pair, r)) return false;
    }
    return true;
}

/* Before opset 11 the bounds are attributes, and x is of floats. */
static bool clip_by_attributes(const struct eval_map *m, const struct eval_array *in,
                               struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        double x = ir_eval_as_double(in, i);
        x = x < (double)m->alpha ? (double)m->alpha : x;
        x = x > (double)m->beta ? (double)m->beta : x;
        if (r->class == EVAL_F32) r->f32[i] = (float)x;
        else r->f64[i] = x;
    }
    return true;
}

static bool plan_clip(struct eval_job *j, struct eval_map *m) {
    if (!ir_eval_map_add(j, m, 0)) return false;
    if (j->e->schema->since < 11) {
        const struct ir_attr *min = ir_eval_attr(j, "min"), *max = ir_eval_attr(j, "max");
        m->alpha = min ? min->f : -INFINITY;
        m->beta = max ? max->f : INFINITY;
        m->run = clip_by_attributes;
        return ir_dtype_is_float(m->in[0].dtype) &&
               ir_eval_map_broadcast(m, m->in[0].dtype, m->in[0].class);
    }
    for (uint32_t k = 1; k <= 2; k++) {
        if (!ir_eval_given(j, k)) continue;
        if (!ir_eval_map_add(j, m, k) || j->e->in[k]->count != 1) return false;
        if (j->e->in[k]->dtype != m->in[0].dtype) return false;
    }
    m->run = clip;
    m->flag = !ir_eval_given(j, 1);
    struct eval_shape s = m->in[0].shape;
    return ir_eval_map_over(m, &s, m->in[0].dtype, m->in[0].class);
}

const struct eval_map_op ir_eval_binary_ops[] = {
    {"Add", plan_binary, ADD}, {"Sub", plan_binary, SUB}, {"Mul", plan_binary, MUL},
    {"Div", plan_binary, DIV}, {"Mod", plan_mod, 0}, {"Pow", plan_pow, 0},
    {"PRelu", plan_prelu, 0}, {"BitShift", plan_shift, 0},
    {"BitwiseAnd", plan_binary, BIT_AND}, {"BitwiseOr", plan_binary, BIT_OR},
    {"BitwiseXor", plan_binary, BIT_XOR}, {"And", plan_compare, AND},
    {"Or", plan_compare, OR}, {"Xor", plan_compare, XOR}, {"Equal", plan_compare, EQUAL},
    {"Greater", plan_compare, GREATER}, {"GreaterOrEqual", plan_compare, GREATER_OR_EQUAL},
    {"Less", plan_compare, LESS}, {"LessOrEqual", plan_compare, LESS_OR_EQUAL},
    {"Sum", plan_variadic, ADD}, {"Min", plan_variadic, MIN}, {"Max", plan_variadic, MAX},
    {"Mean", plan_mean, 0}, {"Clip", plan_clip, 0}, {NULL, NULL, 0},
};
