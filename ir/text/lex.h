/* lex.h -- tokens of the ONNX text syntax; private to ir/text_*.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TEXT_LEX_H
#define IR_TEXT_LEX_H

#include "base/diag.h"

/* Kinds below 128 are the character itself: ( ) [ ] < > { } , : = . @ ? ; */
enum text_kind {
    TEXT_END = 128,
    TEXT_ID,     /* letter or _, then letters, digits, _ */
    TEXT_QUOTED, /* "...": a backslash stands for the character behind it */
    TEXT_HEX,    /* x"0a00": bytes, for what a quoted text cannot hold */
    TEXT_INT,    /* digits with - in front; 0x1f too */
    TEXT_REAL,   /* with point or exponent; -inf, -nan */
    TEXT_ARROW,  /* => */
    TEXT_DOTS,   /* ... */
    TEXT_BAD     /* nothing of the language: `text` says what */
};

struct text_token {
    int kind;
    struct span at;
    const char *text; /* ID, QUOTED, HEX: its bytes, NUL added; else where it stands */
    size_t len;
};

struct text_lexer {
    struct arena *arena; /* of the tokens' texts */
    const struct diag_source *source;
    uint32_t at, end;
};

struct text_token text_next(struct text_lexer *lx);
/* Can the text stand for a name without quotes? */
bool text_is_id(const char *name);

#endif
