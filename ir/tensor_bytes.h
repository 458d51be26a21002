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

/* Bytes first .. first + n of the raw layout, whatever the storage. */
bool ir_tensor_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                        uint64_t n, void *out);
/* The same for IR_AS_PROTO: encodes items of the typed field. */
bool ir_typed_bytes_at(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                       uint64_t n, void *out);

#endif
