/* load_tensor.c -- constant tensors from their messages: where the bytes are, and whether
 * they are as many as type and dims say. Element types that are not known (yet) are taken
 * as they come.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"
#include "ir/tensor/tensor_bytes.h"

#define RAW_DATA 9

static const struct ir_payload *payload_of(const struct ir_load *l,
                                           const Onnx__TensorProto *p, uint32_t field) {
    return ir_payload_of(l->source->payloads, l->source->npayloads, &p->base, field);
}

static enum rw_code wrong_size(struct ir_load *l, const struct ir_tensor *t, uint64_t found,
                               const char *unit, uint64_t wanted, struct ir_spot at) {
    struct buf dims = {0};
    for (uint32_t i = 0; i < t->rank && i < 8; i++)
        buf_printf(&dims, "%s%" PRId64, i ? ", " : "", t->dims[i]);
    enum rw_code code =
        ir_load_error(l, at, "has %" PRIu64 " %s, but %s[%s%s] has %" PRIu64, found, unit,
                      ir_dtype_name(t->dtype), buf_text(&dims), t->rank > 8 ? ", ..." : "",
                      wanted);
    buf_free(&dims);
    return code;
}

static enum rw_code load_strings(struct ir_load *l, const Onnx__TensorProto *p,
                                 struct ir_tensor *t, struct ir_spot at) {
    if (p->n_string_data != t->count)
        return wrong_size(l, t, p->n_string_data, "strings", t->count, at);
    struct ir_string *s = arena_new_array(l->m->arena, struct ir_string, p->n_string_data);
    for (size_t i = 0; i < p->n_string_data; i++)
        s[i] =
            (struct ir_string){(const char *)p->string_data[i].data, p->string_data[i].len};
    t->storage = IR_STRINGS;
    t->strings = s;
    return RW_OK;
}

static enum rw_code load_raw(struct ir_load *l, const Onnx__TensorProto *p,
                             struct ir_tensor *t, struct ir_spot at) {
    const struct ir_payload *range = payload_of(l, p, RAW_DATA);
    uint64_t len = range ? range->len : p->raw_data.len;
    if (!ir_dtype_bits(t->dtype)) t->nbytes = len;
    if (len != t->nbytes) return wrong_size(l, t, len, "bytes of data", t->nbytes, at);
    t->storage = range ? IR_IN_FILE : IR_IN_MEMORY;
    t->offset = range ? range->offset : 0;
    t->data = range ? NULL : p->raw_data.data;
    return RW_OK;
}

/* Packed floats are laid out as raw data. Of varints the number is not counted: that would
 * be reading them all; a range that cannot be right is refused, the rest shows on reading.
 */
static enum rw_code load_range(struct ir_load *l, const struct ir_payload *range,
                               uint64_t items, struct ir_tensor *t, struct ir_spot at) {
    if (range->field == IR_FLOAT_DATA || range->field == IR_DOUBLE_DATA) {
        if (range->len != t->nbytes)
            return wrong_size(l, t, range->len, "bytes of data", t->nbytes, at);
        t->storage = IR_IN_FILE;
        t->offset = range->offset;
        return RW_OK;
    }
    if (range->len < items || range->len / IR_WIRE_VARINT_MAX > items)
        return wrong_size(l, t, range->len, "bytes of packed numbers", items, at);
    t->storage = IR_AS_PROTO;
    return RW_OK;
}

static enum rw_code load_typed(struct ir_load *l, const Onnx__TensorProto *p,
                               struct ir_tensor *t, struct ir_spot at) {
    enum ir_typed_field field = ir_typed_field(t->dtype);
    const struct ir_payload *range = payload_of(l, p, field);
    uint64_t wanted = ir_typed_items(t->dtype, t->count), found = ir_typed_count(p, field);
    if (range) return load_range(l, range, wanted, t, at);
    if (found != wanted) return wrong_size(l, t, found, "numbers", wanted, at);
    t->storage = IR_AS_PROTO;
    return RW_OK;
}

/* One field holds the data; of two, nobody could say which is meant. */
static bool has_two_payloads(const struct ir_load *l, const Onnx__TensorProto *p) {
    static const uint32_t fields[] = {IR_FLOAT_DATA, IR_INT32_DATA, IR_INT64_DATA,
                                      IR_DOUBLE_DATA, IR_UINT64_DATA};
    uint32_t found = p->n_string_data != 0;
    found += p->raw_data.len != 0 || payload_of(l, p, RAW_DATA) != NULL;
    for (size_t i = 0; i < countof(fields); i++)
        found += ir_typed_count(p, fields[i]) || payload_of(l, p, fields[i]);
    bool external = p->has_data_location &&
                    p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    return found + external > 1;
}

enum rw_code ir_load_tensor(struct ir_load *l, Onnx__TensorProto *p, struct ir_spot at,
                            struct ir_tensor **out) {
    struct ir_tensor *t = arena_new(l->m->arena, struct ir_tensor);
    bool known = p->data_type > 0 && p->data_type < IR_DTYPE_N;
    *out = t;
    t->proto = p;
    t->doc = p->doc_string;
    t->dtype = known ? (enum ir_dtype)p->data_type : IR_UNDEFINED;
    if (has_two_payloads(l, p))
        return ir_load_error(l, at, "has data in more than one field");
    if (p->n_dims > UINT16_MAX) return ir_load_error(l, at, "has %zu dims", p->n_dims);
    t->rank = (uint32_t)p->n_dims;
    t->dims = p->dims;
    if (!ir_tensor_count(t->rank, t->dims, &t->count))
        return ir_load_error(l, at, "has dims that are negative or too large");
    if (t->dtype == IR_STRING) return load_strings(l, p, t, at);
    if (known && !ir_tensor_bytes(t->dtype, t->count, &t->nbytes))
        return ir_load_error(l, at, "has dims that are too large");
    if (p->has_data_location &&
        p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return ir_load_external(l, p, at, t);
    if (p->has_raw_data || payload_of(l, p, RAW_DATA) || !known)
        return load_raw(l, p, t, at);
    return load_typed(l, p, t, at);
}
