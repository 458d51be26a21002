/* capture.c -- bodies and the outer values they see.
 *
 * A body's value that stands for an outer one has no name of its own: it repeats name,
 * type and known value of what it stands for. Recursion here goes as deep as bodies are
 * nested, which readers limit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"

static void add_capture(struct ir_graph *body, ir_value inner) {
    struct ir_graph *g = body->outer;
    ir_use u = ir_use_new(g, body->owner, IR_SLOT_BODY);
    SET_USE(g, u, body, body);
    SET_USE(g, u, inner, inner);
    ir_use_set(g, u, body->values.at[inner].outer);
    SET_VALUE(body, inner, capture, u);
}

ir_value ir_add_outer(struct ir_graph *g, ir_value v) {
    struct ir_model *m = g->model;
    rw_assert(g->outer);
    ir_value inner = map_get(&g->outer_of, v);
    if (inner != IR_NONE) return inner;
    const struct ir_value_info *x = &g->outer->values.at[v];
    struct ir_value_info info = {.name = x->name, .flags = IR_IS_OUTER, .producer = IR_NONE,
                                 .outer = v, .capture = IR_NONE, .type = x->type,
                                 .symval = x->symval, .uses = IR_NONE};
    PUSH(m, &g->values, info);
    inner = g->values.len - 1;
    ir_set_outer_of(g, v, inner);
    SET_VALUE(g->outer, v, flags, x->flags | IR_IS_CAPTURED);
    if (g->owner != IR_NONE) add_capture(g, inner);
    return inner;
}

static bool is_live_outer(const struct ir_graph *g, ir_value v) {
    return (g->values.at[v].flags & (IR_IS_OUTER | IR_IS_DEAD)) == IR_IS_OUTER;
}

void ir_own_body(struct ir_graph *g, ir_node n, struct ir_graph *body) {
    rw_assert(body->outer == g && body->owner == IR_NONE);
    SET(g->model, body->owner, n);
    for (ir_value v = 0; v < body->values.len; v++)
        if (is_live_outer(body, v)) add_capture(body, v);
    ir_touch_node(g, n);
}

static void release_body(struct ir_graph *g, struct ir_graph *body) {
    for (ir_value v = 0; v < body->values.len; v++) {
        if (!is_live_outer(body, v)) continue;
        ir_use_set(g, body->values.at[v].capture, IR_NONE);
        SET_VALUE(body, v, capture, IR_NONE);
    }
    SET(g->model, body->owner, IR_NONE);
}

void ir_release_bodies(struct ir_graph *g, ir_node n, const struct ir_attr *attr) {
    if (!ir_attr_is_body(attr)) return;
    for (uint32_t i = 0; i < attr->n; i++)
        if (attr->graphs[i]->outer == g && attr->graphs[i]->owner == n)
            release_body(g, attr->graphs[i]);
}

/* Brings one value that stands for v of g->outer up to date. */
static void refresh(struct ir_graph *g, ir_value inner, const struct ir_value_info *from) {
    const struct ir_value_info x = g->values.at[inner];
    if (x.type != from->type) SET_VALUE(g, inner, type, from->type);
    if (x.symval != from->symval) SET_VALUE(g, inner, symval, from->symval);
    if (x.name != from->name) {
        SET_VALUE(g, inner, name, from->name);
        ir_touch_around(g, inner);
    }
    ir_refresh_captures(g, inner);
}

void ir_refresh_captures(struct ir_graph *g, ir_value v) {
    if (!ir_has(g, v, IR_IS_CAPTURED)) return;
    for (ir_use u = g->values.at[v].uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].slot == IR_SLOT_BODY && g->uses.at[u].user != IR_NONE)
            refresh(g->uses.at[u].body, g->uses.at[u].inner, &g->values.at[v]);
}

void ir_move_capture(struct ir_graph *g, ir_use u, ir_value now) {
    const struct ir_use_info x = g->uses.at[u];
    ir_value other = map_get(&x.body->outer_of, now);
    if (other != IR_NONE) { /* the body sees `now` already */
        ir_replace_uses(x.body, x.inner, other);
        ir_remove_value(x.body, x.inner);
        return;
    }
    ir_use_set(g, u, now);
    SET_VALUE(g, now, flags, g->values.at[now].flags | IR_IS_CAPTURED);
    SET_VALUE(x.body, x.inner, outer, now);
    ir_set_outer_of(x.body, x.value, IR_NONE);
    ir_set_outer_of(x.body, now, x.inner);
    refresh(x.body, x.inner, &g->values.at[now]);
}
