/* store.c -- a model as a message: versions, functions, and the order of it all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/store.h"

#include "ir/schema.h"

#define FIRST_WITHOUT_INIT_INPUTS 4 /* from this IR version initializers need no input */

static const char *domain_of(const char *domain) {
    return !domain || rw_streq(domain, "ai.onnx") ? "" : domain;
}

/* --- versions --------------------------------------------------------------------- */

static const struct ir_opset *find_opset(const struct ir_opset *at, uint32_t len,
                                         const char *domain) {
    for (uint32_t i = 0; i < len; i++)
        if (rw_streq(domain_of(at[i].domain), domain_of(domain))) return &at[i];
    return NULL;
}

static Onnx__OperatorSetIdProto *store_opset(struct ir_store *s, const struct ir_opset *o,
                                             Onnx__OperatorSetIdProto *read) {
    if (read && read->version == o->version) return read;
    Onnx__OperatorSetIdProto *p = arena_alloc(s->a, sizeof *p);
    if (read) *p = *read;
    else onnx__operator_set_id_proto__init(p);
    if (!read) p->domain = arena_strdup(s->a, o->domain);
    p->has_version = 1;
    p->version = o->version;
    return p;
}

/* Those of the file in their order, then new ones. */
static Onnx__OperatorSetIdProto **store_opsets(struct ir_store *s,
                                               const struct ir_opset *at, uint32_t len,
                                               Onnx__OperatorSetIdProto **read,
                                               size_t nread, size_t *n) {
    Onnx__OperatorSetIdProto **list = IR_LIST(s, Onnx__OperatorSetIdProto, nread + len);
    bool *written = arena_zalloc(s->a, (size_t)len + 1);
    *n = 0;
    for (size_t i = 0; i < nread; i++) {
        const struct ir_opset *o = find_opset(at, len, read[i]->domain);
        if (o) written[o - at] = true;
        list[(*n)++] = o ? store_opset(s, o, read[i]) : read[i];
    }
    for (uint32_t i = 0; i < len; i++)
        if (!written[i]) list[(*n)++] = store_opset(s, &at[i], NULL);
    return list;
}

static int64_t opset_read(const Onnx__ModelProto *read) {
    for (size_t i = 0; read && i < read->n_opset_import; i++)
        if (!*domain_of(read->opset_import[i]->domain))
            return read->opset_import[i]->version;
    return 0;
}

/* The IR version follows a raised opset, and is else as it was. */
static int64_t version_of(const struct ir_model *m, const Onnx__ModelProto *read) {
    int64_t opset = ir_opset(m->main, "");
    if (read && opset <= opset_read(read)) return m->ir_version;
    int64_t needed = ir_version_for_opset(opset);
    return needed > m->ir_version ? needed : m->ir_version;
}

/* --- functions -------------------------------------------------------------------- */

static char **names_of(struct ir_store *s, const struct ir_graph *g, uint32_t n,
                       const ir_value *values) {
    char **list = IR_LIST(s, char, n);
    for (uint32_t i = 0; i < n; i++)
        list[i] = arena_strdup(s->a, g->values.at[values[i]].name);
    return list;
}

static Onnx__FunctionProto *new_function(struct ir_store *s, const struct ir_function *f) {
    Onnx__FunctionProto *p = arena_alloc(s->a, sizeof *p);
    onnx__function_proto__init(p);
    p->name = arena_strdup(s->a, f->name);
    p->domain = arena_strdup(s->a, f->domain);
    if (*f->overload) p->overload = arena_strdup(s->a, f->overload);
    p->n_input = f->body->inputs.len;
    p->input = names_of(s, f->body, f->body->inputs.len, f->body->inputs.at);
    return p;
}

static Onnx__FunctionProto *store_function(struct ir_store *s,
                                           const struct ir_function *f) {
    const struct ir_graph *g = f->body;
    Onnx__FunctionProto *p =
        f->proto ? arena_copy(s->a, f->proto, sizeof *p) : new_function(s, f);
    ir_value *out = arena_new_array(s->a, ir_value, g->outputs.len);
    for (uint32_t i = 0; i < g->outputs.len; i++)
        out[i] = g->uses.at[g->outputs.at[i]].value;
    p->n_output = g->outputs.len;
    p->output = names_of(s, g, g->outputs.len, out);
    p->opset_import = store_opsets(s, f->opsets.at, f->opsets.len, p->opset_import,
                                   p->n_opset_import, &p->n_opset_import);
    p->value_info = ir_store_infos(s, g, p->value_info, p->n_value_info, &p->n_value_info);
    p->node = ir_store_nodes(s, g, &p->n_node);
    return p;
}

/* --- the model -------------------------------------------------------------------- */

void ir_store_begin(struct ir_store *s) {
    const Onnx__ModelProto *read = s->m->proto;
    const struct ir_source *source = s->m->source;
    uint32_t n = source ? source->graphs.len : 0;
    s->ir_version = version_of(s->m, read);
    s->drop_init_inputs = read && read->ir_version < FIRST_WITHOUT_INIT_INPUTS &&
                          s->ir_version >= FIRST_WITHOUT_INIT_INPUTS;
    intern_init(&s->read_names, s->a);
    map_init(&s->read_values, s->a);
    map_init(&s->index, s->a);
    s->indexed = arena_zalloc(s->a, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) map_put(&s->index, (uintptr_t)s->m->graphs.at[i], i);
    for (uint32_t i = 0; source && i < source->npayloads; i++)
        vec_push(s->a, &s->payloads, source->payloads[i]);
}

static Onnx__ModelProto *new_model(struct ir_store *s) {
    Onnx__ModelProto *p = arena_alloc(s->a, sizeof *p);
    onnx__model_proto__init(p);
    p->producer_name = arena_strdup(s->a, "onnxrw");
    p->producer_version = arena_strdup(s->a, ONNXRW_VERSION);
    return p;
}

void ir_store_functions(struct ir_store *s, Onnx__ModelProto *p) {
    p->n_functions = s->m->functions.len;
    p->functions = IR_LIST(s, Onnx__FunctionProto, s->m->functions.len);
    for (uint32_t i = 0; i < s->m->functions.len; i++)
        p->functions[i] = store_function(s, s->m->functions.at[i]);
}

Onnx__ModelProto *ir_store_model(struct ir_store *s) {
    struct ir_model *m = s->m;
    Onnx__ModelProto *p =
        m->proto ? arena_copy(s->a, m->proto, sizeof *p) : new_model(s);
    ir_store_begin(s);
    p->has_ir_version = 1;
    p->ir_version = s->ir_version;
    p->opset_import = store_opsets(s, m->opsets.at, m->opsets.len, p->opset_import,
                                   p->n_opset_import, &p->n_opset_import);
    p->graph = ir_store_graph(s, m->main);
    ir_store_functions(s, p);
    if (p->n_training_info)
        p->training_info = ir_store_training(s, p->training_info, p->n_training_info);
    return p;
}
