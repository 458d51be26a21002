/* view.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/tensor/view.h"

/* --- what a view is like ---------------------------------------------------------- */

void ir_view_simplify(struct ir_view *v) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->rank; i++) {
        struct ir_axis x = v->axes[i];
        if (x.dim == 1) continue;
        struct ir_axis *before = n ? &v->axes[n - 1] : NULL;
        if (before && before->step == x.dim * x.step)
            *before = (struct ir_axis){before->dim * x.dim, x.step};
        else v->axes[n++] = x;
    }
    if (n == 0) v->axes[n++] = (struct ir_axis){1, 1};
    v->rank = n;
}

bool ir_view_is_range(const struct ir_view *v) {
    return v->rank == 1 && v->axes[0].step == 1;
}

uint64_t ir_view_run(const struct ir_view *v) {
    const struct ir_axis *last = &v->axes[v->rank - 1];
    return last->step == 1 ? (uint64_t)last->dim : 1;
}

/* --- walking ---------------------------------------------------------------------- */

void ir_view_seek(const struct ir_view *v, uint64_t first, struct ir_view_at *at) {
    at->place = v->start;
    for (uint32_t k = v->rank; k-- > 0;) {
        at->pos[k] = (int64_t)(first % (uint64_t)v->axes[k].dim);
        first /= (uint64_t)v->axes[k].dim;
        at->place += at->pos[k] * v->axes[k].step;
    }
}

void ir_view_step(const struct ir_view *v, uint64_t n, struct ir_view_at *at) {
    for (uint32_t k = v->rank; k-- > 0; n = 1) {
        at->pos[k] += (int64_t)n;
        at->place += (int64_t)n * v->axes[k].step;
        if (at->pos[k] < v->axes[k].dim) return;
        at->place -= at->pos[k] * v->axes[k].step;
        at->pos[k] = 0;
    }
}
