/* schema_facts.c -- what no schema says of operators, kept by hand.
 *
 * Lists are sorted by name (a test says so). An operator that is in none is taken for one
 * about which nothing is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema.h"

struct names {
    const char *const *list;
    uint32_t n;
};
#define NAMES(list) ((struct names){list, (uint32_t)countof(list)})

static bool is_default_domain(const char *domain) {
    return !*domain || rw_streq(domain, "ai.onnx");
}

static bool is_in(struct names names, const char *name) {
    return ir_find_name(names.list, names.n, name) < names.n;
}

/* In one of two lists, by domain. */
static bool is_either(const char *domain, const char *name, struct names standard,
                      struct names contrib) {
    if (is_default_domain(domain)) return is_in(standard, name);
    return rw_streq(domain, "com.microsoft") && is_in(contrib, name);
}

/* --- operands --------------------------------------------------------------------- */
static const char *const commutative[] = {
    "Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max", "Mean", "Min",
    "Mul", "Or", "Sum", "Xor",
};
static const char *const commutative_contrib[] = {"ComplexMul"};

bool ir_op_commutes(const char *domain, const char *name) {
    return is_either(domain, name, NAMES(commutative), NAMES(commutative_contrib));
}

static const char *const unary[] = {
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Cast", "Ceil",
    "Celu", "Clip", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid",
    "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log", "Mish", "Neg", "Not",
    "Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh",
    "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh", "ThresholdedRelu",
};
/* FastGelu is none: its second operand is a bias along the last axis. */
static const char *const unary_contrib[] = {"Gelu", "QuickGelu"};

bool ir_op_is_unary(const char *domain, const char *name) {
    return is_either(domain, name, NAMES(unary), NAMES(unary_contrib));
}

/* PRelu is none: its slope never widens the result. */
static const char *const broadcasting[] = {
    "Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal",
    "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul",
    "Or", "Pow", "StringConcat", "Sub", "Sum", "Where", "Xor",
};

bool ir_op_is_broadcasting(const char *domain, const char *name) {
    return is_default_domain(domain) && is_in(NAMES(broadcasting), name);
}

/* --- chance ----------------------------------------------------------------------- */
static const char *const random_ops[] = {
    "Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike",
    "RandomUniform", "RandomUniformLike",
};
/* Sampling draws; EPContext and Snpe run what another program compiled. */
static const char *const random_contrib[] = {
    "BiasDropout", "BitmaskBiasDropout", "BitmaskDropout", "EPContext", "Sampling", "Snpe",
};

bool ir_op_is_deterministic(const char *domain, const char *name) {
    if (!ir_schema_newest(domain, name) &&
        !(is_default_domain(domain) && ir_schema_runtime(name, 1)))
        return false;
    return !is_either(domain, name, NAMES(random_ops), NAMES(random_contrib));
}

bool ir_attr_is_inert(const char *domain, const char *op, const char *attr) {
    if (rw_streq(attr, "seed")) /* drawn from in training alone */
        return is_default_domain(domain)
                   ? rw_streq(op, "Dropout")
                   : rw_streq(domain, "com.microsoft") && strstr(op, "Dropout");
    if (!is_default_domain(domain)) return false;
    /* Left over from before opset 6: which operands a kernel may overwrite. */
    if (rw_streq(attr, "consumed_inputs")) return true;
    /* Moves the running statistics, which are outputs of training alone. */
    return rw_streq(attr, "momentum") && rw_streq(op, "BatchNormalization");
}

/* --- epochs of meaning ------------------------------------------------------------ */
/* A version that only allows more (types, broadcasting of what had to agree, negative
 * axes), that adds a parameter whose default is what held before, or that moves one from
 * attribute to input begins no epoch. Neither does training_mode of Dropout (12) and
 * BatchNormalization (14): param.h gives it the value 0 before. */
struct epochs {
    const char *name;
    uint32_t n;
    int32_t opset[3];
};
static const struct epochs epochs[] = {
    /* Before 7 `broadcast` and `axis` place the second operand; numpy's rule since. */
    {"Add", 2, {1, 7}},
    {"And", 2, {1, 7}},
    /* Inference unless training outputs are asked for, where `is_test` was off by default. */
    {"BatchNormalization", 2, {1, 7}},
    {"Cast", 2, {1, 6}},   /* `to` was the name of a type, is its number */
    {"Concat", 2, {1, 4}}, /* `axis` was 1 when not given, must be given since */
    {"DFT", 2, {1, 20}},   /* the default axis was 1, is the last but one */
    {"Div", 2, {1, 7}},
    {"Dropout", 2, {1, 7}}, /* `is_test` was off by default; inference since */
    {"Equal", 2, {1, 7}},
    {"Gemm", 2, {1, 7}}, /* C was broadcast only with `broadcast` = 1 */
    {"Greater", 2, {1, 7}},
    {"GridSample", 2, {1, 20}}, /* modes bilinear and bicubic, then linear and cubic */
    {"GroupNormalization", 2, {1, 21}}, /* scale and bias by group, then by channel */
    {"Hardmax", 2, {1, 13}},            /* see Softmax */
    {"Less", 2, {1, 7}},
    {"LogSoftmax", 2, {1, 13}},               /* see Softmax */
    {"MeanVarianceNormalization", 2, {1, 9}}, /* `across_channels`, then `axes` */
    {"Mul", 2, {1, 7}},
    {"OneHot", 2, {1, 11}}, /* a negative index gave all off, counts from the end since */
    {"Or", 2, {1, 7}},
    {"PRelu", 2, {1, 7}}, /* slope by channel, then broadcast from the last axis */
    {"Pad", 2, {1, 2}},   /* `paddings`, then `pads` */
    {"Pow", 2, {1, 7}},
    {"Resize", 2, {1, 11}},   /* pixels were taken at their corner; at half a pixel since */
    {"RoiAlign", 2, {1, 16}}, /* 10 did not shift by half a pixel; the default does since */
    {"Scan", 2, {1, 9}},      /* 8 had a batch axis and sequence lengths */
    {"Selu", 2, {1, 6}},      /* the defaults got more digits */
    /* Flattened to two dimensions at `axis` (default 1) and normalised the second; along
     * `axis` alone (default -1) since. */
    {"Softmax", 2, {1, 13}},
    {"Split", 2, {1, 2}}, /* `axis` had no default */
    {"Sub", 2, {1, 7}},
    {"Tile", 2, {1, 6}}, /* one axis and its count, then a count for each */
    {"Upsample", 2, {1, 7}}, /* two scales of an image, then one for each axis */
    {"Xor", 2, {1, 7}},
};
static const int32_t from_the_first[] = {1};

const int32_t *ir_op_epochs(const char *domain, const char *name, size_t *n) {
    size_t low = 0, high = is_default_domain(domain) ? countof(epochs) : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(epochs[middle].name, name);
        if (order == 0) {
            *n = epochs[middle].n;
            return epochs[middle].opset;
        }
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    *n = 1;
    return from_the_first;
}
