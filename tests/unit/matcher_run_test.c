/* matcher_run_test.c -- safety, phases, fuel, opsets, what is folded, and what it costs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <time.h>

#define BECOMES(rules, model, nodes)                                                   \
    do {                                                                               \
        const char *found_ = kit_rewrite(rules, model);                                \
        if (strcmp(found_, nodes) != 0) printf("\nfound:\n%swanted:\n%s", found_, nodes); \
        CU_ASSERT_STRING_EQUAL(found_, nodes);                                         \
    } while (0)

/* --- the safety net --------------------------------------------------------------- */
static void what_widens_is_refused(void) {
    const char *rule = "rule r: Add(x, splat 0) => x\n";
    BECOMES(rule,
            "(float[2] a) => (float[1, 2] y, float[2] z) <float[1, 2] o = {0, 0}, float "
            "p = {0}> {"
            "  b = Add(a, o)  y = Relu(b)  c = Add(a, p)  z = Neg(c) }",
            "b = Add (a, o)\n"
            "y = Relu (b)\n"
            "z = Neg (a)\n");
}

static void a_shape_that_is_not_known_is_not_proven(void) {
    const char *rule = "rule r: Add(x, splat 0) => x\n";
    struct kit k;
    kit_open(&k, rule, NULL,
             "(float[N] a, float[N] b) => (y) <float[1] o = {0}> {"
             "  c = Where(b, a, a)  d = Add(a, o)  y = Relu(d) }");
    kit_close(&k);
    kit_open(&k, rule, NULL,
             "(float[N] a, int64[K] s) => (y) <float[1] o = {0}> {"
             "  d = Reshape(a, s)  e = Add(d, o)  y = Relu(e) }");
    kit_run(&k);
    CU_ASSERT_EQUAL(kit_count(&k, "r"), 0);
    CU_ASSERT_EQUAL(kit_refused(&k, "r"), 1);
    kit_close(&k);
    /* Relu hands the unknown shape on, so this one is proven. */
    kit_open(&k, "rule r: Relu(Relu(x)) => Relu(x)\n", NULL,
             "(float[N] a, int64[K] s) => (y) { d = Reshape(a, s)  e = Relu(d)  y = "
             "Relu(e) }");
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "d = Reshape (a, s)\ny = Relu (d)\n");
    kit_close(&k);
}

static void the_interface_stays(void) {
    const char *rule = "rule r: Identity(x) => x\n";
    BECOMES(rule, "(float[2] a) => (float[2] y) { y = Identity(a) }", "y = Identity (a)\n");
    BECOMES(rule,
            "(float[2] a) => (float[2] y, float[2] z) { y = Relu(a)  z = Identity(y) }",
            "y = Relu (a)\nz = Identity (y)\n");
    BECOMES(rule, "(float[2] a) => (float[2] y) { r = Relu(a)  y = Identity(r) }",
            "y = Relu (a)\n");
}

static void interior_values_are_not_seen_from_outside(void) {
    const char *rule = "rule r: Relu(Neg(x)) => Abs(x)\n";
    BECOMES(rule, "(float[2] a) => (float[2] y, float[2] n) { n = Neg(a)  y = Relu(n) }",
            "n = Neg (a)\ny = Relu (n)\n");
    /* Seen from a body. */
    BECOMES(rule,
            "(float[2] a, bool c) => (float[2] y, float[2] z) { n = Neg(a)  y = Relu(n)"
            "  z = If (c) <then_branch = t () => (p) { p = Abs(n) },"
            "  else_branch = e () => (q) { q = Identity(a) }> }",
            "n = Neg (a)\ny = Relu (n)\n"
            "z = If (c) <then_branch = t () => (float[2] p) {\n      p = Abs (n)\n   },"
            " else_branch = e () => (float[2] q) {\n      q = Identity (a)\n   }>\n");
    /* A variable may be what the match has inside. */
    BECOMES("rule r: Add(Neg(x), z) => Sub(z, x)\n",
            "(float[2] a) => (float[2] y) { n = Neg(a)  y = Add(n, n) }",
            "n = Neg (a)\ny = Sub (n, a)\n");
}

static void a_match_must_be_convex(void) {
    const char *rule = "rule r { match { keep n = Neg(x)  y = Add(n, z) }\n"
                       "  emit { n = Sub(x, z)  y = Abs(n) } }\n";
    /* z depends on n: n cannot be made from it. */
    BECOMES(rule,
            "(float[2] a) => (float[2] y) { n = Neg(a)  z = Relu(n)  y = Add(n, z) }",
            "n = Neg (a)\nz = Relu (n)\ny = Add (n, z)\n");
    BECOMES(rule,
            "(float[2] a, float[2] b) => (float[2] y, float[2] w) {"
            "  n = Neg(a)  w = Exp(n)  z = Relu(b)  y = Add(n, z) }",
            "z = Relu (b)\nn = Sub (a, z)\nw = Exp (n)\ny = Abs (n)\n");
}

static void what_is_kept_may_stand_behind_the_root(void) {
    const char *rule = "rule r { match { y = Relu(x)  keep z = Mul(x, w) }\n"
                       "  emit { y = Sub(z, w) } }\n";
    BECOMES(rule,
            "(float[2] a, float[2] b) => (float[2] y, float[2] z) {"
            "  p = Relu(a)  u = Neg(p)  w = Exp(b)  z = Mul(a, w)  y = Abs(u) }",
            "w = Exp (b)\nz = Mul (a, w)\np = Sub (z, w)\nu = Neg (p)\ny = Abs (u)\n");
    /* z depends on what would be made from it. */
    BECOMES(rule,
            "(float[2] a) => (float[2] y, float[2] z) {"
            "  y = Relu(a)  w = Exp(y)  z = Mul(a, w) }",
            "y = Relu (a)\nw = Exp (y)\nz = Mul (a, w)\n");
}

static void bodies_are_rewritten_and_outer_values_only_bound(void) {
    BECOMES("rule r: Relu(Neg(x)) => Abs(x)\n",
            "(float[2] a, bool c) => (float[2] z) { n = Neg(a)"
            "  z = If (c) <then_branch = t () => (p) { m = Neg(n)  p = Relu(m) },"
            "  else_branch = e () => (q) { q = Relu(n) }> }",
            "n = Neg (a)\n"
            "z = If (c) <then_branch = t () => (float[2] p) {\n      p = Abs (n)\n   },"
            " else_branch = e () => (float[2] q) {\n      q = Relu (n)\n   }>\n");
}

/* --- emitting --------------------------------------------------------------------- */
static void what_depends_on_constants_alone_is_folded(void) {
    struct kit k;
    kit_open(&k,
             "rule r { match { y = Mul(Mul(x, const a), const b) } emit { y = Mul(x, a "
             "* b) } }\n",
             NULL,
             "(float[2] v) => (float[2] y) <float[2] p = {1, 2}, float[2] q = {3, 4}> {"
             "  m = Mul(v, p)  y = Mul(q, m) }");
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "y = Mul (v, y_1)\n");
    const struct ir_graph *g = k.model->main;
    const struct ir_tensor *t = ir_const(g, ir_input(g, g->first, 1));
    double x[2] = {0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    for (uint32_t i = 0; i < 2; i++) ir_tensor_double_at(k.model, t, i, &x[i]);
    CU_ASSERT_EQUAL(x[0], 3);
    CU_ASSERT_EQUAL(x[1], 8);
    CU_ASSERT_EQUAL(ir_find_value(g, "p"), IR_NONE); /* nobody needs it any more */
    kit_close(&k);
}

static void numbers_have_the_type_of_the_operand_beside(void) {
    struct kit k;
    kit_open(&k, "rule r: Neg(x) => Mul(x, -1)\n", NULL,
             "(float16[2] v) => (float16[2] y) { y = Neg(v) }");
    kit_run(&k);
    const struct ir_graph *g = k.model->main;
    const struct ir_tensor *t = ir_const(g, ir_input(g, g->first, 1));
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(t->dtype, IR_FLOAT16);
    CU_ASSERT_EQUAL(t->rank, 0);
    kit_close(&k);
}

static void shapes_with_unknown_dimensions_are_emitted(void) {
    /* One unknown dimension is -1, two are taken from shapes. */
    BECOMES("rule r { match { y = Flatten <axis = 1> (x) } where { rank(x) == 2 }\n"
            "  emit { y = Reshape(x, [dim(x, 0), dim(x, 1)]) } }\n",
            "(float[N, 3] a) => (float[N, 3] y) { y = Flatten(a) }",
            "y = Reshape (a, y_1)\n");
    BECOMES("rule r { match { y = Flatten <axis = 1> (x) } where { rank(x) == 2 }\n"
            "  emit { y = Reshape(x, [dim(x, 0), dim(x, 1)]) } }\n",
            "(float[N, M] a) => (float[N, M] y) { y = Flatten(a) }",
            "y_1 = Shape (a)\n"
            "y_3 = Gather (y_1, y_2)\n"
            "y_4 = Shape (a)\n"
            "y_6 = Gather (y_4, y_5)\n"
            "y_7 = Concat <axis = 0> (y_3, y_6)\n"
            "y = Reshape (a, y_7)\n");
}

static void the_root_keeps_its_name_and_new_nodes_their_origin(void) {
    struct kit k;
    kit_open(&k, "rule two_steps { match { y = Neg(x) } emit { t = Abs(x)  y = Relu(t) }"
                 "  shapes by rule }\n",
             NULL, "(float[2] v) => (float[2] w) { r = Neg(v)  w = Exp(r) }");
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "r_1 = Abs (v)\nr = Relu (r_1)\nw = Exp (r)\n");
    const struct ir_graph *g = k.model->main;
    CU_ASSERT_STRING_EQUAL(intern_text(&k.model->names, ir_nod(g, g->first)->rule),
                           "two_steps");
    CU_ASSERT_EQUAL(k.report.rules.at[0].nodes, 1);
    CU_ASSERT_EQUAL(k.report.nodes_before, 2);
    CU_ASSERT_EQUAL(k.report.nodes_after, 3);
    kit_close(&k);
}

/* --- order, fuel ------------------------------------------------------------------ */
static void bigger_patterns_win_and_priority_decides(void) {
    const char *model = "(float[2] a) => (float[2] y) { n = Neg(a)  y = Relu(n) }";
    BECOMES("rule small: Relu(x) => Exp(x)\nrule big: Relu(Neg(x)) => Abs(x)\n", model,
            "y = Abs (a)\n");
    BECOMES("rule small { match { y = Relu(x) } emit { y = Exp(x) } priority 1 }\n"
            "rule big: Relu(Neg(x)) => Abs(x)\n",
            model, "n = Neg (a)\ny = Exp (n)\n");
}

static void a_rule_is_not_applied_to_what_it_made_unless_it_says_so(void) {
    struct kit k;
    kit_open(&k, "rule r: Relu(x) => Relu(Neg(x))\n", NULL,
             "(float[2] a) => (float[2] y) { y = Relu(a) }");
    kit_run(&k);
    CU_ASSERT_EQUAL(kit_count(&k, "r"), 1);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "y_1 = Neg (a)\ny = Relu (y_1)\n");
    kit_close(&k);
}

static void a_phase_that_does_not_end_names_the_circle(void) {
    struct kit k;
    kit_open(&k, "rule to: Relu(x) => Abs(x)\nrule fro: Abs(x) => Relu(x)\n"
                 "rule other: Neg(Neg(x)) => x\n",
             NULL, "(float[2] a) => (float[2] y) { y = Relu(a) }");
    kit_run(&k);
    CU_ASSERT_EQUAL(k.code, RW_WRONG);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_messages(&k), "\"to\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_messages(&k), "\"fro\""));
    CU_ASSERT_PTR_NULL(strstr(kit_messages(&k), "\"other\""));
    kit_close(&k);
}

static void phases_run_in_order_each_to_its_end(void) {
    BECOMES("pack p \"\" { version 1.0 opset ai.onnx >= 13 }\n"
            "phase first { a }  phase second { b }\n"
            "rule b: Relu(x) => Exp(x)\nrule a: Relu(Neg(x)) => Abs(x)\n",
            "(float[2] v) => (float[2] y, float[2] z) {"
            "  n = Neg(v)  y = Relu(n)  z = Relu(y) }",
            "y = Abs (v)\nz = Exp (y)\n");
}

/* --- opsets, targets, parameters -------------------------------------------------- */
#define OPSET_PACK                                                                     \
    "pack opset \"\" { version 1.0  opset ai.onnx >= 7  raises opset }\n"             \
    "rule softmax_13 { match { y = Softmax <axis = a> (x) } where { opset < 13 }\n"    \
    "  emit when a == -1 || a == rank(x) - 1 { y = Softmax <axis = -1> (x) }\n"        \
    "  otherwise { y = Reshape(Softmax <axis = -1> (Flatten <axis = a> (x)), Shape(x))"  \
    " }\n" \
    "  requires opset 13 }\n"

static void a_model_is_raised_when_a_match_needs_it(void) {
    const char *rule = "rule r { match { y = Relu(Neg(x)) } emit { y = Gelu(x) }"
                       " requires opset 20 }\n";
    const char *model = KIT_OPSET(11) "g (float[2, 3, 4] a) => (float[2, 3, 4] y) {"
                                      "  s = Softmax<axis = 2>(a)  t = Softmax(s)"
                                      "  n = Neg(t)  y = Relu(n) }";
    struct kit k;
    kit_open(&k, rule, OPSET_PACK, model);
    kit_run(&k);
    CU_ASSERT_EQUAL(k.report.opset_after, 20);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "s = Softmax <axis = -1> (a)\n"
                                          "t_1 = Flatten <axis = 1> (s)\n"
                                          "t_2 = Softmax <axis = -1> (t_1)\n"
                                          "t_3 = Shape (s)\n"
                                          "t = Reshape (t_2, t_3)\n"
                                          "y = Gelu (t)\n");
    kit_close(&k);
    /* Not when it is forbidden, nor when a node cannot go along; then all is as before. */
    for (int i = 0; i < 2; i++) {
        kit_open(&k, rule, i ? OPSET_PACK : NULL, model);
        k.options.keep_opset = i != 0;
        kit_run(&k);
        CU_ASSERT_EQUAL(k.report.opset_after, 11);
        CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "s = Softmax <axis = 2> (a)\n"
                                              "t = Softmax (s)\n"
                                              "n = Neg (t)\n"
                                              "y = Relu (n)\n");
        kit_close(&k);
    }
}

static void a_wished_opset_is_raised_to_first(void) {
    struct kit k;
    kit_open(&k, "rule r: Neg(Neg(x)) => x\n", NULL,
             KIT_OPSET(12) "g (float[2, 3] a) => (float[2, 1] y) {"
                           " y = ReduceSum<axes = [1]>(a) }");
    k.options.opset = 18;
    kit_run(&k);
    CU_ASSERT_EQUAL(k.report.opset_after, 18);
    CU_ASSERT_EQUAL(ir_nod(k.model->main, k.model->main->first)->nin, 2);
    kit_close(&k);
    kit_open(&k, "rule r: Neg(Neg(x)) => x\n", NULL,
             KIT_OPSET(11) "g (float[2, 3] a) => (float[2, 3] y) { y = Softmax(a) }");
    k.options.opset = 18;
    kit_run(&k);
    CU_ASSERT_EQUAL(k.code, RW_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_messages(&k), "Softmax"));
    kit_close(&k);
}

static void rules_for_another_target_or_level_are_off(void) {
    const char *rules = "rule for_ort { match { y = Relu(Neg(x)) } emit { y = "
                        "com.microsoft.Gelu(x) }"
                        " target ort }\n"
                        "rule rough { match { y = Relu(x) } emit { y = Tanh(x) } class "
                        "approx }\n";
    const char *model = "(float[2] a) => (float[2] y) { n = Neg(a)  y = Relu(n) }";
    struct kit k;
    kit_open(&k, rules, NULL, model);
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "y = com.microsoft.Gelu (a)\n");
    CU_ASSERT_EQUAL(ir_opset(k.model->main, "com.microsoft"), 1);
    kit_close(&k);
    kit_open(&k, rules, NULL, model);
    k.options.target = TARGET_ONNX;
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "n = Neg (a)\ny = Relu (n)\n");
    kit_close(&k);
}

static void parameters_of_a_pack_are_given_or_absent(void) {
    const char *rules = "pack p \"\" { version 1.0  opset ai.onnx >= 13  param k : int "
                        "= auto }\n"
                        "rule r { match { y = LeakyRelu <alpha = _> (x) } where { k == "
                        "3 }\n"
                        "  emit { y = Relu(x) } }\n";
    const char *model = "(float[2] a) => (float[2] y) { y = LeakyRelu(a) }";
    static const struct pm_define three = {"k", "3"}, word = {"k", "x"}, other = {"j", "3"};
    const struct pm_define *defines[] = {NULL, &three, &word, &other};
    const enum rw_code codes[] = {RW_OK, RW_OK, RW_USAGE, RW_USAGE};
    for (int i = 0; i < 4; i++) {
        struct kit k;
        kit_open(&k, rules, NULL, model);
        k.options.ndefines = defines[i] != NULL;
        k.options.defines = defines[i];
        kit_run(&k);
        CU_ASSERT_EQUAL(k.code, codes[i]);
        CU_ASSERT_EQUAL(kit_count(&k, "r"), i == 1);
        kit_close(&k);
    }
}

/* --- cost ------------------------------------------------------------------------- */
/* n times Neg(Neg(x)) in a chain, or side by side on one input; seconds. */
static double time_pairs(uint32_t n, bool chain) {
    struct buf text = {0};
    buf_puts(&text, "(float[2] v) => (float[2] y) {\n");
    for (uint32_t i = 0; i < n; i++) {
        if (chain && i > 0) buf_printf(&text, "a%u = Exp(r%u)\n", i, i - 1);
        else buf_printf(&text, "a%u = LeakyRelu<alpha = %u.5>(v)\n", i, i);
        buf_printf(&text, "b%u = Neg(a%u)\nc%u = Neg(b%u)\nr%u = "
                          "Relu(c%u)\n", i, i, i, i, i,
                   i);
    }
    if (chain) buf_printf(&text, "y = Abs(r%u)\n}", n - 1);
    for (uint32_t i = 0; !chain && i < n; i++)
        buf_printf(&text, "%sr%u", i ? ", " : "y = Sum(", i);
    if (!chain) buf_puts(&text, ")\n}");
    struct kit k;
    kit_open(&k, "rule pair: Neg(Neg(x)) => x\n", NULL, buf_text(&text));
    clock_t start = clock();
    kit_run(&k);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CU_ASSERT_EQUAL(k.code, RW_OK);
    CU_ASSERT_EQUAL(kit_count(&k, "pair"), n);
    kit_close(&k);
    buf_free(&text);
    return seconds;
}

static void many_matches_cost_linear_time(void) {
    for (int chain = 0; chain < 2; chain++) {
        double small = time_pairs(2500, chain), big = time_pairs(25000, chain);
        printf("[%s of 10000 nodes %.2f s, of 100000 %.2f s] "
               "", chain ? "chain" : "row", small, big);
        CU_ASSERT(big < 30 * small + 0.5);
    }
}

void add_matcher_run_suite(void);
void add_matcher_run_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: rewriting", NULL, NULL);
    CU_ADD_TEST(s, what_widens_is_refused);
    CU_ADD_TEST(s, a_shape_that_is_not_known_is_not_proven);
    CU_ADD_TEST(s, the_interface_stays);
    CU_ADD_TEST(s, interior_values_are_not_seen_from_outside);
    CU_ADD_TEST(s, a_match_must_be_convex);
    CU_ADD_TEST(s, what_is_kept_may_stand_behind_the_root);
    CU_ADD_TEST(s, bodies_are_rewritten_and_outer_values_only_bound);
    CU_ADD_TEST(s, what_depends_on_constants_alone_is_folded);
    CU_ADD_TEST(s, numbers_have_the_type_of_the_operand_beside);
    CU_ADD_TEST(s, shapes_with_unknown_dimensions_are_emitted);
    CU_ADD_TEST(s, the_root_keeps_its_name_and_new_nodes_their_origin);
    CU_ADD_TEST(s, bigger_patterns_win_and_priority_decides);
    CU_ADD_TEST(s, a_rule_is_not_applied_to_what_it_made_unless_it_says_so);
    CU_ADD_TEST(s, a_phase_that_does_not_end_names_the_circle);
    CU_ADD_TEST(s, phases_run_in_order_each_to_its_end);
    CU_ADD_TEST(s, a_model_is_raised_when_a_match_needs_it);
    CU_ADD_TEST(s, a_wished_opset_is_raised_to_first);
    CU_ADD_TEST(s, rules_for_another_target_or_level_are_off);
    CU_ADD_TEST(s, parameters_of_a_pack_are_given_or_absent);
    CU_ADD_TEST(s, many_matches_cost_linear_time);
}
