/* use.c -- use lists, and the marks of what has to be written anew.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"

ir_use ir_use_new(struct ir_graph *g, ir_node user, uint32_t slot) {
    struct ir_use_info u = {.value = IR_NONE, .user = user, .slot = slot, .next = IR_NONE,
                            .prev = IR_NONE, .inner = IR_NONE};
    PUSH(g->model, &g->uses, u);
    return g->uses.len - 1;
}

static void unlink_use(struct ir_graph *g, ir_use u) {
    struct ir_use_info x = g->uses.at[u];
    if (x.prev == IR_NONE) SET_VALUE(g, x.value, uses, x.next);
    else SET_USE(g, x.prev, next, x.next);
    if (x.next != IR_NONE) SET_USE(g, x.next, prev, x.prev);
    SET_VALUE(g, x.value, nuses, g->values.at[x.value].nuses - 1);
}

static void link_use(struct ir_graph *g, ir_use u, ir_value v) {
    ir_use first = g->values.at[v].uses;
    SET_USE(g, u, next, first);
    SET_USE(g, u, prev, IR_NONE);
    if (first != IR_NONE) SET_USE(g, first, prev, u);
    SET_VALUE(g, v, uses, u);
    SET_VALUE(g, v, nuses, g->values.at[v].nuses + 1);
}

void ir_use_set(struct ir_graph *g, ir_use u, ir_value v) {
    if (g->uses.at[u].value == v) return;
    if (g->uses.at[u].value != IR_NONE) unlink_use(g, u);
    SET_USE(g, u, value, v);
    if (v != IR_NONE) link_use(g, u, v);
}

/* A changed node is inside changed nodes, so the walk outwards stops at the first. */
static void mark_changed(struct ir_graph *g, ir_node n) {
    while (n != IR_NONE && !(g->nodes.at[n].flags & IR_NODE_CHANGED)) {
        SET_NODE(g, n, flags, g->nodes.at[n].flags | IR_NODE_CHANGED);
        n = g->owner;
        g = g->outer;
    }
}

void ir_touch_node(struct ir_graph *g, ir_node n) {
    ir_count_edit(g->model);
    mark_changed(g, n);
}

void ir_touch_graph(struct ir_graph *g) {
    ir_count_edit(g->model);
    mark_changed(g->outer, g->owner);
}

void ir_touch_around(struct ir_graph *g, ir_value v) {
    const struct ir_value_info *x = &g->values.at[v];
    if (x->producer != IR_NONE) ir_touch_node(g, x->producer);
    else ir_touch_graph(g);
    for (ir_use u = x->uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].user != IR_NONE) ir_touch_node(g, g->uses.at[u].user);
}
