/* find.c -- where the library of ONNX Runtime is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/library.h"
#include "base/os.h"
#include "judge/ort.h"

#define IN_PACKAGES "onnxruntime/capi/libonnxruntime.so.*"

static const char *newest(struct arena *a, const char *pattern) {
    char *path = library_newest(pattern);
    const char *copy = path ? arena_strdup(a, path) : NULL;
    free(path);
    return copy;
}

/* In the packages of the Python that is installed in a folder. */
static const char *in_prefix(struct arena *a, const char *prefix) {
    static const char *const packages[] = {"lib/python3*/site-packages",
                                           "lib/python3*/dist-packages",
                                           "lib/python3/dist-packages",
                                           "local/lib/python3*/dist-packages"};
    for (size_t i = 0; i < countof(packages); i++) {
        const char *found =
            newest(a, arena_printf(a, "%s/%s/" IN_PACKAGES, prefix, packages[i]));
        if (found) return found;
    }
    return NULL;
}

/* `bin/python3` as it is called, for a virtual environment is known by that, and where it
 * leads to. pyenv has a script there, and its Pythons in a folder beside. */
static const char *beside_python(struct arena *a, const char *bin) {
    struct os_stamp stamp;
    const char *python = arena_printf(a, "%s/python3", bin);
    if (!os_stat(python, &stamp)) return NULL;
    const char *found = in_prefix(a, arena_printf(a, "%s/..", bin));
    char *target = found ? NULL : os_resolve(python);
    if (target) {
        char *folder = os_folder(target);
        found = in_prefix(a, arena_printf(a, "%s/..", folder));
        free(folder);
        free(target);
    }
    return found ? found : in_prefix(a, arena_printf(a, "%s/../versions/*", bin));
}

static const char *on_path(struct arena *a) {
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t len = strcspn(at, ":");
        const char *found =
            len ? beside_python(a, arena_strndup(a, at, len)) : NULL;
        if (found) return found;
        at += len + (at[len] == ':');
    }
    return NULL;
}

const char *judge_find(struct arena *a) {
    const char *given = getenv("ONNXRW_ORT"), *environment = getenv("VIRTUAL_ENV");
    const char *home = getenv("HOME"), *found = NULL;
    if (given && *given) return arena_strdup(a, given);
    if (environment && *environment) found = in_prefix(a, environment);
    if (!found) found = in_prefix(a, ONNXRW_SOURCE_RULES "/../.venv");
    if (!found) found = on_path(a);
    if (!found && home && *home) found = in_prefix(a, arena_printf(a, "%s/.local", home));
    return found ? found : in_prefix(a, "/usr");
}
