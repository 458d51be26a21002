/* splice.h -- writing a packed skeleton with its payloads in place again.
 *
 * Two walks: the first finds how long each message is with its payloads, the second
 * writes. Payloads go from file to file through the buffer of a sink.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SPLICE_H
#define IR_SPLICE_H

#include "ir/file/sink.h"
#include "ir/file/skeleton.h"

struct ir_splice {
    struct ir_model *model; /* of payloads that are tensors */
    const ProtobufCMessageDescriptor *type;
    const uint8_t *packed;
    size_t len;
    const struct ir_payload *payloads;
    uint32_t npayloads;
    int input_fd;         /* the file that payloads are ranges of; -1: it is none, ... */
    const uint8_t *input; /* ... but these bytes */
};
/* The size of the file; false when a message nests too deep or the size exceeds what
 * protobuf can read (2 GiB: *size is then beyond INT32_MAX), *why says which. */
bool ir_splice_size(const struct ir_splice *s, struct arena *a, uint64_t *size,
                    const char **why);
void ir_splice_write(const struct ir_splice *s, struct arena *a, struct ir_sink *sink);

#endif
