/* parse.c -- drives scanner and parser over a text; their errors; strings and raw text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/parse.h"
#include "dsl/parser.h"

int dsl_yylex_init_extra(struct parse *p, void **scanner);
int dsl_yylex_destroy(void *scanner);
struct yy_buffer_state;
struct yy_buffer_state *dsl_yy_scan_bytes(const char *text, int len, void *scanner);

struct ast_file *dsl_parse_text(struct arena *a, const struct diag_source *source,
                                struct diag_sink *diags) {
    struct parse p = {.arena = a, .diags = diags, .source = source};
    p.file = arena_new(a, struct ast_file);
    p.file->source = source;
    rw_assert(source->len < INT32_MAX);
    const char *zero = memchr(source->text, 0, source->len);
    if (zero) { /* texts are handed on as C strings */
        uint32_t from = (uint32_t)(zero - source->text);
        dsl_parse_error(&p, (struct span){source, from, from + 1}, "a zero byte: this is no text");
        return NULL;
    }
    void *scanner;
    if (dsl_yylex_init_extra(&p, &scanner) != 0) rw_out_of_memory();
    dsl_yy_scan_bytes(source->text, (int)source->len, scanner);
    if (dsl_yyparse(&p, scanner) != 0) p.failed = true;
    dsl_yylex_destroy(scanner);
    return p.failed ? NULL : p.file;
}

bool dsl_parse_error(struct parse *p, struct span at, const char *format, ...) {
    if (p->gave_up) return false;
    va_list args;
    va_start(args, format);
    diag_vat(p->diags, DIAG_ERROR, at, format, args);
    va_end(args);
    p->failed = true;
    uint32_t limit = p->diags->error_limit ? p->diags->error_limit : 20;
    if (p->diags->count[DIAG_ERROR] >= limit) dsl_parse_give_up(p);
    return !p->gave_up;
}

void dsl_parse_help(struct parse *p, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(p->diags, DIAG_HELP, at, format, args);
    va_end(args);
}

void dsl_parse_give_up(struct parse *p) {
    p->gave_up = p->failed = true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* One escape at text[i], behind the backslash: its byte; *used bytes of text. -1: none. */
static int escape(const char *text, size_t i, size_t len, size_t *used) {
    *used = 1;
    switch (text[i]) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '"': case '\\': case '\'': return text[i];
    case 'x': {
        if (i + 2 >= len) return -1;
        int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
        *used = 3;
        return high < 0 || low < 0 || (high == 0 && low == 0) ? -1 : high * 16 + low;
    }
    default: return -1;
    }
}

const char *dsl_unquote(struct parse *p, struct span at, const char *text, size_t len) {
    char *out = arena_alloc(p->arena, len);
    size_t n = 0;
    for (size_t i = 1; i + 1 < len; i++) {
        if (text[i] != '\\') {
            out[n++] = text[i];
            continue;
        }
        size_t used;
        int byte = escape(text, i + 1, len - 1, &used);
        if (byte < 0) {
            uint32_t from = at.begin + (uint32_t)i;
            struct span here = {at.source, from, from + 2};
            dsl_parse_error(p, here, "a string has no escape \"\\%c\"", text[i + 1]);
            dsl_parse_help(p, here, "escapes are \\n \\t \\r \\\" \\\\ and \\xHH");
            break;
        }
        out[n++] = (char)byte;
        i += used;
    }
    out[n] = '\0';
    return out;
}

uint32_t dsl_raw_end(const struct diag_source *source, uint32_t from) {
    uint32_t depth = 1, len = (uint32_t)source->len;
    const char *text = source->text;
    for (uint32_t i = from; i < len; i++) {
        if (text[i] == '{') depth++;
        if (text[i] == '}' && --depth == 0) return i;
        if (text[i] == '#')
            while (i + 1 < len && text[i + 1] != '\n') i++;
        if (text[i] == '"')
            for (i++; i < len && text[i] != '"'; i++) /* over line ends, as in ONNX text */
                if (text[i] == '\\') i++;
    }
    return UINT32_MAX;
}
