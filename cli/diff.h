/* diff.h -- what `onnxrw diff` found, as text and as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "cli/cli.h"
#include "judge/judge.h"

/* One run of both models. */
struct diff_run {
    const char *inputs; /* the file, or NULL: made up */
    struct judge_layers layers;
};
struct diff_found {
    struct judge_diff structure;
    VEC(struct diff_run) runs;
    bool same; /* outputs and values, where there were runs; else the structure */
};

void diff_print_structure(const struct judge_diff *d, struct buf *out);
/* Outputs and values that differ; all of them with -v. */
void diff_print_run(const struct diff_run *r, bool all, struct buf *out);
void diff_print_json(const struct diff_found *f, struct buf *out);
const char *diff_thing_name(enum judge_thing t);

#endif
