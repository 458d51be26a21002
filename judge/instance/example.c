/* example.c -- see example.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/example.h"

struct reader {
    const struct pm_auto *rules;
    const struct rule *rule, *maker;
    const struct pm_natives *natives;
    const struct pm_options *options;
    struct judge_example *to;
    struct ir_graph *g;
};

static void note(const struct reader *x, const struct rule *r,
                 const struct pm_binding *slots, struct judge_known *to) {
    for (uint32_t i = 0; i < r->nslots; i++) {
        struct pm_binding b = slots[i];
        if (to[i].kind != BOUND_NOTHING || b.a == IR_NONE) continue;
        if (b.kind != BOUND_VALUE && b.kind != BOUND_DIM) continue;
        to[i] = (struct judge_known){.kind = b.kind, .dim = b.a};
        if (b.kind == BOUND_DIM) continue;
        to[i].type = ir_val(x->g, b.a)->type;
        to[i].tensor = ir_const(x->g, b.a);
    }
}

static bool matched(void *ctx, const struct rule *r, const struct pm_binding *slots) {
    const struct reader *x = ctx;
    bool own = rw_streq(r->name, x->rule->name);
    if (own) note(x, r, slots, x->to->own);
    if (!own && x->maker && rw_streq(r->name, x->maker->name))
        note(x, r, slots, x->to->makers);
    return true;
}

/* What the maker makes is there before the second stage. */
static bool before_stage(void *ctx, const struct pm_stage *s) {
    struct reader *x = ctx;
    RW_UNUSED(s);
    for (ir_node n = x->g->first; n != IR_NONE; n = ir_nod(x->g, n)->next)
        pm_matches(x->rules, x->g, n, x->options, matched, x);
    return true;
}

static struct ir_model *read(const struct rule_example *e, struct arena *a,
                             struct diag_sink *diags) {
    struct ir_model *m = ir_text_parse_span(a, e->graph, diags);
    return m && ir_infer_model(m, diags) == RW_OK ? m : NULL;
}

static uint32_t nslots(const struct rule *r) { return r ? r->nslots + 1 : 1; }

static bool example_of(struct reader *x, const struct rule_example *e, struct arena *a) {
    struct diag_sink diags;
    struct pm_report report = {0};
    diag_init(&diags, a);
    struct ir_model *m = read(e, a, &diags);
    x->to->written = read(e, a, &diags);
    if (!m || !x->to->written) return false;
    x->to->dims = m->dims;
    x->to->own = arena_zalloc(a, nslots(x->rule) * sizeof *x->to->own);
    x->to->makers = arena_zalloc(a, nslots(x->maker) * sizeof *x->to->makers);
    x->g = m->main;
    struct pm_options o = {.target = x->rule->targets & TARGET_ONNX || !x->rule->targets
                                         ? TARGET_ONNX : x->rule->targets,
                           .level = x->rule->class, .bodies = true,
                           .natives = x->natives,
                           .before = before_stage, .before_ctx = x};
    if (o.level < CLASS_FLOAT) o.level = CLASS_FLOAT;
    x->options = &o;
    pm_run(x->rules, m, &o, a, &report, &diags);
    return true;
}

void judge_examples_of(const struct pm_auto *rules, const struct rule *r,
                       const struct rule *maker, const struct pm_natives *natives,
                       struct arena *a, struct judge_examples *out) {
    *out = (struct judge_examples){0};
    for (uint32_t i = 0; i < r->nexamples; i++) {
        struct judge_example e = {0};
        struct reader x = {.rules = rules, .rule = r, .maker = maker, .natives = natives,
                           .to = &e};
        if (example_of(&x, &r->examples[i], a)) vec_push(a, &out->list, e);
    }
}
