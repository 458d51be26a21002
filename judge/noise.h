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

#include "judge/compare.h"

#define JUDGE_NOISES 8 /* draws */

struct judge_noise {
    uint32_t n;
    struct judge_values *at; /* the original's results, each time */
};
/* How many roundings may add up in a number. */
enum judge_roundings {
    JUDGE_MANY_ROUNDINGS, /* in some nodes by themselves: one noisy value stands for all around */
    JUDGE_OWN_ROUNDINGS,  /* in whole models, where each operator has its own: some in sums, one
                           * where the runtime sums up in floats and rounds to half of that */
    JUDGE_HALF_ROUNDINGS  /* those of half floats alone */
};
/* The relative change of one rounding, times those. 0: a type that is not changed. */
double judge_noise_in(enum ir_dtype t, enum judge_roundings many);
/* A tensor with so much noise. */
struct ir_tensor *judge_noisy(struct arena *a, const struct ir_tensor *t,
                              enum judge_roundings many, uint64_t *seed);
/* Of a constant, whose small whole numbers stay. */
struct ir_tensor *judge_noisy_constant(struct arena *a, const struct ir_tensor *t,
                                       enum judge_roundings many, uint64_t *seed);
/* The same for all of them. */
struct judge_values judge_noisy_values(struct arena *a, const struct judge_values *is,
                                       enum judge_roundings many, uint64_t *seed);
/* A model with noise in its constants, but for those in files of their own, and in every float
 * that it computes, each element by itself. */
bool judge_noisy_model(struct arena *a, const struct judge_model *is,
                       enum judge_roundings many, uint64_t seed, struct judge_model *out);
/* What the original gives with noise in all that it computes with, for each set of inputs. */
void judge_noise_of(struct judge *j, const struct judge_model *m, enum judge_roundings many,
                    uint32_t nsets, const struct judge_values *in, struct arena *a,
                    struct judge_noise *out);
/* What result k is now, with the elements as they were that differ by no more than noise. */
struct ir_tensor *judge_beyond_noise(struct arena *a, const struct judge_noise *noise, uint32_t k,
                                     const struct ir_tensor *was, const struct ir_tensor *is);
/* The same of whole models: is what differs beyond the bounds noise, at each element and in the
 * number of elements? Draws in which a number became none say nothing. */
bool judge_is_noise(struct arena *a, const struct judge_noise *noise, uint32_t k,
                    const struct ir_tensor *was, const struct ir_tensor *is,
                    struct judge_bounds bounds);
/* The least or the largest number of an integer type: all that is beyond is rounded to it. */
bool judge_is_end(enum ir_dtype t, double v);
/* One step up or down of integers of up to 8 bits: where sums are rounded elsewhere, one in some
 * hundred results is nearer to another one. Of many elements it is another rounding. */
struct judge_steps {
    uint64_t steps, elements;
};
/* Counts them, and the elements that are at no end; false where some differs by more. */
bool judge_count_steps(struct judge_steps *s, const struct ir_tensor *was,
                       const struct ir_tensor *is);
#define JUDGE_FEW 256     /* one of so many */
#define JUDGE_FEW_HERE 16 /* in one small graph, whose numbers may all be near a half */
bool judge_are_few(const struct judge_steps *s, uint32_t of);

#endif
