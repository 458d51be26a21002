/* diag.c -- SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#define DEFAULT_LIMIT 20u

static const char *const level_name[DIAG_LEVEL_N] = {"note", "help", "warning", "error"};

void diag_init(struct diag_sink *sink, struct arena *arena) {
    *sink = (struct diag_sink){.arena = arena};
}

/* Errors beyond the limit are counted only; so are the notes and helps behind them. */
static bool is_kept(struct diag_sink *sink, enum diag_level level) {
    uint32_t limit = sink->error_limit ? sink->error_limit : DEFAULT_LIMIT;
    sink->count[level]++;
    if (level == DIAG_ERROR) return sink->count[level] <= limit;
    if (level == DIAG_WARNING) return sink->count[level] <= limit * 5;
    return sink->count[DIAG_ERROR] <= limit;
}

static void add(struct diag_sink *sink, struct diag d, const char *format, va_list args) {
    sink->dropped = !is_kept(sink, d.level);
    if (sink->dropped) return;
    d.text = arena_vprintf(sink->arena, format, args);
    vec_push(sink->arena, &sink->list, d);
}

void diag_at(struct diag_sink *sink, enum diag_level level, struct span at,
             const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(sink, level, at, format, args);
    va_end(args);
}

void diag_vat(struct diag_sink *sink, enum diag_level level, struct span at,
              const char *format, va_list args) {
    add(sink, (struct diag){.level = level, .at = at}, format, args);
}

void diag_where(struct diag_sink *sink, enum diag_level level, const char *where,
                const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *kept = where ? arena_strdup(sink->arena, where) : NULL;
    add(sink, (struct diag){.level = level, .where = kept}, format, args);
    va_end(args);
}

const struct diag_meaning *diag_meanings(size_t *n) {
    static const struct diag_meaning all[] = {
#define DIAG_ID(number, name, title, means, remedy) {number, title, means, remedy},
#include "base/diag_ids.def"
#undef DIAG_ID
    };
    *n = countof(all);
    return all;
}

void diag_id(struct diag_sink *sink, uint16_t id) {
    if (sink->list.len && !sink->dropped) vec_last(&sink->list)->id = id;
}

static const char *kept(struct diag_sink *sink, const char *text) {
    return text && *text ? arena_strdup(sink->arena, text) : NULL;
}

void diag_about(struct diag_sink *sink, struct diag_subject s) {
    if (!sink->list.len || sink->dropped) return;
    vec_last(&sink->list)->subject =
        (struct diag_subject){kept(sink, s.graph), kept(sink, s.node), kept(sink, s.op)};
}

void diag_place(const struct diag_source *source, uint32_t byte, uint32_t *line,
                uint32_t *column) {
    uint32_t end = byte < source->len ? byte : (uint32_t)source->len;
    *line = 1;
    uint32_t start = 0;
    for (uint32_t i = 0; i < end; i++)
        if (source->text[i] == '\n') ++*line, start = i + 1;
    *column = end - start + 1;
}

/* The source line with tabs and control characters as spaces, so that the caret fits. */
static void print_excerpt(const struct diag *d, uint32_t line, uint32_t column,
                          struct buf *out) {
    const struct diag_source *s = d->at.source;
    uint32_t start = (d->at.begin < s->len ? d->at.begin : (uint32_t)s->len) - (column - 1);
    uint32_t end = start;
    while (end < s->len && s->text[end] != '\n') end++;
    uint32_t shown_from = start, shown_to = end;
    if (column > 120) shown_from = start + column - 60;
    if (shown_to - shown_from > 160) shown_to = shown_from + 160;
    buf_printf(out, "%5u | ", line);
    for (uint32_t i = shown_from; i < shown_to; i++) {
        unsigned char c = (unsigned char)s->text[i];
        buf_putc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
    }
    buf_puts(out, "\n      | ");
    for (uint32_t i = shown_from; i < start + column - 1; i++) buf_putc(out, ' ');
    buf_putc(out, '^');
    uint32_t last = d->at.end < shown_to ? d->at.end : shown_to;
    for (uint32_t i = d->at.begin + 1; i < last; i++) buf_putc(out, '~');
    buf_putc(out, '\n');
}

void diag_print(const struct diag *d, struct buf *out) {
    uint32_t line = 0, column = 0;
    if (d->at.source) {
        diag_place(d->at.source, d->at.begin, &line, &column);
        buf_printf(out, "%s:%u:%u: ", d->at.source->name, line, column);
    } else if (d->where) {
        buf_printf(out, "%s: ", d->where);
    }
    buf_printf(out, "%s: %s", level_name[d->level], d->text);
    if (d->id) buf_printf(out, " [R%03u]", d->id);
    buf_putc(out, '\n');
    if (d->at.source && d->level != DIAG_HELP) print_excerpt(d, line, column, out);
}

void diag_print_all(const struct diag_sink *sink, enum diag_level lowest, struct buf *out) {
    bool shown = true; /* whether the error or warning that a note belongs to was shown */
    for (uint32_t i = 0; i < sink->list.len; i++) {
        const struct diag *d = &sink->list.at[i];
        bool attached = d->level < DIAG_WARNING && d->id == 0;
        if (!attached) shown = d->level >= lowest;
        if (shown) diag_print(d, out);
    }
    uint32_t limit = sink->error_limit ? sink->error_limit : DEFAULT_LIMIT;
    if (sink->count[DIAG_ERROR] > limit)
        buf_printf(out, "error: %u more errors not shown\n",
                   sink->count[DIAG_ERROR] - limit);
}

#define LONGEST_WORD 63

static bool is_case(char a, char b) {
    return (a ^ b) == 0x20 && ((a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/* What it takes to make one of the other: 2 for a character too many, missing, or wrong and
 * for two that changed places, 1 for one in the wrong case. */
static uint32_t distance(const char *a, size_t la, const char *b, size_t lb) {
    uint32_t rows[3][LONGEST_WORD + 1]; /* of a's prefix, and of those one and two shorter */
    uint32_t *row = rows[0], *above = rows[1], *higher = rows[2];
    for (size_t j = 0; j <= lb; j++) row[j] = 2 * (uint32_t)j;
    for (size_t i = 1; i <= la; i++) {
        uint32_t *free = higher;
        higher = above, above = row, row = free;
        row[0] = 2 * (uint32_t)i;
        for (size_t j = 1; j <= lb; j++) {
            char x = a[i - 1], y = b[j - 1];
            uint32_t same = above[j - 1] + (x == y ? 0 : is_case(x, y) ? 1 : 2);
            row[j] = rw_min_u32(same, rw_min_u32(above[j], row[j - 1]) + 2);
            if (i > 1 && j > 1 && x == b[j - 2] && y == a[i - 2])
                row[j] = rw_min_u32(row[j], higher[j - 2] + 2);
        }
    }
    return row[lb];
}

static bool equal_but_case(const char *a, const char *b) {
    while (*a && (*a == *b || is_case(*a, *b))) a++, b++;
    return *a == *b;
}

const char *diag_nearest(const char *word, const char *const *candidates, size_t n) {
    size_t len = strlen(word);
    const char *best = NULL;
    uint32_t edits = (uint32_t)(len / 3 > 1 ? len / 3 : 1), best_at = 2 * edits + 1;
    if (len > LONGEST_WORD) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t l = strlen(candidates[i]);
        if (l > LONGEST_WORD) continue;
        if (equal_but_case(word, candidates[i])) return candidates[i];
        if (len == 1) continue; /* any other letter would be as near */
        uint32_t d = distance(word, len, candidates[i], l);
        if (d < best_at) best = candidates[i], best_at = d;
    }
    return best;
}
