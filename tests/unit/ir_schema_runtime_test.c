/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/schema.h"

#include <CUnit/Basic.h>

static void kernels_are_known_by_opset_and_type(void) {
    CU_ASSERT_TRUE(ir_runtime_has("", "MatMul", 17, IR_FLOAT));
    CU_ASSERT_TRUE(ir_runtime_has("", "MatMul", 17, IR_FLOAT16)); /* by casts put in */
    CU_ASSERT_FALSE(ir_runtime_has("", "MatMul", 17, IR_BFLOAT16));
    CU_ASSERT_TRUE(ir_runtime_has("", "MatMul", 17, IR_UNDEFINED));
    CU_ASSERT_FALSE(ir_runtime_has("", "Add", 6, IR_UNDEFINED));
    CU_ASSERT_TRUE(ir_runtime_has("ai.onnx", "Add", 7, IR_FLOAT));
    CU_ASSERT_FALSE(ir_runtime_has("", "Add", 13, IR_INT8));
    CU_ASSERT_TRUE(ir_runtime_has("", "Add", 14, IR_INT8));
    CU_ASSERT_FALSE(ir_runtime_has("", "Add", 29, IR_FLOAT));
}

static void a_function_body_runs_only_where_its_operators_do(void) {
    CU_ASSERT_TRUE(ir_runtime_has("", "Swish", 24, IR_FLOAT));
    for (int64_t opset = 25; opset <= 28; opset++)
        CU_ASSERT_FALSE(ir_runtime_has("", "Swish", opset, IR_UNDEFINED));
    CU_ASSERT_TRUE(ir_runtime_has("com.microsoft", "FastGelu", 1, IR_DOUBLE));
}

static void operators_of_the_runtime_alone_are_in(void) {
    CU_ASSERT_TRUE(ir_runtime_has("", "SimplifiedLayerNormalization", 11, IR_FLOAT));
    CU_ASSERT_TRUE(ir_runtime_has("", "LayerNormalization", 12, IR_DOUBLE));
    CU_ASSERT_TRUE(ir_runtime_has("com.microsoft", "SkipLayerNormalization", 1, IR_FLOAT));
    CU_ASSERT_TRUE(ir_runtime_has("com.microsoft", "BiasGelu", 1, IR_FLOAT));
    CU_ASSERT_FALSE(ir_runtime_has("com.microsoft", "BiasGelu", 1, IR_DOUBLE));
    CU_ASSERT_FALSE(ir_runtime_has("com.microsoft", "BiasSplitGelu", 1, IR_UNDEFINED));
    CU_ASSERT_FALSE(ir_runtime_has("org.example", "Add", 14, IR_FLOAT));
    CU_ASSERT_STRING_EQUAL(ir_runtime_version(), "1.32.0");
}

static void operators_without_a_tensor_operand_run_for_some_type(void) {
    CU_ASSERT_TRUE(ir_runtime_has("", "SequenceAt", 17, IR_UNDEFINED));
    CU_ASSERT_FALSE(ir_runtime_has("", "SequenceAt", 17, IR_FLOAT));
    CU_ASSERT_TRUE(ir_runtime_has("", "RandomNormal", 17, IR_UNDEFINED));
    CU_ASSERT_TRUE(ir_runtime_has("", "If", 11, IR_BOOL));
}

void add_ir_schema_runtime_suite(void);
void add_ir_schema_runtime_suite(void) {
    CU_pSuite s = CU_add_suite("ir: what the runtime runs", NULL, NULL);
    CU_ADD_TEST(s, kernels_are_known_by_opset_and_type);
    CU_ADD_TEST(s, a_function_body_runs_only_where_its_operators_do);
    CU_ADD_TEST(s, operators_of_the_runtime_alone_are_in);
    CU_ADD_TEST(s, operators_without_a_tensor_operand_run_for_some_type);
}
