/* runtime.h -- ONNX Runtime itself, inside the worker process. Private to judge/.
 *
 * Functions that fail return a text, the runtime's or ours, in the arena; NULL is success.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RUNTIME_RUNTIME_H
#define JUDGE_RUNTIME_RUNTIME_H

#include "judge/ort.h"
#include "judge/runtime/ort_api.h"
#include "judge/runtime/worker.h"

struct runtime {
    struct ort_api api;
    const char *version;
    struct ort_env *env;
    struct ort_options *options;
    struct ort_memory *memory;
    struct ort_allocator *allocator;
};
struct runtime_session {
    struct ort_session *at; /* NULL: unloaded */
    struct arena arena;     /* of the names */
    const char **outputs;
    uint32_t noutputs;
};

const char *judge_runtime_open(struct runtime *r, const struct worker_options *o,
                               struct arena *a);
/* From a file, or (path NULL) from bytes with external data in `folder`. */
const char *judge_runtime_load(struct runtime *r, const struct judge_model *m,
                               struct arena *a, struct runtime_session *out);
void judge_runtime_unload(struct runtime *r, struct runtime_session *s);
/* As judge_outline. */
const char *judge_runtime_outline(struct runtime *r, const struct judge_model *m,
                                  struct arena *a, uint64_t *out);
/* nwanted 0: all outputs. */
const char *judge_runtime_run(struct runtime *r, const struct runtime_session *s,
                              const struct judge_values *in, const char *const *wanted,
                              uint32_t nwanted, struct arena *a, struct judge_values *out);
/* As judge_time. */
const char *judge_runtime_time(struct runtime *r, const struct runtime_session *s,
                               const struct judge_values *in, double seconds,
                               struct arena *a, struct judge_times *out);

#endif
