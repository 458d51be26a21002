/* plan.h -- the state of planning one variant of a rule, shared by plan.c and choose.c.
 *
 * Goals say that a pattern must fit a register. They wait in classes, and the lowest class
 * goes first: operators (breadth first), then literals, then the orders of commutative
 * operands, then alternatives. Inside an alternative or a block that may be skipped
 * (`nest` > 0) a slot is bound by MEET to a register of its own, and its definition waits
 * for the end of the block; so no code is ever doubled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_PLAN_H
#define PM_PLAN_H

#include "matcher/auto.h"

enum goal_class { GOAL_NODE, GOAL_LITERAL, GOAL_PICK, GOAL_ALT, GOAL_CLASSES };
struct goal {
    uint16_t reg; /* the value; GOAL_PICK: the node */
    uint32_t output;
    const struct pat *pat;
};
struct goals {
    struct {
        VEC(struct goal) list;
        uint32_t next;
    } of[GOAL_CLASSES];
};

struct slot_plan {
    uint16_t reg; /* PM_NO_REG: none yet. Not bound but with one: by some alternative */
    bool bound;   /* on every way to here */
    bool optional; /* an output of a node, which may be absent though bound */
};
/* A definition that was matched: always, or where `reg` is set. */
struct matched {
    const struct pat *pat;
    bool always;
    uint16_t reg;
};
struct sight { /* an occurrence of ~x */
    uint32_t slot;
    uint16_t reg;
    bool always;
    struct pm_origin place;
};

struct planner {
    struct pm_auto *p;
    const struct rule *rule;
    struct pm_shape shape;
    struct slot_plan *slots;
    struct pm_seq *seq; /* being written */
    struct pm_origin place; /* what is being planned */
    const struct pm_origin *kept; /* the same, as the newest step has it; or NULL */
    uint32_t nregs;
    uint32_t nest;
    VEC(uint32_t) pending; /* slots that were seen and whose definition is not matched */
    VEC(struct matched) matched;
    VEC(struct sight) sights; /* to be done when nothing else is left */
    VEC(struct pm_expr_test) exprs;
    bool too_large;
    uint16_t root; /* the value at which matching began */
};

uint16_t plan_reg(struct planner *pl);
/* What follows stands for that of the rule. */
static inline void plan_at(struct planner *pl, struct span at, const struct pat *pat) {
    pl->place = (struct pm_origin){at, pat};
}
struct pm_step *plan_emit(struct planner *pl, enum pm_opcode op, uint16_t a, uint16_t b,
                          uint32_t x);
/* The slot is what `reg` holds: binds it, or demands that it is the same. */
void plan_bind(struct planner *pl, uint32_t slot, uint16_t reg);
/* The definition of a slot that was seen must be matched, in due order. */
void plan_defer(struct planner *pl, uint32_t slot);
/* The pattern must fit output `output` of what made the value in reg. */
void plan_want(struct planner *pl, struct goals *q, uint16_t reg, const struct pat *pat,
               uint32_t output);
/* Works off the goals. At the outermost level also what waits for the end of blocks. */
void plan_drain(struct planner *pl, struct goals *q);

/* choose.c: code that may be skipped. */
void plan_alternatives(struct planner *pl, uint16_t reg, const struct pat *alt,
                       uint32_t output);
/* A block run where reg is set (IFSET) or unset (UNLESS). */
typedef void plan_block(struct planner *pl, const void *ctx);
void plan_guarded(struct planner *pl, enum pm_opcode guard, uint16_t reg, plan_block *body,
                  const void *ctx);
/* The next thing that waits for the end of all goals; false: nothing does. */
bool plan_pending(struct planner *pl, struct goals *q);

/* join.c: a pattern of its own, from a value that is bound. */
void plan_join(struct planner *pl, struct goals *q, const struct rule_join *j);
/* The family that slot is the list of, or NULL. */
const struct rule_family *plan_family_of(const struct rule *r, uint32_t slot);

/* types.c: types and dimensions of these slots, last. */
void plan_types(struct planner *pl, uint32_t first, uint32_t end);

/* node.c: an operator: PROD and all that is asked of it; its operands become goals. */
void plan_node(struct planner *pl, struct goals *q, const struct goal *goal);
/* The same for a node already in a register, whose output `output` is in `value`. */
void plan_node_at(struct planner *pl, struct goals *q, uint16_t node, uint16_t value,
                  const struct pat *pat, uint32_t output);
/* Items of a literal list that names something: reg holds the list. */
void plan_items(struct planner *pl, uint16_t reg, const struct literal *l);
void plan_pick(struct planner *pl, struct goals *q, const struct goal *goal);

#endif
