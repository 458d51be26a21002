/* pack.c -- all findings of a pack. SPDX-License-Identifier: Apache-2.0 */
#include "lint/pack.h"

#define MOST_WITNESSES 300
#define BUDGET 20000000u /* a few seconds */

bool lint_is_own(const struct lint *l, const struct rule *r) {
    return r->at.source == l->pack->source;
}

void lint_set_cut(struct lint *l, const struct rule *r) {
    if (l->cut++ == 0) l->cut_first = r;
}

void lint_set_dead(struct lint *l, const struct rule *r) {
    map_put(&l->dead, (uintptr_t)r, 1);
}

bool lint_is_dead(const struct lint *l, const struct rule *r) {
    return map_get(&l->dead, (uintptr_t)r) != MAP_NONE;
}

struct ranked {
    const struct rule *rule;
    uint32_t place; /* in the phase */
};
/* As the compiler of packs ranks them. */
static int by_rank(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->rule->priority != y->rule->priority)
        return x->rule->priority > y->rule->priority ? -1 : 1;
    if (x->rule->size != y->rule->size) return x->rule->size > y->rule->size ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void sort(struct lint_phase *p, struct arena *a) {
    struct ranked *order = arena_new_array(a, struct ranked, p->n + 1);
    for (uint32_t i = 0; i < p->n; i++) order[i] = (struct ranked){p->rules[i], i};
    if (p->n > 0) qsort(order, p->n, sizeof *order, by_rank);
    for (uint32_t i = 0; i < p->n; i++) p->rules[i] = order[i].rule;
}

static void lint_stage(struct lint *l, const struct rule_stage *s) {
    struct arena a = ARENA_EMPTY;
    struct lint_phase p = {.stage = s};
    p.rules = arena_new_array(&a, const struct rule *, s->nrules);
    for (uint32_t i = 0; i < s->nrules; i++) {
        const struct rule *r = l->pack->rules[s->rules[i]];
        if (!lint_is_dead(l, r)) p.rules[p.n++] = r;
    }
    sort(&p, &a);
    lint_overlaps(l, &p);
    if (!l->brief) lint_cycles(l, &p);
    arena_free(&a);
}

static void tell_cut(struct lint *l) {
    if (l->cut == 0) return;
    diag_at(l->diags, DIAG_WARNING, l->cut_first->at,
            "%u question%s about rules, \"%s\" first, had too many cases to be answered in "
            "full", l->cut, l->cut == 1 ? "" : "s", l->cut_first->name);
    diag_id(l->diags, DIAG_R_CUT);
}

static void lint_rule(struct lint *l, const struct rule *r) {
    if (!l->brief) lint_advice(l, r);
    if (!lint_never(l, r) || !lint_facts(l, r)) lint_set_dead(l, r);
    else if (!l->brief) lint_ambiguous(l, r);
}

void lint_all(struct lint *l) {
    struct arena a = ARENA_EMPTY;
    map_init(&l->dead, &a);
    for (uint32_t i = 0; i < l->pack->nrules && l->budget > 0; i++)
        if (lint_is_own(l, l->pack->rules[i])) lint_rule(l, l->pack->rules[i]);
    for (uint32_t i = 0; i < l->pack->nstages; i++)
        if (!l->pack->stages[i].is_pass) lint_stage(l, &l->pack->stages[i]);
    tell_cut(l);
    arena_free(&a);
}

enum rw_code lint_pack(const struct rule_pack *pack, bool competing, struct diag_sink *diags) {
    struct lint l = {.pack = pack, .diags = diags, .budget = BUDGET,
                     .witnesses = MOST_WITNESSES, .competing = competing};
    uint32_t before = diags->count[DIAG_ERROR];
    lint_all(&l);
    return diags->count[DIAG_ERROR] == before ? RW_OK : RW_USAGE;
}
