/* lower_sum.c -- sum{a, b, c} and prod{...}: any association and order.
 *
 * Operands commute, so the orders are the matcher's; what remains are the association
 * trees over sets of operands: 1, 1, 3, 15, 105 of them for 1 to 5 operands. They share
 * their parts: the trees of each subset are made once. An operand that may be missing
 * makes the subsets without it alternatives too, behind those with it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

#define MOST 5u

struct sum {
    struct lower *l;
    struct span at;
    enum ast_op op;
    const struct pat *operand[MOST];
    const struct pat *of[1u << MOST]; /* all trees over a subset of the operands */
};

/* Operands that are the same value are not told apart: the first of them. */
static uint32_t class_of(const struct sum *s, uint32_t operand) {
    for (uint32_t i = 0; i < operand; i++)
        if (s->operand[i]->kind == PAT_SLOT && s->operand[operand]->kind == PAT_SLOT &&
            s->operand[i]->slot == s->operand[operand]->slot)
            return i;
    return operand;
}

/* How often each class is in a set of operands, as one number. */
static uint32_t multiset(const struct sum *s, uint32_t set) {
    static const uint32_t power[MOST] = {1, 6, 36, 216, 1296};
    uint32_t key = 0;
    for (uint32_t i = 0; i < MOST; i++)
        if (set >> i & 1) key += power[class_of(s, i)];
    return key;
}

/* Each split in two is taken once: the part with the lowest operand stands left, and of
 * splits into the same operands the first is enough. */
static const struct pat *trees(struct sum *s, uint32_t set) {
    if (s->of[set]) return s->of[set];
    const struct pat *alts[1u << (MOST - 1)];
    uint32_t seen[1u << (MOST - 1)], n = 0, lowest = set & (~set + 1);
    for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set) {
        if (!(part & lowest)) continue;
        uint32_t left = multiset(s, part), right = multiset(s, set & ~part), known = 0;
        while (known < n && seen[known] != rw_min_u32(left, right)) known++;
        if (known < n) continue;
        seen[n] = rw_min_u32(left, right);
        alts[n++] = dsl_infix(s->l, s->op, trees(s, part), trees(s, set & ~part), s->at);
    }
    s->of[set] = n == 1 ? alts[0] : dsl_alt(s->l, n, alts, s->at);
    return s->of[set];
}

const struct pat *dsl_sum(struct lower *l, const struct ast *e) {
    struct sum s = {.l = l, .at = e->at};
    uint32_t n = e->args.len, optional = 0;
    s.op = rw_streq(e->text, "sum") ? OP_ADD : OP_MUL;
    if (n < 2 || n > MOST) {
        dsl_error(l, e->at, "\"%s\" takes 2 to %u operands, %u are given", e->text, MOST,
                  n);
        if (n > MOST)
            dsl_help(l, e->at, "a name may stand for a whole partial %s", e->text);
        return dsl_any(l, e->at);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct ast *operand = e->args.at[i];
        s.operand[i] = dsl_pattern(l, operand);
        if (dsl_maybe(operand) && s.operand[i]->kind == PAT_ALT) {
            optional |= 1u << i;
            s.operand[i] = s.operand[i]->alts[0];
        }
        s.of[1u << i] = s.operand[i];
    }
    uint32_t all = (1u << n) - 1;
    if (optional == all) {
        dsl_error(l, e->at, "at least one operand must be there");
        return dsl_any(l, e->at);
    }
    const struct pat *alts[1u << MOST];
    uint32_t nalts = 0;
    for (uint32_t missing = 0;; missing = (missing - optional) & optional) {
        alts[nalts++] = trees(&s, all & ~missing);
        if (missing == optional) break;
    }
    return nalts == 1 ? alts[0] : dsl_alt(l, nalts, alts, e->at);
}
