/* body.c -- instances in the body of a Loop, where variables are captured or not,
 * and in a function of the model, which the runtime inlines.
 *
 * The Loop runs twice and collects what the body computes, so nothing has to be carried.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#define LEAST_OPSET 11 /* of a Loop that carries nothing */
#define TURNS 2
#define FUNCTIONS_SINCE 8 /* of the IR */
#define LOCAL "local"     /* domain of the function */

static ir_value body_input(struct gen *x, const char *name, enum ir_dtype t) {
    ir_value v = ir_add_value(x->g, name, ir_type_tensor(x->m->arena, t, 0, NULL));
    ir_add_input(x->g, v);
    return v;
}

void judge_gen_import(struct gen *x, const char *domain, int64_t version) {
    struct ir_function *f = x->g->function;
    if (ir_opset(x->m->main, domain) == 0) ir_set_opset(x->m, domain, version);
    if (f && ir_opset(x->g, domain) == 0)
        vec_push(x->m->arena, &f->opsets, (struct ir_opset){domain, version});
}

static void begin_function(struct gen *x) {
    ir_set_opset(x->m, LOCAL, 1);
    x->g = ir_function_new(x->m, LOCAL, "F")->body;
    judge_gen_import(x, "", x->opset);
}

static void begin_loop(struct gen *x) {
    x->g = ir_graph_new(x->m, x->m->main, "body");
    body_input(x, "i", IR_INT64);
    ir_value go = body_input(x, "go", IR_BOOL), on = ir_add_value(x->g, "on", NULL);
    struct ir_new_node node = {.op = "Identity", .domain = "", .nin = 1, .nout = 1,
                               .in = &go, .out = &on};
    ir_infer_node(x->g, ir_add_node(x->g, &node, IR_NONE), NULL);
    ir_add_output(x->g, on);
}

void judge_gen_begin_body(struct gen *x) {
    uint32_t way = gen_draw(x, 100);
    if (way >= 88 && x->opset >= LEAST_OPSET) begin_loop(x);
    else if (way >= 80 && x->m->ir_version >= FUNCTIONS_SINCE) begin_function(x);
}

ir_value judge_gen_input(struct gen *x, const char *name, const struct ir_type *t) {
    struct ir_graph *g = x->m->main;
    ir_value v = ir_add_value(g, name, t);
    ir_add_input(g, v);
    return v;
}

ir_value judge_gen_seen_inside(struct gen *x, ir_value v) {
    if (x->g == x->m->main) return v;
    if (!x->g->function) return ir_add_outer(x->g, v);
    const struct ir_value_info *is = ir_val(x->m->main, v);
    ir_value inside = ir_add_value(x->g, is->name, is->type);
    x->args.len = x->g->inputs.len; /* those of an attempt that failed are gone */
    vec_push(x->a, &x->args, v);
    ir_add_input(x->g, inside);
    return inside;
}

static bool call_function(struct gen *x) {
    struct ir_graph *g = x->m->main;
    uint32_t n = x->g->outputs.len;
    ir_value *out = arena_new_array(x->a, ir_value, n);
    for (uint32_t i = 0; i < n; i++) out[i] = ir_add_value(g, "result", NULL);
    struct ir_new_node call = {.op = x->g->function->name, .domain = LOCAL,
                               .nin = x->g->inputs.len, .nout = n, .in = x->args.at,
                               .out = out};
    GEN(ir_infer_node(g, ir_add_node(g, &call, IR_NONE), NULL));
    for (uint32_t i = 0; i < n; i++) ir_add_output(g, out[i]);
    if (gen_chance(x, 50)) return true; /* a file may say types of its values */
    for (ir_value v = 0; v < x->g->values.len; v++)
        if (!ir_const(x->g, v)) ir_set_type(x->g, v, NULL);
    return true;
}

static bool run_loop(struct gen *x) {
    struct ir_graph *g = x->m->main;
    uint32_t n = x->g->outputs.len - 1; /* the first is the condition */
    ir_value *out = arena_new_array(x->a, ir_value, n);
    for (uint32_t i = 0; i < n; i++) out[i] = ir_add_value(g, "collected", NULL);
    static const int64_t turns = TURNS;
    struct ir_tensor *count = ir_tensor_ints(x->m->arena, 1, &turns);
    count->rank = 0;
    ir_value in[2] = {ir_add_constant(g, "turns", count), IR_NONE};
    struct ir_attr body = ir_attr_graph(x->m->arena, "body", x->g);
    ir_node loop = ir_add_node(g, &(struct ir_new_node){.op = "Loop", .domain = "",
                                                        .nin = 2, .nout = n, .in = in,
                                                        .out = out, .nattr = 1,
                                                        .attr = &body},
                               IR_NONE);
    ir_own_body(g, loop, x->g);
    GEN(ir_infer_node(g, loop, NULL));
    for (uint32_t i = 0; i < n; i++) ir_add_output(g, out[i]);
    return true;
}

bool judge_gen_end_body(struct gen *x) {
    if (x->g == x->m->main) return true;
    return x->g->function ? call_function(x) : run_loop(x);
}
