/* dtype.c -- element types: names, sizes, and which casts keep every value.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/type.h"

enum number_class { NO_NUMBER, BOOLEAN, UNSIGNED, SIGNED, FLOATING };

/* What a type can hold. digits: significant binary digits, the hidden one included;
 * smallest and largest: exponents of two of the smallest positive value and of the
 * largest one. The special values are bits of enum special. */
struct dtype_facts {
    const char *name;
    uint8_t bits;
    enum number_class class;
    uint8_t digits;
    int16_t smallest, largest;
    uint8_t specials;
};

enum special { INFINITE = 1, NOT_A_NUMBER = 2, NEGATIVE_ZERO = 4, NEGATIVE = 8, ZERO = 16 };
#define FINITE (NEGATIVE_ZERO | NEGATIVE | ZERO)
#define IEEE (INFINITE | NOT_A_NUMBER | FINITE)

static const struct dtype_facts facts[IR_DTYPE_N] = {
    [IR_UNDEFINED] = {"undefined", 0, NO_NUMBER, 0, 0, 0, 0},
    [IR_FLOAT] = {"float", 32, FLOATING, 24, -149, 127, IEEE},
    [IR_UINT8] = {"uint8", 8, UNSIGNED, 8, 0, 7, ZERO},
    [IR_INT8] = {"int8", 8, SIGNED, 7, 0, 7, NEGATIVE | ZERO},
    [IR_UINT16] = {"uint16", 16, UNSIGNED, 16, 0, 15, ZERO},
    [IR_INT16] = {"int16", 16, SIGNED, 15, 0, 15, NEGATIVE | ZERO},
    [IR_INT32] = {"int32", 32, SIGNED, 31, 0, 31, NEGATIVE | ZERO},
    [IR_INT64] = {"int64", 64, SIGNED, 63, 0, 63, NEGATIVE | ZERO},
    [IR_STRING] = {"string", 0, NO_NUMBER, 0, 0, 0, 0},
    [IR_BOOL] = {"bool", 8, BOOLEAN, 1, 0, 0, ZERO},
    [IR_FLOAT16] = {"float16", 16, FLOATING, 11, -24, 15, IEEE},
    [IR_DOUBLE] = {"double", 64, FLOATING, 53, -1074, 1023, IEEE},
    [IR_UINT32] = {"uint32", 32, UNSIGNED, 32, 0, 31, ZERO},
    [IR_UINT64] = {"uint64", 64, UNSIGNED, 64, 0, 63, ZERO},
    [IR_COMPLEX64] = {"complex64", 64, NO_NUMBER, 0, 0, 0, 0},
    [IR_COMPLEX128] = {"complex128", 128, NO_NUMBER, 0, 0, 0, 0},
    [IR_BFLOAT16] = {"bfloat16", 16, FLOATING, 8, -133, 127, IEEE},
    [IR_FLOAT8E4M3FN] = {"float8e4m3fn", 8, FLOATING, 4, -9, 8, IEEE & ~INFINITE},
    [IR_FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", 8, FLOATING, 4, -10, 7,
                           NOT_A_NUMBER | NEGATIVE | ZERO},
    [IR_FLOAT8E5M2] = {"float8e5m2", 8, FLOATING, 3, -16, 15, IEEE},
    [IR_FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", 8, FLOATING, 3, -17, 15,
                           NOT_A_NUMBER | NEGATIVE | ZERO},
    [IR_UINT4] = {"uint4", 4, UNSIGNED, 4, 0, 3, ZERO},
    [IR_INT4] = {"int4", 4, SIGNED, 3, 0, 3, NEGATIVE | ZERO},
    [IR_FLOAT4E2M1] = {"float4e2m1", 4, FLOATING, 2, -1, 2, FINITE},
    [IR_FLOAT8E8M0] = {"float8e8m0", 8, FLOATING, 1, -127, 127, NOT_A_NUMBER},
    [IR_UINT2] = {"uint2", 2, UNSIGNED, 2, 0, 1, ZERO},
    [IR_INT2] = {"int2", 2, SIGNED, 1, 0, 1, NEGATIVE | ZERO},
    [IR_FLOAT6E2M3] = {"float6e2m3", 6, FLOATING, 4, -3, 2, FINITE},
    [IR_FLOAT6E3M2] = {"float6e3m2", 6, FLOATING, 3, -4, 4, FINITE},
};

static bool in_range(enum ir_dtype t) { return (uint32_t)t < IR_DTYPE_N; }

const char *ir_dtype_name(enum ir_dtype t) { return in_range(t) ? facts[t].name : NULL; }

enum ir_dtype ir_dtype_from_name(const char *name) {
    for (uint32_t t = 1; t < IR_DTYPE_N; t++)
        if (rw_streq(facts[t].name, name)) return (enum ir_dtype)t;
    return IR_UNDEFINED;
}

uint32_t ir_dtype_bits(enum ir_dtype t) { return in_range(t) ? facts[t].bits : 0; }

bool ir_dtype_is_float(enum ir_dtype t) {
    return in_range(t) && facts[t].class == FLOATING;
}

bool ir_dtype_is_int(enum ir_dtype t) {
    return in_range(t) && (facts[t].class == UNSIGNED || facts[t].class == SIGNED);
}

bool ir_dtype_has_nan(enum ir_dtype t) {
    return in_range(t) && (facts[t].specials & NOT_A_NUMBER) != 0;
}

/* A signed integer's least value -2^n has exponent n, one more than its other values
 * need; `largest` of a signed type is that n, and floats reach it where they reach 2^n. */
bool ir_cast_is_lossless(enum ir_dtype from, enum ir_dtype to) {
    if (!in_range(from) || !in_range(to)) return false;
    const struct dtype_facts *f = &facts[from], *t = &facts[to];
    if (from == to) return from != IR_UNDEFINED;
    if (f->class == NO_NUMBER || t->class == NO_NUMBER || t->class == BOOLEAN) return false;
    if (f->class == FLOATING && t->class != FLOATING) return false;
    return f->digits <= t->digits && f->smallest >= t->smallest &&
           f->largest <= t->largest && (f->specials & ~t->specials) == 0;
}
