/* layout.h -- layout.def as tables. SPDX-License-Identifier: Apache-2.0 */
#ifndef CODEGEN_LAYOUT_H
#define CODEGEN_LAYOUT_H

#include "codegen/codegen.h"

enum cg_type { /* of structs */
#define STRUCT(s) CG_##s,
#include "codegen/layout.def"
    CG_TYPE_N
};

enum cg_number { CG_BOOL, CG_U8, CG_U16, CG_U32, CG_I32, CG_I64, CG_DOUBLE, CG_SIZE,
                 CG_NUMBER_N };
const char *cg_number_name(enum cg_number n);
size_t cg_number_size(enum cg_number n);

enum cg_item { CG_NUM, CG_TEXT, CG_FILE_NAME, CG_STRUCT, CG_REF, CG_UNUSED };
enum cg_holder { CG_PLAIN, CG_POINTER, CG_VECTOR };

struct cg_field {
    const char *name;
    enum cg_item item;
    enum cg_holder holder;
    enum cg_number number; /* of CG_NUM */
    enum cg_type type;     /* of CG_STRUCT, CG_REF */
    size_t offset, size;
    uint32_t (*count)(const void *x); /* items behind a pointer or a vector */
};
struct cg_struct {
    const char *name;
    size_t size;
    uint32_t nfields;
    const struct cg_field *fields;
};
extern const struct cg_struct cg_structs[CG_TYPE_N];

/* Of all names and kinds, not of sizes, so that it is the same on each machine. */
uint32_t cg_layout_hash(void);
/* What a pointer or vector field holds. */
const void *cg_items(const struct cg_field *f, const void *x);
/* Bytes from one item behind a pointer or vector to the next. */
size_t cg_item_size(const struct cg_field *f);

#endif
