/* rewrites.c -- see rewrites.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/rewrites.h"

#include "judge/cut/cut.h"

/* How far upstream is looked when a cut alone does not come out the same, and in how many
 * nodes. */
static const struct { uint32_t levels, most; } reaches[] = {{0, 0}, {2, 8}, {6, 48}};

struct known {
    const char *key;
    size_t len;
    struct cut_verdict verdict;
};
struct complaint { /* of a rule */
    const struct rule *rule;
    uint32_t wrong, unknown;
    const char *why; /* it is not known */
};

struct judge_rewrites {
    struct judge *j;
    bool strict;
    struct arena *arena;
    struct diag_sink *diags;
    struct arena step; /* of one rewrite */
    struct cut cut;
    struct buf key;
    struct hset index; /* of what is known */
    VEC(struct known) known;
    VEC(struct complaint) complaints;
    struct judge_counts counts;
    struct pm_judge judge;
};

/* --- what is known ---------------------------------------------------------------- */

struct sought { const char *key; size_t len; };

static bool is_known(const void *key, uint32_t id, const void *ctx) {
    const struct sought *s = key;
    const struct known *k = &((const struct judge_rewrites *)ctx)->known.at[id];
    return s->len == k->len && memcmp(s->key, k->key, s->len) == 0;
}

static struct cut_verdict run_and_keep(struct judge_rewrites *r, enum rule_class class,
                                       bool *is_new) {
    struct sought s = {r->key.at, r->key.len};
    uint64_t hash = hash_bytes(s.key, s.len, 1);
    uint32_t id = s.len ? hset_find(&r->index, hash, is_known, &s, r) : MAP_NONE;
    if (id != MAP_NONE) return r->known.at[id].verdict;
    struct cut_verdict v = cut_judge(&r->cut, r->j, class);
    *is_new = true;
    if (v.why) v.why = arena_strdup(r->arena, v.why);
    if (s.len == 0) return v;
    hset_add(&r->index, hash, r->known.len);
    vec_push(r->arena, &r->known,
             (struct known){arena_copy(r->arena, s.key, s.len), s.len, v});
    return v;
}

/* The verdict of the widest cut that could be run. */
static struct cut_verdict judge_cut(struct judge_rewrites *r, enum rule_class class) {
    struct cut_verdict best = {0};
    bool is_new = false;
    for (size_t i = 0; i < countof(reaches); i++) {
        if (i > 0 && !cut_grow(&r->cut, reaches[i].levels, reaches[i].most)) break;
        cut_key(&r->cut, class, &r->key);
        struct cut_verdict v = run_and_keep(r, class, &is_new);
        if (i == 0 || v.result != CUT_UNKNOWN) best = v;
        r->cut.doubted |= v.result == CUT_DIFFERENT;
        if (v.result == CUT_SAME) break;
    }
    r->counts.run += is_new;
    return best;
}

/* --- complaints ------------------------------------------------------------------- */

static struct complaint *complaint_of(struct judge_rewrites *r, const struct rule *rule) {
    for (uint32_t i = 0; i < r->complaints.len; i++)
        if (r->complaints.at[i].rule == rule) return &r->complaints.at[i];
    vec_push(r->arena, &r->complaints, (struct complaint){.rule = rule});
    return vec_last(&r->complaints);
}

/* The first one of a rule is told in full. */
static void warn(struct judge_rewrites *r, const struct pm_change *c, const char *why) {
    const char *value =
        c->nexchanged ? ir_val(c->g, c->exchanged[0].old)->name : "";
    diag_at(r->diags, DIAG_WARNING, c->rule->at,
            "rule \"%s\" gives something else for \"%s\" and is not applied there: %s",
            c->rule->name, value, why);
}

static bool after(void *ctx, const struct pm_change *c) {
    struct judge_rewrites *r = ctx;
    cut_after(&r->cut, c);
    struct cut_verdict v = judge_cut(r, c->rule->class);
    r->counts.judged++;
    r->counts.inexact += v.result == CUT_SAME && v.inexact;
    if (v.result == CUT_SAME) return true;
    struct complaint *x = complaint_of(r, c->rule);
    if (v.result == CUT_UNKNOWN) {
        r->counts.unknown++;
        x->unknown++;
        x->why = v.why;
        return !r->strict;
    }
    r->counts.wrong++;
    if (x->wrong++ == 0) warn(r, c, v.why);
    return false;
}

static void before(void *ctx, const struct pm_subject *m) {
    struct judge_rewrites *r = ctx;
    arena_free(&r->step);
    cut_before(&r->cut, &r->step, m);
}

/* --- the whole run ---------------------------------------------------------------- */

struct judge_rewrites *judge_rewrites_new(struct judge *j, bool strict, struct arena *a,
                                          struct diag_sink *diags) {
    struct judge_rewrites *r = arena_new(a, struct judge_rewrites);
    *r = (struct judge_rewrites){.j = j, .strict = strict, .arena = a, .diags = diags,
                                 .index = {.arena = a}};
    r->judge = (struct pm_judge){r, before, after};
    return r;
}

const struct pm_judge *judge_rewrites_judge(const struct judge_rewrites *r) {
    return &r->judge;
}

struct judge_counts judge_rewrites_count(const struct judge_rewrites *r) {
    return r->counts;
}

void judge_rewrites_end(struct judge_rewrites *r, const char *fate) {
    for (uint32_t i = 0; i < r->complaints.len; i++) {
        const struct complaint *x = &r->complaints.at[i];
        if (x->wrong > 1)
            diag_at(r->diags, DIAG_WARNING, x->rule->at,
                    "rule \"%s\" was found wrong in %u places and not applied there",
                    x->rule->name, x->wrong);
        if (x->unknown)
            diag_at(r->diags, DIAG_WARNING, x->rule->at,
                    "rule \"%s\" could not be checked by itself in %u place%s, %s: %s",
                    x->rule->name, x->unknown, x->unknown == 1 ? "" : "s", fate, x->why);
    }
    arena_free(&r->step);
    buf_free(&r->key);
}
