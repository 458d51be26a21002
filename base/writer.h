/* writer.h -- writing in the background: one piece goes into a file while the next is made.
 *
 * One thread, which writes the pieces in the order in which they were begun; so the file is
 * the same as without it. It takes no signals.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include "base/base.h"

struct writer;

/* NULL where nothing would be won: with one processor, to what is no regular file; or where
 * there is no thread to be had. */
struct writer *writer_new(int fd);
/* Begins to write bytes, which stay as they are until writer_wait returns, where the file is:
 * at `position`. Nothing else may write to it meanwhile, and no other piece be under way. */
void writer_begin(struct writer *w, uint64_t position, const void *bytes, size_t len);
/* Until the piece is written; false with errno when this or one before it was not. */
bool writer_wait(struct writer *w);
/* After writer_wait; NULL is nothing. */
void writer_free(struct writer *w);

#endif
