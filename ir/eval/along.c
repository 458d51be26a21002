/* along.c -- operators along one axis: the place of the largest, running sums.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

static bool is_above(const struct eval_array *x, uint64_t a, uint64_t b) {
    if (ir_eval_is_floating(x)) return x->f64[a] > x->f64[b];
    return x->class == EVAL_I64 ? x->i64[a] > x->i64[b] : x->u64[a] > x->u64[b];
}

static int64_t best_of(const struct eval_array *x, const struct eval_lines *l,
                       uint64_t line, bool largest, bool last) {
    uint64_t begin = ir_eval_line(l, line), best = begin, found = 0;
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
    if (!ir_eval_array_wide(j, 0, &x) || ir_eval_has_nan(&x)) return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", 0), x.shape.rank, &axis)) return false;
    struct eval_shape s = x.shape;
    struct eval_lines l = ir_eval_lines(&x.shape, axis);
    s.at[axis] = 1;
    if (l.length == 0 || !ir_eval_array_new(j, IR_INT64, EVAL_I64, &s, &r)) return false;
    for (uint64_t i = 0; i < r.count; i++)
        r.i64[i] = best_of(&x, &l, i, j->which, last);
    if (!ir_eval_attr_int(j, "keepdims", 1)) {
        memmove(r.shape.at + axis, r.shape.at + axis + 1,
                (r.shape.rank - axis - 1) * sizeof *r.shape.at);
        r.shape.rank--;
    }
    return ir_eval_put(j, 0, &r);
}

/* r[at] = r[before] joined to x[from], in the class's own arithmetic, as the runtime
 * does it. */
#define JOIN(op)                                                                       \
    switch (x->class) {                                                                \
    case EVAL_F32: r->f32[at] = r->f32[before] op x->f32[from]; break;                 \
    case EVAL_F64: r->f64[at] = r->f64[before] op x->f64[from]; break;                 \
    case EVAL_I64:                                                                     \
    case EVAL_U64: r->u64[at] = r->u64[before] op x->u64[from];                        \
    }
static void join_to(bool product, struct eval_array *r, uint64_t at, uint64_t before,
                    const struct eval_array *x, uint64_t from) {
    if (product) JOIN(*)
    else JOIN(+)
}

static void copy_item(struct eval_array *r, uint64_t at, const struct eval_array *x,
                      uint64_t from) {
    if (x->class == EVAL_F32) r->f32[at] = x->f32[from];
    else r->u64[at] = x->u64[from];
}

static void set_to(struct eval_array *r, uint64_t at, bool one) {
    if (r->class == EVAL_F32) r->f32[at] = one;
    else if (r->class == EVAL_F64) r->f64[at] = one;
    else r->u64[at] = one;
}

/* CumSum and, with `which`, CumProd. */
static bool eval_cumulate(struct eval_job *j) {
    struct eval_array x, r;
    struct eval_ints where;
    uint32_t axis;
    bool exclusive = ir_eval_attr_int(j, "exclusive", 0) != 0;
    bool reverse = ir_eval_attr_int(j, "reverse", 0) != 0;
    if (!ir_eval_array(j, 0, &x) || !ir_eval_ints(j, "", 1, &where) || where.n != 1)
        return false;
    if (!ir_eval_axis(where.at[0], x.shape.rank, &axis)) return false;
    if (!ir_eval_array_new(j, x.dtype, x.class, &x.shape, &r)) return false;
    struct eval_lines l = ir_eval_lines(&x.shape, axis);
    for (uint64_t line = 0; r.count && line < l.count; line++) {
        uint64_t begin = ir_eval_line(&l, line), before = 0;
        for (uint64_t n = 0; n < l.length; n++) {
            uint64_t at = begin + (reverse ? l.length - 1 - n : n) * l.step;
            if (n == 0 && exclusive) set_to(&r, at, j->which != 0);
            if (n == 0 && !exclusive) copy_item(&r, at, &x, at);
            if (n > 0) join_to(j->which != 0, &r, at, before, &x, exclusive ? before : at);
            before = at;
        }
    }
    return ir_eval_put(j, 0, &r);
}

const struct eval_op ir_eval_along_ops[] = {
    {"ArgMax", eval_arg, 1}, {"ArgMin", eval_arg, 0}, {"CumSum", eval_cumulate, 0},
    {"CumProd", eval_cumulate, 1}, {NULL, NULL, 0},
};
