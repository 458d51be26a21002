/* tensor_bytes.h -- ranges of the raw layout of a tensor. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TENSOR_BYTES_H
#define IR_TENSOR_BYTES_H

#include "ir/tensor.h"

/* Little-endian loads and stores of 1 to 8 bytes. */
static inline uint64_t ir_load_le(const void *p, uint32_t bytes) {
    const unsigned char *b = p;
    uint64_t x = 0;
    if (RW_LITTLE_ENDIAN) memcpy(&x, p, bytes); /* which compilers can do for many at once */
    else for (uint32_t i = 0; i < bytes; i++) x |= (uint64_t)b[i] << (8 * i);
    return x;
}
static inline void ir_store_le(void *p, uint32_t bytes, uint64_t x) {
    unsigned char *b = p;
    if (RW_LITTLE_ENDIAN) memcpy(p, &x, bytes);
    else for (uint32_t i = 0; i < bytes; i++) b[i] = (unsigned char)(x >> (8 * i));
}

/* The bits of a float or double, and back. */
static inline uint32_t ir_bits_of_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline float ir_float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint64_t ir_bits_of_double(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}
static inline double ir_double_of_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline uint64_t ir_low_bits(uint64_t x, uint32_t bits) { /* 1 to 64 of them */
    return x & (UINT64_MAX >> (64 - bits));
}
/* Element i of the raw layout, as bits in the low end. Elements of 6 bits may lie in two
 * bytes; no element reaches further than the last byte that ir_tensor_bytes counts. */
static inline uint64_t ir_load_bits(const void *raw, uint32_t bits, uint64_t i) {
    const unsigned char *at = (const unsigned char *)raw + i * bits / 8;
    uint32_t low = (uint32_t)(i * bits % 8);
    return ir_low_bits(ir_load_le(at, (low + bits + 7) / 8) >> low, bits);
}
/* Into bytes that are zero there. */
static inline void ir_put_bits(void *raw, uint32_t bits, uint64_t i, uint64_t x) {
    unsigned char *at = (unsigned char *)raw + i * bits / 8;
    uint32_t low = (uint32_t)(i * bits % 8);
    for (x = ir_low_bits(x, bits) << low; x; x >>= 8, at++) *at = (unsigned char)(*at | x);
}

/* The typed fields of TensorProto, by number. */
enum ir_typed_field {
    IR_NO_FIELD = 0, IR_FLOAT_DATA = 4, IR_INT32_DATA = 5, IR_INT64_DATA = 7,
    IR_DOUBLE_DATA = 10, IR_UINT64_DATA = 11
};
/* The one that holds elements of a type, and how many items of it hold `count` of them:
 * types of up to 16 bits lie in int32_data, an item an element, or an item a byte where
 * a byte is whole elements; complex numbers are two items. */
enum ir_typed_field ir_typed_field(enum ir_dtype t);
uint64_t ir_typed_items(enum ir_dtype t, uint64_t count);
/* Items in the message. */
size_t ir_typed_count(const struct Onnx__TensorProto *p, enum ir_typed_field f);

/* Bytes first .. first + n of the raw layout, whatever the storage. */
bool ir_tensor_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                        uint64_t n, void *out);
/* The same for IR_AS_PROTO: encodes items of the typed field. */
bool ir_typed_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                       uint64_t n, void *out);

#endif
