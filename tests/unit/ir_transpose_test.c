/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/pass/transpose/perm.h"

#include <CUnit/Basic.h>

static struct ir_perm perm(uint32_t rank, const char *digits) {
    struct ir_perm p = ir_perm_identity(rank);
    for (uint32_t i = 0; i < rank; i++) p.at[i] = (uint8_t)(digits[i] - '0');
    return p;
}

static void expect(struct ir_perm got, uint32_t rank, const char *digits) {
    CU_ASSERT_TRUE(ir_perm_equal(got, perm(rank, digits)));
}

static void permutations_compose_as_transposes_do(void) {
    /* [A,B,C] -> [B,C,A] -> [C,B,A] */
    expect(ir_perm_compose(perm(3, "120"), perm(3, "102")), 3, "210");
    expect(ir_perm_inverse(perm(4, "0231")), 4, "0312");
    CU_ASSERT_TRUE(ir_perm_is_identity(
        ir_perm_compose(perm(4, "0231"), ir_perm_inverse(perm(4, "0231")))));
    CU_ASSERT_FALSE(ir_perm_is_identity(perm(2, "10")));
    CU_ASSERT_TRUE(ir_perm_is_identity(ir_perm_identity(0)));
}

static void parts_keep_the_order_of_the_whole(void) {
    expect(ir_perm_part(perm(4, "0231"), 0xb), 3, "021"); /* without the axis 2 */
    expect(ir_perm_part(perm(4, "0312"), 0xd), 3, "012"); /* without the one that moves */
    expect(ir_perm_whole(perm(2, "10"), 0x5, 3), 3, "210"); /* the middle one is added */
    CU_ASSERT_EQUAL(ir_perm_part(perm(3, "210"), 0).rank, 0);
}

static void every_permutation_has_a_number(void) {
    CU_ASSERT_NOT_EQUAL(ir_perm_number(perm(3, "012")), ir_perm_number(perm(2, "12")));
    CU_ASSERT_NOT_EQUAL(ir_perm_number(perm(3, "012")), ir_perm_number(perm(3, "021")));
    CU_ASSERT_TRUE(ir_perm_number(perm(8, "76543210")) < (uint64_t)1 << 28);
}

static uint64_t cost(const int64_t *dims, uint32_t rank, const char *digits) {
    struct arena a = ARENA_EMPTY;
    struct ir_model *m = ir_model_new(&a, 8);
    ir_dim d[IR_PERM_MAX];
    for (uint32_t i = 0; i < rank; i++)
        d[i] = dims[i] ? ir_dim_const(m->dims, dims[i]) : ir_dim_symbol(m->dims, "n");
    ir_value v = ir_add_value(m->main, "v", ir_type_tensor(&a, IR_FLOAT, rank, d));
    uint64_t moved = ir_perm_cost(m->main, v, perm(rank, digits));
    arena_free(&a);
    return moved;
}

static void moving_ones_costs_nothing(void) {
    CU_ASSERT_EQUAL(cost((const int64_t[]){2, 3, 4}, 3, "021"), 24);
    CU_ASSERT_EQUAL(cost((const int64_t[]){2, 1, 4}, 3, "021"), 0);
    CU_ASSERT_EQUAL(cost((const int64_t[]){0, 3}, 2, "10"), 96); /* n counts as 32 */
    CU_ASSERT_EQUAL(cost((const int64_t[]){INT64_MAX, INT64_MAX}, 2, "10"),
                    (uint64_t)1 << 34);
}

void add_ir_transpose_suite(void);
void add_ir_transpose_suite(void) {
    CU_pSuite s = CU_add_suite("ir_transpose", NULL, NULL);
    CU_ADD_TEST(s, permutations_compose_as_transposes_do);
    CU_ADD_TEST(s, parts_keep_the_order_of_the_whole);
    CU_ADD_TEST(s, every_permutation_has_a_number);
    CU_ADD_TEST(s, moving_ones_costs_nothing);
}
