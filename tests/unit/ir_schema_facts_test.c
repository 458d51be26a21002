/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/schema.h"

#include <CUnit/Basic.h>

static void commutative_operators_are_known(void) {
    CU_ASSERT_TRUE(ir_op_commutes("", "Add"));
    CU_ASSERT_TRUE(ir_op_commutes("ai.onnx", "Xor"));
    CU_ASSERT_FALSE(ir_op_commutes("", "Sub"));
    CU_ASSERT_FALSE(ir_op_commutes("", "MatMul"));
    CU_ASSERT_FALSE(ir_op_commutes("org.example", "Add"));
}

static void chance_and_the_unknown_are_not_deterministic(void) {
    CU_ASSERT_TRUE(ir_op_is_deterministic("", "MatMul"));
    CU_ASSERT_TRUE(ir_op_is_deterministic("", "SimplifiedLayerNormalization"));
    CU_ASSERT_TRUE(ir_op_is_deterministic("com.microsoft", "Gelu"));
    CU_ASSERT_FALSE(ir_op_is_deterministic("", "RandomNormalLike"));
    CU_ASSERT_FALSE(ir_op_is_deterministic("", "Dropout"));
    CU_ASSERT_FALSE(ir_op_is_deterministic("com.microsoft", "BiasDropout"));
    CU_ASSERT_FALSE(ir_op_is_deterministic("org.example", "MatMul"));
    CU_ASSERT_FALSE(ir_op_is_deterministic("", "MatMull"));
}

static void inert_attributes_are_known(void) {
    CU_ASSERT_TRUE(ir_attr_is_inert("", "BatchNormalization", "momentum"));
    CU_ASSERT_FALSE(ir_attr_is_inert("", "BatchNormalization", "epsilon"));
    CU_ASSERT_TRUE(ir_attr_is_inert("", "Dropout", "seed"));
    CU_ASSERT_FALSE(ir_attr_is_inert("", "RandomNormal", "seed"));
    CU_ASSERT_FALSE(ir_attr_is_inert("org.example", "Dropout", "seed"));
}

static void epochs_name_the_opsets_of_a_new_meaning(void) {
    size_t n;
    const int32_t *e = ir_op_epochs("", "Softmax", &n);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_EQUAL(e[1], 13);
    e = ir_op_epochs("", "BatchNormalization", &n);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_EQUAL(e[1], 7);
    e = ir_op_epochs("", "Relu", &n);
    CU_ASSERT_EQUAL_FATAL(n, 1);
    CU_ASSERT_EQUAL(e[0], 1);
    ir_op_epochs("com.microsoft", "Softmax", &n);
    CU_ASSERT_EQUAL(n, 1);
}

/* An epoch begins where a version does, and no name is out of order: each is found. */
static void every_epoch_begins_with_a_version(void) {
    size_t nnames, with_epochs = 0;
    const char *const *names = ir_schema_names("", &nnames);
    for (size_t i = 0; i < nnames; i++) {
        size_t n;
        const int32_t *e = ir_op_epochs("", names[i], &n);
        CU_ASSERT_EQUAL(e[0], 1);
        with_epochs += n > 1;
        for (size_t k = 1; k < n; k++) {
            const struct ir_schema *s = ir_schema_find("", names[i], e[k]);
            CU_ASSERT_PTR_NOT_NULL_FATAL(s);
            CU_ASSERT_EQUAL(s->since, e[k]);
            CU_ASSERT_TRUE(e[k] > e[k - 1]);
        }
    }
    CU_ASSERT_EQUAL(with_epochs, 33);
}

static void classes_fit_the_schemas(void) {
    size_t n, unary = 0, broadcasting = 0;
    const char *const *names = ir_schema_names("", &n);
    for (size_t i = 0; i < n; i++) {
        const struct ir_schema *s = ir_schema_newest("", names[i]);
        if (ir_op_is_unary("", names[i])) {
            unary++;
            CU_ASSERT_TRUE(s->min_inputs == 1 && s->max_outputs == 1);
        }
        if (ir_op_is_broadcasting("", names[i])) {
            broadcasting++;
            CU_ASSERT_TRUE(s->max_inputs >= 2 && s->max_outputs == 1);
        }
        bool is_unary = ir_op_is_unary("", names[i]);
        bool is_broadcasting = ir_op_is_broadcasting("", names[i]);
        CU_ASSERT_TRUE(!ir_op_commutes("", names[i]) || is_broadcasting);
        CU_ASSERT_FALSE(is_unary && is_broadcasting);
    }
    CU_ASSERT_EQUAL(unary, 45);
    CU_ASSERT_EQUAL(broadcasting, 24);
    CU_ASSERT_TRUE(ir_op_is_unary("com.microsoft", "QuickGelu"));
    CU_ASSERT_FALSE(ir_op_is_unary("com.microsoft", "FastGelu"));
}

void add_ir_schema_facts_suite(void);
void add_ir_schema_facts_suite(void) {
    CU_pSuite s = CU_add_suite("ir: facts of operators", NULL, NULL);
    CU_ADD_TEST(s, commutative_operators_are_known);
    CU_ADD_TEST(s, chance_and_the_unknown_are_not_deterministic);
    CU_ADD_TEST(s, inert_attributes_are_known);
    CU_ADD_TEST(s, epochs_name_the_opsets_of_a_new_meaning);
    CU_ADD_TEST(s, every_epoch_begins_with_a_version);
    CU_ADD_TEST(s, classes_fit_the_schemas);
}
