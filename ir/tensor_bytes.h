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
    for (uint32_t i = 0; i < bytes; i++) x |= (uint64_t)b[i] << (8 * i);
    return x;
}
static inline void ir_store_le(void *p, uint32_t bytes, uint64_t x) {
    unsigned char *b = p;
    for (uint32_t i = 0; i < bytes; i++) b[i] = (unsigned char)(x >> (8 * i));
}

/* The typed fields of TensorProto, by number. */
enum ir_typed_field {
    IR_NO_FIELD = 0, IR_FLOAT_DATA = 4, IR_INT32_DATA = 5, IR_INT64_DATA = 7,
    IR_DOUBLE_DATA = 10, IR_UINT64_DATA = 11
};
/* The one that holds elements of a type, and how many raw bytes an item of it stands for:
 * types of up to 16 bits lie in int32_data, an item an element, or an item a byte where
 * elements share a byte; complex numbers are two items. */
enum ir_typed_field ir_typed_field(enum ir_dtype t);
uint32_t ir_typed_width(enum ir_dtype t);
/* Items in the message. */
size_t ir_typed_count(const struct Onnx__TensorProto *p, enum ir_typed_field f);

/* Bytes first .. first + n of the raw layout, whatever the storage. */
bool ir_tensor_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                        uint64_t n, void *out);
/* The same for IR_AS_PROTO: encodes items of the typed field. */
bool ir_typed_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                       uint64_t n, void *out);

#endif
