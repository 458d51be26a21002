/* library.c -- see library.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "base/library.h"

#include <dlfcn.h>
#include <glob.h>

void *library_function(const char *path, const char *function, const char **why) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *at = library ? dlsym(library, function) : NULL;
    if (!at) *why = dlerror();
    return at;
}

char *library_newest(const char *pattern) {
    glob_t found;
    char *last = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        last = strdup(found.gl_pathv[found.gl_pathc - 1]);
        globfree(&found);
    }
    return last;
}
