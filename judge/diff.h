/* diff.h -- in what do two models differ, as they are written?
 *
 * Inputs, outputs, initializers and imports go by their names; which node is which of the
 * other model, judge/diff/pair.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_DIFF_H
#define JUDGE_DIFF_H

#include "ir/ir.h"

enum judge_thing {
    JUDGE_VERSION, JUDGE_OPSET, JUDGE_INPUT, JUDGE_OUTPUT, JUDGE_INIT, JUDGE_NODE,
    JUDGE_FUNCTION, JUDGE_THING_N
};
struct judge_change {
    enum judge_thing thing;
    const char *graph;  /* "" for main; `then_branch of "y"` and so on; a function's name */
    const char *name;   /* of the thing; of a node its first output's */
    const char *before, *after; /* as text; NULL: not there */
    const char *what;   /* changed nodes: in what, in words; else NULL */
    const char *rule;   /* nodes: the rule that made the one that is there after, or NULL */
};
struct judge_diff {
    VEC(struct judge_change) changes; /* by thing, in the order of the models */
};

/* All in *a; the models stay as they are. */
void judge_diff_models(struct ir_model *before, struct ir_model *after, struct arena *a,
                       struct judge_diff *out);

#endif
