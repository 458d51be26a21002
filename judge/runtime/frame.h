/* frame.h -- requests and replies between the judge and its worker, as bytes.
 *
 * A frame is its length (8 bytes) and then numbers, texts and tensors in an order that
 * both sides know. What is read is not trusted: a reader that ran over the end, or met
 * what cannot be, has failed, and gives zeros from then on. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RUNTIME_FRAME_H
#define JUDGE_RUNTIME_FRAME_H

#include "judge/ort.h"

enum judge_request {
    JUDGE_LOAD, JUDGE_RUN, JUDGE_TIME, JUDGE_OUTLINE, JUDGE_UNLOAD, JUDGE_ABORT, JUDGE_SLEEP
};

/* --- writing: room for the length first, filled in at the end ------------------------ */
void judge_frame_begin(struct buf *b);
void judge_put_u64(struct buf *b, uint64_t x);
void judge_put_bytes(struct buf *b, const void *bytes, size_t len); /* with their length */
void judge_put_text(struct buf *b, const char *text); /* with its NUL; or NULL */
void judge_put_value(struct buf *b, const struct judge_value *v);
/* Path, bytes, folder; false when the file cannot be read. */
bool judge_put_model(struct buf *b, const struct judge_model *m);
void judge_frame_end(struct buf *b);

/* --- reading ------------------------------------------------------------------------- */
struct frame {
    const char *at, *end;
    bool failed;
};
uint64_t judge_get_u64(struct frame *f);
/* Their length and where they are in the frame. */
const void *judge_get_bytes(struct frame *f, size_t *len);
const char *judge_get_text(struct frame *f);
/* A count of things that take at least `least` bytes each. */
uint32_t judge_get_count(struct frame *f, size_t least);
/* A copy in *a. */
struct judge_value judge_get_value(struct frame *f, struct arena *a);

#endif
