/* rules.h -- rules tried on graphs that are made from their own patterns.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RULES_H
#define JUDGE_RULES_H

#include "judge/compare.h"
#include "judge/instance/instance.h"
#include "judge/noise.h"

struct judge_rule_options {
    struct judge *judge;
    const struct rule *maker; /* of the staged operator that the rule matches, or NULL */
    const struct pm_natives *natives;
    uint64_t seed;
    uint32_t count;  /* instances that are to be compared */
    double seconds;  /* most time for a rule; 0: no end */
    int64_t opset_least, opset_most; /* of ai.onnx */
};

/* The smallest instance found on which both sides differ. */
struct judge_counterexample {
    const char *what;           /* what is wrong, in words */
    const char *before, *after; /* ONNX text; after NULL: there is no result */
    struct judge_model model;
    struct judge_values inputs; /* n 0: none are needed to see it */
};

struct judge_rule_report {
    const struct rule *rule;
    uint32_t made;      /* instances */
    uint32_t unmatched; /* the rule did not apply */
    uint32_t refused;   /* it matched, and the safety net refused */
    uint32_t applied;
    uint32_t broken;    /* ONNX Runtime takes not even the instance */
    uint32_t empty;     /* its inputs have no elements, and that the result refuses */
    uint32_t silent;    /* what both gave has no number in it */
    uint32_t compared;
    struct judge_steps steps; /* of what rounds to integers */
    double error;       /* largest, relative to max(1, |value|) */
    struct judge_choices choices;
    uint32_t *held, *failed; /* of each condition: instances in which it was true, not */
    uint32_t *emitted;  /* of each block: instances that were compared */
    const struct judge_counterexample *wrong; /* or NULL */
};
/* `rules` is the rule compiled alone, with what raises opsets. Stops at the first
 * instance that is wrong. */
void judge_test_rule(const struct pm_auto *rules, const struct rule *r,
                     const struct judge_rule_options *o, struct arena *a,
                     struct judge_rule_report *out);

/* --- one instance (rule/case.c) ----------------------------------------------------- */
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
    enum ir_truth *held;   /* of each condition: of the best match; NULL: no match */
    bool *failed;          /* of each condition: in some match it did not hold */
    struct judge_instance *instance;
    struct judge_model before, after;
    const struct judge_draws *made_of; /* the numbers, to make it again */
    struct judge_values inputs;
};
/* Makes, rewrites, runs. All in *a. */
struct judge_case judge_case_run(const struct judge_plan *p, struct judge *j,
                                 struct judge_draws *d, struct arena *a);

/* rule/runs.c: both models on the instance's inputs, several times. */
enum judge_end judge_case_compare(const struct judge_plan *p, struct judge *j,
                                  struct judge_case *c, uint64_t seed, struct arena *a);

/* The names of the result's nodes begin so for the runtime, those inside of operators do not. */
#define JUDGE_OWN "result "

/* Has the runtime nothing against the instance as it was made: does it run, or is it only
 * that there is no kernel for its types? */
bool judge_case_is_sound(const struct judge_plan *p, struct judge *j, struct judge_case *c,
                         uint64_t seed, struct arena *a);

/* rule/noise.c: what the original gives with noise in all that it computes with. */
void judge_noise_of(struct judge *j, const struct judge_model *m, const struct judge_values *in,
                    struct arena *a, struct judge_noise *out);

/* rule/shrink.c: the same fault with fewer and smaller numbers. */
const struct judge_counterexample *judge_shrink(const struct judge_plan *p, struct judge *j,
                                                const struct judge_draws *found,
                                                struct arena *a);

#endif
