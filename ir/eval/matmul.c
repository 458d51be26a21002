/* matmul.c -- MatMul and Gemm. Sums of floats are made in double and rounded once,
 * as those of eval_reduce.c; sums of integers wrap.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

/* A matrix inside an array: rows and columns by stride, so that a transpose is free. */
struct matrix {
    const struct eval_array *of;
    uint64_t begin, rows, columns, row, column;
};

static double dot_floats(const struct matrix *a, const struct matrix *b, uint64_t r,
                         uint64_t c) {
    double sum = 0;
    for (uint64_t k = 0; k < a->columns; k++)
        sum += a->of->f64[a->begin + r * a->row + k * a->column] *
               b->of->f64[b->begin + k * b->row + c * b->column];
    return sum;
}

static uint64_t dot_integers(const struct matrix *a, const struct matrix *b, uint64_t r,
                             uint64_t c) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < a->columns; k++)
        sum += a->of->u64[a->begin + r * a->row + k * a->column] *
               b->of->u64[b->begin + k * b->row + c * b->column];
    return sum;
}

static bool may_multiply(const struct eval_job *j, const struct eval_array *out,
                         uint64_t depth) {
    uint64_t work;
    return !__builtin_mul_overflow(out->count, depth, &work) && ir_eval_work(j, work);
}

static void multiply(const struct matrix *a, const struct matrix *b, struct eval_array *out,
                     uint64_t begin) {
    for (uint64_t r = 0; r < a->rows; r++)
        for (uint64_t c = 0; c < b->columns; c++) {
            uint64_t at = begin + r * b->columns + c;
            if (out->class == EVAL_F64) out->f64[at] = dot_floats(a, b, r, c);
            else out->u64[at] = dot_integers(a, b, r, c);
        }
}

static bool operands(struct eval_job *j, struct eval_array *a, struct eval_array *b) {
    return ir_eval_array_wide(j, 0, a) && ir_eval_array_wide(j, 1, b) &&
           a->dtype == b->dtype;
}

/* The last two axes of an operand; a vector is a row on the left, a column on the right. */
static struct matrix last_two(const struct eval_array *x, bool right) {
    const struct eval_shape *s = &x->shape;
    uint64_t last = (uint64_t)s->at[s->rank - 1];
    if (s->rank > 1)
        return (struct matrix){x, 0, (uint64_t)s->at[s->rank - 2], last, last, 1};
    if (right) return (struct matrix){x, 0, last, 1, 1, 1};
    return (struct matrix){x, 0, 1, last, last, 1};
}

static struct eval_shape leading(const struct eval_shape *s) {
    struct eval_shape out = *s;
    out.rank = s->rank > 2 ? s->rank - 2 : 0;
    return out;
}

static bool eval_mat_mul(struct eval_job *j) {
    struct eval_array a, b, r;
    struct eval_walk w;
    struct eval_shape batch;
    if (!operands(j, &a, &b) || a.shape.rank == 0 || b.shape.rank == 0) return false;
    struct matrix x = last_two(&a, false), y = last_two(&b, true);
    struct eval_shape lead_a = leading(&a.shape), lead_b = leading(&b.shape);
    if (x.columns != y.rows || !ir_eval_broadcast(&lead_a, &lead_b, &batch)) return false;
    struct eval_shape s = batch;
    if (a.shape.rank > 1) s.at[s.rank++] = (int64_t)x.rows;
    if (b.shape.rank > 1) s.at[s.rank++] = (int64_t)y.columns;
    if (!ir_eval_array_new(j, a.dtype, a.class, &s, &r) ||
        !may_multiply(j, &r, x.columns))
        return false;
    ir_eval_walk_over(&w, &batch);
    ir_eval_walk_broadcast(&w, &lead_a);
    ir_eval_walk_broadcast(&w, &lead_b);
    uint64_t size = x.rows * y.columns, batches = r.count ? r.count / size : 0;
    for (uint64_t n = 0; n < batches; n++, ir_eval_walk_next(&w)) {
        x.begin = (uint64_t)w.off[0] * x.rows * x.columns;
        y.begin = (uint64_t)w.off[1] * y.rows * y.columns;
        multiply(&x, &y, &r, n * size);
    }
    return ir_eval_put(j, 0, &r);
}

static struct matrix transposed(struct matrix m) {
    return (struct matrix){m.of, m.begin, m.columns, m.rows, m.column, m.row};
}

/* r = alpha * r + beta * c, c broadcast to r where the version allows that. */
static bool add_scaled(struct eval_job *j, struct eval_array *r) {
    const struct ir_attr *alpha = ir_eval_attr(j, "alpha"), *beta = ir_eval_attr(j, "beta");
    double scale = alpha ? (double)alpha->f : 1, share = beta ? (double)beta->f : 1;
    struct eval_array c;
    struct eval_shape s;
    struct eval_walk w;
    for (uint64_t i = 0; i < r->count; i++) r->f64[i] *= scale;
    if (!ir_eval_given(j, 2)) return true;
    if (!ir_eval_array_wide(j, 2, &c) || c.dtype != r->dtype) return false;
    if (!ir_eval_broadcast(&c.shape, &r->shape, &s) || !ir_eval_same_shape(&s, &r->shape))
        return false;
    if (j->e->schema->since < 7 && !ir_eval_same_shape(&c.shape, &s)) return false;
    ir_eval_walk_over(&w, &s);
    ir_eval_walk_broadcast(&w, &c.shape);
    for (uint64_t i = 0; i < r->count; i++, ir_eval_walk_next(&w))
        r->f64[i] += share * c.f64[w.off[0]];
    return true;
}

static bool eval_gemm(struct eval_job *j) {
    struct eval_array a, b, r;
    if (!operands(j, &a, &b) || a.class != EVAL_F64) return false;
    if (a.shape.rank != 2 || b.shape.rank != 2) return false;
    struct matrix x = last_two(&a, false), y = last_two(&b, true);
    if (ir_eval_attr_int(j, "transA", 0)) x = transposed(x);
    if (ir_eval_attr_int(j, "transB", 0)) y = transposed(y);
    const struct eval_shape s = {.rank = 2, .at = {(int64_t)x.rows, (int64_t)y.columns}};
    if (x.columns != y.rows || !ir_eval_array_new(j, a.dtype, EVAL_F64, &s, &r) ||
        !may_multiply(j, &r, x.columns))
        return false;
    multiply(&x, &y, &r, 0);
    return add_scaled(j, &r) && ir_eval_put(j, 0, &r);
}

const struct eval_op ir_eval_matmul_ops[] = {
    {"Gemm", eval_gemm, 0},
    {"MatMul", eval_mat_mul, 0},
    {NULL, NULL, 0},
};
