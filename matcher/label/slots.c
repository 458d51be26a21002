/* slots.c -- what each operator can tell apart: the sub-patterns that it is the head of,
 * what they ask of its operands, and which literals there are. Read-only afterwards.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

#include <math.h>

/* --- operands ---------------------------------------------------------------------- */
static void want_slots(struct pm_auto *p, struct pm_of_op *o, uint32_t n) {
    if (n <= o->nslots) return;
    o->slots = arena_grow(p->arena, o->slots, o->nslots * sizeof *o->slots,
                          n * sizeof *o->slots);
    memset(o->slots + o->nslots, 0, (n - o->nslots) * sizeof *o->slots);
    o->nslots = n;
}

static void add_to_op(struct pm_auto *p, uint32_t op, uint32_t id) {
    const struct pm_sub *x = &p->subs->list.at[id];
    const struct pm_spec *spec = &p->spec.at[x->spec];
    struct pm_of_op *o = &p->subs->of_op[op];
    vec_push(p->arena, &o->subs, id);
    if (!spec->rest) {
        o->least_args = rw_min_u32(o->least_args, spec->nargs);
        o->most_args = rw_max_u32(o->most_args, spec->nargs);
    }
    want_slots(p, o, x->nkids);
    for (uint32_t k = 0; k < x->nkids; k++) {
        if (x->kids[k] == PM_SUB_ANY) continue;
        vec_push(p->arena, &o->slots[k].relevant, x->kids[k]);
        if (x->commutes && k < 2)
            vec_push(p->arena, &o->slots[1 - k].relevant, x->kids[k]);
    }
}

/* --- which operand singles a sub-pattern out --------------------------------------------- */
static bool is_distinctive(const struct pm_auto *p, uint32_t id) {
    enum pm_sub_kind kind = p->subs->list.at[id].kind;
    return kind == SUB_NODE || kind == SUB_LITERAL || kind == SUB_ALT;
}

/* Of the distinctive kids the one that fewest others of the operator ask for. */
static uint32_t best_kid(const struct pm_auto *p, const struct pm_sub *x,
                         const uint32_t *asked) {
    uint32_t best = PM_SUB_ANY;
    for (uint32_t k = 0; k < x->nkids; k++) {
        uint32_t kid = x->kids[k];
        if (is_distinctive(p, kid) && (best == PM_SUB_ANY || asked[kid] < asked[best]))
            best = kid;
    }
    return best;
}

int pm_by_kid(const void *a, const void *b) {
    const struct pm_wanted *x = a, *y = b;
    if (x->kid != y->kid) return x->kid < y->kid ? -1 : 1;
    return x->sub < y->sub ? -1 : x->sub > y->sub;
}

static void count_kids(const struct pm_auto *p, const struct pm_of_op *o, uint32_t *asked,
                       bool clear) {
    for (uint32_t i = 0; i < o->subs.len; i++) {
        const struct pm_sub *x = &p->subs->list.at[o->subs.at[i]];
        for (uint32_t k = 0; k < x->nkids; k++)
            asked[x->kids[k]] = clear ? 0 : asked[x->kids[k]] + 1;
    }
}

static void index_kids(struct pm_auto *p, struct pm_of_op *o, uint32_t *asked) {
    count_kids(p, o, asked, false);
    for (uint32_t i = 0; i < o->subs.len; i++) {
        uint32_t sub = o->subs.at[i], kid = best_kid(p, &p->subs->list.at[sub], asked);
        if (kid == PM_SUB_ANY) vec_push(p->arena, &o->always, sub);
        else vec_push(p->arena, &o->by_kid, (struct pm_wanted){kid, sub});
    }
    count_kids(p, o, asked, true);
    if (o->by_kid.len > 0)
        qsort(o->by_kid.at, o->by_kid.len, sizeof *o->by_kid.at, pm_by_kid);
}

static void index_op(struct pm_auto *p, struct pm_of_op *o, uint32_t *asked) {
    for (uint32_t k = 0; k < o->nslots; k++)
        o->slots[k].relevant.len =
            pm_make_set(o->slots[k].relevant.len, o->slots[k].relevant.at);
    index_kids(p, o, asked);
}

/* --- literals ------------------------------------------------------------------------ */
static int by_number(const void *a, const void *b) {
    const struct pm_number *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
    return x->sub < y->sub ? -1 : x->sub > y->sub;
}

static void add_literal(struct pm_auto *p, uint32_t sub, const struct literal *l) {
    struct pm_literals *t = &p->subs->literals;
    double x = l->kind == LIT_REAL ? l->real : (double)l->i;
    bool is_number = l->kind != LIT_STRING && l->kind != LIT_LIST;
    if (l->splat) t->splats = true;
    else if (l->kind == LIT_LIST) vec_push(p->arena, &t->lengths, l->n);
    if (l->kind == LIT_LIST && !l->splat && l->n > 0)
        vec_push(p->arena, &t->lists,
                 (struct pm_number){(double)l->items[0].value, sub});
    else if (is_number && !l->has_tolerance && isfinite(x))
        vec_push(p->arena, &t->numbers, (struct pm_number){x, sub});
    else
        vec_push(p->arena, &t->others, sub);
}

static void index_literals(struct pm_auto *p) {
    struct pm_literals *t = &p->subs->literals;
    for (uint32_t i = 0; i < p->subs->list.len; i++)
        if (p->subs->list.at[i].kind == SUB_LITERAL)
            add_literal(p, i, p->literal.at[p->subs->list.at[i].literal]);
    t->lengths.len = pm_make_set(t->lengths.len, t->lengths.at);
    if (t->numbers.len > 0)
        qsort(t->numbers.at, t->numbers.len, sizeof *t->numbers.at, by_number);
    if (t->lists.len > 0)
        qsort(t->lists.at, t->lists.len, sizeof *t->lists.at, by_number);
}

/* --- all ----------------------------------------------------------------------------- */
static void index_roots(struct pm_auto *p) {
    for (uint32_t i = 0; i < p->stages.len; i++)
        for (uint32_t k = 0; k < p->stages.at[i].nvariants; k++)
            vec_push(p->arena, &p->subs->of_sub[p->stages.at[i].variants[k].sub].roots,
                     (struct pm_root){i, k});
}

void pm_index_subs(struct pm_auto *p) {
    struct pm_subs *t = p->subs;
    t->of_sub = arena_zalloc(p->arena, t->list.len * sizeof *t->of_sub);
    t->nops = p->op.len;
    t->of_op = arena_zalloc(p->arena, (p->op.len + 1) * sizeof *t->of_op);
    for (uint32_t op = 0; op < p->op.len; op++) t->of_op[op].least_args = UINT32_MAX;
    for (uint32_t id = 0; id < t->list.len; id++) {
        const struct pm_sub *x = &t->list.at[id];
        for (uint32_t i = 0; x->kind == SUB_ALT && i < x->nkids; i++)
            vec_push(p->arena, &t->of_sub[x->kids[i]].alts, id);
        for (uint32_t i = 0; x->kind == SUB_NODE && i < p->ops.at[x->ops].n; i++)
            add_to_op(p, p->ops.at[x->ops].at[i], id);
    }
    uint32_t *asked = arena_zalloc(p->arena, t->list.len * sizeof *asked);
    for (uint32_t op = 0; op < p->op.len; op++) index_op(p, &t->of_op[op], asked);
    index_literals(p);
    index_roots(p);
    pm_index_makes(p);
}
