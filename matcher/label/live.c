/* live.c -- see live.h. SPDX-License-Identifier: Apache-2.0 */
#include "matcher/label/live.h"

/* A rule may make what lets another one fit, and so on: so many rounds are followed. Behind
 * them all is taken to be there, and so where more has come up, or more often, than pays:
 * after a change the whole graph is labelled anew. */
#define MOST_ROUNDS 8
#define MOST_TIMES 64
#define MOST_CHANGES 4
#define MOST_LITERALS (1u << 20)

void pm_live_init(struct pm_live *l, const struct pm_auto *p, const uint32_t *first_slot,
                  struct arena *a) {
    uint32_t n = p->subs->list.len;
    *l = (struct pm_live){.p = p, .first_slot = first_slot};
    l->has_op = arena_zalloc(a, p->op.len * sizeof *l->has_op);
    l->may_fit = arena_zalloc(a, n * sizeof *l->may_fit);
    l->is = arena_zalloc(a, n * sizeof *l->is);
    map_init(&l->at, a);
}

/* --- what is there ------------------------------------------------------------------- */
void pm_live_see_op(struct pm_live *l, uint32_t op) {
    l->grown |= !l->has_op[op];
    l->has_op[op] = true;
}

static uint64_t place(uint32_t slot, uint32_t sub) { return (uint64_t)slot << 32 | sub; }

void pm_live_see_literal(struct pm_live *l, uint32_t slot, uint32_t sub) {
    if (l->all || map_get(&l->at, place(slot, sub)) != MAP_NONE) return;
    map_put(&l->at, place(slot, sub), 1);
    l->grown = true;
}

static bool is_full(const struct pm_live *l) {
    return l->times > MOST_TIMES || l->changes >= MOST_CHANGES ||
           l->at.len > MOST_LITERALS;
}

/* --- what may fit ------------------------------------------------------------------ */
static bool may_be_at(const struct pm_live *l, uint32_t slot, uint32_t sub) {
    const struct pm_sub *x = &l->p->subs->list.at[sub];
    if (x->kind == SUB_LITERAL) return map_get(&l->at, place(slot, sub)) != MAP_NONE;
    if (x->kind != SUB_ALT) return l->may_fit[sub];
    for (uint32_t k = 0; k < x->nkids; k++)
        if (may_be_at(l, slot, x->kids[k])) return true;
    return false;
}

static bool kids_may_be_at(const struct pm_live *l, uint32_t op, const struct pm_sub *x) {
    uint32_t slot = l->first_slot[op];
    for (uint32_t k = 0; k < x->nkids; k++) {
        bool turned = x->commutes && k < 2 && may_be_at(l, slot + 1 - k, x->kids[k]);
        if (!turned && !may_be_at(l, slot + k, x->kids[k])) return false;
    }
    return true;
}

static bool node_may_fit(const struct pm_live *l, const struct pm_sub *x) {
    const struct pm_ops *ops = &l->p->ops.at[x->ops];
    for (uint32_t i = 0; i < ops->n; i++)
        if (l->has_op[ops->at[i]] && kids_may_be_at(l, ops->at[i], x)) return true;
    return false;
}

static bool some_may_fit(const struct pm_live *l, const struct pm_sub *x) {
    for (uint32_t k = 0; k < x->nkids; k++)
        if (l->may_fit[x->kids[k]]) return true;
    return false;
}

static bool sub_may_fit(const struct pm_live *l, const struct pm_sub *x) {
    if (l->all || (x->kind != SUB_NODE && x->kind != SUB_ALT)) return true;
    return x->kind == SUB_NODE ? node_may_fit(l, x) : some_may_fit(l, x);
}

/* The operators that a rule makes which may fit. */
static void see_made(struct pm_live *l, const struct pm_root *root) {
    const struct pm_variant *v = &l->p->stages.at[root->stage].variants[root->variant];
    const struct pm_makes *makes = &l->p->subs->makes[l->p->accept.at[v->accept].number];
    for (uint32_t i = 0; i < makes->n; i++) pm_live_see_op(l, makes->at[i]);
}

/* Kids come before what they are kids of. What may fit goes on doing so. */
static bool more_may_fit(struct pm_live *l) {
    bool more = false;
    for (uint32_t i = 0; i < l->p->subs->list.len; i++) {
        const struct pm_of_sub *x = &l->p->subs->of_sub[i];
        if (l->may_fit[i] || !sub_may_fit(l, &l->p->subs->list.at[i])) continue;
        l->may_fit[i] = more = true;
        for (uint32_t k = 0; k < x->roots.len; k++) see_made(l, &x->roots.at[k]);
    }
    return more;
}

/* --- what is live ------------------------------------------------------------------ */
static void mark_live(struct pm_live *l) {
    l->n = 0;
    for (uint32_t i = l->p->subs->list.len; i-- > 0;) {
        const struct pm_sub *x = &l->p->subs->list.at[i];
        l->is[i] |= l->may_fit[i] && l->p->subs->of_sub[i].roots.len > 0;
        l->n += l->is[i];
        for (uint32_t k = 0; l->is[i] && k < x->nkids; k++)
            l->is[x->kids[k]] |= l->may_fit[x->kids[k]];
    }
}

bool pm_live_choose(struct pm_live *l) {
    uint32_t before = l->n;
    bool more = false;
    l->times++;
    for (uint32_t round = 0; round == 0 || l->grown; round++) {
        l->all |= is_full(l) || round == MOST_ROUNDS;
        l->grown = false;
        more |= more_may_fit(l);
    }
    if (more) mark_live(l);
    l->changes += l->n != before;
    return l->n != before;
}
