/* edit.c -- adding, changing and removing values and nodes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/graph/names.h"

/* --- values ------------------------------------------------------------------------ */

static ir_value add_nameless(struct ir_graph *g, const struct ir_type *type) {
    struct ir_value_info v = {.producer = IR_NONE, .outer = IR_NONE, .capture = IR_NONE,
                              .type = type, .given = type, .uses = IR_NONE};
    PUSH(g->model, &g->values, v);
    return g->values.len - 1;
}

ir_value ir_add_value_as(struct ir_graph *g, const char *name, const struct ir_type *type) {
    ir_value v = add_nameless(g, type);
    ir_name_take(g, v, name);
    return v;
}

ir_value ir_add_value(struct ir_graph *g, const char *name, const struct ir_type *type) {
    ir_value v = add_nameless(g, type);
    ir_name_take_free(g, v, name);
    return v;
}

static void add_flags(struct ir_graph *g, ir_value v, uint32_t flags) {
    SET_VALUE(g, v, flags, g->values.at[v].flags | flags);
}

void ir_add_input(struct ir_graph *g, ir_value v) {
    rw_assert(g->values.at[v].producer == IR_NONE &&
              !(g->values.at[v].flags & (IR_IS_INPUT | IR_IS_OUTER)));
    add_flags(g, v, IR_IS_INPUT);
    PUSH(g->model, &g->inputs, v);
    ir_touch_graph(g);
}

void ir_add_output(struct ir_graph *g, ir_value v) {
    ir_use u = ir_use_new(g, IR_NONE, g->outputs.len);
    ir_use_set(g, u, v);
    add_flags(g, v, IR_IS_OUTPUT);
    PUSH(g->model, &g->outputs, u);
    ir_touch_graph(g);
}

void ir_set_initializer(struct ir_graph *g, ir_value v, struct ir_tensor *t) {
    rw_assert(g->values.at[v].producer == IR_NONE && !ir_has(g, v, IR_IS_OUTER));
    add_flags(g, v, IR_IS_INIT);
    SET_VALUE(g, v, tensor, t);
    ir_touch_graph(g);
}

void ir_set_tensor(struct ir_graph *g, ir_value v, struct ir_tensor *t) {
    rw_assert(ir_has(g, v, IR_IS_INIT));
    ir_set_initializer(g, v, t);
}

void ir_set_type(struct ir_graph *g, ir_value v, const struct ir_type *t) {
    SET_VALUE(g, v, given, t);
    ir_set_inferred(g, v, t);
}

void ir_set_inferred(struct ir_graph *g, ir_value v, const struct ir_type *t) {
    SET_VALUE(g, v, type, t);
    ir_refresh_captures(g, v);
}

void ir_set_symval(struct ir_graph *g, ir_value v, const struct ir_symval *s) {
    SET_VALUE(g, v, symval, s);
    ir_refresh_captures(g, v);
}

void ir_rename(struct ir_graph *g, ir_value v, const char *name) {
    rw_assert(!ir_has(g, v, (enum ir_value_flag)(IR_IS_INPUT | IR_IS_OUTER)));
    ir_name_drop(g, v);
    ir_name_take(g, v, name);
    ir_touch_around(g, v);
    ir_refresh_captures(g, v);
}

void ir_remove_value(struct ir_graph *g, ir_value v) {
    const struct ir_value_info x = g->values.at[v];
    rw_assert(x.nuses == 0 && x.producer == IR_NONE && !(x.flags & IR_IS_INPUT));
    if (x.flags & IR_IS_OUTER) {
        if (x.capture != IR_NONE) ir_use_set(g->outer, x.capture, IR_NONE);
        ir_set_outer_of(g, x.outer, IR_NONE);
    } else ir_name_drop(g, v);
    add_flags(g, v, IR_IS_DEAD);
    ir_touch_graph(g);
}

/* --- nodes ------------------------------------------------------------------------- */

static void count_live(struct ir_graph *g, ir_node n, int32_t by) {
    SET(g->model, g->live, g->live + (uint32_t)by);
    if (ir_is_op(g, n, "Constant")) SET(g->model, g->constants, g->constants + (uint32_t)by);
}

static void add_inputs(struct ir_graph *g, ir_node n, uint32_t nin, const ir_value *in) {
    ir_use *uses = arena_new_array(g->model->arena, ir_use, nin);
    for (uint32_t k = 0; k < nin; k++) {
        uses[k] = ir_use_new(g, n, k);
        ir_use_set(g, uses[k], in[k]);
    }
    SET_NODE(g, n, in, uses);
    SET_NODE(g, n, nin, nin);
}

static void produce(struct ir_graph *g, ir_node n, uint32_t k, ir_value v) {
    const struct ir_value_info *x = &g->values.at[v];
    rw_assert(x->producer == IR_NONE &&
              !(x->flags & (IR_IS_INPUT | IR_IS_INIT | IR_IS_OUTER | IR_IS_DEAD)));
    SET_VALUE(g, v, producer, n);
    SET_VALUE(g, v, output, k);
}

static struct ir_attr *copy_attrs(struct arena *a, uint32_t n, const struct ir_attr *at) {
    struct ir_attr *copy = arena_new_array(a, struct ir_attr, n);
    for (uint32_t i = 0; i < n; i++) copy[i] = ir_attr_copy(a, &at[i]);
    return copy;
}

ir_node ir_add_node(struct ir_graph *g, const struct ir_new_node *d, ir_node before) {
    struct ir_model *m = g->model;
    const char *domain = d->domain && !rw_streq(d->domain, "ai.onnx") ? d->domain : "";
    struct ir_node_info x = {
        .name = d->name ? arena_strdup(m->arena, d->name) : "",
        .op = intern(&m->names, d->op),
        .domain = intern(&m->names, domain),
        .overload = d->overload ? arena_strdup(m->arena, d->overload) : "",
        .schema = ir_schema_in(g, domain, d->op),
        .nout = d->nout,
        .out = d->nout ? arena_copy(m->arena, d->out, d->nout * sizeof *d->out) : NULL,
        .nattr = d->nattr,
        .attr = d->nattr ? copy_attrs(m->arena, d->nattr, d->attr) : NULL,
        .prev = IR_NONE,
        .next = IR_NONE,
        .rule = d->rule,
    };
    PUSH(m, &g->nodes, x);
    ir_node n = g->nodes.len - 1;
    add_inputs(g, n, d->nin, d->in);
    for (uint32_t k = 0; k < d->nout; k++)
        if (d->out[k] != IR_NONE) produce(g, n, k, d->out[k]);
    ir_list_insert(g, n, before);
    count_live(g, n, 1);
    ir_sync_constant(g, n);
    ir_touch_node(g, n);
    return n;
}

void ir_set_input(struct ir_graph *g, ir_node n, uint32_t k, ir_value v) {
    rw_assert(k < g->nodes.at[n].nin);
    ir_use_set(g, g->nodes.at[n].in[k], v);
    ir_touch_node(g, n);
}

void ir_set_input_count(struct ir_graph *g, ir_node n, uint32_t nin) {
    const struct ir_node_info x = g->nodes.at[n];
    for (uint32_t k = nin; k < x.nin; k++) rw_assert(ir_input(g, n, k) == IR_NONE);
    if (nin > x.nin) {
        ir_use *in = arena_new_array(g->model->arena, ir_use, nin);
        if (x.nin) memcpy(in, x.in, x.nin * sizeof *in);
        for (uint32_t k = x.nin; k < nin; k++) in[k] = ir_use_new(g, n, k);
        SET_NODE(g, n, in, in);
    }
    SET_NODE(g, n, nin, nin);
    ir_touch_node(g, n);
}

/* The attributes but the one of that name, with room for one more; the old list stays
 * as it is for undo. Bodies that the left out one holds are released. */
static struct ir_attr *attrs_without(struct ir_graph *g, ir_node n, const char *name,
                                     uint32_t *count, uint32_t *at) {
    const struct ir_node_info x = g->nodes.at[n];
    struct ir_attr *list =
        arena_new_array(g->model->arena, struct ir_attr, (size_t)x.nattr + 1);
    *count = 0;
    *at = x.nattr;
    for (uint32_t i = 0; i < x.nattr; i++) {
        if (!rw_streq(x.attr[i].name, name)) list[(*count)++] = x.attr[i];
        else {
            *at = i;
            ir_release_bodies(g, n, &x.attr[i]);
        }
    }
    return list;
}

static void set_attrs(struct ir_graph *g, ir_node n, struct ir_attr *list, uint32_t count) {
    SET_NODE(g, n, attr, list);
    SET_NODE(g, n, nattr, count);
    ir_sync_constant(g, n);
    ir_touch_node(g, n);
}

void ir_set_attr(struct ir_graph *g, ir_node n, const struct ir_attr *attr) {
    struct ir_attr copy = ir_attr_copy(g->model->arena, attr);
    uint32_t count, at;
    struct ir_attr *list = attrs_without(g, n, copy.name, &count, &at);
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = copy;
    set_attrs(g, n, list, count + 1);
}

void ir_drop_attr(struct ir_graph *g, ir_node n, const char *name) {
    if (!ir_find_attr(g, n, name)) return;
    uint32_t count, at;
    struct ir_attr *list = attrs_without(g, n, name, &count, &at);
    set_attrs(g, n, list, count);
}

void ir_detach_output(struct ir_graph *g, ir_node n, uint32_t k) {
    ir_value v = ir_output(g, n, k);
    rw_assert(v != IR_NONE);
    SET(g->model, g->nodes.at[n].out[k], IR_NONE);
    SET_VALUE(g, v, producer, IR_NONE);
    SET_VALUE(g, v, output, 0);
    if (g->values.at[v].tensor) SET_VALUE(g, v, tensor, NULL);
    ir_touch_node(g, n);
}

void ir_attach_output(struct ir_graph *g, ir_node n, uint32_t k, ir_value v) {
    rw_assert(k < g->nodes.at[n].nout && g->nodes.at[n].out[k] == IR_NONE);
    SET(g->model, g->nodes.at[n].out[k], v);
    produce(g, n, k, v);
    ir_sync_constant(g, n);
    ir_touch_node(g, n);
}

void ir_remove_node(struct ir_graph *g, ir_node n) {
    const struct ir_node_info x = g->nodes.at[n];
    rw_assert(!(x.flags & IR_NODE_DEAD));
    for (uint32_t k = 0; k < x.nout; k++) {
        if (x.out[k] == IR_NONE) continue;
        rw_assert(g->values.at[x.out[k]].nuses == 0);
        ir_name_drop(g, x.out[k]);
        add_flags(g, x.out[k], IR_IS_DEAD);
    }
    for (uint32_t k = 0; k < x.nin; k++) ir_use_set(g, x.in[k], IR_NONE);
    for (uint32_t i = 0; i < x.nattr; i++) ir_release_bodies(g, n, &x.attr[i]);
    ir_list_remove(g, n);
    SET_NODE(g, n, flags, x.flags | IR_NODE_DEAD);
    count_live(g, n, -1);
    ir_touch_graph(g);
}

/* --- giving back ------------------------------------------------------------------- */

static void revive_output(struct ir_graph *g, ir_node n, uint32_t k, ir_value v) {
    SET(g->model, g->nodes.at[n].out[k], v);
    if (v == IR_NONE) return;
    if (g->values.at[v].flags & IR_IS_DEAD) {
        SET_VALUE(g, v, flags, g->values.at[v].flags & ~(uint32_t)IR_IS_DEAD);
        SET_VALUE(g, v, producer, IR_NONE);
        const char *was = g->values.at[v].name;
        ir_name_take_free(g, v, was);
        if (!rw_streq(was, g->values.at[v].name)) ir_touch_node(g, n);
    }
    produce(g, n, k, v);
}

/* A value of a node that counts as changed may have another name than in the file: what
 * reads it cannot be written as it was. */
static void revive_input(struct ir_graph *g, ir_node n, ir_use u, ir_value v) {
    ir_use_set(g, u, v);
    ir_node from = v == IR_NONE ? IR_NONE : g->values.at[v].producer;
    if (from != IR_NONE && g->nodes.at[from].flags & IR_NODE_CHANGED) ir_touch_node(g, n);
}

void ir_revive_node(struct ir_graph *g, ir_node n, const ir_value *in, const ir_value *out,
                    ir_node before) {
    const struct ir_node_info x = g->nodes.at[n];
    rw_assert(x.flags & IR_NODE_DEAD);
    ir_list_insert(g, n, before);
    SET_NODE(g, n, flags, x.flags & ~(uint32_t)IR_NODE_DEAD);
    count_live(g, n, 1);
    for (uint32_t k = 0; k < x.nin; k++) revive_input(g, n, x.in[k], in[k]);
    for (uint32_t k = 0; k < x.nout; k++) revive_output(g, n, k, out[k]);
    ir_touch_graph(g);
}
