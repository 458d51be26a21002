/* value.c -- values of shape tensors, item by item: elementwise operators.
 *
 * Items are integers of 64 bits without bound; what int32 cannot hold is dropped at the
 * end, so a symbolic item supposes that the model's own arithmetic does not overflow.
 * Truth values are 0 and 1. Some exporters take sizes through float: there, items are
 * followed through casts, choices and moves, but not through arithmetic that may round.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* --- the frame --------------------------------------------------------------------- */

bool infer_value_length(const struct infer *x, uint32_t k, uint32_t *rank, uint32_t *len) {
    struct infer_shape s;
    if (!infer_out_shape(x, k, &s) || s.rank > 2) return false;
    *rank = s.rank;
    *len = 1;
    for (uint32_t i = 0; i < s.rank; i++) {
        int64_t n;
        if (!infer_is_const(x, s.dim[i], &n) || n < 0 || n > INFER_MAX_ITEMS) return false;
        *len *= (uint32_t)n;
    }
    return *len <= INFER_MAX_ITEMS;
}

/* Of a number or a list: operands broadcast item by item. */
static bool list_length(const struct infer *x, uint32_t *rank, uint32_t *len) {
    return infer_value_length(x, 0, rank, len) && *rank <= 1;
}

#define DOUBLE_EXACT (INT64_C(1) << 53) /* double has every integer up to here */

static bool fits_double(int64_t value) {
    return value >= -DOUBLE_EXACT && value <= DOUBLE_EXACT;
}

static bool fits(enum ir_dtype t, int64_t value) {
    switch (t) {
    case IR_INT32: return value >= INT32_MIN && value <= INT32_MAX;
    case IR_BOOL: return value == 0 || value == 1;
    case IR_FLOAT: return fits_double(value) && (int64_t)(float)value == value;
    case IR_DOUBLE: return fits_double(value);
    default: return true;
    }
}

static bool holds_values(enum ir_dtype t) {
    return t == IR_INT64 || t == IR_INT32 || t == IR_BOOL || t == IR_FLOAT ||
           t == IR_DOUBLE;
}

void infer_put_items(struct infer *x, uint32_t k, uint32_t rank, uint32_t len,
                     ir_dim *items) {
    enum ir_dtype t = x->out[k].type.dtype;
    if (t == IR_UNDEFINED) t = infer_schema_dtype(x, k);
    if (!holds_values(t)) return;
    for (uint32_t i = 0; i < len; i++) {
        int64_t value;
        if (infer_is_const(x, items[i], &value) && !fits(t, value))
            items[i] = IR_DIM_UNKNOWN;
    }
    infer_set_value(x, k, rank, len, items);
}

static ir_dim item_of(const struct ir_symval *value, uint32_t i) {
    if (!value || !value->len) return IR_DIM_UNKNOWN;
    if (value->len == 1) return value->items[0];
    return i < value->len ? value->items[i] : IR_DIM_UNKNOWN;
}

typedef ir_dim unary_item(const struct infer *x, ir_dim a);
typedef ir_dim binary_item(const struct infer *x, ir_dim a, ir_dim b);

static void map_items(struct infer *x, unary_item *f) {
    uint32_t rank, len;
    ir_dim items[INFER_MAX_ITEMS];
    const struct ir_symval *a = infer_table_of(x, 0);
    if (!a || !infer_value_length(x, 0, &rank, &len) || a->len != len) return;
    for (uint32_t i = 0; i < len; i++) items[i] = f(x, a->items[i]);
    infer_put_items(x, 0, rank, len, items);
}

static void zip_items(struct infer *x, binary_item *f) {
    uint32_t rank, len;
    ir_dim items[INFER_MAX_ITEMS];
    if (!x->nin || !list_length(x, &rank, &len)) return;
    for (uint32_t k = 0; k < x->nin; k++) {
        const struct ir_symval *value = infer_value_of(x, k);
        for (uint32_t i = 0; i < len; i++)
            items[i] = k ? f(x, items[i], item_of(value, i)) : item_of(value, i);
    }
    infer_put_items(x, 0, rank, len, items);
}

/* --- arithmetic -------------------------------------------------------------------- */

static ir_dim add(const struct infer *x, ir_dim a, ir_dim b) {
    return ir_dim_add(x->d, a, b);
}
static ir_dim sub(const struct infer *x, ir_dim a, ir_dim b) {
    return ir_dim_sub(x->d, a, b);
}
static ir_dim min(const struct infer *x, ir_dim a, ir_dim b) {
    return ir_dim_min(x->d, a, b);
}
static ir_dim max(const struct infer *x, ir_dim a, ir_dim b) {
    return ir_dim_max(x->d, a, b);
}

static ir_dim mul(const struct infer *x, ir_dim a, ir_dim b) {
    int64_t value; /* 0 times anything is 0 */
    if (infer_is_const(x, a, &value) && value == 0) return a;
    if (infer_is_const(x, b, &value) && value == 0) return b;
    return ir_dim_mul(x->d, a, b);
}

/* Div rounds towards zero, which is floor where the signs agree. */
static ir_dim quotient(const struct infer *x, ir_dim a, ir_dim b) {
    int64_t p, q;
    bool consts = infer_is_const(x, a, &p) && infer_is_const(x, b, &q);
    if (consts && (q == 0 || (q == -1 && p == INT64_MIN))) return IR_DIM_UNKNOWN;
    if (consts) return infer_const(x, p / q);
    if (infer_never_negative(x, a) && infer_never_negative(x, b))
        return ir_dim_floordiv(x->d, a, b);
    return IR_DIM_UNKNOWN;
}

static ir_dim modulo(const struct infer *x, ir_dim a, ir_dim b) {
    bool same_sign = infer_never_negative(x, a) && infer_never_negative(x, b);
    if (infer_int(x, "fmod", 0) && !same_sign) return IR_DIM_UNKNOWN;
    return ir_dim_mod(x->d, a, b);
}

static ir_dim negate(const struct infer *x, ir_dim a) {
    return ir_dim_sub(x->d, infer_const(x, 0), a);
}

static ir_dim magnitude(const struct infer *x, ir_dim a) {
    int64_t low, high;
    ir_dim_bounds(x->d, a, &low, &high);
    return low >= 0 ? a : high <= 0 ? negate(x, a) : IR_DIM_UNKNOWN;
}

static ir_dim same(const struct infer *x, ir_dim a) {
    RW_UNUSED(x);
    return a;
}

/* Integers only: floats may round, and their Div does not round down. */
static void zip_integers(struct infer *x, binary_item *f) {
    if (!ir_dtype_is_float(infer_dtype(x, 0))) zip_items(x, f);
}

void infer_value_add(struct infer *x) { zip_integers(x, add); }
void infer_value_sub(struct infer *x) { zip_integers(x, sub); }
void infer_value_mul(struct infer *x) { zip_integers(x, mul); }
void infer_value_div(struct infer *x) { zip_integers(x, quotient); }
void infer_value_mod(struct infer *x) { zip_integers(x, modulo); }
void infer_value_min(struct infer *x) { zip_items(x, min); }
void infer_value_max(struct infer *x) { zip_items(x, max); }
void infer_value_neg(struct infer *x) { map_items(x, negate); }
void infer_value_abs(struct infer *x) { map_items(x, magnitude); }
void infer_value_same(struct infer *x) { map_items(x, same); }

/* --- truth ------------------------------------------------------------------------- */

static ir_dim truth(const struct infer *x, enum ir_truth t) {
    return t == IR_UNKNOWN ? IR_DIM_UNKNOWN : infer_const(x, t == IR_TRUE);
}

static enum ir_truth as_truth(const struct infer *x, ir_dim a) {
    return ir_dim_equal(x->d, a, infer_const(x, 0)) == IR_TRUE    ? IR_FALSE
           : ir_dim_equal(x->d, a, infer_const(x, 0)) == IR_FALSE ? IR_TRUE
                                                                  : IR_UNKNOWN;
}

static enum ir_truth opposite(enum ir_truth t) {
    return t == IR_UNKNOWN ? t : t == IR_TRUE ? IR_FALSE : IR_TRUE;
}

static ir_dim equal(const struct infer *x, ir_dim a, ir_dim b) {
    return truth(x, ir_dim_equal(x->d, a, b));
}
static ir_dim less(const struct infer *x, ir_dim a, ir_dim b) {
    return truth(x, ir_dim_less(x->d, a, b));
}
static ir_dim greater(const struct infer *x, ir_dim a, ir_dim b) { return less(x, b, a); }
static ir_dim at_most(const struct infer *x, ir_dim a, ir_dim b) {
    return truth(x, opposite(ir_dim_less(x->d, b, a)));
}
static ir_dim at_least(const struct infer *x, ir_dim a, ir_dim b) {
    return at_most(x, b, a);
}
static ir_dim not(const struct infer *x, ir_dim a) {
    return truth(x, opposite(as_truth(x, a)));
}

static ir_dim and(const struct infer *x, ir_dim a, ir_dim b) {
    enum ir_truth p = as_truth(x, a), q = as_truth(x, b);
    if (p == IR_FALSE || q == IR_FALSE) return truth(x, IR_FALSE);
    return truth(x, p == IR_TRUE ? q : IR_UNKNOWN);
}
static ir_dim or(const struct infer *x, ir_dim a, ir_dim b) {
    enum ir_truth p = as_truth(x, a), q = as_truth(x, b);
    if (p == IR_TRUE || q == IR_TRUE) return truth(x, IR_TRUE);
    return truth(x, p == IR_FALSE ? q : IR_UNKNOWN);
}

void infer_value_equal(struct infer *x) { zip_items(x, equal); }
void infer_value_less(struct infer *x) { zip_items(x, less); }
void infer_value_greater(struct infer *x) { zip_items(x, greater); }
void infer_value_at_most(struct infer *x) { zip_items(x, at_most); }
void infer_value_at_least(struct infer *x) { zip_items(x, at_least); }
void infer_value_and(struct infer *x) { zip_items(x, and); }
void infer_value_or(struct infer *x) { zip_items(x, or); }
void infer_value_not(struct infer *x) { map_items(x, not); }

/* A cast to bool is a comparison with 0. */
void infer_value_cast(struct infer *x) {
    if (x->out[0].type.dtype != IR_BOOL) {
        map_items(x, same);
        return;
    }
    uint32_t rank, len;
    ir_dim items[INFER_MAX_ITEMS];
    const struct ir_symval *a = infer_table_of(x, 0);
    if (!a || !infer_value_length(x, 0, &rank, &len) || a->len != len) return;
    for (uint32_t i = 0; i < len; i++) items[i] = truth(x, as_truth(x, a->items[i]));
    infer_put_items(x, 0, rank, len, items);
}

void infer_value_where(struct infer *x) {
    uint32_t rank, len;
    ir_dim items[INFER_MAX_ITEMS];
    const struct ir_symval *c = infer_value_of(x, 0), *a = infer_value_of(x, 1);
    const struct ir_symval *b = infer_value_of(x, 2);
    if (!list_length(x, &rank, &len)) return;
    for (uint32_t i = 0; i < len; i++) {
        enum ir_truth t = c ? as_truth(x, item_of(c, i)) : IR_UNKNOWN;
        ir_dim p = item_of(a, i), q = item_of(b, i);
        bool agree = ir_dim_equal(x->d, p, q) == IR_TRUE;
        items[i] = t == IR_TRUE || agree ? p : t == IR_FALSE ? q : IR_DIM_UNKNOWN;
    }
    infer_put_items(x, 0, rank, len, items);
}
