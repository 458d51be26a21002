/* journal.h -- the undo journal: old contents of what is about to be overwritten.
 * Private to ir/.
 *
 * Every change of a graph is a few assignments to fields of at most 8 bytes. The macros
 * below save the old contents before they assign; undoing restores them, newest first, so
 * it gives back the very state, lists and lengths included. While no mark was set since
 * the last commit nothing is saved: reading a model costs no journal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_JOURNAL_H
#define IR_JOURNAL_H

#include "ir/graph.h"

enum ir_place {
    IR_IN_VALUES, /* base: the graph; item and offset in its vector, which may move */
    IR_IN_NODES,
    IR_IN_USES,
    IR_IN_NAMES,  /* base: the names of the model */
    IR_IN_ARENA,  /* base: the address, which stays */
    IR_IN_OUTER_OF, /* base: the graph; item: the key */
    IR_IN_DIMS     /* a mark of the table of dimensions */
};

struct ir_saved {
    void *base;
    uint64_t old;
    uint32_t item;
    uint16_t offset;
    uint8_t place, size;
};

/* In pieces of a fixed size, so that growing moves nothing. */
struct ir_journal {
    VEC(struct ir_saved *) pieces;
    uint32_t len;
    bool on;
};
#define IR_JOURNAL_PIECE 4096u /* items */

void ir_journal_init(struct ir_model *m);
static inline void ir_count_edit(struct ir_model *m) {
    m->edits++;
    m->changes++;
}
void ir_journal_grow(struct ir_model *m);
static inline void ir_journal_push(struct ir_model *m, struct ir_saved s) {
    struct ir_journal *j = m->journal;
    if (j->len / IR_JOURNAL_PIECE == j->pieces.len) ir_journal_grow(m);
    j->pieces.at[j->len / IR_JOURNAL_PIECE][j->len % IR_JOURNAL_PIECE] = s;
    j->len++;
}
/* The field at `now`, which is that many bytes behind the item's beginning. */
static inline void ir_save(struct ir_model *m, enum ir_place place, void *base, uint32_t item,
                           size_t offset, const void *now, size_t size) {
    struct ir_saved s = {.base = base, .item = item, .offset = (uint16_t)offset,
                         .place = (uint8_t)place, .size = (uint8_t)size};
    memcpy(&s.old, now, size); /* a constant: one load */
    ir_journal_push(m, s);
}

#define IR_SAVE_FIELD(g, place, vec, id, field)                                        \
    ((g)->model->journal->on                                                           \
         ? ir_save((g)->model, (place), (g), (id),                                     \
                   (size_t)((char *)&(g)->vec.at[id].field - (char *)&(g)->vec.at[id]), \
                   &(g)->vec.at[id].field, sizeof (g)->vec.at[id].field)               \
         : (void)0)

#define SET_VALUE(g, v, field, ...)                                                    \
    (IR_SAVE_FIELD(g, IR_IN_VALUES, values, v, field),                                 \
     (void)((g)->values.at[v].field = (__VA_ARGS__)))
#define SET_NODE(g, n, field, ...)                                                     \
    (IR_SAVE_FIELD(g, IR_IN_NODES, nodes, n, field),                                   \
     (void)((g)->nodes.at[n].field = (__VA_ARGS__)))
#define SET_USE(g, u, field, ...)                                                      \
    (IR_SAVE_FIELD(g, IR_IN_USES, uses, u, field),                                     \
     (void)((g)->uses.at[u].field = (__VA_ARGS__)))
/* Of something that does not move: a graph, a model, an array in the arena. */
#define SET(m, lvalue, ...)                                                            \
    ((m)->journal->on                                                                  \
         ? ir_save((m), IR_IN_ARENA, &(lvalue), 0, 0, &(lvalue), sizeof(lvalue))       \
         : (void)0,                                                                    \
     (void)((lvalue) = (__VA_ARGS__)))
/* Appends to a vector of a graph or model; undoing shortens it. */
#define PUSH(m, vec, ...)                                                              \
    do {                                                                               \
        SET(m, (vec)->len, (vec)->len);                                                \
        vec_push((m)->arena, (vec), __VA_ARGS__);                                      \
    } while (0)

/* The entry of graph g for an outer value. */
void ir_set_outer_of(struct ir_graph *g, ir_value outer, ir_value inner);

#endif
