/* store.h -- from graphs back to messages: the parts of the writer. Private to ir/.
 *
 * Messages that were read are never changed. What is as it was is taken over as it is,
 * what is not becomes a shallow copy, so unknown fields, documentation and metadata stay
 * wherever their message does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_STORE_H
#define IR_STORE_H

#include "ir/file/data.h"
#include "ir/onnx.pb-c.h"

struct ir_store {
    struct ir_model *m;
    struct arena *a;             /* of the messages made */
    VEC(struct ir_payload) payloads; /* those that were read, then new ones */
    int64_t ir_version;          /* to be written */
    bool drop_init_inputs;       /* IR version 4 was crossed */
    const char *share;           /* location for weights that stay in the input, or NULL */
    struct ir_data *data;        /* where initializers go that leave the model, or NULL */
    bool types;                  /* all values are described, as they are known now */
    struct map index;            /* address of a graph that was read -> its number */
    struct intern read_names;    /* of values, in the file */
    struct map read_values;      /* (number of graph, name) -> value; of graphs asked for */
    bool *indexed;
};

/* The model as a message; markers stand for s->payloads. */
Onnx__ModelProto *ir_store_model(struct ir_store *s);
/* For messages of parts of the model: what is to be done before any is made, and the
 * model's functions. */
void ir_store_begin(struct ir_store *s);
void ir_store_functions(struct ir_store *s, Onnx__ModelProto *p);

/* --- store_graph.c ---------------------------------------------------------------- */
Onnx__GraphProto *ir_store_graph(struct ir_store *s, const struct ir_graph *g);
/* The name now of the value that had a name in the file: `name` itself where none had it,
 * or it was not renamed; NULL where the value was removed. */
char *ir_name_now(struct ir_store *s, const struct ir_graph *g, char *name);
Onnx__ValueInfoProto **ir_store_infos(struct ir_store *s, const struct ir_graph *g,
                                      Onnx__ValueInfoProto **read, size_t nread, size_t *n);

/* --- store_node.c ----------------------------------------------------------------- */
Onnx__AttributeProto *ir_store_attr(struct ir_store *s, const struct ir_attr *x);
/* The nodes of a graph in order. */
Onnx__NodeProto **ir_store_nodes(struct ir_store *s, const struct ir_graph *g, size_t *n);

/* --- store_type.c ----------------------------------------------------------------- */
Onnx__ValueInfoProto *ir_store_info(struct ir_store *s, const char *name,
                                    const struct ir_type *type);

/* --- store_tensor.c --------------------------------------------------------------- */
/* name NULL: that of the message stays. `movable`: its data may lie in another file. */
Onnx__TensorProto *ir_store_tensor(struct ir_store *s, const struct ir_tensor *t,
                                   const char *name, bool movable);

/* --- store_training.c ------------------------------------------------------------- */
/* Training graphs are carried along; names of the main graph in them follow renames. */
Onnx__TrainingInfoProto **ir_store_training(struct ir_store *s,
                                            Onnx__TrainingInfoProto **read, size_t n);

/* A list of n pointers, in the arena, with room for `more`. */
#define IR_LIST(s, type, n) arena_new_array((s)->a, type *, (size_t)(n) + 1)
#endif
