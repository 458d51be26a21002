/* skeleton.h -- a model without its large payloads.
 *
 * The walk over a file copies everything but the payloads of large tensors into a small
 * buffer that protobuf-c can unpack. In place of a payload stands a marker: a field of a
 * number that no ONNX message has, whose value is an index into the table of payloads.
 * protobuf-c keeps it as an unknown field of the tensor, so it follows the tensor wherever
 * that goes; on writing the payload takes its place again (ir/file/splice.h).
 *
 * The walk makes input safe for protobuf-c: it refuses deep nesting, names with a NUL (a
 * text with a NUL that is no name becomes a payload), wrong wire types, fields that run
 * past their message; of what may occur once it keeps the last occurrence, and merges
 * messages that occur again, as protobuf does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SKELETON_H
#define IR_SKELETON_H

#include "base/vec.h"
#include "ir/file/wire.h"

#include <protobuf-c/protobuf-c.h>

#define IR_PAYLOAD_FIELD 0x1fffffffu /* the marker; files that have it are refused */
#define IR_PAYLOAD_LEAST 1024u       /* bytes of a field that stay in the skeleton */
#define IR_NESTING_MOST 100u         /* what protobuf itself allows */

struct ir_tensor;
struct ir_payload {
    uint32_t field;     /* its number in the message */
    const void *memory;             /* or NULL */
    const struct ir_tensor *tensor; /* or NULL; of neither: a range of the input file */
    uint64_t offset;    /* in the file */
    uint64_t len;
};
struct ir_skeleton {
    struct buf bytes; /* freed by whoever made it */
    VEC(struct ir_payload) payloads;
};

struct ir_walked {
    const void *file;
    size_t len;
    /* Called with what was passed over, now and then, to give memory back; or NULL. */
    void (*release)(const void *from, size_t len);
};
/* false: malformed, and *why tells where and how. Payloads and *why live in the arena. */
bool ir_skeleton_read(const struct ir_walked *in, const ProtobufCMessageDescriptor *type,
                      struct arena *a, struct ir_skeleton *out, const char **why);
/* The payload that an unknown field stands for, or NULL. */
const struct ir_payload *ir_payload_at(const struct ir_payload *table, uint32_t n,
                                       const ProtobufCMessageUnknownField *u);
/* The payload that a field of a message was replaced by, or NULL. A message has at most one
 * for each field. */
const struct ir_payload *ir_payload_of(const struct ir_payload *table, uint32_t n,
                                       const ProtobufCMessage *m, uint32_t field);
/* The unknown field that stands for payload number `index`. */
ProtobufCMessageUnknownField ir_payload_marker(struct arena *a, uint32_t index);

#endif
