/* live.h -- which sub-patterns can be part of a match in this model.
 *
 * A pattern with an operator that the model does not have and no rule makes there, or with a
 * number that no such operator has at that operand, fits nowhere; those of its parts that do
 * fit somewhere need not be told apart for its sake. So states are made of the *live*
 * sub-patterns alone: the parts of patterns all of whose parts can be there. A thousand
 * rules for other models cost nothing.
 *
 * Where a sub-pattern has a number that the model has rarely, that number says enough: of such
 * a node's other operands nothing is told apart, and binding looks at them.
 *
 * What comes up later and was not foreseen widens the choice: labels are made once more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_LIVE_H
#define PM_LIVE_H

#include "matcher/auto.h"

struct pm_live {
    const struct pm_auto *p;
    struct arena *arena;
    const uint32_t *first_slot; /* of each operator: slots are numbered over all */
    bool *has_op;   /* of each operator: the model has it, or a rule makes it there */
    struct map at;  /* slot, literal -> how often a constant there may be it */
    uint32_t nodes; /* that were looked at */
    bool all;       /* everything is taken to be there */
    bool *may_fit;  /* of each sub-pattern: all that it asks for is there */
    bool *is;       /* of each sub-pattern: it is part of a root that may fit */
    uint32_t n;     /* that are live */
    uint32_t times, changes; /* that they were chosen, and that others were then */
    bool grown;     /* something came up since */
    bool *rare;     /* of each sub-pattern: its literals say enough, other operators that it has
                       for operands are left to binding ... */
    uint32_t load;  /* ... at so many nodes in sum */
    uint32_t *sharing; /* of each literal: such sub-patterns that have it */
    VEC(struct pm_wanted) by_literal; /* those, by one of their literals */
};
/* Nothing is there yet, and nothing live. */
void pm_live_init(struct pm_live *l, const struct pm_auto *p, const uint32_t *first_slot,
                  struct arena *a);
void pm_live_see_op(struct pm_live *l, uint32_t op);
/* So many constants at that slot may be that literal. */
void pm_live_see_literal(struct pm_live *l, uint32_t slot, uint32_t sub, uint32_t times);
/* Has more come up than pays? Then all is taken to be there when it is chosen next. */
bool pm_live_is_full(const struct pm_live *l);
/* Chooses from what has come up. False: the same are live as before. */
bool pm_live_choose(struct pm_live *l);
/* Is that operand of the sub-pattern left to binding? */
bool pm_is_left(const struct pm_live *l, uint32_t sub, uint32_t kid);

#endif
