/* sub.c -- patterns of rules as sub-patterns, each once over all rules.
 *
 * Names are gone: a variable is anything, a named result what defines it. What may be more
 * than a label can tell becomes something weaker that holds wherever the pattern fits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

/* --- the table -------------------------------------------------------------------- */
static bool numbers_equal(uint32_t n, const uint32_t *x, const uint32_t *y) {
    return n == 0 || memcmp(x, y, n * sizeof *x) == 0;
}

static bool sub_equal(const void *key, uint32_t id, const void *ctx) {
    const struct pm_sub *x = key, *y = &((const struct pm_subs *)ctx)->list.at[id];
    return x->kind == y->kind && x->commutes == y->commutes && x->output == y->output &&
           x->ops == y->ops && x->spec == y->spec && x->literal == y->literal &&
           x->ntests == y->ntests && x->nkids == y->nkids &&
           numbers_equal(x->ntests, x->tests, y->tests) &&
           numbers_equal(x->nkids, x->kids, y->kids);
}

static uint64_t sub_hash(const struct pm_sub *s) {
    uint64_t h = hash_join((uint64_t)s->kind, s->commutes);
    h = hash_join(hash_join(h, s->output), s->ops);
    h = hash_join(hash_join(h, s->spec), s->literal);
    for (uint32_t i = 0; i < s->ntests; i++) h = hash_join(h, s->tests[i]);
    h = hash_join(h, s->ntests);
    for (uint32_t i = 0; i < s->nkids; i++) h = hash_join(h, s->kids[i]);
    return h;
}

static uint32_t add_sub(struct pm_auto *p, struct pm_sub s) {
    uint64_t hash = sub_hash(&s);
    uint32_t id = hset_find(p->sub_set, hash, sub_equal, &s, p->subs);
    if (id != MAP_NONE) return id;
    id = p->subs->list.len;
    vec_push(p->arena, &p->subs->list, s);
    hset_add(p->sub_set, hash, id);
    return id;
}

void pm_subs_init(struct pm_auto *p) {
    p->subs = arena_new(p->arena, struct pm_subs);
    p->sub_set = arena_new(p->arena, struct hset);
    p->sub_set->arena = p->arena;
    static const enum pm_sub_kind first[] = {SUB_ANY, SUB_PRESENT, SUB_ABSENT, SUB_CONST};
    for (uint32_t i = 0; i < countof(first); i++)
        add_sub(p, (struct pm_sub){.kind = first[i]});
}

/* --- patterns --------------------------------------------------------------------- */
#define NOT_YET UINT32_MAX
struct maker {
    struct pm_auto *p;
    const struct rule *rule;
    uint32_t *of_slot;
};
static uint32_t sub_of(struct maker *k, const struct pat *pat, uint32_t output);

/* Puts x into the first n items, which rise; their number then. */
static uint32_t insert(uint32_t *at, uint32_t n, uint32_t x) {
    uint32_t i = n;
    while (i > 0 && at[i - 1] > x) i--;
    if (i > 0 && at[i - 1] == x) return n;
    memmove(at + i + 1, at + i, (n - i) * sizeof *at);
    at[i] = x;
    return n + 1;
}

static uint32_t one_of(struct maker *k, uint32_t n, const uint32_t *alts) {
    uint32_t *kids = arena_new_array(k->p->arena, uint32_t, n), len = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (alts[i] == PM_SUB_ANY) return PM_SUB_ANY;
        len = insert(kids, len, alts[i]);
    }
    if (len == 1) return kids[0];
    return add_sub(k->p, (struct pm_sub){.kind = SUB_ALT, .nkids = len, .kids = kids});
}

static uint32_t sub_of_node(struct maker *k, const struct pat *pat, uint32_t ops,
                            uint32_t output) {
    struct pm_auto *p = k->p;
    struct pm_sub s = {.kind = SUB_NODE, .output = output, .ops = ops,
                       .spec = pm_intern_spec(p, pat)};
    uint32_t *tests = arena_new_array(p->arena, uint32_t, pat->nattrs);
    for (uint32_t i = 0; i < pat->nattrs; i++)
        if (pat->attrs[i].kind == ATTR_LITERAL && pm_literal_is_ground(&pat->attrs[i].lit))
            s.ntests = insert(tests, s.ntests, pm_intern_test(p, &pat->attrs[i]));
    uint32_t *kids = arena_new_array(p->arena, uint32_t, pat->nargs);
    for (uint32_t i = 0; i < pat->nargs; i++)
        if (pat->args[i]->kind != PAT_REST) kids[s.nkids++] = sub_of(k, pat->args[i], 0);
    s.commutes = pat->commutes && s.nkids >= 2;
    if (s.commutes && kids[0] > kids[1]) {
        uint32_t first = kids[0];
        kids[0] = kids[1];
        kids[1] = first;
    }
    s.tests = tests;
    s.kids = kids;
    return add_sub(p, s);
}

/* A node of several outputs may bind some of them to nothing; what is seen first as an
 * operand is there. */
static uint32_t sub_of_slot(struct maker *k, uint32_t slot) {
    const struct rule_slot *x = &k->rule->slots[slot];
    if (k->of_slot[slot] != NOT_YET) return k->of_slot[slot];
    uint32_t sub = x->flags & SLOT_CONST ? PM_SUB_CONST : PM_SUB_PRESENT;
    if (x->def) {
        sub = sub_of(k, x->def, x->def_output);
        if (x->def->kind == PAT_NODE && x->def->nouts > 1)
            sub = one_of(k, 2, (uint32_t[]){sub, PM_SUB_ABSENT});
    }
    k->of_slot[slot] = sub;
    return sub;
}

static uint32_t sub_of_literal(struct maker *k, const struct literal *l) {
    if (!pm_literal_is_ground(l)) return PM_SUB_CONST;
    return add_sub(k->p, (struct pm_sub){.kind = SUB_LITERAL,
                                         .literal = pm_intern_literal(k->p, l)});
}

static uint32_t sub_of_alternatives(struct maker *k, const struct pat *pat,
                                    uint32_t output) {
    uint32_t *alts = arena_new_array(k->p->arena, uint32_t, pat->nalts);
    for (uint32_t i = 0; i < pat->nalts; i++) alts[i] = sub_of(k, pat->alts[i], output);
    return one_of(k, pat->nalts, alts);
}

/* pm_rule_shape walked the same patterns, so that this ends and is not deep. */
static uint32_t sub_of(struct maker *k, const struct pat *pat, uint32_t output) {
    switch (pat->kind) {
    case PAT_ANY: return PM_SUB_PRESENT;
    case PAT_SLOT: return sub_of_slot(k, pat->slot);
    case PAT_NODE:
        return sub_of_node(k, pat, pm_intern_ops(k->p, pat->nops, pat->ops), output);
    case PAT_ALT: return sub_of_alternatives(k, pat, output);
    case PAT_LITERAL: return sub_of_literal(k, &pat->lit);
    case PAT_ABSENT: return PM_SUB_ABSENT;
    case PAT_SEE:
    case PAT_CHAIN:
    case PAT_REST: break;
    }
    return PM_SUB_ANY;
}

uint32_t pm_sub_of_root(struct pm_auto *p, const struct rule *r, const struct pat *node,
                        uint32_t op, uint32_t output) {
    struct maker k = {p, r, arena_new_array(p->arena, uint32_t, r->nslots)};
    memset(k.of_slot, 0xff, r->nslots * sizeof *k.of_slot);
    struct pat_op only = {p->op.at[op].domain, p->op.at[op].name};
    return sub_of_node(&k, node, pm_intern_ops(p, 1, &only), output);
}
