/* load.c -- reading a model: skeleton, messages, graphs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

#include "ir/model.h"

/* --- messages --------------------------------------------------------------------- */

static void *message_alloc(void *arena, size_t size) { return arena_alloc(arena, size); }
static void message_free(void *arena, void *p) { RW_UNUSED(arena), RW_UNUSED(p); }

static enum rw_code unpack(struct ir_load *l, struct arena *a, Onnx__ModelProto **out) {
    ProtobufCAllocator allocator = {message_alloc, message_free, a};
    struct ir_source *s = l->source;
    struct ir_skeleton skeleton = {0};
    struct ir_walked file = {s->bytes, (size_t)s->size, s->mapped ? os_map_release : NULL};
    const char *why;
    bool ok = ir_skeleton_read(&file, &onnx__model_proto__descriptor, a, &skeleton, &why);
    if (!ok) {
        ir_load_error(l, (struct ir_spot){0}, "is no ONNX model or is damaged: %s", why);
    } else {
        s->payloads = skeleton.payloads.at;
        s->npayloads = skeleton.payloads.len;
        *out = onnx__model_proto__unpack(&allocator, skeleton.bytes.len,
                                         (const uint8_t *)buf_text(&skeleton.bytes));
        if (!*out) ok = ir_load_error(l, (struct ir_spot){0}, "cannot be decoded") == RW_OK;
    }
    buf_free(&skeleton.bytes);
    return ok ? RW_OK : RW_FORMAT;
}

/* --- the model -------------------------------------------------------------------- */

static const char *domain_of(const char *domain) {
    return !domain || rw_streq(domain, "ai.onnx") ? "" : domain;
}

/* Imports are looked through for every node. Real models have less than twenty. */
#define IMPORTS_MAX 256

/* One version a domain: of two, runtimes take the last, and others might take the first. */
static enum rw_code check_imports(struct ir_load *l, size_t n,
                                  Onnx__OperatorSetIdProto *const *imports,
                                  struct ir_spot at) {
    if (n > IMPORTS_MAX)
        return ir_load_error(l, at, "imports %zu opsets, more than %d", n, IMPORTS_MAX);
    for (size_t i = 0; i < n; i++) {
        const char *domain = domain_of(imports[i]->domain);
        for (size_t j = 0; j < i; j++)
            if (rw_streq(domain_of(imports[j]->domain), domain) &&
                imports[j]->version != imports[i]->version)
                return ir_load_error(l, at,
                                     "imports versions %" PRId64 " and %" PRId64 " of %s",
                                     imports[j]->version, imports[i]->version,
                                     *domain ? domain : "ai.onnx");
    }
    return RW_OK;
}

/* Before IR version 3 models did not import opsets: they meant the first. */
static void load_opsets(struct ir_model *m, const Onnx__ModelProto *p) {
    for (size_t i = 0; i < p->n_opset_import; i++)
        ir_set_opset(m, domain_of(p->opset_import[i]->domain), p->opset_import[i]->version);
    if (!p->n_opset_import && m->ir_version < 3) ir_set_opset(m, "", 1);
}

static enum rw_code load_function(struct ir_load *l, Onnx__FunctionProto *p) {
    if (!p->name || !*p->name)
        return ir_load_error(l, (struct ir_spot){0}, "a function has no name");
    TRY(check_imports(l, p->n_opset_import, p->opset_import,
                      (struct ir_spot){.kind = "function", .name = p->name}));
    struct ir_function *f = ir_function_new(l->m, domain_of(p->domain), p->name);
    struct ir_parts parts = {.nnodes = p->n_node, .nodes = p->node, .ninputs = p->n_input,
                             .input_names = p->input, .noutputs = p->n_output,
                             .output_names = p->output, .ninfos = p->n_value_info,
                             .infos = p->value_info};
    f->overload = p->overload ? p->overload : "";
    f->proto = p;
    for (size_t i = 0; i < p->n_opset_import; i++) {
        struct ir_opset o = {domain_of(p->opset_import[i]->domain),
                             p->opset_import[i]->version};
        vec_push(l->m->arena, &f->opsets, o);
    }
    return ir_load_graph(l, f->body, NULL, &parts);
}

/* Domain, name and overload tell functions apart. */
static enum rw_code check_functions(struct ir_load *l, const Onnx__ModelProto *p) {
    struct intern seen;
    intern_init(&seen, &l->tables);
    for (size_t i = 0; i < p->n_functions; i++) {
        const Onnx__FunctionProto *f = p->functions[i];
        const char *key =
            arena_printf(&l->tables, "%s\n%s\n%s", domain_of(f->domain),
                         f->name ? f->name : "", f->overload ? f->overload : "");
        if (intern(&seen, key) != i + 1)
            return ir_load_error(l, (struct ir_spot){.kind = "function", .name = f->name},
                                 "is defined twice");
    }
    return RW_OK;
}

/* What value names were, so that the writer knows what was renamed or removed. */
static void note_names(struct ir_load *l) {
    struct ir_source *s = l->source;
    for (uint32_t i = 0; i < l->m->graphs.len; i++) {
        const struct ir_graph *g = l->m->graphs.at[i];
        const char **names = arena_new_array(s->arena, const char *, g->values.len);
        for (ir_value v = 0; v < g->values.len; v++) names[v] = g->values.at[v].name;
        vec_push(s->arena, &s->graphs, (struct ir_graph_read){names, g->values.len});
    }
}

static enum rw_code load_model(struct ir_load *l, Onnx__ModelProto *p) {
    if (!p->graph)
        return ir_load_error(l, (struct ir_spot){0}, "is no ONNX model: it has no graph");
    if (!p->has_ir_version)
        return ir_load_error(l, (struct ir_spot){0}, "does not say its IR version");
    if (p->ir_version < 1)
        return ir_load_error(l, (struct ir_spot){0},
                             "has IR version %" PRId64 ", wanted one from 1", p->ir_version);
    struct ir_model *m = l->m = ir_model_new(l->source->arena, p->ir_version);
    struct ir_parts parts = ir_graph_parts(p->graph);
    m->source = l->source;
    m->proto = p;
    m->main->proto = p->graph;
    m->main->name = p->graph->name ? p->graph->name : "";
    TRY(check_imports(l, p->n_opset_import, p->opset_import, (struct ir_spot){0}));
    load_opsets(m, p);
    TRY(check_functions(l, p));
    TRY(ir_load_graph(l, m->main, NULL, &parts));
    for (size_t i = 0; i < p->n_functions; i++) TRY(load_function(l, p->functions[i]));
    note_names(l);
    ir_load_named(l, p);
    ir_model_settle(m);
    ir_load_rename_hiding(l);
    m->edits = 0; /* what was renamed is written anew when anything is */
    if (l->sorted) {
        diag_where(l->diags, DIAG_WARNING, l->source->name,
                   "nodes stand before what they need; they are sorted");
        m->edits++;
    }
    return RW_OK;
}

static struct ir_model *read_source(struct ir_source *s, struct diag_sink *diags) {
    struct ir_load l = {.source = s, .diags = diags};
    Onnx__ModelProto *p;
    intern_init(&l.names, &l.tables);
    map_init(&l.values, &l.tables);
    enum rw_code code = unpack(&l, s->arena, &p);
    if (code == RW_OK) code = load_model(&l, p);
    arena_free(&l.scratch);
    arena_free(&l.tables);
    if (code == RW_OK) return l.m;
    ir_source_close(s);
    return NULL;
}

struct ir_model *ir_model_read(struct arena *a, const char *path, struct diag_sink *diags) {
    struct ir_source *s;
    if (ir_source_open(a, path, &s, diags) != RW_OK) return NULL;
    return read_source(s, diags);
}

struct ir_model *ir_model_read_bytes(struct arena *a, const void *bytes, size_t len,
                                     const char *name, const char *folder,
                                     struct diag_sink *diags) {
    return read_source(ir_source_of_bytes(a, bytes, len, name, folder), diags);
}

struct ir_model *ir_model_reread(struct arena *a, const struct ir_model *m,
                                 struct diag_sink *diags) {
    return read_source(ir_source_again(a, m->source), diags);
}

void ir_model_close(struct ir_model *m) {
    if (m->source) ir_source_close(m->source);
}

uint64_t ir_model_file_size(const struct ir_model *m) {
    return m->source ? m->source->size : 0;
}

const char *ir_model_folder(const struct ir_model *m) {
    return m->source ? m->source->folder : NULL;
}
