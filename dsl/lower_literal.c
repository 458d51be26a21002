/* lower_literal.c -- constants, <...> and types of patterns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

#include <math.h>

static void as_int(int64_t i, struct literal *out) {
    *out = (struct literal){.kind = LIT_INT, .i = i, .real = (double)i};
}
static void as_real(double x, struct literal *out) {
    *out = (struct literal){.kind = LIT_REAL, .real = x};
}

static bool arithmetic(enum ast_op op, const struct literal *a, const struct literal *b,
                       struct literal *out) {
    int64_t i = 0;
    bool ints = a->kind == LIT_INT && b->kind == LIT_INT;
    switch (op) {
    case OP_ADD:
        if (ints && rw_add_i64(a->i, b->i, &i)) return as_int(i, out), true;
        return as_real(a->real + b->real, out), true;
    case OP_SUB:
        if (ints && rw_sub_i64(a->i, b->i, &i)) return as_int(i, out), true;
        return as_real(a->real - b->real, out), true;
    case OP_MUL:
        if (ints && rw_mul_i64(a->i, b->i, &i)) return as_int(i, out), true;
        return as_real(a->real * b->real, out), true;
    case OP_DIV: return as_real(b->real == 0 ? (double)NAN : a->real / b->real, out), true;
    default: return false;
    }
}

/* `sqrt(2)` and the like of a number. */
static bool function_of_number(const struct ast_call *c, struct literal *out) {
    static const struct { const char *name; double (*fn)(double); } fns[] = {
        {"sqrt", sqrt}, {"exp", exp}, {"log", log}, {"abs", fabs}, {"floor", floor}};
    struct literal x;
    if (c->is_class || c->has_attrs || c->args.len != 1) return false;
    for (size_t i = 0; i < countof(fns); i++)
        if (rw_streq(fns[i].name, c->names.at[0].text))
            return dsl_number(c->args.at[0], &x) && (as_real(fns[i].fn(x.real), out), true);
    return false;
}

bool dsl_number(const struct ast *e, struct literal *out) {
    struct literal a, b;
    switch (e->kind) {
    case AST_INT: return as_int(e->i, out), true;
    case AST_REAL: return as_real(e->real, out), true;
    case AST_BOOL:
        *out = (struct literal){.kind = LIT_BOOL, .i = e->i, .real = (double)e->i};
        return true;
    case AST_PAREN: return dsl_number(e->args.at[0], out);
    case AST_UNARY:
        if (e->op != OP_NEG || !dsl_number(e->args.at[0], &a) || a.kind == LIT_BOOL)
            return false;
        if (a.kind == LIT_INT && a.i != INT64_MIN) return as_int(-a.i, out), true;
        return as_real(-a.real, out), true;
    case AST_BINARY:
        return dsl_number(e->args.at[0], &a) && dsl_number(e->args.at[1], &b) &&
               a.kind != LIT_BOOL && b.kind != LIT_BOOL && arithmetic(e->op, &a, &b, out);
    case AST_CALL: return function_of_number(e->call, out);
    default: return false;
    }
}

/* --- lists of integers, names and _ ------------------------------------------------- */
static bool list_item(struct lower *l, const struct ast *e, struct pat_dim *out) {
    struct literal number;
    *out = (struct pat_dim){.slot = SLOT_NONE, .at = e->at};
    if (dsl_number(e, &number)) {
        *out = (struct pat_dim){DIM_CONST, number.i, SLOT_NONE, e->at};
        return number.kind == LIT_INT;
    }
    if (e->kind == AST_SPREAD) {
        out->kind = DIM_REST;
        if (e->text) out->slot = dsl_slot(l, e->text, SLOT_DIMS, e->at);
    } else if (e->kind == AST_NAME && rw_streq(e->text, "_")) {
        out->kind = DIM_ANY;
    } else if (e->kind == AST_NAME) {
        const struct entry *given = dsl_find(l, l->scope, e->text);
        if (given && given->kind == ENTRY_EXPR) return list_item(l, given->expr, out);
        out->kind = DIM_SLOT;
        out->slot = dsl_slot(l, e->text, SLOT_DIM, e->at);
        if (out->slot == SLOT_NONE) out->kind = DIM_ANY;
    } else {
        return false;
    }
    if (out->slot != SLOT_NONE) l->notes.at[out->slot].uses++;
    return true;
}

static bool is_plain_list(const struct ast *e) {
    struct literal number;
    for (uint32_t i = 0; i < e->args.len; i++) {
        const struct ast *item = e->args.at[i];
        bool ok = item->kind == AST_NAME || item->kind == AST_SPREAD ||
                  (dsl_number(item, &number) && number.kind == LIT_INT);
        if (!ok) return false;
    }
    return true;
}

bool dsl_list_literal(struct lower *l, const struct ast *e, struct literal *out) {
    struct pat_dim *items = arena_new_array(l->arena, struct pat_dim, e->args.len);
    uint32_t rests = 0;
    for (uint32_t i = 0; i < e->args.len; i++) {
        if (!list_item(l, e->args.at[i], &items[i])) {
            dsl_error(l, e->args.at[i]->at, "an item of a list in a pattern is an integer, "
                                            "a name or \"_\"");
            dsl_help(l, e->args.at[i]->at, "bind it by a name, and test the name in where");
            return false;
        }
        rests += items[i].kind == DIM_REST;
    }
    if (rests > 1) dsl_error(l, e->at, "a list may have one \"..\" only");
    *out = (struct literal){.kind = LIT_LIST, .n = e->args.len, .items = items};
    return true;
}

/* --- <...> ------------------------------------------------------------------------- */
static bool is_axis_name(const char *name) {
    return rw_streq(name, "axis") || rw_streq(name, "axes");
}

static void test_expr(struct lower *l, const struct ast *value, struct attr_test *t) {
    t->kind = ATTR_EXPR;
    t->expr = dsl_expr(l, value);
}

static void test_value(struct lower *l, const struct ast *value, struct attr_test *t);

static void test_name(struct lower *l, const char *name, struct span at,
                      struct attr_test *t) {
    if (rw_streq(name, "_")) return;
    const struct entry *given = dsl_find(l, l->scope, name);
    if (given && given->kind == ENTRY_EXPR) {
        struct scope *scope = l->scope;
        l->scope = given->from;
        test_value(l, given->expr, t);
        l->scope = scope;
        return;
    }
    enum ir_dtype type = given ? IR_UNDEFINED : ir_dtype_from_name(name);
    if (type != IR_UNDEFINED) {
        t->kind = ATTR_LITERAL;
        as_int(type, &t->lit);
        return;
    }
    t->slot = dsl_slot(l, name, SLOT_ATTR, at);
    if (t->slot == SLOT_NONE) return;
    t->kind = ATTR_BIND;
    l->notes.at[t->slot].uses++;
    if (!l->notes.at[t->slot].bound_by) l->notes.at[t->slot].bound_by = t->name;
}

static void test_value(struct lower *l, const struct ast *value, struct attr_test *t) {
    const struct ast *bare = dsl_bare((struct ast *)(uintptr_t)value);
    if (dsl_number(value, &t->lit)) {
        t->kind = ATTR_LITERAL;
    } else if (value->kind == AST_NAME) {
        test_name(l, value->text, value->at, t);
    } else if (bare->kind == AST_STRING) {
        t->kind = ATTR_LITERAL;
        t->lit = (struct literal){.kind = LIT_STRING, .s = bare->text};
    } else if (bare->kind == AST_LIST && is_plain_list(bare)) {
        t->kind = ATTR_LITERAL;
        if (!dsl_list_literal(l, bare, &t->lit)) t->kind = ATTR_ANY;
    } else {
        test_expr(l, value, t);
    }
}

/* `name = value`, unless the value stands elsewhere, as that of a sub-pattern's parameter. */
static struct span whole_attr(const struct ast_attr *a) {
    bool beside = a->value && a->value->at.source == a->at.source &&
                  a->value->at.begin >= a->at.end;
    return beside ? span_join(a->at, a->value->at) : a->at;
}

void dsl_attrs(struct lower *l, const struct ast_call *call, struct pat *node) {
    if (call->attrs.len > LOWER_PARAMS) {
        dsl_error(l, node->at, "more than %u parameters in one <...>", LOWER_PARAMS);
        return;
    }
    struct attr_test *tests = arena_new_array(l->arena, struct attr_test, call->attrs.len);
    for (uint32_t i = 0; i < call->attrs.len; i++) {
        const struct ast_attr *a = &call->attrs.at[i];
        if (!a->name) {
            bool named = *a->rest != '\0';
            node->attrs_slot = named ? dsl_slot(l, a->rest, SLOT_ATTRS, a->at)
                                     : dsl_new_slot(l, "", SLOT_ATTRS, a->at);
            if (node->attrs_slot != SLOT_NONE) l->notes.at[node->attrs_slot].uses++;
            continue;
        }
        struct attr_test *t = &tests[node->nattrs++];
        *t = (struct attr_test){.name = a->name, .kind = ATTR_ANY, .slot = SLOT_NONE,
                                .is_axis = is_axis_name(a->name), .at = a->at,
                                .whole = whole_attr(a)};
        for (struct attr_test *earlier = tests; earlier < t; earlier++)
            if (rw_streq(earlier->name, t->name))
                dsl_error(l, a->at, "\"%s\" is given twice", a->name);
        if (a->value) test_value(l, a->value, t);
        else test_name(l, a->name, a->at, t);
    }
    node->attrs = tests;
}

/* --- types ------------------------------------------------------------------------- */
static uint32_t dtype_bit(struct lower *l, const struct ast_word *w) {
    enum ir_dtype t = ir_dtype_from_name(w->text);
    if (t != IR_UNDEFINED) return 1u << t;
    const char *names[IR_DTYPE_N];
    size_t n = 0;
    for (int i = 1; i < IR_DTYPE_N; i++)
        if (ir_dtype_name((enum ir_dtype)i)) names[n++] = ir_dtype_name((enum ir_dtype)i);
    dsl_error(l, w->at, "\"%s\" is no element type", w->text);
    const char *near = diag_nearest(w->text, names, n);
    if (near) dsl_help(l, w->at, "did you mean \"%s\"?", near);
    return 0;
}

static void type_dim(struct lower *l, const struct ast_dim *d, struct pat_dim *out) {
    *out = (struct pat_dim){DIM_ANY, d->value, SLOT_NONE, d->at};
    switch (d->kind) {
    case AST_DIM_ANY: break;
    case AST_DIM_INT: out->kind = DIM_CONST; break;
    case AST_DIM_NAME:
        out->slot = dsl_slot(l, d->name, SLOT_DIM, d->at);
        if (out->slot != SLOT_NONE) out->kind = DIM_SLOT;
        break;
    case AST_DIM_REST:
        out->kind = DIM_REST;
        if (d->name) out->slot = dsl_slot(l, d->name, SLOT_DIMS, d->at);
        break;
    }
    if (out->slot != SLOT_NONE) l->notes.at[out->slot].uses++;
}

const struct pat_type *dsl_type(struct lower *l, const struct ast_type *t) {
    struct pat_type *out = arena_new(l->arena, struct pat_type);
    *out = (struct pat_type){.shaped = t->shaped, .ndims = t->dims.len, .at = t->at};
    for (uint32_t i = 0; i < t->dtypes.len; i++)
        if (t->is_set || !rw_streq(t->dtypes.at[i].text, "_"))
            out->dtypes |= dtype_bit(l, &t->dtypes.at[i]);
    struct pat_dim *dims = arena_new_array(l->arena, struct pat_dim, t->dims.len);
    uint32_t rests = 0;
    for (uint32_t i = 0; i < t->dims.len; i++) {
        type_dim(l, &t->dims.at[i], &dims[i]);
        rests += dims[i].kind == DIM_REST;
    }
    if (rests > 1) dsl_error(l, t->at, "a shape may have one \"..\" only");
    out->dims = dims;
    return out;
}
