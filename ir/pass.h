/* pass.h -- whole-graph passes that packs call by name.
 *
 * Each is journalled, deterministic, linear or nearly so, keeps the interface, works in
 * bodies and functions, and returns how many nodes it removed or changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PASS_H
#define IR_PASS_H

#include "ir/graph.h"

/* Computes nodes over constants whose operators ir/eval.h has not; how is not for ir/ to
 * know. The results of n that are used are new tensors in *a, in out[0..nout); their types
 * and shapes are not to be trusted. false: it cannot be done. */
struct ir_runtime {
    void *ctx;
    bool (*compute)(void *ctx, struct ir_graph *g, ir_node n, struct arena *a,
                    struct ir_tensor **out);
};

#define IR_FOLD_LIMIT ((uint64_t)64 << 10)
struct ir_pass_options {
    /* Bytes by which folding one node may make the file larger, net of what it frees. */
    uint64_t fold_limit;
    const struct ir_runtime *runtime; /* or NULL */
};
struct ir_pass {
    const char *name, *what; /* "dce", "dead nodes, initializers ..." */
    /* o NULL: the defaults. */
    uint32_t (*run)(struct ir_model *m, const struct ir_pass_options *o);
    bool removes; /* it removes nodes and values that nobody reads; in a model without bodies it
                     does nothing else */
};
/* By name, or NULL. */
const struct ir_pass *ir_pass_find(const char *name);
const struct ir_pass *ir_pass_all(size_t *n);

#endif
