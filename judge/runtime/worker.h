/* worker.h -- the worker process of a judge. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RUNTIME_WORKER_H
#define JUDGE_RUNTIME_WORKER_H

#include "judge/ort.h"

/* What the worker starts with; of its parent. */
struct worker_options {
    const char *library; /* NULL: the loader looks */
    uint32_t threads;
    bool optimise;
    const char *disabled;
};
/* Loads the runtime, says how that went, then serves requests until the other end is
 * closed. For child_start; `ctx` is struct worker_options. */
void judge_serve(int fd, void *ctx);

/* For tests: what foreign code may do. */
enum judge_fault { JUDGE_FAULT_ABORT, JUDGE_FAULT_SLEEP };
enum judge_outcome judge_provoke(struct judge *j, enum judge_fault f);

#endif
