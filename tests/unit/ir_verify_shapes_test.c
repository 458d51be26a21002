/* What single operators ask of shapes and lists, said by inference or by the verifier.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

#include <CUnit/Basic.h>

#define HEAD                                                                               \
    "<ir_version: 10, opset_import: [\"\" : 28, \"ai.onnx.ml\" : 4, "                      \
    "\"ai.onnx.preview\" : 1]>\n"

/* All errors of a model given as text must be the one wanted, "" for none. */
static void says(const char *graph, const char *wanted) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct buf text = {0}, out = {0};
    buf_printf(&text, HEAD "%s", graph);
    struct diag_source source = {"test", buf_text(&text), strlen(buf_text(&text))};
    diag_init(&diags, &a);
    struct ir_model *m = ir_text_parse(&a, &source, &diags);
    CU_ASSERT_PTR_NOT_NULL(m);
    if (m) {
        ir_infer_strictly(m, &diags);
        ir_verify_model(m, &diags);
    }
    diag_print_all(&diags, DIAG_ERROR, &out);
    CU_ASSERT_STRING_EQUAL(buf_text(&out), wanted);
    if (!rw_streq(buf_text(&out), wanted))
        printf("\nsaid: %swanted: %s", buf_text(&out), wanted);
    buf_free(&out);
    buf_free(&text);
    arena_free(&a);
}

static void the_past_of_attention_is_like_its_keys_and_values(void) {
#define ATTENTION(past)                                                                    \
    "g (float[2, 3, 4, 8] q, float[2, 3, 6, 8] k, float[2, 3, 6, 10] v,\n"                 \
    "   float[2, 3, 12, 8] pk, float[2, 3, 12, 10] pv)\n"                                  \
    "  => (float[2, 3, 4, 10] y, float[2, 3, 18, 8] nk, float[2, 3, 18, 10] nv) {\n"       \
    "  y, nk, nv = Attention (q, k, v, , " past ")\n}"
    says(ATTENTION("pk, pv"), "");
    says(ATTENTION("pv, pk"),
         "g: node of \"y\" (Attention): error: dimensions and those of the past do not "
         "agree: 8 and 10\n");
}

static void a_body_of_flex_attention_gives_the_scores_back(void) {
#define FLEX(outputs, body)                                                                \
    "g (float[2, 3, 4, 8] q, float[2, 3, 6, 8] k, float[2, 3, 6, 5] v)\n"                  \
    "  => (float[2, 3, 4, 5] y) {\n"                                                       \
    "  y = ai.onnx.preview.FlexAttention <score_mod = b (s) => (" outputs ") {" body "}> " \
    "(q, k, v)\n}"
    says(FLEX("t", "t = Relu (s)"), "");
    says(FLEX("t, u", "t = Relu (s) u = Neg (s)"),
         "g: node of \"y\" (FlexAttention): error: body \"score_mod\" has 2 outputs, "
         "wanted 1\n");
    says(FLEX("t", "t = Transpose <perm = [0, 1, 3, 2]> (s)"),
         "g: node of \"y\" (FlexAttention): error: dimensions of scores do not agree: 6 "
         "and 4\n");
    says(FLEX("t", "t = Cast <to = 11> (s)"),
         "g: node of \"y\" (FlexAttention): error: body \"score_mod\" gives double, wanted "
         "float\n");
}

static void a_causal_convolution_is_depthwise(void) {
#define CAUSAL(weight)                                                                     \
    "g (float[N, 4, L] x, float" weight " w) => (float[N, 4, L] y) {\n"                    \
    "  y, s = CausalConvWithState (x, w)\n}"
    says(CAUSAL("[4, 1, 3]"), "");
    says(CAUSAL("[4, 3, 1]"),
         "g: node of \"y\" (CausalConvWithState): error: dimension 1 of the weight and 1 "
         "do not agree: 3 and 1\n");
    says(CAUSAL("[5, 1, 3]"),
         "g: node of \"y\" (CausalConvWithState): error: the channels of input and weight "
         "do not agree: 4 and 5\n");
}

static void operands_of_a_gate_do_not_broadcast(void) {
    says("g (float[N, 4] a, float[N, 4] b) => (float[N, 4] y) { y = SwiGLU (a, b) }", "");
    says("g (float[N, 4] a, float[4] b) => (float[N, 4] y) { y = SwiGLU (a, b) }",
         "g: node of \"y\" (SwiGLU): error: the operands have ranks 2 and 1, wanted the "
         "same\n");
}

static void axes_of_a_slice_are_of_its_operand(void) {
    says("g (float[N] x) => (float[M] y) {\n"
         "  a = Constant <value_ints = [0]> ()\n  b = Constant <value_ints = [1]> ()\n"
         "  y = Slice (x, a, b, b)\n}",
         "g: node of \"y\" (Slice): error: axis 1 is not of a tensor of rank 1\n");
}

static void keys_and_values_are_as_many(void) {
#define ENCODER(values)                                                                    \
    "g (string[N] x) => (int64[N] y) {\n"                                                  \
    "  y = ai.onnx.ml.LabelEncoder <keys_strings = [\"a\", \"b\"]" values "> (x)\n}"
    says(ENCODER(", values_int64s = [1, 2]"), "");
    says(ENCODER(", values_int64s = [1, 2], values_floats = []"), "");
    says(ENCODER(", values_int64s = [1]"),
         "g: node of \"y\" (LabelEncoder): error: attribute \"values_int64s\" has 1 items, "
         "wanted 2 as \"keys_strings\"\n");
    says(ENCODER(", values_int64s = [1, 2], values_floats = [1.0, 2.0]"),
         "g: node of \"y\" (LabelEncoder): error: has both \"values_int64s\" and "
         "\"values_floats\", wanted one of them\n");
}

static void branches_give_one_type(void) {
    says("g (bool c, float[2] x) => (float[2] y) {\n"
         "  y = If <then_branch = t () => (a) { a = Relu (x) },\n"
         "          else_branch = e () => (b) { b = Cast <to = 7> (x) }> (c)\n}",
         "g: node of \"y\" (If): error: output 0 is float or int64, wanted one type\n");
}

void add_ir_verify_shapes_suite(void);
void add_ir_verify_shapes_suite(void) {
    CU_pSuite s = CU_add_suite("ir: verifying shapes of operators", NULL, NULL);
    CU_ADD_TEST(s, the_past_of_attention_is_like_its_keys_and_values);
    CU_ADD_TEST(s, a_body_of_flex_attention_gives_the_scores_back);
    CU_ADD_TEST(s, a_causal_convolution_is_depthwise);
    CU_ADD_TEST(s, operands_of_a_gate_do_not_broadcast);
    CU_ADD_TEST(s, axes_of_a_slice_are_of_its_operand);
    CU_ADD_TEST(s, keys_and_values_are_as_many);
    CU_ADD_TEST(s, branches_give_one_type);
}
