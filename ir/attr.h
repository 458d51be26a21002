/* attr.h -- attributes of nodes, decoded.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_ATTR_H
#define IR_ATTR_H

#include "ir/tensor.h"

struct Onnx__AttributeProto;
struct ir_graph;

/* AttributeProto.AttributeType: the numbers of the format. */
enum ir_attr_type {
    IR_ATTR_UNDEFINED = 0, IR_ATTR_FLOAT = 1, IR_ATTR_INT = 2, IR_ATTR_STRING = 3,
    IR_ATTR_TENSOR = 4, IR_ATTR_GRAPH = 5, IR_ATTR_FLOATS = 6, IR_ATTR_INTS = 7,
    IR_ATTR_STRINGS = 8, IR_ATTR_TENSORS = 9, IR_ATTR_GRAPHS = 10,
    IR_ATTR_SPARSE_TENSOR = 11, IR_ATTR_SPARSE_TENSORS = 12, IR_ATTR_TYPE_PROTO = 13,
    IR_ATTR_TYPE_PROTOS = 14
};

struct ir_attr {
    const char *name;
    enum ir_attr_type type;
    const char *ref; /* ref_attr_name inside a function body, or NULL: then no value */
    int64_t i;
    float f;
    struct ir_string s;
    uint32_t n; /* of the list that the type names */
    const int64_t *ints;
    const float *floats;
    const struct ir_string *strings;
    struct ir_tensor *const *tensors;   /* IR_ATTR_TENSOR: n = 1 */
    struct ir_graph *const *graphs;     /* IR_ATTR_GRAPH: n = 1 */
    /* The message it was read from, written back as it is; NULL for a new one. */
    struct Onnx__AttributeProto *proto;
};

/* These point at what they are given; an editor that stores an attribute copies it. */
struct ir_attr ir_attr_int(const char *name, int64_t value);
struct ir_attr ir_attr_float(const char *name, float value);
struct ir_attr ir_attr_string(const char *name, const char *value);
struct ir_attr ir_attr_ints(const char *name, uint32_t n, const int64_t *values);
struct ir_attr ir_attr_floats(const char *name, uint32_t n, const float *values);
struct ir_attr ir_attr_tensor(struct arena *a, const char *name, struct ir_tensor *t);
struct ir_attr ir_attr_graph(struct arena *a, const char *name, struct ir_graph *g);
/* Is its value one graph or several? (A reference has no value.) */
static inline bool ir_attr_is_body(const struct ir_attr *attr) {
    return attr->type == IR_ATTR_GRAPH || attr->type == IR_ATTR_GRAPHS;
}
/* With names, lists and strings of its own; tensors and graphs stay shared. */
struct ir_attr ir_attr_copy(struct arena *a, const struct ir_attr *attr);
/* Equal in name, type and value (tensors by content, graphs never). */
bool ir_attr_equal(struct ir_model *m, const struct ir_attr *a, const struct ir_attr *b);

#endif
