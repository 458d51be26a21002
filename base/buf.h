/* buf.h -- a text or byte builder on malloc; buf_free gives it back.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/base.h"

struct buf {
    char *at; /* always ended by a NUL that len does not count, once anything was added */
    size_t len, cap;
};

void buf_add(struct buf *b, const void *bytes, size_t len);
/* Room for `more` bytes behind those that are there. */
void buf_room(struct buf *b, size_t more);
void buf_puts(struct buf *b, const char *text);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) RW_PRINTF(2, 3);
/* "..." with C escapes for quotes, backslashes and control characters. */
void buf_quote(struct buf *b, const char *text);
/* The shortest decimal that reads back as the same float / double, "inf", "nan". */
void buf_float(struct buf *b, float x);
void buf_double(struct buf *b, double x);
/* The text so far; "" when nothing was added. */
const char *buf_text(const struct buf *b);
void buf_free(struct buf *b);

#endif
