/* see.c -- seeing a value through nodes that do not change it (~x).
 *
 * Identity; Dropout in inference; a Cast to the type that is there; a pair of Casts that
 * goes to a type which keeps every value, and back. The ways looked at are short, so that
 * a long chain costs little at each of its nodes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/bind.h"

#define MAX_DEPTH 64

static enum ir_dtype dtype(const struct ir_graph *g, ir_value v) {
    return v == IR_NONE ? IR_UNDEFINED : ir_type_dtype(ir_val(g, v)->type);
}

static bool is_inference(struct ir_graph *g, ir_node n, struct arena *a) {
    struct ir_param p = ir_param(g, n, "training_mode", a);
    if (p.source == IR_PARAM_NONE || p.source == IR_PARAM_ABSENT) return true;
    return p.source != IR_PARAM_DYNAMIC && p.attr.type == IR_ATTR_INT && p.attr.i == 0;
}

static ir_value through_cast(struct ir_graph *g, ir_node n) {
    ir_value inner = ir_input(g, n, 0);
    if (inner == IR_NONE) return IR_NONE;
    enum ir_dtype out = dtype(g, ir_output(g, n, 0)), mid = dtype(g, inner);
    if (out == IR_UNDEFINED || mid == IR_UNDEFINED) return IR_NONE;
    if (out == mid) return inner;
    ir_node first = ir_val(g, inner)->producer;
    if (first == IR_NONE || !ir_is_op(g, first, "Cast")) return IR_NONE;
    ir_value x = ir_input(g, first, 0);
    return dtype(g, x) == out && ir_cast_is_lossless(out, mid) ? x : IR_NONE;
}

ir_value pm_see_through(struct ir_graph *g, ir_value v, struct arena *a) {
    const struct ir_value_info *x = ir_val(g, v);
    if (x->producer == IR_NONE || x->output != 0) return IR_NONE;
    if (ir_is_op(g, x->producer, "Identity")) return ir_input(g, x->producer, 0);
    if (ir_is_op(g, x->producer, "Dropout") && is_inference(g, x->producer, a))
        return ir_input(g, x->producer, 0);
    return ir_is_op(g, x->producer, "Cast") ? through_cast(g, x->producer) : IR_NONE;
}

ir_value pm_see_deepest(struct ir_graph *g, ir_value v, struct arena *a) {
    for (uint32_t i = 0; i < MAX_DEPTH; i++) {
        ir_value next = pm_see_through(g, v, a);
        if (next == IR_NONE) break;
        v = next;
    }
    return v;
}

bool pm_sees(struct ir_graph *g, ir_value v, ir_value w, struct arena *a) {
    for (uint32_t i = 0; v != IR_NONE && i <= MAX_DEPTH; i++) {
        if (v == w) return true;
        v = pm_see_through(g, v, a);
    }
    return false;
}
