/* matcher_rewrite_test.c -- what language.md's table of matching says, row by row: which
 * nodes are there after a rule was run over a graph.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define BECOMES(rules, model, nodes)                                                   \
    do {                                                                               \
        const char *found_ = kit_rewrite(rules, model);                                \
        if (strcmp(found_, nodes) != 0) printf("\nfound:\n%swanted:\n%s", found_, nodes); \
        CU_ASSERT_STRING_EQUAL(found_, nodes);                                         \
    } while (0)

/* For operators that meant something else before. */
#define SINCE(opset) "pack test \"\" { version 1.0  opset ai.onnx >= " #opset " }\n"

static void the_same_name_twice_is_the_same_value(void) {
    BECOMES("rule r: Add(Neg(x), x) => Relu(x)\n",
            "(float[2] a, float[2] b) => (float[2] y, float[2] z) {"
            "  m = Neg(a)  y = Add(m, a)  n = Neg(b)  z = Add(n, a) }",
            "y = Relu (a)\n"
            "n = Neg (b)\n"
            "z = Add (n, a)\n");
}

static void commutative_operands_come_in_either_order(void) {
    BECOMES("rule r: Add(Neg(x), y) => Sub(y, x)\n",
            "(float[2] a, float[2] b) => (float[2] y, float[2] z) {"
            "  m = Neg(a)  y = Add(b, m)  n = Neg(b)  z = Add(n, a) }",
            "y = Sub (b, a)\n"
            "z = Sub (a, b)\n");
    BECOMES("rule r: Add!(Neg(x), y) => Sub(y, x)\n",
            "(float[2] a, float[2] b) => (float[2] y) { m = Neg(a)  y = Add(b, m) }",
            "m = Neg (a)\n"
            "y = Add (b, m)\n");
}

static void sums_are_matched_in_any_association(void) {
    const char *rule = "rule r: sum{Neg(a), Relu(b), c} => Max(a, b, c)\n";
    BECOMES(rule,
            "(float[2] a, float[2] b, float[2] c) => (float[2] y) {"
            "  n = Neg(a)  r = Relu(b)  s = Add(c, n)  y = Add(r, s) }",
            "y = Max (a, b, c)\n");
    BECOMES(rule,
            "(float[2] a, float[2] b, float[2] c) => (float[2] y) {"
            "  n = Neg(a)  r = Relu(b)  s = Add(n, r)  y = Add(s, c) }",
            "y = Max (a, b, c)\n");
    /* An inner sum that is used elsewhere is not taken apart. */
    BECOMES(rule,
            "(float[2] a, float[2] b, float[2] c) => (float[2] y, float[2] z) {"
            "  n = Neg(a)  r = Relu(b)  s = Add(n, r)  y = Add(s, c)  z = Abs(s) }",
            "n = Neg (a)\n"
            "r = Relu (b)\n"
            "s = Add (n, r)\n"
            "y = Add (s, c)\n"
            "z = Abs (s)\n");
}

static void alternatives_are_tried_with_full_backtracking(void) {
    const char *rule = "rule r { match { s = Neg(a) | Neg(b)  y = Sub(s | Relu(s), b) }\n"
                       "  emit { y = Add(b, b) } }\n";
    BECOMES(rule, "(float[2] a, float[2] b) => (float[2] y) { n = Neg(b) r = Relu(n) y "
                  "= Sub(r, b) }",
            "y = Add (b, b)\n");
    /* The first alternative fits the operand, only the second one the whole. */
    BECOMES("rule r: Sub(Neg(x) | Neg(Relu(x)), x) => Abs(x)\n",
            "(float[2] a) => (float[2] y) { r = Relu(a)  n = Neg(r)  y = Sub(n, a) }",
            "y = Abs (a)\n");
}

static void names_of_one_alternative_are_absent_in_the_other(void) {
    const char *rule = "rule r { match { y = Relu(Neg(x) | Mul(x, k)) }\n"
                       "  emit when k absent { y = Abs(x) } otherwise { y = Sub(x, k) } "
                       "}\n";
    BECOMES(rule, "(float[2] a) => (float[2] y) { n = Neg(a)  y = Relu(n) }", "y = Abs "
                                                                              "(a)\n");
    BECOMES(rule,
            "(float[2] a, float[2] b) => (float[2] y) { n = Mul(a, b)  y = Relu(n) }",
            "y = Sub (a, b)\n");
}

static void a_node_may_be_missing(void) {
    const char *rule = "rule r: Relu(Cast?(Neg(x))) => Relu(x)\n";
    BECOMES(rule, "(float[2] a) => (float[2] y) { n = Neg(a)  y = Relu(n) }", "y = Relu "
                                                                              "(a)\n");
    /* A cast that loses values is not meant, and one that is has another type here. */
    BECOMES(rule,
            "(float[2] a) => (float16[2] y) { n = Neg(a)  c = Cast<to = 10>(n)  y = "
            "Relu(c) }",
            "n = Neg (a)\n"
            "c = Cast <to = 10> (n)\n"
            "y = Relu (c)\n");
    BECOMES("rule r: Relu(Cast?(Neg(x))) => Cast <to = (dtype(x))> (Relu(x))\n",
            "(float16[2] a) => (float[2] y) { n = Neg(a)  c = Cast<to = 1>(n)  y = "
            "Relu(c) }",
            "n = Neg (a)\n"
            "c = Cast <to = 1> (n)\n"
            "y = Relu (c)\n");
}

static void an_added_operand_may_be_missing(void) {
    const char *rule = "rule r: Relu(Neg(x) + b?) => Abs(x) + b?\n";
    BECOMES(rule, "(float[2] a) => (float[2] y) { n = Neg(a)  y = Relu(n) }", "y = Abs "
                                                                              "(a)\n");
    BECOMES(rule,
            "(float[2] a, float[2] b) => (float[2] y) { n = Neg(a)  s = Add(b, n) y = "
            "Relu(s) }",
            "y_1 = Abs (a)\n"
            "y = Add (y_1, b)\n");
}

static void an_operand_may_be_absent(void) {
    const char *rule = SINCE(11) "rule r: Clip(Neg(x), lo?, hi?) => Clip(x, lo, hi)\n";
    BECOMES(rule, "(float[2] a) => (float[2] y) { n = Neg(a)  y = Clip(n) }", "y = Clip "
                                                                              "(a)\n");
    BECOMES(rule,
            "(float[2] a, float h) => (float[2] y) { n = Neg(a)  y = Clip(n, , h) }",
            "y = Clip (a, \"\", h)\n");
    BECOMES(SINCE(11) "rule r: Clip(x, none, hi) => Min(x, hi)\n",
            "(float[2] a, float h, float l) => (float[2] y, float[2] z) {"
            "  y = Clip(a, , h)  z = Clip(a, l, h) }",
            "y = Min (a, h)\n"
            "z = Clip (a, l, h)\n");
}

static void values_are_seen_through_what_does_not_change_them(void) {
    BECOMES("rule r: Add(~x, Neg(~x)) => Relu(x)\n",
            "(float[2] a) => (float[2] y, float[2] z) {"
            "  i = Identity(a)  j = Identity(i)  k = Dropout(j)  n = Neg(j)  y = Add(n, k)"
            "  z = Abs(j) }",
            "i = Identity (a)\n"
            "j = Identity (i)\n"
            "k = Dropout (j)\n"
            "y = Relu (a)\n"
            "z = Abs (j)\n");
    /* Through a pair of casts there and back, not one way. */
    BECOMES("rule r: Neg(~x) => Relu(x)\n",
            "(float16[2] a) => (float16[2] y) {"
            "  f = Cast<to = 1>(a)  h = Cast<to = 10>(f)  y = Neg(h) }",
            "f = Cast <to = 1> (a)\n"
            "h = Cast <to = 10> (f)\n"
            "y = Relu (a)\n");
}

static void a_kept_value_may_be_seen_elsewhere(void) {
    const char *model = "(float[2] a) => (float[2] y, float[2] z) {"
                        "  n = Neg(a)  y = Relu(n)  z = Abs(n) }";
    BECOMES("rule r: Relu(Neg(x)) => Abs(x)\n", model,
            "n = Neg (a)\n"
            "y = Relu (n)\n"
            "z = Abs (n)\n");
    BECOMES("rule r: Relu(keep Neg(x)) => Abs(x)\n", model,
            "n = Neg (a)\n"
            "y = Abs (a)\n"
            "z = Abs (n)\n");
    /* Emitted again, it is the new one that is seen. */
    BECOMES("rule r { match { keep n = Neg(x)  y = Relu(n) }\n"
            "  emit { n = Sub(x, x)  y = Abs(n) } }\n",
            model,
            "n = Sub (a, a)\n"
            "y = Abs (n)\n"
            "z = Abs (n)\n");
}

static void a_class_of_operators_is_one_pattern(void) {
    BECOMES("rule r: {Relu, Tanh} as act (Neg(x)) => act(x)\n",
            "(float[2] a) => (float[2] y, float[2] z, float[2] w) {"
            "  n = Neg(a)  y = Tanh(n)  m = Neg(y)  z = Relu(m)  k = Neg(z)  w = Exp(k) }",
            "y = Tanh (a)\n"
            "z = Relu (y)\n"
            "k = Neg (z)\n"
            "w = Exp (k)\n");
}

static void a_tail_of_operands_is_a_list(void) {
    BECOMES("rule r { match { y = Concat <axis = 0> (Neg(x), ..rest) } where { "
            "len(rest) == 2 }\n"
            "  emit { y = Concat <axis = 0> (..rest, x) } }\n",
            "(float[2] a, float[2] b, float[2] c) => (float[6] y, float[4] z) {"
            "  n = Neg(a)  y = Concat<axis = 0>(n, b, c)  m = Neg(b)"
            "  z = Concat<axis = 0>(m, c) }",
            "y = Concat <axis = 0> (b, c, a)\n"
            "m = Neg (b)\n"
            "z = Concat <axis = 0> (m, c)\n");
}

static void several_outputs_have_names(void) {
    BECOMES("rule r { match { p, q = Split <axis = 0> (x)  y = Add(p, q) } emit { y = "
            "ReduceSum"
            " <axes = [0], keepdims = 1> (x) } shapes by rule }\n",
            KIT_OPSET(13) "g (float[2] a, int64[2] s) => (float[1] y) {"
                          "  u, v = Split<axis = 0>(a)  y = Add(u, v) }",
            "y = ReduceSum <keepdims = 1> (a, y_1)\n");
    /* An output without a name must not be used. */
    const char *rule = "rule r { match { p = Split <axis = 0> (x)  y = Neg(p) }"
                       " emit { y = Abs(x) } shapes by rule }\n";
    BECOMES(rule, KIT_OPSET(13) "g (float[2] a) => (float[1] y, float[1] z) {"
                                " u, v = Split<axis = 0>(a)  y = Neg(u) z = Relu(v) }",
            "u, v = Split <axis = 0> (a)\n"
            "y = Neg (u)\n"
            "z = Relu (v)\n");
}

static void integers_are_meant_exactly(void) {
    const char *rule = "rule r: Pow(x, 2) => Mul(x, x)\n";
    BECOMES(rule, "(float[3] a) => (float[3] y) <float e = {2.0}> { y = Pow(a, e) }",
            "y = Mul (a, a)\n");
    BECOMES(rule, "(float[3] a) => (float[3] y) <int64[1] e = {2}> { y = Pow(a, e) }",
            "y = Mul (a, a)\n");
    BECOMES(rule, "(float[3] a) => (float[3] y) <float e = {2.0000002}> { y = Pow(a, e) }",
            "y = Pow (a, e)\n");
    BECOMES("rule r: Reshape(x, [0, G, -1]) => Reshape(x, [0, -1, G])  { shapes by rule "
            "}\n",
            "(float[2, 12] a) => (float[2, 4, 3] y, float[6, 4] z) <int64[3] s = {0, 4, "
            "-1},"
            " int64[2] t = {6, 4}> { y = Reshape(a, s)  z = Reshape(a, t) }",
            "y = Reshape (a, s)\n"
            "z = Reshape (a, t)\n");
    BECOMES("rule r: Mul(x, splat 1) => x\n",
            "(float[2, 2] a) => (float[2, 2] y, float[2, 2] z) <float[2] o = {1, 1},"
            " float[2] p = {1, 2}> { b = Mul(a, o)  y = Relu(b)  c = Mul(a, p)  z = "
            "Relu(c) }",
            "y = Relu (a)\n"
            "c = Mul (a, p)\n"
            "z = Relu (c)\n");
}

static void reals_are_meant_within_the_rounding_of_the_type(void) {
    const char *rule = "rule r: Div(x, 1.41421356237) => Relu(x)\n";
    BECOMES(rule, "(float[3] a) => (float[3] y) <float e = {1.4142135}> { y = Div(a, e) }",
            "y = Relu (a)\n");
    BECOMES(rule, "(float[3] a) => (float[3] y) <float e = {1.41422}> { y = Div(a, e) }",
            "y = Div (a, e)\n");
    BECOMES(rule, "(float16[3] a) => (float16[3] y) <float16 e = {1.414}> { y = Div(a, "
                  "e) }",
            "y = Relu (a)\n");
    BECOMES("rule r { match { y = Mul(x, c ~= 1.7 ± 0.05) } emit { y = Relu(x) } }\n",
            "(float[3] a) => (float[3] y, float[3] z) <float e = {1.72}, float f = "
            "{1.76}> {"
            " y = Mul(a, e) z = Mul(a, f) }",
            "y = Relu (a)\n"
            "z = Mul (a, f)\n");
}

static void constants_are_known_now(void) {
    BECOMES("rule r { match { y = Add(x, const c) } emit { y = Sub(x, Neg(c)) } }\n",
            "(float[2] a, float[2] b) => (float[2] y, float[2] z) <float[2] c = {1, 2}> {"
            "  y = Add(c, a)  z = Add(a, b) }",
            "y = Sub (a, y_1)\n"
            "z = Add (a, b)\n");
    BECOMES("rule r { match { y = Add(x, e) } where { const scalar e } emit { y = "
            "Relu(x) } }\n",
            "(float[2] a) => (float[2] y, float[2] z) <float[2] c = {1, 2}, float[1] d "
            "= {1}> {"
            "  y = Add(a, c)  z = Add(a, d) }",
            "y = Add (a, c)\n"
            "z = Relu (a)\n");
    /* An initializer that a caller may override is none. */
    BECOMES("rule r { match { y = Add(x, const c) } emit { y = Relu(x) } }\n",
            "(float[2] a, float[2] c = {1, 2}) => (float[2] y) { y = Add(a, c) }",
            "y = Add (a, c)\n");
}

static void a_parameter_is_one_whatever_its_form(void) {
    const char *rule = "rule r: ReduceMean <axes = [-1], keepdims = 1> (x) => ReduceMax "
                       "<axes = [-1],"
                       " keepdims = 1> (x)\n";
    BECOMES(rule,
            KIT_OPSET(13) "g (float[2, 3] a) => (float[2, 1] y) {"
                          " y = ReduceMean<axes = [1], keepdims = 1>(a) }",
            "y = ReduceMax <axes = [-1], keepdims = 1> (a)\n");
    BECOMES(rule,
            KIT_OPSET(18) "g (float[2, 3] a) => (float[2, 1] y) <int64[1] x = {-1}> {"
                          " y = ReduceMean(a, x) }",
            "y = ReduceMax <keepdims = 1> (a, y_1)\n");
    BECOMES(rule,
            KIT_OPSET(13) "g (float[2, 3] a) => (float[3] y, float[2] z) {"
                          " y = ReduceMean<axes = [0], keepdims = 0>(a)"
                          " z = ReduceMean<axes = [1], keepdims = 0>(a) }",
            "y = ReduceMean <axes = [0], keepdims = 0> (a)\n"
            "z = ReduceMean <axes = [1], keepdims = 0> (a)\n");
}

static void parameters_that_are_not_named_have_their_default(void) {
    BECOMES("rule r: LeakyRelu(x) => Relu(x)\n",
            "(float[2] a) => (float[2] y, float[2] z, float[2] w) {"
            "  y = LeakyRelu<alpha = 0.01>(a)  z = LeakyRelu<alpha = 0.02>(a) w = "
            "LeakyRelu(z) }",
            "y = Relu (a)\n"
            "z = LeakyRelu <alpha = 0.02> (a)\n"
            "w = Relu (z)\n");
    BECOMES("rule r: LeakyRelu <..attrs> (Neg(x)) => LeakyRelu <..attrs> (x)\n",
            "(float[2] a) => (float[2] y) { n = Neg(a)  y = LeakyRelu<alpha = 0.3>(n) }",
            "y = LeakyRelu <alpha = 0.3> (a)\n");
    BECOMES("rule r: LeakyRelu <alpha = k> (LeakyRelu <alpha = k> (x)) => Relu(x)\n",
            "(float[2] a) => (float[2] y, float[2] z) {"
            "  n = LeakyRelu<alpha = 0.5>(a)  y = LeakyRelu<alpha = 0.5>(n)"
            "  m = LeakyRelu<alpha = 0.5>(y)  z = LeakyRelu<alpha = 0.25>(m) }",
            "y = Relu (a)\n"
            "m = LeakyRelu <alpha = 0.5> (y)\n"
            "z = LeakyRelu <alpha = 0.25> (m)\n");
}

static void a_parameter_may_be_an_expression(void) {
    BECOMES(SINCE(13) "rule r { match { y = Softmax <axis = (rank(x) - 1)> (x) } emit { "
                      "y = Relu(x) } }\n",
            KIT_OPSET(13) "g (float[2, 3] a) => (float[2, 3] y, float[2, 3] z) {"
                          "  y = Softmax<axis = -1>(a)  z = Softmax<axis = 0>(a) }",
            "y = Relu (a)\n"
            "z = Softmax <axis = 0> (a)\n");
}

static void types_and_shapes_stand_beside_values(void) {
    const char *rule = "rule r { match { y = Add(p : float[B, _, 4], q : float[B, "
                       "..rest]) }\n"
                       "  where { len(rest) == 2 } emit { y = Sub(p, q) } }\n";
    BECOMES(rule,
            "(float[N, 3, 4] a, float[N, 3, 4] b, float[M, 3, 4] c) =>"
            " (float[N, 3, 4] y, float[P, 3, 4] z) { y = Add(a, b)  z = Add(a, c) }",
            "y = Sub (a, b)\n"
            "z = Add (a, c)\n");
    BECOMES("rule r { match { y = Add(p : float16, q) } emit { y = Sub(p, q) } }\n",
            "(float[3] a, float16[3] b) => (float[3] y, float16[3] z) {"
            " y = Add(a, a)  z = Add(b, b) }",
            "y = Add (a, a)\n"
            "z = Sub (b, b)\n");
}

static void operators_of_other_domains_are_named_with_them(void) {
    BECOMES("rule r { match { y = com.microsoft.Gelu(x) } emit { y = Relu(x) } }\n",
            "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1, \"own\" : "
            "1]>\n"
            "g (float[3] a) => (float[3] y, float[3] z) {"
            "  y = com.microsoft.Gelu(a)  z = own.Gelu(a) }",
            "y = Relu (a)\n"
            "z = own.Gelu (a)\n");
}

static void sub_patterns_are_used_like_operators(void) {
    BECOMES("pattern mean <axis> (v) = ReduceMean <axes = [axis], keepdims = 1> (v)\n"
            "rule r { match { d = Sub(x, mean <axis> (x))  y = Mul(d, d) }\n"
            "  where { axis == -1 } emit { y = Relu(x) } }\n",
            KIT_OPSET(13) "g (float[2, 3] a) => (float[2, 3] y, float[2, 3] z) {"
                          "  m = ReduceMean<axes = [1]>(a)  d = Sub(a, m)  y = Mul(d, d)"
                          "  n = ReduceMean<axes = [0]>(a)  e = Sub(a, n)  z = Mul(e, e) }",
            "y = Relu (a)\n"
            "n = ReduceMean <axes = [0]> (a)\n"
            "e = Sub (a, n)\n"
            "z = Mul (e, e)\n");
}

static void an_output_that_must_be_there_gets_a_name(void) {
    BECOMES(SINCE(13) "rule r { match { _, b = Split <axis = 0> (Neg(x)) }\n"
                      "  emit { _, b = Split <axis = 0> (x) } }\n",
            "(float[4] a) => (float[2] y) { n = Neg(a)  u, y = Split <axis = 0> (n) }",
            "y_1, y = Split <axis = 0> (a)\n");
}

void add_matcher_rewrite_suite(void);
void add_matcher_rewrite_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: what patterns match", NULL, NULL);
    CU_ADD_TEST(s, the_same_name_twice_is_the_same_value);
    CU_ADD_TEST(s, commutative_operands_come_in_either_order);
    CU_ADD_TEST(s, sums_are_matched_in_any_association);
    CU_ADD_TEST(s, alternatives_are_tried_with_full_backtracking);
    CU_ADD_TEST(s, names_of_one_alternative_are_absent_in_the_other);
    CU_ADD_TEST(s, a_node_may_be_missing);
    CU_ADD_TEST(s, an_added_operand_may_be_missing);
    CU_ADD_TEST(s, an_operand_may_be_absent);
    CU_ADD_TEST(s, values_are_seen_through_what_does_not_change_them);
    CU_ADD_TEST(s, a_kept_value_may_be_seen_elsewhere);
    CU_ADD_TEST(s, a_class_of_operators_is_one_pattern);
    CU_ADD_TEST(s, a_tail_of_operands_is_a_list);
    CU_ADD_TEST(s, several_outputs_have_names);
    CU_ADD_TEST(s, integers_are_meant_exactly);
    CU_ADD_TEST(s, reals_are_meant_within_the_rounding_of_the_type);
    CU_ADD_TEST(s, constants_are_known_now);
    CU_ADD_TEST(s, a_parameter_is_one_whatever_its_form);
    CU_ADD_TEST(s, parameters_that_are_not_named_have_their_default);
    CU_ADD_TEST(s, a_parameter_may_be_an_expression);
    CU_ADD_TEST(s, types_and_shapes_stand_beside_values);
    CU_ADD_TEST(s, operators_of_other_domains_are_named_with_them);
    CU_ADD_TEST(s, sub_patterns_are_used_like_operators);
    CU_ADD_TEST(s, an_output_that_must_be_there_gets_a_name);
}
