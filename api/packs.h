/* packs.h -- rule packs by name: compiled ones, or those of files.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_PACKS_H
#define API_PACKS_H

#include "codegen/codegen.h"

/* Compiled packs that may be taken: those of plug-ins before those of the library. */
struct api_images {
    VEC(const struct cg_image *) list;
    uint32_t nplugins; /* they stand first */
    VEC(const struct onnxrw_predicate *) natives; /* of plug-ins */
};
void api_images_init(struct api_images *out, struct arena *a);
/* Adds what a plug-in has: packs, in front of the library's, predicates, or both. */
enum rw_code api_add_plugin(struct api_images *images, struct arena *a, const char *path,
                            struct diag_sink *diags);

/* The packs of those names; false after an error. A pack of a plug-in goes first. A name is
 * looked up in the folders otherwise; where the files found are those that the library was
 * built with, or none are found, its compiled form is taken. */
bool api_load_packs(struct arena *a, const struct api_images *images, uint32_t n,
                    const char *const *names, const struct dsl_paths *paths,
                    struct diag_sink *diags, const struct rule_pack **out);
/* Is it one of the images', and not read from a file? */
bool api_is_compiled(const struct api_images *images, const struct rule_pack *pack);
/* Compiles packs together with "opset.rules", by which models are raised; NULL after an
 * error. Without that pack, which is a warning, names that changed their meaning keep a
 * model at its opset. */
const struct pm_auto *api_compile(struct arena *a, const struct api_images *images,
                                  const struct rule_pack *const *packs, uint32_t n,
                                  const struct dsl_paths *paths, struct diag_sink *diags);

#endif
