/* wire.h -- the encoding of protobuf: fields of a message, one after the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_WIRE_H
#define IR_WIRE_H

#include "base/buf.h"

enum ir_wire_type {
    IR_WIRE_VARINT = 0,
    IR_WIRE_FIXED64 = 1,
    IR_WIRE_LEN = 2,
    IR_WIRE_FIXED32 = 5
};
#define IR_WIRE_VARINT_MAX 10

struct ir_wire_field {
    uint32_t number;
    enum ir_wire_type type;
    const uint8_t *begin; /* the tag */
    const uint8_t *data;  /* the value; of IR_WIRE_LEN what stands behind the length */
    const uint8_t *end;
    uint64_t varint; /* the value of IR_WIRE_VARINT */
};

/* Reads the field at *at and moves *at behind it. NULL, or what is wrong with it. */
const char *ir_wire_next(const uint8_t **at, const uint8_t *end, struct ir_wire_field *out);
/* Reads a varint; false when it is truncated or has more than ten bytes. */
bool ir_wire_read_long(const uint8_t **at, const uint8_t *end, uint64_t *out);
static inline bool ir_wire_read_varint(const uint8_t **at, const uint8_t *end,
                                       uint64_t *out) {
    if (*at == end || **at & 0x80) return ir_wire_read_long(at, end, out);
    *out = *(*at)++;
    return true;
}

size_t ir_wire_varint_size(uint64_t value);
/* Writes at most IR_WIRE_VARINT_MAX bytes; returns how many. */
size_t ir_wire_write_varint(uint64_t value, uint8_t *to);
static inline uint64_t ir_wire_tag(uint32_t number, enum ir_wire_type type) {
    return (uint64_t)number << 3 | (uint64_t)type;
}
void ir_wire_add_varint(struct buf *b, uint64_t value);

#endif
