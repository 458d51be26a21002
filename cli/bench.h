/* bench.h -- what bench found, for people and for tools.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "cli/cli.h"
#include "judge/judge.h"

struct bench_found {
    const struct judge_bench *bench;
    const char *inputs; /* the file, or NULL: made up */
    uint32_t n;
    struct judge_contestant *const *at;
    struct judge_difference *differs; /* from the first; output NULL: not */
};
void bench_print_text(const struct bench_found *f, struct buf *out);
void bench_print_json(const struct bench_found *f, struct buf *out);
/* A ratio as a member of an object: {"is", "low", "high", "sure"}. */
void bench_print_ratio(const struct judge_ratio *r, struct buf *out);
/* The inputs as a list of {"name", "type", "dims"}. */
void bench_print_inputs(const struct judge_values *in, struct buf *out);

#endif
