/* lower_roots.c -- what a rule replaces, and how its patterns hang together.
 *
 * A statement some of whose results no other statement uses is a pattern of its own. Those
 * results are roots, but where the statement says `keep` beside others that do not. Matching
 * begins at one root. A pattern to which it does not lead is joined: by a value that it
 * shares with what is bound by then, and whose users lead up to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

#define MOST_ROOTS 32u  /* of one rule */
#define MOST_SHARED 32u /* values of which the best to join by is taken */

/* --- roots ------------------------------------------------------------------------- */
static bool is_unused(const struct lower *l, uint32_t slot) {
    return l->notes.at[slot].stmt && l->notes.at[slot].uses == 0;
}

static bool is_kept(const struct lower *l, uint32_t slot) {
    return l->notes.at[slot].stmt->keep;
}

static void check_names(struct lower *l, const struct ast_stmts *stmts) {
    for (uint32_t i = 0; i < stmts->len; i++) {
        const struct ast_words *outs = &stmts->at[i].outs;
        bool named = false;
        for (uint32_t k = 0; k < outs->len; k++)
            named |= outs->at[k].text && !rw_streq(outs->at[k].text, "_");
        if (!named)
            dsl_error(l, stmts->at[i].at, "a statement of a pattern names what it matches");
    }
}

void dsl_find_roots(struct lower *l, const struct ast_stmts *stmts, struct span at) {
    uint32_t *roots = arena_new_array(l->arena, uint32_t, l->slots.len), n = 0;
    bool all_kept = true;
    check_names(l, stmts);
    for (uint32_t i = 0; i < l->slots.len; i++)
        if (is_unused(l, i)) all_kept &= is_kept(l, i);
    for (uint32_t i = 0; i < l->slots.len; i++) {
        if (!is_unused(l, i) || (is_kept(l, i) && !all_kept)) continue;
        l->slots.at[i].flags |= SLOT_ROOT;
        roots[n++] = i;
    }
    l->rule->roots = roots;
    l->rule->nroots = n;
    if (n > MOST_ROOTS) dsl_error(l, at, "a pattern of more than %u roots", MOST_ROOTS);
    if (n) return;
    if (!stmts->len) dsl_error(l, at, "a pattern without a statement");
    else dsl_error(l, at, "every value of the pattern is used by another: it has no root");
}

/* --- what a pattern leads to ------------------------------------------------------- */
struct reach {
    const struct lower *l;
    struct arena scratch;
};

static void reach_slot(struct reach *r, uint32_t slot, bool *reached);

static void reach_pattern(struct reach *r, const struct pat *p, bool *reached);

/* What all alternatives lead to. */
static void reach_common(struct reach *r, const struct pat *p, bool *reached) {
    size_t size = r->l->slots.len * sizeof *reached;
    struct arena_mark mark = arena_mark(&r->scratch);
    bool *common = arena_copy(&r->scratch, reached, size);
    bool *one = arena_alloc(&r->scratch, size);
    for (uint32_t i = 0; i < p->nalts; i++) {
        memcpy(one, reached, size);
        reach_pattern(r, p->alts[i], one);
        for (uint32_t s = 0; s < r->l->slots.len; s++)
            common[s] = i ? common[s] && one[s] : one[s];
    }
    memcpy(reached, common, size);
    arena_reset(&r->scratch, mark);
}

static void reach_pattern(struct reach *r, const struct pat *p, bool *reached) {
    if (p->kind == PAT_SLOT || p->kind == PAT_SEE) reach_slot(r, p->slot, reached);
    for (uint32_t i = 0; i < p->nargs; i++) reach_pattern(r, p->args[i], reached);
    if (p->nalts) reach_common(r, p, reached);
}

static void reach_slot(struct reach *r, uint32_t slot, bool *reached) {
    const struct rule_family *f = dsl_family_of(r->l, slot);
    if (reached[slot]) return;
    reached[slot] = true;
    if (f) reach_slot(r, f->member, reached);
    if (r->l->slots.at[slot].def) reach_pattern(r, r->l->slots.at[slot].def, reached);
}

void dsl_reach(const struct lower *l, uint32_t slot, bool *reached) {
    struct reach r = {.l = l};
    reach_slot(&r, slot, reached);
    arena_free(&r.scratch);
}

static bool *reached_from(struct lower *l, uint32_t slot) {
    bool *reached = arena_zalloc(l->arena, l->slots.len * sizeof *reached);
    dsl_reach(l, slot, reached);
    return reached;
}

/* The one whose pattern defines most: fewest places look like it. */
static void put_largest_first(struct lower *l) {
    uint32_t *roots = (uint32_t *)(uintptr_t)l->rule->roots, best = 0, most = 0;
    for (uint32_t i = 0; i < l->rule->nroots; i++) {
        const bool *reached = reached_from(l, roots[i]);
        uint32_t n = dsl_family_of(l, roots[i]) != NULL;
        for (uint32_t k = 0; k < l->slots.len; k++)
            n += reached[k] && l->slots.at[k].def ? l->slots.at[k].def->nargs + 1 : 0;
        if (n <= most) continue;
        most = n;
        best = i;
    }
    uint32_t first = roots[best];
    memmove(roots + 1, roots, best * sizeof *roots);
    roots[0] = first;
}

/* --- joining ----------------------------------------------------------------------- */
/* Operator nodes on the longest way from a pattern down to a slot; -1: there is none. */
struct distance {
    const struct lower *l;
    uint32_t to;
    int64_t *of; /* slot -> 2 + distance, or 0 */
};

static int64_t slot_distance(struct distance *d, uint32_t slot);

static int64_t distance(struct distance *d, const struct pat *p) {
    int64_t most = -1;
    if (p->kind == PAT_SLOT) return slot_distance(d, p->slot);
    if (p->kind == PAT_SEE) most = slot_distance(d, p->slot);
    for (uint32_t i = 0; i < p->nargs; i++) {
        int64_t n = distance(d, p->args[i]);
        if (n > most) most = n;
    }
    for (uint32_t i = 0; i < p->nalts; i++) {
        int64_t n = distance(d, p->alts[i]);
        if (n > most) most = n;
    }
    if (most < 0) return -1;
    if (p->kind == PAT_CHAIN || p->kind == PAT_SEE) return most + RULE_CHAIN;
    return most + (p->kind == PAT_NODE);
}

static int64_t slot_distance(struct distance *d, uint32_t slot) {
    const struct rule_family *f = dsl_family_of(d->l, slot);
    if (f) slot = f->member;
    if (slot == d->to) return 0;
    if (d->of[slot]) return d->of[slot] - 2;
    const struct pat *def = d->l->slots.at[slot].def;
    int64_t n = def ? distance(d, def) : -1;
    d->of[slot] = n + 2;
    return n;
}

/* A constant may have users all over the model. */
static uint32_t cost(const struct lower *l, const struct rule_join *j) {
    const struct rule_slot *s = &l->slots.at[j->via];
    bool everywhere = (s->flags & (SLOT_CONST | SLOT_SCALAR)) ||
                      (s->def && s->def->kind == PAT_LITERAL);
    return j->levels + (everywhere ? 1u << 20 : 0);
}

/* Names of a member mean something within their `each` alone. */
static bool is_of_member(const struct lower *l, uint32_t slot) {
    for (uint32_t i = 0; i < l->families.len; i++)
        if (slot >= l->families.at[i]->first && slot < l->families.at[i]->end) return true;
    return false;
}

/* The best way to a pattern from what is bound. */
static bool find_join(struct lower *l, uint32_t slot, const bool *bound,
                      struct rule_join *out) {
    const bool *reached = reached_from(l, slot);
    uint32_t least = UINT32_MAX, tried = 0;
    for (uint32_t i = 0; i < l->slots.len && tried < MOST_SHARED; i++) {
        if (!bound[i] || !reached[i] || l->slots.at[i].kind != SLOT_VALUE) continue;
        if (i == slot || is_of_member(l, i)) continue;
        tried++;
        struct distance d = {l, i, arena_zalloc(l->arena, l->slots.len * sizeof *d.of)};
        struct rule_join j = {slot, i, (uint32_t)slot_distance(&d, slot),
                              dsl_family_of(l, slot)};
        if (cost(l, &j) >= least) continue;
        least = cost(l, &j);
        *out = j;
    }
    return least < UINT32_MAX;
}

/* What a pattern leads to, and the other outputs of operators on the way. */
static void mark_all(const struct lower *l, uint32_t slot, bool *bound) {
    dsl_reach(l, slot, bound);
    for (uint32_t i = 0; i < l->slots.len; i++) {
        const struct pat *def = bound[i] ? l->slots.at[i].def : NULL;
        for (uint32_t k = 0; def && k < def->nouts; k++)
            if (def->outs[k] != SLOT_NONE) bound[def->outs[k]] = true;
    }
}

static void not_joined(struct lower *l, uint32_t slot) {
    const struct rule_slot *s = &l->slots.at[slot], *root = &l->slots.at[l->rule->roots[0]];
    dsl_error(l, l->notes.at[slot].stmt->at, "\"%s\" shares no value with \"%s\"", s->name,
              root->name);
    diag_at(l->diags, DIAG_NOTE, l->notes.at[l->rule->roots[0]].stmt->at,
            "matching begins at this statement");
    dsl_help(l, l->notes.at[slot].stmt->at,
             "patterns of one rule are joined by a value that both of them surely have");
}

void dsl_join(struct lower *l) {
    if (!l->rule->nroots) return;
    put_largest_first(l);
    bool *bound = arena_zalloc(l->arena, l->slots.len * sizeof *bound);
    struct rule_join *joins = arena_new_array(l->arena, struct rule_join, l->slots.len);
    mark_all(l, l->rule->roots[0], bound);
    l->rule->joins = joins;
    if (dsl_family_of(l, l->rule->roots[0]) &&
        find_join(l, l->rule->roots[0], bound, &joins[0]))
        l->rule->njoins = 1;
    for (bool more = true; more;) {
        struct rule_join best = {0}, j;
        uint32_t open = SLOT_NONE;
        more = false;
        for (uint32_t i = 0; i < l->slots.len; i++) {
            if (bound[i] || !is_unused(l, i)) continue;
            open = i;
            if (!find_join(l, i, bound, &j)) continue;
            if (!more || cost(l, &j) < cost(l, &best)) best = j;
            more = true;
        }
        if (more) joins[l->rule->njoins++] = best;
        if (more) mark_all(l, best.slot, bound);
        else if (open != SLOT_NONE) not_joined(l, open);
    }
}
