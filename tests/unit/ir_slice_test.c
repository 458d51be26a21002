/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir.h"

#include <CUnit/Basic.h>
#include <stdio.h>

struct kit {
    struct arena a;
    struct diag_sink diags;
    struct ir_model *m;
    struct ir_graph *g;
    struct ir_numbering numbers;
};

static void start(struct kit *k, const char *text) {
    *k = (struct kit){.a = ARENA_EMPTY};
    struct diag_source *source = arena_new(&k->a, struct diag_source);
    *source = (struct diag_source){"t.txt", text, strlen(text)};
    diag_init(&k->diags, &k->a);
    k->m = ir_text_parse(&k->a, source, &k->diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(k->m);
    k->g = k->m->main;
    ir_numbering_init(&k->numbers, &k->a);
}

static ir_node producer(const struct kit *k, const char *value) {
    return ir_val(k->g, ir_find_value(k->g, value))->producer;
}

/* The packed slice, read again, as text. */
static void expect(struct kit *k, const struct ir_slice *s, const struct ir_slice_ports *p,
                   const char *wanted) {
    const char *why = "";
    struct buf bytes = {0}, text = {0};
    CU_ASSERT_FATAL(ir_slice_pack(s, p, &bytes, &why));
    struct ir_model *m =
        ir_model_read_bytes(&k->a, bytes.at, bytes.len, "slice", NULL, &k->diags);
    diag_print_all(&k->diags, DIAG_WARNING, &text);
    if (m) ir_text_print(m, &(struct ir_text_options){.all = true}, &text);
    CU_ASSERT_STRING_EQUAL(buf_text(&text), wanted);
    if (!rw_streq(buf_text(&text), wanted))
        printf("\n--- wanted\n%s--- got\n%s", wanted, buf_text(&text));
    buf_free(&text);
    if (m) ir_model_close(m);
    buf_free(&bytes);
}

static void a_slice_is_a_model_whose_values_have_numbers(void) {
    struct kit k;
    start(&k, "<ir_version: 8, opset_import: [\"\" : 17]>\n"
              "g (float[n, 4] x, float[4] b) => (float[n, 4] y)\n"
              "{ t = Mul(x, b) u = Relu(t) y = Add(u, b) }");
    const int64_t dims[] = {3, 4}, one[] = {4};
    const float bias[] = {1, 2, 3, 4};
    struct ir_tensor *t = ir_tensor_new(&k.a, IR_FLOAT, 1, one, bias);
    ir_value x = ir_find_value(k.g, "x"), b = ir_find_value(k.g, "b");
    struct ir_slice *s = ir_slice_new(&k.a, k.g, &k.numbers, 0);
    ir_slice_add(s, producer(&k, "u"));
    ir_slice_add(s, producer(&k, "y"));
    ir_slice_add_front(s, producer(&k, "t"));
    struct ir_slice_input in = {x, IR_FLOAT, 2, dims};
    struct ir_slice_constant c = {b, t};
    struct ir_slice_output out = {ir_find_value(k.g, "y"), "result"};
    struct ir_slice_ports ports = {1, 1, 1, &in, &c, &out};
    expect(&k, s, &ports,
           "<\n   ir_version: 8,\n   opset_import: [\"\" : 17]\n>\n"
           "slice (float[3, 4] \"#4\") => (result)\n"
           "   <float[4] \"#2\" = {1, 2, 3, 4}>\n"
           "{\n   \"#0\" = Mul (\"#4\", \"#2\")\n   \"#1\" = Relu (\"#0\")\n"
           "   \"#3\" = Add (\"#1\", \"#2\")\n   result = Identity (\"#3\")\n}\n");
    arena_free(&k.a);
}

static void nodes_stay_in_it_when_they_are_gone(void) {
    struct kit k;
    start(&k, "<ir_version: 8, opset_import: [\"\" : 17]>\n"
              "g (float[n] x) => (float[n] y) { t = Neg(x) y = Neg(t) }");
    ir_value x = ir_find_value(k.g, "x"), y = ir_find_value(k.g, "y");
    struct ir_slice *s = ir_slice_new(&k.a, k.g, &k.numbers, 13);
    ir_slice_add(s, producer(&k, "t"));
    ir_slice_add(s, producer(&k, "y"));
    ir_node last = producer(&k, "y"), first = producer(&k, "t");
    ir_mark(k.m);
    ir_detach_output(k.g, last, 0);
    ir_remove_node(k.g, last);
    ir_remove_node(k.g, first);
    const int64_t dims[] = {2};
    struct ir_slice_input in = {x, IR_FLOAT, 1, dims};
    struct ir_slice_output out = {y, "o"};
    struct ir_slice_ports ports = {1, 0, 1, &in, NULL, &out};
    expect(&k, s, &ports,
           "<\n   ir_version: 8,\n   opset_import: [\"\" : 13]\n>\n"
           "slice (float[2] \"#0\") => (o) {\n"
           "   \"#1\" = Neg (\"#0\")\n   \"#2\" = Neg (\"#1\")\n"
           "   o = Identity (\"#2\")\n}\n");
    arena_free(&k.a);
}

static void bodies_see_outer_values_by_their_names(void) {
    struct kit k;
    start(&k, "<ir_version: 8, opset_import: [\"\" : 17]>\n"
              "g (bool c, float[2] x) => (float[2] y)\n"
              "{ y = If(c) <then_branch = a () => (float[2] p) { p = Neg(x) },\n"
              "             else_branch = b () => (float[2] q) { q = Abs(x) }> }");
    struct ir_slice *s = ir_slice_new(&k.a, k.g, &k.numbers, 0);
    ir_slice_add(s, producer(&k, "y"));
    const int64_t dims[] = {2};
    struct ir_slice_input in[] = {{ir_find_value(k.g, "c"), IR_BOOL, 0, dims},
                                  {ir_find_value(k.g, "x"), IR_FLOAT, 1, dims}};
    struct ir_slice_output out = {ir_find_value(k.g, "y"), "o"};
    struct ir_slice_ports ports = {2, 0, 1, in, NULL, &out};
    expect(&k, s, &ports,
           "<\n   ir_version: 8,\n   opset_import: [\"\" : 17]\n>\n"
           "slice (bool \"#1\", float[2] \"#0\") => (o) {\n"
           "   x = Identity (\"#0\")\n"
           "   \"#2\" = If (\"#1\") <then_branch = a () => (float[2] p) {\n"
           "         p = Neg (x)\n"
           "      }, else_branch = b () => (float[2] q) {\n"
           "         q = Abs (x)\n"
           "      }>\n"
           "   o = Identity (\"#2\")\n}\n");
    arena_free(&k.a);
}

void add_ir_slice_suite(void);
void add_ir_slice_suite(void) {
    CU_pSuite s = CU_add_suite("ir_slice", NULL, NULL);
    CU_ADD_TEST(s, a_slice_is_a_model_whose_values_have_numbers);
    CU_ADD_TEST(s, nodes_stay_in_it_when_they_are_gone);
    CU_ADD_TEST(s, bodies_see_outer_values_by_their_names);
}
