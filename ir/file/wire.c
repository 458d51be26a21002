/* wire.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/file/wire.h"

bool ir_wire_read_long(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    const uint8_t *p = *at;
    uint64_t value = 0;
    for (unsigned shift = 0; p < end && shift < 7 * IR_WIRE_VARINT_MAX; shift += 7) {
        uint8_t byte = *p++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *at = p;
        *out = value;
        return true;
    }
    return false;
}

const char *ir_wire_next(const uint8_t **at, const uint8_t *end,
                         struct ir_wire_field *out) {
    uint64_t tag, len = 0;
    out->begin = *at;
    if (!ir_wire_read_varint(at, end, &tag)) return "a field tag is cut off or overlong";
    if (tag > UINT32_MAX || tag >> 3 == 0) return "a field has an impossible number";
    out->number = (uint32_t)(tag >> 3);
    out->type = (enum ir_wire_type)(tag & 7);
    out->data = *at;
    switch (tag & 7) {
    case IR_WIRE_VARINT:
        if (!ir_wire_read_varint(at, end, &out->varint))
            return "a number is cut off or overlong";
        out->end = *at;
        return NULL;
    case IR_WIRE_FIXED64: len = 8; break;
    case IR_WIRE_FIXED32: len = 4; break;
    case IR_WIRE_LEN:
        if (!ir_wire_read_varint(at, end, &len)) return "a length is cut off or overlong";
        out->data = *at;
        break;
    case 3: case 4: return "a field is a group, which no ONNX message has";
    default: return "a field has an unknown wire type";
    }
    if (len > (uint64_t)(end - *at)) return "a field runs past the end of its message";
    *at += len;
    out->end = *at;
    return NULL;
}

size_t ir_wire_varint_size(uint64_t value) {
    size_t n = 1;
    while (value >>= 7) n++;
    return n;
}

size_t ir_wire_write_varint(uint64_t value, uint8_t *to) {
    size_t n = 0;
    for (; value > 0x7f; value >>= 7) to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

void ir_wire_add_varint(struct buf *b, uint64_t value) {
    uint8_t bytes[IR_WIRE_VARINT_MAX];
    buf_add(b, bytes, ir_wire_write_varint(value, bytes));
}
