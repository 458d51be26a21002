/* diff_json.c -- the differences of two models for tools.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/diff.h"
#include "cli/json.h"

#include <math.h>

static void text(struct buf *b, const char *name, const char *value) {
    buf_printf(b, ", \"%s\": ", name);
    json_string(b, value);
}

/* What JSON has no numbers for are strings: "nan", "inf", "-inf". */
static void number(struct buf *b, const char *name, double x) {
    buf_printf(b, ", \"%s\": %s", name, isfinite(x) ? "" : "\"");
    buf_double(b, x);
    if (!isfinite(x)) buf_putc(b, '"');
}

static void whole(struct buf *b, const char *name, uint64_t x) {
    buf_printf(b, ", \"%s\": %" PRIu64, name, x);
}

static void change(const struct judge_change *c, struct buf *out) {
    buf_printf(out, "{\"thing\": \"%s\"", diff_thing_name(c->thing));
    text(out, "graph", c->graph);
    text(out, "name", c->name);
    text(out, "before", c->before);
    text(out, "after", c->after);
    text(out, "what", c->what);
    text(out, "rule", c->rule);
    buf_putc(out, '}');
}

static const char *const found_by[] = {"name", "place", "guess"};

static void layer(const struct judge_layer *l, struct buf *out) {
    const struct judge_verdict *v = &l->verdict;
    buf_puts(out, "{\"name\": ");
    json_string(out, l->name);
    text(out, "other", l->other);
    text(out, "found_by", found_by[l->how]);
    text(out, "operator", l->op);
    text(out, "rule", l->rule);
    text(out, "type", l->type ? ir_dtype_name(l->type->dtype) : NULL);
    buf_puts(out, ", \"dims\": [");
    for (uint32_t i = 0; l->type && i < l->type->rank; i++)
        buf_printf(out, "%s%" PRId64, i ? ", " : "", l->type->dims[i]);
    buf_printf(out, "], \"output\": %s, \"same\": %s", l->output ? "true" : "false",
               v->same ? "true" : "false");
    text(out, "what", v->what);
    number(out, "absolute", v->absolute);
    number(out, "relative", v->relative);
    whole(out, "at", v->at);
    whole(out, "count", v->count);
    whole(out, "beyond", v->beyond);
    number(out, "before", v->a);
    number(out, "after", v->b);
    buf_putc(out, '}');
}

static void run(const struct diff_run *r, struct buf *out) {
    const struct judge_layers *x = &r->layers;
    buf_puts(out, "{\"inputs\": ");
    json_string(out, r->inputs);
    text(out, "first", x->beyond ? x->at.at[x->first].name : NULL);
    buf_puts(out, ", \"values\": [");
    for (uint32_t i = 0; i < x->at.len; i++) {
        buf_puts(out, i ? ",\n  " : "\n  ");
        layer(&x->at.at[i], out);
    }
    buf_puts(out, "], \"not_compared\": [");
    for (uint32_t i = 0; i < x->unknown.len; i++) {
        if (i) buf_puts(out, ", ");
        json_string(out, x->unknown.at[i]);
    }
    buf_puts(out, "]}");
}

void diff_print_json(const struct diff_found *f, struct buf *out) {
    buf_printf(out, "{\"same\": %s,\n\"structure\": [", f->same ? "true" : "false");
    for (uint32_t i = 0; i < f->structure.changes.len; i++) {
        buf_puts(out, i ? ",\n  " : "\n  ");
        change(&f->structure.changes.at[i], out);
    }
    buf_puts(out, "],\n\"runs\": [");
    for (uint32_t i = 0; i < f->runs.len; i++) {
        buf_puts(out, i ? ",\n " : "\n ");
        run(&f->runs.at[i], out);
    }
    buf_puts(out, "]}\n");
}
