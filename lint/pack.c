/* pack.c -- all findings of a pack. SPDX-License-Identifier: Apache-2.0 */
#include "lint/pack.h"

#define MOST_WITNESSES 300

bool lint_is_own(const struct lint *l, const struct rule *r) {
    return r->at.source == l->pack->source;
}

void lint_set_dead(struct lint *l, const struct rule *r) {
    map_put(&l->dead, (uintptr_t)r, 1);
}

bool lint_is_dead(const struct lint *l, const struct rule *r) {
    return map_get(&l->dead, (uintptr_t)r) != MAP_NONE;
}

static int by_rank(const void *a, const void *b) {
    const struct rule *const *x = a, *const *y = b;
    if ((*x)->priority != (*y)->priority) return (*x)->priority > (*y)->priority ? -1 : 1;
    return (*x)->size > (*y)->size ? -1 : (*x)->size < (*y)->size;
}

/* Insertion keeps the order of the file among equals, as the compiler of packs does. */
static void sort(struct lint_phase *p) {
    for (uint32_t i = 1; i < p->n; i++) {
        const struct rule *r = p->rules[i];
        uint32_t k = i;
        for (; k > 0 && by_rank(&r, &p->rules[k - 1]) < 0; k--) p->rules[k] = p->rules[k - 1];
        p->rules[k] = r;
    }
}

static void lint_stage(struct lint *l, const struct rule_stage *s) {
    struct arena a = ARENA_EMPTY;
    struct lint_phase p = {.stage = s};
    p.rules = arena_new_array(&a, const struct rule *, s->nrules);
    for (uint32_t i = 0; i < s->nrules; i++) {
        const struct rule *r = l->pack->rules[s->rules[i]];
        if (!lint_is_dead(l, r)) p.rules[p.n++] = r;
    }
    sort(&p);
    lint_overlaps(l, &p);
    lint_cycles(l, &p);
    arena_free(&a);
}

static void tell_cut(struct lint *l) {
    if (l->cut == 0) return;
    diag_where(l->diags, DIAG_WARNING, l->pack->source ? l->pack->source->name : NULL,
               "%u question%s about its rules had too many cases to be answered in full",
               l->cut, l->cut == 1 ? "" : "s");
    diag_id(l->diags, DIAG_R_CUT);
}

static void lint_rule(struct lint *l, const struct rule *r) {
    lint_advice(l, r);
    if (!lint_never(l, r) || !lint_facts(l, r)) lint_set_dead(l, r);
    else lint_ambiguous(l, r);
}

enum rw_code lint_pack(const struct rule_pack *pack, struct diag_sink *diags) {
    struct arena a = ARENA_EMPTY;
    struct lint l = {.pack = pack, .diags = diags, .witnesses = MOST_WITNESSES};
    uint32_t before = diags->count[DIAG_ERROR];
    map_init(&l.dead, &a);
    for (uint32_t i = 0; i < pack->nrules; i++)
        if (lint_is_own(&l, pack->rules[i])) lint_rule(&l, pack->rules[i]);
    for (uint32_t i = 0; i < pack->nstages; i++)
        if (!pack->stages[i].is_pass) lint_stage(&l, &pack->stages[i]);
    tell_cut(&l);
    arena_free(&a);
    return diags->count[DIAG_ERROR] == before ? RW_OK : RW_USAGE;
}
