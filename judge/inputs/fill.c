/* fill.c -- tensors made up.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/inputs.h"

#include <math.h>

#define FAR_BITS 12

struct fill {
    enum ir_dtype dtype;
    enum judge_fill kind;
    int64_t below;
    uint64_t last;  /* last dimension */
    uint64_t blank; /* where the last row begins */
    uint64_t *seed;
};

static uint64_t draw(uint64_t *seed) {
    *seed += 0x9e3779b97f4a7c15u;
    return hash_u64(*seed);
}

/* 0 < x < 1 */
static double uniform(uint64_t *seed) {
    return ((double)(draw(seed) >> 11) + 0.5) / (double)((uint64_t)1 << 53);
}

static double normal(uint64_t *seed) {
    static const double turn = 6.283185307179586;
    double radius = sqrt(-2 * log(uniform(seed)));
    return radius * cos(turn * uniform(seed));
}

/* Far from the range of the type, so that sums of some do not overflow. */
static double large(enum ir_dtype t) {
    uint32_t bits = ir_dtype_bits(t);
    return bits >= 32 || t == IR_BFLOAT16 ? 1e4 : bits == 16 ? 50 : 4;
}

static double special(uint64_t i, double x) {
    static const double values[] = {NAN, INFINITY, -INFINITY, -0.0};
    return i % 5 == 1 ? values[i / 5 % countof(values)] : x;
}

static double a_float(const struct fill *f, uint64_t i) {
    double x = normal(f->seed);
    switch (f->kind) {
    case JUDGE_ZEROS: return 0;
    case JUDGE_ONES: return 1;
    case JUDGE_LARGE: return x * large(f->dtype);
    case JUDGE_WIDE: return x * 16;
    case JUDGE_NEGATIVE: return -fabs(x);
    case JUDGE_SPECIAL: return special(i, x);
    case JUDGE_HALVES: return rint(2 * x) / 2;
    default: return x;
    }
}

static bool is_signed(enum ir_dtype t) {
    return t == IR_INT2 || t == IR_INT4 || t == IR_INT8 || t == IR_INT16 ||
           t == IR_INT32 || t == IR_INT64;
}

static int64_t far_integer(const struct fill *f) {
    uint64_t x = draw(f->seed);
    uint64_t bits = x & 16 ? FAR_BITS : x % FAR_BITS + 1;
    int64_t n = (int64_t)((x >> 8) % ((uint64_t)1 << bits));
    return is_signed(f->dtype) && x >> 63 ? -n : n;
}

/* Of two numbers the one is likelier, and is at the beginning of each row: masks that
 * mask all have no mean. */
static int64_t an_integer(const struct fill *f, uint64_t i) {
    uint32_t bits = ir_dtype_bits(f->dtype) - is_signed(f->dtype);
    int64_t most = bits > 16 ? 100 : ((int64_t)1 << bits) - 1; /* narrow ones are quantised */
    if (f->kind == JUDGE_FAR && bits > 16) return far_integer(f);
    uint64_t x = draw(f->seed);
    if (f->below == 2) return i % f->last == 0 || x % 4 != 0;
    if (f->below > 0) {
        int64_t below = f->below;
        if (bits < 63 && below > (int64_t)1 << bits) below = (int64_t)1 << bits;
        return (int64_t)(x % (uint64_t)below);
    }
    if (!is_signed(f->dtype)) return (int64_t)(x % ((uint64_t)most + 1));
    return (int64_t)(x % (2 * (uint64_t)most + 1)) - most;
}

static bool is_blank(const struct fill *f, uint64_t i) {
    bool may_be = !ir_dtype_is_int(f->dtype) || f->below == 2;
    return f->kind == JUDGE_BLANK && may_be && i >= f->blank;
}

/* The bits of a number. */
static uint64_t encode(const struct fill *f, uint64_t i) {
    uint64_t bits = 0;
    if (is_blank(f, i)) return 0;
    if (f->dtype == IR_BOOL) return draw(f->seed) & 1;
    if (ir_dtype_is_int(f->dtype)) return (uint64_t)an_integer(f, i);
    double x = a_float(f, i);
    float narrow = (float)x;
    if (f->dtype == IR_DOUBLE) memcpy(&bits, &x, sizeof x);
    else if (f->dtype == IR_FLOAT) memcpy(&bits, &narrow, sizeof narrow);
    else bits = ir_small_float_encode(f->dtype, x, !isinf(x));
    return bits;
}

static void put_bits(uint8_t *to, uint64_t i, uint32_t bits, uint64_t x) {
    for (uint32_t k = 0; k < bits; k += 8) {
        uint64_t at = i * bits + k;
        uint64_t part = bits < 8 ? x & ((1u << bits) - 1) : x >> k & 255;
        to[at / 8] = (uint8_t)(to[at / 8] | part << at % 8);
        if (at % 8 + bits > 8 && bits < 8)
            to[at / 8 + 1] = (uint8_t)(to[at / 8 + 1] | part >> (8 - at % 8));
    }
}

static struct ir_tensor *strings(struct arena *a, uint32_t rank, const int64_t *dims,
                                 uint64_t n, uint64_t *seed) {
    static const struct ir_string words[] = {{"a", 1}, {"b", 1}, {"c", 1}, {"", 0},
                                             {"one word", 8}, {"1", 1}, {"2.5", 3}};
    struct ir_string *s = arena_new_array(a, struct ir_string, (size_t)n);
    for (uint64_t i = 0; i < n; i++) s[i] = words[draw(seed) % countof(words)];
    return ir_tensor_strings(a, rank, dims, s);
}

/* Complex numbers are pairs, made as twice as many floats. */
static struct ir_tensor *complex(struct arena *a, enum ir_dtype t, uint32_t rank,
                                 const int64_t *dims, struct ir_tensor *pairs) {
    return pairs ? ir_tensor_new(a, t, rank, dims, pairs->data) : NULL;
}

struct ir_tensor *judge_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                               const int64_t *dims, enum judge_fill fill, int64_t below,
                               uint64_t *seed) {
    uint64_t n, nbytes;
    uint32_t bits = ir_dtype_bits(t);
    if (!ir_tensor_count(rank, dims, &n)) return NULL;
    if (t == IR_STRING) return strings(a, rank, dims, n, seed);
    if (!ir_tensor_bytes(t, n, &nbytes)) return NULL;
    if (t == IR_COMPLEX64 || t == IR_COMPLEX128) {
        int64_t flat = (int64_t)n * 2;
        enum ir_dtype part = t == IR_COMPLEX64 ? IR_FLOAT : IR_DOUBLE;
        return complex(a, t, rank, dims, judge_tensor(a, part, 1, &flat, fill, 0, seed));
    }
    int64_t last = rank && dims[rank - 1] > 0 ? dims[rank - 1] : 1;
    uint64_t rows = rank && dims[0] > 0 ? (uint64_t)dims[0] : 1;
    struct fill f = {t, fill, below, (uint64_t)last, n - n / rows, seed};
    uint8_t *bytes = arena_zalloc(a, (size_t)nbytes + 1);
    for (uint64_t i = 0; i < n; i++) put_bits(bytes, i, bits, encode(&f, i));
    return ir_tensor_new(a, t, rank, dims, bytes);
}
