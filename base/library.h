/* library.h -- shared libraries that are looked for and loaded at run time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/base.h"

/* Loads a library, for good, and gives the function; NULL and the loader's words in *why,
 * which stay until the next call. */
void *library_function(const char *path, const char *function, const char **why);
/* The last, in order of names, of the files that a shell pattern stands for, malloc'ed;
 * NULL: none. */
char *library_newest(const char *pattern);

#endif
