/* solve.h -- values of which several patterns hold at once, without a graph.
 *
 * A state is a small graph of symbolic values: what is known of each follows from the
 * patterns that were required of it. Goals are worked off one by one; where a pattern
 * leaves a choice (alternatives, operands that commute) the state is copied and each way
 * is tried. A state without goals is a solution: the most general graph, for these
 * choices, on which all that was required holds as far as patterns say. Conditions are not
 * looked at.
 *
 * In a frozen state values learn nothing more. A goal then asks whether what is known
 * already implies the pattern: whoever matches what made the state matches this too.
 *
 * Private to lint/. SPDX-License-Identifier: Apache-2.0
 */
#ifndef LINT_SOLVE_H
#define LINT_SOLVE_H

#include "base/vec.h"
#include "dsl/rule.h"

#define LINT_NONE UINT32_MAX
#define LINT_SIDES 2 /* rules whose patterns meet */

/* What a pattern, or the node of an emitted body, says of one parameter. */
struct lint_test {
    const struct attr_test *test;
    uint8_t side;
    const struct lint_test *next;
};
struct lint_type {
    const struct pat_type *type;
    uint8_t side;
    const struct lint_type *next;
};
struct lint_way { /* an alternative that was taken */
    const struct pat *pat;
    uint32_t way;
    const struct lint_way *next;
};

enum lint_presence { LINT_OPEN, LINT_THERE, LINT_ABSENT };
struct lint_value {
    uint32_t same;   /* the value that stands for this one; itself */
    uint32_t node, output; /* that makes it; LINT_NONE */
    uint8_t presence;
    uint8_t flags;   /* SLOT_CONST, SLOT_SCALAR, SLOT_KEEP */
    uint8_t lit_side;
    uint32_t dtypes; /* bits, 0: any */
    const struct literal *lit; /* what the constant is; or NULL */
    const struct lint_type *types;
};
struct lint_out {
    uint32_t output, value;
    const struct lint_out *next;
};
struct lint_node {
    uint32_t nops;
    const struct pat_op *ops; /* it is one of these */
    uint32_t nargs;
    const uint32_t *args;     /* values */
    bool open;                /* more operands may follow */
    bool commutes;
    bool any_attrs;           /* parameters not named may have any value */
    bool lossless;
    const struct lint_test *tests;
    const struct lint_out *outs;
};

enum lint_goal_kind {
    LINT_MATCH, /* the value fits the pattern */
    LINT_ROOT,  /* the node of the value is the root of the rule of that side */
    LINT_MERGE  /* both values are one */
};
struct lint_goal {
    enum lint_goal_kind kind;
    uint8_t side;
    bool keeps;      /* the slot that leads here may be seen from outside */
    uint32_t value, other;
    uint32_t output; /* of the pattern's node */
    const struct pat *pat;
    const struct lint_goal *next;
};

struct lint_state {
    VEC(struct lint_value) values;
    VEC(struct lint_node) nodes;
    uint32_t *slots[LINT_SIDES]; /* value of each slot of a value; LINT_NONE */
    const struct lint_goal *goals;
    const struct lint_way *ways;
    bool frozen;
};

/* true: enough, nothing more is tried. */
typedef bool lint_solution_fn(void *ctx, struct lint_state *s);

struct lint_solver {
    struct arena *arena; /* of one question */
    const struct rule *rules[LINT_SIDES];
    uint32_t steps;      /* goals that may still be looked at, and copies made */
    uint64_t *budget;    /* the same for all questions together; or NULL */
    uint32_t depth;
    bool cut;            /* there was more than could be looked at */
    lint_solution_fn *found;
    void *ctx;
};

/* A state that knows nothing, for the rules of the solver. */
struct lint_state lint_state_new(struct lint_solver *x);
uint32_t lint_value_new(struct lint_solver *x, struct lint_state *s);
/* The value that stands for all that are the same as v. */
uint32_t lint_find(const struct lint_state *s, uint32_t v);
void lint_goal(struct lint_solver *x, struct lint_state *s, struct lint_goal g);
/* Works off the goals, calls back for each solution; true when that had enough. */
bool lint_solve(struct lint_solver *x, struct lint_state *s);

/* fits.c: no constant, no parameter has both. */
bool lint_literals_clash(const struct literal *a, const struct literal *b);
bool lint_tests_clash(const struct attr_test *a, const struct attr_test *b);
/* What the pattern says of a node's parameters cannot be, after what is known of it. */
bool lint_attrs_clash(const struct lint_node *n, const struct pat *p);
/* Frozen: each node like n passes the pattern's tests of parameters. Names of parameters
 * are bound in the state's slots to what they stand for on the other side. */
bool lint_attrs_implied(const struct lint_state *s, const struct lint_node *n,
                        const struct pat *p, uint8_t side);
bool lint_literal_implied(const struct literal *known, const struct literal *wanted);
bool lint_type_implied(const struct lint_value *v, const struct pat_type *t);
/* Is the parameter of all these operators at its default when it has that value? */
bool lint_is_default(uint32_t nops, const struct pat_op *ops, const char *name,
                     const struct literal *lit);

#endif
