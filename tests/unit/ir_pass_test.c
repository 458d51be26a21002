/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/infer.h"
#include "ir/pass.h"
#include "ir/text.h"

#include <CUnit/Basic.h>
#include <stdio.h>

/* --- a model as text, before and after ----------------------------------------------- */

struct fixture {
    struct arena arena;
    struct diag_sink diags;
    struct ir_model *m;
};
#define HEADER "<\n   ir_version: 8,\n   opset_import: [\"\" : 17]\n>\n"

static void set_up(struct fixture *f, const char *text) {
    *f = (struct fixture){0};
    diag_init(&f->diags, &f->arena);
    struct diag_source *source = arena_new(&f->arena, struct diag_source);
    *source = (struct diag_source){"t.txt", text, strlen(text)};
    f->m = ir_text_parse(&f->arena, source, &f->diags);
    if (f->m) return;
    struct buf out = {0};
    diag_print_all(&f->diags, DIAG_WARNING, &out);
    CU_FAIL_FATAL("the text must parse");
    puts(buf_text(&out));
    buf_free(&out);
}

static const char *print(struct fixture *f) {
    struct buf out = {0};
    ir_text_print(f->m, &(struct ir_text_options){.all = true}, &out);
    const char *kept = arena_strdup(&f->arena, buf_text(&out));
    buf_free(&out);
    return kept;
}

static void check(struct fixture *f) {
    for (uint32_t i = 0; i < f->m->graphs.len; i++)
        CU_ASSERT_TRUE(ir_graph_check(f->m->graphs.at[i], &f->diags));
}

/* Runs the pass, expects the count and the text, then undoes it and expects the model as
 * it was. The model is torn down. */
static void expect_after(struct fixture *f, const char *pass,
                         const struct ir_pass_options *o,
                         uint32_t changed, const char *wanted) {
    const char *before = print(f);
    ir_mark_t mark = ir_mark(f->m);
    CU_ASSERT_EQUAL(ir_pass_find(pass)->run(f->m, o), changed);
    check(f);
    const char *after = print(f);
    if (!rw_streq(after, wanted)) printf("\n--- wanted\n%s--- got\n%s", wanted, after);
    CU_ASSERT_STRING_EQUAL(after, wanted);
    ir_undo(f->m, mark);
    check(f);
    CU_ASSERT_STRING_EQUAL(print(f), before);
    arena_free(&f->arena);
}

static void expect(const char *pass, uint32_t changed, const char *text,
                   const char *wanted) {
    struct fixture f;
    set_up(&f, text);
    expect_after(&f, pass, NULL, changed, wanted);
}

static void expect_same(const char *pass, const char *text) { expect(pass, 0, text, text); }

/* --- dce ----------------------------------------------------------------------------- */

static void dead_chains_and_unread_initializers_go(void) {
    expect("dce", 4,
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[1] unread = {1},\n"
                  "    float[1] read = {2}>\n"
                  "{\n"
                  "   a = Neg (x)\n"
                  "   b = Exp (a)\n"
                  "   c, d = Split (b)\n"
                  "   y = Add (x, read)\n"
                  "}\n",
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[1] read = {2}>\n"
                  "{\n"
                  "   y = Add (x, read)\n"
                  "}\n");
}

static void one_output_in_use_keeps_a_node(void) {
    expect_same("dce", HEADER "g (float[2] x) => (float[1] c) {\n"
                              "   c, d = Split (x)\n"
                              "}\n");
}

static void an_overridable_initializer_stays(void) {
    expect_same("dce", HEADER "g (float[2] x, float[1] k) => (float[2] y)\n"
                              "   <float[1] k = {1}>\n"
                              "{\n"
                              "   y = Neg (x)\n"
                              "}\n");
}

static void what_only_a_dead_body_reads_is_dead(void) {
    expect("dce", 4,
           HEADER "g (float[2] x, bool c) => (float[2] y) {\n"
                  "   r = Relu (x)\n"
                  "   s = Neg (x)\n"
                  "   y = If (c) <then_branch = t () => (tu) {\n"
                  "         dead = Exp (r)\n"
                  "         tu = Identity (s)\n"
                  "      }, else_branch = e () => (eu) {\n"
                  "         eu = Identity (s)\n"
                  "      }>\n"
                  "   z = If (c) <then_branch = t2 () => (tv) {\n"
                  "         tv = Identity (r)\n"
                  "      }, else_branch = e2 () => (ev) {\n"
                  "         ev = Identity (r)\n"
                  "      }>\n"
                  "}\n",
           HEADER "g (float[2] x, bool c) => (float[2] y) {\n"
                  "   s = Neg (x)\n"
                  "   y = If (c) <then_branch = t () => (tu) {\n"
                  "         tu = Identity (s)\n"
                  "      }, else_branch = e () => (eu) {\n"
                  "         eu = Identity (s)\n"
                  "      }>\n"
                  "}\n");
}

/* --- cse ----------------------------------------------------------------------------- */

static void chains_of_duplicates_become_one(void) {
    expect("cse", 3,
           HEADER "g (float[2] x, float[2] w) => (float[2] y) {\n"
                  "   a = Add (x, w)\n"
                  "   b = Add (w, x)\n"
                  "   c = Elu (a)\n"
                  "   d = Elu <alpha = 1.0> (b)\n"
                  "   y1 = Sub (c, d)\n"
                  "   y2 = Sub (d, c)\n"
                  "   y = Mul (y1, y2)\n"
                  "}\n",
           HEADER "g (float[2] x, float[2] w) => (float[2] y) {\n"
                  "   a = Add (x, w)\n"
                  "   c = Elu (a)\n"
                  "   y1 = Sub (c, c)\n"
                  "   y = Mul (y1, y1)\n"
                  "}\n");
}

static void what_differs_is_not_merged(void) {
    expect_same("cse", HEADER "g (float[2] x, float[2] w) => (float[2] y) {\n"
                              "   a = Sub (x, w)\n"
                              "   b = Sub (w, x)\n"
                              "   c = Elu (a)\n"
                              "   d = Elu <alpha = 0.5> (a)\n"
                              "   e = Concat <axis = 0> (c, d)\n"
                              "   f = Concat <axis = 0> (d, c)\n"
                              "   h, i = Split (e)\n"
                              "   j, k, l = Split (e)\n"
                              "   r = RandomNormalLike (x)\n"
                              "   s = RandomNormalLike (x)\n"
                              "   t = custom.Op (x)\n"
                              "   u = custom.Op (x)\n"
                              "   y = Sum (b, f, h, i, j, k, l, r, s, t, u)\n"
                              "}\n");
}

static void two_graph_outputs_keep_their_names(void) {
    expect_same("cse", HEADER "g (float[2] x) => (float[2] y, float[2] z) {\n"
                              "   y = Neg (x)\n"
                              "   z = Neg (x)\n"
                              "}\n");
    expect("cse", 1,
           HEADER "g (float[2] x) => (float[2] y, float[2] z) {\n"
                  "   a = Neg (x)\n"
                  "   y = Neg (x)\n"
                  "   z = Exp (a)\n"
                  "}\n",
           HEADER "g (float[2] x) => (float[2] y, float[2] z) {\n"
                  "   y = Neg (x)\n"
                  "   z = Exp (y)\n"
                  "}\n");
}

static void constants_with_strings_are_compared_by_content(void) {
    expect("cse", 1,
           HEADER "g (int64 i) => (string y) {\n"
                  "   a = Constant <value = string[2] {\"p\", \"q\"}> ()\n"
                  "   b = Constant <value = string[2] {\"p\", \"q\"}> ()\n"
                  "   c = Constant <value = string[2] {\"p\", \"r\"}> ()\n"
                  "   d = Concat <axis = 0> (a, b, c)\n"
                  "   y = Gather (d, i)\n"
                  "}\n",
           HEADER "g (int64 i) => (string y) {\n"
                  "   a = Constant <value = string[2] {\"p\", \"q\"}> ()\n"
                  "   c = Constant <value = string[2] {\"p\", \"r\"}> ()\n"
                  "   d = Concat <axis = 0> (a, a, c)\n"
                  "   y = Gather (d, i)\n"
                  "}\n");
}

static void bodies_are_worlds_of_their_own(void) {
    expect("cse", 1,
           HEADER "g (float[2] x, bool c) => (float[2] y) {\n"
                  "   a = Neg (x)\n"
                  "   y = If (c) <then_branch = t () => (tu) {\n"
                  "         p = Neg (x)\n"
                  "         q = Neg (x)\n"
                  "         tu = Add (p, q)\n"
                  "      }, else_branch = e () => (eu) {\n"
                  "         eu = Neg (a)\n"
                  "      }>\n"
                  "}\n",
           HEADER "g (float[2] x, bool c) => (float[2] y) {\n"
                  "   a = Neg (x)\n"
                  "   y = If (c) <then_branch = t () => (tu) {\n"
                  "         p = Neg (x)\n"
                  "         tu = Add (p, p)\n"
                  "      }, else_branch = e () => (eu) {\n"
                  "         eu = Neg (a)\n"
                  "      }>\n"
                  "}\n");
}

/* --- fold ---------------------------------------------------------------------------- */

static void constant_chains_are_folded(void) {
    expect("fold", 3,
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[2] w = {1, 2}>\n"
                  "{\n"
                  "   two = Constant <value = float {2}> ()\n"
                  "   a = Mul (w, two)\n"
                  "   b, c = Split (a)\n"
                  "   d = Concat <axis = 0> (c, b)\n"
                  "   y = Add (x, d)\n"
                  "}\n",
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[2] d = {4, 2}>\n"
                  "{\n"
                  "   y = Add (x, d)\n"
                  "}\n");
}

static void operands_that_others_read_stay(void) {
    expect("fold", 1,
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[1, 2] w = {1, 2},\n"
                  "    int64[1] s = {2}>\n"
                  "{\n"
                  "   a = Reshape (w, s)\n"
                  "   b = Add (x, w)\n"
                  "   y = Add (b, a)\n"
                  "}\n",
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[1, 2] w = {1, 2},\n"
                  "    float[2] a = {1, 2}>\n"
                  "{\n"
                  "   b = Add (x, w)\n"
                  "   y = Add (b, a)\n"
                  "}\n");
}

static void what_is_no_constant_is_not_folded(void) {
    /* An overridable initializer, a graph output, chance, quantised values, 1/0. */
    expect_same("fold", HEADER "g (float[2] x, float[1] k) => (float[2] y, float[1] z)\n"
                               "   <float[1] k = {1},\n"
                               "    float[1] w = {2},\n"
                               "    int64[1] n = {0},\n"
                               "    int8[1] q = {3}>\n"
                               "{\n"
                               "   a = Neg (k)\n"
                               "   z = Neg (w)\n"
                               "   r = RandomNormalLike (w)\n"
                               "   d = DequantizeLinear (q, w)\n"
                               "   i = Div (n, n)\n"
                               "   f = Cast <to = 1> (i)\n"
                               "   y = Sum (x, a, r, d, f)\n"
                               "}\n");
}

static void folding_counts_the_growth_of_the_file(void) {
    const char *tile = HEADER "g (float[2] x) => (float[8] y)\n"
                              "   <float[2] w = {1, 2},\n"
                              "    int64[1] n = {4}>\n"
                              "{\n"
                              "   t = Tile (w, n)\n"
                              "   y = Add (x, t)\n"
                              "}\n";
    struct fixture f;
    set_up(&f, tile); /* 32 bytes made, 8 and 8 freed: 16 more */
    expect_after(&f, "fold", &(struct ir_pass_options){.fold_limit = 15}, 0, tile);
    set_up(&f, tile);
    expect_after(&f, "fold", &(struct ir_pass_options){.fold_limit = 16}, 1,
                 HEADER "g (float[2] x) => (float[8] y)\n"
                        "   <float[8] t = {1, 2, 1, 2, 1, 2, 1, 2}>\n"
                        "{\n"
                        "   y = Add (x, t)\n"
                        "}\n");
}

/* Half precision, times factors in float: 8 bytes become 16, 16 and 8 again. */
static void what_grows_for_a_while_only_is_folded(void) {
    struct ir_pass_options none = {.fold_limit = 0};
    struct fixture f;
    set_up(&f, HEADER "g (float16[4] x) => (float16[4] y)\n"
                      "   <float16[4] w = {1, 2, 3, 4}, float[1] s = {2}>\n"
                      "{\n"
                      "   c = Cast <to = 1> (w)\n"
                      "   m = Mul (c, s)\n"
                      "   h = Cast <to = 10> (m)\n"
                      "   y = Add (x, h)\n"
                      "}\n");
    ir_infer_model(f.m, &f.diags);
    expect_after(&f, "fold", &none, 3,
                 HEADER "g (float16[4] x) => (float16[4] y)\n"
                        "   <float16[4] h = {2, 4, 6, 8}>\n"
                        "{\n"
                        "   y = Add (x, h)\n"
                        "}\n");
    const char *stays = HEADER "g (float[4] x) => (float[4] y)\n"
                               "   <float16[4] w = {1, 2, 3, 4},\n"
                               "    float[1] s = {2}>\n"
                               "{\n"
                               "   c = Cast <to = 1> (w)\n"
                               "   m = Mul (c, s)\n"
                               "   y = Add (x, m)\n"
                               "}\n";
    set_up(&f, stays);
    ir_infer_model(f.m, &f.diags);
    expect_after(&f, "fold", &none, 0, stays);
}

/* 600 nodes that each make 64 KiB of four bytes: the file may grow by 1 MiB, no more. */
static void folding_is_bounded_over_the_whole_model(void) {
    struct fixture f;
    set_up(&f, HEADER "g (float[1] x) => (float[16384] y)\n"
                      "   <float[1] w = {1},\n"
                      "    int64[1] n = {16384}>\n"
                      "{\n"
                      "   y = Add (x, w)\n"
                      "}\n");
    struct ir_graph *g = f.m->main;
    ir_value in[] = {ir_find_value(g, "w"), ir_find_value(g, "n")}, read[600];
    for (uint32_t i = 0; i < countof(read); i++) {
        read[i] = ir_add_value(g, NULL, NULL);
        ir_add_node(g, &(struct ir_new_node){.op = "Tile", .nin = 2, .in = in, .nout = 1,
                                             .out = &read[i]}, IR_NONE);
    }
    ir_value all = ir_add_value(g, "all", NULL);
    ir_add_node(g, &(struct ir_new_node){.op = "Sum", .nin = countof(read), .in = read,
                                         .nout = 1, .out = &all}, IR_NONE);
    ir_add_output(g, all);
    CU_ASSERT_EQUAL(ir_pass_find("fold")->run(f.m, NULL), 16);
    CU_ASSERT_EQUAL(f.m->folding.left, 584);
    CU_ASSERT_EQUAL(ir_pass_find("fold")->run(f.m, NULL), 0);
    check(&f);
    arena_free(&f.arena);
}

/* A runtime that gives what it was made with, and counts how often it was asked. */
struct fake {
    enum ir_dtype dtype;
    uint32_t rank;
    int64_t dims[4];
    uint32_t asked;
};

static bool give(void *ctx, struct ir_graph *g, ir_node n, struct arena *a,
                 struct ir_tensor **out) {
    static const float zeros[64];
    struct fake *f = ctx;
    RW_UNUSED(g);
    RW_UNUSED(n);
    f->asked++;
    out[0] = ir_tensor_new(a, f->dtype, f->rank, f->dims, zeros);
    return true;
}

#define CONV(operand)                                                                      \
    HEADER "g (float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y)\n"                            \
           "   <float[1, 1, 2, 2] w = {1, 2, 3, 4},\n"                                     \
           "    float[1, 1, 1, 1] k = {5}>\n"                                              \
           "{\n"                                                                           \
           "   c = Conv (" operand ", k)\n"                                                \
           "   y = Add (x, c)\n"                                                           \
           "}\n"

static void expect_of_runtime(const char *text, struct fake fake, uint32_t folded,
                              uint32_t asked, const char *wanted) {
    struct ir_runtime runtime = {&fake, give};
    struct ir_pass_options o = {.fold_limit = 100, .runtime = &runtime};
    struct fixture f;
    set_up(&f, text);
    ir_infer_model(f.m, &f.diags);
    CU_ASSERT_EQUAL(ir_pass_find("fold")->run(f.m, &o), folded);
    CU_ASSERT_EQUAL(ir_pass_find("fold")->run(f.m, &o), 0);
    CU_ASSERT_EQUAL(fake.asked, asked); /* once and for all */
    CU_ASSERT_EQUAL(f.m->folding.given, folded);
    check(&f);
    CU_ASSERT_STRING_EQUAL(print(&f), wanted);
    arena_free(&f.arena);
}

static void what_a_runtime_gives_must_be_what_inference_says(void) {
    const char *folded = HEADER "g (float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y)\n"
                                "   <float[1, 1, 2, 2] c = {0, 0, 0, 0}>\n"
                                "{\n"
                                "   y = Add (x, c)\n"
                                "}\n";
    struct fake right = {IR_FLOAT, 4, {1, 1, 2, 2}, 0};
    struct fake other_type = {IR_INT32, 4, {1, 1, 2, 2}, 0};
    struct fake other_rank = {IR_FLOAT, 3, {1, 2, 2, 0}, 0};
    struct fake other_shape = {IR_FLOAT, 4, {1, 1, 2, 3}, 0};
    expect_of_runtime(CONV("w"), right, 1, 1, folded);
    expect_of_runtime(CONV("w"), other_type, 0, 1, CONV("w"));
    expect_of_runtime(CONV("w"), other_rank, 0, 1, CONV("w"));
    expect_of_runtime(CONV("w"), other_shape, 0, 1, CONV("w"));
    expect_of_runtime(CONV("x"), right, 0, 0, CONV("x"));
}

static void chance_and_quantised_weights_are_not_asked_of_a_runtime(void) {
    struct fake fake = {IR_FLOAT, 1, {2}, 0};
    const char *drawn = HEADER "g (float[2] x) => (float[2] y)\n"
                               "   <float[2] w = {1, 2},\n"
                               "    int8[2] q = {1, 2},\n"
                               "    float s = {0.5}>\n"
                               "{\n"
                               "   r = RandomNormalLike (w)\n"
                               "   d = DequantizeLinear (q, s)\n"
                               "   y = Sum (x, r, d)\n"
                               "}\n";
    expect_of_runtime(drawn, fake, 0, 0, drawn);
}

static void bodies_fold_what_they_see_of_outer_constants(void) {
    expect("fold", 1,
           HEADER "g (float[2] x, bool c) => (float[2] y)\n"
                  "   <float[2] w = {1, 2}>\n"
                  "{\n"
                  "   y = If (c) <then_branch = t () => (tu) {\n"
                  "         n = Neg (w)\n"
                  "         tu = Add (x, n)\n"
                  "      }, else_branch = e () => (eu) {\n"
                  "         eu = Add (x, w)\n"
                  "      }>\n"
                  "}\n",
           HEADER "g (float[2] x, bool c) => (float[2] y)\n"
                  "   <float[2] w = {1, 2}>\n"
                  "{\n"
                  "   y = If (c) <then_branch = t () => (tu)\n"
                  "         <float[2] n = {-1, -2}>\n"
                  "      {\n"
                  "         tu = Add (x, n)\n"
                  "      }, else_branch = e () => (eu) {\n"
                  "         eu = Add (x, w)\n"
                  "      }>\n"
                  "}\n");
}

static void old_models_and_functions_get_constant_nodes(void) {
    expect("fold", 1,
           "<\n   ir_version: 3,\n   opset_import: [\"\" : 8]\n>\n"
           "g (float[2] x) => (float[2] y) {\n"
           "   a = Constant <value = float {3}> ()\n"
           "   b = Neg (a)\n"
           "   y = Add (x, b)\n"
           "}\n",
           "<\n   ir_version: 3,\n   opset_import: [\"\" : 8]\n>\n"
           "g (float[2] x) => (float[2] y) {\n"
           "   b = Constant <value = float {-3}> ()\n"
           "   y = Add (x, b)\n"
           "}\n");
    expect("fold", 1,
           "<\n   ir_version: 8,\n   opset_import: [\"\" : 17, \"f\" : 1]\n>\n"
           "g (float[2] x) => (float[2] y) {\n"
           "   y = f.plus (x)\n"
           "}\n\n"
           "<\n   domain: \"f\",\n   opset_import: [\"\" : 17]\n>\n"
           "plus (u) => (v) {\n"
           "   a = Constant <value = float {3}> ()\n"
           "   b = Neg (a)\n"
           "   v = Add (u, b)\n"
           "}\n",
           "<\n   ir_version: 8,\n   opset_import: [\"\" : 17, \"f\" : 1]\n>\n"
           "g (float[2] x) => (float[2] y) {\n"
           "   y = f.plus (x)\n"
           "}\n\n"
           "<\n   domain: \"f\",\n   opset_import: [\"\" : 17]\n>\n"
           "plus (u) => (v) {\n"
           "   b = Constant <value = float {-3}> ()\n"
           "   v = Add (u, b)\n"
           "}\n");
}

/* --- dedupe -------------------------------------------------------------------------- */

static void equal_initializers_become_one(void) {
    expect("dedupe", 2,
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[2] a = {1, 2},\n"
                  "    float[2] b = {1, 2},\n"
                  "    float[2] c = {1, 3},\n"
                  "    float[1, 2] d = {1, 2},\n"
                  "    string[1] s = {\"q\"},\n"
                  "    string[1] t = {\"q\"}>\n"
                  "{\n"
                  "   e = custom.Op (s, t)\n"
                  "   y = Sum (x, a, b, c, d, e)\n"
                  "}\n",
           HEADER "g (float[2] x) => (float[2] y)\n"
                  "   <float[2] a = {1, 2},\n"
                  "    float[2] c = {1, 3},\n"
                  "    float[1, 2] d = {1, 2},\n"
                  "    string[1] s = {\"q\"}>\n"
                  "{\n"
                  "   e = custom.Op (s, s)\n"
                  "   y = Sum (x, a, a, c, d, e)\n"
                  "}\n");
}

static void interface_initializers_are_not_merged(void) {
    expect_same("dedupe", HEADER "g (float[1] k) => (float[1] y, float[1] z)\n"
                                 "   <float[1] k = {1},\n"
                                 "    float[1] a = {1},\n"
                                 "    float[1] z = {1}>\n"
                                 "{\n"
                                 "   y = Sum (k, a, z)\n"
                                 "}\n");
}

/* --- shapes -------------------------------------------------------------------------- */

static ir_value value(struct fixture *f, const char *name) {
    ir_value v = ir_find_value(f->m->main, name);
    CU_ASSERT_NOT_EQUAL_FATAL(v, IR_NONE);
    return v;
}

/* Says what inference would: the type of v is int64[n], its items these. */
static void know(struct fixture *f, const char *name, uint32_t n, const ir_dim *items) {
    struct arena *a = &f->arena;
    const ir_dim dims[] = {ir_dim_const(f->m->dims, n)};
    struct ir_symval *s = arena_new(a, struct ir_symval);
    *s = (struct ir_symval){1, n, arena_copy(a, items, n * sizeof *items)};
    ir_set_type(f->m->main, value(f, name), ir_type_tensor(a, IR_INT64, 1, dims));
    ir_set_symval(f->m->main, value(f, name), s);
}

static void known_shapes_become_constants_where_they_are_read(void) {
    struct fixture f;
    set_up(&f, HEADER "g (float[2, 3] x, float[6] z) => (float[1, 6] y)\n"
                      "   <int64[1] one = {1}>\n"
                      "{\n"
                      "   s = Shape (x)\n"
                      "   n = ReduceProd (s)\n"
                      "   t = Concat <axis = 0> (one, n)\n"
                      "   y = Reshape (z, t)\n"
                      "}\n");
    struct ir_dims *d = f.m->dims;
    know(&f, "s", 2, (const ir_dim[]){ir_dim_const(d, 2), ir_dim_const(d, 3)});
    know(&f, "n", 1, (const ir_dim[]){ir_dim_const(d, 6)});
    know(&f, "t", 2, (const ir_dim[]){ir_dim_const(d, 1), ir_dim_const(d, 6)});
    expect_after(&f, "shapes", NULL, 1,
                 HEADER "g (float[2, 3] x, float[6] z) => (float[1, 6] y)\n"
                        "   <int64[1] one = {1},\n"
                        "    int64[2] t = {1, 6}>\n"
                        "{\n"
                        "   s = Shape (x)\n"
                        "   n = ReduceProd (s)\n"
                        "   y = Reshape (z, t)\n"
                        "}\n");
}

/* Reshape of x, float[N, M], to a computed target with these items; after the pass the
 * target is `text`, or as it was. */
static void expect_target(const char *attr, uint32_t n, const char *const *items,
                          const char *text) {
    struct fixture f;
    ir_dim dims[4];
    char model[400];
    snprintf(model, sizeof model,
             HEADER "g (float[N, M] x, int64[K] t0) => (float[?, ?] y) {\n"
                    "   t = Identity (t0)\n"
                    "   y = Reshape%s (x, t)\n"
                    "}\n", attr);
    set_up(&f, model);
    for (uint32_t i = 0; i < n; i++) {
        char *end;
        int64_t number = strtoll(items[i], &end, 10);
        dims[i] = *end ? ir_dim_symbol(f.m->dims, items[i]) : ir_dim_const(f.m->dims,
                                                                           number);
    }
    know(&f, "t", n, dims);
    CU_ASSERT_EQUAL(ir_pass_find("shapes")->run(f.m, NULL) > 0, text != NULL);
    check(&f);
    struct ir_graph *g = f.m->main;
    struct ir_tensor *t = ir_const(g, ir_input(g, ir_val(g, value(&f, "y"))->producer, 1));
    CU_ASSERT_EQUAL(t != NULL, text != NULL);
    if (t && text) {
        struct buf got = {0};
        for (uint32_t i = 0; i < t->count; i++) {
            int64_t x;
            CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, i, &x));
            buf_printf(&got, "%s%" PRId64, i ? " " : "", x);
        }
        CU_ASSERT_STRING_EQUAL(buf_text(&got), text);
        buf_free(&got);
    }
    arena_free(&f.arena);
}
#define ITEMS(...)                                                                     \
    countof(((const char *const[]){__VA_ARGS__})), (const char *const[]){__VA_ARGS__}

static void a_target_known_but_for_one_item_gets_minus_one(void) {
    expect_target("", ITEMS("K", "12"), "-1 12");
    expect_target(" <allowzero = 1>", ITEMS("K", "12"), "-1 12");
    expect_target("", ITEMS("N", "M", "1"), "0 0 1");      /* copied */
    expect_target("", ITEMS("N", "-1"), "0 -1");           /* -1 was there already */
    expect_target(" <allowzero = 1>", ITEMS("N", "M"), "0 0"); /* allowzero goes */
    expect_target(" <allowzero = 1>", ITEMS("N", "0"), NULL);  /* that 0 is no copy */
    expect_target("", ITEMS("M", "N"), NULL);              /* not at their places */
    expect_target("", ITEMS("K", "0"), NULL);              /* beside a 0 no -1 */
    expect_target("", ITEMS("K", "-1"), NULL);             /* two open sizes */
    expect_target("", ITEMS("N", "K"), NULL);              /* N may be 0 */
}

static void values_known_to_be_equal_become_one(void) {
    struct fixture f;
    set_up(&f, HEADER "g (float[N, 3] x, float[N, 4] z) => (int64[1] y) {\n"
                      "   a = Shape <end = 1> (x)\n"
                      "   b = Shape <end = 1> (z)\n"
                      "   c = Shape <start = 1> (z)\n"
                      "   d = custom.Size (x)\n"
                      "   e = custom.Size (z)\n"
                      "   f = Shape <start = 1> (x)\n"
                      "   h = Constant <value = int64[1] {3}> ()\n"
                      "   i = Add (f, f)\n"
                      "   y = Sum (a, b, c, d, e, h, i)\n"
                      "}\n");
    ir_dim n = ir_dim_symbol(f.m->dims, "N"), m = ir_dim_symbol(f.m->dims, "M");
    know(&f, "a", 1, &n);
    know(&f, "b", 1, &n);
    know(&f, "c", 1, &m);
    ir_dim three = ir_dim_const(f.m->dims, 3), six = ir_dim_const(f.m->dims, 6);
    know(&f, "f", 1, &three);
    know(&f, "h", 1, &three);
    know(&f, "i", 1, &six);
    know(&f, "d", 1, (const ir_dim[]){IR_DIM_UNKNOWN});
    know(&f, "e", 1, (const ir_dim[]){IR_DIM_UNKNOWN});
    expect_after(&f, "shapes", NULL, 2,
                 HEADER "g (float[N, 3] x, float[N, 4] z) => (int64[1] y)\n"
                        "   <int64[1] i = {6}>\n"
                        "{\n"
                        "   a = Shape <end = 1> (x)\n"
                        "   b = Shape <end = 1> (z)\n"
                        "   c = Shape <start = 1> (z)\n"
                        "   d = custom.Size (x)\n"
                        "   e = custom.Size (z)\n"
                        "   f = Shape <start = 1> (x)\n"
                        "   h = Constant <value = int64[1] {3}> ()\n"
                          "   y = Sum (a, a, c, d, e, h, i)\n"
                        "}\n");
}

static void graph_outputs_and_unknown_values_are_left(void) {
    const char *text = HEADER "g (float[2, 3] x) => (int64[2] s) {\n"
                              "   s = Shape (x)\n"
                              "}\n";
    struct fixture f;
    set_up(&f, text);
    know(&f, "s", 2,
         (const ir_dim[]){ir_dim_const(f.m->dims, 2), ir_dim_const(f.m->dims, 3)});
    expect_after(&f, "shapes", NULL, 0, text);
}

static void transposes_cancel_and_what_was_between_is_permuted(void) {
    struct fixture f;
    set_up(&f, HEADER "g (float[2, 3, 4] x) => (float[2, 3, 4] y, float[2, 4] z)\n"
                  "   <float[3] b = {1, 2, 3}>\n"
                  "{\n"
                  "   a = Transpose <perm = [0, 2, 1]> (x)\n"
                  "   c = Add (a, b)\n"
                  "   y = Transpose <perm = [0, 2, 1]> (c)\n"
                  "   z = ReduceMax <axes = [-1], keepdims = 0> (c)\n"
                  "}\n");
    CU_ASSERT_EQUAL(ir_infer_model(f.m, &f.diags), RW_OK);
    expect_after(&f, "transpose", NULL, 2,
           HEADER "g (float[2, 3, 4] x) => (float[2, 3, 4] y, float[2, 4] z)\n"
                  "   <float[3, 1] b_1 = {1, 2, 3}>\n"
                  "{\n"
                  "   y = Add (x, b_1)\n"
                  "   z = ReduceMax <axes = [1], keepdims = 0> (y)\n"
                  "}\n");
}

static void casts_back_go_with_what_they_take_back(void) {
    struct fixture f;
    set_up(&f, HEADER "g (float16[2, 3] x) => (float16[3, 2] y, float16[2] z)\n"
                      "   <int64 i = {0}>\n"
                      "{\n"
                      "   a = Cast <to = 1> (x)\n"
                      "   b = Transpose <perm = [1, 0]> (a)\n"
                      "   y = Cast <to = 10> (b)\n"
                      "   c = Gather <axis = 0> (b, i)\n"
                      "   z = Cast <to = 10> (c)\n"
                      "}\n");
    CU_ASSERT_EQUAL(ir_infer_model(f.m, &f.diags), RW_OK);
    expect_after(&f, "casts", NULL, 1,
                 HEADER "g (float16[2, 3] x) => (float16[3, 2] y, float16[2] z)\n"
                        "   <int64 i = {0}>\n"
                        "{\n"
                        "   y = Transpose <perm = [1, 0]> (x)\n"
                        "   z = Gather <axis = 0> (y, i)\n"
                        "}\n");
}

static void passes_are_found_by_name(void) {
    size_t n;
    const struct ir_pass *all = ir_pass_all(&n);
    CU_ASSERT_EQUAL(n, 9);
    for (size_t i = 0; i < n; i++) CU_ASSERT_PTR_EQUAL(ir_pass_find(all[i].name), &all[i]);
    CU_ASSERT_PTR_NULL(ir_pass_find("no such pass"));
}

void add_ir_pass_suite(void);
void add_ir_pass_suite(void) {
    CU_pSuite s = CU_add_suite("ir: passes", NULL, NULL);
    CU_ADD_TEST(s, dead_chains_and_unread_initializers_go);
    CU_ADD_TEST(s, one_output_in_use_keeps_a_node);
    CU_ADD_TEST(s, an_overridable_initializer_stays);
    CU_ADD_TEST(s, what_only_a_dead_body_reads_is_dead);
    CU_ADD_TEST(s, chains_of_duplicates_become_one);
    CU_ADD_TEST(s, what_differs_is_not_merged);
    CU_ADD_TEST(s, two_graph_outputs_keep_their_names);
    CU_ADD_TEST(s, constants_with_strings_are_compared_by_content);
    CU_ADD_TEST(s, bodies_are_worlds_of_their_own);
    CU_ADD_TEST(s, constant_chains_are_folded);
    CU_ADD_TEST(s, operands_that_others_read_stay);
    CU_ADD_TEST(s, what_is_no_constant_is_not_folded);
    CU_ADD_TEST(s, folding_counts_the_growth_of_the_file);
    CU_ADD_TEST(s, what_grows_for_a_while_only_is_folded);
    CU_ADD_TEST(s, folding_is_bounded_over_the_whole_model);
    CU_ADD_TEST(s, what_a_runtime_gives_must_be_what_inference_says);
    CU_ADD_TEST(s, chance_and_quantised_weights_are_not_asked_of_a_runtime);
    CU_ADD_TEST(s, bodies_fold_what_they_see_of_outer_constants);
    CU_ADD_TEST(s, old_models_and_functions_get_constant_nodes);
    CU_ADD_TEST(s, equal_initializers_become_one);
    CU_ADD_TEST(s, interface_initializers_are_not_merged);
    CU_ADD_TEST(s, known_shapes_become_constants_where_they_are_read);
    CU_ADD_TEST(s, a_target_known_but_for_one_item_gets_minus_one);
    CU_ADD_TEST(s, values_known_to_be_equal_become_one);
    CU_ADD_TEST(s, graph_outputs_and_unknown_values_are_left);
    CU_ADD_TEST(s, transposes_cancel_and_what_was_between_is_permuted);
    CU_ADD_TEST(s, casts_back_go_with_what_they_take_back);
    CU_ADD_TEST(s, passes_are_found_by_name);
}
