/* map.h -- open-addressing hash tables.
 *
 * struct hset finds a 32-bit id by a hash and an equality that the caller supplies: the
 * one table behind interning, hash-consing and lookup by several keys. struct map is
 * uint64 -> uint32. Iteration order is never used for output: ids are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

#define MAP_NONE UINT32_MAX

uint64_t hash_bytes(const void *p, size_t len, uint64_t seed);
/* Finaliser of splitmix64 (Steele, Lea, Flood 2014): a full-avalanche bijection. */
static inline uint64_t hash_u64(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
static inline uint64_t hash_join(uint64_t h, uint64_t x) {
    return hash_u64(h ^ (x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2)));
}

struct hset {
    struct arena *arena;
    struct hset_slot {
        uint32_t tag; /* half of the hash, made nonzero; 0 = free */
        uint32_t id;
    } *slot;
    uint32_t len, cap, tombs;
};
/* Is the thing looked for the same as the one with this id? Asked where half of the hash
 * fits. */
typedef bool hset_equal(const void *key, uint32_t id, const void *ctx);

/* The bits that also choose the place, so that a table grows without the hashes. */
static inline uint32_t hset_tag(uint64_t hash) {
    uint32_t tag = (uint32_t)(hash ^ hash >> 32);
    return tag ? tag : 1;
}
/* The id whose hash and equality fit, or MAP_NONE. Here, so that eq need not be a call. */
static inline uint32_t hset_find(const struct hset *s, uint64_t hash, hset_equal *eq,
                                 const void *key, const void *ctx) {
    if (!s->cap) return MAP_NONE;
    uint32_t mask = s->cap - 1, tag = hset_tag(hash);
    for (uint32_t i = tag & mask; s->slot[i].tag; i = (i + 1) & mask)
        if (s->slot[i].tag == tag && s->slot[i].id != MAP_NONE &&
            eq(key, s->slot[i].id, ctx))
            return s->slot[i].id;
    return MAP_NONE;
}
/* Adds an id that is not in yet. */
void hset_add(struct hset *s, uint64_t hash, uint32_t id);
/* Removes an id added under that hash; false when it is not in. */
bool hset_remove(struct hset *s, uint64_t hash, uint32_t id);

struct map {
    struct hset set;
    struct {
        uint64_t key;
        uint32_t value;
    } *entry;
    uint32_t len, cap;
};
void map_init(struct map *m, struct arena *a);
uint32_t map_get(const struct map *m, uint64_t key); /* MAP_NONE when absent */
void map_put(struct map *m, uint64_t key, uint32_t value); /* adds or replaces */

#endif
