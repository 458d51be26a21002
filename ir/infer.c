/* infer.c -- driving the rules: a node, a graph, a model, what a rewrite touched.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer_impl.h"
#include "ir/where.h"

#include "ir/journal.h"

/* --- one node ---------------------------------------------------------------------- */

static const struct ir_schema *schema_of(const struct ir_graph *g, ir_node n) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    if (s || *ir_domain_name(g, n)) return s;
    return ir_schema_runtime(ir_op_name(g, n), ir_opset(g, ""));
}

/* Runs the rule of node n. false: it broke a rule of its operator; x->why says which. */
static bool apply(struct infer *x, bool *changed) {
    struct infer_entry e = infer_find(ir_domain_name(x->g, x->n), ir_op_name(x->g, x->n));
    if (e.rule && !e.rule(x)) return false;
    if (e.value) e.value(x);
    return infer_commit(x, changed);
}

struct outcome {
    bool ok, changed;
    bool failed_inside; /* in a body; reported there */
    const char *why;
};

static struct outcome infer_one(struct ir_graph *g, ir_node n, struct arena *scratch,
                                struct diag_sink *diags) {
    struct arena_mark mark = arena_mark(scratch);
    const struct ir_node_info *info = ir_nod(g, n);
    struct infer x = {.g = g, .n = n, .m = g->model, .d = g->model->dims,
                      .schema = schema_of(g, n), .tmp = scratch, .nin = info->nin,
                      .nout = info->nout, .diags = diags};
    x.out = arena_zalloc(scratch, x.nout * sizeof *x.out);
    struct outcome r = {.changed = false};
    r.ok = apply(&x, &r.changed);
    r.why = x.why;
    r.failed_inside = x.failed_inside;
    arena_reset(scratch, mark);
    return r;
}

bool ir_infer_node(struct ir_graph *g, ir_node n, const char **why) {
    struct arena scratch = ARENA_EMPTY;
    struct outcome r = infer_one(g, n, &scratch, NULL);
    arena_free(&scratch);
    if (why) *why = r.ok ? NULL : r.why;
    return r.ok;
}

bool infer_changed(struct ir_graph *g, ir_node n, struct arena *scratch, bool *changed) {
    struct outcome r = infer_one(g, n, scratch, NULL);
    *changed = r.changed;
    return r.ok;
}

/* --- known values ------------------------------------------------------------------ */

const struct ir_symval *ir_symval_of(struct ir_graph *g, ir_value v) {
    const struct ir_value_info *info = ir_val(g, v);
    if (info->symval) return info->symval;
    const struct ir_tensor *t = ir_const(g, v);
    if (!t || t->rank > 1 || t->count > INFER_MAX_ITEMS) return NULL;
    const struct ir_symval *value = ir_symval_of_tensor(g->model, t);
    if (value) ir_set_symval(g, v, value);
    return value;
}

/* --- a graph ----------------------------------------------------------------------- */

static void report(const struct ir_graph *g, ir_node n, const char *why,
                   struct diag_sink *diags) {
    struct arena words = ARENA_EMPTY;
    diag_where(diags, DIAG_ERROR, ir_node_where(g, n, &words), "%s", why);
    arena_free(&words);
}

/* All nodes in order, going on after an error, whose outputs stay as declared. */
static bool infer_nodes(struct ir_graph *g, struct arena *scratch, struct diag_sink *diags) {
    bool ok = true;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        struct outcome r = infer_one(g, n, scratch, diags);
        if (!r.ok && diags) report(g, n, r.why, diags);
        ok &= r.ok && !r.failed_inside;
    }
    return ok;
}

bool infer_body(struct infer *x, struct ir_graph *body) {
    infer_prepare(body, NULL); /* what is wrong there was said before */
    bool ok = infer_nodes(body, x->tmp, x->diags);
    if (!ok) x->failed_inside = true;
    return ok;
}

/* --- a model ----------------------------------------------------------------------- */

enum rw_code ir_infer_model(struct ir_model *m, struct diag_sink *diags) {
    struct arena scratch = ARENA_EMPTY;
    bool ok = true, journal_was_on = m->journal->on;
    enum rw_code code = RW_OK;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        if (infer_prepare(g, diags) != RW_OK) code = RW_FORMAT;
    }
    for (uint32_t i = 0; code == RW_OK && i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        if (!g->outer) ok &= infer_nodes(g, &scratch, diags);
    }
    if (!journal_was_on) ir_commit(m);
    arena_free(&scratch);
    return ok ? code : RW_FORMAT;
}
