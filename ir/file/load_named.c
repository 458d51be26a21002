/* load_named.c -- values that more than nodes and graph outputs refer to: they must stay
 * what they are, under their names.
 *
 * A training graph runs as one graph with the main one, whose values it may use: these
 * are seen from outside, as if the file listed them as graph outputs. What training
 * updates is no constant. Quantisation annotations name initializers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

#include "ir/graph/names.h"

/* The value of that name of the main graph, or IR_NONE. */
static ir_value find_main(const struct ir_load *l, const char *name) {
    struct ir_graph *g = l->m->main;
    const struct ir_name *e = name && *name ? ir_name_holder(l->m, NULL, name) : NULL;
    if (!e || e->value == IR_NONE) return IR_NONE;
    return e->graph == g ? e->value : e->sharers ? ir_find_value(g, name) : IR_NONE;
}

static void flag(struct ir_graph *g, ir_value v, enum ir_value_flag f) {
    if (v != IR_NONE) g->values.at[v].flags |= (uint32_t)f;
}

/* --- training ---------------------------------------------------------------------- */

static void note_used(struct ir_load *l, const char *name) {
    struct ir_graph *g = l->m->main;
    ir_value v = find_main(l, name);
    if (v == IR_NONE || ir_has(g, v, IR_IS_NAMED)) return;
    flag(g, v, IR_IS_NAMED);
    if (g->values.at[v].producer == IR_NONE) return;
    ir_add_output(g, v);
    g->unlisted++;
}

static void note_defined(struct ir_load *l, const char *name) {
    if (name && *name && find_main(l, name) == IR_NONE) ir_name_reserve(l->m, NULL, name);
}

static void note_graph(struct ir_load *l, const Onnx__GraphProto *p);

/* Gradient has names in strings. Any other string that is a name costs little. */
static void note_text(struct ir_load *l, const ProtobufCBinaryData *s) {
    note_used(l, arena_strndup(&l->scratch, (const char *)s->data, s->len));
}

static void note_attribute(struct ir_load *l, const Onnx__AttributeProto *p) {
    if (p->has_s) note_text(l, &p->s);
    for (size_t i = 0; i < p->n_strings; i++) note_text(l, &p->strings[i]);
    if (p->g) note_graph(l, p->g);
    for (size_t i = 0; i < p->n_graphs; i++) note_graph(l, p->graphs[i]);
}

/* Nesting is that of the messages, which has a limit. */
static void note_graph(struct ir_load *l, const Onnx__GraphProto *p) {
    for (size_t i = 0; i < p->n_initializer; i++) note_defined(l, p->initializer[i]->name);
    for (size_t i = 0; i < p->n_input; i++) note_defined(l, p->input[i]->name);
    for (size_t i = 0; i < p->n_output; i++) note_used(l, p->output[i]->name);
    for (size_t i = 0; i < p->n_node; i++) {
        const Onnx__NodeProto *n = p->node[i];
        for (size_t k = 0; k < n->n_input; k++) note_used(l, n->input[k]);
        for (size_t k = 0; k < n->n_output; k++) note_defined(l, n->output[k]);
        for (size_t k = 0; k < n->n_attribute; k++) note_attribute(l, n->attribute[k]);
    }
}

static void note_bindings(struct ir_load *l, Onnx__StringStringEntryProto **p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        note_used(l, p[i]->key);
        note_used(l, p[i]->value);
        flag(l->m->main, find_main(l, p[i]->key), IR_IS_TRAINED);
    }
}

static void note_training(struct ir_load *l, const Onnx__TrainingInfoProto *p) {
    if (p->initialization) note_graph(l, p->initialization);
    if (p->algorithm) note_graph(l, p->algorithm);
    note_bindings(l, p->initialization_binding, p->n_initialization_binding);
    note_bindings(l, p->update_binding, p->n_update_binding);
}

/* --- quantisation ------------------------------------------------------------------ */

static void note_annotations(struct ir_graph *g) {
    const Onnx__GraphProto *p = g->proto;
    for (size_t i = 0; p && i < p->n_quantization_annotation; i++) {
        const Onnx__TensorAnnotation *t = p->quantization_annotation[i];
        for (size_t k = 0; k < t->n_quant_parameter_tensor_names; k++) {
            const char *name = t->quant_parameter_tensor_names[k]->value;
            if (name) flag(g, ir_find_value(g, name), IR_IS_NAMED);
        }
    }
}

void ir_load_named(struct ir_load *l, const Onnx__ModelProto *p) {
    for (uint32_t i = 0; i < l->m->graphs.len; i++) note_annotations(l->m->graphs.at[i]);
    l->m->has_training = p->n_training_info > 0;
    for (size_t i = 0; i < p->n_training_info; i++) note_training(l, p->training_info[i]);
}
