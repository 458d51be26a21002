/* told.c -- does what a cut gave say something?
 *
 * What nodes above give may be nothing but NaN, a constant, or minus 1e38 of a mask, where
 * they see what has nothing to do with each other. Integers that were rounded to say
 * nothing at the ends of their type, where all that is beyond stands too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/cut/cut.h"
#include "judge/noise.h"

#include <math.h>

#define ENOUGH 4   /* one of so many elements */
#define DROWNS 1e5 /* a relative 1e-5 of it is 1 */

struct seen {
    uint64_t count;  /* elements that say something */
    uint64_t others; /* of those, that are not the commonest number */
};

static bool is_rounded(const struct cut *c, const struct ir_tensor *x) {
    return c->quantised && ir_dtype_is_int(x->dtype) && ir_dtype_bits(x->dtype) <= 16;
}

static bool counts(const struct cut *c, const struct ir_tensor *x, double v) {
    if (is_rounded(c, x)) return !judge_is_end(x->dtype, v);
    return isfinite(v) && (c->above.len == 0 || fabs(v) <= DROWNS);
}

/* What may be the value of more than half of the elements that count. */
static double commonest(const struct cut *c, const struct ir_tensor *x) {
    double is = NAN, v;
    uint64_t more = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        if (!ir_tensor_double_at(NULL, x, i, &v) || !counts(c, x, v)) continue;
        if (more == 0) is = v;
        if (v == is) more++;
        else more--;
    }
    return is;
}

static struct seen look(const struct cut *c, const struct ir_tensor *x) {
    struct seen seen = {0};
    double v, same = commonest(c, x);
    for (uint64_t i = 0; i < x->count; i++) {
        if (!ir_tensor_double_at(NULL, x, i, &v) || !counts(c, x, v)) continue;
        seen.count++;
        seen.others += v != same || x->count == 1;
    }
    return seen;
}

bool cut_tells(const struct cut *c, const struct ir_tensor *x, uint64_t *elements) {
    *elements = UINT64_MAX;
    if (!x || (!ir_dtype_is_float(x->dtype) && !is_rounded(c, x))) return true;
    struct seen seen = look(c, x);
    bool may_be_one = c->above.len == 0 && !is_rounded(c, x);
    *elements = seen.others;
    return seen.count * ENOUGH >= x->count &&
           (may_be_one || seen.others * ENOUGH >= x->count);
}

double cut_spread(const struct cut *c, const struct judge_values *out) {
    double all = 0;
    for (uint32_t i = 0; i < out->n; i++) {
        const struct ir_tensor *x = out->at[i].tensor;
        if (!x || x->count == 0 || !is_rounded(c, x)) continue;
        all += log2((double)look(c, x).others / (double)x->count + 0x1p-6);
    }
    return all;
}
