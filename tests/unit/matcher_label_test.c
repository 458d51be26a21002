/* matcher_label_test.c -- labels rule out nodes, and never a match.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/match.h"
#include "matcher/label/label.h"
#include "tests/oracle/levels.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define CASES 3000
#define RULES 6

/* --- random rules over random graphs ------------------------------------------------- */
static const struct pm_auto *random_rules(struct arena *a, struct dice *d,
                                          struct ir_model *m) {
    struct diag_sink diags;
    diag_init(&diags, a);
    struct rule_pack *pack = arena_new(a, struct rule_pack);
    const struct rule **rules = arena_array(a, RULES, sizeof *rules);
    uint32_t *numbers = arena_new_array(a, uint32_t, RULES);
    for (uint32_t i = 0; i < RULES; i++) {
        rules[i] = random_rule(a, d, m->main, pack, arena_printf(a, "rule%u", i));
        numbers[i] = i;
    }
    struct rule_stage *stage = arena_new(a, struct rule_stage);
    *stage = (struct rule_stage){.name = "all", .nrules = RULES, .rules = numbers};
    *pack = (struct rule_pack){.name = "random", .nrules = RULES, .nstages = 1,
                               .rules = rules, .stages = stage};
    const struct rule_pack *packs[] = {pack};
    return pm_compile(a, packs, 1, &diags);
}

static bool compare_case(uint64_t seed, struct levels *sum) {
    struct arena a = ARENA_EMPTY;
    struct dice d = {seed * 0x9e3779b97f4a7c15u + 1};
    struct buf why = {0};
    struct ir_model *m = random_model(&a, &d, 5 + roll(&d, 30));
    bool ok = levels_agree(random_rules(&a, &d, m), m, sum, &why);
    if (!ok) printf("\nseed %u: %s\n", (unsigned)seed, buf_text(&why));
    buf_free(&why);
    arena_free(&a);
    return ok;
}

static void labels_find_the_same_matches(void) {
    struct levels sum = {0};
    for (uint64_t seed = 1; seed <= CASES; seed++)
        CU_ASSERT_FATAL(compare_case(seed, &sum));
    CU_ASSERT(sum.matches > 3 * CASES);
    /* Most rules were cut from the graph, so that labels cannot rule out much. */
    CU_ASSERT(sum.labelled < sum.bare * 9 / 10);
}

/* --- what labels tell ------------------------------------------------------------------ */
static const char *const model =
    KIT_OPSET(17)
    "g (float[2, 3] x, float[3, 3] w) => (float[3, 2] y) <float a = {2}, float b = {5}> {\n"
    "  p = Mul (x, a)\n"
    "  q = Mul (b, p)\n"
    "  r = Transpose <perm = [1, 0]> (q)\n"
    "  y = Relu (r)\n"
    "}\n";

/* Nodes at which a program is run, with labels. */
static uint32_t candidates(const char *rules) {
    struct kit k;
    kit_open(&k, rules, NULL, model);
    k.options.labels = PM_LABELS_CHECKED;
    kit_run(&k);
    uint32_t n = k.code == RW_OK ? (uint32_t)k.report.candidates : UINT32_MAX;
    kit_close(&k);
    return n;
}

static void labels_see_constants_attributes_and_operands(void) {
    CU_ASSERT_EQUAL(candidates("rule r: Mul(x, 7) => x\n"), 0);
    CU_ASSERT_EQUAL(candidates("rule r: Mul(x, 5.0) => Neg(x)\n"), 1);
    CU_ASSERT_EQUAL(candidates("rule r: Transpose <perm = [0, 1]> (x) => x\n"), 0);
    CU_ASSERT_EQUAL(candidates("rule r: Relu(Transpose <perm = [0, 1]> (x)) => x\n"), 0);
    CU_ASSERT_EQUAL(candidates("rule r: Relu(Mul(x, y)) => Neg(x)\n"), 0);
    CU_ASSERT_EQUAL(candidates("rule r: Mul(Mul(x, 2), 6) => Neg(x)\n"), 0);
}

/* --- what states are made of ------------------------------------------------------------ */
/* Sub-patterns that are told apart in the model above. */
static uint32_t live(const char *rules) {
    struct kit k;
    struct pm_matcher t;
    struct pm_labels labels;
    kit_open(&k, rules, NULL, model);
    pm_matcher_init(&t, k.rules, k.model, &k.options, &k.arena);
    pm_labels_init(&labels, k.rules, &k.arena);
    const struct pm_site site = pm_matcher_site(&t, k.model->main);
    pm_labels_begin(&labels, &site);
    uint32_t n = labels.states.live.n;
    pm_matcher_free(&t);
    kit_close(&k);
    return n;
}

static void parts_of_what_fits_nowhere_are_not_told_apart(void) {
    CU_ASSERT(live("rule r: Relu(Transpose <..a> (x)) => x\n") > 0);
    CU_ASSERT_EQUAL(live("rule r: Exp(Relu(x)) => x\n"), 0);
    CU_ASSERT_EQUAL(live("rule r: Relu(Exp(x) | Sqrt(x)) => x\n"), 0);
    CU_ASSERT(live("rule r: Relu(Exp(x) | Transpose <..a> (x)) => x\n") > 0);
    CU_ASSERT_EQUAL(live("rule r: Relu(Mul(x, 7)) => x\n"), 0);
    CU_ASSERT_EQUAL(live("rule r: Relu(Mul(x, 7 | 8)) => x\n"), 0);
    CU_ASSERT(live("rule r: Relu(Mul(x, 7 | 5)) => x\n") > 0);
    CU_ASSERT(live("rule r: Relu(Mul(2, x)) => x\n") > 0);
    CU_ASSERT_EQUAL(live("rule r: Relu(Max(x, 2)) => x\n"), 0);
}

static void assert_rewritten(const char *rules, const char *op) {
    struct kit k;
    kit_open(&k, rules, NULL, model);
    k.options.labels = PM_LABELS_CHECKED;
    kit_run(&k);
    CU_ASSERT_EQUAL(k.code, RW_OK);
    if (!strstr(kit_nodes(&k), op)) {
        printf("\n%s%s", rules, kit_nodes(&k));
        CU_FAIL("a rule was not applied");
    }
    kit_close(&k);
}

static void a_rare_number_says_enough(void) {
    /* x, Transpose, Mul; of the second none but the number and Mul. */
    CU_ASSERT_EQUAL(live("rule r: Mul(Transpose <..a> (x), y) => x\n"), 3);
    CU_ASSERT_EQUAL(live("rule r: Mul(Transpose <..a> (x), 2) => x\n"), 2);
    /* Binding looks at the rest. */
    CU_ASSERT_EQUAL(candidates("rule r: Mul(Transpose <..a> (x), 2) => x\n"), 1);
    assert_rewritten("rule r: Mul(Mul(x, 2.0), 5.0) => Max(x, 10.0)\n", "Max");
}

static void what_comes_up_later_is_matched(void) {
    /* An operator that a rule makes ... */
    assert_rewritten("rule a: Relu(x) => Exp(x)\n"
                     "rule b: Exp(x) => Sqrt(x)\n",
                     "Sqrt");
    /* ... a number that it makes, and one that it leaves to another operator. */
    assert_rewritten("rule a: Relu(x) => Max(x, 3.0)\n"
                     "rule b: Max(x, 3.0) => Sqrt(x)\n",
                     "Sqrt");
    assert_rewritten("rule a: Mul(Mul(x, y), z) => Max(Mul(x, y), z)\n"
                     "rule b: Max(x, 5.0) => Sqrt(x)\n",
                     "Sqrt");
}

void add_matcher_label_suite(void);
void add_matcher_label_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: labels", NULL, NULL);
    CU_ADD_TEST(s, labels_find_the_same_matches);
    CU_ADD_TEST(s, labels_see_constants_attributes_and_operands);
    CU_ADD_TEST(s, parts_of_what_fits_nowhere_are_not_told_apart);
    CU_ADD_TEST(s, a_rare_number_says_enough);
    CU_ADD_TEST(s, what_comes_up_later_is_matched);
}
