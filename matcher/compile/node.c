/* node.c -- bind code for one operator of a pattern.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/compile/plan.h"

/* Binds a slot to what an instruction puts into a new register. */
static void bind_new(struct planner *pl, enum pm_opcode op, uint16_t from, uint32_t x,
                     uint32_t slot) {
    uint16_t r = plan_reg(pl);
    plan_emit(pl, op, r, from, x);
    plan_bind(pl, slot, r);
}

void plan_items(struct planner *pl, uint16_t reg, const struct literal *l) {
    plan_emit(pl, PM_LENGTH, reg, 0, l->n);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct pat_dim *item = &l->items[i];
        plan_at(pl, item->at, NULL);
        if (item->kind == DIM_SLOT) {
            bind_new(pl, PM_ITEM, reg, i, item->slot);
        } else if (item->kind == DIM_CONST) {
            struct literal *want = arena_new(pl->p->arena, struct literal);
            *want = (struct literal){.kind = LIT_INT, .i = item->value,
                                     .real = (double)item->value};
            uint16_t r = plan_reg(pl);
            plan_emit(pl, PM_ITEM, r, reg, i);
            plan_emit(pl, PM_IS, r, 0, pm_intern_literal(pl->p, want));
        }
    }
}

static uint16_t plan_param(struct planner *pl, uint16_t node, const struct attr_test *t) {
    uint16_t r = plan_reg(pl);
    struct pm_step *s = plan_emit(pl, PM_PARAM, r, node, pm_intern_param(pl->p, t->name));
    s->in.c = t->is_axis;
    return r;
}

/* An expression is compared when all slots are known; its register must keep what a block
 * that may be skipped put there. */
static void plan_expr(struct planner *pl, uint16_t node, const struct attr_test *t) {
    uint16_t r = plan_param(pl, node, t);
    if (pl->nest > 0) {
        uint16_t kept = plan_reg(pl);
        plan_emit(pl, PM_MEET, kept, r, 0);
        r = kept;
    }
    vec_push(pl->p->arena, &pl->exprs, (struct pm_expr_test){r, t->is_axis, t->expr});
}

static void plan_attr(struct planner *pl, uint16_t node, const struct attr_test *t) {
    plan_at(pl, t->whole, NULL);
    switch (t->kind) {
    case ATTR_ANY: break;
    case ATTR_BIND: plan_bind(pl, t->slot, plan_param(pl, node, t)); break;
    case ATTR_EXPR: plan_expr(pl, node, t); break;
    case ATTR_LITERAL:
        if (pm_literal_is_ground(&t->lit))
            plan_emit(pl, PM_TEST, node, 0, pm_intern_test(pl->p, t));
        else
            plan_items(pl, plan_param(pl, node, t), &t->lit);
        break;
    }
}

/* Tests of a literal first: they bind nothing. */
static void plan_attrs(struct planner *pl, uint16_t node, const struct pat *pat,
                       uint32_t spec) {
    for (uint32_t i = 0; i < pat->nattrs; i++)
        if (pat->attrs[i].kind == ATTR_LITERAL) plan_attr(pl, node, &pat->attrs[i]);
    for (uint32_t i = 0; i < pat->nattrs; i++)
        if (pat->attrs[i].kind != ATTR_LITERAL) plan_attr(pl, node, &pat->attrs[i]);
    plan_at(pl, pat->at, pat);
    if (pat->attrs_slot != SLOT_NONE) bind_new(pl, PM_ATTRS, node, spec, pat->attrs_slot);
    if (pat->op_slot != SLOT_NONE) bind_new(pl, PM_OPNAME, node, 0, pat->op_slot);
}

static bool may_have_outputs(const struct pat_op *op) {
    const struct ir_schema *s = ir_schema_newest(op->domain, op->name);
    return !s || s->max_outputs > 1;
}

static void plan_outputs(struct planner *pl, uint16_t node, uint16_t value,
                         const struct pat *pat, uint32_t output) {
    uint32_t named = output < 32 ? 1u << output : 0;
    for (uint32_t k = 0; k < pat->nouts; k++) {
        if (pat->outs[k] == SLOT_NONE) continue;
        if (k < 32) named |= 1u << k;
        if (k == output) {
            plan_bind(pl, pat->outs[k], value);
        } else {
            bind_new(pl, PM_OUT, node, k, pat->outs[k]);
            pl->slots[pat->outs[k]].optional = true;
        }
    }
    for (uint32_t i = 0; i < pat->nops; i++)
        if (may_have_outputs(&pat->ops[i])) {
            plan_emit(pl, PM_OUTPUTS, node, 0, named);
            return;
        }
}

static void plan_args(struct planner *pl, struct goals *q, uint16_t node,
                      const struct pat *pat) {
    uint32_t k = 0;
    if (pat->commutes && pat->nargs >= 2 && pat->args[1]->kind != PAT_REST) {
        vec_push(pl->p->arena, &q->of[GOAL_PICK].list, (struct goal){node, 0, pat});
        k = 2;
    }
    for (; k < pat->nargs; k++) {
        const struct pat *arg = pat->args[k];
        plan_at(pl, arg->at, arg);
        if (arg->kind == PAT_REST) {
            uint16_t r = plan_reg(pl);
            plan_emit(pl, PM_REST, r, node, k);
            if (arg->slot != SLOT_NONE) plan_bind(pl, arg->slot, r);
        } else {
            uint16_t r = plan_reg(pl);
            plan_emit(pl, PM_ARG, r, node, k);
            plan_want(pl, q, r, arg, 0);
        }
    }
}

void plan_pick(struct planner *pl, struct goals *q, const struct goal *goal) {
    uint16_t a = plan_reg(pl), b = plan_reg(pl);
    plan_at(pl, goal->pat->at, goal->pat);
    plan_emit(pl, PM_PICK, a, b, 0)->in.c = goal->reg;
    plan_want(pl, q, a, goal->pat->args[0], 0);
    plan_want(pl, q, b, goal->pat->args[1], 0);
}

void plan_node_at(struct planner *pl, struct goals *q, uint16_t node, uint16_t value,
                  const struct pat *pat, uint32_t output) {
    uint32_t spec = pm_intern_spec(pl->p, pat);
    plan_at(pl, pat->at, pat);
    plan_emit(pl, PM_NAMED, node, 0, spec);
    if (pat->lossless) plan_emit(pl, PM_LOSSLESS, node, 0, 0);
    plan_attrs(pl, node, pat, spec);
    plan_outputs(pl, node, value, pat, output);
    plan_args(pl, q, node, pat);
}

void plan_node(struct planner *pl, struct goals *q, const struct goal *goal) {
    uint16_t node = plan_reg(pl);
    plan_at(pl, goal->pat->at, goal->pat);
    plan_emit(pl, PM_PROD, node, goal->reg, goal->output)->in.c = goal->pat->keep;
    uint32_t ops = pm_intern_ops(pl->p, goal->pat->nops, goal->pat->ops);
    plan_emit(pl, PM_OP, node, 0, ops);
    plan_node_at(pl, q, node, goal->reg, goal->pat, goal->output);
}
