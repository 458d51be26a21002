/* example.h -- what the examples of a rule tell about graphs in which it applies: shapes
 * that belong together, lists and parameters that fit them. Private to judge/.
 *
 * A large pattern has conditions that numbers drawn by themselves hardly ever meet. Its
 * examples meet them all. A near miss does so but for one, and so leads to graphs at which
 * that one alone does not hold.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_INSTANCE_EXAMPLE_H
#define JUDGE_INSTANCE_EXAMPLE_H

#include "matcher/matcher.h"

/* What a name of a rule was bound to: a value, or a number. */
struct judge_known {
    enum pm_bound kind; /* BOUND_VALUE, BOUND_DIM; BOUND_NOTHING: anything else */
    ir_dim dim;
    ir_value value; /* in `written`, which `type` is of then; IR_NONE: a rule made it */
    const struct ir_type *type;
    const struct ir_tensor *tensor; /* or NULL */
};
/* A number of its shapes that may be another one, of the same name wherever it must be the
 * same. No symbol of a file begins so. */
#define JUDGE_LOOSE '?'
struct judge_loose {
    const char *name;
    int64_t size;
};
struct judge_example {
    struct ir_model *written;  /* as it stands in the pack, numbers of shapes loose */
    VEC(struct judge_loose) loose;
    const struct ir_dims *dims; /* of the types of variables */
    struct judge_known *own, *makers; /* by slot, of the rule and of the maker */
    bool fits;                 /* the rule's patterns, as wholes */
    uint32_t refuses;          /* the condition that it fails at then; nwhere: none */
};
struct judge_examples {
    VEC(struct judge_example) list;
};
/* Those of r, rules being r, or maker and r, alone. */
void judge_examples_of(const struct pm_auto *rules, const struct rule *r,
                       const struct rule *maker, const struct pm_natives *natives,
                       struct arena *a, struct judge_examples *out);

#endif
