/* matcher_expr_test.c -- conditions: what is true, false, and not known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

enum { NO, YES, MAYBE };

/* x and z are float[N, 4], u is of a shape that is not known, c [1.5], k [2, 3, 4]. */
static bool fires(const char *condition) {
    struct kit k;
    char rule[1000];
    snprintf(rule, sizeof rule,
             "pack p \"\" { version 1.0 opset ai.onnx >= 13  param heads : int = auto  "
             "param n : int = 3 }\n"
             "rule r { match { y = Where(b, Add(Mul(x, const c), z), ReduceMax "
             "<keepdims = 0> ("
             "LeakyRelu <alpha = e> (Gather <axis = a> (Reshape(u, k), i)))) } where { "
             "%s }\n"
             "  emit { y = Where(b, x, x) } shapes by rule }\n",
             condition);
    kit_open(&k, rule, NULL,
             KIT_OPSET(13) "g (float[N, 4] x, float[N, 4] z, float[M, 12] v, bool[N, 4] b,"
             " int64[K] s, int64 i) => (float[P, Q] y) <float[1] c = {1.5}, int64[3] k "
             "= {2, 3, 4}> {"
             "  m = Mul(x, c)  p = Add(m, z)  u = Reshape(v, s)  w = Reshape(u, k)"
             "  g = Gather<axis = -1>(w, i)  h = LeakyRelu<alpha = 0.3>(g)"
             "  t = ReduceMax<keepdims = 0>(h)  y = Where(b, p, t) }");
    if (k.code != RW_OK) printf("\n%s", kit_messages(&k));
    CU_ASSERT_EQUAL_FATAL(k.code, RW_OK);
    /* What is counted is whether the conditions hold, not whether the types do. */
    kit_run(&k);
    bool yes = kit_count(&k, "r") + kit_refused(&k, "r") > 0;
    kit_close(&k);
    return yes;
}

static void check(const char *condition, int want) {
    char not_so[1000];
    snprintf(not_so, sizeof not_so, "!(%s)", condition);
    bool yes = fires(condition), no = fires(not_so);
    if (yes != (want == YES) || no != (want == NO)) printf("\n%s", condition);
    CU_ASSERT_EQUAL(yes, want == YES);
    CU_ASSERT_EQUAL(no, want == NO);
}

/* Infinity is near to itself alone: a bound there is none at 0. */
static void nothing_is_near_infinity(void) {
    struct kit k;
    kit_open(&k,
             "rule zero { match { y = Max(x, const lo) } where { value(lo) == 0 } emit { y = Relu(x) } }\n"
             "rule one { match { y = Min(x, const hi) } where { value(hi) == 1 } emit { y = Neg(x) } }\n"
             "rule both { match { y = Sub(Sub(x, const lo), const also) } where { value(lo) == value(also) }"
             " emit { y = Abs(x) } }\n",
             NULL,
             KIT_OPSET(13) "g (float[N] x) => (float[N] y) <float low = {-inf}, float high = {inf}> {"
             "  a = Max(x, low)  b = Min(a, high)  c = Sub(b, low)  y = Sub(c, low) }");
    CU_ASSERT_EQUAL_FATAL(k.code, RW_OK);
    kit_run(&k);
    CU_ASSERT_EQUAL(kit_count(&k, "zero"), 0);
    CU_ASSERT_EQUAL(kit_count(&k, "one"), 0);
    CU_ASSERT_EQUAL(kit_count(&k, "both"), 1);
    kit_close(&k);
}

static void shapes_and_types_are_asked(void) {
    check("rank(x) == 2", YES);
    check("rank(u) == 2", MAYBE);
    check("shape(x) == shape(z)", YES);
    check("shape(x) == [dim(z, 0), 4]", YES);
    check("shape(x) == [4, 4]", MAYBE);
    check("shape(x) == [dim(x, 0), 5]", NO);
    check("shape(u) == shape(u)", YES);
    check("shape(u) == shape(x)", MAYBE);
    check("dim(x, -1) == 4", YES);
    check("dim(x, 0) == 4", MAYBE);
    check("dim(x, 0) * 4 == prod(shape(z))", YES);
    check("dim(x, 0) >= 0", YES);
    check("dtype(x) in {float, float16}", YES);
    check("dtype(x) == double", NO);
    check("lossless(float16, dtype(x))", YES);
    check("broadcasts(c, x)", YES);
    check("broadcasts(x, c)", NO);
    check("is_input(x) && !is_output(x)", YES);
    check("uses(c) == 1", YES);
    check("is_const(c) && !is_const(x)", YES);
    check("same(x, z)", NO);
    check("made_by(x) == \"\"", YES);
    check("made_by(c) != \"Relu\"", YES);
}

static void numbers_are_computed(void) {
    check("c == 1.5", YES);
    check("c * 2 == 3", YES);
    check("c > 1.4 && c < 1.6", YES);
    check("e == 0.3", YES); /* as float has it */
    check("e == 0.3001", NO);
    check("value(k) == [2, 3, 4]", YES);
    check("sum(value(k)) == 9 && prod(value(k)) == 24", YES);
    check("max(value(k)) == 4 && min(2, 3) == 2", YES);
    check("7 / 2 == 3 && 7 % 2 == 1 && -7 / 2 == -4", YES);
    check("1 / 0 == 1", MAYBE);
    check("sqrt(2.25) == 1.5 && abs(-3) == 3 && floor(2.5) == 2", YES);
    check("9223372036854775807 + 1 == 0", MAYBE);
    check("value(x) == 1", MAYBE);
}

static void lists_are_made_and_asked(void) {
    check("len(value(k)) == 3 && value(k)[-1] == 4", YES);
    check("value(k)[3] == 4", MAYBE);
    check("3 in value(k)", YES);
    check("5 in value(k)", NO);
    check("all(d > 1 for d in value(k))", YES);
    check("any(d > 3 for d in value(k))", YES);
    check("all(d == 4 for d in shape(x))", MAYBE);
    check("any(d == 4 for d in shape(x))", YES);
    check("[d * d for d in value(k) if d != 3] == [4, 16]", YES);
    check("value(k) ++ [1] == [..k, 1]", YES);
    check("iota(3) == [0, 1, 2] && iota(1, 3) == [1, 2]", YES);
    check("compose([1, 2, 0], [2, 0, 1]) == [0, 1, 2]", YES);
    check("inverse([1, 2, 0]) == [2, 0, 1]", YES);
    check("compose([1, 0], [1, 1]) == [0, 1]", MAYBE);
    check("iota(100000) == [0]", MAYBE);
    check("items(k) == [2, 3, 4] && items(c) == [1.5]", YES);
    check("items(x) == [2]", MAYBE);
    check("largest(c) == 1.5", YES);
    check("in_function(c)", NO);
    check("largest(k) == 4", MAYBE);
    check("surely(rank(u) == 2)", NO);
    check("surely(dim(x, 0) == 4) || surely(dim(x, 1) == 4)", YES);
    check("terms(\"bhqd, bhkd->bhqk\") == [[0, 1, 2, 3], [0, 1, 4, 3], [0, 1, 2, 4]]", YES);
    check("terms(\"ba,ac\") == [[0, 1], [1, 2], [0, 2]]", YES); /* b before c */
    check("terms(\"ji\") == [[0, 1], [1, 0]]", YES);
    check("terms(\"ii\") == [[0, 0], []]", YES);
    check("terms(\"iA,Aj->ij\") == [[0, 1], [1, 2], [0, 2]]", YES);
    check("terms(\"iA\") == [[0, 1], [0, 1]]", MAYBE);
    check("terms(\"...i->i\") == [[0], [0]]", MAYBE);
    check("terms(\"i->i->i\") == [[0], [0], [0]]", MAYBE);
}

static void absent_and_unknown_are_two_things(void) {
    check("heads absent", YES);
    check("heads ?? 4 == 4", YES);
    check("heads == 4", NO);
    check("n == 3", YES);
    check("(rank(u) if heads absent else 1) == 1", MAYBE);
    check("rank(u) == 1 && false", NO);
    check("rank(u) == 1 || true", YES);
    check("opset == 13", YES);
    check("target == \"ort\"", YES);
}

static void axes_are_compared_from_the_front(void) {
    check("a == -1", YES);
    check("a == 2", YES);
    check("a == 1", NO);
    check("a in [0, 2]", YES);
}

/* The items of a shape that is computed are dimensions of the model. */
static void computed_shapes_are_known(void) {
    static const char model[] = KIT_OPSET(13)
        "g (float[B, S, 768] x) => (float[P, Q, R, T] y) <int64[1] i0 = {0}, int64[1] i1 = "
        "{1}, int64[1] h = {12}, int64[1] d = {64}> {"
        "  s = Shape(x)  b = Gather(s, i0)  l = Gather(s, i1)"
        "  to = Concat<axis = 0>(b, l, h, d)  y = Reshape(x, to) }";
    static const struct { const char *condition; bool holds; } cases[] = {
        {"value(to) == [dim(x, 0), dim(x, 1), 12, 64]", true},
        {"value(to)[2] * value(to)[3] == dim(x, 2)", true},
        {"prod(value(to)) == prod(shape(x))", true},
        {"value(to) == [dim(x, 1), dim(x, 0), 12, 64]", false},
        {"value(to) == [dim(x, 0), dim(x, 1), 64, 12]", false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct kit k;
        char rule[400];
        snprintf(rule, sizeof rule,
                 "pack p \"\" { version 1.0 opset ai.onnx >= 13 }\n"
                 "rule r { match { y = Reshape(x, to) } where { %s }\n"
                 "  emit { y = Expand(x, to) } shapes by rule }\n",
                 cases[i].condition);
        kit_open(&k, rule, NULL, model);
        if (k.code != RW_OK) printf("\n%s", kit_messages(&k));
        CU_ASSERT_EQUAL_FATAL(k.code, RW_OK);
        kit_run(&k);
        bool holds = kit_count(&k, "r") + kit_refused(&k, "r") > 0;
        if (holds != cases[i].holds) printf("\n%s", cases[i].condition);
        CU_ASSERT_EQUAL(holds, cases[i].holds);
        kit_close(&k);
    }
}

void add_matcher_expr_suite(void);
void add_matcher_expr_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: conditions", NULL, NULL);
    CU_ADD_TEST(s, nothing_is_near_infinity);
    CU_ADD_TEST(s, shapes_and_types_are_asked);
    CU_ADD_TEST(s, numbers_are_computed);
    CU_ADD_TEST(s, computed_shapes_are_known);
    CU_ADD_TEST(s, lists_are_made_and_asked);
    CU_ADD_TEST(s, absent_and_unknown_are_two_things);
    CU_ADD_TEST(s, axes_are_compared_from_the_front);
}
