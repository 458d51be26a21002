/* names.c -- see names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/names.h"

#include "ir/graph/journal.h"

struct ir_names {
    struct hset set; /* entries by name space and text */
    VEC(struct ir_name) entries;
};

#define SET_NAME(m, i, field, ...)                                                     \
    ((m)->journal->on                                                                  \
         ? ir_save((m), IR_IN_NAMES, (m)->value_names, (i),                            \
                   offsetof(struct ir_name, field),                                    \
                   sizeof(((struct ir_name *)0)->field))                               \
         : (void)0,                                                                    \
     (void)((m)->value_names->entries.at[i].field = (__VA_ARGS__)))

void ir_names_init(struct ir_model *m) {
    m->value_names = arena_new(m->arena, struct ir_names);
    m->value_names->set.arena = m->arena;
}

struct ir_name *ir_names_at(struct ir_names *names, uint32_t i) {
    return &names->entries.at[i];
}

struct key {
    const struct ir_function *space;
    const char *text;
};

static bool same_name(const void *key, uint32_t id, const void *ctx) {
    const struct key *k = key;
    const struct ir_name *e = &((const struct ir_names *)ctx)->entries.at[id];
    return e->space == k->space && rw_streq(e->text, k->text);
}

/* Not from the pointer of the function: equal runs then have equal tables. */
static uint64_t hash_of(const struct key *k) {
    uint64_t seed = k->space ? hash_bytes(k->space->name, strlen(k->space->name), 1) : 0;
    return hash_bytes(k->text, strlen(k->text), seed);
}

static uint32_t find(const struct ir_names *names, const struct key *k) {
    return hset_find(&names->set, hash_of(k), same_name, k, names);
}

static uint32_t find_or_add(struct ir_model *m, const struct key *k) {
    struct ir_names *names = m->value_names;
    uint32_t i = find(names, k);
    if (i != MAP_NONE) return i;
    struct ir_name e = {.space = k->space, .text = arena_strdup(m->arena, k->text),
                        .value = IR_NONE};
    vec_push(m->arena, &names->entries, e);
    hset_add(&names->set, hash_of(k), names->entries.len - 1);
    return names->entries.len - 1;
}

static bool is_free(const struct ir_name *e) { return e->value == IR_NONE && !e->sharers; }

const struct ir_name *ir_name_holder(const struct ir_model *m,
                                     const struct ir_function *space, const char *text) {
    uint32_t i = find(m->value_names, &(struct key){space, text});
    if (i == MAP_NONE || is_free(&m->value_names->entries.at[i])) return NULL;
    return &m->value_names->entries.at[i];
}

/* The counter of the hint only goes on, so names that were found taken once are not
 * tried again: cheap for any number of names from one hint. */
const char *ir_name_free(struct ir_model *m, const struct ir_function *space,
                         const char *wanted) {
    struct ir_names *names = m->value_names;
    if (!wanted || !*wanted) wanted = "v";
    uint32_t hint = find_or_add(m, &(struct key){space, wanted});
    if (is_free(&names->entries.at[hint])) return names->entries.at[hint].text;
    uint32_t made = names->entries.at[hint].made;
    struct arena_mark mark;
    char *text;
    do {
        mark = arena_mark(m->arena);
        text = arena_printf(m->arena, "%s_%u", wanted, ++made);
        if (!ir_name_holder(m, space, text)) break;
        arena_reset(m->arena, mark);
    } while (true);
    SET_NAME(m, hint, made, made);
    return text;
}

static uint32_t entry_of(struct ir_graph *g, const char *text) {
    return find_or_add(g->model, &(struct key){g->function, text});
}

void ir_name_take(struct ir_graph *g, ir_value v, const char *text) {
    struct ir_model *m = g->model;
    uint32_t i = entry_of(g, text);
    const struct ir_name *e = &m->value_names->entries.at[i];
    if (is_free(e)) {
        SET_NAME(m, i, graph, g);
        SET_NAME(m, i, value, v);
    } else {
        rw_assert(e->graph != g || e->value == IR_NONE);
        SET_NAME(m, i, sharers, e->sharers + 1);
    }
    SET_VALUE(g, v, name, m->value_names->entries.at[i].text);
}

void ir_name_reserve(struct ir_model *m, const struct ir_function *space,
                     const char *text) {
    uint32_t i = find_or_add(m, &(struct key){space, text});
    SET_NAME(m, i, sharers, m->value_names->entries.at[i].sharers + 1);
}

void ir_name_drop(struct ir_graph *g, ir_value v) {
    uint32_t i = entry_of(g, g->values.at[v].name);
    const struct ir_name *e = &g->model->value_names->entries.at[i];
    if (e->graph == g && e->value == v) SET_NAME(g->model, i, value, IR_NONE);
    else SET_NAME(g->model, i, sharers, e->sharers - 1);
}

const char *ir_fresh_name(struct ir_model *m, const char *hint) {
    return ir_name_free(m, NULL, hint);
}
