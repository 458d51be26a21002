/* test.c -- instances of a rule, until enough were compared.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/process.h"
#include "judge/rule/case.h"

#define TRIES_FOR_ONE 120 /* instances that may be made for one that is compared */
#define TRIES_AROUND 10  /* times as many where two rules' patterns must fit together */
#define MOST_COUNTS 8    /* times the count, while something was hardly seen */
#define MOST_ASKED 20000 /* tries that are only matched, while conditions hardly failed */
#define TIMES_BEHIND 2   /* as many behind a maker */
#define TIMES_UNPROVEN 4 /* as many when the rule answers for shapes itself */

static bool choices_are_seen(const struct judge_choices *c) {
    for (uint32_t i = 0; i < c->list.len; i++)
        for (uint32_t k = 0; k < c->list.at[i].n; k++)
            if (c->list.at[i].seen[k] < JUDGE_SEEN_ENOUGH) return false;
    return true;
}

bool judge_is_seen_false(const struct judge_rule_report *r, uint32_t condition) {
    return r->failed[condition] + r->unknown[condition] >= JUDGE_SEEN_ENOUGH;
}

/* True they are wherever the rule applies. */
static bool conditions_are_seen(const struct judge_rule_report *r) {
    for (uint32_t i = 0; i < r->rule->nwhere; i++)
        if (!judge_is_seen_false(r, i)) return false;
    return true;
}

static bool results_are_seen(const struct judge_rule_report *r) {
    for (uint32_t i = 0; i < r->rule->nblocks; i++)
        if (r->emitted[i] < JUDGE_SEEN_ENOUGH) return false;
    return choices_are_seen(&r->choices);
}

/* One that was hardly seen not to hold, if there is one, each in its turn; else one that was
 * hardly known not to. */
static uint32_t sought(const struct judge_rule_report *r, uint64_t turn) {
    uint32_t n = r->rule->nwhere;
    for (uint32_t k = 0; k < 2 * n; k++) {
        uint32_t i = (uint32_t)((turn + k) % n);
        if (k < n ? !judge_is_seen_false(r, i) : r->failed[i] < JUDGE_SEEN_ENOUGH) return i;
    }
    return n > 0 ? (uint32_t)(turn % n) : 0;
}

static void count_conditions(struct judge_rule_report *r, const struct judge_case *c) {
    for (uint32_t i = 0; i < r->rule->nwhere; i++) {
        r->failed[i] += c->failed[i];
        r->unknown[i] += c->unknown[i];
    }
}

static void count_compared(struct judge_rule_report *r, const struct judge_case *c) {
    r->compared++;
    r->steps.steps += c->steps.steps;
    r->steps.elements += c->steps.elements;
    if (c->error > r->error) r->error = c->error;
    if (c->block < r->rule->nblocks) r->emitted[c->block]++;
    for (uint32_t i = 0; i < c->instance->made.len; i++) {
        struct judge_made m = c->instance->made.at[i];
        r->choices.list.at[m.choice].seen[m.way]++;
    }
}

static void count(struct judge_rule_report *r, const struct judge_case *c) {
    if (c->end == JUDGE_NO_INSTANCE) return;
    r->made++;
    count_conditions(r, c);
    r->unmatched += c->end == JUDGE_UNMATCHED;
    r->refused += c->end == JUDGE_NET_REFUSED;
    r->broken += c->end == JUDGE_NO_ORIGINAL;
    r->empty += c->end == JUDGE_NOT_EMPTY;
    r->applied += c->end >= JUDGE_NO_ORIGINAL;
    r->silent += c->end == JUDGE_SAME && !c->told;
    if (c->end == JUDGE_SAME && c->told) count_compared(r, c);
}

/* Now and then a narrower one, which conditions may tell from the wide one. */
static uint32_t target_of(const struct rule *r, uint32_t try_number) {
    if (r->targets & TARGET_ORT && try_number % 8 == 7) return TARGET_ORT_CPU;
    if (!(r->targets & TARGET_ONNX) && r->targets) return r->targets;
    return try_number % 2 ? TARGET_ORT : TARGET_ONNX;
}

static void begin(struct judge_rule_report *out, const struct rule *r, struct arena *a) {
    *out = (struct judge_rule_report){.rule = r};
    out->failed = arena_zalloc(a, (r->nwhere + 1) * sizeof *out->failed);
    out->unknown = arena_zalloc(a, (r->nwhere + 1) * sizeof *out->unknown);
    out->emitted = arena_zalloc(a, (r->nblocks + 1) * sizeof *out->emitted);
    judge_choices_of(r, a, &out->choices);
}

/* How far numbers drawn by themselves get. */
struct freely {
    uint32_t tried, compared;
};

/* Half of the instances are led by an example; nearly all where others hardly ever fit. */
static bool is_led(const struct freely *f, const struct judge_examples *e, uint32_t i) {
    bool seldom = f->tried >= 20 && f->compared * 10 < f->tried;
    return e->list.len > 0 && i % 10 < (seldom ? 9u : 5u);
}

void judge_test_rule(const struct pm_auto *rules, const struct rule *r,
                     const struct judge_rule_options *o, struct arena *a,
                     struct judge_rule_report *out) {
    begin(out, r, a);
    struct judge_plan p = {.rules = rules, .rule = r, .maker = o->maker,
                           .natives = o->natives, .choices = &out->choices,
                           .opset_least = o->opset_least, .opset_most = o->opset_most};
    struct judge_examples examples;
    struct freely free = {0};
    judge_examples_of(rules, r, o->maker, o->natives, a, &examples);
    p.examples = &examples;
    double end = o->seconds > 0 ? process_seconds() + o->seconds : 0;
    uint64_t seed = hash_bytes(r->name, strlen(r->name), o->seed);
    uint32_t wanted = o->count * (r->shapes_by_rule ? TIMES_UNPROVEN : 1);
    uint32_t most = wanted * TRIES_FOR_ONE * (o->maker ? TRIES_AROUND : 1);
    uint32_t most_asked = MOST_ASKED * (o->maker ? TIMES_BEHIND : 1), asked = 0;
    for (uint32_t i = 0; i < most && !out->wrong; i++) {
        p.enough = out->compared >= wanted;
        p.asks = p.enough && (results_are_seen(out) || out->compared >= MOST_COUNTS * wanted);
        if (p.asks && (conditions_are_seen(out) || ++asked > most_asked)) break;
        if (end > 0 && process_seconds() > end) break;
        struct arena step = ARENA_EMPTY;
        struct judge_draws d;
        judge_draws_new(&d, &step, hash_join(seed, i));
        p.target = target_of(r, i);
        p.sought = sought(out, hash_join(seed, ~i));
        p.led = is_led(&free, &examples, i);
        struct judge_case c = judge_case_run(&p, o->judge, &d, &step);
        count(out, &c);
        if (!p.led && !p.asks) free.tried++, free.compared += c.end == JUDGE_SAME && c.told;
        if (c.end == JUDGE_WRONG) out->wrong = judge_shrink(&p, o->judge, &d, a);
        arena_free(&step);
    }
}
