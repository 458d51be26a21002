/* stage.c -- emitting a staged operator.
 *
 * Its node holds, behind the operands that the operator has, whatever else the matched nodes
 * see, so that all of it is still there when they are to take their place again. Nothing but
 * rules looks at such a node: its operator is unknown, and types of its results are those of
 * what it replaces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

/* --- the body ---------------------------------------------------------------------- */
/* The parameters as names of a comprehension are. */
static const struct pm_local *parameters(struct pm_env *env, const struct rule_operator *op,
                                         uint32_t nattr, const struct ir_attr *attr) {
    const struct pm_local *all = NULL;
    for (uint32_t i = 0; i < op->nattrs; i++) {
        struct pm_local *l = arena_new(env->site.arena, struct pm_local);
        *l = (struct pm_local){op->nins + i, {.kind = VAL_ABSENT}, all};
        for (uint32_t k = 0; k < nattr; k++)
            if (rw_streq(attr[k].name, op->body->slots[l->slot].name))
                l->value = pm_attr_value(env, &attr[k], PM_NO_AXIS);
        all = l;
    }
    return all;
}

bool pm_unfold(struct pm_build *b, const struct rule_operator *op, uint32_t nin,
               const ir_value *in, uint32_t nattr, const struct ir_attr *attr,
               uint32_t nout, ir_value *out) {
    const struct rule *body = op->body;
    struct pm_env env = *b->env;
    env.lets = NULL; /* those are another rule's */
    env.known_lets = 0;
    struct pm_accept accept = {.rule = body};
    struct pm_match match = {.accept = &accept};
    struct pm_build own = *b;
    env.rule = body;
    env.slots = arena_zalloc(env.site.arena, body->nslots * sizeof *env.slots);
    env.locals = parameters(&env, op, nattr, attr);
    match.slots = arena_zalloc(env.site.arena, body->nslots * sizeof *match.slots);
    for (uint32_t i = 0; i < op->nins && i < nin; i++)
        env.slots[i] = (struct pm_binding){BOUND_VALUE, in[i], 0, 0};
    own.env = &env;
    own.match = &match;
    bool ok = true;
    for (uint32_t i = 0; ok && i < body->blocks[0].n; i++)
        ok = pm_run_stmt(&own, &body->blocks[0].stmts[i]);
    b->constants = own.constants;
    b->why = own.why;
    for (uint32_t k = 0; ok && k < nout; k++) {
        struct pm_binding x = env.slots[op->outs[k]];
        out[k] = pm_is_set(x) ? x.a : IR_NONE;
    }
    return ok;
}

/* --- the node ---------------------------------------------------------------------- */
static bool is_made_inside(const struct pm_build *b, ir_value v) {
    ir_node n = ir_val(b->g, v)->producer;
    for (uint32_t i = 0; n != IR_NONE && i < b->match->nnodes; i++)
        if (b->match->nodes[i] == n) return !b->match->kept[i];
    return false;
}

static void add_hidden(struct pm_build *b, struct pm_draft *d, ir_value v) {
    if (v == IR_NONE || is_made_inside(b, v)) return;
    for (uint32_t k = 0; k < d->in.len; k++)
        if (d->in.at[k] == v) return;
    vec_push(b->env->site.arena, &d->in, v);
}

/* Whatever the nodes that go see beside each other. */
static bool add_all_hidden(struct pm_build *b, struct pm_draft *d) {
    for (uint32_t i = 0; i < b->match->nnodes; i++) {
        ir_node n = b->match->nodes[i];
        if (b->match->kept[i]) continue;
        if (ir_has_body(b->g, n)) return pm_refuse(b, "a node with a body cannot be put aside");
        for (uint32_t k = 0; k < ir_nod(b->g, n)->nin; k++)
            add_hidden(b, d, ir_input(b->g, n, k));
    }
    return true;
}

static struct pm_aside aside(const struct ir_graph *g, ir_node n, struct arena *a) {
    const struct ir_node_info *x = ir_nod(g, n);
    ir_value *in = arena_new_array(a, ir_value, x->nin);
    for (uint32_t k = 0; k < x->nin; k++) in[k] = ir_input(g, n, k);
    return (struct pm_aside){n, in, arena_copy(a, x->out, x->nout * sizeof *x->out)};
}

static bool is_kept(const struct pm_match *m, ir_node n) {
    uint32_t i = 0;
    while (m->nodes[i] != n) i++;
    return m->kept[i];
}

/* Now, while the nodes are as they were. */
static struct pm_staged *take_down(struct pm_build *b, const struct rule_operator *op,
                                   const struct pm_draft *d) {
    struct arena *a = b->done->arena;
    uint32_t n;
    const ir_node *node = pm_matched_in_order(b, &n);
    struct pm_staged *s = arena_new(a, struct pm_staged);
    *s = (struct pm_staged){.g = b->g, .op = op, .nin = d->in.len,
                            .in = arena_copy(a, d->in.at, d->in.len * sizeof *d->in.at),
                            .aside = arena_new_array(a, struct pm_aside, n),
                            .opset = ir_opset(b->g, "")};
    for (uint32_t i = 0; i < n; i++)
        if (!is_kept(b->match, node[i])) s->aside[s->naside++] = aside(b->g, node[i], a);
    return s;
}

static void add_staged(struct pm_build *b, const struct pm_draft *d, uint32_t nout,
                       const bool *wanted, ir_value *out) {
    while (nout > 1 && !wanted[nout - 1]) nout--;
    for (uint32_t k = 0; k < nout; k++)
        if (wanted[k]) out[k] = ir_add_value(b->g, b->hint, NULL);
    struct ir_new_node x = {.op = d->op, .domain = d->domain, .name = b->hint,
                            .nin = d->in.len, .nout = nout, .nattr = d->attrs.len,
                            .in = d->in.at, .out = out, .attr = d->attrs.at,
                            .rule = b->rule};
    struct pm_staged *s = b->done->staged;
    s->node = ir_add_node(b->g, &x, pm_place(b, d));
    s->name = ir_nod(b->g, s->node)->name;
    vec_push(b->done->arena, &b->done->made, s->node);
}

bool pm_make_staged(struct pm_build *b, const struct emit *e, uint32_t nout,
                    const bool *wanted, ir_value *out) {
    struct pm_draft d = {0};
    for (uint32_t k = 0; k < nout; k++) out[k] = IR_NONE;
    if (!pm_draft_node(b, e, &d)) return false;
    if (b->form == PM_UNFOLDED)
        return pm_unfold(b, e->staged, d.in.len, d.in.at, d.attrs.len, d.attrs.at, nout, out);
    while (d.in.len < e->staged->nins) vec_push(b->env->site.arena, &d.in, (ir_value)IR_NONE);
    if (!add_all_hidden(b, &d)) return false;
    b->done->staged = take_down(b, e->staged, &d);
    add_staged(b, &d, nout, wanted, out);
    return true;
}

bool pm_put_aside(struct pm_build *b) {
    const struct pm_staged *s = b->done->staged;
    for (uint32_t i = 0; i < s->naside; i++)
        if (!ir_is_dead(b->g, s->aside[i].node))
            return pm_refuse(b, "a part of what is staged stays");
    return true;
}

bool pm_stages(struct pm_env *env, const struct rule *r) {
    const struct emit_block *block = pm_emitted_block(env, r, NULL);
    for (uint32_t i = 0; block && i < block->n; i++)
        if (block->stmts[i].what->staged) return true;
    return false;
}
