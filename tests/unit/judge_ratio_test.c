/* What times in pairs say: the estimate, its interval, and how sure it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"

#include <CUnit/Basic.h>

static void the_median_is_that_of_sorted_times(void) {
    const double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    CU_ASSERT_DOUBLE_EQUAL(judge_median(3, odd), 2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(judge_median(4, even), 2.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(odd[0], 3, 0);
}

static void drift_of_the_machine_cancels(void) {
    const double a[] = {1, 2, 4, 3, 8, 1}, b[] = {0.5, 1, 2, 1.5, 4, 0.5};
    struct judge_ratio r = judge_ratio_of(6, a, b);
    CU_ASSERT_DOUBLE_EQUAL(r.is, 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.low, 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.high, 0.5, 1e-12);
    CU_ASSERT_TRUE(r.sure);
}

static void one_slow_process_moves_little(void) {
    const double a[] = {1, 1, 1, 1, 1, 1, 1}, b[] = {0.9, 0.91, 0.9, 0.89, 0.9, 0.91, 1.8};
    struct judge_ratio r = judge_ratio_of(7, a, b);
    CU_ASSERT_TRUE(r.is > 0.89 && r.is < 0.92);
}

/* Of 21 means of two of six the least and the greatest are the interval; of 36 of eight
 * three are left out at each end, as tables of the signed ranks have it. */
static void the_interval_is_wilcoxons(void) {
    double a[8], b[8];
    for (uint32_t i = 0; i < 8; i++) a[i] = 1;
    b[0] = 0.5;
    for (uint32_t i = 1; i < 8; i++) b[i] = 1;
    struct judge_ratio six = judge_ratio_of(6, a, b), eight = judge_ratio_of(8, a, b);
    CU_ASSERT_DOUBLE_EQUAL(six.low, 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(six.high, 1, 1e-12);
    CU_ASSERT_TRUE(eight.low > 0.7 && eight.low < 0.71); /* 0.5 and 1 together */
    CU_ASSERT_DOUBLE_EQUAL(eight.is, 1, 1e-12);
    CU_ASSERT_TRUE(eight.sure);
}

static void five_pairs_are_not_sure(void) {
    const double a[] = {1, 1, 1, 1, 1}, b[] = {0.5, 0.6, 0.7, 0.8, 0.9};
    struct judge_ratio r = judge_ratio_of(5, a, b), one = judge_ratio_of(1, a, b);
    CU_ASSERT_FALSE(r.sure);
    CU_ASSERT_DOUBLE_EQUAL(r.low, 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.high, 0.9, 1e-12);
    CU_ASSERT_FALSE(one.sure);
    CU_ASSERT_DOUBLE_EQUAL(one.is, 0.5, 1e-12);
}

static void a_hundred_pairs_are_no_trouble(void) {
    double a[JUDGE_PAIRS], b[JUDGE_PAIRS];
    for (uint32_t i = 0; i < JUDGE_PAIRS; i++) {
        a[i] = 1;
        b[i] = i % 2 ? 0.8 : 0.9;
    }
    struct judge_ratio r = judge_ratio_of(JUDGE_PAIRS, a, b);
    CU_ASSERT_TRUE(r.sure && r.low >= 0.8 && r.low <= r.is && r.is <= r.high && r.high <= 0.9);
}

void add_judge_ratio_suite(void);
void add_judge_ratio_suite(void) {
    CU_pSuite s = CU_add_suite("judge_ratio", NULL, NULL);
    CU_ADD_TEST(s, the_median_is_that_of_sorted_times);
    CU_ADD_TEST(s, drift_of_the_machine_cancels);
    CU_ADD_TEST(s, one_slow_process_moves_little);
    CU_ADD_TEST(s, the_interval_is_wilcoxons);
    CU_ADD_TEST(s, five_pairs_are_not_sure);
    CU_ADD_TEST(s, a_hundred_pairs_are_no_trouble);
}
