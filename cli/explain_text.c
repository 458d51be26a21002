/* explain_text.c -- the answer for people.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/explain.h"

#define MOST_REASONS 3u

/* Those far behind the nearest are noise. */
static bool is_far(const struct pm_fate *f, const struct pm_fate *nearest) {
    return f->verdict == PM_MISSES && nearest->verdict == PM_MISSES &&
           3 * (uint64_t)f->held * nearest->total < (uint64_t)nearest->held * f->total;
}

/* Each line of a text behind two more spaces. */
static void indented(const char *text, struct buf *out) {
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        buf_printf(out, "  %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void reason(const struct pm_reason *r, bool is_first, struct buf *out) {
    struct buf text = {0};
    struct diag d = {.level = DIAG_NOTE, .at = r->at, .text = r->text};
    diag_print(&d, &text);
    if (!is_first) buf_puts(out, "  then also needed:\n");
    indented(buf_text(&text), out);
    buf_free(&text);
}

static const char *pattern_text(struct span at, struct buf *b) {
    size_t len = at.source ? at.end - at.begin : 0, most = 24;
    const char *text = at.source ? at.source->text + at.begin : "";
    size_t line = strcspn(text, "\n");
    size_t n = line < len ? line : len;
    buf_printf(b, "%.*s%s", (int)(n < most ? n : most), text, n < len || n > most ? "..." : "");
    return buf_text(b);
}

static void pair(const struct pm_pair *p, struct buf *out) {
    struct buf pattern[2] = {{0}, {0}};
    int width = 0;
    for (uint32_t i = 0; i < 2; i++) {
        int n = (int)strlen(pattern_text(p->pattern[i], &pattern[i]));
        width = n > width ? n : width;
    }
    buf_printf(out, "  operands of %s in either order, tests that hold:\n", p->node);
    for (uint32_t i = 0; i < 2; i++) {
        buf_printf(out, "    %-*s ", width, buf_text(&pattern[i]));
        for (uint32_t k = 0; k < 2; k++)
            buf_printf(out, " %u of %u at operand %u%s", p->held[i][k], p->total[i][k], k,
                       k ? "\n" : ",");
        buf_free(&pattern[i]);
    }
    for (uint32_t k = 0; k < 2; k++)
        buf_printf(out, "    operand %u is \"%s\"\n", k, p->operand[k]);
}

static void others(const struct pm_fate *f, struct buf *out) {
    if (f->count == 1) return;
    buf_printf(out, " and %u more", f->count - 1);
    for (uint32_t i = 0; i < f->others.len; i++)
        buf_printf(out, "%s\"%s\"", i ? ", " : " (", f->others.at[i]);
    if (f->others.len > 0) buf_puts(out, f->others.len + 1 < f->count ? ", ...)" : ")");
    buf_puts(out, ", same reason");
}

static void fate(const struct pm_fate *f, uint32_t most, struct buf *out) {
    if (f->verdict == PM_MATCHES) {
        buf_printf(out, "  matches at %s", f->root);
        if (f->count > 1) buf_printf(out, " and %u more", f->count - 1);
        buf_putc(out, '\n');
        return;
    }
    if (f->verdict == PM_REFUSED) {
        buf_printf(out, "  matches at %s", f->root);
        others(f, out);
        buf_printf(out, "\n  but is refused: %s\n", f->refused);
        return;
    }
    buf_printf(out, "  %u of %u tests hold at %s", f->held, f->total, f->root);
    others(f, out);
    if (f->unreached) buf_printf(out, "; %u not reached", f->unreached);
    buf_puts(out, f->gave_up ? "; too many ways, not all were tried\n" : "\n");
    uint32_t n = rw_min_u32(f->reasons.len, most);
    for (uint32_t i = 0; i < n; i++) {
        reason(&f->reasons.at[i], i == 0, out);
        if (i == 0 && f->pair) pair(f->pair, out);
    }
    if (f->reasons.len > n)
        buf_printf(out, "  and %u further, with -v\n", f->reasons.len - n);
}

static void no_node(const struct pm_explained *e, struct buf *out) {
    if (e->node_op) buf_printf(out, "that node is %s", e->node_op);
    else buf_puts(out, "no node to look at");
    buf_printf(out, "; its root is %s\n", e->wanted_op);
}

static void rule(const struct pm_explained *e, uint32_t most, struct buf *out) {
    buf_printf(out, "%s (%s, phase %s): ", e->rule->name, e->pack->name,
               e->phase);
    if (e->nroots == 0) no_node(e, out);
    else
        buf_printf(out, "matches at %u of %u node%s %s\n", e->nmatches, e->nroots,
                   plural(e->nroots), e->wanted_op);
    if (e->off) buf_printf(out, "  it does not run: %s\n", e->off);
    uint32_t shown = 0, left = 0;
    const struct pm_fate *nearest = NULL;
    for (uint32_t i = 0; i < e->fates.len; i++) {
        const struct pm_fate *f = &e->fates.at[i];
        bool is_match = f->verdict == PM_MATCHES;
        if (!is_match && !nearest) nearest = f;
        bool skip = !is_match && (shown == most || (most < UINT32_MAX && is_far(f, nearest)));
        left += skip;
        shown += !is_match && !skip;
        if (!skip) fate(f, most == UINT32_MAX ? most : MOST_REASONS, out);
    }
    if (left > 0) buf_printf(out, "  %u further reason%s with -v\n", left, plural(left));
}

void explain_text(const struct pm_answer *a, uint32_t most, struct buf *out) {
    for (uint32_t i = 0; i < a->rules.len; i++) {
        if (i > 0) buf_putc(out, '\n');
        rule(&a->rules.at[i], most, out);
    }
}
