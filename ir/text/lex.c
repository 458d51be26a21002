/* lex.c -- ONNX text to tokens.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/lex.h"

static bool is_alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_hex(char c) {
    return rw_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool text_is_id(const char *name) {
    if (!is_alpha(*name)) return false;
    while (is_alpha(*name) || rw_is_digit(*name)) name++;
    return *name == 0;
}

/* The character `ahead` of the current one, NUL behind the end. */
static char peek(const struct text_lexer *lx, uint32_t ahead) {
    return lx->end - lx->at > ahead ? lx->source->text[lx->at + ahead] : 0;
}

static void skip_blanks(struct text_lexer *lx) {
    for (;;) {
        while (lx->at < lx->end && is_space(peek(lx, 0))) lx->at++;
        if (peek(lx, 0) != '#') return;
        while (lx->at < lx->end && peek(lx, 0) != '\n') lx->at++;
    }
}

/* Only names are copied: the numbers of a large constant stay where they are. */
static struct text_token finish(const struct text_lexer *lx, int kind, uint32_t begin) {
    struct text_token t = {.kind = kind, .at = {lx->source, begin, lx->at}};
    t.len = lx->at - begin;
    t.text = lx->source->text + begin;
    if (kind == TEXT_ID) t.text = arena_strndup(lx->arena, t.text, t.len);
    return t;
}

static struct text_token bad(struct text_lexer *lx, uint32_t begin, const char *what) {
    if (lx->at == begin && lx->at < lx->end) lx->at++;
    return (struct text_token){.kind = TEXT_BAD, .at = {lx->source, begin, lx->at},
                               .text = what};
}

static struct text_token quoted(struct text_lexer *lx) {
    uint32_t begin = lx->at++, start = lx->at;
    while (lx->at < lx->end && peek(lx, 0) != '"') lx->at += peek(lx, 0) == '\\' ? 2 : 1;
    if (lx->at >= lx->end) {
        lx->at = begin + 1;
        return bad(lx, begin, "a text in quotes that does not end");
    }
    const char *from = lx->source->text + start;
    char *text = arena_alloc(lx->arena, lx->at - start + 1);
    size_t len = 0;
    for (uint32_t i = 0; i < lx->at - start; i++) {
        if (from[i] == '\\') i++;
        text[len++] = from[i];
    }
    text[len] = 0;
    lx->at++;
    return (struct text_token){TEXT_QUOTED, {lx->source, begin, lx->at}, text, len};
}

static unsigned hex_value(char c) {
    return (unsigned)(rw_is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
}

static struct text_token hex_bytes(struct text_lexer *lx) {
    uint32_t begin = lx->at;
    lx->at += 2;
    uint32_t start = lx->at;
    while (is_hex(peek(lx, 0))) lx->at++;
    uint32_t digits = lx->at - start;
    if (peek(lx, 0) != '"' || digits % 2)
        return bad(lx, begin, "bytes that are not pairs of hexadecimal digits in quotes");
    const char *from = lx->source->text + start;
    char *bytes = arena_zalloc(lx->arena, digits / 2 + 1);
    for (uint32_t i = 0; i < digits / 2; i++)
        bytes[i] = (char)(hex_value(from[2 * i]) << 4 | hex_value(from[2 * i + 1]));
    lx->at++;
    return (struct text_token){TEXT_HEX, {lx->source, begin, lx->at}, bytes, digits / 2};
}

static struct text_token number(struct text_lexer *lx) {
    uint32_t begin = lx->at;
    int kind = TEXT_INT;
    if (peek(lx, 0) == '-') lx->at++;
    if (is_alpha(peek(lx, 0))) { /* -inf, -nan: checked where the value is used */
        while (is_alpha(peek(lx, 0))) lx->at++;
        return finish(lx, TEXT_REAL, begin);
    }
    if (peek(lx, 0) == '0' && (peek(lx, 1) | 32) == 'x') {
        lx->at += 2;
        while (is_hex(peek(lx, 0))) lx->at++;
        return finish(lx, TEXT_INT, begin);
    }
    while (rw_is_digit(peek(lx, 0))) lx->at++;
    if (peek(lx, 0) == '.' && peek(lx, 1) != '.') {
        kind = TEXT_REAL;
        lx->at++;
        while (rw_is_digit(peek(lx, 0))) lx->at++;
    }
    char sign = peek(lx, 1);
    if ((peek(lx, 0) | 32) == 'e' &&
        (rw_is_digit(sign) || ((sign == '-' || sign == '+') && rw_is_digit(peek(lx, 2))))) {
        kind = TEXT_REAL;
        lx->at += 2;
        while (rw_is_digit(peek(lx, 0))) lx->at++;
    }
    if (is_alpha(peek(lx, 0))) {
        while (is_alpha(peek(lx, 0)) || rw_is_digit(peek(lx, 0))) lx->at++;
        return bad(lx, begin, "a number that runs into letters");
    }
    return finish(lx, kind, begin);
}

struct text_token text_next(struct text_lexer *lx) {
    skip_blanks(lx);
    uint32_t begin = lx->at;
    if (lx->at >= lx->end)
        return (struct text_token){TEXT_END, {lx->source, begin, begin}, "", 0};
    char c = peek(lx, 0), next = peek(lx, 1);
    if (c == '"') return quoted(lx);
    if (c == 'x' && next == '"') return hex_bytes(lx);
    if (is_alpha(c)) {
        while (is_alpha(peek(lx, 0)) || rw_is_digit(peek(lx, 0))) lx->at++;
        return finish(lx, TEXT_ID, begin);
    }
    if (rw_is_digit(c) || (c == '-' && (rw_is_digit(next) || is_alpha(next)))) return number(lx);
    if (c == '=' && next == '>') {
        lx->at += 2;
        return finish(lx, TEXT_ARROW, begin);
    }
    if (c == '.' && next == '.' && peek(lx, 2) == '.') {
        lx->at += 3;
        return finish(lx, TEXT_DOTS, begin);
    }
    if (c && strchr("()[]<>{},:=.@?;", c)) {
        lx->at++;
        return finish(lx, c, begin);
    }
    return bad(lx, begin, "a character that ONNX text does not have");
}
