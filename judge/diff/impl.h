/* impl.h -- the parts of the comparison of two models. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_DIFF_IMPL_H
#define JUDGE_DIFF_IMPL_H

#include "judge/diff.h"
#include "judge/diff/pair.h"

struct differ {
    struct arena *a;
    struct ir_model *m[2]; /* before and after */
    struct judge_diff *out;
    const char *graph;     /* the words for the graphs being compared */
};
/* Two graphs with what is in them; bodies with the pairs of the graphs around. */
void judge_diff_graphs(struct differ *d, struct ir_graph *before, struct ir_graph *after,
                       const struct judge_pairs *around);
void judge_diff_nodes(struct differ *d, const struct judge_pairs *p);
void judge_diff_add(struct differ *d, enum judge_thing thing, const char *name,
                    const char *before, const char *after);

#endif
