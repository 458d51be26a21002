/* step.c -- the steps of a run: applications of rules, and passes that change something.
 * Some may be forbidden, by the caller or by what the judge said of a rewrite before, and
 * after a number of them the run may have to end: so a caller finds the one that is wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/run/run.h"

/* --- places ----------------------------------------------------------------------- */
/* Where names have line breaks too, two places may be one: the same rule is then left out
 * of both. */
static const char *place_text(struct arena *a, const char *rule, const char *value) {
    return value ? arena_printf(a, "%s\n%s", rule, value) : rule;
}

static const char *place_value(const struct pm_site *s, const struct pm_match *m) {
    const struct rule *r = m->accept->rule;
    for (uint32_t i = 0; i < r->nroots; i++)
        if (pm_values_of(m->slots[r->roots[i]]) > 0)
            return ir_val(s->g, pm_value_of(s, m->slots[r->roots[i]], 0))->name;
    return "";
}

static bool is_listed(const struct pm_run *r, const char *rule, const char *value,
                      struct arena *a) {
    if (r->forbidden.len <= 1) return false; /* the empty text is always in */
    return intern_find(&r->forbidden, rule) != MAP_NONE ||
           intern_find(&r->forbidden, place_text(a, rule, value)) != MAP_NONE;
}

static void forbid(struct pm_run *r, const char *rule, const char *value) {
    intern(&r->forbidden, place_text(&r->arena, rule, value));
}

void pm_steps_begin(struct pm_run *r) {
    intern_init(&r->forbidden, &r->arena);
    for (uint32_t i = 0; i < r->options->nforbidden; i++)
        forbid(r, r->options->forbidden[i].rule, r->options->forbidden[i].value);
}

bool pm_is_forbidden(const struct pm_run *r, const struct pm_match *m) {
    /* Texts of the step go with it. */
    struct arena *a = r->matcher.machine.site.arena;
    return is_listed(r, m->accept->rule->name, place_value(&r->matcher.machine.site, m), a);
}

/* --- steps ------------------------------------------------------------------------ */
bool pm_steps_end(const struct pm_run *r) {
    return r->options->most_steps > 0 && r->report->steps >= r->options->most_steps;
}

static void count_step(struct pm_run *r, const struct rule *rule, const char *name,
                       const char *value) {
    r->report->steps++;
    r->report->last_rule = rule;
    r->report->last = (struct pm_place){name, value};
}

/* What the rule promises of shapes is what is to be judged, so it is not believed meanwhile. */
static bool judged_right(struct pm_run *r, struct ir_graph *g, const struct rule *rule,
                         const struct pm_done *d) {
    const struct pm_judge *judge = r->options->judge;
    const struct pm_change c = {.g = g, .rule = rule, .nmade = d->made.len,
                                .made = d->made.at, .nexchanged = d->exchanged.len,
                                .exchanged = d->exchanged.at};
    if (!judge) return true;
    if (d->promises.len) ir_dims_undo(r->model->dims, d->unpromised);
    bool right = judge->after(judge->ctx, &c);
    if (d->promises.len) pm_keep_promises(g, d);
    return right;
}

static void weigh_promises(struct pm_run *r, const struct pm_done *d) {
    uint64_t from = r->options->doubt_from;
    if (d->promises.len == 0) return;
    if (from > 0 && r->report->steps >= from) ir_dims_undo(r->model->dims, d->unpromised);
    else r->report->promises++;
}

/* The judge sees bodies in the place of staged operators. */
static void tell_before(struct pm_run *r, struct ir_graph *g, const struct pm_match *m,
                        int64_t opset) {
    const struct pm_judge *judge = r->options->judge;
    struct pm_done done = {.arena = &r->matcher.step};
    VEC(ir_node) nodes = {0};
    struct pm_subject subject = {.g = g, .opset = opset, .lent_nodes = g->nodes.len,
                                 .lent_values = g->values.len};
    ir_mark_t mark = ir_mark(r->model);
    for (uint32_t i = 0; i < m->nnodes; i++) {
        const struct pm_staged *s = pm_staged_at(r, g, m->nodes[i]);
        if (!s || !pm_unfold_in_place(r, s, &done))
            vec_push(done.arena, &nodes, m->nodes[i]);
    }
    for (uint32_t i = 0; i < done.made.len; i++)
        if (!ir_is_dead(g, done.made.at[i])) vec_push(done.arena, &nodes, done.made.at[i]);
    subject.n = nodes.len;
    subject.nodes = nodes.at;
    judge->before(judge->ctx, &subject);
    ir_undo(r->model, mark);
}

/* One with a staged operator is tried with its body first: that is what is proven and
 * judged. */
static bool apply(struct pm_run *r, struct pm_env *env, const struct pm_match *m, bool own,
                  struct pm_done *done, const char **why) {
    static const char *const wrong = "it gives something else here";
    const struct rule *rule = m->accept->rule;
    struct ir_graph *g = env->site.g;
    ir_mark_t mark = ir_mark(r->model);
    bool stages = pm_stages(env, rule);
    if (!pm_rewrite(env, m, r->options, PM_UNFOLDED, done, why)) return false;
    *why = NULL;
    if (own && !stages && done->nodes >= 0) {
        ir_undo(r->model, mark);
        return false;
    }
    if (!judged_right(r, g, rule, done)) {
        ir_undo(r->model, mark);
        forbid(r, rule->name, place_value(&env->site, m));
        *why = wrong;
        return false;
    }
    if (!stages) return true;
    ir_undo(r->model, mark);
    *done = (struct pm_done){.arena = &r->matcher.step};
    if (!pm_rewrite(env, m, r->options, PM_STAGED, done, why)) return false;
    done->staged->by = m->accept;
    done->staged->nodes = done->nodes;
    pm_keep_staged(r, done->staged);
    return true;
}

bool pm_step(struct pm_run *r, struct pm_env *env, const struct pm_match *m, bool own,
             struct pm_done *done, const char **why) {
    const struct rule *rule = m->accept->rule;
    struct ir_graph *g = env->site.g;
    const char *value = place_value(&env->site, m);
    int64_t opset = r->matcher.opset ? r->matcher.opset : ir_opset(g, "");
    *done = (struct pm_done){.arena = &r->matcher.step};
    *why = NULL;
    if (pm_steps_end(r)) return false;
    if (r->options->judge) tell_before(r, g, m, opset);
    if (!apply(r, env, m, own, done, why)) return false;
    count_step(r, rule, rule->name, value);
    weigh_promises(r, done);
    return true;
}

/* What the model was when the pass, here or in another pack, last changed nothing. */
static struct pm_rested *rested(struct pm_run *r, const struct ir_pass *pass) {
    for (uint32_t i = 0; i < r->rested.len; i++)
        if (r->rested.at[i].pass == pass) return &r->rested.at[i];
    vec_push(&r->arena, &r->rested, (struct pm_rested){pass, UINT64_MAX, 0});
    return vec_last(&r->rested);
}

uint32_t pm_step_pass(struct pm_run *r, const struct ir_pass *pass, uint32_t number) {
    const struct ir_pass_options o = {
        .fold_limit = r->options->fold_limit ? r->options->fold_limit : IR_FOLD_LIMIT,
        .runtime = r->options->runtime};
    const char *which = arena_printf(r->report_arena, "%u", number);
    const struct pm_rested now = {pass, r->model->edits, ir_dims_mark(r->model->dims)};
    struct pm_rested *was = rested(r, pass);
    if (was->edits == now.edits && was->dims == now.dims) return 0;
    if (is_listed(r, pass->name, which, &r->arena)) return 0;
    struct pm_labels *labels = r->matcher.labels;
    bool hold = pass->removes && r->model->graphs.len == 1 &&
                pm_labels_hold(labels, r->model->main);
    uint32_t changed = pass->run(r->model, &o);
    ir_commit(r->model);
    if (hold) pm_labels_settled(labels);
    if (r->model->edits == now.edits) *was = now;
    if (changed > 0) count_step(r, NULL, pass->name, which);
    return changed;
}
