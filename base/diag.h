/* diag.h -- diagnostics as data: collected where the fact is known, printed by the cli.
 *
 * A diagnostic has a level, an id (0 or a fixed number such as 10 for R010), a place and
 * a text: lower case, no full stop, names in quotes, what was found and what was wanted.
 * The place is a span of a source text (rules, ONNX text), printed as
 *
 *     bert.rules:41:19: error: "ReduceMean" has no attribute "keepdim"
 *        41 |   m = ReduceMean <axes = [-1], keepdim = 1> (x)
 *           |                                ^~~~~~~
 *     bert.rules:41:19: help: did you mean "keepdims"?
 *
 * or words (a model file, a node), printed as `model.onnx: node "n" (Op): error: text`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/buf.h"
#include "base/vec.h"

enum diag_level { DIAG_NOTE, DIAG_HELP, DIAG_WARNING, DIAG_ERROR, DIAG_LEVEL_N };

/* A text that spans point into; owned by whoever read it, longer than the sink. */
struct diag_source {
    const char *name; /* as shown: a path */
    const char *text; /* NUL-terminated */
    size_t len;
};

/* Bytes begin..end (end excluded) of a source; source NULL = no place in a text. */
struct span {
    const struct diag_source *source;
    uint32_t begin, end;
};
static inline struct span span_join(struct span a, struct span b) {
    return (struct span){a.source ? a.source : b.source,
                         a.begin < b.begin ? a.begin : b.begin,
                         a.end > b.end ? a.end : b.end};
}

/* The node that a diagnostic is about, for tools; what is not known is NULL. */
struct diag_subject { const char *graph, *node, *op; };

struct diag {
    enum diag_level level;
    uint16_t id;         /* printed as [R010] behind the text; 0: none */
    struct span at;
    const char *where;   /* instead of a span: `model.onnx: node "n" (Op)`; or NULL */
    struct diag_subject subject;
    const char *text;
};

struct diag_sink {
    struct arena *arena;
    VEC(struct diag) list; /* notes and helps without an id follow what they belong to */
    uint32_t count[DIAG_LEVEL_N];
    uint32_t error_limit; /* 0 = 20; beyond it errors are counted, not kept */
    bool dropped;         /* the newest was only counted */
};

/* Ids that stay: diag_ids.def. */
enum diag_code {
    DIAG_NO_ID,
#define DIAG_ID(number, name, title, means, remedy) DIAG_##name = (number),
#include "base/diag_ids.def"
#undef DIAG_ID
};
struct diag_meaning {
    uint16_t id;
    const char *title, *means, *remedy;
};
/* All of them, by number. */
const struct diag_meaning *diag_meanings(size_t *n);

void diag_init(struct diag_sink *sink, struct arena *arena);
void diag_at(struct diag_sink *sink, enum diag_level level, struct span at,
             const char *format, ...) RW_PRINTF(4, 5);
/* The same, for functions that take a format themselves. */
void diag_vat(struct diag_sink *sink, enum diag_level level, struct span at,
              const char *format, va_list args);
void diag_where(struct diag_sink *sink, enum diag_level level, const char *where,
                const char *format, ...) RW_PRINTF(4, 5);
/* Gives the newest diagnostic its fixed id. */
void diag_id(struct diag_sink *sink, uint16_t id);
/* Says what the newest diagnostic is about. */
void diag_about(struct diag_sink *sink, struct diag_subject subject);

/* Line and column, from 1, of a byte of the source; columns count bytes. */
void diag_place(const struct diag_source *source, uint32_t byte, uint32_t *line,
                uint32_t *column);
/* One diagnostic as text, with source line and caret where it has a span. */
void diag_print(const struct diag *d, struct buf *out);
/* All, in order; a line that says how many errors were left out, if any. */
void diag_print_all(const struct diag_sink *sink, enum diag_level lowest, struct buf *out);

/* The candidate nearest to `word`, or NULL: for "did you mean". Nearest is first what differs
 * in case alone, then by edits (two neighbours that changed places are one), at most one for
 * three characters. */
const char *diag_nearest(const char *word, const char *const *candidates, size_t n);

#endif
