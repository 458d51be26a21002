/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/text.h"

#include <CUnit/Basic.h>
#include <stdio.h>

/* Parses, prints in full; "" and the diagnostics in *errors when it does not parse. */
static char *again(struct arena *a, const char *text, const char **errors) {
    struct diag_sink sink;
    struct diag_source *source = arena_new(a, struct diag_source);
    struct buf out = {0};
    *source = (struct diag_source){"t.txt", text, strlen(text)};
    diag_init(&sink, a);
    struct ir_model *m = ir_text_parse(a, source, &sink);
    diag_print_all(&sink, DIAG_WARNING, &out);
    if (errors) *errors = arena_strdup(a, buf_text(&out));
    out.len = 0;
    if (m) ir_text_print(m, &(struct ir_text_options){.all = true}, &out);
    char *printed = arena_strndup(a, buf_text(&out), out.len);
    buf_free(&out);
    return printed;
}

static void expect_same(const char *text) {
    struct arena a = ARENA_EMPTY;
    const char *errors;
    const char *printed = again(&a, text, &errors);
    if (!rw_streq(printed, text))
        printf("\n--- wanted\n%s--- got\n%s%s", text, printed, errors);
    CU_ASSERT_STRING_EQUAL(printed, text);
    arena_free(&a);
}

static void expect_print(const char *text, const char *wanted) {
    struct arena a = ARENA_EMPTY;
    const char *errors;
    const char *printed = again(&a, text, &errors);
    if (!rw_streq(printed, wanted))
        printf("\n--- wanted\n%s--- got\n%s%s", wanted, printed, errors);
    CU_ASSERT_STRING_EQUAL(printed, wanted);
    CU_ASSERT_STRING_EQUAL(again(&a, printed, NULL), printed);
    arena_free(&a);
}

static void expect_error(const char *text, const char *wanted) {
    struct arena a = ARENA_EMPTY;
    const char *errors;
    const char *printed = again(&a, text, &errors);
    CU_ASSERT_STRING_EQUAL(printed, "");
    if (!rw_streq(errors, wanted)) printf("\n--- wanted\n%s--- got\n%s", wanted, errors);
    CU_ASSERT_STRING_EQUAL(errors, wanted);
    arena_free(&a);
}

#define HEADER "<\n   ir_version: 8,\n   opset_import: [\"\" : 17]\n>\n"

static void a_model_prints_as_it_was_written(void) {
    expect_same(
        "<\n   ir_version: 10,\n   opset_import: [\"\" : 18, \"com.microsoft\" : 1],\n"
        "   producer_name: \"p \\\"q\\\"\",\n   producer_version: \"1\",\n"
        "   domain: \"d\",\n   model_version: 7,\n   doc_string: \"two\nlines\",\n"
        "   metadata_props: [\"a\": \"b\", \"c\": \"\"]\n>\n"
        "\"main graph\" (float[N, 3] x, int64[] idx, float s) => (float[N, 3] y)\n"
        "   <float[3] w = {1, 2.5, -0},\n"
        "    float[?, 3] t>\n"
        "{\n"
        "   [\"/layer.0/Add\"] t = Add (x, w)\n"
        "   u, \"\", v = com.microsoft.Thing <\"a b\" = 1, k = \"s\"> (t, \"\", s)\n"
        "   y = Gather <axis = 0> (u, idx)\n"
        "}\n");
}

static void attributes_keep_type_and_value(void) {
    expect_same(HEADER
                "g (float[2] x) => (float[2] y) {\n"
                "   a = Elu <alpha = 1.0> (x)\n"
                "   b = Elu <alpha: int = 1> (a)\n"
                "   y = Op <e: ints = [], f = 1e-12, fs = [1.0, inf, -2.5], i = -3, is = [1, -2],"
                " s = \"a\\\\b\", ss = [\"x\", \"\"], h = x\"610062\", t = float16[2] {15360, 31744},"
                " tp: type_proto = seq(float[N]), ts = [int64 {5}, string[1] {\"q\"}], z = -0.0, n = nan> (b)\n"
                "}\n");
}

static void constants_of_every_type_survive(void) {
    expect_same(HEADER
                "g () => ()\n"
                "   <float[4] f = {nan, -nan, nan(0x7fa00001), inf},\n"
                "    double[2] d = {0.1, nan(0x7ff4000000000001)},\n"
                "    int8[2] i8 = {-128, 127},\n"
                "    uint8[1] u8 = {255},\n"
                "    int64[2] i64 = {-9223372036854775808, 9223372036854775807},\n"
                "    uint64[1] u64 = {18446744073709551615},\n"
                "    bool[2] b = {0, 1},\n"
                "    bfloat16[1] bf = {16256},\n"
                "    float8e4m3fn[3] f8 = {1, 2, 255},\n"
                "    int4[3] i4 = {-8, 7, -1},\n"
                "    uint4[2] u4 = {15, 0},\n"
                "    float6e2m3[5] f6 = {8, 33, 31, 20, 63},\n"
                "    complex64[1] c = {1.5, -2},\n"
                "    string[2] s = {\"a\", \"b\\\"\"},\n"
                "    float[0] none = {},\n"
                "    float scalar = {2}>\n"
                "{\n"
                "}\n");
}

static void bodies_capture_outer_values(void) {
    expect_same(HEADER
                "g (float[2] x, bool c) => (float[2] y) {\n"
                "   r = Relu (x)\n"
                "   y = If (c) <then_branch = t () => (float[2] to) {\n"
                "         to = Identity (r)\n"
                "      }, else_branch = e () => (eo) {\n"
                "         z = If (c) <then_branch = t2 () => (r) {\n"
                "            }, else_branch = e2 () => (n) {\n"
                "               n = Neg (x)\n"
                "            }>\n"
                "         eo = Abs (z)\n"
                "      }>\n"
                "}\n");
}

static void names_of_bodies_give_way(void) {
    expect_print("<ir_version: 8, opset_import: [\"\" : 17]> g (bool c, float[1] x) => (y) {\n"
                 "a = If(c) <then_branch = t () => (y) { x = Op() y = Op(x) },"
                 " else_branch = e () => (y) { y = Op() }> y = Op(a, x) }",
                 HEADER "g (bool c, float[1] x) => (y) {\n"
                        "   a = If (c) <then_branch = t () => (y) {\n"
                        "         x_1 = Op ()\n"
                        "         y = Op (x_1)\n"
                        "      }, else_branch = e () => (y) {\n"
                        "         y = Op ()\n"
                        "      }>\n"
                        "   y = Op (a, x)\n"
                        "}\n");
}

static void messages_without_a_spelling_are_bytes(void) {
    expect_same(HEADER "g (x) => (y) {\n"
                       "   y = Op <s: type_protos = x\"0a0173a0010e\"> (x)\n}\n");
    expect_error("g () => () { = Op <s: type_protos = x\"ffff\"> () }",
                 "t.txt:1:37: error: bytes that are no attribute message of type type_protos\n"
                 "    1 | g () => () { = Op <s: type_protos = x\"ffff\"> () }\n"
                 "      |                                     ^~~~~~~\n");
    expect_error("g () => () { = Op <s: type_proto = x\"0a0173\"> () }",
                 "t.txt:1:36: error: bytes that are no attribute message of type type_proto\n"
                 "    1 | g () => () { = Op <s: type_proto = x\"0a0173\"> () }\n"
                 "      |                                    ^~~~~~~~~\n");
}

static void functions_are_kept(void) {
    expect_same(HEADER
                "g (float[3] x) => (float[3] y) {\n"
                "   y = my.dom.Shift:two (x)\n"
                "}\n"
                "\n<\n   domain: \"my.dom\",\n   overload: \"two\",\n"
                "   opset_import: [\"\" : 18]\n>\n"
                "Shift <k, m = [1, 2], s = \"x\"> (a) => (b) {\n"
                "   t = Constant <value_int: int = @k> ()\n"
                "   b = Add (a, t)\n"
                "}\n");
}

static void types_other_than_tensors_are_kept(void) {
    expect_same(HEADER
                "g (seq(float[N]) a, optional(seq(int64[])) b, map(string, float) c,"
                " sparse_tensor(float[2, 3]) d, opaque() e, \"float\") => () {\n"
                "}\n");
}

static void external_data_is_a_reference(void) {
    expect_same(HEADER
                "g () => ()\n"
                "   <float[1024] w = [\"location\": \"sub/w.bin\", \"offset\": \"64\","
                " \"length\": \"4096\"]>\n"
                "{\n"
                "   a = Constant <value = float[9] = [\"location\": \"w\", \"offset\": \"0\","
                " \"length\": \"36\"]> ()\n"
                "}\n");
}

static void the_loose_form_is_completed(void) {
    expect_print("(float[2] x) => (y) { # a comment\n"
                 " y = Elu(x) <alpha = 2>; z = com.microsoft.Gelu(y)\n"
                 " c = Constant <value = {1, 2}> d = Constant <value = {1, 2.5}> () }",
                 "<\n   ir_version: 14,\n   opset_import: [\"\" : 28, \"com.microsoft\" : 1]\n>\n"
                 "\"\" (float[2] x) => (y) {\n"
                 "   y = Elu <alpha = 2.0> (x)\n"
                 "   z = com.microsoft.Gelu (y)\n"
                 "   c = Constant <value = int64[2] {1, 2}> ()\n"
                 "   d = Constant <value = float[2] {1, 2.5}> ()\n"
                 "}\n");
    expect_print("<ir_version: 8, opset_import: [\"\" : 17]> g () => () {= Op <a = seq(float)>}",
                 HEADER "g () => () {\n   = Op <a: type_proto = seq(float)> ()\n}\n");
    expect_print("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1] x = {3}, half)\n"
                 "=> (float16[2] h) <float16[2] h = {1.0, -0.5}> {}",
                 HEADER "g (float[1] x, half) => (float16[2] h)\n"
                        "   <float[1] x = {3},\n    float16[2] h = {15360, 47104}>\n{\n}\n");
}

static void elements_may_repeat(void) {
    expect_print("<ir_version: 8, opset_import: [\"\" : 17]> g () => ()\n"
                 "<float[5] a = {1, 2, ...}, int4[2, 2] b = {-8, 7, 1, ...}, string[2] c = {\"x\", ...},\n"
                 " complex64[2] d = {1, 2, ...}, float[2] e = {1, 2, ...}> {}",
                 HEADER "g () => ()\n"
                        "   <float[5] a = {1, 2, 1, 2, 1},\n"
                        "    int4[2, 2] b = {-8, 7, 1, -8},\n"
                        "    string[2] c = {\"x\", \"x\"},\n"
                        "    complex64[2] d = {1, 2, 1, 2},\n"
                        "    float[2] e = {1, 2}>\n{\n}\n");
    expect_error("g () => () <float[1] a = {1, 2, ...}> {}",
                 "t.txt:1:22: error: 2 elements where the type has 1\n"
                 "    1 | g () => () <float[1] a = {1, 2, ...}> {}\n"
                 "      |                      ^\n");
    expect_error("g () => () <float[99999999] a = {1, ...}> {}",
                 "t.txt:1:29: error: more than 16777216 elements by \"...\"\n"
                 "    1 | g () => () <float[99999999] a = {1, ...}> {}\n"
                 "      |                             ^\n");
}

static void errors_have_place_and_remedy(void) {
    expect_error("g (float[2] x) => (y) {\n  y = Relu(xx)\n}",
                 "t.txt:2:12: error: \"xx\" is not defined in front of this place\n"
                 "    2 |   y = Relu(xx)\n      |            ^~\n"
                 "t.txt:2:12: help: did you mean \"x\"?\n");
    expect_error("g (float[2] x) => (y) {\n  y = Relu(x\n}",
                 "t.txt:3:1: error: \"}\" where \",\" or \")\" behind an operand was expected\n"
                 "    3 | }\n      | ^\n");
    expect_error("g (float[-2] x) => (x) {}",
                 "t.txt:1:10: error: a dimension of -2, below 0\n"
                 "    1 | g (float[-2] x) => (x) {}\n      |          ^~\n");
    expect_error("g () => (y) { x = Op() x = Op() }",
                 "t.txt:1:24: error: \"x\" is defined twice\n"
                 "    1 | g () => (y) { x = Op() x = Op() }\n      |                        ^\n"
                 "t.txt:1:15: note: the first definition\n"
                 "    1 | g () => (y) { x = Op() x = Op() }\n      |               ^\n");
    expect_error("g () => (y) {}",
                 "t.txt:1:10: error: no node makes the output \"y\"\n"
                 "    1 | g () => (y) {}\n      |          ^\n");
    expect_error("g () => () <float[3] w = {1, 2}> {}",
                 "t.txt:1:22: error: 2 elements where the type has 3\n"
                 "    1 | g () => () <float[3] w = {1, 2}> {}\n      |                      ^\n");
    expect_error("g () => () <float[9] w = ...> {}",
                 "t.txt:1:26: error: the values of this constant are left out of the text\n"
                 "    1 | g () => () <float[9] w = ...> {}\n      |                          ^~~\n"
                 "t.txt:1:26: help: print the model with --all\n");
    expect_error("<ir_versoin: 8> g () => () {}",
                 "t.txt:1:2: error: no field \"ir_versoin\" in a header\n"
                 "    1 | <ir_versoin: 8> g () => () {}\n      |  ^~~~~~~~~~\n"
                 "t.txt:1:2: help: did you mean \"ir_version\"?\n");
    expect_error("g () => () <int8[1] w = {128}> {}",
                 "t.txt:1:26: error: a number that int8 cannot hold\n"
                 "    1 | g () => () <int8[1] w = {128}> {}\n      |                          ^~~\n");
    expect_error("g () => () { \"a",
                 "t.txt:1:14: error: a text in quotes that does not end\n"
                 "    1 | g () => () { \"a\n      |              ^\n");
    expect_error("g () => () <float[1] w = [\"location\": \"../w\"]> {}",
                 "t.txt:1:39: error: a location outside of the model's folder\n"
                 "    1 | g () => () <float[1] w = [\"location\": \"../w\"]> {}\n"
                 "      |                                       ^~~~~~\n");
}

/* Text nested `depth` deep around a core; its errors. */
static const char *nested(struct arena *a, const char *head, const char *open,
                          uint32_t depth, const char *core, const char *close,
                          const char *tail) {
    struct buf b = {0};
    buf_puts(&b, head);
    for (uint32_t i = 0; i < depth; i++) buf_puts(&b, open);
    buf_puts(&b, core);
    for (uint32_t i = 0; i < depth; i++) buf_puts(&b, close);
    buf_puts(&b, tail);
    const char *errors;
    again(a, arena_strndup(a, buf_text(&b), b.len), &errors);
    buf_free(&b);
    return errors;
}

static void nesting_is_limited(void) {
    struct arena a = ARENA_EMPTY;
    const char *e = nested(&a, "g (", "seq(", 100000, "float", ")", " x) => () {}");
    CU_ASSERT_PTR_NOT_NULL(strstr(e, "error: types nested deeper than 32"));
    e = nested(&a, "g () => () {", "= Op<b = g () => () {", 100000, "", "}>()", "}");
    CU_ASSERT_PTR_NOT_NULL(strstr(e, "error: graphs nested deeper than 64"));
    e = nested(&a, "g () => () {", "= Op<b = g () => () {", 30, "", "}>()", "}");
    CU_ASSERT_STRING_EQUAL(e, "");
    arena_free(&a);
}

/* Every prefix of a text, and it with one byte changed, is read or refused. */
static void damaged_text_is_harmless(void) {
    const char *text = HEADER "g (float[N, 3] x, seq(int64) q) => (float y)\n"
                              "<float16[3] w = {1, 2.5, nan}, int4[3] k = {1, 2, 3}> {\n"
                              "[l] a, b = c.D <i: int = 1, f = [1.0, 2], t = {1, 2}, g = h () => (o)"
                              " { o = Add(w, x) }> (x, \"\", w)\n y = If(a) }\n"
                              "<domain: \"d\", opset_import: [\"\" : 18]> F <k> (a) => (b) "
                              "{ b = Op <z: int = @k, h = x\"00\"> (a) }";
    struct arena a = ARENA_EMPTY;
    size_t len = strlen(text);
    CU_ASSERT_STRING_NOT_EQUAL(again(&a, text, NULL), "");
    uint32_t refused = 0;
    for (size_t i = 0; i < len; i++) {
        struct arena_mark mark = arena_mark(&a);
        refused += *again(&a, arena_strndup(&a, text, i), NULL) == 0;
        char *other = arena_strdup(&a, text);
        for (const char *c = "\"(<x0-\n"; *c; c++) other[i] = *c, again(&a, other, NULL);
        arena_reset(&a, mark);
    }
    CU_ASSERT(refused > len / 2);
    arena_free(&a);
}

void add_ir_text_suite(void);
void add_ir_text_suite(void) {
    CU_pSuite s = CU_add_suite("ir: ONNX text", NULL, NULL);
    CU_ADD_TEST(s, a_model_prints_as_it_was_written);
    CU_ADD_TEST(s, attributes_keep_type_and_value);
    CU_ADD_TEST(s, constants_of_every_type_survive);
    CU_ADD_TEST(s, bodies_capture_outer_values);
    CU_ADD_TEST(s, names_of_bodies_give_way);
    CU_ADD_TEST(s, messages_without_a_spelling_are_bytes);
    CU_ADD_TEST(s, functions_are_kept);
    CU_ADD_TEST(s, types_other_than_tensors_are_kept);
    CU_ADD_TEST(s, external_data_is_a_reference);
    CU_ADD_TEST(s, the_loose_form_is_completed);
    CU_ADD_TEST(s, elements_may_repeat);
    CU_ADD_TEST(s, errors_have_place_and_remedy);
    CU_ADD_TEST(s, nesting_is_limited);
    CU_ADD_TEST(s, damaged_text_is_harmless);
}
