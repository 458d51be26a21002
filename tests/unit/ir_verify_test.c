/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/text.h"
#include "ir/verify.h"

#include <CUnit/Basic.h>

/* What the verifier says of a model given as text, all levels. */
static const char *verdict(const char *text, enum rw_code wanted, bool complete,
                           struct buf *out) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct diag_source source = {"test", text, strlen(text)};
    struct ir_model *m = ir_text_parse(&a, &source, &diags);
    buf_free(out);
    if (m) {
        if (complete) ir_add_missing_imports(m, &diags);
        CU_ASSERT_EQUAL(ir_verify_model(m, &diags), wanted);
    } else {
        CU_FAIL("the text does not parse");
    }
    diag_print_all(&diags, DIAG_NOTE, out);
    arena_free(&a);
    return buf_text(out);
}

static void says(const char *text, enum rw_code wanted, const char *message) {
    struct buf out = {0};
    const char *said = verdict(text, wanted, false, &out);
    CU_ASSERT_STRING_EQUAL(said, message);
    if (strcmp(said, message) != 0) printf("\nsaid: %swanted: %s", said, message);
    buf_free(&out);
}

#define HEAD(opset) "<ir_version: 8, opset_import: [\"\" : " #opset "]>\n"

static void a_right_model_gets_no_word(void) {
    says(HEAD(17) "g (float[N, 4] x, float[4] s) => (float[N, 4] y) {\n"
         "  a = LayerNormalization <axis = -1> (x, s)\n  y = Clip (a, , s)\n}", RW_OK, "");
    says("<ir_version: 8, opset_import: [\"\" : 17, \"org.example\" : 3]>\n"
         "g (float[N] x) => (float[N] y) { y = org.example.Anything <z = 1> (x) }",
         RW_OK, "");
}

static void a_constant_may_hold_any_type_at_any_opset(void) {
    says(HEAD(8) "g (float[N, 2] x) => (float[U] y) {\n"
         "  s = Constant <value = int64[1] {-1}> ()\n  y = Reshape (x, s)\n}", RW_OK, "");
}

static void arity_is_compared(void) {
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Add (x) }", RW_WRONG,
         "g: node of \"y\" (Add): error: has 1 operand, \"Add\" takes 2\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Conv (x, x, x, x) }", RW_WRONG,
         "g: node of \"y\" (Conv): error: has 4 operands, \"Conv\" takes 2 to 3\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y, float[N] z) { y, z = Relu (x) }",
         RW_WRONG,
         "g: node of \"y\" (Relu): error: has 2 outputs, \"Relu\" gives 1\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Add (, x) }", RW_WRONG,
         "g: node of \"y\" (Add): error: operand 0 (\"A\") is missing\n");
}

static void batch_normalization_gives_one_or_all(void) {
    says(HEAD(15) "g (float[N, 4] x, float[4] s) => (float[N, 4] y) {\n"
         "  y, m = BatchNormalization <training_mode = 1> (x, s, s, s, s)\n}", RW_WRONG,
         "g: node of \"y\" (BatchNormalization): error: has 2 outputs, "
         "\"BatchNormalization\" gives 1 or 3\n");
}

static void operators_have_their_opset(void) {
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Gelu (x) }", RW_WRONG,
         "g: node of \"y\" (Gelu): error: opset 17 of ai.onnx has no operator \"Gelu\"\n"
         "g: node of \"y\" (Gelu): help: opset 20 has it\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Rellu (x) }", RW_WRONG,
         "g: node of \"y\" (Rellu): error: opset 17 of ai.onnx has no operator \"Rellu\"\n"
         "g: node of \"y\" (Rellu): help: did you mean \"Relu\"?\n");
    says(HEAD(11) "g (float[N] x, int64[N] i) => (float[N] y) { y = Scatter (x, i, x) }",
         RW_WRONG,
         "g: node of \"y\" (Scatter): error: \"Scatter\" is deprecated in opset 11 of "
         "ai.onnx\n");
    says(HEAD(99) "g (float[N] x) => (float[N] y) { y = Relu (x) }", RW_OK,
         "g: warning: imports version 99 of ai.onnx, newer than 28, the newest that is "
         "known\n");
    says(HEAD(0) "g (float[N] x) => (float[N] y) { y = Relu (x) }", RW_WRONG,
         "g: error: imports version 0 of ai.onnx, wanted one from 1\n"
         "g: node of \"y\" (Relu): error: is of ai.onnx, which is not imported\n");
}

static void an_ir_version_of_the_future_is_told(void) {
    says("<ir_version: 99, opset_import: [\"\" : 17]>\n"
         "g (float[N] x) => (float[N] y) { y = Relu (x) }", RW_OK,
         "g: warning: has IR version 99, newer than 14, the newest that is known\n");
}

static void what_does_no_harm_is_said_once(void) {
    says(HEAD(14) "g (float[N, 4] x, float[4] s) => (float[N, 4] y) {\n"
         "  [n] a = LayerNormalization (x, s)\n  b = LayerNormalization (a, s)\n"
         "  y = LayerNormalization (b, s)\n}", RW_OK,
         "g: node \"n\" (LayerNormalization): warning: \"LayerNormalization\" is no "
         "operator of "
         "opset 14; ONNX Runtime alone knows it there (and 2 more nodes)\n");
}

static void attributes_are_compared(void) {
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Concat (x) }", RW_WRONG,
         "g: node of \"y\" (Concat): error: attribute \"axis\" is missing\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Concat <axis = 1.5> (x) }",
         RW_WRONG,
         "g: node of \"y\" (Concat): error: attribute \"axis\" is a float, wanted an "
         "int\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Softmax <axs = 1> (x) }", RW_WRONG,
         "g: node of \"y\" (Softmax): error: \"Softmax\" has no attribute \"axs\"\n"
         "g: node of \"y\" (Softmax): help: did you mean \"axis\"?\n");
}

static void some_operators_let_any_attribute_pass(void) {
    says(HEAD(17) "g (float[N, 4] x, float[4] s) => (float[N, 4] y) {\n"
         "  y = LayerNormalization <more = 1> (x, s)\n}", RW_OK,
         "g: node of \"y\" (LayerNormalization): warning: \"LayerNormalization\" has no "
         "attribute \"more\"\n");
    says(HEAD(17) "g (float[N] x) => (float[N] y) { y = Relu <__mark = 1> (x) }", RW_OK,
         "");
}

static void types_are_compared(void) {
    says(HEAD(17) "g (float[N] x, double[N] d) => (float[N] y) { y = Add (x, d) }",
         RW_WRONG,
         "g: node of \"y\" (Add): error: operand 1 (\"B\") is tensor(double), wanted "
         "tensor(float) as operand 0\n");
    says(HEAD(17) "g (bool[N] x) => (bool[N] y) { y = Relu (x) }", RW_WRONG,
         "g: node of \"y\" (Relu): error: operand 0 (\"X\") is tensor(bool), which "
         "\"Relu\" of "
         "opset 17 does not take\n"
         "g: node of \"y\" (Relu): error: output 0 (\"Y\") is tensor(bool), which "
         "\"Relu\" of "
         "opset 17 does not give\n");
    says(HEAD(13) "g (int8[N] x) => (int8[N] y) { y = Relu (x) }", RW_WRONG,
         "g: node of \"y\" (Relu): error: operand 0 (\"X\") is tensor(int8), which "
         "\"Relu\" of "
         "opset 13 does not take\n"
         "g: node of \"y\" (Relu): error: output 0 (\"Y\") is tensor(int8), which "
         "\"Relu\" of "
         "opset 13 does not give\n");
    says(HEAD(14) "g (int8[N] x) => (int8[N] y) { y = Relu (x) }", RW_OK, "");
    says(HEAD(17) "g (seq(float[N]) s, int64 i) => (float[N] y) { y = SequenceAt (s, i) }",
         RW_OK, "");
    says(HEAD(17) "g (seq(float[N]) s, float i) => (float[N] y) { y = SequenceAt (s, i) }",
         RW_WRONG,
         "g: node of \"y\" (SequenceAt): error: operand 1 (\"position\") is tensor(float), "
         "which \"SequenceAt\" of opset 17 does not take\n");
}

static void bodies_fit_their_node(void) {
    says(HEAD(17) "g (bool c, float[N] x) => (float[N] y) {\n"
         "  y = If (c) <then_branch = t () => (float[N] a) { a = Neg (x) },\n"
         "    else_branch = e () => (float[N] b, float[N] d) { b = Abs (x)  d = Neg (x) "
         "}>\n}",
         RW_WRONG,
         "g: node of \"y\" (If): error: body \"else_branch\" has 2 outputs, wanted 1\n");
}

static void values_of_attributes_have_a_range(void) {
    says(HEAD(20) "g (float[N] x) => (float[N] y) {\n  y = Gelu <approximate = \"erf\"> (x)\n}",
         RW_WRONG, "g: node of \"y\" (Gelu): error: attribute \"approximate\" is \"erf\", wanted "
         "one of none tanh\n");
    says(HEAD(20)
         "g (float[N, 3, 8, 8] x, float[4, 3, 3, 3] w) => (float[N, 4, P, Q] y) {\n"
         "  y = Conv <strides = [1, 0]> (x, w)\n}", RW_WRONG,
         "g: node of \"y\" (Conv): error: attribute \"strides\" has 0, wanted 1 or more\n");
    says(HEAD(20) "g (float[N, 3] x) => (float[N, 1] y) {\n"
         "  y = ReduceMax <keepdims = 2> (x)\n}", RW_WRONG,
         "g: node of \"y\" (ReduceMax): error: attribute \"keepdims\" has 2, wanted 0 or "
         "1\n");
}

static void what_stands_together_is_looked_at(void) {
    says(HEAD(19) "g (float[N, 3, 8, 8] x, float[4] s) => (float[N, 3, P, Q] y) {\n"
         "  y = Resize (x, , , )\n}", RW_WRONG,
         "g: node of \"y\" (Resize): error: has neither \"scales\" nor \"sizes\", wanted "
         "one of them\n");
    says(HEAD(18) "g (float[6] x) => (float[3] y, float[3] z) { y, z = Split (x) }",
         RW_WRONG,
         "g: node of \"y\" (Split): error: has neither \"split\" nor \"num_outputs\", "
         "wanted one of them\n");
    says(HEAD(18) "g (int64 d, int64[N] i, float[3] v) => (float[N, D] y) {\n"
         "  y = OneHot (i, d, v)\n}", RW_WRONG,
         "g: node of \"y\" (OneHot): error: operand 2 (\"values\") has 3 items, wanted "
         "2\n");
    says(HEAD(18) "g (int64[2, N] n, float[5, N] x) => (float[5, N] y) {\n"
         "  y = ReverseSequence (x, n)\n}", RW_WRONG,
         "g: node of \"y\" (ReverseSequence): error: operand 1 (\"sequence_lens\") has "
         "rank 2, wanted 1\n");
    says(HEAD(18) "g (float[N] x) => (float[M] y) { y = Concat <axis = 0> (, x) }",
         RW_WRONG,
         "g: node of \"y\" (Concat): error: operand 0 (\"inputs\") is missing\n");
}

#define WITH_FUNCTIONS \
    "<ir_version: 8, opset_import: [\"\" : 17, \"l\" : 1]>\n" \
    "m (float[N] x) => (float[N] y) { y = l.f (x) }\n"
#define FUNCTION "<domain: \"l\", opset_import: [\"\" : 17, \"l\" : 1]>\n"

static void functions_call_each_other_in_no_circle(void) {
    says(WITH_FUNCTIONS FUNCTION "f (a) => (b) { b = l.g (a) }\n"
         FUNCTION "g (a) => (b) { b = Relu (a) }", RW_OK, "");
    says(WITH_FUNCTIONS FUNCTION "f (a) => (b) { b = l.f (a) }", RW_WRONG,
         "m: function \"f\": error: calls itself\n");
    says(WITH_FUNCTIONS FUNCTION "f (a) => (b) { c = Relu (a)  b = l.g (c) }\n"
         FUNCTION "g (a) => (b) { b = l.f (a) }", RW_WRONG,
         "m: function \"f\": error: is in a cycle: it calls \"g\", which calls it\n");
}

static void calls_fit_their_function(void) {
    says("<ir_version: 8, opset_import: [\"\" : 17, \"l\" : 1]>\n"
         "m (float[N] x) => (float[N] y) { y = l.f (x, x) }\n"
         FUNCTION "f (a) => (b) { b = Relu (a) }", RW_WRONG,
         "m: node of \"y\" (f): error: has 2 operands, the function takes 1\n");
}

static void other_domains_are_imported_when_missing(void) {
    struct buf out = {0};
    const char *text = HEAD(17) "g (float[N] x) => (float[N] y) {\n"
                                "  a = com.microsoft.Gelu (x)\n  y = com.microsoft.Gelu "
                                "(a)\n}";
    verdict(text, RW_OK, true, &out);
    const char *warning = "g: warning: uses \"Gelu\" of com.microsoft, which it does not "
                          "import; the import is added\n";
    CU_ASSERT_STRING_EQUAL(buf_text(&out), warning);
    buf_free(&out);
    says(text, RW_WRONG,
         "g: node of \"a\" (Gelu): error: is of com.microsoft, which is not imported\n"
         "g: node of \"y\" (Gelu): error: is of com.microsoft, which is not imported\n");
}

void add_ir_verify_suite(void);
void add_ir_verify_suite(void) {
    CU_pSuite s = CU_add_suite("ir: verifying models", NULL, NULL);
    CU_ADD_TEST(s, a_right_model_gets_no_word);
    CU_ADD_TEST(s, a_constant_may_hold_any_type_at_any_opset);
    CU_ADD_TEST(s, arity_is_compared);
    CU_ADD_TEST(s, batch_normalization_gives_one_or_all);
    CU_ADD_TEST(s, operators_have_their_opset);
    CU_ADD_TEST(s, an_ir_version_of_the_future_is_told);
    CU_ADD_TEST(s, what_does_no_harm_is_said_once);
    CU_ADD_TEST(s, attributes_are_compared);
    CU_ADD_TEST(s, some_operators_let_any_attribute_pass);
    CU_ADD_TEST(s, types_are_compared);
    CU_ADD_TEST(s, bodies_fit_their_node);
    CU_ADD_TEST(s, values_of_attributes_have_a_range);
    CU_ADD_TEST(s, what_stands_together_is_looked_at);
    CU_ADD_TEST(s, functions_call_each_other_in_no_circle);
    CU_ADD_TEST(s, calls_fit_their_function);
    CU_ADD_TEST(s, other_domains_are_imported_when_missing);
}
