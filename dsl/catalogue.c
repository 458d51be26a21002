/* catalogue.c -- which packs there are to be named.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "dsl/dsl.h"
#include "dsl/parse.h"

#define SUFFIX ".rules"

struct catalogue {
    struct arena *a;
    VEC(struct dsl_pack_entry) entries;
};

static bool is_there(const struct catalogue *c, const char *name) {
    for (uint32_t i = 0; i < c->entries.len; i++)
        if (rw_streq(c->entries.at[i].name, name)) return true;
    return false;
}

/* What the head of the file says, and nothing of what it uses. */
static const char *doc_of(struct arena *a, const char *path) {
    struct diag_sink unheard;
    diag_init(&unheard, a);
    const struct diag_source *source = dsl_read(a, path, &unheard);
    const struct ast_file *file = source ? dsl_parse_text(a, source, &unheard) : NULL;
    for (uint32_t i = 0; file && i < file->tops.len; i++)
        if (file->tops.at[i].kind == TOP_PACK && file->tops.at[i].pack->doc)
            return file->tops.at[i].pack->doc;
    return "";
}

static void add(struct catalogue *c, const char *folder, const char *file) {
    size_t len = strlen(file), end = strlen(SUFFIX);
    if (len <= end || *file == '.' || !rw_streq(file + len - end, SUFFIX)) return;
    const char *name = arena_strndup(c->a, file, len - end);
    if (is_there(c, name)) return;
    const char *doc = doc_of(c->a, arena_printf(c->a, "%s/%s", folder, file));
    vec_push(c->a, &c->entries, (struct dsl_pack_entry){name, doc});
}

static void add_folder(struct catalogue *c, const char *folder) {
    size_t n;
    char **files = os_list(folder, &n);
    for (size_t i = 0; files && i < n; i++) {
        add(c, folder, files[i]);
        free(files[i]);
    }
    free(files);
}

uint32_t dsl_catalogue(struct arena *a, const struct dsl_paths *paths,
                       const struct dsl_pack_entry **out) {
    struct catalogue c = {.a = a};
    for (uint32_t i = 0; paths && i < paths->n; i++) add_folder(&c, paths->folders[i]);
    *out = c.entries.at;
    return c.entries.len;
}
