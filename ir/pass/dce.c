/* dce.c -- dead code: nodes whose results nobody reads, then initializers and
 * captured values that nobody reads.
 *
 * One walk against the order of each graph suffices: what a removed node read stands in
 * front of it. Bodies go first, for what they give up may be dead around them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"

/* A node without any output is there for what it does: it stays. */
static bool has_output(const struct ir_graph *g, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++)
        if (ir_output(g, n, k) != IR_NONE) return true;
    return false;
}

static uint32_t remove_nodes(struct ir_graph *g) {
    uint32_t removed = 0;
    for (ir_node n = g->last, prev; n != IR_NONE; n = prev) {
        prev = ir_nod(g, n)->prev;
        if (!has_output(g, n) || !ir_is_unused(g, n)) continue;
        ir_remove_node(g, n);
        removed++;
    }
    return removed;
}

static uint32_t remove_values(struct ir_graph *g) {
    uint32_t removed = 0;
    for (ir_value v = 0; v < g->values.len; v++) {
        const struct ir_value_info *x = ir_val(g, v);
        if (x->nuses || (x->flags & IR_IS_DEAD)) continue;
        if (!(x->flags & IR_IS_OUTER) && !ir_may_drop(g, v)) continue;
        ir_remove_value(g, v);
        removed++;
    }
    return removed;
}

static uint32_t clean(struct ir_graph *g, void *ctx) {
    RW_UNUSED(ctx);
    uint32_t nodes = remove_nodes(g);
    return nodes + remove_values(g);
}

uint32_t ir_pass_dce(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    return ir_pass_over(m, clean, NULL);
}
