/* Rules of inference by family, with symbolic dimensions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "infer_kit.h"

/* The outputs of a graph as text, "float[b, 4] int64"; or the first message. */
static const char *inferred(const char *head, const char *text) {
    static char out[600];
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct buf b = {0}, whole = {0};
    buf_printf(&whole, "<ir_version: 10, opset_import: [%s]>\n%s", head, text);
    struct diag_source source = {.name = "t", .text = buf_text(&whole),
                                 .len = strlen(buf_text(&whole))};
    diag_init(&diags, &a);
    struct ir_model *m = ir_text_parse(&a, &source, &diags);
    if (m) ir_infer_model(m, &diags);
    for (uint32_t k = 0; m && k < m->main->outputs.len; k++) {
        if (k) buf_putc(&b, ' ');
        ir_value v = m->main->uses.at[m->main->outputs.at[k]].value;
        ir_type_print(m->dims, ir_val(m->main, v)->type, &b);
    }
    if (!m) diag_print_all(&diags, DIAG_ERROR, &b);
    snprintf(out, sizeof out, "%s", buf_text(&b));
    buf_free(&b);
    buf_free(&whole);
    arena_free(&a);
    return out;
}

static void check(const char *head, const char *text, const char *wanted) {
    const char *is = inferred(head, text);
    if (!rw_streq(is, wanted)) fprintf(stderr, "%s\n  is %s\n  not %s\n", text, is, wanted);
    CU_ASSERT_STRING_EQUAL(is, wanted);
}
#define ONNX(version, text, wanted) check("\"\" : " #version, text, wanted)
#define ML(text, wanted) check("\"\" : 18, \"ai.onnx.ml\" : 5", text, wanted)
#define MS(text, wanted) check("\"\" : 18, \"com.microsoft\" : 1", text, wanted)

static void signals_are_transformed(void) {
    ONNX(20, "g (float[b, n, 1] x) => (y) { y = DFT<onesided = 1>(x) }",
         "float[b, floor(n/2) + 1, 2]");
    ONNX(20, "g (float[b, n, 2] x) => (y) { y = DFT<onesided = 1, inverse = 1>(x) }",
         "float[b, 2*n - 2, 1]");
    ONNX(20, "g (float[b, n, 1] x) => (y) <int64 l = {16}, int64 a = {0}> "
             "{ y = DFT(x, l, a) }", "float[16, n, 2]");
    ONNX(17, "g (float[b, n, 2] x) => (y) { y = DFT(x) }", "float[b, n, 2]");
    ONNX(17, "g (float[b, 400, 1] x, float[100] w) => (y) <int64 s = {50}> "
             "{ y = STFT(x, s, w) }", "float[b, 7, 51, 2]");
    MS("g (float[b, n] x) => (y) { y = com.microsoft.Rfft"
       "<normalized = 0, onesided = 1, signal_ndim = 1>(x) }",
       "float[b, floor(n/2) + 1, 2]");
}

/* Padding as TensorFlow's "SAME" has it: what lies between the sizes is no integer. */
static void numbers_are_followed_through_float(void) {
    ONNX(17, "g (float[n, 1, 15, 2] x) => (y)"
             "<int64 axis = {2}, float two = {2}, float three = {3}, int64[1] at = {0}>"
             "{ s = Shape(x)  h = Gather(s, axis)  f = Cast<to = 1>(h)  half = Div(f, two)"
             "  up = Ceil(half)  twice = Mul(up, two)  over = Sub(twice, f)  some = Mul(over, three)"
             "  part = Div(some, two)  p = Cast<to = 7>(part)  q = Unsqueeze(p, at)"
             "  y = ConstantOfShape(q) }", "float[1]"); /* (2 * ceil(7.5) - 15) * 3 / 2 = 1.5 */
    ONNX(17, "g (float[n, 3] x) => (y) <int64[1] at = {1}, float scale = {2.5}>"
             "{ s = Shape(x)  h = Gather(s, at)  f = Cast<to = 1>(h)  m = Mul(f, scale)"
             "  r = Floor(m)  i = Cast<to = 7>(r)  y = ConstantOfShape(i) }", "float[7]");
    ONNX(17, "g (float[n, 3] x) => (y) <int64[1] at = {0}, float scale = {2.5}>"
             "{ s = Shape(x)  h = Gather(s, at)  f = Cast<to = 1>(h)  m = Mul(f, scale)"
             "  r = Floor(m)  i = Cast<to = 7>(r)  y = ConstantOfShape(i) }", "float[_1]");
}

static void images_are_put_together(void) {
    ONNX(20, "g (float[n, 2, 3] t) => (y) <int64[4] s = {1, 3, 8, 9}> "
             "{ y = AffineGrid(t, s) }", "float[n, 8, 9, 2]");
    ONNX(18, "g (float[n, 27, l] x) => (y) <int64[2] i = {5, 6}, int64[2] k = {3, 3}> "
             "{ y = Col2Im(x, i, k) }", "float[n, 3, 5, 6]");
    ONNX(18, "g (float[n, h, w] x) => (y) <int64[2] s = {7, 8}> "
             "{ y = CenterCropPad<axes = [1, -1]>(x, s) }", "float[n, 7, 8]");
    ONNX(11, "g (float[n, c, h, 4] x, int64[n, c, h, 4] i) => (y) "
             "{ y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(x, i) }",
         "float[n, c, 2*h, 8]");
    ONNX(19, "g (float[1, 1, 4, 8] x) => (y) <int64[2] s = {6, 8}> { y = Resize"
             "<axes = [2, 3], keep_aspect_ratio_policy = \"not_larger\">(x, , , s) }",
         "float[1, 1, 4, 8]");
}

static void losses_and_optimizers(void) {
    ONNX(13, "g (float[n, c, d] x, int64[n, d] t) => (l, p) "
             "{ l, p = SoftmaxCrossEntropyLoss<reduction = \"none\">(x, t) }",
         "float[n, d] float[n, c, d]");
    ONNX(13, "g (double[n, c] x, int64[n] t) => (l) "
             "{ l = NegativeLogLikelihoodLoss(x, t) }", "double");
    check("\"\" : 18, \"ai.onnx.preview.training\" : 1",
          "g (float r, int64 t, float[a] x, float[b] y, float[a] gx, float[b] gy, "
          "float[a] vx, float[b] vy, float[a] hx, float[b] hy) => (p, q, u, v, s, w) {"
          "p, q, u, v, s, w = ai.onnx.preview.training.Adam"
          "(r, t, x, y, gx, gy, vx, vy, hx, hy) }",
          "float[a] float[b] float[a] float[b] float[a] float[b]");
}

static void states_are_handed_on(void) {
    ONNX(27, "g (float[b, t, 32] q, float[b, t, 16] k, float[b, t, 8] v) => (y, s) "
             "{ y, s = LinearAttention<q_num_heads = 4, kv_num_heads = 2, "
             "update_rule = \"linear\">(q, k, v) }",
         "float[b, t, 16] float[b, 2, 8, 4]");
    ONNX(27, "g (float[b, c, t] x, float[c, 1, 4] w) => (y, s) "
             "{ y, s = CausalConvWithState(x, w) }", "float[b, c, t] float[b, c, 3]");
}

static void bodies_of_other_operators(void) {
    ONNX(8, "g (float[b, 2] i, float[b, n, 2] x) => (y, z) {"
            "  y, z = Scan(, i, x) <num_scan_inputs = 1, body = s (p, q) => (u, v) "
            "{ u = Add(p, q)  v = Concat<axis = 0>(u, u) }> }",
         "float[b, 2] float[b, n, 4]");
    ONNX(17, "g (float[4] x, float[4] y) => (z, e) { s = SequenceConstruct(x, y)"
             "  z = SequenceMap(s) <body = f (float[4] a) => (c) "
             "{ c = Concat<axis = 0>(a, a) }>  k = Constant<value_int = 0>()"
             "  e = SequenceAt(z, k) }",
         "seq(float[8]) float[8]");
}

static void sequences_say_what_is_common(void) {
    ONNX(18, "g (float[n, 4] x, float[m, 4] y) => (s, c) { s = SequenceConstruct(x, y)"
             "  c = ConcatFromSequence<axis = 1>(s) }", "seq(float[?, 4]) float[_1, _2]");
    ONNX(18, "g (float[n] x) => (o, e, h) { o = Optional(x)  e = OptionalGetElement(o)"
             "  h = OptionalHasElement(o) }", "optional(float[n]) float[n] bool");
}

static void a_known_condition_chooses_the_branch(void) {
    ONNX(18, "g (float[n, 4] x) => (y) <bool c = {1}> { y = If(c) "
             "<then_branch = t () => (a) { a = Relu(x) }, "
             "else_branch = e () => (b) { b = Concat<axis = 9>(x) }> }", "float[n, 4]");
}

static void learning_has_types(void) {
    ML("g (string[n] x) => (y) { y = ai.onnx.ml.LabelEncoder"
       "<keys_strings = [\"a\"], values_floats = [1.0]>(x) }", "float[n]");
    ML("g (int64[n] x) => (y) { y = ai.onnx.ml.OneHotEncoder<cats_int64s = [1, 2, 5]>(x) }",
       "float[n, 3]");
    ML("g (float[n, 2] x, float[n, w] z) => (y) "
       "{ y = ai.onnx.ml.FeatureVectorizer(x, z) }", "float[n, w + 2]");
    ML("g (string[n] x) => (y) { y = ai.onnx.ml.CategoryMapper<cats_int64s = [1], "
       "cats_strings = [\"a\"]>(x) }", "int64[n]");
}

static void contributed_operators_have_shapes(void) {
    MS("g (float[n, s, 64] x, float[64] b) => (y) "
       "{ y = com.microsoft.BiasSplitGelu(x, b) }",
       "float[n, s, 32]");
    MS("g (float[n, h, w, 3] x, float[8, 3, 3, 3] k) => (y) { y = com.microsoft.NhwcConv"
       "<pads = [1, 1, 1, 1]>(x, k) }", "float[n, h, w, 8]");
    MS("g (float[b, s, 6] x, int64[b] l) => (y, o, c, m) "
       "{ y, o, c, m = com.microsoft.RemovePadding(x, l) }",
       "float[_1, 6] int32[b, s] int32[b + 1] int32[1]");
    MS("g (float[n, 64] x, uint8[k] w, float[j] s) => (y) { y = com.microsoft.MatMulBnb4"
       "<K = 64, N = 10, block_size = 16, quant_type = 0>(x, w, s) }", "float[n, 10]");
}

static void lists_are_tiled_and_written_to(void) {
    struct kit k;
    kit_start(&k, 18);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch seq 8");
    ir_value shape = RUN(&k, "Shape", .nin = 1, .in = {x});
    kit_value(&k, RUN(&k, "Tile", .nin = 2, .in = {shape, INTS(&k, 2)}),
              "[batch, seq, 8, batch, seq, 8]");
    const int64_t place[] = {-1}, dims[] = {1, 1};
    ir_value at = ir_add_constant(k.g, "at", ir_tensor_new(&k.a, IR_INT64, 2, dims, place));
    kit_value(&k, RUN(&k, "ScatterND", .nin = 3, .in = {shape, at, INTS(&k, 12)}),
              "[batch, seq, 12]");
    kit_end(&k);
}

/* Inside of the convolution's reach there is nothing, so what is left is what it says. */
static void a_dimension_that_a_node_makes_is_not_negative(void) {
    ONNX(18, "g (float[b, 4, n] x, float[4, 4, 3] w) => (y) <int64[1] o = {1}, int64[1] i = "
             "{100000}, int64[1] a = {2}> { z = Conv(x, w) v = Slice(x, o, i, a)\n"
             "y = Concat<axis = 2>(z, v) }", "float[b, 4, n + min(n, 100000) - 3]");
    ONNX(18, "g (float[b, 4, n] x) => (y) <int64[1] o = {1}, int64[1] i = {100000}, "
             "int64[1] a = {2}> { y = Slice(x, o, i, a) }",
         "float[b, 4, max(-min(n, 1) + min(n, 100000), 0)]");
}

/* Expressions are believed where declarations are: not against what is computed. */
static void expressions_are_declared(void) {
    ONNX(18, "g (float[b, \"2*n\"] x, float[n] z) => (y) { y = Concat<axis = 0>(z, z) }",
         "float[2*n]");
    ONNX(18, "g (float[b, n] x) => (y) <float[\"n + 1\", b] t> { t = Transpose(x)\n"
             "y = Relu(t) }", "float[n, b]");
    ONNX(18, "g (float[b, n] x) => (y) <int64[2, \"b*n\"] t> { t = NonZero(x)\n"
             "y = Abs(t) }", "int64[2, b*n]");
    ONNX(18, "g (float[b, n] x, float[\"2*n\", m] w) => (y) { y = MatMul(x, w) }",
         "float[b, m]");
    ONNX(18, "g (float[b, n] x, float[\"n + 1\", m] w) => (y) { y = MatMul(x, w) }",
         "float[b, m]");
}

void add_ir_infer_more_suite(void);
void add_ir_infer_more_suite(void) {
    CU_pSuite s = CU_add_suite("ir_infer_more", NULL, NULL);
    CU_ADD_TEST(s, signals_are_transformed);
    CU_ADD_TEST(s, numbers_are_followed_through_float);
    CU_ADD_TEST(s, images_are_put_together);
    CU_ADD_TEST(s, losses_and_optimizers);
    CU_ADD_TEST(s, states_are_handed_on);
    CU_ADD_TEST(s, bodies_of_other_operators);
    CU_ADD_TEST(s, sequences_say_what_is_common);
    CU_ADD_TEST(s, a_known_condition_chooses_the_branch);
    CU_ADD_TEST(s, learning_has_types);
    CU_ADD_TEST(s, contributed_operators_have_shapes);
    CU_ADD_TEST(s, lists_are_tiled_and_written_to);
    CU_ADD_TEST(s, a_dimension_that_a_node_makes_is_not_negative);
    CU_ADD_TEST(s, expressions_are_declared);
}
