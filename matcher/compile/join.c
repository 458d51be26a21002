/* join.c -- bind code for the patterns of a rule to which that of its first root does not
 * lead: where they may begin is found from a value that is bound, through its users.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/compile/plan.h"

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

static struct pm_way way_to(struct planner *pl, uint32_t slot, uint32_t levels) {
    const struct rule_slot *s = &pl->rule->slots[slot];
    struct class ends = {0}, inner = {0};
    bool *seen = arena_zalloc(pl->p->arena, pl->rule->nslots * sizeof *seen);
    top_ops(pl, s->def, &ends);
    all_ops(pl, s->def, seen, &inner);
    return (struct pm_way){pm_intern_ops(pl->p, ends.len, ends.at), s->def_output,
                           pm_intern_ops(pl->p, inner.len, inner.at), levels};
}

static void plan_pattern(struct planner *pl, struct goals *q, const struct rule_join *j) {
    const struct rule_slot *s = &pl->rule->slots[j->slot];
    struct pm_way way = way_to(pl, j->slot, j->levels);
    uint16_t reg = plan_reg(pl);
    plan_at(pl, s->def->at, s->def);
    plan_emit(pl, PM_CLIMB, reg, pl->slots[j->via].reg, pm_intern_way(pl->p, way));
    plan_bind(pl, j->slot, reg);
    plan_defer(pl, j->slot);
    plan_drain(pl, q);
}

/* --- families ------------------------------------------------------------------------ */
const struct rule_family *plan_family_of(const struct rule *r, uint32_t slot) {
    for (uint32_t i = 0; i < r->njoins; i++)
        if (r->joins[i].slot == slot) return r->joins[i].family;
    return NULL;
}

/* What was found out of the member at which matching began is forgotten again. */
static void forget_member(struct planner *pl, const struct rule_family *f) {
    uint32_t kept = 0;
    for (uint32_t i = f->first; i < f->end; i++) {
        const struct pat *def = pl->rule->slots[i].def;
        pl->slots[i] = (struct slot_plan){PM_NO_REG, false, false};
        kept = 0;
        for (uint32_t k = 0; k < pl->matched.len; k++)
            if (!def || pl->matched.at[k].pat != def)
                pl->matched.at[kept++] = pl->matched.at[k];
        pl->matched.len = kept;
    }
}

/* The code of one member, at its end what it is read by. */
static void plan_member(struct planner *pl, const struct rule_family *f, struct pm_seq *code,
                        uint16_t member) {
    struct pm_seq *outer = pl->seq;
    struct goals q = {0};
    pl->seq = code;
    pl->slots[f->member].reg = member;
    pl->slots[f->member].bound = true;
    plan_defer(pl, f->member);
    plan_drain(pl, &q);
    plan_types(pl, f->first, f->end);
    plan_at(pl, f->at, NULL);
    plan_emit(pl, PM_MEMBER, 0, 0, 0);
    pl->seq = outer;
}

static const uint16_t *all_regs(struct planner *pl) {
    uint16_t *regs = arena_new_array(pl->p->arena, uint16_t, pl->rule->nslots);
    for (uint32_t i = 0; i < pl->rule->nslots; i++) regs[i] = pl->slots[i].reg;
    return regs;
}

/* A register for the list of each column; the slots of a member end here. */
static const struct pm_column *plan_columns(struct planner *pl, const struct rule_family *f) {
    struct pm_column *columns = arena_new_array(pl->p->arena, struct pm_column, f->ncolumns);
    for (uint32_t i = 0; i < f->ncolumns; i++) {
        struct slot_plan *list = &pl->slots[f->columns[i].list];
        list->reg = plan_reg(pl);
        list->bound = true;
        columns[i] = (struct pm_column){pl->slots[f->columns[i].one].reg, list->reg};
    }
    forget_member(pl, f);
    return columns;
}

static void plan_family(struct planner *pl, const struct rule_join *j) {
    const struct rule_family *f = j->family;
    struct pm_auto *p = pl->p;
    struct pm_seq *code = arena_zalloc(p->arena, sizeof *code);
    struct pm_family t = {.rule = pl->rule, .family = f,
                          .way = way_to(pl, f->member, j->levels),
                          .is_root = j->slot == pl->rule->roots[0], .root = pl->root};
    forget_member(pl, f);
    t.first = t.member = plan_reg(pl);
    plan_member(pl, f, code, t.member);
    t.end = (uint16_t)pl->nregs;
    t.regs = all_regs(pl);
    t.ncolumns = f->ncolumns;
    t.columns = plan_columns(pl, f);
    plan_at(pl, f->at, NULL);
    struct pm_step *s = plan_emit(pl, PM_EACH, t.columns[0].list, pl->slots[j->via].reg, 0);
    s->in.c = (uint16_t)p->family.len;
    s->inner = code;
    s->ninner = 1;
    if (p->family.len >= UINT16_MAX) pl->too_large = true;
    vec_push(p->arena, &p->family, t);
}

void plan_join(struct planner *pl, struct goals *q, const struct rule_join *j) {
    if (j->family) plan_family(pl, j);
    else plan_pattern(pl, q, j);
}
