/* skeleton.c -- each message is walked twice: first its fields are checked and counted, so
 * that it is known which occur again, then they are copied. Nothing is read but tags,
 * lengths and what is copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/skeleton.h"

#include "ir/onnx.pb-c.h"

#define FIELDS_MOST 24 /* of one message type; checked */
#define HOLD (8 << 20) /* bytes of the file that may stay in memory behind the walk */
#define LENGTH_BYTES 5 /* a message's length is patched in when its end is known */

struct range {
    const uint8_t *begin, *end;
};
struct walk {
    const uint8_t *file, *at; /* at: the field being read, for messages */
    const uint8_t *held;      /* what lies from here to `at` was not given back */
    void (*release)(const void *from, size_t len);
    struct arena *arena;
    struct ir_skeleton *out;
    const char *why;
    unsigned depth;
    const char *path[IR_NESTING_MOST + 1];
};
/* What a message has of one field. Occurrences before `skip` do not count: another
 * member of their oneof came later. */
struct tally {
    uint32_t total, skip, seen;
};
/* One message: several ranges when it occurred several times and is merged. */
struct message {
    const ProtobufCMessageDescriptor *type;
    const struct range *ranges;
    uint32_t n;
    struct tally tally[FIELDS_MOST];
};

static bool walk_message(struct walk *w, const ProtobufCMessageDescriptor *type,
                         const struct range *ranges, uint32_t n);

static bool fail(struct walk *w, const char *what) {
    struct buf b = {0};
    for (unsigned i = 0; i < w->depth; i++)
        buf_printf(&b, "%s%s", i ? "." : ", in ", w->path[i]);
    w->why = arena_printf(w->arena, "%s (byte %zu%s)", what, (size_t)(w->at - w->file),
                          buf_text(&b));
    buf_free(&b);
    return false;
}

/* Numbers mostly begin with 1 and have no gap. */
static int find_field(const ProtobufCMessageDescriptor *type, uint32_t number) {
    if (number <= type->n_fields && type->fields[number - 1].id == number)
        return (int)number - 1;
    unsigned low = 0, high = type->n_fields;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (type->fields[middle].id < number) low = middle + 1;
        else high = middle;
    }
    return low < type->n_fields && type->fields[low].id == number ? (int)low : -1;
}

/* --- which wire types a field may have -------------------------------------------- */

static enum ir_wire_type wire_type_of(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_FLOAT: case PROTOBUF_C_TYPE_FIXED32: case PROTOBUF_C_TYPE_SFIXED32:
        return IR_WIRE_FIXED32;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64: return IR_WIRE_FIXED64;
    case PROTOBUF_C_TYPE_STRING: case PROTOBUF_C_TYPE_BYTES: case PROTOBUF_C_TYPE_MESSAGE:
        return IR_WIRE_LEN;
    default: return IR_WIRE_VARINT;
    }
}

static bool is_packed(const ProtobufCFieldDescriptor *d, const struct ir_wire_field *f) {
    return f->type == IR_WIRE_LEN && wire_type_of(d->type) != IR_WIRE_LEN &&
           d->label == PROTOBUF_C_LABEL_REPEATED;
}

static bool is_tensor_data(const ProtobufCMessageDescriptor *type,
                           const ProtobufCFieldDescriptor *d) {
    return type == &onnx__tensor_proto__descriptor &&
           (rw_streq(d->name, "raw_data") || d->flags & PROTOBUF_C_FIELD_FLAG_PACKED);
}

/* Packed fixed-size elements fill their field. Varints are read when they are copied. */
static bool check_type(struct walk *w, const ProtobufCFieldDescriptor *d,
                       const struct ir_wire_field *f) {
    enum ir_wire_type want = wire_type_of(d->type);
    if (is_packed(d, f)) {
        size_t unit = want == IR_WIRE_FIXED32 ? 4 : want == IR_WIRE_FIXED64 ? 8 : 1;
        return (size_t)(f->end - f->data) % unit == 0 ||
               fail(w, "packed numbers are cut off");
    }
    if (f->type == want) return true;
    return fail(w, arena_printf(w->arena, "field \"%s\" has wire type %d instead of %d",
                                d->name, (int)f->type, (int)want));
}

static bool check_packed_varints(struct walk *w, const struct ir_wire_field *f) {
    uint64_t value;
    for (const uint8_t *at = f->data; at < f->end;)
        if (!ir_wire_read_varint(&at, f->end, &value))
            return fail(w, "packed numbers are cut off or overlong");
    return true;
}

/* --- counting --------------------------------------------------------------------- */

static void drop_rivals(struct message *m, int index) {
    const ProtobufCFieldDescriptor *fields = m->type->fields;
    if (!(fields[index].flags & PROTOBUF_C_FIELD_FLAG_ONEOF)) return;
    for (unsigned i = 0; i < m->type->n_fields; i++)
        if ((int)i != index && fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
            fields[i].quantifier_offset == fields[index].quantifier_offset)
            m->tally[i].skip = m->tally[i].total;
}

static bool count_field(struct walk *w, struct message *m, const struct ir_wire_field *f) {
    int i = find_field(m->type, f->number);
    if (f->number == IR_PAYLOAD_FIELD) return fail(w, "a field has a reserved number");
    if (i < 0) return true;
    if (!check_type(w, &m->type->fields[i], f)) return false;
    m->tally[i].total++;
    drop_rivals(m, i);
    return true;
}

/* Moves to the next field; what was touched far behind it is given back. */
static void move_to(struct walk *w, const uint8_t *at) {
    w->at = at;
    if (at < w->held) w->held = at;
    if (!w->release || at - w->held < HOLD) return;
    w->release(w->held, (size_t)(at - w->held));
    w->held = at;
}

/* Calls `each` for the fields of a message, until it returns false. */
static bool for_fields(struct walk *w, struct message *m,
                       bool (*each)(struct walk *, struct message *,
                                    const struct ir_wire_field *)) {
    for (uint32_t r = 0; r < m->n; r++) {
        for (const uint8_t *at = m->ranges[r].begin; at < m->ranges[r].end;) {
            struct ir_wire_field f;
            move_to(w, at);
            const char *wrong = ir_wire_next(&at, m->ranges[r].end, &f);
            if (wrong) return fail(w, wrong);
            if (!each(w, m, &f)) return false;
        }
    }
    return true;
}

/* --- copying ---------------------------------------------------------------------- */

/* As it is, unless tag or length have more bytes than they need. */
static void copy_field(struct walk *w, const struct ir_wire_field *f) {
    struct buf *b = &w->out->bytes;
    uint64_t tag = ir_wire_tag(f->number, f->type), len = (uint64_t)(f->end - f->data);
    size_t head = ir_wire_varint_size(tag);
    if (f->type == IR_WIRE_LEN) head += ir_wire_varint_size(len);
    if ((size_t)(f->data - f->begin) == head) {
        buf_add(b, f->begin, (size_t)(f->end - f->begin));
        return;
    }
    ir_wire_add_varint(b, tag);
    if (f->type == IR_WIRE_LEN) ir_wire_add_varint(b, len);
    buf_add(b, f->data, (size_t)len);
}

static void mark_payload(struct walk *w, const struct ir_wire_field *f) {
    struct ir_skeleton *s = w->out;
    struct ir_payload p = {.field = f->number, .offset = (uint64_t)(f->data - w->file),
                           .len = (uint64_t)(f->end - f->data)};
    ir_wire_add_varint(&s->bytes, ir_wire_tag(IR_PAYLOAD_FIELD, IR_WIRE_VARINT));
    ir_wire_add_varint(&s->bytes, s->payloads.len);
    vec_push(w->arena, &s->payloads, p);
}

static bool copy_string(struct walk *w, const ProtobufCFieldDescriptor *d,
                        const struct ir_wire_field *f) {
    static const char *const no_names[] = {"doc_string", "producer_name",
                                           "producer_version", "denotation", "value"};
    if (!memchr(f->data, 0, (size_t)(f->end - f->data))) {
        copy_field(w, f);
        return true;
    }
    for (size_t i = 0; i < countof(no_names); i++) {
        if (!rw_streq(d->name, no_names[i])) continue;
        mark_payload(w, f);
        return true;
    }
    return fail(w, arena_printf(w->arena, "\"%s\" contains a NUL byte", d->name));
}

static bool walk_child(struct walk *w, const ProtobufCFieldDescriptor *d,
                       const struct range *ranges, uint32_t n) {
    struct buf *b = &w->out->bytes;
    if (w->depth == IR_NESTING_MOST) return fail(w, "messages are nested over 100 deep");
    ir_wire_add_varint(b, ir_wire_tag(d->id, IR_WIRE_LEN));
    size_t length_at = b->len;
    buf_add(b, "\0\0\0\0", LENGTH_BYTES);
    w->path[w->depth++] = d->name;
    if (!walk_message(w, d->descriptor, ranges, n)) return false;
    w->depth--;
    uint64_t len = b->len - length_at - LENGTH_BYTES;
    if (len > INT32_MAX) return fail(w, "a message has over 2 GiB without its weights");
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        b->at[length_at + i] = (char)(len >> 7 * i & 0x7f) |
                               (char)(i + 1 < LENGTH_BYTES ? 0x80 : 0);
    return true;
}

/* All occurrences of a singular message, from tally.skip on, as one. */
static bool walk_merged(struct walk *w, const struct message *m, int index) {
    uint32_t skip = m->tally[index].skip, n = 0;
    struct range *parts =
        arena_new_array(w->arena, struct range, m->tally[index].total - skip);
    for (uint32_t r = 0; r < m->n; r++) {
        for (const uint8_t *at = m->ranges[r].begin; at < m->ranges[r].end;) {
            struct ir_wire_field f;
            ir_wire_next(&at, m->ranges[r].end, &f); /* counted: well-formed */
            if (f.number != m->type->fields[index].id) continue;
            if (skip) skip--;
            else parts[n++] = (struct range){f.data, f.end};
        }
    }
    return walk_child(w, &m->type->fields[index], parts, n);
}

static bool copy_message(struct walk *w, struct message *m, int index,
                         const struct ir_wire_field *f, uint32_t ordinal) {
    const ProtobufCFieldDescriptor *d = &m->type->fields[index];
    const struct tally *t = &m->tally[index];
    bool single = d->label == PROTOBUF_C_LABEL_REPEATED || t->total - t->skip == 1;
    if (single) return walk_child(w, d, &(struct range){f->data, f->end}, 1);
    return ordinal > t->skip || walk_merged(w, m, index);
}

/* Data in several pieces or unpacked, which nobody writes, stays in the skeleton. */
static bool is_payload(const struct message *m, int index, const struct ir_wire_field *f) {
    const ProtobufCFieldDescriptor *d = &m->type->fields[index];
    return f->type == IR_WIRE_LEN && (uint64_t)(f->end - f->data) > IR_PAYLOAD_LEAST &&
           is_tensor_data(m->type, d) &&
           (d->label != PROTOBUF_C_LABEL_REPEATED || m->tally[index].total == 1);
}

static bool copy_any(struct walk *w, struct message *m, const struct ir_wire_field *f) {
    int i = find_field(m->type, f->number);
    if (i < 0) return copy_field(w, f), true;
    const ProtobufCFieldDescriptor *d = &m->type->fields[i];
    struct tally *t = &m->tally[i];
    uint32_t ordinal = t->seen++;
    if (ordinal < t->skip) return true;
    if (d->type == PROTOBUF_C_TYPE_MESSAGE) return copy_message(w, m, i, f, ordinal);
    if (d->label != PROTOBUF_C_LABEL_REPEATED && ordinal + 1 < t->total) return true;
    if (d->type == PROTOBUF_C_TYPE_STRING) return copy_string(w, d, f);
    if (is_payload(m, i, f)) return mark_payload(w, f), true;
    if (is_packed(d, f) && wire_type_of(d->type) == IR_WIRE_VARINT &&
        !check_packed_varints(w, f))
        return false;
    copy_field(w, f);
    return true;
}

static bool walk_message(struct walk *w, const ProtobufCMessageDescriptor *type,
                         const struct range *ranges, uint32_t n) {
    struct message m = {.type = type, .ranges = ranges, .n = n};
    rw_assert(type->n_fields <= FIELDS_MOST);
    return for_fields(w, &m, count_field) && for_fields(w, &m, copy_any);
}

bool ir_skeleton_read(const struct ir_walked *in, const ProtobufCMessageDescriptor *type,
                      struct arena *a, struct ir_skeleton *out, const char **why) {
    const uint8_t *begin = in->file;
    struct walk w = {.file = begin, .at = begin, .held = begin, .release = in->release,
                     .arena = a, .out = out};
    struct range whole = {begin, in->len ? begin + in->len : begin};
    bool ok = walk_message(&w, type, &whole, 1);
    *why = w.why;
    return ok;
}

/* --- markers in unpacked messages ------------------------------------------------- */

const struct ir_payload *ir_payload_at(const struct ir_payload *table, uint32_t n,
                                       const ProtobufCMessageUnknownField *u) {
    const uint8_t *at = u->data;
    uint64_t index;
    bool is_marker =
        u->tag == IR_PAYLOAD_FIELD && ir_wire_read_varint(&at, u->data + u->len, &index);
    return is_marker && index < n ? &table[index] : NULL;
}

const struct ir_payload *ir_payload_of(const struct ir_payload *table, uint32_t n,
                                       const ProtobufCMessage *m, uint32_t field) {
    for (unsigned i = 0; i < m->n_unknown_fields; i++) {
        const struct ir_payload *p = ir_payload_at(table, n, &m->unknown_fields[i]);
        if (p && p->field == field) return p;
    }
    return NULL;
}

ProtobufCMessageUnknownField ir_payload_marker(struct arena *a, uint32_t index) {
    uint8_t bytes[IR_WIRE_VARINT_MAX];
    size_t len = ir_wire_write_varint(index, bytes);
    return (ProtobufCMessageUnknownField){IR_PAYLOAD_FIELD, PROTOBUF_C_WIRE_TYPE_VARINT,
                                          len, arena_copy(a, bytes, len)};
}
