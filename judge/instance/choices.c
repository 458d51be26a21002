/* choices.c -- where a rule's patterns leave a choice, and what each way leads to.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/instance.h"

#define MOST_DEPTH 1000

/* Over all patterns below one, each once. */
struct walk {
    const struct rule *rule;
    struct arena *arena;
    struct map seen; /* patterns by address */
    uint32_t depth;
    void (*each)(struct walk *w, const struct pat *p);
    struct judge_choices *out;
    VEC(uint32_t) found;
};

static void walk(struct walk *w, const struct pat *p) {
    if (!p || w->depth > MOST_DEPTH || map_get(&w->seen, (uintptr_t)p) != MAP_NONE) return;
    map_put(&w->seen, (uintptr_t)p, 1);
    w->depth++;
    w->each(w, p);
    for (uint32_t i = 0; p->kind == PAT_ALT && i < p->nalts; i++) walk(w, p->alts[i]);
    for (uint32_t i = 0; i < p->nargs; i++) walk(w, p->args[i]);
    bool named = p->kind == PAT_SLOT || p->kind == PAT_SEE;
    if (named && p->slot != SLOT_NONE) walk(w, w->rule->slots[p->slot].def);
    w->depth--;
}

/* --- collecting ------------------------------------------------------------------- */
static void add(struct walk *w, enum judge_choice_kind kind, const struct pat *p,
                uint32_t n) {
    struct judge_choice c = {.kind = kind, .pat = p, .n = n};
    c.seen = arena_zalloc(w->arena, n * sizeof *c.seen);
    c.tried = arena_zalloc(w->arena, n * sizeof *c.tried);
    c.nested = arena_zalloc(w->arena, n * sizeof *c.nested);
    vec_push(w->arena, &w->out->list, c);
}

static void add_those_of(struct walk *w, const struct pat *p) {
    if (p->kind == PAT_ALT) add(w, JUDGE_ALTERNATIVE, p, p->nalts);
    if (p->kind == PAT_NODE && p->nops > 1) add(w, JUDGE_OPERATOR, p, p->nops);
    if (p->kind == PAT_NODE && p->commutes && p->nargs > 1) add(w, JUDGE_ORDER, p, 2);
}

/* --- what a way leads to ---------------------------------------------------------- */
static void find_those_of(struct walk *w, const struct pat *p) {
    for (uint32_t i = 0; i < w->out->list.len; i++)
        if (w->out->list.at[i].pat == p) vec_push(w->arena, &w->found, i);
}

static struct judge_nested nested(const struct rule *r, struct arena *a,
                                  struct judge_choices *all, const struct pat *way) {
    struct walk w = {.rule = r, .arena = a, .out = all, .each = find_those_of};
    map_init(&w.seen, a);
    walk(&w, way);
    return (struct judge_nested){w.found.len, w.found.at};
}

void judge_choices_of(const struct rule *r, struct arena *a, struct judge_choices *out) {
    struct walk w = {.rule = r, .arena = a, .out = out, .each = add_those_of};
    map_init(&w.seen, a);
    for (uint32_t i = 0; i < r->nroots; i++) walk(&w, r->slots[r->roots[i]].def);
    for (uint32_t i = 0; i < out->list.len; i++) {
        struct judge_choice *c = &out->list.at[i];
        for (uint32_t k = 0; c->kind == JUDGE_ALTERNATIVE && k < c->n; k++)
            c->nested[k] = nested(r, a, out, c->pat->alts[k]);
    }
}

/* --- the rarest way --------------------------------------------------------------- */
static uint64_t rarity(const struct judge_choice *c, uint32_t way) {
    return (uint64_t)c->seen[way] << 32 | c->tried[way];
}

uint32_t judge_rarest_way(const struct judge_choices *all, uint32_t number) {
    const struct judge_choice *c = &all->list.at[number];
    uint64_t best = UINT64_MAX;
    uint32_t rarest = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        uint64_t is = rarity(c, k);
        for (uint32_t i = 0; i < c->nested[k].n; i++) {
            const struct judge_choice *inner = &all->list.at[c->nested[k].at[i]];
            for (uint32_t j = 0; j < inner->n; j++)
                if (rarity(inner, j) < is) is = rarity(inner, j);
        }
        if (is < best) best = is, rarest = k;
    }
    return rarest;
}
