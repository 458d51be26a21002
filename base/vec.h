/* vec.h -- growable arrays on an arena.
 *
 *     VEC(uint32_t) ids = {0};
 *     vec_push(arena, &ids, 7);
 *     for (uint32_t i = 0; i < ids.len; i++) use(ids.at[i]);
 *
 * A zeroed vector is empty. Growing may move the items: keep indices, not pointers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#define VEC(type)                                                                      \
    struct {                                                                           \
        type *at;                                                                      \
        uint32_t len, cap;                                                             \
    }

/* Room for `more` items beyond len; returns the (possibly moved) items. */
void *vec_grow(struct arena *a, void *at, size_t item, uint32_t len, uint32_t *cap,
               uint32_t more);

#define vec_reserve(a, v, more)                                                        \
    ((v)->at = vec_grow((a), (v)->at, sizeof *(v)->at, (v)->len, &(v)->cap, (more)))
#define vec_push(a, v, ...)                                                            \
    ((void)((v)->len < (v)->cap || vec_reserve((a), (v), 1)),                          \
     (void)((v)->at[(v)->len++] = __VA_ARGS__))
#define vec_pop(v) ((v)->at[--(v)->len])
#define vec_last(v) (&(v)->at[(v)->len - 1])

#endif
