/* judge_rewrites_test.c -- rewrites judged by themselves in ONNX Runtime.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

struct trial {
    struct kit k;
    struct judge_counts counts;
    const char *nodes, *messages;
};

/* false, and a line, where there is no runtime to ask. */
static bool run(struct trial *t, const char *rules, const char *model) {
    struct judge *j;
    *t = (struct trial){0};
    kit_open(&t->k, rules, NULL, model);
    CU_ASSERT_EQUAL_FATAL(t->k.code, RW_OK);
    if (judge_open(&(struct judge_options){.seconds = 20}, &t->k.diags, &j) != RW_OK) {
        printf("(skipped: no ONNX Runtime) ");
        kit_close(&t->k);
        return false;
    }
    struct judge_rewrites *r = judge_rewrites_new(j, false, &t->k.arena, &t->k.diags);
    t->k.options.judge = judge_rewrites_judge(r);
    kit_run(&t->k);
    t->counts = judge_rewrites_count(r);
    judge_rewrites_end(r, "and stays");
    t->nodes = kit_nodes(&t->k);
    t->messages = kit_messages(&t->k);
    judge_close(j);
    return true;
}

static void expect(const struct trial *t, const char *nodes, uint32_t judged, uint32_t kinds,
                   uint32_t wrong, uint32_t unknown) {
    CU_ASSERT_STRING_EQUAL(t->nodes, nodes);
    CU_ASSERT_EQUAL(t->counts.judged, judged);
    CU_ASSERT_EQUAL(t->counts.run, kinds);
    CU_ASSERT_EQUAL(t->counts.wrong, wrong);
    CU_ASSERT_EQUAL(t->counts.unknown, unknown);
    if (!rw_streq(t->nodes, nodes) || t->counts.wrong != wrong)
        printf("\n%s%s", t->nodes, t->messages);
}

static void a_right_rewrite_stays_and_its_like_is_not_run_again(void) {
    struct trial t;
    if (!run(&t, "rule r: Relu(Relu(x)) => Relu(x)\n",
             KIT_OPSET(17) "(float[N, 3] a, float[M, 3] b) => (float[N, 3] y, float[M, 3] z) {"
                           "  c = Relu(a)  y = Relu(c)  d = Relu(b)  z = Relu(d) }"))
        return;
    expect(&t, "y = Relu (a)\nz = Relu (b)\n", 2, 1, 0, 0);
    kit_close(&t.k);
}

static void a_wrong_rewrite_is_undone_and_told_of(void) {
    struct trial t;
    if (!run(&t, "rule bad: Sub(x, y) => Sub(y, x)\nrule good: Neg(Neg(x)) => x\n",
             KIT_OPSET(17) "(float[N] a, float[N] b) => (float[N] y) {"
                           "  c = Neg(a)  d = Neg(c)  e = Sub(d, b)  y = Relu(e) }"))
        return;
    expect(&t, "e = Sub (a, b)\ny = Relu (e)\n", 2, 2, 1, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(t.messages, "rule \"bad\" gives something else for \"e\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(t.messages, "relative error"));
    CU_ASSERT_PTR_NULL(strstr(t.messages, "good"));
    kit_close(&t.k);
}

/* Zero in one place and not in the other: both are looked at, however alike they are. */
static void constants_of_one_value_are_told_from_others(void) {
    struct trial t;
    if (!run(&t, "rule r: Add(x, const b) => x\n",
             KIT_OPSET(17) "(float[N, 2] a) => (float[N, 2] y, float[N, 2] z)"
                           "<float[2] none = {0, 0}, float[2] some = {1, 2}> {"
                           "  c = Add(a, none)  y = Relu(c)  d = Add(a, some)  z = Neg(d) }"))
        return;
    expect(&t, "y = Relu (a)\nd = Add (a, some)\nz = Neg (d)\n", 2, 2, 1, 0);
    kit_close(&t.k);
}

/* What the rule knows of its surroundings: b is a once more, so a - b is nothing. Made up
 * apart they would differ. */
static void a_cut_is_widened_before_a_rewrite_is_called_wrong(void) {
    struct trial t;
    if (!run(&t, "rule r: Sub(Abs(x), Relu(y)) => Sub(Abs(y), Relu(x))\n",
             KIT_OPSET(17) "(float[N] a) => (float[N] y) {"
                           "  b = Neg(a)  c = Neg(b)  d = Abs(a)  e = Relu(c)  y = Sub(d, e) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.wrong, 0);
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 1);
    kit_close(&t.k);
}

/* Small integers are all below the bound. */
static void integers_go_beyond_bounds_where_they_may(void) {
    struct trial t;
    if (!run(&t, "rule high: Min(x, const y) => x\nrule low: Max(x, const y) => x\n",
             KIT_OPSET(17) "(int64[N] a) => (int64[N] y)<int64 m = {500}, int64 n = {-20}> {"
                           "  b = Min(a, m)  c = Neg(b)  y = Max(c, n) }"))
        return;
    expect(&t, "b = Min (a, m)\nc = Neg (b)\ny = Max (c, n)\n", 2, 2, 2, 0);
    kit_close(&t.k);
}

/* A length that is never told apart from what it is when it is short. */
static void a_wider_cut_is_tried_with_long_sizes(void) {
    struct trial t;
    if (!run(&t, "rule r: Min(x, const y) => x\n",
             KIT_OPSET(17) "(float[N] a) => (int64[N] y)"
                           "<int64 m = {100}, int64 none = {0}, int64 one = {1}, int64 first = {0}> {"
                           "  s = Shape(a)  n = Gather(s, first)  b = Range(none, n, one)"
                           "  y = Min(b, m) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.wrong, 1);
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 0);
    kit_close(&t.k);
    if (!run(&t, "rule r: Max(x, const y) => x\n",
             KIT_OPSET(17) "(float[N] a) => (int64[N] y)"
                           "<int64 m = {0}, int64 none = {0}, int64 one = {1}, int64 first = {0}> {"
                           "  s = Shape(a)  n = Gather(s, first)  b = Range(none, n, one)"
                           "  y = Max(b, m) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.wrong, 0);
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 1);
    kit_close(&t.k);
}

/* Nodes above that give nothing but NaN, or the same number everywhere, acquit nobody. */
static void a_wider_cut_that_says_nothing_acquits_nobody(void) {
    struct trial t;
    if (!run(&t, "rule r: Sub(x, y) => Sub(y, x)\n",
             KIT_OPSET(17) "(float[N, 2] a, float[N, 2] u) => (float[N, 2] y) {"
                           "  b = Mul(a, a)  c = Neg(b)  d = Sqrt(c)  y = Sub(u, d) }"))
        return;
    expect(&t, "b = Mul (a, a)\nc = Neg (b)\nd = Sqrt (c)\ny = Sub (u, d)\n", 1, 1, 1, 0);
    kit_close(&t.k);
    if (!run(&t, "rule r: Sub(x, y) => Sub(y, x)\n",
             KIT_OPSET(17) "(float[N, 2] a, float[N, 2] b, float z) => (float[N, 2] y) {"
                           "  c = Clip(a, z, z)  d = Clip(b, z, z)  y = Sub(c, d) }"))
        return;
    expect(&t, "c = Clip (a, z, z)\nd = Clip (b, z, z)\ny = Sub (c, d)\n", 1, 1, 1, 0);
    kit_close(&t.k);
}

/* Shapes that inference follows are fed as they are, so that Reshape runs. */
static void shapes_are_fed_as_they_are_known(void) {
    struct trial t;
    if (!run(&t, "rule r: Relu(Reshape(x, s)) => Reshape(Relu(x), s)\n",
             KIT_OPSET(17)
             "(float[B, S, 6] a, float[B, S, 2, 3] b) => (float[B, S, 2, 3] y) {"
             "  s = Shape(b)  c = Reshape(a, s)  y = Relu(c) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.judged, 1);
    CU_ASSERT_EQUAL(t.counts.wrong + t.counts.unknown, 0);
    kit_close(&t.k);
}

static void what_cannot_be_run_stays_with_a_warning(void) {
    struct trial t;
    if (!run(&t, "rule r: Relu(Relu(x)) => Relu(x)\n",
             KIT_OPSET(17) "(float[] a) => (float[] y) { b = Relu(a)  y = Relu(b) }"))
        return;
    expect(&t, "y = Relu (a)\n", 1, 1, 0, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(t.messages, "rule \"r\" could not be checked by itself in 1 place, and stays"));
    kit_close(&t.k);
}

/* What stands in for a staged operator is gone when its rewrite is made, and the numbers of
 * its values are those of others: the shape there is the zero here. */
static void a_staged_operator_is_judged_as_its_body(void) {
    struct trial t;
    if (!run(&t, "operator _op (x) = Reshape(x, [0, -1])\n"
                 "phase a { stage }\nphase b { right, wrong }\n"
                 "rule stage: Flatten <axis = 1> (x) => _op(x)\n"
                 "rule right: Relu(_op(x)) => _op(Max(x, 0))\n"
                 "rule wrong: Neg(_op(x)) => _op(Abs(Relu(x)))\n",
             KIT_OPSET(17) "(float[N, 3, 2] a, float[N, 2, 3] d) => (float[N, 6] y, float[N, 6] z) {"
                           "  b = Flatten(a)  y = Relu(b)  c = Flatten(d)  z = Neg(c) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.judged, 4);
    CU_ASSERT_EQUAL(t.counts.wrong, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(t.messages, "rule \"wrong\" gives something else for \"z\""));
    CU_ASSERT_PTR_NULL(strstr(t.messages, "right"));
    kit_close(&t.k);
}

#define QUANTISED(nodes)                                                                   \
    KIT_OPSET(17) "(float[N, 32] a) => (uint8[N, 32] y)"                                    \
                  "<float s = {0.03}, uint8 z = {128}, float low = {-9}> {" nodes "}"

/* A step up or down is rounding, but not one of many elements. What is beyond the ends of
 * the type says nothing, so the nodes above do not acquit. */
static void a_step_of_many_elements_is_another_rounding(void) {
    static const char *const rule =
        "rule r: QuantizeLinear(x, const s, z) => QuantizeLinear(x + s * 0.4, s, z)\n";
    struct trial t;
    if (!run(&t, rule, QUANTISED("y = QuantizeLinear(a, s, z)"))) return;
    expect(&t, "y = QuantizeLinear (a, s, z)\n", 1, 1, 1, 0);
    kit_close(&t.k);
    if (!run(&t, rule, QUANTISED("b = Clip(a, low, low)  y = QuantizeLinear(b, s, z)"))) return;
    expect(&t, "b = Clip (a, low, low)\ny = QuantizeLinear (b, s, z)\n", 1, 1, 1, 0);
    kit_close(&t.k);
    if (!run(&t, "rule r: QuantizeLinear(x, const s, z) => QuantizeLinear(x + 3e-9, s, z)\n",
             QUANTISED("y = QuantizeLinear(a, s, z)")))
        return;
    CU_ASSERT_EQUAL(t.counts.wrong + t.counts.unknown, 0);
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 1);
    kit_close(&t.k);
}

/* All of them stand half way between two integers, where any rounding is noise. */
static void steps_of_what_stands_on_a_grid_acquit_nobody(void) {
    struct trial t;
    if (!run(&t, "rule r: QuantizeLinear(x, const s, z) => QuantizeLinear(x + s * 0.4, s, z)\n",
             KIT_OPSET(17) "(uint8[N, 32] a) => (uint8[N, 32] y)"
                           "<float s = {0.03125}, uint8 z = {128}, float half = {0.015625}> {"
                           "  b = DequantizeLinear(a, s, z)  c = Add(b, half)"
                           "  y = QuantizeLinear(c, s, z) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.wrong, 1);
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 0);
    kit_close(&t.k);
}

/* One in thirty is rounded otherwise: too many for sums that are added in another order. */
static void one_step_in_thirty_is_another_rounding(void) {
    struct trial t;
    if (!run(&t, "rule r: QuantizeLinear(x, const s, z) => QuantizeLinear(x + s * 0.035, s, z)\n",
             QUANTISED("y = QuantizeLinear(a, s, z)")))
        return;
    expect(&t, "y = QuantizeLinear (a, s, z)\n", 1, 1, 1, 0);
    kit_close(&t.k);
}

/* Whatever is made up is beyond the largest step here, unless it is made to fit. */
static void a_bias_is_found_where_steps_are_small(void) {
    struct trial t;
    static const char nodes[] = "b = Mul (a, a)\nc = ReduceMean <axes = [1]> (b)\n"
                                "y = QuantizeLinear (c, s, z)\n";
    if (!run(&t, "rule r: QuantizeLinear(x, const s, z) => QuantizeLinear(x + s * 0.4, s, z)\n",
             KIT_OPSET(17) "(float[N, 32] a) => (uint8[N, 1] y)"
                           "<float s = {1e-9}, uint8 z = {0}> {"
                           "  b = Mul(a, a)  c = ReduceMean <axes = [1]> (b)"
                           "  y = QuantizeLinear(c, s, z) }"))
        return;
    expect(&t, nodes, 1, 1, 1, 0);
    kit_close(&t.k);
}

/* Every other sum stands between two integers, and the original rounds it either way as its
 * last bits are, though it sees nothing but integers. */
static void steps_of_what_the_original_computes_are_noise(void) {
    struct trial t;
    if (!run(&t, "rule r: QuantizeLinear(DequantizeLinear(x, s, z) + DequantizeLinear(y, s, z), u, z)"
                 " => QuantizeLinear((Cast <to = float> (x) - 128 + (Cast <to = float> (y) - 128)) * s, u, z)"
                 " { where { dtype(s) == float } }\n",
             KIT_OPSET(17) "(uint8[N, 32] a, uint8[N, 32] b) => (uint8[N, 32] y)"
                           "<float s = {0.1}, float u = {0.2}, uint8 z = {128}> {"
                           "  c = DequantizeLinear(a, s, z)  d = DequantizeLinear(b, s, z)"
                           "  e = Add(c, d)  y = QuantizeLinear(e, u, z) }"))
        return;
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 1);
    CU_ASSERT_EQUAL(t.counts.inexact, 1);
    CU_ASSERT_EQUAL(t.counts.wrong + t.counts.unknown, 0);
    kit_close(&t.k);
}

static void one_node_may_be_matched_twice(void) {
    struct trial t;
    if (!run(&t, "rule r: Add(Relu(x), Relu(y)) => Relu(x) + Max(y, 0)\n",
             KIT_OPSET(17) "(float[N] a) => (float[N] y) { b = Relu(a)  y = Add(b, b) }"))
        return;
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 1);
    CU_ASSERT_EQUAL(t.counts.wrong + t.counts.unknown, 0);
    kit_close(&t.k);
}

/* Else every input that is fed would be one for which it is right. */
static void what_a_rule_promises_of_shapes_is_not_believed_meanwhile(void) {
    struct trial t;
    if (!run(&t, "rule r: Flatten <axis = _> (x) => x { where { rank(x) == 2 } shapes by rule }\n",
             KIT_OPSET(17) "(float[B, S] x) => (float[C, D] y) {"
                           "  a = Flatten <axis = 2> (x)  y = Relu(a) }"))
        return;
    CU_ASSERT_EQUAL(t.counts.wrong, 1);
    CU_ASSERT_EQUAL(kit_count(&t.k, "r"), 0);
    kit_close(&t.k);
}

void add_judge_rewrites_suite(void);
void add_judge_rewrites_suite(void) {
    CU_pSuite s = CU_add_suite("judge: rewrites", NULL, NULL);
    CU_ADD_TEST(s, a_right_rewrite_stays_and_its_like_is_not_run_again);
    CU_ADD_TEST(s, a_wrong_rewrite_is_undone_and_told_of);
    CU_ADD_TEST(s, constants_of_one_value_are_told_from_others);
    CU_ADD_TEST(s, a_cut_is_widened_before_a_rewrite_is_called_wrong);
    CU_ADD_TEST(s, integers_go_beyond_bounds_where_they_may);
    CU_ADD_TEST(s, a_wider_cut_is_tried_with_long_sizes);
    CU_ADD_TEST(s, a_wider_cut_that_says_nothing_acquits_nobody);
    CU_ADD_TEST(s, shapes_are_fed_as_they_are_known);
    CU_ADD_TEST(s, what_cannot_be_run_stays_with_a_warning);
    CU_ADD_TEST(s, a_staged_operator_is_judged_as_its_body);
    CU_ADD_TEST(s, a_step_of_many_elements_is_another_rounding);
    CU_ADD_TEST(s, steps_of_what_stands_on_a_grid_acquit_nobody);
    CU_ADD_TEST(s, one_step_in_thirty_is_another_rounding);
    CU_ADD_TEST(s, a_bias_is_found_where_steps_are_small);
    CU_ADD_TEST(s, steps_of_what_the_original_computes_are_noise);
    CU_ADD_TEST(s, one_node_may_be_matched_twice);
    CU_ADD_TEST(s, what_a_rule_promises_of_shapes_is_not_believed_meanwhile);
}
