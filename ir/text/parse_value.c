/* parse_value.c -- names, numbers and types of ONNX text, and its errors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/parser.h"

#include <errno.h>

#define DEEPEST_TYPE 32u
#define MOST_DIMS 4096u

/* --- errors ------------------------------------------------------------------------- */

void text_fail(struct text_parser *p, struct span at, const char *format, ...) {
    if (p->failed) return;
    va_list args;
    va_start(args, format);
    diag_vat(p->diags, DIAG_ERROR, at, format, args);
    va_end(args);
    p->failed = true;
    p->token = (struct text_token){.kind = TEXT_END, .at = at, .text = ""};
}

void text_help(struct text_parser *p, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(p->diags, DIAG_HELP, at, format, args);
    va_end(args);
}

void text_unexpected(struct text_parser *p, const char *wanted) {
    struct text_token t = p->token;
    if (p->failed) return;
    if (t.kind == TEXT_END) {
        text_fail(p, t.at, "the text ends where %s was expected", wanted);
        return;
    }
    uint32_t len = t.at.end - t.at.begin;
    text_fail(p, t.at, "\"%.*s%s\" where %s was expected", (int)rw_min_u32(len, 40),
              t.at.source->text + t.at.begin, len > 40 ? "..." : "", wanted);
}

/* --- tokens ------------------------------------------------------------------------- */

void text_advance(struct text_parser *p) {
    if (p->failed) return;
    p->token = text_next(&p->lexer);
    if (p->token.kind == TEXT_BAD) text_fail(p, p->token.at, "%s", p->token.text);
}

bool text_accept(struct text_parser *p, int kind) {
    if (p->token.kind != kind || p->failed) return false;
    text_advance(p);
    return true;
}

bool text_expect(struct text_parser *p, int kind, const char *wanted) {
    if (text_accept(p, kind)) return true;
    text_unexpected(p, wanted);
    return false;
}

bool text_at_name(const struct text_parser *p) {
    return p->token.kind == TEXT_ID || p->token.kind == TEXT_QUOTED;
}

const char *text_name(struct text_parser *p, const char *wanted) {
    struct text_token t = p->token;
    if (!text_at_name(p)) {
        text_unexpected(p, wanted);
        return "";
    }
    if (strlen(t.text) != t.len) text_fail(p, t.at, "a name with a NUL in it");
    text_advance(p);
    return t.text;
}

struct ir_string text_string(struct text_parser *p, const char *wanted) {
    struct text_token t = p->token;
    if (t.kind != TEXT_QUOTED && t.kind != TEXT_HEX) {
        text_unexpected(p, wanted);
        return (struct ir_string){"", 0};
    }
    text_advance(p);
    return (struct ir_string){t.text, t.len};
}

int64_t text_int(struct text_parser *p, const char *wanted) {
    struct text_token t = p->token;
    if (t.kind != TEXT_INT) {
        text_unexpected(p, wanted);
        return 0;
    }
    errno = 0;
    int64_t value = strtoll(t.text, NULL, memchr(t.text, 'x', t.len) ? 16 : 10);
    if (errno) text_fail(p, t.at, "a number that does not fit in 64 bits");
    text_advance(p);
    return value;
}

static bool is_special(const char *text, size_t len) {
    static const char *const words[] = {"inf", "infinity", "nan"};
    if (len && *text == '-') text++, len--;
    for (size_t i = 0; i < countof(words); i++) {
        size_t k = 0;
        while (k < len && words[i][k] && (text[k] | 32) == words[i][k]) k++;
        if (k == len && !words[i][k]) return true;
    }
    return false;
}

bool text_at_number(const struct text_parser *p) {
    const struct text_token *t = &p->token;
    return t->kind == TEXT_INT || t->kind == TEXT_REAL ||
           (t->kind == TEXT_ID && is_special(t->text, t->len));
}

double text_real(struct text_parser *p) {
    struct text_token t = p->token;
    if (!text_at_number(p)) {
        text_unexpected(p, "a number");
        return 0;
    }
    bool lettered = t.kind != TEXT_INT && (t.text[t.text[0] == '-'] | 32) >= 'a';
    if (lettered && !is_special(t.text, t.len)) text_unexpected(p, "a number");
    text_advance(p);
    return strtod(t.text, NULL);
}

/* --- types -------------------------------------------------------------------------- */

enum word {
    WORD_SEQ,
    WORD_OPTIONAL,
    WORD_MAP,
    WORD_SPARSE,
    WORD_OPAQUE,
    WORD_UNDEFINED,
    WORD_N
};
static const char *const words[WORD_N] = {"seq",           "optional", "map",
                                          "sparse_tensor", "opaque",   "undefined"};

static enum word type_word(const struct text_token *t) {
    enum word w = t->kind == TEXT_ID ? WORD_SEQ : WORD_N;
    while (w < WORD_N && !rw_streq(t->text, words[w])) w++;
    return w;
}

bool text_at_type(const struct text_parser *p) {
    const struct text_token *t = &p->token;
    if (t->kind != TEXT_ID) return false;
    return type_word(t) != WORD_N || ir_dtype_from_name(t->text) != IR_UNDEFINED;
}

static ir_dim dim(struct text_parser *p) {
    struct span at = p->token.at;
    if (text_accept(p, '?')) return IR_DIM_UNKNOWN;
    if (text_at_name(p)) return ir_dim_declared(p->model->dims, text_name(p, "a dimension"));
    int64_t value = text_int(p, "a dimension (a number, a name or ?)");
    if (value < 0) text_fail(p, at, "a dimension of %" PRId64 ", below 0", value);
    return ir_dim_const(p->model->dims, value);
}

static const struct ir_type *tensor_type(struct text_parser *p, enum ir_dtype t) {
    VEC(ir_dim) dims = {0};
    struct span at = p->token.at;
    if (text_accept(p, '[')) {
        if (text_accept(p, ']')) return ir_type_unranked(p->model->arena, t, 0);
        do vec_push(p->arena, &dims, dim(p));
        while (text_accept(p, ','));
        text_expect(p, ']', "\",\" or \"]\" behind a dimension");
    }
    if (dims.len > MOST_DIMS) text_fail(p, at, "%u dimensions are too many", dims.len);
    return ir_type_tensor(p->model->arena, t, dims.len, dims.at);
}

static enum ir_dtype element_type(struct text_parser *p, const char *wanted) {
    enum ir_dtype t = p->token.kind == TEXT_ID ? ir_dtype_from_name(p->token.text)
                                               : IR_UNDEFINED;
    if (t == IR_UNDEFINED && type_word(&p->token) != WORD_UNDEFINED)
        text_unexpected(p, wanted);
    text_advance(p);
    return t;
}

static const struct ir_type *inner_type(struct text_parser *p) {
    text_expect(p, '(', "\"(\"");
    const struct ir_type *t = text_type(p);
    text_expect(p, ')', "\")\"");
    return t;
}

static const struct ir_type *map_type(struct text_parser *p, struct ir_type *t) {
    text_expect(p, '(', "\"(\"");
    t->kind = IR_MAP;
    t->dtype = element_type(p, "the type of the map's keys");
    text_expect(p, ',', "\",\"");
    t->elem = text_type(p);
    text_expect(p, ')', "\")\"");
    return t;
}

static const struct ir_type *sparse_type(struct text_parser *p, struct ir_type *t) {
    struct span at = p->token.at;
    const struct ir_type *inner = inner_type(p);
    if (p->failed) return t;
    if (inner->kind != IR_TENSOR) text_fail(p, at, "a sparse_tensor holds a tensor type");
    *t = *inner;
    t->kind = IR_SPARSE_TENSOR;
    return t;
}

/* Name and domain of an opaque type are not kept: nothing here looks into one. */
static const struct ir_type *opaque_type(struct text_parser *p, struct ir_type *t) {
    text_expect(p, '(', "\"(\"");
    while (text_accept(p, TEXT_ID) || text_accept(p, '.') || text_accept(p, ',')) continue;
    text_expect(p, ')', "\")\"");
    t->kind = IR_OPAQUE;
    return t;
}

static const struct ir_type *other_type(struct text_parser *p, enum word w) {
    struct ir_type *t = arena_new(p->model->arena, struct ir_type);
    switch (w) {
    case WORD_SEQ: t->kind = IR_SEQUENCE; break;
    case WORD_OPTIONAL: t->kind = IR_OPTIONAL; break;
    case WORD_MAP: return map_type(p, t);
    case WORD_SPARSE: return sparse_type(p, t);
    default: return opaque_type(p, t);
    }
    t->elem = inner_type(p);
    return t;
}

const struct ir_type *text_type(struct text_parser *p) {
    struct span at = p->token.at;
    const struct ir_type *t = NULL;
    if (!text_at_type(p)) {
        text_unexpected(p, "a type");
    } else if (p->type_depth >= DEEPEST_TYPE) {
        text_fail(p, at, "types nested deeper than %u", DEEPEST_TYPE);
    } else {
        enum word w = type_word(&p->token);
        p->type_depth++;
        if (w == WORD_N || w == WORD_UNDEFINED)
            t = tensor_type(p, element_type(p, "a type"));
        else text_advance(p), t = other_type(p, w);
        p->type_depth--;
    }
    return t ? t : ir_type_unranked(p->model->arena, IR_UNDEFINED, 0);
}
