/* normalise.c -- Softmax and its kin, LayerNormalization, RMSNormalization: each line of
 * elements is brought to a scale of its own.
 *
 * Sums are made in double and rounded once; the runtime's own order of adding up floats
 * differs from the result by a few units of the last place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

/* --- Softmax, LogSoftmax, Hardmax -------------------------------------------------- */

enum softmax { SOFTMAX, LOG_SOFTMAX, HARDMAX };

static uint64_t largest_of(const double *x, uint64_t n, uint64_t step) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < n; i++)
        if (x[i * step] > x[best * step]) best = i;
    return best;
}

static void softmax(enum softmax how, double *x, uint64_t n, uint64_t step) {
    uint64_t best = largest_of(x, n, step);
    double most = x[best * step], sum = 0;
    for (uint64_t i = 0; i < n; i++) sum += exp(x[i * step] - most);
    for (uint64_t i = 0; i < n; i++) {
        double *at = &x[i * step];
        switch (how) {
        case SOFTMAX: *at = exp(*at - most) / sum; break;
        case LOG_SOFTMAX: *at = *at - most - log(sum); break;
        case HARDMAX: *at = i == best; break;
        }
    }
}

/* Before opset 13 all axes from `axis` on are one line. */
static bool eval_softmax(struct eval_job *j) {
    struct eval_array x;
    uint32_t axis;
    bool one_axis = j->e->schema->since >= 13;
    if (!ir_eval_array_wide(j, 0, &x) || !ir_eval_is_floating(&x)) return false;
    if (j->which == HARDMAX && ir_eval_has_nan(&x)) return false;
    int64_t given = ir_eval_attr_int(j, "axis", one_axis ? -1 : 1);
    if (!ir_eval_axis(given, x.shape.rank, &axis)) return false;
    struct eval_lines l = ir_eval_lines(&x.shape, axis);
    if (!one_axis) l = (struct eval_lines){
        .count = ir_eval_span(&x.shape, 0, axis), .step = 1,
        .length = ir_eval_span(&x.shape, axis, x.shape.rank)};
    for (uint64_t i = 0; x.count && i < l.count; i++)
        softmax((enum softmax)j->which, x.f64 + ir_eval_line(&l, i), l.length, l.step);
    return ir_eval_put(j, 0, &x);
}

/* --- LayerNormalization, RMSNormalization ------------------------------------------ */

/* Operand k, broadcast to the normalised axes; its class is F64. */
static bool read_scale(struct eval_job *j, uint32_t k, const struct eval_array *x,
                       uint32_t axis, struct eval_array *out) {
    struct eval_array own;
    struct eval_walk w;
    struct eval_shape s = {.rank = x->shape.rank - axis}, joint;
    memcpy(s.at, x->shape.at + axis, s.rank * sizeof *s.at);
    if (!ir_eval_array_wide(j, k, &own) || own.dtype != x->dtype) return false;
    if (!ir_eval_broadcast(&own.shape, &s, &joint) || !ir_eval_same_shape(&joint, &s) ||
        !ir_eval_array_new(j, x->dtype, EVAL_F64, &s, out))
        return false;
    ir_eval_walk_over(&w, &s);
    ir_eval_walk_broadcast(&w, &own.shape);
    for (uint64_t i = 0; i < out->count; i++, ir_eval_walk_next(&w))
        out->f64[i] = own.f64[w.off[0]];
    return true;
}

struct statistics {
    struct eval_array mean, deviation; /* 1 / the standard deviation */
};

/* Operands of the results for mean and deviation: one of each for a line. */
static bool begin_statistics(struct eval_job *j, const struct eval_array *x, uint32_t axis,
                             struct statistics *out) {
    struct eval_shape s = x->shape;
    for (uint32_t a = axis; a < s.rank; a++) s.at[a] = 1;
    return ir_eval_array_new(j, IR_FLOAT, EVAL_F64, &s, &out->mean) &&
           ir_eval_array_new(j, IR_FLOAT, EVAL_F64, &s, &out->deviation);
}

static void normalise(double *x, uint64_t n, bool centre, double epsilon, double *mean,
                      double *deviation) {
    double square = 0;
    for (uint64_t i = 0; centre && i < n; i++) *mean += x[i] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        square += (x[i] - *mean) * (x[i] - *mean) / (double)n;
    *deviation = 1 / sqrt(square + epsilon);
    for (uint64_t i = 0; i < n; i++) x[i] = (x[i] - *mean) * *deviation;
}

/* which: is the mean taken off. */
static bool eval_normalisation(struct eval_job *j) {
    struct eval_array x, scale, bias;
    struct statistics of;
    uint32_t axis;
    bool biased = ir_eval_given(j, 2);
    double epsilon = (double)ir_eval_attr_float(j, "epsilon");
    if (ir_eval_attr_int(j, "stash_type", 1) != IR_FLOAT) return false;
    if (!ir_eval_array_wide(j, 0, &x) || !ir_eval_is_floating(&x)) return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", -1), x.shape.rank, &axis)) return false;
    if (!read_scale(j, 1, &x, axis, &scale) || !begin_statistics(j, &x, axis, &of) ||
        (biased && !read_scale(j, 2, &x, axis, &bias)))
        return false;
    uint64_t n = scale.count;
    for (uint64_t at = 0; at < x.count; at += n) {
        normalise(x.f64 + at, n, j->which != 0, epsilon, &of.mean.f64[at / n],
                  &of.deviation.f64[at / n]);
        for (uint64_t i = 0; i < n; i++)
            x.f64[at + i] = x.f64[at + i] * scale.f64[i] + (biased ? bias.f64[i] : 0);
    }
    return ir_eval_put(j, 0, &x) && (j->e->nout < 2 || ir_eval_put(j, 1, &of.mean)) &&
           (j->e->nout < 3 || ir_eval_put(j, 2, &of.deviation));
}

const struct eval_op ir_eval_normalise_ops[] = {
    {"Softmax", eval_softmax, SOFTMAX},
    {"LogSoftmax", eval_softmax, LOG_SOFTMAX},
    {"Hardmax", eval_softmax, HARDMAX},
    {"LayerNormalization", eval_normalisation, 1},
    {"RMSNormalization", eval_normalisation, 0},
    {NULL, NULL, 0},
};
