/* elementwise.c -- arithmetic, comparison and logic, element by element.
 *
 * Each operator is an expression of x and y, made into a function for each class of
 * numbers by the lists below. Integers are computed modulo 2^64 and cut to their width
 * when stored, which is the wrap of that width.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>
#include <tgmath.h>

/* --- two operands ------------------------------------------------------------------ */

/* Of floats; tgmath picks the function of the type. A NaN wins against a number. */
#define FLOAT_BINARY(X, T, c)                                                          \
    X(T, Add, c, x + y)                                                                \
    X(T, Sub, c, x - y)                                                                \
    X(T, Mul, c, x *y)                                                                 \
    X(T, Div, c, x / y)                                                                \
    X(T, Remainder, c, fmod(x, y))                                                     \
    X(T, Pow, c, pow(x, y))                                                            \
    X(T, Min, c, isnan(x) || x < y ? x : y)                                            \
    X(T, Max, c, isnan(x) || x > y ? x : y)

/* Of integers; W is the unsigned type, in which overflow is no error. */
#define INTEGER_BINARY(X, T, W, c)                                                     \
    X(T, Add, c, (T)((W)x + (W)y))                                                     \
    X(T, Sub, c, (T)((W)x - (W)y))                                                     \
    X(T, Mul, c, (T)((W)x * (W)y))                                                     \
    X(T, Min, c, x < y ? x : y)                                                        \
    X(T, Max, c, x > y ? x : y)

#define DEFINE_BINARY(T, name, c, expression)                                          \
    static T name##_##c(T x, T y) { return expression; }
FLOAT_BINARY(DEFINE_BINARY, float, f32)
FLOAT_BINARY(DEFINE_BINARY, double, f64)
INTEGER_BINARY(DEFINE_BINARY, int64_t, uint64_t, i64)
INTEGER_BINARY(DEFINE_BINARY, uint64_t, uint64_t, u64)

/* Division, with divisors that has_zero has seen. By -1 it is negation, which wraps. */
static uint64_t Div_u64(uint64_t x, uint64_t y) { return x / y; }
static uint64_t Remainder_u64(uint64_t x, uint64_t y) { return x % y; }
static int64_t Div_i64(int64_t x, int64_t y) { return y == -1 ? Sub_i64(0, x) : x / y; }
static int64_t Remainder_i64(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }
/* The remainder with the sign of the divisor. */
static int64_t Modulo_i64(int64_t x, int64_t y) {
    int64_t r = Remainder_i64(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

struct binary {
    float (*f32)(float, float);
    double (*f64)(double, double);
    int64_t (*i64)(int64_t, int64_t);
    uint64_t (*u64)(uint64_t, uint64_t);
};
enum binary_op { ADD, SUB, MUL, DIV, REMAINDER, MODULO, POW, MIN, MAX };
#define BINARY_ROW(name) {name##_f32, name##_f64, name##_i64, name##_u64}
static const struct binary binaries[] = {
    [ADD] = BINARY_ROW(Add), [SUB] = BINARY_ROW(Sub), [MUL] = BINARY_ROW(Mul),
    [DIV] = BINARY_ROW(Div), [REMAINDER] = BINARY_ROW(Remainder),
    [MODULO] = {NULL, NULL, Modulo_i64, Remainder_u64},
    [POW] = {Pow_f32, Pow_f64, NULL, NULL},
    [MIN] = BINARY_ROW(Min), [MAX] = BINARY_ROW(Max),
};

/* Applies op to a and b, broadcast. `out` is of a's type. */
static bool combine(struct eval_job *j, enum binary_op op, const struct eval_array *a,
                    const struct eval_array *b, struct eval_array *out) {
    const struct binary *f = &binaries[op];
    struct eval_shape shape;
    struct eval_walk w;
    if (a->class != b->class || !ir_eval_broadcast(&a->shape, &b->shape, &shape))
        return false;
    if (!ir_eval_array_new(j, a->dtype, a->class, &shape, out)) return false;
    ir_eval_walk_over(&w, &shape);
    ir_eval_walk_broadcast(&w, &a->shape);
    ir_eval_walk_broadcast(&w, &b->shape);
    for (uint64_t i = 0; i < out->count; i++, ir_eval_walk_next(&w)) {
        int64_t x = w.off[0], y = w.off[1];
        switch (a->class) {
        case EVAL_F32: out->f32[i] = f->f32(a->f32[x], b->f32[y]); break;
        case EVAL_F64: out->f64[i] = f->f64(a->f64[x], b->f64[y]); break;
        case EVAL_I64: out->i64[i] = f->i64(a->i64[x], b->i64[y]); break;
        case EVAL_U64: out->u64[i] = f->u64(a->u64[x], b->u64[y]);
        }
    }
    return true;
}

static bool has_zero(const struct eval_array *y) {
    if (y->class == EVAL_F32 || y->class == EVAL_F64) return false;
    for (uint64_t i = 0; i < y->count; i++)
        if (y->u64[i] == 0) return true;
    return false;
}

/* Before opset 7 shapes were broadcast in another way: evaluated when they are equal. */
static bool shapes_agree(const struct eval_job *j, const struct eval_array *a,
                         const struct eval_array *b) {
    return j->e->schema->since >= 7 || ir_eval_same_shape(&a->shape, &b->shape);
}

static bool both(struct eval_job *j, struct eval_array *a, struct eval_array *b) {
    return ir_eval_array(j, 0, a) && ir_eval_array(j, 1, b) && a->dtype == b->dtype &&
           shapes_agree(j, a, b);
}

static bool eval_binary(struct eval_job *j) {
    struct eval_array a, b, r;
    if (!both(j, &a, &b) || (j->which == DIV && has_zero(&b))) return false;
    return combine(j, (enum binary_op)j->which, &a, &b, &r) && ir_eval_put(j, 0, &r);
}

/* fmod=1 asks for the remainder of C, with the sign of the dividend: the only one that
 * floats have. */
static bool eval_mod(struct eval_job *j) {
    struct eval_array a, b, r;
    bool like_c = ir_eval_attr_int(j, "fmod", 0) != 0;
    if (!both(j, &a, &b) || has_zero(&b)) return false;
    if (!like_c && (a.class == EVAL_F32 || a.class == EVAL_F64)) return false;
    return combine(j, like_c ? REMAINDER : MODULO, &a, &b, &r) && ir_eval_put(j, 0, &r);
}

/* Doubles cut to integers; false when one is beyond the type. */
static bool to_integers(struct eval_job *j, enum ir_dtype t, const struct eval_array *from,
                        struct eval_array *out) {
    double width = (double)(ir_dtype_bits(t) - 1);
    if (!ir_eval_array_new(j, t, EVAL_I64, &from->shape, out)) return false;
    for (uint64_t i = 0; i < out->count; i++) {
        if (!(fabs(from->f64[i]) < exp2(width))) return false;
        out->i64[i] = (int64_t)from->f64[i];
    }
    return true;
}

/* In place: items of either class have the same size. */
static bool to_doubles(struct eval_array *x) {
    for (uint64_t i = 0; x->class != EVAL_F64 && i < x->count; i++)
        x->f64[i] = x->class == EVAL_I64 ? (double)x->i64[i] : (double)x->u64[i];
    bool integers = x->class != EVAL_F64;
    x->class = EVAL_F64;
    return integers;
}

/* The exponent may be of another type. ONNX Runtime computes powers of integers in
 * double. */
static bool eval_pow(struct eval_job *j) {
    struct eval_array x, y, r, cut;
    if (!ir_eval_array_wide(j, 0, &x) || !ir_eval_array_wide(j, 1, &y)) return false;
    if (!shapes_agree(j, &x, &y) || x.class == EVAL_U64) return false;
    bool integers = to_doubles(&x);
    to_doubles(&y);
    if (!combine(j, POW, &x, &y, &r)) return false;
    if (!integers) return ir_eval_put(j, 0, &r);
    return to_integers(j, x.dtype, &r, &cut) && ir_eval_put(j, 0, &cut);
}

/* --- any number of operands -------------------------------------------------------- */

static bool eval_variadic(struct eval_job *j) {
    struct eval_array sum, next, r;
    if (!ir_eval_array(j, 0, &sum)) return false;
    for (uint32_t k = 1; k < j->e->nin; k++) {
        if (!ir_eval_array(j, k, &next) || next.dtype != sum.dtype) return false;
        if (j->e->schema->since < 8 && !ir_eval_same_shape(&sum.shape, &next.shape))
            return false;
        if (!combine(j, (enum binary_op)j->which, &sum, &next, &r)) return false;
        sum = r;
    }
    return ir_eval_put(j, 0, &sum);
}

static bool eval_mean(struct eval_job *j) {
    struct eval_array sum, next, r;
    if (!ir_eval_array(j, 0, &sum)) return false;
    struct eval_array n = {.dtype = sum.dtype, .class = sum.class, .count = 1};
    float n32 = (float)j->e->nin;
    double n64 = (double)j->e->nin;
    if (sum.class == EVAL_F32) n.f32 = &n32;
    else if (sum.class == EVAL_F64) n.f64 = &n64;
    else return false;
    for (uint32_t k = 1; k < j->e->nin; k++) {
        if (!ir_eval_array(j, k, &next) || !combine(j, ADD, &sum, &next, &r)) return false;
        sum = r;
    }
    return combine(j, DIV, &sum, &n, &r) && ir_eval_put(j, 0, &r);
}

/* A bound of Clip: an attribute before opset 11, an operand since; absent: none. */
static bool clip_to(struct eval_job *j, enum binary_op op, const char *name, uint32_t k,
                    struct eval_array *x) {
    struct eval_array bound = {.dtype = x->dtype, .class = EVAL_F32, .count = 1}, r;
    const struct ir_attr *a = ir_eval_attr(j, name);
    float value = a ? a->f : 0;
    if (a) bound.f32 = &value;
    else if (!ir_eval_given(j, k)) return true;
    else if (!ir_eval_array(j, k, &bound) || bound.count != 1) return false;
    bound.shape.rank = 0;
    if (bound.dtype != x->dtype || !combine(j, op, x, &bound, &r)) return false;
    *x = r;
    return true;
}

static bool eval_clip(struct eval_job *j) {
    struct eval_array x;
    return ir_eval_array(j, 0, &x) && clip_to(j, MAX, "min", 1, &x) &&
           clip_to(j, MIN, "max", 2, &x) && ir_eval_put(j, 0, &x);
}

/* --- one operand ------------------------------------------------------------------- */

#define FLOAT_UNARY(X, T, c)                                                           \
    X(T, Abs, c, fabs(x))                                                              \
    X(T, Ceil, c, ceil(x))                                                             \
    X(T, Cos, c, cos(x))                                                               \
    X(T, Erf, c, erf(x))                                                               \
    X(T, Exp, c, exp(x))                                                               \
    X(T, Floor, c, floor(x))                                                           \
    X(T, Log, c, log(x))                                                               \
    X(T, Neg, c, -x)                                                                   \
    X(T, Reciprocal, c, 1 / x)                                                         \
    X(T, Relu, c, x < 0 ? 0 : x)                                                       \
    X(T, Round, c, nearbyint(x))                                                       \
    X(T, Sigmoid, c, x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)))               \
    X(T, Sign, c, isnan(x) ? x : (T)((x > 0) - (x < 0)))                               \
    X(T, Sin, c, sin(x))                                                               \
    X(T, Sqrt, c, sqrt(x))                                                             \
    X(T, Tanh, c, tanh(x))

#define DEFINE_UNARY(T, name, c, expression)                                           \
    static T name##_##c(T x) { return expression; }
FLOAT_UNARY(DEFINE_UNARY, float, f32)
FLOAT_UNARY(DEFINE_UNARY, double, f64)

static int64_t Neg_i64(int64_t x) { return (int64_t)(0 - (uint64_t)x); }
static int64_t Abs_i64(int64_t x) { return x < 0 ? Neg_i64(x) : x; }
static int64_t Sign_i64(int64_t x) { return (x > 0) - (x < 0); }
static int64_t Relu_i64(int64_t x) { return x < 0 ? 0 : x; }
static uint64_t Abs_u64(uint64_t x) { return x; }
static uint64_t Sign_u64(uint64_t x) { return x > 0; }

struct unary {
    float (*f32)(float);
    double (*f64)(double);
    int64_t (*i64)(int64_t);
    uint64_t (*u64)(uint64_t);
};
enum unary_op {
#define UNARY_ENUM(T, name, c, expression) UNARY_##name,
    FLOAT_UNARY(UNARY_ENUM, , )
};
#define UNARY_ROW(T, name, c, expression)                                              \
    [UNARY_##name] = {name##_f32, name##_f64, NULL, NULL},
static const struct unary unaries[] = {FLOAT_UNARY(UNARY_ROW, , )};
static const struct unary integer_unaries[UNARY_Tanh + 1] = {
    [UNARY_Abs] = {NULL, NULL, Abs_i64, Abs_u64},
    [UNARY_Neg] = {NULL, NULL, Neg_i64, NULL},
    [UNARY_Relu] = {NULL, NULL, Relu_i64, NULL},
    [UNARY_Sign] = {NULL, NULL, Sign_i64, Sign_u64},
};

static bool eval_unary(struct eval_job *j) {
    struct eval_array x;
    const struct unary *f = &unaries[j->which], *whole = &integer_unaries[j->which];
    if (!ir_eval_array(j, 0, &x)) return false;
    if ((x.class == EVAL_I64 && !whole->i64) || (x.class == EVAL_U64 && !whole->u64))
        return false;
    for (uint64_t i = 0; i < x.count; i++) {
        switch (x.class) {
        case EVAL_F32: x.f32[i] = f->f32(x.f32[i]); break;
        case EVAL_F64: x.f64[i] = f->f64(x.f64[i]); break;
        case EVAL_I64: x.i64[i] = whole->i64(x.i64[i]); break;
        case EVAL_U64: x.u64[i] = whole->u64(x.u64[i]);
        }
    }
    return ir_eval_put(j, 0, &x);
}

/* --- comparison and logic ---------------------------------------------------------- */

enum compare_op { EQUAL, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, AND, OR, XOR };

#define COMPARE(T, c)                                                                  \
    static bool compare_##c(uint32_t op, T x, T y) {                                   \
        switch ((enum compare_op)op) {                                                 \
        case EQUAL: return x == y;                                                     \
        case GREATER: return x > y;                                                    \
        case GREATER_OR_EQUAL: return x >= y;                                          \
        case LESS: return x < y;                                                       \
        case LESS_OR_EQUAL: return x <= y;                                             \
        case AND: return x != 0 && y != 0;                                             \
        case OR: return x != 0 || y != 0;                                              \
        case XOR: return (x != 0) != (y != 0);                                         \
        }                                                                              \
        return false;                                                                  \
    }
COMPARE(float, f32)
COMPARE(double, f64)
COMPARE(int64_t, i64)
COMPARE(uint64_t, u64)

static bool compare_at(uint32_t op, const struct eval_array *a, int64_t x,
                       const struct eval_array *b, int64_t y) {
    switch (a->class) {
    case EVAL_F32: return compare_f32(op, a->f32[x], b->f32[y]);
    case EVAL_F64: return compare_f64(op, a->f64[x], b->f64[y]);
    case EVAL_I64: return compare_i64(op, a->i64[x], b->i64[y]);
    case EVAL_U64: break;
    }
    return compare_u64(op, a->u64[x], b->u64[y]);
}

static bool eval_compare(struct eval_job *j) {
    struct eval_array a, b, r;
    struct eval_shape shape;
    struct eval_walk w;
    if (!both(j, &a, &b) || !ir_eval_broadcast(&a.shape, &b.shape, &shape)) return false;
    if (j->which >= AND && a.dtype != IR_BOOL) return false;
    if (!ir_eval_array_new(j, IR_BOOL, EVAL_I64, &shape, &r)) return false;
    ir_eval_walk_over(&w, &shape);
    ir_eval_walk_broadcast(&w, &a.shape);
    ir_eval_walk_broadcast(&w, &b.shape);
    for (uint64_t i = 0; i < r.count; i++, ir_eval_walk_next(&w))
        r.i64[i] = compare_at(j->which, &a, w.off[0], &b, w.off[1]);
    return ir_eval_put(j, 0, &r);
}

static bool eval_not(struct eval_job *j) {
    struct eval_array x;
    if (!ir_eval_array(j, 0, &x) || x.dtype != IR_BOOL) return false;
    for (uint64_t i = 0; i < x.count; i++) x.i64[i] = !x.i64[i];
    return ir_eval_put(j, 0, &x);
}

#define UNARY_OP(T, name, c, expression) {#name, eval_unary, UNARY_##name},
const struct eval_op ir_eval_elementwise_ops[] = {
    FLOAT_UNARY(UNARY_OP, , )
    {"Add", eval_binary, ADD}, {"Sub", eval_binary, SUB}, {"Mul", eval_binary, MUL},
    {"Div", eval_binary, DIV}, {"Mod", eval_mod, 0}, {"Pow", eval_pow, 0},
    {"Sum", eval_variadic, ADD}, {"Min", eval_variadic, MIN}, {"Max", eval_variadic, MAX},
    {"Mean", eval_mean, 0}, {"Clip", eval_clip, 0},
    {"Equal", eval_compare, EQUAL}, {"Greater", eval_compare, GREATER},
    {"GreaterOrEqual", eval_compare, GREATER_OR_EQUAL}, {"Less", eval_compare, LESS},
    {"LessOrEqual", eval_compare, LESS_OR_EQUAL}, {"And", eval_compare, AND},
    {"Or", eval_compare, OR}, {"Xor", eval_compare, XOR}, {"Not", eval_not, 0},
    {NULL, NULL, 0},
};
