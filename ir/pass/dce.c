/* dce.c -- dead code: nodes whose results nobody reads, then initializers and
 * captured values that nobody reads.
 *
 * One walk against the order of a graph suffices: what a removed node read stands in front
 * of it. A body is cleaned when the walk comes to its node: by then it is known which of
 * its outputs are read, and what it gives up stands in front. Recursion goes as deep as
 * bodies are nested, which readers limit.
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

static uint32_t clean(struct ir_graph *g);

static uint32_t clean_bodies(struct ir_graph *g, ir_node n) {
    uint32_t removed = 0;
    if (!ir_is_unused(g, n)) ir_trim_bodies(g, n);
    for (uint32_t i = 0; i < ir_nod(g, n)->nattr; i++) {
        const struct ir_attr x = ir_nod(g, n)->attr[i];
        for (uint32_t k = 0; ir_attr_is_body(&x) && k < x.n; k++)
            removed += clean(x.graphs[k]);
    }
    return removed;
}

static uint32_t remove_nodes(struct ir_graph *g) {
    uint32_t removed = 0;
    for (ir_node n = g->last, prev; n != IR_NONE; n = prev) {
        prev = ir_nod(g, n)->prev;
        if (has_output(g, n) && ir_is_unused(g, n)) {
            ir_remove_node(g, n);
            removed++;
        } else removed += clean_bodies(g, n);
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

static uint32_t clean(struct ir_graph *g) {
    uint32_t nodes = remove_nodes(g);
    return nodes + remove_values(g);
}

uint32_t ir_pass_dce(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    uint32_t removed = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (!m->graphs.at[i]->outer) removed += clean(m->graphs.at[i]);
    return removed;
}
