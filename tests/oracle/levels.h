/* levels.h -- does the whole matcher find what its bind level finds alone, and that what the
 * oracle finds? SPDX-License-Identifier: Apache-2.0
 */
#ifndef LEVELS_H
#define LEVELS_H

#include "matcher/matcher.h"

struct levels {
    uint32_t most; /* the oracle is asked in graphs of no more nodes */
    uint64_t nodes, matches;
    uint64_t labelled, bare; /* candidates, with labels and without */
    uint64_t asked, unsure;  /* of the oracle: rules at nodes; where it did not know */
    uint64_t compared;       /* matches of compiled rules */
};
/* Do both find the same at each node, in the same order? p and q are the same packs, compiled
 * in two ways. */
bool levels_same(const struct pm_auto *p, const struct pm_auto *q, struct ir_model *m,
                 struct levels *sum, struct buf *why);
/* Every node of every graph, every stage. false: *why in words. */
bool levels_agree(const struct pm_auto *p, struct ir_model *m, struct levels *sum,
                  struct buf *why);

#endif
