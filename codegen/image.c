/* image.c -- compiled packs that are there: of this version or not, and which is which.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "codegen/layout.h"

const char *cg_refused(const struct cg_header *h) {
    if (h->abi != CG_ABI || h->layout != cg_layout_hash())
        return "it was compiled by another version of onnxrw";
    bool same = h->nsizes == CG_TYPE_N;
    for (uint32_t i = 0; same && i < CG_TYPE_N; i++)
        same = h->sizes[i] == cg_structs[i].size;
    return same ? NULL : "it was compiled for another machine";
}

static bool file_is(const char *path, const struct diag_source *want) {
    struct os_file f;
    if (!os_open(path, &f)) return false;
    bool same = f.stamp.size == want->len;
    char *text = same ? malloc(want->len + 1) : NULL;
    same = text && os_read_at(f.fd, 0, text, want->len) &&
           memcmp(text, want->text, want->len) == 0;
    free(text);
    os_close(&f);
    return same;
}

/* Where the pack's files would be that is at `path`: bytes of the path, with the slash. */
static bool folder_of(const struct rule_pack *pack, const char *path, size_t *len) {
    size_t n = strlen(path), own = strlen(pack->source->name);
    if (n < own || !rw_streq(path + n - own, pack->source->name)) return false;
    *len = n - own;
    return *len == 0 || path[*len - 1] == '/';
}

static bool is_unchanged(const struct rule_pack *pack, const char *path, struct arena *a) {
    size_t len;
    if (!folder_of(pack, path, &len)) return false;
    for (uint32_t i = 0; i < pack->nsources; i++)
        if (!file_is(arena_printf(a, "%.*s%s", (int)len, path, pack->sources[i]->name),
                     pack->sources[i]))
            return false;
    return true;
}

const struct rule_pack *cg_unchanged(const struct cg_image *image, const char *path) {
    struct arena tmp = ARENA_EMPTY;
    const struct rule_pack *found = NULL;
    for (uint32_t i = 0; !found && i < image->npacks; i++)
        if (is_unchanged(image->packs[i], path, &tmp)) found = image->packs[i];
    arena_free(&tmp);
    return found;
}

const struct rule_pack *cg_named(const struct cg_image *image, const char *name) {
    size_t n = strlen(name);
    for (uint32_t i = 0; i < image->npacks; i++) {
        const char *own = image->packs[i]->source->name;
        if (strncmp(own, name, n) == 0 && (!own[n] || rw_streq(own + n, ".rules")))
            return image->packs[i];
    }
    return NULL;
}

static bool same_source(const struct diag_source *a, const struct diag_source *b) {
    return a->len == b->len && rw_streq(a->name, b->name) &&
           memcmp(a->text, b->text, a->len) == 0;
}

/* The same object, or compiled from the same files in another image. */
static bool same_pack(const struct rule_pack *a, const struct rule_pack *b) {
    bool same = a == b || (a->nsources > 0 && a->nsources == b->nsources);
    for (uint32_t i = 0; a != b && same && i < a->nsources; i++)
        same = same_source(a->sources[i], b->sources[i]);
    return same;
}

const struct pm_auto *cg_compiled(const struct cg_image *image,
                                  const struct rule_pack *const *packs, uint32_t n) {
    for (uint32_t i = 0; i < image->nrules; i++) {
        const struct cg_rules *r = &image->rules[i];
        bool same = r->npacks == n;
        for (uint32_t k = 0; same && k < n; k++) same = same_pack(r->packs[k], packs[k]);
        if (same) return r->compiled;
    }
    return NULL;
}
