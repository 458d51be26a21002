/* wrap.c -- `as function`: matched nodes move into a function of the model.
 *
 * The body is a copy of the matched nodes, in their order; constants of the pattern stand
 * in it as Constant nodes. A function that says the same is called again, so that a block
 * which repeats has one function; another body gets a name of its own (NAME_2 ...).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

#define IR_VERSION_OF_FUNCTIONS 8
#define MOST_VARIANTS 64 /* bodies of one name; each new match is compared with them all */

struct wrap {
    struct pm_build *b;
    struct pm_draft *d; /* operands of the call */
    const ir_node *node; /* matched, in order */
    uint32_t n;
    struct ir_function *f;
    struct map inner; /* value of the graph -> of the body */
};

/* --- what is matched --------------------------------------------------------------- */
static bool is_made_inside(const struct wrap *w, ir_value v) {
    for (uint32_t i = 0; i < w->n; i++)
        if (ir_val(w->b->g, v)->producer == w->node[i]) return true;
    return false;
}

static bool is_operand(const struct wrap *w, ir_value v) {
    for (uint32_t k = 0; k < w->d->in.len; k++)
        if (w->d->in.at[k] == v) return true;
    return false;
}

/* What the nodes read beside the operands that the pattern names. */
static bool add_hidden(struct wrap *w) {
    const struct ir_graph *g = w->b->g;
    for (uint32_t i = 0; i < w->n; i++) {
        if (ir_has_body(g, w->node[i]))
            return pm_refuse(w->b, "a node with a body cannot move into a function");
        for (uint32_t k = 0; k < ir_nod(g, w->node[i])->nin; k++) {
            ir_value v = ir_input(g, w->node[i], k);
            if (v == IR_NONE || is_operand(w, v) || is_made_inside(w, v) || ir_const(g, v))
                continue;
            vec_push(w->b->env->site.arena, &w->d->in, v);
        }
    }
    return true;
}

/* --- the function ------------------------------------------------------------------ */
static void import_domains(struct wrap *w) {
    struct ir_model *m = w->b->g->model;
    for (uint32_t i = 0; i < w->n; i++) {
        const char *domain = ir_domain_name(w->b->g, w->node[i]);
        if (ir_opset(w->f->body, domain)) continue;
        vec_push(m->arena, &w->f->opsets,
                 (struct ir_opset){domain, ir_opset(w->b->g, domain)});
    }
}

static void add_inputs(struct wrap *w) {
    struct ir_graph *body = w->f->body;
    for (uint32_t k = 0; k < w->d->in.len; k++) {
        ir_value v = w->d->in.at[k];
        ir_value in = ir_add_value(body, v == IR_NONE ? "x" : ir_val(w->b->g, v)->name, NULL);
        ir_add_input(body, in);
        if (v != IR_NONE && map_get(&w->inner, v) == MAP_NONE) map_put(&w->inner, v, in);
    }
}

static ir_value inner_of(struct wrap *w, ir_value v) {
    if (v == IR_NONE) return IR_NONE;
    uint32_t known = map_get(&w->inner, v);
    if (known != MAP_NONE) return known;
    ir_value made = ir_add_constant(w->f->body, ir_val(w->b->g, v)->name,
                                    ir_const(w->b->g, v));
    map_put(&w->inner, v, made);
    return made;
}

static void copy_node(struct wrap *w, ir_node n) {
    const struct ir_node_info x = *ir_nod(w->b->g, n);
    struct arena *a = w->b->env->site.arena;
    ir_value *in = arena_new_array(a, ir_value, x.nin);
    ir_value *out = arena_new_array(a, ir_value, x.nout);
    for (uint32_t k = 0; k < x.nin; k++) in[k] = inner_of(w, ir_input(w->b->g, n, k));
    for (uint32_t k = 0; k < x.nout; k++) {
        out[k] = x.out[k];
        if (out[k] == IR_NONE) continue;
        out[k] = ir_add_value(w->f->body, ir_val(w->b->g, x.out[k])->name, NULL);
        map_put(&w->inner, x.out[k], out[k]);
    }
    ir_add_node(w->f->body,
                &(struct ir_new_node){.op = ir_op_name(w->b->g, n),
                                      .domain = ir_domain_name(w->b->g, n), .name = x.name,
                                      .overload = x.overload, .nin = x.nin, .in = in,
                                      .nout = x.nout, .out = out, .nattr = x.nattr,
                                      .attr = x.attr, .rule = x.rule}, IR_NONE);
}

static bool add_outputs(struct wrap *w) {
    const struct rule *r = w->b->match->accept->rule;
    for (uint32_t i = 0; i < r->nroots; i++) {
        struct pm_binding root = w->b->match->slots[r->roots[i]];
        if (!pm_is_set(root)) return pm_refuse(w->b, "a root is absent");
        ir_add_output(w->f->body, map_get(&w->inner, root.a));
    }
    return true;
}

static bool build(struct wrap *w, const char *name) {
    struct arena *a = w->b->env->site.arena;
    map_init(&w->inner, a);
    w->f = ir_function_new(w->b->g->model, w->d->domain, name);
    import_domains(w);
    add_inputs(w);
    for (uint32_t i = 0; i < w->n; i++) copy_node(w, w->node[i]);
    return add_outputs(w);
}

/* --- one that says the same -------------------------------------------------------- */
static bool same_node(const struct ir_graph *g, ir_node a, const struct ir_graph *h,
                      ir_node b) {
    const struct ir_node_info *x = ir_nod(g, a), *y = ir_nod(h, b);
    if (x->op != y->op || x->domain != y->domain || x->nin != y->nin || x->nout != y->nout ||
        x->nattr != y->nattr || !rw_streq(x->overload, y->overload))
        return false;
    for (uint32_t k = 0; k < x->nin; k++)
        if (ir_input(g, a, k) != ir_input(h, b, k)) return false;
    for (uint32_t k = 0; k < x->nout; k++)
        if (ir_output(g, a, k) != ir_output(h, b, k)) return false;
    for (uint32_t i = 0; i < x->nattr; i++)
        if (!ir_attr_equal(g->model, &x->attr[i], &y->attr[i])) return false;
    return true;
}

/* Bodies that were built here number their values alike. */
static bool same_function(const struct ir_function *f, const struct ir_function *h) {
    const struct ir_graph *a = f->body, *b = h->body;
    if (a->inputs.len != b->inputs.len || a->outputs.len != b->outputs.len ||
        a->live != b->live || f->opsets.len != h->opsets.len)
        return false;
    for (uint32_t i = 0; i < f->opsets.len; i++)
        if (f->opsets.at[i].version != h->opsets.at[i].version ||
            !rw_streq(f->opsets.at[i].domain, h->opsets.at[i].domain))
            return false;
    for (uint32_t i = 0; i < a->outputs.len; i++)
        if (a->uses.at[a->outputs.at[i]].value != b->uses.at[b->outputs.at[i]].value)
            return false;
    ir_node n = a->first, k = b->first;
    for (; n != IR_NONE && k != IR_NONE; n = ir_nod(a, n)->next, k = ir_nod(b, k)->next)
        if (!same_node(a, n, b, k)) return false;
    return true;
}

static const struct ir_function *named(const struct ir_model *m, const char *domain,
                                       const char *name) {
    for (uint32_t i = 0; i < m->functions.len; i++)
        if (rw_streq(m->functions.at[i]->name, name) &&
            rw_streq(m->functions.at[i]->domain, domain))
            return m->functions.at[i];
    return NULL;
}

/* The function of the draft's name, or of a variant, that says what is matched. */
static bool find_or_build(struct wrap *w) {
    struct ir_model *m = w->b->g->model;
    const char *base = w->d->op;
    for (uint32_t i = 1; i <= MOST_VARIANTS; i++) {
        const char *name = i == 1 ? base : arena_printf(m->arena, "%s_%u", base, i);
        const struct ir_function *there = named(m, w->d->domain, name);
        ir_mark_t mark = ir_mark(m);
        w->d->op = name;
        if (!build(w, name)) return false;
        if (!there) return true;
        bool same = same_function(there, w->f);
        ir_undo(m, mark);
        if (same) return true;
    }
    return pm_refuse(w->b, "there are too many functions of that name");
}

/* --- the call ---------------------------------------------------------------------- */
static void add_call(struct wrap *w, uint32_t nout, const bool *wanted, ir_value *out) {
    struct pm_build *b = w->b;
    const struct rule *r = b->match->accept->rule;
    while (nout > 1 && !wanted[nout - 1]) nout--;
    for (uint32_t k = 0; k < nout; k++) {
        const struct ir_value_info old = *ir_val(b->g, b->match->slots[r->roots[k]].a);
        if (!wanted[k]) continue;
        out[k] = ir_add_value(b->g, b->hint, old.type);
        ir_set_symval(b->g, out[k], old.symval);
    }
    b->call = ir_add_node(b->g,
                          &(struct ir_new_node){.op = w->d->op, .domain = w->d->domain,
                                                .nin = w->d->in.len, .in = w->d->in.at,
                                                .nout = nout, .out = out, .rule = b->rule},
                          pm_place(b, w->d));
    vec_push(b->done->arena, &b->done->made, b->call);
}

bool pm_make_function(struct pm_build *b, const struct emit *e, uint32_t nout,
                      const bool *wanted, ir_value *out) {
    struct ir_model *m = b->g->model;
    struct pm_draft d = {0};
    struct wrap w = {.b = b, .d = &d, };
    w.node = pm_matched_in_order(b, &w.n);
    for (uint32_t k = 0; k < nout; k++) out[k] = IR_NONE;
    if (b->g->function) return pm_refuse(b, "it stands in a function already");
    if (!pm_draft_node(b, e, &d) || !add_hidden(&w) || !find_or_build(&w)) return false;
    if (!ir_opset(m->main, d.domain)) ir_set_opset(m, d.domain, 1);
    if (m->ir_version < IR_VERSION_OF_FUNCTIONS)
        ir_set_ir_version(m, IR_VERSION_OF_FUNCTIONS);
    add_call(&w, nout, wanted, out);
    return true;
}
