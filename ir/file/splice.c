/* splice.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/file/splice.h"

/* --- measuring -------------------------------------------------------------------- */

/* The messages inside a message, in the order in which both walks meet them. */
struct measured {
    uint64_t size;   /* with payloads */
    uint32_t inside; /* messages in it, at any depth: they follow in the list */
    bool plain;      /* no payload in it: copied as it is */
};
struct walk {
    const struct ir_splice *s;
    struct arena *arena;
    VEC(struct measured) list;
    uint32_t next;
    bool too_large;
    const char *why;
};

static const ProtobufCMessageDescriptor *
message_type(const ProtobufCMessageDescriptor *type, const struct ir_wire_field *f) {
    for (unsigned i = 0; f->type == IR_WIRE_LEN && i < type->n_fields; i++)
        if (type->fields[i].id == f->number &&
            type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            return type->fields[i].descriptor;
    return NULL;
}

/* NULL where the field is no marker. The reader let none in that is not ours. */
static const struct ir_payload *payload_at(const struct ir_splice *s,
                                           const struct ir_wire_field *f) {
    if (f->number != IR_PAYLOAD_FIELD) return NULL;
    rw_assert(f->type == IR_WIRE_VARINT && f->varint < s->npayloads);
    return &s->payloads[f->varint];
}

static uint64_t field_size(uint32_t number, uint64_t len) {
    return ir_wire_varint_size(ir_wire_tag(number, IR_WIRE_LEN)) +
           ir_wire_varint_size(len) + len;
}

static bool measure(struct walk *w, const ProtobufCMessageDescriptor *type,
                    const uint8_t *at, const uint8_t *end, unsigned depth,
                    struct measured *out) {
    if (depth > IR_NESTING_MOST)
        return w->why = "messages would be nested over 100 deep", false;
    *out = (struct measured){.plain = true};
    uint32_t first = w->list.len;
    while (at < end) {
        struct ir_wire_field f;
        const char *wrong = ir_wire_next(&at, end, &f);
        rw_assert(!wrong);
        const struct ir_payload *p = payload_at(w->s, &f);
        const ProtobufCMessageDescriptor *child = p ? NULL : message_type(type, &f);
        if (p) {
            out->plain = false;
            out->size += field_size(p->field, p->len);
        } else if (child) {
            struct measured inner;
            uint32_t slot = w->list.len;
            vec_push(w->arena, &w->list, (struct measured){0});
            if (!measure(w, child, f.data, f.end, depth + 1, &inner)) return false;
            w->list.at[slot] = inner;
            out->size += field_size(f.number, inner.size);
            out->plain &= inner.plain;
        } else {
            out->size += (uint64_t)(f.end - f.begin);
        }
        w->too_large = out->size > INT32_MAX;
        if (w->too_large)
            return w->why = "the model would have over 2 GiB, which no reader takes", false;
    }
    out->inside = w->list.len - first;
    return true;
}

static bool measure_all(struct walk *w, struct measured *root) {
    return measure(w, w->s->type, w->s->packed, w->s->packed + w->s->len, 0, root);
}

bool ir_splice_size(const struct ir_splice *s, struct arena *a, uint64_t *size,
                    const char **why) {
    struct walk w = {.s = s, .arena = a};
    struct measured root;
    bool ok = measure_all(&w, &root);
    *size = ok ? root.size : w.too_large ? (uint64_t)INT32_MAX + 1 : 0;
    *why = w.why;
    return ok;
}

/* --- writing ---------------------------------------------------------------------- */

static void put_header(struct ir_sink *sink, uint32_t number, uint64_t len) {
    uint8_t bytes[2 * IR_WIRE_VARINT_MAX];
    size_t n = ir_wire_write_varint(ir_wire_tag(number, IR_WIRE_LEN), bytes);
    n += ir_wire_write_varint(len, bytes + n);
    ir_sink_put(sink, bytes, n);
}

static void put_payload(const struct ir_splice *s, const struct ir_payload *p,
                        struct ir_sink *sink) {
    put_header(sink, p->field, p->len);
    if (p->memory) ir_sink_put(sink, p->memory, (size_t)p->len);
    else if (p->tensor) ir_sink_put_tensor(sink, s->model, p->tensor);
    else if (s->input_fd >= 0)
        ir_sink_put_file(sink, s->input_fd, p->offset, p->len);
    else ir_sink_put(sink, s->input + p->offset, (size_t)p->len);
}

static void put_message(struct walk *w, const ProtobufCMessageDescriptor *type,
                        const uint8_t *at, const uint8_t *end, struct ir_sink *sink) {
    while (at < end) {
        struct ir_wire_field f;
        ir_wire_next(&at, end, &f);
        const struct ir_payload *p = payload_at(w->s, &f);
        const ProtobufCMessageDescriptor *child = p ? NULL : message_type(type, &f);
        const struct measured *m = child ? &w->list.at[w->next++] : NULL;
        if (p) {
            put_payload(w->s, p, sink);
        } else if (!child || m->plain) {
            ir_sink_put(sink, f.begin, (size_t)(f.end - f.begin));
            if (child) w->next += m->inside;
        } else {
            put_header(sink, f.number, m->size);
            put_message(w, child, f.data, f.end, sink);
        }
    }
}

void ir_splice_write(const struct ir_splice *s, struct arena *a, struct ir_sink *sink) {
    struct walk w = {.s = s, .arena = a};
    struct measured root;
    rw_assert(measure_all(&w, &root));
    put_message(&w, s->type, s->packed, s->packed + s->len, sink);
}

