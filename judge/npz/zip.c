/* zip.c -- see zip.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/npz/zip.h"

#include <zlib.h>

/* Records by their signatures, and how long their fixed parts are. */
enum {
    LOCAL = 0x04034b50, LOCAL_LEN = 30,
    DIRECTORY = 0x02014b50, DIRECTORY_LEN = 46,
    END = 0x06054b50, END_LEN = 22,
    LOCATOR_64 = 0x07064b50, LOCATOR_64_LEN = 20,
    END_64 = 0x06064b50, END_64_LEN = 56
};
enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1, EXTRA_64 = 1 };
#define LONGEST_COMMENT 65535
#define BEST_RATIO 1040 /* deflate makes of a byte no more than that */
#define IN_EXTRA UINT32_MAX

static uint64_t little(const uint8_t *at, uint32_t n) {
    uint64_t x = 0;
    for (uint32_t i = n; i-- > 0;) x = x << 8 | at[i];
    return x;
}
static uint16_t u16(const uint8_t *at) { return (uint16_t)little(at, 2); }
static uint32_t u32(const uint8_t *at) { return (uint32_t)little(at, 4); }

/* `len` bytes at an offset, or NULL. */
static const uint8_t *range(const struct zip *z, uint64_t at, uint64_t len) {
    return at <= z->size && len <= z->size - at ? z->bytes + at : NULL;
}

static const uint8_t *record(const struct zip *z, uint64_t at, uint32_t signature,
                             uint32_t len) {
    const uint8_t *p = range(z, at, len);
    return p && u32(p) == signature ? p : NULL;
}

/* --- the end, where reading begins -------------------------------------------------- */

static bool find_end(const struct zip *z, uint64_t *at) {
    const uint64_t longest = END_LEN + LONGEST_COMMENT;
    uint64_t lowest = z->size > longest ? z->size - longest : 0;
    if (z->size < END_LEN) return false;
    for (*at = z->size - END_LEN;; --*at) {
        if (record(z, *at, END, END_LEN)) return true;
        if (*at == lowest) return false;
    }
}

/* Large files have a second end in front of the first. */
static const uint8_t *find_end_64(const struct zip *z, uint64_t end) {
    const uint8_t *p = end < LOCATOR_64_LEN
                           ? NULL
                           : record(z, end - LOCATOR_64_LEN, LOCATOR_64, LOCATOR_64_LEN);
    return p ? record(z, little(p + 8, 8), END_64, END_64_LEN) : NULL;
}

bool judge_zip_open(struct zip *z, const void *bytes, uint64_t size) {
    uint64_t end, len;
    *z = (struct zip){.bytes = bytes, .size = size};
    if (!find_end(z, &end)) return false;
    const uint8_t *p = z->bytes + end, *q = find_end_64(z, end);
    z->at = q ? little(q + 48, 8) : u32(p + 16);
    len = q ? little(q + 40, 8) : u32(p + 12);
    if (!range(z, z->at, len)) return false;
    z->end = z->at + len;
    return true;
}

/* --- members ------------------------------------------------------------------------ */

/* Sizes and offset that do not fit stand in an extra field, those alone, in this order. */
static bool read_extra(const uint8_t *at, uint32_t len, uint64_t *size, uint64_t *packed,
                       uint64_t *offset) {
    uint64_t *const wanted[] = {size, packed, offset};
    while (len >= 4) {
        uint32_t id = u16(at), n = u16(at + 2);
        at += 4, len -= 4;
        if (n > len) return false;
        if (id == EXTRA_64) {
            for (size_t i = 0; i < countof(wanted); i++) {
                if (*wanted[i] != IN_EXTRA) continue;
                if (n < 8) return false;
                *wanted[i] = little(at, 8);
                at += 8, len -= 8, n -= 8;
            }
            return true;
        }
        at += n, len -= n;
    }
    return *size != IN_EXTRA && *packed != IN_EXTRA && *offset != IN_EXTRA;
}

/* The bytes of a member lie behind a header of its own. */
static const uint8_t *contents(const struct zip *z, uint64_t offset, uint64_t packed) {
    const uint8_t *p = record(z, offset, LOCAL, LOCAL_LEN);
    return p ? range(z, offset + LOCAL_LEN + u16(p + 26) + u16(p + 28), packed) : NULL;
}

enum zip_next judge_zip_next(struct zip *z, struct arena *a, struct zip_member *out) {
    if (z->at == z->end) return ZIP_END;
    const uint8_t *p = record(z, z->at, DIRECTORY, DIRECTORY_LEN);
    if (!p) return ZIP_DAMAGED;
    uint32_t name = u16(p + 28), extra = u16(p + 30), comment = u16(p + 32);
    uint64_t len = DIRECTORY_LEN + (uint64_t)name + extra + comment, offset = u32(p + 42);
    if (len > z->end - z->at) return ZIP_DAMAGED;
    z->at += len;
    *out = (struct zip_member){.packed = u32(p + 20), .size = u32(p + 24)};
    if (!read_extra(p + DIRECTORY_LEN + name, extra, &out->size, &out->packed, &offset))
        return ZIP_DAMAGED;
    if (out->packed > z->size - z->packed) return ZIP_DAMAGED;
    z->packed += out->packed;
    out->name = arena_strndup(a, (const char *)p + DIRECTORY_LEN, name);
    out->bytes = contents(z, offset, out->packed);
    out->method = u16(p + 8) & ENCRYPTED ? UINT16_MAX : u16(p + 10);
    return out->bytes ? ZIP_MEMBER : ZIP_DAMAGED;
}

/* zlib counts in 32 bits: a piece at a time. */
static bool inflate_all(z_stream *s, const struct zip_member *m, uint8_t *to) {
    uint64_t in = m->packed, out = m->size;
    int status = Z_OK;
    s->next_in = (uint8_t *)(uintptr_t)m->bytes;
    s->next_out = to;
    while (status == Z_OK) {
        uInt give = in > UINT32_MAX ? UINT32_MAX : (uInt)in;
        uInt room = out > UINT32_MAX ? UINT32_MAX : (uInt)out;
        s->avail_in = give;
        s->avail_out = room;
        status = inflate(s, Z_NO_FLUSH);
        in -= give - s->avail_in;
        out -= room - s->avail_out;
    }
    return status == Z_STREAM_END && out == 0;
}

static const uint8_t *read_deflated(const struct zip_member *m, struct arena *a) {
    z_stream s = {0};
    if (m->size / BEST_RATIO > m->packed || m->size > SIZE_MAX / 2) return NULL;
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK) return NULL;
    uint8_t *to = arena_alloc(a, (size_t)m->size + 1);
    bool ok = inflate_all(&s, m, to);
    inflateEnd(&s);
    return ok ? to : NULL;
}

const uint8_t *judge_zip_read(const struct zip_member *m, struct arena *a) {
    if (m->method == STORED) return m->packed == m->size ? m->bytes : NULL;
    return m->method == DEFLATED ? read_deflated(m, a) : NULL;
}
