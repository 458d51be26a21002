/* overlap.c -- pairs of rules of a phase that meet at one node.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#define MOST_STEPS 20000u
#define MOST_SOLUTIONS 6u /* for each pair: ways in which the patterns meet */
#define MOST_TRIES 12u    /* for each of them: instances */

/* --- do the patterns meet? --------------------------------------------------------- */
struct meeting {
    struct lint *l;
    struct lint_solver x;
    const struct rule *a, *b;
    uint32_t root, solutions;
    bool wants_graph;
    struct arena *keep; /* for the witness */
    const char *witness;
};

static bool meet(void *ctx, struct lint_state *s) {
    struct meeting *m = ctx;
    m->solutions++;
    if (!m->wants_graph) return true;
    if (m->l->witnesses == 0) {
        m->x.cut = true;
        return true;
    }
    const struct rule *both[] = {m->a, m->b};
    const struct rule *merged = lint_merged(&m->x, s, m->root, m->x.arena);
    if (lint_facts_clash(merged)) return m->solutions == MOST_SOLUTIONS;
    m->l->witnesses--;
    struct lint_wanted wanted = {.merged = merged, .n = 2, .of = both, .tries = MOST_TRIES};
    m->witness = lint_witness(&wanted, m->keep);
    return m->witness || m->solutions == MOST_SOLUTIONS;
}

static void meeting(struct meeting *m, bool wants_graph) {
    struct arena arena = ARENA_EMPTY;
    m->x = (struct lint_solver){.arena = &arena, .rules = {m->a, m->b}, .steps = MOST_STEPS,
                                .budget = &m->l->budget, .found = meet, .ctx = m};
    m->solutions = 0;
    m->wants_graph = wants_graph;
    struct lint_state s = lint_state_new(&m->x);
    m->root = lint_value_new(&m->x, &s);
    for (uint8_t side = 2; side-- > 0;)
        lint_goal(&m->x, &s, (struct lint_goal){.kind = LINT_ROOT, .side = side,
                                                .value = m->root});
    (void)lint_solve(&m->x, &s);
    if (m->x.cut) lint_set_cut(m->l, m->b);
    arena_free(&arena);
}

/* --- telling ----------------------------------------------------------------------- */
static void point_at(struct lint *l, const struct rule *a, const char *why) {
    diag_at(l->diags, DIAG_NOTE, a->at, "\"%s\" is here; it goes first%s", a->name, why);
}

static const char *why_first(const struct rule *a, const struct rule *b) {
    return a->priority != b->priority ? " by its priority"
           : a->size != b->size       ? ", being bigger"
                                      : ", standing first";
}

static void tell_covered(struct lint *l, const struct rule *a, const struct rule *b,
                         bool mutual) {
    if (mutual) {
        diag_at(l->diags, DIAG_ERROR, b->at,
                "\"%s\" matches what \"%s\" matches, and nothing else", b->name, a->name);
        diag_id(l->diags, DIAG_R_DUPLICATE);
    } else {
        diag_at(l->diags, DIAG_ERROR, b->at,
                "\"%s\" is never applied: \"%s\" matches wherever it does", b->name,
                a->name);
        diag_id(l->diags, DIAG_R_SHADOWED);
    }
    diag_at(l->diags, DIAG_HELP, b->at,
            mutual ? "remove one of them"
                   : "give the special one the higher priority, or remove one");
    point_at(l, a, why_first(a, b));
}

static void tell_meeting(struct lint *l, const struct rule *a, const struct rule *b,
                         bool guarded, const char *graph) {
    if (guarded) {
        diag_at(l->diags, DIAG_WARNING, b->at,
                "\"%s\" is applied only where \"%s\", which fits wherever it does, fails a "
                "condition", b->name, a->name);
        diag_id(l->diags, DIAG_R_SHADOWED);
    } else {
        diag_at(l->diags, DIAG_WARNING, b->at,
                "\"%s\" and \"%s\" match at one node, and nothing says which goes first",
                b->name, a->name);
        diag_id(l->diags, DIAG_R_OVERLAP);
    }
    diag_at(l->diags, DIAG_HELP, b->at,
            "give one a priority, or write the condition that tells them apart");
    point_at(l, a, why_first(a, b));
    diag_where(l->diags, DIAG_NOTE, NULL, "both match on\n%s", graph);
}

static void tell_competing(struct lint *l, const struct rule *a, const struct rule *b,
                           const char *graph) {
    diag_at(l->diags, DIAG_NOTE, b->at, "\"%s\" competes with \"%s\"", b->name, a->name);
    diag_id(l->diags, DIAG_R_COMPETING);
    point_at(l, a, why_first(a, b));
    diag_where(l->diags, DIAG_NOTE, NULL, "both match on\n%s", graph);
}

/* --- one pair, a before b ---------------------------------------------------------- */
static bool targets_meet(uint32_t a, uint32_t b) {
    uint32_t narrow = TARGET_ORT_CPU | TARGET_ORT_CUDA;
    if (!a || !b || (a | b) & TARGET_ONNX || a & b) return true;
    return (a & TARGET_ORT && b & narrow) || (b & TARGET_ORT && a & narrow);
}

static void pair(struct lint *l, const struct rule *a, const struct rule *b) {
    struct arena keep = ARENA_EMPTY;
    struct meeting m = {.l = l, .a = a, .b = b, .keep = &keep};
    if (lint_is_dead(l, a) || lint_is_dead(l, b)) return;
    if (l->brief && !lint_is_own(l, a) && !lint_is_own(l, b)) return;
    if (!targets_meet(a->targets, b->targets)) return;
    meeting(&m, false);
    if (m.solutions == 0) return;
    enum lint_cover cover = lint_covers(l, a, b), back = lint_covers(l, b, a);
    if (cover == LINT_COVERED) {
        tell_covered(l, a, b, back == LINT_COVERED);
        lint_set_dead(l, b);
    } else if (a->priority == b->priority && (cover || a->size == b->size)) {
        if (!l->brief) meeting(&m, true);
        if (m.witness) tell_meeting(l, a, b, cover && !back, m.witness);
    } else if (l->competing && a->priority != b->priority) {
        meeting(&m, true);
        if (m.witness) tell_competing(l, a, b, m.witness);
    }
    arena_free(&keep);
}

/* --- pairs with a root operator in common ------------------------------------------ */
struct bucket { /* rules by number, rising */
    uint32_t *at;
    uint32_t len, cap;
};
struct buckets {
    struct arena arena;
    struct map index; /* operator -> list */
    VEC(struct bucket) list;
    uint32_t *count;      /* of each rule: buckets that it is in */
    struct map looked_at; /* pairs that may come again */
};

static void add_to(struct buckets *b, const struct pat_op *op, uint32_t rule) {
    uint64_t key = hash_bytes(op->name, strlen(op->name),
                              hash_bytes(op->domain, strlen(op->domain), 0));
    uint32_t i = map_get(&b->index, key);
    if (i == MAP_NONE) {
        i = b->list.len;
        map_put(&b->index, key, i);
        vec_push(&b->arena, &b->list, (struct bucket){0});
    }
    struct bucket *rules = &b->list.at[i];
    if (rules->len > 0 && *vec_last(rules) == rule) return;
    vec_push(&b->arena, rules, rule);
    b->count[rule]++;
}

/* (A definition is no circle, so this ends; names that lead to names are few.) */
static void add_roots(struct buckets *b, const struct rule *r, const struct pat *p,
                      uint32_t rule) {
    for (uint32_t i = 0; p->kind == PAT_NODE && i < p->nops; i++)
        add_to(b, &p->ops[i], rule);
    for (uint32_t i = 0; p->kind == PAT_ALT && i < p->nalts; i++)
        add_roots(b, r, p->alts[i], rule);
    if (p->kind == PAT_SLOT && r->slots[p->slot].def)
        add_roots(b, r, r->slots[p->slot].def, rule);
}

static bool comes_again(struct buckets *b, uint32_t i, uint32_t k) {
    uint64_t key = (uint64_t)i << 32 | k;
    if (b->count[i] == 1 || b->count[k] == 1) return false;
    if (map_get(&b->looked_at, key) != MAP_NONE) return true;
    map_put(&b->looked_at, key, 1);
    return false;
}

static void bucket(struct lint *l, struct buckets *b, const struct bucket *rules,
                   const struct lint_phase *p) {
    for (uint32_t i = 0; i < rules->len; i++) {
        const struct rule *first = p->rules[rules->at[i]];
        if (lint_is_dead(l, first)) continue;
        for (uint32_t k = i + 1; k < rules->len; k++) {
            if (comes_again(b, rules->at[i], rules->at[k])) continue;
            pair(l, first, p->rules[rules->at[k]]);
            if (l->budget == 0) return; /* which was told as a question that was cut */
        }
    }
}

void lint_overlaps(struct lint *l, const struct lint_phase *p) {
    struct buckets b = {.arena = ARENA_EMPTY};
    map_init(&b.index, &b.arena);
    map_init(&b.looked_at, &b.arena);
    b.count = arena_zalloc(&b.arena, (p->n + 1) * sizeof *b.count);
    for (uint32_t i = 0; i < p->n; i++)
        add_roots(&b, p->rules[i], p->rules[i]->slots[p->rules[i]->roots[0]].def, i);
    for (uint32_t i = 0; i < b.list.len; i++) bucket(l, &b, &b.list.at[i], p);
    arena_free(&b.arena);
}
