/* arity.c -- taking operands, outputs, and ports of a body out of the row, so that those
 * behind them move up. The old lists stay as they are for undo.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/graph/names.h"

static void bury(struct ir_graph *g, ir_value v, uint32_t flags) {
    rw_assert(g->values.at[v].nuses == 0);
    ir_name_drop(g, v);
    SET_VALUE(g, v, flags, (g->values.at[v].flags & ~flags) | IR_IS_DEAD);
}

void ir_keep_inputs(struct ir_graph *g, ir_node n, const bool *keep) {
    const struct ir_node_info x = g->nodes.at[n];
    ir_use *in = arena_new_array(g->model->arena, ir_use, x.nin);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < x.nin; k++) {
        if (!keep[k]) {
            ir_use_set(g, x.in[k], IR_NONE);
            continue;
        }
        if (kept != k) SET_USE(g, x.in[k], slot, kept);
        in[kept++] = x.in[k];
    }
    SET_NODE(g, n, in, in);
    SET_NODE(g, n, nin, kept);
    ir_touch_node(g, n);
}

void ir_keep_outputs(struct ir_graph *g, ir_node n, const bool *keep) {
    const struct ir_node_info x = g->nodes.at[n];
    ir_value *out = arena_new_array(g->model->arena, ir_value, x.nout);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < x.nout; k++) {
        ir_value v = x.out[k];
        if (keep[k]) {
            if (v != IR_NONE && kept != k) SET_VALUE(g, v, output, kept);
            out[kept++] = v;
        } else if (v != IR_NONE) {
            SET_VALUE(g, v, producer, IR_NONE);
            bury(g, v, 0);
        }
    }
    SET_NODE(g, n, out, out);
    SET_NODE(g, n, nout, kept);
    ir_touch_node(g, n);
}

static bool is_output(const struct ir_graph *g, ir_value v) {
    for (ir_use u = g->values.at[v].uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].user == IR_NONE) return true;
    return false;
}

void ir_keep_body_outputs(struct ir_graph *g, const bool *keep) {
    struct ir_model *m = g->model;
    uint32_t n = g->outputs.len, kept = 0;
    ir_use *list = arena_new_array(m->arena, ir_use, n);
    rw_assert(g->outer && !g->unlisted);
    for (uint32_t k = 0; k < n; k++) {
        ir_use u = g->outputs.at[k];
        ir_value v = g->uses.at[u].value;
        if (keep[k]) {
            if (kept != k) SET_USE(g, u, slot, kept);
            list[kept++] = u;
            continue;
        }
        ir_use_set(g, u, IR_NONE);
        if (!is_output(g, v))
            SET_VALUE(g, v, flags, g->values.at[v].flags & ~(uint32_t)IR_IS_OUTPUT);
    }
    SET(m, g->outputs.at, list);
    SET(m, g->outputs.cap, n);
    SET(m, g->outputs.len, kept);
    ir_touch_graph(g);
}

void ir_keep_body_inputs(struct ir_graph *g, const bool *keep) {
    struct ir_model *m = g->model;
    uint32_t n = g->inputs.len, kept = 0;
    ir_value *list = arena_new_array(m->arena, ir_value, n);
    rw_assert(g->outer);
    for (uint32_t k = 0; k < n; k++) {
        if (keep[k]) list[kept++] = g->inputs.at[k];
        else bury(g, g->inputs.at[k], IR_IS_INPUT);
    }
    SET(m, g->inputs.at, list);
    SET(m, g->inputs.cap, n);
    SET(m, g->inputs.len, kept);
    ir_touch_graph(g);
}
