/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir.h"
#include "ir/reform.h"

#include <CUnit/Basic.h>

#include <stdio.h>

struct fixture {
    struct arena arena;
    struct diag_sink diags;
    struct diag_source source;
    struct ir_model *model;
};

static struct ir_graph *parse(struct fixture *f, const char *text) {
    *f = (struct fixture){0};
    diag_init(&f->diags, &f->arena);
    f->source = (struct diag_source){"test", text, strlen(text)};
    f->model = ir_text_parse(&f->arena, &f->source, &f->diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f->model);
    return f->model->main;
}

/* Re-forms the graph's only node, or the one that makes `y`. */
static enum ir_reform reform(struct ir_graph *g, int64_t opset, const char **why) {
    ir_node n = ir_val(g, ir_find_value(g, "y"))->producer;
    ir_set_opset(g->model, "", opset);
    return ir_reform_node(g, n, opset, why);
}

static ir_node node_of_y(const struct ir_graph *g) {
    return ir_val(g, ir_find_value(g, "y"))->producer;
}

static void an_attribute_becomes_an_operand(void) {
    struct fixture f;
    struct ir_graph *g = parse(&f, "<ir_version: 6, opset_import: [\"\" : 11]>\n"
                                   "g (float[2, 3] x) => (float[2, 1, 3] y) { y = Unsqueeze <axes = [1]> (x) }");
    CU_ASSERT_EQUAL(reform(g, 13, NULL), IR_REFORM_DONE);
    ir_node n = node_of_y(g);
    CU_ASSERT_EQUAL(ir_nod(g, n)->nattr, 0);
    struct ir_tensor *t = ir_const(g, ir_input(g, n, 1));
    int64_t axis = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(t->dtype, IR_INT64);
    CU_ASSERT_EQUAL(t->rank, 1);
    CU_ASSERT_TRUE(ir_tensor_int_at(f.model, t, 0, &axis));
    CU_ASSERT_EQUAL(axis, 1);
    CU_ASSERT_EQUAL(ir_nod(g, n)->schema->since, 13);
    arena_free(&f.arena);
}

static void a_default_that_changed_is_written_out(void) {
    struct fixture f;
    struct ir_graph *g = parse(&f, "<ir_version: 5, opset_import: [\"\" : 10]>\n"
                                   "g (float[2, 3] x) => (float[2, 3] y) { y = Clip <min = 0.0> (x) }");
    CU_ASSERT_EQUAL(reform(g, 11, NULL), IR_REFORM_DONE);
    ir_node n = node_of_y(g);
    double low = 1;
    CU_ASSERT_TRUE(ir_tensor_double_at(f.model, ir_const(g, ir_input(g, n, 1)), 0, &low));
    CU_ASSERT_EQUAL(low, 0);
    CU_ASSERT_EQUAL(ir_input(g, n, 2), IR_NONE);
    arena_free(&f.arena);
}

static void a_split_says_its_number_of_parts(void) {
    struct fixture f;
    struct ir_graph *g = parse(&f, "<ir_version: 7, opset_import: [\"\" : 13]>\n"
                                   "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split (x) }");
    CU_ASSERT_EQUAL(reform(g, 18, NULL), IR_REFORM_DONE);
    const struct ir_attr *a = ir_find_attr(g, node_of_y(g), "num_outputs");
    CU_ASSERT_PTR_NOT_NULL_FATAL(a);
    CU_ASSERT_EQUAL(a->i, 2);
    arena_free(&f.arena);
}

static void an_epoch_needs_a_rule_and_changes_nothing(void) {
    struct fixture f;
    const char *why = NULL;
    struct ir_graph *g = parse(&f, "<ir_version: 6, opset_import: [\"\" : 11]>\n"
                                   "g (float[2, 3] x) => (float[2, 3] y) { y = Softmax (x) }");
    CU_ASSERT_EQUAL(reform(g, 13, &why), IR_REFORM_NEEDS_RULE);
    CU_ASSERT_STRING_EQUAL(why, "\"Softmax\" means something else at opset 13");
    CU_ASSERT_EQUAL(ir_nod(g, node_of_y(g))->schema->since, 11);
    CU_ASSERT_EQUAL(ir_nod(g, node_of_y(g))->nattr, 0);
    arena_free(&f.arena);
}

static void a_mask_in_use_keeps_dropout_below_opset_12(void) {
    static const char *const outputs[] = {"", ", bool[2] m"};
    for (size_t i = 0; i < countof(outputs); i++) {
        struct fixture f;
        const char *why = NULL;
        char text[200];
        snprintf(text, sizeof text, "<ir_version: 6, opset_import: [\"\" : 11]>\n"
                 "g (float[2] x) => (float[2] y%s) { y, m = Dropout (x) }", outputs[i]);
        CU_ASSERT_EQUAL(reform(parse(&f, text), 13, &why),
                        i ? IR_REFORM_NEEDS_RULE : IR_REFORM_DONE);
        arena_free(&f.arena);
    }
}

static void an_attribute_of_an_older_name_becomes_an_operand(void) {
    struct fixture f;
    struct ir_graph *g = parse(&f, "<ir_version: 5, opset_import: [\"\" : 10]>\n"
                                   "g (float[2] x) => (float[4] y) {"
                                   " y = Pad <pads = [1, 1], value = 2.5> (x) }");
    CU_ASSERT_EQUAL_FATAL(reform(g, 11, NULL), IR_REFORM_DONE);
    double value = 0;
    ir_node n = node_of_y(g);
    CU_ASSERT_TRUE(ir_tensor_double_at(f.model, ir_const(g, ir_input(g, n, 2)), 0, &value));
    CU_ASSERT_EQUAL(value, 2.5);
    CU_ASSERT_EQUAL(ir_nod(g, n)->nattr, 0);
    arena_free(&f.arena);

    g = parse(&f, "<ir_version: 4, opset_import: [\"\" : 9]>\n"
                  "g (float[4] x) => (float[2] y, int64[2] i) { y, i = TopK <k = 2> (x) }");
    CU_ASSERT_EQUAL_FATAL(reform(g, 11, NULL), IR_REFORM_DONE);
    CU_ASSERT_EQUAL(ir_const(g, ir_input(g, node_of_y(g), 1))->rank, 1);
    arena_free(&f.arena);
}

/* Its five outputs say that it is in training; two of them went away. */
static void a_batch_norm_in_training_stays_so(void) {
    static const char *const outputs[] = {"", ", float[2] s"};
    for (size_t i = 0; i < countof(outputs); i++) {
        struct fixture f;
        char text[300];
        snprintf(text, sizeof text, "<ir_version: 4, opset_import: [\"\" : 9]>\n"
                 "g (float[3, 2] x, float[2] w) => (float[3, 2] y%s) {"
                 " y, m, v, s, t = BatchNormalization (x, w, w, w, w) }", outputs[i]);
        struct ir_graph *g = parse(&f, text);
        CU_ASSERT_EQUAL(reform(g, 14, NULL), i ? IR_REFORM_NEEDS_RULE : IR_REFORM_DONE);
        const struct ir_attr *a = ir_find_attr(g, node_of_y(g), "training_mode");
        CU_ASSERT_EQUAL(a ? a->i : 0, i ? 0 : 1);
        CU_ASSERT_EQUAL(ir_nod(g, node_of_y(g))->nout, i ? 5 : 3);
        arena_free(&f.arena);
    }
}

static void a_type_that_is_no_longer_taken_needs_a_rule(void) {
    struct fixture f;
    const char *why = NULL;
    struct ir_graph *g = parse(&f, "<ir_version: 10, opset_import: [\"\" : 27]>\n"
                                   "g (int64[2] x) => (int64[1] y) { y = ReduceLogSum (x) }");
    CU_ASSERT_EQUAL(reform(g, 28, &why), IR_REFORM_NEEDS_RULE);
    CU_ASSERT_STRING_EQUAL(why, "\"ReduceLogSum\" does not allow the type of \"data\" at opset 28");
    arena_free(&f.arena);
}

/* What is edited in a body later is written only if all around counts as changed. */
static void a_node_of_a_body_is_changed_with_those_around_it(void) {
    struct fixture f;
    struct ir_graph *g = parse(&f, "<ir_version: 6, opset_import: [\"\" : 12]>\n"
                                   "g (float[2] x, bool c) => (float[2] y) {"
                                   " y = If (c) <then_branch = t () => (float[2] a) { a = Identity (x) },"
                                   " else_branch = e () => (float[2] b) { b = Neg (x) }> }");
    struct ir_graph *body = ir_body(g, node_of_y(g), "then_branch");
    ir_model_settle(f.model);
    ir_mark_t mark = ir_mark(f.model);
    ir_set_opset(f.model, "", 13);
    CU_ASSERT_EQUAL(ir_reform_node(body, body->first, 13, NULL), IR_REFORM_DONE);
    CU_ASSERT_TRUE(ir_nod(g, node_of_y(g))->flags & IR_NODE_CHANGED);
    CU_ASSERT_TRUE(ir_graph_check(body, &f.diags));
    ir_undo(f.model, mark);
    CU_ASSERT_FALSE(ir_nod(g, node_of_y(g))->flags & IR_NODE_CHANGED);
    arena_free(&f.arena);
}

static void crossing_ir_version_4_unlists_initializers(void) {
    struct fixture f;
    struct ir_graph *g = parse(&f, "<ir_version: 3, opset_import: [\"\" : 8]>\n"
                                   "g (float[2] x, float[2] w = {1, 2}) => (float[2] y) { y = Add (x, w) }");
    ir_value w = ir_find_value(g, "w");
    CU_ASSERT_EQUAL(g->inputs.len, 2);
    ir_mark_t mark = ir_mark(f.model);
    ir_set_ir_version(f.model, 8);
    CU_ASSERT_EQUAL(g->inputs.len, 1);
    CU_ASSERT_PTR_NOT_NULL(ir_const(g, w));
    ir_undo(f.model, mark);
    CU_ASSERT_EQUAL(g->inputs.len, 2);
    CU_ASSERT_EQUAL(f.model->ir_version, 3);
    CU_ASSERT_TRUE(ir_has(g, w, IR_IS_INPUT));
    arena_free(&f.arena);
}

void add_ir_reform_suite(void);
void add_ir_reform_suite(void) {
    CU_pSuite s = CU_add_suite("ir: nodes for a newer opset", NULL, NULL);
    CU_ADD_TEST(s, an_attribute_becomes_an_operand);
    CU_ADD_TEST(s, a_default_that_changed_is_written_out);
    CU_ADD_TEST(s, a_split_says_its_number_of_parts);
    CU_ADD_TEST(s, an_epoch_needs_a_rule_and_changes_nothing);
    CU_ADD_TEST(s, a_mask_in_use_keeps_dropout_below_opset_12);
    CU_ADD_TEST(s, an_attribute_of_an_older_name_becomes_an_operand);
    CU_ADD_TEST(s, a_batch_norm_in_training_stays_so);
    CU_ADD_TEST(s, a_type_that_is_no_longer_taken_needs_a_rule);
    CU_ADD_TEST(s, a_node_of_a_body_is_changed_with_those_around_it);
    CU_ADD_TEST(s, crossing_ir_version_4_unlists_initializers);
}
