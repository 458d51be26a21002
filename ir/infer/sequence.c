/* sequence.c -- sequences and optionals.
 *
 * The type of a sequence says what all of its elements have in common. In a body a symbol
 * has a value of its own in every iteration, so there only numbers are kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

#include "ir/file/load.h"

static const struct ir_type *kept_type(const struct infer *x, const struct ir_type *t) {
    struct ir_type *kept = arena_copy(x->m->arena, t, sizeof *t);
    if (t->ranked) kept->dims = arena_copy(x->m->arena, t->dims, t->rank * sizeof *t->dims);
    return kept;
}

static void set_holder(struct infer *x, uint32_t k, enum ir_type_kind kind,
                       const struct ir_type *elem) {
    infer_set_type(x, k, &(struct ir_type){.kind = kind, .elem = elem});
}

const struct ir_type *infer_as_element(const struct infer *x, const struct ir_type *t) {
    struct infer_shape s;
    int64_t size;
    if (!t || t->kind != IR_TENSOR) return t;
    struct ir_type elem = {.kind = IR_TENSOR, .dtype = t->dtype};
    if (!infer_type_shape(x, t, &s)) return kept_type(x, &elem);
    for (uint32_t i = 0; x->g->outer && i < s.rank; i++)
        if (!infer_is_const(x, s.dim[i], &size)) s.dim[i] = IR_DIM_UNKNOWN;
    elem.ranked = true;
    elem.rank = s.rank;
    elem.dims = s.dim;
    return kept_type(x, &elem);
}

/* What holds of both, or NULL. */
const struct ir_type *infer_common_element(const struct infer *x, const struct ir_type *a,
                                           const struct ir_type *b) {
    struct infer_shape s, t;
    if (!a || !b || a->kind != b->kind) return NULL;
    if (a->kind != IR_TENSOR) return a;
    struct ir_type elem = {.kind = IR_TENSOR, .dtype = infer_dtype_or(a, b)};
    if (!infer_type_shape(x, a, &s) || !infer_type_shape(x, b, &t) || s.rank != t.rank)
        return kept_type(x, &elem);
    for (uint32_t i = 0; i < s.rank; i++)
        if (s.dim[i] != t.dim[i]) s.dim[i] = IR_DIM_UNKNOWN;
    elem.ranked = true;
    elem.rank = s.rank;
    elem.dims = s.dim;
    return kept_type(x, &elem);
}

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
    set_holder(x, 0, IR_SEQUENCE, infer_as_element(x, &elem));
    return true;
}

bool infer_sequence_construct(struct infer *x) {
    const struct ir_type *elem = infer_as_element(x, infer_in(x, 0));
    for (uint32_t k = 1; k < x->nin && elem; k++)
        elem = infer_common_element(x, elem, infer_as_element(x, infer_in(x, k)));
    if (!elem)
        elem = kept_type(x, &(struct ir_type){.kind = IR_TENSOR,
                                              .dtype = infer_dtype(x, 0)});
    set_holder(x, 0, IR_SEQUENCE, elem);
    return true;
}

bool infer_sequence_empty(struct infer *x) {
    enum ir_dtype t = infer_named_dtype(x, "dtype", IR_FLOAT);
    set_holder(x, 0, IR_SEQUENCE,
               kept_type(x, &(struct ir_type){.kind = IR_TENSOR, .dtype = t}));
    return true;
}

bool infer_sequence_insert(struct infer *x) {
    const struct ir_type *list = infer_in(x, 0);
    const struct ir_type *item = infer_as_element(x, infer_in(x, 1)), *elem = NULL;
    if (list && list->elem) elem = infer_common_element(x, list->elem, item);
    if (!elem)
        elem = kept_type(x, &(struct ir_type){.kind = IR_TENSOR,
                                              .dtype = infer_dtype(x, 1)});
    set_holder(x, 0, IR_SEQUENCE, elem);
    return true;
}

/* SequenceErase: the very type. */
bool infer_same_type(struct infer *x) {
    infer_set_type(x, 0, infer_in(x, 0));
    return true;
}

bool infer_sequence_at(struct infer *x) {
    const struct ir_type *t = infer_in(x, 0);
    if (t && t->kind == IR_SEQUENCE) infer_set_type(x, 0, t->elem);
    return true;
}

/* Each operand that is a sequence gives one element an iteration, others stay as they are;
 * the results are collected in sequences. */
bool infer_sequence_map(struct infer *x) {
    struct ir_graph *body = infer_body_of(x, "body");
    if (!body) return true;
    for (uint32_t k = 0; k < x->nin; k++) {
        const struct ir_type *t = infer_in(x, k);
        bool taken_apart = t && t->kind == IR_SEQUENCE;
        infer_set_body_input(body, k, taken_apart ? t->elem : t);
    }
    infer_body(x, body);
    for (uint32_t k = 0; k < x->nout; k++) {
        const struct ir_type *each = infer_body_output(body, k);
        struct infer inside = {.g = body, .m = x->m, .d = x->d};
        if (each) set_holder(x, k, IR_SEQUENCE, infer_as_element(&inside, each));
    }
    return true;
}

/* --- optionals --------------------------------------------------------------------- */

/* What attribute `type` says, where there is no operand to tell. */
static const struct ir_type *type_attribute(const struct infer *x) {
    const struct ir_attr *a = ir_find_attr(x->g, x->n, "type");
    struct ir_load load = {.m = x->m};
    if (!a || a->type != IR_ATTR_TYPE_PROTO || !a->proto) return NULL;
    return ir_load_type(&load, a->proto->tp, false);
}

bool infer_optional(struct infer *x) {
    const struct ir_type *t = infer_has(x, 0) ? infer_in(x, 0) : type_attribute(x);
    if (t) set_holder(x, 0, IR_OPTIONAL, kept_type(x, t));
    return true;
}

/* From opset 18 what is no optional is handed on. */
bool infer_optional_get_element(struct infer *x) {
    const struct ir_type *t = infer_in(x, 0);
    infer_set_type(x, 0, t && t->kind == IR_OPTIONAL ? t->elem : t);
    return true;
}

/* --- and back ---------------------------------------------------------------------- */

/* As many as the elements have together; a new axis is as long as the sequence. */
bool infer_concat_from_sequence(struct infer *x) {
    const struct ir_type *t = infer_in(x, 0);
    struct infer_shape s;
    uint32_t axis;
    if (t && t->kind != IR_SEQUENCE) return infer_fail(x, "the operand is no sequence");
    enum ir_dtype dtype = t ? ir_type_dtype(t->elem) : IR_UNDEFINED;
    bool is_new = infer_int(x, "new_axis", 0) != 0;
    infer_set_unranked(x, 0, dtype, 0);
    if (!t || !infer_type_shape(x, t->elem, &s) || s.rank == INFER_MAX_RANK) return true;
    if (!infer_axis(x, infer_int(x, "axis", 0), s.rank + is_new, &axis)) return false;
    if (is_new)
        memmove(&s.dim[axis + 1], &s.dim[axis], (s.rank++ - axis) * sizeof *s.dim);
    s.dim[axis] = IR_DIM_UNKNOWN;
    infer_set(x, 0, dtype, &s);
    return true;
}
