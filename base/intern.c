/* intern.c -- SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

#include "base/vec.h"

struct key {
    const char *text;
    size_t len;
};

static bool same_text(const void *key, uint32_t id, const void *ctx) {
    const struct key *k = key;
    const char *text = ((const struct intern *)ctx)->text[id];
    return strncmp(text, k->text, k->len) == 0 && text[k->len] == 0;
}

static uint32_t find(const struct intern *in, struct key k, uint64_t hash) {
    return hset_find(&in->set, hash, same_text, &k, in);
}

void intern_init(struct intern *in, struct arena *a) {
    *in = (struct intern){.arena = a, .set.arena = a};
    intern_n(in, "", 0);
}

sym_t intern_n(struct intern *in, const char *text, size_t len) {
    uint64_t hash = hash_bytes(text, len, 0);
    sym_t id = find(in, (struct key){text, len}, hash);
    if (id != MAP_NONE) return id;
    in->text = vec_grow(in->arena, in->text, sizeof *in->text, in->len, &in->cap, 1);
    in->text[in->len] = arena_strndup(in->arena, text, len);
    hset_add(&in->set, hash, in->len);
    return in->len++;
}

sym_t intern(struct intern *in, const char *text) {
    return intern_n(in, text, strlen(text));
}

sym_t intern_find(const struct intern *in, const char *text) {
    size_t len = strlen(text);
    return find(in, (struct key){text, len}, hash_bytes(text, len, 0));
}
