/* tensor_typed.c -- the typed fields of TensorProto as raw bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/file/source.h"
#include "ir/tensor/tensor_bytes.h"

enum ir_typed_field ir_typed_field(enum ir_dtype t) {
    switch (t) {
    case IR_FLOAT:
    case IR_COMPLEX64: return IR_FLOAT_DATA;
    case IR_DOUBLE:
    case IR_COMPLEX128: return IR_DOUBLE_DATA;
    case IR_INT64: return IR_INT64_DATA;
    case IR_UINT32:
    case IR_UINT64: return IR_UINT64_DATA;
    case IR_UNDEFINED:
    case IR_STRING: return IR_NO_FIELD;
    default: return IR_INT32_DATA;
    }
}

/* How many bits of the raw layout an item stands for. */
static uint32_t item_bits(enum ir_dtype t) {
    uint32_t bits = ir_dtype_bits(t);
    if (t == IR_COMPLEX64 || t == IR_COMPLEX128) return bits / 2;
    return bits < 8 && 8 % bits == 0 ? 8 : bits;
}

uint64_t ir_typed_items(enum ir_dtype t, uint64_t count) {
    uint32_t bits = item_bits(t);
    return (count * ir_dtype_bits(t) + bits - 1) / bits;
}

size_t ir_typed_count(const Onnx__TensorProto *p, enum ir_typed_field f) {
    switch (f) {
    case IR_FLOAT_DATA: return p->n_float_data;
    case IR_DOUBLE_DATA: return p->n_double_data;
    case IR_INT32_DATA: return p->n_int32_data;
    case IR_INT64_DATA: return p->n_int64_data;
    case IR_UINT64_DATA: return p->n_uint64_data;
    default: return 0;
    }
}

static uint64_t item_of(const Onnx__TensorProto *p, enum ir_typed_field f, size_t i) {
    uint64_t x = 0;
    uint32_t word;
    switch (f) {
    case IR_FLOAT_DATA: memcpy(&word, &p->float_data[i], sizeof word); return word;
    case IR_DOUBLE_DATA: memcpy(&x, &p->double_data[i], sizeof x); return x;
    case IR_INT32_DATA: return (uint32_t)p->int32_data[i];
    case IR_INT64_DATA: return (uint64_t)p->int64_data[i];
    case IR_UINT64_DATA: return p->uint64_data[i];
    default: return 0;
    }
}

/* Items of a field that was left in the file, one after the other. */
struct cursor {
    const unsigned char *at, *end;
    enum ir_typed_field field;
};

static bool next_item(struct cursor *c, uint64_t *out) {
    uint32_t fixed = c->field == IR_FLOAT_DATA ? 4 : c->field == IR_DOUBLE_DATA ? 8 : 0;
    *out = 0;
    if (fixed) {
        if ((size_t)(c->end - c->at) < fixed) return false;
        *out = ir_load_le(c->at, fixed);
        c->at += fixed;
        return true;
    }
    for (uint32_t shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        unsigned char b = *c->at++;
        *out |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) return true;
    }
    return false;
}

/* Adds what of item i, `bits` of the raw layout, lies in its bytes [first, first + n). */
static void add_part(uint64_t item, uint32_t bits, uint64_t i, uint64_t first, uint64_t n,
                     unsigned char *out) {
    uint64_t at = i * bits / 8;
    for (item = ir_low_bits(item, bits) << i * bits % 8; item; item >>= 8, at++)
        if (at >= first && at - first < n)
            out[at - first] = (unsigned char)(out[at - first] | item);
}

bool ir_typed_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                       uint64_t n, void *out) {
    uint32_t bits = item_bits(t->dtype);
    enum ir_typed_field f = ir_typed_field(t->dtype);
    size_t len;
    const void *range = m ? ir_source_field(m, t, &len) : NULL;
    uint64_t items = ir_typed_items(t->dtype, t->count);
    uint64_t i = first * 8 / bits, end = ((first + n) * 8 + bits - 1) / bits;
    if (end > items) end = items; /* bits of the last byte that belong to none */
    memset(out, 0, (size_t)n);
    if (!range) {
        if (!t->proto || end > ir_typed_count(t->proto, f)) return false;
        for (; i < end; i++)
            add_part(item_of(t->proto, f, (size_t)i), bits, i, first, n, out);
        return true;
    }
    struct cursor c = {range, (const unsigned char *)range + len, f};
    uint64_t item;
    for (uint64_t k = 0; k < end; k++) {
        if (!next_item(&c, &item)) return false;
        if (k >= i) add_part(item, bits, k, first, n, out);
    }
    return true;
}
