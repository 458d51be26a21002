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

#define JUDGE_SEEN_ENOUGH 5 /* each alternative, each side of a condition */
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
    uint32_t *failed, *unknown; /* of each condition: instances in which it refused a match,
                                   being false, or not known */
    uint32_t *emitted;  /* of each block: instances that were compared */
    const struct judge_counterexample *wrong; /* or NULL */
};
bool judge_is_seen_false(const struct judge_rule_report *r, uint32_t condition);
/* `rules` is the rule compiled alone, with what raises opsets. Stops at the first
 * instance that is wrong. */
void judge_test_rule(const struct pm_auto *rules, const struct rule *r,
                     const struct judge_rule_options *o, struct arena *a,
                     struct judge_rule_report *out);

#endif
