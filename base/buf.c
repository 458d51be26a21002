/* buf.c -- SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void buf_room(struct buf *b, size_t more) {
    size_t need, cap = b->cap ? b->cap : 64;
    if (!rw_add_size(b->len, more, &need) || !rw_add_size(need, 1, &need))
        rw_out_of_memory();
    if (need <= b->cap) return;
    while (cap < need)
        if (!rw_mul_size(cap, 2, &cap)) rw_out_of_memory();
    char *at = realloc(b->at, cap);
    if (!at) rw_out_of_memory();
    b->at = at;
    b->cap = cap;
}

void buf_add(struct buf *b, const void *bytes, size_t len) {
    buf_room(b, len);
    if (len) memcpy(b->at + b->len, bytes, len);
    b->len += len;
    b->at[b->len] = 0;
}

void buf_puts(struct buf *b, const char *text) { buf_add(b, text, strlen(text)); }

void buf_putc(struct buf *b, char c) { buf_add(b, &c, 1); }

void buf_printf(struct buf *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    rw_assert(len >= 0);
    buf_room(b, (size_t)len);
    vsnprintf(b->at + b->len, (size_t)len + 1, format, again);
    b->len += (size_t)len;
    va_end(again);
    va_end(args);
}

void buf_quote(struct buf *b, const char *text) {
    buf_putc(b, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') buf_printf(b, "\\%c", *p);
        else if (*p == '\n') buf_puts(b, "\\n");
        else if (*p == '\t') buf_puts(b, "\\t");
        else if (*p < 0x20 || *p == 0x7f) buf_printf(b, "\\x%02x", *p);
        else buf_putc(b, (char)*p);
    }
    buf_putc(b, '"');
}

static bool special(struct buf *b, double x) {
    if (isnan(x)) buf_puts(b, "nan");
    else if (isinf(x)) buf_puts(b, x < 0 ? "-inf" : "inf");
    else return false;
    return true;
}

void buf_float(struct buf *b, float x) {
    char text[40];
    if (special(b, (double)x)) return;
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)x);
        if (strtof(text, NULL) == x) break;
    }
    buf_puts(b, text);
}

void buf_double(struct buf *b, double x) {
    char text[40];
    if (special(b, x)) return;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    buf_puts(b, text);
}

const char *buf_text(const struct buf *b) { return b->at ? b->at : ""; }

void buf_free(struct buf *b) {
    free(b->at);
    *b = (struct buf){0};
}
