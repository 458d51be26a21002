/* judge_sizes_test.c -- sizes of instances that contradict each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/rule/case.h"
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>

/* Two parts side by side, of so many rows. */
static bool fit(int64_t s, int64_t n) {
    struct kit k;
    kit_open(&k, "rule r: Relu(Relu(x)) => Relu(x)\n", NULL,
             KIT_OPSET(17) "(float[S, 3] p, float[N, 3] q) => (float[S, 6] y) {"
                           "  y = Concat <axis = -1> (p, q) }");
    int64_t dims[2][2] = {{s, 3}, {n, 3}};
    struct judge_instance i = {.model = k.model};
    for (uint32_t x = 0; x < 2; x++) {
        struct judge_leaf l = {.name = x ? "q" : "p", .dtype = IR_FLOAT, .rank = 2,
                               .dims = dims[x]};
        vec_push(&k.arena, &i.leaves, l);
    }
    struct judge_case c = {.instance = &i};
    CU_ASSERT_EQUAL_FATAL(judge_model_of(k.model, &k.arena, &k.diags, &c.before), RW_OK);
    bool fits = judge_sizes_fit(&c, &k.arena);
    kit_close(&k);
    return fits;
}

static void a_part_without_elements_must_fit_too(void) {
    CU_ASSERT_FALSE(fit(1, 0));
    CU_ASSERT_FALSE(fit(0, 2));
    CU_ASSERT_TRUE(fit(0, 0));
    CU_ASSERT_TRUE(fit(2, 2));
}

void add_judge_sizes_suite(void);
void add_judge_sizes_suite(void) {
    CU_pSuite s = CU_add_suite("judge: sizes", NULL, NULL);
    CU_ADD_TEST(s, a_part_without_elements_must_fit_too);
}
