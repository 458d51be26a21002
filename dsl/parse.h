/* parse.h -- text to syntax tree: what lexer, parser and their callers share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_PARSE_H
#define DSL_PARSE_H

#include "dsl/ast.h"

#define PARSE_NESTING 100u /* open brackets at once */

struct parse {
    struct arena *arena;
    struct diag_sink *diags;
    const struct diag_source *source;
    struct ast_file *file;
    uint32_t at;      /* scanner: next byte */
    uint32_t nesting; /* scanner: open brackets */
    bool naming;      /* scanner: behind `rule`, whose name may be `example` */
    int last_word;    /* scanner: `shapes by rule` names nothing */
    uint32_t last_stray; /* scanner: end of the last character without meaning */
    bool gave_up;     /* an error after which nothing sensible follows */
    bool failed;
};

/* NULL when there was an error; diagnostics say which. */
struct ast_file *dsl_parse_text(struct arena *a, const struct diag_source *source,
                                struct diag_sink *diags);

/* An error of the scanner or parser. Says whether it is worth going on. */
bool dsl_parse_error(struct parse *p, struct span at, const char *format, ...)
    RW_PRINTF(3, 4);
void dsl_parse_help(struct parse *p, struct span at, const char *format, ...)
    RW_PRINTF(3, 4);
/* What may have been meant by a token that does not fit; the tokens that would are given as
 * the grammar names them. At most one help or note. */
void dsl_parse_hint(struct parse *p, struct span at, const char *const *expected, size_t n);
/* No more tokens come after this. */
void dsl_parse_give_up(struct parse *p);
/* The text between quotes, escapes resolved; an error for a bad one. */
const char *dsl_unquote(struct parse *p, struct span at, const char *text, size_t len);
/* From behind an opening brace to its partner: end of the raw text, or UINT32_MAX. */
uint32_t dsl_raw_end(const struct diag_source *source, uint32_t from);

#endif
