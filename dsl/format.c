/* format.c -- `rules fmt`: a file in canonical form, comments kept.
 *
 * The form follows from the tree, with three things taken from the text as it was: a
 * blank line between two parts stays one blank line; a block written on one line stays
 * there while it fits; small clauses that stood on one line go on doing so. Comments on
 * lines of their own stay before what follows them, those behind a part stay behind it,
 * and one in the middle of an expression moves before it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/format.h"

#include "dsl/dsl.h"
#include "dsl/parse.h"

struct format {
    const struct ast_file *file;
    const char *text;
    struct buf *out;
    uint32_t comment; /* next one to print */
    uint32_t last;    /* byte of the source behind what was printed last */
    uint32_t indent;
};

static bool has_line_end(const struct format *f, uint32_t from, uint32_t to) {
    return from < to && memchr(f->text + from, '\n', to - from) != NULL;
}

static bool has_blank_line(const struct format *f, uint32_t from, uint32_t to) {
    uint32_t line_ends = 0;
    for (uint32_t i = from; i < to; i++) {
        char c = f->text[i];
        if (c == '\n' && ++line_ends > 1) return true;
        if (c != '\n' && c != ' ' && c != '\t' && c != '\r' && c != ';') line_ends = 0;
    }
    return false;
}

static bool has_comment(const struct format *f, uint32_t from, uint32_t to) {
    for (uint32_t i = f->comment; i < f->file->comments.len; i++) {
        uint32_t at = f->file->comments.at[i].at.begin;
        if (at >= to) return false;
        if (at >= from) return true;
    }
    return false;
}

/* A new line at the indent; an empty one before it where the source has one. */
static void line_at(struct format *f, uint32_t begin) {
    size_t n = f->out->len;
    if (n == 0) return;
    bool opened = f->out->at[n - 1] == '{';
    if (f->out->at[n - 1] != '\n') buf_putc(f->out, '\n');
    if (!opened && has_blank_line(f, f->last, begin)) buf_putc(f->out, '\n');
    buf_printf(f->out, "%*s", (int)f->indent, "");
}

static void put_comment(struct format *f, const struct ast_comment *c) {
    const char *text = f->text + c->at.begin;
    uint32_t skip = *text == '#' ? 1 : 2;
    buf_putc(f->out, '#');
    buf_add(f->out, text + skip, c->at.end - c->at.begin - skip);
    f->last = c->at.end;
}

/* Comments that stand before that byte, each on a line of its own. */
static void comments_before(struct format *f, uint32_t byte) {
    for (; f->comment < f->file->comments.len; f->comment++) {
        const struct ast_comment *c = &f->file->comments.at[f->comment];
        if (c->at.begin >= byte) return;
        line_at(f, c->at.begin);
        put_comment(f, c);
    }
}

/* A comment that follows on the same line. */
static void comment_behind(struct format *f, uint32_t end) {
    if (f->comment >= f->file->comments.len) return;
    const struct ast_comment *c = &f->file->comments.at[f->comment];
    if (c->own_line || c->at.begin < end || has_line_end(f, end, c->at.begin)) return;
    buf_puts(f->out, "  ");
    put_comment(f, c);
    f->comment++;
}

/* Begins a part that holds no parts: all comments in it go before it. */
static void begin(struct format *f, struct span at) {
    comments_before(f, at.end);
    line_at(f, at.begin);
}
static void end(struct format *f, struct span at) {
    f->last = at.end;
    comment_behind(f, at.end);
}

static void put_marked(struct format *f, struct buf *marked) {
    dsl_layout(f->out, buf_text(marked), f->indent + 4);
    buf_free(marked);
}

/* --- statements and conditions ----------------------------------------------------- */
static void print_outs(struct buf *b, const struct ast_words *outs) {
    for (uint32_t i = 0; i < outs->len; i++) {
        const char *name = outs->at[i].text;
        if (i) buf_puts(b, ", ");
        if (!name) continue;
        bool plain = *name && !strchr("0123456789.", *name);
        for (const char *c = name; *c; c++)
            plain &= (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                     (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool quoted = outs->at[i].at.end > outs->at[i].at.begin &&
                      outs->at[i].at.source->text[outs->at[i].at.begin] == '"';
        if (plain && !quoted) buf_puts(b, name);
        else buf_quote(b, name);
    }
}

static void print_stmt(struct buf *b, const struct ast_stmt *s) {
    if (s->keep) buf_puts(b, "keep ");
    if (s->spread) buf_puts(b, "..");
    if (s->each) buf_puts(b, "each");
    if (s->each && s->least >= 0) buf_printf(b, "[%" PRId64 "..", s->least);
    if (s->each && s->most >= 0) buf_printf(b, "%" PRId64, s->most);
    if (s->each) buf_puts(b, s->least >= 0 ? "] " : " ");
    print_outs(b, &s->outs);
    if (s->order) buf_putc(b, '[');
    if (s->order) dsl_print_expr(b, s->order, 1);
    buf_puts(b, s->order ? "] = " : " = ");
    dsl_print_expr(b, s->value, 1);
    if (!s->where) return;
    dsl_print_break(b, 0);
    buf_puts(b, "where ");
    dsl_print_expr(b, s->where, 1);
}

/* `{ a; b }` when it stood on one line and has no comments. */
static bool may_be_flat(const struct format *f, struct span block) {
    return !has_line_end(f, block.begin, block.end) &&
           !has_comment(f, block.begin, block.end);
}

static bool fits(const struct format *f, const struct buf *flat) {
    return dsl_column(f->out) + flat->len <= FORMAT_WIDTH;
}

static void put_unmarked(struct buf *out, const struct buf *marked) {
    for (size_t i = 0; i < marked->len; i++) {
        if (marked->at[i] == '\x01') i++, buf_putc(out, ' ');
        else buf_putc(out, marked->at[i]);
    }
}

/* Puts ` { ... }` on this line if it may and fits. */
static bool put_flat_block(struct format *f, struct span block, struct buf *marked) {
    struct buf flat = {0};
    put_unmarked(&flat, marked);
    bool ok = may_be_flat(f, block) && fits(f, &flat);
    if (ok) buf_puts(f->out, buf_text(&flat)), f->last = block.end;
    buf_free(&flat);
    buf_free(marked);
    return ok;
}

static void close_block(struct format *f, struct span block) {
    comments_before(f, block.end);
    f->indent -= 2;
    f->last = block.end; /* no empty line before the brace */
    line_at(f, block.end);
    buf_putc(f->out, '}');
}
static void open_block(struct format *f, uint32_t begin_at) {
    buf_puts(f->out, " {");
    f->indent += 2;
    f->last = begin_at;
}

static void put_block(struct format *f, const struct ast_stmts *stmts) {
    struct buf flat = {0};
    buf_puts(&flat, " {");
    for (uint32_t i = 0; i < stmts->len; i++) {
        buf_puts(&flat, i ? "; " : " ");
        print_stmt(&flat, &stmts->at[i]);
    }
    buf_puts(&flat, " }");
    if (put_flat_block(f, stmts->span, &flat)) return;
    open_block(f, stmts->span.begin);
    for (uint32_t i = 0; i < stmts->len; i++) {
        struct buf b = {0};
        begin(f, stmts->at[i].at);
        print_stmt(&b, &stmts->at[i]);
        put_marked(f, &b);
        end(f, stmts->at[i].at);
    }
    close_block(f, stmts->span);
}

static void put_conds(struct format *f, const struct ast_item *where) {
    struct buf flat = {0};
    buf_puts(&flat, " {");
    for (uint32_t i = 0; i < where->conds.len; i++) {
        buf_puts(&flat, i ? "; " : " ");
        dsl_print_expr(&flat, where->conds.at[i], 1);
    }
    buf_puts(&flat, " }");
    if (put_flat_block(f, where->at, &flat)) return;
    open_block(f, where->at.begin);
    for (uint32_t i = 0; i < where->conds.len; i++) {
        struct buf b = {0};
        begin(f, where->conds.at[i]->at);
        dsl_print_expr(&b, where->conds.at[i], 1);
        buf_putc(&b, ';');
        put_marked(f, &b);
        end(f, where->conds.at[i]->at);
    }
    close_block(f, where->at);
}

/* --- items of a rule --------------------------------------------------------------- */
static void print_expects(struct buf *b, const struct ast_item *item) {
    for (uint32_t i = 0; i < item->expects.len; i++)
        buf_printf(b, "%s%s %" PRId64, i ? ", " : "=> ", item->expects.at[i].op.text,
                   item->expects.at[i].count);
    if (item->reason) buf_puts(b, "=> "), buf_quote(b, item->reason);
}

static void print_example(struct buf *b, const struct ast_item *item) {
    buf_puts(b, item->kind == ITEM_NEAR ? "near " : "example ");
    if (item->title) buf_quote(b, item->title), buf_putc(b, ' ');
    buf_putc(b, '{');
    buf_add(b, item->raw.source->text + item->raw.begin, item->raw.end - item->raw.begin);
    buf_putc(b, '}');
}

/* Items without a block. */
static void print_small(struct buf *b, const struct ast_item *item) {
    switch (item->kind) {
    case ITEM_CLASS: buf_printf(b, "class %s", item->name.text); break;
    case ITEM_TARGET:
        for (uint32_t i = 0; i < item->names.len; i++)
            buf_printf(b, "%s%s", i ? ", " : "target ", item->names.at[i].text);
        break;
    case ITEM_AS_FUNCTION: buf_printf(b, "as function %s", item->name.text); break;
    case ITEM_REQUIRES: buf_printf(b, "requires opset %" PRId64, item->number); break;
    case ITEM_PRIORITY: buf_printf(b, "priority %" PRId64, item->number); break;
    case ITEM_AGAIN: buf_puts(b, "again"); break;
    case ITEM_SHAPES: buf_puts(b, "shapes by rule"); break;
    case ITEM_GRAPH:
        buf_printf(b, "graph %s %s : ", item->number ? "output" : "input", item->name.text);
        dsl_print_type(b, item->type);
        break;
    case ITEM_EXAMPLE: case ITEM_NEAR:
        print_example(b, item);
        if (item->reason || item->expects.len) dsl_print_break(b, 0);
        print_expects(b, item);
        break;
    case ITEM_MATCH: case ITEM_WHERE: case ITEM_EMIT: case ITEM_OTHERWISE: break;
    }
}

static bool is_block(enum ast_item_kind k) { return k <= ITEM_OTHERWISE; }

static void put_block_item(struct format *f, const struct ast_item *item) {
    static const char *const heads[] = {"match", "where", "emit", "otherwise"};
    comments_before(f, item->at.begin);
    line_at(f, item->at.begin);
    buf_puts(f->out, heads[item->kind]);
    if (item->cond) {
        struct buf b = {0};
        buf_puts(&b, " when ");
        dsl_print_expr(&b, item->cond, 1);
        put_marked(f, &b);
    }
    if (item->kind == ITEM_WHERE) put_conds(f, item);
    else put_block(f, &item->stmts);
    end(f, item->at);
}

/* Small items that share a line go on sharing it. */
static void put_small_item(struct format *f, const struct ast_item *item, bool share) {
    struct buf b = {0};
    print_small(&b, item);
    if (share && !has_comment(f, f->last, item->at.end) && fits(f, &b))
        buf_puts(f->out, "  ");
    else begin(f, item->at);
    buf_puts(f->out, buf_text(&b));
    buf_free(&b);
    end(f, item->at);
}

/* The ONNX text stays as it is; what is expected follows on its last line or the next. */
static void put_example(struct format *f, const struct ast_item *item) {
    struct buf expects = {0}, text = {0};
    begin(f, item->at);
    print_expects(&expects, item);
    print_example(&text, item);
    buf_puts(f->out, buf_text(&text));
    bool fit = dsl_column(f->out) + 1 + expects.len <= FORMAT_WIDTH;
    if (expects.len && fit) buf_putc(f->out, ' ');
    else if (expects.len) buf_printf(f->out, "\n%*s", (int)f->indent + 2, "");
    buf_puts(f->out, buf_text(&expects));
    buf_free(&expects);
    buf_free(&text);
    end(f, item->at);
}

static void put_items(struct format *f, const struct ast_items *items, struct span rule) {
    for (uint32_t i = 0; i < items->len; i++) {
        const struct ast_item *item = &items->at[i];
        bool share = i > 0 && !is_block(items->at[i - 1].kind) &&
                     item->kind < ITEM_EXAMPLE &&
                     !has_line_end(f, items->at[i - 1].at.end, item->at.begin);
        if (is_block(item->kind)) put_block_item(f, item);
        else if (item->kind >= ITEM_EXAMPLE) put_example(f, item);
        else put_small_item(f, item, share);
    }
    close_block(f, rule);
}

/* `{ class exact  again }` */
static bool put_flat_items(struct format *f, const struct ast_items *items,
                           struct span body) {
    struct buf flat = {0};
    bool small = true;
    buf_puts(&flat, " {");
    for (uint32_t i = 0; i < items->len; i++) {
        buf_puts(&flat, i ? "  " : " ");
        small &= !is_block(items->at[i].kind);
        print_small(&flat, &items->at[i]);
    }
    buf_puts(&flat, " }");
    if (small) return put_flat_block(f, body, &flat);
    buf_free(&flat);
    return false;
}

static void put_rule(struct format *f, const struct ast_rule *r, struct span at) {
    struct buf b = {0};
    buf_printf(&b, "rule %s", r->name.text);
    if (r->doc) buf_putc(&b, ' '), buf_quote(&b, r->doc);
    if (r->from) {
        buf_puts(&b, ": ");
        dsl_print_expr(&b, r->from, 1);
        dsl_print_break(&b, 0);
        buf_puts(&b, "=> ");
        dsl_print_expr(&b, r->to, 1);
    }
    uint32_t head = r->to ? r->to->at.end : r->name.at.end;
    if (r->to) comments_before(f, head);
    line_at(f, at.begin);
    put_marked(f, &b);
    if (!r->has_body) return;
    struct span body = {at.source, head, at.end};
    if (put_flat_items(f, &r->items, body)) return;
    open_block(f, head);
    put_items(f, &r->items, at);
}

/* --- items of a file --------------------------------------------------------------- */
static void print_clause(struct buf *b, const struct ast_clause *c) {
    switch (c->kind) {
    case CLAUSE_VERSION: {
        bool quoted = c->name.at.source->text[c->name.at.begin] == '"';
        buf_puts(b, "version ");
        if (quoted) buf_quote(b, c->name.text);
        else buf_puts(b, c->name.text);
        break;
    }
    case CLAUSE_OPSET:
        buf_printf(b, "opset %s >= %" PRId64, c->name.text, c->least);
        if (c->most) buf_printf(b, " <= %" PRId64, c->most);
        break;
    case CLAUSE_PARAM:
        buf_printf(b, "param %s : %s = ", c->name.text, c->type.text);
        dsl_print_expr(b, c->value, 1);
        break;
    case CLAUSE_INTERFACE: buf_puts(b, "changes interface"); break;
    case CLAUSE_RAISES: buf_puts(b, "raises opset"); break;
    }
}

static void put_pack(struct format *f, const struct ast_pack *p, struct span at) {
    comments_before(f, at.begin);
    line_at(f, at.begin);
    buf_printf(f->out, "pack %s", p->name.text);
    if (p->doc) buf_putc(f->out, ' '), buf_quote(f->out, p->doc);
    open_block(f, p->name.at.end);
    for (uint32_t i = 0; i < p->clauses.len; i++) {
        struct buf b = {0};
        begin(f, p->clauses.at[i].at);
        print_clause(&b, &p->clauses.at[i]);
        put_marked(f, &b);
        end(f, p->clauses.at[i].at);
    }
    close_block(f, at);
}

static void put_phase(struct format *f, const struct ast_top *t) {
    comments_before(f, t->at.begin);
    line_at(f, t->at.begin);
    buf_printf(f->out, "%sphase %s", t->atomic ? "atomic " : "", t->name.text);
    struct buf flat = {0};
    buf_puts(&flat, t->names.len ? " { " : " {");
    dsl_print_words(&flat, &t->names, 1);
    buf_puts(&flat, " }");
    if (put_flat_block(f, t->at, &flat)) return;
    open_block(f, t->name.at.end);
    for (uint32_t i = 0; i < t->names.len; i++) {
        struct span at = t->names.at[i].at;
        bool last = i + 1 == t->names.len;
        bool share = i > 0 && !has_line_end(f, t->names.at[i - 1].at.end, at.begin) &&
                     dsl_column(f->out) + strlen(t->names.at[i].text) + 2 <= FORMAT_WIDTH;
        if (share) buf_putc(f->out, ' ');
        else begin(f, at);
        buf_printf(f->out, "%s%s", t->names.at[i].text, last ? "" : ",");
        end(f, at);
    }
    close_block(f, t->at);
}

static void put_use(struct format *f, const struct ast_top *t) {
    struct buf b = {0};
    begin(f, t->at);
    buf_puts(&b, "use ");
    buf_quote(&b, t->name.text);
    if (t->only) {
        dsl_print_break(&b, 0);
        buf_puts(&b, "only ");
        dsl_print_words(&b, &t->names, 1);
    }
    put_marked(f, &b);
}

static void put_pattern(struct format *f, const struct ast_pattern *p,
                        const struct ast_top *t) {
    struct buf b = {0};
    if (p->body) begin(f, t->at);
    else comments_before(f, t->at.begin), line_at(f, t->at.begin);
    buf_printf(&b, "%s %s ", t->kind == TOP_PATTERN ? "pattern" : "operator", p->name.text);
    if (p->has_outs) {
        buf_putc(&b, '<');
        dsl_print_words(&b, &p->outs, 1);
        buf_puts(&b, "> ");
    }
    buf_putc(&b, '(');
    dsl_print_words(&b, &p->ins, 1);
    buf_putc(&b, ')');
    if (p->body) {
        buf_puts(&b, " =");
        dsl_print_break(&b, 0);
        dsl_print_expr(&b, p->body, 1);
    }
    put_marked(f, &b);
    if (!p->body) put_block(f, &p->stmts);
}

static void put_predicate(struct format *f, const struct ast_top *t) {
    struct buf b = {0};
    begin(f, t->at);
    buf_printf(&b, "predicate %s(", t->name.text);
    dsl_print_words(&b, &t->names, 1);
    buf_putc(&b, ')');
    put_marked(f, &b);
}

static void put_top(struct format *f, const struct ast_top *t) {
    switch (t->kind) {
    case TOP_PACK: put_pack(f, t->pack, t->at); break;
    case TOP_USE: put_use(f, t); break;
    case TOP_PASS:
        begin(f, t->at);
        buf_printf(f->out, "pass %s", t->name.text);
        break;
    case TOP_PHASE: put_phase(f, t); break;
    case TOP_PATTERN: case TOP_OPERATOR: put_pattern(f, t->pattern, t); break;
    case TOP_PREDICATE: put_predicate(f, t); break;
    case TOP_RULE:
        comments_before(f, t->at.begin);
        put_rule(f, t->rule, t->at);
        break;
    }
    end(f, t->at);
}

enum rw_code dsl_format(const struct diag_source *source, struct buf *out,
                        struct diag_sink *diags) {
    struct arena arena = ARENA_EMPTY;
    const struct ast_file *file = dsl_parse_text(&arena, source, diags);
    enum rw_code code = file ? RW_OK : RW_USAGE;
    if (file) {
        struct format f = {.file = file, .text = source->text, .out = out};
        for (uint32_t i = 0; i < file->tops.len; i++) put_top(&f, &file->tops.at[i]);
        comments_before(&f, UINT32_MAX);
        if (out->len) buf_putc(out, '\n');
    }
    arena_free(&arena);
    return code;
}
