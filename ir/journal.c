/* journal.c -- saving and restoring: marks, undo, commit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/journal.h"

#include "ir/names.h"

void ir_journal_init(struct ir_model *m) { m->journal = arena_new(m->arena, struct ir_journal); }

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

void ir_save(struct ir_model *m, enum ir_place place, void *base, uint32_t item,
             size_t offset, size_t size) {
    struct ir_saved s = {.base = base, .item = item, .offset = (uint16_t)offset,
                         .place = (uint8_t)place, .size = (uint8_t)size};
    rw_assert(size <= sizeof s.old);
    memcpy(&s.old, address_of(&s), size);
    vec_push(m->arena, &m->journal->saved, s);
}

void ir_set_outer_of(struct ir_graph *g, ir_value outer, ir_value inner) {
    struct ir_journal *j = g->model->journal;
    if (j->on)
        vec_push(g->model->arena, &j->saved,
                 (struct ir_saved){.base = g, .item = outer, .place = IR_IN_OUTER_OF,
                                   .old = map_get(&g->outer_of, outer)});
    map_put(&g->outer_of, outer, inner);
}

ir_mark_t ir_mark(struct ir_model *m) {
    struct ir_journal *j = m->journal;
    ir_mark_t mark = j->saved.len;
    j->on = true;
    SET(m, m->edits, m->edits);
    SET(m, m->opaque, m->opaque);
    return mark;
}

void ir_undo(struct ir_model *m, ir_mark_t mark) {
    struct ir_journal *j = m->journal;
    rw_assert(mark <= j->saved.len);
    while (j->saved.len > mark) {
        struct ir_saved s = vec_pop(&j->saved);
        if (s.place == IR_IN_OUTER_OF)
            map_put(&((struct ir_graph *)s.base)->outer_of, s.item, (uint32_t)s.old);
        else memcpy(address_of(&s), &s.old, s.size);
    }
}

void ir_commit(struct ir_model *m) {
    m->journal->saved.len = 0;
    m->journal->on = false;
}
