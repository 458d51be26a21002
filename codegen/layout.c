/* layout.c -- see layout.h. SPDX-License-Identifier: Apache-2.0 */
#include "codegen/layout.h"

#include "matcher/auto.h"

/* --- how many items a field has ------------------------------------------------------- */
#define COUNT(s, f, n)                                                                 \
    static uint32_t count_##s##_##f(const void *at) {                                  \
        const struct s *x = at;                                                        \
        return (uint32_t)(n);                                                          \
    }
#define ONE(s, f, t) COUNT(s, f, x->f != NULL)
#define NUMS(s, f, n) COUNT(s, f, n)
#define TEXTS(s, f, n) COUNT(s, f, n)
#define MANY(s, f, n, t) COUNT(s, f, n)
#define REFS(s, f, n, t) COUNT(s, f, n)
#define VEC_NUMS(s, f) COUNT(s, f, x->f.len)
#define VEC_TEXTS(s, f) COUNT(s, f, x->f.len)
#define VEC_MANY(s, f, t) COUNT(s, f, x->f.len)
#define VEC_REFS(s, f, t) COUNT(s, f, x->f.len)
#include "codegen/layout.def"

/* --- fields --------------------------------------------------------------------------- */
#define FIELD(s, f) ((struct s *)0)->f
/* Enums are unsigned ints, as compilers have them; a struct that this is not true for has
 * another size. */
#define NUMBER(x)                                                                      \
    _Generic((x), bool: CG_BOOL, uint8_t: CG_U8, uint16_t: CG_U16, int32_t: CG_I32,    \
             int64_t: CG_I64, double: CG_DOUBLE, default: CG_U32)
#define PUT(s, f, i, h, ...)                                                           \
    {.name = #f, .item = (i), .holder = (h), .offset = offsetof(struct s, f),          \
     .size = sizeof FIELD(s, f), __VA_ARGS__},
#define STRUCT(s) static const struct cg_field fields_##s[] = {
#define END(s) };
#define NUM(s, f) PUT(s, f, CG_NUM, CG_PLAIN, .number = NUMBER(FIELD(s, f)))
#define SIZE(s, f) PUT(s, f, CG_NUM, CG_PLAIN, .number = CG_SIZE)
#define TEXT(s, f) PUT(s, f, CG_TEXT, CG_PLAIN, .count = NULL)
#define FILE_NAME(s, f) PUT(s, f, CG_FILE_NAME, CG_PLAIN, .count = NULL)
#define SUB(s, f, t) PUT(s, f, CG_STRUCT, CG_PLAIN, .type = CG_##t)
#define UNUSED_VEC(s, f) PUT(s, f, CG_UNUSED, CG_VECTOR, .count = NULL)
#define UNUSED(s, f) PUT(s, f, CG_UNUSED, CG_PLAIN, .count = NULL)
#define ONE(s, f, t)                                                                   \
    PUT(s, f, CG_STRUCT, CG_POINTER, .type = CG_##t, .count = count_##s##_##f)
#define NUMS(s, f, n)                                                                  \
    PUT(s, f, CG_NUM, CG_POINTER, .number = NUMBER(*FIELD(s, f)), .count = count_##s##_##f)
#define TEXTS(s, f, n) PUT(s, f, CG_TEXT, CG_POINTER, .count = count_##s##_##f)
#define MANY(s, f, n, t)                                                               \
    PUT(s, f, CG_STRUCT, CG_POINTER, .type = CG_##t, .count = count_##s##_##f)
#define REFS(s, f, n, t)                                                               \
    PUT(s, f, CG_REF, CG_POINTER, .type = CG_##t, .count = count_##s##_##f)
#define VEC_NUMS(s, f)                                                                 \
    PUT(s, f, CG_NUM, CG_VECTOR, .number = NUMBER(*FIELD(s, f.at)),                    \
        .count = count_##s##_##f)
#define VEC_TEXTS(s, f) PUT(s, f, CG_TEXT, CG_VECTOR, .count = count_##s##_##f)
#define VEC_MANY(s, f, t)                                                              \
    PUT(s, f, CG_STRUCT, CG_VECTOR, .type = CG_##t, .count = count_##s##_##f)
#define VEC_REFS(s, f, t)                                                              \
    PUT(s, f, CG_REF, CG_VECTOR, .type = CG_##t, .count = count_##s##_##f)
#include "codegen/layout.def"

/* --- completeness --------------------------------------------------------------------- */
/* A field of a struct that layout.def does not have is one that is not initialised here,
 * which compilers warn of. Nothing is left of it in the program. */
static void all_fields_are_described(void) {
#define STRUCT(s) _Static_assert(sizeof((struct s){
#define END(s) }) == sizeof(struct s), "fields of " #s);
#define NUM(s, f) 0,
#define SIZE(s, f) 0,
#define TEXT(s, f) NULL,
#define FILE_NAME(s, f) NULL,
#define SUB(s, f, t) *(const struct t *)NULL,
#define UNUSED(s, f) NULL,
#define UNUSED_VEC(s, f) {NULL, 0, 0},
#define ONE(s, f, t) NULL,
#define NUMS(s, f, n) NULL,
#define TEXTS(s, f, n) NULL,
#define MANY(s, f, n, t) NULL,
#define REFS(s, f, n, t) NULL,
#define VEC_NUMS(s, f) {NULL, 0, 0},
#define VEC_TEXTS(s, f) {NULL, 0, 0},
#define VEC_MANY(s, f, t) {NULL, 0, 0},
#define VEC_REFS(s, f, t) {NULL, 0, 0},
#include "codegen/layout.def"
}

/* --- structs -------------------------------------------------------------------------- */
const struct cg_struct cg_structs[CG_TYPE_N] = {
#define STRUCT(s) {#s, sizeof(struct s), countof(fields_##s), fields_##s},
#include "codegen/layout.def"
};

static const struct {
    const char *name;
    size_t size;
} numbers[CG_NUMBER_N] = {
    [CG_BOOL] = {"bool", sizeof(bool)},       [CG_U8] = {"uint8_t", 1},
    [CG_U16] = {"uint16_t", 2},               [CG_U32] = {"uint32_t", 4},
    [CG_I32] = {"int32_t", 4},
    [CG_I64] = {"int64_t", 8},                [CG_DOUBLE] = {"double", sizeof(double)},
    [CG_SIZE] = {"size_t", sizeof(size_t)},
};

const char *cg_number_name(enum cg_number n) { return numbers[n].name; }
size_t cg_number_size(enum cg_number n) { return numbers[n].size; }

/* FNV-1a. */
static uint32_t hash_text(uint32_t h, const char *text) {
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return (h ^ '/') * 16777619u;
}

/* What numbers in compiled packs mean. */
static const char *const meanings[] = {
    ONNXRW_VERSION,
#define PM_INSN(name, layout, meaning) #name layout,
#include "matcher/insn.def"
#define X(name, least, most) #name,
    EXPR_FUNCTIONS(X)
#undef X
};

uint32_t cg_layout_hash(void) {
    uint32_t h = 2166136261u;
    all_fields_are_described();
    for (size_t i = 0; i < countof(meanings); i++) h = hash_text(h, meanings[i]);
    for (uint32_t t = 0; t < CG_TYPE_N; t++) {
        h = hash_text(h, cg_structs[t].name);
        for (uint32_t i = 0; i < cg_structs[t].nfields; i++) {
            const struct cg_field *f = &cg_structs[t].fields[i];
            uint32_t kind = (uint32_t)f->item << 16 | (uint32_t)f->holder << 8 | f->number;
            h = (hash_text(h, f->name) ^ kind) * 16777619u;
        }
    }
    return h;
}

const void *cg_items(const struct cg_field *f, const void *x) {
    const void *at;
    memcpy(&at, (const char *)x + f->offset, sizeof at); /* of a vector it stands first */
    return at;
}

size_t cg_item_size(const struct cg_field *f) {
    if (f->item == CG_NUM) return cg_number_size(f->number);
    return f->item == CG_STRUCT ? cg_structs[f->type].size : sizeof(void *);
}
