/* infer_misc.c -- constants, sequences, optionals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer_rules.h"

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
    int64_t t = infer_int(x, "dtype", IR_FLOAT);
    if (!shape.known || shape.n > INFER_MAX_RANK) return true;
    for (uint32_t i = 0; i < shape.n; i++) s.dim[i] = infer_const(x, shape.at[i]);
    infer_set(x, 0, t > 0 && t < IR_DTYPE_N ? (enum ir_dtype)t : IR_FLOAT, &s);
    return true;
}

/* --- sequences and optionals ------------------------------------------------------- */

static void set_sequence(struct infer *x, uint32_t k, const struct ir_type *elem) {
    struct ir_type *kept = arena_copy(x->m->arena, elem, sizeof *elem);
    if (elem->ranked)
        kept->dims = arena_copy(x->m->arena, elem->dims, elem->rank * sizeof *elem->dims);
    infer_set_type(x, k, &(struct ir_type){.kind = IR_SEQUENCE, .elem = kept});
}

/* Elements share type and rank, and the dims that all of them are known to have. */
bool infer_split_to_sequence(struct infer *x) {
    struct infer_shape s;
    uint32_t axis;
    struct ir_type elem = {.kind = IR_TENSOR, .dtype = infer_dtype(x, 0)};
    if (infer_shape_of(x, 0, &s)) {
        if (!infer_axis(x, infer_int(x, "axis", 0), s.rank, &axis)) return false;
        bool whole = infer_has(x, 1) || infer_int(x, "keepdims", 1);
        if (whole) s.dim[axis] = infer_has(x, 1) ? IR_DIM_UNKNOWN : infer_const(x, 1);
        else memmove(&s.dim[axis], &s.dim[axis + 1], (--s.rank - axis) * sizeof *s.dim);
        elem.ranked = true;
        elem.rank = s.rank;
        elem.dims = s.dim;
    }
    set_sequence(x, 0, &elem);
    return true;
}

/* SequenceConstruct, SequenceEmpty, SequenceInsert: the element type alone. */
bool infer_sequence_construct(struct infer *x) {
    set_sequence(x, 0, &(struct ir_type){.kind = IR_TENSOR, .dtype = infer_dtype(x, 0)});
    return true;
}

bool infer_sequence_empty(struct infer *x) {
    int64_t t = infer_int(x, "dtype", IR_FLOAT);
    bool named = t > 0 && t < IR_DTYPE_N;
    set_sequence(x, 0, &(struct ir_type){.kind = IR_TENSOR,
                                         .dtype = named ? (enum ir_dtype)t : IR_FLOAT});
    return true;
}

bool infer_sequence_insert(struct infer *x) {
    set_sequence(x, 0, &(struct ir_type){.kind = IR_TENSOR, .dtype = infer_dtype(x, 1)});
    return true;
}

/* SequenceErase, Identity of anything: the very type. */
bool infer_same_type(struct infer *x) {
    infer_set_type(x, 0, infer_in(x, 0));
    return true;
}

bool infer_identity(struct infer *x) {
    const struct ir_type *t = infer_in(x, 0);
    if (t && t->kind == IR_TENSOR) infer_set_like(x, 0, t->dtype, 0);
    else infer_set_type(x, 0, t);
    return true;
}

bool infer_element(struct infer *x) { /* SequenceAt, OptionalGetElement */
    const struct ir_type *t = infer_in(x, 0);
    if (t && t->elem) infer_set_type(x, 0, t->elem);
    else if (rw_streq(ir_op_name(x->g, x->n), "OptionalGetElement"))
        infer_set_type(x, 0, t);
    return true;
}

bool infer_concat_from_sequence(struct infer *x) {
    const struct ir_type *t = infer_in(x, 0);
    infer_set_unranked(x, 0, t ? ir_type_dtype(t->elem) : IR_UNDEFINED, 0);
    return true;
}

/* SequenceLength, OptionalHasElement: a scalar of the schema's type. */
bool infer_scalar(struct infer *x) {
    infer_set(x, 0, IR_UNDEFINED, &(struct infer_shape){0});
    return true;
}
