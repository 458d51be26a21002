/* staged.c -- what stands for a staged operator that a rule matches: the pattern
 * of the rule that makes the operator (its maker), around the operands that are asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

/* The rule that is at work, while the maker's pattern is made in its place. */
struct at_work {
    const struct rule *rule;
    struct pm_binding *slots;
    const struct ir_attr **params;
    uint32_t against;
};

static struct at_work begin_maker(struct gen *x, const struct rule *maker) {
    struct at_work own = {x->rule, x->slots, x->params, x->against};
    x->rule = maker;
    x->slots = arena_zalloc(x->a, (maker->nslots + 1) * sizeof *x->slots);
    x->params = arena_zalloc(x->a, (maker->nslots + 1) * sizeof *x->params);
    x->against = maker->nwhere;
    return own;
}

static void end_maker(struct gen *x, const struct at_work *own) {
    x->rule = own->rule;
    x->slots = own->slots;
    x->params = own->params;
    x->against = own->against;
}

static const struct emit_stmt *statement_of(const struct rule *maker,
                                            const struct rule_operator *op) {
    for (uint32_t i = 0; maker && i < maker->nblocks; i++)
        for (uint32_t k = 0; k < maker->blocks[i].n; k++)
            if (maker->blocks[i].stmts[k].what->staged == op)
                return &maker->blocks[i].stmts[k];
    return NULL;
}

/* The maker's variable that is operand k, SLOT_NONE: it computes that one. */
static uint32_t variable_of(const struct emit *call, uint32_t k) {
    bool plain = k < call->nargs && call->args[k]->kind == EMIT_SLOT;
    return plain ? call->args[k]->slot : SLOT_NONE;
}

/* Operands that are patterns are made first; variables are what the maker makes of them. */
static bool operands(struct gen *x, const struct pat *p, uint32_t n,
                     const struct pat **args, struct pm_binding *made) {
    for (uint32_t k = 0; k < n; k++) {
        args[k] = judge_gen_decided(x, p->args[k]);
        made[k] = (struct pm_binding){0};
        if (judge_gen_is_variable(x, args[k])) continue;
        made[k].kind = BOUND_VALUE;
        GEN(judge_gen_pattern(x, args[k], &made[k].a));
    }
    return true;
}

static bool make(struct gen *x, const struct emit *call, uint32_t n,
                 struct pm_binding *made) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t slot = variable_of(call, k);
        if (made[k].kind == BOUND_NOTHING) continue;
        GEN(slot != SLOT_NONE);
        x->slots[slot] = made[k];
    }
    GEN(judge_gen_roots(x));
    for (uint32_t k = 0; k < n; k++) {
        uint32_t slot = variable_of(call, k);
        if (slot != SLOT_NONE) made[k] = x->slots[slot];
    }
    return true;
}

bool judge_gen_staged(struct gen *x, const struct pat *p, ir_value *out) {
    const struct rule *maker = x->plan->maker;
    const struct emit_stmt *s = statement_of(maker, p->staged);
    const struct pat *args[GEN_OPERANDS];
    struct pm_binding made[GEN_OPERANDS], outs[GEN_OPERANDS] = {{0}};
    GEN(s && s->nouts <= GEN_OPERANDS && s->nouts > 0);
    /* Behind the operator's own operands stands what the maker's match sees besides. */
    uint32_t n = rw_min_u32(p->nargs, p->staged->nins);
    GEN(n <= GEN_OPERANDS && operands(x, p, n, args, made));
    struct at_work own = begin_maker(x, maker);
    bool ok = make(x, s->what, n, made);
    for (uint32_t k = 0; k < s->nouts; k++)
        outs[k] = s->outs[k] == SLOT_NONE ? outs[0] : x->slots[s->outs[k]];
    end_maker(x, &own);
    GEN(ok && outs[0].kind == BOUND_VALUE);
    for (uint32_t k = 0; k < n; k++) {
        bool named = args[k]->kind == PAT_SLOT || args[k]->kind == PAT_SEE;
        if (named && x->slots[args[k]->slot].kind == BOUND_NOTHING)
            x->slots[args[k]->slot] = made[k];
    }
    for (uint32_t k = 0; k < p->nouts && k < s->nouts; k++)
        if (p->outs[k] != SLOT_NONE) x->slots[p->outs[k]] = outs[k];
    *out = outs[0].a;
    return true;
}
