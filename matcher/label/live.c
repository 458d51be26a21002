/* live.c -- see live.h. SPDX-License-Identifier: Apache-2.0 */
#include "matcher/label/live.h"

/* A rule may make what lets another one fit, and so on: so many rounds are followed. Behind
 * them all is taken to be there, and so where more has come up, or more often, than pays:
 * after a change the whole graph is labelled anew. */
#define MOST_ROUNDS 8
#define MOST_TIMES 64
#define MOST_CHANGES 4
#define MOST_LITERALS (1u << 20)
/* A number is rare that one node of so many has. It says enough for so many sub-patterns: it
 * may be less rare one day. */
#define RARE 256
#define MOST_SHARING 64

void pm_live_init(struct pm_live *l, const struct pm_auto *p, const uint32_t *first_slot,
                  struct arena *a) {
    uint32_t n = p->subs->list.len;
    *l = (struct pm_live){.p = p, .first_slot = first_slot};
    l->has_op = arena_zalloc(a, p->op.len * sizeof *l->has_op);
    l->may_fit = arena_zalloc(a, n * sizeof *l->may_fit);
    l->is = arena_zalloc(a, n * sizeof *l->is);
    l->rare = arena_zalloc(a, n * sizeof *l->rare);
    l->sharing = arena_zalloc(a, n * sizeof *l->sharing);
    l->arena = a;
    map_init(&l->at, a);
}

/* --- what is there ------------------------------------------------------------------- */
void pm_live_see_op(struct pm_live *l, uint32_t op) {
    l->grown |= !l->has_op[op];
    l->has_op[op] = true;
}

static uint64_t place(uint32_t slot, uint32_t sub) { return (uint64_t)slot << 32 | sub; }

static uint32_t times_at(const struct pm_live *l, uint32_t slot, uint32_t sub) {
    uint32_t times = map_get(&l->at, place(slot, sub));
    return times == MAP_NONE ? 0 : times;
}

void pm_live_see_literal(struct pm_live *l, uint32_t slot, uint32_t sub, uint32_t times) {
    uint32_t before = times_at(l, slot, sub);
    if (l->all || (before > 0 && l->times > 0)) return;
    map_put(&l->at, place(slot, sub), before + times);
    l->grown |= before == 0;
}

bool pm_live_is_full(const struct pm_live *l) {
    return l->times > MOST_TIMES || l->changes >= MOST_CHANGES ||
           l->at.len > MOST_LITERALS;
}

/* --- what may fit ------------------------------------------------------------------ */
static bool may_be_at(const struct pm_live *l, uint32_t slot, uint32_t sub) {
    const struct pm_sub *x = &l->p->subs->list.at[sub];
    if (x->kind == SUB_LITERAL) return times_at(l, slot, sub) > 0;
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

/* --- what says enough ---------------------------------------------------------------- */
static bool is_operator(const struct pm_live *l, uint32_t sub) {
    enum pm_sub_kind kind = l->p->subs->list.at[sub].kind;
    return kind == SUB_NODE || kind == SUB_ALT;
}

bool pm_is_left(const struct pm_live *l, uint32_t sub, uint32_t kid) {
    return l->rare[sub] && is_operator(l, kid);
}

/* The first literal operand, if it has another one that is an operator; or MAP_NONE. */
static uint32_t literal_beside_operator(const struct pm_live *l, const struct pm_sub *x) {
    uint32_t literal = MAP_NONE, others = 0;
    for (uint32_t k = x->nkids; k-- > 0;) {
        others += is_operator(l, x->kids[k]);
        if (l->p->subs->list.at[x->kids[k]].kind == SUB_LITERAL) literal = k;
    }
    return others > 0 ? literal : MAP_NONE;
}

/* How many nodes have operand k of x, a literal. */
static uint64_t nodes_with(const struct pm_live *l, const struct pm_sub *x, uint32_t k) {
    const struct pm_ops *ops = &l->p->ops.at[x->ops];
    uint64_t n = 0;
    for (uint32_t i = 0; i < ops->n; i++) {
        uint32_t slot = l->first_slot[ops->at[i]];
        n += times_at(l, slot + k, x->kids[k]);
        if (x->commutes && k < 2) n += times_at(l, slot + 1 - k, x->kids[k]);
    }
    return n;
}

/* As long as binding gets no more nodes to look at, in sum, than there are. */
static void find_rare(struct pm_live *l, uint32_t sub) {
    const struct pm_sub *x = &l->p->subs->list.at[sub];
    uint32_t k = x->kind == SUB_NODE ? literal_beside_operator(l, x) : MAP_NONE;
    uint64_t n = k == MAP_NONE ? 0 : nodes_with(l, x, k);
    if (k == MAP_NONE || n > 1 + l->nodes / RARE || l->load + n > l->nodes ||
        l->sharing[x->kids[k]] == MOST_SHARING)
        return;
    l->load += (uint32_t)n;
    l->sharing[x->kids[k]]++;
    l->rare[sub] = true;
    vec_push(l->arena, &l->by_literal, (struct pm_wanted){x->kids[k], sub});
}

/* --- what is live ------------------------------------------------------------------ */
static void mark_live(struct pm_live *l) {
    l->n = 0;
    for (uint32_t i = l->p->subs->list.len; i-- > 0;) {
        const struct pm_sub *x = &l->p->subs->list.at[i];
        l->is[i] |= l->may_fit[i] && l->p->subs->of_sub[i].roots.len > 0;
        l->n += l->is[i];
        if (l->is[i] && l->times == 1) find_rare(l, i);
        for (uint32_t k = 0; l->is[i] && k < x->nkids; k++)
            l->is[x->kids[k]] |= l->may_fit[x->kids[k]] && !pm_is_left(l, i, x->kids[k]);
    }
}

bool pm_live_choose(struct pm_live *l) {
    uint32_t before = l->n;
    bool more = false;
    l->times++;
    for (uint32_t round = 0; round == 0 || l->grown; round++) {
        l->all |= pm_live_is_full(l) || round == MOST_ROUNDS;
        l->grown = false;
        more |= more_may_fit(l);
    }
    if (more) mark_live(l);
    if (l->times == 1 && l->by_literal.len > 0)
        qsort(l->by_literal.at, l->by_literal.len, sizeof *l->by_literal.at, pm_by_kid);
    l->changes += l->n != before;
    return l->n != before;
}
