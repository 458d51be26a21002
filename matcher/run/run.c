/* run.c -- stages in order: passes, and phases to their fixed point.
 *
 * A phase goes over the graphs of the model. In each one the worklist holds the nodes that
 * some rule may have as its root; at a node the matches are tried in order of preference
 * until one is not refused. What was rewritten puts its neighbourhood back. When the list
 * is empty and something was done, the phase goes over everything once more, so that what
 * depends on more than a neighbourhood is found too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/run/run.h"

#define MOST_SWEEPS 16
#define MOST_VAIN_RAISES 8
#define PROGRESS_EVERY 4096

/* --- counting --------------------------------------------------------------------- */
static uint32_t count_nodes(const struct ir_model *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i]))
            n += m->graphs.at[i]->live - m->graphs.at[i]->constants;
    return n;
}

static int64_t count_again(struct pm_run *r) {
    r->nodes = count_nodes(r->model);
    r->counted = r->model->changes;
    return r->nodes;
}

static int64_t nodes_now(struct pm_run *r) {
    return r->counted == r->model->changes ? r->nodes : count_again(r);
}

void pm_count(struct pm_run *r, const struct pm_accept *a, int64_t nodes, const char *why) {
    struct pm_report *rep = r->report;
    uint32_t *row = &r->applied[r->alike[a->number]];
    if (*row == 0) {
        vec_push(r->report_arena, &rep->rules, (struct pm_applied){.rule = a->rule});
        *row = rep->rules.len;
    }
    struct pm_applied *x = &rep->rules.at[*row - 1];
    x->count += !why;
    x->refused += why != NULL;
    if (why) x->why = why;
    x->nodes += nodes;
    if (!why) r->ring[r->nring++ % PM_RING] = a->number;
}

void pm_uncount(struct pm_run *r, const struct pm_accept *a, int64_t nodes,
                const char *why) {
    struct pm_applied *x = &r->report->rules.at[r->applied[r->alike[a->number]] - 1];
    x->count--;
    x->refused++;
    x->nodes -= nodes;
    x->why = why;
}

/* A refusal is counted once, however often the node is looked at. */
static void count_refusal(struct pm_run *r, const struct ir_graph *g,
                          const struct pm_match *m,
                          const char *why) {
    uint64_t place = (uint64_t)g->number * r->p->rules.len + m->accept->number;
    uint64_t key = place << 32 | m->nodes[0];
    if (map_get(&r->refused, key) != MAP_NONE) return;
    map_put(&r->refused, key, 1);
    pm_count(r, m->accept, 0, why);
}

/* --- which rules run -------------------------------------------------------------- */
static bool fits_target(uint32_t targets, uint32_t target) {
    uint32_t narrow = TARGET_ORT_CPU | TARGET_ORT_CUDA;
    if (targets == 0 || (targets & TARGET_ONNX) || (targets & target)) return true;
    return (target & narrow) && (targets & TARGET_ORT);
}

static void choose_rules(struct pm_run *r) {
    uint32_t n = r->p->rules.len;
    r->on = arena_zalloc(&r->arena, (n + 1) * sizeof *r->on);
    r->name = arena_zalloc(&r->arena, (n + 1) * sizeof *r->name);
    r->applied = arena_zalloc(&r->arena, (n + 1) * sizeof *r->applied);
    r->alike = arena_zalloc(&r->arena, (n + 1) * sizeof *r->alike);
    struct map first;
    map_init(&first, &r->arena);
    for (uint32_t i = 0; i < n; i++) {
        const struct rule *x = r->p->rules.at[i];
        r->on[i] = fits_target(x->targets, r->options->target) &&
                   x->class <= r->options->level;
        r->name[i] = intern(&r->model->names, x->name);
        if (map_get(&first, r->name[i]) == MAP_NONE) map_put(&first, r->name[i], i);
        r->alike[i] = map_get(&first, r->name[i]);
    }
}

/* A rule that makes no fewer nodes is not applied to what it has just made. */
static bool is_own_work(const struct pm_run *r, const struct ir_graph *g,
                        const struct pm_match *m) {
    if (m->accept->rule->again) return false;
    for (uint32_t i = 0; i < m->nnodes; i++)
        if (ir_nod(g, m->nodes[i])->rule == r->name[m->accept->number]) return true;
    return false;
}

/* --- one match -------------------------------------------------------------------- */
static bool rewrite(struct pm_run *r, struct ir_graph *g, const struct pm_match *m,
                    struct pm_done *done) {
    const char *why;
    struct pm_env env = pm_matcher_env(&r->matcher, g, m);
    bool own = is_own_work(r, g, m);
    if (own && m->accept->rule->grows) return false;
    bool ok = pm_step(r, &env, m, own, done, &why);
    if (!ok && why) count_refusal(r, g, m, why);
    if (!ok && why) pm_atomic_missed(r, m, why);
    return ok;
}

static bool may_raise(const struct pm_run *r, const struct ir_graph *g, int64_t opset) {
    return !r->options->keep_opset && !g->function && (!r->stuck || opset < r->stuck) &&
           r->vain < MOST_VAIN_RAISES;
}

/* The model is raised for a match, which is then looked for again and must go through;
 * else all is as before. */
static enum pm_outcome raise_for(struct pm_run *r, const struct pm_stage *s,
                              struct ir_graph *g,
                              ir_node root, const struct pm_accept *a) {
    const char *why;
    uint32_t judged = r->forbidden.len;
    ir_mark_t mark = ir_mark(r->model);
    if (!pm_raise(r, a->rule->requires_opset, false, &why)) {
        r->stuck = a->rule->requires_opset;
        diag_where(r->diags, DIAG_WARNING, NULL,
                   "rules that need opset %" PRId64 " are left out, \"%s\" among them: %s",
                   r->stuck, a->rule->name, why);
        return TRIED;
    }
    if (!ir_is_dead(g, root)) {
        pm_matcher_find(&r->matcher, s, g, root);
        for (uint32_t i = 0; i < r->matcher.found.len; i++) {
            const struct pm_match *m = &r->matcher.found.at[i];
            struct pm_done done;
            struct pm_env env = pm_matcher_env(&r->matcher, g, m);
            if (m->accept->rule != a->rule || !pm_conditions_hold(&env, m)) continue;
            if (!rewrite(r, g, m, &done)) continue;
            pm_count_raise(r);
            pm_count(r, a, done.nodes, NULL);
            return RAISED;
        }
    }
    ir_undo(r->model, mark);
    r->vain += judged == r->forbidden.len; /* what was judged is not tried again */
    return TRIED;
}

static void relabel(struct pm_run *r, struct ir_graph *g, const struct pm_done *d) {
    const struct pm_site site = pm_matcher_site(&r->matcher, g);
    pm_labels_update(site.labels, &site, d);
    if (r->options->labels == PM_LABELS_CHECKED && !pm_labels_check(site.labels, &site))
        rw_broken(__FILE__, __LINE__, "labels are not as from scratch");
}

enum pm_outcome pm_try(struct pm_run *r, const struct pm_stage *s, struct ir_graph *g,
                       const struct pm_match *m, struct pm_done *done) {
    const struct pm_accept *a = m->accept;
    struct pm_env env = pm_matcher_env(&r->matcher, g, m);
    if (!r->on[a->number] || !pm_conditions_hold(&env, m)) return NOT_APPLIED;
    if (pm_is_forbidden(r, m)) {
        pm_atomic_missed(r, m, "it must not be applied there");
        return NOT_APPLIED;
    }
    struct pm_labels *labels = r->matcher.labels;
    bool held = pm_labels_hold(labels, g), raises = pm_needs_opset(&env, a->rule);
    if (raises && !may_raise(r, g, a->rule->requires_opset)) {
        pm_atomic_missed(r, m, "it needs a newer opset");
        return NOT_APPLIED;
    }
    enum pm_outcome o = raises                 ? raise_for(r, s, g, m->nodes[0], a)
                        : rewrite(r, g, m, done) ? APPLIED
                                                 : NOT_APPLIED;
    if (o == APPLIED) pm_count(r, a, done->nodes, NULL);
    if (held && o == APPLIED) relabel(r, g, done);
    else if (held && o != RAISED) pm_labels_settled(labels);
    return o;
}

/* --- fuel ------------------------------------------------------------------------- */
/* The shortest period with which the last rules repeat; at most half of the ring. */
static uint32_t period(const struct pm_run *r) {
    for (uint32_t p = 1; p < PM_RING / 2; p++) {
        uint32_t same = 0;
        while (same < PM_RING / 2 && r->ring[(r->nring - 1 - same) % PM_RING] ==
                                         r->ring[(r->nring - 1 - same - p) % PM_RING])
            same++;
        if (same == PM_RING / 2) return p;
    }
    return PM_RING / 2;
}

static enum rw_code out_of_fuel(struct pm_run *r, const struct pm_stage *s) {
    struct buf names = {0};
    uint32_t p = period(r);
    bool *named = arena_zalloc(&r->arena, r->p->rules.len * sizeof *named);
    for (uint32_t i = 0; i < p; i++) {
        uint32_t rule = r->ring[(r->nring - p + i) % PM_RING];
        if (named[rule]) continue;
        named[rule] = true;
        buf_printf(&names, "%s\"%s\"", names.len ? ", " : "", r->p->rules.at[rule]->name);
    }
    diag_at(r->diags, DIAG_ERROR, s->stage->at,
            "phase \"%s\" of pack \"%s\" does not come to an end: %s goes on making what "
            "it matches",
            s->stage->name, s->pack->name, buf_text(&names));
    buf_free(&names);
    return RW_WRONG;
}

/* --- phases ----------------------------------------------------------------------- */
static void fill(struct pm_run *r, const struct pm_stage *s, struct pm_work *w) {
    const struct pm_site site = pm_matcher_site(&r->matcher, w->g);
    if (site.labels) pm_labels_begin(site.labels, &site);
    bool labelled = pm_labels_hold(site.labels, w->g);
    if (labelled && !pm_any_program(&site.labels->states, s)) return;
    for (ir_node n = w->g->last; n != IR_NONE; n = ir_nod(w->g, n)->prev)
        if (pm_program_at(s, &site, n)) pm_work_add(w, n);
}

/* The same without labels, which must find the same in the same order. */
static void check_matches(struct pm_run *r, const struct pm_stage *s, struct ir_graph *g,
                          ir_node n) {
    struct arena a = ARENA_EMPTY;
    struct pm_matcher bare;
    pm_matcher_init(&bare, r->p, r->model, r->options, &a);
    bare.opset = r->matcher.opset;
    pm_matcher_find(&bare, s, g, n);
    if (!pm_matchers_agree(&bare, &r->matcher))
        rw_broken(__FILE__, __LINE__, "labels change what is matched");
    pm_matcher_free(&bare);
    arena_free(&a);
}

static enum pm_outcome visit(struct pm_run *r, const struct pm_stage *s, struct pm_work *w,
                          ir_node n) {
    r->report->tried++;
    if (ir_is_unused(w->g, n)) return NOT_APPLIED;
    pm_matcher_find(&r->matcher, s, w->g, n);
    if (r->options->labels == PM_LABELS_CHECKED) check_matches(r, s, w->g, n);
    for (uint32_t i = 0; i < r->matcher.found.len; i++) {
        const struct pm_match m = r->matcher.found.at[i];
        struct pm_done done;
        enum pm_outcome o = pm_try(r, s, w->g, &m, &done);
        if (o == APPLIED) pm_work_again(w, s, &r->matcher.machine.site, &done);
        if (o == TRIED) pm_matcher_find(&r->matcher, s, w->g, n);
        else if (o != NOT_APPLIED) return o;
    }
    return NOT_APPLIED;
}

static enum rw_code run_graph(struct pm_run *r, const struct pm_stage *s, struct pm_work *w,
                              struct ir_graph *g, uint32_t *applied) {
    uint64_t done = 0;
    pm_work_begin(w, g, &r->arena);
    fill(r, s, w);
    for (ir_node n; !pm_steps_end(r) && (n = pm_work_take(w)) != IR_NONE;) {
        enum pm_outcome o = visit(r, s, w, n);
        if (++done % PROGRESS_EVERY == 0 && r->options->progress)
            r->options->progress(r->options->progress_ctx, s->stage->name, done,
                                 done + w->heap.at.len);
        if (o == NOT_APPLIED) continue;
        pm_commit(r);
        ++*applied;
        if (r->fuel-- == 0) return out_of_fuel(r, s);
        if (o == RAISED) fill(r, s, w);
    }
    return RW_OK;
}

static enum rw_code run_sweeps(struct pm_run *r, const struct pm_stage *s) {
    struct pm_work w = {0};
    struct ir_model *m = r->model;
    r->fuel = 16 * (uint64_t)nodes_now(r) + 1000;
    r->nring = 0;
    uint32_t applied = 1;
    for (uint32_t sweep = 0; sweep < MOST_SWEEPS && applied > 0; sweep++) {
        applied = 0;
        if (r->atomic) r->atomic->rule = NULL;
        for (uint32_t i = 0; i < m->graphs.len; i++)
            if (ir_graph_is_live(m->graphs.at[i]))
                TRY(run_graph(r, s, &w, m->graphs.at[i], &applied));
    }
    return RW_OK;
}

static enum rw_code run_phase(struct pm_run *r, const struct pm_stage *s) {
    struct pm_atomic atomic;
    if (!s->stage->atomic) return run_sweeps(r, s);
    pm_atomic_begin(r, &atomic);
    enum rw_code code = run_sweeps(r, s);
    pm_atomic_end(r, s);
    return code;
}

/* The line of the report for a pass, which packs may name in several places. */
static struct pm_pass_done *done_by(struct pm_run *r, const struct ir_pass *pass) {
    struct pm_report *rep = r->report;
    for (uint32_t i = 0; i < rep->passes.len; i++)
        if (rw_streq(rep->passes.at[i].name, pass->name)) return &rep->passes.at[i];
    vec_push(r->report_arena, &rep->passes, (struct pm_pass_done){.name = pass->name});
    return vec_last(&rep->passes);
}

/* Calls that stay where functions were to be inlined. */
static uint32_t count_calls(const struct ir_model *m) {
    uint32_t calls = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        if (!ir_graph_is_live(g) || g->function) continue;
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
            calls += ir_callee(g, n) != NULL;
    }
    return calls;
}

/* What is inlined must be written for the model's opset; of what cannot be the calls stay. */
static void raise_functions(struct pm_run *r) {
    struct ir_model *m = r->model;
    int64_t opset = ir_opset(m->main, "");
    const char *why;
    bool older = false;
    for (uint32_t i = 0; i < m->functions.len; i++) {
        int64_t own = ir_opset(m->functions.at[i]->body, "");
        older = older || (own > 0 && own < opset);
    }
    if (older && pm_raise(r, opset, true, &why)) pm_count_raise(r);
}

/* Number 0 is what each run begins with, others stand in packs. */
static void run_pass(struct pm_run *r, const struct ir_pass *pass, uint32_t number) {
    int64_t before = nodes_now(r);
    bool inlines = rw_streq(pass->name, "inline_functions");
    if (inlines) raise_functions(r);
    uint32_t changed = pm_step_pass(r, pass, number);
    if (inlines) r->report->calls = count_calls(r->model);
    if (number == 0 && changed == 0) return;
    struct pm_pass_done *done = done_by(r, pass);
    done->changed += changed;
    if (changed > 0) done->nodes += count_again(r) - before;
}

/* --- all of it -------------------------------------------------------------------- */
static enum rw_code raise_first(struct pm_run *r) {
    const char *why;
    int64_t wish = r->options->opset, is = ir_opset(r->model->main, "");
    if (wish == 0 || wish == is) return RW_OK;
    if (wish > is && pm_raise(r, wish, true, &why)) {
        pm_count_raise(r);
        return RW_OK;
    }
    if (wish < is) why = "an opset is only ever raised";
    diag_where(r->diags, DIAG_ERROR, NULL,
               "the model cannot go from opset %" PRId64 " to %" PRId64 ": %s", is, wish,
               why);
    if (r->in_function)
        diag_where(r->diags, DIAG_HELP, NULL,
                   "it stands in a function: --inline-functions gives it what the calls say");
    return RW_USAGE;
}

static enum rw_code run_stages(struct pm_run *r) {
    if (r->options->inline_functions) run_pass(r, ir_pass_find("inline_functions"), 0);
    TRY(raise_first(r));
    if (r->options->only_raise) return RW_OK;
    const struct ir_pass *cse = ir_pass_find("cse");
    if (cse) run_pass(r, cse, 0);
    for (uint32_t i = 0; i < r->p->stages.len && !pm_steps_end(r); i++) {
        const struct pm_stage *s = &r->p->stages.at[i];
        if (s->raises) continue;
        if (r->options->before && !r->options->before(r->options->before_ctx, s)) break;
        if (s->stage->is_pass) run_pass(r, ir_pass_find(s->stage->name), i + 1);
        else TRY(run_phase(r, s));
    }
    return RW_OK;
}

void pm_run_begin(struct pm_run *r) {
    pm_matcher_init(&r->matcher, r->p, r->model, r->options, &r->arena);
    map_init(&r->refused, &r->arena);
    map_init(&r->staged_at, &r->arena);
    r->counted = UINT64_MAX; /* never yet */
    choose_rules(r);
    pm_steps_begin(r);
}

void pm_run_end(struct pm_run *r) {
    pm_matcher_free(&r->matcher);
    arena_free(&r->arena);
}

enum rw_code pm_run(const struct pm_auto *p, struct ir_model *m, const struct pm_options *o,
                    struct arena *report_arena, struct pm_report *report,
                    struct diag_sink *diags) {
    TRY(pm_check_defines(p, o, diags));
    struct pm_run r = {.p = p, .model = m, .options = o, .report = report, .diags = diags,
                       .report_arena = report_arena};
    *report = (struct pm_report){.nodes_before = count_nodes(m),
                                 .opset_before = ir_opset(m->main, "")};
    pm_run_begin(&r);
    struct pm_labels labels;
    if (o->labels != PM_LABELS_OFF) {
        pm_labels_init(&labels, p, &r.arena);
        r.matcher.labels = &labels;
    }
    enum rw_code code = pm_check_domains(&r);
    if (code == RW_OK) code = run_stages(&r);
    if (code == RW_OK) code = pm_restore_staged(&r);
    report->nodes_after = count_nodes(m);
    report->opset_after = ir_opset(m->main, "");
    report->candidates = r.matcher.candidates;
    report->tests = r.matcher.machine.tests;
    pm_run_end(&r);
    return code;
}
