/* sink.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/file/sink.h"

#include "ir/tensor/lazy.h"
#include "ir/tensor/tensor_bytes.h"

#include <errno.h>

void ir_sink_open(struct ir_sink *s, int fd) {
    *s = (struct ir_sink){.fd = fd, .buffer = {malloc(OS_WRITE_PIECE), OS_WRITE_PIECE}};
    if (!s->buffer.at) rw_out_of_memory();
}

void ir_sink_open_memory(struct ir_sink *s, struct buf *memory) {
    ir_sink_open(s, -1);
    s->memory = memory;
}

/* --- writing ----------------------------------------------------------------------- */

static void settle(struct ir_sink *s) {
    if (s->writer && !s->failed && !writer_wait(s->writer)) s->failed = true;
}

static void write_now(struct ir_sink *s, const void *bytes, size_t len) {
    settle(s);
    if (s->memory) buf_add(s->memory, bytes, len);
    else if (!s->failed && !os_write_pieces(s->fd, s->begun, bytes, len)) s->failed = true;
    s->begun += len;
}

static void flush(struct ir_sink *s) {
    write_now(s, s->buffer.at, s->used);
    s->used = 0;
}

/* The same, while the other buffer is filled. */
static void flush_behind(struct ir_sink *s) {
    if (!s->writer && !s->asked && !s->memory) s->writer = writer_new(s->fd);
    s->asked = true;
    if (!s->writer) {
        flush(s);
        return;
    }
    settle(s);
    if (!s->failed) writer_begin(s->writer, s->begun, s->buffer.at, s->used);
    struct ir_sink_buffer full = s->buffer;
    s->buffer = s->other;
    s->other = full;
    s->begun += s->used;
    s->used = 0;
}

bool ir_sink_close(struct ir_sink *s) {
    flush(s);
    int error = errno;
    writer_free(s->writer);
    free(s->buffer.at);
    free(s->other.at);
    errno = error;
    return !s->failed;
}

/* --- through the buffer ------------------------------------------------------------ */

static void make_room(struct ir_sink *s, size_t len) {
    size_t need;
    if (!rw_add_size(s->used, len, &need)) rw_out_of_memory();
    if (need <= s->buffer.room) return;
    uint8_t *at = realloc(s->buffer.at, need);
    if (!at) rw_out_of_memory();
    s->buffer = (struct ir_sink_buffer){at, need};
}

/* How much of len bytes goes in now: writes but those of what was computed end at multiples
 * of OS_WRITE_PIECE. */
static size_t room(struct ir_sink *s, uint64_t len) {
    size_t most = OS_WRITE_PIECE - (size_t)(s->begun % OS_WRITE_PIECE);
    if (s->used >= most) {
        flush(s);
        most = OS_WRITE_PIECE - (size_t)(s->begun % OS_WRITE_PIECE);
    }
    size_t n = len < most - s->used ? (size_t)len : most - s->used;
    make_room(s, n);
    return n;
}

void ir_sink_put(struct ir_sink *s, const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    for (size_t n; len; at += n, len -= n) {
        bool past = s->used == 0 && s->begun % OS_WRITE_PIECE == 0 && !s->memory;
        if (past && len >= OS_WRITE_PIECE) {
            n = len / OS_WRITE_PIECE * OS_WRITE_PIECE;
            write_now(s, at, n);
            continue;
        }
        n = room(s, len);
        memcpy(s->buffer.at + s->used, at, n);
        s->used += n;
    }
}

void ir_sink_put_file(struct ir_sink *s, int fd, uint64_t offset, uint64_t len) {
    for (size_t n; len && !s->failed; offset += n, len -= n) {
        n = room(s, len);
        if (!os_read_at(fd, offset, s->buffer.at + s->used, n)) s->failed = true;
        s->used += n;
    }
}

/* --- tensors ----------------------------------------------------------------------- */

#define BEHIND ((size_t)1 << 20) /* bytes that are worth waking another thread for */

static void put_pieces(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t) {
    uint64_t piece = ir_lazy_piece(t);
    ir_lazy_begin(m, t);
    for (uint64_t at = 0, n; at < t->nbytes && !s->failed; at += n) {
        n = t->nbytes - at < piece ? t->nbytes - at : piece;
        make_room(s, (size_t)n);
        if (!ir_tensor_bytes_at(m, t, at, n, s->buffer.at + s->used)) s->failed = true;
        s->used += (size_t)n;
        if (s->used >= BEHIND) flush_behind(s);
        else if (s->used >= OS_WRITE_PIECE) flush(s);
    }
    ir_lazy_end(m, t);
}

/* Parts that follow one another are tensors of their own. */
static void put_computed(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t) {
    const struct ir_lazy *x = t->lazy;
    bool in_turn = x->kind == IR_LAZY_JOIN && x->join.row == x->count;
    if (!in_turn) put_pieces(s, m, t);
    for (uint32_t k = 0; in_turn && k < x->join.n; k++)
        ir_sink_put_tensor(s, m, x->join.parts[k]);
}

static void put_range(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t) {
    for (uint64_t at = 0, n; at < t->nbytes && !s->failed; at += n) {
        n = room(s, t->nbytes - at);
        if (!ir_tensor_bytes_at(m, t, at, n, s->buffer.at + s->used)) s->failed = true;
        s->used += (size_t)n;
    }
}

/* A typed field can only be decoded from its begin, so it is read at once. */
static void put_whole(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t) {
    struct arena scratch = ARENA_EMPTY;
    const void *bytes = ir_tensor_read(m, t, &scratch);
    if (bytes) ir_sink_put(s, bytes, (size_t)t->nbytes);
    else s->failed = true;
    arena_free(&scratch);
}

void ir_sink_put_tensor(struct ir_sink *s, struct ir_model *m, const struct ir_tensor *t) {
    if (t->storage == IR_AS_PROTO) put_whole(s, m, t);
    else if (t->storage == IR_COMPUTED) put_computed(s, m, t);
    else put_range(s, m, t);
}
