/* vec.c -- growth of vectors: doubling, at least eight items, counts checked.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/vec.h"

void *vec_grow(struct arena *a, void *at, size_t item, uint32_t len, uint32_t *cap,
               uint32_t more) {
    uint64_t need = (uint64_t)len + more;
    if (need <= *cap) return at;
    uint64_t room = (uint64_t)*cap * 2;
    if (room < need) room = need;
    if (room < 8) room = 8;
    if (room > UINT32_MAX) rw_out_of_memory();
    size_t old_bytes = *cap * item, new_bytes;
    if (!rw_mul_size((size_t)room, item, &new_bytes)) rw_out_of_memory();
    *cap = (uint32_t)room;
    return arena_grow(a, at, old_bytes, new_bytes);
}
