/* frame.h -- requests and replies between the judge and its worker, as bytes.
 *
 * A frame is its length (8 bytes) and then numbers, texts and tensors in an order that
 * both sides know. What is read is not trusted: a reader that ran over the end, or met
 * what cannot be, has failed, and gives zeros from then on. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_FRAME_H
#define JUDGE_FRAME_H

#include "judge/ort.h"

enum judge_request { JUDGE_LOAD, JUDGE_RUN, JUDGE_UNLOAD, JUDGE_ABORT, JUDGE_SLEEP };

/* --- writing: room for the length first, filled in at the end ------------------------ */
void frame_begin(struct buf *b);
void frame_u64(struct buf *b, uint64_t x);
void frame_bytes(struct buf *b, const void *bytes, size_t len); /* with their length */
void frame_text(struct buf *b, const char *text);               /* with its NUL; or NULL */
void frame_value(struct buf *b, const struct judge_value *v);
/* Path, bytes, folder; false when the file cannot be read. */
bool judge_put_model(struct buf *b, const struct judge_model *m);
void frame_end(struct buf *b);

/* --- reading ------------------------------------------------------------------------- */
struct frame {
    const char *at, *end;
    bool failed;
};
uint64_t frame_get_u64(struct frame *f);
/* Their length and where they are in the frame. */
const void *frame_get_bytes(struct frame *f, size_t *len);
const char *frame_get_text(struct frame *f);
/* A count of things that take at least `least` bytes each. */
uint32_t frame_get_count(struct frame *f, size_t least);
/* A copy in *a. */
struct judge_value frame_get_value(struct frame *f, struct arena *a);

#endif
