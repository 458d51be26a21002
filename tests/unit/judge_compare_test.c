/* Comparing results: bounds by class and type, NaN, infinities, the worst element.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"

#include <CUnit/Basic.h>
#include <math.h>

static struct arena a;

static struct ir_tensor *floats(int64_t n, const float *x) {
    return ir_tensor_new(&a, IR_FLOAT, 1, &n, x);
}
static struct judge_bounds bounds(enum rule_class c) {
    return judge_bounds_of(c, IR_FLOAT, false);
}
/* Of two lists of n floats, by a class. */
static struct judge_verdict compare(int64_t n, const float *x, const float *y,
                                    enum rule_class c) {
    return judge_compare(floats(n, x), floats(n, y), bounds(c));
}

static void bounds_are_those_of_the_language(void) {
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_FLOAT, IR_DOUBLE, false).relative, 1e-5);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_FLOAT, IR_FLOAT16, false).relative, 1.0 / 256);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_FLOAT, IR_BFLOAT16, false).relative, 1.0 / 32);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_FLOAT, IR_INT8, true).absolute, 1);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_FLOAT, IR_INT8, false).absolute, 0);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_EXACT, IR_INT8, true).absolute, 0);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_EXACT, IR_FLOAT, false).relative, 0);
    CU_ASSERT_EQUAL(judge_bounds_of(CLASS_FLOAT, IR_INT64, false).relative, 0);
}

static void rounding_is_relative_to_values_beyond_one(void) {
    const float x[] = {0, 1000}, near[] = {9e-6f, 1000.009f}, far[] = {2e-5f, 1000.5f};
    struct judge_verdict v = compare(2, x, near, CLASS_FLOAT);
    CU_ASSERT_TRUE(v.same);
    CU_ASSERT_EQUAL(v.count, 2);
    v = compare(2, x, near, CLASS_EXACT);
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_EQUAL(v.beyond, 2);
    v = compare(2, x, far, CLASS_FLOAT);
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_STRING_EQUAL(v.what, "values");
    CU_ASSERT_EQUAL(v.beyond, 2);
    CU_ASSERT_EQUAL(v.at, 1);
    CU_ASSERT_EQUAL(v.absolute, 0.5);
    CU_ASSERT_DOUBLE_EQUAL(v.relative, 5e-4, 1e-9);
    CU_ASSERT_EQUAL(v.a, 1000);
    CU_ASSERT_EQUAL(v.b, 1000.5);
    arena_free(&a);
}

static void nan_equals_nan_and_infinity_itself(void) {
    const float x[] = {NAN, INFINITY, -INFINITY}, other_nan[] = {-NAN, INFINITY, -INFINITY};
    const float number[] = {0, INFINITY, -INFINITY}, sign[] = {NAN, -INFINITY, -INFINITY};
    CU_ASSERT_TRUE(compare(3, x, other_nan, CLASS_EXACT).same);
    struct judge_verdict v = compare(3, x, number, CLASS_APPROX);
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_TRUE(isinf(v.absolute));
    CU_ASSERT_EQUAL(v.at, 0);
    v = compare(3, x, sign, CLASS_APPROX);
    CU_ASSERT_EQUAL(v.at, 1);
    CU_ASSERT_EQUAL(v.beyond, 1);
    arena_free(&a);
}

static void signs_of_zero_count_only_for_exact(void) {
    const float plus[] = {0}, minus[] = {-0.0f};
    CU_ASSERT_FALSE(compare(1, plus, minus, CLASS_EXACT).same);
    CU_ASSERT_TRUE(compare(1, plus, minus, CLASS_FLOAT).same);
    arena_free(&a);
}

static void one_step_is_allowed_where_quantised(void) {
    int64_t n = 4;
    struct judge_bounds step = judge_bounds_of(CLASS_FLOAT, IR_INT8, true);
    struct ir_tensor *x = ir_tensor_new(&a, IR_INT8, 1, &n, "\x01\x80\x7f\x00"),
                     *near = ir_tensor_new(&a, IR_INT8, 1, &n, "\x02\x81\x7e\xff"),
                     *far = ir_tensor_new(&a, IR_INT8, 1, &n, "\x01\x7f\x7f\x00");
    CU_ASSERT_TRUE(judge_compare(x, near, step).same);
    struct judge_verdict v = judge_compare(x, far, step);
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_EQUAL(v.absolute, 255);
    arena_free(&a);
}

static void large_integers_differ_by_one(void) {
    int64_t n = 1, x = INT64_MAX, y = INT64_MAX - 1;
    struct judge_verdict v =
        judge_compare(ir_tensor_new(&a, IR_INT64, 1, &n, &x),
                      ir_tensor_new(&a, IR_INT64, 1, &n, &y),
                      judge_bounds_of(CLASS_FLOAT, IR_INT64, false));
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_EQUAL(v.beyond, 1);
    arena_free(&a);
}

static void halves_are_read_as_numbers(void) {
    int64_t n = 2;
    uint16_t x[] = {ir_float_to_half(1), ir_float_to_half(2)};
    uint16_t y[] = {ir_float_to_half(1), ir_float_to_half(2.015625f)};
    struct judge_verdict v =
        judge_compare(ir_tensor_new(&a, IR_FLOAT16, 1, &n, x),
                      ir_tensor_new(&a, IR_FLOAT16, 1, &n, y),
                      judge_bounds_of(CLASS_FLOAT, IR_FLOAT16, false));
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_EQUAL(v.absolute, 0.015625);
    arena_free(&a);
}

static void types_shapes_and_strings_differ(void) {
    const float x[] = {1, 2};
    int64_t n = 2, row[] = {1, 2};
    static const struct ir_string s[] = {{"a", 1}, {"b", 1}}, t[] = {{"a", 1}, {"bc", 2}};
    struct judge_bounds b = bounds(CLASS_FLOAT);
    struct ir_tensor *f = floats(2, x);
    CU_ASSERT_STRING_EQUAL(
        judge_compare(f, ir_tensor_new(&a, IR_INT32, 1, &n, x), b).what, "types");
    CU_ASSERT_STRING_EQUAL(
        judge_compare(f, ir_tensor_new(&a, IR_FLOAT, 2, row, x), b).what, "shapes");
    CU_ASSERT_STRING_EQUAL(judge_compare(f, NULL, b).what, "kinds");
    CU_ASSERT_TRUE(judge_compare(NULL, NULL, b).same);
    struct judge_verdict v = judge_compare(ir_tensor_strings(&a, 1, &n, s),
                                           ir_tensor_strings(&a, 1, &n, t), b);
    CU_ASSERT_FALSE(v.same);
    CU_ASSERT_EQUAL(v.at, 1);
    arena_free(&a);
}

void add_judge_compare_suite(void);
void add_judge_compare_suite(void) {
    CU_pSuite s = CU_add_suite("judge_compare", NULL, NULL);
    CU_ADD_TEST(s, bounds_are_those_of_the_language);
    CU_ADD_TEST(s, rounding_is_relative_to_values_beyond_one);
    CU_ADD_TEST(s, nan_equals_nan_and_infinity_itself);
    CU_ADD_TEST(s, signs_of_zero_count_only_for_exact);
    CU_ADD_TEST(s, one_step_is_allowed_where_quantised);
    CU_ADD_TEST(s, large_integers_differ_by_one);
    CU_ADD_TEST(s, halves_are_read_as_numbers);
    CU_ADD_TEST(s, types_shapes_and_strings_differ);
}
