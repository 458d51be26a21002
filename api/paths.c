/* paths.c -- see paths.h. SPDX-License-Identifier: Apache-2.0 */
#include "api/paths.h"

#include "base/os.h"

static bool is_below(const char *path, const char *folder) {
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == 0);
}

struct dsl_paths api_paths(struct arena *a) {
    const char **folders = arena_new_array(a, const char *, 4);
    const char *own = getenv("ONNXRW_RULES");
    char *program = os_program_folder();
    uint32_t n = 0;
    if (own && *own) folders[n++] = own;
    if (program && is_below(program, ONNXRW_BUILD))
        folders[n++] = ONNXRW_SOURCE_RULES;
    else if (program)
        folders[n++] = arena_printf(a, "%s/../share/onnxrw/rules", program);
    folders[n++] = ONNXRW_INSTALLED_RULES;
    free(program);
    return (struct dsl_paths){n, folders};
}
