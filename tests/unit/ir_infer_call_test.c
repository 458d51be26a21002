/* SPDX-License-Identifier: Apache-2.0 */
#include "infer_kit.h"

static struct ir_model *parsed(struct arena *a, const char *text) {
    struct diag_sink diags;
    struct diag_source source = {.name = "t", .text = text, .len = strlen(text)};
    diag_init(&diags, a);
    struct ir_model *m = ir_text_parse(a, &source, &diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_EQUAL(ir_infer_model(m, &diags), RW_OK);
    return m;
}

static void output_is(struct ir_model *m, uint32_t k, const char *wanted) {
    struct kit kit = {.m = m, .g = m->main};
    kit_type(&kit, m->main->uses.at[m->main->outputs.at[k]].value, wanted);
}

#define HEAD "<ir_version: 10, opset_import: [\"\" : 18, \"f\" : 1]>\n"
#define FUNCTION(overload, attributes)                                                  \
    "<domain: \"f\", " overload "opset_import: [\"\" : 18]>\n" attributes

static void attributes_come_from_the_call(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_model *m = parsed(&a, HEAD
        "g (float[b, 4] x) => (y, z) {\n"
        "    y = f.Twice <axis = 0> (x)\n"
        "    z = f.Twice <axis = 1> (x)\n"
        "}\n" FUNCTION("", "Twice <axis> (v) => (w) "
                           "{ w = Concat <axis: int = @axis> (v, v) }"));
    output_is(m, 0, "float[2*b, 4]");
    output_is(m, 1, "float[b, 8]");
    arena_free(&a);
}

static void an_attribute_that_is_not_given_has_the_default(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_model *m = parsed(&a, HEAD
        "g (float[b, 4] x) => (y, z) {\n"
        "    y = f.Twice (x)\n"
        "    z = f.Mean (x)\n"
        "}\n" FUNCTION("", "Twice <axis: int = 1> (v) => (w) "
                           "{ w = Concat <axis: int = @axis> (v, v) }\n")
        FUNCTION("", "Mean <keep> (v) => (w) "
                     "{ w = ReduceMean <keepdims: int = @keep> (v) }"));
    output_is(m, 0, "float[b, 8]");
    output_is(m, 1, "float[1, 1]"); /* absent there too: the default of the operator */
    arena_free(&a);
}

static void attributes_go_through_two_calls(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_model *m = parsed(&a, HEAD
        "g (float[b, 4] x) => (y) { y = f.Outer <a = 1> (x) }\n"
        "<domain: \"f\", opset_import: [\"\" : 18, \"f\" : 1]>\n"
        "Outer <a> (v) => (w) { w = f.Twice <axis: int = @a> (v) }\n"
        FUNCTION("", "Twice <axis> (v) => (w) { w = Concat <axis: int = @axis> (v, v) }"));
    output_is(m, 0, "float[b, 8]");
    arena_free(&a);
}

static void overloads_are_told_apart(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_model *m = parsed(&a, HEAD
        "g (float[b, 4] x) => (y, z, u) {\n"
        "    y = f.F:rows (x)\n"
        "    z = f.F:columns (x)\n"
        "    u = f.F (x)\n"
        "}\n"
        FUNCTION("overload: \"rows\", ", "F (v) => (w) { w = Concat <axis = 0> (v, v) }\n")
        FUNCTION("overload: \"columns\", ",
                 "F (v) => (w) { w = Concat <axis = 1> (v, v) }\n")
        FUNCTION("", "F (v) => (w) { w = Relu (v) }"));
    output_is(m, 0, "float[2*b, 4]");
    output_is(m, 1, "float[b, 8]");
    output_is(m, 2, "float[b, 4]");
    arena_free(&a);
}

void add_ir_infer_call_suite(void);
void add_ir_infer_call_suite(void) {
    CU_pSuite s = CU_add_suite("ir_infer_call", NULL, NULL);
    CU_ADD_TEST(s, attributes_come_from_the_call);
    CU_ADD_TEST(s, an_attribute_that_is_not_given_has_the_default);
    CU_ADD_TEST(s, attributes_go_through_two_calls);
    CU_ADD_TEST(s, overloads_are_told_apart);
}
