/* arena.c -- blocks double in size up to a limit; a request larger than that gets a block of
 * its own, in a list beside them. Bytes before a block's data hold the links, so freeing
 * walks the chains.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>

#define ALIGNMENT alignof(max_align_t)
#define FIRST_BLOCK ((size_t)4096)
#ifndef LARGEST_BLOCK /* small ones show who keeps pointers to what has moved */
#define LARGEST_BLOCK ((size_t)1 << 20)
#endif

struct arena_large {
    struct arena_large *older, *newer;
    size_t size;     /* of data */
    uint64_t number; /* rises from older to newer */
    alignas(max_align_t) unsigned char data[];
};

static size_t round_up(size_t size) {
    size_t out;
    if (!rw_add_size(size, ALIGNMENT - 1, &out)) rw_out_of_memory();
    return out & ~(ALIGNMENT - 1);
}

static void add_block(struct arena *a, size_t need) {
    size_t size = a->top ? a->top->size * 2 : FIRST_BLOCK;
    size_t bytes;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < need) size = need;
    if (!rw_add_size(size, sizeof(struct arena_block), &bytes)) rw_out_of_memory();
    struct arena_block *b = malloc(bytes);
    if (!b) rw_out_of_memory();
    b->older = a->top;
    b->size = size;
    a->top = b;
    a->used = 0;
    a->total += size;
}

/* --- things larger than a block ------------------------------------------------------ */
static uint64_t newest_large(const struct arena *a) { return a->large ? a->large->number : 0; }

/* A new block, or `was` moved to more bytes. */
static struct arena_large *resize_large(struct arena *a, struct arena_large *was,
                                        size_t size) {
    size_t bytes;
    if (!rw_add_size(size, sizeof(struct arena_large), &bytes)) rw_out_of_memory();
    struct arena_large *x = realloc(was, bytes);
    if (!x) rw_out_of_memory();
    a->total += was ? size - x->size : size;
    x->size = size;
    return x;
}

static void *add_large(struct arena *a, size_t size) {
    struct arena_large *x = resize_large(a, NULL, size);
    x->number = newest_large(a) + 1;
    x->newer = NULL;
    x->older = a->large;
    if (x->older) x->older->newer = x;
    a->large = x;
    return x->data;
}

static void *grow_large(struct arena *a, void *p, size_t size) {
    size_t head = offsetof(struct arena_large, data);
    struct arena_large *x =
        resize_large(a, (struct arena_large *)(void *)((unsigned char *)p - head), size);
    if (x->older) x->older->newer = x;
    if (x->newer) x->newer->older = x;
    else a->large = x;
    return x->data;
}

static void drop_large(struct arena *a, uint64_t newest) {
    while (newest_large(a) > newest) {
        struct arena_large *x = a->large;
        a->large = x->older;
        if (a->large) a->large->newer = NULL;
        a->total -= x->size;
        free(x);
    }
}

/* --- allocation ------------------------------------------------------------------------ */
void *arena_alloc_slowly(struct arena *a, size_t size) {
    size_t need = round_up(size ? size : 1);
    if (need > LARGEST_BLOCK) return add_large(a, need);
    if (!a->top || a->top->size - a->used < need) add_block(a, need);
    void *p = a->top->data + a->used;
    a->used += need;
    return p;
}

void *arena_zalloc(struct arena *a, size_t size) {
    return memset(arena_alloc(a, size), 0, size);
}

void *arena_array(struct arena *a, size_t count, size_t size) {
    size_t bytes;
    if (!rw_mul_size(count, size, &bytes)) rw_out_of_memory();
    return arena_alloc(a, bytes);
}

void *arena_grow(struct arena *a, void *p, size_t old_size, size_t new_size) {
    if (old_size) {
        size_t old_room = round_up(old_size), new_room = round_up(new_size);
        if (old_room > LARGEST_BLOCK) return grow_large(a, p, new_room);
        unsigned char *end = a->top->data + a->used;
        bool newest = (unsigned char *)p + old_room == end;
        size_t left = a->top->size - a->used;
        if (newest && new_room >= old_room && left >= new_room - old_room) {
            a->used += new_room - old_room;
            return p;
        }
    }
    void *q = arena_alloc(a, new_size);
    if (old_size) memcpy(q, p, old_size < new_size ? old_size : new_size);
    return q;
}

void *arena_copy(struct arena *a, const void *p, size_t size) {
    void *q = arena_alloc(a, size);
    if (size) memcpy(q, p, size);
    return q;
}

char *arena_strndup(struct arena *a, const char *text, size_t len) {
    char *s = arena_alloc(a, len + 1);
    if (len) memcpy(s, text, len);
    s[len] = 0;
    return s;
}

char *arena_strdup(struct arena *a, const char *text) {
    return arena_strndup(a, text, strlen(text));
}

char *arena_vprintf(struct arena *a, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    rw_assert(len >= 0);
    char *s = arena_alloc(a, (size_t)len + 1);
    vsnprintf(s, (size_t)len + 1, format, again);
    va_end(again);
    return s;
}

char *arena_printf(struct arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *s = arena_vprintf(a, format, args);
    va_end(args);
    return s;
}

struct arena_mark arena_mark(const struct arena *a) {
    return (struct arena_mark){a->top, a->used, newest_large(a)};
}

void arena_reset(struct arena *a, struct arena_mark mark) {
    while (a->top != mark.top) {
        struct arena_block *b = a->top;
        a->top = b->older;
        a->total -= b->size;
        free(b);
    }
    a->used = mark.used;
    drop_large(a, mark.large);
}

void arena_free(struct arena *a) { arena_reset(a, (struct arena_mark){0}); }
