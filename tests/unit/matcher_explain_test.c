/* matcher_explain_test.c -- explain says "matches" exactly where the matcher does, and names
 * the tests that fail.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/explain/near.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define CASES 1500
#define RULES 4

/* --- random graphs -------------------------------------------------------------------- */
struct seen {
    const struct rule *const *rules;
    bool of[RULES];
};

static bool see(void *ctx, const struct rule *r, const struct pm_binding *slots) {
    struct seen *s = ctx;
    (void)slots;
    for (uint32_t i = 0; i < RULES; i++) s->of[i] = s->of[i] || s->rules[i] == r;
    return true;
}

static const struct pm_auto *compile(struct arena *a, const struct rule *const *rules,
                                     uint32_t n, struct diag_sink *diags) {
    uint32_t *numbers = arena_new_array(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) numbers[i] = i;
    struct rule_stage *stage = arena_new(a, struct rule_stage);
    *stage = (struct rule_stage){.name = "all", .nrules = n, .rules = numbers};
    struct rule_pack *pack = arena_new(a, struct rule_pack);
    *pack = (struct rule_pack){.name = "random", .nrules = n, .rules = rules, .nstages = 1,
                               .stages = stage};
    const struct rule_pack *packs[] = {pack};
    return pm_compile(a, packs, 1, diags);
}

struct tally {
    uint32_t matches, misses, near; /* near: all but one test hold */
};

static void count_failed(void *ctx, struct pm_walk *w, struct pm_failed f) {
    struct arena a = ARENA_EMPTY;
    struct pm_reason r = pm_tell(w, f, &a);
    *(uint32_t *)ctx += *r.text != 0;
    arena_free(&a);
}

/* One rule against what the merged program says of it at each node. */
static bool agrees(struct arena *a, const struct pm_auto *all, const struct pm_auto *one,
                   struct ir_graph *g, const struct rule *const *rules, uint32_t i,
                   struct tally *t) {
    struct pm_matcher m;
    bool ok = true;
    pm_matcher_init(&m, one, g->model, NULL, a);
    for (ir_node n = g->first; ok && n != IR_NONE; n = ir_nod(g, n)->next) {
        struct seen s = {.rules = rules};
        struct pm_walk w;
        struct pm_near near;
        uint32_t failed = 0;
        pm_matches(all, g, n, NULL, see, &s);
        if (!pm_nearest(&w, &m, &one->stages.at[0], g, n, &near)) {
            ok = !s.of[i];
            continue;
        }
        ok = (near.held == near.total) == s.of[i];
        pm_go_again(&w, &near, count_failed, &failed);
        ok = ok && (failed > 0) == !s.of[i] && failed <= near.total - near.held;
        ok = ok && w.held == near.held && w.total == near.total;
        t->matches += s.of[i];
        t->misses += !s.of[i];
        t->near += near.total - near.held == 1;
    }
    pm_matcher_free(&m);
    return ok;
}

static bool one_case(uint64_t seed, struct tally *t) {
    struct arena a = ARENA_EMPTY;
    struct dice d = {seed * 0x9e3779b97f4a7c15u + 1};
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct ir_model *m = random_model(&a, &d, 5 + roll(&d, 20));
    struct rule_pack pack = {.name = "random"};
    const struct rule *rules[RULES];
    for (uint32_t i = 0; i < RULES; i++)
        rules[i] = random_rule(&a, &d, m->main, &pack, arena_printf(&a, "rule%u", i));
    const struct pm_auto *all = compile(&a, rules, RULES, &diags);
    bool ok = all != NULL;
    for (uint32_t i = 0; ok && i < RULES; i++) {
        const struct pm_auto *one = compile(&a, &rules[i], 1, &diags);
        ok = one && agrees(&a, all, one, m->main, rules, i, t);
        if (!ok) printf("\nseed %u rule %u\n", (unsigned)seed, i);
    }
    arena_free(&a);
    return ok;
}

static void explain_agrees_with_the_matcher(void) {
    struct tally t = {0};
    for (uint64_t seed = 1; seed <= CASES; seed++) CU_ASSERT_FATAL(one_case(seed, &t));
    CU_ASSERT(t.matches > CASES);
    CU_ASSERT(t.misses > CASES);
    CU_ASSERT(t.near > CASES);
}

/* --- the reasons ---------------------------------------------------------------------- */
struct told {
    struct kit k;
    struct arena a;
    struct pm_answer answer;
};

static const struct pm_fate *explain(struct told *t, const char *rules, const char *nodes) {
    struct pm_question q = {.other_names = 2};
    struct pm_options o = {.target = TARGET_ORT, .level = CLASS_FLOAT};
    *t = (struct told){0};
    kit_open(&t->k, rules, NULL, nodes);
    if (t->k.code != RW_OK) printf("\n%s", kit_messages(&t->k));
    CU_ASSERT_EQUAL_FATAL(t->k.code, RW_OK);
    uint32_t before = t->k.model->main->live;
    CU_ASSERT_EQUAL_FATAL(
        pm_explain(t->k.rules, t->k.model, &o, &q, &t->a, &t->answer, &t->k.diags), RW_OK);
    CU_ASSERT_EQUAL(t->k.model->main->live, before);
    CU_ASSERT_FATAL(t->answer.rules.len > 0 && t->answer.rules.at[0].fates.len > 0);
    return &t->answer.rules.at[0].fates.at[0];
}

static void leave(struct told *t) {
    arena_free(&t->a);
    kit_close(&t->k);
}

#define ONE KIT_OPSET(17) "g (float[2, N] x, float[2, N] y, int64[1] i) => (float[2, N] o) {\n"

/* What stands in the rules there, and the words. */
static bool says(const struct pm_reason *r, const char *source, const char *text) {
    size_t n = r->at.end - r->at.begin;
    bool ok = strlen(source) == n && memcmp(r->at.source->text + r->at.begin, source, n) == 0 &&
              rw_streq(r->text, text);
    if (!ok)
        printf("\nat \"%.*s\": %s\n", (int)n, r->at.source->text + r->at.begin, r->text);
    return ok;
}

struct reason_case { const char *rule, *nodes, *source, *text; };
static const struct reason_case reason_cases[] = {
    {"rule r: Relu(Neg(x)) => x\n", "a = Abs(x) o = Relu(a) }", "Neg",
     "Neg is wanted, \"a\" comes from Abs \"a\""},
    {"rule r: Relu(Neg(x)) => x\n", "o = Relu(x) }", "Neg",
     "Neg is wanted, \"x\" is a graph input"},
    {"rule r: Gather <axis = 0> (x, y) => x\n", "o = Gather<axis = 1>(x, i) }", "axis = 0",
     "axis = 0 is wanted, Gather \"o\" has axis = 1"},
    {"rule r: LeakyRelu(x) => x\n", "o = LeakyRelu<alpha = 0.5>(x) }", "LeakyRelu",
     "LeakyRelu \"o\" has alpha = 0.5, which the pattern does not name and so must be the "
     "default"},
    {"rule r: Add(x, 2) => x\n", "c = Constant<value_float = 3.0>() o = Add(x, c) }", "2",
     "2 is wanted, \"c\" is 3"},
    {"rule r: Add(x, const c) => x\n", "o = Add(x, y) }", "c",
     "a constant is wanted, \"y\" is a graph input"},
    {"rule r: Mul(x, x) => x\n", "o = Mul(x, y) }", "x",
     "x is \"x\" at first, here it is \"y\""},
    {"rule r { match { o = Neg(x : float[_, 4]) } emit { o = Abs(x) } }\n",
     "o = Neg(x) }", "4", "4 is wanted, dimension 1 of \"x\" is N"},
    {"rule r { match { o = Neg(x : float16) } emit { o = Abs(x) } }\n", "o = Neg(x) }",
     "float16", "float16 is wanted, \"x\" is float[2, N]"},
    {"rule r { match { o = Neg(x) } where { dim(x, 0) == 2 && dim(x, 1) == 4 }\n"
     "  emit { o = Abs(x) } }\n", "o = Neg(x) }", "dim(x, 1) == 4",
     "it cannot be told whether this holds: dim(x, 1) is N"},
    {"rule r { match { o = Neg(x) } where { rank(x) == 3 } emit { o = Abs(x) } }\n",
     "o = Neg(x) }", "rank(x) == 3", "this does not hold: rank(x) is 2"},
};

static void the_first_failed_test_is_told(void) {
    for (size_t i = 0; i < countof(reason_cases); i++) {
        const struct reason_case *c = &reason_cases[i];
        struct told t;
        char nodes[400];
        snprintf(nodes, sizeof nodes, "%s%s", ONE, c->nodes);
        const struct pm_fate *f = explain(&t, c->rule, nodes);
        CU_ASSERT_EQUAL(f->verdict, PM_MISSES);
        CU_ASSERT_FATAL(f->reasons.len > 0);
        CU_ASSERT(says(&f->reasons.at[0], c->source, c->text));
        leave(&t);
    }
}

static void a_value_seen_outside_is_told(void) {
    struct told t;
    const struct pm_fate *f =
        explain(&t, "rule r: Relu(Neg(x)) => x\n",
                KIT_OPSET(17) "g (float[2] x) => (float[2] o, float[2] p) {\n"
                              "a = Neg(x) o = Relu(a) p = Abs(a) }");
    CU_ASSERT_EQUAL(f->held + 1, f->total);
    CU_ASSERT_STRING_EQUAL(f->reasons.at[0].text,
                           "\"a\" is inside the pattern, but has users outside: Abs \"p\"");
    CU_ASSERT_STRING_EQUAL(f->reasons.at[0].value, "a");
    leave(&t);
}

static void a_shape_that_is_not_known_is_named(void) {
    struct told t;
    const struct pm_fate *f =
        explain(&t, "rule r { match { o = Neg(x) } where { rank(x) == 2 } emit { o = x } }\n",
                KIT_OPSET(17) "g (float[] x) => (float[] o) { o = Neg(x) }");
    CU_ASSERT_STRING_EQUAL(f->reasons.at[0].text,
                           "it cannot be told whether this holds: rank(x) is not known (the "
                           "shape of \"x\" is not known)");
    leave(&t);
}

static void both_orders_are_a_matrix(void) {
    struct told t;
    const struct pm_fate *f = explain(&t, "rule r: Add(Neg(x), Relu(y)) => x\n",
                                      ONE "a = Relu(x) b = Abs(y) o = Add(a, b) }");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f->pair);
    CU_ASSERT_STRING_EQUAL(f->pair->node, "Add \"o\"");
    CU_ASSERT_STRING_EQUAL(f->pair->operand[1], "b");
    const uint32_t held[2][2] = {{0, 0}, {3, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(f->pair->held[i / 2][i % 2], held[i / 2][i % 2]);
        CU_ASSERT_EQUAL(f->pair->total[i / 2][i % 2], 3);
    }
    leave(&t);
}

static void equal_reasons_are_one(void) {
    struct told t;
    const struct pm_fate *f =
        explain(&t, "rule r: Relu(Neg(x)) => x\n",
                KIT_OPSET(17) "g (float[2] x) => (float[2] o, float[2] p) {\n"
                              "a = Abs(x) b = Abs(a) o = Relu(a) p = Relu(b) }");
    CU_ASSERT_EQUAL(t.answer.rules.at[0].fates.len, 1);
    CU_ASSERT_EQUAL(f->count, 2);
    CU_ASSERT_STRING_EQUAL(f->name, "o");
    CU_ASSERT_STRING_EQUAL(f->others.at[0], "p");
    leave(&t);
}

static void a_refusal_has_its_reason(void) {
    struct told t;
    const struct pm_fate *f =
        explain(&t, "rule r { match { o = Neg(x) } emit { o = Reshape(x, [-1]) } }\n",
                ONE "o = Neg(x) }");
    CU_ASSERT_EQUAL(f->verdict, PM_REFUSED);
    CU_ASSERT_EQUAL(f->held, f->total);
    CU_ASSERT_STRING_EQUAL(f->refused, "the shape is not proven to stay");
    leave(&t);
}

static void what_would_apply_matches(void) {
    struct told t;
    const struct pm_fate *f =
        explain(&t, "rule r: Neg(Neg(x)) => x\n", ONE "a = Neg(x) b = Neg(a) o = Relu(b) }");
    CU_ASSERT_EQUAL(f->verdict, PM_MATCHES);
    CU_ASSERT_STRING_EQUAL(f->name, "b");
    CU_ASSERT_EQUAL(t.answer.rules.at[0].nmatches, 1);
    leave(&t);
}

void add_matcher_explain_suite(void);
void add_matcher_explain_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: explain", NULL, NULL);
    CU_ADD_TEST(s, explain_agrees_with_the_matcher);
    CU_ADD_TEST(s, the_first_failed_test_is_told);
    CU_ADD_TEST(s, a_value_seen_outside_is_told);
    CU_ADD_TEST(s, a_shape_that_is_not_known_is_named);
    CU_ADD_TEST(s, both_orders_are_a_matrix);
    CU_ADD_TEST(s, equal_reasons_are_one);
    CU_ADD_TEST(s, a_refusal_has_its_reason);
    CU_ADD_TEST(s, what_would_apply_matches);
}
