/* external.c -- external data: where it is said to be, and whether it is there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

static const char *entry(const Onnx__TensorProto *p, const char *key) {
    for (size_t i = 0; i < p->n_external_data; i++)
        if (p->external_data[i]->key && rw_streq(p->external_data[i]->key, key))
            return p->external_data[i]->value;
    return NULL;
}

/* Decimal digits and nothing else. */
static bool parse_size(const char *text, uint64_t *out) {
    *out = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
            !rw_add_u64(*out, (uint64_t)(*text - '0'), out))
            return false;
    }
    return true;
}

static enum rw_code wrong_number(struct ir_load *l, struct ir_spot at, const char *key,
                                 const char *text) {
    return ir_load_error(l, at, "external data has %s \"%s\", which is no size", key, text);
}

/* The file at a location, opened once to see it; then only its stamp is kept. */
static enum rw_code find_file(struct ir_load *l, const char *location, struct ir_spot at,
                              const struct ir_external **out) {
    struct ir_source *s = l->source;
    sym_t id = intern(&s->locations, location);
    if (id <= s->externals.len) {
        *out = &s->externals.at[id - 1];
        return RW_OK;
    }
    struct os_file f;
    enum os_within found = os_open_within(s->folder, location, &f);
    if (found == OS_OUTSIDE)
        return ir_load_error(
            l, at, "external data \"%s\" is outside the folder of the model", location);
    if (found == OS_UNREADABLE)
        return ir_load_error(l, at, "external data \"%s\" cannot be read: %s", location,
                             os_error());
    vec_push(s->arena, &s->externals,
             (struct ir_external){intern_text(&s->locations, id), f.stamp});
    os_close(&f);
    *out = vec_last(&s->externals);
    return RW_OK;
}

enum rw_code ir_load_external(struct ir_load *l, const Onnx__TensorProto *p,
                              struct ir_spot at, struct ir_tensor *t) {
    const char *location = entry(p, "location"), *offset = entry(p, "offset"),
               *length = entry(p, "length");
    const struct ir_external *file = NULL;
    uint64_t len = t->nbytes, end;
    if (!location || !*location)
        return ir_load_error(l, at, "external data has no location");
    if (!l->source->folder)
        return ir_load_error(l, at,
                             "external data \"%s\" cannot be found: the model has no "
                             "folder",
                             location);
    TRY(find_file(l, location, at, &file));
    t->offset = 0;
    if (offset && !parse_size(offset, &t->offset))
        return wrong_number(l, at, "offset", offset);
    if (length && !parse_size(length, &len)) return wrong_number(l, at, "length", length);
    if (!ir_dtype_bits(t->dtype)) { /* a type that is not known: as much as is said */
        if (!length && t->offset < file->stamp.size) len = file->stamp.size - t->offset;
        t->nbytes = len;
    }
    if (len != t->nbytes)
        return ir_load_error(l, at, "external data has length %" PRIu64
                             ", type and shape need %" PRIu64, len, t->nbytes);
    if (!rw_add_u64(t->offset, len, &end) || end > file->stamp.size)
        return ir_load_error(l, at, "external data needs bytes %" PRIu64 " to %" PRIu64
                             " of \"%s\", which has %" PRIu64,
                             t->offset, end, location, file->stamp.size);
    t->storage = IR_EXTERNAL;
    t->location = file->location;
    return RW_OK;
}
