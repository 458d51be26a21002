/* paths.c -- see paths.h. SPDX-License-Identifier: Apache-2.0 */
#include "api/paths.h"

#include "base/os.h"

static bool is_below(const char *path, const char *folder) {
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == 0);
}

/* The packs that belong to what lies in that folder, of an installed tree or of the build. */
static const char *packs_of(struct arena *a, const char *folder, const char *to_prefix) {
    if (is_below(folder, ONNXRW_BUILD)) return ONNXRW_SOURCE_RULES;
    const char *path = arena_printf(a, "%s/%s/share/onnxrw/rules", folder, to_prefix);
    char *plain = os_resolve(path);
    if (plain) path = arena_strdup(a, plain);
    free(plain);
    return path;
}

struct dsl_paths api_paths(struct arena *a) {
    const char **folders = arena_new_array(a, const char *, 4);
    const char *own = getenv("ONNXRW_RULES");
    char *program = os_program_folder(), *library = os_library_folder();
    uint32_t n = 0;
    if (own && *own) folders[n++] = own;
    if (library) folders[n++] = packs_of(a, library, ONNXRW_LIBRARY_TO_PREFIX);
    else if (program) folders[n++] = packs_of(a, program, "..");
    folders[n++] = ONNXRW_INSTALLED_RULES;
    free(program);
    free(library);
    return (struct dsl_paths){n, folders};
}
