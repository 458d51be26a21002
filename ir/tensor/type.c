/* type.c -- making, comparing and printing types of values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/type.h"

const struct ir_type *ir_type_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                                     const ir_dim *dims) {
    struct ir_type *type = arena_new(a, struct ir_type);
    *type = (struct ir_type){.kind = IR_TENSOR, .dtype = t, .ranked = true, .rank = rank};
    if (rank) type->dims = arena_copy(a, dims, rank * sizeof *dims);
    return type;
}

const struct ir_type *ir_type_unranked(struct arena *a, enum ir_dtype t, uint32_t opaque) {
    struct ir_type *type = arena_new(a, struct ir_type);
    *type = (struct ir_type){.kind = IR_TENSOR, .dtype = t, .opaque = opaque};
    return type;
}

static bool is_tensor(const struct ir_type *t) {
    return t && (t->kind == IR_TENSOR || t->kind == IR_SPARSE_TENSOR);
}

const struct ir_type *ir_type_with_dtype(struct arena *a, const struct ir_type *shape_of,
                                         enum ir_dtype t) {
    if (!is_tensor(shape_of)) return t == IR_UNDEFINED ? NULL : ir_type_unranked(a, t, 0);
    if (shape_of->dtype == t) return shape_of;
    struct ir_type *type = arena_copy(a, shape_of, sizeof *shape_of);
    type->dtype = t;
    return type;
}

enum ir_dtype ir_type_dtype(const struct ir_type *t) {
    return is_tensor(t) ? t->dtype : IR_UNDEFINED;
}

bool ir_type_ranked(const struct ir_type *t) { return is_tensor(t) && t->ranked; }

static enum ir_truth both(enum ir_truth a, enum ir_truth b) {
    if (a == IR_FALSE || b == IR_FALSE) return IR_FALSE;
    return a == IR_TRUE && b == IR_TRUE ? IR_TRUE : IR_UNKNOWN;
}

static enum ir_truth dtype_equal(enum ir_dtype a, enum ir_dtype b) {
    if (a == IR_UNDEFINED || b == IR_UNDEFINED) return IR_UNKNOWN;
    return a == b ? IR_TRUE : IR_FALSE;
}

enum ir_truth ir_shape_equal(const struct ir_dims *d, const struct ir_type *a,
                             const struct ir_type *b) {
    if (!is_tensor(a) || !is_tensor(b)) return IR_UNKNOWN;
    if (!a->ranked && !b->ranked)
        return a->opaque && a->opaque == b->opaque ? IR_TRUE : IR_UNKNOWN;
    if (!a->ranked || !b->ranked) return IR_UNKNOWN;
    if (a->rank != b->rank) return IR_FALSE;
    enum ir_truth all = IR_TRUE;
    for (uint32_t i = 0; i < a->rank && all != IR_FALSE; i++)
        all = both(all, ir_dim_equal(d, a->dims[i], b->dims[i]));
    return all;
}

enum ir_truth ir_type_equal(const struct ir_dims *d, const struct ir_type *a,
                            const struct ir_type *b) {
    enum ir_truth all = IR_TRUE;
    for (; a && b; a = a->elem, b = b->elem) {
        if (a->kind != b->kind) return IR_FALSE;
        if (a->kind == IR_OPAQUE) return IR_UNKNOWN;
        if (is_tensor(a))
            return both(all, both(dtype_equal(a->dtype, b->dtype),
                                  ir_shape_equal(d, a, b)));
        if (a->kind == IR_MAP) all = both(all, dtype_equal(a->dtype, b->dtype));
        if (all == IR_FALSE) return IR_FALSE;
    }
    return IR_UNKNOWN;
}

static void print_tensor(const struct ir_dims *d, const struct ir_type *t,
                         struct buf *out) {
    const char *name = ir_dtype_name(t->dtype);
    buf_puts(out, name && t->dtype != IR_UNDEFINED ? name : "?");
    if (!t->ranked) buf_puts(out, "[]");
    if (!t->ranked || t->rank == 0) return;
    for (uint32_t i = 0; i < t->rank; i++) {
        buf_puts(out, i ? ", " : "[");
        if (t->dims[i] == IR_DIM_UNKNOWN) buf_putc(out, '?');
        else ir_dim_print(d, t->dims[i], out);
    }
    buf_putc(out, ']');
}

void ir_type_print(const struct ir_dims *d, const struct ir_type *t, struct buf *out) {
    uint32_t open = 0;
    for (; t && t->kind != IR_TENSOR && t->kind != IR_OPAQUE; t = t->elem, open++) {
        if (t->kind == IR_SEQUENCE) buf_puts(out, "seq(");
        if (t->kind == IR_OPTIONAL) buf_puts(out, "optional(");
        if (t->kind == IR_MAP) buf_printf(out, "map(%s, ", ir_dtype_name(t->dtype));
        if (t->kind == IR_SPARSE_TENSOR) {
            buf_puts(out, "sparse_tensor(");
            open++;
            break;
        }
    }
    if (!t) buf_putc(out, '?');
    else if (t->kind == IR_OPAQUE) buf_puts(out, "opaque");
    else print_tensor(d, t, out);
    while (open--) buf_putc(out, ')');
}
