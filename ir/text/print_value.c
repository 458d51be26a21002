/* print_value.c -- types, constants and attributes as ONNX text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/tensor_bytes.h"
#include "ir/text/lex.h"
#include "ir/text/message.h"
#include "ir/text/private.h"

static bool is_reserved(const char *name) {
    static const char *const words[] = {"seq", "map", "optional", "sparse_tensor", "opaque",
                                        "undefined", "inf", "infinity", "nan"};
    if (ir_dtype_from_name(name) != IR_UNDEFINED) return true;
    for (size_t i = 0; i < countof(words); i++)
        if (rw_streq(name, words[i])) return true;
    return false;
}

void text_print_name(struct buf *out, const char *name) {
    if (text_is_id(name) && !is_reserved(name)) buf_puts(out, name);
    else text_print_string(out, name, strlen(name));
}

void text_print_string(struct buf *out, const char *bytes, size_t len) {
    if (len && memchr(bytes, 0, len)) {
        buf_puts(out, "x\"");
        for (size_t i = 0; i < len; i++) buf_printf(out, "%02x", (unsigned char)bytes[i]);
    } else {
        buf_putc(out, '"');
        for (size_t i = 0; i < len; i++) {
            if (bytes[i] == '"' || bytes[i] == '\\') buf_putc(out, '\\');
            buf_putc(out, bytes[i]);
        }
    }
    buf_putc(out, '"');
}

/* --- types -------------------------------------------------------------------------- */

static const char *dtype_text(enum ir_dtype t) {
    const char *name = t == IR_UNDEFINED ? NULL : ir_dtype_name(t);
    return name ? name : "undefined";
}

/* A number, a symbol's name, `?`. A form such as batch*seq becomes a symbol of that
 * name; one that holds a made-up symbol says nothing outside of its model. */
static void print_dim(struct buf *out, const struct ir_dims *dims, ir_dim d) {
    int64_t value;
    const char *name;
    if (d == IR_DIM_UNKNOWN) buf_putc(out, '?');
    else if (ir_dim_is_const(dims, d, &value)) buf_printf(out, "%" PRId64, value);
    else if ((name = ir_dim_param(dims, d)) && text_is_id(name)) buf_puts(out, name);
    else if (name) text_print_string(out, name, strlen(name));
    else {
        struct buf form = {0};
        ir_dim_print(dims, d, &form);
        bool local = false;
        for (const char *s = buf_text(&form); *s; s++)
            local |= *s == '_' && s[1] >= '0' && s[1] <= '9';
        if (local) buf_putc(out, '?');
        else text_print_string(out, buf_text(&form), form.len);
        buf_free(&form);
    }
}

static void print_tensor_type(struct buf *out, const struct ir_dims *dims,
                              const struct ir_type *t) {
    buf_puts(out, dtype_text(t->dtype));
    if (!t->ranked) buf_puts(out, "[]");
    if (!t->ranked || t->rank == 0) return;
    for (uint32_t i = 0; i < t->rank; i++) {
        buf_puts(out, i ? ", " : "[");
        print_dim(out, dims, t->dims[i]);
    }
    buf_putc(out, ']');
}

/* Types nest as deep as the reader allowed, so a loop and a count of what to close. */
void text_print_type(struct buf *out, const struct ir_dims *dims, const struct ir_type *t) {
    uint32_t open = 0;
    for (; t; t = t->elem) {
        switch (t->kind) {
        case IR_TENSOR: print_tensor_type(out, dims, t); break;
        case IR_SPARSE_TENSOR:
            buf_puts(out, "sparse_tensor(");
            print_tensor_type(out, dims, t);
            buf_putc(out, ')');
            break;
        case IR_SEQUENCE: buf_puts(out, "seq("), open++; break;
        case IR_OPTIONAL: buf_puts(out, "optional("), open++; break;
        case IR_MAP: buf_printf(out, "map(%s, ", dtype_text(t->dtype)), open++; break;
        case IR_OPAQUE: buf_puts(out, "opaque()"); break;
        }
        if (t->kind == IR_TENSOR || t->kind == IR_SPARSE_TENSOR || t->kind == IR_OPAQUE)
            break;
    }
    while (open--) buf_putc(out, ')');
}

/* --- constants ---------------------------------------------------------------------- */

/* nan, -nan, or with other bits nan(0x7f800001). */
static void print_nan(struct buf *out, uint64_t bits, uint64_t plain, uint64_t sign) {
    if (bits == plain) buf_puts(out, "nan");
    else if (bits == (plain | sign)) buf_puts(out, "-nan");
    else buf_printf(out, "nan(0x%" PRIx64 ")", bits);
}

static void print_float_bits(struct buf *out, uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    if (f != f) print_nan(out, bits, 0x7fc00000u, 0x80000000u);
    else buf_float(out, f);
}

static void print_double_bits(struct buf *out, uint64_t bits) {
    double f;
    memcpy(&f, &bits, sizeof f);
    if (f != f) print_nan(out, bits, UINT64_C(0x7ff8000000000000), UINT64_C(1) << 63);
    else buf_double(out, f);
}

/* As the standard has it: floats of 16 and fewer bits stand as their bit pattern. */
static void print_element(struct buf *out, enum ir_dtype t, const unsigned char *raw,
                          uint64_t i) {
    uint32_t bits = ir_dtype_bits(t);
    switch (t) {
    case IR_FLOAT: print_float_bits(out, (uint32_t)ir_load_bits(raw, 32, i)); break;
    case IR_DOUBLE: print_double_bits(out, ir_load_bits(raw, 64, i)); break;
    case IR_COMPLEX64:
        print_float_bits(out, (uint32_t)ir_load_bits(raw, 32, 2 * i));
        buf_puts(out, ", ");
        print_float_bits(out, (uint32_t)ir_load_bits(raw, 32, 2 * i + 1));
        break;
    case IR_COMPLEX128:
        print_double_bits(out, ir_load_bits(raw, 64, 2 * i));
        buf_puts(out, ", ");
        print_double_bits(out, ir_load_bits(raw, 64, 2 * i + 1));
        break;
    case IR_INT2: case IR_INT4: case IR_INT8: case IR_INT16: case IR_INT32: case IR_INT64: {
        uint64_t sign = UINT64_C(1) << (bits - 1), x = ir_load_bits(raw, bits, i);
        buf_printf(out, "%" PRId64, (int64_t)((x ^ sign) - sign));
        break;
    }
    default: buf_printf(out, "%" PRIu64, ir_load_bits(raw, bits, i)); break;
    }
}

static bool print_strings(struct buf *out, const struct ir_tensor *t) {
    buf_putc(out, '{');
    for (uint64_t i = 0; i < t->count; i++) {
        if (i) buf_puts(out, ", ");
        text_print_string(out, t->strings[i].at, t->strings[i].len);
    }
    buf_putc(out, '}');
    return true;
}

static bool print_elements(struct text_printer *p, const struct ir_tensor *t) {
    if (t->storage == IR_STRINGS) return print_strings(p->out, t);
    if (!ir_dtype_bits(t->dtype)) return false; /* a type that is not known */
    const unsigned char *raw = ir_tensor_read(p->model, t, &p->scratch);
    bool readable = raw || t->count == 0;
    if (readable) {
        buf_putc(p->out, '{');
        for (uint64_t i = 0; i < t->count; i++) {
            if (i) buf_puts(p->out, ", ");
            print_element(p->out, t->dtype, raw, i);
        }
        buf_putc(p->out, '}');
    }
    arena_free(&p->scratch);
    return readable;
}

static void print_range(struct text_printer *p, const struct ir_tensor *t,
                        const char *file) {
    buf_puts(p->out, "[\"location\": ");
    text_print_string(p->out, file, strlen(file));
    buf_printf(p->out, ", \"offset\": \"%" PRIu64 "\", \"length\": \"%" PRIu64 "\"]",
               t->offset, t->nbytes);
}

void text_print_tensor(struct text_printer *p, const struct ir_tensor *t,
                       const char *name) {
    buf_puts(p->out, dtype_text(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        buf_printf(p->out, "%s%" PRId64, i ? ", " : "[", t->dims[i]);
    if (t->rank) buf_putc(p->out, ']');
    buf_putc(p->out, ' ');
    if (name) {
        text_print_name(p->out, name);
        buf_puts(p->out, " = ");
    }
    const char *file = t->storage == IR_EXTERNAL  ? t->location
                       : t->storage == IR_IN_FILE ? p->options->file
                                                  : NULL;
    bool full = p->options->all || t->count <= TEXT_SMALL || (p->options->file && !file);
    if (full && print_elements(p, t)) return;
    if (file && !name) buf_puts(p->out, "= ");
    if (file) print_range(p, t, file);
    else buf_puts(p->out, "...");
}

/* --- attributes --------------------------------------------------------------------- */

static const char *const attr_type_names[] = {
    "undefined", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings",
    "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};

const char *text_attr_type_name(enum ir_attr_type t) {
    return (size_t)t < countof(attr_type_names) ? attr_type_names[t] : "undefined";
}

enum ir_attr_type text_attr_type(const char *name) {
    for (size_t i = 1; i < countof(attr_type_names); i++)
        if (rw_streq(name, attr_type_names[i])) return (enum ir_attr_type)i;
    return IR_ATTR_UNDEFINED;
}

/* With a point, so that it is read as a float again. */
static void print_real(struct buf *out, float f) {
    size_t from = out->len;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    print_float_bits(out, bits);
    if (!strpbrk(out->at + from, ".en")) buf_puts(out, ".0");
}

/* The message itself, for what has no spelling: x"..." of its bytes. */
static void print_packed(struct buf *out, const struct ir_attr *a) {
    size_t len = a->proto ? onnx__attribute_proto__get_packed_size(a->proto) : 0;
    struct arena scratch = ARENA_EMPTY;
    uint8_t *bytes = arena_alloc(&scratch, len);
    if (len) onnx__attribute_proto__pack(a->proto, bytes);
    buf_puts(out, "x\"");
    for (size_t i = 0; i < len; i++) buf_printf(out, "%02x", bytes[i]);
    buf_putc(out, '"');
    arena_free(&scratch);
}

static void print_item(struct text_printer *p, const struct ir_attr *a, uint32_t i) {
    switch (a->type) {
    case IR_ATTR_INTS: buf_printf(p->out, "%" PRId64, a->ints[i]); break;
    case IR_ATTR_FLOATS: print_real(p->out, a->floats[i]); break;
    case IR_ATTR_STRINGS:
        text_print_string(p->out, a->strings[i].at, a->strings[i].len);
        break;
    default: text_print_tensor(p, a->tensors[i], NULL); break;
    }
}

void text_print_attr_value(struct text_printer *p, const struct ir_attr *a) {
    switch (a->type) {
    case IR_ATTR_INT: buf_printf(p->out, "%" PRId64, a->i); return;
    case IR_ATTR_FLOAT: print_real(p->out, a->f); return;
    case IR_ATTR_STRING: text_print_string(p->out, a->s.at, a->s.len); return;
    case IR_ATTR_TENSOR: text_print_tensor(p, a->tensors[0], NULL); return;
    case IR_ATTR_INTS: case IR_ATTR_FLOATS: case IR_ATTR_STRINGS: case IR_ATTR_TENSORS:
        buf_putc(p->out, '[');
        for (uint32_t i = 0; i < a->n; i++) {
            if (i) buf_puts(p->out, ", ");
            print_item(p, a, i);
        }
        buf_putc(p->out, ']');
        return;
    case IR_ATTR_TYPE_PROTO:
        text_print_type(p->out, p->model->dims, text_message_type(p->model, a->proto));
        return;
    default: print_packed(p->out, a); return;
    }
}
