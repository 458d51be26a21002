/* store_training.c -- the training graphs of a model: not optimised, only carried along.
 * They see the values of the main graph, so names that were changed there change here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/store.h"

/* A removed value keeps its name here: nothing better can be said. */
static char *now(struct ir_store *s, char *name) {
    char *text = name ? ir_name_now(s, s->m->main, name) : NULL;
    return text ? text : name;
}

static Onnx__GraphProto *rename_graph(struct ir_store *s, Onnx__GraphProto *read);

static Onnx__AttributeProto *rename_attr(struct ir_store *s, Onnx__AttributeProto *read) {
    if (!read->g && !read->n_graphs) return read;
    Onnx__AttributeProto *p = arena_copy(s->a, read, sizeof *read);
    if (p->g) p->g = rename_graph(s, p->g);
    p->graphs = IR_LIST(s, Onnx__GraphProto, p->n_graphs);
    for (size_t i = 0; i < p->n_graphs; i++)
        p->graphs[i] = rename_graph(s, read->graphs[i]);
    return p;
}

static Onnx__NodeProto *rename_node(struct ir_store *s, const Onnx__NodeProto *read) {
    Onnx__NodeProto *p = arena_copy(s->a, read, sizeof *read);
    p->input = IR_LIST(s, char, p->n_input);
    for (size_t i = 0; i < p->n_input; i++) p->input[i] = now(s, read->input[i]);
    p->attribute = IR_LIST(s, Onnx__AttributeProto, p->n_attribute);
    for (size_t i = 0; i < p->n_attribute; i++)
        p->attribute[i] = rename_attr(s, read->attribute[i]);
    return p;
}

/* Nesting is that of what was read. */
static Onnx__GraphProto *rename_graph(struct ir_store *s, Onnx__GraphProto *read) {
    Onnx__GraphProto *p = arena_copy(s->a, read, sizeof *read);
    p->node = IR_LIST(s, Onnx__NodeProto, p->n_node);
    for (size_t i = 0; i < p->n_node; i++) p->node[i] = rename_node(s, read->node[i]);
    return p;
}

static Onnx__StringStringEntryProto **rename_bindings(struct ir_store *s,
                                                      Onnx__StringStringEntryProto **read,
                                                      size_t n) {
    Onnx__StringStringEntryProto **list = IR_LIST(s, Onnx__StringStringEntryProto, n);
    for (size_t i = 0; i < n; i++) {
        list[i] = arena_copy(s->a, read[i], sizeof *read[i]);
        list[i]->key = now(s, read[i]->key);
    }
    return list;
}

Onnx__TrainingInfoProto **ir_store_training(struct ir_store *s,
                                            Onnx__TrainingInfoProto **read, size_t n) {
    Onnx__TrainingInfoProto **list = IR_LIST(s, Onnx__TrainingInfoProto, n);
    for (size_t i = 0; i < n; i++) {
        Onnx__TrainingInfoProto *p = arena_copy(s->a, read[i], sizeof *p);
        if (p->initialization) p->initialization = rename_graph(s, p->initialization);
        if (p->algorithm) p->algorithm = rename_graph(s, p->algorithm);
        p->initialization_binding =
            rename_bindings(s, p->initialization_binding, p->n_initialization_binding);
        p->update_binding = rename_bindings(s, p->update_binding, p->n_update_binding);
        list[i] = p;
    }
    return list;
}
