/* binding.h -- what a slot of a rule is bound to. SPDX-License-Identifier: Apache-2.0 */
#ifndef PM_BINDING_H
#define PM_BINDING_H

#include "ir/graph.h"

enum pm_bound {
    BOUND_NOTHING,
    BOUND_NODE,  /* a: node */
    BOUND_VALUE, /* a: value; IR_NONE: an absent one */
    BOUND_LIST,  /* operands of node a from number b on */
    BOUND_MEMBERS, /* what b members of a family have, from number a on of pm_site.members */
    BOUND_ATTR,  /* parameter b (of pm_auto.param) of node a; c: it is an axis, or axes */
    BOUND_ATTRS, /* parameters of node a that spec b does not name */
    BOUND_OP,    /* the operator of node a */
    BOUND_DIM,   /* a: ir_dim; b: PM_NO_AXIS, or what it is an axis of */
    BOUND_DIMS   /* dimensions of value a but the first b and the last c */
};
struct pm_binding {
    enum pm_bound kind;
    uint32_t a, b, c;
};
static inline bool pm_is_set(struct pm_binding b) {
    return b.kind != BOUND_NOTHING && !(b.kind == BOUND_VALUE && b.a == IR_NONE);
}

#endif
