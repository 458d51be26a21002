/* replace.c -- putting one value in the place of another.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/graph/names.h"

void ir_replace_uses(struct ir_graph *g, ir_value old, ir_value now) {
    rw_assert(old != now);
    uint32_t output = g->values.at[old].flags & IR_IS_OUTPUT;
    for (ir_use u; (u = g->values.at[old].uses) != IR_NONE;) {
        const struct ir_use_info x = g->uses.at[u];
        if (x.user == IR_NONE) ir_touch_graph(g);
        else ir_touch_node(g, x.user);
        if (x.user != IR_NONE && x.slot == IR_SLOT_BODY) ir_move_capture(g, u, now);
        else ir_use_set(g, u, now);
    }
    if (!output) return;
    SET_VALUE(g, old, flags, g->values.at[old].flags & ~(uint32_t)IR_IS_OUTPUT);
    SET_VALUE(g, now, flags, g->values.at[now].flags | IR_IS_OUTPUT);
}

bool ir_can_replace(const struct ir_graph *g, ir_value old, ir_value now) {
    uint32_t was = g->values.at[old].flags, is = g->values.at[now].flags;
    uint32_t named = IR_IS_INPUT | IR_IS_INIT | IR_IS_OUTER; /* cannot take another name */
    if (old == now) return true;
    if ((was | is) & IR_IS_DEAD) return false;
    if (!(was & IR_IS_OUTPUT)) return true;
    return !((was | is) & named) && !(is & IR_IS_OUTPUT) &&
           g->values.at[now].producer != IR_NONE;
}

/* `now` is the graph output that `old` was, so it gets its name. */
static void take_over_name(struct ir_graph *g, ir_value old, ir_value now) {
    const char *name = g->values.at[old].name;
    ir_rename(g, old, ir_name_free(g->model, g->function, name));
    ir_rename(g, now, name);
}

void ir_replace_value(struct ir_graph *g, ir_value old, ir_value now) {
    if (old == now) return;
    bool output = ir_has(g, old, IR_IS_OUTPUT);
    ir_replace_uses(g, old, now);
    if (output) take_over_name(g, old, now);
    if (!g->values.at[now].type) ir_set_type(g, now, g->values.at[old].type);
}
