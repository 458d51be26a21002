/* store_tensor.c -- constant tensors as messages; large data becomes a payload, or a
 * reference into the input file or the output's data file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/store.h"

enum { RAW_DATA = 9, DOC_STRING = 12 }; /* fields of TensorProto */

static void add_unknown(struct ir_store *s, Onnx__TensorProto *p,
                        ProtobufCMessageUnknownField field) {
    unsigned n = p->base.n_unknown_fields;
    ProtobufCMessageUnknownField *list =
        arena_new_array(s->a, ProtobufCMessageUnknownField, (size_t)n + 1);
    if (n) memcpy(list, p->base.unknown_fields, n * sizeof *list);
    list[n] = field;
    p->base.unknown_fields = list;
    p->base.n_unknown_fields = n + 1;
}

static void add_payload(struct ir_store *s, Onnx__TensorProto *p,
                        struct ir_payload payload) {
    add_unknown(s, p, ir_payload_marker(s->a, s->payloads.len));
    vec_push(s->a, &s->payloads, payload);
}

/* --- external data ---------------------------------------------------------------- */

static void add_entry(struct ir_store *s, Onnx__TensorProto *p, const char *key,
                      const char *value) {
    Onnx__StringStringEntryProto *e = arena_alloc(s->a, sizeof *e);
    onnx__string_string_entry_proto__init(e);
    e->key = arena_strdup(s->a, key);
    e->value = arena_strdup(s->a, value);
    p->external_data[p->n_external_data++] = e;
}

static void refer(struct ir_store *s, Onnx__TensorProto *p, const char *location,
                  uint64_t offset, uint64_t len) {
    p->n_external_data = 0;
    p->external_data = IR_LIST(s, Onnx__StringStringEntryProto, 3);
    add_entry(s, p, "location", location);
    add_entry(s, p, "offset", arena_printf(s->a, "%" PRIu64, offset));
    add_entry(s, p, "length", arena_printf(s->a, "%" PRIu64, len));
    p->has_data_location = 1;
    p->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

/* Data that was left in the file; other fields (a text with a NUL) may be left there too. */
static bool is_data(const struct ir_store *s, const ProtobufCMessageUnknownField *u) {
    const struct ir_payload *p = ir_payload_at(s->payloads.at, s->payloads.len, u);
    return p && p->field != DOC_STRING;
}

/* p is a copy: the lists that it had belong to the message that was read. */
static void drop_data(struct ir_store *s, Onnx__TensorProto *p) {
    p->has_raw_data = 0;
    p->raw_data.len = 0;
    p->n_float_data = p->n_int32_data = p->n_int64_data = 0;
    p->n_double_data = p->n_uint64_data = 0;
    unsigned n = p->base.n_unknown_fields, kept = 0;
    ProtobufCMessageUnknownField *list =
        arena_new_array(s->a, ProtobufCMessageUnknownField, n);
    for (unsigned i = 0; i < n; i++)
        if (!is_data(s, &p->base.unknown_fields[i])) list[kept++] = p->base.unknown_fields[i];
    p->base.unknown_fields = list;
    p->base.n_unknown_fields = kept;
}

/* --- messages --------------------------------------------------------------------- */

static void set_dims(struct ir_store *s, Onnx__TensorProto *p, const struct ir_tensor *t) {
    p->n_dims = t->rank;
    p->dims = arena_copy(s->a, t->dims, t->rank * sizeof *t->dims);
}

static void set_strings(struct ir_store *s, Onnx__TensorProto *p,
                        const struct ir_tensor *t) {
    p->n_string_data = (size_t)t->count;
    p->string_data = arena_new_array(s->a, ProtobufCBinaryData, (size_t)t->count);
    for (size_t i = 0; i < p->n_string_data; i++) {
        p->string_data[i].len = t->strings[i].len;
        p->string_data[i].data = arena_copy(s->a, t->strings[i].at, t->strings[i].len);
    }
}

static void set_data(struct ir_store *s, Onnx__TensorProto *p, const struct ir_tensor *t) {
    struct ir_payload payload = {.field = RAW_DATA, .len = t->nbytes};
    switch (t->storage) {
    case IR_STRINGS: set_strings(s, p, t); return;
    case IR_EXTERNAL: refer(s, p, t->location, t->offset, t->nbytes); return;
    case IR_IN_FILE: payload.offset = t->offset; break;
    case IR_IN_MEMORY: payload.memory = t->data; break;
    case IR_COMPUTED: payload.tensor = t; break;
    case IR_AS_PROTO:
        rw_broken(__FILE__, __LINE__, "a tensor in a message that is not there");
    }
    if (t->storage != IR_IN_MEMORY || t->nbytes > IR_PAYLOAD_LEAST) {
        add_payload(s, p, payload);
    } else {
        p->has_raw_data = 1;
        p->raw_data.len = (size_t)t->nbytes;
        p->raw_data.data = arena_copy(s->a, t->data, (size_t)t->nbytes);
    }
}

static Onnx__TensorProto *new_message(struct ir_store *s, const struct ir_tensor *t) {
    Onnx__TensorProto *p = arena_alloc(s->a, sizeof *p);
    onnx__tensor_proto__init(p);
    p->has_data_type = 1;
    p->data_type = (int32_t)t->dtype;
    if (t->doc) p->doc_string = arena_strdup(s->a, t->doc);
    set_dims(s, p, t);
    return p;
}

static bool same_dims(const Onnx__TensorProto *p, const struct ir_tensor *t) {
    return p->n_dims == t->rank &&
           (!t->rank || memcmp(p->dims, t->dims, t->rank * sizeof *t->dims) == 0);
}

/* Where the data lies when not in the model: in the input file, in the data file. */
static bool leaves(struct ir_store *s, const struct ir_tensor *t, const char **location,
                   uint64_t *offset) {
    if (s->share && t->storage == IR_IN_FILE) {
        *location = s->share;
        *offset = t->offset;
        return true;
    }
    if (!s->data || !ir_data_takes(s->data, t)) return false;
    *location = s->data->location;
    *offset = ir_data_place(s->data, t);
    return true;
}

Onnx__TensorProto *ir_store_tensor(struct ir_store *s, const struct ir_tensor *t,
                                   const char *name, bool movable) {
    Onnx__TensorProto *read = t->proto;
    const char *location;
    uint64_t offset;
    bool leaving = movable && leaves(s, t, &location, &offset);
    bool renamed = name && (!read || !read->name || !rw_streq(read->name, name));
    if (read && !leaving && !renamed && same_dims(read, t)) return read;
    Onnx__TensorProto *p = read ? arena_copy(s->a, read, sizeof *read) : new_message(s, t);
    if (renamed) p->name = arena_strdup(s->a, name);
    if (!same_dims(p, t)) set_dims(s, p, t);
    if (leaving) {
        drop_data(s, p);
        refer(s, p, location, offset, t->nbytes);
    } else if (!read) {
        set_data(s, p, t);
    }
    return p;
}
