/* noise.h -- what results change by when all is rounded a little otherwise.
 *
 * A rewrite may round in other places than the original. How much that matters is not for a
 * bound to say: it is seen at each element of the results, in runs of the original on inputs
 * with noise. A step up or down of what is rounded to integers is seen so, too: where it is
 * a matter of the last bits the original steps as well.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_NOISE_H
#define JUDGE_NOISE_H

#include "judge/ort.h"

#define JUDGE_NOISES 8 /* draws */

struct judge_noise {
    uint32_t n;
    struct judge_values *at; /* the original's results, each time */
};
/* The relative change of one rounding, times those that may add up. 0: a type that is not
 * changed. */
double judge_noise_in(enum ir_dtype t);
/* A tensor with noise, so many times that. */
struct ir_tensor *judge_noisy(struct arena *a, const struct ir_tensor *t, double times,
                              uint64_t *seed);
/* The same for all of them. */
struct judge_values judge_noisy_values(struct arena *a, const struct judge_values *is,
                                       double times, uint64_t *seed);
/* What result k is now, with the elements as they were that differ by no more than noise. */
struct ir_tensor *judge_beyond_noise(struct arena *a, const struct judge_noise *noise, uint32_t k,
                                     const struct ir_tensor *was, const struct ir_tensor *is);

#endif
