/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/param.h"

#include <CUnit/Basic.h>

static void a_parameter_moves_from_attribute_to_operand(void) {
    CU_ASSERT_EQUAL(ir_param_operand("", "ReduceMean", "axes", 13), IR_PARAM_IS_ATTR);
    CU_ASSERT_EQUAL(ir_param_operand("", "ReduceMean", "axes", 18), 1);
    CU_ASSERT_EQUAL(ir_param_operand("", "ReduceSum", "axes", 13), 1);
    CU_ASSERT_EQUAL(ir_param_operand("", "Slice", "ends", 9), IR_PARAM_IS_ATTR);
    CU_ASSERT_EQUAL(ir_param_operand("", "Slice", "ends", 10), 2);
    CU_ASSERT_EQUAL(ir_param_operand("", "Slice", "steps", 9), IR_PARAM_IS_NOT);
    CU_ASSERT_EQUAL(ir_param_operand("ai.onnx", "Clip", "max", 11), 2);
    CU_ASSERT_EQUAL(ir_param_operand("", "Squeeze", "axes", 13), 1);
    CU_ASSERT_EQUAL(ir_param_operand("", "Dropout", "training_mode", 11), IR_PARAM_IS_NOT);
    CU_ASSERT_EQUAL(ir_param_operand("", "Dropout", "training_mode", 12), 2);
    CU_ASSERT_EQUAL(ir_param_operand("", "Conv", "bias", 11), IR_PARAM_IS_NOT);
    CU_ASSERT_EQUAL(ir_param_operand("", "Gelu", "approximate", 19), IR_PARAM_IS_NOT);
}

static void a_parameter_has_its_newest_name(void) {
    const struct ir_param_def *d = ir_param_def("", "TopK", "K");
    CU_ASSERT_PTR_NOT_NULL_FATAL(d);
    CU_ASSERT_STRING_EQUAL(d->older, "k");
    CU_ASSERT_EQUAL(d->type, IR_ATTR_INT);
    CU_ASSERT_PTR_NULL(ir_param_def("", "TopK", "k"));
    CU_ASSERT_EQUAL(ir_param_operand("", "TopK", "K", 9), IR_PARAM_IS_ATTR);
    CU_ASSERT_EQUAL(ir_param_operand("", "TopK", "K", 10), 1);
    CU_ASSERT_EQUAL(ir_param_operand("", "Pad", "constant_value", 2), IR_PARAM_IS_ATTR);
    CU_ASSERT_EQUAL(ir_param_operand("", "Pad", "constant_value", 11), 2);
    d = ir_param_def("", "Pad", "constant_value");
    CU_ASSERT_STRING_EQUAL(ir_param_attr_name(ir_schema_find("", "Pad", 2), d), "value");
    CU_ASSERT_PTR_NULL(ir_param_attr_name(ir_schema_find("", "Pad", 11), d));
}

static void an_operand_that_is_a_parameter_is_told(void) {
    CU_ASSERT_STRING_EQUAL(ir_param_of_operand("", "ReduceMean", 1, 18), "axes");
    CU_ASSERT_PTR_NULL(ir_param_of_operand("", "ReduceMean", 0, 18));
    CU_ASSERT_PTR_NULL(ir_param_of_operand("", "ReduceMean", 1, 13));
    CU_ASSERT_STRING_EQUAL(ir_param_of_operand("", "TopK", 1, 11), "K");
    CU_ASSERT_STRING_EQUAL(ir_param_of_operand("", "Slice", 4, 13), "steps");
    CU_ASSERT_STRING_EQUAL(ir_param_of_operand("", "Reshape", 1, 13), "shape");
    CU_ASSERT_PTR_NULL(ir_param_of_operand("", "Conv", 1, 13));
    CU_ASSERT_PTR_NULL(ir_param_of_operand("", "Concat", 3, 13));
    CU_ASSERT_PTR_NULL(ir_param_of_operand("org.example", "Conv", 1, 13));
}

static void parameters_are_those_of_every_version(void) {
    size_t n;
    const struct ir_param_def *defs = ir_param_defs("", "ReduceMean", &n);
    CU_ASSERT_EQUAL_FATAL(n, 3);
    CU_ASSERT_STRING_EQUAL(defs[0].name, "axes");
    CU_ASSERT_TRUE(defs[0].is_attr_somewhere && defs[0].is_input_somewhere);
    CU_ASSERT_EQUAL(defs[0].type, IR_ATTR_INTS);
    CU_ASSERT_STRING_EQUAL(defs[1].name, "keepdims");
    CU_ASSERT_EQUAL(defs[1].has_default, IR_HAS_DEFAULT);
    CU_ASSERT_STRING_EQUAL(defs[2].name, "noop_with_empty_axes");
    CU_ASSERT_EQUAL(ir_param_def("", "Cast", "to")->type, IR_ATTR_INT); /* was a string */
    CU_ASSERT_EQUAL(ir_param_def("", "Cast", "to")->has_default, IR_REQUIRED);
    CU_ASSERT_PTR_NOT_NULL(ir_param_def("", "SimplifiedLayerNormalization", "epsilon"));
    CU_ASSERT_PTR_NOT_NULL(ir_param_def("com.microsoft", "FusedMatMul", "alpha"));
    CU_ASSERT_PTR_NOT_NULL(ir_param_defs("", "MatMul", &n));
    CU_ASSERT_EQUAL(n, 0);
    CU_ASSERT_PTR_NULL(ir_param_defs("", "MatMull", &n));
}

void add_ir_param_defs_suite(void);
void add_ir_param_defs_suite(void) {
    CU_pSuite s = CU_add_suite("ir: virtual parameters by operator", NULL, NULL);
    CU_ADD_TEST(s, a_parameter_moves_from_attribute_to_operand);
    CU_ADD_TEST(s, a_parameter_has_its_newest_name);
    CU_ADD_TEST(s, an_operand_that_is_a_parameter_is_told);
    CU_ADD_TEST(s, parameters_are_those_of_every_version);
}
