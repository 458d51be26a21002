/* npy.c -- see npy.h. An array is a magic, a header that is a Python dictionary as text,
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *
 * and its elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/npz/npy.h"

#define MAGIC "\x93NUMPY"
#define MAX_RANK 64

struct header {
    char order, kind; /* of descr: '<', 'f' ... */
    uint32_t width;   /* and 4: bytes, of texts characters */
    bool fortran;
    uint32_t rank;
    int64_t dims[MAX_RANK];
};

/* --- header ------------------------------------------------------------------------- */

/* What stands behind a key of the dictionary. */
static const char *value_of(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at ? at + strlen(key) + strspn(at + strlen(key), " ") : NULL;
}

static bool read_shape(const char *at, struct header *h) {
    for (at++, h->rank = 0;; h->rank++) {
        char *end;
        at += strspn(at, " ,");
        if (*at == ')') return true;
        if (*at < '0' || *at > '9' || h->rank == MAX_RANK) return false;
        h->dims[h->rank] = strtoll(at, &end, 10);
        at = end;
    }
}

static bool read_header(const char *text, struct header *h) {
    const char *descr = value_of(text, "'descr':"), *shape = value_of(text, "'shape':");
    const char *order = value_of(text, "'fortran_order':");
    if (!descr || !shape || !order || *shape != '(') return false;
    if (*descr != '\'' || !descr[1] || !descr[2]) return false;
    h->order = descr[1];
    h->kind = descr[2];
    h->width = (uint32_t)strtoul(descr + 3, NULL, 10);
    h->fortran = !strncmp(order, "True", 4);
    return read_shape(shape, h);
}

/* The header's text, and where the elements begin. */
static const char *header_text(const uint8_t *bytes, uint64_t len, struct arena *a,
                               uint64_t *data) {
    uint64_t size;
    if (len < 12 || memcmp(bytes, MAGIC, 6) != 0) return NULL;
    bool first = bytes[6] == 1;
    size = bytes[8] | (uint64_t)bytes[9] << 8;
    if (!first) size |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
    uint64_t at = first ? 10 : 12;
    if (size > len - at) return NULL;
    *data = at + size;
    return arena_strndup(a, (const char *)bytes + at, (size_t)size);
}

/* --- elements ----------------------------------------------------------------------- */

/* Types that numpy does not know come as raw bytes, 'V'. */
static enum ir_dtype type_of(const struct header *h) {
    static const struct { char kind; uint32_t width; enum ir_dtype t; } types[] = {
        {'f', 2, IR_FLOAT16}, {'f', 4, IR_FLOAT}, {'f', 8, IR_DOUBLE}, {'i', 1, IR_INT8},
        {'i', 2, IR_INT16}, {'i', 4, IR_INT32}, {'i', 8, IR_INT64}, {'u', 1, IR_UINT8},
        {'u', 2, IR_UINT16}, {'u', 4, IR_UINT32}, {'u', 8, IR_UINT64}, {'b', 1, IR_BOOL},
        {'c', 8, IR_COMPLEX64}, {'c', 16, IR_COMPLEX128}, {'V', 1, IR_UINT8},
        {'V', 2, IR_UINT16}};
    if (h->kind == 'U' || h->kind == 'S') return IR_STRING;
    for (size_t i = 0; i < countof(types); i++)
        if (types[i].kind == h->kind && types[i].width == h->width) return types[i].t;
    return IR_UNDEFINED;
}

static void put_utf8(struct buf *b, uint32_t c) {
    if (c < 0x80) {
        buf_putc(b, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    buf_putc(b, (char)(0xff00 >> (more + 1) | c >> 6 * more));
    while (more-- > 0) buf_putc(b, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

/* Characters of 4 bytes ('U') or 1; NULs behind the text fill up its width. */
static struct ir_string text_at(const struct header *h, const uint8_t *at,
                                struct arena *a) {
    struct buf b = {0};
    size_t len = 0;
    for (uint32_t i = 0; i < h->width; i++) {
        uint32_t c = at[i];
        if (h->kind == 'U') memcpy(&c, at + 4 * (size_t)i, 4);
        put_utf8(&b, c & 0x1fffff);
        if (c) len = b.len;
    }
    struct ir_string s = {arena_strndup(a, buf_text(&b), len), len};
    buf_free(&b);
    return s;
}

/* Where element i of the last-index-fastest order stands in the other one. */
static uint64_t fortran_index(const struct header *h, uint64_t i) {
    uint64_t at = 0, place[MAX_RANK], stride = 1;
    for (uint32_t k = h->rank; k-- > 0;) {
        place[k] = i % (uint64_t)h->dims[k];
        i /= (uint64_t)h->dims[k];
    }
    for (uint32_t k = 0; k < h->rank; k++) {
        at += place[k] * stride;
        stride *= (uint64_t)h->dims[k];
    }
    return at;
}

static struct ir_tensor *numbers(const struct header *h, enum ir_dtype t, uint64_t count,
                                 const uint8_t *data, struct arena *a) {
    if (!h->fortran) return ir_tensor_new(a, t, h->rank, h->dims, data);
    uint8_t *ordered = arena_array(a, (size_t)count, h->width);
    for (uint64_t i = 0; i < count; i++)
        memcpy(ordered + i * h->width, data + fortran_index(h, i) * h->width, h->width);
    return ir_tensor_new(a, t, h->rank, h->dims, ordered);
}

static struct ir_tensor *texts(const struct header *h, uint64_t count, uint64_t size,
                               const uint8_t *data, struct arena *a) {
    struct ir_string *s = arena_new_array(a, struct ir_string, (size_t)count);
    for (uint64_t i = 0; i < count; i++)
        s[i] = text_at(h, data + (h->fortran ? fortran_index(h, i) : i) * size, a);
    return ir_tensor_strings(a, h->rank, h->dims, s);
}

struct ir_tensor *judge_npy_read(const uint8_t *bytes, uint64_t len, struct arena *a,
                                 const char **why) {
    struct header h;
    uint64_t data, count, size, total;
    const char *text = header_text(bytes, len, a, &data);
    *why = "is no array of numpy, or is damaged";
    if (!text || !read_header(text, &h)) return NULL;
    enum ir_dtype t = type_of(&h);
    if (t == IR_UNDEFINED || h.order == '>') {
        *why = "holds something else than numbers or texts";
        return NULL;
    }
    size = h.kind == 'U' ? 4 * (uint64_t)h.width : h.width;
    if (!ir_tensor_count(h.rank, h.dims, &count)) return NULL;
    if (t == IR_STRING && count > len) return NULL; /* empty texts take no room */
    if (__builtin_mul_overflow(count, size, &total) || total > len - data) return NULL;
    return t == IR_STRING ? texts(&h, count, size, bytes + data, a)
                          : numbers(&h, t, count, bytes + data, a);
}
