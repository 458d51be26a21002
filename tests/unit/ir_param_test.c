/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/param.h"

#include <CUnit/Basic.h>

/* A graph of one node at a time, at some opset. */
struct bench {
    struct arena arena;
    struct ir_graph *g;
};

static struct bench bench(int64_t opset) {
    struct bench b = {ARENA_EMPTY, NULL};
    struct arena *a = malloc(sizeof *a); /* the model keeps the address of its arena */
    *a = ARENA_EMPTY;
    struct ir_model *m = ir_model_new(a, 8);
    ir_set_opset(m, "", opset);
    b.g = m->main ? m->main : ir_graph_new(m, NULL, "g");
    return b;
}

static void done(struct bench *b) {
    struct arena *a = b->g->model->arena;
    arena_free(a);
    free(a);
    arena_free(&b->arena);
}

static ir_value input(struct bench *b, uint32_t rank) {
    struct ir_model *m = b->g->model;
    ir_dim dims[8];
    for (uint32_t i = 0; i < rank; i++) dims[i] = ir_dim_const(m->dims, 2);
    ir_value v = ir_add_value(b->g, "x", ir_type_tensor(m->arena, IR_FLOAT, rank, dims));
    ir_add_input(b->g, v);
    return v;
}

static ir_value ints(struct bench *b, uint32_t n, const int64_t *values) {
    return ir_add_constant(b->g, "c", ir_tensor_ints(b->g->model->arena, n, values));
}

static ir_value scalar(struct bench *b, enum ir_dtype t, double value) {
    return ir_add_constant(b->g, "c", ir_tensor_scalar_float(b->g->model->arena, t, value));
}

static ir_node node(struct bench *b, const char *op, uint32_t nin, const ir_value *in,
                    uint32_t nattr, const struct ir_attr *attr) {
    ir_value out = ir_add_value(b->g, "y", NULL);
    struct ir_new_node n = {.op = op, .nin = nin, .in = in, .nout = 1, .out = &out,
                            .nattr = nattr, .attr = attr};
    return ir_add_node(b->g, &n, IR_NONE);
}

static ir_value after(struct bench *b, const char *op, ir_value v, int64_t to) {
    struct ir_attr attr = ir_attr_int("to", to);
    return ir_output(b->g, node(b, op, 1, &v, rw_streq(op, "Cast"), &attr), 0);
}

static struct ir_param get(struct bench *b, ir_node n, const char *name) {
    return ir_param(b->g, n, name, &b->arena);
}

static void axes_are_read_from_attribute_and_operand(void) {
    const int64_t axes[] = {-1, 0};
    struct bench b = bench(13);
    ir_value x = input(&b, 3);
    struct ir_attr attr = ir_attr_ints("axes", 2, axes);
    struct ir_param p = get(&b, node(&b, "ReduceMean", 1, &x, 1, &attr), "axes");
    CU_ASSERT_EQUAL(p.source, IR_PARAM_ATTR);
    CU_ASSERT_FALSE(p.is_default);
    CU_ASSERT_TRUE(p.attr.n == 2 && p.attr.ints[0] == -1);
    done(&b);

    b = bench(18);
    x = input(&b, 3);
    ir_value in[] = {x, ints(&b, 2, axes)};
    ir_node n = node(&b, "ReduceMean", 2, in, 0, NULL);
    p = get(&b, n, "axes");
    CU_ASSERT_EQUAL(p.source, IR_PARAM_CONST);
    CU_ASSERT_EQUAL(p.attr.type, IR_ATTR_INTS);
    CU_ASSERT_TRUE(p.attr.n == 2 && p.attr.ints[0] == -1 && p.attr.ints[1] == 0);
    CU_ASSERT_EQUAL(p.input, in[1]);
    p = get(&b, n, "keepdims");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.is_default && p.attr.i == 1);
    CU_ASSERT_EQUAL(get(&b, n, "axis").source, IR_PARAM_NONE);
    in[1] = x;
    p = get(&b, node(&b, "ReduceMean", 2, in, 0, NULL), "axes");
    CU_ASSERT_TRUE(p.source == IR_PARAM_DYNAMIC && p.input == x);
    done(&b);
}

static void no_axes_and_empty_axes_are_the_same(void) {
    struct bench b = bench(18);
    ir_value in[] = {input(&b, 3), ints(&b, 0, NULL)};
    CU_ASSERT_EQUAL(get(&b, node(&b, "ReduceSum", 2, in, 0, NULL), "axes").source,
                    IR_PARAM_ABSENT);
    CU_ASSERT_EQUAL(get(&b, node(&b, "ReduceSum", 1, in, 0, NULL), "axes").source,
                    IR_PARAM_ABSENT);
    /* ONNX Runtime squeezes every axis of one then, too. */
    CU_ASSERT_EQUAL(get(&b, node(&b, "Squeeze", 2, in, 0, NULL), "axes").source,
                    IR_PARAM_ABSENT);
    done(&b);
}

static void a_constant_is_seen_through_identity_and_casts_that_keep_it(void) {
    const int64_t small[] = {3}, large[] = {300};
    struct bench b = bench(18);
    ir_value in[] = {input(&b, 3), IR_NONE};
    in[1] = after(&b, "Identity", after(&b, "Cast", ints(&b, 1, small), IR_INT32), 0);
    struct ir_param p = get(&b, node(&b, "ReduceMax", 2, in, 0, NULL), "axes");
    CU_ASSERT_TRUE(p.source == IR_PARAM_CONST && p.attr.n == 1 && p.attr.ints[0] == 3);
    in[1] = after(&b, "Cast", ints(&b, 1, large), IR_INT8);
    CU_ASSERT_EQUAL(get(&b, node(&b, "ReduceMax", 2, in, 0, NULL), "axes").source,
                    IR_PARAM_DYNAMIC);
    in[1] = after(&b, "Cast", scalar(&b, IR_DOUBLE, 0.1), IR_FLOAT); /* loses digits */
    CU_ASSERT_EQUAL(get(&b, node(&b, "Clip", 2, in, 0, NULL), "min").source,
                    IR_PARAM_DYNAMIC);
    in[1] = after(&b, "Cast", scalar(&b, IR_DOUBLE, 0.25), IR_FLOAT);
    p = get(&b, node(&b, "Clip", 2, in, 0, NULL), "min");
    CU_ASSERT_TRUE(p.source == IR_PARAM_CONST && p.attr.type == IR_ATTR_FLOAT);
    CU_ASSERT_EQUAL(p.attr.f, 0.25f);
    in[1] = after(&b, "Neg", scalar(&b, IR_FLOAT, 0.25), 0);
    CU_ASSERT_EQUAL(get(&b, node(&b, "Clip", 2, in, 0, NULL), "min").source,
                    IR_PARAM_DYNAMIC);
    done(&b);
}

static void integers_that_inference_found_count(void) {
    struct bench b = bench(18);
    struct ir_model *m = b.g->model;
    ir_value in[] = {input(&b, 3), after(&b, "Neg", input(&b, 1), 0)};
    ir_dim items[] = {ir_dim_const(m->dims, 1), ir_dim_symbol(m->dims, "N")};
    struct ir_symval known = {1, 1, items}, open = {1, 2, items};
    ir_set_symval(b.g, in[1], &known);
    ir_node n = node(&b, "ReduceMean", 2, in, 0, NULL);
    struct ir_param p = get(&b, n, "axes");
    CU_ASSERT_TRUE(p.source == IR_PARAM_CONST && p.attr.type == IR_ATTR_INTS);
    CU_ASSERT_TRUE(p.attr.n == 1 && p.attr.ints[0] == 1 && p.input == in[1]);
    ir_set_symval(b.g, in[1], &open);
    CU_ASSERT_EQUAL(get(&b, n, "axes").source, IR_PARAM_DYNAMIC);
    done(&b);
}

static void a_constant_of_the_outer_graph_is_seen_in_a_body(void) {
    const int64_t axes[] = {1};
    struct bench b = bench(18);
    ir_value c = ints(&b, 1, axes), hidden = after(&b, "Identity", c, 0);
    struct ir_graph *outer = b.g;
    b.g = ir_graph_new(outer->model, outer, "body");
    ir_value in[] = {ir_add_value(b.g, "inner", NULL), ir_add_outer(b.g, hidden)};
    struct ir_param p = get(&b, node(&b, "ReduceMean", 2, in, 0, NULL), "axes");
    CU_ASSERT_TRUE(p.source == IR_PARAM_CONST && p.attr.n == 1 && p.attr.ints[0] == 1);
    done(&b);
}

static void renamed_parameters_answer_to_the_new_name(void) {
    struct bench b = bench(2);
    ir_value x = input(&b, 2);
    struct ir_attr attr[] = {ir_attr_float("value", 1.5f)};
    struct ir_param p = get(&b, node(&b, "Pad", 1, &x, 1, attr), "constant_value");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.attr.f == 1.5f);
    CU_ASSERT_STRING_EQUAL(p.attr.name, "constant_value");
    done(&b);

    b = bench(13);
    const int64_t k[] = {5};
    ir_value in[] = {input(&b, 2), ints(&b, 1, k), IR_NONE};
    p = get(&b, node(&b, "TopK", 2, in, 0, NULL), "K");
    CU_ASSERT_TRUE(p.source == IR_PARAM_CONST && p.attr.type == IR_ATTR_INT &&
                   p.attr.i == 5);
    p = get(&b, node(&b, "Pad", 2, in, 0, NULL), "constant_value");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.is_default && p.attr.f == 0);
    done(&b);
}

static void older_versions_have_a_fixed_meaning(void) {
    struct bench b = bench(11);
    ir_value x = input(&b, 4), five[] = {x, x, x, x, x};
    struct ir_param p = get(&b, node(&b, "Dropout", 1, &x, 0, NULL), "training_mode");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.is_default && p.attr.i == 0);
    p = get(&b, node(&b, "BatchNormalization", 5, five, 0, NULL), "training_mode");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.attr.i == 0);
    p = get(&b, node(&b, "Reshape", 2, five, 0, NULL), "allowzero");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.attr.i == 0);
    p = get(&b, node(&b, "ReduceMean", 1, &x, 0, NULL), "noop_with_empty_axes");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.attr.i == 0);
    p = get(&b, node(&b, "RoiAlign", 3, five, 0, NULL), "coordinate_transformation_mode");
    CU_ASSERT_STRING_EQUAL(p.attr.s.at, "output_half_pixel");
    p = get(&b, node(&b, "Split", 1, &x, 0, NULL), "num_outputs");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.attr.i == 1);
    p = get(&b, node(&b, "Clip", 1, &x, 0, NULL), "max");
    CU_ASSERT_EQUAL(p.source, IR_PARAM_ABSENT);
    done(&b);

    b = bench(6);
    x = input(&b, 4);
    p = get(&b, node(&b, "Clip", 1, &x, 0, NULL), "max");
    CU_ASSERT_TRUE(p.source == IR_PARAM_ATTR && p.is_default && p.attr.f > 3e38f);
    p = get(&b, node(&b, "Dropout", 1, &x, 0, NULL), "training_mode");
    CU_ASSERT_EQUAL(p.attr.i, 1);
    struct ir_attr test = ir_attr_int("is_test", 1);
    p = get(&b, node(&b, "Dropout", 1, &x, 1, &test), "training_mode");
    CU_ASSERT_EQUAL(p.attr.i, 0);
    done(&b);
}

static void lists_follow_from_the_node(void) {
    const int64_t at[] = {1, 2}, k[] = {3, 3};
    struct bench b = bench(13);
    ir_value x = input(&b, 4), in[] = {x, ints(&b, 2, at), ints(&b, 2, at)};
    ir_node slice = node(&b, "Slice", 3, in, 0, NULL);
    struct ir_param p = get(&b, slice, "steps");
    CU_ASSERT_TRUE(p.is_default && p.attr.n == 2 && p.attr.ints[0] == 1 &&
                   p.attr.ints[1] == 1);
    p = get(&b, slice, "axes");
    CU_ASSERT_TRUE(p.is_default && p.attr.n == 2 && p.attr.ints[0] == 0 &&
                   p.attr.ints[1] == 1);
    p = get(&b, node(&b, "Transpose", 1, &x, 0, NULL), "perm");
    CU_ASSERT_TRUE(p.attr.n == 4 && p.attr.ints[0] == 3 && p.attr.ints[3] == 0);
    struct ir_attr attr[] = {ir_attr_ints("kernel_shape", 2, k),
                             ir_attr_string("auto_pad", "SAME_UPPER")};
    ir_node conv = node(&b, "Conv", 2, in, 1, attr);
    p = get(&b, conv, "strides");
    CU_ASSERT_TRUE(p.is_default && p.attr.n == 2 && p.attr.ints[1] == 1);
    CU_ASSERT_EQUAL(get(&b, conv, "pads").attr.n, 4);
    CU_ASSERT_EQUAL(get(&b, node(&b, "Conv", 2, in, 2, attr), "pads").source,
                    IR_PARAM_ABSENT);
    done(&b);
}

static void hostile_nodes_have_no_parameter_and_no_end(void) {
    struct bench b = bench(9);
    ir_value x = input(&b, 2);
    /* Required attributes that are not there, at a version that wants them. */
    CU_ASSERT_EQUAL(get(&b, node(&b, "Slice", 1, &x, 0, NULL), "starts").source,
                    IR_PARAM_ABSENT);
    CU_ASSERT_EQUAL(get(&b, node(&b, "Slice", 1, &x, 0, NULL), "steps").source,
                    IR_PARAM_ABSENT);
    struct ir_attr attr = ir_attr_int("anything", 4);
    ir_node n = node(&b, "NoSuchOperator", 1, &x, 1, &attr);
    CU_ASSERT_EQUAL(get(&b, n, "anything").attr.i, 4);
    CU_ASSERT_EQUAL(get(&b, n, "other").source, IR_PARAM_ABSENT);
    struct ir_attr ref = {.name = "axis", .type = IR_ATTR_INT, .ref = "a"};
    struct ir_param p = get(&b, node(&b, "Concat", 1, &x, 1, &ref), "axis");
    CU_ASSERT_TRUE(p.source == IR_PARAM_DYNAMIC && p.input == IR_NONE);
    done(&b);
}

void add_ir_param_suite(void);
void add_ir_param_suite(void) {
    CU_pSuite s = CU_add_suite("ir: virtual parameters of nodes", NULL, NULL);
    CU_ADD_TEST(s, axes_are_read_from_attribute_and_operand);
    CU_ADD_TEST(s, no_axes_and_empty_axes_are_the_same);
    CU_ADD_TEST(s, a_constant_is_seen_through_identity_and_casts_that_keep_it);
    CU_ADD_TEST(s, integers_that_inference_found_count);
    CU_ADD_TEST(s, a_constant_of_the_outer_graph_is_seen_in_a_body);
    CU_ADD_TEST(s, renamed_parameters_answer_to_the_new_name);
    CU_ADD_TEST(s, older_versions_have_a_fixed_meaning);
    CU_ADD_TEST(s, lists_follow_from_the_node);
    CU_ADD_TEST(s, hostile_nodes_have_no_parameter_and_no_end);
}
