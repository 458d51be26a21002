/* fill.c -- tensors of made-up elements. SPDX-License-Identifier: Apache-2.0 */
#include "judge/instance/generate.h"

#include <math.h>

static void store(unsigned char *to, uint32_t bytes, uint64_t bits) {
    for (uint32_t i = 0; i < bytes; i++) to[i] = (unsigned char)(bits >> (8 * i));
}

static struct ir_tensor *from_bits(struct arena *a, enum ir_dtype t, uint32_t rank,
                                   const int64_t *dims, uint64_t n, const uint64_t *bits) {
    uint32_t width = ir_dtype_bits(t) / 8;
    unsigned char *bytes = arena_array(a, n + 1, width);
    for (uint64_t i = 0; i < n; i++) store(bytes + i * width, width, bits[i]);
    return ir_tensor_new(a, t, rank, dims, bytes);
}

/* Numbers of which two make a sum or difference that the type has not. They are powers of
 * two: the runtime computes with some integers in floats. */
static int64_t an_end(enum ir_dtype t, bool is_unsigned, uint64_t r) {
    int64_t half = (int64_t)1 << (ir_dtype_bits(t) - 2);
    if (r % 8 == 7 && ir_dtype_bits(t) >= 32) return ((int64_t)1 << 24) + 1; /* no float, but a double */
    if (is_unsigned) return r & 1 ? half : 0;
    return r & 1 ? half : r & 2 ? -half : -half - half;
}

static struct ir_tensor *integers(struct arena *a, enum ir_dtype t, uint32_t rank,
                                  const int64_t *dims, enum judge_fill fill, int64_t low,
                                  int64_t below, bool ends, uint64_t *seed) {
    uint64_t n;
    if (ir_dtype_bits(t) < 8 || !ir_tensor_count(rank, dims, &n)) return NULL;
    uint64_t *bits = arena_new_array(a, uint64_t, n + 1);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = judge_next(seed) >> 16;
        int64_t x = low + (int64_t)(r % (uint64_t)(below - low));
        if (ends && r % 4 == 0) x = an_end(t, low >= 0, r >> 2);
        if (fill == JUDGE_ZEROS && low <= 0) x = 0;
        if (fill == JUDGE_ONES && low <= 1 && below > 1) x = 1;
        bits[i] = t == IR_BOOL ? (uint64_t)(x & 1) : (uint64_t)x;
    }
    return from_bits(a, t, rank, dims, n, bits);
}

struct ir_tensor *judge_gen_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                                   const int64_t *dims, enum judge_fill fill, int64_t low,
                                   int64_t below, uint64_t *seed) {
    if (t == IR_BOOL) return integers(a, t, rank, dims, fill, 0, 2, false, seed);
    if (ir_dtype_is_int(t)) {
        bool is_unsigned =
            t == IR_UINT8 || t == IR_UINT16 || t == IR_UINT32 || t == IR_UINT64;
        bool wide = fill == JUDGE_LARGE && low >= below;
        if (low >= below) low = is_unsigned ? 0 : wide ? -100 : -4, below = wide ? 120 : 6;
        return integers(a, t, rank, dims, fill, low, below, wide, seed);
    }
    return judge_tensor(a, t, rank, dims, fill, 10, seed);
}

void judge_gen_make_positive(struct ir_tensor *t) {
    uint32_t width = ir_dtype_bits(t->dtype) / 8;
    unsigned char *bytes = (unsigned char *)t->data;
    for (uint64_t i = 0; ir_dtype_is_float(t->dtype) && i < t->count; i++)
        bytes[(i + 1) * width - 1] &= 0x7f;
}

static bool number_bits(enum ir_dtype t, double value, uint64_t *out) {
    float f = (float)value;
    uint32_t word;
    switch (t) {
    case IR_FLOAT:
        memcpy(&word, &f, sizeof word);
        *out = word;
        return true;
    case IR_DOUBLE: memcpy(out, &value, sizeof *out); return true;
    case IR_FLOAT16: *out = ir_float_to_half(f); return true;
    case IR_BFLOAT16: *out = ir_float_to_bfloat16(f); return true;
    default:
        if (t != IR_BOOL && !ir_dtype_is_int(t)) return false;
        if (t == IR_BOOL && value != 1 && value != 0) return false;
        if (ir_dtype_bits(t) < 8 || value != floor(value)) return false;
        if (fabs(value) > 1e15) return false;
        *out = (uint64_t)(int64_t)value;
        return true;
    }
}

struct ir_tensor *judge_gen_numbers(struct arena *a, enum ir_dtype t, uint32_t rank,
                                    const int64_t *dims, uint64_t given,
                                    const double *items) {
    uint64_t n;
    if (given == 0 || !ir_tensor_count(rank, dims, &n)) return NULL;
    uint64_t *bits = arena_new_array(a, uint64_t, n + 1);
    for (uint64_t i = 0; i < n; i++)
        if (!number_bits(t, items[i % given], &bits[i])) return NULL;
    return from_bits(a, t, rank, dims, n, bits);
}

struct ir_tensor *judge_gen_number(struct arena *a, enum ir_dtype t, double value,
                                   uint32_t rank, const int64_t *dims) {
    return judge_gen_numbers(a, t, rank, dims, 1, &value);
}

struct ir_tensor *judge_gen_floats(struct arena *a, uint32_t n, const float *items) {
    int64_t dims[1] = {n};
    uint64_t *bits = arena_new_array(a, uint64_t, n + 1);
    for (uint32_t i = 0; i < n; i++) number_bits(IR_FLOAT, (double)items[i], &bits[i]);
    return from_bits(a, IR_FLOAT, 1, dims, n, bits);
}
