/* sink.h -- bytes on their way into a file, gathered in a buffer, or into memory.
 *
 * What is computed on the way (a transposed weight) is made in the buffer, a piece at a
 * time, and written in the background while the next piece is made in another one. Ranges
 * of files go through a small part of the buffer, which stays in the cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SINK_H
#define IR_SINK_H

#include "base/buf.h"
#include "base/os.h"
#include "base/writer.h"
#include "ir/graph.h"

struct ir_sink_buffer {
    uint8_t *at;
    size_t room;
};
struct ir_sink {
    int fd;
    struct buf *memory; /* NULL: fd */
    struct ir_sink_buffer buffer, other; /* the other is being written, or free */
    size_t used;                         /* of `buffer` */
    uint64_t begun;                      /* bytes before those of `buffer` */
    struct writer *writer; /* NULL: not begun yet, or there is none */
    bool asked;            /* for a writer */
    bool failed;           /* errno tells */
};
void ir_sink_open(struct ir_sink *s, int fd);
void ir_sink_open_memory(struct ir_sink *s, struct buf *memory);
void ir_sink_put(struct ir_sink *s, const void *bytes, size_t len);
/* A range of an open file, a part of the buffer at a time. */
void ir_sink_put_file(struct ir_sink *s, int fd, uint64_t offset, uint64_t len);
/* The raw bytes of a tensor, wherever they are, without holding them all at a time. */
void ir_sink_put_tensor(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t);
/* Writes what is left and gives the buffers back; false when anything failed. */
bool ir_sink_close(struct ir_sink *s);

#endif
