/* misc.c -- constants, random numbers, what anything may be given to.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* --- constants --------------------------------------------------------------------- */

static void set_tensor_type(struct infer *x, const struct ir_tensor *t) {
    struct infer_shape s = {.rank = t->rank};
    infer_set_unranked(x, 0, t->dtype, 0);
    if (t->rank > INFER_MAX_RANK) return;
    for (uint32_t i = 0; i < t->rank; i++) s.dim[i] = infer_const(x, t->dims[i]);
    infer_set(x, 0, t->dtype, &s);
}

static void set_list(struct infer *x, enum ir_dtype t, uint32_t n) {
    infer_set(x, 0, t, &(struct infer_shape){.rank = 1, .dim = {infer_const(x, n)}});
}

bool infer_constant(struct infer *x) {
    const struct ir_node_info *n = ir_nod(x->g, x->n);
    const struct ir_attr *a = n->nattr ? &n->attr[0] : NULL;
    if (!a || a->ref) return true;
    switch (a->type) {
    case IR_ATTR_TENSOR: if (a->n) set_tensor_type(x, a->tensors[0]); break;
    case IR_ATTR_INT: infer_set(x, 0, IR_INT64, &(struct infer_shape){0}); break;
    case IR_ATTR_FLOAT: infer_set(x, 0, IR_FLOAT, &(struct infer_shape){0}); break;
    case IR_ATTR_STRING: infer_set(x, 0, IR_STRING, &(struct infer_shape){0}); break;
    case IR_ATTR_INTS: set_list(x, IR_INT64, a->n); break;
    case IR_ATTR_FLOATS: set_list(x, IR_FLOAT, a->n); break;
    case IR_ATTR_STRINGS: set_list(x, IR_STRING, a->n); break;
    default: break;
    }
    return true;
}

/* Shape by attribute: RandomNormal, RandomUniform. */
bool infer_random(struct infer *x) {
    struct infer_ints shape = infer_ints(x, "shape");
    struct infer_shape s = {.rank = shape.n};
    if (!shape.known || shape.n > INFER_MAX_RANK) return true;
    for (uint32_t i = 0; i < shape.n; i++) s.dim[i] = infer_const(x, shape.at[i]);
    infer_set(x, 0, infer_named_dtype(x, "dtype", IR_FLOAT), &s);
    return true;
}

/* [batch, classes] -> [batch, sample_size] */
bool infer_multinomial(struct infer *x) {
    struct infer_shape s, out = {.rank = 2};
    int64_t n = infer_int(x, "sample_size", 1);
    if (n < 0) return infer_fail(x, "attribute \"sample_size\" is %" PRId64, n);
    if (infer_shape_of(x, 0, &s) && s.rank == 2) out.dim[0] = s.dim[0];
    out.dim[1] = infer_const(x, n);
    infer_set(x, 0, infer_named_dtype(x, "dtype", IR_INT32), &out);
    return true;
}

/* --- anything ---------------------------------------------------------------------- */

bool infer_identity(struct infer *x) {
    const struct ir_type *t = infer_in(x, 0);
    if (t && t->kind == IR_TENSOR) infer_set_like(x, 0, t->dtype, 0);
    else infer_set_type(x, 0, t);
    return true;
}

/* SequenceLength, OptionalHasElement: a scalar of the schema's type. */
bool infer_scalar(struct infer *x) {
    infer_set(x, 0, IR_UNDEFINED, &(struct infer_shape){0});
    return true;
}
