/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/attr.h"
#include "ir/onnx.pb-c.h"

#include <CUnit/Basic.h>
#include <math.h>

static void names_and_sizes_of_element_types(void) {
    for (uint32_t t = 1; t < IR_DTYPE_N; t++)
        CU_ASSERT_EQUAL(ir_dtype_from_name(ir_dtype_name((enum ir_dtype)t)), t);
    CU_ASSERT_EQUAL(ir_dtype_from_name("float99"), IR_UNDEFINED);
    CU_ASSERT_PTR_NULL(ir_dtype_name(IR_DTYPE_N));
    CU_ASSERT_EQUAL(ir_dtype_bits(IR_INT4), 4);
    CU_ASSERT_EQUAL(ir_dtype_bits(IR_COMPLEX128), 128);
    CU_ASSERT_EQUAL(ir_dtype_bits(IR_STRING), 0);
    CU_ASSERT_TRUE(ir_dtype_is_float(IR_FLOAT4E2M1));
    CU_ASSERT_FALSE(ir_dtype_is_int(IR_BOOL));
}

static void casts_that_keep_every_value(void) {
    static const enum ir_dtype keeps[][2] = {
        {IR_INT32, IR_DOUBLE}, {IR_FLOAT16, IR_FLOAT}, {IR_BFLOAT16, IR_FLOAT},
        {IR_UINT8, IR_FLOAT16}, {IR_BOOL, IR_INT8}, {IR_INT8, IR_BFLOAT16},
        {IR_FLOAT8E4M3FN, IR_FLOAT16}, {IR_FLOAT8E8M0, IR_BFLOAT16}, {IR_INT64, IR_INT64},
        {IR_UINT16, IR_INT32}, {IR_FLOAT4E2M1, IR_FLOAT8E4M3FN},
        {IR_FLOAT4E2M1, IR_FLOAT6E2M3}, {IR_FLOAT6E3M2, IR_FLOAT8E5M2},
        {IR_UINT2, IR_FLOAT6E3M2}};
    static const enum ir_dtype loses[][2] = {
        {IR_INT64, IR_DOUBLE}, {IR_INT32, IR_FLOAT}, {IR_FLOAT, IR_FLOAT16},
        {IR_FLOAT16, IR_BFLOAT16}, {IR_BFLOAT16, IR_FLOAT16}, {IR_INT8, IR_UINT32},
        {IR_UINT8, IR_INT8}, {IR_FLOAT, IR_INT64}, {IR_INT8, IR_BOOL},
        {IR_FLOAT8E5M2, IR_FLOAT8E5M2FNUZ}, {IR_FLOAT8E8M0, IR_FLOAT16},
        {IR_STRING, IR_FLOAT}, {IR_UINT16, IR_FLOAT16}, {IR_BOOL, IR_FLOAT8E8M0},
        {IR_FLOAT6E2M3, IR_FLOAT6E3M2}, {IR_FLOAT6E3M2, IR_FLOAT6E2M3},
        {IR_INT4, IR_FLOAT6E2M3}};
    for (size_t i = 0; i < countof(keeps); i++)
        CU_ASSERT_TRUE(ir_cast_is_lossless(keeps[i][0], keeps[i][1]));
    for (size_t i = 0; i < countof(loses); i++)
        CU_ASSERT_FALSE(ir_cast_is_lossless(loses[i][0], loses[i][1]));
}

/* Does lossless agree with decoding every pattern and encoding it again? */
static void lossless_agrees_with_all_patterns(void) {
    static const enum ir_dtype small[] = {
        IR_FLOAT16, IR_BFLOAT16, IR_FLOAT8E4M3FN, IR_FLOAT8E4M3FNUZ, IR_FLOAT8E5M2,
        IR_FLOAT8E5M2FNUZ, IR_FLOAT4E2M1, IR_FLOAT8E8M0, IR_FLOAT6E2M3, IR_FLOAT6E3M2};
    for (size_t f = 0; f < countof(small); f++)
        for (size_t t = 0; t < countof(small); t++) {
            bool kept = true;
            for (uint32_t bits = 0; bits < 1u << ir_dtype_bits(small[f]); bits++) {
                double x = ir_small_float_decode(small[f], bits);
                double y = ir_small_float_decode(
                    small[t], ir_small_float_encode(small[t], x, false));
                bool same = isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y);
                kept = kept && same;
            }
            CU_ASSERT_EQUAL(kept, ir_cast_is_lossless(small[f], small[t]));
        }
}

static void small_floats_round_to_nearest_even(void) {
    CU_ASSERT_EQUAL(ir_float_to_half(1.0f), 0x3c00);
    CU_ASSERT_EQUAL(ir_float_to_half(65504.0f), 0x7bff);
    CU_ASSERT_EQUAL(ir_float_to_half(65519.0f), 0x7bff);
    CU_ASSERT_EQUAL(ir_float_to_half(65520.0f), 0x7c00);
    CU_ASSERT_EQUAL(ir_float_to_half(-0.0f), 0x8000);
    CU_ASSERT_EQUAL(ir_float_to_half(0x1p-24f), 1);
    CU_ASSERT_EQUAL(ir_float_to_half(0x1p-25f), 0);      /* a tie, to even */
    CU_ASSERT_EQUAL(ir_float_to_half(0x1.8p-24f), 2);    /* a tie, to even */
    CU_ASSERT_EQUAL(ir_float_to_half(0x1.002p0f), 0x3c00);
    CU_ASSERT_EQUAL(ir_float_to_half(0x1.006p0f), 0x3c02);
    CU_ASSERT_EQUAL(ir_float_to_bfloat16(0x1.01p0f), 0x3f80);
    CU_ASSERT_EQUAL(ir_float_to_bfloat16(0x1.03p0f), 0x3f82);
    CU_ASSERT_EQUAL(ir_bfloat16_to_float(0x4049), 3.140625f);
    CU_ASSERT_EQUAL(ir_half_to_float(0x0001), 0x1p-24f);
    CU_ASSERT_TRUE(isnan(ir_half_to_float(0x7e00)));
    CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT8E4M3FN, 0x7e), 448.0);
    CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT8E5M2FNUZ, 0x7f), 57344.0);
    CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT8E4M3FNUZ, 0x01), 0x1p-10);
    CU_ASSERT_TRUE(isnan(ir_small_float_decode(IR_FLOAT8E4M3FNUZ, 0x80)));
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT8E4M3FN, 1000, true), 0x7e);
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT8E4M3FN, 1000, false), 0x7f);
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT8E5M2, -1e9, false), 0xfc);
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT8E4M3FNUZ, -0.0, false), 0);
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT4E2M1, -100, false), 0xf);
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT8E8M0, 3.0, false), 128);
    CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT8E8M0, 1e-300, false), 0);
}

/* As ml_dtypes has them: float6_e2m3fn and float6_e3m2fn. */
static void floats_of_six_bits(void) {
    static const struct {
        double x;
        uint32_t e2m3, e3m2;
    } encoded[] = {{0.0625, 0, 1}, {0.1875, 2, 3}, {0.3125, 2, 5}, {1, 8, 12},
                   {3.14159, 21, 18}, {-7.4, 63, 55}, {7.75, 31, 24}, {-1e9, 63, 63},
                   {0.03125, 0, 0}, {0.09375, 1, 2}, {-0.0, 32, 32}, {22, 31, 30},
                   {26, 31, 30}, {30, 31, 31}, {(double)INFINITY, 31, 31}};
    for (size_t i = 0; i < countof(encoded); i++) {
        CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT6E2M3, encoded[i].x, false),
                        encoded[i].e2m3);
        CU_ASSERT_EQUAL(ir_small_float_encode(IR_FLOAT6E3M2, encoded[i].x, false),
                        encoded[i].e3m2);
    }
    static const double e2m3[] = {0,    0.125, 0.25, 0.375, 0.5,  0.625, 0.75, 0.875,
                                  1,    1.125, 1.25, 1.375, 1.5,  1.625, 1.75, 1.875,
                                  2,    2.25,  2.5,  2.75,  3,    3.25,  3.5,  3.75,
                                  4,    4.5,   5,    5.5,   6,    6.5,   7,    7.5};
    static const double e3m2[] = {0,   0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375,
                                  0.5, 0.625,  0.75,  0.875,  1,    1.25,   1.5,   1.75,
                                  2,   2.5,    3,     3.5,    4,    5,      6,     7,
                                  8,   10,     12,    14,     16,   20,     24,    28};
    for (uint32_t bits = 0; bits < 32; bits++) {
        CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT6E2M3, bits), e2m3[bits]);
        CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT6E2M3, bits + 32), -e2m3[bits]);
        CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT6E3M2, bits), e3m2[bits]);
        CU_ASSERT_EQUAL(ir_small_float_decode(IR_FLOAT6E3M2, bits + 32), -e3m2[bits]);
    }
    CU_ASSERT_FALSE(ir_dtype_has_nan(IR_FLOAT6E2M3));
    CU_ASSERT_TRUE(ir_dtype_has_nan(IR_FLOAT8E8M0));
}

/* Bytes of onnx.numpy_helper.from_array for {1, -0.125, 7.5, 3, 0.5, -2, 1.25}. */
static void six_bits_are_a_stream(void) {
    static const double values[] = {1, -0.125, 7.5, 3, 0.5, -2, 1.25};
    int32_t patterns[] = {8, 33, 31, 20, 4, 48, 10};
    const char *raw = "\x48\xf8\x51\x04\xac";
    struct arena a = ARENA_EMPTY;
    double d;
    struct ir_tensor *t = ir_tensor_new(&a, IR_FLOAT6E2M3, 1, (int64_t[]){7}, raw);
    Onnx__TensorProto p = ONNX__TENSOR_PROTO__INIT;
    p.int32_data = patterns;
    p.n_int32_data = countof(patterns);
    struct ir_tensor in_items = *t;
    in_items.storage = IR_AS_PROTO;
    in_items.proto = &p;
    CU_ASSERT_EQUAL(t->nbytes, 6);
    for (uint64_t i = 0; i < countof(values); i++) {
        CU_ASSERT_TRUE(ir_tensor_double_at(NULL, t, i, &d) && d == values[i]);
        CU_ASSERT_TRUE(ir_tensor_double_at(NULL, &in_items, i, &d) && d == values[i]);
    }
    CU_ASSERT_FALSE(ir_tensor_double_at(NULL, t, 7, &d));
    CU_ASSERT_TRUE(ir_tensor_equal(NULL, t, &in_items));
    p.n_int32_data = 6; /* one too few, in the bytes of the others */
    CU_ASSERT_FALSE(ir_tensor_double_at(NULL, &in_items, 6, &d));
    arena_free(&a);
}

static void sizes_are_checked(void) {
    struct arena a = ARENA_EMPTY;
    uint64_t n;
    CU_ASSERT_TRUE(ir_tensor_bytes(IR_INT4, 3, &n));
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT_TRUE(ir_tensor_bytes(IR_FLOAT6E3M2, 3, &n));
    CU_ASSERT_EQUAL(n, 3);
    CU_ASSERT_FALSE(ir_tensor_bytes(IR_DOUBLE, UINT64_MAX / 8, &n));
    CU_ASSERT_FALSE(ir_tensor_bytes(IR_STRING, 1, &n));
    CU_ASSERT_TRUE(ir_tensor_count(3, (int64_t[]){INT64_MAX, 0, INT64_MAX}, &n));
    CU_ASSERT_EQUAL(n, 0);
    CU_ASSERT_FALSE(ir_tensor_count(2, (int64_t[]){0, -1}, &n));
    int64_t huge[] = {1ll << 40, 1ll << 40};
    CU_ASSERT_PTR_NULL(ir_tensor_new(&a, IR_FLOAT, 2, huge, ""));
    CU_ASSERT_PTR_NULL(ir_tensor_new(&a, IR_FLOAT, 1, (int64_t[]){-1}, ""));
    arena_free(&a);
}

static void elements_of_every_width(void) {
    struct arena a = ARENA_EMPTY;
    int64_t i, three[1] = {3};
    double d;
    struct ir_tensor *t = ir_tensor_new(&a, IR_INT4, 1, three, "\x7f\x08");
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 0, &i) && i == -1);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 1, &i) && i == 7);
    CU_ASSERT_TRUE(ir_tensor_double_at(NULL, t, 2, &d) && d == -8);
    CU_ASSERT_FALSE(ir_tensor_int_at(NULL, t, 3, &i));
    t = ir_tensor_new(&a, IR_UINT2, 1, three, "\x39");
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 0, &i) && i == 1);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 1, &i) && i == 2);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 2, &i) && i == 3);
    t = ir_tensor_new(&a, IR_INT2, 1, three, "\x39");
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 1, &i) && i == -2);
    t = ir_tensor_scalar_float(&a, IR_FLOAT16, 0.5);
    CU_ASSERT_EQUAL(t->nbytes, 2);
    CU_ASSERT_FALSE(ir_tensor_int_at(NULL, t, 0, &i));
    CU_ASSERT_TRUE(ir_tensor_double_at(NULL, t, 0, &d) && d == 0.5);
    t = ir_tensor_scalar_float(&a, IR_DOUBLE, -0x1p63);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 0, &i) && i == INT64_MIN);
    t = ir_tensor_scalar_float(&a, IR_FLOAT, 0x1p63);
    CU_ASSERT_FALSE(ir_tensor_int_at(NULL, t, 0, &i));
    t = ir_tensor_scalar_float(&a, IR_FLOAT, NAN);
    CU_ASSERT_FALSE(ir_tensor_int_at(NULL, t, 0, &i));
    t = ir_tensor_new(&a, IR_UINT64, 0, NULL, "\xff\xff\xff\xff\xff\xff\xff\xff");
    CU_ASSERT_FALSE(ir_tensor_int_at(NULL, t, 0, &i));
    CU_ASSERT_FALSE(ir_tensor_double_at(NULL, t, 0, &d));
    t = ir_tensor_ints(&a, 2, (int64_t[]){INT64_MAX, -5});
    CU_ASSERT_FALSE(ir_tensor_double_at(NULL, t, 0, &d));
    CU_ASSERT_TRUE(ir_tensor_double_at(NULL, t, 1, &d) && d == -5);
    t = ir_tensor_new(&a, IR_BOOL, 0, NULL, "\x02");
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 0, &i) && i == 1);
    CU_ASSERT_PTR_NULL(ir_tensor_scalar_float(&a, IR_INT32, 1));
    arena_free(&a);
}

/* A tensor that is stored in a typed field of a message. */
static struct ir_tensor typed(Onnx__TensorProto *p, enum ir_dtype t, uint64_t count) {
    struct ir_tensor x = {.dtype = t, .rank = 0, .count = count, .storage = IR_AS_PROTO,
                          .proto = p};
    ir_tensor_bytes(t, count, &x.nbytes);
    return x;
}

static void typed_fields_have_the_raw_layout(void) {
    struct arena a = ARENA_EMPTY;
    Onnx__TensorProto p = ONNX__TENSOR_PROTO__INIT;
    int32_t int32s[] = {0x3c00, -1, 0x7f};
    p.int32_data = int32s;
    p.n_int32_data = 3;
    struct ir_tensor t = typed(&p, IR_FLOAT16, 2);
    double d;
    int64_t i;
    CU_ASSERT_TRUE(ir_tensor_double_at(NULL, &t, 0, &d) && d == 1);
    t = typed(&p, IR_INT4, 5);
    CU_ASSERT_EQUAL(memcmp(ir_tensor_read(NULL, &t, &a), "\x00\xff\x7f", 3), 0);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, &t, 4, &i) && i == -1);
    t = typed(&p, IR_INT8, 3);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, &t, 1, &i) && i == -1);
    t = typed(&p, IR_INT32, 3);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, &t, 0, &i) && i == 0x3c00);
    t = typed(&p, IR_INT32, 4); /* more than there are */
    CU_ASSERT_FALSE(ir_tensor_int_at(NULL, &t, 3, &i));
    CU_ASSERT_PTR_NULL(ir_tensor_read(NULL, &t, &a));
    uint64_t uint64s[] = {7, UINT64_MAX};
    p.uint64_data = uint64s;
    p.n_uint64_data = 2;
    t = typed(&p, IR_UINT32, 2);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, &t, 1, &i) && i == UINT32_MAX);
    t = typed(&p, IR_UINT64, 2);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, &t, 0, &i) && i == 7);
    float floats[] = {1.5f, -2};
    p.float_data = floats;
    p.n_float_data = 2;
    t = typed(&p, IR_FLOAT, 2);
    struct ir_tensor *same = ir_tensor_new(&a, IR_FLOAT, 0, NULL, floats);
    same->count = 2, same->nbytes = 8, same->data = floats;
    CU_ASSERT_TRUE(ir_tensor_equal(NULL, &t, same));
    floats[1] = -3;
    struct ir_tensor *other = arena_copy(&a, same, sizeof *same);
    other->data = arena_copy(&a, (float[]){1.5f, -2}, 8);
    CU_ASSERT_FALSE(ir_tensor_equal(NULL, &t, other));
    arena_free(&a);
}

static void tensors_are_equal_by_content(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_tensor *x = ir_tensor_ints(&a, 2, (int64_t[]){1, 2});
    CU_ASSERT_TRUE(ir_tensor_equal(NULL, x, ir_tensor_ints(&a, 2, (int64_t[]){1, 2})));
    CU_ASSERT_FALSE(ir_tensor_equal(NULL, x, ir_tensor_ints(&a, 2, (int64_t[]){1, 3})));
    struct ir_tensor *row = ir_tensor_new(&a, IR_INT64, 2, (int64_t[]){1, 2}, x->data);
    CU_ASSERT_FALSE(ir_tensor_equal(NULL, x, row));
    struct ir_string s[] = {{"ab", 2}, {"c\0d", 3}}, u[] = {{"ab", 2}, {"c\0e", 3}};
    struct ir_tensor *t = ir_tensor_strings(&a, 1, (int64_t[]){2}, s);
    CU_ASSERT_TRUE(ir_tensor_equal(NULL, t, ir_tensor_strings(&a, 1, (int64_t[]){2}, s)));
    CU_ASSERT_FALSE(ir_tensor_equal(NULL, t, ir_tensor_strings(&a, 1, (int64_t[]){2}, u)));
    CU_ASSERT_PTR_NULL(ir_tensor_read(NULL, t, &a));
    struct ir_tensor *none = ir_tensor_ints(&a, 0, NULL);
    CU_ASSERT_TRUE(ir_tensor_equal(NULL, none, ir_tensor_ints(&a, 0, NULL)));
    arena_free(&a);
}

static void attributes_are_equal_by_value(void) {
    struct arena a = ARENA_EMPTY;
    int64_t ints[] = {1, -1};
    struct ir_attr x = ir_attr_ints("axes", 2, ints), y = ir_attr_copy(&a, &x);
    CU_ASSERT_PTR_NOT_EQUAL(x.ints, y.ints);
    CU_ASSERT_TRUE(ir_attr_equal(NULL, &x, &y));
    ints[1] = 1;
    CU_ASSERT_FALSE(ir_attr_equal(NULL, &x, &y));
    x = ir_attr_float("alpha", 0.0f), y = ir_attr_float("alpha", -0.0f);
    CU_ASSERT_FALSE(ir_attr_equal(NULL, &x, &y));
    x = ir_attr_string("mode", "linear"), y = ir_attr_string("mode", "linear");
    CU_ASSERT_TRUE(ir_attr_equal(NULL, &x, &y));
    y.name = "other";
    CU_ASSERT_FALSE(ir_attr_equal(NULL, &x, &y));
    x = ir_attr_tensor(&a, "value", ir_tensor_ints(&a, 2, ints));
    y = ir_attr_tensor(&a, "value", ir_tensor_ints(&a, 2, ints));
    CU_ASSERT_TRUE(ir_attr_equal(NULL, &x, &y));
    x = (struct ir_attr){.name = "k", .type = IR_ATTR_INT, .ref = "axis"};
    y = ir_attr_int("k", 0);
    CU_ASSERT_FALSE(ir_attr_equal(NULL, &x, &y));
    arena_free(&a);
}

static void types_compare_and_print(void) {
    struct arena a = ARENA_EMPTY;
    struct ir_dims *d = ir_dims_new(&a);
    ir_dim dims[] = {ir_dim_symbol(d, "batch"), ir_dim_const(d, 128)};
    const struct ir_type *x = ir_type_tensor(&a, IR_FLOAT, 2, dims);
    const struct ir_type *half = ir_type_with_dtype(&a, x, IR_FLOAT16);
    CU_ASSERT_EQUAL(ir_type_equal(d, x, ir_type_tensor(&a, IR_FLOAT, 2, dims)), IR_TRUE);
    CU_ASSERT_EQUAL(ir_type_equal(d, x, half), IR_FALSE);
    CU_ASSERT_EQUAL(ir_shape_equal(d, x, half), IR_TRUE);
    CU_ASSERT_EQUAL(ir_type_equal(d, x, NULL), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_shape_equal(d, x, ir_type_tensor(&a, IR_FLOAT, 1, dims)), IR_FALSE);
    ir_dim unknown[] = {IR_DIM_UNKNOWN, dims[1]};
    CU_ASSERT_EQUAL(ir_shape_equal(d, x, ir_type_tensor(&a, IR_FLOAT, 2, unknown)),
                    IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_shape_equal(d, ir_type_unranked(&a, IR_FLOAT, 3),
                                   ir_type_unranked(&a, IR_INT8, 3)), IR_TRUE);
    CU_ASSERT_EQUAL(ir_shape_equal(d, ir_type_unranked(&a, IR_FLOAT, 0),
                                   ir_type_unranked(&a, IR_FLOAT, 0)), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_type_dtype(ir_type_with_dtype(&a, NULL, IR_BOOL)), IR_BOOL);
    struct ir_type seq = {.kind = IR_SEQUENCE, .elem = half};
    struct ir_type map = {.kind = IR_MAP, .dtype = IR_INT64, .elem = &seq};
    struct ir_type sparse = {.kind = IR_SPARSE_TENSOR, .dtype = IR_FLOAT};
    struct buf out = {0};
    const struct ir_type *all[] = {x, &map, &sparse, NULL,
                                   ir_type_tensor(&a, IR_FLOAT, 2, unknown),
                                   ir_type_tensor(&a, IR_INT64, 0, NULL)};
    for (size_t i = 0; i < countof(all); i++) {
        ir_type_print(d, all[i], &out);
        buf_putc(&out, ' ');
    }
    CU_ASSERT_STRING_EQUAL(buf_text(&out),
                           "float[batch, 128] map(int64, seq(float16[batch, 128])) "
                           "sparse_tensor(float[]) ? float[?, 128] int64 ");
    buf_free(&out);
    arena_free(&a);
}

static bool same_float(float x, double y) {
    return isnan(x) ? isnan(y) : (double)x == y && !signbit(x) == !signbit(y);
}

/* The routines for 16 bits against the one for every type: all patterns, and for each the
 * floats on it, at the middle to the next one, and beside both. */
static void sixteen_bits_convert_as_the_table_says(void) {
    uint32_t wrong = 0;
    for (uint32_t h = 0; h <= 0xffff; h++) {
        float half = ir_half_to_float((uint16_t)h), brain = ir_bfloat16_to_float((uint16_t)h);
        wrong += !same_float(half, ir_small_float_decode(IR_FLOAT16, h));
        wrong += !same_float(brain, ir_small_float_decode(IR_BFLOAT16, h));
        float next = ir_half_to_float((uint16_t)(h + 1)), middle = half / 2 + next / 2;
        float tie = 0;
        uint32_t bits = h << 16 | 0x8000;
        memcpy(&tie, &bits, sizeof tie);
        const float near[] = {half, middle, nextafterf(middle, 0), nextafterf(middle, INFINITY),
                              tie, nextafterf(tie, 0), nextafterf(tie, INFINITY), brain};
        for (size_t i = 0; i < countof(near); i++) {
            double x = (double)near[i];
            wrong += ir_float_to_half(near[i]) != ir_small_float_encode(IR_FLOAT16, x, false);
            wrong += ir_float_to_bfloat16(near[i]) !=
                     ir_small_float_encode(IR_BFLOAT16, x, false);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

void add_ir_tensor_suite(void);
void add_ir_tensor_suite(void) {
    CU_pSuite s = CU_add_suite("ir: types, tensors, attributes", NULL, NULL);
    CU_ADD_TEST(s, names_and_sizes_of_element_types);
    CU_ADD_TEST(s, casts_that_keep_every_value);
    CU_ADD_TEST(s, lossless_agrees_with_all_patterns);
    CU_ADD_TEST(s, small_floats_round_to_nearest_even);
    CU_ADD_TEST(s, sixteen_bits_convert_as_the_table_says);
    CU_ADD_TEST(s, floats_of_six_bits);
    CU_ADD_TEST(s, six_bits_are_a_stream);
    CU_ADD_TEST(s, sizes_are_checked);
    CU_ADD_TEST(s, elements_of_every_width);
    CU_ADD_TEST(s, typed_fields_have_the_raw_layout);
    CU_ADD_TEST(s, tensors_are_equal_by_content);
    CU_ADD_TEST(s, attributes_are_equal_by_value);
    CU_ADD_TEST(s, types_compare_and_print);
}
