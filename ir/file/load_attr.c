/* load_attr.c -- attributes from their messages. Lists point into the message; what has no
 * field in struct ir_attr (types, sparse tensors) is there as the message alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

/* Files of the first IR versions do not say the type; what is there tells it. */
static enum ir_attr_type type_of(const Onnx__AttributeProto *p) {
    if (p->has_type && p->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
        return (enum ir_attr_type)p->type;
    if (p->has_f) return IR_ATTR_FLOAT;
    if (p->has_i) return IR_ATTR_INT;
    if (p->has_s) return IR_ATTR_STRING;
    if (p->t) return IR_ATTR_TENSOR;
    if (p->g) return IR_ATTR_GRAPH;
    if (p->n_floats) return IR_ATTR_FLOATS;
    if (p->n_ints) return IR_ATTR_INTS;
    if (p->n_strings) return IR_ATTR_STRINGS;
    if (p->n_tensors) return IR_ATTR_TENSORS;
    return p->n_graphs ? IR_ATTR_GRAPHS : IR_ATTR_UNDEFINED;
}

static enum rw_code load_tensors(struct ir_load *l, const Onnx__NodeProto *node,
                                 Onnx__TensorProto **p, size_t n, struct ir_attr *out) {
    struct ir_spot at = {.node = node, .kind = "attribute", .name = out->name};
    struct ir_tensor **t = arena_new_array(l->m->arena, struct ir_tensor *, n);
    for (size_t i = 0; i < n; i++) TRY(ir_load_tensor(l, p[i], at, &t[i]));
    out->tensors = t;
    out->n = (uint32_t)n;
    return RW_OK;
}

static enum rw_code load_graphs(struct ir_load *l, struct ir_scope *scope,
                                Onnx__GraphProto **p, size_t n, struct ir_attr *out) {
    struct ir_graph **g = arena_new_array(l->m->arena, struct ir_graph *, n);
    for (size_t i = 0; i < n; i++) {
        struct ir_parts parts = ir_graph_parts(p[i]);
        g[i] = ir_graph_new(l->m, scope->g, p[i]->name);
        g[i]->proto = p[i];
        TRY(ir_load_graph(l, g[i], scope, &parts));
    }
    out->graphs = g;
    out->n = (uint32_t)n;
    return RW_OK;
}

static void load_strings(struct ir_load *l, const Onnx__AttributeProto *p,
                         struct ir_attr *out) {
    struct ir_string *s = arena_new_array(l->m->arena, struct ir_string, p->n_strings);
    for (size_t i = 0; i < p->n_strings; i++)
        s[i] = (struct ir_string){(const char *)p->strings[i].data, p->strings[i].len};
    out->strings = s;
    out->n = (uint32_t)p->n_strings;
}

enum rw_code ir_load_attr(struct ir_load *l, struct ir_scope *scope,
                          const Onnx__NodeProto *node, Onnx__AttributeProto *p,
                          struct ir_attr *out) {
    struct ir_spot at = {.node = node, .kind = "attribute", .name = p->name};
    if (!p->name || !*p->name) return ir_load_error(l, at, "has no name");
    *out = (struct ir_attr){.name = p->name, .type = type_of(p), .proto = p};
    if (p->ref_attr_name && *p->ref_attr_name) {
        out->ref = p->ref_attr_name;
        return RW_OK;
    }
    switch (out->type) {
    case IR_ATTR_FLOAT: out->f = p->f; break;
    case IR_ATTR_INT: out->i = p->i; break;
    case IR_ATTR_STRING:
        out->s = (struct ir_string){p->s.data ? (const char *)p->s.data : "", p->s.len};
        break;
    case IR_ATTR_FLOATS: out->n = (uint32_t)p->n_floats, out->floats = p->floats; break;
    case IR_ATTR_INTS: out->n = (uint32_t)p->n_ints, out->ints = p->ints; break;
    case IR_ATTR_STRINGS: load_strings(l, p, out); break;
    case IR_ATTR_TENSOR:
        if (!p->t) return ir_load_error(l, at, "has no tensor");
        return load_tensors(l, node, &p->t, 1, out);
    case IR_ATTR_TENSORS: return load_tensors(l, node, p->tensors, p->n_tensors, out);
    case IR_ATTR_GRAPH:
        if (!p->g) return ir_load_error(l, at, "has no graph");
        return load_graphs(l, scope, &p->g, 1, out);
    case IR_ATTR_GRAPHS: return load_graphs(l, scope, p->graphs, p->n_graphs, out);
    default: break;
    }
    return RW_OK;
}
