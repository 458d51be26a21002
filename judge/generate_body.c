/* generate_body.c -- instances in the body of a Loop: variables are captured, or not.
 *
 * The Loop runs twice and collects what the body computes, so nothing has to be carried.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/generate.h"

#define LEAST_OPSET 11 /* of a Loop that carries nothing */
#define TURNS 2

static ir_value body_input(struct gen *x, const char *name, enum ir_dtype t) {
    ir_value v = ir_add_value(x->g, name, ir_type_tensor(x->m->arena, t, 0, NULL));
    ir_add_input(x->g, v);
    return v;
}

void judge_gen_begin_body(struct gen *x) {
    if (x->opset < LEAST_OPSET || !gen_chance(x, 12)) return;
    x->g = ir_graph_new(x->m, x->m->main, "body");
    body_input(x, "i", IR_INT64);
    ir_value go = body_input(x, "go", IR_BOOL), on = ir_add_value(x->g, "on", NULL);
    struct ir_new_node node = {.op = "Identity", .domain = "", .nin = 1, .nout = 1,
                               .in = &go, .out = &on};
    ir_infer_node(x->g, ir_add_node(x->g, &node, IR_NONE), NULL);
    ir_add_output(x->g, on);
}

ir_value judge_gen_input(struct gen *x, const char *name, const struct ir_type *t) {
    struct ir_graph *g = x->m->main;
    ir_value v = ir_add_value(g, name, t);
    ir_add_input(g, v);
    return v;
}

ir_value judge_gen_seen_inside(struct gen *x, ir_value v) {
    return x->g == x->m->main ? v : ir_add_outer(x->g, v);
}

bool judge_gen_end_body(struct gen *x) {
    struct ir_graph *g = x->m->main;
    if (x->g == g) return true;
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
