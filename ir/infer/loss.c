/* loss.c -- losses, and the optimizers and gradients of training.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* Without reduction a loss for each target, else a scalar. */
static void set_loss(struct infer *x) {
    if (rw_streq(infer_string(x, "reduction"), "none"))
        infer_set_like(x, 0, infer_dtype(x, 0), 1);
    else infer_set(x, 0, infer_dtype(x, 0), &(struct infer_shape){0});
}

/* (scores [n, classes, ...], targets [n, ...], weights), and the logarithms of the
 * softmax of the scores as a second output. */
bool infer_loss(struct infer *x) {
    struct infer_shape scores, targets;
    if (infer_shape_of(x, 0, &scores) && infer_shape_of(x, 1, &targets) &&
        targets.rank + 1 != scores.rank)
        return infer_fail(x, "scores and targets have ranks %u and %u", scores.rank,
                          targets.rank);
    set_loss(x);
    infer_set_like(x, 1, infer_dtype(x, 0), 0);
    return true;
}

/* (rate, count, tensors, their gradients, their states ...) -> tensors, states: `groups`
 * of operands in all. */
static bool optimize(struct infer *x, uint32_t groups) {
    if (x->nin < 2 || (x->nin - 2) % groups)
        return infer_fail(x, "%u operands, wanted 2 and a multiple of %u", x->nin, groups);
    uint32_t n = (x->nin - 2) / groups;
    for (uint32_t k = 0; k < x->nout; k++) {
        uint32_t in = 2 + (k < n ? k : k + n); /* no gradients */
        infer_set_like(x, k, infer_dtype(x, in), in);
    }
    return true;
}

bool infer_adagrad_or_momentum(struct infer *x) { return optimize(x, 3); }

bool infer_adam(struct infer *x) { return optimize(x, 4); }

/* Of the first operands, one by one. */
bool infer_gradient(struct infer *x) {
    for (uint32_t k = 0; k < x->nout; k++) infer_set_like(x, k, infer_dtype(x, k), k);
    return true;
}
