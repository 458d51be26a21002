/* json.c -- see json.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/json.h"

#include "ir/ir.h"

/* --- strings ------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence at p, 0: it is none. */
static size_t sequence(const unsigned char *p) {
    size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    if (n > 1 && (*p < 0xc2 || *p > 0xf4)) return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (n == 3 && ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0))) return 0;
    if (n == 4 && ((*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))) return 0;
    return n;
}

void json_string(struct buf *b, const char *text) {
    if (!text) {
        buf_puts(b, "null");
        return;
    }
    buf_putc(b, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = sequence(p);
        if (n == 0) buf_puts(b, "\xef\xbf\xbd");
        else if (*p == '"' || *p == '\\') buf_printf(b, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f) buf_printf(b, "\\u%04x", *p);
        else buf_add(b, p, n);
        p += n ? n : 1;
    }
    buf_putc(b, '"');
}

static void member(struct buf *b, const char *name, const char *value) {
    buf_printf(b, ", \"%s\": ", name);
    json_string(b, value);
}

/* --- diagnostics ---------------------------------------------------------------------- */

/* The words for the place are `file: what`; of a node they say what the members say. */
static const char *place_of(const struct diag *d, const char *file) {
    size_t len = strlen(file);
    if (!d->where || d->subject.op) return NULL;
    if (strncmp(d->where, file, len) != 0) return d->where;
    return d->where[len] == ':' ? d->where + len + 2 : NULL;
}

static void diagnostic(const struct diag *d, const char *file, struct buf *out) {
    static const char *const levels[DIAG_LEVEL_N] = {"note", "help", "warning", "error"};
    struct buf text = {0};
    const char *place = place_of(d, file);
    if (place) buf_printf(&text, "%s: ", place);
    buf_puts(&text, d->text);
    buf_printf(out, "{\"level\": \"%s\"", levels[d->level]);
    member(out, "file", d->at.source ? d->at.source->name : file);
    member(out, "graph", d->subject.graph);
    member(out, "node", d->subject.node);
    member(out, "op", d->subject.op);
    if (d->at.source) {
        uint32_t line, column;
        diag_place(d->at.source, d->at.begin, &line, &column);
        buf_printf(out, ", \"line\": %u, \"column\": %u", line, column);
    }
    if (d->id) buf_printf(out, ", \"id\": \"R%03u\"", d->id);
    member(out, "text", buf_text(&text));
    buf_putc(out, '}');
    buf_free(&text);
}

void json_diagnostics(const struct diag_sink *diags, const char *file, struct buf *out) {
    buf_putc(out, '[');
    for (uint32_t i = 0; i < diags->list.len; i++) {
        buf_puts(out, i ? ",\n " : "");
        diagnostic(&diags->list.at[i], file, out);
    }
    buf_puts(out, "]\n");
}

/* --- values --------------------------------------------------------------------------- */

static void dims(const struct ir_model *m, const struct ir_type *t, struct buf *out) {
    buf_putc(out, '[');
    for (uint32_t i = 0; i < t->rank; i++) {
        struct buf text = {0};
        int64_t value;
        buf_puts(out, i ? ", " : "");
        if (ir_dim_is_const(m->dims, t->dims[i], &value)) {
            buf_printf(out, "%" PRId64, value);
        } else {
            ir_dim_print(m->dims, t->dims[i], &text);
            json_string(out, buf_text(&text));
        }
        buf_free(&text);
    }
    buf_putc(out, ']');
}

static void type_name(const struct ir_model *m, const struct ir_type *t, struct buf *out) {
    struct buf text = {0};
    if (t->kind == IR_TENSOR) buf_puts(&text, ir_dtype_name(t->dtype));
    else ir_type_print(m->dims, t, &text);
    json_string(out, buf_text(&text));
    buf_free(&text);
}

static void value(const struct ir_graph *g, ir_value v, struct buf *out) {
    const struct ir_type *t = ir_val(g, v)->type;
    bool is_known = t && (t->kind != IR_TENSOR || t->dtype != IR_UNDEFINED);
    buf_puts(out, "{\"graph\": ");
    json_string(out, g->name);
    member(out, "name", ir_val(g, v)->name);
    buf_puts(out, ", \"type\": ");
    if (is_known) type_name(g->model, t, out);
    else json_string(out, NULL);
    buf_puts(out, ", \"dims\": ");
    if (t && t->kind == IR_TENSOR && t->ranked) dims(g->model, t, out);
    else json_string(out, NULL);
    buf_putc(out, '}');
}

void json_values(const struct ir_model *m, struct buf *out) {
    bool first = true;
    buf_putc(out, '[');
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        for (ir_value v = 0; v < g->values.len; v++) {
            if (ir_val(g, v)->flags & (IR_IS_DEAD | IR_IS_OUTER)) continue;
            buf_puts(out, first ? "" : ",\n ");
            first = false;
            value(g, v, out);
        }
    }
    buf_puts(out, "]\n");
}
