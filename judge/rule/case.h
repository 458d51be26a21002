/* case.h -- one instance of a rule: made, rewritten, run, compared, made smaller.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RULE_CASE_H
#define JUDGE_RULE_CASE_H

#include "judge/rules.h"

enum judge_end {
    JUDGE_NO_INSTANCE, /* the numbers lead to none */
    JUDGE_UNMATCHED, JUDGE_NET_REFUSED,
    JUDGE_NO_ORIGINAL, /* the runtime does not take the instance */
    JUDGE_NOT_EMPTY,   /* it runs the result, but not on tensors without elements */
    JUDGE_SAME, JUDGE_WRONG
};
struct judge_case {
    enum judge_end end;
    const char *what;      /* of JUDGE_WRONG */
    double error;
    bool rounds;           /* to integers: it is quantised */
    struct judge_steps steps;
    bool told;             /* of JUDGE_SAME: there was a number to compare */
    uint32_t block;        /* emitted; nblocks: unknown */
    bool *failed, *unknown; /* of each condition: it turned a match down, being so */
    struct judge_instance *instance;
    struct judge_model before, after;
    const struct judge_draws *made_of; /* the numbers, to make it again */
    struct judge_values inputs;
};
/* case.c: makes, rewrites, runs. All in *a. */
struct judge_case judge_case_run(const struct judge_plan *p, struct judge *j,
                                 struct judge_draws *d, struct arena *a);

/* runs.c: both models on the instance's inputs, several times. */
enum judge_end judge_case_compare(const struct judge_plan *p, struct judge *j,
                                  struct judge_case *c, uint64_t seed, struct arena *a);

/* The names of the result's nodes begin so for the runtime, those inside of operators do not. */
#define JUDGE_OWN "result "

/* Has the runtime nothing against the instance as it was made: does it run, or is it only
 * that there is no kernel for its types? */
bool judge_case_is_sound(const struct judge_plan *p, struct judge *j, struct judge_case *c,
                         uint64_t seed, struct arena *a);

/* sizes.c: do the sizes that its inputs are given contradict nothing? */
bool judge_sizes_fit(const struct judge_case *c, struct arena *a);

/* shrink.c: the same fault with fewer and smaller numbers. */
const struct judge_counterexample *judge_shrink(const struct judge_plan *p, struct judge *j,
                                                const struct judge_draws *found,
                                                struct arena *a);

#endif
