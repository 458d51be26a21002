/* parse_model.c -- the header, the main graph and the functions of ONNX text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/message.h"
#include "ir/text/parser.h"

struct header {
    int64_t ir_version; /* 0: not written */
    bool has_opsets;
    VEC(struct ir_opset) opsets;
    char *domain, *overload; /* of a function */
    Onnx__ModelProto *proto; /* the other fields of a model */
    char *doc_string;
};

static char *header_text(struct text_parser *p) {
    struct span at = p->token.at;
    struct ir_string s = text_string(p, "a text in quotes");
    if (strlen(s.at) != s.len) text_fail(p, at, "a text with a NUL in it");
    return arena_strdup(p->arena, s.at);
}

static void opset_imports(struct text_parser *p, struct header *h) {
    h->has_opsets = true;
    text_expect(p, '[', "\"[\"");
    if (text_accept(p, ']')) return;
    do {
        struct ir_opset o;
        o.domain = header_text(p);
        text_expect(p, ':', "\":\" between domain and version");
        struct span at = p->token.at;
        o.version = text_int(p, "the version of the opset");
        if (o.version < 0) text_fail(p, at, "an opset below 0");
        if (h->opsets.len == TEXT_MOST_IMPORTS)
            text_fail(p, at, "more than %d imports", TEXT_MOST_IMPORTS);
        vec_push(p->arena, &h->opsets, o);
    } while (text_accept(p, ','));
    text_expect(p, ']', "\",\" or \"]\"");
}

static void metadata(struct text_parser *p, Onnx__ModelProto *proto) {
    VEC(Onnx__StringStringEntryProto *) list = {0};
    text_expect(p, '[', "\"[\"");
    if (text_accept(p, ']')) return;
    do {
        Onnx__StringStringEntryProto *e = arena_new(p->arena, Onnx__StringStringEntryProto);
        onnx__string_string_entry_proto__init(e);
        e->key = header_text(p);
        text_expect(p, ':', "\":\" between key and value");
        e->value = header_text(p);
        vec_push(p->arena, &list, e);
    } while (text_accept(p, ','));
    text_expect(p, ']', "\",\" or \"]\"");
    proto->metadata_props = list.at;
    proto->n_metadata_props = list.len;
}

enum field { F_IR, F_OPSETS, F_PRODUCER, F_PRODUCER_VERSION, F_DOMAIN, F_MODEL_VERSION,
             F_DOC, F_METADATA, F_OVERLOAD, F_N };
static const char *const field_names[F_N] = {
    "ir_version", "opset_import", "producer_name", "producer_version", "domain",
    "model_version", "doc_string", "metadata_props", "overload"};

static void header_field(struct text_parser *p, struct header *h) {
    struct span at = p->token.at;
    const char *name = text_name(p, "a field of the header");
    enum field f = F_IR;
    while (f < F_N && !rw_streq(name, field_names[f])) f++;
    text_expect(p, ':', "\":\"");
    if (p->failed) return;
    switch (f) {
    case F_IR: h->ir_version = text_int(p, "a version"); break;
    case F_OPSETS: opset_imports(p, h); break;
    case F_PRODUCER: h->proto->producer_name = header_text(p); break;
    case F_PRODUCER_VERSION: h->proto->producer_version = header_text(p); break;
    case F_DOMAIN: h->domain = header_text(p); break;
    case F_MODEL_VERSION:
        h->proto->has_model_version = true;
        h->proto->model_version = text_int(p, "a version");
        break;
    case F_DOC: h->doc_string = header_text(p); break;
    case F_METADATA: metadata(p, h->proto); break;
    case F_OVERLOAD: h->overload = header_text(p); break;
    case F_N: {
        const char *near = diag_nearest(name, field_names, F_N);
        text_fail(p, at, "no field \"%s\" in a header", name);
        if (near) text_help(p, at, "did you mean \"%s\"?", near);
    }
    }
}

static void header(struct text_parser *p, struct header *h) {
    h->proto = arena_new(p->arena, Onnx__ModelProto);
    onnx__model_proto__init(h->proto);
    if (!text_accept(p, '<') || text_accept(p, '>')) return;
    do header_field(p, h);
    while (text_accept(p, ','));
    text_expect(p, '>', "\",\" or \">\" behind a field");
}

/* --- functions ---------------------------------------------------------------------- */

static bool is_simple(enum ir_attr_type t) {
    return t == IR_ATTR_INT || t == IR_ATTR_FLOAT || t == IR_ATTR_STRING ||
           t == IR_ATTR_INTS || t == IR_ATTR_FLOATS || t == IR_ATTR_STRINGS;
}

/* `<a, b: float = 1.0>`: names, and attributes where there is a default. */
static void parameters(struct text_parser *p, struct text_scope *s,
                       Onnx__FunctionProto *proto) {
    VEC(char *) names = {0};
    VEC(Onnx__AttributeProto *) defaults = {0};
    if (!text_accept(p, '<')) return;
    do {
        struct ir_attr a = {0};
        struct span at = p->token.at;
        char *name = arena_strdup(p->arena, text_name(p, "a parameter"));
        bool has_default = p->token.kind == ':' || p->token.kind == '=';
        a.name = name;
        if (has_default) text_attr(p, s, NULL, &a);
        if (has_default && !is_simple(a.type))
            text_fail(p, at, "a default that is no number, text or list of these");
        if (p->failed) return;
        if (has_default) vec_push(p->arena, &defaults, text_attr_message(p->model, &a));
        else vec_push(p->arena, &names, name);
    } while (text_accept(p, ','));
    text_expect(p, '>', "\",\" or \">\" behind a parameter");
    proto->attribute = names.at;
    proto->n_attribute = names.len;
    proto->attribute_proto = defaults.at;
    proto->n_attribute_proto = defaults.len;
}

static struct ir_function *new_function(struct text_parser *p, const struct header *h,
                                        const char *name) {
    struct arena *a = p->model->arena;
    struct ir_function *f =
        ir_function_new(p->model, h->domain ? h->domain : "", arena_strdup(a, name));
    f->overload = h->overload ? h->overload : "";
    for (uint32_t i = 0; i < h->opsets.len; i++) vec_push(a, &f->opsets, h->opsets.at[i]);
    Onnx__FunctionProto *proto = arena_new(a, Onnx__FunctionProto);
    onnx__function_proto__init(proto);
    proto->name = arena_strdup(a, name);
    proto->domain = arena_strdup(a, f->domain);
    proto->overload = *f->overload ? arena_strdup(a, f->overload) : NULL;
    proto->doc_string = h->doc_string;
    f->proto = proto;
    return f;
}

static void keep_inputs(struct arena *a, const struct ir_graph *g,
                        Onnx__FunctionProto *proto) {
    proto->n_input = g->inputs.len;
    proto->input = arena_new_array(a, char *, g->inputs.len);
    for (uint32_t i = 0; i < g->inputs.len; i++)
        proto->input[i] = arena_strdup(a, ir_val(g, g->inputs.at[i])->name);
}

static void function(struct text_parser *p) {
    struct header h = {0};
    header(p, &h);
    const char *name = text_name(p, "the name of a function");
    if (p->failed) return;
    struct ir_function *f = new_function(p, &h, name);
    struct text_scope scope = {f->body, p->scopes++, NULL};
    parameters(p, &scope, f->proto);
    text_graph(p, &scope);
    keep_inputs(p->model->arena, f->body, f->proto);
}

/* --- the whole ---------------------------------------------------------------------- */

/* Versions are in the message too, so that the writer finds them as they were read. */
static void keep_versions(struct arena *a, const struct header *h, int64_t ir_version) {
    Onnx__ModelProto *proto = h->proto;
    proto->has_ir_version = true;
    proto->ir_version = ir_version;
    proto->n_opset_import = h->opsets.len;
    proto->opset_import = arena_new_array(a, Onnx__OperatorSetIdProto *, h->opsets.len);
    for (uint32_t i = 0; i < h->opsets.len; i++) {
        Onnx__OperatorSetIdProto *o = arena_new(a, Onnx__OperatorSetIdProto);
        onnx__operator_set_id_proto__init(o);
        o->domain = arena_strdup(a, h->opsets.at[i].domain);
        o->has_version = true;
        o->version = h->opsets.at[i].version;
        proto->opset_import[i] = o;
    }
}

static void new_model(struct text_parser *p, struct arena *a, const struct header *h,
                      const char *name) {
    int64_t newest = ir_schema_newest_opset("");
    int64_t opset = newest;
    for (uint32_t i = 0; i < h->opsets.len; i++)
        if (!*h->opsets.at[i].domain || rw_streq(h->opsets.at[i].domain, "ai.onnx"))
            opset = h->opsets.at[i].version;
    int64_t version = h->ir_version ? h->ir_version
                                    : ir_version_for_opset(opset < newest ? opset : newest);
    keep_versions(a, h, version);
    p->model = ir_model_new(a, version);
    p->model->main->name = name;
    p->model->proto = h->proto;
    h->proto->domain = h->domain;
    h->proto->doc_string = h->doc_string;
    for (uint32_t i = 0; i < h->opsets.len; i++)
        ir_set_opset(p->model, h->opsets.at[i].domain, h->opsets.at[i].version);
    if (!h->has_opsets) ir_set_opset(p->model, "", newest);
    p->free_opsets = !h->has_opsets;
}

struct ir_model *ir_text_parse_span(struct arena *a, struct span at,
                                    struct diag_sink *diags) {
    struct text_parser p = {.arena = a, .diags = diags,
                            .lexer = {a, at.source, at.begin, at.end}};
    struct header h = {0};
    intern_init(&p.names, a);
    map_init(&p.def_of, a);
    text_advance(&p);
    header(&p, &h);
    const char *name = text_at_name(&p) ? text_name(&p, "the graph's name") : "";
    new_model(&p, a, &h, arena_strdup(a, name));
    text_graph(&p, &(struct text_scope){p.model->main, p.scopes++, NULL});
    while (!p.failed && p.token.kind != TEXT_END) function(&p);
    if (p.failed) return NULL;
    ir_commit(p.model);
    return p.model;
}

struct ir_model *ir_text_parse(struct arena *a, const struct diag_source *source,
                               struct diag_sink *diags) {
    if (source->len > UINT32_MAX) {
        diag_where(diags, DIAG_ERROR, source->name, "a text of more than 4 GiB");
        return NULL;
    }
    return ir_text_parse_span(a, (struct span){source, 0, (uint32_t)source->len}, diags);
}
