/* format_expr.c -- expressions as text, and the breaking of long lines.
 *
 * An expression is first printed on one line with marks where a break is allowed, each
 * with its depth in the tree. A line too long is then broken at the marks of the lowest
 * depth, as many pieces a line as fit; a piece too long by itself is broken in turn.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/format.h"

#define MARK '\x01'

void dsl_print_break(struct buf *out, uint32_t depth) {
    buf_putc(out, MARK);
    buf_putc(out, (char)(depth < 120 ? depth + 1 : 121));
}

static void print_list(struct buf *out, const struct ast_list *list, uint32_t depth) {
    for (uint32_t i = 0; i < list->len; i++) {
        if (i) buf_putc(out, ','), dsl_print_break(out, depth);
        dsl_print_expr(out, list->at[i], depth + 1);
    }
}

void dsl_print_words(struct buf *out, const struct ast_words *w, uint32_t depth) {
    for (uint32_t i = 0; i < w->len; i++) {
        if (i) buf_putc(out, ','), dsl_print_break(out, depth);
        if (w->at[i].text) buf_puts(out, w->at[i].text);
        if (w->at[i].optional) buf_putc(out, '?');
    }
}

static void print_attrs(struct buf *out, const struct ast_attrs *attrs, uint32_t depth) {
    buf_puts(out, " <");
    for (uint32_t i = 0; i < attrs->len; i++) {
        const struct ast_attr *a = &attrs->at[i];
        if (i) buf_putc(out, ','), dsl_print_break(out, depth + 1);
        if (!a->name) buf_printf(out, "..%s", a->rest);
        else buf_puts(out, a->name);
        if (a->value) buf_puts(out, " = "), dsl_print_expr(out, a->value, depth + 1);
    }
    buf_puts(out, "> ");
}

static void print_call(struct buf *out, const struct ast_call *c, uint32_t depth) {
    if (c->chain) buf_puts(out, "chain");
    if (c->is_class) buf_putc(out, '{');
    dsl_print_words(out, &c->names, depth);
    if (c->is_class) buf_putc(out, '}');
    if (c->chain) buf_putc(out, '*');
    if (c->optional) buf_putc(out, '?');
    if (c->pinned) buf_putc(out, '!');
    if (c->as) buf_printf(out, " as %s", c->as);
    if (c->has_attrs) print_attrs(out, &c->attrs, depth);
    else if (c->as) buf_putc(out, ' ');
    buf_putc(out, '(');
    print_list(out, &c->args, depth);
    buf_putc(out, ')');
}

static void print_dim(struct buf *out, const struct ast_dim *d) {
    switch (d->kind) {
    case AST_DIM_ANY: buf_putc(out, '_'); break;
    case AST_DIM_INT: buf_printf(out, "%" PRId64, d->value); break;
    case AST_DIM_NAME: buf_puts(out, d->name); break;
    case AST_DIM_REST: buf_printf(out, "..%s", d->name ? d->name : ""); break;
    }
}

void dsl_print_type(struct buf *out, const struct ast_type *t) {
    if (t->is_set) buf_putc(out, '{');
    for (uint32_t i = 0; i < t->dtypes.len; i++)
        buf_printf(out, "%s%s", i ? ", " : "", t->dtypes.at[i].text);
    if (t->is_set) buf_putc(out, '}');
    if (!t->shaped) return;
    buf_putc(out, '[');
    for (uint32_t i = 0; i < t->dims.len; i++) {
        if (i) buf_puts(out, ", ");
        print_dim(out, &t->dims.at[i]);
    }
    buf_putc(out, ']');
}

static void print_binary(struct buf *out, const struct ast *e, uint32_t depth) {
    const struct ast *left = e->args.at[0];
    bool chain = left->kind == AST_BINARY && left->op == e->op; /* one level, one look */
    dsl_print_expr(out, left, chain ? depth : depth + 1);
    dsl_print_break(out, depth);
    buf_printf(out, "%s ", dsl_op_text(e->op));
    dsl_print_expr(out, e->args.at[1], depth + 1);
}

static void print_approx(struct buf *out, const struct ast *e, uint32_t depth) {
    dsl_print_expr(out, e->args.at[0], depth + 1);
    buf_puts(out, " ~= ");
    dsl_print_expr(out, e->args.at[1], depth + 1);
    if (e->args.len < 3) return;
    buf_puts(out, " ± ");
    dsl_print_expr(out, e->args.at[2], depth + 1);
}

static void print_for(struct buf *out, const struct ast *e, uint32_t depth) {
    dsl_print_expr(out, e->args.at[0], depth + 1);
    dsl_print_break(out, depth);
    buf_printf(out, "for %s in ", e->text);
    dsl_print_expr(out, e->args.at[1], depth + 1);
    if (e->args.len < 3) return;
    dsl_print_break(out, depth);
    buf_puts(out, "if ");
    dsl_print_expr(out, e->args.at[2], depth + 1);
}

static void print_if(struct buf *out, const struct ast *e, uint32_t depth) {
    dsl_print_expr(out, e->args.at[1], depth + 1);
    dsl_print_break(out, depth);
    buf_puts(out, "if ");
    dsl_print_expr(out, e->args.at[0], depth + 1);
    dsl_print_break(out, depth);
    buf_puts(out, "else ");
    dsl_print_expr(out, e->args.at[2], depth + 1);
}

static void print_unary(struct buf *out, const struct ast *e, uint32_t depth) {
    buf_puts(out, dsl_op_text(e->op));
    if (e->op >= OP_CONST) buf_putc(out, ' ');
    dsl_print_expr(out, e->args.at[0], depth);
}

/* Something, then its children between two texts. */
static void print_around(struct buf *out, const char *before, const struct ast *e,
                         const char *after, uint32_t depth) {
    buf_puts(out, before);
    print_list(out, &e->args, depth);
    buf_puts(out, after);
}

void dsl_print_expr(struct buf *out, const struct ast *e, uint32_t depth) {
    switch (e->kind) {
    case AST_NAME: case AST_INT: case AST_REAL: buf_puts(out, e->text); break;
    case AST_STRING: buf_quote(out, e->text); break;
    case AST_BOOL: buf_puts(out, e->i ? "true" : "false"); break;
    case AST_NONE: buf_puts(out, "none"); break;
    case AST_EMPTY: break;
    case AST_CALL: print_call(out, e->call, depth); break;
    case AST_LIST: print_around(out, "[", e, "]", depth); break;
    case AST_SET: print_around(out, "{", e, "}", depth); break;
    case AST_SUM: buf_puts(out, e->text), print_around(out, "{", e, "}", depth); break;
    case AST_UNARY: print_unary(out, e, depth); break;
    case AST_BINARY: print_binary(out, e, depth); break;
    case AST_APPROX: print_approx(out, e, depth); break;
    case AST_INDEX:
        dsl_print_expr(out, e->args.at[0], depth);
        buf_putc(out, '[');
        dsl_print_expr(out, e->args.at[1], depth + 1);
        buf_putc(out, ']');
        break;
    case AST_IF: print_if(out, e, depth); break;
    case AST_FOR: print_for(out, e, depth); break;
    case AST_SPREAD:
        buf_printf(out, "..%s", e->text ? e->text : "");
        if (e->args.len) dsl_print_expr(out, e->args.at[0], depth);
        break;
    case AST_MAYBE: print_around(out, "", e, "?", depth); break;
    case AST_TYPED:
        print_around(out, "", e, " : ", depth);
        dsl_print_type(out, e->type);
        break;
    case AST_IS_ABSENT: print_around(out, "", e, " absent", depth); break;
    case AST_PAREN: print_around(out, "(", e, ")", depth); break;
    case AST_LET:
        buf_printf(out, "let %s = ", e->text);
        dsl_print_expr(out, e->args.at[0], depth);
        break;
    }
}

uint32_t dsl_column(const struct buf *out) {
    size_t i = out->len;
    while (i > 0 && out->at[i - 1] != '\n') i--;
    return (uint32_t)(out->len - i);
}

/* Characters as shown: marks are one space, continuation bytes of UTF-8 nothing. */
static uint32_t width(const char *text, size_t len) {
    uint32_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == MARK) i++;
        if (((unsigned char)text[i] & 0xc0) != 0x80) n++;
    }
    return n;
}

static void put_flat(struct buf *out, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] == MARK) i++, buf_putc(out, ' ');
        else buf_putc(out, text[i]);
    }
}

static char lowest_mark(const char *text, size_t len) {
    char lowest = 127;
    for (size_t i = 0; i + 1 < len; i++)
        if (text[i] == MARK && text[++i] < lowest) lowest = text[i];
    return lowest;
}

static void layout(struct buf *out, const char *text, size_t len, uint32_t indent) {
    char at = lowest_mark(text, len);
    if (dsl_column(out) + width(text, len) <= FORMAT_WIDTH || at == 127) {
        put_flat(out, text, len);
        return;
    }
    size_t begin = 0;
    for (bool first = true; begin < len; first = false) {
        size_t end = begin;
        while (end < len && !(text[end] == MARK && text[end + 1] == at))
            end += text[end] == MARK ? 2 : 1;
        uint32_t needed = width(text + begin, end - begin) + !first;
        if (!first && dsl_column(out) + needed <= FORMAT_WIDTH) buf_putc(out, ' ');
        else if (!first) buf_printf(out, "\n%*s", (int)indent, "");
        layout(out, text + begin, end - begin, indent + 2);
        begin = end + 2;
    }
}

void dsl_layout(struct buf *out, const char *marked, uint32_t indent) {
    layout(out, marked, strlen(marked), indent);
}
