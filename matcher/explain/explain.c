/* explain.c -- how the rules of a pack fare at the nodes of a model.
 *
 * A run of the pack stops in front of each stage; each of the stage's rules is compiled by
 * itself and looked at from every node that can be its root. What matches is tried and
 * taken back, so that a refusal is told with its reason. Nodes that fare the same are one
 * fate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"
#include "matcher/explain/near.h"

/* Matches that are tried; raising the opset goes over the whole model each time. */
#define MOST_TRIALS 200u

struct explainer {
    const struct pm_auto *p;
    struct ir_model *model;
    const struct pm_options *options;
    const struct pm_question *q;
    struct arena *a; /* of the answer */
    struct pm_answer *out;
    struct diag_sink *diags;
    enum rw_code code;
};
/* One rule at one stage. */
struct look {
    struct explainer *x;
    struct arena scratch;
    const struct pm_auto *p; /* of that rule alone */
    const struct pm_stage *stage; /* of it */
    struct pm_run run;
    struct pm_report report;
    struct diag_sink diags;  /* of raising */
    struct pm_explained *out;
    struct intern keys;      /* of the fates */
    uint32_t trials;
    bool inside;             /* the node asked for is looked for inside the pattern */
    struct pm_walk walk;
    struct pm_near near;
    VEC(struct pm_reason) reasons;
    uint32_t pick;           /* 1 + pc of the PICK that the first reason hangs on; 0: none */
};

/* --- the node asked for --------------------------------------------------------------- */
static bool is_named(const struct ir_graph *g, ir_node n, const char *name) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (x->name && rw_streq(x->name, name)) return true;
    for (uint32_t k = 0; k < x->nout; k++)
        if (x->out[k] != IR_NONE && rw_streq(ir_val(g, x->out[k])->name, name)) return true;
    return false;
}

static bool is_asked_for(const struct look *l, const struct ir_graph *g, ir_node n) {
    return !l->x->q->node || l->inside || is_named(g, n, l->x->q->node);
}

static bool involves_node(const struct look *l, const struct ir_graph *g) {
    const struct pm_machine *m = &l->run.matcher.machine;
    for (uint32_t i = 0; i < m->nodes.len; i++)
        if (is_named(g, m->nodes.at[i].node, l->x->q->node)) return true;
    return false;
}

/* --- reasons -------------------------------------------------------------------------- */
static void hear(void *ctx, struct pm_walk *w, struct pm_failed f) {
    struct look *l = ctx;
    const struct pm_insn *in = &l->p->code.at[f.pc];
    if (l->reasons.len == 0 && f.what == ASKED_INSN) {
        uint16_t r = in->op == PM_SAME || in->op == PM_MEET ? in->b : in->a;
        l->pick = w->pick[r];
    }
    vec_push(w->t->arena, &l->reasons, pm_tell(w, f, &w->t->step));
}

static const char *keep(struct look *l, const char *text) {
    return text ? arena_strdup(l->x->a, text) : NULL;
}

/* Without what stands in quotes, which are names. */
static void without_names(const char *text, struct buf *out) {
    bool quoted = false;
    for (; *text; text++) {
        if (*text == '"') quoted = !quoted;
        else if (!quoted) buf_putc(out, *text);
    }
}

static const struct pm_pair *pair_of(struct look *l, struct ir_graph *g) {
    struct pm_walk *w = &l->walk;
    if (l->pick == 0) return NULL;
    const struct pm_insn *in = &l->p->code.at[l->pick - 1];
    const struct pat *pat = l->p->places.at[l->pick - 1].pat;
    ir_node n = w->t->machine.regs.at[in->c].a;
    if (w->gone[in->c] || ir_input(g, n, 0) == ir_input(g, n, 1)) return NULL;
    struct pm_pair *pair = arena_new(l->x->a, struct pm_pair);
    pair->node = pm_node_text(g, n, l->x->a);
    for (uint32_t i = 0; i < 2; i++) {
        ir_value v = ir_input(g, n, i);
        pair->operand[i] = v == IR_NONE ? "absent" : keep(l, ir_val(g, v)->name);
        pair->pattern[i] = pat->args[i]->at;
    }
    for (uint32_t swap = 0; swap < 2; swap++) {
        struct pm_sides s;
        pm_try_sides(w, &l->near, l->pick - 1, swap, &s);
        for (uint32_t i = 0; i < 2; i++) {
            pair->held[i][i ^ swap] = s.held[i];
            pair->total[i][i ^ swap] = s.total[i];
        }
    }
    return pair;
}

/* --- fates ---------------------------------------------------------------------------- */
static struct pm_fate *same_fate(struct look *l, enum pm_verdict verdict,
                                 const char *refused, bool *is_new) {
    struct buf key = {0};
    buf_printf(&key, "%d %u %u ", verdict, l->near.held, l->near.total);
    if (l->reasons.len > 0) {
        buf_printf(&key, "%u ", l->reasons.at[0].at.begin);
        without_names(l->reasons.at[0].text, &key);
    }
    if (refused) without_names(refused, &key);
    uint32_t id = intern(&l->keys, buf_text(&key));
    buf_free(&key);
    *is_new = id > l->out->fates.len;
    if (*is_new) vec_push(l->x->a, &l->out->fates, (struct pm_fate){.verdict = verdict});
    return &l->out->fates.at[id - 1];
}

static void add_fate(struct look *l, struct ir_graph *g, ir_node root,
                     enum pm_verdict verdict, const char *refused) {
    bool is_new;
    struct pm_fate *f = same_fate(l, verdict, refused, &is_new);
    f->count++;
    if (!is_new) {
        if (f->others.len < l->x->q->other_names)
            vec_push(l->x->a, &f->others, keep(l, pm_node_name(g, root)));
        return;
    }
    f->held = l->near.held;
    f->total = l->near.total;
    f->unreached = f->total - f->held - l->reasons.len;
    f->gave_up = l->near.gave_up;
    f->root = pm_node_text(g, root, l->x->a);
    f->name = keep(l, pm_node_name(g, root));
    f->graph = keep(l, g->name);
    f->refused = keep(l, refused);
    for (uint32_t i = 0; i < l->reasons.len; i++) {
        struct pm_reason r = l->reasons.at[i];
        r.text = keep(l, r.text);
        r.node = keep(l, r.node);
        r.value = keep(l, r.value);
        vec_push(l->x->a, &f->reasons, r);
    }
    if (verdict == PM_MISSES) f->pair = pair_of(l, g);
}

/* --- matches -------------------------------------------------------------------------- */
static const char *why_not(struct look *l, bool needs_opset) {
    const struct pm_report *rep = &l->report;
    if (rep->rules.len > 0 && rep->rules.at[0].why) return rep->rules.at[0].why;
    if (needs_opset && l->x->options->keep_opset)
        return "it needs a newer opset, and --keep-opset is given";
    if (needs_opset && l->diags.list.len > 0) return vec_last(&l->diags.list)->text;
    if (needs_opset) return "the model cannot be raised to the opset that it needs";
    return "it would rewrite what it made itself";
}

/* Applies a match and takes it back; NULL when it goes through. */
static const char *try_it(struct look *l, struct ir_graph *g, ir_node root) {
    struct pm_run *r = &l->run;
    const char *why = NULL;
    if (l->out->off || l->trials++ >= MOST_TRIALS) return NULL;
    ir_mark_t mark = ir_mark(r->model);
    l->report.rules.len = 0;
    r->applied[0] = 0;
    r->vain = 0;
    pm_matcher_find(&r->matcher, l->stage, g, root);
    for (uint32_t i = 0; i < r->matcher.found.len; i++) {
        struct pm_match m = r->matcher.found.at[i];
        struct pm_env env = pm_matcher_env(&r->matcher, g, &m);
        struct pm_done done;
        if (!pm_conditions_hold(&env, &m)) continue;
        bool needs = pm_needs_opset(&env, m.accept->rule);
        enum pm_outcome o = pm_try(r, l->stage, g, &m, &done);
        why = o == APPLIED || o == RAISED ? NULL : why_not(l, needs);
        if (o != NOT_APPLIED) break;
    }
    ir_undo(r->model, mark);
    ir_commit(r->model);
    return why;
}

/* --- one node ------------------------------------------------------------------------- */
static void look_at(struct look *l, struct ir_graph *g, ir_node n) {
    struct pm_walk *w = &l->walk;
    if (!is_asked_for(l, g, n) || ir_is_unused(g, n)) return;
    if (!pm_nearest(w, &l->run.matcher, l->stage, g, n, &l->near)) return;
    l->reasons.len = 0;
    l->pick = 0;
    pm_go_again(w, &l->near, hear, l);
    if (l->inside && !involves_node(l, g)) return;
    l->out->nroots++;
    if (l->near.held < l->near.total) {
        add_fate(l, g, n, PM_MISSES, NULL);
        return;
    }
    const char *why = try_it(l, g, n);
    l->out->nmatches += !why;
    add_fate(l, g, n, why ? PM_REFUSED : PM_MATCHES, why);
}

static void look_around(struct look *l) {
    struct ir_model *m = l->x->model;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        if (!ir_graph_is_live(g)) continue;
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) look_at(l, g, n);
    }
}

/* --- one rule ------------------------------------------------------------------------- */
static const struct rule_pack *opset_pack(const struct pm_auto *p) {
    for (uint32_t i = 0; i < p->stages.len; i++)
        if (p->stages.at[i].raises) return p->stages.at[i].pack;
    return NULL;
}

/* The rule alone, with what raises opsets. */
static bool compile_alone(struct look *l, const struct rule *rule) {
    const struct rule_pack *packs[2] = {dsl_alone(&l->scratch, 1, &rule), opset_pack(l->x->p)};
    l->p = pm_compile(&l->scratch, packs, packs[1] ? 2 : 1, l->x->diags);
    if (l->p) l->stage = &l->p->stages.at[0];
    return l->p != NULL;
}

static const char *ops_of(struct look *l) {
    struct buf text = {0};
    for (uint32_t i = 0; i < l->stage->nprograms; i++)
        buf_printf(&text, "%s%s", i ? ", " : "",
                   l->p->op.at[l->stage->programs[i].op].name);
    const char *ops = keep(l, buf_text(&text));
    buf_free(&text);
    return ops;
}

static const char *off_because(const struct look *l, const struct rule *r) {
    if (l->run.on[0]) return NULL;
    return r->class > l->x->options->level ? "its class is beyond -O" : "its target is another";
}

/* Is a node of that name a possible root? Notes that there is one at all. */
static bool node_is_root(struct look *l) {
    struct ir_model *m = l->x->model;
    struct pm_site site = {.p = l->p, .names = &l->run.matcher.names, .arena = &l->scratch};
    bool is_root = false;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        site.g = m->graphs.at[i];
        if (!ir_graph_is_live(site.g)) continue;
        for (ir_node n = site.g->first; n != IR_NONE; n = ir_nod(site.g, n)->next) {
            if (!is_named(site.g, n, l->x->q->node)) continue;
            l->x->out->node_known = true;
            if (pm_program_at(l->stage, &site, n)) is_root = true;
            else l->out->node_op = ir_op_name(site.g, n);
        }
    }
    return is_root;
}

/* The nearest first; those that come first where equal. */
static bool is_nearer(const struct pm_fate *a, const struct pm_fate *b) {
    if (a->verdict != b->verdict) return a->verdict > b->verdict;
    uint64_t x = (uint64_t)a->held * b->total, y = (uint64_t)b->held * a->total;
    return x != y ? x > y : a->total > b->total;
}

static void sort_fates(struct pm_explained *e) {
    for (uint32_t i = 1; i < e->fates.len; i++) {
        struct pm_fate f = e->fates.at[i];
        uint32_t k = i;
        for (; k > 0 && is_nearer(&f, &e->fates.at[k - 1]); k--)
            e->fates.at[k] = e->fates.at[k - 1];
        e->fates.at[k] = f;
    }
}

static void explain_rule(struct explainer *x, const struct pm_stage *s,
                         const struct rule *rule) {
    struct look l = {.x = x};
    if (!compile_alone(&l, rule)) {
        x->code = RW_USAGE;
        arena_free(&l.scratch);
        return;
    }
    struct pm_explained e = {.rule = rule, .pack = s->pack, .phase = s->stage->name};
    l.out = &e;
    l.run = (struct pm_run){.p = l.p, .model = x->model, .options = x->options,
                            .report = &l.report, .report_arena = &l.scratch,
                            .diags = &l.diags};
    diag_init(&l.diags, &l.scratch);
    intern_init(&l.keys, &l.scratch);
    pm_run_begin(&l.run);
    e.off = off_because(&l, rule);
    e.wanted_op = ops_of(&l);
    l.inside = x->q->node && !node_is_root(&l);
    look_around(&l);
    sort_fates(&e);
    vec_push(x->a, &x->out->rules, e);
    pm_run_end(&l.run);
    arena_free(&l.scratch);
}

/* --- stages --------------------------------------------------------------------------- */
static bool is_asked(const struct explainer *x, const struct rule *r) {
    return !x->q->rule || rw_streq(x->q->rule, r->name);
}

static bool is_asked_later(const struct explainer *x, const struct pm_stage *s) {
    for (const struct pm_stage *k = s + 1; k < x->p->stages.at + x->p->stages.len; k++)
        for (uint32_t i = 0; !k->stage->is_pass && !k->raises && i < k->stage->nrules; i++)
            if (is_asked(x, k->pack->rules[k->stage->rules[i]])) return true;
    return false;
}

static bool before_stage(void *ctx, const struct pm_stage *s) {
    struct explainer *x = ctx;
    for (uint32_t i = 0; !s->stage->is_pass && i < s->stage->nrules; i++) {
        const struct rule *r = s->pack->rules[s->stage->rules[i]];
        if (!is_asked(x, r)) continue;
        x->out->rule_known = true;
        explain_rule(x, s, r);
    }
    return x->code == RW_OK && is_asked_later(x, s);
}

enum rw_code pm_explain(const struct pm_auto *p, struct ir_model *m,
                        const struct pm_options *o, const struct pm_question *q,
                        struct arena *a, struct pm_answer *out, struct diag_sink *diags) {
    struct explainer x = {.p = p, .model = m, .options = o, .q = q, .a = a, .out = out,
                          .diags = diags};
    struct pm_options run = *o;
    struct pm_report report;
    run.before = before_stage;
    run.before_ctx = &x;
    *out = (struct pm_answer){0};
    enum rw_code code = pm_run(p, m, &run, a, &report, diags);
    return code == RW_OK ? x.code : code;
}
