/* lower_expr.c -- conditions and the values of parameters, names resolved.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

static const struct { const char *name; uint32_t least, most; } functions[FN_N] = {
#define X(name, least, most) {#name, least, most},
    EXPR_FUNCTIONS(X)
#undef X
};

static enum expr_function find_function(const char *name) {
    for (uint32_t i = 0; i < FN_N; i++)
        if (rw_streq(functions[i].name, name)) return (enum expr_function)i;
    return FN_N;
}

bool dsl_is_function(const char *name) { return find_function(name) != FN_N; }
const char *dsl_function_name(enum expr_function fn) { return functions[fn].name; }

struct expr *dsl_new_expr(struct lower *l, enum expr_kind kind, struct span at) {
    struct expr *e = arena_new(l->arena, struct expr);
    *e = (struct expr){.kind = kind, .at = at, .slot = SLOT_NONE};
    if (++l->nexprs == LOWER_EXPRS) {
        dsl_error(l, at, "the expressions of this rule are too large");
        l->too_big = true;
    }
    return e;
}

static struct expr *with(struct lower *l, enum expr_kind kind, struct span at, uint32_t n,
                         const struct expr *const *args) {
    struct expr *e = dsl_new_expr(l, kind, at);
    e->nargs = n;
    e->args = arena_copy(l->arena, args, n * sizeof *args);
    return e;
}

static struct expr *call(struct lower *l, enum expr_function fn, struct span at, uint32_t n,
                         const struct expr *const *args) {
    struct expr *e = with(l, EXPR_CALL, at, n, args);
    e->fn = fn;
    return e;
}

static struct expr *absent(struct lower *l, struct span at) {
    return dsl_new_expr(l, EXPR_ABSENT, at);
}

/* --- names ------------------------------------------------------------------------- */
static struct expr *entry_expr(struct lower *l, const struct entry *e, struct span at) {
    if (e->kind == ENTRY_ABSENT) return absent(l, at);
    struct expr *out;
    if (e->kind == ENTRY_EXPR || e->kind == ENTRY_LET) {
        struct scope *scope = l->scope;
        uint32_t number = e->slot; /* lowering may move the entries */
        bool is_let = e->kind == ENTRY_LET;
        l->scope = e->from;
        const struct expr *body = dsl_expr(l, e->expr);
        l->scope = scope;
        if (!is_let) return (struct expr *)(uintptr_t)body;
        out = with(l, EXPR_LET, at, 1, &body);
        out->i = number;
        return out;
    }
    out = dsl_new_expr(l, EXPR_SLOT, at);
    out->slot = e->slot;
    l->notes.at[e->slot].reads++;
    return out;
}

static struct expr *param(struct lower *l, const char *name, struct span at) {
    const struct rule_pack *pack = l->unit->pack;
    for (uint32_t i = 0; i < pack->nparams; i++)
        if (rw_streq(pack->params[i].name, name)) {
            struct expr *e = dsl_new_expr(l, EXPR_PARAM, at);
            e->i = i;
            return e;
        }
    return NULL;
}

static struct expr *name_expr(struct lower *l, const char *name, struct span at) {
    const struct entry *e = dsl_find(l, l->scope, name);
    if (e) return entry_expr(l, e, at);
    struct expr *out = param(l, name, at);
    if (out) return out;
    if (rw_streq(name, "opset")) return dsl_new_expr(l, EXPR_OPSET, at);
    if (rw_streq(name, "target")) return dsl_new_expr(l, EXPR_TARGET, at);
    enum ir_dtype t = ir_dtype_from_name(name);
    out = dsl_new_expr(l, t == IR_UNDEFINED ? EXPR_ABSENT : EXPR_DTYPE, at);
    out->i = t;
    if (t != IR_UNDEFINED) return out;
    if (dsl_is_function(name)) {
        dsl_error(l, at, "\"%s\" is a function: write %s(...)", name, name);
        return out;
    }
    if (l->match_failed) return out;
    dsl_error(l, at, "\"%s\" is not bound by the pattern", name);
    dsl_help_name(l, name, at);
    return out;
}

/* --- calls ------------------------------------------------------------------------- */
static struct expr *unknown_function(struct lower *l, const struct ast *e) {
    const char *name = e->call->names.at[0].text, *names[FN_N];
    for (uint32_t i = 0; i < FN_N; i++) names[i] = functions[i].name;
    dsl_error(l, e->at, "there is no function \"%s\"", name);
    const char *near = diag_nearest(name, names, FN_N);
    if (near) dsl_help(l, e->at, "did you mean \"%s\"?", near);
    else dsl_help(l, e->at, "operators of the graph belong in match and emit");
    return absent(l, e->at);
}

static struct expr *native_call(struct lower *l, const struct ast *e,
                                const struct rule_predicate *p) {
    const struct ast_call *c = e->call;
    if (c->has_attrs || c->optional || c->pinned)
        dsl_error(l, e->at, "a predicate takes arguments in parentheses only");
    if (c->args.len != p->nargs) {
        dsl_error(l, e->at, "\"%s\" takes %u argument%s, %u %s given", p->name, p->nargs,
                  p->nargs == 1 ? "" : "s", c->args.len, c->args.len == 1 ? "is" : "are");
        diag_at(l->diags, DIAG_NOTE, p->at, "it is declared here");
        return absent(l, e->at);
    }
    const struct expr **args = arena_new_array(l->arena, const struct expr *, c->args.len);
    for (uint32_t i = 0; i < c->args.len; i++) args[i] = dsl_expr(l, c->args.at[i]);
    struct expr *out = with(l, EXPR_NATIVE, e->at, c->args.len, args);
    out->predicate = p;
    return out;
}

static struct expr *function_call(struct lower *l, const struct ast *e) {
    const struct ast_call *c = e->call;
    enum expr_function fn = c->is_class ? FN_N : find_function(c->names.at[0].text);
    const struct rule_predicate *native =
        c->is_class || fn != FN_N ? NULL : dsl_find_predicate(l->unit, c->names.at[0].text);
    if (native) return native_call(l, e, native);
    if (fn == FN_N) return unknown_function(l, e);
    if (c->has_attrs || c->optional || c->pinned)
        dsl_error(l, e->at, "a function takes arguments in parentheses only");
    if (c->args.len < functions[fn].least || c->args.len > functions[fn].most) {
        dsl_error(l, e->at, "\"%s\" takes %u%s argument%s, %u %s given", functions[fn].name,
                  functions[fn].least,
                  functions[fn].most > functions[fn].least ? " or more" : "",
                  functions[fn].most == 1 ? "" : "s", c->args.len,
                  c->args.len == 1 ? "is" : "are");
        return absent(l, e->at);
    }
    const struct expr **args = arena_new_array(l->arena, const struct expr *, c->args.len);
    for (uint32_t i = 0; i < c->args.len; i++) args[i] = dsl_expr(l, c->args.at[i]);
    return call(l, fn, e->at, c->args.len, args);
}

/* --- operators --------------------------------------------------------------------- */
static struct expr *binary(struct lower *l, const struct ast *e) {
    static const enum expr_kind kinds[OP_N] = {
        [OP_ADD] = EXPR_ADD, [OP_SUB] = EXPR_SUB, [OP_MUL] = EXPR_MUL, [OP_DIV] = EXPR_DIV,
        [OP_MOD] = EXPR_MOD, [OP_CONCAT] = EXPR_CONCAT, [OP_COALESCE] = EXPR_COALESCE,
        [OP_EQ] = EXPR_EQ, [OP_NE] = EXPR_NE, [OP_LT] = EXPR_LT, [OP_LE] = EXPR_LE,
        [OP_GT] = EXPR_GT, [OP_GE] = EXPR_GE, [OP_IN] = EXPR_IN, [OP_AND] = EXPR_AND,
        [OP_OR] = EXPR_OR};
    if (e->op == OP_ALT) {
        dsl_error(l, e->at, "\"|\" is for patterns");
        dsl_help(l, e->at, "in a condition write \"||\"");
        return absent(l, e->at);
    }
    const struct expr *args[2] = {dsl_expr(l, e->args.at[0]), dsl_expr(l, e->args.at[1])};
    return with(l, kinds[e->op], e->at, 2, args);
}

static struct expr *unary(struct lower *l, const struct ast *e) {
    const struct expr *arg = dsl_expr(l, e->args.at[0]);
    switch (e->op) {
    case OP_NEG:
        if (arg->kind == EXPR_INT || arg->kind == EXPR_REAL) {
            struct expr *out = dsl_new_expr(l, arg->kind, e->at);
            out->i = -arg->i;
            out->real = -arg->real;
            return out;
        }
        return with(l, EXPR_NEG, e->at, 1, &arg);
    case OP_NOT: return with(l, EXPR_NOT, e->at, 1, &arg);
    case OP_CONST: return call(l, FN_is_const, e->at, 1, &arg);
    default: break;
    }
    dsl_error(l, e->at, "\"%s\" cannot stand here in a condition", dsl_op_text(e->op));
    if (e->op == OP_SCALAR)
        dsl_help(l, e->at,
                 "\"const scalar x;\" is a condition of its own, up to the \";\"");
    return absent(l, e->at);
}

/* a ~= b ± t is |a - b| <= t; without t, 2^-20 of b. */
static struct expr *approx(struct lower *l, const struct ast *e) {
    const struct expr *ab[2] = {dsl_expr(l, e->args.at[0]), dsl_expr(l, e->args.at[1])};
    const struct expr *distance = with(l, EXPR_SUB, e->at, 2, ab), *tolerance;
    if (e->args.len > 2) {
        tolerance = dsl_expr(l, e->args.at[2]);
    } else {
        struct expr *step = dsl_new_expr(l, EXPR_REAL, e->at);
        step->real = 0x1p-20;
        const struct expr *product[2] = {call(l, FN_abs, e->at, 1, &ab[1]), step};
        tolerance = with(l, EXPR_MUL, e->at, 2, product);
    }
    const struct expr *sides[2] = {call(l, FN_abs, e->at, 1, &distance), tolerance};
    return with(l, EXPR_LE, e->at, 2, sides);
}

static struct expr *comprehension(struct lower *l, const struct ast *e) {
    const struct expr *args[3];
    args[1] = dsl_expr(l, e->args.at[1]);
    bool values = args[1]->kind == EXPR_SLOT &&
                  l->slots.at[args[1]->slot].kind == SLOT_VALUES;
    struct scope *outer = l->scope;
    l->scope = dsl_scope(l, outer);
    uint32_t slot = dsl_new_slot(l, e->text, values ? SLOT_VALUE : SLOT_ATTR, e->at);
    l->notes.at[slot].local = true;
    dsl_bind(l, l->scope, e->text, (struct entry){.kind = ENTRY_SLOT, .slot = slot});
    args[0] = dsl_expr(l, e->args.at[0]);
    uint32_t n = e->args.len;
    if (n > 2) args[2] = dsl_expr(l, e->args.at[2]);
    l->scope = outer;
    struct expr *out = with(l, EXPR_FOR, e->at, n, args);
    out->slot = slot;
    return out;
}

static struct expr *list(struct lower *l, const struct ast *e) {
    const struct expr **items = arena_new_array(l->arena, const struct expr *, e->args.len);
    for (uint32_t i = 0; i < e->args.len; i++) items[i] = dsl_expr(l, e->args.at[i]);
    bool one_for = e->args.len == 1 && items[0]->kind == EXPR_FOR && e->kind == AST_LIST;
    if (one_for) return (struct expr *)(uintptr_t)items[0];
    return with(l, EXPR_LIST, e->at, e->args.len, items);
}

static struct expr *spread(struct lower *l, const struct ast *e) {
    if (e->args.len) {
        const struct expr *items = dsl_expr(l, e->args.at[0]);
        return with(l, EXPR_SPREAD, e->at, 1, &items);
    }
    if (!e->text) {
        dsl_error(l, e->at, "\"..\" stands before a name here");
        return absent(l, e->at);
    }
    const struct expr *name = name_expr(l, e->text, e->at);
    return with(l, EXPR_SPREAD, e->at, 1, &name);
}

static struct expr *number(struct lower *l, const struct ast *e) {
    struct expr *out = dsl_new_expr(l, e->kind == AST_INT ? EXPR_INT : EXPR_REAL, e->at);
    out->i = e->i;
    out->real = e->real;
    return out;
}

static struct expr *conditional(struct lower *l, const struct ast *e) {
    const struct expr *args[3];
    for (int i = 0; i < 3; i++) args[i] = dsl_expr(l, e->args.at[i]);
    return with(l, EXPR_IF, e->at, 3, args);
}

static struct expr *misplaced(struct lower *l, const struct ast *e) {
    static const char *const what[] = {
        [AST_EMPTY] = "nothing", [AST_SUM] = "a sum of a pattern",
        [AST_MAYBE] = "\"?\"", [AST_TYPED] = "a type", [AST_LET] = "\"let\""};
    dsl_error(l, e->at, "%s cannot stand here in a condition", what[e->kind]);
    if (e->kind == AST_MAYBE)
        dsl_help(l, e->at, "a condition asks \"x absent\"");
    if (e->kind == AST_SUM) dsl_help(l, e->at, "the sum of a list is %s([...])", e->text);
    return absent(l, e->at);
}

/* A string is the name of a value where a value is wanted: shape("/a/b"). */
static struct expr *string(struct lower *l, const struct ast *e) {
    const struct entry *named = dsl_find(l, l->scope, e->text);
    if (named && named->kind == ENTRY_SLOT && strpbrk(e->text, "/.:"))
        return entry_expr(l, named, e->at);
    struct expr *out = dsl_new_expr(l, EXPR_STRING, e->at);
    out->s = e->text;
    return out;
}

const struct expr *dsl_expr(struct lower *l, const struct ast *e) {
    if (l->too_big) return absent(l, e->at);
    switch (e->kind) {
    case AST_NAME: return name_expr(l, e->text, e->at);
    case AST_STRING: return string(l, e);
    case AST_INT: case AST_REAL: return number(l, e);
    case AST_BOOL: {
        struct expr *out = dsl_new_expr(l, EXPR_BOOL, e->at);
        out->i = e->i;
        return out;
    }
    case AST_NONE: return absent(l, e->at);
    case AST_PAREN: return dsl_expr(l, e->args.at[0]);
    case AST_CALL: return function_call(l, e);
    case AST_LIST: case AST_SET: return list(l, e);
    case AST_UNARY: return unary(l, e);
    case AST_BINARY: return binary(l, e);
    case AST_APPROX: return approx(l, e);
    case AST_INDEX: {
        const struct expr *args[2] = {dsl_expr(l, e->args.at[0]),
                                      dsl_expr(l, e->args.at[1])};
        return with(l, EXPR_INDEX, e->at, 2, args);
    }
    case AST_IF: return conditional(l, e);
    case AST_FOR: return comprehension(l, e);
    case AST_SPREAD: return spread(l, e);
    case AST_IS_ABSENT: {
        const struct expr *arg = dsl_expr(l, e->args.at[0]);
        return with(l, EXPR_IS_ABSENT, e->at, 1, &arg);
    }
    case AST_EMPTY: case AST_SUM: case AST_MAYBE: case AST_TYPED: case AST_LET: break;
    }
    return misplaced(l, e);
}

/* --- where ------------------------------------------------------------------------- */
static uint32_t bound_value(struct lower *l, const struct ast *e) {
    const struct ast *name = dsl_bare((struct ast *)(uintptr_t)e);
    const struct entry *entry = name->kind == AST_NAME || name->kind == AST_STRING
                                    ? dsl_find(l, l->scope, name->text) : NULL;
    if (entry && entry->kind == ENTRY_SLOT && l->slots.at[entry->slot].kind == SLOT_VALUE)
        return entry->slot;
    dsl_error(l, e->at, "this wants the name of a value that the pattern binds");
    if (name->kind == AST_NAME) dsl_help_name(l, name->text, e->at);
    return SLOT_NONE;
}

/* `const scalar eps;` and `x : float[B, _];` say something of a slot, not of a match. */
static bool slot_condition(struct lower *l, const struct ast *cond) {
    const struct ast *inner;
    uint32_t flags = dsl_flags(cond, &inner);
    if (flags) {
        uint32_t slot = bound_value(l, inner);
        if (slot != SLOT_NONE) l->slots.at[slot].flags |= flags;
        return true;
    }
    if (inner->kind != AST_TYPED) return false;
    uint32_t slot = bound_value(l, inner->args.at[0]);
    if (slot == SLOT_NONE) return true;
    if (l->slots.at[slot].type) dsl_error(l, inner->at, "a second type for the same value");
    const struct pat_type *type = dsl_type(l, inner->type); /* which may move the slots */
    l->slots.at[slot].type = type;
    return true;
}

/* `let n = ...;` names an expression for what follows it, emit too. */
static void let(struct lower *l, const struct ast *cond) {
    struct scope *outer = l->scope;
    if (dsl_find(l, outer, cond->text))
        dsl_error(l, cond->at, "\"%s\" has a meaning already", cond->text);
    l->scope = dsl_scope(l, outer);
    dsl_bind(l, l->scope, cond->text,
             (struct entry){.kind = ENTRY_LET, .slot = l->nlets, .expr = cond->args.at[0],
                            .from = outer});
    if (++l->nlets > RULE_LETS)
        dsl_error(l, cond->at, "more than %u names by \"let\" in one rule", RULE_LETS);
}

void dsl_where(struct lower *l, const struct ast_list *conds) {
    for (uint32_t i = 0; i < conds->len; i++)
        if (conds->at[i]->kind == AST_LET) let(l, conds->at[i]);
        else if (!slot_condition(l, conds->at[i]))
            vec_push(l->arena, &l->where, dsl_expr(l, conds->at[i]));
}
