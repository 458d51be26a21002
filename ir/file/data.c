/* data.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/file/data.h"

static const char *plain(const char *location) {
    while (location[0] == '.' && location[1] == '/') location += 2;
    return location;
}

/* Is it a file that the model refers to, by its name or by another one? */
static bool is_taken(const struct ir_source *s, const char *folder, const char *location,
                     struct arena *a) {
    struct os_stamp there;
    bool exists = os_stat(arena_printf(a, "%s/%s", folder, location), &there);
    for (uint32_t i = 0; s && i < s->externals.len; i++)
        if (rw_streq(plain(s->externals.at[i].location), location) ||
            (exists && os_same_file(&s->externals.at[i].stamp, &there)))
            return true;
    return false;
}

struct ir_data *ir_data_new(struct arena *a, const struct ir_source *s,
                            const char *model_path, bool all) {
    struct ir_data *d = arena_new(a, struct ir_data);
    const char *name = os_basename(model_path);
    char *folder = os_folder(model_path);
    d->a = a;
    d->all = all;
    d->location = arena_printf(a, "%s.data", name);
    for (uint32_t i = 2; is_taken(s, folder, d->location, a); i++)
        d->location = arena_printf(a, "%s.%u.data", name, i);
    map_init(&d->places, a);
    free(folder);
    return d;
}

bool ir_data_takes(const struct ir_data *d, const struct ir_tensor *t) {
    bool movable = t->storage != IR_STRINGS && t->storage != IR_EXTERNAL &&
                   t->dtype != IR_UNDEFINED;
    return movable && t->nbytes > IR_DATA_LEAST && (d->all || !t->proto);
}

static bool same_bytes(const struct ir_tensor *a, const struct ir_tensor *b) {
    if (a->storage != b->storage || a->nbytes != b->nbytes) return false;
    switch (a->storage) {
    case IR_IN_FILE: return a->offset == b->offset;
    case IR_IN_MEMORY: return a->data == b->data;
    case IR_COMPUTED: return a->lazy == b->lazy;
    default: return a == b;
    }
}

static uint64_t hash_place(const struct ir_tensor *t) {
    switch (t->storage) {
    case IR_IN_FILE: return hash_join(IR_IN_FILE, t->offset);
    case IR_IN_MEMORY: return hash_join(IR_IN_MEMORY, (uintptr_t)t->data);
    case IR_COMPUTED: return hash_join(IR_COMPUTED, (uintptr_t)t->lazy);
    default: return hash_join(t->storage, (uintptr_t)t);
    }
}

static uint64_t aligned(uint64_t at, uint64_t to) { return (at + to - 1) / to * to; }

uint64_t ir_data_place(struct ir_data *d, const struct ir_tensor *t) {
    uint64_t hash = hash_place(t);
    uint32_t known = map_get(&d->places, hash);
    if (known != MAP_NONE && same_bytes(d->items.at[known].tensor, t))
        return d->items.at[known].offset;
    uint64_t begin =
        aligned(d->size, t->nbytes < IR_DATA_PAGE ? IR_DATA_LINE : IR_DATA_PAGE);
    map_put(&d->places, hash, d->items.len);
    vec_push(d->a, &d->items, (struct ir_datum){t, begin});
    d->size = begin + t->nbytes;
    return begin;
}

bool ir_data_write(const struct ir_data *d, struct ir_model *m, struct ir_sink *sink) {
    static const uint8_t zeros[IR_DATA_PAGE];
    uint64_t at = 0;
    for (uint32_t i = 0; i < d->items.len && !sink->failed; i++) {
        const struct ir_datum *x = &d->items.at[i];
        ir_sink_put(sink, zeros, (size_t)(x->offset - at));
        ir_sink_put_tensor(sink, m, x->tensor);
        at = x->offset + x->tensor->nbytes;
    }
    return !sink->failed;
}
