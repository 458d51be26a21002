/* plan.c -- rule to bind code.
 *
 * From the root down: what a goal asks is emitted at once, what it makes known becomes new
 * goals (plan.h). A slot seen first names the register; seen again it is compared there
 * and then, which is the cheapest place. Seeing through (~x) comes when nothing else is
 * left, types last of all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/compile/plan.h"

#define MAX_REGS 60000u

uint16_t plan_reg(struct planner *pl) {
    if (pl->nregs >= MAX_REGS) {
        pl->too_large = true;
        return 0;
    }
    return (uint16_t)pl->nregs++;
}

static const struct pm_origin *keep_place(struct planner *pl) {
    const struct pm_origin *k = pl->kept, *now = &pl->place;
    bool same = k && k->pat == now->pat && k->at.source == now->at.source &&
                k->at.begin == now->at.begin && k->at.end == now->at.end;
    if (!same) pl->kept = arena_copy(pl->p->arena, now, sizeof *now);
    return pl->kept;
}

struct pm_step *plan_emit(struct planner *pl, enum pm_opcode op, uint16_t a, uint16_t b,
                          uint32_t x) {
    vec_push(pl->p->arena, &pl->seq->steps,
             (struct pm_step){.in = {.op = (uint8_t)op, .a = a, .b = b, .x = x},
                              .place = keep_place(pl)});
    return vec_last(&pl->seq->steps);
}

static void plan_flags(struct planner *pl, uint32_t flags, uint16_t reg) {
    if (flags & SLOT_CONST) plan_emit(pl, PM_CONST, reg, 0, 0);
    if (flags & SLOT_SCALAR) plan_emit(pl, PM_SCALAR, reg, 0, 0);
}

void plan_bind(struct planner *pl, uint32_t slot, uint16_t reg) {
    struct slot_plan *s = &pl->slots[slot];
    if (s->bound) {
        if (s->reg != reg) plan_emit(pl, PM_SAME, s->reg, reg, 0);
        return;
    }
    if (pl->nest == 0 && s->reg == PM_NO_REG) {
        s->reg = reg;
    } else {
        if (s->reg == PM_NO_REG) s->reg = plan_reg(pl);
        plan_emit(pl, PM_MEET, s->reg, reg, 0);
    }
    s->bound = true;
    plan_flags(pl, pl->rule->slots[slot].flags, reg);
}

void plan_defer(struct planner *pl, uint32_t slot) {
    if (!pl->rule->slots[slot].def) return;
    for (uint32_t i = 0; i < pl->pending.len; i++)
        if (pl->pending.at[i] == slot) return;
    vec_push(pl->p->arena, &pl->pending, slot);
}

/* A value that a slot names. */
static void plan_slot(struct planner *pl, uint32_t slot, uint16_t reg) {
    if (!pl->slots[slot].bound) {
        plan_emit(pl, PM_PRESENT, reg, 0, 0);
        plan_defer(pl, slot);
    }
    plan_bind(pl, slot, reg);
}

static void plan_see(struct planner *pl, uint32_t slot, uint16_t reg) {
    plan_emit(pl, PM_PRESENT, reg, 0, 0);
    struct sight s = {slot, reg, pl->nest == 0, pl->place};
    if (!s.always) {
        s.reg = plan_reg(pl);
        plan_emit(pl, PM_MEET, s.reg, reg, 0);
    }
    vec_push(pl->p->arena, &pl->sights, s);
}

static void plan_chain(struct planner *pl, struct goals *q, uint16_t reg,
                       const struct pat *pat) {
    uint16_t behind = plan_reg(pl);
    plan_emit(pl, PM_CHAIN, behind, reg, pm_intern_ops(pl->p, pat->nops, pat->ops));
    plan_want(pl, q, behind, pat->args[0], 0);
}

static void push(struct planner *pl, struct goals *q, enum goal_class class, uint16_t reg,
                 const struct pat *pat, uint32_t output) {
    vec_push(pl->p->arena, &q->of[class].list, (struct goal){reg, output, pat});
}

void plan_want(struct planner *pl, struct goals *q, uint16_t reg, const struct pat *pat,
               uint32_t output) {
    plan_at(pl, pat->at, pat);
    switch (pat->kind) {
    case PAT_ANY: plan_emit(pl, PM_PRESENT, reg, 0, 0); break;
    case PAT_SLOT: plan_slot(pl, pat->slot, reg); break;
    case PAT_NODE: push(pl, q, GOAL_NODE, reg, pat, output); break;
    case PAT_ALT: push(pl, q, GOAL_ALT, reg, pat, output); break;
    case PAT_LITERAL: push(pl, q, GOAL_LITERAL, reg, pat, 0); break;
    case PAT_ABSENT: plan_emit(pl, PM_ABSENT, reg, 0, 0); break;
    case PAT_SEE: plan_see(pl, pat->slot, reg); break;
    case PAT_CHAIN: plan_chain(pl, q, reg, pat); break;
    case PAT_REST: rw_broken(__FILE__, __LINE__, "a list among the operands");
    }
}

static void plan_literal(struct planner *pl, uint16_t reg, const struct literal *l) {
    if (pm_literal_is_ground(l))
        plan_emit(pl, PM_LITERAL, reg, 0, pm_intern_literal(pl->p, l));
    else
        plan_items(pl, reg, l);
}

static bool next_goal(struct goals *q, enum goal_class *class, struct goal *out) {
    for (uint32_t c = 0; c < GOAL_CLASSES; c++)
        if (q->of[c].next < q->of[c].list.len) {
            *class = (enum goal_class)c;
            *out = q->of[c].list.at[q->of[c].next++];
            return true;
        }
    return false;
}

void plan_drain(struct planner *pl, struct goals *q) {
    enum goal_class class;
    struct goal g;
    do {
        if (!next_goal(q, &class, &g)) {
            if (pl->nest > 0) return;
            continue;
        }
        switch (class) {
        case GOAL_NODE: plan_node(pl, q, &g); break;
        case GOAL_LITERAL:
            plan_at(pl, g.pat->at, g.pat);
            plan_literal(pl, g.reg, &g.pat->lit);
            break;
        case GOAL_PICK: plan_pick(pl, q, &g); break;
        case GOAL_ALT: plan_alternatives(pl, g.reg, g.pat, g.output); break;
        case GOAL_CLASSES: break;
        }
    } while (!pl->too_large && (pl->nest > 0 || plan_pending(pl, q)));
}

/* --- the root --------------------------------------------------------------------- */
/* One way to see the root as an operator: the names that it goes through, the node. */
struct head {
    VEC(uint32_t) slots;
    const struct pat *node;
    uint32_t output;
};

static void plan_accept(struct planner *pl, uint32_t rank, uint32_t number) {
    struct pm_auto *p = pl->p;
    plan_at(pl, pl->rule->at, NULL);
    uint16_t *regs = arena_new_array(p->arena, uint16_t, pl->rule->nslots);
    for (uint32_t i = 0; i < pl->rule->nslots; i++) regs[i] = pl->slots[i].reg;
    plan_emit(pl, PM_ACCEPT, 0, 0, p->accept.len);
    vec_push(p->arena, &p->accept,
             (struct pm_accept){.rule = pl->rule, .rank = rank, .number = number,
                                .regs = regs, .nexprs = pl->exprs.len,
                                .exprs = pl->exprs.at});
}

static enum rw_code plan_variant(struct planner *pl, const struct head *h, uint32_t op,
                                 uint32_t rank, uint32_t number, struct pm_variants *out) {
    struct pm_auto *p = pl->p;
    struct pm_variant v = {.op = op, .depth = pl->shape.depth,
                           .sub = pm_sub_of_root(p, pl->rule, h->node, op, h->output)};
    pl->slots = arena_new_array(p->arena, struct slot_plan, pl->rule->nslots);
    for (uint32_t i = 0; i < pl->rule->nslots; i++)
        pl->slots[i] = (struct slot_plan){PM_NO_REG, false, false};
    pl->seq = &v.code;
    uint16_t node = plan_reg(pl), value = plan_reg(pl);
    pl->root = value;
    plan_at(pl, h->node->at, h->node);
    plan_emit(pl, PM_OUT, value, node, h->output);
    struct goals q = {0};
    for (uint32_t i = 0; i < h->slots.len; i++) plan_bind(pl, h->slots.at[i], value);
    plan_node_at(pl, &q, node, value, h->node, h->output);
    plan_drain(pl, &q);
    for (uint32_t i = 0; i < pl->rule->njoins; i++) plan_join(pl, &q, &pl->rule->joins[i]);
    plan_types(pl, 0, pl->rule->nslots);
    plan_accept(pl, rank, number);
    if (pl->too_large) {
        diag_at(p->diags, DIAG_ERROR, pl->rule->at, "rule \"%s\" is too large to compile",
                pl->rule->name);
        return RW_USAGE;
    }
    v.nregs = pl->nregs;
    v.accept = p->accept.len - 1;
    vec_push(p->arena, &out->list, v);
    return RW_OK;
}

/* A fresh planner for each operator of each head. */
static enum rw_code plan_head(struct pm_auto *p, const struct rule *r,
                              const struct pm_shape *shape, const struct head *h,
                              uint32_t rank, uint32_t number, struct pm_variants *out) {
    uint32_t class = pm_intern_ops(p, h->node->nops, h->node->ops);
    struct pm_ops ops = p->ops.at[class];
    for (uint32_t i = 0; i < ops.n; i++) {
        struct planner pl = {.p = p, .rule = r, .shape = *shape};
        TRY(plan_variant(&pl, h, ops.at[i], rank, number, out));
    }
    return RW_OK;
}

struct roots {
    struct pm_auto *p;
    const struct rule *rule;
    const struct pm_shape *shape;
    uint32_t rank, number;
    struct head head;
    struct pm_variants *out;
};

/* pm_rule_shape walked the same patterns, so that this ends and is not deep. */
static enum rw_code plan_roots(struct roots *t, const struct pat *pat, uint32_t output) {
    switch (pat->kind) {
    case PAT_NODE:
        t->head.node = pat;
        t->head.output = output;
        return plan_head(t->p, t->rule, t->shape, &t->head, t->rank, t->number, t->out);
    case PAT_ALT:
        for (uint32_t i = 0; i < pat->nalts; i++) TRY(plan_roots(t, pat->alts[i], output));
        return RW_OK;
    case PAT_SLOT: {
        const struct rule_slot *s = &t->rule->slots[pat->slot];
        if (!s->def) break;
        vec_push(t->p->arena, &t->head.slots, pat->slot);
        TRY(plan_roots(t, s->def, s->def_output));
        t->head.slots.len--;
        return RW_OK;
    }
    case PAT_ANY:
    case PAT_LITERAL:
    case PAT_ABSENT:
    case PAT_SEE:
    case PAT_CHAIN:
    case PAT_REST: break;
    }
    diag_at(t->p->diags, DIAG_ERROR, pat->at,
            "the root of rule \"%s\" must be an operator in each alternative",
            t->rule->name);
    return RW_USAGE;
}

enum rw_code pm_plan(struct pm_auto *p, const struct rule *r, uint32_t rank,
                     uint32_t number,
                     struct pm_variants *out) {
    struct pm_shape shape;
    TRY(pm_rule_shape(p, r, &shape));
    struct roots t = {p, r, &shape, rank, number, .out = out};
    const struct rule_family *f = plan_family_of(r, r->roots[0]);
    struct pat root = {.kind = PAT_SLOT, .at = r->at, .slot = f ? f->member : r->roots[0]};
    return plan_roots(&t, &root, 0);
}
