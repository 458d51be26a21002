/* fits.c -- constants and parameters: what cannot be together, and what follows.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/solve.h"

#include "ir/schema.h"

#include <math.h>

/* --- constants --------------------------------------------------------------------- */
static bool is_number(const struct literal *l) {
    return l->kind == LIT_INT || l->kind == LIT_REAL || l->kind == LIT_BOOL;
}

static double number(const struct literal *l) {
    return l->kind == LIT_REAL ? l->real : (double)l->i;
}

/* The widest that is allowed for any element type: that of bfloat16. */
static double tolerance(const struct literal *l) {
    if (l->has_tolerance) return l->tolerance;
    return l->kind == LIT_REAL ? fabs(l->real) * 0x1p-7 : 0;
}

static bool numbers_clash(double a, double b, double tolerance_of_both) {
    return fabs(a - b) > tolerance_of_both;
}

static bool items_clash(const struct literal *list, uint32_t i, const struct literal *l) {
    const struct pat_dim *a = &list->items[i];
    if (a->kind != DIM_CONST) return false;
    if (l->kind != LIT_LIST)
        return !is_number(l) || numbers_clash((double)a->value, number(l), tolerance(l));
    return l->items[i].kind == DIM_CONST && a->value != l->items[i].value;
}

static bool has_rest(const struct literal *list) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i].kind == DIM_REST) return true;
    return false;
}

bool lint_literals_clash(const struct literal *a, const struct literal *b) {
    if (b->kind == LIT_LIST && a->kind != LIT_LIST) return lint_literals_clash(b, a);
    if (a->kind == LIT_LIST) {
        if (has_rest(a) || (b->kind == LIT_LIST && has_rest(b))) return false;
        uint32_t n = b->kind == LIT_LIST ? b->n : b->splat ? a->n : 1;
        if (a->n != n) return true;
        for (uint32_t i = 0; i < n; i++)
            if (items_clash(a, i, b)) return true;
        return false;
    }
    if (a->kind == LIT_STRING || b->kind == LIT_STRING)
        return a->kind != b->kind || !rw_streq(a->s, b->s);
    return numbers_clash(number(a), number(b), tolerance(a) + tolerance(b));
}

static bool exactly(double a, double b) { return !(a < b) && !(a > b); }

bool lint_literal_implied(const struct literal *known, const struct literal *wanted) {
    if (known->kind != wanted->kind || (known->splat && !wanted->splat)) return false;
    switch (wanted->kind) {
    case LIT_INT: case LIT_BOOL: return known->i == wanted->i;
    case LIT_STRING: return rw_streq(known->s, wanted->s);
    case LIT_REAL:
        return exactly(known->real, wanted->real) &&
               known->has_tolerance == wanted->has_tolerance &&
               known->tolerance <= wanted->tolerance;
    case LIT_LIST: break;
    }
    if (known->n != wanted->n) return false;
    for (uint32_t i = 0; i < known->n; i++) {
        const struct pat_dim *k = &known->items[i], *w = &wanted->items[i];
        if (w->kind == DIM_ANY && k->kind != DIM_REST) continue;
        if (w->kind != DIM_CONST || k->kind != DIM_CONST || k->value != w->value)
            return false;
    }
    return true;
}

bool lint_type_implied(const struct lint_value *v, const struct pat_type *t) {
    for (const struct lint_type *k = v->types; k; k = k->next)
        if (k->type == t) return true;
    if (t->shaped) return false;
    return t->dtypes == 0 || (v->dtypes && (v->dtypes & ~t->dtypes) == 0);
}

/* --- parameters -------------------------------------------------------------------- */
bool lint_tests_clash(const struct attr_test *a, const struct attr_test *b) {
    if (!rw_streq(a->name, b->name)) return false;
    if (a->kind != ATTR_LITERAL || b->kind != ATTR_LITERAL) return false;
    bool ints = a->lit.kind == LIT_INT && b->lit.kind == LIT_INT;
    if (a->is_axis || b->is_axis) /* -1 is 2 in rank 3 */
        return ints && (a->lit.i < 0) == (b->lit.i < 0) && a->lit.i != b->lit.i;
    return lint_literals_clash(&a->lit, &b->lit);
}

/* The default that an operator has had all the time, or NULL. */
static const struct ir_schema_attr *default_of(const struct pat_op *op, const char *name) {
    size_t epochs;
    const struct ir_schema *s = ir_schema_newest(op->domain, op->name);
    const struct ir_schema_attr *a = s ? ir_schema_attr(s, name) : NULL;
    (void)ir_op_epochs(op->domain, op->name, &epochs);
    return a && a->has_default == IR_HAS_DEFAULT && epochs <= 1 ? a : NULL;
}

static bool equals(const struct ir_schema_attr *d, const struct literal *l) {
    if (d->type == IR_ATTR_INT) return is_number(l) && exactly(number(l), (double)d->i);
    if (d->type == IR_ATTR_FLOAT)
        return is_number(l) && fabs(number(l) - (double)d->f) <= fabs(number(l)) * 0x1p-20;
    if (d->type == IR_ATTR_STRING) return l->kind == LIT_STRING && rw_streq(l->s, d->s);
    return false;
}

bool lint_is_default(uint32_t nops, const struct pat_op *ops, const char *name,
                     const struct literal *lit) {
    for (uint32_t i = 0; i < nops; i++) {
        const struct ir_schema_attr *d = default_of(&ops[i], name);
        if (!d || !equals(d, lit)) return false;
    }
    return nops > 0;
}

/* Known to differ from the default; -1 may be the axis that the default says. */
static bool is_no_default(const struct pat_op *op, const struct attr_test *t) {
    if (t->kind != ATTR_LITERAL || t->is_axis) return false;
    const struct ir_schema_attr *d = default_of(op, t->name);
    bool simple = d && (d->type == IR_ATTR_INT || d->type == IR_ATTR_FLOAT ||
                        d->type == IR_ATTR_STRING);
    return simple && !t->lit.has_tolerance && !equals(d, &t->lit);
}

static const struct attr_test *test_of(const struct lint_node *n, const char *name) {
    for (const struct lint_test *t = n->tests; t; t = t->next)
        if (rw_streq(t->test->name, name)) return t->test;
    return NULL;
}

static const struct attr_test *named_by(const struct pat *p, const char *name) {
    for (uint32_t i = 0; i < p->nattrs; i++)
        if (rw_streq(p->attrs[i].name, name)) return &p->attrs[i];
    return NULL;
}

bool lint_attrs_clash(const struct lint_node *n, const struct pat *p) {
    if (n->nops != 1) return false;
    for (uint32_t i = 0; i < p->nattrs && !n->any_attrs; i++)
        if (!test_of(n, p->attrs[i].name) && is_no_default(n->ops, &p->attrs[i]))
            return true;
    if (p->attrs_slot != SLOT_NONE) return false;
    for (const struct lint_test *t = n->tests; t; t = t->next)
        if (!named_by(p, t->test->name) && is_no_default(n->ops, t->test)) return true;
    return false;
}

/* --- what follows ------------------------------------------------------------------ */
/* What a name of a parameter stands for: a name of the other side, a number, the default.
 * The same name must stand for the same. */
#define OF_NUMBER 0x40000000u
#define OF_DEFAULT 0x20000000u
#define OF_NO_NAME 0x10000000u

static bool stands_for(const struct lint_state *s, uint8_t side, uint32_t slot,
                       uint32_t what) {
    uint32_t *at = &s->slots[side][slot];
    if (*at == LINT_NONE) *at = what;
    return *at == what && what != OF_NO_NAME;
}

static uint32_t of_number(int64_t i) { return OF_NUMBER | (uint32_t)(i & 0xffffff); }

static uint32_t of_literal(const struct literal *l) {
    return l->kind == LIT_INT && l->i > -0x700000 && l->i < 0x700000 ? of_number(l->i)
                                                                     : LINT_NONE;
}

static bool items_implied(const struct lint_state *s, const struct literal *known,
                          const struct literal *wanted, uint8_t side) {
    if (known->kind != LIT_LIST || known->n != wanted->n) return false;
    for (uint32_t i = 0; i < wanted->n; i++) {
        const struct pat_dim *k = &known->items[i], *w = &wanted->items[i];
        if (k->kind == DIM_REST || w->kind == DIM_REST) return false;
        if (w->kind == DIM_ANY) continue;
        if (w->kind == DIM_CONST) {
            if (k->kind != DIM_CONST || k->value != w->value) return false;
            continue;
        }
        uint32_t what = k->kind == DIM_SLOT ? k->slot : of_number(k->value);
        if (k->kind == DIM_ANY || !stands_for(s, side, w->slot, what)) return false;
    }
    return true;
}

static bool bind_implied(const struct lint_state *s, const struct attr_test *known,
                         uint32_t slot, uint8_t side) {
    uint32_t what = OF_DEFAULT;
    if (known && known->kind == ATTR_BIND) what = known->slot;
    else if (known && known->kind == ATTR_LITERAL) what = of_literal(&known->lit);
    else if (known) what = LINT_NONE;
    if (what != LINT_NONE) return stands_for(s, side, slot, what);
    /* Something without a name: good for one that is bound here alone. */
    bool first = s->slots[side][slot] == LINT_NONE;
    s->slots[side][slot] = OF_NO_NAME;
    return first;
}

bool lint_attrs_implied(const struct lint_state *s, const struct lint_node *n,
                        const struct pat *p, uint8_t side) {
    for (uint32_t i = 0; i < p->nattrs; i++) {
        const struct attr_test *t = &p->attrs[i], *known = test_of(n, t->name);
        bool literal = known && known->kind == ATTR_LITERAL;
        if (t->kind == ATTR_ANY) continue;
        if (!known && n->any_attrs) return false;
        if (t->kind == ATTR_BIND) {
            if (!bind_implied(s, known, t->slot, side)) return false;
        } else if (t->kind == ATTR_EXPR) {
            return false;
        } else if (t->lit.kind == LIT_LIST) {
            if (!literal || !items_implied(s, &known->lit, &t->lit, side)) return false;
        } else if (known ? !literal || !lint_literal_implied(&known->lit, &t->lit)
                         : !lint_is_default(n->nops, n->ops, t->name, &t->lit)) {
            return false;
        }
    }
    if (p->attrs_slot != SLOT_NONE) return true;
    if (n->any_attrs) return false;
    for (const struct lint_test *t = n->tests; t; t = t->next)
        if (!named_by(p, t->test->name) &&
            (t->test->kind != ATTR_LITERAL ||
             !lint_is_default(n->nops, n->ops, t->test->name, &t->test->lit)))
            return false;
    return true;
}
