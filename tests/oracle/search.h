/* search.h -- what the oracle searches with: its world, and a state that is copied at each
 * choice. Private to tests/oracle/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEARCH_H
#define SEARCH_H

#include "tests/oracle/holds.h"
#include "tests/oracle/oracle.h"

struct goal {
    const struct pat *pat; /* NULL: the slot is seen through the value */
    uint32_t slot;
    ir_value value;
    uint32_t output;
    const struct goal *next;
};
struct world {
    struct arena *a;
    struct ir_graph *g;
    const struct rule *r;
    ir_node root;
    uint32_t *level; /* of each slot: 1 + the highest of those whose definition uses it */
    struct oracle_lines *out;
    struct pm_matcher *t; /* evaluates conditions on members; or NULL */
};
struct state {
    struct holds *slot;
    bool *defined; /* the definition of that slot was matched, or need not be */
    struct { ir_node at; bool keep; } node[64];
    uint32_t nnodes, joined;
    const struct goal *goals, *later; /* later: slots seen through */
    struct member *member;            /* that is being matched by itself, or NULL */
};

/* --- oracle.c --- */
/* All ways from here to an end. */
void oracle_solve(struct world *w, struct state s);
void oracle_solve_slot(struct world *w, struct state s, uint32_t slot, ir_value v);
struct state oracle_copy(struct world *w, const struct state *s);
bool oracle_is_inside(const struct state *s, ir_node n);
/* Slots with an annotation, of those numbers. */
bool oracle_types_fit(struct world *w, struct state *s, uint32_t from, uint32_t to);

/* --- each.c --- */
void oracle_solve_family(struct world *w, struct state s, const struct rule_join *j);
void oracle_end_member(struct world *w, struct state *s);

#endif
