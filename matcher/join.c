/* join.c -- bind code for the patterns of a rule to which that of its first root does not
 * lead: where they may begin is found from a value that is bound, through its users.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/plan.h"

struct class { /* operators, maybe several times */
    struct pat_op *at;
    uint32_t len, cap;
};

static void add_ops(struct planner *pl, struct class *c, uint32_t n,
                    const struct pat_op *ops) {
    for (uint32_t i = 0; i < n; i++) vec_push(pl->p->arena, c, ops[i]);
}

/* The operators that the pattern may have at its top. The shapes were walked before, so
 * that this ends and is not deep. */
static void top_ops(struct planner *pl, const struct pat *pat, struct class *out) {
    const struct pat *def =
        pat->kind == PAT_SLOT ? pl->rule->slots[pat->slot].def : NULL;
    if (def) top_ops(pl, def, out);
    if (pat->kind == PAT_NODE) add_ops(pl, out, pat->nops, pat->ops);
    for (uint32_t i = 0; i < pat->nalts; i++) top_ops(pl, pat->alts[i], out);
}

/* All operators that the pattern may have anywhere. */
static void all_ops(struct planner *pl, const struct pat *pat, bool *seen,
                    struct class *out) {
    static const struct pat_op seen_through[] = {
        {"", "Identity"}, {"", "Dropout"}, {"", "Cast"}};
    if (pat->kind == PAT_SEE) add_ops(pl, out, countof(seen_through), seen_through);
    if (pat->kind == PAT_SLOT || pat->kind == PAT_SEE) {
        const struct pat *def = seen[pat->slot] ? NULL : pl->rule->slots[pat->slot].def;
        seen[pat->slot] = true;
        if (def) all_ops(pl, def, seen, out);
    }
    add_ops(pl, out, pat->nops, pat->ops);
    for (uint32_t i = 0; i < pat->nargs; i++) all_ops(pl, pat->args[i], seen, out);
    for (uint32_t i = 0; i < pat->nalts; i++) all_ops(pl, pat->alts[i], seen, out);
}

void plan_join(struct planner *pl, struct goals *q, const struct rule_join *j) {
    const struct rule_slot *s = &pl->rule->slots[j->slot];
    struct class ends = {0}, inner = {0};
    bool *seen = arena_zalloc(pl->p->arena, pl->rule->nslots * sizeof *seen);
    top_ops(pl, s->def, &ends);
    all_ops(pl, s->def, seen, &inner);
    struct pm_way way = {pm_intern_ops(pl->p, ends.len, ends.at), s->def_output,
                         pm_intern_ops(pl->p, inner.len, inner.at), j->levels};
    uint16_t reg = plan_reg(pl);
    plan_at(pl, s->def->at, s->def);
    plan_emit(pl, PM_CLIMB, reg, pl->slots[j->via].reg, pm_intern_way(pl->p, way));
    plan_bind(pl, j->slot, reg);
    plan_defer(pl, j->slot);
    plan_drain(pl, q);
}
