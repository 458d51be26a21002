/* axes.c -- attributes that name dimensions must name ones that are there, for
 * every operator: rules of inference that merely hand on a shape do not look at them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"

/* Of what the attribute names a dimension: an operand. */
enum { NOT_OF_AN_OPERAND = -1 }; /* its rule checks it */
struct axis_of {
    const char *domain, *op, *attr;
    int operand;
};
/* Attributes by these names are axes of operand 0, but for: */
static const char *const names[] = {"axis", "axes", "batch_axis", "time_axis"};
static const struct axis_of exceptions[] = {
    {"", "ConcatFromSequence", "axis", NOT_OF_AN_OPERAND}, /* of the elements */
    {"", "Flatten", "axis", NOT_OF_AN_OPERAND},            /* may be the rank */
    {"", "OneHot", "axis", NOT_OF_AN_OPERAND},             /* of the result */
    {"", "Unsqueeze", "axes", NOT_OF_AN_OPERAND},          /* of the result */
    {"com.microsoft", "QLinearConcat", "axis", 2},
};
/* The axis that an operand gives. */
static const struct axis_of operands[] = {
    {"", "CumProd", "axis", 1},
    {"", "CumSum", "axis", 1},
};

static const struct axis_of *find(const struct axis_of *table, size_t n,
                                  const struct infer *x, const char *attr) {
    for (size_t i = 0; i < n; i++)
        if (rw_streq(table[i].op, x->schema->name) &&
            rw_streq(table[i].domain, x->schema->domain) &&
            (!attr || rw_streq(table[i].attr, attr)))
            return &table[i];
    return NULL;
}

/* Quantisation with one scale for all has no axis, whatever is written. */
static bool is_without_axis(const struct infer *x) {
    struct infer_shape scale;
    const char *op = x->schema->name;
    if (!rw_streq(op, "QuantizeLinear") && !rw_streq(op, "DequantizeLinear")) return false;
    return !infer_shape_of(x, 1, &scale) || scale.rank == 0 ||
           (scale.rank == 1 && infer_is_one(x, scale.dim[0]));
}

/* A scalar has a dimension here. No tensor has more than 2^31 of them. */
static bool check(struct infer *x, int64_t axis, uint32_t operand) {
    const struct ir_type *t = infer_in(x, operand);
    uint32_t rank = ir_type_ranked(t) ? t->rank : INT32_MAX, at;
    return infer_axis(x, axis, rank ? rank : 1, &at);
}

static bool check_attribute(struct infer *x, const struct ir_schema_attr *formal) {
    const struct axis_of *other = find(exceptions, countof(exceptions), x, formal->name);
    int operand = other ? other->operand : 0;
    if (operand == NOT_OF_AN_OPERAND || is_without_axis(x)) return true;
    const struct ir_attr *a = ir_find_attr(x->g, x->n, formal->name);
    if (a && (a->ref || a->type != formal->type)) return true;
    if (formal->type == IR_ATTR_INT) {
        if (!a && formal->has_default != IR_HAS_DEFAULT) return true;
        return check(x, a ? a->i : formal->i, (uint32_t)operand);
    }
    for (uint32_t i = 0; a && formal->type == IR_ATTR_INTS && i < a->n; i++)
        if (!check(x, a->ints[i], (uint32_t)operand)) return false;
    return true;
}

static bool is_axis(const char *name) {
    for (size_t i = 0; i < countof(names); i++)
        if (rw_streq(name, names[i])) return true;
    return false;
}

bool infer_check_axes(struct infer *x) {
    const struct ir_schema *s = x->schema;
    int64_t axis;
    for (uint32_t i = 0; s && i < s->nattrs; i++)
        if (is_axis(s->attrs[i].name) && !check_attribute(x, &s->attrs[i])) return false;
    const struct axis_of *given = s ? find(operands, countof(operands), x, NULL) : NULL;
    if (!given || !infer_has(x, (uint32_t)given->operand)) return true;
    const struct ir_symval *value = infer_value_of(x, (uint32_t)given->operand);
    return !value || value->len != 1 || !infer_is_const(x, value->items[0], &axis) ||
           check(x, axis, 0);
}
