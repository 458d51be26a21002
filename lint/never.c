/* never.c -- patterns, or alternatives in them, that no graph fits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#define MOST_STEPS 30000u

struct never {
    struct lint *l;
    struct map taken; /* alternatives, by the address of their pattern and number */
    struct arena *arena;
    bool any;
};

static uint64_t way_key(const struct pat *p, uint32_t way) {
    return hash_join((uintptr_t)p, way);
}

static bool note(void *ctx, struct lint_state *s) {
    struct never *n = ctx;
    n->any = true;
    for (const struct lint_way *w = s->ways; w; w = w->next)
        map_put(&n->taken, way_key(w->pat, w->way), 1);
    return false;
}

static void tell_way(struct lint *l, const struct pat *p, uint32_t way) {
    if (p->alts[way]->kind == PAT_ABSENT || p->alts[way]->at.source != l->pack->source)
        return; /* what may be missing and never is, is there */
    diag_at(l->diags, DIAG_WARNING, p->alts[way]->at,
            "this alternative is never taken: it contradicts the rest of the rule");
    diag_id(l->diags, DIAG_R_DEAD_WAY);
}

static void ways(struct lint *l, struct never *n, struct map *visited,
                 const struct pat *p) {
    if (map_get(visited, (uintptr_t)p) != MAP_NONE) return;
    map_put(visited, (uintptr_t)p, 1);
    for (uint32_t i = 0; i < p->nalts; i++) {
        if (map_get(&n->taken, way_key(p, i)) == MAP_NONE) tell_way(l, p, i);
        ways(l, n, visited, p->alts[i]);
    }
    for (uint32_t i = 0; i < p->nargs; i++) ways(l, n, visited, p->args[i]);
}

static bool solve(struct never *n, const struct rule *r, bool *cut) {
    struct lint_solver x = {.arena = n->arena, .rules = {r}, .steps = MOST_STEPS,
                            .budget = &n->l->budget,
                            .found = note, .ctx = n};
    struct lint_state s = lint_state_new(&x);
    uint32_t root = lint_value_new(&x, &s);
    lint_goal(&x, &s, (struct lint_goal){.kind = LINT_ROOT, .value = root});
    (void)lint_solve(&x, &s);
    *cut = x.cut;
    return n->any;
}

bool lint_never(struct lint *l, const struct rule *r) {
    struct arena a = ARENA_EMPTY;
    struct never n = {.l = l, .arena = &a};
    bool cut;
    struct map visited;
    map_init(&n.taken, &a);
    map_init(&visited, &a);
    bool fits = solve(&n, r, &cut);
    if (cut) lint_set_cut(l, r);
    if (!fits && !cut) {
        diag_at(l->diags, DIAG_ERROR, r->at,
                "\"%s\" can never match: its patterns contradict each other", r->name);
        diag_id(l->diags, DIAG_R_NEVER);
    }
    for (uint32_t i = 0; fits && !cut && i < r->nslots; i++)
        if (r->slots[i].def) ways(l, &n, &visited, r->slots[i].def);
    arena_free(&a);
    return fits || cut;
}
