/* convert.c -- the small floating types as bit patterns.
 *
 * All but float8e8m0 are sign, exponent, fraction, with subnormal numbers; they differ in
 * widths, bias, and in what the topmost patterns mean. One table and one routine each way
 * serve them all. Going through double is exact: it holds every value of every type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/tensor_bytes.h"

#include <math.h>

struct format {
    uint8_t sign_at;  /* number of the sign bit */
    uint8_t fraction; /* bits of the fraction */
    uint8_t bias;
    uint16_t max;      /* pattern of the largest finite value */
    uint16_t overflow; /* what a larger one becomes unless saturated */
    uint16_t nan;
    bool has_inf; /* `overflow` is infinity */
    bool one_zero; /* no negative zero: its pattern is the NaN */
};

static const struct format *format_of(enum ir_dtype t) {
    static const struct format formats[] = {
        {15, 10, 15, 0x7bff, 0x7c00, 0x7e00, true, false}, /* float16 */
        {15, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, true, false}, /* bfloat16 */
        {7, 3, 7, 0x7e, 0x7f, 0x7f, false, false},         /* float8e4m3fn */
        {7, 3, 8, 0x7f, 0x80, 0x80, false, true},          /* float8e4m3fnuz */
        {7, 2, 15, 0x7b, 0x7c, 0x7f, true, false},         /* float8e5m2 */
        {7, 2, 16, 0x7f, 0x80, 0x80, false, true},         /* float8e5m2fnuz */
        {3, 1, 1, 7, 7, 7, false, false},                  /* float4e2m1 */
        {5, 3, 1, 0x1f, 0x1f, 0x1f, false, false},         /* float6e2m3 */
        {5, 2, 3, 0x1f, 0x1f, 0x1f, false, false},         /* float6e3m2 */
    };
    switch (t) {
    case IR_FLOAT16: return &formats[0];
    case IR_BFLOAT16: return &formats[1];
    case IR_FLOAT8E4M3FN: return &formats[2];
    case IR_FLOAT8E4M3FNUZ: return &formats[3];
    case IR_FLOAT8E5M2: return &formats[4];
    case IR_FLOAT8E5M2FNUZ: return &formats[5];
    case IR_FLOAT4E2M1: return &formats[6];
    case IR_FLOAT6E2M3: return &formats[7];
    case IR_FLOAT6E3M2: return &formats[8];
    default: return NULL;
    }
}

/* float8e8m0 is a biased power of two: no sign, no zero; 255 is NaN. */
static double decode_power(uint32_t bits) {
    return bits == 255 ? (double)NAN : ldexp(1.0, (int)bits - 127);
}

static uint32_t encode_power(double x, bool saturate) {
    if (isnan(x) || (isinf(x) && !saturate)) return 255;
    if (!(x > 0)) return 0;
    if (isinf(x)) return 254;
    int e;
    double fraction = frexp(x, &e); /* 0.5 <= fraction < 1 */
    /* Half way between 2^(e-1) and 2^e is 0.75; a tie goes to the even pattern. */
    int low = e - 1 + 127;
    int pattern = fraction > 0.75 || (fraction == 0.75 && low % 2 != 0) ? low + 1 : low;
    if (pattern < 0) return 0;
    return pattern > 254 ? (saturate ? 254 : 255) : (uint32_t)pattern;
}

double ir_small_float_decode(enum ir_dtype t, uint32_t bits) {
    if (t == IR_FLOAT8E8M0) return decode_power(bits & 255);
    const struct format *f = format_of(t);
    rw_assert(f);
    uint32_t sign = 1u << f->sign_at, magnitude = bits & (sign - 1);
    if (f->one_zero && magnitude == 0 && (bits & sign)) return (double)NAN;
    double x;
    if (magnitude > f->max)
        x = f->has_inf && magnitude == f->overflow ? (double)INFINITY : (double)NAN;
    else {
        uint32_t exponent = magnitude >> f->fraction;
        uint32_t digits = magnitude & ((1u << f->fraction) - 1);
        if (exponent) digits |= 1u << f->fraction;
        else exponent = 1;
        x = ldexp(digits, (int)exponent - f->bias - f->fraction);
    }
    return bits & sign ? -x : x;
}

/* x >> shift, rounded to nearest, ties to even. */
static uint64_t shift_rounded(uint64_t x, uint32_t shift) {
    if (shift > 63) return 0;
    if (shift == 0) return x;
    uint64_t kept = x >> shift, rest = x & (((uint64_t)1 << shift) - 1);
    uint64_t half = (uint64_t)1 << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* The pattern of |x| with the exponent unbounded above: a fraction that rounds up carries
 * into the exponent, which is just the next value. */
static uint64_t magnitude_of(const struct format *f, uint64_t double_bits) {
    int64_t exponent = (int64_t)(double_bits >> 52) - 1023 + f->bias;
    uint64_t fraction = double_bits & (((uint64_t)1 << 52) - 1);
    uint32_t shift = 52u - f->fraction;
    if (exponent >= 1)
        return shift_rounded((uint64_t)exponent << 52 | fraction, shift);
    int64_t deeper = shift + 1 - exponent;
    return deeper > 63 ? 0 : shift_rounded((uint64_t)1 << 52 | fraction, (uint32_t)deeper);
}

uint32_t ir_small_float_encode(enum ir_dtype t, double x, bool saturate) {
    if (t == IR_FLOAT8E8M0) return encode_power(x, saturate);
    const struct format *f = format_of(t);
    rw_assert(f);
    uint32_t sign = signbit(x) ? 1u << f->sign_at : 0;
    if (isnan(x)) return f->one_zero ? f->nan : (f->nan | sign);
    uint64_t magnitude = magnitude_of(f, ir_bits_of_double(x) & ~((uint64_t)1 << 63));
    if (magnitude > f->max) magnitude = saturate ? f->max : f->overflow;
    if (f->one_zero && (magnitude == 0 || magnitude == f->nan)) return (uint32_t)magnitude;
    return (uint32_t)magnitude | sign;
}

/* --- 16 bits ----------------------------------------------------------------------- */

/* The same results as above, for whole tensors of them; rounding is to nearest even. */

#define SIGN 0x80000000u
#define INFINITE 0x7f800000u

float ir_half_to_float(uint16_t h) {
    uint32_t sign = ((uint32_t)h << 16) & SIGN, rest = h & 0x7fffu;
    if (rest > 0x7c00) return ir_float_of_bits(sign | 0x7fc00000);
    if (rest == 0x7c00) return ir_float_of_bits(sign | INFINITE);
    /* The exponents' biases differ by 112; the product makes subnormal ones normal too. */
    return ir_float_of_bits(sign | ir_bits_of_float(ir_float_of_bits(rest << 13) * 0x1p112f));
}

uint16_t ir_float_to_half(float f) {
    uint32_t bits = ir_bits_of_float(f), sign = bits >> 16 & 0x8000, x = bits & ~SIGN;
    if (x > INFINITE) return (uint16_t)(sign | 0x7e00);
    if (x >= ir_bits_of_float(0x1p16f)) return (uint16_t)(sign | 0x7c00);
    if (x < ir_bits_of_float(0x1p-14f)) { /* 0.5's last place is that of a subnormal half */
        uint32_t shifted = ir_bits_of_float(ir_float_of_bits(x) + 0.5f);
        return (uint16_t)(sign | (shifted - ir_bits_of_float(0.5f)));
    }
    x += 0xfff + (x >> 13 & 1) - (112u << 23);
    return (uint16_t)(sign | x >> 13);
}

float ir_bfloat16_to_float(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    return ir_float_of_bits((bits & ~SIGN) > INFINITE ? (bits & SIGN) | 0x7fc00000 : bits);
}

uint16_t ir_float_to_bfloat16(float f) {
    uint32_t bits = ir_bits_of_float(f);
    if ((bits & ~SIGN) > INFINITE) return (uint16_t)(bits >> 16 & 0x8000) | 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
