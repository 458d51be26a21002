/* case.c -- one instance: made, matched, rewritten, and the result looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/rule/case.h"

/* --- what the conditions say ------------------------------------------------------ */
/* Of matches of the same nodes, such as with operands the other way round, the one that gets
 * furthest. */
#define MOST_FITS 32 /* that differ in nodes, at one root */
struct fits {
    const struct rule *rule;
    uint32_t n;
    struct pm_fit at[MOST_FITS];
};

static void note(void *ctx, const struct pm_fit *f) {
    struct fits *all = ctx;
    uint32_t i = 0;
    if (!rw_streq(f->rule->name, all->rule->name)) return; /* the maker of what it matches */
    while (i < all->n && all->at[i].nodes != f->nodes) i++;
    if (i == MOST_FITS || (i < all->n && f->refuses <= all->at[i].refuses)) return;
    all->n += i == all->n;
    all->at[i] = *f;
}

/* A condition is seen not to hold where it turns a match down: the patterns fit as wholes,
 * those in front of it hold, and no other match of the same nodes gets as far. */
static void ask(const struct judge_plan *p, struct judge_case *c, struct arena *a) {
    struct ir_graph *g = c->instance->graph;
    struct pm_options o = {.target = p->target, .natives = p->natives};
    struct pm_asker *t = pm_asker_new(p->rules, g->model, &o, a);
    uint32_t furthest = 0;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        struct fits all = {.rule = p->rule};
        pm_fits(t, g, n, note, &all);
        for (uint32_t i = 0; i < all.n; i++) {
            const struct pm_fit *f = &all.at[i];
            if (f->is == IR_FALSE) c->failed[f->refuses] = true;
            if (f->is == IR_UNKNOWN) c->unknown[f->refuses] = true;
            if (f->refuses >= furthest) c->block = f->block;
            furthest = rw_max_u32(furthest, f->refuses);
        }
    }
    pm_asker_free(t);
}

/* --- the interface ---------------------------------------------------------------- */
struct interface {
    uint32_t n;
    struct { const char *name; const struct ir_type *type; } *at;
};

static void add_value(const struct ir_graph *g, ir_value v, struct interface *out) {
    out->at[out->n].name = ir_val(g, v)->name;
    out->at[out->n++].type = ir_val(g, v)->type;
}

/* Crossing IR version 4 takes constants off the list of inputs. */
static struct interface interface_of(const struct ir_model *m, struct arena *a) {
    const struct ir_graph *g = m->main;
    struct interface out = {0};
    out.at = arena_array(a, g->inputs.len + g->outputs.len + 1, sizeof *out.at);
    for (uint32_t i = 0; i < g->inputs.len; i++)
        if (!ir_has(g, g->inputs.at[i], IR_IS_INIT)) add_value(g, g->inputs.at[i], &out);
    for (uint32_t i = 0; i < g->outputs.len; i++)
        add_value(g, g->uses.at[g->outputs.at[i]].value, &out);
    return out;
}

static bool is_kept(const struct ir_model *m, const struct interface *was,
                    struct arena *a) {
    struct interface is = interface_of(m, a);
    if (is.n != was->n) return false;
    for (uint32_t i = 0; i < is.n; i++) {
        const struct ir_type *x = was->at[i].type, *y = is.at[i].type;
        if (!rw_streq(was->at[i].name, is.at[i].name)) return false;
        if (ir_type_equal(m->dims, x, y) == IR_FALSE) return false;
        if (ir_type_ranked(x) && !ir_type_ranked(y)) return false;
    }
    return true;
}

/* --- rewriting -------------------------------------------------------------------- */
static const char *first_error(const struct diag_sink *s) {
    for (uint32_t i = 0; i < s->list.len; i++)
        if (s->list.at[i].level == DIAG_ERROR) return s->list.at[i].text;
    return "no reason is given";
}

static bool is_valid(struct ir_model *m, struct diag_sink *diags) {
    return ir_infer_model(m, diags) == RW_OK && ir_verify_model(m, diags) == RW_OK;
}

static enum judge_end wrong(struct judge_case *c, const char *what) {
    c->what = what;
    return JUDGE_WRONG;
}

static enum judge_end outcome(const struct pm_report *report, const struct rule *r) {
    for (uint32_t i = 0; i < report->rules.len; i++) {
        if (!rw_streq(report->rules.at[i].rule->name, r->name)) continue;
        return report->rules.at[i].count ? JUDGE_SAME : JUDGE_NET_REFUSED;
    }
    return JUDGE_UNMATCHED;
}

static bool emits_staged(const struct rule *r) {
    for (uint32_t i = 0; i < r->nblocks; i++)
        for (uint32_t k = 0; k < r->blocks[i].n; k++)
            if (r->blocks[i].stmts[k].what->staged) return true;
    return false;
}

/* Conditions on a staged operator are asked when the maker has made it. */
struct asking {
    const struct judge_plan *plan;
    struct judge_case *c;
    struct arena *arena;
};

static bool ask_again(void *ctx, const struct pm_stage *s) {
    struct asking *x = ctx;
    RW_UNUSED(s);
    ask(x->plan, x->c, x->arena);
    return true;
}

static enum judge_end rewrite(const struct judge_plan *p, struct judge_case *c,
                              struct arena *a) {
    struct ir_model *m = c->instance->model;
    struct pm_report report = {0};
    struct diag_sink diags;
    diag_init(&diags, a);
    bool raises = rw_streq(p->rule->pack->name, "opset");
    struct asking asking = {p, c, a};
    struct pm_options o = {.target = p->target, .level = p->rule->class,
                           .natives = p->natives,
                           .before = p->maker ? ask_again : NULL, .before_ctx = &asking,
                           .opset = raises ? p->rule->requires_opset : 0,
                           .bodies = !p->maker || emits_staged(p->rule)};
    if (o.level < CLASS_FLOAT) o.level = CLASS_FLOAT;
    struct interface was = interface_of(m, a);
    enum rw_code code = pm_run(p->rules, m, &o, a, &report, &diags);
    if (code == RW_USAGE) return JUDGE_UNMATCHED; /* it cannot be raised */
    /* What the maker made, and this rule did not take, need not be what its body is. */
    if (code != RW_OK && p->maker && o.bodies) return JUDGE_NET_REFUSED;
    if (code != RW_OK) return wrong(c, first_error(&diags));
    enum judge_end end = outcome(&report, p->rule);
    if (end != JUDGE_SAME) return end;
    if (!is_kept(m, &was, a))
        return wrong(c, "names, types or shapes of the interface change");
    if (!is_valid(m, &diags))
        return wrong(c, arena_printf(a, "the result is no valid model: %s",
                                     first_error(&diags)));
    if (!is_kept(m, &was, a))
        return wrong(c, "types or shapes of the interface are others when inferred anew");
    return JUDGE_SAME;
}

static void name_nodes(struct ir_model *m, bool named) {
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
            ir_name_node(g, n, named ? arena_printf(m->arena, JUDGE_OWN "%u.%u", i, n) : NULL);
    }
}

/* With names, so that an error says whose it is. */
static enum rw_code result_of(struct ir_model *m, struct arena *a, struct diag_sink *diags,
                              struct judge_model *out) {
    name_nodes(m, true);
    enum rw_code code = judge_model_of(m, a, diags, out);
    name_nodes(m, false);
    return code;
}

struct judge_case judge_case_run(const struct judge_plan *p, struct judge *j,
                                 struct judge_draws *d, struct arena *a) {
    struct judge_case c = {.end = JUDGE_NO_INSTANCE};
    struct diag_sink diags;
    diag_init(&diags, a);
    c.instance = judge_generate(p, d, a);
    if (!c.instance || !is_valid(c.instance->model, &diags)) return c;
    uint64_t seed = judge_draw(d, 1000);
    c.block = p->rule->nblocks;
    c.failed = arena_zalloc(a, (p->rule->nwhere + 1) * sizeof *c.failed);
    c.unknown = arena_zalloc(a, (p->rule->nwhere + 1) * sizeof *c.unknown);
    c.rounds = judge_is_quantised(c.instance->model);
    if (!p->maker) ask(p, &c, a);
    if (p->asks) {
        c.end = JUDGE_UNMATCHED;
        if (p->maker) rewrite(p, &c, a);
        return c;
    }
    if (judge_model_of(c.instance->model, a, &diags, &c.before) != RW_OK) return c;
    c.made_of = d;
    c.end = rewrite(p, &c, a);
    /* What contradicts itself where nobody saw it is no instance. */
    if (c.end == JUDGE_WRONG && !judge_case_is_sound(p, j, &c, seed, a)) c.end = JUDGE_NO_ORIGINAL;
    if (c.end != JUDGE_SAME) return c;
    if (result_of(c.instance->model, a, &diags, &c.after) != RW_OK)
        c.end = wrong(&c, "the result cannot be written");
    else
        c.end = judge_case_compare(p, j, &c, seed, a);
    if (c.end == JUDGE_WRONG && !judge_sizes_fit(&c, a)) c.end = JUDGE_NO_ORIGINAL;
    return c;
}
