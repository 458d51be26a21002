/* type.h -- types of values: element type and symbolic shape, sequences, optionals, maps.
 *
 * Types are immutable, live in the model's arena, and are shared. NULL is "nothing
 * known". An unranked tensor type may carry an opaque shape id: two types with the same
 * nonzero id have the same, unknown, shape (as Identity and unary operators hand on).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include "ir/dim.h"

/* TensorProto.DataType: the numbers of the format. */
enum ir_dtype {
    IR_UNDEFINED = 0, IR_FLOAT = 1, IR_UINT8 = 2, IR_INT8 = 3, IR_UINT16 = 4,
    IR_INT16 = 5, IR_INT32 = 6, IR_INT64 = 7, IR_STRING = 8, IR_BOOL = 9,
    IR_FLOAT16 = 10, IR_DOUBLE = 11, IR_UINT32 = 12, IR_UINT64 = 13, IR_COMPLEX64 = 14,
    IR_COMPLEX128 = 15, IR_BFLOAT16 = 16, IR_FLOAT8E4M3FN = 17, IR_FLOAT8E4M3FNUZ = 18,
    IR_FLOAT8E5M2 = 19, IR_FLOAT8E5M2FNUZ = 20, IR_UINT4 = 21, IR_INT4 = 22,
    IR_FLOAT4E2M1 = 23, IR_FLOAT8E8M0 = 24, IR_UINT2 = 25, IR_INT2 = 26,
    IR_FLOAT6E2M3 = 27, IR_FLOAT6E3M2 = 28,
    IR_DTYPE_N
};
/* Lower-case name as in ONNX text ("float", "int64"); NULL when out of range. */
const char *ir_dtype_name(enum ir_dtype t);
/* The type of that name, or IR_UNDEFINED. */
enum ir_dtype ir_dtype_from_name(const char *name);
uint32_t ir_dtype_bits(enum ir_dtype t); /* bits an element; 0: string, undefined */
bool ir_dtype_is_float(enum ir_dtype t); /* every floating type, 4 to 64 bits */
bool ir_dtype_is_int(enum ir_dtype t);   /* every integer type; bool is none */
bool ir_dtype_has_nan(enum ir_dtype t);
/* Does a Cast from one to the other keep every value? (int32 -> double, half -> float) */
bool ir_cast_is_lossless(enum ir_dtype from, enum ir_dtype to);

enum ir_type_kind {
    IR_TENSOR, IR_SPARSE_TENSOR, IR_SEQUENCE, IR_OPTIONAL, IR_MAP, IR_OPAQUE
};

struct ir_type {
    enum ir_type_kind kind;
    enum ir_dtype dtype; /* of elements, or of a map's keys; IR_UNDEFINED = unknown */
    bool ranked;
    uint32_t rank;
    const ir_dim *dims;  /* rank items; IR_DIM_UNKNOWN allowed */
    uint32_t opaque;     /* not ranked: names the unknown shape; 0 = none */
    uint64_t own;        /* of inference: bit i when dims[i] (bit 0 when opaque) is a name
                            made up for the value that has this type */
    const struct ir_type *elem; /* of a sequence, optional, or a map's values */
};

const struct ir_type *ir_type_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                                     const ir_dim *dims); /* copies dims */
const struct ir_type *ir_type_unranked(struct arena *a, enum ir_dtype t, uint32_t opaque);
/* The same shape with another element type; NULL stays unknown but for the dtype. */
const struct ir_type *ir_type_with_dtype(struct arena *a, const struct ir_type *shape_of,
                                         enum ir_dtype t);
/* IR_UNDEFINED for NULL, non-tensors. */
enum ir_dtype ir_type_dtype(const struct ir_type *t);
bool ir_type_ranked(const struct ir_type *t);
/* Proved the same type and shape, proved different, or unknown. */
enum ir_truth ir_type_equal(const struct ir_dims *d, const struct ir_type *a,
                            const struct ir_type *b);
enum ir_truth ir_shape_equal(const struct ir_dims *d, const struct ir_type *a,
                             const struct ir_type *b);
/* As in ONNX text: `float[batch, 128]`, `int64` (a scalar), `float[]` (of unknown rank),
 * `seq(float)`; `?` when unknown. */
void ir_type_print(const struct ir_dims *d, const struct ir_type *t, struct buf *out);

/* The known value of a small integer tensor (rank 0 or 1; also bool, and floats that are
 * integers), symbolic item by item: what shape arithmetic is made of. Items may be
 * IR_DIM_UNKNOWN. */
struct ir_symval {
    uint32_t rank; /* 0 or 1 */
    uint32_t len;  /* 1 for rank 0 */
    const ir_dim *items;
};

#endif
