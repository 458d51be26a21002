/* judge_noise_test.c -- what rounding explains, element by element.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"

#include <CUnit/Basic.h>
#include <math.h>

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
        const struct ir_tensor *is = judge_noisy(&a, t, 1, &seed);
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
    CU_ASSERT_EQUAL(at(judge_noisy(&a, t, 1, &seed), 1), 7);
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

void add_judge_noise_suite(void);
void add_judge_noise_suite(void) {
    CU_pSuite s = CU_add_suite("judge: noise", NULL, NULL);
    CU_ADD_TEST(s, noise_is_some_roundings_of_each_element);
    CU_ADD_TEST(s, integers_have_no_noise);
    CU_ADD_TEST(s, noise_of_one_element_pardons_no_other);
}
