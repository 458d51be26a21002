/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include <CUnit/Basic.h>

static void a_diagnostic_shows_line_and_caret(void) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink sink;
    diag_init(&sink, &a);
    const char *text = "rule r:\n\tAdd(x, y) => x\n";
    struct diag_source src = {"p.rules", text, strlen(text)};
    diag_at(&sink, DIAG_ERROR, (struct span){&src, 16, 17}, "\"%s\" is not used", "y");
    diag_id(&sink, 40);
    diag_at(&sink, DIAG_HELP, (struct span){&src, 16, 17}, "write \"_\"");
    struct buf out = {0};
    diag_print_all(&sink, DIAG_WARNING, &out);
    CU_ASSERT_STRING_EQUAL(buf_text(&out),
                           "p.rules:2:9: error: \"y\" is not used [R040]\n"
                           "    2 |  Add(x, y) => x\n"
                           "      |         ^\n"
                           "p.rules:2:9: help: write \"_\"\n");
    buf_free(&out);
    arena_free(&a);
}

static void errors_beyond_the_limit_are_counted(void) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink sink;
    diag_init(&sink, &a);
    sink.error_limit = 2;
    for (int i = 0; i < 5; i++) diag_where(&sink, DIAG_ERROR, "m.onnx", "no %d", i);
    struct buf out = {0};
    diag_print_all(&sink, DIAG_WARNING, &out);
    CU_ASSERT_STRING_EQUAL(buf_text(&out), "m.onnx: error: no 0\nm.onnx: error: no 1\n"
                                           "error: 3 more errors not shown\n");
    buf_free(&out);
    arena_free(&a);
}

static void the_nearest_word_is_found(void) {
    const char *const words[] = {"keepdims", "axes", "noop_with_empty_axes"};
    CU_ASSERT_PTR_EQUAL(diag_nearest("keepdim", words, 3), words[0]);
    CU_ASSERT_PTR_EQUAL(diag_nearest("axis", words, 3), words[1]);
    CU_ASSERT_PTR_NULL(diag_nearest("epsilon", words, 3));
}

static void case_and_neighbours_count_little(void) {
    const char *const ops[] = {"Celu", "Elu", "Relu", "Neg", "Gelu", "x"};
    CU_ASSERT_PTR_EQUAL(diag_nearest("relu", ops, 6), ops[2]);
    CU_ASSERT_PTR_EQUAL(diag_nearest("GELU", ops, 6), ops[4]);
    CU_ASSERT_PTR_EQUAL(diag_nearest("Nge", ops, 6), ops[3]);
    CU_ASSERT_PTR_EQUAL(diag_nearest("X", ops, 6), ops[5]);
    CU_ASSERT_PTR_NULL(diag_nearest("z", ops, 6));
    CU_ASSERT_PTR_NULL(diag_nearest("Gne", ops, 6));
}

static void floats_print_shortest(void) {
    struct buf b = {0};
    buf_float(&b, 0.1f);
    buf_putc(&b, ' ');
    buf_double(&b, 0.1);
    buf_putc(&b, ' ');
    buf_float(&b, 1e-12f);
    buf_putc(&b, ' ');
    buf_quote(&b, "a\"\\\n\x01");
    CU_ASSERT_STRING_EQUAL(buf_text(&b), "0.1 0.1 1e-12 \"a\\\"\\\\\\n\\x01\"");
    buf_free(&b);
}

void add_base_diag_suite(void);
void add_base_diag_suite(void) {
    CU_pSuite s = CU_add_suite("base: diagnostics and text", NULL, NULL);
    CU_ADD_TEST(s, a_diagnostic_shows_line_and_caret);
    CU_ADD_TEST(s, errors_beyond_the_limit_are_counted);
    CU_ADD_TEST(s, the_nearest_word_is_found);
    CU_ADD_TEST(s, case_and_neighbours_count_little);
    CU_ADD_TEST(s, floats_print_shortest);
}
