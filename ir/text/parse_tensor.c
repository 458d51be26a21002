/* parse_tensor.c -- constants of ONNX text.
 *
 * Elements are encoded as they are read, so memory is bounded by the text whatever the
 * dimensions say; but for `{0, ...}`, which has a limit of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/tensor_bytes.h"
#include "ir/text/parser.h"

#include <errno.h>

#define MOST_REPEATED (16u << 20) /* elements by `...`, which a short text may ask for */

struct elements {
    VEC(unsigned char) raw;
    VEC(struct ir_string) strings;
    uint64_t n; /* numbers or strings read; a complex element is two numbers */
    bool go_on; /* `, ...` stood behind them */
};

/* So many numbers are an element. */
static uint32_t numbers_of(enum ir_dtype t) {
    return t == IR_COMPLEX64 || t == IR_COMPLEX128 ? 2 : 1;
}

static void put_bits(struct text_parser *p, struct elements *e, uint64_t x, uint32_t bits) {
    while (e->raw.len * 8 < (e->n + 1) * bits) vec_push(p->arena, &e->raw, 0);
    ir_put_bits(e->raw.at, bits, e->n, x);
}

/* nan(0x7fa00000): its bits. */
static bool nan_bits(struct text_parser *p, uint64_t *bits) {
    if (!text_accept(p, '(')) return false;
    *bits = (uint64_t)text_int(p, "the bits of the nan");
    text_expect(p, ')', "\")\"");
    return true;
}

static uint64_t float_bits(struct text_parser *p) {
    struct text_token t = p->token;
    uint64_t given;
    uint32_t bits;
    text_real(p);
    if (p->failed) return 0;
    if (nan_bits(p, &given)) return given;
    float f = strtof(t.text, NULL); /* not by way of a double: that rounds twice */
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t double_bits(struct text_parser *p) {
    uint64_t given, bits;
    double f = text_real(p);
    if (nan_bits(p, &given)) return given;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* An integer is a bit pattern, as the standard has it; a real number is a value. */
static uint64_t small_float_bits(struct text_parser *p, enum ir_dtype t) {
    struct span at = p->token.at;
    if (p->token.kind == TEXT_INT) {
        int64_t x = text_int(p, "a bit pattern");
        if (p->failed) return 0;
        if (x < 0 || x >> ir_dtype_bits(t)) {
            text_fail(p, at, "no bit pattern of %u bits", ir_dtype_bits(t));
            text_help(p, at, "a value is written with a point: 1.0");
        }
        return (uint64_t)x;
    }
    float f = (float)text_real(p);
    if (t == IR_FLOAT16) return ir_float_to_half(f);
    if (t == IR_BFLOAT16) return ir_float_to_bfloat16(f);
    text_fail(p, at, "elements of %s are written as bit patterns, in integers",
              ir_dtype_name(t));
    return 0;
}

static uint64_t unsigned_bits(struct text_parser *p, enum ir_dtype t) {
    struct text_token token = p->token;
    int64_t least = 0;
    if (token.kind != TEXT_INT) text_unexpected(p, "an integer");
    else if (*token.text == '-') least = text_int(p, "an integer");
    if (p->failed || *token.text == '-') {
        if (least < 0) text_fail(p, token.at, "a negative element of %s", ir_dtype_name(t));
        return 0;
    }
    errno = 0;
    uint64_t x = strtoull(token.text, NULL, memchr(token.text, 'x', token.len) ? 16 : 10);
    uint32_t bits = ir_dtype_bits(t);
    if (errno || (bits < 64 && x >> bits) || (t == IR_BOOL && x > 1))
        text_fail(p, token.at, "a number that %s cannot hold", ir_dtype_name(t));
    text_advance(p);
    return x;
}

static uint64_t signed_bits(struct text_parser *p, enum ir_dtype t) {
    struct span at = p->token.at;
    int64_t x = text_int(p, "an integer");
    int64_t limit = INT64_MAX >> (64 - ir_dtype_bits(t));
    if (x > limit || x < -limit - 1)
        text_fail(p, at, "a number that %s cannot hold", ir_dtype_name(t));
    return (uint64_t)x;
}

static void element(struct text_parser *p, enum ir_dtype t, struct elements *e) {
    uint32_t bits = ir_dtype_bits(t);
    switch (t) {
    case IR_STRING:
        vec_push(p->arena, &e->strings, text_string(p, "a text in quotes"));
        break;
    case IR_FLOAT: put_bits(p, e, float_bits(p), 32); break;
    case IR_DOUBLE: put_bits(p, e, double_bits(p), 64); break;
    case IR_COMPLEX64: put_bits(p, e, float_bits(p), 32); break;
    case IR_COMPLEX128: put_bits(p, e, double_bits(p), 64); break;
    case IR_INT2: case IR_INT4: case IR_INT8: case IR_INT16: case IR_INT32: case IR_INT64:
        put_bits(p, e, signed_bits(p, t), bits);
        break;
    default:
        put_bits(p, e, ir_dtype_is_float(t) ? small_float_bits(p, t) : unsigned_bits(p, t),
                 bits);
        break;
    }
    e->n++;
}

static void elements(struct text_parser *p, enum ir_dtype t, struct elements *e) {
    text_expect(p, '{', "\"{\"");
    if (text_accept(p, '}')) return;
    do element(p, t, e);
    while (text_accept(p, ',') && p->token.kind != TEXT_DOTS);
    if (!p->failed && p->token.kind == TEXT_DOTS) {
        text_advance(p);
        e->go_on = true;
    }
    text_expect(p, '}', "\",\" or \"}\" behind an element");
}

/* `{1, 2, ...}`: those that are there, over and over, until there are as many as wanted. */
static void repeat(struct text_parser *p, enum ir_dtype t, uint64_t wanted, struct span at,
                   struct elements *e) {
    uint64_t given = e->n;
    uint32_t bits = ir_dtype_bits(t) / numbers_of(t);
    if (wanted > MOST_REPEATED) {
        text_fail(p, at, "more than %u elements by \"...\"", MOST_REPEATED);
        return;
    }
    for (; e->n < wanted; e->n++) {
        uint64_t i = e->n % given;
        if (t == IR_STRING) vec_push(p->arena, &e->strings, e->strings.at[i]);
        else put_bits(p, e, ir_load_bits(e->raw.at, bits, i), bits);
    }
}

/* --- bytes elsewhere ---------------------------------------------------------------- */

static bool leaves_folder(const char *location) {
    if (*location == 0 || *location == '/' || strchr(location, '\\')) return true;
    for (const char *part = location; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == 0))
            return true;
    }
    return false;
}

static uint64_t byte_number(struct text_parser *p, struct ir_string s, struct span at) {
    char *end;
    errno = 0;
    uint64_t x = strtoull(s.at, &end, 10);
    if (errno || end == s.at || *end || s.at[0] == '-')
        text_fail(p, at, "\"%s\" is not a number of bytes", s.at);
    return x;
}

static void external_entry(struct text_parser *p, struct ir_tensor *t) {
    struct span at = p->token.at;
    struct ir_string key = text_string(p, "a key such as \"location\"");
    text_expect(p, ':', "\":\"");
    struct span value_at = p->token.at;
    struct ir_string value = text_string(p, "a text in quotes");
    if (p->failed) return;
    if (rw_streq(key.at, "location")) {
        t->location = arena_strndup(p->model->arena, value.at, value.len);
        if (strlen(value.at) != value.len || leaves_folder(value.at))
            text_fail(p, value_at, "a location outside of the model's folder");
    } else if (rw_streq(key.at, "offset")) {
        t->offset = byte_number(p, value, value_at);
    } else if (rw_streq(key.at, "length")) {
        if (byte_number(p, value, value_at) != t->nbytes)
            text_fail(p, value_at, "a length of %s bytes where the type has %" PRIu64,
                      value.at, t->nbytes);
    } else if (!rw_streq(key.at, "checksum")) {
        text_fail(p, at, "unknown key \"%s\" of external data", key.at);
        text_help(p, at, "the keys are location, offset, length and checksum");
    }
}

static struct ir_tensor *external(struct text_parser *p, enum ir_dtype dtype, uint32_t rank,
                                  const int64_t *dims, uint64_t count, struct span at) {
    struct ir_tensor *t = arena_new(p->model->arena, struct ir_tensor);
    *t = (struct ir_tensor){.dtype = dtype, .rank = rank, .count = count,
                            .storage = IR_EXTERNAL};
    t->dims = arena_copy(p->model->arena, dims, rank * sizeof *dims);
    if (!ir_tensor_bytes(dtype, count, &t->nbytes))
        text_fail(p, at, "a constant of this type cannot be external data");
    text_expect(p, '[', "\"[\"");
    do external_entry(p, t);
    while (text_accept(p, ','));
    text_expect(p, ']', "\",\" or \"]\"");
    if (!t->location) text_fail(p, at, "external data without a \"location\"");
    return t;
}

/* --- the whole ---------------------------------------------------------------------- */

/* The dims as numbers and their product; false after an error. */
static bool constant_dims(struct text_parser *p, const struct ir_type *type, struct span at,
                          int64_t *dims, uint64_t *count) {
    *count = 1;
    if (type->kind != IR_TENSOR || !type->ranked || type->dtype == IR_UNDEFINED) {
        text_fail(p, at, "a constant needs the type of a tensor with its dimensions");
        text_help(p, at, "write float for a scalar, float[3] for a vector");
        return false;
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        if (!ir_dim_is_const(p->model->dims, type->dims[i], &dims[i])) {
            text_fail(p, at, "a constant with a dimension that is not a number");
            return false;
        }
        if (__builtin_mul_overflow(*count, (uint64_t)dims[i], count)) {
            text_fail(p, at, "a constant of more elements than 64 bits count");
            return false;
        }
    }
    return true;
}

static void refuse_left_out(struct text_parser *p) {
    struct span at = p->token.at;
    text_fail(p, at, "the values of this constant are left out of the text");
    text_help(p, at, "print the model with --all");
}

struct ir_tensor *text_tensor(struct text_parser *p, const struct ir_type *type,
                              struct span at) {
    struct arena *a = p->model->arena;
    struct elements e = {0};
    uint64_t count;
    if (p->failed) return NULL;
    int64_t *dims = arena_new_array(p->arena, int64_t, type->rank + 1);
    if (!constant_dims(p, type, at, dims, &count)) return NULL;
    if (p->token.kind == '[') return external(p, type->dtype, type->rank, dims, count, at);
    if (p->token.kind == TEXT_DOTS) {
        refuse_left_out(p);
        return NULL;
    }
    elements(p, type->dtype, &e);
    uint64_t parts = numbers_of(type->dtype);
    if (!p->failed && e.go_on) repeat(p, type->dtype, count * parts, at, &e);
    if (!p->failed && (e.n % parts || e.n / parts != count))
        text_fail(p, at, "%" PRIu64 " elements where the type has %" PRIu64, e.n / parts,
                  count);
    if (p->failed) return NULL;
    if (type->dtype == IR_STRING)
        return ir_tensor_strings(a, type->rank, dims, e.strings.at);
    return ir_tensor_new(a, type->dtype, type->rank, dims, e.raw.at);
}

struct ir_tensor *text_bare_tensor(struct text_parser *p) {
    struct text_lexer ahead = p->lexer;
    struct elements e = {0};
    enum ir_dtype t = p->failed ? IR_UNDEFINED : IR_INT64;
    struct text_token next = text_next(&ahead);
    if (next.kind == TEXT_QUOTED || next.kind == TEXT_HEX) t = IR_STRING;
    while (next.kind == TEXT_INT || next.kind == ',' || next.kind == TEXT_REAL) {
        if (next.kind == TEXT_REAL) t = IR_FLOAT;
        next = text_next(&ahead);
    }
    if (next.kind == TEXT_ID) t = IR_FLOAT; /* inf, nan */
    struct span at = p->token.at;
    if (t != IR_UNDEFINED) elements(p, t, &e);
    if (!p->failed && e.go_on) text_fail(p, at, "\"...\" needs a type with dimensions");
    if (p->failed) return NULL;
    int64_t n = (int64_t)e.n;
    if (t == IR_STRING) return ir_tensor_strings(p->model->arena, 1, &n, e.strings.at);
    return ir_tensor_new(p->model->arena, t, 1, &n, e.raw.at);
}
