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
        const struct ir_graph *written = x->to->written->main;
        bool is = b.a < written->values.len;
        to[i].value = is ? b.a : IR_NONE;
        to[i].type = ir_val(is ? written : x->g, b.a)->type;
        to[i].tensor = ir_const(is ? written : x->g, b.a);
    }
}

static uint32_t nslots(const struct rule *r) { return r ? r->nslots + 1 : 1; }

/* Where the rule does not apply, the match counts that gets furthest. */
static void fits(void *ctx, const struct pm_fit *f) {
    const struct reader *x = ctx;
    struct judge_example *to = x->to;
    if (!rw_streq(f->rule->name, x->rule->name)) {
        if (x->maker && rw_streq(f->rule->name, x->maker->name) && f->is == IR_TRUE)
            note(x, f->rule, f->slots, to->makers);
        return;
    }
    if (to->fits && f->refuses < to->refuses) return;
    if (to->fits && f->refuses > to->refuses)
        memset(to->own, 0, nslots(x->rule) * sizeof *to->own);
    to->fits = true;
    to->refuses = f->refuses;
    note(x, f->rule, f->slots, to->own);
}

/* What the maker makes is there before the second stage. */
static bool before_stage(void *ctx, const struct pm_stage *s) {
    struct reader *x = ctx;
    struct arena step = ARENA_EMPTY;
    struct pm_asker *t = pm_asker_new(x->rules, x->g->model, x->options, &step);
    RW_UNUSED(s);
    for (ir_node n = x->g->first; n != IR_NONE; n = ir_nod(x->g, n)->next)
        pm_fits(t, x->g, n, fits, x);
    pm_asker_free(t);
    arena_free(&step);
    return true;
}

static struct ir_model *read(const struct rule_example *e, struct arena *a,
                             struct diag_sink *diags) {
    struct ir_model *m = ir_text_parse_span(a, e->graph, diags);
    return m && ir_infer_model(m, diags) == RW_OK ? m : NULL;
}

/* --- numbers that may be others ------------------------------------------------------ */
/* Lists are shapes, axes, bounds: as long as what they speak of. */
static bool is_list(const struct ir_graph *g, ir_value v) {
    const struct ir_type *t = ir_val(g, v)->type;
    return ir_const(g, v) && t->rank < 2 && !ir_dtype_is_float(t->dtype);
}

static void loosen_value(struct ir_graph *g, ir_value v, struct arena *a,
                         struct judge_example *e) {
    const struct ir_value_info *info = ir_val(g, v);
    if (info->producer != IR_NONE || !ir_type_ranked(info->type) || is_list(g, v)) return;
    const struct ir_type *t = info->type;
    ir_dim *dims = arena_new_array(a, ir_dim, t->rank + 1);
    for (uint32_t i = 0; i < t->rank; i++) {
        struct judge_loose l = {.name = arena_printf(a, "%c%u", JUDGE_LOOSE, e->loose.len)};
        dims[i] = t->dims[i];
        if (!ir_dim_is_const(g->model->dims, dims[i], &l.size) || l.size < 2) continue;
        vec_push(a, &e->loose, l);
        dims[i] = ir_dim_symbol(g->model->dims, l.name);
    }
    ir_set_type(g, v, ir_type_tensor(a, t->dtype, t->rank, dims));
}

/* Numbers that nodes want to be the same become the same. */
static bool loosen(struct ir_model *m, struct arena *a, struct judge_example *e) {
    struct ir_graph *g = m->main;
    for (ir_value v = 0; v < g->values.len; v++) loosen_value(g, v, a, e);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        if (!ir_infer_node(g, n, NULL)) return false;
        ir_assume_node(g, n);
    }
    return true;
}

static struct ir_model *loosened(const struct rule_example *e, struct arena *a,
                                 struct diag_sink *diags, struct judge_example *out) {
    struct ir_model *m = read(e, a, diags);
    if (!m || loosen(m, a, out)) return m;
    out->loose.len = 0;
    return read(e, a, diags);
}

static bool example_of(struct reader *x, const struct rule_example *e, struct arena *a) {
    struct diag_sink diags;
    struct pm_report report = {0};
    diag_init(&diags, a);
    struct ir_model *m = read(e, a, &diags);
    x->to->written = loosened(e, a, &diags, x->to);
    if (!m || !x->to->written) return false;
    x->to->dims = m->dims;
    x->to->refuses = x->rule->nwhere;
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
