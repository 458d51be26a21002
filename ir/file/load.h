/* load.h -- from messages to graphs: the parts of the reader. Private to ir/.
 *
 * The graph points into the messages, which live as long as the model.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_LOAD_H
#define IR_LOAD_H

#include "ir/file/files.h"
#include "ir/onnx.pb-c.h"

/* Value v of g has the name of a value of a graph around it. */
struct ir_hiding {
    struct ir_graph *g;
    ir_value v;
    const struct ir_graph *outer;
    ir_value hidden;
};
struct ir_meaning {
    uint32_t scope; /* IR_NONE: the name means nothing anywhere */
    ir_value value;
};
struct ir_load {
    struct ir_model *m;
    struct ir_source *source;
    struct diag_sink *diags;
    struct arena scratch; /* by graph, given back at its end */
    struct arena tables;  /* of those below */
    struct intern names;  /* of values, all graphs */
    VEC(struct ir_meaning) first; /* of each name: what it means where it came first */
    struct map values;    /* (scope, name) -> value elsewhere */
    VEC(struct ir_hiding) hiding;
    uint32_t nscopes;
    bool sorted;          /* some graph was out of order */
};

/* A graph being read, and the ones around it. */
struct ir_scope {
    struct ir_graph *g;
    struct ir_scope *outer;
    uint32_t id;
};

/* load_where.c. Where something is: words are only made when there is something to say.
 *     {0}                     m.onnx
 *     {.kind, .name}          m.onnx: initializer "w"
 *     {.node}                 m.onnx: node "n" (Op), or without a name: node of "y" (Op)
 *     {.node, .kind, .name}   m.onnx: node "n" (Op): attribute "value" */
struct ir_spot {
    const Onnx__NodeProto *node;
    const char *kind, *name;
};
enum rw_code ir_load_error(struct ir_load *l, struct ir_spot at, const char *format, ...)
    RW_PRINTF(3, 4);
/* `node "n" (Op)`, in the scratch arena. */
const char *ir_node_words(struct ir_load *l, const Onnx__NodeProto *p);

/* load_type.c. The type of a message in the model's arena; NULL: nothing is said. */
const struct ir_type *ir_load_type(struct ir_load *l, const Onnx__TypeProto *p,
                                   bool in_function);

/* load_tensor.c */
enum rw_code ir_load_tensor(struct ir_load *l, Onnx__TensorProto *p, struct ir_spot at,
                            struct ir_tensor **out);

/* external.c. Storage, location and offset of a tensor that says its data is external;
 * its dims are known. */
enum rw_code ir_load_external(struct ir_load *l, const Onnx__TensorProto *p,
                              struct ir_spot at, struct ir_tensor *t);

/* load_attr.c. An attribute of `node`; bodies are read as graphs inside `scope`. */
enum rw_code ir_load_attr(struct ir_load *l, struct ir_scope *scope,
                          const Onnx__NodeProto *node, Onnx__AttributeProto *p,
                          struct ir_attr *out);

/* load_graph.c. The parts of a graph or of a function's body. */
struct ir_parts {
    size_t nnodes, ninputs, noutputs, ninits, nsparse, ninfos;
    Onnx__NodeProto **nodes;
    Onnx__ValueInfoProto **inputs, **outputs, **infos; /* NULL for a function, which has: */
    char **input_names, **output_names;
    Onnx__TensorProto **inits;
    Onnx__SparseTensorProto **sparse;
};
enum rw_code ir_load_graph(struct ir_load *l, struct ir_graph *g, struct ir_scope *outer,
                           const struct ir_parts *p);
/* Gives values with a name that their graph sees from outside another one. */
void ir_load_rename_hiding(struct ir_load *l);
struct ir_parts ir_graph_parts(Onnx__GraphProto *p);

/* load_named.c. Marks what training and quantisation annotations name. */
void ir_load_named(struct ir_load *l, const Onnx__ModelProto *p);

/* load_order.c. A node with what it needs, before it is in the graph. */
struct ir_pending {
    Onnx__NodeProto *proto;
    ir_value *in, *out;
    struct ir_attr *attr;
};
/* The order in which nodes go into the graph: that of the file where it is topological,
 * else the one that is nearest to it. An error on a cycle. */
enum rw_code ir_load_order(struct ir_load *l, const struct ir_graph *g,
                           const struct ir_pending *nodes, uint32_t n, uint32_t *order);

#endif
