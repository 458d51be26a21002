/* random.h -- random graphs, and random rules cut from them, by a fixed seed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RANDOM_H
#define RANDOM_H

#include "matcher/matcher.h"

struct dice {
    uint64_t state;
};
/* 0 .. n - 1 */
uint32_t roll(struct dice *d, uint32_t n);
static inline bool chance(struct dice *d, uint32_t percent) {
    return roll(d, 100) < percent;
}

struct ir_model *random_model(struct arena *a, struct dice *d, uint32_t nodes);
/* A rule that was cut from some place of the graph and then changed; often it matches. */
const struct rule *random_rule(struct arena *a, struct dice *d, struct ir_graph *g,
                               const struct rule_pack *pack, const char *name);

#endif
