/* arena.h -- bump allocation by lifetime.
 *
 * Memory of an arena is given back all at once: by arena_free, or back to a mark by
 * arena_reset. The lifetimes are pack (rules, automaton), model (graph, names), run
 * (worklist, states) and step (one match). Pointers go only to the same or a longer
 * lifetime.
 *
 * What is larger than a block has one of its own, which moves when it grows and leaves
 * nothing behind.
 *
 * Allocation never returns NULL: when memory runs out rw_out_of_memory is called, so a
 * size that comes from a file is checked against what the file can hold before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/base.h"

#include <stdarg.h>

struct arena_block {
    struct arena_block *older;
    size_t size; /* of data */
    _Alignas(max_align_t) unsigned char data[];
};
struct arena_large;
struct arena {
    struct arena_block *top;   /* newest block; older ones behind it */
    struct arena_large *large; /* newest block of one thing; older ones behind it */
    size_t used;               /* bytes handed out from `top` */
    size_t total;              /* bytes of all blocks */
};
struct arena_mark {
    struct arena_block *top;
    size_t used;
    uint64_t large; /* so many large ones were made until then, the newest of those there */
};

/* A zeroed struct is an empty arena. */
#define ARENA_EMPTY ((struct arena){0})

void *arena_alloc_slowly(struct arena *a, size_t size);
/* Aligned for any type. Most that is asked for is small and fits the newest block. */
static inline void *arena_alloc(struct arena *a, size_t size) {
    const size_t unit = _Alignof(max_align_t), need = (size + unit - 1) & ~(unit - 1);
    if (size - 1 >= 4096 || !a->top || a->top->size - a->used < need)
        return arena_alloc_slowly(a, size);
    void *p = a->top->data + a->used;
    a->used += need;
    return p;
}
void *arena_zalloc(struct arena *a, size_t size); /* the same, zeroed */
/* count items of size bytes; the product is checked. Not zeroed. */
void *arena_array(struct arena *a, size_t count, size_t size);
/* Grows the block at p from old to new bytes, which does not shrink it: in place where it is
 * the newest, else copied. What was at p is gone. p may be NULL when old is 0. */
void *arena_grow(struct arena *a, void *p, size_t old_size, size_t new_size);
void *arena_copy(struct arena *a, const void *p, size_t size);
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_printf(struct arena *a, const char *format, ...) RW_PRINTF(2, 3);
char *arena_vprintf(struct arena *a, const char *format, va_list args);

struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark mark);
void arena_free(struct arena *a);

#define arena_new(a, type) ((type *)arena_zalloc((a), sizeof(type)))
#define arena_new_array(a, type, n) ((type *)arena_array((a), (n), sizeof(type)))

#endif
