/* store_graph.c -- graphs as messages: interface, initializers, and what the file says
 * about values by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/store.h"

/* --- names in the file and now ---------------------------------------------------- */

static const struct ir_graph_read *read_of(const struct ir_store *s,
                                           const struct ir_graph *g) {
    uint32_t i = map_get(&s->index, (uintptr_t)g);
    return i == MAP_NONE ? NULL : &s->m->source->graphs.at[i];
}

static uint64_t key_of(uint32_t graph, sym_t name) { return (uint64_t)graph << 32 | name; }

static void index_names(struct ir_store *s, uint32_t graph) {
    const struct ir_graph_read *read = &s->m->source->graphs.at[graph];
    s->indexed[graph] = true;
    for (ir_value v = 0; v < read->n; v++)
        map_put(&s->read_values, key_of(graph, intern(&s->read_names, read->names[v])), v);
}

static ir_value value_read(struct ir_store *s, const struct ir_graph *g, const char *name) {
    uint32_t graph = map_get(&s->index, (uintptr_t)g);
    if (graph == MAP_NONE) return IR_NONE;
    if (!s->indexed[graph]) index_names(s, graph);
    sym_t id = intern_find(&s->read_names, name);
    return id == MAP_NONE ? IR_NONE : map_get(&s->read_values, key_of(graph, id));
}

char *ir_name_now(struct ir_store *s, const struct ir_graph *g, char *name) {
    ir_value v = value_read(s, g, name);
    if (v == IR_NONE) return name;
    if (ir_has(g, v, IR_IS_DEAD)) return NULL;
    const char *now = g->values.at[v].name;
    return rw_streq(now, name) ? name : arena_strdup(s->a, now);
}

/* --- what the file says about values ---------------------------------------------- */

/* Is it an operand of the standard's Attention that was made since? Of three dimensions the
 * last one of v is a size of 0 to inference elsewhere, where it is not described. */
static bool is_attended(const struct ir_graph *g, ir_value v) {
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        ir_node n = g->uses.at[u].user;
        if (n != IR_NONE && !ir_nod(g, n)->proto && ir_is_op(g, n, "Attention")) return true;
    }
    return false;
}

/* Values that were made since, and all of a graph that was not read, are described. */
static bool is_described(struct ir_store *s, const struct ir_graph *g, ir_value v,
                         uint32_t nread) {
    const struct ir_value_info *x = ir_val(g, v);
    const uint32_t other =
        IR_IS_INPUT | IR_IS_OUTPUT | IR_IS_INIT | IR_IS_OUTER | IR_IS_DEAD;
    bool possible = !g->function || s->ir_version >= 10;
    bool wanted = v >= nread || (!(x->flags & IR_TYPE_DECLARED) && is_attended(g, v));
    return possible && wanted && !(x->flags & other) && x->producer != IR_NONE &&
           x->type && (x->type->kind != IR_TENSOR || x->type->dtype != IR_UNDEFINED);
}

/* Does the file list the value as a graph output? */
static bool is_listed(const struct ir_graph *g, ir_value v) {
    if (!ir_has(g, v, IR_IS_OUTPUT)) return false;
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].user == IR_NONE && g->uses.at[u].slot < ir_noutputs(g))
            return true;
    return false;
}

/* NULL: what it describes is gone, or became an output of the graph, described there. */
static Onnx__ValueInfoProto *keep_info(struct ir_store *s, const struct ir_graph *g,
                                       Onnx__ValueInfoProto *read) {
    char *now = read->name ? ir_name_now(s, g, read->name) : NULL;
    if (now == read->name) return read;
    if (!now || is_listed(g, value_read(s, g, read->name))) return NULL;
    Onnx__ValueInfoProto *p = arena_copy(s->a, read, sizeof *read);
    p->name = now;
    return p;
}

Onnx__ValueInfoProto **ir_store_infos(struct ir_store *s, const struct ir_graph *g,
                                      Onnx__ValueInfoProto **read, size_t nread,
                                      size_t *n) {
    const struct ir_graph_read *known = s->types ? NULL : read_of(s, g);
    uint32_t first = known ? known->n : 0;
    if (s->types) nread = 0;
    Onnx__ValueInfoProto **list =
        IR_LIST(s, Onnx__ValueInfoProto, nread + g->values.len);
    *n = 0;
    for (size_t i = 0; i < nread; i++) {
        Onnx__ValueInfoProto *p = keep_info(s, g, read[i]);
        if (p) list[(*n)++] = p;
    }
    for (ir_value v = 0; v < g->values.len; v++)
        if (is_described(s, g, v, first))
            list[(*n)++] = ir_store_info(s, g->values.at[v].name, g->values.at[v].type);
    return list;
}

static Onnx__TensorAnnotation *store_annotation(struct ir_store *s,
                                                const struct ir_graph *g,
                                                const Onnx__TensorAnnotation *read) {
    char *tensor = read->tensor_name ? ir_name_now(s, g, read->tensor_name) : NULL;
    if (!tensor && read->tensor_name) return NULL;
    Onnx__TensorAnnotation *p = arena_copy(s->a, read, sizeof *read);
    size_t n = read->n_quant_parameter_tensor_names;
    p->tensor_name = tensor;
    p->quant_parameter_tensor_names = IR_LIST(s, Onnx__StringStringEntryProto, n);
    for (size_t i = 0; i < n; i++) {
        Onnx__StringStringEntryProto *e =
            arena_copy(s->a, read->quant_parameter_tensor_names[i], sizeof *e);
        if (e->value && !(e->value = ir_name_now(s, g, e->value))) return NULL;
        p->quant_parameter_tensor_names[i] = e;
    }
    return p;
}

static void store_annotations(struct ir_store *s, const struct ir_graph *g,
                              Onnx__GraphProto *p) {
    size_t n = p->n_quantization_annotation;
    Onnx__TensorAnnotation **list = IR_LIST(s, Onnx__TensorAnnotation, n);
    p->n_quantization_annotation = 0;
    for (size_t i = 0; i < n; i++) {
        Onnx__TensorAnnotation *x = store_annotation(s, g, p->quantization_annotation[i]);
        if (x) list[p->n_quantization_annotation++] = x;
    }
    p->quantization_annotation = list;
}

/* --- initializers ----------------------------------------------------------------- */

/* Ids of values keep the order that initializers had in the file. */
static void store_initializers(struct ir_store *s, const struct ir_graph *g,
                               Onnx__GraphProto *p) {
    VEC(Onnx__TensorProto *) list = {0};
    for (ir_value v = 0; v < g->values.len; v++) {
        const struct ir_value_info *x = ir_val(g, v);
        if (x->flags & IR_IS_INIT && !(x->flags & IR_IS_DEAD) && x->tensor)
            vec_push(s->a, &list, ir_store_tensor(s, x->tensor, x->name, true));
    }
    p->initializer = list.at;
    p->n_initializer = list.len;
}

static void store_sparse(struct ir_store *s, const struct ir_graph *g,
                         Onnx__GraphProto *p) {
    size_t n = p->n_sparse_initializer;
    Onnx__SparseTensorProto **list = IR_LIST(s, Onnx__SparseTensorProto, n);
    p->n_sparse_initializer = 0;
    for (size_t i = 0; i < n; i++) {
        Onnx__SparseTensorProto *x = p->sparse_initializer[i];
        char *now = ir_name_now(s, g, x->values->name);
        if (!now) continue;
        if (now != x->values->name) {
            x = arena_copy(s->a, x, sizeof *x);
            x->values = arena_copy(s->a, x->values, sizeof *x->values);
            x->values->name = now;
        }
        list[p->n_sparse_initializer++] = x;
    }
    p->sparse_initializer = list;
}

/* --- interface -------------------------------------------------------------------- */

/* Value v at a place of the interface: as the file described it, under its name of now. */
static Onnx__ValueInfoProto *store_port(struct ir_store *s, const struct ir_graph *g,
                                        ir_value v, Onnx__ValueInfoProto *read) {
    const struct ir_value_info *x = ir_val(g, v);
    if (!read) return ir_store_info(s, x->name, x->type);
    if (read->name && rw_streq(read->name, x->name)) return read;
    Onnx__ValueInfoProto *p = arena_copy(s->a, read, sizeof *read);
    p->name = arena_strdup(s->a, x->name);
    return p;
}

/* The file's description of input v; *at goes along: inputs may have gone since, but those
 * that stay keep their order. */
static Onnx__ValueInfoProto *input_read(const struct ir_store *s, const struct ir_graph *g,
                                        ir_value v, size_t *at) {
    const struct ir_graph_read *known = g->proto ? read_of(s, g) : NULL;
    if (!known || v >= known->n) return NULL;
    for (; *at < g->proto->n_input; ++*at) {
        Onnx__ValueInfoProto *read = g->proto->input[*at];
        if (read->name && rw_streq(read->name, known->names[v])) return read;
    }
    return NULL;
}

/* That of output i. Of a body outputs may have gone: those that stay keep order and name. */
static Onnx__ValueInfoProto *output_read(const struct ir_graph *g, uint32_t i, size_t *at) {
    if (!g->proto) return NULL;
    if (g->proto->n_output == ir_noutputs(g)) return g->proto->output[i];
    const char *name = ir_val(g, g->uses.at[g->outputs.at[i]].value)->name;
    while (*at < g->proto->n_output) {
        Onnx__ValueInfoProto *read = g->proto->output[(*at)++];
        if (read->name && rw_streq(read->name, name)) return read;
    }
    return NULL;
}

static void store_interface(struct ir_store *s, const struct ir_graph *g,
                            Onnx__GraphProto *p) {
    Onnx__ValueInfoProto **in = IR_LIST(s, Onnx__ValueInfoProto, g->inputs.len);
    Onnx__ValueInfoProto **out = IR_LIST(s, Onnx__ValueInfoProto, ir_noutputs(g));
    size_t nin = 0, at = 0, out_at = 0;
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        ir_value v = g->inputs.at[i];
        if (s->drop_init_inputs && ir_has(g, v, IR_IS_INIT)) continue;
        in[nin++] = store_port(s, g, v, input_read(s, g, v, &at));
    }
    for (uint32_t i = 0; i < ir_noutputs(g); i++)
        out[i] = store_port(s, g, g->uses.at[g->outputs.at[i]].value,
                            output_read(g, i, &out_at));
    p->input = in;
    p->n_input = nin;
    p->output = out;
    p->n_output = ir_noutputs(g);
}

Onnx__GraphProto *ir_store_graph(struct ir_store *s, const struct ir_graph *g) {
    Onnx__GraphProto *p = arena_alloc(s->a, sizeof *p);
    onnx__graph_proto__init(p);
    if (g->proto) *p = *g->proto;
    else p->name = arena_strdup(s->a, *g->name ? g->name : "graph");
    store_interface(s, g, p);
    store_initializers(s, g, p);
    if (p->n_sparse_initializer) store_sparse(s, g, p);
    p->value_info = ir_store_infos(s, g, p->value_info, p->n_value_info, &p->n_value_info);
    if (p->n_quantization_annotation) store_annotations(s, g, p);
    p->node = ir_store_nodes(s, g, &p->n_node);
    return p;
}
