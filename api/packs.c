/* packs.c -- see packs.h. SPDX-License-Identifier: Apache-2.0 */
#include "api/packs.h"

#include "base/library.h"
#include "include/onnxrw_plugin.h"

/* --- images ------------------------------------------------------------------------- */
void api_images_init(struct api_images *out, struct arena *a) {
    const struct cg_header *h = cg_builtin();
    *out = (struct api_images){0};
    if (h && !cg_refused(h)) vec_push(a, &out->list, h->image);
}

static enum rw_code refuse(struct diag_sink *diags, const char *path, const char *why) {
    diag_where(diags, DIAG_ERROR, path, "cannot be loaded as a plug-in: %s", why);
    return RW_USAGE;
}

static enum rw_code add_packs(struct api_images *images, struct arena *a, const char *path,
                              void *at, struct diag_sink *diags) {
    cg_entry *entry;
    memcpy(&entry, &at, sizeof entry); /* ISO C has no cast for it */
    const struct cg_header *h = entry();
    const char *why = cg_refused(h);
    if (why) return refuse(diags, path, why);
    vec_push(a, &images->list, NULL);
    memmove(images->list.at + images->nplugins + 1, images->list.at + images->nplugins,
            (images->list.len - images->nplugins - 1) * sizeof *images->list.at);
    images->list.at[images->nplugins++] = h->image;
    return RW_OK;
}

static bool is_given(const struct api_images *images, const char *name) {
    for (uint32_t i = 0; i < images->natives.len; i++)
        if (rw_streq(images->natives.at[i]->name, name)) return true;
    return false;
}

static enum rw_code add_predicates(struct api_images *images, struct arena *a,
                                   const char *path, void *at, struct diag_sink *diags) {
    const struct onnxrw_plugin *(*entry)(void);
    memcpy(&entry, &at, sizeof entry);
    const struct onnxrw_plugin *p = entry();
    if (!p) return refuse(diags, path, "it gives no table of predicates");
    if (p->abi != ONNXRW_PLUGIN_ABI)
        return refuse(diags, path,
                      arena_printf(a, "it is for version %u of onnxrw_plugin.h, this is %u",
                                   p->abi, ONNXRW_PLUGIN_ABI));
    if (p->n > 0 && !p->predicates)
        return refuse(diags, path, arena_printf(a, "its table of %u predicates is NULL", p->n));
    for (uint32_t i = 0; i < p->n; i++) {
        const struct onnxrw_predicate *x = &p->predicates[i];
        if (!x->name || !x->signature || !x->holds)
            return refuse(diags, path, "a predicate lacks its name, signature or function");
        if (is_given(images, x->name))
            return refuse(diags, path, arena_printf(a, "predicate \"%s\" is given already",
                                                    x->name));
        vec_push(a, &images->natives, x);
    }
    return RW_OK;
}

enum rw_code api_add_plugin(struct api_images *images, struct arena *a, const char *path,
                            struct diag_sink *diags) {
    /* what has no slash would be looked for in the folders of the system */
    const char *file = strchr(path, '/') ? path : arena_printf(a, "./%s", path), *why;
    void *predicates = library_function(file, "onnxrw_plugin", &why);
    void *packs = library_function(file, CG_SYMBOL, &why);
    if (!packs && !predicates) return refuse(diags, path, why);
    if (predicates) TRY(add_predicates(images, a, path, predicates, diags));
    return packs ? add_packs(images, a, path, packs, diags) : RW_OK;
}

/* --- packs -------------------------------------------------------------------------- */
static const struct rule_pack *of_plugins(const struct api_images *images,
                                          const char *name) {
    const struct rule_pack *pack = NULL;
    for (uint32_t i = 0; !pack && i < images->nplugins; i++)
        pack = cg_named(images->list.at[i], name);
    return pack;
}

/* By name where there is no file. */
static const struct rule_pack *of_library(const struct api_images *images,
                                          const char *name, const char *path) {
    if (images->list.len == images->nplugins) return NULL;
    const struct cg_image *own = *vec_last(&images->list);
    return path ? cg_unchanged(own, path) : cg_named(own, name);
}

bool api_load_packs(struct arena *a, const struct api_images *images, uint32_t n,
                    const char *const *names, const struct dsl_paths *paths,
                    struct diag_sink *diags, const struct rule_pack **out) {
    const char **files = arena_new_array(a, const char *, n);
    const struct rule_pack **loaded = arena_new_array(a, const struct rule_pack *, n);
    uint32_t nfiles = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = of_plugins(images, names[i]);
        if (out[i]) continue;
        const char *path = dsl_pack_file(a, names[i], paths, diags);
        out[i] = of_library(images, names[i], path);
        if (!out[i]) files[nfiles++] = path ? path : names[i];
    }
    if (nfiles > 0 && !dsl_load_packs(a, nfiles, files, paths, diags, loaded)) return false;
    for (uint32_t i = 0, k = 0; i < n; i++)
        if (!out[i]) out[i] = loaded[k++];
    return true;
}

bool api_is_compiled(const struct api_images *images, const struct rule_pack *pack) {
    for (uint32_t i = 0; i < images->list.len; i++)
        for (uint32_t k = 0; k < images->list.at[i]->npacks; k++)
            if (images->list.at[i]->packs[k] == pack) return true;
    return false;
}

/* NULL when there is none: a model can do without being raised. */
static const struct rule_pack *opset_pack(struct arena *a, const struct api_images *images,
                                          const struct dsl_paths *paths,
                                          struct diag_sink *diags) {
    const char *name = "opset.rules";
    struct diag_sink own;
    const struct rule_pack *pack;
    diag_init(&own, a);
    if (api_load_packs(a, images, 1, &name, paths, &own, &pack)) return pack;
    diag_where(diags, DIAG_WARNING, name,
               "not loaded, so operators that changed their meaning are not raised");
    return NULL;
}

const struct pm_auto *api_compile(struct arena *a, const struct api_images *images,
                                  const struct rule_pack *const *packs, uint32_t n,
                                  const struct dsl_paths *paths, struct diag_sink *diags) {
    const struct rule_pack **all = arena_new_array(a, const struct rule_pack *, n + 1);
    bool raises = false;
    memcpy(all, packs, n * sizeof *all);
    for (uint32_t i = 0; i < n; i++) raises |= packs[i]->raises_opset;
    if (!raises && (all[n] = opset_pack(a, images, paths, diags)) != NULL) n++;
    for (uint32_t i = 0; i < images->list.len; i++) {
        const struct pm_auto *p = cg_compiled(images->list.at[i], all, n);
        if (p) return p;
    }
    return pm_compile(a, all, n, diags);
}
