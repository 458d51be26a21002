/* instance.h -- graphs that are instances of a rule's pattern, and the choices in them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_INSTANCE_INSTANCE_H
#define JUDGE_INSTANCE_INSTANCE_H

#include "judge/instance/draw.h"
#include "judge/instance/example.h"
#include "matcher/matcher.h"

/* --- what may be chosen ------------------------------------------------------------ */
/* A place of a rule where a pattern leaves a choice. */
enum judge_choice_kind {
    JUDGE_ALTERNATIVE, /* of PAT_ALT: which */
    JUDGE_OPERATOR,    /* of a class: which */
    JUDGE_ORDER        /* of two operands that commute: as written, exchanged */
};
struct judge_choice {
    enum judge_choice_kind kind;
    const struct pat *pat;
    uint32_t n;       /* ways to choose */
    uint32_t *seen;   /* in instances that were compared, by way */
    uint32_t *tried;  /* in all instances */
    struct judge_nested *nested; /* by way: the choices that it leads to */
};
struct judge_nested {
    uint32_t n;
    const uint32_t *at;
};
struct judge_choices {
    VEC(struct judge_choice) list;
};
/* All of a rule, in the order of the text. */
void judge_choices_of(const struct rule *r, struct arena *a, struct judge_choices *out);

/* The way that, or something that it leads to, was compared and tried least often. */
uint32_t judge_rarest_way(const struct judge_choices *all, uint32_t choice);

/* --- an instance -------------------------------------------------------------------- */
/* A graph input and what it may be fed with. */
struct judge_leaf {
    const char *name;
    enum ir_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    bool may_miss;                 /* it has a value of its own (an initializer) */
    int64_t low, below;            /* of integers */
    bool positive, modest;         /* no element is negative; is large */
    const struct ir_tensor *fixed; /* the one value that makes sense; or NULL */
};
struct judge_made { /* a choice that an instance made */
    uint32_t choice, way;
};
struct judge_instance {
    struct ir_model *model;
    struct ir_graph *graph; /* where the pattern stands: main, a body, a function */
    VEC(struct judge_leaf) leaves;
    VEC(struct judge_made) made;
};
struct judge_plan {
    const struct pm_auto *rules;  /* the rule alone */
    const struct rule *rule;
    const struct rule *maker; /* of the staged operator that the rule matches, or NULL */
    const struct pm_natives *natives;
    struct judge_choices *choices;
    int64_t opset_least, opset_most;
    uint32_t target;
    const struct judge_examples *examples;
    bool led;               /* by one of them */
    bool enough;            /* were compared: what is missing is sought */
    bool asks;              /* nothing is missing but conditions that do not hold */
    uint32_t sought;        /* the condition that instances go against, if they do */
    bool reveals;           /* all computed floats are outputs, those of bodies too */
};
/* NULL: the numbers lead to nothing (an operator that this opset lacks, shapes that do not
 * fit). The instance lives in *a. */
struct judge_instance *judge_generate(const struct judge_plan *plan, struct judge_draws *d,
                                      struct arena *a);

#endif
