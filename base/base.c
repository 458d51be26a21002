/* base.c -- what happens when an invariant breaks or memory runs out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/base.h"

#include <stdio.h>

void rw_broken(const char *file, int line, const char *what) {
    fprintf(stderr, "onnxrw: internal error: %s:%d: %s does not hold\n", file, line, what);
    abort();
}

/* The one mutable global of the library: memory can run out anywhere, and the handler
 * must be reachable without a context. It is set once, before any work. */
static void (*oom_handler)(void);

void rw_set_oom_handler(void (*handler)(void)) { oom_handler = handler; }

void rw_out_of_memory(void) {
    if (oom_handler) oom_handler();
    fputs("onnxrw: out of memory\n", stderr);
    abort();
}
