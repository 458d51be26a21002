/* frame.c -- see frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/runtime/frame.h"

/* --- writing ------------------------------------------------------------------------ */

void judge_frame_begin(struct buf *b) {
    b->len = 0;
    judge_put_u64(b, 0);
}

void judge_put_u64(struct buf *b, uint64_t x) { buf_add(b, &x, sizeof x); }

void judge_put_bytes(struct buf *b, const void *bytes, size_t len) {
    judge_put_u64(b, len);
    if (len) buf_add(b, bytes, len);
}

void judge_put_text(struct buf *b, const char *text) {
    judge_put_bytes(b, text, text ? strlen(text) + 1 : 0);
}

static void put_strings(struct buf *b, const struct ir_tensor *t) {
    for (uint64_t i = 0; i < t->count; i++) {
        judge_put_bytes(b, t->strings[i].at, t->strings[i].len);
        buf_putc(b, 0); /* so that the reader finds texts that end */
    }
}

/* name, kind; of a tensor (kind NULL) type, dims and contents */
void judge_put_value(struct buf *b, const struct judge_value *v) {
    const struct ir_tensor *t = v->tensor;
    judge_put_text(b, v->name);
    judge_put_text(b, t ? NULL : v->kind ? v->kind : "nothing");
    if (!t) return;
    judge_put_u64(b, (uint64_t)t->dtype);
    judge_put_bytes(b, t->dims, t->rank * sizeof *t->dims);
    if (t->dtype == IR_STRING) put_strings(b, t);
    else judge_put_bytes(b, t->data, (size_t)t->nbytes);
}

void judge_frame_end(struct buf *b) {
    uint64_t len = b->len - sizeof len;
    memcpy(b->at, &len, sizeof len);
}

/* --- reading ------------------------------------------------------------------------ */

static const void *take(struct frame *f, size_t len) {
    const char *at = f->at;
    if (f->failed || len > (size_t)(f->end - at)) {
        f->failed = true;
        return NULL;
    }
    f->at += len;
    return at;
}

uint64_t judge_get_u64(struct frame *f) {
    uint64_t x = 0;
    const void *p = take(f, sizeof x);
    if (p) memcpy(&x, p, sizeof x);
    return x;
}

const void *judge_get_bytes(struct frame *f, size_t *len) {
    *len = (size_t)judge_get_u64(f);
    const void *p = take(f, *len);
    if (!p) *len = 0;
    return p;
}

const char *judge_get_text(struct frame *f) {
    size_t len;
    const char *p = judge_get_bytes(f, &len);
    if (len == 0) return NULL;
    if (p[len - 1] == 0) return p;
    f->failed = true;
    return NULL;
}

uint32_t judge_get_count(struct frame *f, size_t least) {
    uint64_t n = judge_get_u64(f);
    if (n <= UINT32_MAX && n <= (size_t)(f->end - f->at) / least) return (uint32_t)n;
    f->failed = true;
    return 0;
}

static struct ir_tensor *get_strings(struct frame *f, struct arena *a,
                                     struct ir_tensor *t) {
    if (t->count > (size_t)(f->end - f->at) / (sizeof(uint64_t) + 1)) return NULL;
    struct ir_string *s = arena_new_array(a, struct ir_string, (size_t)t->count);
    for (uint64_t i = 0; i < t->count; i++) {
        size_t len;
        const char *p = judge_get_bytes(f, &len);
        const char *nul = take(f, 1);
        if (!nul || *nul) return NULL;
        s[i] = (struct ir_string){arena_strndup(a, p, len), len};
    }
    t->storage = IR_STRINGS;
    t->strings = s;
    return t;
}

/* Copied, for the frame is not aligned. */
static struct ir_tensor *get_raw(struct frame *f, struct arena *a, struct ir_tensor *t) {
    size_t len;
    const void *p = judge_get_bytes(f, &len);
    if (f->failed || !ir_tensor_bytes(t->dtype, t->count, &t->nbytes) || len != t->nbytes)
        return NULL;
    t->storage = IR_IN_MEMORY;
    t->data = arena_copy(a, p, len);
    return t;
}

static struct ir_tensor *get_tensor(struct frame *f, struct arena *a) {
    uint64_t dtype = judge_get_u64(f);
    size_t len;
    const void *dims = judge_get_bytes(f, &len);
    struct ir_tensor *t = arena_new(a, struct ir_tensor);
    if (f->failed || dtype == 0 || dtype >= IR_DTYPE_N || len % sizeof *t->dims)
        return NULL;
    t->dtype = (enum ir_dtype)dtype;
    t->rank = (uint32_t)(len / sizeof(int64_t));
    t->dims = arena_copy(a, dims, len);
    if (!ir_tensor_count(t->rank, t->dims, &t->count)) return NULL;
    return t->dtype == IR_STRING ? get_strings(f, a, t) : get_raw(f, a, t);
}

struct judge_value judge_get_value(struct frame *f, struct arena *a) {
    const char *name = judge_get_text(f), *kind = judge_get_text(f);
    struct judge_value v = {.name = name ? arena_strdup(a, name) : NULL,
                            .kind = kind ? arena_strdup(a, kind) : NULL};
    if (!v.kind) v.tensor = get_tensor(f, a);
    if (!v.name || (!v.kind && !v.tensor)) f->failed = true;
    return v;
}
