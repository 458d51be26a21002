/* reduce.c -- reductions over axes.
 *
 * Sums of floats are made in double and rounded once: the runtime sums in an order of its
 * own, and the exact sum is nearest to every order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

/* From L1 on each element is changed, or their sum: no axis at all is not nothing. */
enum reduction { SUM, PROD, LARGEST, LEAST, MEAN, L1, L2, SUM_SQUARE, LOG_SUM };

static bool is_float(const struct eval_array *x) { return x->class == EVAL_F64; }

static double join_floats(enum reduction how, double acc, double x) {
    switch (how) {
    case PROD: return acc * x;
    case LARGEST: return isnan(x) || x > acc ? x : acc;
    case LEAST: return isnan(x) || x < acc ? x : acc;
    case L1: return acc + fabs(x);
    case L2:
    case SUM_SQUARE: return acc + x * x;
    case SUM:
    case LOG_SUM:
    case MEAN: break;
    }
    return acc + x;
}

/* false on overflow. */
static bool join_integers(enum reduction how, int64_t *acc, int64_t x) {
    int64_t square;
    switch (how) {
    case PROD: return rw_mul_i64(*acc, x, acc);
    case LARGEST: *acc = x > *acc ? x : *acc; return true;
    case LEAST: *acc = x < *acc ? x : *acc; return true;
    case L1: return x < 0 ? rw_sub_i64(*acc, x, acc) : rw_add_i64(*acc, x, acc);
    case SUM_SQUARE: return rw_mul_i64(x, x, &square) && rw_add_i64(*acc, square, acc);
    case SUM:
    case MEAN:
    case LOG_SUM:
    case L2: break;
    }
    return rw_add_i64(*acc, x, acc);
}

struct plan {
    struct eval_array x, r;
    bool reduced[EVAL_RANK];
    struct eval_shape kept; /* of the result, with 1 for each reduced axis */
    bool keepdims, nothing; /* no axis at all: noop_with_empty_axes */
};

static bool find_axes(struct eval_job *j, struct plan *p) {
    struct eval_ints axes;
    uint32_t a;
    if (!ir_eval_ints(j, "axes", 1, &axes)) return false;
    p->nothing = axes.n == 0 && ir_eval_attr_int(j, "noop_with_empty_axes", 0) != 0;
    p->keepdims = ir_eval_attr_int(j, "keepdims", 1) != 0;
    for (uint32_t i = 0; i < axes.n; i++) {
        if (!ir_eval_axis(axes.at[i], p->x.shape.rank, &a)) return false;
        p->reduced[a] = true;
    }
    p->kept = p->x.shape;
    for (a = 0; a < p->kept.rank; a++) {
        if (axes.n == 0) p->reduced[a] = !p->nothing;
        if (p->reduced[a]) p->kept.at[a] = 1;
    }
    return true;
}

static struct eval_shape without_reduced(const struct plan *p) {
    struct eval_shape s = {0};
    for (uint32_t a = 0; a < p->kept.rank; a++)
        if (p->keepdims || !p->reduced[a]) s.at[s.rank++] = p->kept.at[a];
    return s;
}

/* Fills the results with what a reduction of nothing gives; false where that is nothing. */
static bool begin_with(enum reduction how, struct plan *p) {
    static const double neutral[] = {[PROD] = 1, [LARGEST] = -INFINITY, [LEAST] = INFINITY,
                                     [LOG_SUM] = 0};
    bool empty = p->x.count == 0;
    if (empty && (how == MEAN || (!is_float(&p->x) && (how == LARGEST || how == LEAST))))
        return p->r.count == 0;
    for (uint64_t i = 0; i < p->r.count; i++) {
        if (is_float(&p->r)) p->r.f64[i] = neutral[how];
        else p->r.i64[i] = how == PROD;
    }
    return true;
}

/* Is this the first element of those that give one result? */
static bool is_first(const struct plan *p, const struct eval_walk *w) {
    for (uint32_t a = 0; a < w->rank; a++)
        if (p->reduced[a] && w->pos[a]) return false;
    return true;
}

/* Every element joins the result that it belongs to. The first one of an integer maximum
 * is taken as it is: no number is below all of every type. */
static bool join_all(enum reduction how, struct plan *p) {
    struct eval_walk w;
    bool extreme = how == LARGEST || how == LEAST;
    ir_eval_walk_over(&w, &p->x.shape);
    ir_eval_walk_broadcast(&w, &p->kept);
    for (uint64_t i = 0; i < p->x.count; i++, ir_eval_walk_next(&w)) {
        int64_t to = w.off[0];
        if (is_float(&p->x)) p->r.f64[to] = join_floats(how, p->r.f64[to], p->x.f64[i]);
        else if (extreme && is_first(p, &w)) p->r.i64[to] = p->x.i64[i];
        else if (!join_integers(how, &p->r.i64[to], p->x.i64[i])) return false;
    }
    return true;
}

/* The runtime's integer reductions neither wrap nor saturate in every case: what does not
 * fit the type is refused. */
static bool finish(enum reduction how, struct plan *p) {
    double n = p->r.count ? (double)(p->x.count / p->r.count) : 1;
    for (uint64_t i = 0; i < p->r.count; i++) {
        if (!is_float(&p->r) && !ir_eval_fits(p->r.dtype, p->r.i64[i])) return false;
        if (how == MEAN) p->r.f64[i] /= n;
        if (how == LOG_SUM) p->r.f64[i] = log(p->r.f64[i]);
        if (how == L2) p->r.f64[i] = sqrt(p->r.f64[i]);
    }
    return true;
}

static bool eval_reduce(struct eval_job *j) {
    struct plan p = {0};
    enum reduction how = (enum reduction)j->which;
    if (!ir_eval_array_wide(j, 0, &p.x) || !find_axes(j, &p)) return false;
    bool fractions = how == MEAN || how == L2 || how == LOG_SUM;
    if (p.x.class == EVAL_U64 || (!is_float(&p.x) && fractions)) return false;
    if (p.nothing && how >= L1) return false;
    if ((how == LARGEST || how == LEAST) && ir_eval_has_nan(&p.x)) return false;
    if (!ir_eval_array_new(j, p.x.dtype, p.x.class, &p.kept, &p.r) || !begin_with(how, &p))
        return false;
    if (!join_all(how, &p) || !finish(how, &p)) return false;
    p.r.shape = without_reduced(&p);
    return ir_eval_put(j, 0, &p.r);
}

/* --- of exponentials --------------------------------------------------------------- */

/* The largest element is taken off before, so that no exponential overflows. */
static bool eval_log_sum_exp(struct eval_job *j) {
    struct plan p = {0};
    struct eval_array sum;
    struct eval_walk w;
    if (!ir_eval_array_wide(j, 0, &p.x) || !is_float(&p.x) || !find_axes(j, &p) ||
        p.nothing || !ir_eval_array_new(j, p.x.dtype, p.x.class, &p.kept, &p.r) ||
        !ir_eval_array_new(j, p.x.dtype, p.x.class, &p.kept, &sum))
        return false;
    if (!begin_with(LARGEST, &p) || !join_all(LARGEST, &p)) return false;
    ir_eval_walk_over(&w, &p.x.shape);
    ir_eval_walk_broadcast(&w, &p.kept);
    for (uint64_t i = 0; i < p.x.count; i++, ir_eval_walk_next(&w)) {
        double most = p.r.f64[w.off[0]];
        sum.f64[w.off[0]] += exp(p.x.f64[i] - (isinf(most) ? 0 : most));
    }
    for (uint64_t i = 0; i < p.r.count; i++) {
        double most = p.r.f64[i];
        p.r.f64[i] = log(sum.f64[i]) + (isinf(most) ? 0 : most);
    }
    p.r.shape = without_reduced(&p);
    return ir_eval_put(j, 0, &p.r);
}

const struct eval_op ir_eval_reduce_ops[] = {
    {"ReduceSum", eval_reduce, SUM},   {"ReduceProd", eval_reduce, PROD},
    {"ReduceMax", eval_reduce, LARGEST}, {"ReduceMin", eval_reduce, LEAST},
    {"ReduceMean", eval_reduce, MEAN}, {"ReduceL1", eval_reduce, L1},
    {"ReduceL2", eval_reduce, L2},     {"ReduceSumSquare", eval_reduce, SUM_SQUARE},
    {"ReduceLogSum", eval_reduce, LOG_SUM}, {"ReduceLogSumExp", eval_log_sum_exp, 0},
    {NULL, NULL, 0},
};
