/* bench.h -- how long models take in the runtime as it is deployed, its optimisations on.
 *
 * Two processes of one graph differ by up to a third for as long as they live. So a model is
 * measured in several, each of them fresh, and those of the contestants take turns: A B C,
 * C B A, A B C ... A process gives one time, the median of its runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_BENCH_H
#define JUDGE_BENCH_H

#include "judge/compare.h"
#include "judge/ort.h"
#include "judge/ratio.h"

struct judge_contestant {
    const char *name;           /* in messages */
    struct judge_model model;
    const char *disabled;       /* optimisers of the runtime that are left out, or NULL */
    struct judge_values outputs; /* of its first process */
    VEC(double) seconds;        /* of each process */
    double fastest;             /* of all runs */
};
struct judge_bench {
    const char *library;        /* of the runtime, or NULL */
    uint32_t threads;
    double seconds;             /* that a process runs for */
    double limit;               /* most time of one job, such as reading a large model */
    const struct judge_values *in;
    struct arena *arena;
    struct diag_sink *diags;
    const char *version;        /* of the runtime, when a round is done */
};

/* A fresh process for each. RW_USAGE and a diagnostic without a runtime, RW_WRONG when a
 * model does not run; *failed (or NULL) is then which one. */
enum rw_code judge_bench_round(struct judge_bench *b, struct judge_contestant *const *c,
                               uint32_t n, const struct judge_contestant **failed);
/* Of the rounds that both took part in. */
struct judge_ratio judge_bench_ratio(const struct judge_contestant *a,
                                     const struct judge_contestant *b);

/* Where the outputs of b are not those of a, by name; NULL: nowhere. */
struct judge_difference {
    const char *output;
    struct judge_verdict verdict; /* what: NULL where it is not there at all */
};
bool judge_bench_agrees(const struct judge_contestant *a, const struct judge_contestant *b,
                        bool quantised, struct judge_difference *out);

#endif
