/* shape.c -- shapes and the odometer that runs over them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

bool ir_eval_count(const struct eval_shape *s, uint64_t *count) {
    int64_t n = 1;
    bool empty = false, fits = true;
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->at[i] < 0) return false;
        if (s->at[i] == 0) empty = true;
        fits = fits && rw_mul_i64(n, s->at[i], &n);
    }
    *count = empty ? 0 : (uint64_t)n;
    return empty || fits;
}

bool ir_eval_same_shape(const struct eval_shape *a, const struct eval_shape *b) {
    return a->rank == b->rank && !memcmp(a->at, b->at, a->rank * sizeof *a->at);
}

bool ir_eval_broadcast(const struct eval_shape *a, const struct eval_shape *b,
                    struct eval_shape *out) {
    const struct eval_shape *longer = a->rank >= b->rank ? a : b;
    const struct eval_shape *shorter = a->rank >= b->rank ? b : a;
    uint32_t lead = longer->rank - shorter->rank;
    struct eval_shape r = *longer;
    for (uint32_t i = 0; i < shorter->rank; i++) {
        int64_t x = r.at[lead + i], y = shorter->at[i];
        if (x != y && x != 1 && y != 1) return false;
        if (x == 1) r.at[lead + i] = y;
    }
    *out = r;
    return true;
}

bool ir_eval_axis(int64_t axis, uint32_t rank, uint32_t *out) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= (int64_t)rank) return false;
    *out = (uint32_t)axis;
    return true;
}

uint64_t ir_eval_span(const struct eval_shape *s, uint32_t from, uint32_t to) {
    struct eval_shape part = {.rank = to - from};
    uint64_t n = 0;
    memcpy(part.at, s->at + from, (to - from) * sizeof *part.at);
    return ir_eval_count(&part, &n) ? n : 0;
}

/* A product that does not fit belongs to an empty tensor: no element is ever reached. */
void ir_eval_strides(const struct eval_shape *s, int64_t *stride) {
    int64_t n = 1;
    for (uint32_t i = s->rank; i-- > 0;) {
        stride[i] = n;
        if (!rw_mul_i64(n, s->at[i], &n)) n = 0;
    }
}

void ir_eval_walk_over(struct eval_walk *w, const struct eval_shape *s) {
    *w = (struct eval_walk){.rank = s->rank};
    memcpy(w->dim, s->at, s->rank * sizeof *s->at);
}

void ir_eval_walk_strided(struct eval_walk *w, const int64_t *stride) {
    memcpy(w->stride[w->n++], stride, w->rank * sizeof *stride);
}

void ir_eval_walk_broadcast(struct eval_walk *w, const struct eval_shape *operand) {
    int64_t own[EVAL_RANK], stride[EVAL_RANK] = {0};
    uint32_t lead = w->rank - operand->rank;
    ir_eval_strides(operand, own);
    for (uint32_t i = 0; i < operand->rank; i++)
        stride[lead + i] = operand->at[i] == 1 ? 0 : own[i];
    ir_eval_walk_strided(w, stride);
}

void ir_eval_walk_next(struct eval_walk *w) {
    for (uint32_t i = w->rank; i-- > 0;) {
        for (uint32_t k = 0; k < w->n; k++) w->off[k] += w->stride[k][i];
        if (++w->pos[i] < w->dim[i]) return;
        for (uint32_t k = 0; k < w->n; k++) w->off[k] -= w->stride[k][i] * w->dim[i];
        w->pos[i] = 0;
    }
}

struct eval_lines ir_eval_lines(const struct eval_shape *s, uint32_t axis) {
    uint64_t step = ir_eval_span(s, axis + 1, s->rank), length = (uint64_t)s->at[axis];
    return (struct eval_lines){ir_eval_span(s, 0, axis) * step, length, step};
}

uint64_t ir_eval_line(const struct eval_lines *l, uint64_t i) {
    return i / l->step * l->step * l->length + i % l->step;
}

void ir_eval_append(struct eval_shape *s, const struct eval_shape *from, uint32_t begin,
                    uint32_t end) {
    for (uint32_t i = begin; i < end; i++) s->at[s->rank++] = from->at[i];
}
