/* near.h -- the nearest miss of a rule at a node, and its reasons in words: for explain.
 *
 * The bind program of the one rule is run leniently: an instruction that fails is noted and
 * the run goes on; what depends on something that is not there counts as not reached. Of
 * all ways through alternatives and orders of operands the one with the fewest tests that
 * do not hold is told. A way without any is a match, because the instructions are those of
 * the matcher.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_NEAR_H
#define PM_NEAR_H

#include "matcher/run/run.h"

/* --- near.c: the nearest miss at one node ------------------------------------------- */
/* A test that does not hold: an instruction, or something that is asked at the end. */
enum pm_asked { ASKED_INSN, ASKED_CLOSED, ASKED_EXPR, ASKED_WHERE };
struct pm_failed {
    enum pm_asked what;
    uint32_t pc, number; /* of the <name = (expression)>, of the condition */
};
struct pm_walk;
/* Called for each failed test of a way that is gone again, in order. */
typedef void pm_on_failed(void *ctx, struct pm_walk *w, struct pm_failed f);

/* Of a register, beside what it holds. */
enum pm_gone {
    GONE = 1,         /* what it should hold is not there */
    GONE_MAKER = 2,   /* a node: the value has no such producer */
    GONE_SHAPE = 4    /* a value: not of the rank that is asked for */
};
/* At an instruction with several ways to go on: TRY, PICK, CLIMB, CHAIN. */
struct pm_choice {
    uint32_t taken, of;
};
/* The operands of one commutative operator, when their order is followed. */
struct pm_sides {
    uint32_t pc; /* of its PICK; UINT32_MAX: none is followed */
    bool swap;   /* the order that is tried */
    uint32_t before; /* choices that were made in front of it */
    uint32_t held[2], total[2];
};
struct pm_walk {
    struct pm_matcher *t;
    const struct pm_program *prog;
    struct ir_graph *g;
    ir_node root;
    uint8_t *gone;    /* of each register */
    uint8_t *side;    /* of each register: bits of the operands that it comes from */
    uint32_t *pick;   /* of each register: 1 + pc of the newest PICK that it comes from */
    VEC(struct pm_choice) choices; /* on the way */
    uint32_t taken;   /* choices met so far */
    uint32_t held, total, limit; /* given up when that many do not hold */
    uint32_t left;    /* instructions that may still be run */
    bool nodes_gone; /* not all nodes of the pattern are there */
    struct pm_sides sides;
    uint32_t members; /* of a family that was asked for last: where they begin */
    struct pm_match match; /* once the end is reached */
    pm_on_failed *failed;
    void *ctx;
};

struct pm_near {
    uint32_t held, total; /* equal: it matches */
    bool gave_up;         /* not all ways were tried */
    VEC(struct pm_choice) choices;
};
/* The nearest way at a node; false when the rule's root is no such operator. */
bool pm_nearest(struct pm_walk *w, struct pm_matcher *t, const struct pm_stage *s,
                struct ir_graph *g, ir_node root, struct pm_near *out);
/* Goes that way again and tells of each test that does not hold. */
void pm_go_again(struct pm_walk *w, const struct pm_near *near, pm_on_failed *failed,
                 void *ctx);
/* Tests of the two operands of the PICK at pc, on that way, that hold when they are taken
 * in that order. */
void pm_try_sides(struct pm_walk *w, const struct pm_near *near, uint32_t pc, bool swap,
                  struct pm_sides *out);

/* --- tell.c: in words ---------------------------------------------------------------- */
struct pm_reason pm_tell(struct pm_walk *w, struct pm_failed f, struct arena *a);
/* `Op "name"`; a node without a name by its first result. */
const char *pm_node_text(const struct ir_graph *g, ir_node n, struct arena *a);
const char *pm_node_name(const struct ir_graph *g, ir_node n);

#endif
