/* splice.h -- writing a packed skeleton with its payloads in place again.
 *
 * Two walks: the first finds how long each message is with its payloads, the second
 * writes. Payloads go from file to file through one small buffer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SPLICE_H
#define IR_SPLICE_H

#include "base/buf.h"
#include "base/os.h"
#include "ir/file/skeleton.h"
#include "ir/graph.h"

/* Bytes on their way into a file, gathered in a buffer, or into memory. */
struct ir_sink {
    int fd;
    struct buf *memory; /* NULL: fd */
    uint8_t *buffer;
    size_t used;
    bool failed; /* errno tells */
};
void ir_sink_open(struct ir_sink *s, int fd);
void ir_sink_open_memory(struct ir_sink *s, struct buf *memory);
void ir_sink_put(struct ir_sink *s, const void *bytes, size_t len);
/* A range of an open file, a buffer at a time. */
void ir_sink_put_file(struct ir_sink *s, int fd, uint64_t offset, uint64_t len);
/* The raw bytes of a tensor, wherever they are, without holding them all at a time. */
void ir_sink_put_tensor(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t);
/* Writes what is left and gives the buffer back; false when anything failed. */
bool ir_sink_close(struct ir_sink *s);

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
