/* explain_json.c -- the answer for tools.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/explain.h"
#include "cli/json.h"

static void string(struct buf *b, const char *name, const char *value) {
    buf_printf(b, ", \"%s\": ", name);
    json_string(b, value);
}

static void source(struct buf *b, const char *name, struct span at) {
    buf_printf(b, ", \"%s\": ", name);
    if (!at.source) {
        json_string(b, NULL);
        return;
    }
    struct buf text = {0};
    buf_add(&text, at.source->text + at.begin, at.end - at.begin);
    json_string(b, buf_text(&text));
    buf_free(&text);
}

static void place(struct buf *b, struct span at) {
    uint32_t line = 0, column = 0;
    if (at.source) diag_place(at.source, at.begin, &line, &column);
    string(b, "file", at.source ? at.source->name : NULL);
    buf_printf(b, ", \"line\": %u, \"column\": %u", line, column);
    source(b, "source", at);
}

static void reason(const struct pm_reason *r, struct buf *b) {
    buf_puts(b, "{\"text\": ");
    json_string(b, r->text);
    string(b, "node", r->node);
    string(b, "value", r->value);
    place(b, r->at);
    buf_putc(b, '}');
}

static void pair(const struct pm_pair *p, struct buf *b) {
    buf_puts(b, ", \"operands\": ");
    if (!p) {
        buf_puts(b, "null");
        return;
    }
    buf_puts(b, "{\"node\": ");
    json_string(b, p->node);
    buf_puts(b, ", \"tests\": [");
    for (uint32_t i = 0; i < 4; i++) {
        buf_printf(b, "%s{\"held\": %u, \"total\": %u", i ? ", " : "",
                   p->held[i / 2][i % 2], p->total[i / 2][i % 2]);
        source(b, "pattern", p->pattern[i / 2]);
        string(b, "operand", p->operand[i % 2]);
        buf_putc(b, '}');
    }
    buf_puts(b, "]}");
}

static void fate(const struct pm_fate *f, struct buf *b) {
    static const char *const verdicts[] = {"misses", "refused", "matches"};
    buf_printf(b, "{\"verdict\": \"%s\"", verdicts[f->verdict]);
    string(b, "graph", f->graph);
    string(b, "root", f->name);
    buf_printf(b, ", \"roots\": %u, \"others\": [", f->count);
    for (uint32_t i = 0; i < f->others.len; i++) {
        buf_puts(b, i ? ", " : "");
        json_string(b, f->others.at[i]);
    }
    buf_printf(b, "], \"held\": %u, \"total\": %u, \"unreached\": %u, \"gave_up\": %s",
               f->held, f->total, f->unreached, f->gave_up ? "true" : "false");
    string(b, "refused", f->refused);
    buf_puts(b, ",\n   \"reasons\": [");
    for (uint32_t i = 0; i < f->reasons.len; i++) {
        buf_puts(b, i ? ",\n    " : "");
        reason(&f->reasons.at[i], b);
    }
    buf_putc(b, ']');
    pair(f->pair, b);
    buf_putc(b, '}');
}

static void rule(const struct pm_explained *e, uint32_t most, struct buf *b) {
    uint32_t shown = 0;
    buf_puts(b, "{\"rule\": ");
    json_string(b, e->rule->name);
    string(b, "pack", e->pack->name);
    string(b, "phase", e->phase);
    string(b, "off", e->off);
    buf_printf(b, ", \"roots\": %u, \"matches\": %u, \"nearest\": [", e->nroots, e->nmatches);
    for (uint32_t i = 0; i < e->fates.len; i++) {
        const struct pm_fate *f = &e->fates.at[i];
        if (f->verdict != PM_MATCHES && shown++ >= most) break;
        buf_puts(b, i ? ",\n  " : "\n  ");
        fate(f, b);
    }
    buf_puts(b, "]}");
}

void explain_json(const struct pm_answer *a, uint32_t most, struct buf *out) {
    buf_putc(out, '[');
    for (uint32_t i = 0; i < a->rules.len; i++) {
        buf_puts(out, i ? ",\n " : "");
        rule(&a->rules.at[i], most, out);
    }
    buf_puts(out, "]\n");
}
