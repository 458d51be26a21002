/* write.c -- compiled packs as C: one array a kind of item, filled from the image on.
 *
 * What a field points to gets a place in the array of its kind when it is first met, and is
 * written in its turn; so nothing recurses, items that are shared stand there once, and the
 * order depends on nothing but the image. Place 0 of each array is empty: there pointers to
 * no items lead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codegen/layout.h"

#include "base/map.h"

#include <math.h>

#define MOST_QUOTED 2000 /* bytes of a string literal; longer ones are arrays */

/* Structs, pointers to structs, numbers, strings. */
enum { STRUCTS = 0, REFS = CG_TYPE_N, NUMBERS = 2 * CG_TYPE_N,
       POOL_TEXTS = NUMBERS + CG_NUMBER_N, POOL_N };

struct pool {
    VEC(const void *) items; /* where each is in memory; the first is none */
    VEC(uint32_t) left;      /* so many follow each other there from each on */
    struct map place_of;     /* address -> the first of the longest run that begins there */
    uint32_t done;
    bool used;
    struct buf text;
};

struct writer {
    const struct cg_source *source;
    struct arena arena;
    struct pool pools[POOL_N];
    uint32_t nlong;      /* long strings */
    struct buf long_texts;
};

/* --- names of the arrays -------------------------------------------------------------- */
static void put_pool_name(uint32_t pool, struct buf *out) {
    if (pool < REFS) buf_printf(out, "%s_", cg_structs[pool].name);
    else if (pool < NUMBERS) buf_printf(out, "%s_refs", cg_structs[pool - REFS].name);
    else if (pool < POOL_TEXTS)
        buf_printf(out, "%s_", cg_number_name((enum cg_number)(pool - NUMBERS)));
    else buf_puts(out, "texts");
}

static void put_pool_type(uint32_t pool, struct buf *out) {
    if (pool < REFS) buf_printf(out, "struct %s", cg_structs[pool].name);
    else if (pool < NUMBERS)
        buf_printf(out, "struct %s *const", cg_structs[pool - REFS].name);
    else if (pool < POOL_TEXTS)
        buf_puts(out, cg_number_name((enum cg_number)(pool - NUMBERS)));
    else buf_puts(out, "char *const");
}

static uint32_t pool_of(const struct cg_field *f) {
    switch (f->item) {
    case CG_STRUCT: return STRUCTS + (uint32_t)f->type;
    case CG_REF: return REFS + (uint32_t)f->type;
    case CG_NUM: return NUMBERS + (uint32_t)f->number;
    default: return POOL_TEXTS;
    }
}

static size_t pool_item_size(uint32_t pool) {
    if (pool < REFS) return cg_structs[pool].size;
    if (pool >= NUMBERS && pool < POOL_TEXTS)
        return cg_number_size((enum cg_number)(pool - NUMBERS));
    return sizeof(void *);
}

/* --- places --------------------------------------------------------------------------- */
static void add_item(struct writer *w, struct pool *p, const void *at, uint32_t left) {
    map_put(&p->place_of, (uint64_t)(uintptr_t)at, p->items.len);
    vec_push(&w->arena, &p->items, at);
    vec_push(&w->arena, &p->left, left);
}

/* The place of n items in the array. */
static uint32_t place_of(struct writer *w, uint32_t pool, const void *at, uint32_t n) {
    struct pool *p = &w->pools[pool];
    p->used = true;
    if (n == 0) return 0;
    uint32_t place = map_get(&p->place_of, (uint64_t)(uintptr_t)at);
    if (place != MAP_NONE && p->left.at[place] >= n) return place;
    place = p->items.len;
    size_t size = pool_item_size(pool);
    for (uint32_t i = 0; i < n; i++)
        add_item(w, p, (const char *)at + i * size, n - i);
    return place;
}

static void put_reference(struct writer *w, uint32_t pool, const void *at, uint32_t n,
                          struct buf *out) {
    if (!at) {
        buf_puts(out, "NULL");
        return;
    }
    uint32_t place = place_of(w, pool, at, n);
    put_pool_name(pool, out);
    buf_printf(out, " + %u", place);
}

/* --- numbers and strings ---------------------------------------------------------------- */
static void put_i64(int64_t x, struct buf *out) {
    if (x == INT64_MIN) buf_puts(out, "(-INT64_C(9223372036854775807) - 1)");
    else if (x >= INT32_MIN && x <= INT32_MAX) buf_printf(out, "%" PRId64, x);
    else buf_printf(out, "INT64_C(%" PRId64 ")", x);
}

static void put_double(double x, struct buf *out) {
    if (isnan(x)) buf_puts(out, "NAN");
    else if (isinf(x)) buf_puts(out, x < 0 ? "-INFINITY" : "INFINITY");
    else buf_printf(out, "%a", x);
}

static void put_number(enum cg_number kind, const void *at, struct buf *out) {
    double real;
    switch (kind) {
    case CG_BOOL: buf_puts(out, *(const bool *)at ? "true" : "false"); break;
    case CG_U8: buf_printf(out, "%u", *(const uint8_t *)at); break;
    case CG_U16: buf_printf(out, "%u", *(const uint16_t *)at); break;
    case CG_U32: buf_printf(out, "%uu", *(const uint32_t *)at); break;
    case CG_I32: put_i64(*(const int32_t *)at, out); break;
    case CG_I64: put_i64(*(const int64_t *)at, out); break;
    case CG_SIZE: buf_printf(out, "%zuu", *(const size_t *)at); break;
    case CG_DOUBLE:
        memcpy(&real, at, sizeof real);
        put_double(real, out);
        break;
    case CG_NUMBER_N: break;
    }
}

/* Anything that C could take for something else is written as octal. */
static void put_char(unsigned char c, char quote, struct buf *out) {
    if (c >= ' ' && c < 0x7f && c != (unsigned char)quote && c != '\\' && c != '?')
        buf_putc(out, (char)c);
    else buf_printf(out, "\\%03o", c);
}

static void put_long_text(struct writer *w, const char *text, size_t len) {
    struct buf *out = &w->long_texts;
    buf_printf(out, "static const char text%u[] = {", w->nlong);
    for (size_t i = 0; i <= len; i++) {
        buf_puts(out, i % 16 ? "'" : "\n'");
        put_char((unsigned char)text[i], '\'', out);
        buf_puts(out, "',");
    }
    buf_puts(out, "};\n");
}

static void put_text(struct writer *w, const char *text, struct buf *out) {
    size_t len = text ? strlen(text) : 0;
    if (!text) {
        buf_puts(out, "NULL");
    } else if (len > MOST_QUOTED) {
        put_long_text(w, text, len);
        buf_printf(out, "text%u", w->nlong++);
    } else {
        buf_putc(out, '"');
        for (size_t i = 0; i < len; i++) put_char((unsigned char)text[i], '"', out);
        buf_putc(out, '"');
    }
}

static const char *short_name(const struct cg_source *s, const char *path) {
    if (!path) return NULL;
    for (uint32_t i = 0; i < s->nfolders; i++) {
        size_t n = strlen(s->folders[i]);
        if (strncmp(path, s->folders[i], n) == 0 && path[n] == '/') return path + n + 1;
    }
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- items ---------------------------------------------------------------------------- */
static const char *text_at(const void *at) {
    const char *text;
    memcpy(&text, at, sizeof text);
    return text;
}

static void put_fields(struct writer *w, enum cg_type t, const void *x, struct buf *out);

static void put_plain(struct writer *w, const struct cg_field *f, const void *at,
                      struct buf *out) {
    switch (f->item) {
    case CG_NUM: put_number(f->number, at, out); break;
    case CG_TEXT: put_text(w, text_at(at), out); break;
    case CG_FILE_NAME: put_text(w, short_name(w->source, text_at(at)), out); break;
    /* structs by value are no deeper than the table of layouts */
    case CG_STRUCT: put_fields(w, f->type, at, out); break;
    case CG_REF: break;
    case CG_UNUSED: buf_puts(out, "NULL"); break;
    }
}

static void put_field(struct writer *w, const struct cg_field *f, const void *x,
                      struct buf *out) {
    if (f->holder == CG_PLAIN) {
        put_plain(w, f, (const char *)x + f->offset, out);
        return;
    }
    if (f->item == CG_UNUSED) {
        buf_puts(out, "{NULL, 0, 0}");
        return;
    }
    uint32_t n = f->count(x);
    if (f->holder == CG_VECTOR) buf_putc(out, '{');
    put_reference(w, pool_of(f), cg_items(f, x), n, out);
    if (f->holder == CG_VECTOR) buf_printf(out, ", %u, %u}", n, n);
}

static void put_fields(struct writer *w, enum cg_type t, const void *x, struct buf *out) {
    buf_putc(out, '{');
    for (uint32_t i = 0; i < cg_structs[t].nfields; i++) {
        if (i > 0) buf_puts(out, ", ");
        put_field(w, &cg_structs[t].fields[i], x, out);
    }
    buf_putc(out, '}');
}

static void put_item(struct writer *w, uint32_t pool, const void *at, struct buf *out) {
    if (pool < REFS) put_fields(w, (enum cg_type)pool, at, out);
    else if (pool < NUMBERS)
        put_reference(w, pool - REFS, text_at(at), text_at(at) != NULL, out);
    else if (pool < POOL_TEXTS) put_number((enum cg_number)(pool - NUMBERS), at, out);
    else put_text(w, text_at(at), out);
}

static bool put_next(struct writer *w, uint32_t pool) {
    struct pool *p = &w->pools[pool];
    if (p->done == p->items.len) return false;
    static const uint64_t zero[64];
    const void *at = p->items.at[p->done++];
    rw_assert(pool_item_size(pool) <= sizeof zero);
    buf_puts(&p->text, pool < REFS || p->done % 16 == 1 ? "\n    " : " ");
    put_item(w, pool, at ? at : zero, &p->text);
    buf_putc(&p->text, ',');
    return true;
}

/* --- the file ------------------------------------------------------------------------- */
static void put_member(const struct cg_field *f, struct buf *out) {
    static const char *const after[] = {[CG_PLAIN] = "", [CG_POINTER] = "*",
                                        [CG_VECTOR] = "*"};
    struct buf type = {0};
    bool is_pointer = f->holder != CG_PLAIN;
    if (f->item == CG_UNUSED) buf_puts(&type, "const void *"); /* of a vector too */
    else if (f->item == CG_TEXT || f->item == CG_FILE_NAME)
        buf_printf(&type, "const char *%s", is_pointer ? "const *" : "");
    else if (f->item == CG_NUM)
        buf_printf(&type, "%s%s %s", is_pointer ? "const " : "", cg_number_name(f->number),
                   after[f->holder]);
    else if (f->item == CG_REF)
        buf_printf(&type, "const struct %s *const *", cg_structs[f->type].name);
    else
        buf_printf(&type, "%sstruct %s %s", is_pointer ? "const " : "",
                   cg_structs[f->type].name, after[f->holder]);
    if (f->holder == CG_VECTOR)
        buf_printf(out, "    struct { %sat; uint32_t len, cap; } %s;\n", buf_text(&type),
                   f->name);
    else buf_printf(out, "    %s%s;\n", buf_text(&type), f->name);
    buf_free(&type);
}

static void put_declarations(struct buf *out) {
    for (uint32_t t = 0; t < CG_TYPE_N; t++) {
        buf_printf(out, "struct %s {\n", cg_structs[t].name);
        for (uint32_t i = 0; i < cg_structs[t].nfields; i++)
            put_member(&cg_structs[t].fields[i], out);
        buf_puts(out, "};\n");
    }
    buf_puts(out, "struct cg_header {\n    uint32_t abi, layout, nsizes;\n"
                  "    const uint32_t *sizes;\n    const struct cg_image *image;\n};\n");
    buf_puts(out, "static const uint32_t sizes[] = {\n");
    for (uint32_t t = 0; t < CG_TYPE_N; t++)
        buf_printf(out, "    sizeof(struct %s),\n", cg_structs[t].name);
    buf_puts(out, "};\n\n");
}

/* static const struct pat pat_[7] */
static void put_array(const struct pool *p, uint32_t pool, struct buf *out) {
    buf_puts(out, "static const ");
    put_pool_type(pool, out);
    buf_putc(out, ' ');
    put_pool_name(pool, out);
    buf_printf(out, "[%u]", p->items.len);
}

static void put_arrays(const struct writer *w, struct buf *out) {
    for (uint32_t i = 0; i < POOL_N; i++) {
        if (!w->pools[i].used) continue;
        put_array(&w->pools[i], i, out);
        buf_puts(out, ";\n");
    }
    buf_puts(out, "\n");
    buf_puts(out, buf_text(&w->long_texts));
    for (uint32_t i = 0; i < POOL_N; i++) {
        if (!w->pools[i].used) continue;
        put_array(&w->pools[i], i, out);
        buf_printf(out, " = {%s\n};\n", buf_text(&w->pools[i].text));
    }
}

static void put_entry(uint32_t image, struct buf *out) {
    buf_printf(out, "\nstatic const struct cg_header header = {\n    %uu, %uu, %uu, sizes, ",
               CG_ABI, cg_layout_hash(), (unsigned)CG_TYPE_N);
    buf_printf(out, "cg_image_ + %u\n};\n", image);
    buf_puts(out, "const struct cg_header *" CG_SYMBOL "(void);\n"
                  "const struct cg_header *" CG_SYMBOL "(void) { return &header; }\n");
}

void cg_write(const struct cg_source *s, struct buf *out) {
    struct writer w = {.source = s};
    for (uint32_t i = 0; i < POOL_N; i++) {
        map_init(&w.pools[i].place_of, &w.arena);
        vec_push(&w.arena, &w.pools[i].items, NULL);
        vec_push(&w.arena, &w.pools[i].left, 0);
    }
    uint32_t image = place_of(&w, CG_cg_image, s->image, 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < POOL_N; i++)
            while (put_next(&w, i)) more = true;
    }
    buf_puts(out, "/* Compiled by onnxrw " ONNXRW_VERSION ". */\n#include <math.h>\n"
                  "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
    put_declarations(out);
    put_arrays(&w, out);
    put_entry(image, out);
    for (uint32_t i = 0; i < POOL_N; i++) buf_free(&w.pools[i].text);
    buf_free(&w.long_texts);
    arena_free(&w.arena);
}
