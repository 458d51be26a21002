/* judge_noise_test.c -- what rounding explains, element by element.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>

static struct ir_tensor *floats(struct arena *a, int64_t n, const float *x) {
    return ir_tensor_new(a, IR_FLOAT, 1, &n, x);
}

static double at(const struct ir_tensor *t, uint64_t i) {
    double x = NAN;
    CU_ASSERT_TRUE(ir_tensor_double_at(NULL, t, i, &x));
    return x;
}

static void noise_is_some_roundings_of_each_element(void) {
    struct arena a = ARENA_EMPTY;
    const float x[] = {1, -3, 0, 3.4028234663852886e38f, INFINITY, 1e-3f};
    uint64_t seed = 1, changed = 0;
    const struct ir_tensor *t = floats(&a, countof(x), x);
    for (uint32_t times = 0; times < 100; times++) {
        const struct ir_tensor *is = judge_noisy(&a, t, JUDGE_MANY_ROUNDINGS, &seed);
        for (uint32_t i = 0; i < countof(x); i++) {
            if (isinf(x[i])) CU_ASSERT_EQUAL(at(is, i), x[i]);
            if (isinf(x[i])) continue;
            CU_ASSERT_TRUE(isfinite(at(is, i)));
            CU_ASSERT_TRUE(fabs(at(is, i) - x[i]) <= fabs(x[i]) * 0x1p-20 * 1.1);
            changed += at(is, i) != x[i];
        }
    }
    CU_ASSERT_TRUE(changed > 300);
    arena_free(&a);
}

static void integers_have_no_noise(void) {
    struct arena a = ARENA_EMPTY;
    uint64_t seed = 1;
    const struct ir_tensor *t = ir_tensor_ints(&a, 2, (const int64_t[]){5, 7});
    CU_ASSERT_EQUAL(at(judge_noisy(&a, t, JUDGE_MANY_ROUNDINGS, &seed), 1), 7);
    arena_free(&a);
}

/* One element that is steady, one that is not, one that may be no number at all. */
static void noise_of_one_element_pardons_no_other(void) {
    struct arena a = ARENA_EMPTY;
    struct judge_value first = {.tensor = floats(&a, 3, (const float[]){1, 2.5f, 3})};
    struct judge_value second = {.tensor = floats(&a, 3, (const float[]){1, 1.5f, NAN})};
    struct judge_values runs[] = {{&first, 1}, {&second, 1}};
    const struct judge_noise noise = {2, runs};
    const struct ir_tensor *was = floats(&a, 3, (const float[]){1, 2, 3});
    const struct ir_tensor *is =
        judge_beyond_noise(&a, &noise, 0, was, floats(&a, 3, (const float[]){1.5f, 2.75f, 9}));
    CU_ASSERT_EQUAL(at(is, 0), 1.5);
    CU_ASSERT_EQUAL(at(is, 1), 2);
    CU_ASSERT_EQUAL(at(is, 2), 3);
    is = judge_beyond_noise(&a, &noise, 0, was, floats(&a, 3, (const float[]){1, 4, 3}));
    CU_ASSERT_EQUAL(at(is, 1), 4);
    arena_free(&a);
}

/* An element that noise moves; then one that it does not; then more than it ever moves. */
static void noise_of_whole_models_is_as_much_in_no_more_elements(void) {
    struct arena a = ARENA_EMPTY;
    struct judge_value first = {.tensor = floats(&a, 4, (const float[]){1, 2, 3.5f, 4})};
    struct judge_value second = {.tensor = floats(&a, 4, (const float[]){1.5f, 2, 3, 4})};
    struct judge_value third = {.tensor = floats(&a, 4, (const float[]){1, 2, 3, NAN})};
    struct judge_values runs[] = {{&first, 1}, {&second, 1}, {&third, 1}};
    const struct judge_noise noise = {3, runs};
    const struct judge_bounds bounds = {1e-5, 0};
    const struct ir_tensor *was = floats(&a, 4, (const float[]){1, 2, 3, 4});
    static const struct {
        float is[4];
        bool noise;
    } cases[] = {{{1, 2, 3, 4}, true},           {{1, 2, 3.75f, 4}, true},
                 {{1, 2, 4.25f, 4}, false},      {{1, 2.25f, 3, 4}, false},
                 {{1.5f, 2, 3.5f, 4}, true},     {{1, 2, 3, 4.5f}, false},
                 {{NAN, 2, 3, 4}, false}};
    for (size_t i = 0; i < countof(cases); i++)
        CU_ASSERT_EQUAL(judge_is_noise(&a, &noise, 0, was, floats(&a, 4, cases[i].is), bounds),
                        cases[i].noise);
    const struct judge_noise only_first = {1, runs}; /* which moved one element */
    const struct ir_tensor *ones = floats(&a, 4, (const float[]){1, 1, 1, 1});
    struct judge_value all = {.tensor = floats(&a, 4, (const float[]){2, 2, 2, 2})};
    struct judge_values wide = {&all, 1};
    CU_ASSERT_FALSE(judge_is_noise(&a, &only_first, 0, was, all.tensor, bounds));
    CU_ASSERT_TRUE(judge_is_noise(&a, &(struct judge_noise){1, &wide}, 0, ones, all.tensor, bounds));
    arena_free(&a);
}

/* Of a half float, whose sums are rounded once, less may add up than of a float. */
static void each_operator_of_a_model_rounds_for_itself(void) {
    CU_ASSERT_EQUAL(judge_noise_in(IR_FLOAT16, JUDGE_OWN_ROUNDINGS), 0x1p-11);
    CU_ASSERT_EQUAL(judge_noise_in(IR_FLOAT, JUDGE_OWN_ROUNDINGS), 0x1p-22);
    CU_ASSERT_EQUAL(judge_noise_in(IR_FLOAT16, JUDGE_MANY_ROUNDINGS), 0x1p-7);
    CU_ASSERT_EQUAL(judge_noise_in(IR_FLOAT16, JUDGE_HALF_ROUNDINGS), 0x1p-11);
    CU_ASSERT_EQUAL(judge_noise_in(IR_FLOAT, JUDGE_HALF_ROUNDINGS), 0);
    CU_ASSERT_EQUAL(judge_noise_in(IR_INT64, JUDGE_OWN_ROUNDINGS), 0);
}

/* The lowest float, as masks have it, plus something is that still. */
static void numbers_of_masks_stay_what_they_are(void) {
    static const char text[] = "<ir_version: 8, opset_import: [\"\": 17]> g (float[4] x) => (float[4] y) "
                               "{ big = Constant <value = float[4] {-3.4028235e38, 1, 2, 3}> ()"
                               "  y = Add(x, big) }";
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct judge *j;
    struct judge_model m;
    struct judge_noise noise;
    diag_init(&diags, &a);
    if (judge_open(&(struct judge_options){.seconds = 20}, &diags, &j) != RW_OK) {
        printf("(skipped: no ONNX Runtime) ");
        arena_free(&a);
        return;
    }
    struct ir_model *parsed = ir_text_parse(&a, &(struct diag_source){"t", text, strlen(text)}, &diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(parsed);
    CU_ASSERT_EQUAL_FATAL(judge_model_of(parsed, &a, &diags, &m), RW_OK);
    struct judge_value x = {"x", floats(&a, 4, (const float[]){1, 1, 1, 1}), NULL};
    judge_noise_of(j, &m, JUDGE_OWN_ROUNDINGS, 1, &(struct judge_values){&x, 1}, &a, &noise);
    CU_ASSERT_EQUAL_FATAL(noise.n, JUDGE_NOISES);
    bool moved = false;
    for (uint32_t i = 0; i < noise.n; i++) {
        const struct ir_tensor *y = noise.at[i].at[0].tensor;
        CU_ASSERT_TRUE(isfinite(at(y, 0)));
        CU_ASSERT_DOUBLE_EQUAL(at(y, 2), 3, 1e-5);
        moved |= at(y, 2) != 3;
    }
    CU_ASSERT_TRUE(moved);
    judge_close(j);
    arena_free(&a);
}

void add_judge_noise_suite(void);
void add_judge_noise_suite(void) {
    CU_pSuite s = CU_add_suite("judge: noise", NULL, NULL);
    CU_ADD_TEST(s, noise_is_some_roundings_of_each_element);
    CU_ADD_TEST(s, integers_have_no_noise);
    CU_ADD_TEST(s, numbers_of_masks_stay_what_they_are);
    CU_ADD_TEST(s, noise_of_one_element_pardons_no_other);
    CU_ADD_TEST(s, noise_of_whole_models_is_as_much_in_no_more_elements);
    CU_ADD_TEST(s, each_operator_of_a_model_rounds_for_itself);
}
