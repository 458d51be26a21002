/* diff_text.c -- the differences of two models for people.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/diff.h"

#include <math.h>

#define MOST_ROWS 20 /* of values that differ, without -v */

const char *diff_thing_name(enum judge_thing t) {
    static const char *const names[JUDGE_THING_N] = {
        "version", "opset", "input", "output", "initializer", "node", "function"};
    return names[t];
}

/* --- structure ---------------------------------------------------------------------- */

/* A node may take several lines, which stand below each other. */
static void node_lines(const char *sign, const char *text, const char *rule,
                       struct buf *out) {
    size_t len;
    for (const char *at = text; *at; at += len + (at[len] == '\n')) {
        len = strcspn(at, "\n");
        buf_printf(out, "%s %.*s", sign, (int)len, at);
        if (rule && at == text) buf_printf(out, "  # %s", rule);
        buf_putc(out, '\n');
    }
}

static void print_node(const struct judge_change *c, struct buf *out) {
    bool both = c->before && c->after;
    if (both) {
        buf_puts(out, "~ node of "), buf_quote(out, c->name);
        buf_printf(out, ": %s\n", c->what);
    }
    if (c->before) node_lines(both ? "    -" : "-", c->before, NULL, out);
    if (c->after) node_lines(both ? "    +" : "+", c->after, c->rule, out);
}

static void print_other(const struct judge_change *c, struct buf *out) {
    const char *before = c->before, *after = c->after;
    char sign = !before ? '+' : !after ? '-' : '~';
    buf_printf(out, "%c %s ", sign, diff_thing_name(c->thing));
    buf_quote(out, c->name);
    if (before && after && rw_streq(before, after))
        buf_printf(out, ": %s, other elements", before);
    else if (before && after) buf_printf(out, ": %s, then %s", before, after);
    else if (c->thing != JUDGE_FUNCTION) buf_printf(out, ": %s", before ? before : after);
    buf_putc(out, '\n');
}

static void print_sum(const struct judge_diff *d, struct buf *out) {
    uint32_t removed = 0, added = 0, changed = 0, others = 0;
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct judge_change *c = &d->changes.at[i];
        if (c->thing != JUDGE_NODE) others++;
        else if (!c->after) removed++;
        else if (!c->before) added++;
        else changed++;
    }
    buf_printf(out, "nodes: %u removed, %u added, %u changed; other differences: %u\n",
               removed, added, changed, others);
}

void diff_print_structure(const struct judge_diff *d, struct buf *out) {
    const char *graph = "";
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct judge_change *c = &d->changes.at[i];
        if (!rw_streq(c->graph, graph))
            buf_printf(out, "%s%s:\n", *c->graph ? "in " : "in the main graph", c->graph);
        graph = c->graph;
        if (c->thing == JUDGE_NODE) print_node(c, out);
        else print_other(c, out);
    }
    if (d->changes.len) print_sum(d, out);
    else buf_puts(out, "the models say the same\n");
}

/* --- values ------------------------------------------------------------------------- */

static const char *layer_type(const struct judge_layer *l, struct buf *text) {
    buf_puts(text, l->type ? ir_dtype_name(l->type->dtype) : "no tensor");
    for (uint32_t i = 0; l->type && i < l->type->rank; i++)
        buf_printf(text, "%s%" PRId64, i ? ", " : "[", l->type->dims[i]);
    if (l->type && l->type->rank) buf_putc(text, ']');
    return buf_text(text);
}

/* With its name in the second model, where it has another one there. */
static const char *layer_name(const struct judge_layer *l, struct buf *text) {
    text->len = 0;
    buf_puts(text, l->name);
    if (!rw_streq(l->name, l->other)) buf_printf(text, " = %s", l->other);
    return buf_text(text);
}

static void print_row(const struct judge_layer *l, int width, struct buf *out) {
    const struct judge_verdict *v = &l->verdict;
    struct buf type = {0}, name = {0};
    buf_printf(out, "%c %-*s  %-20s  %-18s  ", v->same ? ' ' : '*', width,
               layer_name(l, &name), l->op, layer_type(l, &type));
    if (!l->type && v->same) buf_puts(out, "not compared");
    else if (!v->same && !rw_streq(v->what, "values")) buf_printf(out, "other %s", v->what);
    else buf_printf(out, "%-9.3g  %-9.3g", v->absolute, v->relative);
    if (l->rule) buf_printf(out, "  # %s", l->rule);
    while (out->len && out->at[out->len - 1] == ' ') out->at[--out->len] = 0;
    buf_putc(out, '\n');
    buf_free(&type);
    buf_free(&name);
}

static void print_first(const struct judge_layer *l, struct buf *out) {
    const struct judge_verdict *v = &l->verdict;
    buf_puts(out, "first difference: "), buf_quote(out, l->name);
    if (!rw_streq(l->name, l->other)) buf_puts(out, ", now "), buf_quote(out, l->other);
    buf_printf(out, " (%s)", l->op);
    if (l->rule) buf_printf(out, ", made by rule %s", l->rule);
    if (!rw_streq(v->what, "values")) buf_printf(out, ": other %s\n", v->what);
    else if (l->type->dtype == IR_STRING)
        buf_printf(out, ": at element %" PRIu64 "\n", v->at);
    else
        buf_printf(out, ": at element %" PRIu64 " %.9g, then %.9g\n", v->at, v->a, v->b);
}

/* Is the row shown? Those that differ only up to a number. */
static bool is_shown(const struct judge_layer *l, bool all, uint32_t *differ) {
    if (!l->verdict.same && ++*differ <= MOST_ROWS) return true;
    return all || l->output;
}

void diff_print_run(const struct diff_run *r, bool all, struct buf *out) {
    const struct judge_layers *x = &r->layers;
    uint32_t differ = 0;
    struct buf name = {0};
    int width = 5;
    for (uint32_t i = 0; i < x->at.len; i++) {
        size_t len = strlen(layer_name(&x->at.at[i], &name));
        if (is_shown(&x->at.at[i], all, &differ) && len < 60 && (int)len > width)
            width = (int)len;
    }
    buf_free(&name);
    buf_printf(out, "on %s:\n", r->inputs ? r->inputs : "inputs made up");
    buf_printf(out, "  %-*s  %-20s  %-18s  %-9s  %s\n", width, "value", "operator", "type",
               "absolute", "relative");
    differ = 0;
    for (uint32_t i = 0; i < x->at.len; i++)
        if (is_shown(&x->at.at[i], all, &differ)) print_row(&x->at.at[i], width, out);
    buf_printf(out, "%u value%s compared, %u differ%s\n", x->at.len, plural(x->at.len),
               x->beyond, x->beyond == 1 ? "s" : "");
    if (x->beyond) print_first(&x->at.at[x->first], out);
    for (uint32_t i = 0; i < x->unknown.len; i++) {
        buf_puts(out, "output "), buf_quote(out, x->unknown.at[i]);
        buf_puts(out, " was not compared\n");
    }
}
