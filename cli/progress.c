/* progress.c -- see cli.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/process.h"
#include "cli/cli.h"

#include <stdio.h>

#define FIRST_AFTER 0.5 /* seconds */
#define AGAIN_AFTER 0.1

void progress_begin(struct progress *p, bool off) {
    *p = (struct progress){.begin = process_seconds(), .off = off};
    if (!process_stderr_is_terminal()) p->off = true;
}

void progress_step(void *ctx, const char *stage, uint64_t done, uint64_t total) {
    struct progress *p = ctx;
    double now = p->off ? 0 : process_seconds();
    if (p->off || now - p->begin < FIRST_AFTER || now - p->shown < AGAIN_AFTER) return;
    p->shown = now;
    p->visible = true;
    if (total)
        fprintf(stderr, "\r\033[K%s %3.0f %%", stage, 100.0 * (double)done / (double)total);
    else fprintf(stderr, "\r\033[K%s %" PRIu64, stage, done);
}

void progress_end(struct progress *p) {
    if (p->visible) fputs("\r\033[K", stderr);
    p->visible = false;
}
