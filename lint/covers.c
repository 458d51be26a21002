/* covers.c -- does one rule match wherever another does?
 *
 * Each graph that the second rule's pattern describes, for each choice of its
 * alternatives, is made and frozen; then the first rule's pattern must follow from what is
 * known of it, and for its conditions to follow each must be a condition of the second too.
 * Anything else counts as not covered: this never says too much.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#define MOST_STEPS 20000u
#define MOST_GRAPHS 300u /* of the second rule */

/* --- the same condition ------------------------------------------------------------ */
static bool same_slot(const struct lint_solver *x, const struct lint_state *s, uint32_t a,
                      uint32_t b) {
    uint32_t of_a = s->slots[0][a], of_b = s->slots[1][b];
    if (of_a == LINT_NONE) return false;
    bool values = x->rules[0]->slots[a].kind == SLOT_VALUE && of_b != LINT_NONE;
    return values ? lint_find(s, of_a) == lint_find(s, of_b) : of_a == b;
}

static bool same_param(const struct lint_solver *x, const struct expr *a,
                       const struct expr *b) {
    return x->rules[0]->pack == x->rules[1]->pack && a->i == b->i;
}

static bool same(const struct lint_solver *x, struct lint_state *s, const struct expr *a,
                 const struct expr *b) {
    if (a->kind != b->kind || a->nargs != b->nargs) return false;
    switch (a->kind) {
    case EXPR_INT: case EXPR_BOOL: case EXPR_DTYPE: return a->i == b->i;
    case EXPR_REAL: return !(a->real < b->real) && !(a->real > b->real);
    case EXPR_STRING: return rw_streq(a->s, b->s);
    case EXPR_SLOT: return same_slot(x, s, a->slot, b->slot);
    case EXPR_PARAM: return same_param(x, a, b);
    case EXPR_CALL:
        if (a->fn != b->fn) return false;
        break;
    case EXPR_NATIVE:
        if (!rw_streq(a->predicate->name, b->predicate->name)) return false;
        break;
    case EXPR_FOR: s->slots[0][a->slot] = b->slot; break;
    default: break;
    }
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!same(x, s, a->args[i], b->args[i])) return false;
    return true;
}

/* Each condition of the first is one of the second. */
static bool conditions_follow(const struct lint_solver *x, struct lint_state *s) {
    const struct rule *a = x->rules[0], *b = x->rules[1];
    for (uint32_t i = 0; i < a->nwhere; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b->nwhere && !found; k++)
            found = same(x, s, a->where[i], b->where[k]);
        if (!found) return false;
    }
    return true;
}

/* --- for one graph of the second, for all ------------------------------------------ */
struct covering {
    struct lint_solver inner, outer;
    uint32_t root, graphs;
    enum lint_cover best; /* for the graph that is looked at */
    enum lint_cover all;
};

static bool first_matches(void *ctx, struct lint_state *s) {
    struct covering *c = ctx;
    c->best = conditions_follow(&c->inner, s) ? LINT_COVERED : rw_max_u32(c->best,
                                                                          LINT_GUARDED);
    return c->best == LINT_COVERED;
}

static bool second_matches(void *ctx, struct lint_state *s) {
    struct covering *c = ctx;
    c->best = LINT_APART;
    s->frozen = true;
    lint_goal(&c->inner, s, (struct lint_goal){.kind = LINT_ROOT, .side = 0,
                                               .value = c->root});
    (void)lint_solve(&c->inner, s);
    if (c->best < c->all) c->all = c->best;
    if (++c->graphs == MOST_GRAPHS) c->outer.cut = true;
    return c->all == LINT_APART || c->outer.cut;
}

/* Has it patterns of which a state shows only some of what they match? */
static bool is_longer(const struct pat *p) {
    if (p->kind == PAT_CHAIN || p->kind == PAT_SEE) return true;
    for (uint32_t i = 0; i < p->nargs; i++)
        if (is_longer(p->args[i])) return true;
    for (uint32_t i = 0; i < p->nalts; i++)
        if (is_longer(p->alts[i])) return true;
    return false;
}

static bool matches_more(const struct rule *r) {
    for (uint32_t i = 0; i < r->nslots; i++)
        if (r->slots[i].def && is_longer(r->slots[i].def)) return true;
    return false;
}

/* --- when they are on -------------------------------------------------------------- */
/* On wherever b is on, whatever the options. */
static bool is_on_with(const struct rule *a, const struct rule *b) {
    uint32_t anywhere = TARGET_ONNX;
    bool targets = !a->targets || a->targets & anywhere ||
                   (b->targets && (b->targets & ~a->targets) == 0);
    return targets && a->class <= b->class && a->requires_opset <= b->requires_opset;
}

/* The safety net may refuse to put a value that is there already in another's place. */
static bool always_emits(const struct rule *r) {
    const struct emit_block *last = r->nblocks ? &r->blocks[r->nblocks - 1] : NULL;
    if (!last || last->when) return false;
    for (uint32_t i = 0; i < r->nblocks; i++)
        for (uint32_t k = 0; k < r->blocks[i].n; k++)
            if (r->blocks[i].stmts[k].what->kind != EMIT_NODE) return false;
    return true;
}

enum lint_cover lint_covers(struct lint *l, const struct rule *a, const struct rule *b) {
    struct arena arena = ARENA_EMPTY;
    if (!is_on_with(a, b) || matches_more(b)) return LINT_APART;
    struct lint_solver x = {.arena = &arena, .rules = {a, b}, .steps = MOST_STEPS,
                             .budget = &l->budget};
    struct covering c = {.inner = x, .outer = x, .all = LINT_COVERED};
    c.outer.found = second_matches;
    c.inner.found = first_matches;
    c.outer.ctx = c.inner.ctx = &c;
    struct lint_state s = lint_state_new(&c.outer);
    c.root = lint_value_new(&c.outer, &s);
    s.values.at[c.root].presence = LINT_THERE;
    lint_goal(&c.outer, &s, (struct lint_goal){.kind = LINT_ROOT, .side = 1,
                                               .value = c.root});
    (void)lint_solve(&c.outer, &s);
    arena_free(&arena);
    if (c.outer.cut || c.inner.cut) {
        lint_set_cut(l, b);
        return LINT_APART;
    }
    if (c.graphs == 0) return LINT_APART;
    return c.all == LINT_COVERED && !always_emits(a) ? LINT_GUARDED : c.all;
}
