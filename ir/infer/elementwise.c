/* elementwise.c -- operators whose output has the shape of one operand, or of all
 * of them broadcast.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* --- the shape of one operand ------------------------------------------------------ */

/* Output 0 has shape (and by the schema the type) of operand 0. */
bool infer_like_first(struct infer *x) {
    infer_set_like(x, 0, IR_UNDEFINED, 0);
    return true;
}

/* The same in an operator that the schemas of the model's opset do not have. */
bool infer_same_as_first(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    return true;
}

/* The first two operands have one shape; they do not broadcast. */
bool infer_same_shapes(struct infer *x) {
    struct infer_shape a, b;
    bool known_a = infer_shape_of(x, 0, &a), known_b = infer_shape_of(x, 1, &b);
    infer_set_like(x, 0, infer_dtype(x, 0), known_a || !known_b ? 0 : 1);
    if (!known_a || !known_b) return true;
    if (a.rank != b.rank)
        return infer_fail(x, "the operands have ranks %u and %u, wanted the same", a.rank,
                          b.rank);
    for (uint32_t i = 0; i < a.rank; i++)
        if (!infer_same(x, &a.dim[i], b.dim[i], "dimensions of the operands")) return false;
    infer_set(x, 0, infer_dtype(x, 0), &a);
    return true;
}

bool infer_cast(struct infer *x) {
    enum ir_dtype to = infer_named_dtype(x, "to", IR_UNDEFINED);
    if (to == IR_UNDEFINED)
        return infer_fail(x, "attribute \"to\" is no element type: %" PRId64,
                          infer_int(x, "to", IR_UNDEFINED));
    infer_set_like(x, 0, to, 0);
    return true;
}

bool infer_cast_like(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 1), 0);
    return true;
}

/* The type that an attribute names, else the operand's: Bernoulli, EyeLike, RandomLike. */
bool infer_like_with_dtype(struct infer *x) {
    infer_set_like(x, 0, infer_named_dtype(x, "dtype", infer_dtype(x, 0)), 0);
    return true;
}

bool infer_dropout(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    bool typed_mask = x->schema && !*x->schema->domain && x->schema->since < 10;
    infer_set_like(x, 1, typed_mask ? infer_dtype(x, 0) : IR_BOOL, 0);
    return true;
}

/* The type of the zero point, uint8 without one; from opset 21 an attribute may name it. */
bool infer_quantize_linear(struct infer *x) {
    infer_set_like(x, 0,
                   infer_has(x, 2) ? infer_dtype(x, 2)
                                   : infer_named_dtype(x, "output_dtype", IR_UINT8),
                   0);
    return true;
}

bool infer_dequantize_linear(struct infer *x) {
    infer_set_like(x, 0, infer_named_dtype(x, "output_dtype", infer_dtype(x, 1)), 0);
    return true;
}

bool infer_dynamic_quantize_linear(struct infer *x) {
    infer_set_like(x, 0, IR_UINT8, 0);
    infer_set(x, 1, IR_FLOAT, &(struct infer_shape){0});
    infer_set(x, 2, IR_UINT8, &(struct infer_shape){0});
    return true;
}

/* --- broadcasting ------------------------------------------------------------------ */

/* All operands of one unknown shape, scalars aside, give that shape. */
static uint32_t common_opaque(const struct infer *x, const uint32_t *operand, uint32_t n) {
    uint32_t opaque = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_type *t = infer_in(x, operand[i]);
        if (ir_type_ranked(t) && t->rank == 0) continue;
        if (!t || t->kind != IR_TENSOR || t->ranked || !t->opaque) return 0;
        if (opaque && t->opaque != opaque) return 0;
        opaque = t->opaque;
    }
    return opaque;
}

static bool broadcast_operands(struct infer *x, enum ir_dtype t, const uint32_t *operand,
                               uint32_t n) {
    struct infer_shape s = {0}, other;
    for (uint32_t i = 0; i < n; i++) {
        if (!infer_shape_of(x, operand[i], &other)) {
            infer_set_unranked(x, 0, t, common_opaque(x, operand, n));
            return true;
        }
        if (!infer_broadcast_with(x, &s, &other)) return false;
    }
    infer_set(x, 0, t, &s);
    return true;
}

/* Before opset 7 operand 1 fits operand 0, which gives the shape. */
static bool is_one_sided(const struct infer *x) {
    return x->schema && !*x->schema->domain && x->schema->since < 7 &&
           ir_schema_attr(x->schema, "broadcast");
}

bool infer_broadcast(struct infer *x) {
    uint32_t first[INFER_MAX_ITEMS];
    if (is_one_sided(x)) return infer_like_first(x);
    if (x->nin > countof(first)) {
        infer_set_unranked(x, 0, IR_UNDEFINED, 0);
        return true;
    }
    for (uint32_t i = 0; i < x->nin; i++) first[i] = i;
    return broadcast_operands(x, IR_UNDEFINED, first, x->nin);
}

/* QLinearAdd, QLinearMul: (a, scale, zero point, b, scale, zero point, ...) */
bool infer_qlinear_broadcast(struct infer *x) {
    static const uint32_t operands[] = {0, 3};
    return broadcast_operands(x, infer_dtype(x, 0), operands, countof(operands));
}

/* (condition, x, scale, zero point, y, ...) */
bool infer_qlinear_where(struct infer *x) {
    static const uint32_t operands[] = {0, 1, 4};
    return broadcast_operands(x, infer_dtype(x, 1), operands, countof(operands));
}

/* MulInteger: (a, zero point, b, zero point) */
bool infer_mul_integer(struct infer *x) {
    static const uint32_t operands[] = {0, 2};
    return broadcast_operands(x, IR_INT32, operands, countof(operands));
}

/* A bias of the last dimension is added: BiasGelu(x, b). */
bool infer_bias(struct infer *x) {
    struct infer_shape s, bias;
    if (infer_shape_of(x, 1, &bias) && bias.rank > 1)
        return infer_fail(x, "the bias has rank %u, wanted 1", bias.rank);
    if (infer_shape_of(x, 0, &s) && infer_shape_of(x, 1, &bias) && s.rank == 0)
        return infer_fail(x, "the data is a scalar, wanted rank 1 or more");
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    return true;
}
