/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_kit.h"

static void set_string(struct bench *b, const char *name, const char *value) {
    b->attr[b->nattr++] = ir_attr_string(name, value);
}

static void bits_are_shifted_and_joined(void) {
    struct bench b = BENCH;
    SHOWS(b, "BitwiseAnd", "uint8[2] 12 10 ; uint8[] 6", "uint8[2] 4 2");
    SHOWS(b, "BitwiseXor", "int8[1] -1 ; int8[1] 1", "int8[1] -2");
    SHOWS(b, "BitwiseNot", "uint8[2] 0 254", "uint8[2] 255 1");
    set_string(&b, "direction", "LEFT");
    SHOWS(b, "BitShift", "uint8[2] 1 200 ; uint8[2] 3 1", "uint8[2] 8 144");
    SHOWS(b, "BitShift", "uint8[1] 1 ; uint8[1] 8", "none");
    b.opset = 28;
    SHOWS(b, "BitShift", "int8[2] 1 1 ; int8[2] 8 -1", "int8[2] 0 0");
    b.nattr = 0;
    set_string(&b, "direction", "RIGHT");
    SHOWS(b, "BitShift", "int8[3] -7 -7 7 ; int8[3] 1 9 9", "int8[3] -4 -1 0");
    arena_free(&b.arena);
}

static void activations_take_their_parameters(void) {
    struct bench b = BENCH;
    SHOWS(b, "LeakyRelu", "float[2] -100 2", "float[2] -1 2");
    SHOWS(b, "HardSigmoid", "float[3] -9 0 9", "float[3] 0 0.5 1");
    SHOWS(b, "IsNaN", "float[2] nan 1", "bool[2] 1 0");
    SHOWS(b, "IsInf", "double[3] inf -inf nan", "bool[3] 1 1 0");
    SHOWS(b, "PRelu", "float[2] -2 2 ; float[1] 3", "float[2] -6 2");
    SHOWS(b, "PRelu", "float[1] -2 ; float[2] 3 4", "none");
    b.attr[b.nattr++] = ir_attr_float("alpha", 3);
    SHOWS(b, "ThresholdedRelu", "float[3] 3 4 nan", "float[3] 0 4 0");
    arena_free(&b.arena);
}

static void remainders_have_the_sign_of_their_kind(void) {
    struct bench b = BENCH;
    SHOWS(b, "Mod", "int32[4] 7 -7 7 -7 ; int32[4] 3 3 -3 -3", "int32[4] 1 2 -2 -1");
    SHOWS(b, "Mod", "float[1] 1 ; float[1] 2", "none");
    b.opset = 28;
    SHOWS(b, "Mod", "float[3] -7 7 1 ; float[3] 3 -3 inf", "float[3] 2 -2 1");
    set_int(&b, "fmod", 1);
    SHOWS(b, "Mod", "float[2] -7 7 ; float[2] 3 -3", "float[2] -1 1");
    arena_free(&b.arena);
}

static void numbers_are_quantised_and_back(void) {
    struct bench b = BENCH;
    SHOWS(b, "QuantizeLinear", "float[4] 1 2.5 1000 -1000 ; float[] 1 ; int8[] 1",
          "int8[4] 2 3 127 -128");
    SHOWS(b, "QuantizeLinear", "float[2] 3 -3 ; float[] 2", "uint8[2] 2 0");
    SHOWS(b, "QuantizeLinear", "float[1] nan ; float[] 2", "none");
    SHOWS(b, "DequantizeLinear", "uint8[2] 3 5 ; float[] 0.5 ; uint8[] 1", "float[2] 1 2");
    set_int(&b, "axis", 0);
    SHOWS(b, "DequantizeLinear", "int8[2,2] 1 2 3 4 ; float[2] 1 10 ; int8[2] 0 1",
          "float[2,2] 1 2 20 30");
    SHOWS(b, "DequantizeLinear", "int8[2,2] 1 2 3 4 ; float[3] 1 1 1", "none");
    set_int(&b, "block_size", 2);
    SHOWS(b, "DequantizeLinear", "int4[4,1] 1 2 3 -4 ; float[2,1] 1 10",
          "float[4,1] 1 2 30 -40");
    SHOWS(b, "DequantizeLinear", "int4[3,1] 1 2 3 ; float[2,1] 1 10", "none");
    arena_free(&b.arena);
}

static void scatters_join_what_is_there(void) {
    struct bench b = BENCH;
    SHOWS(b, "ScatterElements", "int8[3] 1 2 3 ; int64[2] -1 0 ; int8[2] 7 8",
          "int8[3] 8 2 7");
    SHOWS(b, "ScatterElements", "int8[1] 1 ; int64[1] 1 ; int8[1] 7", "none");
    set_string(&b, "reduction", "add");
    SHOWS(b, "ScatterElements", "int8[2] 127 2 ; int64[3] 0 0 1 ; int8[3] 1 1 5",
          "int8[2] -127 7");
    SHOWS(b, "ScatterND", "float[2,1] 1 2 ; int64[2,1] 1 1 ; float[2,1] 3 4",
          "float[2,1] 1 9");
    SHOWS(b, "ScatterND", "float16[1] 1 ; int64[1,1] 0 ; float16[1] 3", "none");
    b.nattr = 0;
    set_string(&b, "reduction", "max");
    SHOWS(b, "ScatterND", "float[2] 1 5 ; int64[2,1] 0 1 ; float[2] 3 4", "float[2] 3 5");
    SHOWS(b, "ScatterND", "float[1] nan ; int64[1,1] 0 ; float[1] 3", "none");
    arena_free(&b.arena);
}

static void elements_are_sorted(void) {
    struct bench b = BENCH;
    b.nout = 2;
    SHOWS(b, "TopK", "float[4] 1 3 3 2 ; int64[1] 3", "float[3] 3 3 2; int64[3] 1 2 3");
    SHOWS(b, "TopK", "float[2] 1 nan ; int64[1] 1", "none");
    SHOWS(b, "TopK", "float[2] 1 2 ; int64[1] 3", "none");
    b.nout = 4;
    SHOWS(b, "Unique", "int8[5] 3 1 3 2 1",
          "int8[3] 1 2 3; int64[3] 1 3 0; int64[5] 2 0 2 1 0; int64[3] 2 1 2");
    set_int(&b, "sorted", 0);
    SHOWS(b, "Unique", "int8[5] 3 1 3 2 1",
          "int8[3] 3 1 2; int64[3] 0 1 3; int64[5] 0 1 0 2 1; int64[3] 2 2 1");
    arena_free(&b.arena);
}

static void einsum_sums_over_what_is_left_out(void) {
    struct bench b = BENCH;
    const char *operands = "int32[2,2] 1 2 3 4 ; int32[2,2] 1 10 100 1000";
    set_string(&b, "equation", "ij,jk->ik");
    SHOWS(b, "Einsum", operands, "int32[2,2] 201 2010 403 4030");
    b.nattr = 0;
    set_string(&b, "equation", "ii");
    SHOWS(b, "Einsum", "float[2,2] 1 2 3 4", "float[] 5");
    b.nattr = 0;
    set_string(&b, "equation", "ij->ji");
    SHOWS(b, "Einsum", "float[1,2] 1 2", "float[2,1] 1 2");
    const char *wrong[] = {"ij", "ij,jk->il", "ij,jk->ii", "i,j", "...i,ij", "ij,jk-",
                           "ij,jk->i1", ""};
    for (size_t i = 0; i < countof(wrong); i++) {
        b.nattr = 0;
        set_string(&b, "equation", wrong[i]);
        SHOWS(b, "Einsum", operands, "none");
    }
    arena_free(&b.arena);
}

static void lines_are_normalised(void) {
    struct bench b = BENCH;
    SHOWS(b, "Softmax", "float[2,2] 0 0 1000 0", "float[2,2] 0.5 0.5 1 0");
    SHOWS(b, "Hardmax", "float[3] 1 3 3", "float[3] 0 1 0");
    SHOWS(b, "LayerNormalization", "float[2] 1 3 ; float[1] 2 ; float[2] 1 1",
          "float[2] -0.99999 2.99999");
    SHOWS(b, "LayerNormalization", "float[2] 1 3 ; float[3] 1 1 1", "none");
    b.opset = 11;
    set_int(&b, "axis", 1);
    SHOWS(b, "Softmax", "float[1,2,2] 0 0 0 0", "float[1,2,2] 0.25 0.25 0.25 0.25");
    arena_free(&b.arena);
}

static void rows_are_chosen_and_blocks_moved(void) {
    struct bench b = BENCH;
    SHOWS(b, "Compress", "int8[2,2] 1 2 3 4 ; bool[3] 0 1 1", "int8[2] 2 3");
    set_int(&b, "axis", 0);
    SHOWS(b, "Compress", "int8[2,2] 1 2 3 4 ; bool[2] 0 1", "int8[1,2] 3 4");
    SHOWS(b, "Compress", "int8[1,2] 1 2 ; bool[2] 0 1", "none");
    b.nattr = 0;
    set_int(&b, "blocksize", 2);
    SHOWS(b, "SpaceToDepth", "int8[1,1,2,2] 1 2 3 4", "int8[1,4,1,1] 1 2 3 4");
    SHOWS(b, "DepthToSpace", "int8[1,4,1,1] 1 2 3 4", "int8[1,1,2,2] 1 2 3 4");
    SHOWS(b, "DepthToSpace", "int8[1,3,1,1] 1 2 3", "none");
    arena_free(&b.arena);
}

/* --- parts ------------------------------------------------------------------------- */

#define MANY 10000

static struct ir_tensor *numbers(struct arena *a, int64_t rows, int64_t columns) {
    float *items = arena_new_array(a, float, (size_t)(rows * columns));
    for (int64_t i = 0; i < rows * columns; i++) items[i] = (float)(i % 1000);
    return ir_tensor_new(a, IR_FLOAT, 2, (int64_t[]){rows, columns}, items);
}

static void any_part_of_an_elementwise_result_is_made(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_tensor *in[2] = {numbers(&a, MANY / 100, 100), numbers(&a, 1, 100)}, *whole;
    const struct ir_eval e = {
        .schema = ir_schema_find("", "Mul", 22), .nin = 2, .nout = 1, .in = in, .arena = &a,
        .max_bytes = 1 << 20,
    };
    CU_ASSERT_TRUE_FATAL(ir_eval(&e, &whole));
    static const uint64_t parts[][2] = {
        {0, MANY}, {8, 1}, {4096, 4104}, {MANY, 0}, {9992, 8}};
    for (size_t i = 0; i < countof(parts); i++) {
        uint64_t first = parts[i][0], n = parts[i][1];
        float *part = arena_new_array(&a, float, n + 1);
        CU_ASSERT_TRUE(ir_eval_part(&e, first, n, part));
        CU_ASSERT_EQUAL(memcmp(part, (const float *)whole->data + first, 4 * n), 0);
    }
    float none[8];
    CU_ASSERT_FALSE(ir_eval_part(&e, 3, 1, none)); /* not a multiple of 8 */
    CU_ASSERT_FALSE(ir_eval_part(&e, MANY - 8, 9, none));
    arena_free(&a);
}

static void a_part_of_elements_below_a_byte(void) {
    struct arena a = ARENA_EMPTY;
    float items[16];
    unsigned char part[4];
    for (int i = 0; i < 16; i++) items[i] = (float)(i - 8);
    struct ir_tensor *in[1] = {ir_tensor_new(&a, IR_FLOAT, 1, (int64_t[]){16}, items)};
    struct ir_attr to = ir_attr_int("to", IR_INT4);
    const struct ir_eval e = {
        .schema = ir_schema_find("", "Cast", 22), .nin = 1, .nout = 1, .nattr = 1, .in = in,
        .attr = &to, .arena = &a, .max_bytes = 1 << 10,
    };
    CU_ASSERT_TRUE(ir_eval_part(&e, 8, 8, part));
    CU_ASSERT_EQUAL(memcmp(part, "\x10\x32\x54\x76", 4), 0);
    arena_free(&a);
}

static void work_is_bounded_in_sum(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_tensor *in[2] = {numbers(&a, 10, 10), numbers(&a, 10, 10)}, *out;
    struct ir_model *m = ir_model_new(&a, 8);
    const struct ir_eval e = {
        .model = m, .schema = ir_schema_find("", "MatMul", 22), .nin = 2, .nout = 1,
        .in = in, .arena = &a, .max_bytes = 1 << 20,
    };
    m->multiplied = ((uint64_t)1 << 30) - 1500;
    CU_ASSERT_TRUE(ir_eval(&e, &out));
    CU_ASSERT_EQUAL(m->multiplied, ((uint64_t)1 << 30) - 500);
    CU_ASSERT_FALSE(ir_eval(&e, &out));
    arena_free(&a);
}

static void work_of_a_node_is_bounded(void) {
    struct bench b = BENCH;
    b.max_bytes = 1 << 20;
    struct ir_tensor *in[3] = {numbers(&b.arena, 1, 1000), numbers(&b.arena, 1, 1000),
                               numbers(&b.arena, 1, 1000)};
    set_string(&b, "equation", "ai,bj,ck->abc");
    CU_ASSERT_STRING_EQUAL(run_on(&b, "Einsum", in, 3), "none");
    arena_free(&b.arena);
}

static void dequantisation_is_not_folded(void) {
    CU_ASSERT_TRUE(ir_eval_has("", "DequantizeLinear"));
    CU_ASSERT_FALSE(ir_eval_folds("", "DequantizeLinear"));
    CU_ASSERT_TRUE(ir_eval_folds("com.microsoft", "QuantizeLinear"));
    CU_ASSERT_FALSE(ir_eval_folds("com.microsoft", "DequantizeLinear"));
}

void add_ir_eval_more_suite(void);
void add_ir_eval_more_suite(void) {
    CU_pSuite s = CU_add_suite("ir: constant evaluation, more", NULL, NULL);
    CU_ADD_TEST(s, bits_are_shifted_and_joined);
    CU_ADD_TEST(s, activations_take_their_parameters);
    CU_ADD_TEST(s, remainders_have_the_sign_of_their_kind);
    CU_ADD_TEST(s, numbers_are_quantised_and_back);
    CU_ADD_TEST(s, scatters_join_what_is_there);
    CU_ADD_TEST(s, elements_are_sorted);
    CU_ADD_TEST(s, einsum_sums_over_what_is_left_out);
    CU_ADD_TEST(s, lines_are_normalised);
    CU_ADD_TEST(s, rows_are_chosen_and_blocks_moved);
    CU_ADD_TEST(s, any_part_of_an_elementwise_result_is_made);
    CU_ADD_TEST(s, a_part_of_elements_below_a_byte);
    CU_ADD_TEST(s, work_is_bounded_in_sum);
    CU_ADD_TEST(s, work_of_a_node_is_bounded);
    CU_ADD_TEST(s, dequantisation_is_not_folded);
}
