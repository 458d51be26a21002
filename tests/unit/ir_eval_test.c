/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_kit.h"

static void arithmetic_broadcasts(void) {
    struct bench b = BENCH;
    SHOWS(b, "Add", "float[2,1] 1 2 ; float[3] 10 20 30", "float[2,3] 11 21 31 12 22 32");
    SHOWS(b, "Sub", "int64[] 5 ; int64[2] 1 7", "int64[2] 4 -2");
    SHOWS(b, "Mul", "float16[2] 1.5 3 ; float16[1] 2", "float16[2] 3 6");
    SHOWS(b, "Add", "float[2] 1 2 ; float[3] 1 2 3", "none");
    SHOWS(b, "Add", "float[1] 1 ; double[1] 1", "none");
    SHOWS(b, "Add", "float[0] ; float[1] 1", "float[0]");
    arena_free(&b.arena);
}

static void integers_wrap_and_are_not_divided_by_zero(void) {
    struct bench b = BENCH;
    SHOWS(b, "Add", "int8[1] 127 ; int8[1] 1", "int8[1] -128");
    SHOWS(b, "Mul", "uint8[1] 200 ; uint8[1] 2", "uint8[1] 144");
    SHOWS(b, "Div", "int32[2] 7 -7 ; int32[] 2", "int32[2] 3 -3");
    SHOWS(b, "Div", "int8[1] -128 ; int8[1] -1", "int8[1] -128");
    SHOWS(b, "Div", "int32[2] 7 7 ; int32[2] 2 0", "none");
    SHOWS(b, "Div", "float[2] 1 -1 ; float[] 0", "float[2] inf -inf");
    SHOWS(b, "Mod", "int32[4] 7 -7 7 -7 ; int32[4] 3 3 -3 -3", "int32[4] 1 2 -2 -1");
    set_int(&b, "fmod", 1);
    SHOWS(b, "Mod", "int32[4] 7 -7 7 -7 ; int32[4] 3 3 -3 -3", "int32[4] 1 -1 1 -1");
    SHOWS(b, "Mod", "float[2] 5.5 -5.5 ; float[] 2", "float[2] 1.5 -1.5");
    arena_free(&b.arena);
}

static void powers_take_an_exponent_of_another_type(void) {
    struct bench b = BENCH;
    SHOWS(b, "Pow", "float[2] 3 2 ; int64[] 2", "float[2] 9 4");
    SHOWS(b, "Pow", "int32[2] 3 -2 ; float[] 3", "int32[2] 27 -8");
    SHOWS(b, "Pow", "int32[1] 2 ; int32[1] 40", "none");
    arena_free(&b.arena);
}

static void functions_of_one_operand(void) {
    struct bench b = BENCH;
    SHOWS(b, "Round", "float[5] 0.5 1.5 2.5 -0.5 -1.5", "float[5] 0 2 2 -0 -2");
    SHOWS(b, "Erf", "float[2] 0 1", "float[2] 0 0.842701");
    SHOWS(b, "Sqrt", "float16[1] 2", "float16[1] 1.41406");
    SHOWS(b, "Sigmoid", "float[3] 0 -20 -200", "float[3] 0.5 2.06115e-09 0");
    SHOWS(b, "Neg", "int8[2] 5 -128", "int8[2] -5 -128");
    SHOWS(b, "Sign", "int64[3] -9 0 4", "int64[3] -1 0 1");
    SHOWS(b, "Floor", "int64[1] 1", "none");
    SHOWS(b, "Not", "bool[2] 0 1", "bool[2] 1 0");
    arena_free(&b.arena);
}

static void comparisons_and_logic(void) {
    struct bench b = BENCH;
    SHOWS(b, "Less", "float[2] 1 2 ; float[] 2", "bool[2] 1 0");
    SHOWS(b, "GreaterOrEqual", "int64[2] 1 2 ; int64[] 2", "bool[2] 0 1");
    SHOWS(b, "Equal", "bool[2] 1 0 ; bool[2] 1 1", "bool[2] 1 0");
    SHOWS(b, "Xor", "bool[2] 1 0 ; bool[] 1", "bool[2] 0 1");
    SHOWS(b, "And", "int64[1] 1 ; int64[1] 1", "none");
    arena_free(&b.arena);
}

static void variadic_operators_and_clip(void) {
    struct bench b = BENCH;
    SHOWS(b, "Max", "float[2] 1 5 ; float[] 3 ; float[1] 2", "float[2] 3 5");
    SHOWS(b, "Mean", "float[2] 1 5 ; float[2] 3 7", "float[2] 2 6");
    SHOWS(b, "Clip", "int32[3] -5 5 50 ; - ; int32[] 6", "int32[3] -5 5 6");
    SHOWS(b, "Clip", "float[2] 1 9 ; float[] 5 ; float[] 2", "float[2] 2 2");
    b.opset = 6;
    b.attr[b.nattr++] = ir_attr_float("max", 6);
    SHOWS(b, "Clip", "float[2] -1 9", "float[2] -1 6");
    b.opset = 22; /* where max is no attribute any more */
    SHOWS(b, "Clip", "float[2] -1 9", "none");
    arena_free(&b.arena);
}

static void casts_follow_the_standard(void) {
    struct bench b = BENCH;
    b.nattr = 1;
    b.attr[0] = ir_attr_int("to", IR_INT8);
    SHOWS(b, "Cast", "int16[2] 200 -1", "int8[2] -56 -1");
    SHOWS(b, "Cast", "float[2] 2.9 -2.9", "int8[2] 2 -2");
    SHOWS(b, "Cast", "float[1] 128", "none");
    SHOWS(b, "Cast", "float[1] nan", "none");
    b.attr[0] = ir_attr_int("to", IR_BOOL);
    SHOWS(b, "Cast", "float[3] 0 -0 0.1", "bool[3] 0 0 1");
    b.attr[0] = ir_attr_int("to", IR_FLOAT16);
    SHOWS(b, "Cast", "double[3] 65520 0.1 -1e-9", "float16[3] inf 0.0999756 -0");
    b.attr[0] = ir_attr_int("to", IR_INT4);
    SHOWS(b, "Cast", "int32[3] 7 -8 9", "int4[3] 7 -8 -7");
    b.attr[0] = ir_attr_int("to", IR_FLOAT8E4M3FN);
    SHOWS(b, "Cast", "float[4] 1e6 -inf 0.3 nan", "float8e4m3fn[4] 448 -448 0.3125 nan");
    set_int(&b, "saturate", 0);
    SHOWS(b, "Cast", "float[2] 1e6 448", "float8e4m3fn[2] nan 448");
    arena_free(&b.arena);
}

static void casts_of_six_bits(void) {
    struct bench b = BENCH;
    b.opset = 28;
    b.attr[0] = ir_attr_int("to", IR_FLOAT6E2M3);
    b.nattr = 1;
    SHOWS(b, "Cast", "float[5] 1 -0.1875 3.14159 1e9 -0.01", "float6e2m3[5] 1 -0.25 3.25 7.5 -0");
    SHOWS(b, "Cast", "float[1] nan", "none");
    b.attr[0] = ir_attr_int("to", IR_FLOAT6E3M2);
    SHOWS(b, "Cast", "float[3] 3.14159 26 -inf", "float6e3m2[3] 3 24 -28");
    b.attr[0] = ir_attr_int("to", IR_FLOAT);
    SHOWS(b, "Cast", "float6e3m2[3] 3 24 -28", "float[3] 3 24 -28");
    b.nattr = 0;
    SHOWS(b, "Transpose", "float6e2m3[2,3] 1 2 3 4 5 6", "float6e2m3[3,2] 1 4 2 5 3 6");
    arena_free(&b.arena);
}

static void round_modes_of_powers_of_two(void) {
    struct bench b = BENCH;
    b.opset = 25;
    b.attr[0] = ir_attr_int("to", IR_FLOAT8E8M0);
    b.nattr = 1;
    SHOWS(b, "Cast", "float[4] 1 1.1 1.5 1.9", "float8e8m0[4] 1 2 2 2");
    b.attr[b.nattr++] = ir_attr_string("round_mode", "down");
    SHOWS(b, "Cast", "float[4] 1 1.1 1.5 1.9", "float8e8m0[4] 1 1 1 1");
    b.attr[1] = ir_attr_string("round_mode", "nearest");
    SHOWS(b, "Cast", "float[4] 1 1.1 1.5 1.9", "float8e8m0[4] 1 1 2 2");
    SHOWS(b, "Cast", "float[1] -1", "none");
    arena_free(&b.arena);
}

static void shapes_are_made_and_read(void) {
    struct bench b = BENCH;
    SHOWS(b, "Shape", "float[2,3] 1 2 3 4 5 6", "int64[2] 2 3");
    SHOWS(b, "Size", "float[2,3] 1 2 3 4 5 6", "int64[] 6");
    SHOWS(b, "Reshape", "int64[2,3] 1 2 3 4 5 6 ; int64[3] 0 -1 1",
          "int64[2,3,1] 1 2 3 4 5 6");
    SHOWS(b, "Reshape", "int64[2] 1 2 ; int64[2] -1 -1", "none");
    SHOWS(b, "Reshape", "int64[3] 1 2 3 ; int64[2] 2 -1", "none");
    SHOWS(b, "Squeeze", "int64[1,2,1] 1 2", "int64[2] 1 2");
    SHOWS(b, "Squeeze", "int64[1,2,1] 1 2 ; int64[1] -1", "int64[1,2] 1 2");
    SHOWS(b, "Squeeze", "int64[1,2,1] 1 2 ; int64[1] 1", "none");
    SHOWS(b, "Unsqueeze", "int64[2] 1 2 ; int64[2] 0 -1", "int64[1,2,1] 1 2");
    SHOWS(b, "Unsqueeze", "int64[2] 1 2 ; int64[2] 0 -3", "none");
    SHOWS(b, "Flatten", "int4[1,3,2] 1 2 3 4 5 -6", "int4[1,6] 1 2 3 4 5 -6");
    set_int(&b, "start", -2);
    SHOWS(b, "Shape", "float[2,3,0]", "int64[2] 3 0");
    set_int(&b, "end", -1);
    SHOWS(b, "Shape", "float[2,3,0]", "int64[1] 3");
    arena_free(&b.arena);
}

static void the_older_form_of_a_parameter_is_read(void) {
    struct bench b = BENCH;
    const int64_t axes[] = {0}, sizes[] = {1, 2};
    b.opset = 11;
    set_ints(&b, "axes", 1, axes);
    SHOWS(b, "Unsqueeze", "int64[2] 1 2", "int64[1,2] 1 2");
    b.nattr = 0;
    set_ints(&b, "split", 2, sizes);
    b.nout = 2;
    SHOWS(b, "Split", "int64[3] 1 2 3", "int64[1] 1; int64[2] 2 3");
    arena_free(&b.arena);
}

static void blocks_are_joined_and_cut(void) {
    struct bench b = BENCH;
    set_int(&b, "axis", 1);
    SHOWS(b, "Concat", "int64[2,1] 1 2 ; int64[2,2] 3 4 5 6", "int64[2,3] 1 3 4 2 5 6");
    SHOWS(b, "Concat", "int4[1,1] 1 ; int4[1,2] 3 -4", "int4[1,3] 1 3 -4");
    SHOWS(b, "Concat", "int64[2,1] 1 2 ; int64[1,1] 3", "none");
    b.nout = 2;
    SHOWS(b, "Split", "int64[2,3] 1 2 3 4 5 6 ; int64[2] 1 2",
          "int64[2,1] 1 4; int64[2,2] 2 3 5 6");
    SHOWS(b, "Split", "int64[2,3] 1 2 3 4 5 6 ; int64[2] 1 1", "none");
    SHOWS(b, "Split", "int64[2,3] 1 2 3 4 5 6 ; int64[2] -1 4", "none");
    set_int(&b, "num_outputs", 2);
    SHOWS(b, "Split", "int64[1,3] 1 2 3", "int64[1,2] 1 2; int64[1,1] 3");
    arena_free(&b.arena);
}

static void elements_are_moved(void) {
    struct bench b = BENCH;
    const int64_t perm[] = {1, 2, 0}, twice[] = {0, 0, 1};
    SHOWS(b, "Transpose", "int8[2,3] 1 2 3 4 5 6", "int8[3,2] 1 4 2 5 3 6");
    SHOWS(b, "Where", "bool[2,1] 1 0 ; int64[2] 1 2 ; int64[] 9", "int64[2,2] 1 2 9 9");
    set_ints(&b, "perm", 3, perm);
    SHOWS(b, "Transpose", "int8[1,2,3] 1 2 3 4 5 6", "int8[2,3,1] 1 2 3 4 5 6");
    b.attr[0] = ir_attr_ints("perm", 3, twice);
    SHOWS(b, "Transpose", "int8[1,2,3] 1 2 3 4 5 6", "none");
    arena_free(&b.arena);
}

static void strings_are_moved_not_computed(void) {
    struct bench b = BENCH;
    const int64_t dims[] = {3, 1};
    const struct ir_string words[] = {{"a", 1}, {"", 0}, {"cd", 2}};
    struct ir_tensor *in[] = {ir_tensor_strings(&b.arena, 2, dims, words)};
    CU_ASSERT_STRING_EQUAL(run_on(&b, "Transpose", in, 1), "string[1,3] a  cd");
    CU_ASSERT_STRING_EQUAL(run_on(&b, "Neg", in, 1), "none");
    arena_free(&b.arena);
}

static void slices_are_cut_to_what_there_is(void) {
    struct bench b = BENCH;
    SHOWS(b, "Slice", "int64[4] 1 2 3 4 ; int64[1] 1 ; int64[1] 9e18",
          "int64[3] 2 3 4");
    SHOWS(b, "Slice",
          "int64[4] 1 2 3 4 ; int64[1] -1 ; int64[1] -9 ; int64[1] 0 ; int64[1] -2",
          "int64[2] 4 2");
    SHOWS(b, "Slice", "int64[2,2] 1 2 3 4 ; int64[1] 5 ; int64[1] 9 ; int64[1] 1",
          "int64[2,0]");
    SHOWS(b, "Slice", "int64[2] 1 2 ; int64[1] 0 ; int64[1] 1 ; int64[1] 0 ; int64[1] 0",
          "none");
    SHOWS(b, "Slice", "int64[2] 1 2 ; int64[2] 0 0 ; int64[2] 1 1 ; int64[2] 0 -1", "none");
    const int64_t starts[] = {1}, ends[] = {3};
    b.opset = 9;
    set_ints(&b, "starts", 1, starts);
    set_ints(&b, "ends", 1, ends);
    SHOWS(b, "Slice", "int4[4] 1 2 3 4", "int4[2] 2 3");
    arena_free(&b.arena);
}

static void padding_in_every_mode(void) {
    struct bench b = BENCH;
    SHOWS(b, "Pad", "int64[2] 1 2 ; int64[2] 1 2 ; int64[] 7", "int64[5] 7 1 2 7 7");
    SHOWS(b, "Pad", "int64[3] 1 2 3 ; int64[2] -1 1", "int64[3] 2 3 0");
    SHOWS(b, "Pad", "int64[1,2] 1 2 ; int64[2] 0 1 ; - ; int64[1] -1", "int64[1,3] 1 2 0");
    SHOWS(b, "Pad", "int64[2] 1 2 ; int64[2] -2 -1", "none");
    b.attr[0] = ir_attr_string("mode", "reflect"), b.nattr = 1;
    SHOWS(b, "Pad", "int64[3] 1 2 3 ; int64[2] 2 1", "int64[6] 3 2 1 2 3 2");
    SHOWS(b, "Pad", "int64[3] 1 2 3 ; int64[2] 3 0", "none");
    b.attr[0] = ir_attr_string("mode", "edge");
    SHOWS(b, "Pad", "int64[2] 1 2 ; int64[2] 2 1", "int64[5] 1 1 1 2 2");
    b.attr[0] = ir_attr_string("mode", "wrap");
    SHOWS(b, "Pad", "int64[2] 1 2 ; int64[2] 3 1", "int64[6] 2 1 2 1 2 1");
    arena_free(&b.arena);
}

static void expansion_and_tiling(void) {
    struct bench b = BENCH;
    SHOWS(b, "Expand", "int64[2,1] 1 2 ; int64[3] 2 1 2", "int64[2,2,2] 1 1 2 2 1 1 2 2");
    SHOWS(b, "Expand", "int64[3] 1 2 3 ; int64[1] 1", "int64[3] 1 2 3");
    SHOWS(b, "Expand", "int64[3] 1 2 3 ; int64[1] 2", "none");
    SHOWS(b, "Expand", "int64[1] 1 ; int64[2] 1000000000000 1000000000000", "none");
    SHOWS(b, "Expand", "int64[1] 1 ; int64[2] 1000000000000 0", "int64[1000000000000,0]");
    SHOWS(b, "Tile", "int64[1,2] 1 2 ; int64[2] 2 2", "int64[2,4] 1 2 1 2 1 2 1 2");
    SHOWS(b, "Tile", "int64[2] 1 2 ; int64[1] 4611686018427387904", "none");
    arena_free(&b.arena);
}

static void gathering_and_scattering(void) {
    struct bench b = BENCH;
    SHOWS(b, "Gather", "int64[3] 1 2 3 ; int64[] -1", "int64[] 3");
    SHOWS(b, "Gather", "int64[3] 1 2 3 ; int32[1] 3", "none");
    SHOWS(b, "GatherND", "int64[2,2] 1 2 3 4 ; int64[2,2] 0 1 -1 0", "int64[2] 2 3");
    SHOWS(b, "GatherND", "int64[2,2] 1 2 3 4 ; int64[1,1] 1", "int64[1,2] 3 4");
    SHOWS(b, "ScatterND", "int64[3] 1 2 3 ; int64[2,1] 2 0 ; int64[2] 8 9",
          "int64[3] 9 2 8");
    SHOWS(b, "ScatterND", "int64[3] 1 2 3 ; int64[1,1] 3 ; int64[1] 8", "none");
    set_int(&b, "axis", 1);
    SHOWS(b, "Gather", "int64[2,2] 1 2 3 4 ; int64[1] 1", "int64[2,1] 2 4");
    SHOWS(b, "GatherElements", "int64[2,2] 1 2 3 4 ; int64[2,1] 1 -2", "int64[2,1] 2 3");
    SHOWS(b, "GatherElements", "int64[2,2] 1 2 3 4 ; int64[3,1] 1 1 1", "none");
    b.attr[0] = ir_attr_int("batch_dims", 1);
    SHOWS(b, "GatherND", "int64[2,2] 1 2 3 4 ; int64[2,1] 1 0", "int64[2] 2 3");
    arena_free(&b.arena);
}

static void one_hot_and_not_zero(void) {
    struct bench b = BENCH;
    SHOWS(b, "OneHot", "int64[2] 1 -3 ; int64[] 3 ; float[2] 0 5",
          "float[2,3] 0 5 0 5 0 0");
    SHOWS(b, "OneHot", "int64[1] 3 ; int64[] 3 ; float[2] 0 5", "float[1,3] 0 0 0");
    SHOWS(b, "NonZero", "float[2,2] 0 1 -2 0", "int64[2,2] 0 1 1 0");
    set_int(&b, "axis", 0);
    SHOWS(b, "OneHot", "int64[2] 1 0 ; int64[] 2 ; int8[2] 0 1", "int8[2,2] 0 1 1 0");
    arena_free(&b.arena);
}

static void tensors_are_made(void) {
    struct bench b = BENCH;
    SHOWS(b, "Range", "int64[] 5 ; int64[] 0 ; int64[] -2", "int64[3] 5 3 1");
    SHOWS(b, "Range", "int64[] 0 ; int64[] 5 ; int64[] -1", "int64[0]");
    SHOWS(b, "Range", "int64[] 0 ; int64[] 5 ; int64[] 0", "none");
    SHOWS(b, "Range", "float[] 0 ; float[] 1 ; float[] 0.4", "float[3] 0 0.4 0.8");
    SHOWS(b, "ConstantOfShape", "int64[2] 1 2", "float[1,2] 0 0");
    SHOWS(b, "ConstantOfShape", "int64[1] -1", "none");
    SHOWS(b, "EyeLike", "int8[2,3] 0 0 0 0 0 0", "int8[2,3] 1 0 0 0 1 0");
    SHOWS(b, "Trilu", "int64[2,2] 1 2 3 4 ; int64[] 1", "int64[2,2] 0 2 0 0");
    const int64_t one[] = {1}, seven[] = {7};
    struct ir_tensor *fill = ir_tensor_new(&b.arena, IR_INT64, 1, one, seven);
    b.attr[b.nattr++] = ir_attr_tensor(&b.arena, "value", fill);
    SHOWS(b, "ConstantOfShape", "int64[1] 3", "int64[3] 7 7 7");
    b.attr[0] = ir_attr_floats("value_floats", 2, (const float[]){1, 2});
    SHOWS(b, "Constant", "", "float[2] 1 2");
    b.attr[0] = ir_attr_int("value_int", 9);
    SHOWS(b, "Constant", "", "int64[] 9");
    arena_free(&b.arena);
}

static void reductions_take_their_axes_in_either_form(void) {
    struct bench b = BENCH;
    SHOWS(b, "ReduceSum", "float[2,2] 1 2 3 4 ; int64[1] 0", "float[1,2] 4 6");
    SHOWS(b, "ReduceMax", "int8[2,2] -5 -2 -3 -4 ; int64[1] -1", "int8[2,1] -2 -3");
    SHOWS(b, "ReduceProd", "int64[3] 2 3 4", "int64[1] 24");
    SHOWS(b, "ReduceSum", "int8[2] 100 27", "int8[1] 127");
    SHOWS(b, "ReduceSum", "int8[2] 100 28", "none");
    SHOWS(b, "ReduceProd", "int64[3] 9e18 9e18 0", "none");
    SHOWS(b, "ReduceL2", "float[2] 3 4", "float[1] 5");
    SHOWS(b, "ReduceMean", "float[0]", "none");
    SHOWS(b, "ReduceSum", "float[0]", "float[1] 0");
    set_int(&b, "keepdims", 0);
    SHOWS(b, "ReduceMin", "float[2,2] 1 2 3 4", "float[] 1");
    set_int(&b, "noop_with_empty_axes", 1);
    SHOWS(b, "ReduceSum", "float[2] 1 2", "float[2] 1 2");
    const int64_t axes[] = {1};
    b.opset = 11;
    b.nattr = 0;
    set_ints(&b, "axes", 1, axes);
    SHOWS(b, "ReduceMean", "float[2,2] 1 2 3 4", "float[2,1] 1.5 3.5");
    SHOWS(b, "ReduceMean", "float[2] 1 2", "none");
    arena_free(&b.arena);
}

static void along_an_axis(void) {
    struct bench b = BENCH;
    SHOWS(b, "ArgMax", "float[2,2] 1 5 5 2", "int64[1,2] 1 0");
    SHOWS(b, "ArgMin", "float[3] 2 1 1", "int64[1] 1");
    SHOWS(b, "CumSum", "int64[2,2] 1 2 3 4 ; int64[] 1", "int64[2,2] 1 3 3 7");
    set_int(&b, "select_last_index", 1);
    SHOWS(b, "ArgMin", "float[3] 2 1 1", "int64[1] 2");
    b.nattr = 0;
    set_int(&b, "exclusive", 1);
    SHOWS(b, "CumSum", "int64[3] 1 2 3 ; int64[] 0", "int64[3] 0 1 3");
    set_int(&b, "reverse", 1);
    SHOWS(b, "CumSum", "int64[3] 1 2 3 ; int64[] 0", "int64[3] 5 3 0");
    arena_free(&b.arena);
}

static void matrices_are_multiplied(void) {
    struct bench b = BENCH;
    SHOWS(b, "MatMul", "float[2,2] 1 2 3 4 ; float[2,1] 1 10", "float[2,1] 21 43");
    SHOWS(b, "MatMul", "int32[2] 1 2 ; int32[2] 3 4", "int32[] 11");
    SHOWS(b, "MatMul", "int64[2,1,1] 2 3 ; int64[1,2] 1 10", "int64[2,1,2] 2 20 3 30");
    SHOWS(b, "MatMul", "float[2,2] 1 2 3 4 ; float[1,2] 1 1", "none");
    SHOWS(b, "Gemm", "float[1,2] 1 2 ; float[2,1] 3 4 ; float[1] 1", "float[1,1] 12");
    set_int(&b, "transB", 1);
    b.attr[b.nattr++] = ir_attr_float("alpha", 2);
    SHOWS(b, "Gemm", "float[1,2] 1 2 ; float[2,2] 3 4 5 6", "float[1,2] 22 34");
    arena_free(&b.arena);
}

static void what_is_too_large_or_unknown_is_refused(void) {
    struct bench b = BENCH;
    b.max_bytes = 16;
    SHOWS(b, "Add", "float[4,1] 1 2 3 4 ; float[1] 1", "float[4,1] 2 3 4 5");
    SHOWS(b, "Add", "float[4,1] 1 2 3 4 ; float[2] 1 2", "none");
    set_int(&b, "strange", 1);
    SHOWS(b, "Neg", "float[1] 1", "none");
    CU_ASSERT_TRUE(ir_eval_has("", "Add"));
    CU_ASSERT_TRUE(ir_eval_has("ai.onnx", "Cast"));
    CU_ASSERT_FALSE(ir_eval_has("com.microsoft", "Add"));
    CU_ASSERT_FALSE(ir_eval_has("", "RandomNormal"));
    arena_free(&b.arena);
}

void add_ir_eval_suite(void);
void add_ir_eval_suite(void) {
    CU_pSuite s = CU_add_suite("ir: constant evaluation", NULL, NULL);
    CU_ADD_TEST(s, arithmetic_broadcasts);
    CU_ADD_TEST(s, integers_wrap_and_are_not_divided_by_zero);
    CU_ADD_TEST(s, powers_take_an_exponent_of_another_type);
    CU_ADD_TEST(s, functions_of_one_operand);
    CU_ADD_TEST(s, comparisons_and_logic);
    CU_ADD_TEST(s, variadic_operators_and_clip);
    CU_ADD_TEST(s, casts_follow_the_standard);
    CU_ADD_TEST(s, casts_of_six_bits);
    CU_ADD_TEST(s, round_modes_of_powers_of_two);
    CU_ADD_TEST(s, shapes_are_made_and_read);
    CU_ADD_TEST(s, the_older_form_of_a_parameter_is_read);
    CU_ADD_TEST(s, blocks_are_joined_and_cut);
    CU_ADD_TEST(s, elements_are_moved);
    CU_ADD_TEST(s, strings_are_moved_not_computed);
    CU_ADD_TEST(s, slices_are_cut_to_what_there_is);
    CU_ADD_TEST(s, padding_in_every_mode);
    CU_ADD_TEST(s, expansion_and_tiling);
    CU_ADD_TEST(s, gathering_and_scattering);
    CU_ADD_TEST(s, one_hot_and_not_zero);
    CU_ADD_TEST(s, tensors_are_made);
    CU_ADD_TEST(s, reductions_take_their_axes_in_either_form);
    CU_ADD_TEST(s, along_an_axis);
    CU_ADD_TEST(s, matrices_are_multiplied);
    CU_ADD_TEST(s, what_is_too_large_or_unknown_is_refused);
}
