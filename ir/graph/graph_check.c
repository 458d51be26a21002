/* graph_check.c -- do the invariants of graph.h hold? For tests and debug builds: linear,
 * and it trusts nothing but the lengths of the vectors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/graph/names.h"

struct check {
    const struct ir_graph *g;
    struct diag_sink *diags;
};

static bool broken(const struct check *c, const char *what, uint32_t id) {
    diag_where(c->diags, DIAG_ERROR, c->g->name, "broken graph: %s (%u)", what, id);
    return false;
}

#define HOLDS(cond, what, id)                                                          \
    do {                                                                               \
        if (!(cond)) return broken(c, what, id);                                       \
    } while (0)

static bool check_input(const struct check *c, ir_node n, uint32_t k) {
    const struct ir_graph *g = c->g;
    ir_use u = g->nodes.at[n].in[k];
    HOLDS(u < g->uses.len, "an operand is no use", n);
    const struct ir_use_info *x = &g->uses.at[u];
    HOLDS(x->user == n && x->slot == k, "a use does not know its user", u);
    if (x->value == IR_NONE) return true;
    HOLDS(x->value < g->values.len, "an operand is no value", n);
    const struct ir_value_info *v = &g->values.at[x->value];
    HOLDS(!(v->flags & IR_IS_DEAD), "an operand is dead", n);
    if (v->producer == IR_NONE) return true;
    HOLDS(g->nodes.at[v->producer].order < g->nodes.at[n].order,
          "an operand comes from a later node", n);
    return true;
}

static bool check_node(const struct check *c, ir_node n) {
    const struct ir_graph *g = c->g;
    const struct ir_node_info *x = &g->nodes.at[n];
    HOLDS(!(x->flags & IR_NODE_DEAD), "a dead node is in the order", n);
    for (uint32_t k = 0; k < x->nin; k++)
        if (!check_input(c, n, k)) return false;
    for (uint32_t k = 0; k < x->nout; k++) {
        if (x->out[k] == IR_NONE) continue;
        HOLDS(x->out[k] < g->values.len, "an output is no value", n);
        const struct ir_value_info *v = &g->values.at[x->out[k]];
        HOLDS(v->producer == n && v->output == k, "an output has another producer", n);
        HOLDS(!(v->flags & IR_IS_DEAD), "an output is dead", n);
    }
    if (!(x->flags & IR_NODE_CHANGED) || !g->outer || g->owner == IR_NONE) return true;
    HOLDS(g->outer->nodes.at[g->owner].flags & IR_NODE_CHANGED,
          "a changed node is in a node that is not", n);
    return true;
}

static bool check_order(const struct check *c) {
    const struct ir_graph *g = c->g;
    ir_node prev = IR_NONE;
    uint32_t count = 0;
    for (ir_node n = g->first; n != IR_NONE; prev = n, n = g->nodes.at[n].next) {
        HOLDS(n < g->nodes.len, "the order leads out of the graph", prev);
        HOLDS(++count <= g->nodes.len, "the order is a circle", n);
        HOLDS(g->nodes.at[n].prev == prev, "the order is not linked both ways", n);
        HOLDS(prev == IR_NONE || g->nodes.at[prev].order < g->nodes.at[n].order,
              "order keys do not rise", n);
        if (!check_node(c, n)) return false;
    }
    HOLDS(prev == g->last, "the order does not end at the last node", prev);
    uint32_t live = 0, constants = 0;
    for (ir_node n = 0; n < g->nodes.len; n++) {
        live += !ir_is_dead(g, n);
        constants += !ir_is_dead(g, n) && ir_is_op(g, n, "Constant");
    }
    HOLDS(count == live && g->live == live, "live nodes are not those in the order", live);
    HOLDS(g->constants == constants, "the number of Constant nodes is wrong", constants);
    return true;
}

static bool check_user(const struct check *c, ir_use u) {
    const struct ir_graph *g = c->g;
    const struct ir_use_info *x = &g->uses.at[u];
    if (x->user == IR_NONE) {
        HOLDS(x->slot < g->outputs.len && g->outputs.at[x->slot] == u,
              "a use is no graph output", u);
        return true;
    }
    HOLDS(x->user < g->nodes.len && !ir_is_dead(g, x->user), "a user is dead", u);
    if (x->slot != IR_SLOT_BODY) {
        const struct ir_node_info *n = &g->nodes.at[x->user];
        HOLDS(x->slot < n->nin && n->in[x->slot] == u, "a use is no operand", u);
        return true;
    }
    HOLDS(x->body && x->body->outer == g && x->body->owner == x->user,
          "a capture is by another node's body", u);
    HOLDS(x->inner < x->body->values.len && x->body->values.at[x->inner].capture == u,
          "a capture does not know its value", u);
    ir_node producer = g->values.at[x->value].producer;
    HOLDS(producer == IR_NONE || ir_precedes(g, producer, x->user),
          "a captured value comes from a later node", u);
    return true;
}

static bool check_uses(const struct check *c, ir_value v) {
    const struct ir_graph *g = c->g;
    ir_use prev = IR_NONE;
    uint32_t count = 0, outputs = 0;
    for (ir_use u = g->values.at[v].uses; u != IR_NONE; prev = u, u = g->uses.at[u].next) {
        HOLDS(u < g->uses.len, "a use list leads out of the graph", v);
        HOLDS(++count <= g->values.at[v].nuses, "a use list is too long", v);
        HOLDS(g->uses.at[u].value == v, "a use is on the list of another value", u);
        HOLDS(g->uses.at[u].prev == prev, "a use list is not linked both ways", u);
        if (!check_user(c, u)) return false;
        outputs += g->uses.at[u].user == IR_NONE;
    }
    HOLDS(count == g->values.at[v].nuses, "the number of uses is wrong", v);
    HOLDS(!outputs == !ir_has(g, v, IR_IS_OUTPUT), "output flag and uses disagree", v);
    return true;
}

static bool check_outer(const struct check *c, ir_value v) {
    const struct ir_graph *g = c->g;
    const struct ir_value_info *x = &g->values.at[v];
    HOLDS(g->outer && x->outer < g->outer->values.len, "an outer value has no outer graph",
          v);
    HOLDS((x->capture == IR_NONE) == (g->owner == IR_NONE), "a capture has no use", v);
    if (x->capture == IR_NONE) return true; /* of no node yet, or not any more */
    const struct ir_value_info *o = &g->outer->values.at[x->outer];
    HOLDS(!(o->flags & IR_IS_DEAD), "an outer value is dead", v);
    HOLDS(map_get(&g->outer_of, x->outer) == v, "an outer value is not found", v);
    HOLDS(x->name == o->name, "an outer value has another name", v);
    HOLDS(o->flags & IR_IS_CAPTURED, "a captured value has not the flag", v);
    HOLDS(g->outer->uses.at[x->capture].value == x->outer,
          "a capture is a use of another value", v);
    return true;
}

/* No entry of the map leads to a value that stands for another one. */
static bool check_outer_of(const struct check *c) {
    const struct ir_graph *g = c->g;
    for (uint32_t i = 0; i < g->outer_of.len; i++) {
        ir_value inner = g->outer_of.entry[i].value;
        if (inner == IR_NONE) continue;
        HOLDS(inner < g->values.len, "the map of outer values leads out of the graph", i);
        const struct ir_value_info *x = &g->values.at[inner];
        HOLDS((x->flags & (IR_IS_OUTER | IR_IS_DEAD)) == IR_IS_OUTER &&
                  x->outer == g->outer_of.entry[i].key,
              "the map of outer values is stale", inner);
    }
    return true;
}

static bool check_value(const struct check *c, ir_value v) {
    const struct ir_graph *g = c->g;
    const struct ir_value_info *x = &g->values.at[v];
    if (x->flags & IR_IS_DEAD) {
        HOLDS(x->nuses == 0 && x->uses == IR_NONE, "a dead value has uses", v);
        return true;
    }
    if (!check_uses(c, v)) return false;
    if (x->flags & IR_IS_OUTER) return check_outer(c, v);
    HOLDS(x->name && *x->name, "a value has no name", v);
    HOLDS(ir_name_is_of(g, v), "a name is another value's", v);
    if (x->producer == IR_NONE) return true;
    HOLDS(ir_output(g, x->producer, x->output) == v, "a producer has another output", v);
    HOLDS(!ir_is_dead(g, x->producer), "a producer is dead", v);
    HOLDS(!(x->flags & (IR_IS_INPUT | IR_IS_INIT)), "an input has a producer", v);
    return true;
}

static bool check_interface(const struct check *c) {
    const struct ir_graph *g = c->g;
    uint32_t flagged = 0;
    for (ir_value v = 0; v < g->values.len; v++) flagged += ir_has(g, v, IR_IS_INPUT);
    HOLDS(flagged == g->inputs.len, "flags and list of inputs disagree", flagged);
    for (uint32_t i = 0; i < g->inputs.len; i++)
        HOLDS(ir_has(g, g->inputs.at[i], IR_IS_INPUT), "an input has not the flag", i);
    for (uint32_t i = 0; i < g->outputs.len; i++) {
        const struct ir_use_info *u = &g->uses.at[g->outputs.at[i]];
        HOLDS(u->user == IR_NONE && u->slot == i, "an output is no use", i);
        HOLDS(u->value < g->values.len && !ir_has(g, u->value, IR_IS_DEAD),
              "an output is dead", i);
    }
    return true;
}

bool ir_graph_check(const struct ir_graph *g, struct diag_sink *diags) {
    const struct check check = {g, diags}, *c = &check;
    if (!check_order(c) || !check_interface(c) || !check_outer_of(c)) return false;
    for (ir_value v = 0; v < g->values.len; v++)
        if (!check_value(c, v)) return false;
    return true;
}
