/* matmul.c -- products of matrices.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

static void swap_last(struct infer_shape *s) {
    ir_dim last = s->dim[s->rank - 1];
    s->dim[s->rank - 1] = s->dim[s->rank - 2];
    s->dim[s->rank - 2] = last;
}

/* The shape of a @ b, numpy's way: vectors gain a dimension that the result loses. */
static bool product_shape(struct infer *x, struct infer_shape *a, struct infer_shape *b,
                          struct infer_shape *out) {
    if (!a->rank || !b->rank)
        return infer_fail(x, "a factor is a scalar, wanted rank 1 or more");
    bool row = a->rank == 1, column = b->rank == 1;
    ir_dim inner = a->dim[a->rank - 1];
    ir_dim other = b->dim[column ? 0 : b->rank - 2];
    if (!infer_same(x, &inner, other, "the inner dimensions")) return false;
    struct infer_shape batch_b = {.rank = column ? 0 : b->rank - 2};
    memcpy(batch_b.dim, b->dim, batch_b.rank * sizeof *b->dim);
    out->rank = row ? 0 : a->rank - 2;
    memcpy(out->dim, a->dim, out->rank * sizeof *a->dim);
    if (!infer_broadcast_with(x, out, &batch_b)) return false;
    if (!row) out->dim[out->rank++] = a->dim[a->rank - 2];
    if (!column) out->dim[out->rank++] = b->dim[b->rank - 1];
    return true;
}

static bool product(struct infer *x, enum ir_dtype t, uint32_t left, uint32_t right) {
    struct infer_shape a, b, out;
    if (!infer_shape_of(x, left, &a) || !infer_shape_of(x, right, &b)) {
        infer_set_unranked(x, 0, t, 0);
        return true;
    }
    if (!product_shape(x, &a, &b, &out)) return false;
    infer_set(x, 0, t, &out);
    return true;
}

bool infer_matmul(struct infer *x) { return product(x, IR_UNDEFINED, 0, 1); }

bool infer_matmul_integer(struct infer *x) { return product(x, IR_INT32, 0, 1); }

bool infer_matmul_integer_to_float(struct infer *x) {
    return product(x, infer_dtype(x, 2), 0, 1);
}

/* (a, scale, zero point, b, scale, zero point, y scale, y zero point) */
bool infer_qlinear_matmul(struct infer *x) { return product(x, infer_dtype(x, 7), 0, 3); }

bool infer_dynamic_quantize_matmul(struct infer *x) {
    return product(x, infer_dtype(x, 0), 0, 1);
}

/* transBatch moves the batch dims behind: [b0, b1, m, k] is stored as [m, b0, b1, k]. */
static void from_batch_transposed(struct infer_shape *s) {
    ir_dim first = s->dim[0];
    memmove(s->dim, s->dim + 1, (s->rank - 2) * sizeof *s->dim);
    s->dim[s->rank - 2] = first;
}

static void arrange(const struct infer *x, struct infer_shape *s, const char *trans,
                    const char *trans_batch) {
    if (s->rank >= 3 && infer_int(x, trans_batch, 0)) from_batch_transposed(s);
    if (s->rank >= 2 && infer_int(x, trans, 0)) swap_last(s);
}

bool infer_fused_matmul(struct infer *x) {
    struct infer_shape a, b, out;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &a) || !infer_shape_of(x, 1, &b)) return true;
    arrange(x, &a, "transA", "transBatchA");
    arrange(x, &b, "transB", "transBatchB");
    if (!product_shape(x, &a, &b, &out)) return false;
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

/* [m, n] of two matrices, either of them transposed. */
static bool gemm_shape(struct infer *x, uint32_t left, uint32_t right, enum ir_dtype t) {
    struct infer_shape a, b, out = {.rank = 2};
    bool has_a = infer_shape_of(x, left, &a), has_b = infer_shape_of(x, right, &b);
    if (has_a && a.rank != 2) return infer_fail(x, "A has rank %u, wanted 2", a.rank);
    if (has_b && b.rank != 2) return infer_fail(x, "B has rank %u, wanted 2", b.rank);
    if (has_a && infer_int(x, "transA", 0)) swap_last(&a);
    if (has_b && infer_int(x, "transB", 0)) swap_last(&b);
    if (has_a) out.dim[0] = a.dim[0];
    if (has_b) out.dim[1] = b.dim[1];
    if (has_a && has_b && !infer_same(x, &a.dim[1], b.dim[0], "the inner dimensions"))
        return false;
    infer_set(x, 0, t, &out);
    return true;
}

bool infer_gemm(struct infer *x) { return gemm_shape(x, 0, 1, infer_dtype(x, 0)); }

/* com.microsoft QGemm: (A, scale, zero point, B, scale, zero point, C, y scale, y zero) */
bool infer_qgemm(struct infer *x) {
    enum ir_dtype t = infer_has(x, 8) ? infer_dtype(x, 8) : IR_FLOAT;
    return gemm_shape(x, 0, 3, t);
}

/* com.microsoft GemmFloat8 */
bool infer_gemm_float8(struct infer *x) {
    return gemm_shape(x, 0, 1, infer_named_dtype(x, "dtype", IR_FLOAT));
}

/* Output k has the operand's shape with that many columns. */
static void set_columns(struct infer *x, uint32_t k, int64_t columns) {
    struct infer_shape s;
    infer_set_unranked(x, k, infer_dtype(x, 0), 0);
    if (columns < 0 || !infer_shape_of(x, 0, &s) || !s.rank) return;
    s.dim[s.rank - 1] = infer_const(x, columns);
    infer_set(x, k, infer_dtype(x, 0), &s);
}

/* MatMulNBitsMlp: the product, and the sum of the operand and what it skips. */
bool infer_matmul_nbits_mlp(struct infer *x) {
    set_columns(x, 0, infer_int(x, "N", -1));
    infer_set_like(x, 1, infer_dtype(x, 0), 0);
    return true;
}

bool infer_matmul_nbits_qkv(struct infer *x) {
    for (uint32_t k = 0; k < 3; k++)
        set_columns(x, k, infer_int(x, k ? "Nkv" : "Nq", -1));
    infer_set_like(x, 3, infer_dtype(x, 0), 0);
    return true;
}

/* A weight of N rows, whatever they are packed to: [..., N] */
bool infer_matmul_block_quantized(struct infer *x) {
    struct infer_shape s, w;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !s.rank) return true;
    bool known = infer_shape_of(x, 1, &w) && w.rank == 2;
    s.dim[s.rank - 1] = known ? w.dim[0] : IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* The weight is a blob; operand 2 states its shape [K, N]. */
bool infer_matmul_fpq4(struct infer *x) {
    struct infer_shape s, shape;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !s.rank) return true;
    bool known = infer_items_of(x, 2, &shape) && shape.rank == 2;
    s.dim[s.rank - 1] = known && infer_never_negative(x, shape.dim[1]) ? shape.dim[1]
                                                                       : IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* The weight is packed; attribute N says how many columns it has. */
bool infer_matmul_nbits(struct infer *x) {
    struct infer_shape s;
    int64_t columns = infer_int(x, "N", -1), rows = infer_int(x, "K", -1);
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (columns < 0 || !infer_shape_of(x, 0, &s) || !s.rank) return true;
    ir_dim *last = &s.dim[s.rank - 1];
    if (rows >= 0 &&
        !infer_same(x, last, infer_const(x, rows), "attribute \"K\" and the operand"))
        return false;
    *last = infer_const(x, columns);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

bool infer_cdist(struct infer *x) {
    struct infer_shape a, b, out = {.rank = 2};
    if (infer_shape_of(x, 0, &a) && a.rank == 2) out.dim[0] = a.dim[0];
    if (infer_shape_of(x, 1, &b) && b.rank == 2) out.dim[1] = b.dim[0];
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}
