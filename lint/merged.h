/* merged.h -- a solution as a rule: its pattern is what all sides ask for, its conditions
 * are those of all sides. Whoever makes an instance of it has a graph on which they meet.
 * Private to lint/. SPDX-License-Identifier: Apache-2.0
 */
#ifndef LINT_MERGED_H
#define LINT_MERGED_H

#include "lint/solve.h"

/* `root` is a value that has a node. The rule emits nothing. */
const struct rule *lint_merged(const struct lint_solver *x, const struct lint_state *s,
                               uint32_t root, struct arena *a);

/* An instance of the merged rule on which all rules of `of` match at one node, as ONNX
 * text, and the model itself if asked for; NULL: none was found. */
struct lint_witness {
    const char *text;
    struct ir_model *model;
};
struct lint_witness lint_witness_of(const struct rule *merged, uint32_t n,
                                    const struct rule *const *of, uint32_t tries,
                                    struct arena *a);

#endif
