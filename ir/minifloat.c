/* minifloat.c -- one description a type, one algorithm for all but E8M0.
 *
 * A value is sign, exponent field e, mantissa field m of M bits: m * 2^(1-bias-M) where
 * e is 0, else (2^M + m) * 2^(e-bias-M). Encoding divides by the spacing of numbers at
 * that exponent, rounds to even and looks whether the largest value was passed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/minifloat.h"

#include <math.h>

struct format {
    enum ir_dtype type;
    int exponent, mantissa, bias;
    uint8_t largest;  /* magnitude of the largest finite value */
    uint8_t infinity; /* magnitude, or 0: none */
    uint8_t nan;      /* pattern, or 0: none; the only one when it is 0x80 */
};
static const struct format formats[] = {
    {IR_FLOAT8E4M3FN, 4, 3, 7, 0x7e, 0, 0x7f},
    {IR_FLOAT8E4M3FNUZ, 4, 3, 8, 0x7f, 0, 0x80},
    {IR_FLOAT8E5M2, 5, 2, 15, 0x7b, 0x7c, 0x7e},
    {IR_FLOAT8E5M2FNUZ, 5, 2, 16, 0x7f, 0, 0x80},
    {IR_FLOAT4E2M1, 2, 1, 1, 0x07, 0, 0},
};
#define E8M0_NAN 0xffu
#define E8M0_BIAS 127

static const struct format *find(enum ir_dtype t) {
    for (size_t i = 0; i < countof(formats); i++)
        if (formats[i].type == t) return &formats[i];
    return NULL;
}

bool ir_is_minifloat(enum ir_dtype t) { return t == IR_FLOAT8E8M0 || find(t); }

static unsigned sign_bit(const struct format *f) {
    return 1u << (f->exponent + f->mantissa);
}

static float magnitude(const struct format *f, unsigned bits) {
    int e = (int)(bits >> f->mantissa);
    int m = (int)(bits & ((1u << f->mantissa) - 1));
    if (e == 0) return ldexpf((float)m, 1 - f->bias - f->mantissa);
    return ldexpf((float)(m + (1 << f->mantissa)), e - f->bias - f->mantissa);
}

static bool is_nan(const struct format *f, uint8_t bits) {
    if (!f->nan) return false;
    if (f->nan == 0x80) return bits == 0x80;
    return (bits & 0x7f) > (f->infinity ? f->infinity : f->largest);
}

float ir_minifloat_to_float(enum ir_dtype t, uint8_t bits) {
    if (t == IR_FLOAT8E8M0) return bits == E8M0_NAN ? NAN : ldexpf(1, bits - E8M0_BIAS);
    const struct format *f = find(t);
    rw_assert(f);
    if (is_nan(f, bits)) return NAN;
    unsigned rest = bits & (sign_bit(f) - 1);
    float x = f->infinity && rest == f->infinity ? INFINITY : magnitude(f, rest);
    return bits & sign_bit(f) ? -x : x;
}

/* Powers of two alone: the exponent of f, moved up by the rounding. */
static bool to_e8m0(float f, bool saturate, enum ir_minifloat_round round, uint8_t *bits) {
    int exponent = 0;
    if (f < 0) return false;
    *bits = E8M0_NAN;
    if (isnan(f)) return true;
    if (isinf(f) || f == 0) {
        if (saturate) *bits = f == 0 ? 0 : E8M0_NAN - 1;
        return true;
    }
    float fraction = frexpf(f, &exponent) * 2; /* 1 <= fraction < 2 */
    int e = exponent - 1 + E8M0_BIAS;
    if (round == IR_ROUND_UP ? fraction > 1 : round != IR_ROUND_DOWN && fraction >= 1.5f) e++;
    if (e >= 0 && e < (int)E8M0_NAN) *bits = (uint8_t)e;
    else if (saturate) *bits = e < 0 ? 0 : E8M0_NAN - 1;
    return true;
}

/* Magnitude of a finite x >= 0, or one past the largest when it is beyond. */
static unsigned encode(const struct format *f, float x) {
    int exponent = 0, lowest = 1 - f->bias;
    if (x == 0) return 0;
    if (x >= 2 * magnitude(f, f->largest)) return f->largest + 1u;
    frexpf(x, &exponent);
    if (--exponent < lowest) exponent = lowest;
    unsigned units = (unsigned)rintf(ldexpf(x, f->mantissa - exponent));
    /* Units count from the start of the exponent's binade (or from 0 when subnormal); a
     * carry runs into the exponent field by itself. */
    unsigned start = (unsigned)(exponent - lowest) << f->mantissa;
    unsigned bits = start + units;
    return bits > f->largest ? f->largest + 1u : bits;
}

static unsigned beyond(const struct format *f, bool saturate) {
    if (saturate || !f->nan) return f->largest;
    return f->infinity ? f->infinity : f->nan;
}

/* Types without a negative zero have their one NaN in its place. */
static uint8_t with_sign(const struct format *f, unsigned magnitude_bits, float x) {
    bool has_minus_zero = f->nan != 0x80;
    if (!signbit(x) || (!has_minus_zero && magnitude_bits == 0)) return (uint8_t)magnitude_bits;
    return (uint8_t)(magnitude_bits | sign_bit(f));
}

bool ir_minifloat_from_float(enum ir_dtype t, float x, bool saturate,
                             enum ir_minifloat_round round, uint8_t *bits) {
    if (t == IR_FLOAT8E8M0) return to_e8m0(x, saturate, round, bits);
    const struct format *f = find(t);
    rw_assert(f);
    if (isnan(x) && !f->nan) return false;
    unsigned m = isfinite(x) ? encode(f, fabsf(x)) : f->largest + 1u;
    if (isnan(x)) m = f->nan;
    else if (m > f->largest) m = beyond(f, saturate);
    *bits = with_sign(f, m, x);
    return true;
}
