/* hint.c -- what a rule's conditions ask of a slot.
 *
 * Conditions are not solved: comparisons with the slot, or a fact of it, on one side are
 * read as proposals for it, and the other side is evaluated over what is bound so far.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#include <math.h>

#define MOST_WISHES 16

struct wish {
    enum expr_kind op; /* EXPR_EQ, EXPR_NE, EXPR_LT ...: fact op value; EXPR_IN; EXPR_MOD:
                          fact % value == 0 */
    const struct expr *value, *index; /* index: of dim(x, i) */
};
struct wishes {
    uint32_t slot;
    enum expr_function fn; /* of the fact; FN_N: the slot itself */
    uint32_t n;
    struct wish at[MOST_WISHES];
};

/* What a name of `let` stands for. */
static const struct expr *bare(const struct expr *e) {
    while (e->kind == EXPR_LET) e = e->args[0];
    return e;
}

/* The slot, or `slot ?? other`. */
static bool is_slot(const struct expr *e, uint32_t slot) {
    if (e->kind == EXPR_COALESCE)
        return is_slot(e->args[0], slot) || is_slot(e->args[1], slot);
    return e->kind == EXPR_SLOT && e->slot == slot;
}

static bool is_call(const struct expr *e, enum expr_function fn, uint32_t slot) {
    return e->kind == EXPR_CALL && e->fn == fn && is_slot(e->args[0], slot);
}

/* FN_prod stands for prod(shape(slot)). */
static bool is_fact(const struct wishes *w, const struct expr *e) {
    if (w->fn == FN_N) return is_slot(e, w->slot);
    if (w->fn == FN_prod)
        return e->kind == EXPR_CALL && e->fn == FN_prod && is_call(e->args[0], FN_shape, w->slot);
    return is_call(e, w->fn, w->slot);
}

static void add_wish(struct wishes *w, enum expr_kind op, const struct expr *fact,
                     const struct expr *value) {
    fact = bare(fact);
    value = bare(value);
    if (w->n == MOST_WISHES || !is_fact(w, fact)) return;
    const struct expr *index = fact->kind == EXPR_CALL && fact->nargs > 1 ? fact->args[1]
                                                                         : NULL;
    w->at[w->n++] = (struct wish){op, value, index};
}

static bool is_zero(const struct expr *e) { return e->kind == EXPR_INT && e->i == 0; }

static void collect(struct wishes *w, const struct expr *e) {
    switch (e->kind) {
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_CALL:
    case EXPR_FOR:
    case EXPR_LET:
        for (uint32_t i = 0; i < e->nargs; i++) collect(w, e->args[i]);
        break;
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        add_wish(w, e->kind, e->args[0], e->args[1]);
        add_wish(w, rule_mirrored(e->kind), e->args[1], e->args[0]);
        if (e->kind == EXPR_EQ && e->args[0]->kind == EXPR_MOD && is_zero(e->args[1]))
            add_wish(w, EXPR_MOD, e->args[0]->args[0], e->args[0]->args[1]);
        break;
    case EXPR_IN: add_wish(w, e->kind, e->args[0], e->args[1]); break;
    default: break;
    }
}

static struct wishes wishes_of(const struct gen *x, enum expr_function fn, uint32_t slot) {
    const struct rule *r = x->rule;
    struct wishes w = {.slot = slot, .fn = fn};
    if (slot == SLOT_NONE) return w;
    for (uint32_t i = 0; i < r->nwhere; i++)
        if (i != x->against) collect(&w, r->where[i]);
    for (uint32_t i = 0; i < r->nblocks; i++)
        if (r->blocks[i].when) collect(&w, r->blocks[i].when);
    return w;
}

/* One of them, or NULL: nothing is asked, or it is not heeded this time. */
static const struct wish *choose(struct gen *x, const struct wishes *w) {
    if (w->n == 0 || gen_goes_wild(x)) return NULL;
    return &w->at[gen_draw(x, w->n)];
}

/* --- numbers near an edge --------------------------------------------------------- */
/* An integer that stands in that relation to `edge`, mostly close to it. */
static int64_t beside(struct gen *x, enum expr_kind op, int64_t edge) {
    int64_t step = gen_draw(x, 3);
    switch (op) {
    case EXPR_LT: return edge - 1 - step;
    case EXPR_LE: return edge - step;
    case EXPR_GT: return edge + 1 + step;
    case EXPR_GE: return edge + step;
    case EXPR_NE: return edge + 1 + step;
    default: return edge;
    }
}

static double beside_real(struct gen *x, enum expr_kind op, double edge) {
    double step = fabs(edge) / 10 * gen_draw(x, 2);
    switch (op) {
    case EXPR_LT: return edge - fabs(edge) / 10;
    case EXPR_LE: return edge - step;
    case EXPR_GT: return edge + fabs(edge) / 10;
    case EXPR_GE: return edge + step;
    default: return edge;
    }
}

static bool real_of(struct gen *x, const struct expr *e, double *out) {
    return pm_asker_real(x->asker, x->g, x->rule, x->slots, e, out);
}

static bool dims_of(struct gen *x, const struct expr *e, struct gen_shape *out) {
    const ir_dim *dims;
    if (!pm_asker_dims(x->asker, x->g, x->rule, x->slots, e, &out->rank, &dims) ||
        out->rank > GEN_RANK)
        return false;
    if (out->rank > 0) memcpy(out->dims, dims, out->rank * sizeof *dims);
    return true;
}

static const struct expr *one_of(struct gen *x, const struct wish *w) {
    if (w->op != EXPR_IN) return w->value;
    if (w->value->kind != EXPR_LIST || w->value->nargs == 0) return NULL;
    return w->value->args[gen_draw(x, w->value->nargs)];
}

static enum expr_kind negated(enum expr_kind op) {
    switch (op) {
    case EXPR_LT: return EXPR_GE;
    case EXPR_LE: return EXPR_GT;
    case EXPR_GT: return EXPR_LE;
    case EXPR_GE: return EXPR_LT;
    case EXPR_EQ: return EXPR_NE;
    default: return EXPR_EQ;
    }
}

bool judge_hint_other_opset(struct gen *x, int64_t *out) {
    if (x->against >= x->rule->nwhere) return false;
    const struct expr *e = x->rule->where[x->against];
    if (e->kind < EXPR_EQ || e->kind > EXPR_GE || e->args[0]->kind != EXPR_OPSET ||
        e->args[1]->kind != EXPR_INT)
        return false;
    int64_t opset = beside(x, negated(e->kind), e->args[1]->i);
    if (opset < x->plan->opset_least || opset > x->plan->opset_most) return false;
    *out = opset;
    return true;
}

/* --- shapes ----------------------------------------------------------------------- */
bool judge_hint_shape(struct gen *x, uint32_t slot, struct gen_shape *out) {
    struct wishes w = wishes_of(x, FN_shape, slot);
    const struct wish *k = choose(x, &w);
    if (!k || k->op != EXPR_EQ) return false;
    return dims_of(x, k->value, out);
}

/* Ones, and one dimension that is the product. */
bool judge_hint_product(struct gen *x, uint32_t slot, struct gen_shape *out) {
    struct wishes w = wishes_of(x, FN_prod, slot);
    const struct wish *k = choose(x, &w);
    double size;
    if (!k || k->op != EXPR_EQ || !real_of(x, k->value, &size)) return false;
    out->rank = gen_draw(x, rw_min_u32(x->base.rank, GEN_RANK - 1) + 1);
    if (size != 1 && out->rank == 0) out->rank = 1;
    for (uint32_t i = 0; i < out->rank; i++) out->dims[i] = ir_dim_const(x->m->dims, 1);
    if (size != 1)
        out->dims[gen_draw(x, out->rank)] = ir_dim_const(x->m->dims, (int64_t)size);
    return true;
}

bool judge_hint_rank(struct gen *x, uint32_t slot, uint32_t *out) {
    struct wishes w = wishes_of(x, FN_rank, slot);
    const struct wish *k = choose(x, &w);
    const struct expr *e = k ? one_of(x, k) : NULL;
    double edge;
    if (!e || !real_of(x, e, &edge)) return false;
    int64_t rank = beside(x, k->op, (int64_t)edge);
    if (rank < 0 || rank > 6) return false;
    *out = (uint32_t)rank;
    return true;
}

bool judge_hint_dim(struct gen *x, uint32_t slot, struct gen_shape *s) {
    struct wishes w = wishes_of(x, FN_dim, slot);
    bool any = false;
    for (uint32_t i = 0; i < w.n; i++) {
        double at;
        struct expr list = {.kind = EXPR_LIST, .nargs = 1, .args = &w.at[i].value};
        struct gen_shape one;
        const struct expr *index = w.at[i].index;
        if (gen_goes_wild(x) || !index || !real_of(x, index, &at)) continue;
        int64_t axis = (int64_t)at < 0 ? (int64_t)at + s->rank : (int64_t)at;
        if (axis < 0 || axis >= s->rank || w.at[i].op == EXPR_IN) continue;
        if (!dims_of(x, &list, &one)) continue;
        int64_t size;
        ir_dim d = one.dims[0];
        if (w.at[i].op != EXPR_EQ) {
            if (!judge_gen_size(x, d, &size)) continue;
            size = w.at[i].op == EXPR_MOD ? size * (1 + gen_draw(x, 2))
                                          : beside(x, w.at[i].op, size);
            if (size < 0) continue;
            d = ir_dim_const(x->m->dims, size);
        }
        s->dims[axis] = d;
        any = true;
    }
    return any;
}

/* --- types, texts ----------------------------------------------------------------- */
static bool dtype_of(struct gen *x, enum expr_function fn, uint32_t slot,
                     enum ir_dtype *out) {
    struct wishes w = wishes_of(x, fn, slot);
    const struct wish *k = choose(x, &w);
    const struct expr *e = k && k->op != EXPR_NE ? one_of(x, k) : NULL;
    if (!e) return false;
    *out = pm_asker_dtype(x->asker, x->g, x->rule, x->slots, e);
    return *out != IR_UNDEFINED;
}

bool judge_hint_dtype(struct gen *x, uint32_t slot, enum ir_dtype *out) {
    return dtype_of(x, FN_dtype, slot, out);
}

static bool speaks_of(const struct expr *e, uint32_t slot) {
    if (e->kind == EXPR_SLOT && e->slot == slot) return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (e->args[i] && speaks_of(e->args[i], slot)) return true;
    return false;
}

bool judge_hint_against(const struct gen *x, uint32_t slot) {
    return x->against < x->rule->nwhere && slot != SLOT_NONE &&
           speaks_of(x->rule->where[x->against], slot);
}

static bool speaks_of_dtype(const struct expr *e, uint32_t slot) {
    if (is_call(e, FN_dtype, slot)) return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (e->args[i] && speaks_of_dtype(e->args[i], slot)) return true;
    return false;
}

bool judge_hint_other_dtype(const struct gen *x, uint32_t slot) {
    return slot != SLOT_NONE && x->against < x->rule->nwhere &&
           speaks_of_dtype(x->rule->where[x->against], slot);
}

/* A parameter that is an element type: Cast.to. */
bool judge_hint_type_param(struct gen *x, uint32_t slot, enum ir_dtype *out) {
    return dtype_of(x, FN_N, slot, out);
}

const char *judge_hint_text(struct gen *x, uint32_t slot) {
    struct wishes w = wishes_of(x, FN_N, slot);
    const struct wish *k = choose(x, &w);
    const struct expr *e = k && k->op != EXPR_NE ? one_of(x, k) : NULL;
    return e ? pm_asker_text(x->asker, x->g, x->rule, x->slots, e) : NULL;
}

/* --- numbers ---------------------------------------------------------------------- */
bool judge_hint_real(struct gen *x, uint32_t slot, double *out) {
    struct wishes own = wishes_of(x, FN_N, slot);
    struct wishes w = own.n ? own : wishes_of(x, FN_value, slot);
    const struct wish *k = choose(x, &w);
    const struct expr *e = k ? one_of(x, k) : NULL;
    double edge;
    if (!e || !real_of(x, e, &edge)) return false;
    bool whole = fabs(edge) < 1e15 && edge == (double)(int64_t)edge;
    *out = whole ? (double)beside(x, k->op, (int64_t)edge) : beside_real(x, k->op, edge);
    return true;
}

bool judge_hint_ints(struct gen *x, uint32_t slot, uint32_t *n, int64_t *out) {
    struct wishes w = wishes_of(x, FN_N, slot);
    const struct wish *k = choose(x, &w);
    bool says = k && (k->op == EXPR_EQ || k->op == EXPR_IN);
    const struct expr *e = says ? one_of(x, k) : NULL;
    struct gen_shape list;
    if (!e || !dims_of(x, e, &list)) return false;
    for (uint32_t i = 0; i < list.rank; i++)
        if (!ir_dim_is_const(x->m->dims, list.dims[i], &out[i])) return false;
    *n = list.rank;
    return true;
}

/* `all(v == 0 for v in slot)`, or in value(slot): what all items are. */
static bool each_item(const struct expr *e, uint32_t slot, struct wish *out) {
    if (e->kind == EXPR_AND || e->kind == EXPR_OR) {
        for (uint32_t i = 0; i < e->nargs; i++)
            if (each_item(e->args[i], slot, out)) return true;
        return false;
    }
    if (e->kind != EXPR_CALL || e->fn != FN_all || e->args[0]->kind != EXPR_FOR)
        return false;
    const struct expr *loop = e->args[0], *list = loop->args[1], *test = loop->args[0];
    if (list->kind == EXPR_CALL && list->fn == FN_value) list = list->args[0];
    bool compares = test->kind >= EXPR_EQ && test->kind <= EXPR_GE;
    if (!is_slot(list, slot) || !compares || loop->nargs > 2) return false;
    if (test->args[0]->kind != EXPR_SLOT || test->args[0]->slot != loop->slot) return false;
    *out = (struct wish){test->kind, test->args[1], NULL};
    return true;
}

static bool stands(int64_t a, enum expr_kind op, int64_t b) {
    switch (op) {
    case EXPR_EQ: return a == b;
    case EXPR_NE: return a != b;
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    default: return a >= b;
    }
}

void judge_hint_items(struct gen *x, uint32_t slot, uint32_t n, int64_t *items) {
    struct wish w;
    double edge;
    for (uint32_t i = 0; slot != SLOT_NONE && i < x->rule->nwhere; i++) {
        if (i == x->against || !each_item(x->rule->where[i], slot, &w)) continue;
        if (gen_goes_wild(x) || !real_of(x, w.value, &edge) || fabs(edge) > 1e15) continue;
        for (uint32_t k = 0; k < n; k++)
            if (!stands(items[k], w.op, (int64_t)edge))
                items[k] = beside(x, w.op, (int64_t)edge);
    }
}

/* --- constants -------------------------------------------------------------------- */
static int constness(const struct expr *e, uint32_t slot, bool wanted) {
    if (e->kind == EXPR_NOT) return constness(e->args[0], slot, !wanted);
    bool asks = e->kind == EXPR_CALL && e->fn == FN_is_const &&
                e->args[0]->kind == EXPR_SLOT && e->args[0]->slot == slot;
    if (asks) return wanted ? 1 : -1;
    if (e->kind != EXPR_AND && e->kind != EXPR_OR) return 0;
    for (uint32_t i = 0; i < e->nargs; i++) {
        int c = constness(e->args[i], slot, wanted);
        if (c) return c;
    }
    return 0;
}

int judge_hint_const(struct gen *x, uint32_t slot) {
    if (slot == SLOT_NONE || gen_goes_wild(x)) return 0;
    if (x->rule->slots[slot].flags & SLOT_CONST) return 1;
    for (uint32_t i = 0; i < x->rule->nwhere; i++) {
        int c = constness(x->rule->where[i], slot, true);
        if (c) return i == x->against ? -c : c;
    }
    return 0;
}
