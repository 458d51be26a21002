/* sets.c -- interned lists of numbers. SPDX-License-Identifier: Apache-2.0 */
#include "matcher/label/sets.h"

void pm_sets_init(struct pm_sets *s, uint64_t *words, struct arena *a) {
    *s = (struct pm_sets){.arena = a, .words = words, .set.arena = a};
}

static bool list_equal(const void *key, uint32_t id, const void *ctx) {
    const struct pm_list *x = key, *y = &((const struct pm_sets *)ctx)->list.at[id];
    return x->n == y->n && (x->n == 0 || memcmp(x->at, y->at, x->n * sizeof *x->at) == 0);
}

uint32_t pm_sets_add(struct pm_sets *s, uint32_t n, const uint32_t *at) {
    struct pm_list x = {n, at};
    uint64_t hash = hash_bytes(at, n * sizeof *at, n);
    uint32_t id = hset_find(&s->set, hash, list_equal, &x, s);
    if (id != MAP_NONE) return id;
    id = s->list.len;
    if (n > 0) x.at = arena_copy(s->arena, at, n * sizeof *at);
    *s->words += n;
    vec_push(s->arena, &s->list, x);
    hset_add(&s->set, hash, id);
    return id;
}

bool pm_list_has(struct pm_list l, uint32_t x) {
    uint32_t low = 0, high = l.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (l.at[mid] < x) low = mid + 1;
        else high = mid;
    }
    return low < l.n && l.at[low] == x;
}

static int rising(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t pm_make_set(uint32_t n, uint32_t *at) {
    uint32_t kept = 0;
    if (n > 1) qsort(at, n, sizeof *at, rising);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || at[i] != at[i - 1]) at[kept++] = at[i];
    return kept;
}
