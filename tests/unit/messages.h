/* messages.h -- small models made by hand, for tests of reading and writing. All is in the
 * arena `a`; diagnostics go to `diags`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MESSAGES_H
#define TESTS_UNIT_MESSAGES_H

#include "ir/ir.h"
#include "ir/onnx.pb-c.h"

#include <CUnit/CUnit.h>

#define HELPER __attribute__((unused)) static

HELPER struct arena a;
HELPER struct diag_sink diags;

HELPER void start(void) {
    a = ARENA_EMPTY;
    diag_init(&diags, &a);
}

HELPER void *push(void *list, size_t *n, void *item) {
    void **grown = arena_array(&a, *n + 1, sizeof *grown);
    if (*n) memcpy(grown, list, *n * sizeof *grown);
    grown[(*n)++] = item;
    return grown;
}
#define PUSH(list, n, item) ((list) = push((list), &(n), (item)))

HELPER Onnx__NodeProto *node(const char *op, const char *in, const char *out) {
    Onnx__NodeProto *n = arena_alloc(&a, sizeof *n);
    onnx__node_proto__init(n);
    n->op_type = arena_strdup(&a, op);
    if (in) PUSH(n->input, n->n_input, arena_strdup(&a, in));
    if (out) PUSH(n->output, n->n_output, arena_strdup(&a, out));
    return n;
}

HELPER Onnx__ValueInfoProto *info(const char *name) {
    Onnx__ValueInfoProto *v = arena_alloc(&a, sizeof *v);
    onnx__value_info_proto__init(v);
    v->name = arena_strdup(&a, name);
    return v;
}

HELPER Onnx__TensorProto *floats(const char *name, int64_t n, size_t raw_bytes) {
    Onnx__TensorProto *t = arena_alloc(&a, sizeof *t);
    onnx__tensor_proto__init(t);
    t->name = arena_strdup(&a, name);
    t->has_data_type = 1;
    t->data_type = IR_FLOAT;
    t->n_dims = 1;
    t->dims = arena_copy(&a, &n, sizeof n);
    t->has_raw_data = 1;
    t->raw_data.len = raw_bytes;
    t->raw_data.data = arena_zalloc(&a, raw_bytes);
    for (size_t i = 0; i < raw_bytes; i++) t->raw_data.data[i] = (uint8_t)(i * 7);
    return t;
}

HELPER Onnx__GraphProto *graph(const char *in, const char *out) {
    Onnx__GraphProto *g = arena_alloc(&a, sizeof *g);
    onnx__graph_proto__init(g);
    g->name = arena_strdup(&a, "g");
    if (in) PUSH(g->input, g->n_input, info(in));
    PUSH(g->output, g->n_output, info(out));
    return g;
}

HELPER void add(Onnx__GraphProto *g, Onnx__NodeProto *n) { PUSH(g->node, g->n_node, n); }

HELPER void add_body(Onnx__NodeProto *n, const char *name, Onnx__GraphProto *g) {
    Onnx__AttributeProto *t = arena_alloc(&a, sizeof *t);
    onnx__attribute_proto__init(t);
    t->name = arena_strdup(&a, name);
    t->has_type = 1;
    t->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
    t->g = g;
    PUSH(n->attribute, n->n_attribute, t);
}

HELPER Onnx__ModelProto *model(Onnx__GraphProto *g, int64_t ir_version, int64_t opset) {
    Onnx__ModelProto *m = arena_alloc(&a, sizeof *m);
    Onnx__OperatorSetIdProto *o = arena_alloc(&a, sizeof *o);
    onnx__model_proto__init(m);
    onnx__operator_set_id_proto__init(o);
    m->has_ir_version = 1;
    m->ir_version = ir_version;
    o->has_version = 1;
    o->version = opset;
    PUSH(m->opset_import, m->n_opset_import, o);
    m->graph = g;
    return m;
}

HELPER struct ir_model *read_model(const Onnx__ModelProto *m) {
    size_t len = onnx__model_proto__get_packed_size(m);
    uint8_t *bytes = arena_alloc(&a, len);
    onnx__model_proto__pack(m, bytes);
    return ir_model_read_bytes(&a, bytes, len, "m.onnx", NULL, &diags);
}

#endif
