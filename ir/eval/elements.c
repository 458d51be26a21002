/* elements.c -- cells of every numeric type into the four classes of numbers, and back.
 *
 * A cell is whole bytes, little-endian; of a type below a byte it is the low bits of one.
 * Each type is a row of a list, each list is made into a switch over loops.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"
#include "ir/tensor/tensor_bytes.h"

#include <math.h>

/* The types, bytes of a cell, the class's member, the number that `bits` are. */
#define SMALL_FLOATS(X)                                                                \
    X(FLOAT8E4M3FN) X(FLOAT8E4M3FNUZ) X(FLOAT8E5M2) X(FLOAT8E5M2FNUZ) X(FLOAT8E8M0)    \
    X(FLOAT6E2M3) X(FLOAT6E3M2) X(FLOAT4E2M1)
#define NUMBERS(X)                                                                     \
    X(FLOAT, 4, f32, ir_float_of_bits((uint32_t)bits))                                 \
    X(DOUBLE, 8, f64, ir_double_of_bits(bits))                                         \
    X(FLOAT16, 2, f32, ir_half_to_float((uint16_t)bits))                               \
    X(BFLOAT16, 2, f32, ir_bfloat16_to_float((uint16_t)bits))                          \
    X(INT64, 8, i64, (int64_t)bits)                                                    \
    X(INT32, 4, i64, (int32_t)bits)                                                    \
    X(INT16, 2, i64, (int16_t)bits)                                                    \
    X(INT8, 1, i64, (int8_t)bits)                                                      \
    X(INT4, 1, i64, (int64_t)(bits ^ 8) - 8)                                           \
    X(INT2, 1, i64, (int64_t)(bits ^ 2) - 2)                                           \
    X(UINT64, 8, u64, bits)                                                            \
    X(UINT32, 4, i64, (int64_t)bits)                                                   \
    X(UINT16, 2, i64, (int64_t)bits)                                                   \
    X(UINT8, 1, i64, (int64_t)bits)                                                    \
    X(UINT4, 1, i64, (int64_t)bits)                                                    \
    X(UINT2, 1, i64, (int64_t)bits)                                                    \
    X(BOOL, 1, i64, bits != 0)

#define LOAD(type, size, member, number)                                               \
    case IR_##type:                                                                    \
        for (uint64_t i = 0; i < a->count; i++) {                                      \
            uint64_t bits = ir_load_le(cells + i * (size), size);                      \
            a->member[i] = number;                                                     \
        }                                                                              \
        break;
#define LOAD_SMALL(type)                                                               \
    LOAD(type, 1, f32, (float)ir_small_float_decode(IR_##type, (uint32_t)bits))

void ir_eval_load(const unsigned char *cells, const struct eval_array *a) {
    switch (a->dtype) {
        NUMBERS(LOAD)
        SMALL_FLOATS(LOAD_SMALL)
    default: break;
    }
}

/* --- back -------------------------------------------------------------------------- */

/* Floating types and the bits that x, of either class, becomes. */
#define FLOATS(X, member)                                                              \
    X(FLOAT, 4, member, ir_bits_of_float((float)x))                                    \
    X(DOUBLE, 8, member, ir_bits_of_double((double)x))                                 \
    X(FLOAT16, 2, member, ir_float_to_half((float)x))                                  \
    X(BFLOAT16, 2, member, ir_float_to_bfloat16((float)x))

#define STORE(size, member, type, bits)                                                \
    for (uint64_t i = 0; i < a->count; i++) {                                          \
        type x = a->member[i];                                                         \
        ir_store_le(cells + i * (size), size, bits);                                   \
    }                                                                                  \
    break;
#define STORE_F32(type, size, member, bits)                                            \
    case IR_##type: STORE(size, member, float, bits)
#define STORE_F64(type, size, member, bits)                                            \
    case IR_##type: STORE(size, member, double, bits)

static void store_f32(const struct eval_array *a, unsigned char *cells) {
    switch (a->dtype) {
        FLOATS(STORE_F32, f32)
    default: break;
    }
}

static void store_f64(const struct eval_array *a, unsigned char *cells) {
    switch (a->dtype) {
        FLOATS(STORE_F64, f64)
    default: break;
    }
}

static void store_low_bits(const struct eval_array *a, unsigned char *cells) {
    uint32_t width = ir_dtype_bits(a->dtype);
    switch ((width + 7) / 8) {
    case 8: STORE(8, u64, uint64_t, x)
    case 4: STORE(4, u64, uint64_t, x)
    case 2: STORE(2, u64, uint64_t, x)
    default: STORE(1, u64, uint64_t, ir_low_bits(x, width))
    }
}

void ir_eval_store(const struct eval_array *a, unsigned char *cells) {
    if (a->dtype == IR_BOOL) {
        for (uint64_t i = 0; i < a->count; i++) cells[i] = a->u64[i] != 0;
    } else if (a->class == EVAL_F32) store_f32(a, cells);
    else if (a->class == EVAL_F64) store_f64(a, cells);
    else store_low_bits(a, cells);
}

/* --- below a byte ------------------------------------------------------------------ */

void ir_eval_unpack(const unsigned char *raw, uint32_t width, uint64_t n,
                    unsigned char *cells) {
    for (uint64_t i = 0; i < n; i++) cells[i] = (unsigned char)ir_load_bits(raw, width, i);
}

void ir_eval_pack(const unsigned char *cells, uint32_t width, uint64_t n,
                  unsigned char *raw) {
    memset(raw, 0, (size_t)(n * width + 7) / 8);
    for (uint64_t i = 0; i < n; i++) ir_put_bits(raw, width, i, cells[i]);
}

/* --- one item ---------------------------------------------------------------------- */

double ir_eval_as_double(const struct eval_array *x, uint64_t i) {
    switch (x->class) {
    case EVAL_F32: return (double)x->f32[i];
    case EVAL_F64: return x->f64[i];
    case EVAL_I64: return (double)x->i64[i];
    default: return (double)x->u64[i];
    }
}

float ir_eval_as_float(const struct eval_array *x, uint64_t i) {
    switch (x->class) {
    case EVAL_F32: return x->f32[i];
    case EVAL_F64: return (float)x->f64[i];
    case EVAL_I64: return (float)x->i64[i];
    default: return (float)x->u64[i];
    }
}

bool ir_eval_has_nan(const struct eval_array *x) {
    for (uint64_t i = 0; ir_eval_is_floating(x) && i < x->count; i++)
        if (isnan(ir_eval_as_double(x, i))) return true;
    return false;
}
