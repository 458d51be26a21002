/* store_node.c -- nodes and attributes as messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/store.h"
#include "ir/where.h"

#define PROVENANCE "onnxrw.rule"
#define METADATA_IR_VERSION 10 /* nodes have metadata from then on */

static char *text(struct ir_store *s, const char *t) { return arena_strdup(s->a, t); }

/* --- attributes ------------------------------------------------------------------- */

static void set_strings(struct ir_store *s, Onnx__AttributeProto *p,
                        const struct ir_attr *x) {
    p->n_strings = x->n;
    p->strings = arena_new_array(s->a, ProtobufCBinaryData, x->n);
    for (uint32_t i = 0; i < x->n; i++) {
        p->strings[i].len = x->strings[i].len;
        p->strings[i].data = arena_copy(s->a, x->strings[i].at, x->strings[i].len);
    }
}

static void set_graphs(struct ir_store *s, Onnx__AttributeProto *p,
                       const struct ir_attr *x) {
    if (x->type == IR_ATTR_GRAPH) {
        p->g = ir_store_graph(s, x->graphs[0]);
        return;
    }
    p->n_graphs = x->n;
    p->graphs = IR_LIST(s, Onnx__GraphProto, x->n);
    for (uint32_t i = 0; i < x->n; i++) p->graphs[i] = ir_store_graph(s, x->graphs[i]);
}

static void set_tensors(struct ir_store *s, Onnx__AttributeProto *p,
                        const struct ir_attr *x) {
    if (x->type == IR_ATTR_TENSOR) {
        p->t = ir_store_tensor(s, x->tensors[0], NULL, false);
        return;
    }
    p->n_tensors = x->n;
    p->tensors = IR_LIST(s, Onnx__TensorProto, x->n);
    for (uint32_t i = 0; i < x->n; i++)
        p->tensors[i] = ir_store_tensor(s, x->tensors[i], NULL, false);
}

static void set_value(struct ir_store *s, Onnx__AttributeProto *p,
                      const struct ir_attr *x) {
    switch (x->type) {
    case IR_ATTR_FLOAT: p->has_f = 1, p->f = x->f; break;
    case IR_ATTR_INT: p->has_i = 1, p->i = x->i; break;
    case IR_ATTR_STRING:
        p->has_s = 1;
        p->s.len = x->s.len;
        p->s.data = arena_copy(s->a, x->s.at, x->s.len);
        break;
    case IR_ATTR_FLOATS:
        p->n_floats = x->n;
        p->floats = arena_copy(s->a, x->floats, x->n * sizeof *x->floats);
        break;
    case IR_ATTR_INTS:
        p->n_ints = x->n;
        p->ints = arena_copy(s->a, x->ints, x->n * sizeof *x->ints);
        break;
    case IR_ATTR_STRINGS: set_strings(s, p, x); break;
    case IR_ATTR_TENSOR: case IR_ATTR_TENSORS: set_tensors(s, p, x); break;
    case IR_ATTR_GRAPH: case IR_ATTR_GRAPHS: set_graphs(s, p, x); break;
    default: break; /* types and sparse tensors come with their message only */
    }
}

Onnx__AttributeProto *ir_store_attr(struct ir_store *s, const struct ir_attr *x) {
    bool has_bodies = !x->ref && ir_attr_is_body(x);
    if (x->proto && !has_bodies) return x->proto;
    Onnx__AttributeProto *p;
    if (x->proto) {
        p = arena_copy(s->a, x->proto, sizeof *p);
        set_graphs(s, p, x);
        return p;
    }
    p = arena_alloc(s->a, sizeof *p);
    onnx__attribute_proto__init(p);
    p->name = text(s, x->name);
    p->has_type = 1;
    p->type = (Onnx__AttributeProto__AttributeType)x->type;
    if (x->ref) p->ref_attr_name = text(s, x->ref);
    else set_value(s, p, x);
    return p;
}

/* --- nodes ------------------------------------------------------------------------ */

static char *name_of(const struct ir_graph *g, ir_value v) {
    /* protobuf-c has no const; nobody writes through these. */
    return v == IR_NONE ? (char *)(uintptr_t) "" : (char *)(uintptr_t)g->values.at[v].name;
}

static void set_operands(struct ir_store *s, const struct ir_graph *g, ir_node n,
                         Onnx__NodeProto *p) {
    const struct ir_node_info *x = ir_nod(g, n);
    p->n_input = x->nin;
    p->input = IR_LIST(s, char, x->nin);
    for (uint32_t k = 0; k < x->nin; k++) p->input[k] = name_of(g, ir_input(g, n, k));
    p->n_output = x->nout;
    p->output = IR_LIST(s, char, x->nout);
    for (uint32_t k = 0; k < x->nout; k++) p->output[k] = name_of(g, ir_output(g, n, k));
}

/* Sharding specifications name operands and results of their node. */
static void rename_shards(struct ir_store *s, const struct ir_graph *g,
                          Onnx__NodeProto *p) {
    Onnx__NodeDeviceConfigurationProto **list =
        IR_LIST(s, Onnx__NodeDeviceConfigurationProto, p->n_device_configurations);
    for (size_t i = 0; i < p->n_device_configurations; i++) {
        Onnx__NodeDeviceConfigurationProto *c =
            arena_copy(s->a, p->device_configurations[i], sizeof *c);
        Onnx__ShardingSpecProto **specs =
            IR_LIST(s, Onnx__ShardingSpecProto, c->n_sharding_spec);
        size_t n = 0;
        for (size_t k = 0; k < c->n_sharding_spec; k++) {
            Onnx__ShardingSpecProto *spec =
                arena_copy(s->a, c->sharding_spec[k], sizeof *spec);
            if (spec->tensor_name) spec->tensor_name = ir_name_now(s, g, spec->tensor_name);
            if (spec->tensor_name || !c->sharding_spec[k]->tensor_name) specs[n++] = spec;
        }
        c->sharding_spec = specs;
        c->n_sharding_spec = n;
        list[i] = c;
    }
    p->device_configurations = list;
}

static void add_provenance(struct ir_store *s, const char *rule, Onnx__NodeProto *p) {
    Onnx__StringStringEntryProto *e = arena_alloc(s->a, sizeof *e);
    onnx__string_string_entry_proto__init(e);
    e->key = text(s, PROVENANCE);
    e->value = text(s, rule);
    p->n_metadata_props = 1;
    p->metadata_props = IR_LIST(s, Onnx__StringStringEntryProto, 1);
    p->metadata_props[0] = e;
}

const char *ir_node_rule(const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (x->rule != SYM_NONE) return intern_text(&g->model->names, x->rule);
    for (size_t i = 0; x->proto && i < x->proto->n_metadata_props; i++) {
        const Onnx__StringStringEntryProto *e = x->proto->metadata_props[i];
        if (e->key && e->value && rw_streq(e->key, PROVENANCE)) return e->value;
    }
    return NULL;
}

static Onnx__NodeProto *new_node(struct ir_store *s, const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    Onnx__NodeProto *p = arena_alloc(s->a, sizeof *p);
    onnx__node_proto__init(p);
    p->op_type = text(s, ir_op_name(g, n));
    if (*x->name) p->name = text(s, x->name);
    if (x->domain != SYM_NONE) p->domain = text(s, ir_domain_name(g, n));
    if (*x->overload) p->overload = text(s, x->overload);
    if (x->rule != SYM_NONE && s->ir_version >= METADATA_IR_VERSION)
        add_provenance(s, intern_text(&s->m->names, x->rule), p);
    return p;
}

static Onnx__NodeProto *store_node(struct ir_store *s, const struct ir_graph *g,
                                   ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (x->proto && !(x->flags & IR_NODE_CHANGED)) return x->proto;
    Onnx__NodeProto *p =
        x->proto ? arena_copy(s->a, x->proto, sizeof *p) : new_node(s, g, n);
    set_operands(s, g, n, p);
    if (p->n_device_configurations) rename_shards(s, g, p);
    p->n_attribute = x->nattr;
    p->attribute = IR_LIST(s, Onnx__AttributeProto, x->nattr);
    for (uint32_t i = 0; i < x->nattr; i++) p->attribute[i] = ir_store_attr(s, &x->attr[i]);
    return p;
}

Onnx__NodeProto **ir_store_nodes(struct ir_store *s, const struct ir_graph *g, size_t *n) {
    Onnx__NodeProto **list = IR_LIST(s, Onnx__NodeProto, g->live);
    *n = 0;
    for (ir_node i = g->first; i != IR_NONE; i = g->nodes.at[i].next)
        list[(*n)++] = store_node(s, g, i);
    return list;
}
