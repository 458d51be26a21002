/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/schema.h"

#include <CUnit/Basic.h>

static void a_version_is_found_by_opset(void) {
    const struct ir_schema *s = ir_schema_find("", "ReduceMean", 17);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_STRING_EQUAL(s->name, "ReduceMean");
    CU_ASSERT_EQUAL(s->since, 13);
    CU_ASSERT_EQUAL(s->until, 18);
    CU_ASSERT_EQUAL(s->ninputs, 1);
    CU_ASSERT_PTR_NOT_NULL(ir_schema_attr(s, "axes"));
    s = ir_schema_find("ai.onnx", "ReduceMean", 18);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_EQUAL(s->since, 18);
    CU_ASSERT_EQUAL(s->ninputs, 2);
    CU_ASSERT_EQUAL(s->inputs[1].option, IR_OPTIONAL_FORMAL);
    CU_ASSERT_PTR_NULL(ir_schema_attr(s, "axes"));
    CU_ASSERT_EQUAL(ir_schema_attr(s, "keepdims")->i, 1);
}

static void what_is_not_there_is_not_found(void) {
    CU_ASSERT_PTR_NULL(ir_schema_find("", "Gelu", 19));
    CU_ASSERT_PTR_NOT_NULL(ir_schema_find("", "Gelu", 20));
    CU_ASSERT_PTR_NULL(ir_schema_find("", "Gelo", 20));
    CU_ASSERT_PTR_NULL(ir_schema_find("", "", 20));
    CU_ASSERT_PTR_NULL(ir_schema_find("", "Relu", 0));
    CU_ASSERT_PTR_NULL(ir_schema_find("org.example", "Relu", 20));
    CU_ASSERT_PTR_NOT_NULL(ir_schema_find("com.microsoft", "SkipLayerNormalization", 1));
    CU_ASSERT_EQUAL(ir_schema_newest_opset(""), 28);
    CU_ASSERT_EQUAL(ir_schema_newest_opset("com.microsoft"), 1);
    CU_ASSERT_EQUAL(ir_schema_newest_opset("org.example"), 0);
}

static void every_schema_is_found_by_its_own_name(void) {
    size_t n;
    const struct ir_schema *all = ir_schema_all(&n);
    CU_ASSERT_TRUE(n > 700);
    for (size_t i = 0; i < n; i++) {
        const struct ir_schema *s = &all[i];
        CU_ASSERT_PTR_EQUAL(ir_schema_find(s->domain, s->name, s->since), s);
        CU_ASSERT_PTR_NOT_EQUAL(ir_schema_find(s->domain, s->name, s->since - 1), s);
        if (s->until != INT32_MAX)
            CU_ASSERT_PTR_EQUAL(ir_schema_find(s->domain, s->name, s->until), s + 1);
        CU_ASSERT_TRUE(s->min_inputs <= s->max_inputs && s->min_outputs <= s->max_outputs);
        for (uint32_t k = 0; k < s->ninputs; k++)
            CU_ASSERT_TRUE(s->inputs[k].constraint < (int)s->nconstraints);
    }
}

static void the_operators_of_the_runtime_are_apart(void) {
    CU_ASSERT_PTR_NULL(ir_schema_find("", "SimplifiedLayerNormalization", 20));
    CU_ASSERT_PTR_NOT_NULL(ir_schema_runtime("SimplifiedLayerNormalization", 20));
    const struct ir_schema *s = ir_schema_runtime("LayerNormalization", 12);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_EQUAL(s->since, 1);
    /* Standard from 17 on. */
    CU_ASSERT_PTR_NULL(ir_schema_runtime("LayerNormalization", 17));
    CU_ASSERT_PTR_NULL(ir_schema_runtime("Relu", 12));
    CU_ASSERT_PTR_NULL(ir_schema_runtime("Affine", 10)); /* taken back by then */
    CU_ASSERT_PTR_NOT_NULL(ir_schema_runtime("Affine", 9));
}

static void formal_parameters_of_variadic_operators_repeat(void) {
    const struct ir_schema *concat = ir_schema_find("", "Concat", 13);
    CU_ASSERT_EQUAL(concat->max_inputs, UINT16_MAX);
    CU_ASSERT_PTR_EQUAL(ir_schema_input(concat, 7), &concat->inputs[0]);
    CU_ASSERT_PTR_NULL(ir_schema_output(concat, 1));
    const struct ir_schema *conv = ir_schema_find("", "Conv", 11);
    CU_ASSERT_STRING_EQUAL(ir_schema_input(conv, 2)->name, "B");
    CU_ASSERT_PTR_NULL(ir_schema_input(conv, 3));
    CU_ASSERT_EQUAL(ir_schema_attr(conv, "group")->i, 1);
    CU_ASSERT_STRING_EQUAL(ir_schema_attr(conv, "auto_pad")->s, "NOTSET");
    CU_ASSERT_EQUAL(ir_schema_attr(conv, "pads")->has_default, IR_NO_DEFAULT);
    CU_ASSERT_EQUAL(ir_schema_attr(concat, "axis")->has_default, IR_REQUIRED);
}

static void type_sets_answer_by_number_and_as_text(void) {
    const struct ir_schema *s = ir_schema_find("", "LayerNormalization", 17);
    uint32_t types = s->inputs[0].types;
    CU_ASSERT_TRUE(ir_types_allow(types, IR_FLOAT));
    CU_ASSERT_TRUE(ir_types_allow(types, IR_BFLOAT16));
    CU_ASSERT_FALSE(ir_types_allow(types, IR_INT64));
    CU_ASSERT_TRUE(ir_types_allow(types, IR_UNDEFINED));
    size_t n;
    const char *const *list = ir_types_list(types, &n);
    CU_ASSERT_EQUAL_FATAL(n, 4);
    CU_ASSERT_STRING_EQUAL(list[0], "tensor(float)");
    const struct ir_schema *at = ir_schema_find("", "SequenceAt", 11);
    CU_ASSERT_FALSE(ir_types_allow(at->inputs[0].types, IR_UNDEFINED));
}

static void an_opset_has_its_ir_version(void) {
    CU_ASSERT_EQUAL(ir_version_for_opset(7), 3);
    CU_ASSERT_EQUAL(ir_version_for_opset(9), 4);
    CU_ASSERT_EQUAL(ir_version_for_opset(11), 6);
    CU_ASSERT_EQUAL(ir_version_for_opset(17), 8);
    CU_ASSERT_EQUAL(ir_version_for_opset(28), 14);
    CU_ASSERT_EQUAL(ir_version_for_opset(1000), 14);
    CU_ASSERT_EQUAL(ir_version_for_opset(-5), 3);
}

static void names_are_sorted(void) {
    size_t n;
    const char *const *names = ir_schema_names("com.microsoft", &n);
    CU_ASSERT_TRUE_FATAL(n > 100);
    for (size_t i = 1; i < n; i++) CU_ASSERT_TRUE(strcmp(names[i - 1], names[i]) < 0);
    CU_ASSERT_PTR_NULL(ir_schema_names("org.example", &n));
    CU_ASSERT_EQUAL(n, 0);
}

void add_ir_schema_suite(void);
void add_ir_schema_suite(void) {
    CU_pSuite s = CU_add_suite("ir: operator schemas", NULL, NULL);
    CU_ADD_TEST(s, a_version_is_found_by_opset);
    CU_ADD_TEST(s, what_is_not_there_is_not_found);
    CU_ADD_TEST(s, every_schema_is_found_by_its_own_name);
    CU_ADD_TEST(s, the_operators_of_the_runtime_are_apart);
    CU_ADD_TEST(s, formal_parameters_of_variadic_operators_repeat);
    CU_ADD_TEST(s, type_sets_answer_by_number_and_as_text);
    CU_ADD_TEST(s, an_opset_has_its_ir_version);
    CU_ADD_TEST(s, names_are_sorted);
}
