/* codegen.h -- the public header of codegen/: compiled packs as C, and back.
 *
 * A compiled pack is C data: what the interpreter makes of a rules file when it is loaded,
 * as initialisers. The functions of it are the interpreter's own. It comes with the library
 * (the packs of rules/) or in a plug-in, a shared library that was asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CODEGEN_H
#define CODEGEN_H

#include "dsl/dsl.h"
#include "matcher/matcher.h"

/* What was compiled for packs in that order. */
struct cg_rules {
    uint32_t npacks;
    const struct rule_pack *const *packs;
    const struct pm_auto *compiled;
};
/* The name of a pack's source is its path in the folder that it was compiled in. */
struct cg_image {
    uint32_t npacks;
    const struct rule_pack *const *packs;
    uint32_t nrules;
    const struct cg_rules *rules;
};

/* What a plug-in has under the name CG_SYMBOL, a function that returns it. Never changes in
 * front of `layout`: by those two another version is told. */
#define CG_ABI 1u
#define CG_SYMBOL "onnxrw_packs"
struct cg_header {
    uint32_t abi, layout; /* CG_ABI, cg_layout_hash() */
    uint32_t nsizes;      /* of the structs, as the compiler of the plug-in lays them out */
    const uint32_t *sizes;
    const struct cg_image *image;
};
typedef const struct cg_header *cg_entry(void);

/* The packs that come with the library, in the same form; NULL where there are none. */
const struct cg_header *cg_builtin(void);

/* NULL when the compiled packs are of this version; else why they cannot be used. */
const char *cg_refused(const struct cg_header *h);

/* --- writing ------------------------------------------------------------------------ */
struct cg_source {
    const struct cg_image *image;
    uint32_t nfolders; /* names of files are shown without the first that they are in */
    const char *const *folders;
};
/* The image as C. The same image gives the same text. */
void cg_write(const struct cg_source *s, struct buf *out);

/* --- finding ------------------------------------------------------------------------ */
/* The pack of the image that a file is, when it and all that it uses are as they were when
 * the image was made; else NULL. */
const struct rule_pack *cg_unchanged(const struct cg_image *image, const char *path);
/* The pack of that name, with or without ".rules", or NULL. */
const struct rule_pack *cg_named(const struct cg_image *image, const char *name);
/* What the image has for these packs, or NULL. */
const struct pm_auto *cg_compiled(const struct cg_image *image,
                                  const struct rule_pack *const *packs, uint32_t n);

#endif
