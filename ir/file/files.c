/* files.c -- opening, reading and closing what is behind a model.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/files.h"

#include "ir/file/source.h"
#include "ir/tensor/tensor_bytes.h"

static struct ir_source *new_source(struct arena *a, const char *name) {
    struct ir_source *s = arena_new(a, struct ir_source);
    s->arena = a;
    s->name = arena_strdup(a, name);
    s->file = s->open = OS_CLOSED;
    intern_init(&s->locations, a);
    return s;
}

enum rw_code ir_source_open(struct arena *a, const char *path, struct ir_source **out,
                            struct diag_sink *diags) {
    bool is_stdin = rw_streq(path, "-");
    struct ir_source *s = new_source(a, is_stdin ? "standard input" : path);
    if (!os_open(path, &s->file)) {
        diag_where(diags, DIAG_ERROR, s->name, "cannot be read: %s", os_error());
        return RW_FORMAT;
    }
    s->size = s->file.stamp.size;
    s->bytes = os_map(&s->file);
    s->mapped = s->bytes != NULL;
    if (s->size && !s->mapped) {
        diag_where(diags, DIAG_ERROR, s->name, "cannot be mapped: %s", os_error());
        os_close(&s->file);
        return RW_FORMAT;
    }
    if (!is_stdin) {
        char *folder = os_folder(path);
        s->path = arena_strdup(a, path);
        s->folder = arena_strdup(a, folder);
        free(folder);
    }
    *out = s;
    return RW_OK;
}

struct ir_source *ir_source_of_bytes(struct arena *a, const void *bytes, size_t len,
                                     const char *name, const char *folder) {
    struct ir_source *s = new_source(a, name);
    s->bytes = bytes;
    s->size = len;
    s->folder = folder ? arena_strdup(a, folder) : NULL;
    return s;
}

struct ir_source *ir_source_again(struct arena *a, const struct ir_source *s) {
    struct ir_source *x = ir_source_of_bytes(a, s->bytes, (size_t)s->size, s->name, s->folder);
    x->path = s->path;
    x->file = s->file;
    x->lent = true;
    return x;
}

void ir_source_close(struct ir_source *s) {
    if (s->mapped) os_unmap(s->bytes, s->size);
    s->mapped = false;
    s->bytes = NULL;
    s->size = 0;
    if (!s->lent) os_close(&s->file);
    os_close(&s->open);
}

static bool external_unchanged(const struct ir_source *s, const struct ir_external *e) {
    struct os_file f;
    bool same = os_open_within(s->folder, e->location, &f) == OS_WITHIN &&
                os_same_state(&f.stamp, &e->stamp);
    os_close(&f);
    return same;
}

bool ir_source_unchanged(const struct ir_source *s) {
    if (s->file.fd >= 0 && !os_unchanged(&s->file)) return false;
    for (uint32_t i = 0; i < s->externals.len; i++)
        if (!external_unchanged(s, &s->externals.at[i])) return false;
    return true;
}

/* Opens the external file of a tensor, unless it is the one that is open. */
static bool open_external(struct ir_source *s, const char *location) {
    sym_t id = intern_find(&s->locations, location);
    if (id == MAP_NONE) return false;
    if (s->open.fd >= 0 && s->open_location == id) return true;
    os_close(&s->open);
    s->open_location = id;
    return os_open_within(s->folder, location, &s->open) == OS_WITHIN;
}

bool ir_source_read(struct ir_model *m, const struct ir_tensor *t, uint64_t first_byte,
                    uint64_t n, void *out) {
    struct ir_source *s = m ? m->source : NULL;
    uint64_t from, end;
    if (!s || n > SIZE_MAX || !rw_add_u64(t->offset, first_byte, &from) ||
        !rw_add_u64(from, n, &end))
        return false;
    if (t->storage == IR_EXTERNAL)
        return open_external(s, t->location) &&
               os_read_at(s->open.fd, from, out, (size_t)n);
    if (end > s->size) return false;
    if (s->file.fd >= 0) return os_read_at(s->file.fd, from, out, (size_t)n);
    memcpy(out, s->bytes + from, (size_t)n);
    return true;
}

uint64_t ir_source_hole(struct ir_model *m, const struct ir_tensor *t, uint64_t at) {
    struct ir_source *s = m ? m->source : NULL;
    bool external = t->storage == IR_EXTERNAL;
    if (!s || at >= t->nbytes || (!external && t->storage != IR_IN_FILE)) return 0;
    if (external ? !open_external(s, t->location) : s->file.fd < 0) return 0;
    const struct os_file *file = external ? &s->open : &s->file;
    uint64_t from = t->offset + at, data = os_next_data(file, from);
    return data - from < t->nbytes - at ? data - from : t->nbytes - at;
}

const void *ir_source_field(struct ir_model *m, const struct ir_tensor *t, size_t *len) {
    const struct ir_source *s = m->source;
    *len = 0;
    if (!s || !t->proto) return NULL;
    const struct ir_payload *p = ir_payload_of(s->payloads, s->npayloads,
                                               (const ProtobufCMessage *)t->proto,
                                               ir_typed_field(t->dtype));
    /* Touching a mapped page behind the end of a file that shrank would kill us. */
    if (!p || (s->file.fd >= 0 && !os_unchanged(&s->file))) return NULL;
    *len = (size_t)p->len;
    return p->memory ? p->memory : s->bytes + p->offset;
}
