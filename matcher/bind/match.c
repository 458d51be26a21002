/* match.c -- running the machine at a node, and pm_matches.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/match.h"

/* Values that one evaluation may look at. */
#define BUDGET 100000u

void pm_matcher_init(struct pm_matcher *t, const struct pm_auto *p, struct ir_model *m,
                     const struct pm_options *o, struct arena *a) {
    *t = (struct pm_matcher){.p = p, .model = m, .options = o, .arena = a};
    pm_names_init(&t->names, p, m, a);
    pm_params_init(&t->params, p, m, o, a);
    arena_alloc(&t->step, 1);
    t->empty = arena_mark(&t->step);
}

void pm_matcher_free(struct pm_matcher *t) { arena_free(&t->step); }

struct pm_site pm_matcher_site(struct pm_matcher *t, struct ir_graph *g) {
    return (struct pm_site){t->p, &t->names, g, &t->step, &t->members, t->labels};
}

static bool holds(void *ctx, const struct pm_machine *m, const struct pm_family *f) {
    struct pm_matcher *t = ctx;
    const struct pm_accept accept = {.rule = f->rule};
    struct pm_match match = {.accept = &accept};
    uint32_t n = f->rule->nslots;
    match.slots = arena_zalloc(&t->step, n * sizeof *match.slots);
    for (uint32_t i = 0; i < n; i++)
        if (f->regs[i] != PM_NO_REG) match.slots[i] = m->regs.at[f->regs[i]];
    struct pm_env env = pm_matcher_env(t, m->site.g, &match);
    return pm_holds(&env, f->family->where) == IR_TRUE;
}

void pm_matcher_begin(struct pm_matcher *t, struct ir_graph *g) {
    struct pm_machine *m = &t->machine;
    t->found.len = t->members.len = 0;
    arena_reset(&t->step, t->empty);
    m->site = pm_matcher_site(t, g);
    m->arena = t->arena;
    m->holds = holds;
    m->holds_ctx = t;
}

static bool keep(void *ctx, const struct pm_match *m) {
    struct pm_matcher *t = ctx;
    /* Behind those of its rank and before those of a higher one. */
    vec_push(t->arena, &t->found, *m);
    uint32_t i = t->found.len - 1;
    for (; i > 0 && t->found.at[i - 1].accept->rank > m->accept->rank; i--)
        t->found.at[i] = t->found.at[i - 1];
    t->found.at[i] = *m;
    return true;
}

void pm_matcher_find(struct pm_matcher *t, const struct pm_stage *s, struct ir_graph *g,
                     ir_node n) {
    struct pm_machine *m = &t->machine;
    pm_matcher_begin(t, g);
    m->found = keep;
    m->ctx = t;
    const struct pm_program *prog = pm_program_at(s, &m->site, n);
    if (!prog) return;
    t->candidates++;
    pm_bind(m, prog, n);
}

/* --- two matchers --------------------------------------------------------------------- */
static bool same_binding(const struct pm_matcher *x, struct pm_binding a,
                         const struct pm_matcher *y, struct pm_binding b) {
    if (a.kind != BOUND_MEMBERS || b.kind != BOUND_MEMBERS)
        return memcmp(&a, &b, sizeof a) == 0;
    return a.b == b.b && (a.b == 0 || memcmp(&x->members.at[a.a], &y->members.at[b.a],
                                             a.b * sizeof a) == 0);
}

static bool same_match(const struct pm_matcher *x, const struct pm_match *a,
                       const struct pm_matcher *y, const struct pm_match *b) {
    if (a->accept != b->accept || a->nnodes != b->nnodes) return false;
    for (uint32_t i = 0; i < a->accept->rule->nslots; i++)
        if (!same_binding(x, a->slots[i], y, b->slots[i])) return false;
    return memcmp(a->nodes, b->nodes, a->nnodes * sizeof *a->nodes) == 0;
}

bool pm_matchers_agree(const struct pm_matcher *x, const struct pm_matcher *y) {
    bool same = x->found.len == y->found.len;
    for (uint32_t i = 0; same && i < x->found.len; i++)
        same = same_match(x, &x->found.at[i], y, &y->found.at[i]);
    return same;
}

/* --- conditions ------------------------------------------------------------------------ */
struct pm_env pm_matcher_env(struct pm_matcher *t, struct ir_graph *g,
                             const struct pm_match *m) {
    return (struct pm_env){
        .site = pm_matcher_site(t, g),
        .rule = m->accept->rule,
        .slots = m->slots,
        .params = &t->params,
        .opset = t->opset ? t->opset : ir_opset(g, ""),
        .target = t->options ? t->options->target : (uint32_t)TARGET_ONNX,
        .budget = BUDGET,
    };
}

/* Reports those at one node; false when the caller has seen enough. */
static bool report(struct pm_matcher *t, struct ir_graph *g, pm_match_fn *each, void *ctx) {
    for (uint32_t i = 0; i < t->found.len; i++) {
        const struct pm_match *m = &t->found.at[i];
        struct pm_env env = pm_matcher_env(t, g, m);
        if (pm_conditions_hold(&env, m) && !each(ctx, m->accept->rule, m->slots))
            return false;
    }
    return true;
}

void pm_matches(const struct pm_auto *p, struct ir_graph *g, ir_node root,
                const struct pm_options *o, pm_match_fn *each, void *ctx) {
    struct arena a = ARENA_EMPTY;
    struct pm_matcher t;
    pm_matcher_init(&t, p, g->model, o, &a);
    for (uint32_t i = 0; i < p->stages.len; i++) {
        const struct pm_stage *s = &p->stages.at[i];
        if (s->nprograms == 0 || s->raises) continue;
        pm_matcher_find(&t, s, g, root);
        if (!report(&t, g, each, ctx)) break;
    }
    pm_matcher_free(&t);
    arena_free(&a);
}
