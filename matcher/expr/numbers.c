/* numbers.c -- arithmetic and comparison of the values of expressions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/expr/expr.h"

#include <math.h>

#define MAX_ITEMS 4096u
#define MAX_BYTES ((uint64_t)64 << 20) /* of a constant all of which is looked at */

static const struct pm_val unknown = {.kind = VAL_UNKNOWN};

struct pm_val pm_int(int64_t i) { return (struct pm_val){.kind = VAL_INT, .i = i}; }

struct pm_val pm_bool(enum ir_truth t) {
    return t == IR_UNKNOWN ? unknown : (struct pm_val){.kind = VAL_BOOL, .i = t == IR_TRUE};
}

struct pm_val pm_real(double x, double tolerance) {
    return (struct pm_val){.kind = VAL_REAL, .real = x, .tolerance = tolerance};
}

struct pm_val pm_dim(const struct pm_env *env, ir_dim d) {
    int64_t i;
    if (d == IR_DIM_UNKNOWN) return unknown;
    if (ir_dim_is_const(env->site.g->model->dims, d, &i)) return pm_int(i);
    return (struct pm_val){.kind = VAL_DIM, .dim = d};
}

struct pm_val pm_list(uint32_t n, const struct pm_val *items) {
    return (struct pm_val){.kind = VAL_LIST, .n = n, .items = items};
}

/* --- constants -------------------------------------------------------------------- */
static struct pm_val element(struct ir_model *m, const struct ir_tensor *t, uint64_t i) {
    int64_t n;
    double x;
    if (t->storage == IR_STRINGS)
        return (struct pm_val){.kind = VAL_STRING, .s = t->strings[i]};
    if (t->dtype == IR_BOOL && ir_tensor_int_at(m, t, i, &n))
        return pm_bool(n ? IR_TRUE : IR_FALSE);
    if (ir_dtype_is_int(t->dtype))
        return ir_tensor_int_at(m, t, i, &n) ? pm_int(n) : unknown;
    return ir_tensor_double_at(m, t, i, &x) ? pm_real(x, pm_tolerance(t->dtype)) : unknown;
}

/* A list is worth as many steps as it has items: it is made anew wherever it is mentioned. */
static bool charge(struct pm_env *env, uint32_t n) {
    bool ok = env->budget >= n;
    env->budget = ok ? env->budget - n : 0;
    return ok;
}

static struct pm_val all_elements(struct pm_env *env, const struct ir_tensor *t) {
    if (t->count > MAX_ITEMS || !charge(env, (uint32_t)t->count)) return unknown;
    uint32_t n = (uint32_t)t->count;
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, n);
    for (uint32_t i = 0; i < n; i++) items[i] = element(env->site.g->model, t, i);
    return pm_list(n, items);
}

static struct pm_val tensor_value(struct pm_env *env, const struct ir_tensor *t) {
    if (t->rank == 1) return all_elements(env, t);
    return t->count == 1 ? element(env->site.g->model, t, 0) : unknown;
}

struct pm_val pm_items(struct pm_env *env, struct pm_val v) {
    if (v.kind != VAL_VALUE) return v.kind == VAL_ABSENT ? v : unknown;
    const struct ir_tensor *t = ir_const(env->site.g, v.value);
    return t ? all_elements(env, t) : unknown;
}

/* Elements are looked at in memory, since weights may be many. */
struct pm_val pm_largest(struct pm_env *env, struct pm_val v) {
    struct ir_model *m = env->site.g->model;
    const struct ir_tensor *t = v.kind == VAL_VALUE ? ir_const(env->site.g, v.value) : NULL;
    if (v.kind == VAL_ABSENT) return v;
    if (!t || !ir_dtype_is_float(t->dtype) || ir_dtype_bits(t->dtype) < 8 ||
        t->nbytes > MAX_BYTES)
        return unknown;
    struct arena_mark mark = arena_mark(env->site.arena);
    struct ir_tensor here = *t;
    here.storage = IR_IN_MEMORY;
    here.proto = NULL;
    here.data = ir_tensor_read(m, t, env->site.arena);
    double most = 0, x = 0;
    bool known = here.data != NULL;
    for (uint64_t i = 0; known && i < t->count; i++) {
        known = ir_tensor_double_at(m, &here, i, &x) && !isnan(x);
        most = fmax(most, fabs(x));
    }
    arena_reset(env->site.arena, mark);
    return known ? pm_real(most, pm_tolerance(t->dtype)) : unknown;
}

struct pm_val pm_known(struct pm_env *env, struct pm_val v) {
    if (v.kind != VAL_VALUE) return v;
    const struct ir_tensor *t = ir_const(env->site.g, v.value);
    if (t) return tensor_value(env, t);
    const struct ir_symval *s = ir_symval_of(env->site.g, v.value);
    if (!s || s->rank > 1) return unknown;
    if (s->rank == 0) return pm_dim(env, s->items[0]);
    if (s->len > MAX_ITEMS || !charge(env, s->len)) return unknown;
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, s->len);
    for (uint32_t i = 0; i < s->len; i++) items[i] = pm_dim(env, s->items[i]);
    return pm_list(s->len, items);
}

/* A number where one is needed: a list of one is that one ([1e-5] as epsilon). */
static struct pm_val number(struct pm_env *env, struct pm_val v) {
    v = pm_known(env, v);
    return v.kind == VAL_LIST && v.n == 1 ? v.items[0] : v;
}

bool pm_as_real(struct pm_val v, double *out) {
    if (v.kind == VAL_REAL) *out = v.real;
    else if (v.kind == VAL_INT || v.kind == VAL_BOOL) *out = (double)v.i;
    else return false;
    return true;
}

bool pm_as_dim(const struct pm_env *env, struct pm_val v, ir_dim *out) {
    if (v.kind == VAL_DIM) *out = v.dim;
    else if (v.kind == VAL_INT) *out = ir_dim_const(env->site.g->model->dims, v.i);
    else return false;
    return true;
}

/* --- arithmetic ------------------------------------------------------------------- */
static struct pm_val real_arith(enum expr_kind op, struct pm_val a, struct pm_val b) {
    double x, y;
    if (!pm_as_real(a, &x) || !pm_as_real(b, &y)) return unknown;
    double tolerance = fmax(a.tolerance, b.tolerance);
    switch (op) {
    case EXPR_ADD: return pm_real(x + y, tolerance);
    case EXPR_SUB: return pm_real(x - y, tolerance);
    case EXPR_MUL: return pm_real(x * y, tolerance);
    case EXPR_DIV: return y == 0 ? unknown : pm_real(x / y, tolerance);
    case EXPR_MOD: return y == 0 ? unknown : pm_real(x - y * floor(x / y), tolerance);
    default: return unknown;
    }
}

static struct pm_val dim_arith(struct pm_env *env, enum expr_kind op, ir_dim a, ir_dim b) {
    struct ir_dims *t = env->site.g->model->dims;
    switch (op) {
    case EXPR_ADD: return pm_dim(env, ir_dim_add(t, a, b));
    case EXPR_SUB: return pm_dim(env, ir_dim_sub(t, a, b));
    case EXPR_MUL: return pm_dim(env, ir_dim_mul(t, a, b));
    case EXPR_DIV: return pm_dim(env, ir_dim_floordiv(t, a, b));
    case EXPR_MOD: return pm_dim(env, ir_dim_mod(t, a, b));
    default: return unknown;
    }
}

struct pm_val pm_arith(struct pm_env *env, enum expr_kind op, struct pm_val a,
                       struct pm_val b) {
    a = number(env, a);
    b = number(env, b);
    ir_dim x, y;
    if (a.kind == VAL_ABSENT) return a;
    if (b.kind == VAL_ABSENT) return b;
    if (pm_as_dim(env, a, &x) && pm_as_dim(env, b, &y)) return dim_arith(env, op, x, y);
    return real_arith(op, a, b);
}

/* --- truth ------------------------------------------------------------------------ */
enum ir_truth pm_not(enum ir_truth t) {
    return t == IR_UNKNOWN ? t : t == IR_TRUE ? IR_FALSE : IR_TRUE;
}
enum ir_truth pm_and(enum ir_truth a, enum ir_truth b) {
    if (a == IR_FALSE || b == IR_FALSE) return IR_FALSE;
    return a == IR_TRUE && b == IR_TRUE ? IR_TRUE : IR_UNKNOWN;
}
enum ir_truth pm_or(enum ir_truth a, enum ir_truth b) {
    return pm_not(pm_and(pm_not(a), pm_not(b)));
}
static enum ir_truth truth(bool b) { return b ? IR_TRUE : IR_FALSE; }

/* --- comparison ------------------------------------------------------------------- */
static enum ir_truth equal_ints(struct pm_val a, struct pm_val b) {
    return truth(pm_axes_equal(a.i, a.axis, b.i, b.axis));
}

static enum ir_truth equal_reals(struct pm_val a, struct pm_val b) {
    double x, y;
    if (!pm_as_real(a, &x) || !pm_as_real(b, &y)) return IR_FALSE;
    double bound = fmax(a.tolerance, b.tolerance) * fmax(fabs(x), fabs(y));
    return truth(x == y || (isfinite(bound) && fabs(x - y) <= bound)); /* of infinity nothing is near */
}

static enum ir_truth equal_lists(struct pm_env *env, struct pm_val a, struct pm_val b) {
    if (a.n != b.n) return IR_FALSE;
    enum ir_truth all = IR_TRUE;
    for (uint32_t i = 0; i < a.n && all != IR_FALSE; i++)
        all = pm_and(all, pm_equal(env, a.items[i], b.items[i]));
    return all;
}

static enum ir_truth equal_values(struct pm_env *env, ir_value v, ir_value w) {
    if (v == w) return IR_TRUE;
    const struct ir_tensor *t = ir_const(env->site.g, v), *u = ir_const(env->site.g, w);
    return t && u ? truth(ir_tensor_equal(env->site.g->model, t, u)) : IR_UNKNOWN;
}

static enum ir_truth equal_shapes(struct pm_env *env, struct pm_val a, struct pm_val b) {
    if (a.kind != b.kind) return IR_UNKNOWN;
    return ir_shape_equal(env->site.g->model->dims, a.type, b.type);
}

static bool is_number(struct pm_val v) {
    return v.kind == VAL_INT || v.kind == VAL_REAL || v.kind == VAL_BOOL ||
           v.kind == VAL_DIM || v.kind == VAL_DTYPE;
}

static enum ir_truth equal_numbers(struct pm_env *env, struct pm_val a, struct pm_val b) {
    if (a.kind == VAL_REAL || b.kind == VAL_REAL) return equal_reals(a, b);
    ir_dim x, y;
    if (a.kind != VAL_DIM && b.kind != VAL_DIM) return equal_ints(a, b);
    if (!pm_as_dim(env, a, &x) || !pm_as_dim(env, b, &y)) return IR_FALSE;
    return ir_dim_equal(env->site.g->model->dims, x, y);
}

enum ir_truth pm_equal(struct pm_env *env, struct pm_val a, struct pm_val b) {
    if (env->budget == 0) return IR_UNKNOWN;
    env->budget--;
    if (a.kind == VAL_UNKNOWN || b.kind == VAL_UNKNOWN) return IR_UNKNOWN;
    if (a.kind == VAL_ABSENT || b.kind == VAL_ABSENT) return truth(a.kind == b.kind);
    if (a.kind == VAL_VALUE && b.kind == VAL_VALUE)
        return equal_values(env, a.value, b.value);
    a = pm_known(env, a);
    b = pm_known(env, b);
    if (a.kind == VAL_UNKNOWN || b.kind == VAL_UNKNOWN) return IR_UNKNOWN;
    if (a.kind == VAL_LIST && b.kind == VAL_LIST) return equal_lists(env, a, b);
    if (a.kind == VAL_SHAPE || b.kind == VAL_SHAPE) return equal_shapes(env, a, b);
    a = number(env, a);
    b = number(env, b);
    if (a.kind == VAL_STRING && b.kind == VAL_STRING)
        return truth(a.s.len == b.s.len && memcmp(a.s.at, b.s.at, a.s.len) == 0);
    return is_number(a) && is_number(b) ? equal_numbers(env, a, b) : IR_FALSE;
}

enum ir_truth pm_less(struct pm_env *env, struct pm_val a, struct pm_val b) {
    a = number(env, a);
    b = number(env, b);
    ir_dim x, y;
    if (pm_as_dim(env, a, &x) && pm_as_dim(env, b, &y))
        return ir_dim_less(env->site.g->model->dims, x, y);
    double p, q;
    return pm_as_real(a, &p) && pm_as_real(b, &q) ? truth(p < q) : IR_UNKNOWN;
}
