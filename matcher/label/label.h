/* label.h -- the label level: which patterns can fit at a node, before any is bound.
 *
 * A bottom-up tree automaton whose states are made on demand. The state of a value is the
 * set of sub-patterns (sub.c) that fit there, found by hashing from the operator, what its
 * attributes say (facts) and the classes of its operands' states: what this operator can
 * tell apart at that place (slots.c).
 *
 * Labels say less than binding, never more: whatever can change without an edit of the
 * graph (types, uses, being an output) is no part of them, and of a constant little is read.
 * So a label only ever rules out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_LABEL_H
#define PM_LABEL_H

#include "matcher/bind/bind.h"
#include "matcher/label/live.h"
#include "matcher/run/heap.h"

struct pm_done; /* emit.h */
struct pm_numbers { /* a vector */
    uint32_t *at;
    uint32_t len, cap;
};

/* --- states.c ---------------------------------------------------------------------- */
#define PM_NO_PATTERN 0u            /* the node state in which nothing fits */
#define PM_NOTHING UINT32_MAX       /* no value at all, as an output */
#define PM_NO_NODE (UINT32_MAX - 1) /* an output of no node */

struct pm_plain {
    const struct ir_schema *schema;
    uint32_t facts; /* 1 + their number; 0: not known */
};
struct pm_looked { /* constants of the model */
    uint32_t slot, state, times;
};
struct pm_states {
    const struct pm_auto *p;
    struct arena *arena;
    struct pm_live live;        /* the sub-patterns that states are made of */
    struct map looked_at;       /* slot, state -> number in `looked` */
    VEC(struct pm_looked) looked;
    uint64_t words;             /* in all sets of sub-patterns */
    uint64_t key_words;         /* in all keys */
    struct pm_sets values;      /* sets of sub-patterns: the states of values */
    struct pm_sets nodes;       /* the same of nodes: operators alone, no alternatives */
    struct pm_sets classes;
    struct map class_of;        /* slot, state -> class */
    uint32_t *first_slot;       /* of each operator: slots are numbered over all */
    struct pm_plain *plain;     /* of each operator: facts of its newest node without any */
    struct pm_sets fact_keys;   /* what attributes say ... */
    struct pm_numbers facts_of; /* ... -> facts: */
    struct pm_sets facts;       /* the sub-patterns of the operator that are left then */
    struct pm_sets node_keys;   /* operator, facts, operands' extent and classes ... */
    struct pm_numbers node_of;  /* ... -> node state */
    struct pm_sets const_keys;  /* what is read of a constant ... */
    struct pm_numbers const_of; /* ... -> set in `nodes` */
    struct pm_sets value_keys;  /* node state, output, constant ... */
    struct pm_numbers value_of; /* ... -> value state */
    struct pm_numbers first_of; /* node state -> 1 + state of its output 0 */
    VEC(bool) marked;           /* of each sub-pattern */
    struct pm_numbers key;      /* being made */
    uint32_t absent;            /* state of no value */
    struct pm_sets root_keys;   /* stage and its variants whose roots are in a state ... */
    VEC(const struct pm_program *) program_of; /* ... -> program */
    const struct pm_stage *stage; /* the newest one that was asked for ... */
    struct pm_numbers of_node;  /* ... node state -> 1 + number of program there; 0: new */
    uint64_t insns;             /* in all programs */
    uint64_t lookups, misses;
};
void pm_states_init(struct pm_states *s, const struct pm_auto *p, struct arena *a);
/* Have the states grown beyond all use? Then labels are given up. */
bool pm_states_full(const struct pm_states *s);
/* The node's operator, or MAP_NONE where no pattern asks for it. */
uint32_t pm_op_asked(const struct pm_states *s, const struct pm_site *site, ir_node n);
/* The model has a node of that operator ... */
void pm_states_see(struct pm_states *s, uint32_t op);
/* ... with a constant in that state as operand k. */
void pm_states_see_operand(struct pm_states *s, uint32_t op, uint32_t k, uint32_t state);
/* All have been seen. */
void pm_states_looked(struct pm_states *s);
/* Has something come up with which more sub-patterns are live? Then states are other ones
 * from now on, and labels are to be made once more. */
bool pm_states_widen(struct pm_states *s);
/* The state of a node of that operator from those of so many of its operands. */
uint32_t pm_node_state(struct pm_states *s, const struct pm_site *site, ir_node n, uint32_t op,
                       uint32_t noperands, const uint32_t *operands);
/* The state of a value: output `output` of a node in that state, PM_NO_NODE or PM_NOTHING;
 * and the constant that it is, or NULL. */
uint32_t pm_value_state(struct pm_states *s, struct ir_model *m, uint32_t node,
                        uint32_t output, const struct ir_tensor *t);

/* --- programs.c: the merged program of the rules of the stage that the node state allows,
 * or NULL. Its matches are those of the operator's program, in the same order. */
const struct pm_program *pm_state_program(struct pm_states *s, const struct pm_stage *stage,
                                          uint32_t node);

/* Has any node state one? */
bool pm_any_program(struct pm_states *s, const struct pm_stage *stage);

/* --- literals.c -------------------------------------------------------------------- */
#define PM_CONST_KEY (8 + 2 * PM_ITEMS_READ)
/* What tells the constant's literals, as numbers; how many, 0: it is none of them. */
uint32_t pm_literals_key(const struct pm_literals *l, struct ir_model *m,
                         const struct ir_tensor *t, uint32_t *key);
/* Appends the sub-patterns that are literals which the constant may be. */
void pm_literals_find(const struct pm_auto *p, struct ir_model *m,
                      const struct ir_tensor *t, struct arena *a, struct pm_numbers *out);

/* --- label.c: the labels of one graph ---------------------------------------------- */
/* The state that a constant had: a tensor is never changed, and lives as long as the model. */
struct pm_seen_const {
    const struct ir_tensor *tensor;
    uint32_t state;
};
struct pm_labels {
    struct pm_states states;
    struct arena *arena;
    struct ir_graph *g;      /* NULL: none */
    const struct ir_graph *seen_in; /* the graph of whose values `seen` tells */
    VEC(struct pm_seen_const) seen;
    uint64_t changes;        /* of the model, when they were right */
    bool looked_over;        /* the model, for what it has */
    struct pm_numbers value; /* 1 + state; 0: not known */
    struct pm_numbers node;  /* 1 + node state */
    struct pm_heap heap;
    struct pm_numbers operands;
};
void pm_labels_init(struct pm_labels *l, const struct pm_auto *p, struct arena *a);
/* Are they right for this graph as it is? */
static inline bool pm_labels_hold(const struct pm_labels *l, const struct ir_graph *g) {
    return l && l->g == g && l->changes == g->model->changes;
}
/* Labels the graph, unless its labels are right. */
void pm_labels_begin(struct pm_labels *l, const struct pm_site *site);
/* They were right and are: what was changed since has been undone, or took away nodes and
 * values that nobody sees. */
void pm_labels_settled(struct pm_labels *l);
/* They were right before a rewrite: labels the nodes that are new or see other values, and
 * upwards as long as states change. */
void pm_labels_update(struct pm_labels *l, const struct pm_site *site,
                      const struct pm_done *d);
/* Does labelling from scratch give the same? For tests. */
bool pm_labels_check(struct pm_labels *l, const struct pm_site *site);

#endif
