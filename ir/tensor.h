/* tensor.h -- constant tensors: where their bytes are, and reading small ones.
 *
 * A tensor's bytes are a range of the model's file, a range of an external data file, in
 * memory in the layout of raw_data (little-endian, row major; elements below a byte are
 * a stream of bits, the low ones of a byte first), or an expression over other tensors.
 * Weights are not read, nor expressions computed, unless somebody asks for their value.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TENSOR_H
#define IR_TENSOR_H

#include "base/diag.h"
#include "ir/type.h"

struct ir_model;
struct ir_lazy;
struct Onnx__TensorProto;

enum ir_storage {
    IR_IN_MEMORY, /* data, nbytes */
    IR_IN_FILE,   /* raw bytes at `offset` of the model's file */
    IR_EXTERNAL,  /* raw bytes at `offset` of the external file `location` */
    IR_AS_PROTO,  /* in a typed field (float_data, ...) of proto, maybe by range */
    IR_COMPUTED,  /* when it is read, by `lazy` */
    IR_STRINGS    /* strings, count */
};

struct ir_string {
    const char *at;
    size_t len;
};

struct ir_tensor {
    enum ir_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    uint64_t count;  /* elements; checked product of dims */
    uint64_t nbytes; /* of the raw layout; 0 for strings */
    enum ir_storage storage;
    const void *data;
    uint64_t offset;
    const char *location; /* as written in the model, checked to stay in its folder */
    const struct ir_string *strings;
    struct ir_lazy *lazy;
    /* The message it was read from (kept for lossless writing), or NULL for a new one. */
    struct Onnx__TensorProto *proto;
    const char *doc; /* or NULL */
};

/* A new tensor; dims and bytes are copied into the arena. nbytes must be that of the
 * type and dims. Returns NULL when dims are negative or their product overflows. */
struct ir_tensor *ir_tensor_new(struct arena *a, enum ir_dtype t, uint32_t rank,
                                const int64_t *dims, const void *bytes);
/* The same for strings, which are copied. */
struct ir_tensor *ir_tensor_strings(struct arena *a, uint32_t rank, const int64_t *dims,
                                    const struct ir_string *strings);
/* NULL unless t is a floating type. */
struct ir_tensor *ir_tensor_scalar_float(struct arena *a, enum ir_dtype t, double value);
/* int64[n] */
struct ir_tensor *ir_tensor_ints(struct arena *a, uint32_t n, const int64_t *values);
/* The product of dims; false when one is negative or the product is beyond int64. */
bool ir_tensor_count(uint32_t rank, const int64_t *dims, uint64_t *count);
/* Size in bytes of the raw layout of `count` elements; false on overflow or strings. */
bool ir_tensor_bytes(enum ir_dtype t, uint64_t count, uint64_t *nbytes);

/* The raw bytes (nbytes of them), read if need be into `a`; NULL when they cannot be
 * read (the file shrank) or the tensor holds strings. Nothing is cached. */
const void *ir_tensor_read(struct ir_model *m, const struct ir_tensor *t, struct arena *a);
/* Element i as an integer or a double, of any numeric type; false when not exact
 * (integers asked of a fraction), not numeric, out of range, or unreadable. Reads that
 * element only. */
bool ir_tensor_int_at(struct ir_model *m, const struct ir_tensor *t, uint64_t i,
                      int64_t *out);
bool ir_tensor_double_at(struct ir_model *m, const struct ir_tensor *t, uint64_t i,
                         double *out);
/* Are two tensors equal in type, dims and bytes? Compares the first 4 KiB first. */
bool ir_tensor_equal(struct ir_model *m, const struct ir_tensor *a,
                     const struct ir_tensor *b);

/* The floating types of 4 to 16 bits, from and to their bits; encoding rounds to nearest
 * even. Beyond the largest value: with `saturate` the largest, else infinity, or NaN where
 * the type has no infinity, or the largest where it has neither. */
double ir_small_float_decode(enum ir_dtype t, uint32_t bits);
uint32_t ir_small_float_encode(enum ir_dtype t, double x, bool saturate);
float ir_half_to_float(uint16_t h);
uint16_t ir_float_to_half(float f);
float ir_bfloat16_to_float(uint16_t h);
uint16_t ir_float_to_bfloat16(float f);

#endif
