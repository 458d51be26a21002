/* choose.c -- bind code that may be skipped: alternatives, and what depends on them.
 *
 * A slot bound in each alternative is bound behind them; one bound in some holds a value or
 * nothing, and whatever follows from it stands in a block that is run where it holds one.
 * Definitions in such blocks go in an order in which each comes before those it uses, so
 * that one block suffices; a mark tells whether it ran, for those who can get there twice.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/compile/plan.h"

static bool *bound_now(struct planner *pl) {
    bool *b = arena_new_array(pl->p->arena, bool, pl->rule->nslots);
    for (uint32_t i = 0; i < pl->rule->nslots; i++) b[i] = pl->slots[i].bound;
    return b;
}

static void set_bound(struct planner *pl, const bool *b) {
    for (uint32_t i = 0; i < pl->rule->nslots; i++) pl->slots[i].bound = b[i];
}

/* Begins a sequence inside; its end gives back the outer one. */
static struct pm_seq *enter(struct planner *pl, struct pm_seq *inner) {
    struct pm_seq *outer = pl->seq;
    pl->seq = inner;
    pl->nest++;
    return outer;
}

static void leave(struct planner *pl, struct pm_seq *outer) {
    pl->seq = outer;
    pl->nest--;
}

static void emit_inner(struct planner *pl, enum pm_opcode op, uint16_t reg,
                       struct pm_seq *inner, uint32_t n, uint32_t first) {
    struct pm_step *s = plan_emit(pl, op, reg, 0, 0);
    s->inner = inner;
    s->ninner = n;
    s->first = (uint16_t)first;
    s->end = (uint16_t)pl->nregs;
}

void plan_alternatives(struct planner *pl, uint16_t reg, const struct pat *alt,
                       uint32_t output) {
    struct pm_seq *inner = arena_zalloc(pl->p->arena, alt->nalts * sizeof *inner);
    bool *before = bound_now(pl), *always = NULL;
    uint32_t first = pl->nregs;
    for (uint32_t i = 0; i < alt->nalts; i++) {
        set_bound(pl, before);
        struct pm_seq *outer = enter(pl, &inner[i]);
        struct goals q = {0};
        plan_want(pl, &q, reg, alt->alts[i], output);
        plan_drain(pl, &q);
        leave(pl, outer);
        bool *after = bound_now(pl);
        if (!always) always = after;
        for (uint32_t s = 0; s < pl->rule->nslots; s++) always[s] = always[s] && after[s];
    }
    if (always) set_bound(pl, always);
    emit_inner(pl, PM_TRY, 0, inner, alt->nalts, first);
}

void plan_guarded(struct planner *pl, enum pm_opcode guard, uint16_t reg, plan_block *body,
                  const void *ctx) {
    struct pm_seq *inner = arena_zalloc(pl->p->arena, sizeof *inner);
    bool *before = bound_now(pl);
    uint32_t first = pl->nregs;
    struct pm_seq *outer = enter(pl, inner);
    body(pl, ctx);
    leave(pl, outer);
    set_bound(pl, before);
    emit_inner(pl, guard, reg, inner, 1, first);
}

/* --- definitions that wait -------------------------------------------------------- */
static struct matched *find_matched(struct planner *pl, const struct pat *def) {
    for (uint32_t i = 0; i < pl->matched.len; i++)
        if (pl->matched.at[i].pat == def) return &pl->matched.at[i];
    return NULL;
}

/* Matches the definition of a slot that holds a value, and marks that. */
static void define(struct planner *pl, const void *ctx) {
    uint32_t slot = *(const uint32_t *)ctx;
    const struct rule_slot *s = &pl->rule->slots[slot];
    pl->slots[slot].bound = true;
    plan_emit(pl, PM_MEET, find_matched(pl, s->def)->reg, pl->slots[slot].reg, 0);
    struct goals q = {0};
    plan_want(pl, &q, pl->slots[slot].reg, s->def, s->def_output);
    plan_drain(pl, &q);
}

static void define_once(struct planner *pl, const void *ctx) {
    const struct pat *def = pl->rule->slots[*(const uint32_t *)ctx].def;
    struct matched *m = find_matched(pl, def);
    if (m) {
        plan_guarded(pl, PM_UNLESS, m->reg, define, ctx);
    } else {
        vec_push(pl->p->arena, &pl->matched, (struct matched){def, false, plan_reg(pl)});
        define(pl, ctx);
    }
}

/* Pending slots that are bound on every way become goals. */
static void promote(struct planner *pl, struct goals *q) {
    uint32_t kept = 0, n = pl->pending.len;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = pl->pending.at[i];
        const struct rule_slot *s = &pl->rule->slots[slot];
        struct matched *m = find_matched(pl, s->def);
        if (m && m->always) continue;
        if (!pl->slots[slot].bound || m) {
            pl->pending.at[kept++] = slot;
            continue;
        }
        vec_push(pl->p->arena, &pl->matched, (struct matched){s->def, true, PM_NO_REG});
        plan_want(pl, q, pl->slots[slot].reg, s->def, s->def_output);
    }
    pl->pending.len = kept;
}

/* The pending slot whose definition is used by no other's. */
static void define_next(struct planner *pl) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < pl->pending.len; i++)
        if (pl->shape.order[pl->pending.at[i]] < pl->shape.order[pl->pending.at[best]])
            best = i;
    uint32_t slot = pl->pending.at[best];
    pl->pending.at[best] = pl->pending.at[--pl->pending.len];
    plan_guarded(pl, PM_IFSET, pl->slots[slot].reg, define_once, &slot);
}

/* --- seeing through --------------------------------------------------------------- */
static void see(struct planner *pl, const void *ctx) {
    const struct sight *e = ctx;
    struct slot_plan *s = &pl->slots[e->slot];
    pl->place = e->place;
    if (s->reg == PM_NO_REG) {
        s->reg = plan_reg(pl);
        plan_emit(pl, PM_CLEAR, s->reg, (uint16_t)(s->reg + 1), 0);
    }
    plan_emit(pl, PM_SEE, s->reg, e->reg, 0);
    if (s->bound) return;
    uint32_t flags = pl->rule->slots[e->slot].flags;
    if (flags & SLOT_CONST) plan_emit(pl, PM_CONST, s->reg, 0, 0);
    if (flags & SLOT_SCALAR) plan_emit(pl, PM_SCALAR, s->reg, 0, 0);
    s->bound = true;
    plan_defer(pl, e->slot);
}

/* That of the slot whose definition is used by no other's: what it leads to may bind the
 * others without ~. */
static struct sight next_sight(struct planner *pl) {
    uint32_t best = 0;
    const uint32_t *order = pl->shape.order;
    for (uint32_t i = 1; i < pl->sights.len; i++)
        if (order[pl->sights.at[i].slot] < order[pl->sights.at[best].slot]) best = i;
    struct sight e = pl->sights.at[best];
    pl->sights.at[best] = pl->sights.at[--pl->sights.len];
    return e;
}

bool plan_pending(struct planner *pl, struct goals *q) {
    promote(pl, q);
    for (uint32_t c = 0; c < GOAL_CLASSES; c++)
        if (q->of[c].next < q->of[c].list.len) return true;
    if (pl->pending.len > 0) {
        define_next(pl);
        return true;
    }
    if (pl->sights.len == 0) return false;
    struct sight e = next_sight(pl);
    if (e.always)
        see(pl, &e);
    else
        plan_guarded(pl, PM_IFSET, e.reg, see, &e);
    return true;
}
