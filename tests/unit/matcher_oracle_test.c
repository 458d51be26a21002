/* matcher_oracle_test.c -- the compiled matcher and the plain one find the same matches.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/oracle.h"
#include "tests/oracle/random.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define CASES 4000
#define RULES 6

/* What the compiled matcher finds at a node, rule by rule. */
struct found {
    struct arena *a;
    struct ir_graph *g;
    const struct pm_auto *p;
    const struct rule *const *rules;
    struct oracle_lines of[RULES];
    uint32_t last; /* the rule of the match before */
    bool in_order;
};

static bool add(void *ctx, const struct rule *r, const struct pm_binding *slots) {
    struct found *f = ctx;
    uint32_t i = 0;
    while (f->rules[i] != r) i++;
    if (i != f->last && f->last < RULES) {
        const struct rule *before = f->rules[f->last];
        if (before->priority < r->priority ||
            (before->priority == r->priority && before->size < r->size))
            f->in_order = false;
    }
    f->last = i;
    vec_push(f->a, &f->of[i].list, oracle_line(f->a, f->g, f->p, NULL, r, slots));
    return true;
}

static bool same(const struct oracle_lines *x, const struct oracle_lines *y) {
    if (x->list.len != y->list.len) return false;
    for (uint32_t i = 0; i < x->list.len; i++)
        if (!rw_streq(x->list.at[i], y->list.at[i])) return false;
    return true;
}

static void show(const struct found *f, uint64_t seed, ir_node n, uint32_t rule,
                 const struct oracle_lines *want) {
    struct buf b = {0};
    ir_text_print(f->g->model, &(struct ir_text_options){.all = true}, &b);
    pm_dump(f->p, &b);
    printf("\nseed %u node %u rule %u:\n%s", (unsigned)seed, n, rule, buf_text(&b));
    buf_free(&b);
    for (uint32_t i = 0; i < want->list.len; i++) printf("wanted %s\n", want->list.at[i]);
    for (uint32_t i = 0; i < f->of[rule].list.len; i++)
        printf("found  %s\n", f->of[rule].list.at[i]);
}

/* Number of matches; -1: the two differ. */
static int compare_node(struct arena *a, const struct pm_auto *p, struct ir_graph *g,
                        const struct rule *const *rules, ir_node n, uint64_t seed) {
    struct found f = {.a = a, .g = g, .p = p, .rules = rules, .last = RULES,
                      .in_order = true};
    pm_matches(p, g, n, NULL, add, &f);
    int matches = 0;
    for (uint32_t i = 0; i < RULES; i++) {
        struct oracle_lines want = {0};
        oracle_matches(a, NULL, g, rules[i], n, &want);
        oracle_sort(&want);
        oracle_sort(&f.of[i]);
        if (!same(&want, &f.of[i])) {
            show(&f, seed, n, i, &want);
            return -1;
        }
        matches += (int)want.list.len;
    }
    if (!f.in_order) printf("\nseed %u node %u: not in order\n", (unsigned)seed, n);
    return f.in_order ? matches : -1;
}

static int compare_case(uint64_t seed) {
    struct arena a = ARENA_EMPTY;
    struct dice d = {seed * 0x9e3779b97f4a7c15u + 1};
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct ir_model *m = random_model(&a, &d, 5 + roll(&d, 20));
    struct rule_pack pack = {.name = "random", .nrules = RULES, .nstages = 1};
    const struct rule *rules[RULES];
    uint32_t numbers[RULES];
    for (uint32_t i = 0; i < RULES; i++) {
        rules[i] = random_rule(&a, &d, m->main, &pack, arena_printf(&a, "rule%u", i));
        numbers[i] = i;
    }
    struct rule_stage stage = {.name = "all", .nrules = RULES, .rules = numbers};
    pack.rules = rules;
    pack.stages = &stage;
    const struct rule_pack *packs[] = {&pack};
    const struct pm_auto *p = pm_compile(&a, packs, 1, &diags);
    int sum = p ? 0 : -1;
    if (!p) printf("\nseed %u: %s\n", (unsigned)seed, diags.list.at[0].text);
    const struct ir_graph *g = m->main;
    for (ir_node n = g->first; sum >= 0 && n != IR_NONE; n = ir_nod(g, n)->next) {
        int k = compare_node(&a, p, m->main, rules, n, seed);
        sum = k < 0 ? -1 : sum + k;
    }
    arena_free(&a);
    return sum;
}

static void the_compiled_matcher_agrees_with_the_plain_one(void) {
    int with_matches = 0, matches = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        int k = compare_case(seed);
        CU_ASSERT_FATAL(k >= 0);
        with_matches += k > 0;
        matches += k;
    }
    /* The cases are worth something only if most have matches. */
    CU_ASSERT(with_matches > CASES * 3 / 4);
    CU_ASSERT(matches > CASES * 4);
}

void add_matcher_oracle_suite(void);
void add_matcher_oracle_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: against the oracle", NULL, NULL);
    CU_ADD_TEST(s, the_compiled_matcher_agrees_with_the_plain_one);
}
