/* node.c -- evaluation of a node of a graph.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval.h"

bool ir_eval_node(struct ir_graph *g, ir_node n, struct arena *a,
                  const struct ir_eval_limits *limits, struct ir_tensor **out) {
    const struct ir_node_info *x = ir_nod(g, n);
    struct arena work = ARENA_EMPTY;
    struct ir_tensor **in = arena_new_array(&work, struct ir_tensor *, x->nin);
    bool known = x->schema != NULL;
    for (uint32_t k = 0; known && k < x->nin; k++) {
        ir_value v = ir_input(g, n, k);
        in[k] = v == IR_NONE ? NULL : ir_const(g, v);
        known = v == IR_NONE || in[k];
    }
    const struct ir_eval e = {
        .model = g->model, .schema = x->schema, .nin = x->nin, .nout = x->nout,
        .nattr = x->nattr, .in = in, .attr = x->attr, .arena = a,
        .max_bytes = limits->max_bytes, .least_lazy = limits->least_lazy,
        .max_lazy = limits->max_lazy, .budget = limits->budget,
    };
    known = known && ir_eval(&e, out);
    arena_free(&work);
    return known;
}
