/* emitted.h -- what a rule leaves behind, as symbolic values. Private to lint/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LINT_EMITTED_H
#define LINT_EMITTED_H

#include "lint/solve.h"

struct lint_emitted {
    uint32_t value;
    bool is_root; /* it is seen by what saw the old one */
};
struct lint_made {
    struct lint_state state; /* slots of side 0 are those of the rule */
    VEC(struct lint_emitted) values; /* results of nodes that are new */
};
/* The rule of side 0 emits that block. What is folded makes no node. */
void lint_emit(struct lint_solver *x, const struct emit_block *block, struct lint_made *out);

#endif
