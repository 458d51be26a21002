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
 * text; NULL: none was found. */
struct lint_wanted {
    const struct rule *merged;
    uint32_t n;
    const struct rule *const *of;
    uint32_t tries; /* instances */
    /* NULL, or what must be true of the model too; it may change it. */
    bool (*holds)(void *ctx, struct ir_model *m, struct arena *a);
    void *ctx;
};
const char *lint_witness(const struct lint_wanted *w, struct arena *a);
/* Rules as the only phase of a pack; NULL when they do not compile. */
const struct pm_auto *lint_compile(uint32_t n, const struct rule *const *of,
                                   struct arena *a);

#endif
