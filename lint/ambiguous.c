/* ambiguous.c -- places where a match has to try both ways.
 *
 * Two operands that commute are such a place when they look alike: one value could be
 * either. So are alternatives of which two can fit one value. Where what comes later does
 * not fit, every way of every such place is tried; so they count together, of alternatives
 * those of the worst.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#define MOST_LEVELS 6u
#define MOST_STEPS 2000u
#define MOST_QUESTIONS 3000u /* whether two patterns fit one value */
#define MOST_SHOWN 8u

struct ambiguous {
    struct lint *l;
    const struct rule *rule;
    struct arena *arena;
    bool *reached; /* slots: what defines them counts once */
    uint32_t questions;
    VEC(struct span) places;
};

static bool enough(void *ctx, struct lint_state *s) {
    RW_UNUSED(s);
    *(bool *)ctx = true;
    return true;
}

/* Can one value be both? The rule is on both sides, so that names do not hold it. */
static bool fit_one_value(struct ambiguous *m, const struct pat *a, const struct pat *b) {
    const struct rule *r = m->rule;
    struct arena arena = ARENA_EMPTY;
    bool found = false;
    if (m->questions == 0) return false;
    m->questions--;
    struct lint_solver x = {.arena = &arena, .rules = {r, r}, .steps = MOST_STEPS,
                            .budget = &m->l->budget,
                            .found = enough, .ctx = &found};
    struct lint_state s = lint_state_new(&x);
    uint32_t v = lint_value_new(&x, &s);
    lint_goal(&x, &s, (struct lint_goal){.kind = LINT_MATCH, .value = v, .pat = a});
    lint_goal(&x, &s, (struct lint_goal){.kind = LINT_MATCH, .side = 1, .value = v,
                                         .pat = b});
    (void)lint_solve(&x, &s);
    arena_free(&arena);
    return found;
}

/* Anything fits: a name of nothing in particular. */
static bool is_free(const struct rule *r, const struct pat *p) {
    if (p->kind == PAT_ANY) return true;
    if (p->kind != PAT_SLOT && p->kind != PAT_SEE) return false;
    const struct rule_slot *s = &r->slots[p->slot];
    return !s->def && !(s->flags & SLOT_CONST) && !s->type;
}

static bool is_literal(const struct rule *r, const struct pat *p) {
    if (p->kind == PAT_SLOT && r->slots[p->slot].def)
        return is_literal(r, r->slots[p->slot].def);
    return p->kind == PAT_LITERAL;
}

/* A value that only one of the two can be decides; x beside Erf(x) hardly ever does not. */
static bool look_alike(struct ambiguous *m, const struct pat *a, const struct pat *b) {
    const struct rule *r = m->rule;
    if (is_literal(r, a) || is_literal(r, b)) return false;
    if (is_free(r, a) != is_free(r, b)) return false;
    return fit_one_value(m, a, b);
}

static bool two_fit(struct ambiguous *m, const struct pat *p) {
    const struct rule *r = m->rule;
    for (uint32_t i = 0; i < p->nalts; i++)
        for (uint32_t k = i + 1; k < p->nalts; k++)
            if (is_free(r, p->alts[i]) == is_free(r, p->alts[k]) &&
                fit_one_value(m, p->alts[i], p->alts[k]))
                return true;
    return false;
}

/* A sub-pattern that is used twice is one place. */
static void add_place(struct ambiguous *m, struct span at) {
    for (uint32_t i = 0; i < m->places.len && i < MOST_SHOWN; i++)
        if (m->places.at[i].begin == at.begin && m->places.at[i].end == at.end) return;
    vec_push(m->arena, &m->places, at);
}

/* Levels below a pattern; their places behind those that are there. */
static uint32_t levels(struct ambiguous *m, const struct pat *p) {
    uint32_t n = 0, worst = 0;
    if (p->kind == PAT_NODE && p->commutes && p->nargs >= 2 &&
        look_alike(m, p->args[0], p->args[1])) {
        add_place(m, p->at);
        n++;
    }
    if (p->kind == PAT_ALT && p->nalts <= 16 && two_fit(m, p)) {
        add_place(m, p->at);
        n++;
    }
    for (uint32_t i = 0; i < p->nargs; i++) n += levels(m, p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++)
        worst = rw_max_u32(worst, levels(m, p->alts[i]));
    bool named = p->kind == PAT_SLOT || p->kind == PAT_SEE;
    if (named && !m->reached[p->slot] && m->rule->slots[p->slot].def) {
        m->reached[p->slot] = true;
        n += levels(m, m->rule->slots[p->slot].def);
    }
    return n + worst;
}

static void tell(const struct ambiguous *m, uint32_t n) {
    struct diag_sink *diags = m->l->diags;
    diag_at(diags, DIAG_WARNING, m->rule->at,
            "\"%s\" leaves open in %u places which operand or alternative is which",
            m->rule->name, n);
    diag_id(diags, DIAG_R_AMBIGUOUS);
    diag_at(diags, DIAG_HELP, m->rule->at,
            "say more of one of them, or pin their order: Add!(a, b)");
    for (uint32_t i = 0; i < m->places.len && i < MOST_SHOWN; i++)
        diag_at(diags, DIAG_NOTE, m->places.at[i], "here");
}

void lint_ambiguous(struct lint *l, const struct rule *r) {
    struct arena a = ARENA_EMPTY;
    struct ambiguous m = {.l = l, .rule = r, .arena = &a,
                          .questions = MOST_QUESTIONS};
    m.reached = arena_zalloc(&a, r->nslots * sizeof *m.reached);
    uint32_t n = levels(&m, r->slots[r->roots[0]].def);
    for (uint32_t i = 0; i < r->njoins; i++)
        n += levels(&m, r->slots[r->joins[i].slot].def);
    if (n > MOST_LEVELS) tell(&m, n);
    arena_free(&a);
}
