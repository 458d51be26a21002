/* diff_impl.h -- the parts of the comparison of two models. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_DIFF_IMPL_H
#define JUDGE_DIFF_IMPL_H

#include "judge/diff.h"

struct differ {
    struct arena *a;
    struct ir_model *m[2]; /* before and after */
    struct judge_diff *out;
    const char *graph;     /* the words for the graphs being compared */
};
/* Two graphs with what is in them. */
void judge_diff_graphs(struct differ *d, struct ir_graph *before, struct ir_graph *after);
void judge_diff_nodes(struct differ *d, struct ir_graph *before, struct ir_graph *after);
/* Equal in type, dims and elements; each is of its own model. */
bool judge_diff_same_tensor(struct differ *d, const struct ir_tensor *before,
                            const struct ir_tensor *after);
void judge_diff_add(struct differ *d, enum judge_thing thing, const char *name,
                    const char *before, const char *after);

#endif
