/* functions.c -- the functions that conditions may call.
 *
 * One function each, call_<name>, made known by EXPR_FUNCTIONS of dsl/rule.h. Arguments
 * are there (sema counted them); what is asked of something unknown is unknown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/expr/expr.h"

#include <math.h>

#define MAX_ITEMS 4096u

static const struct pm_val unknown = {.kind = VAL_UNKNOWN};
static struct pm_val yes_no(bool b) { return pm_bool(b ? IR_TRUE : IR_FALSE); }

struct call {
    struct pm_env *env;
    const struct expr *e;
    const struct pm_val *arg;
    uint32_t n;
};

/* --- about values ----------------------------------------------------------------- */
static const struct ir_type *type_of(const struct call *c, uint32_t i) {
    return c->arg[i].kind == VAL_VALUE ? ir_val(c->env->site.g, c->arg[i].value)->type
                                       : NULL;
}

static struct pm_val call_rank(const struct call *c) {
    const struct ir_type *t = type_of(c, 0);
    return ir_type_ranked(t) ? pm_int(t->rank) : unknown;
}

static struct pm_val call_shape(const struct call *c) {
    const struct ir_type *t = type_of(c, 0);
    if (!t) return unknown;
    if (!t->ranked) return (struct pm_val){.kind = VAL_SHAPE, .type = t};
    struct pm_val *items = arena_new_array(c->env->site.arena, struct pm_val, t->rank);
    for (uint32_t i = 0; i < t->rank; i++) items[i] = pm_dim(c->env, t->dims[i]);
    return pm_list(t->rank, items);
}

static struct pm_val item_at(struct pm_val list, struct pm_val at) {
    if (list.kind != VAL_LIST || at.kind != VAL_INT) return unknown;
    int64_t i = at.i < 0 ? at.i + (int64_t)list.n : at.i;
    return i >= 0 && i < (int64_t)list.n ? list.items[i] : unknown;
}

static struct pm_val call_dim(const struct call *c) {
    return item_at(call_shape(c), pm_known(c->env, c->arg[1]));
}

static struct pm_val call_dtype(const struct call *c) {
    enum ir_dtype t = ir_type_dtype(type_of(c, 0));
    if (t == IR_UNDEFINED) return unknown;
    return (struct pm_val){.kind = VAL_DTYPE, .i = t};
}

static struct pm_val call_value(const struct call *c) {
    return pm_known(c->env, c->arg[0]);
}

static struct pm_val call_items(const struct call *c) { return pm_items(c->env, c->arg[0]); }

static struct pm_val call_largest(const struct call *c) {
    return pm_largest(c->env, c->arg[0]);
}

static struct pm_val call_uses(const struct call *c) {
    if (c->arg[0].kind != VAL_VALUE) return unknown;
    return pm_int(ir_val(c->env->site.g, c->arg[0].value)->nuses);
}

static struct pm_val has_flag(const struct call *c, enum ir_value_flag f) {
    if (c->arg[0].kind != VAL_VALUE) return unknown;
    return yes_no(ir_has(c->env->site.g, c->arg[0].value, f));
}
static struct pm_val call_is_input(const struct call *c) {
    return has_flag(c, IR_IS_INPUT);
}
static struct pm_val call_is_output(const struct call *c) {
    return has_flag(c, IR_IS_OUTPUT);
}

static struct pm_val call_is_const(const struct call *c) {
    if (c->arg[0].kind != VAL_VALUE) return unknown;
    return yes_no(ir_const(c->env->site.g, c->arg[0].value) != NULL);
}

static struct pm_val call_in_function(const struct call *c) {
    if (c->arg[0].kind != VAL_VALUE) return unknown;
    return yes_no(c->env->site.g->function != NULL);
}

/* "" of what no node makes: inputs and constants. */
static struct pm_val call_made_by(const struct call *c) {
    if (c->arg[0].kind != VAL_VALUE) return unknown;
    ir_node n = ir_val(c->env->site.g, c->arg[0].value)->producer;
    const char *op = n == IR_NONE ? "" : ir_op_name(c->env->site.g, n);
    return (struct pm_val){.kind = VAL_STRING, .s = {op, strlen(op)}};
}

static struct pm_val call_same(const struct call *c) {
    if (c->arg[0].kind != VAL_VALUE || c->arg[1].kind != VAL_VALUE) return unknown;
    return yes_no(c->arg[0].value == c->arg[1].value);
}

static enum ir_dtype dtype_of(const struct call *c, uint32_t i) {
    if (c->arg[i].kind == VAL_VALUE) return ir_type_dtype(type_of(c, i));
    struct pm_val v = c->arg[i];
    bool ok = (v.kind == VAL_DTYPE || v.kind == VAL_INT) && v.i > 0 && v.i < IR_DTYPE_N;
    return ok ? (enum ir_dtype)v.i : IR_UNDEFINED;
}

static struct pm_val call_lossless(const struct call *c) {
    enum ir_dtype from = dtype_of(c, 0), to = dtype_of(c, 1);
    if (from == IR_UNDEFINED || to == IR_UNDEFINED) return unknown;
    return yes_no(from == to || ir_cast_is_lossless(from, to));
}

static struct pm_val shape_arg(const struct call *c, uint32_t i) {
    struct call one = {c->env, c->e, c->arg + i, 1};
    return c->arg[i].kind == VAL_VALUE ? call_shape(&one) : c->arg[i];
}

/* The first broadcasts to the shape of the second, which stays as it is. */
static struct pm_val call_broadcasts(const struct call *c) {
    struct pm_val a = shape_arg(c, 0), b = shape_arg(c, 1);
    if (a.kind != VAL_LIST || b.kind != VAL_LIST) return pm_bool(pm_equal(c->env, a, b));
    if (a.n > b.n) return yes_no(false);
    enum ir_truth all = IR_TRUE;
    for (uint32_t i = 0; i < a.n; i++) {
        struct pm_val x = a.items[i], y = b.items[b.n - a.n + i];
        enum ir_truth one = pm_equal(c->env, x, pm_int(1));
        all = pm_and(all, pm_or(one, pm_equal(c->env, x, y)));
    }
    return pm_bool(all);
}

/* What is not known to be true is false. */
static struct pm_val call_surely(const struct call *c) {
    struct pm_val v = pm_known(c->env, c->arg[0]);
    return yes_no(v.kind == VAL_BOOL && v.i);
}

/* --- about lists ------------------------------------------------------------------ */
static enum ir_truth truth_of(struct pm_val v) {
    if (v.kind != VAL_BOOL) return IR_UNKNOWN;
    return v.i ? IR_TRUE : IR_FALSE;
}

static struct pm_val call_all(const struct call *c) {
    struct pm_val l = pm_known(c->env, c->arg[0]);
    if (l.kind != VAL_LIST) return unknown;
    enum ir_truth t = IR_TRUE;
    for (uint32_t i = 0; i < l.n; i++) t = pm_and(t, truth_of(l.items[i]));
    return pm_bool(t);
}

static struct pm_val call_any(const struct call *c) {
    struct pm_val l = pm_known(c->env, c->arg[0]);
    if (l.kind != VAL_LIST) return unknown;
    enum ir_truth t = IR_FALSE;
    for (uint32_t i = 0; i < l.n; i++) t = pm_or(t, truth_of(l.items[i]));
    return pm_bool(t);
}

static struct pm_val fold(const struct call *c, enum expr_kind op, struct pm_val first) {
    struct pm_val l = pm_known(c->env, c->arg[0]);
    if (l.kind != VAL_LIST) return unknown;
    for (uint32_t i = 0; i < l.n; i++) first = pm_arith(c->env, op, first, l.items[i]);
    return first;
}
static struct pm_val call_sum(const struct call *c) {
    return fold(c, EXPR_ADD, pm_int(0));
}
static struct pm_val call_prod(const struct call *c) {
    return fold(c, EXPR_MUL, pm_int(1));
}

static struct pm_val call_len(const struct call *c) {
    struct pm_val l = pm_known(c->env, c->arg[0]);
    return l.kind == VAL_LIST ? pm_int(l.n) : unknown;
}

static struct pm_val lesser(struct pm_env *env, struct pm_val a, struct pm_val b,
                            bool most) {
    ir_dim x, y;
    if (pm_as_dim(env, a, &x) && pm_as_dim(env, b, &y)) {
        struct ir_dims *t = env->site.g->model->dims;
        return pm_dim(env, most ? ir_dim_max(t, x, y) : ir_dim_min(t, x, y));
    }
    enum ir_truth less = pm_less(env, a, b);
    if (less == IR_UNKNOWN) return unknown;
    return (less == IR_TRUE) == most ? b : a;
}

/* Of several arguments, or of the items of one list. */
static struct pm_val extreme(const struct call *c, bool most) {
    struct pm_val l = c->n == 1 ? pm_known(c->env, c->arg[0]) : pm_list(c->n, c->arg);
    if (l.kind != VAL_LIST || l.n == 0) return l.kind == VAL_LIST ? unknown : l;
    struct pm_val best = pm_known(c->env, l.items[0]);
    for (uint32_t i = 1; i < l.n; i++)
        best = lesser(c->env, best, pm_known(c->env, l.items[i]), most);
    return best;
}
static struct pm_val call_min(const struct call *c) { return extreme(c, false); }
static struct pm_val call_max(const struct call *c) { return extreme(c, true); }

/* --- about numbers ---------------------------------------------------------------- */
static struct pm_val of_real(const struct call *c, double f(double)) {
    struct pm_val v = pm_arith(c->env, EXPR_MUL, c->arg[0], pm_real(1, 0));
    return v.kind == VAL_REAL ? pm_real(f(v.real), v.tolerance) : unknown;
}
static struct pm_val call_sqrt(const struct call *c) { return of_real(c, sqrt); }
static struct pm_val call_exp(const struct call *c) { return of_real(c, exp); }
static struct pm_val call_log(const struct call *c) { return of_real(c, log); }

static struct pm_val call_abs(const struct call *c) {
    struct pm_val v = pm_known(c->env, c->arg[0]);
    if (v.kind == VAL_INT) return v.i == INT64_MIN ? unknown : pm_int(v.i < 0 ? -v.i : v.i);
    return of_real(c, fabs);
}

static struct pm_val call_floor(const struct call *c) {
    struct pm_val v = pm_known(c->env, c->arg[0]);
    if (v.kind == VAL_INT || v.kind == VAL_DIM) return v;
    v = of_real(c, floor);
    return v.kind == VAL_REAL && fabs(v.real) < 0x1p53 ? pm_int((int64_t)v.real) : unknown;
}

/* --- equations of Einsum ---------------------------------------------------------- */
#define MAX_EQUATION 256u

struct equation {
    VEC(struct pm_val) terms, term; /* term: the one that is read */
    int64_t number[256];            /* of a letter, from 1 on; 0: none yet */
    uint32_t times[256], letters;
};

static bool is_letter(unsigned char x) {
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z');
}

static void end_term(struct equation *q, struct arena *a) {
    vec_push(a, &q->terms, pm_list(q->term.len, q->term.at));
    memset(&q->term, 0, sizeof q->term);
}

/* A result that is left out: the letters that come once, in the order of the alphabet. Which
 * of `a` and `B` goes first is not agreed on. */
static bool implied_result(struct equation *q, struct arena *a) {
    bool small = false, large = false;
    for (uint32_t x = 'A'; x <= 'z'; x++) {
        if (q->times[x] != 1) continue;
        *(x < 'a' ? &large : &small) = true;
        vec_push(a, &q->term, pm_int(q->number[x] - 1));
    }
    end_term(q, a);
    return !(small && large);
}

static bool read_equation(struct equation *q, struct ir_string s, struct arena *a) {
    bool result = false;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char x = (unsigned char)s.at[i];
        bool arrow = x == '-' && i + 1 < s.len && s.at[i + 1] == '>';
        if (x == ' ') continue;
        if (is_letter(x)) {
            if (!q->number[x]) q->number[x] = ++q->letters;
            q->times[x]++;
            vec_push(a, &q->term, pm_int(q->number[x] - 1));
            continue;
        }
        if ((!arrow && x != ',') || result) return false; /* an ellipsis, or no equation */
        end_term(q, a);
        i += result = arrow;
    }
    end_term(q, a);
    return result || implied_result(q, a);
}

/* The letters of an equation as numbers, as they come: a list for each operand and one for
 * the result. */
static struct pm_val call_terms(const struct call *c) {
    struct equation q = {0};
    struct ir_string s = c->arg[0].s;
    if (c->arg[0].kind != VAL_STRING || s.len > MAX_EQUATION) return unknown;
    if (!read_equation(&q, s, c->env->site.arena)) return unknown;
    return pm_list(q.terms.len, q.terms.at);
}

/* --- permutations ----------------------------------------------------------------- */
/* perm left out reverses the axes; that says something once the rank is known. */
static struct pm_val reversal(struct pm_env *env, uint32_t n) {
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, n);
    for (uint32_t i = 0; i < n; i++) items[i] = pm_int((int64_t)n - 1 - (int64_t)i);
    return pm_list(n, items);
}

static bool is_perm(struct pm_env *env, struct pm_val p) {
    if (p.kind != VAL_LIST) return false;
    bool *seen = arena_zalloc(env->site.arena, p.n * sizeof *seen);
    for (uint32_t i = 0; i < p.n; i++) {
        if (p.items[i].kind != VAL_INT || p.items[i].i < 0 || p.items[i].i >= (int64_t)p.n)
            return false;
        if (seen[p.items[i].i]) return false;
        seen[p.items[i].i] = true;
    }
    return true;
}

/* compose(q, p)[i] = q[p[i]]: first the axes are taken by q, then by p. */
static struct pm_val call_compose(const struct call *c) {
    struct pm_val q = pm_known(c->env, c->arg[0]), p = pm_known(c->env, c->arg[1]);
    if (q.kind == VAL_ABSENT && p.kind == VAL_LIST) q = reversal(c->env, p.n);
    if (p.kind == VAL_ABSENT && q.kind == VAL_LIST) p = reversal(c->env, q.n);
    if (!is_perm(c->env, p) || !is_perm(c->env, q) || p.n != q.n) return unknown;
    struct pm_val *items = arena_new_array(c->env->site.arena, struct pm_val, p.n);
    for (uint32_t i = 0; i < p.n; i++) items[i] = q.items[p.items[i].i];
    return pm_list(p.n, items);
}

static struct pm_val call_inverse(const struct call *c) {
    struct pm_val p = pm_known(c->env, c->arg[0]);
    if (p.kind == VAL_ABSENT) return p;
    if (!is_perm(c->env, p)) return unknown;
    struct pm_val *items = arena_new_array(c->env->site.arena, struct pm_val, p.n);
    for (uint32_t i = 0; i < p.n; i++) items[p.items[i].i] = pm_int(i);
    return pm_list(p.n, items);
}

/* iota(n): 0 .. n - 1; iota(a, b): a .. b - 1. */
static struct pm_val call_iota(const struct call *c) {
    struct pm_val from = c->n == 2 ? pm_known(c->env, c->arg[0]) : pm_int(0);
    struct pm_val end = pm_known(c->env, c->arg[c->n - 1]);
    int64_t len;
    if (from.kind != VAL_INT || end.kind != VAL_INT || !rw_sub_i64(end.i, from.i, &len) ||
        len > (int64_t)MAX_ITEMS)
        return unknown;
    uint32_t n = len < 0 ? 0 : (uint32_t)len;
    struct pm_val *items = arena_new_array(c->env->site.arena, struct pm_val, n);
    for (uint32_t i = 0; i < n; i++) items[i] = pm_int(from.i + (int64_t)i);
    return pm_list(n, items);
}

/* Of what is absent they are absent, so that `??` may choose behind them. */
static bool is_of_number(enum expr_function fn) {
    return fn == FN_value || fn == FN_sqrt || fn == FN_abs || fn == FN_exp || fn == FN_log ||
           fn == FN_floor;
}

struct pm_val pm_call(struct pm_env *env, const struct expr *e, const struct pm_val *args) {
    static struct pm_val (*const functions[])(const struct call *) = {
#define X(name, least, most) call_##name,
        EXPR_FUNCTIONS(X)
#undef X
    };
    struct call c = {env, e, args, e->nargs};
    if (is_of_number(e->fn) && args[0].kind == VAL_ABSENT) return args[0];
    return functions[e->fn](&c);
}
