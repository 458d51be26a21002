/* reduce.c -- reductions over axes, the place of the largest, running sums.
 *
 * Sums of floats are made in double and rounded once: the runtime sums in an order of its
 * own, and the exact sum is nearest to every order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

enum reduction { SUM, PROD, LARGEST, LEAST, MEAN, L1, L2, SUM_SQUARE };

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
                                     [SUM_SQUARE] = 0};
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
        if (how == L2) p->r.f64[i] = sqrt(p->r.f64[i]);
    }
    return true;
}

static bool eval_reduce(struct eval_job *j) {
    struct plan p = {0};
    enum reduction how = (enum reduction)j->which;
    if (!ir_eval_array_wide(j, 0, &p.x) || !find_axes(j, &p)) return false;
    if (p.x.class == EVAL_U64 || (!is_float(&p.x) && (how == MEAN || how == L2)))
        return false;
    if (p.nothing && (how == L1 || how == L2 || how == SUM_SQUARE)) return false;
    if (!ir_eval_array_new(j, p.x.dtype, p.x.class, &p.kept, &p.r) || !begin_with(how, &p))
        return false;
    if (!join_all(how, &p) || !finish(how, &p)) return false;
    p.r.shape = without_reduced(&p);
    return ir_eval_put(j, 0, &p.r);
}

/* --- along one axis ---------------------------------------------------------------- */

/* An array as lines along an axis: line l has `length` items `step` apart from `begin`. */
struct lines {
    uint64_t count, length, step;
};
static struct lines lines_of(const struct eval_shape *s, uint32_t axis) {
    uint64_t step = ir_eval_span(s, axis + 1, s->rank), length = (uint64_t)s->at[axis];
    return (struct lines){ir_eval_span(s, 0, axis) * step, length, step};
}
static uint64_t line_begin(const struct lines *l, uint64_t line) {
    return line / l->step * l->step * l->length + line % l->step;
}

static bool is_above(const struct eval_array *x, uint64_t a, uint64_t b) {
    if (is_float(x)) return x->f64[a] > x->f64[b];
    return x->class == EVAL_I64 ? x->i64[a] > x->i64[b] : x->u64[a] > x->u64[b];
}

static bool has_nan(const struct eval_array *x) {
    for (uint64_t i = 0; is_float(x) && i < x->count; i++)
        if (isnan(x->f64[i])) return true;
    return false;
}

static int64_t best_of(const struct eval_array *x, const struct lines *l, uint64_t line,
                       bool largest, bool last) {
    uint64_t begin = line_begin(l, line), best = begin, found = 0;
    for (uint64_t i = 1; i < l->length; i++) {
        uint64_t at = begin + i * l->step;
        bool better = largest ? is_above(x, at, best) : is_above(x, best, at);
        bool worse = largest ? is_above(x, best, at) : is_above(x, at, best);
        if (!better && (worse || !last)) continue;
        best = at;
        found = i;
    }
    return (int64_t)found;
}

static bool eval_arg(struct eval_job *j) {
    struct eval_array x, r;
    uint32_t axis;
    bool last = ir_eval_attr_int(j, "select_last_index", 0) != 0;
    if (!ir_eval_array_wide(j, 0, &x) || has_nan(&x)) return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", 0), x.shape.rank, &axis)) return false;
    struct eval_shape s = x.shape;
    struct lines l = lines_of(&x.shape, axis);
    s.at[axis] = 1;
    if (l.length == 0 || !ir_eval_array_new(j, IR_INT64, EVAL_I64, &s, &r)) return false;
    for (uint64_t i = 0; i < r.count; i++)
        r.i64[i] = best_of(&x, &l, i, j->which == LARGEST, last);
    if (!ir_eval_attr_int(j, "keepdims", 1)) {
        memmove(r.shape.at + axis, r.shape.at + axis + 1,
                (r.shape.rank - axis - 1) * sizeof *r.shape.at);
        r.shape.rank--;
    }
    return ir_eval_put(j, 0, &r);
}

/* r[at] = r[before] + x[from], in the class's own arithmetic, as the runtime adds. */
static void add_to(struct eval_array *r, uint64_t at, uint64_t before,
                   const struct eval_array *x, uint64_t from) {
    switch (x->class) {
    case EVAL_F32: r->f32[at] = r->f32[before] + x->f32[from]; break;
    case EVAL_F64: r->f64[at] = r->f64[before] + x->f64[from]; break;
    case EVAL_I64:
    case EVAL_U64: r->u64[at] = r->u64[before] + x->u64[from];
    }
}

static void copy_item(struct eval_array *r, uint64_t at, const struct eval_array *x,
                      uint64_t from) {
    if (x->class == EVAL_F32) r->f32[at] = x->f32[from];
    else r->u64[at] = x->u64[from];
}

static bool eval_cum_sum(struct eval_job *j) {
    struct eval_array x, r;
    struct eval_ints where;
    uint32_t axis;
    bool exclusive = ir_eval_attr_int(j, "exclusive", 0) != 0;
    bool reverse = ir_eval_attr_int(j, "reverse", 0) != 0;
    if (!ir_eval_array(j, 0, &x) || !ir_eval_ints(j, "", 1, &where) || where.n != 1)
        return false;
    if (!ir_eval_axis(where.at[0], x.shape.rank, &axis)) return false;
    if (!ir_eval_array_new(j, x.dtype, x.class, &x.shape, &r)) return false;
    struct lines l = lines_of(&x.shape, axis);
    for (uint64_t line = 0; r.count && line < l.count; line++) {
        uint64_t begin = line_begin(&l, line), before = 0;
        for (uint64_t n = 0; n < l.length; n++) {
            uint64_t at = begin + (reverse ? l.length - 1 - n : n) * l.step;
            if (n == 0 && !exclusive) copy_item(&r, at, &x, at);
            if (n > 0) add_to(&r, at, before, &x, exclusive ? before : at);
            before = at;
        }
    }
    return ir_eval_put(j, 0, &r);
}

const struct eval_op ir_eval_reduce_ops[] = {
    {"ReduceSum", eval_reduce, SUM},   {"ReduceProd", eval_reduce, PROD},
    {"ReduceMax", eval_reduce, LARGEST}, {"ReduceMin", eval_reduce, LEAST},
    {"ReduceMean", eval_reduce, MEAN}, {"ReduceL1", eval_reduce, L1},
    {"ReduceL2", eval_reduce, L2},     {"ReduceSumSquare", eval_reduce, SUM_SQUARE},
    {"ArgMax", eval_arg, LARGEST},     {"ArgMin", eval_arg, LEAST},
    {"CumSum", eval_cum_sum, 0},       {NULL, NULL, 0},
};
