/* infer.c -- driving the rules: a node, a graph, a model, what a rewrite touched.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"
#include "ir/where.h"

#include "ir/graph/journal.h"

void infer_run_init(struct infer_run *run, struct ir_model *m, struct diag_sink *diags) {
    *run = (struct infer_run){.m = m, .diags = diags};
}

void infer_run_end(struct infer_run *run) { arena_free(&run->scratch); }

/* --- one node ---------------------------------------------------------------------- */

static const struct ir_schema *schema_of(const struct ir_graph *g, ir_node n) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    if (s || *ir_domain_name(g, n)) return s;
    return ir_schema_runtime(ir_op_name(g, n), ir_opset(g, ""));
}

/* Inside a function attributes may be given by the caller. */
static bool has_open_attributes(const struct ir_node_info *n) {
    for (uint32_t i = 0; i < n->nattr; i++)
        if (n->attr[i].ref) return true;
    return false;
}

/* Runs the rule of the node. false: it broke a rule of its operator; x->why says which. */
static bool apply(struct infer *x) {
    struct infer_entry e = infer_find(ir_domain_name(x->g, x->n), ir_op_name(x->g, x->n));
    struct ir_function *f = ir_callee(x->g, x->n);
    if (f) {
        infer_call(x, f);
        return true;
    }
    if (!infer_check_axes(x) || (e.rule && !e.rule(x))) return false;
    if (e.value) e.value(x);
    infer_value_computed(x);
    return true;
}

/* The same with the attributes that the caller of the function gives: the node has them
 * for that long. Without a caller nothing is said. */
static bool apply_bound(struct infer *x) {
    struct infer_attrs bound;
    struct ir_node_info *n = &x->g->nodes.at[x->n];
    struct infer_attrs own = {n->nattr, n->attr};
    if (!infer_bind_attributes(x->run, n, &bound)) return true;
    n->nattr = bound.n;
    n->attr = bound.at;
    bool ok = apply(x);
    n = &x->g->nodes.at[x->n];
    n->nattr = own.n;
    n->attr = own.at;
    return ok;
}

bool infer_one(struct infer_run *run, struct ir_graph *g, ir_node n, bool *changed,
               const char **why) {
    struct arena_mark mark = arena_mark(&run->scratch);
    const struct ir_node_info *info = ir_nod(g, n);
    struct infer x = {.run = run, .g = g, .n = n, .m = g->model, .d = g->model->dims,
                      .schema = schema_of(g, n), .tmp = &run->scratch, .nin = info->nin,
                      .nout = info->nout};
    x.out = arena_zalloc(&run->scratch, x.nout * sizeof *x.out);
    *changed = false;
    bool ok = has_open_attributes(info) ? apply_bound(&x) : apply(&x);
    ok = ok && infer_commit(&x, changed);
    if (!ok) infer_commit_nothing(&x, changed);
    *why = x.why;
    arena_reset(&run->scratch, mark);
    return ok && !x.failed_inside;
}

static bool infer_alone(struct infer_run *run, struct ir_graph *g, ir_node n,
                        const char **why) {
    const char *because;
    bool changed, ok = infer_one(run, g, n, &changed, &because);
    infer_run_end(run);
    if (why) *why = ok ? NULL : because;
    return ok;
}

bool ir_infer_node(struct ir_graph *g, ir_node n, const char **why) {
    struct infer_run run;
    infer_run_init(&run, g->model, NULL);
    return infer_alone(&run, g, n, why);
}

bool ir_infer_new_node(struct ir_graph *g, ir_node n, const char **why) {
    struct infer_run run;
    infer_run_init(&run, g->model, NULL);
    run.proving = true;
    return infer_alone(&run, g, n, why);
}

void ir_assume_node(struct ir_graph *g, ir_node n) {
    struct infer_run run;
    infer_run_init(&run, g->model, NULL);
    run.assuming = true;
    infer_alone(&run, g, n, NULL);
}

/* --- known values ------------------------------------------------------------------ */

const struct ir_symval *ir_symval_of(struct ir_graph *g, ir_value v) {
    const struct ir_value_info *info = ir_val(g, v);
    if (info->symval) return info->symval;
    const struct ir_tensor *t = ir_const(g, v);
    if (!t || t->rank > 2 || t->count > INFER_MAX_ITEMS) return NULL;
    const struct ir_symval *value = ir_symval_of_tensor(g->model, t);
    if (value) ir_set_symval(g, v, value);
    return value;
}

/* --- a graph ----------------------------------------------------------------------- */

bool infer_nodes(struct infer_run *run, struct ir_graph *g) {
    bool ok = true, changed;
    const char *why;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        if (infer_one(run, g, n, &changed, &why)) continue;
        if (why && run->diags) ir_diag_node(run->diags, DIAG_ERROR, g, n, why);
        ok = false;
    }
    return ok;
}

void infer_body(struct infer *x, struct ir_graph *body) {
    infer_prepare(body, NULL); /* what is wrong there was said before */
    if (!infer_nodes(x->run, body)) x->failed_inside = true;
}

/* --- a model ----------------------------------------------------------------------- */

static enum rw_code infer_model(struct ir_model *m, bool strict, struct diag_sink *diags) {
    bool ok = true, journal_was_on = m->journal->on;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        ok &= infer_prepare(m->graphs.at[i], diags) == RW_OK;
    if (!ok) return RW_FORMAT;
    struct infer_run run;
    infer_run_init(&run, m, diags);
    run.strict = strict;
    run.whole = true;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (!m->graphs.at[i]->outer) ok &= infer_nodes(&run, m->graphs.at[i]);
    infer_functions(&run);
    infer_run_end(&run);
    if (!journal_was_on) ir_commit(m);
    if (!ok) return RW_FORMAT;
    return run.contradicted ? RW_WRONG : RW_OK;
}

enum rw_code ir_infer_model(struct ir_model *m, struct diag_sink *diags) {
    return infer_model(m, false, diags);
}

enum rw_code ir_infer_strictly(struct ir_model *m, struct diag_sink *diags) {
    return infer_model(m, true, diags);
}
