/* names.c -- see names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/names.h"

#include "ir/graph/journal.h"

struct ir_names {
    struct hset set; /* entries by name space and text */
    VEC(struct ir_name) entries;
    uint32_t hint; /* the entry that was one last */
};

#define SET_NAME(m, i, field, ...)                                                     \
    ((m)->journal->on                                                                  \
         ? ir_save((m), IR_IN_NAMES, (m)->value_names, (i),                            \
                   offsetof(struct ir_name, field),                                    \
                   &(m)->value_names->entries.at[i].field,                             \
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
    uint64_t hash = hash_of(k);
    uint32_t i = hset_find(&names->set, hash, same_name, k, names);
    if (i != MAP_NONE) return i;
    struct ir_name e = {.space = k->space, .text = arena_strdup(m->arena, k->text),
                        .value = IR_NONE};
    vec_push(m->arena, &names->entries, e);
    hset_add(&names->set, hash, names->entries.len - 1);
    return names->entries.len - 1;
}

static bool is_free(const struct ir_name *e) { return e->value == IR_NONE && !e->sharers; }

const struct ir_name *ir_name_holder(const struct ir_model *m,
                                     const struct ir_function *space, const char *text) {
    uint32_t i = find(m->value_names, &(struct key){space, text});
    if (i == MAP_NONE || is_free(&m->value_names->entries.at[i])) return NULL;
    return &m->value_names->entries.at[i];
}

#define NUMBER_ROOM 12 /* of _4294967295 and the end */

static void put_numbered(char *text, const char *wanted, uint32_t number) {
    char digits[NUMBER_ROOM], *d = digits + sizeof digits;
    size_t len = strlen(wanted);
    *--d = 0;
    do *--d = (char)('0' + number % 10);
    while (number /= 10);
    *--d = '_';
    memcpy(text, wanted, len);
    memcpy(text + len, d, (size_t)(digits + sizeof digits - d));
}

/* Values that one rewrite makes have one hint, mostly the text of an entry. */
static uint32_t find_hint(struct ir_model *m, const struct key *k) {
    struct ir_names *names = m->value_names;
    if (names->hint < names->entries.len) {
        const struct ir_name *e = &names->entries.at[names->hint];
        if (e->text == k->text && e->space == k->space) return names->hint;
    }
    return names->hint = find_or_add(m, k);
}

/* The counter of the hint only goes on, so names that were found taken once are not
 * tried again: cheap for any number of names from one hint. */
static uint32_t free_entry(struct ir_model *m, const struct ir_function *space,
                           const char *wanted) {
    struct ir_names *names = m->value_names;
    if (!wanted || !*wanted) wanted = "v";
    uint32_t hint = find_hint(m, &(struct key){space, wanted}), i;
    if (is_free(&names->entries.at[hint])) return hint;
    uint32_t made = names->entries.at[hint].made;
    struct arena work = ARENA_EMPTY;
    size_t room = strlen(wanted) + NUMBER_ROOM;
    char mostly[128], *text = room > sizeof mostly ? arena_alloc(&work, room) : mostly;
    do {
        put_numbered(text, wanted, ++made);
        i = find_or_add(m, &(struct key){space, text});
    } while (!is_free(&names->entries.at[i]));
    arena_free(&work);
    SET_NAME(m, hint, made, made);
    return i;
}

const char *ir_name_free(struct ir_model *m, const struct ir_function *space,
                         const char *wanted) {
    uint32_t i = free_entry(m, space, wanted); /* may move the entries */
    return m->value_names->entries.at[i].text;
}

static void take(struct ir_graph *g, ir_value v, uint32_t i) {
    struct ir_model *m = g->model;
    const struct ir_name *e = &m->value_names->entries.at[i];
    if (is_free(e)) {
        SET_NAME(m, i, graph, g);
        SET_NAME(m, i, value, v);
    } else {
        rw_assert(e->graph != g || e->value == IR_NONE);
        SET_NAME(m, i, sharers, e->sharers + 1);
    }
    SET_VALUE(g, v, name, m->value_names->entries.at[i].text);
    SET_VALUE(g, v, named, i);
}

void ir_name_take(struct ir_graph *g, ir_value v, const char *text) {
    take(g, v, find_or_add(g->model, &(struct key){g->function, text}));
}

void ir_name_take_free(struct ir_graph *g, ir_value v, const char *wanted) {
    take(g, v, free_entry(g->model, g->function, wanted));
}

void ir_name_reserve(struct ir_model *m, const struct ir_function *space,
                     const char *text) {
    uint32_t i = find_or_add(m, &(struct key){space, text});
    SET_NAME(m, i, sharers, m->value_names->entries.at[i].sharers + 1);
}

void ir_name_drop(struct ir_graph *g, ir_value v) {
    uint32_t i = g->values.at[v].named;
    const struct ir_name *e = &g->model->value_names->entries.at[i];
    if (e->graph == g && e->value == v) SET_NAME(g->model, i, value, IR_NONE);
    else SET_NAME(g->model, i, sharers, e->sharers - 1);
}

bool ir_name_is_of(const struct ir_graph *g, ir_value v) {
    const struct ir_names *names = g->model->value_names;
    const struct ir_value_info *x = &g->values.at[v];
    if (x->named >= names->entries.len) return false;
    const struct ir_name *e = &names->entries.at[x->named];
    return rw_streq(e->text, x->name) && e->space == g->function &&
           ((e->graph == g && e->value == v) || e->sharers > 0);
}

const char *ir_fresh_name(struct ir_model *m, const char *hint) {
    return ir_name_free(m, NULL, hint);
}
