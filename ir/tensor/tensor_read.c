/* tensor_read.c -- the bytes and elements of a tensor, wherever they are stored.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/source.h"
#include "ir/tensor/lazy.h"
#include "ir/tensor/tensor_bytes.h"

#include <math.h>

bool ir_tensor_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                        uint64_t n, void *out) {
    if (first > t->nbytes || n > t->nbytes - first) return false;
    if (n == 0) return true;
    switch (t->storage) {
    case IR_IN_MEMORY: memcpy(out, (const char *)t->data + first, (size_t)n); return true;
    case IR_IN_FILE:
    case IR_EXTERNAL: return ir_source_read(m, t, first, n, out);
    case IR_AS_PROTO: return ir_typed_bytes_at(m, t, first, n, out);
    case IR_COMPUTED: return ir_lazy_bytes_at(m, t->lazy, first, n, out);
    default: return false;
    }
}

const void *ir_tensor_read(struct ir_model *m, const struct ir_tensor *t, struct arena *a) {
    if (t->storage == IR_STRINGS || t->nbytes > SIZE_MAX) return NULL;
    if (t->storage == IR_IN_MEMORY) return t->data;
    struct arena_mark mark = arena_mark(a);
    void *bytes = arena_alloc(a, (size_t)t->nbytes);
    if (m) ir_lazy_begin(m, t);
    bool ok = ir_tensor_bytes_at(m, t, 0, t->nbytes, bytes);
    if (m) ir_lazy_end(m, t);
    if (ok) return bytes;
    arena_reset(a, mark);
    return NULL;
}

/* The bits of element i, in the low end. */
static bool element_bits(struct ir_model *m, const struct ir_tensor *t, uint64_t i,
                         uint64_t *out) {
    uint32_t bits = ir_dtype_bits(t->dtype);
    unsigned char bytes[8];
    if (bits == 0 || bits > 64 || i >= t->count) return false;
    uint64_t at = i * bits, end = (at + bits + 7) / 8;
    if (!ir_tensor_bytes_at(m, t, at / 8, end - at / 8, bytes)) return false;
    *out = ir_low_bits(ir_load_le(bytes, (uint32_t)(end - at / 8)) >> at % 8, bits);
    return true;
}

static int64_t sign_extended(uint64_t x, uint32_t bits) {
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((x ^ sign) - sign);
}

static bool is_signed(enum ir_dtype t) {
    return t == IR_INT8 || t == IR_INT16 || t == IR_INT32 || t == IR_INT64 ||
           t == IR_INT4 || t == IR_INT2;
}

static double float_of(enum ir_dtype t, uint64_t bits) {
    double d;
    float f;
    uint32_t word = (uint32_t)bits;
    if (t == IR_DOUBLE) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    if (t != IR_FLOAT) return ir_small_float_decode(t, word);
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

bool ir_tensor_int_at(struct ir_model *m, const struct ir_tensor *t, uint64_t i,
                      int64_t *out) {
    uint64_t bits;
    if (t->dtype == IR_COMPLEX64 || !element_bits(m, t, i, &bits)) return false;
    if (ir_dtype_is_float(t->dtype)) {
        double d = float_of(t->dtype, bits);
        /* 2^63 itself is out of range; -2^63 is not. NaN fails every comparison. */
        if (!(d >= -0x1p63 && d < 0x1p63) || d != floor(d)) return false;
        *out = (int64_t)d;
        return true;
    }
    if (is_signed(t->dtype)) *out = sign_extended(bits, ir_dtype_bits(t->dtype));
    else if (bits > INT64_MAX) return false;
    else *out = t->dtype == IR_BOOL ? bits != 0 : (int64_t)bits;
    return true;
}

bool ir_tensor_double_at(struct ir_model *m, const struct ir_tensor *t, uint64_t i,
                         double *out) {
    uint64_t bits;
    if (t->dtype == IR_COMPLEX64 || !element_bits(m, t, i, &bits)) return false;
    if (ir_dtype_is_float(t->dtype)) {
        *out = float_of(t->dtype, bits);
        return true;
    }
    if (is_signed(t->dtype)) {
        int64_t x = sign_extended(bits, ir_dtype_bits(t->dtype));
        *out = (double)x;
        return *out < 0x1p63 && (int64_t)*out == x;
    }
    if (t->dtype == IR_BOOL) bits = bits != 0;
    *out = (double)bits;
    return *out < 0x1p64 && (uint64_t)*out == bits;
}

static bool strings_equal(const struct ir_tensor *a, const struct ir_tensor *b) {
    for (uint64_t i = 0; i < a->count; i++) {
        const struct ir_string *x = &a->strings[i], *y = &b->strings[i];
        if (x->len != y->len || (x->len && memcmp(x->at, y->at, x->len) != 0)) return false;
    }
    return true;
}

/* Bytes from `at` on that are zeros in both without a look. */
static uint64_t common_hole(struct ir_model *m, const struct ir_tensor *a,
                            const struct ir_tensor *b, uint64_t at) {
    uint64_t x = ir_source_hole(m, a, at), y = x ? ir_source_hole(m, b, at) : 0;
    return x < y ? x : y;
}

/* Bytes from .. to - 1, by blocks. */
static bool range_equal(struct ir_model *m, const struct ir_tensor *a,
                        const struct ir_tensor *b, uint64_t from, uint64_t to) {
    enum { BLOCK = 1 << 16 };
    struct arena scratch = ARENA_EMPTY;
    void *x = arena_alloc(&scratch, BLOCK), *y = arena_alloc(&scratch, BLOCK);
    bool equal = true;
    for (uint64_t at = from, n; equal && at < to; at += n) {
        at += common_hole(m, a, b, at);
        if (at >= to) break;
        n = to - at < BLOCK ? to - at : BLOCK;
        equal = ir_tensor_bytes_at(m, a, at, n, x) && ir_tensor_bytes_at(m, b, at, n, y) &&
                memcmp(x, y, (size_t)n) == 0;
    }
    arena_free(&scratch);
    return equal;
}

/* Most tensors that differ do so in the first 4 KiB. */
static bool blocks_equal(struct ir_model *m, const struct ir_tensor *a,
                         const struct ir_tensor *b) {
    uint64_t first = a->nbytes < 4096 ? a->nbytes : 4096;
    if (!range_equal(m, a, b, 0, first)) return false;
    if (first == a->nbytes) return true;
    if (m) ir_lazy_begin(m, a), ir_lazy_begin(m, b);
    bool equal = range_equal(m, a, b, first, a->nbytes);
    if (m) ir_lazy_end(m, a), ir_lazy_end(m, b);
    return equal;
}

/* A typed field can only be decoded from its begin, so it is read at once. */
static bool bytes_equal(struct ir_model *m, const struct ir_tensor *a,
                        const struct ir_tensor *b) {
    struct arena scratch = ARENA_EMPTY;
    bool equal, memory = a->storage == IR_IN_MEMORY && b->storage == IR_IN_MEMORY;
    if (a->nbytes && (memory || a->storage == IR_AS_PROTO || b->storage == IR_AS_PROTO)) {
        const void *x = ir_tensor_read(m, a, &scratch), *y = ir_tensor_read(m, b, &scratch);
        equal = x && y && memcmp(x, y, (size_t)a->nbytes) == 0;
    } else {
        equal = blocks_equal(m, a, b);
    }
    arena_free(&scratch);
    return equal;
}

bool ir_tensor_equal(struct ir_model *m, const struct ir_tensor *a,
                     const struct ir_tensor *b) {
    if (a == b) return true;
    if (a->storage == IR_COMPUTED && b->storage == IR_COMPUTED && ir_lazy_same(a, b))
        return true;
    if (a->dtype != b->dtype || a->rank != b->rank || a->count != b->count ||
        a->nbytes != b->nbytes)
        return false;
    if (a->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0) return false;
    bool strings = a->storage == IR_STRINGS;
    if (strings != (b->storage == IR_STRINGS)) return false;
    return strings ? strings_equal(a, b) : bytes_equal(m, a, b);
}
