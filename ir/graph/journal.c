/* journal.c -- saving and restoring: marks, undo, commit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/journal.h"

#include "ir/graph/names.h"

static struct ir_saved *saved_at(const struct ir_journal *j, uint32_t i) {
    return &j->pieces.at[i / IR_JOURNAL_PIECE][i % IR_JOURNAL_PIECE];
}

void ir_journal_grow(struct ir_model *m) {
    struct ir_journal *j = m->journal;
    if (j->len > UINT32_MAX - IR_JOURNAL_PIECE) rw_out_of_memory();
    vec_push(m->arena, &j->pieces,
             arena_new_array(m->arena, struct ir_saved, IR_JOURNAL_PIECE));
}

void ir_journal_init(struct ir_model *m) {
    m->journal = arena_new(m->arena, struct ir_journal);
}

static void *address_of(const struct ir_saved *s) {
    struct ir_graph *g = s->base;
    switch ((enum ir_place)s->place) {
    case IR_IN_VALUES: return (char *)&g->values.at[s->item] + s->offset;
    case IR_IN_NODES: return (char *)&g->nodes.at[s->item] + s->offset;
    case IR_IN_USES: return (char *)&g->uses.at[s->item] + s->offset;
    case IR_IN_NAMES: return (char *)ir_names_at(s->base, s->item) + s->offset;
    default: return s->base;
    }
}

void ir_set_outer_of(struct ir_graph *g, ir_value outer, ir_value inner) {
    if (g->model->journal->on)
        ir_journal_push(g->model, (struct ir_saved){.base = g, .item = outer, .place = IR_IN_OUTER_OF,
                                         .old = map_get(&g->outer_of, outer)});
    map_put(&g->outer_of, outer, inner);
}

/* What is not saved edit by edit. */
static void save_counters(struct ir_model *m) {
    SET(m, m->edits, m->edits);
    SET(m, m->opaque, m->opaque);
    ir_journal_push(m, (struct ir_saved){.place = IR_IN_DIMS, .old = ir_dims_mark(m->dims)});
}

ir_mark_t ir_mark(struct ir_model *m) {
    ir_mark_t mark = m->journal->len;
    m->journal->on = true;
    save_counters(m);
    return mark;
}

/* Most fields have 4 or 8 bytes: no call for those. */
static void put_back(void *to, const struct ir_saved *s) {
    if (s->size == 4) memcpy(to, &s->old, 4);
    else if (s->size == 8) memcpy(to, &s->old, 8);
    else memcpy(to, &s->old, s->size);
}

static void restore(struct ir_model *m, const struct ir_saved *s) {
    struct ir_graph *g = s->base;
    if (s->place == IR_IN_OUTER_OF) map_put(&g->outer_of, s->item, (uint32_t)s->old);
    else if (s->place == IR_IN_DIMS) ir_dims_undo(m->dims, (uint32_t)s->old);
    else put_back(address_of(s), s);
}

void ir_undo(struct ir_model *m, ir_mark_t mark) {
    struct ir_journal *j = m->journal;
    rw_assert(mark <= j->len);
    m->changes++;
    while (j->len > mark) restore(m, saved_at(j, --j->len));
    save_counters(m); /* the mark stays good */
}

void ir_commit(struct ir_model *m) {
    m->journal->len = 0;
    m->journal->on = false;
}
