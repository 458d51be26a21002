/* map.c -- linear probing, at most two thirds full, deletions leave tombstones that the
 * next growth sweeps out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/map.h"

#include "base/vec.h"

#define TOMB MAP_NONE

uint64_t hash_bytes(const void *p, size_t len, uint64_t seed) {
    const unsigned char *b = p;
    uint64_t h = hash_u64(seed ^ len);
    while (len >= 8) {
        uint64_t word;
        memcpy(&word, b, 8);
        h = hash_join(h, word);
        b += 8;
        len -= 8;
    }
    uint64_t tail = 0;
    if (len) memcpy(&tail, b, len);
    return hash_join(h, tail);
}

static void place(struct hset *s, struct hset_slot x) {
    uint32_t mask = s->cap - 1, i = x.tag & mask;
    while (s->slot[i].tag) i = (i + 1) & mask;
    s->slot[i] = x;
}

static void rehash(struct hset *s) {
    struct hset old = *s;
    uint64_t cap = 16;
    while (cap < (uint64_t)s->len * 3 + 3) cap *= 2;
    if (cap > UINT32_MAX) rw_out_of_memory();
    s->cap = (uint32_t)cap;
    s->tombs = 0;
    s->slot = arena_zalloc(s->arena, (size_t)cap * sizeof *s->slot);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.slot[i].tag && old.slot[i].id != TOMB) place(s, old.slot[i]);
}

void hset_add(struct hset *s, uint64_t hash, uint32_t id) {
    if (((uint64_t)s->len + s->tombs + 1) * 3 > (uint64_t)s->cap * 2) rehash(s);
    place(s, (struct hset_slot){hset_tag(hash), id});
    s->len++;
}

bool hset_remove(struct hset *s, uint64_t hash, uint32_t id) {
    if (!s->cap) return false;
    uint32_t mask = s->cap - 1, tag = hset_tag(hash);
    for (uint32_t i = tag & mask; s->slot[i].tag; i = (i + 1) & mask)
        if (s->slot[i].tag == tag && s->slot[i].id == id) {
            s->slot[i].id = TOMB;
            s->len--;
            s->tombs++;
            return true;
        }
    return false;
}

static bool same_key(const void *key, uint32_t id, const void *ctx) {
    const struct map *m = ctx;
    return m->entry[id].key == *(const uint64_t *)key;
}

void map_init(struct map *m, struct arena *a) {
    *m = (struct map){0};
    m->set.arena = a;
}

uint32_t map_get(const struct map *m, uint64_t key) {
    uint32_t i = hset_find(&m->set, hash_u64(key), same_key, &key, m);
    return i == MAP_NONE ? MAP_NONE : m->entry[i].value;
}

void map_put(struct map *m, uint64_t key, uint32_t value) {
    uint32_t i = hset_find(&m->set, hash_u64(key), same_key, &key, m);
    if (i != MAP_NONE) {
        m->entry[i].value = value;
        return;
    }
    m->entry = vec_grow(m->set.arena, m->entry, sizeof *m->entry, m->len, &m->cap, 1);
    m->entry[m->len].key = key;
    m->entry[m->len].value = value;
    hset_add(&m->set, hash_u64(key), m->len++);
}
