/* raise.c -- raising a model's opset.
 *
 * The model imports the newer opset at once, so that whatever is emitted is of it, while
 * each node keeps the schema that it was written for until it has been carried over: by
 * form (ir/reform.h), or, where its name came to mean something else, by a rule of the
 * pack that says `raises opset`, whose `requires opset` says across which change it
 * carries. In those rules `opset` is that of the node.
 *
 * Who wishes for an opset gets it, whatever the runtime has there. For a rule that needs one
 * the model is raised only as far as the runtime goes on running it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/reform.h"
#include "ir/where.h"
#include "matcher/run/run.h"

static bool carries(const struct rule *rule, const struct ir_schema *schema,
                    int64_t opset) {
    return schema && rule->requires_opset > schema->since && rule->requires_opset <= opset;
}

struct raising {
    struct pm_run *r;
    int64_t opset;
    bool wished;
};

static bool by_stage(const struct raising *x, const struct pm_stage *s, struct ir_graph *g,
                     ir_node n, const char **reason) {
    struct pm_run *r = x->r;
    pm_matcher_find(&r->matcher, s, g, n);
    for (uint32_t i = 0; i < r->matcher.found.len; i++) {
        const struct pm_match *m = &r->matcher.found.at[i];
        struct pm_done done;
        struct pm_env env = pm_matcher_env(&r->matcher, g, m);
        const char *why = NULL;
        if (x->wished) env.target = TARGET_ONNX;
        if (!carries(m->accept->rule, ir_nod(g, n)->schema, x->opset)) continue;
        if (!pm_conditions_hold(&env, m) || pm_is_forbidden(r, m)) continue;
        if (!pm_step(r, &env, m, false, &done, &why)) {
            if (why)
                *reason = arena_printf(r->report_arena, "\"%s\" is refused: %s",
                                       m->accept->rule->name, why);
            continue;
        }
        vec_push(&r->arena, &r->raised, (struct pm_raised){m->accept, done.nodes});
        return true;
    }
    return false;
}

/* false, with the reason where a rule was refused. */
static bool by_rule(const struct raising *x, struct ir_graph *g, ir_node n,
                    const char **reason) {
    const struct pm_run *r = x->r;
    for (uint32_t i = 0; i < r->p->stages.len; i++)
        if (r->p->stages.at[i].raises && r->p->stages.at[i].nprograms > 0 &&
            by_stage(x, &r->p->stages.at[i], g, n, reason))
            return true;
    return false;
}

static bool goes_on_running(const struct raising *x, const struct ir_graph *g, ir_node n) {
    const struct pm_run *r = x->r;
    ir_value v = ir_input(g, n, 0);
    enum ir_dtype t = v == IR_NONE ? IR_UNDEFINED : ir_type_dtype(ir_val(g, v)->type);
    return x->wished || r->options->target == TARGET_ONNX ||
           !ir_runtime_has("", ir_op_name(g, n), r->matcher.opset, t) ||
           ir_runtime_has("", ir_op_name(g, n), x->opset, t);
}

static bool raise_node(const struct raising *x, struct ir_graph *g, ir_node n,
                       const char **why) {
    const char *reason = NULL;
    if (*ir_domain_name(g, n) || ir_callee(g, n)) return true;
    enum ir_reform done = ir_reform_node(g, n, x->opset, &reason);
    if (done == IR_REFORM_NEEDS_RULE && by_rule(x, g, n, &reason)) return true;
    if (done == IR_REFORM_DONE && goes_on_running(x, g, n)) return true;
    if (done == IR_REFORM_DONE) reason = "the runtime has it no more";
    x->r->in_function = g->function != NULL;
    *why = arena_printf(x->r->report_arena, "%s: %s",
                        ir_node_where(g, n, x->r->report_arena),
                        reason ? reason : "it means something else there");
    return false;
}

/* The nodes that are there now: what comes in on the way is of the new opset. */
static bool raise_graph(const struct raising *x, struct ir_graph *g, const char **why) {
    VEC(ir_node) old = {0};
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        vec_push(&x->r->arena, &old, n);
    for (uint32_t i = 0; i < old.len; i++)
        if (!ir_is_dead(g, old.at[i]) && !raise_node(x, g, old.at[i], why))
            return false;
    return true;
}

/* Functions follow: an operator must mean the same by the function's import and by the
 * model's, and runtimes go by the latter. */
static void raise_imports(struct ir_model *m, int64_t opset) {
    ir_set_opset(m, "", opset);
    for (uint32_t i = 0; i < m->functions.len; i++)
        if (ir_opset(m->functions.at[i]->body, "") < opset)
            ir_raise_import(m->functions.at[i], "", opset);
    if (ir_version_for_opset(opset) > m->ir_version)
        ir_set_ir_version(m, ir_version_for_opset(opset));
}

static bool raise_graphs(const struct raising *x, const char **why) {
    struct pm_run *r = x->r;
    struct ir_model *m = r->model;
    uint32_t n = m->graphs.len;
    int64_t *from = arena_new_array(&r->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++) from[i] = ir_opset(m->graphs.at[i], "");
    raise_imports(m, x->opset);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        /* A function that is newer stays so. */
        if (!ir_graph_is_live(m->graphs.at[i]) || from[i] > x->opset) continue;
        r->matcher.opset = from[i];
        ok = raise_graph(x, m->graphs.at[i], why);
    }
    r->matcher.opset = 0;
    return ok;
}

bool pm_raise(struct pm_run *r, int64_t opset, bool wished, const char **why) {
    struct ir_model *m = r->model;
    int64_t newest = ir_schema_newest_opset("");
    *why = arena_printf(r->report_arena, "the newest that is known is %" PRId64, newest);
    if (opset > newest) return false;
    *why = "the model's training graphs are of its opset";
    if (m->has_training) return false;
    ir_mark_t mark = ir_mark(m);
    r->raised.len = 0;
    bool ok = raise_graphs(&(struct raising){r, opset, wished}, why);
    if (!ok) ir_undo(m, mark);
    return ok;
}

void pm_count_raise(struct pm_run *r) {
    for (uint32_t i = 0; i < r->raised.len; i++)
        pm_count(r, r->raised.at[i].accept, r->raised.at[i].nodes, NULL);
}
