/* facts.c -- conditions that cannot all hold.
 *
 * A term is what a condition compares with a constant: rank(x), dim(x, 0), dtype(x), a
 * parameter. Of each an interval is kept, or the values that are left. What patterns say is
 * put down as conditions too: annotations, and the types that an operator takes. Anything
 * that is not understood says nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#include <math.h>

#define MOST_VALUES 64u

struct value { /* a number, an element type or a text */
    const char *s; /* NULL: none */
    double x;
};
struct term {
    const struct expr *of;
    bool whole;      /* integers only */
    double low, high;
    bool listed;
    uint32_t n;      /* values that are left, when listed */
    struct value values[MOST_VALUES];
    struct span said; /* by what was said last */
};
struct facts {
    struct arena *arena;
    const struct rule *rule;
    VEC(struct term) terms;
    bool contradicts;
    struct span first, second;
};

/* --- terms ------------------------------------------------------------------------- */
static bool same_term(const struct expr *a, const struct expr *b) {
    if (a->kind != b->kind || a->nargs != b->nargs) return false;
    if (a->kind == EXPR_SLOT && a->slot != b->slot) return false;
    if (a->kind == EXPR_INT && a->i != b->i) return false;
    if (a->kind == EXPR_CALL && a->fn != b->fn) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!same_term(a->args[i], b->args[i])) return false;
    return true;
}

/* A name, a function of a name, dim of a name and a number. */
static bool is_term(const struct expr *e) {
    if (e->kind == EXPR_SLOT) return true;
    if (e->kind != EXPR_CALL || e->nargs == 0 || e->args[0]->kind != EXPR_SLOT) return false;
    return e->nargs == 1 || (e->fn == FN_dim && e->args[1]->kind == EXPR_INT);
}

static bool counts(const struct expr *e) {
    return e->kind == EXPR_CALL && (e->fn == FN_rank || e->fn == FN_dim ||
                                    e->fn == FN_len || e->fn == FN_uses);
}

static struct term *term_of(struct facts *f, const struct expr *e) {
    for (uint32_t i = 0; i < f->terms.len; i++)
        if (same_term(f->terms.at[i].of, e)) return &f->terms.at[i];
    struct term t = {.of = e, .whole = counts(e), .low = counts(e) ? 0 : -INFINITY,
                     .high = INFINITY, .said = e->at};
    vec_push(f->arena, &f->terms, t);
    return vec_last(&f->terms);
}

static const struct expr *call(struct facts *f, enum expr_function fn, uint32_t slot,
                               struct span at) {
    struct expr *name = arena_new(f->arena, struct expr), *e = arena_copy(f->arena, name,
                                                                          sizeof *e);
    const struct expr **args = arena_new_array(f->arena, const struct expr *, 1);
    *name = (struct expr){.kind = EXPR_SLOT, .slot = slot, .at = at};
    args[0] = name;
    *e = (struct expr){.kind = EXPR_CALL, .fn = fn, .nargs = 1, .args = args, .at = at};
    return e;
}

/* --- narrowing --------------------------------------------------------------------- */
static bool is_less(double a, double b) { return a < b; }

static bool is_in(const struct term *t, const struct value *v) {
    return v->s || (!is_less(v->x, t->low) && !is_less(t->high, v->x));
}

static bool is_same(const struct value *a, const struct value *b) {
    if (!a->s != !b->s) return false;
    if (a->s) return rw_streq(a->s, b->s);
    bool whole = !is_less(floor(a->x), a->x) && !is_less(floor(b->x), b->x);
    double near = whole ? 0 : fmax(fabs(a->x), fabs(b->x)) * 0x1p-7; /* as constants are */
    return fabs(a->x - b->x) <= near;
}

static void settle(struct facts *f, struct term *t, struct span at) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (is_in(t, &t->values[i])) t->values[n++] = t->values[i];
    t->n = n;
    bool empty = t->listed ? t->n == 0 : t->low > t->high;
    if (empty && !f->contradicts) {
        f->contradicts = true;
        f->first = t->said;
        f->second = at;
    }
    t->said = at;
}

static void at_least(struct facts *f, const struct expr *e, double x, struct span at) {
    struct term *t = term_of(f, e);
    if (x > t->low) t->low = x;
    settle(f, t, at);
}

static void at_most(struct facts *f, const struct expr *e, double x, struct span at) {
    struct term *t = term_of(f, e);
    if (x < t->high) t->high = x;
    settle(f, t, at);
}

static void one_of(struct facts *f, const struct expr *e, uint32_t n,
                   const struct value *values, struct span at) {
    struct term *t = term_of(f, e);
    if (!t->listed) {
        if (n > MOST_VALUES) return;
        memcpy(t->values, values, n * sizeof *values);
        t->n = n;
        t->listed = true;
    } else {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < t->n; i++)
            for (uint32_t k = 0; k < n; k++)
                if (is_same(&t->values[i], &values[k])) {
                    t->values[kept++] = t->values[i];
                    break;
                }
        t->n = kept;
    }
    settle(f, t, at);
}

/* --- conditions -------------------------------------------------------------------- */
static bool value_of(const struct expr *e, struct value *out) {
    *out = (struct value){0};
    switch (e->kind) {
    case EXPR_INT: case EXPR_DTYPE: case EXPR_BOOL: out->x = (double)e->i; return true;
    case EXPR_REAL: out->x = e->real; return true;
    case EXPR_STRING: out->s = e->s; return true;
    case EXPR_NEG: {
        bool ok = value_of(e->args[0], out) && !out->s;
        out->x = -out->x;
        return ok;
    }
    default: return false;
    }
}

static void compared(struct facts *f, const struct expr *term, enum expr_kind op,
                     struct value v, struct span at) {
    bool whole = counts(term);
    if (op == EXPR_EQ) one_of(f, term, 1, &v, at);
    if (v.s) return;
    /* More than 2 is at least 3 of whole numbers, of others at least the next one. */
    double above = whole ? floor(v.x) + 1 : nextafter(v.x, INFINITY);
    double below = whole ? ceil(v.x) - 1 : nextafter(v.x, -INFINITY);
    if (op == EXPR_GE) at_least(f, term, v.x, at);
    if (op == EXPR_GT) at_least(f, term, above, at);
    if (op == EXPR_LE) at_most(f, term, v.x, at);
    if (op == EXPR_LT) at_most(f, term, below, at);
}

/* shape(x) == [a, b] is of rank 2. */
static void shape_is(struct facts *f, const struct expr *shape, const struct expr *list) {
    bool ok = shape->kind == EXPR_CALL && shape->fn == FN_shape && list->kind == EXPR_LIST &&
              shape->args[0]->kind == EXPR_SLOT;
    for (uint32_t i = 0; ok && i < list->nargs; i++)
        ok = list->args[i]->kind != EXPR_SPREAD && list->args[i]->kind != EXPR_FOR;
    if (!ok) return;
    const struct expr *rank = call(f, FN_rank, shape->args[0]->slot, shape->at);
    compared(f, rank, EXPR_EQ, (struct value){.x = list->nargs}, list->at);
}

static void among(struct facts *f, const struct expr *term, const struct expr *list,
                  struct span at) {
    struct value values[MOST_VALUES];
    if (list->kind != EXPR_LIST || list->nargs > MOST_VALUES) return;
    for (uint32_t i = 0; i < list->nargs; i++)
        if (!value_of(list->args[i], &values[i])) return;
    one_of(f, term, list->nargs, values, at);
}

static void condition(struct facts *f, const struct expr *e, bool holds) {
    if (e->kind == EXPR_NOT) {
        condition(f, e->args[0], !holds);
        return;
    }
    if (e->kind == EXPR_AND && holds) {
        condition(f, e->args[0], holds);
        condition(f, e->args[1], holds);
        return;
    }
    if (is_term(e)) { /* is_const(x) */
        one_of(f, e, 1, &(struct value){.x = holds}, e->at);
        return;
    }
    if (e->nargs != 2 || !holds) return;
    const struct expr *a = e->args[0], *b = e->args[1];
    struct value v;
    if (e->kind == EXPR_IN && is_term(a)) among(f, a, b, e->at);
    if (e->kind < EXPR_EQ || e->kind > EXPR_GE) return;
    if (e->kind == EXPR_EQ) shape_is(f, a, b), shape_is(f, b, a);
    if (is_term(a) && value_of(b, &v)) compared(f, a, e->kind, v, e->at);
    else if (is_term(b) && value_of(a, &v)) compared(f, b, rule_mirrored(e->kind), v, e->at);
}

/* --- what patterns say ------------------------------------------------------------- */
static void of_types(struct facts *f, uint32_t slot, uint32_t dtypes, struct span at) {
    struct value values[IR_DTYPE_N];
    uint32_t n = 0;
    for (uint32_t t = 1; t < IR_DTYPE_N; t++)
        if (dtypes & 1u << t) values[n++].x = t;
    for (uint32_t i = 0; i < n; i++) values[i].s = NULL;
    one_of(f, call(f, FN_dtype, slot, at), n, values, at);
}

static void annotation(struct facts *f, uint32_t slot) {
    const struct pat_type *t = f->rule->slots[slot].type;
    if (!t) return;
    if (t->dtypes) of_types(f, slot, t->dtypes, t->at);
    if (!t->shaped) return;
    bool rest = false;
    for (uint32_t i = 0; i < t->ndims; i++) rest |= t->dims[i].kind == DIM_REST;
    const struct expr *rank = call(f, FN_rank, slot, t->at);
    double n = rest ? t->ndims - 1 : t->ndims;
    if (rest) at_least(f, rank, n, t->at);
    else compared(f, rank, EXPR_EQ, (struct value){.x = n}, t->at);
}

/* Types that some version of the operator takes there; 0: any. */
static uint32_t taken(const struct pat_op *op, uint32_t k) {
    size_t n;
    const struct ir_schema *v = ir_schema_versions(op->domain, op->name, &n);
    uint32_t all = 0;
    for (size_t i = 0; v && i < n; i++) {
        const struct ir_formal_param *p = ir_schema_input(&v[i], k);
        for (uint32_t t = 1; p && t < IR_DTYPE_N; t++)
            if (ir_types_allow(p->types, (enum ir_dtype)t)) all |= 1u << t;
    }
    return all;
}

static void operands(struct facts *f, const struct pat *p) {
    if (p->kind != PAT_NODE || p->nops != 1) return;
    for (uint32_t k = 0; k < p->nargs; k++) {
        const struct pat *arg = p->args[k];
        uint32_t types = arg->kind == PAT_SLOT ? taken(p->ops, k) : 0;
        if (types) of_types(f, arg->slot, types, p->at);
        operands(f, arg);
    }
}

static void tell(struct lint *l, const struct facts *f) {
    diag_at(l->diags, DIAG_ERROR, f->second,
            "\"%s\" can never match: this contradicts what is said before", f->rule->name);
    diag_id(l->diags, DIAG_R_NEVER);
    if (f->first.source && f->first.begin != f->second.begin)
        diag_at(l->diags, DIAG_NOTE, f->first, "by this");
}

static void gather(struct facts *f) {
    const struct rule *r = f->rule;
    operands(f, r->slots[r->roots[0]].def);
    for (uint32_t i = 0; i < r->nslots; i++) annotation(f, i);
    for (uint32_t i = 0; i < r->nwhere; i++) condition(f, r->where[i], true);
}

bool lint_facts(struct lint *l, const struct rule *r) {
    struct arena a = ARENA_EMPTY;
    struct facts f = {.arena = &a, .rule = r};
    gather(&f);
    if (f.contradicts) tell(l, &f);
    arena_free(&a);
    return !f.contradicts;
}

bool lint_facts_clash(const struct rule *r) {
    struct arena a = ARENA_EMPTY;
    struct facts f = {.arena = &a, .rule = r};
    gather(&f);
    arena_free(&a);
    return f.contradicts;
}
