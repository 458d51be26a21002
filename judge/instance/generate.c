/* generate.c -- the frame of an instance: versions, users, outputs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

/* --- the model -------------------------------------------------------------------- */
static enum ir_dtype draw_dtype(struct gen *x) {
    static const enum ir_dtype some[] = {
        IR_FLOAT,   IR_FLOAT, IR_FLOAT, IR_FLOAT, IR_FLOAT, IR_DOUBLE,
        IR_FLOAT16, IR_INT64, IR_INT32, IR_BOOL,  IR_FLOAT, IR_UINT8};
    return some[gen_draw(x, countof(some))];
}

/* Now and then one condition is not heeded. */
static uint32_t against(struct gen *x) {
    uint32_t n = x->rule->nwhere;
    if (n == 0 || gen_draw(x, 6) < (x->plan->enough ? 1u : 5u)) return n;
    return judge_draw_wish(x->d, n, x->plan->sought);
}

/* A rule that carries nodes to an opset has to do with those of older ones. */
static int64_t draw_opset(struct gen *x) {
    const struct judge_plan *p = x->plan;
    int64_t most = p->opset_most, raised = p->rule->requires_opset;
    bool older = p->rule->pack->raises_opset && raised > p->opset_least && raised <= most;
    if (older && gen_draw(x, 8) < 7) most = raised - 1;
    return most - gen_draw(x, (uint32_t)(most - p->opset_least + 1));
}

static void begin(struct gen *x) {
    x->against = against(x);
    x->opset = draw_opset(x);
    judge_hint_other_opset(x, &x->opset);
    int64_t version = ir_version_for_opset(x->opset);
    if (version < 4 && gen_chance(x, 50)) version = 4;
    x->m = ir_model_new(x->a, version);
    x->m->main->name = "instance";
    x->g = x->m->main;
    ir_set_opset(x->m, "", x->opset);
    x->out->model = x->m;
    x->wild = gen_draw(x, 5) == 4 ? 12 : 0;
    x->dtype = draw_dtype(x);
    judge_gen_begin_body(x);
    x->out->graph = x->g;
    x->slots = arena_zalloc(x->a, (x->rule->nslots + 1) * sizeof *x->slots);
    x->params = arena_zalloc(x->a, (x->rule->nslots + 1) * sizeof *x->params);
    judge_gen_base(x);
    judge_gen_begin_example(x);
    struct gen_shape related;
    const struct rule *own = x->rule;
    if (x->plan->maker) x->rule = x->plan->maker; /* it knows what its operators want */
    if (gen_chance(x, 70) && judge_gen_related_base(x, &related)) x->base = related;
    x->rule = own;
}

/* --- who sees it ------------------------------------------------------------------ */
/* A node that loses nothing: its result is a graph output. */
static bool add_user(struct gen *x, ir_value v) {
    ir_value out = ir_add_value(x->g, "out", NULL);
    enum ir_dtype t = ir_type_dtype(ir_val(x->g, v)->type);
    const char *op = t == IR_BOOL ? "Not" : ir_dtype_is_float(t) ? "Neg" : "Identity";
    struct ir_new_node node = {.op = op, .domain = "", .nin = 1, .nout = 1, .in = &v,
                               .out = &out};
    GEN(ir_infer_node(x->g, ir_add_node(x->g, &node, IR_NONE), NULL));
    ir_add_output(x->g, out);
    return true;
}

/* A value becomes an output once. */
static void make_output(struct gen *x, ir_value v) {
    if (!ir_has(x->g, v, IR_IS_OUTPUT)) ir_add_output(x->g, v);
}

static bool show_root(struct gen *x, ir_value v) {
    uint32_t way = gen_draw(x, 8);
    if (way == 6 || way == 7) make_output(x, v);
    return way == 7 || (add_user(x, v) && (way != 5 || add_user(x, v)));
}

static bool is_root(const struct gen *x, ir_value v) {
    for (uint32_t i = 0; i < x->rule->nroots; i++)
        if (x->slots[x->rule->roots[i]].kind == BOUND_VALUE &&
            x->slots[x->rule->roots[i]].a == v)
            return true;
    for (uint32_t i = 0; i < x->members.len; i++)
        if (x->members.at[i] == v) return true;
    return false;
}

static bool may_be_seen(const struct gen *x, ir_value v) {
    for (uint32_t i = 0; i < x->rule->nslots; i++)
        if (x->slots[i].kind == BOUND_VALUE && x->slots[i].a == v &&
            (x->rule->slots[i].flags & SLOT_KEEP))
            return true;
    return false;
}

/* Interior values are seen outside where the rule allows it, and now and then where it
 * does not. */
static bool show_interior(struct gen *x) {
    bool leaky = gen_draw(x, 10) == 9;
    for (uint32_t i = 0; i < x->interior.len; i++) {
        ir_value v = x->interior.at[i];
        if (is_root(x, v)) continue;
        if (!gen_chance(x, may_be_seen(x, v) ? 50 : leaky ? 25 : 0)) continue;
        if (gen_draw(x, 3) == 2) make_output(x, v);
        else GEN(add_user(x, v));
    }
    return true;
}

static void show_all(struct gen *x) {
    for (ir_value v = 0; v < x->g->values.len; v++) {
        const struct ir_value_info *i = ir_val(x->g, v);
        bool is_computed = i->producer != IR_NONE && !i->tensor;
        if (is_computed && ir_dtype_is_float(ir_type_dtype(i->type))) make_output(x, v);
    }
}

static const struct rule_family *family_of(const struct rule *r, uint32_t slot) {
    for (uint32_t i = 0; i < r->njoins; i++)
        if (r->joins[i].slot == slot) return r->joins[i].family;
    return NULL;
}

bool judge_gen_roots(struct gen *x) {
    const struct rule *r = x->rule;
    for (uint32_t i = 0; i < r->nroots; i++) {
        ir_value v;
        const struct rule_family *f = family_of(r, r->roots[i]);
        GEN(f ? judge_gen_family(x, f, &v) : judge_gen_slot(x, r->roots[i], &v));
    }
    for (uint32_t i = 0; i < r->njoins; i++) {
        ir_value v;
        if (!r->joins[i].family) GEN(judge_gen_slot(x, r->joins[i].slot, &v));
    }
    return true;
}

static bool build(struct gen *x) {
    begin(x);
    x->asker = pm_asker_new(x->plan->rules, x->m,
                            &(struct pm_options){.target = x->plan->target,
                                                 .natives = x->plan->natives}, x->a);
    GEN(judge_gen_roots(x));
    bool any = false;
    for (uint32_t i = 0; i < x->rule->nroots; i++) {
        if (family_of(x->rule, x->rule->roots[i])) continue;
        ir_value v = x->slots[x->rule->roots[i]].a;
        if (v == IR_NONE || ir_val(x->g, v)->producer == IR_NONE) continue;
        bool skip = any && gen_chance(x, 30);
        any = true;
        if (!skip) GEN(show_root(x, v));
    }
    for (uint32_t i = 0; i < x->members.len; i++) {
        any = true;
        if (!gen_chance(x, 10)) GEN(show_root(x, x->members.at[i]));
    }
    GEN(any && show_interior(x));
    if (x->plan->reveals) show_all(x);
    return judge_gen_sizes_agree(x) && judge_gen_is_small(x) && judge_gen_end_body(x);
}

/* Where all but lists such as shapes is constant, folding is at work, and not the rule. */
static bool is_all_constant(const struct gen *x) {
    for (uint32_t i = 0; i < x->out->leaves.len; i++)
        if (!x->out->leaves.at[i].fixed) return false;
    return x->was_free;
}

struct judge_instance *judge_generate(const struct judge_plan *plan, struct judge_draws *d,
                                      struct arena *a) {
    struct gen x = {.plan = plan, .rule = plan->rule, .d = d, .a = a,
                    .out = arena_new(a, struct judge_instance), .at = IR_NONE};
    bool ok = build(&x);
    if (x.asker) pm_asker_free(x.asker);
    for (uint32_t i = 0; i < x.out->made.len && !plan->reveals; i++) {
        struct judge_made k = x.out->made.at[i];
        plan->choices->list.at[k.choice].tried[k.way]++;
    }
    if (!ok || is_all_constant(&x)) return NULL;
    ir_commit(x.m);
    ir_model_settle(x.m);
    return x.out;
}
