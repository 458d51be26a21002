/* sets.h -- lists of numbers, equal ones once: what the states of labels are made of.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_SETS_H
#define PM_SETS_H

#include "base/map.h"
#include "base/vec.h"

struct pm_list {
    uint32_t n;
    const uint32_t *at;
};
struct pm_sets {
    struct arena *arena;
    uint64_t *words; /* in all lists that count there */
    struct hset set;
    VEC(struct pm_list) list;
};
void pm_sets_init(struct pm_sets *s, uint64_t *words, struct arena *a);
/* The number of the list, which is copied when it is new: the next free number then. */
uint32_t pm_sets_add(struct pm_sets *s, uint32_t n, const uint32_t *at);
/* Is x in a list that rises? */
bool pm_list_has(struct pm_list l, uint32_t x);
/* Sorts, and leaves equal ones once; how many are left. */
uint32_t pm_make_set(uint32_t n, uint32_t *at);

#endif
