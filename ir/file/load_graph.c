/* load_graph.c -- a graph, or the body of a function, from its message.
 *
 * All values come first: initializers in the order of the file (so that ids keep it),
 * inputs, outputs of nodes. Then the operands of each node are looked up, here and then
 * in the graphs around, and its bodies are read; then the nodes go in, sorted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/file/load.h"
#include "ir/graph/names.h"

struct ir_parts ir_graph_parts(Onnx__GraphProto *p) {
    return (struct ir_parts){
        .nnodes = p->n_node, .nodes = p->node, .ninputs = p->n_input, .inputs = p->input,
        .noutputs = p->n_output, .outputs = p->output, .ninits = p->n_initializer,
        .inits = p->initializer, .nsparse = p->n_sparse_initializer,
        .sparse = p->sparse_initializer, .ninfos = p->n_value_info, .infos = p->value_info};
}

/* --- names ------------------------------------------------------------------------ */

static uint64_t key_of(const struct ir_scope *s, sym_t name) {
    return (uint64_t)s->id << 32 | name;
}

/* Most names mean something in one scope only: there a row of numbers does for the map. */
static ir_value meaning(const struct ir_load *l, const struct ir_scope *s, sym_t name) {
    if (name >= l->first.len || l->first.at[name].scope == IR_NONE) return IR_NONE;
    if (l->first.at[name].scope == s->id) return l->first.at[name].value;
    return map_get(&l->values, key_of(s, name));
}

static void set_meaning(struct ir_load *l, const struct ir_scope *s, sym_t name,
                        ir_value v) {
    while (l->first.len <= name)
        vec_push(&l->tables, &l->first, (struct ir_meaning){IR_NONE, IR_NONE});
    if (l->first.at[name].scope == IR_NONE)
        l->first.at[name] = (struct ir_meaning){s->id, v};
    else map_put(&l->values, key_of(s, name), v);
}

static ir_value find_here(struct ir_load *l, const struct ir_scope *s, const char *name) {
    sym_t id = intern_find(&l->names, name);
    return id == MAP_NONE ? IR_NONE : meaning(l, s, id);
}

/* The value that a name means in a scope: its own, or one that stands for a value of a
 * graph around it. Bodies are nested 33 deep at most, as messages are 100. */
static ir_value find(struct ir_load *l, struct ir_scope *s, sym_t name) {
    ir_value v = meaning(l, s, name);
    if (v != IR_NONE || !s->outer) return v;
    ir_value outer = find(l, s->outer, name);
    if (outer == IR_NONE) return IR_NONE;
    v = ir_add_outer(s->g, outer);
    set_meaning(l, s, name, v);
    return v;
}

static ir_value lookup(struct ir_load *l, struct ir_scope *s, const char *name) {
    sym_t id = intern_find(&l->names, name);
    return id == MAP_NONE ? IR_NONE : find(l, s, id);
}

/* A body may not reuse a name that it sees; where one does, its value gets another one
 * when all names are known. */
static void note_hidden(struct ir_load *l, const struct ir_scope *s, sym_t name,
                        ir_value v) {
    struct ir_graph *g = s->g;
    for (s = s->outer; s; s = s->outer) {
        ir_value outer = meaning(l, s, name);
        if (outer != IR_NONE)
            vec_push(&l->tables, &l->hiding, (struct ir_hiding){g, v, s->g, outer});
    }
}

/* Is the value made before the node of its graph that h->g is in? A later one of the same
 * name, such as an output of that very node, is not seen. */
static bool is_seen(const struct ir_hiding *h) {
    const struct ir_graph *g = h->g;
    while (g->outer != h->outer) g = g->outer;
    ir_node producer = h->outer->values.at[h->hidden].producer;
    return producer == IR_NONE || ir_precedes(h->outer, producer, g->owner);
}

void ir_load_rename_hiding(struct ir_load *l) {
    for (uint32_t i = 0; i < l->hiding.len; i++) {
        const struct ir_hiding *h = &l->hiding.at[i];
        const char *name = h->g->values.at[h->v].name;
        if (!rw_streq(name, h->outer->values.at[h->hidden].name) || !is_seen(h)) continue;
        name = ir_name_free(l->m, h->g->function, name);
        ir_name_drop(h->g, h->v);
        ir_name_take(h->g, h->v, name);
        ir_touch_around(h->g, h->v);
        ir_refresh_captures(h->g, h->v);
    }
}

static enum rw_code define(struct ir_load *l, struct ir_scope *s, const char *name,
                           struct ir_spot at, ir_value *out) {
    if (!name || !*name) return ir_load_error(l, at, "a value has no name");
    sym_t id = intern(&l->names, name);
    if (meaning(l, s, id) != IR_NONE)
        return ir_load_error(l, at, "\"%s\" is defined twice", name);
    *out = ir_add_value_as(s->g, name, NULL);
    note_hidden(l, s, id, *out);
    set_meaning(l, s, id, *out);
    return RW_OK;
}

/* --- interface, initializers, types ----------------------------------------------- */

static enum rw_code load_initializers(struct ir_load *l, struct ir_scope *s,
                                      const struct ir_parts *p) {
    for (size_t i = 0; i < p->ninits; i++) {
        struct ir_spot at = {.kind = "initializer", .name = p->inits[i]->name};
        struct ir_tensor *t;
        ir_value v;
        TRY(define(l, s, at.name, at, &v));
        TRY(ir_load_tensor(l, p->inits[i], at, &t));
        ir_set_initializer(s->g, v, t);
    }
    return RW_OK;
}

/* The value of a sparse initializer has no tensor: it is a constant that nobody reads. */
static enum rw_code load_sparse(struct ir_load *l, struct ir_scope *s,
                                const struct ir_parts *p) {
    for (size_t i = 0; i < p->nsparse; i++) {
        const Onnx__SparseTensorProto *t = p->sparse[i];
        struct ir_spot at = {.kind = "sparse initializer",
                              .name = t->values ? t->values->name : NULL};
        uint64_t count;
        ir_value v;
        TRY(define(l, s, at.name, at, &v));
        if (t->n_dims > UINT16_MAX ||
            !ir_tensor_count((uint32_t)t->n_dims, t->dims, &count))
            return ir_load_error(l, at, "has dims that are negative or too large");
        s->g->values.at[v].flags |= IR_IS_INIT;
    }
    return RW_OK;
}

static const struct ir_type *declared_type(struct ir_load *l, const struct ir_scope *s,
                                           const Onnx__ValueInfoProto *p) {
    return ir_load_type(l, p->type, s->g->function != NULL);
}

static void declare(struct ir_load *l, struct ir_scope *s, ir_value v,
                    const Onnx__ValueInfoProto *p) {
    const struct ir_type *type = declared_type(l, s, p);
    if (!type || s->g->values.at[v].type) return;
    ir_set_type(s->g, v, type);
    s->g->values.at[v].flags |= IR_TYPE_DECLARED;
}

static enum rw_code load_input(struct ir_load *l, struct ir_scope *s, const char *name,
                               const Onnx__ValueInfoProto *info) {
    struct ir_spot at = {.kind = "input", .name = name};
    ir_value v = name && *name ? find_here(l, s, name) : IR_NONE;
    if (v == IR_NONE) TRY(define(l, s, name, at, &v));
    else if (ir_has(s->g, v, IR_IS_INPUT))
        return ir_load_error(l, at, "\"%s\" is defined twice", name);
    ir_add_input(s->g, v);
    if (info) declare(l, s, v, info);
    return RW_OK;
}

static enum rw_code load_output(struct ir_load *l, struct ir_scope *s, const char *name,
                                const Onnx__ValueInfoProto *info) {
    ir_value v = name && *name ? lookup(l, s, name) : IR_NONE;
    if (v == IR_NONE)
        return ir_load_error(l, (struct ir_spot){.kind = "output", .name = name},
                             "no node or initializer makes it");
    ir_add_output(s->g, v);
    if (info) declare(l, s, v, info);
    return RW_OK;
}

/* Entries of what is not in the graph, or has a type already, do no harm. */
static void load_infos(struct ir_load *l, struct ir_scope *s, const struct ir_parts *p) {
    for (size_t i = 0; i < p->ninfos; i++) {
        const char *name = p->infos[i]->name;
        ir_value v = name ? find_here(l, s, name) : IR_NONE;
        if (v != IR_NONE && !ir_has(s->g, v, IR_IS_OUTER)) declare(l, s, v, p->infos[i]);
    }
}

/* --- nodes ------------------------------------------------------------------------ */

static enum rw_code define_outputs(struct ir_load *l, struct ir_scope *s,
                                   const struct ir_parts *p, struct ir_pending *nodes) {
    for (size_t i = 0; i < p->nnodes; i++) {
        Onnx__NodeProto *n = p->nodes[i];
        nodes[i].proto = n;
        nodes[i].out = arena_new_array(&l->scratch, ir_value, n->n_output);
        for (size_t k = 0; k < n->n_output; k++) {
            nodes[i].out[k] = IR_NONE;
            if (!*n->output[k]) continue;
            TRY(define(l, s, n->output[k], (struct ir_spot){.node = n}, &nodes[i].out[k]));
        }
    }
    return RW_OK;
}

static enum rw_code load_operands(struct ir_load *l, struct ir_scope *s,
                                  struct ir_pending *pending) {
    const Onnx__NodeProto *n = pending->proto;
    pending->in = arena_new_array(&l->scratch, ir_value, n->n_input);
    for (size_t k = 0; k < n->n_input; k++) {
        bool absent = !*n->input[k];
        pending->in[k] = absent ? IR_NONE : lookup(l, s, n->input[k]);
        if (!absent && pending->in[k] == IR_NONE)
            return ir_load_error(
                l, (struct ir_spot){.node = n},
                "input \"%s\" is not defined: no node, input or initializer "
                "has this name",
                n->input[k]);
    }
    return RW_OK;
}

static enum rw_code load_node(struct ir_load *l, struct ir_scope *s,
                              struct ir_pending *pending) {
    Onnx__NodeProto *n = pending->proto;
    if (!n->op_type || !*n->op_type)
        return ir_load_error(l, (struct ir_spot){.node = n}, "has no operator");
    TRY(load_operands(l, s, pending));
    pending->attr = arena_new_array(&l->scratch, struct ir_attr, n->n_attribute);
    for (size_t k = 0; k < n->n_attribute; k++)
        TRY(ir_load_attr(l, s, n, n->attribute[k], &pending->attr[k]));
    return RW_OK;
}

static void own_bodies(struct ir_graph *g, ir_node n, const struct ir_pending *pending) {
    for (size_t k = 0; k < pending->proto->n_attribute; k++)
        for (uint32_t b = 0; pending->attr[k].graphs && b < pending->attr[k].n; b++)
            ir_own_body(g, n, pending->attr[k].graphs[b]);
}

static void add_node(struct ir_graph *g, const struct ir_pending *pending) {
    Onnx__NodeProto *p = pending->proto;
    struct ir_new_node new = {.op = p->op_type, .domain = p->domain ? p->domain : "",
                              .overload = p->overload && *p->overload ? p->overload : NULL,
                              .nin = (uint32_t)p->n_input, .nout = (uint32_t)p->n_output,
                              .nattr = (uint32_t)p->n_attribute, .in = pending->in,
                              .out = pending->out, .attr = pending->attr};
    if (rw_streq(new.domain, "ai.onnx")) new.domain = "";
    ir_node n = ir_add_node(g, &new, IR_NONE);
    g->nodes.at[n].proto = p;
    g->nodes.at[n].name = p->name ? p->name : ""; /* names of nodes may occur twice */
    own_bodies(g, n, pending);
}

static enum rw_code load_nodes(struct ir_load *l, struct ir_scope *s,
                               struct ir_pending *nodes, uint32_t n) {
    uint32_t *order = arena_new_array(&l->scratch, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) TRY(load_node(l, s, &nodes[i]));
    TRY(ir_load_order(l, s->g, nodes, n, order));
    for (uint32_t i = 0; i < n; i++) add_node(s->g, &nodes[order[i]]);
    return RW_OK;
}

/* Room for all at once; rewriting adds to it. */
static void reserve(struct ir_graph *g, const struct ir_parts *p) {
    size_t outputs = 0, operands = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        outputs += p->nodes[i]->n_output;
        operands += p->nodes[i]->n_input;
    }
    size_t values = p->ninits + p->nsparse + p->ninputs + outputs;
    struct arena *a = g->model->arena;
    if (values > UINT32_MAX / 4 || operands > UINT32_MAX / 4) return;
    vec_reserve(a, &g->values, (uint32_t)values);
    vec_reserve(a, &g->nodes, (uint32_t)p->nnodes);
    vec_reserve(a, &g->uses, (uint32_t)(operands + p->noutputs));
}

static enum rw_code load_parts(struct ir_load *l, struct ir_scope *s,
                               const struct ir_parts *p) {
    struct ir_pending *nodes = arena_new_array(&l->scratch, struct ir_pending, p->nnodes);
    if (p->nnodes > UINT32_MAX / 4)
        return ir_load_error(l, (struct ir_spot){0}, "too many nodes");
    reserve(s->g, p);
    TRY(load_initializers(l, s, p));
    TRY(load_sparse(l, s, p));
    for (size_t i = 0; i < p->ninputs; i++)
        TRY(load_input(l, s, p->inputs ? p->inputs[i]->name : p->input_names[i],
                       p->inputs ? p->inputs[i] : NULL));
    TRY(define_outputs(l, s, p, nodes));
    TRY(load_nodes(l, s, nodes, (uint32_t)p->nnodes));
    for (size_t i = 0; i < p->noutputs; i++)
        TRY(load_output(l, s, p->outputs ? p->outputs[i]->name : p->output_names[i],
                        p->outputs ? p->outputs[i] : NULL));
    load_infos(l, s, p); /* behind the outputs: the interface wins */
    return RW_OK;
}

enum rw_code ir_load_graph(struct ir_load *l, struct ir_graph *g, struct ir_scope *outer,
                           const struct ir_parts *p) {
    struct ir_scope s = {.g = g, .outer = outer, .id = l->nscopes++};
    struct arena_mark mark = arena_mark(&l->scratch);
    enum rw_code code = load_parts(l, &s, p);
    arena_reset(&l->scratch, mark);
    return code;
}
