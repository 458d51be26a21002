/* noise.c -- see noise.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/noise.h"
#include "judge/instance/draw.h"

#include <math.h>

#define MANY_ROUNDINGS 16
#define WIDER 2      /* than what was seen in so many draws */

double judge_noise_in(enum ir_dtype t, enum judge_roundings many) {
    static const double wide_of[] = {MANY_ROUNDINGS, 4, 0}, half_of[] = {MANY_ROUNDINGS, 1, 1};
    double wide = wide_of[many], half = half_of[many];
    switch (t) {
    case IR_FLOAT: return wide * 0x1p-24;
    case IR_DOUBLE: return wide * 0x1p-53;
    case IR_FLOAT16: return half * 0x1p-11;
    case IR_BFLOAT16: return half * 0x1p-8;
    default: return 0;
    }
}

/* The largest numbers, as masks have them, do not become infinite. */
static void store(enum ir_dtype t, unsigned char *at, double x, double times) {
    double wide = isfinite(x * times) ? x * times : x;
    float narrow = isfinite((float)wide) ? (float)wide : (float)x;
    if (t == IR_DOUBLE) memcpy(at, &wide, sizeof wide);
    if (t == IR_FLOAT) memcpy(at, &narrow, sizeof narrow);
    if (ir_dtype_bits(t) != 16) return;
    uint16_t half = (uint16_t)ir_small_float_encode(t, narrow, true);
    memcpy(at, &half, sizeof half);
}

/* -1 to 1 */
static double either_way(uint64_t *seed) {
    return (double)(judge_next(seed) >> 11) * 0x1p-52 - 1;
}

/* A small whole number is meant as it is, and no result of rounding: an exponent, which keeps
 * powers of negative numbers; a scale of Resize, a step of Range. A matrix is data. */
static bool is_whole(double x) { return fabs(x) <= 4096 && x >= floor(x) && x <= floor(x); }

static struct ir_tensor *noisy(struct arena *a, const struct ir_tensor *t,
                               enum judge_roundings many, bool keeps_whole, uint64_t *seed) {
    struct ir_tensor *out = arena_copy(a, t, sizeof *t);
    double by = judge_noise_in(t->dtype, many), x;
    keeps_whole = keeps_whole && t->rank < 2;
    if (by <= 0) return out;
    unsigned char *bytes = arena_copy(a, t->data, (size_t)t->nbytes);
    for (uint64_t i = 0; i < t->count; i++) {
        if (!ir_tensor_double_at(NULL, t, i, &x) || !isfinite(x)) continue;
        double factor = 1 + by * either_way(seed);
        if (!keeps_whole || !is_whole(x))
            store(t->dtype, bytes + i * (ir_dtype_bits(t->dtype) / 8), x, factor);
    }
    out->data = bytes;
    return out;
}

struct ir_tensor *judge_noisy(struct arena *a, const struct ir_tensor *t,
                              enum judge_roundings many, uint64_t *seed) {
    return noisy(a, t, many, false, seed);
}

struct ir_tensor *judge_noisy_constant(struct arena *a, const struct ir_tensor *t,
                                       enum judge_roundings many, uint64_t *seed) {
    return noisy(a, t, many, true, seed);
}

struct judge_values judge_noisy_values(struct arena *a, const struct judge_values *is,
                                       enum judge_roundings many, uint64_t *seed) {
    struct judge_values out = *is;
    out.at = arena_copy(a, is->at, is->n * sizeof *is->at);
    for (uint32_t i = 0; i < out.n; i++)
        if (out.at[i].tensor) out.at[i].tensor = judge_noisy(a, out.at[i].tensor, many, seed);
    return out;
}

/* --- what it comes to --------------------------------------------------------------- */
/* The most that element i of result k changed by; infinite where it was no number any more. */
static double change_of(const struct judge_noise *noise, uint32_t k, const struct ir_tensor *was,
                        uint64_t i) {
    double most = 0, x, y;
    for (uint32_t n = 0; n < noise->n; n++) {
        const struct ir_tensor *t = noise->at[n].at[k].tensor;
        if (!t || t->dtype != was->dtype || t->count != was->count) continue;
        if (!ir_tensor_double_at(NULL, was, i, &x) || !ir_tensor_double_at(NULL, t, i, &y))
            continue;
        double d = isfinite(x) && isfinite(y) ? fabs(x - y) : x == y ? 0 : INFINITY;
        most = fmax(most, d);
    }
    return ir_dtype_is_float(was->dtype) ? WIDER * most : most;
}

/* The most that any element changed by and stayed a number. */
static double widest_change(const struct judge_noise *noise, uint32_t k,
                            const struct ir_tensor *was) {
    double widest = 0;
    for (uint64_t i = 0; i < was->count; i++) {
        double change = change_of(noise, k, was, i);
        if (isfinite(change)) widest = fmax(widest, change);
    }
    return widest;
}

/* How far noise takes the elements of one result. */
struct reach {
    const struct judge_noise *noise;
    uint32_t k;
    const struct ir_tensor *was;
    double widest; /* -1: not asked for yet */
};

/* Where noise changes an element by as much as it is, no digit of it is sure, and draws alone do
 * not tell how far it gets: a Softmax gives all to one element of a row, to another one each
 * time. That is seen at the others. */
static bool is_within(struct reach *r, uint64_t i, double x, double y) {
    double change = change_of(r->noise, r->k, r->was, i);
    if (isinf(change) || fabs(x - y) <= change) return true;
    if (!ir_dtype_is_float(r->was->dtype) || change < WIDER * fabs(x) / 2) return false;
    if (r->widest < 0) r->widest = widest_change(r->noise, r->k, r->was);
    return fabs(x - y) <= r->widest;
}

struct ir_tensor *judge_beyond_noise(struct arena *a, const struct judge_noise *noise, uint32_t k,
                                     const struct ir_tensor *was, const struct ir_tensor *is) {
    struct ir_tensor *out = arena_copy(a, is, sizeof *is);
    uint32_t width = ir_dtype_bits(was->dtype) / 8;
    unsigned char *bytes = arena_copy(a, is->data, (size_t)is->nbytes);
    struct reach r = {noise, k, was, -1};
    double x, y;
    for (uint64_t i = 0; width > 0 && was->nbytes == is->nbytes && i < was->count; i++) {
        if (!ir_tensor_double_at(NULL, was, i, &x) || !ir_tensor_double_at(NULL, is, i, &y))
            continue;
        if (is_within(&r, i, x, y))
            memcpy(bytes + i * width, (const char *)was->data + i * width, width);
    }
    out->data = bytes;
    return out;
}

bool judge_is_noise(struct arena *a, const struct judge_noise *noise, uint32_t k,
                    const struct ir_tensor *was, const struct ir_tensor *is,
                    struct judge_bounds bounds) {
    struct judge_noise finite = {.at = arena_new_array(a, struct judge_values, noise->n)};
    uint64_t most = 0;
    for (uint32_t i = 0; i < noise->n; i++) {
        struct judge_verdict v = judge_compare(was, noise->at[i].at[k].tensor, bounds);
        if (isinf(v.absolute) || (v.what && !rw_streq(v.what, "values"))) continue;
        finite.at[finite.n++] = noise->at[i];
        if (v.beyond > most) most = v.beyond;
    }
    if (judge_compare(was, is, bounds).beyond > WIDER * most) return false;
    return judge_compare(was, judge_beyond_noise(a, &finite, k, was, is), bounds).same;
}

/* --- steps ---------------------------------------------------------------------------- */
bool judge_is_end(enum ir_dtype t, double v) {
    int bits = (int)ir_dtype_bits(t);
    bool is_unsigned = t == IR_UINT8 || t == IR_UINT16;
    double below = ldexp(1, is_unsigned ? bits : bits - 1);
    return v >= below - 1 || v <= (is_unsigned ? 0 : -below);
}

bool judge_count_steps(struct judge_steps *s, const struct ir_tensor *was,
                       const struct ir_tensor *is) {
    double x, y;
    if (!ir_dtype_is_int(was->dtype) || ir_dtype_bits(was->dtype) > 8) return false;
    for (uint64_t i = 0; i < was->count; i++) {
        bool known = ir_tensor_double_at(NULL, was, i, &x) && ir_tensor_double_at(NULL, is, i, &y);
        if (!known || fabs(x - y) > 1) return false;
        s->steps += x != y;
        s->elements += x != y || !judge_is_end(was->dtype, x);
    }
    return true;
}

bool judge_are_few(const struct judge_steps *s, uint32_t of) {
    return s->steps <= 1 + s->elements / of;
}
