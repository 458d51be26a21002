/* SPDX-License-Identifier: Apache-2.0 */
#include "infer_kit.h"
#include "ir/infer/impl.h"

#define INT(name, value) ir_attr_int(name, value)
static struct ir_attr list(struct kit *k, const char *name, uint32_t n,
                           const int64_t *values) {
    return ir_attr_ints(name, n, arena_copy(&k->a, values, n * sizeof *values));
}
#define LIST(k, name, ...)                                                                 \
    list((k), (name), countof(((const int64_t[]){__VA_ARGS__})),                           \
         (const int64_t[]){__VA_ARGS__})

static void the_table_is_in_order(void) {
    size_t n;
    const struct infer_entry *t = infer_table(&n);
    for (size_t i = 1; i < n; i++) {
        int order = strcmp(t[i - 1].domain, t[i].domain);
        CU_ASSERT_TRUE(order < 0 || (order == 0 && strcmp(t[i - 1].op, t[i].op) < 0));
    }
    CU_ASSERT_PTR_NOT_NULL(infer_find("", "Tanh").rule);
    CU_ASSERT_PTR_NOT_NULL(infer_find("", "Pow").rule);
    CU_ASSERT_PTR_NULL(infer_find("", "NoSuchOperator").rule);
}

/* The split of heads as exporters write it. */
static void a_reshape_by_computed_shape_is_solved(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch seq 768");
    ir_value shape = RUN(&k, "Shape", .nin = 1, .in = {x});
    kit_value(&k, shape, "[batch, seq, 768]");
    int64_t zero = 0, one = 1;
    ir_value i0 = ir_add_constant(k.g, "i0", ir_tensor_new(&k.a, IR_INT64, 0, NULL, &zero));
    ir_value i1 = ir_add_constant(k.g, "i1", ir_tensor_new(&k.a, IR_INT64, 0, NULL, &one));
    ir_value batch = RUN(&k, "Gather", .nin = 2, .in = {shape, i0});
    ir_value seq = RUN(&k, "Gather", .nin = 2, .in = {shape, i1});
    kit_value(&k, seq, "seq");
    ir_value b = RUN(&k, "Unsqueeze", .nin = 2, .in = {batch, INTS(&k, 0)});
    ir_value s = RUN(&k, "Unsqueeze", .nin = 2, .in = {seq, INTS(&k, 0)});
    ir_value whole = RUN(&k, "Concat", .nin = 4, .in = {b, s, INTS(&k, 12), INTS(&k, 64)},
                         .nattr = 1, .attr = {INT("axis", 0)});
    kit_value(&k, whole, "[batch, seq, 12, 64]");
    kit_type(&k, RUN(&k, "Reshape", .nin = 2, .in = {x, whole}),
             "float[batch, seq, 12, 64]");
    kit_type(&k, RUN(&k, "Reshape", .nin = 2, .in = {x, INTS(&k, 0, 0, 12, -1)}),
             "float[batch, seq, 12, 64]");
    kit_type(&k, RUN(&k, "Reshape", .nin = 2, .in = {x, INTS(&k, -1, 768)}),
             "float[batch*seq, 768]");
    ir_value rest = RUN(&k, "Concat", .nin = 3, .in = {b, s, INTS(&k, -1)}, .nattr = 1,
                        .attr = {INT("axis", 0)});
    ir_value heads = RUN(&k, "Reshape", .nin = 2, .in = {x, whole});
    ir_value moved = RUN(&k, "Transpose", .nin = 1, .in = {heads}, .nattr = 1,
                         .attr = {LIST(&k, "perm", 0, 2, 1, 3)});
    kit_type(&k, moved, "float[batch, 12, seq, 64]");
    kit_type(&k, RUN(&k, "Reshape", .nin = 2, .in = {moved, rest}),
             "float[batch, seq, 768]");
    kit_end(&k);
}

static void a_reshape_that_cannot_be_is_refused(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "2 6");
    FAILS(&k, "12 elements do not fit 10", "Reshape", .nin = 2, .in = {x, INTS(&k, 2, 5)});
    FAILS(&k, "12 elements do not fit a multiple of 5", "Reshape", .nin = 2,
          .in = {x, INTS(&k, -1, 5)});
    FAILS(&k, "the new shape has two items -1", "Reshape", .nin = 2,
          .in = {x, INTS(&k, -1, -1)});
    FAILS(&k, "the new shape has the item -2", "Reshape", .nin = 2,
          .in = {x, INTS(&k, -2, 6)});
    FAILS(&k, "item 2 of the new shape is 0, beyond the data's rank 2", "Reshape", .nin = 2,
          .in = {x, INTS(&k, 0, 6, 0)});
    kit_end(&k);
}

static void shapes_broadcast(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch 1 seq");
    ir_value y = kit_input(&k, "y", IR_FLOAT, "128 1");
    ir_value u = kit_input(&k, "u", IR_FLOAT, NULL);
    kit_type(&k, RUN(&k, "Add", .nin = 2, .in = {x, y}), "float[batch, 128, seq]");
    kit_type(&k, RUN(&k, "Less", .nin = 2, .in = {x, y}), "bool[batch, 128, seq]");
    ir_value z = kit_input(&k, "z", IR_FLOAT, "2 5");
    FAILS(&k, "dimensions 128 and 2 do not broadcast", "Mul", .nin = 2, .in = {y, z});
    /* what has an unknown shape keeps it */
    ir_value t = RUN(&k, "Tanh", .nin = 1, .in = {u});
    ir_value v = RUN(&k, "Mul", .nin = 2, .in = {t, u});
    CU_ASSERT_EQUAL(ir_shape_equal(k.m->dims, ir_val(k.g, v)->type, ir_val(k.g, u)->type),
                    IR_TRUE);
    ir_value w = RUN(&k, "Mul", .nin = 2, .in = {u, x});
    CU_ASSERT_EQUAL(ir_shape_equal(k.m->dims, ir_val(k.g, w)->type, ir_val(k.g, u)->type),
                    IR_UNKNOWN);
    kit_end(&k);
}

/* 4*n and 4*m are never 1, so where they broadcast they are the same. */
static void dims_that_are_never_one_agree(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "n"), y = kit_input(&k, "y", IR_FLOAT, "m");
    ir_value z = kit_input(&k, "z", IR_FLOAT, "l");
    ir_value x4 = RUN(&k, "Concat", .nin = 4, .in = {x, x, x, x}, .nattr = 1,
                      .attr = {ir_attr_int("axis", 0)});
    ir_value y4 = RUN(&k, "Concat", .nin = 4, .in = {y, y, y, y}, .nattr = 1,
                      .attr = {ir_attr_int("axis", 0)});
    ir_node sum = kit_add(&k, &(struct kit_node){.op = "Add", .nin = 2, .in = {x4, y4}});
    ir_node other = kit_add(&k, &(struct kit_node){.op = "Add", .nin = 2, .in = {x, z}});
    kit_add(&k, &(struct kit_node){.op = "Relu", .nin = 1, .in = {ir_output(k.g, sum, 0)}});
    kit_add(&k, &(struct kit_node){.op = "Relu", .nin = 1, .in = {ir_output(k.g, other, 0)}});
    const char *why = NULL;
    CU_ASSERT_TRUE(ir_infer_node(k.g, sum, &why));
    CU_ASSERT_TRUE(ir_infer_node(k.g, other, &why));
    CU_ASSERT_EQUAL(ir_shape_equal(k.m->dims, ir_val(k.g, x)->type, ir_val(k.g, y)->type),
                    IR_TRUE);
    CU_ASSERT_EQUAL(ir_shape_equal(k.m->dims, ir_val(k.g, x)->type, ir_val(k.g, z)->type),
                    IR_UNKNOWN);
    kit_end(&k);
}

static void a_product_of_matrices_has_its_shape(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch seq hidden");
    ir_value w = kit_input(&k, "w", IR_FLOAT, "768 3072");
    ir_value v = kit_input(&k, "v", IR_FLOAT, "768");
    ir_value n = kit_add(&k, &(struct kit_node){"MatMul", .nin = 2, .in = {x, w}});
    ir_value y = ir_output(k.g, n, 0);
    ir_add_output(k.g, y);
    CU_ASSERT_TRUE(ir_infer_node(k.g, n, NULL));
    kit_type(&k, y, "float[batch, seq, 3072]");
    kit_type(&k, x, "float[batch, seq, 768]"); /* the product demands it */
    kit_type(&k, RUN(&k, "MatMul", .nin = 2, .in = {v, w}), "float[3072]");
    kit_type(
        &k, RUN(&k, "Gemm", .nin = 2, .in = {w, w}, .nattr = 1, .attr = {INT("transB", 1)}),
        "float[768, 768]");
    FAILS(&k, "the inner dimensions do not agree: 3072 and 768", "MatMul", .nin = 2,
          .in = {w, w});
    ir_value q = kit_input(&k, "q", IR_FLOAT, "b 12 s 64");
    kit_type(&k, RUN(&k, "FusedMatMul", "com.microsoft", .nin = 2, .in = {q, q}, .nattr = 1,
                     .attr = {INT("transB", 1)}), "float[b, 12, s, s]");
    kit_end(&k);
}

static void slices_of_symbolic_dims_cancel(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch seq");
    ir_value big = INTS(&k, INT64_MAX), zero = INTS(&k, 0), one = INTS(&k, 1);
    kit_type(&k, RUN(&k, "Slice", .nin = 4, .in = {x, zero, big, one}),
             "float[batch, seq]");
    ir_value head = RUN(&k, "Slice", .nin = 4, .in = {x, zero, INTS(&k, -1), one});
    ir_value last = RUN(&k, "Slice", .nin = 4, .in = {x, INTS(&k, -1), big, one});
    kit_type(&k, last, "float[batch, min(seq, 1)]");
    kit_type(&k, RUN(&k, "Concat", .nin = 2, .in = {head, last}, .nattr = 1,
                     .attr = {INT("axis", 1)}), "float[batch, seq]");
    ir_value c = kit_input(&k, "c", IR_FLOAT, "10 7");
    kit_type(&k,
             RUN(&k, "Slice", .nin = 5, /* ONNX clamps a backward start to the first */
                 .in = {c, INTS(&k, -20), INTS(&k, INT64_MIN), INTS(&k, 0), INTS(&k, -1)}),
             "float[1, 7]");
    kit_type(&k, RUN(&k, "Slice", .nin = 5,
                     .in = {c, INTS(&k, -1, 1), INTS(&k, INT64_MIN, -1), INTS(&k, 0, 1),
                            INTS(&k, -2, 2)}), "float[5, 3]");
    kit_end(&k);
}

/* How PyTorch writes pads: from the last axis on, first and last of each beside each other. */
static void tables_of_items_are_turned(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch 3 seq");
    ir_value shape = RUN(&k, "Shape", .nin = 1, .in = {x});
    ir_value six = RUN(&k, "Concat", .nin = 2, .in = {shape, INTS(&k, 7, 8, 9)}, .nattr = 1,
                       .attr = {INT("axis", 0)});
    ir_value pairs = RUN(&k, "Reshape", .nin = 2, .in = {six, INTS(&k, -1, 2)});
    ir_value back = RUN(&k, "Slice", .nin = 5, .in = {pairs, INTS(&k, -1), INTS(&k, INT64_MIN),
                        INTS(&k, 0), INTS(&k, -1)});
    kit_type(&k, back, "int64[3, 2]");
    kit_value(&k, back, "[8, 9, seq, 7, batch, 3]");
    ir_value turned = RUN(&k, "Transpose", .nin = 1, .in = {back});
    kit_value(&k, turned, "[8, seq, batch, 9, 7, 3]");
    ir_value list = RUN(&k, "Reshape", .nin = 2, .in = {turned, INTS(&k, -1)});
    kit_value(&k, list, "[8, seq, batch, 9, 7, 3]");
    kit_value(&k, RUN(&k, "Slice", .nin = 4, .in = {turned, INTS(&k, 1), INTS(&k, 3),
                      INTS(&k, 1)}), "[seq, batch, 7, 3]");
    /* A table is no list: what goes item by item does not take it for one. */
    kit_value(&k, RUN(&k, "Add", .nin = 2, .in = {turned, INTS(&k, 1, 2, 3)}), "none");
    kit_end(&k);
}

static void values_of_shapes_are_computed(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch seq 64");
    ir_value s = RUN(&k, "Shape", .nin = 1, .in = {x});
    kit_value(&k, RUN(&k, "Mul", .nin = 2, .in = {s, INTS(&k, 2)}),
              "[2*batch, 2*seq, 128]");
    kit_value(&k, RUN(&k, "Sub", .nin = 2, .in = {s, s}), "[0, 0, 0]");
    kit_value(&k, RUN(&k, "Div", .nin = 2, .in = {s, INTS(&k, 8)}),
              "[floor(batch/8), floor(seq/8), 8]");
    kit_value(&k, RUN(&k, "Equal", .nin = 2, .in = {s, INTS(&k, -1)}), "[0, 0, 0]");
    ir_value is = RUN(&k, "Equal", .nin = 2, .in = {s, INTS(&k, -1, -1, 64)});
    kit_value(&k, is, "[0, 0, 1]");
    kit_value(&k, RUN(&k, "Where", .nin = 3, .in = {is, INTS(&k, 7), s}),
              "[batch, seq, 7]");
    kit_value(&k,
              RUN(&k, "Slice", .nin = 4,
                  .in = {s, INTS(&k, -2), INTS(&k, INT64_MAX), INTS(&k, 0)}),
              "[seq, 64]");
    kit_value(&k, RUN(&k, "Size", .nin = 1, .in = {x}), "64*batch*seq");
    kit_value(&k, RUN(&k, "ReduceProd", .nin = 1, .in = {s}, .nattr = 1,
                      .attr = {INT("keepdims", 0)}), "64*batch*seq");
    ir_value c =
        RUN(&k, "Cast", .nin = 1, .in = {s}, .nattr = 1, .attr = {INT("to", IR_INT32)});
    kit_value(&k, c, "[batch, seq, 64]");
    kit_value(
        &k, RUN(&k, "Cast", .nin = 1, .in = {s}, .nattr = 1, .attr = {INT("to", IR_FLOAT)}),
        "[batch, seq, 64]");
    ir_value big = RUN(&k, "Cast", .nin = 1, .in = {INTS(&k, INT64_MAX, 5)}, .nattr = 1,
                       .attr = {INT("to", IR_INT32)});
    kit_value(&k, big, "[?, 5]");
    kit_end(&k);
}

static void a_range_and_what_is_made_of_it(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch past seq");
    int64_t n[] = {0, 1, 2};
    ir_value i[3], d[3];
    ir_value s = RUN(&k, "Shape", .nin = 1, .in = {x});
    for (int j = 0; j < 3; j++) {
        i[j] = ir_add_constant(k.g, "i", ir_tensor_new(&k.a, IR_INT64, 0, NULL, &n[j]));
        d[j] = RUN(&k, "Gather", .nin = 2, .in = {s, i[j]});
    }
    ir_value total = RUN(&k, "Add", .nin = 2, .in = {d[1], d[2]});
    kit_type(&k, RUN(&k, "Range", .nin = 3, .in = {i[0], total, i[1]}),
             "int64[past + seq]");
    kit_type(&k, RUN(&k, "Range", .nin = 3, .in = {d[1], total, i[1]}), "int64[seq]");
    kit_type(&k, RUN(&k, "Range", .nin = 3, .in = {i[1], d[2], i[1]}),
             "int64[max(0, seq - 1)]");
    ir_value wanted = RUN(&k, "Unsqueeze", .nin = 2, .in = {total, INTS(&k, 0)});
    kit_type(&k, RUN(&k, "ConstantOfShape", .nin = 1, .in = {wanted}), "float[past + seq]");
    kit_type(&k, RUN(&k, "Expand", .nin = 2, .in = {INTS(&k, 5), wanted}),
             "int64[past + seq]");
    kit_end(&k);
}

static void windows_slide(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch 3 224 w");
    ir_value w = kit_input(&k, "w0", IR_FLOAT, "64 3 7 7");
    ir_value y = RUN(&k, "Conv", .nin = 2, .in = {x, w}, .nattr = 2,
                     .attr = {LIST(&k, "strides", 2, 2), LIST(&k, "pads", 3, 3, 3, 3)});
    kit_type(&k, y, "float[batch, 64, 112, floor((w + 1)/2)]");
    ir_value p = RUN(&k, "MaxPool", .nin = 1, .in = {y}, .nattr = 3,
                     .attr = {LIST(&k, "kernel_shape", 3, 3), LIST(&k, "strides", 2, 2),
                              LIST(&k, "pads", 1, 1, 1, 1)});
    kit_type(&k, p, "float[batch, 64, 56, floor((w + 3)/4)]");
    kit_type(&k, RUN(&k, "GlobalAveragePool", .nin = 1, .in = {p}),
             "float[batch, 64, 1, 1]");
    ir_value t = kit_input(&k, "t", IR_FLOAT, "64 32 2 2");
    kit_type(&k, RUN(&k, "ConvTranspose", .nin = 2, .in = {p, t}, .nattr = 1,
                     .attr = {LIST(&k, "strides", 2, 2)}),
             "float[batch, 32, 112, 2*floor((w + 3)/4)]");
    ir_value line = kit_input(&k, "m", IR_FLOAT, "1 1 1 8");
    kit_type(&k, RUN(&k, "MaxPool", .nin = 1, .in = {line}, .nattr = 2,
                     .attr = {LIST(&k, "kernel_shape", 2, 2), LIST(&k, "strides", 2, 2)}),
             "float[1, 1, _1, 4]");
    ir_value scalar = kit_input(&k, "s", IR_FLOAT, "");
    FAILS(&k, "the weight has rank 0, wanted 3 or more", "Conv", .nin = 2,
          .in = {x, scalar});
    FAILS(&k, "the channels of input and weight do not agree: 64 and 3", "Conv", .nin = 2,
          .in = {y, w});
    ir_value small = kit_input(&k, "small", IR_FLOAT, "1 3 4 4");
    const char *why;
    ir_node n = kit_add(&k, &(struct kit_node){"Conv", .nin = 2, .in = {small, w}});
    CU_ASSERT_FALSE(ir_infer_node(k.g, n, &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(why, "is negative (-2)"));
    kit_end(&k);
}

static void axes_come_in_both_forms(void) {
    struct kit k;
    kit_start(&k, 18);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "a b c");
    kit_type(&k, RUN(&k, "ReduceMean", .nin = 2, .in = {x, INTS(&k, -1)}),
             "float[a, b, 1]");
    kit_type(&k, RUN(&k, "ReduceMean", .nin = 1, .in = {x}), "float[1, 1, 1]");
    kit_type(&k, RUN(&k, "ReduceMean", .nin = 1, .in = {x}, .nattr = 1,
                     .attr = {INT("noop_with_empty_axes", 1)}), "float[a, b, c]");
    kit_end(&k);
    kit_start(&k, 11);
    x = kit_input(&k, "x", IR_FLOAT, "a b c");
    kit_type(&k, RUN(&k, "ReduceMean", .nin = 1, .in = {x}, .nattr = 2,
                     .attr = {LIST(&k, "axes", 0, 2), INT("keepdims", 0)}), "float[b]");
    ir_value u = RUN(&k, "Unsqueeze", .nin = 1, .in = {x}, .nattr = 1,
                     .attr = {LIST(&k, "axes", 1, 2)});
    kit_type(&k, u, "float[a, 1, 1, b, c]");
    kit_type(&k, RUN(&k, "Squeeze", .nin = 1, .in = {u}, .nattr = 1,
                     .attr = {LIST(&k, "axes", 1, 2)}), "float[a, b, c]");
    FAILS(&k, "axis 3 is not of a tensor of rank 3", "ReduceMean", .nin = 1, .in = {x},
          .nattr = 1, .attr = {LIST(&k, "axes", 3)});
    kit_end(&k);
}

static void fused_operators_have_types(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT16, "b s 768"),
             g = kit_input(&k, "g", IR_FLOAT16, "768");
    const char *ms = "com.microsoft";
    ir_node skip = kit_add(&k, &(struct kit_node){"SkipLayerNormalization", ms, .nin = 4,
                                                  .nout = 4, .in = {x, x, g, g}});
    CU_ASSERT_TRUE(ir_infer_node(k.g, skip, NULL));
    kit_type(&k, ir_output(k.g, skip, 0), "float16[b, s, 768]");
    kit_type(&k, ir_output(k.g, skip, 1), "float[b, s, 1]");
    kit_type(&k, ir_output(k.g, skip, 3), "float16[b, s, 768]");
    kit_type(&k, RUN(&k, "BiasGelu", ms, .nin = 2, .in = {x, g}), "float16[b, s, 768]");
    kit_type(&k, RUN(&k, "Gelu", ms, .nin = 1, .in = {x}), "float16[b, s, 768]");
    kit_type(&k, RUN(&k, "SimplifiedLayerNormalization", .nin = 2, .in = {x, g}),
             "float16[b, s, 768]");
    kit_type(&k, RUN(&k, "LayerNormalization", .nin = 3, .in = {x, g, g}),
             "float16[b, s, 768]");
    ir_value w = kit_input(&k, "w", IR_FLOAT16, "768 2304");
    kit_type(&k, RUN(&k, "Attention", ms, .nin = 2, .in = {x, w}, .nattr = 1,
                     .attr = {INT("num_heads", 12)}), "float16[b, s, 768]");
    kit_type(&k, RUN(&k, "MultiHeadAttention", ms, .nin = 3, .in = {x, x, x}, .nattr = 1,
                     .attr = {INT("num_heads", 12)}), "float16[b, s, 768]");
    kit_end(&k);
}

static void images_and_boxes(void) {
    struct kit k;
    kit_start(&k, 20);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "n 3 h w"),
             grid = kit_input(&k, "g", IR_FLOAT, "n 8 9 2");
    kit_type(&k, RUN(&k, "GridSample", .nin = 2, .in = {x, grid}), "float[n, 3, 8, 9]");
    ir_value rois = kit_input(&k, "rois", IR_FLOAT, "r 4"),
             batch = kit_input(&k, "b", IR_INT64, "r");
    kit_type(&k, RUN(&k, "RoiAlign", .nin = 3, .in = {x, rois, batch}, .nattr = 2,
                     .attr = {INT("output_height", 7), INT("output_width", 5)}),
             "float[r, 3, 7, 5]");
    kit_type(&k, RUN(&k, "NonMaxSuppression", .nin = 2, .in = {x, x}), "int64[_1, 3]");
    ir_value m = kit_input(&k, "m", IR_DOUBLE, "n 4 4");
    kit_type(&k, RUN(&k, "Det", .nin = 1, .in = {m}), "double[n]");
    ir_value keep = kit_input(&k, "keep", IR_BOOL, "4");
    kit_type(&k,
             RUN(&k, "Compress", .nin = 2, .in = {m, keep}, .nattr = 1,
                 .attr = {INT("axis", 1)}),
             "double[n, _2, 4]");
    FAILS(&k, "input and grid have ranks 4 and 3", "GridSample", .nin = 2, .in = {x, m});
    kit_end(&k);
}

/* Operators that hand on the shape of their operand look at no axis themselves. */
static void an_axis_that_is_not_there_is_refused(void) {
    struct kit k;
    kit_start(&k, 17);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "a b");
    ir_value open = kit_input(&k, "open", IR_FLOAT, NULL);
    ir_value scale = kit_input(&k, "scale", IR_FLOAT, "n");
    ir_value one = kit_input(&k, "one", IR_FLOAT, "");
    const char *const ops[] = {"Softmax", "LogSoftmax", "Hardmax", "LpNormalization"};
    for (size_t i = 0; i < countof(ops); i++) {
        kit_type(&k, RUN(&k, ops[i], .nin = 1, .in = {x}, .nattr = 1,
                         .attr = {INT("axis", -2)}), "float[a, b]");
        FAILS(&k, "axis 2 is not of a tensor of rank 2", ops[i], .nin = 1, .in = {x},
              .nattr = 1, .attr = {INT("axis", 2)});
        FAILS(&k, "axis -3 is not of a tensor of rank 2", ops[i], .nin = 1, .in = {x},
              .nattr = 1, .attr = {INT("axis", -3)});
        RUN(&k, ops[i], .nin = 1, .in = {open}, .nattr = 1, .attr = {INT("axis", 7)});
        FAILS(&k, "axis 9223372036854775807 is not of a tensor of rank 2147483647", ops[i],
              .nin = 1, .in = {open}, .nattr = 1, .attr = {INT("axis", INT64_MAX)});
    }
    FAILS(&k, "axis 2 is not of a tensor of rank 2", "CumSum", .nin = 2,
          .in = {x, INTS(&k, 2)});
    FAILS(&k, "axis 5 is not of a tensor of rank 2", "MeanVarianceNormalization", .nin = 1,
          .in = {x}, .nattr = 1, .attr = {LIST(&k, "axes", 0, 5)});
    FAILS(&k, "axis 2 is not of a tensor of rank 2", "QuantizeLinear", .nin = 2,
          .in = {x, scale}, .nattr = 1, .attr = {INT("axis", 2)});
    kit_type(&k, RUN(&k, "QuantizeLinear", .nin = 2, .in = {x, one}, .nattr = 1,
                     .attr = {INT("axis", 2)}), "uint8[a, b]");
    FAILS(&k, "axis 2 is not of a tensor of rank 2", "BiasSoftmax", "com.microsoft",
          .nin = 2, .in = {x, x}, .nattr = 1, .attr = {INT("axis", 2)});
    kit_end(&k);
}

static void a_declaration_fills_and_loses(void) {
    struct kit k;
    kit_start(&k, 14);
    struct diag_sink sink;
    diag_init(&sink, &k.a);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "batch 4");
    ir_node unknown = kit_add(&k, &(struct kit_node){"Mystery", "my", .nin = 1, .in = {x}});
    ir_node known = kit_add(&k, &(struct kit_node){"Relu", .nin = 1, .in = {x}});
    ir_node open = kit_add(&k, &(struct kit_node){"NonZero", .nin = 1, .in = {x}});
    ir_dim five = ir_dim_const(k.m->dims, 5), n = ir_dim_symbol(k.m->dims, "n");
    ir_dim wrong[] = {n, five};
    ir_node nodes[] = {unknown, known, open};
    for (int i = 0; i < 3; i++) {
        ir_value v = ir_output(k.g, nodes[i], 0);
        enum ir_dtype t = i == 2 ? IR_INT64 : IR_FLOAT;
        ir_dim *dims = i == 2 ? (ir_dim[]){IR_DIM_UNKNOWN, n} : wrong;
        ir_set_type(k.g, v, ir_type_tensor(&k.a, t, 2, dims));
        k.g->values.at[v].flags |= IR_TYPE_DECLARED;
    }
    CU_ASSERT_EQUAL(ir_infer_model(k.m, &sink), RW_OK);
    kit_type(&k, ir_output(k.g, unknown, 0), "float[n, 5]");
    kit_type(&k, ir_output(k.g, known, 0), "float[batch, 4]");
    kit_type(&k, ir_output(k.g, open, 0), "int64[2, n]");
    CU_ASSERT_EQUAL(sink.count[DIAG_WARNING], 1);
    kit_end(&k);
}

static void a_wrong_node_is_reported_by_name(void) {
    struct kit k;
    kit_start(&k, 14);
    struct diag_sink sink;
    diag_init(&sink, &k.a);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "2 3");
    ir_value out = ir_add_value(k.g, "y", NULL);
    ir_add_node(k.g,
                &(struct ir_new_node){.op = "MatMul",
                                      .domain = "",
                                      .name = "mm",
                                      .nin = 2,
                                      .in = (ir_value[]){x, x},
                                      .nout = 1,
                                      .out = &out},
                IR_NONE);
    CU_ASSERT_EQUAL(ir_infer_model(k.m, &sink), RW_FORMAT);
    CU_ASSERT_EQUAL_FATAL(sink.list.len, 1);
    CU_ASSERT_STRING_EQUAL(sink.list.at[0].where, "g: node \"mm\" (MatMul)");
    CU_ASSERT_STRING_EQUAL(sink.list.at[0].text,
                           "the inner dimensions do not agree: 3 and 2");
    kit_end(&k);
}

static void dims_that_cannot_be_counted_are_refused(void) {
    struct kit k;
    kit_start(&k, 14);
    struct diag_sink sink;
    diag_init(&sink, &k.a);
    kit_input(&k, "x", IR_FLOAT, "4611686018427387904 4");
    CU_ASSERT_EQUAL(ir_infer_model(k.m, &sink), RW_FORMAT);
    CU_ASSERT_STRING_EQUAL(sink.list.at[0].text,
                           "\"x\" is declared with more bytes than 63 bits can count");
    kit_end(&k);
}

static void inference_goes_on_from_what_changed(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, NULL),
             y = kit_input(&k, "y", IR_FLOAT, "2 3");
    ir_node a = kit_add(&k, &(struct kit_node){"Relu", .nin = 1, .in = {x}});
    ir_node b =
        kit_add(&k, &(struct kit_node){"Tanh", .nin = 1, .in = {ir_output(k.g, a, 0)}});
    CU_ASSERT_EQUAL(ir_infer_model(k.m, NULL), RW_OK);
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(k.g, ir_output(k.g, b, 0))->type));
    ir_mark_t mark = ir_mark(k.m);
    ir_set_input(k.g, a, 0, y);
    ir_infer_from(k.g, &a, 1);
    kit_type(&k, ir_output(k.g, b, 0), "float[2, 3]");
    ir_undo(k.m, mark);
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(k.g, ir_output(k.g, b, 0))->type));
    /* a second inference changes nothing */
    const struct ir_type *before = ir_val(k.g, ir_output(k.g, b, 0))->type;
    ir_infer_from(k.g, &a, 1);
    CU_ASSERT_PTR_EQUAL(ir_val(k.g, ir_output(k.g, b, 0))->type, before);
    kit_end(&k);
}

static void unifications_go_back_with_the_journal(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "n");
    ir_mark_t mark = ir_mark(k.m);
    CU_ASSERT_TRUE(ir_dim_unify(k.m->dims, ir_val(k.g, x)->type->dims[0],
                                ir_dim_const(k.m->dims, 5)));
    kit_type(&k, x, "float[5]");
    ir_undo(k.m, mark);
    kit_type(&k, x, "float[n]");
    kit_end(&k);
}

void add_ir_infer_suite(void);
void add_ir_infer_suite(void) {
    CU_pSuite s = CU_add_suite("ir: inference", NULL, NULL);
    CU_ADD_TEST(s, the_table_is_in_order);
    CU_ADD_TEST(s, a_reshape_by_computed_shape_is_solved);
    CU_ADD_TEST(s, a_reshape_that_cannot_be_is_refused);
    CU_ADD_TEST(s, shapes_broadcast);
    CU_ADD_TEST(s, dims_that_are_never_one_agree);
    CU_ADD_TEST(s, a_product_of_matrices_has_its_shape);
    CU_ADD_TEST(s, slices_of_symbolic_dims_cancel);
    CU_ADD_TEST(s, tables_of_items_are_turned);
    CU_ADD_TEST(s, values_of_shapes_are_computed);
    CU_ADD_TEST(s, a_range_and_what_is_made_of_it);
    CU_ADD_TEST(s, windows_slide);
    CU_ADD_TEST(s, axes_come_in_both_forms);
    CU_ADD_TEST(s, fused_operators_have_types);
    CU_ADD_TEST(s, images_and_boxes);
    CU_ADD_TEST(s, a_declaration_fills_and_loses);
    CU_ADD_TEST(s, an_axis_that_is_not_there_is_refused);
    CU_ADD_TEST(s, a_wrong_node_is_reported_by_name);
    CU_ADD_TEST(s, dims_that_cannot_be_counted_are_refused);
    CU_ADD_TEST(s, inference_goes_on_from_what_changed);
    CU_ADD_TEST(s, unifications_go_back_with_the_journal);
}
