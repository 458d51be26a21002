/* paths.c -- see paths.h. SPDX-License-Identifier: Apache-2.0 */
#include "api/paths.h"

struct dsl_paths api_paths(struct arena *a) {
    const char **folders = arena_new_array(a, const char *, 3);
    const char *own = getenv("ONNXRW_RULES");
    uint32_t n = 0;
    if (own && *own) folders[n++] = own;
    folders[n++] = ONNXRW_INSTALLED_RULES;
    folders[n++] = ONNXRW_SOURCE_RULES;
    return (struct dsl_paths){n, folders};
}
