/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/infer.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <CUnit/Basic.h>

struct fixture {
    struct arena a;
    struct diag_sink diags;
    struct ir_model *m;
};

static void set_up(struct fixture *f, const char *text) {
    struct diag_source source = {"test", text, strlen(text)};
    *f = (struct fixture){.a = ARENA_EMPTY};
    diag_init(&f->diags, &f->a);
    f->m = ir_text_parse(&f->a, &source, &f->diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f->m);
}

static void said(struct fixture *f, const char *wanted) {
    struct buf out = {0};
    diag_print_all(&f->diags, DIAG_NOTE, &out);
    CU_ASSERT_STRING_EQUAL(buf_text(&out), wanted);
    if (strcmp(buf_text(&out), wanted) != 0)
        printf("\nsaid: %swanted: %s", buf_text(&out), wanted);
    buf_free(&out);
    arena_free(&f->a);
}

#define HEAD "<ir_version: 8, opset_import: [\"\" : 17]>\n"

static void judged(const char *text, enum rw_code wanted, const char *words) {
    struct fixture f;
    set_up(&f, text);
    CU_ASSERT_EQUAL(ir_infer_strictly(f.m, &f.diags), wanted);
    said(&f, words);
}

static void an_output_is_declared_as_it_is_computed(void) {
    judged(HEAD "g (float[N, 4] x) => (float[N, 4] y) { y = Relu (x) }", RW_OK, "");
    judged(HEAD "g (float[N, 4] x) => (float[M, 4] y) { y = Relu (x) }", RW_OK, "");
    judged(HEAD "g (float[N, 4] x) => (float[N, 5] y) { y = Relu (x) }", RW_WRONG,
           "g: error: \"y\" is declared with another shape: float[N, 5], but computed as "
           "float[N, 4]\n");
    judged(HEAD "g (float[N, 4] x) => (double[N] y) { y = Relu (x) }", RW_WRONG,
           "g: error: \"y\" is declared with another type: double[N], but computed as "
           "float[N, 4]\n");
    judged(HEAD "g (float[N] x) => (seq(float[N]) y) { y = Relu (x) }", RW_WRONG,
           "g: error: \"y\" is declared with another type: seq(float[N]), but computed as "
           "float[N]\n");
    judged(HEAD "g (float[N] x) => (seq(int64[N]) y) { y = SequenceConstruct (x) }",
           RW_WRONG,
           "g: error: \"y\" is declared with another type: seq(int64[N]), but computed as "
           "seq(float[N])\n");
}

static void a_stale_shape_inside_does_no_harm(void) {
    judged(HEAD "g (float[N, 4] x) => (float[N, 4] y) <float[N, 5] a> {\n"
           "  a = Relu (x)\n  y = Neg (a)\n}", RW_OK,
           "g: warning: \"a\" is declared with another shape: float[N, 5], but computed as "
           "float[N, 4]\n");
    judged(HEAD "g (float[N, 4] x) => (float[N, 4] y) <int64[N, 4] a> {\n"
           "  a = Relu (x)\n  y = Neg (a)\n}", RW_WRONG,
           "g: error: \"a\" is declared with another type: int64[N, 4], but computed as "
           "float[N, 4]\n");
}

/* Infers, notes the interface, lets `edit` change the model. */
static void rewritten(void (*edit)(struct ir_graph *g), enum rw_code wanted,
                      const char *words) {
    struct fixture f;
    set_up(&f, HEAD "g (float[N, 4] x) => (float[N, 4] y) {\n"
               "  a = Relu (x)\n  y = Neg (a)\n}");
    CU_ASSERT_EQUAL(ir_infer_model(f.m, &f.diags), RW_OK);
    const struct ir_interface *was = ir_interface_of(f.m, &f.a);
    edit(f.m->main);
    CU_ASSERT_EQUAL(ir_verify_kept(f.m, was, &f.diags), wanted);
    said(&f, words);
}

static void nothing(struct ir_graph *g) { RW_UNUSED(g); }
static void rename_output(struct ir_graph *g) {
    ir_rename(g, ir_find_value(g, "y"), "other");
}
static void add_output(struct ir_graph *g) { ir_add_output(g, ir_find_value(g, "a")); }
static void add_input(struct ir_graph *g) {
    ir_add_input(g, ir_add_value(g, "more", NULL));
}
static void retype_output(struct ir_graph *g) {
    struct ir_dims *d = g->model->dims;
    const ir_dim dims[] = {ir_dim_const(d, 7), ir_dim_const(d, 5)};
    ir_set_type(g, ir_find_value(g, "y"),
                ir_type_tensor(g->model->arena, IR_FLOAT, 2, dims));
}

static void a_rewrite_keeps_the_interface(void) {
    rewritten(nothing, RW_OK, "");
    rewritten(rename_output, RW_WRONG, "g: error: output \"y\" went by rewriting\n");
    rewritten(add_output, RW_WRONG, "g: error: output \"a\" came by rewriting\n");
    rewritten(add_input, RW_WRONG, "g: error: input \"more\" came by rewriting\n");
    rewritten(retype_output, RW_WRONG,
              "g: error: output \"y\" got another type or shape by rewriting\n");
}

void add_ir_verify_interface_suite(void);
void add_ir_verify_interface_suite(void) {
    CU_pSuite s = CU_add_suite("ir: verifying inputs and outputs", NULL, NULL);
    CU_ADD_TEST(s, an_output_is_declared_as_it_is_computed);
    CU_ADD_TEST(s, a_stale_shape_inside_does_no_harm);
    CU_ADD_TEST(s, a_rewrite_keeps_the_interface);
}
