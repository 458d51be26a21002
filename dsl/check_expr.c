/* check_expr.c -- types of conditions and of parameters' values.
 *
 * A set of kinds is what an expression may be; what is bound from a model is mostly
 * unknown, so only what can never be right is an error.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/check.h"

enum {
    K_INT = 1, K_REAL = 2, K_BOOL = 4, K_STRING = 8, K_DTYPE = 16, K_LIST = 32,
    K_VALUE = 64, K_VALUES = 128, K_ABSENT = 256, K_ATTRS = 512,
    K_NUMBER = K_INT | K_REAL | K_DTYPE | K_VALUE,
    K_ANY = 1023 & ~K_ATTRS
};

static const char *what(uint32_t kinds) {
    if (kinds & K_VALUES) return "a list of values";
    if (kinds & K_VALUE) return "a value of the graph";
    if (kinds & K_ATTRS) return "a set of parameters";
    if (kinds & K_LIST) return "a list";
    if (kinds & K_BOOL) return "true or false";
    if (kinds & K_STRING) return "a string";
    if (kinds & K_DTYPE) return "an element type";
    if (kinds & (K_INT | K_REAL)) return "a number";
    return "absent";
}

static uint32_t kinds_of(struct lower *l, const struct expr *e);

/* Reports and goes on when an argument can never be what is wanted. */
static void want(struct lower *l, const struct expr *e, uint32_t kinds, uint32_t wanted,
                 const char *by) {
    if (kinds & wanted || kinds == K_ABSENT) return;
    dsl_error(l, e->at, "this is %s, %s wants %s", what(kinds), by, what(wanted));
}

static uint32_t slot_kinds(const struct rule_slot *s) {
    switch (s->kind) {
    case SLOT_VALUE: return K_VALUE | K_ABSENT;
    case SLOT_VALUES: return K_VALUES | K_LIST;
    case SLOT_ATTR: return K_ANY & ~K_VALUES;
    case SLOT_ATTRS: return K_ATTRS;
    case SLOT_OP: return K_STRING;
    case SLOT_DIM: return K_INT;
    case SLOT_DIMS: return K_LIST;
    }
    return K_ANY;
}

static uint32_t param_kinds(const struct rule_param *p) {
    switch (p->type) {
    case PARAM_INT: return K_INT | K_ABSENT;
    case PARAM_FLOAT: return K_REAL | K_ABSENT;
    case PARAM_STRING: return K_STRING | K_ABSENT;
    case PARAM_BOOL: return K_BOOL | K_ABSENT;
    }
    return K_ANY;
}

static const struct { uint32_t first, second, result; } signatures[FN_N] = {
    [FN_rank] = {K_VALUE, 0, K_INT},
    [FN_shape] = {K_VALUE, 0, K_LIST},
    [FN_dim] = {K_VALUE, K_NUMBER, K_INT},
    [FN_dtype] = {K_VALUE, 0, K_DTYPE},
    [FN_value] = {K_VALUE, 0, K_INT | K_REAL | K_BOOL | K_LIST},
    [FN_uses] = {K_VALUE, 0, K_INT},
    [FN_is_input] = {K_VALUE, 0, K_BOOL},
    [FN_is_output] = {K_VALUE, 0, K_BOOL},
    [FN_broadcasts] = {K_VALUE | K_LIST, K_VALUE | K_LIST, K_BOOL},
    [FN_all] = {K_LIST | K_VALUES, 0, K_BOOL},
    [FN_any] = {K_LIST | K_VALUES, 0, K_BOOL},
    [FN_sum] = {K_LIST | K_VALUE, 0, K_INT | K_REAL},
    [FN_prod] = {K_LIST | K_VALUE, 0, K_INT | K_REAL},
    [FN_len] = {K_LIST | K_VALUES | K_VALUE, 0, K_INT},
    [FN_min] = {K_ANY, K_ANY, K_INT | K_REAL},
    [FN_max] = {K_ANY, K_ANY, K_INT | K_REAL},
    [FN_sqrt] = {K_NUMBER, 0, K_REAL},
    [FN_abs] = {K_NUMBER, 0, K_INT | K_REAL},
    [FN_exp] = {K_NUMBER, 0, K_REAL},
    [FN_log] = {K_NUMBER, 0, K_REAL},
    [FN_floor] = {K_NUMBER, 0, K_INT},
    [FN_compose] = {K_LIST | K_VALUE, K_LIST | K_VALUE, K_LIST},
    [FN_inverse] = {K_LIST | K_VALUE, 0, K_LIST},
    [FN_iota] = {K_NUMBER, K_NUMBER, K_LIST},
    [FN_is_const] = {K_VALUE, 0, K_BOOL},
    [FN_same] = {K_VALUE, K_VALUE, K_BOOL},
    [FN_made_by] = {K_VALUE, 0, K_STRING},
    [FN_lossless] = {K_DTYPE | K_INT, K_DTYPE | K_INT, K_BOOL},
    [FN_surely] = {K_BOOL, 0, K_BOOL},
    [FN_items] = {K_VALUE, 0, K_LIST},
    [FN_terms] = {K_STRING, 0, K_LIST},
    [FN_largest] = {K_VALUE, 0, K_REAL},
    [FN_in_function] = {K_VALUE, 0, K_BOOL},
};

static uint32_t call_kinds(struct lower *l, const struct expr *e) {
    const char *by = arena_printf(l->arena, "\"%s\"", dsl_function_name(e->fn));
    for (uint32_t i = 0; i < e->nargs; i++) {
        uint32_t wanted = i == 0 ? signatures[e->fn].first : signatures[e->fn].second;
        want(l, e->args[i], kinds_of(l, e->args[i]), wanted, by);
    }
    return signatures[e->fn].result;
}

static uint32_t native_kinds(struct lower *l, const struct expr *e) {
    static const uint32_t wanted[PRED_N] = {[PRED_value] = K_VALUE, [PRED_int] = K_INT,
                                            [PRED_float] = K_INT | K_REAL,
                                            [PRED_string] = K_STRING,
                                            [PRED_ints] = K_LIST};
    const char *by = arena_printf(l->arena, "\"%s\"", e->predicate->name);
    for (uint32_t i = 0; i < e->nargs; i++)
        want(l, e->args[i], kinds_of(l, e->args[i]), wanted[e->predicate->args[i]], by);
    return K_BOOL;
}

static uint32_t arithmetic(struct lower *l, const struct expr *e) {
    const char *by = "arithmetic";
    for (uint32_t i = 0; i < e->nargs; i++) {
        uint32_t kinds = kinds_of(l, e->args[i]);
        if (kinds & K_NUMBER || kinds == K_ABSENT) continue;
        want(l, e->args[i], kinds, K_INT, by);
        if (kinds & K_LIST) dsl_help(l, e->at, "lists are joined by \"++\"");
    }
    return K_INT | K_REAL;
}

/* A target is compared with one that there is. */
static void check_target_word(struct lower *l, const struct expr *target,
                              const struct expr *word) {
    uint32_t i;
    if (target->kind == EXPR_TARGET && word->kind == EXPR_STRING)
        dsl_one_of(l, word->at, word->s, "target", rule_target_words, TARGET_WORDS, &i);
}

/* 1 == [1] is never true: one side is a list, the other cannot be. */
static uint32_t comparison(struct lower *l, const struct expr *e) {
    uint32_t a = kinds_of(l, e->args[0]), b = kinds_of(l, e->args[1]);
    uint32_t numbers = K_NUMBER | K_BOOL;
    bool meet = (a & b) || (a & numbers && b & numbers) || a == K_ABSENT || b == K_ABSENT ||
                (a & (K_VALUE | K_VALUES) && b & K_LIST) ||
                (b & (K_VALUE | K_VALUES) && a & K_LIST);
    if (!meet)
        dsl_error(l, e->at, "%s is compared with %s, which is never true", what(a),
                  what(b));
    check_target_word(l, e->args[0], e->args[1]);
    check_target_word(l, e->args[1], e->args[0]);
    return K_BOOL;
}

static uint32_t membership(struct lower *l, const struct expr *e) {
    kinds_of(l, e->args[0]);
    want(l, e->args[1], kinds_of(l, e->args[1]), K_LIST | K_VALUES, "\"in\"");
    for (uint32_t i = 0; e->args[1]->kind == EXPR_LIST && i < e->args[1]->nargs; i++)
        check_target_word(l, e->args[0], e->args[1]->args[i]);
    return K_BOOL;
}

static uint32_t logic(struct lower *l, const struct expr *e) {
    for (uint32_t i = 0; i < e->nargs; i++)
        want(l, e->args[i], kinds_of(l, e->args[i]), K_BOOL, "a condition");
    return K_BOOL;
}

static uint32_t for_kinds(struct lower *l, const struct expr *e) {
    want(l, e->args[1], kinds_of(l, e->args[1]), K_LIST | K_VALUES | K_VALUE,
         "\"for ... in\"");
    kinds_of(l, e->args[0]);
    if (e->nargs > 2) want(l, e->args[2], kinds_of(l, e->args[2]), K_BOOL, "a condition");
    return K_LIST;
}

static uint32_t all_args(struct lower *l, const struct expr *e, uint32_t result) {
    for (uint32_t i = 0; i < e->nargs; i++) kinds_of(l, e->args[i]);
    return result;
}

static uint32_t kinds_of(struct lower *l, const struct expr *e) {
    switch (e->kind) {
    case EXPR_INT: return K_INT;
    case EXPR_REAL: return K_REAL;
    case EXPR_STRING: return K_STRING;
    case EXPR_BOOL: return K_BOOL;
    case EXPR_LIST: return all_args(l, e, K_LIST);
    case EXPR_SPREAD: return all_args(l, e, K_ANY);
    case EXPR_SLOT: return slot_kinds(&l->slots.at[e->slot]);
    case EXPR_PARAM: return param_kinds(&l->rule->pack->params[e->i]);
    case EXPR_OPSET: return K_INT;
    case EXPR_TARGET: return K_STRING;
    case EXPR_DTYPE: return K_DTYPE;
    case EXPR_ABSENT: return K_ABSENT;
    case EXPR_CALL: return call_kinds(l, e);
    case EXPR_NATIVE: return native_kinds(l, e);
    case EXPR_NEG: case EXPR_ADD: case EXPR_SUB:
    case EXPR_MUL: case EXPR_DIV: case EXPR_MOD: return arithmetic(l, e);
    case EXPR_CONCAT:
        for (uint32_t i = 0; i < 2; i++)
            want(l, e->args[i], kinds_of(l, e->args[i]), K_LIST, "\"++\"");
        return K_LIST;
    case EXPR_EQ: case EXPR_NE: case EXPR_LT: case EXPR_LE: case EXPR_GT: case EXPR_GE:
        return comparison(l, e);
    case EXPR_IN: return membership(l, e);
    case EXPR_NOT: case EXPR_AND: case EXPR_OR: return logic(l, e);
    case EXPR_INDEX:
        want(l, e->args[0], kinds_of(l, e->args[0]), K_LIST | K_VALUES | K_VALUE,
             "an index");
        want(l, e->args[1], kinds_of(l, e->args[1]), K_NUMBER, "an index");
        return K_ANY;
    case EXPR_COALESCE: return kinds_of(l, e->args[0]) | kinds_of(l, e->args[1]);
    case EXPR_IF: {
        want(l, e->args[0], kinds_of(l, e->args[0]), K_BOOL, "\"if\"");
        uint32_t yes = kinds_of(l, e->args[1]);
        return yes | kinds_of(l, e->args[2]);
    }
    case EXPR_LET: return kinds_of(l, e->args[0]);
    case EXPR_IS_ABSENT: return all_args(l, e, K_BOOL);
    case EXPR_FOR: return for_kinds(l, e);
    }
    return K_ANY;
}

/* --- parameters -------------------------------------------------------------------- */
static uint32_t attr_kinds(enum ir_attr_type t) {
    switch (t) {
    case IR_ATTR_INT: return K_INT | K_DTYPE | K_BOOL | K_VALUE;
    case IR_ATTR_FLOAT: return K_NUMBER;
    case IR_ATTR_STRING: return K_STRING;
    case IR_ATTR_INTS: case IR_ATTR_FLOATS: case IR_ATTR_STRINGS:
        return K_LIST | K_VALUE | K_VALUES;
    default: return K_ANY;
    }
}

static const char *attr_what(enum ir_attr_type t) {
    switch (t) {
    case IR_ATTR_INT: return "an integer";
    case IR_ATTR_FLOAT: return "a number";
    case IR_ATTR_STRING: return "a string";
    case IR_ATTR_INTS: return "a list of integers";
    case IR_ATTR_FLOATS: return "a list of numbers";
    default: return "a list";
    }
}

void dsl_check_param(struct lower *l, const struct ir_param_def *def,
                     const struct expr *value, struct span at) {
    uint32_t kinds = kinds_of(l, value);
    if (kinds & (attr_kinds(def->type) | K_ABSENT)) return;
    dsl_error(l, at, "\"%s\" is %s, not %s", def->name, attr_what(def->type), what(kinds));
    if (kinds & K_INT && attr_kinds(def->type) & K_LIST)
        dsl_help(l, at, "write it in brackets: [...]");
}

void dsl_check_literal(struct lower *l, const struct ir_param_def *def,
                       const struct literal *lit, struct span at) {
    static const uint32_t kinds[] = {[LIT_INT] = K_INT,
                                     [LIT_REAL] = K_REAL,
                                     [LIT_BOOL] = K_BOOL,
                                     [LIT_STRING] = K_STRING,
                                     [LIT_LIST] = K_LIST};
    if (kinds[lit->kind] & attr_kinds(def->type)) return;
    dsl_error(l, at, "\"%s\" is %s, not %s", def->name, attr_what(def->type),
              what(kinds[lit->kind]));
    if (lit->kind == LIT_INT && attr_kinds(def->type) & K_LIST)
        dsl_help(l, at, "write it in brackets: [%" PRId64 "]", lit->i);
}

/* --- a rule ------------------------------------------------------------------------ */
void dsl_check_exprs(struct lower *l) {
    for (uint32_t i = 0; i < l->where.len; i++)
        want(l, l->where.at[i], kinds_of(l, l->where.at[i]), K_BOOL, "a condition");
    for (uint32_t i = 0; i < l->rule->nblocks; i++) {
        const struct expr *when = l->rule->blocks[i].when;
        if (when) want(l, when, kinds_of(l, when), K_BOOL, "a condition");
    }
}
