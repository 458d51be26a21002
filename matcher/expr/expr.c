/* expr.c -- evaluation of expressions over a match.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/expr/expr.h"

/* Nesting is that of the rule's text, which the parser bounds. */
#define MAX_ITEMS 4096u

static const struct pm_val unknown = {.kind = VAL_UNKNOWN};
static const struct pm_val absent = {.kind = VAL_ABSENT};

static struct pm_val text(const char *s) {
    return (struct pm_val){.kind = VAL_STRING, .s = {s, strlen(s)}};
}

static struct pm_val graph_value(ir_value v) {
    return v == IR_NONE ? absent : (struct pm_val){.kind = VAL_VALUE, .value = v};
}

/* --- names ------------------------------------------------------------------------ */
static struct pm_val ints_value(struct pm_env *env, const struct ir_attr *x,
                                uint32_t axis) {
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, x->n);
    for (uint32_t i = 0; i < x->n; i++) {
        items[i] = pm_int(x->ints[i]);
        items[i].axis = axis;
    }
    return pm_list(x->n, items);
}

struct pm_val pm_attr_value(struct pm_env *env, const struct ir_attr *x, uint32_t axis) {
    struct pm_val v = {.kind = VAL_INT, .i = x->i, .axis = axis};
    switch (x->type) {
    case IR_ATTR_INT: return v;
    case IR_ATTR_FLOAT: return pm_real(x->f, pm_tolerance(IR_FLOAT));
    case IR_ATTR_STRING: return (struct pm_val){.kind = VAL_STRING, .s = x->s};
    case IR_ATTR_INTS: return ints_value(env, x, axis);
    case IR_ATTR_FLOATS: {
        struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, x->n);
        for (uint32_t i = 0; i < x->n; i++)
            items[i] = pm_real(x->floats[i], pm_tolerance(IR_FLOAT));
        return pm_list(x->n, items);
    }
    default: return (struct pm_val){.kind = VAL_ATTR, .attr = arena_copy(env->site.arena, x,
                                                                         sizeof *x)};
    }
}

struct pm_val pm_param_value(struct pm_env *env, ir_node n, const char *name,
                             bool is_axis) {
    struct ir_param p = ir_param(env->site.g, n, name, env->site.arena);
    uint32_t axis = is_axis ? pm_axis_base(env->site.g, n) : PM_NO_AXIS;
    switch (p.source) {
    case IR_PARAM_NONE:
    case IR_PARAM_ABSENT: return absent;
    case IR_PARAM_ATTR: return pm_attr_value(env, &p.attr, axis);
    case IR_PARAM_CONST:
        if (p.attr.type != IR_ATTR_UNDEFINED) return pm_attr_value(env, &p.attr, axis);
        return graph_value(p.input);
    case IR_PARAM_DYNAMIC: return p.input == IR_NONE ? unknown : graph_value(p.input);
    }
    return unknown;
}

static struct pm_val values_list(struct pm_env *env, struct pm_binding b) {
    const struct ir_graph *g = env->site.g;
    uint32_t nin = ir_nod(g, b.a)->nin, n = nin - rw_min_u32(b.b, nin);
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, n);
    for (uint32_t i = 0; i < n; i++) items[i] = graph_value(ir_input(g, b.a, b.b + i));
    return pm_list(n, items);
}

static struct pm_val members_list(struct pm_env *env, struct pm_binding b) {
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, b.b);
    for (uint32_t i = 0; i < b.b; i++)
        items[i] = pm_binding_value(env, env->site.members->at[b.a + i]);
    return pm_list(b.b, items);
}

static struct pm_val dims_list(struct pm_env *env, struct pm_binding b) {
    uint32_t n;
    if (!pm_length(&env->site, b, &n)) return unknown;
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, n);
    for (uint32_t i = 0; i < n; i++) {
        struct pm_binding item;
        pm_item(&env->site, b, i, &item);
        items[i] = pm_dim(env, item.a);
    }
    return pm_list(n, items);
}

struct pm_val pm_binding_value(struct pm_env *env, struct pm_binding b) {
    switch (b.kind) {
    case BOUND_NOTHING: return absent;
    case BOUND_VALUE: return graph_value(b.a);
    case BOUND_LIST: return values_list(env, b);
    case BOUND_MEMBERS: return members_list(env, b);
    case BOUND_ATTR:
        return pm_param_value(env, b.a, env->site.p->param.at[b.b], b.c != 0);
    case BOUND_OP: return text(ir_op_name(env->site.g, b.a));
    case BOUND_DIM: {
        struct pm_val v = pm_dim(env, b.a);
        v.axis = v.kind == VAL_INT ? b.b : PM_NO_AXIS;
        return v;
    }
    case BOUND_DIMS: return dims_list(env, b);
    case BOUND_NODE:
    case BOUND_ATTRS: return unknown;
    }
    return unknown;
}

struct pm_val pm_slot_value(struct pm_env *env, uint32_t slot) {
    for (const struct pm_local *l = env->locals; l; l = l->outer)
        if (l->slot == slot) return l->value;
    return env->slots ? pm_binding_value(env, env->slots[slot]) : unknown;
}

static struct pm_val param_of_pack(struct pm_env *env, const struct expr *e) {
    for (uint32_t i = 0; env->params && i < env->site.p->packs.len; i++)
        if (env->rule && env->site.p->packs.at[i] == env->rule->pack)
            return env->params->of_pack[i][e->i];
    return unknown;
}

static struct pm_val target_name(uint32_t target) {
    if (target & TARGET_ORT_CPU) return text("ort-cpu");
    if (target & TARGET_ORT_CUDA) return text("ort-cuda");
    return text(target & TARGET_ORT ? "ort" : "onnx");
}

/* --- lists ------------------------------------------------------------------------ */
static struct pm_val eval_list(struct pm_env *env, const struct expr *e) {
    VEC(struct pm_val) items = {0};
    for (uint32_t i = 0; i < e->nargs; i++) {
        const struct expr *arg = e->args[i];
        if (arg->kind != EXPR_SPREAD) {
            vec_push(env->site.arena, &items, pm_eval(env, arg));
            continue;
        }
        struct pm_val l = pm_known(env, pm_eval(env, arg->args[0]));
        if (l.kind == VAL_ABSENT) continue;
        if (l.kind != VAL_LIST || items.len + l.n > MAX_ITEMS) return unknown;
        for (uint32_t k = 0; k < l.n; k++) vec_push(env->site.arena, &items, l.items[k]);
    }
    return pm_list(items.len, items.at);
}

static struct pm_val eval_concat(struct pm_env *env, const struct expr *e) {
    struct pm_val a = pm_known(env, pm_eval(env, e->args[0]));
    struct pm_val b = pm_known(env, pm_eval(env, e->args[1]));
    if (a.kind != VAL_LIST || b.kind != VAL_LIST || a.n + b.n > MAX_ITEMS) return unknown;
    struct pm_val *items = arena_new_array(env->site.arena, struct pm_val, a.n + b.n);
    if (a.n > 0) memcpy(items, a.items, a.n * sizeof *items);
    if (b.n > 0) memcpy(items + a.n, b.items, b.n * sizeof *items);
    return pm_list(a.n + b.n, items);
}

static struct pm_val eval_for(struct pm_env *env, const struct expr *e) {
    struct pm_val l = pm_known(env, pm_eval(env, e->args[1]));
    if (l.kind != VAL_LIST) return unknown;
    VEC(struct pm_val) items = {0};
    struct pm_local local = {e->slot, unknown, env->locals};
    enum ir_truth keep = IR_TRUE;
    for (uint32_t i = 0; i < l.n && keep != IR_UNKNOWN; i++) {
        local.value = l.items[i];
        env->locals = &local;
        if (e->nargs > 2) keep = pm_holds(env, e->args[2]);
        if (keep == IR_TRUE) vec_push(env->site.arena, &items, pm_eval(env, e->args[0]));
        env->locals = local.outer;
    }
    return keep == IR_UNKNOWN ? unknown : pm_list(items.len, items.at);
}

static struct pm_val eval_index(struct pm_env *env, const struct expr *e) {
    struct pm_val l = pm_known(env, pm_eval(env, e->args[0]));
    struct pm_val at = pm_known(env, pm_eval(env, e->args[1]));
    if (l.kind != VAL_LIST || at.kind != VAL_INT) return unknown;
    int64_t i = at.i < 0 ? at.i + (int64_t)l.n : at.i;
    return i >= 0 && i < (int64_t)l.n ? l.items[i] : unknown;
}

static enum ir_truth eval_in(struct pm_env *env, const struct expr *e) {
    struct pm_val x = pm_eval(env, e->args[0]);
    struct pm_val l = pm_known(env, pm_eval(env, e->args[1]));
    if (l.kind != VAL_LIST) return IR_UNKNOWN;
    enum ir_truth t = IR_FALSE;
    for (uint32_t i = 0; i < l.n && t != IR_TRUE; i++)
        t = pm_or(t, pm_equal(env, x, l.items[i]));
    return t;
}

/* --- operators -------------------------------------------------------------------- */
static enum ir_truth compare(struct pm_env *env, const struct expr *e) {
    struct pm_val a = pm_eval(env, e->args[0]), b = pm_eval(env, e->args[1]);
    switch (e->kind) {
    case EXPR_EQ: return pm_equal(env, a, b);
    case EXPR_NE: return pm_not(pm_equal(env, a, b));
    case EXPR_LT: return pm_less(env, a, b);
    case EXPR_GE: return pm_not(pm_less(env, a, b));
    case EXPR_GT: return pm_less(env, b, a);
    default: return pm_not(pm_less(env, b, a));
    }
}

static enum ir_truth eval_logic(struct pm_env *env, const struct expr *e) {
    enum ir_truth a = pm_holds(env, e->args[0]);
    if (e->kind == EXPR_NOT) return pm_not(a);
    if (a == (e->kind == EXPR_AND ? IR_FALSE : IR_TRUE)) return a;
    enum ir_truth b = pm_holds(env, e->args[1]);
    return e->kind == EXPR_AND ? pm_and(a, b) : pm_or(a, b);
}

static struct pm_val eval_if(struct pm_env *env, const struct expr *e) {
    enum ir_truth t = pm_holds(env, e->args[0]);
    return t == IR_UNKNOWN ? unknown : pm_eval(env, e->args[t == IR_TRUE ? 1 : 2]);
}

static struct pm_val eval_call(struct pm_env *env, const struct expr *e) {
    struct pm_val args[9];
    rw_assert(e->nargs <= countof(args));
    for (uint32_t i = 0; i < e->nargs; i++) args[i] = pm_eval(env, e->args[i]);
    return pm_call(env, e, args);
}

/* No local name is in sight of what `let` names, so that once is enough. */
static struct pm_val eval_let(struct pm_env *env, const struct expr *e) {
    uint32_t bit = 1u << e->i;
    rw_assert(e->i < RULE_LETS);
    if (!env->lets) env->lets = arena_new_array(env->site.arena, struct pm_val, RULE_LETS);
    if (!(env->known_lets & bit)) {
        struct pm_val v = pm_eval(env, e->args[0]);
        if (env->budget == 0) return unknown;
        env->lets[e->i] = v;
        env->known_lets |= bit;
    }
    return env->lets[e->i];
}

struct pm_val pm_eval(struct pm_env *env, const struct expr *e) {
    if (env->budget == 0) return unknown;
    env->budget--;
    switch (e->kind) {
    case EXPR_INT: return pm_int(e->i);
    case EXPR_REAL: return pm_real(e->real, 0);
    case EXPR_STRING: return text(e->s);
    case EXPR_BOOL: return pm_bool(e->i ? IR_TRUE : IR_FALSE);
    case EXPR_LIST: return eval_list(env, e);
    case EXPR_SPREAD: return unknown;
    case EXPR_SLOT: return pm_slot_value(env, e->slot);
    case EXPR_PARAM: return param_of_pack(env, e);
    case EXPR_OPSET: return pm_int(env->opset);
    case EXPR_TARGET: return target_name(env->target);
    case EXPR_DTYPE: return (struct pm_val){.kind = VAL_DTYPE, .i = e->i};
    case EXPR_ABSENT: return absent;
    case EXPR_CALL: return eval_call(env, e);
    case EXPR_NATIVE: return pm_native(env, e);
    case EXPR_NEG: return pm_arith(env, EXPR_SUB, pm_int(0), pm_eval(env, e->args[0]));
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_MOD:
        return pm_arith(env, e->kind, pm_eval(env, e->args[0]), pm_eval(env, e->args[1]));
    case EXPR_CONCAT: return eval_concat(env, e);
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE: return pm_bool(compare(env, e));
    case EXPR_IN: return pm_bool(eval_in(env, e));
    case EXPR_NOT:
    case EXPR_AND:
    case EXPR_OR: return pm_bool(eval_logic(env, e));
    case EXPR_INDEX: return eval_index(env, e);
    case EXPR_COALESCE: {
        struct pm_val v = pm_eval(env, e->args[0]);
        return v.kind == VAL_ABSENT ? pm_eval(env, e->args[1]) : v;
    }
    case EXPR_IF: return eval_if(env, e);
    case EXPR_LET: return eval_let(env, e);
    case EXPR_IS_ABSENT: {
        struct pm_val v = pm_eval(env, e->args[0]);
        return v.kind == VAL_UNKNOWN ? v : pm_bool(v.kind == VAL_ABSENT ? IR_TRUE
                                     : IR_FALSE);
    }
    case EXPR_FOR: return eval_for(env, e);
    }
    return unknown;
}

enum ir_truth pm_holds(struct pm_env *env, const struct expr *e) {
    struct pm_val v = pm_known(env, pm_eval(env, e));
    if (v.kind != VAL_BOOL) return IR_UNKNOWN;
    return v.i ? IR_TRUE : IR_FALSE;
}

bool pm_expr_test_holds(struct pm_env *env, const struct pm_match *m, uint32_t i) {
    struct pm_binding b = m->exprs[i];
    if (!pm_is_set(b)) return true;
    struct pm_val found = pm_binding_value(env, b);
    return pm_equal(env, found, pm_eval(env, m->accept->exprs[i].expr)) == IR_TRUE;
}

bool pm_conditions_hold(struct pm_env *env, const struct pm_match *m) {
    const struct pm_accept *a = m->accept;
    for (uint32_t i = 0; i < a->nexprs; i++)
        if (!pm_expr_test_holds(env, m, i)) return false;
    for (uint32_t i = 0; i < a->rule->nwhere; i++)
        if (pm_holds(env, a->rule->where[i]) != IR_TRUE) return false;
    return true;
}
