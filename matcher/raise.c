/* raise.c -- raising a model's opset.
 *
 * The model imports the newer opset at once, so that whatever is emitted is of it, while
 * each node keeps the schema that it was written for until it has been carried over: by
 * form (ir/reform.h), or, where its name came to mean something else, by a rule of the
 * pack that says `raises opset`, whose `requires opset` says across which change it
 * carries. In those rules `opset` is that of the node.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/reform.h"
#include "ir/where.h"
#include "matcher/run.h"

static bool carries(const struct rule *rule, const struct ir_schema *schema,
                    int64_t opset) {
    return schema && rule->requires_opset > schema->since && rule->requires_opset <= opset;
}

static bool by_stage(struct pm_run *r, const struct pm_stage *s, struct ir_graph *g,
                     ir_node n, int64_t opset, const char **reason) {
    pm_matcher_find(&r->matcher, s, g, n);
    for (uint32_t i = 0; i < r->matcher.found.len; i++) {
        const struct pm_match *m = &r->matcher.found.at[i];
        struct pm_done done;
        struct pm_env env = pm_matcher_env(&r->matcher, g, m);
        const char *why = NULL;
        if (!carries(m->accept->rule, ir_nod(g, n)->schema, opset)) continue;
        if (!pm_conditions_hold(&env, m)) continue;
        if (pm_is_forbidden(r, m)) continue;
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
static bool by_rule(struct pm_run *r, struct ir_graph *g, ir_node n, int64_t opset,
                    const char **reason) {
    for (uint32_t i = 0; i < r->p->stages.len; i++)
        if (r->p->stages.at[i].raises && r->p->stages.at[i].nprograms > 0 &&
            by_stage(r, &r->p->stages.at[i], g, n, opset, reason))
            return true;
    return false;
}

static bool raise_node(struct pm_run *r, struct ir_graph *g, ir_node n, int64_t opset,
                       const char **why) {
    const char *reason = NULL;
    if (*ir_domain_name(g, n)) return true;
    enum ir_reform done = ir_reform_node(g, n, opset, &reason);
    if (done == IR_REFORM_DONE) return true;
    if (done == IR_REFORM_NEEDS_RULE && by_rule(r, g, n, opset, &reason))
        return true;
    *why = arena_printf(r->report_arena, "%s: %s", ir_node_where(g, n, r->report_arena),
                        reason ? reason : "it means something else there");
    return false;
}

/* The nodes that are there now: what comes in on the way is of the new opset. */
static bool raise_graph(struct pm_run *r, struct ir_graph *g, int64_t opset,
                        const char **why) {
    VEC(ir_node) old = {0};
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        vec_push(&r->arena, &old, n);
    for (uint32_t i = 0; i < old.len; i++)
        if (!ir_is_dead(g, old.at[i]) && !raise_node(r, g, old.at[i], opset, why))
            return false;
    return true;
}

bool pm_raise(struct pm_run *r, int64_t opset, const char **why) {
    struct ir_model *m = r->model;
    int64_t from = ir_opset(m->main, ""), newest = ir_schema_newest_opset("");
    *why = arena_printf(r->report_arena, "the newest that is known is %" PRId64, newest);
    if (opset > newest) return false;
    *why = "the model's training graphs are of its opset";
    if (m->has_training) return false;
    ir_mark_t mark = ir_mark(m);
    r->matcher.opset = from;
    r->raised.len = 0;
    ir_set_opset(m, "", opset);
    if (ir_version_for_opset(opset) > m->ir_version)
        ir_set_ir_version(m, ir_version_for_opset(opset));
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->graphs.len; i++)
        if (!m->graphs.at[i]->function && ir_graph_is_live(m->graphs.at[i]))
            ok = raise_graph(r, m->graphs.at[i], opset, why);
    r->matcher.opset = 0;
    if (!ok) ir_undo(m, mark);
    return ok;
}

void pm_count_raise(struct pm_run *r) {
    for (uint32_t i = 0; i < r->raised.len; i++)
        pm_count(r, r->raised.at[i].accept, r->raised.at[i].nodes, NULL);
}
