/* SPDX-License-Identifier: Apache-2.0 */
#include "include/onnxrw.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#define MODEL ONNXRW_TESTS_DIR "/models/bert-eager__ts14.onnx"

static void a_model_is_rewritten_and_written(void) {
    const char *packs[] = {"bert.rules"};
    struct onnxrw_rules *rules;
    struct onnxrw_model *model, *result;
    char out[] = "api-test.onnx";
    CU_ASSERT_EQUAL_FATAL(onnxrw_load_rules(packs, 1, &rules), ONNXRW_OK);
    CU_ASSERT_EQUAL_FATAL(onnxrw_read(MODEL, &model), ONNXRW_OK);
    size_t before = onnxrw_nodes(model), times = 0;
    CU_ASSERT_EQUAL(onnxrw_run(model, rules, NULL), ONNXRW_OK);
    CU_ASSERT(onnxrw_nodes(model) < before);
    CU_ASSERT_PTR_NOT_NULL(onnxrw_applied(model, 0, &times));
    CU_ASSERT(times > 0);
    CU_ASSERT_PTR_NULL(onnxrw_applied(model, 1000, NULL));
    CU_ASSERT_PTR_NOT_NULL(strstr(onnxrw_text(model), "LayerNormalization"));
    CU_ASSERT_EQUAL(onnxrw_write(model, out, NULL), ONNXRW_OK);
    CU_ASSERT_EQUAL(onnxrw_read(out, &result), ONNXRW_OK);
    CU_ASSERT_EQUAL(onnxrw_nodes(result), onnxrw_nodes(model));
    onnxrw_free_model(result);
    onnxrw_free_model(model);
    onnxrw_free_rules(rules);
    remove(out);
}

static void failures_leave_messages(void) {
    const char *packs[] = {"no-such-pack"};
    struct onnxrw_rules *rules;
    struct onnxrw_model *model;
    CU_ASSERT_EQUAL(onnxrw_load_rules(packs, 1, &rules), ONNXRW_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(onnxrw_rules_messages(rules), "error: "));
    CU_ASSERT_EQUAL(onnxrw_read("no-such-model.onnx", &model), ONNXRW_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(onnxrw_messages(model), "no-such-model.onnx: error: "));
    CU_ASSERT_EQUAL(onnxrw_run(model, rules, NULL), ONNXRW_USAGE);
    CU_ASSERT_EQUAL(onnxrw_nodes(model), 0);
    onnxrw_free_model(model);
    onnxrw_free_rules(rules);
}

static void options_of_an_older_caller_are_completed(void) {
    struct onnxrw_options o = ONNXRW_OPTIONS;
    struct onnxrw_rules *rules;
    struct onnxrw_model *model;
    o.size = offsetof(struct onnxrw_options, opset); /* knew target and level only */
    o.target = ONNXRW_STANDARD;
    o.opset = -5;
    CU_ASSERT_EQUAL_FATAL(onnxrw_load_rules(NULL, 0, &rules), ONNXRW_OK);
    CU_ASSERT_EQUAL_FATAL(onnxrw_read(MODEL, &model), ONNXRW_OK);
    CU_ASSERT_EQUAL(onnxrw_run(model, rules, &o), ONNXRW_OK);
    CU_ASSERT_PTR_NULL(strstr(onnxrw_text(model), "com.microsoft"));
    onnxrw_free_model(model);
    onnxrw_free_rules(rules);
}

void add_api_onnxrw_suite(void);
void add_api_onnxrw_suite(void) {
    CU_pSuite s = CU_add_suite("api: the installed interface", NULL, NULL);
    CU_ADD_TEST(s, a_model_is_rewritten_and_written);
    CU_ADD_TEST(s, failures_leave_messages);
    CU_ADD_TEST(s, options_of_an_older_caller_are_completed);
}
