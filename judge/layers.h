/* layers.h -- two models run on the same inputs, value by value.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_LAYERS_H
#define JUDGE_LAYERS_H

#include "judge/compare.h"
#include "judge/diff/pair.h"

/* A value that both models have (judge/diff/pair.h), given by a node of the main graph. */
struct judge_layer {
    const char *name, *op;  /* in the first model */
    const char *other;      /* its name in the second one */
    enum judge_how how;     /* it was found there */
    const char *rule;       /* the rule that made the node in the second, or NULL */
    bool output;            /* of both models */
    const struct ir_tensor *type; /* type and dims in the first model; NULL: no tensor */
    struct judge_verdict verdict;
};
struct judge_layers {
    VEC(struct judge_layer) at; /* in the order of the first model */
    uint32_t beyond;            /* number of those that differ */
    uint32_t first;             /* the first of them; UINT32_MAX: none */
    VEC(const char *) unknown;  /* outputs of the first model that were not compared: no tensors, or
                                   no results of nodes in both models */
};
/* Runs both, with all their common values as outputs; inputs are those of the first one. The
 * same with bounds as given, or, negative, by type (class float). Guessed pairs that differ
 * where nothing that reads them does are left out. RW_WRONG and a diagnostic when one of the
 * models does not run. The models are as they were read, not changed since. */
enum rw_code judge_layers_run(struct judge *j, struct ir_model *before,
                              struct ir_model *after, const struct judge_values *inputs,
                              double tolerance, struct arena *a, struct diag_sink *diags,
                              struct judge_layers *out);

#endif
