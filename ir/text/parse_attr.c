/* parse_attr.c -- attributes of ONNX text.
 *
 * The type of an attribute is the one written behind its name, else that of its value;
 * only an integer, or an empty list, takes the type that the schema gives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/message.h"
#include "ir/text/parser.h"
#include "ir/text/private.h"

#define MOST_ATTRS 1000u

struct items {
    enum ir_attr_type type; /* of the items so far, as a list */
    VEC(int64_t) ints;
    VEC(float) floats; /* of integers too: a later item may make all of them floats */
    VEC(struct ir_string) strings;
    VEC(struct ir_tensor *) tensors;
    VEC(struct ir_graph *) graphs;
    const struct ir_type *is_type; /* a type stood there, without elements */
};

/* Types whose values are messages only: sparse tensors, types. */
static bool is_message_type(enum ir_attr_type t) { return t > IR_ATTR_GRAPHS; }

static void take_type(struct text_parser *p, struct items *x, enum ir_attr_type t,
                      struct span at) {
    if (x->type == IR_ATTR_UNDEFINED) x->type = t;
    if (x->type == IR_ATTR_FLOATS && t == IR_ATTR_INTS) return;
    if (x->type == IR_ATTR_INTS && t == IR_ATTR_FLOATS) x->type = t;
    if (x->type != t) text_fail(p, at, "a list that mixes %s and %s",
                                text_attr_type_name(x->type), text_attr_type_name(t));
}

static void number_item(struct text_parser *p, struct items *x) {
    struct text_token t = p->token;
    bool whole = t.kind == TEXT_INT;
    take_type(p, x, whole ? IR_ATTR_INTS : IR_ATTR_FLOATS, t.at);
    float f = strtof(t.text, NULL);
    int64_t i = whole ? text_int(p, "a number") : 0;
    if (!whole) text_real(p);
    if (!whole && text_accept(p, '(')) { /* nan(bits) */
        uint32_t bits = (uint32_t)text_int(p, "the bits of the nan");
        memcpy(&f, &bits, sizeof f);
        text_expect(p, ')', "\")\"");
    }
    vec_push(p->model->arena, &x->ints, i);
    vec_push(p->model->arena, &x->floats, f);
}

static void string_item(struct text_parser *p, struct text_scope *scope, struct items *x) {
    struct span at = p->token.at;
    struct ir_string s = text_string(p, "a text");
    if (p->token.kind == '(' && !p->failed) {
        take_type(p, x, IR_ATTR_GRAPHS, at);
        vec_push(p->model->arena, &x->graphs, text_body(p, scope, s.at));
        return;
    }
    take_type(p, x, IR_ATTR_STRINGS, at);
    s.at = arena_strndup(p->model->arena, s.at, s.len);
    vec_push(p->model->arena, &x->strings, s);
}

static bool at_elements(const struct text_parser *p) {
    int kind = p->token.kind;
    return kind == '{' || kind == '[' || kind == TEXT_DOTS;
}

/* `float[2] {1, 2}`, `float[2] name = {1, 2}`, `{1, 2}`; `float[2]` alone is a type. */
static void tensor_item(struct text_parser *p, struct items *x) {
    struct span at = p->token.at;
    struct ir_tensor *t;
    if (p->token.kind == '{') {
        t = text_bare_tensor(p);
    } else {
        const struct ir_type *type = text_type(p);
        bool named = text_at_name(p);
        if (named) text_advance(p);
        bool equals = text_accept(p, '=');
        if (!named && !equals && !at_elements(p)) {
            x->is_type = type;
            return;
        }
        if (!at_elements(p)) text_unexpected(p, "the elements, in { },");
        t = text_tensor(p, type, at);
    }
    take_type(p, x, IR_ATTR_TENSORS, at);
    vec_push(p->model->arena, &x->tensors, t);
}

static void item(struct text_parser *p, struct text_scope *scope, struct items *x) {
    struct span at = p->token.at;
    if (p->token.kind == '{' || text_at_type(p)) {
        tensor_item(p, x);
    } else if (text_at_number(p)) {
        number_item(p, x);
    } else if (p->token.kind == TEXT_QUOTED || p->token.kind == TEXT_HEX) {
        string_item(p, scope, x);
    } else if (p->token.kind == TEXT_ID || p->token.kind == '(') {
        take_type(p, x, IR_ATTR_GRAPHS, at);
        const char *name = p->token.kind == TEXT_ID ? text_name(p, "a graph") : "";
        vec_push(p->model->arena, &x->graphs, text_body(p, scope, name));
    } else {
        text_unexpected(p, "the value of an attribute");
    }
}

static enum ir_attr_type list_of(enum ir_attr_type t) {
    return t >= IR_ATTR_FLOAT && t <= IR_ATTR_GRAPH ? t + (IR_ATTR_FLOATS - IR_ATTR_FLOAT)
                                                    : t;
}

static void fill_one(struct ir_attr *a, const struct items *x) {
    switch (a->type) {
    case IR_ATTR_INT: a->i = x->ints.at[0]; break;
    case IR_ATTR_FLOAT: a->f = x->floats.at[0]; break;
    case IR_ATTR_STRING: a->s = x->strings.at[0]; break;
    case IR_ATTR_TENSOR: a->n = 1, a->tensors = x->tensors.at; break;
    default: a->n = 1, a->graphs = x->graphs.at; break;
    }
}

static void fill_list(struct ir_attr *a, const struct items *x) {
    switch (a->type) {
    case IR_ATTR_INTS: a->n = x->ints.len, a->ints = x->ints.at; break;
    case IR_ATTR_FLOATS: a->n = x->floats.len, a->floats = x->floats.at; break;
    case IR_ATTR_STRINGS: a->n = x->strings.len, a->strings = x->strings.at; break;
    case IR_ATTR_TENSORS: a->n = x->tensors.len, a->tensors = x->tensors.at; break;
    default: a->n = x->graphs.len, a->graphs = x->graphs.at; break;
    }
}

/* The type that the attribute gets: `wanted` where the value can have it. */
static enum ir_attr_type settle(struct text_parser *p, const struct items *x, bool is_list,
                                enum ir_attr_type written, enum ir_attr_type known,
                                struct span at) {
    enum ir_attr_type own = is_list ? x->type : x->type - (IR_ATTR_FLOATS - IR_ATTR_FLOAT);
    enum ir_attr_type wanted = written ? written : known;
    bool empty = is_list && x->type == IR_ATTR_UNDEFINED;
    if (empty && list_of(wanted) == wanted && wanted) return wanted;
    if (empty) {
        text_fail(p, at, "the type of an empty list must be written");
        text_help(p, at, "such as `: ints`");
        return IR_ATTR_INTS;
    }
    if (wanted == own) return own;
    if ((own == IR_ATTR_INT && wanted == IR_ATTR_FLOAT) ||
        (own == IR_ATTR_INTS && wanted == IR_ATTR_FLOATS)) return wanted;
    if (written) text_fail(p, at, "a value of type %s where the type %s is written",
                           text_attr_type_name(own), text_attr_type_name(written));
    return own;
}

static void set_message(struct text_parser *p, struct ir_attr *a, enum ir_attr_type type,
                        Onnx__AttributeProto *proto) {
    a->type = type;
    a->proto = proto;
    proto->name = arena_strdup(p->model->arena, a->name);
}

/* x"..." with the bytes of the message. */
static void message_value(struct text_parser *p, struct ir_attr *a,
                          enum ir_attr_type type) {
    struct span at = p->token.at;
    struct ir_string bytes = text_string(p, "bytes, as x\"...\",");
    if (p->failed) return;
    Onnx__AttributeProto *proto = text_unpack(p->model->arena, bytes.at, bytes.len);
    bool fits = proto && (uint32_t)proto->type == (uint32_t)type &&
                (type != IR_ATTR_TYPE_PROTO || text_message_type(p->model, proto));
    if (fits) set_message(p, a, type, proto);
    else text_fail(p, at, "bytes that are no attribute message of type %s",
                   text_attr_type_name(type));
}

static void value(struct text_parser *p, struct text_scope *scope, struct ir_attr *a,
                  enum ir_attr_type written, enum ir_attr_type known) {
    struct items x = {0};
    struct span at = p->token.at;
    if (is_message_type(written) && !text_at_type(p)) {
        message_value(p, a, written);
        return;
    }
    bool is_list = text_accept(p, '[');
    if (!is_list) item(p, scope, &x);
    else if (p->token.kind != ']') {
        do item(p, scope, &x);
        while (text_accept(p, ','));
    }
    if (is_list) text_expect(p, ']', "\",\" or \"]\" behind an item of the list");
    if (p->failed) return;
    if (x.is_type && (is_list || (written && written != IR_ATTR_TYPE_PROTO)))
        text_unexpected(p, "the elements of a constant, in { },");
    if (x.is_type && !p->failed)
        set_message(p, a, IR_ATTR_TYPE_PROTO, text_type_message(p->model, x.is_type));
    if (x.is_type) return;
    a->type = settle(p, &x, is_list, written, known, at);
    if (p->failed) return;
    if (is_list) fill_list(a, &x);
    else fill_one(a, &x);
}

void text_attr(struct text_parser *p, struct text_scope *scope,
               const struct ir_schema *schema, struct ir_attr *a) {
    enum ir_attr_type written = IR_ATTR_UNDEFINED;
    if (text_accept(p, ':')) {
        struct span at = p->token.at;
        const char *name = text_name(p, "the type of an attribute");
        written = text_attr_type(name);
        if (!written && !p->failed) {
            text_fail(p, at, "\"%s\" is no type of attributes", name);
            text_help(p, at, "the types are float, int, string, tensor, graph, floats, "
                             "ints, strings, tensors, graphs");
        }
    }
    text_expect(p, '=', "\"=\" behind the name of an attribute");
    const struct ir_schema_attr *s = schema ? ir_schema_attr(schema, a->name) : NULL;
    if (text_accept(p, '@')) {
        a->ref = arena_strdup(p->model->arena, text_name(p, "the function's parameter"));
        a->type = written ? written : s ? s->type : IR_ATTR_UNDEFINED;
        return;
    }
    value(p, scope, a, written, s ? s->type : IR_ATTR_UNDEFINED);
}

void text_attrs(struct text_parser *p, struct text_scope *scope,
                const struct ir_schema *schema, struct text_attrs *out) {
    if (!text_accept(p, '<') || text_accept(p, '>')) return;
    do {
        struct span at = p->token.at;
        const char *name = text_name(p, "the name of an attribute");
        struct ir_attr a = {.name = arena_strdup(p->model->arena, name)};
        text_attr(p, scope, schema, &a);
        if (out->list.len == MOST_ATTRS)
            text_fail(p, at, "a node with more than %u attributes", MOST_ATTRS);
        for (uint32_t i = 0; i < out->list.len; i++)
            if (rw_streq(out->list.at[i].name, a.name))
                text_fail(p, at, "attribute \"%s\" is written twice", a.name);
        vec_push(p->model->arena, &out->list, a);
    } while (text_accept(p, ','));
    text_expect(p, '>', "\",\" or \">\" behind an attribute");
}
