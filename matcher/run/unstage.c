/* unstage.c -- staged operators that are left over: the nodes that they stand for take
 * their place again.
 *
 * They are those nodes, with their names, on the operands that the staged node has by now.
 * Where the model was raised in between and one of them cannot be carried over, the body of
 * the operator stands in for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/reform.h"
#include "matcher/run/run.h"

/* --- which are there --------------------------------------------------------------- */
static uint64_t key_of(const struct ir_graph *g, ir_node n) {
    return (uint64_t)g->number << 32 | n;
}

void pm_keep_staged(struct pm_run *r, const struct pm_staged *s) {
    struct pm_staged kept = *s;
    struct arena *a = &r->arena;
    kept.in = arena_copy(a, s->in, s->nin * sizeof *s->in);
    kept.aside = arena_copy(a, s->aside, s->naside * sizeof *s->aside);
    for (uint32_t i = 0; i < s->naside; i++) {
        const struct ir_node_info *x = ir_nod(s->g, s->aside[i].node);
        kept.aside[i].in = arena_copy(a, s->aside[i].in, x->nin * sizeof *s->in);
        kept.aside[i].out = arena_copy(a, s->aside[i].out, x->nout * sizeof *s->in);
    }
    map_put(&r->staged_at, key_of(s->g, s->node), r->staged.len);
    vec_push(a, &r->staged, kept);
}

static bool is_there(const struct pm_staged *s) {
    return s->node < s->g->nodes.len && ir_graph_is_live(s->g) &&
           !ir_is_dead(s->g, s->node) && ir_nod(s->g, s->node)->name == s->name;
}

const struct pm_staged *pm_staged_at(const struct pm_run *r, const struct ir_graph *g,
                                     ir_node n) {
    uint32_t i = map_get(&r->staged_at, key_of(g, n));
    return i != MAP_NONE && is_there(&r->staged.at[i]) ? &r->staged.at[i] : NULL;
}

/* --- by the nodes ------------------------------------------------------------------ */
static bool is_aside(const struct pm_staged *s, ir_value v) {
    for (uint32_t i = 0; i < s->naside; i++)
        for (uint32_t k = 0; k < ir_nod(s->g, s->aside[i].node)->nout; k++)
            if (s->aside[i].out[k] == v) return true;
    return false;
}

/* An operand as it is by now. */
static ir_value operand_now(const struct pm_staged *s, ir_value v) {
    if (v == IR_NONE || is_aside(s, v)) return v;
    for (uint32_t k = 0; k < s->nin; k++)
        if (s->in[k] == v) return ir_input(s->g, s->node, k);
    return IR_NONE;
}

/* A root is given back by the staged node; where it comes from elsewhere by now, the node
 * has no use for it. */
static ir_value output_now(const struct pm_staged *s, ir_value v) {
    if (v == IR_NONE || ir_has(s->g, v, IR_IS_DEAD)) return v;
    for (uint32_t k = 0; k < ir_nod(s->g, s->node)->nout; k++)
        if (ir_output(s->g, s->node, k) == v) {
            ir_detach_output(s->g, s->node, k);
            return v;
        }
    return IR_NONE;
}

static void revive(const struct pm_staged *s, const struct pm_aside *x, struct arena *a) {
    uint32_t nin = ir_nod(s->g, x->node)->nin, nout = ir_nod(s->g, x->node)->nout;
    ir_value *in = arena_new_array(a, ir_value, nin), *out = arena_new_array(a, ir_value, nout);
    for (uint32_t k = 0; k < nin; k++) in[k] = operand_now(s, x->in[k]);
    for (uint32_t k = 0; k < nout; k++) out[k] = output_now(s, x->out[k]);
    ir_revive_node(s->g, x->node, in, out, s->node);
    for (uint32_t k = 0; k < nin; k++)
        if (in[k] != x->in[k]) ir_set_input(s->g, x->node, k, in[k]); /* it is changed */
}

static bool carry_over(const struct pm_staged *s) {
    const char *why;
    int64_t opset = ir_opset(s->g, "");
    for (uint32_t i = 0; opset != s->opset && i < s->naside; i++)
        if (!*ir_domain_name(s->g, s->aside[i].node) &&
            ir_reform_node(s->g, s->aside[i].node, opset, &why) != IR_REFORM_DONE)
            return false;
    return true;
}

static bool by_nodes(struct pm_run *r, const struct pm_staged *s) {
    for (uint32_t i = 0; i < s->naside; i++)
        revive(s, &s->aside[i], &r->matcher.step);
    for (uint32_t k = 0; k < ir_nod(s->g, s->node)->nout; k++) {
        ir_value v = ir_output(s->g, s->node, k);
        if (v != IR_NONE && ir_val(s->g, v)->nuses > 0) return false;
    }
    ir_remove_node(s->g, s->node);
    return carry_over(s);
}

/* --- by the body ------------------------------------------------------------------- */
static bool put_back(struct pm_build *b, ir_node staged, uint32_t k, ir_value now) {
    ir_value old = ir_output(b->g, staged, k);
    if (old == IR_NONE || ir_val(b->g, old)->nuses == 0) return true;
    if (now == IR_NONE) return false;
    ir_node n = ir_val(b->g, now)->producer;
    bool fresh = n != IR_NONE && ir_val(b->g, now)->nuses == 0 && !ir_const(b->g, now);
    if (fresh) return pm_move_value(b, old, now);
    if (!ir_can_replace(b->g, old, now)) return false;
    ir_replace_value(b->g, old, now);
    return true;
}

bool pm_unfold_in_place(struct pm_run *r, const struct pm_staged *s, struct pm_done *done) {
    struct arena *a = &r->matcher.step;
    const struct pm_accept accept = {.rule = s->op->body};
    const struct pm_match none = {.accept = &accept};
    struct pm_env env = pm_matcher_env(&r->matcher, s->g, &none);
    const struct ir_node_info x = *ir_nod(s->g, s->node);
    ir_value *in = arena_new_array(a, ir_value, x.nin);
    ir_value *out = arena_new_array(a, ir_value, s->op->nouts);
    for (uint32_t k = 0; k < x.nin; k++) in[k] = ir_input(s->g, s->node, k);
    struct pm_build b = {.env = &env, .match = &none, .g = s->g, .place = s->node,
                         .target = r->options->target, .rule = x.rule, .hint = s->name,
                         .fold_limit = IR_FOLD_LIMIT, .form = PM_UNFOLDED, .done = done};
    if (!pm_unfold(&b, s->op, s->op->nins, in, x.nattr, x.attr, s->op->nouts, out))
        return false;
    for (uint32_t k = 0; k < x.nout; k++)
        if (!put_back(&b, s->node, k, out[k])) return false;
    if (!ir_is_unused(s->g, s->node)) return false;
    ir_remove_node(s->g, s->node);
    return true;
}

/* --- all --------------------------------------------------------------------------- */
static bool by_body(struct pm_run *r, const struct pm_staged *s) {
    struct pm_done done = {.arena = &r->matcher.step};
    return pm_unfold_in_place(r, s, &done);
}

/* One way or else the other: nodes may not be carried over, and a body fits where something
 * was supposed of sizes that nobody supposes by now. *body: it was the latter. */
static bool restore(struct pm_run *r, const struct pm_staged *s, bool *body) {
    ir_mark_t mark = ir_mark(r->model);
    for (uint32_t way = 0; way < 2; way++) {
        *body = r->options->bodies == (way == 0);
        if (*body ? by_body(r, s) : by_nodes(r, s)) {
            ir_commit(r->model);
            return true;
        }
        ir_undo(r->model, mark);
    }
    return false;
}

enum rw_code pm_restore_staged(struct pm_run *r) {
    for (uint32_t i = r->staged.len; i-- > 0;) {
        const struct pm_staged s = r->staged.at[i];
        if (!is_there(&s)) continue;
        bool body;
        if (restore(r, &s, &body)) {
            if (body && r->options->bodies) continue;
            pm_uncount(r, s.by, s.nodes, "no rule took the staged operator");
            continue;
        }
        diag_at(r->diags, DIAG_ERROR, s.op->at,
                "\"%s\" is left over at \"%s\", and what it stands for cannot take its place",
                s.op->name, s.name);
        return RW_WRONG;
    }
    return RW_OK;
}

/* --- names that are ours ----------------------------------------------------------- */
static bool has_staged(const struct pm_auto *p) {
    for (uint32_t i = 0; i < p->op.len; i++)
        if (strncmp(p->op.at[i].domain, RULE_STAGED, strlen(RULE_STAGED)) == 0) return true;
    return false;
}

enum rw_code pm_check_domains(const struct pm_run *r) {
    for (uint32_t i = 0; has_staged(r->p) && i < r->model->graphs.len; i++) {
        const struct ir_graph *g = r->model->graphs.at[i];
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            if (strncmp(ir_domain_name(g, n), RULE_STAGED, strlen(RULE_STAGED)) != 0) continue;
            diag_where(r->diags, DIAG_ERROR, NULL,
                       "the model has operators of the domain \"%s\", which is taken",
                       ir_domain_name(g, n));
            return RW_USAGE;
        }
    }
    return RW_OK;
}
