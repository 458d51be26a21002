/* rules_doc.c -- onnxrw rules doc: a page about packs, in Markdown.
 *
 * A pack is shown with what its file says at the top, its parameters, its stages in order, and
 * each rule: what it says of itself, its first example as a picture before and after (Mermaid),
 * its source, and what it leaves alone (its near misses). Rules of packs that it uses are
 * listed, and shown with --all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/rules.h"

#include "ir/text.h"

struct page {
    struct session *s;
    const struct rule_pack *pack;
    const struct pm_auto *rules; /* all of the pack */
    struct buf *out;
};

/* --- the file's own words ------------------------------------------------------------ */
/* The comment that a file begins with, without its licence. */
static void put_comment(struct page *p, const struct diag_source *source) {
    const char *c = source->text;
    buf_puts(p->out, "```text\n");
    while (*c == '#') {
        const char *text = c[1] == ' ' ? c + 2 : c + 1;
        const char *end = c + strcspn(c, "\n");
        if (strncmp(text, "SPDX-", 5) != 0) buf_printf(p->out, "%.*s\n", (int)(end - text), text);
        c = *end ? end + 1 : end;
    }
    buf_puts(p->out, "```\n\n");
}

/* Where the line begins in which a byte stands; where the next one does. */
static uint32_t line_begin(const struct diag_source *source, uint32_t at) {
    while (at > 0 && source->text[at - 1] != '\n') at--;
    return at;
}
static uint32_t line_end(const struct diag_source *source, uint32_t at) {
    while (source->text[at] && source->text[at] != '\n') at++;
    return source->text[at] ? at + 1 : at;
}

static void put_lines(struct page *p, const struct diag_source *source, uint32_t begin,
                      uint32_t end) {
    if (begin < end) buf_add(p->out, source->text + begin, end - begin);
}

/* Blank lines in front of what is left out go with it. */
static void end_line(struct page *p) {
    while (p->out->len > 1 && p->out->at[p->out->len - 2] == '\n') p->out->len--;
}

/* The rule without its examples, which stand in lines of their own. */
static void put_source(struct page *p, const struct rule *r) {
    const struct diag_source *source = r->text.source;
    uint32_t at = r->text.begin;
    buf_puts(p->out, "```\n");
    for (uint32_t i = 0; i < r->nexamples; i++) {
        put_lines(p, source, at, line_begin(source, r->examples[i].graph.begin));
        end_line(p);
        at = line_end(source, r->examples[i].graph.end);
    }
    put_lines(p, source, at, r->text.end);
    buf_puts(p->out, "\n```\n\n");
}

/* Text in a cell of a table. */
static void put_cell(struct page *p, const char *text) {
    for (; *text; text++) {
        if (*text == '|') buf_putc(p->out, '\\');
        buf_putc(p->out, *text);
    }
}

/* --- pictures ------------------------------------------------------------------------ */
static void put_picture(struct page *p, const char *title, const struct ir_model *m) {
    buf_printf(p->out, "%s:\n\n```mermaid\n", title);
    ir_text_draw(m->main, p->out);
    buf_puts(p->out, "```\n\n");
}

/* What the rule alone makes of it, or, where it needs others of the pack, what they make of it
 * together. */
static struct ir_model *rewritten(struct page *p, const struct rule *r,
                                  const struct rule_example *e) {
    struct session *s = p->s;
    struct pm_report report = {0};
    const struct rule_pack *alone = dsl_alone(&s->arena, 1, &r);
    const struct pm_auto *rules = r->pack->raises_opset ? NULL : packs_compile(s, 1, &alone);
    struct ir_model *m = rules ? rules_example(s, rules, alone->rules[0], e, &report) : NULL;
    if (m && rules_applied(&report, r) > 0) return m;
    return rules_example(s, p->rules, r, e, &report);
}

static void put_example(struct page *p, const struct rule *r) {
    const struct rule_example *e = NULL;
    for (uint32_t i = 0; i < r->nexamples && !e; i++)
        if (!r->examples[i].is_near) e = &r->examples[i];
    if (!e) return;
    struct ir_model *before = rules_example(p->s, NULL, r, e, NULL);
    struct ir_model *after = before ? rewritten(p, r, e) : NULL;
    if (!after) return;
    put_picture(p, "Before", before);
    put_picture(p, "After", after);
}

static void put_near_misses(struct page *p, const struct rule *r) {
    bool any = false;
    for (uint32_t i = 0; i < r->nexamples; i++) {
        const struct rule_example *e = &r->examples[i];
        if (!e->is_near) continue;
        buf_puts(p->out, any ? "" : "Left alone:\n\n");
        any = true;
        buf_printf(p->out, "* %s", e->name);
        if (e->expects) buf_printf(p->out, ": `%s` does not hold", e->expects);
        buf_putc(p->out, '\n');
    }
    if (any) buf_putc(p->out, '\n');
}

/* --- a rule -------------------------------------------------------------------------- */
static void put_rule(struct page *p, const struct rule *r) {
    buf_printf(p->out, "### %s\n\n", r->name);
    if (*r->doc) buf_printf(p->out, "%s. ", r->doc);
    buf_printf(p->out, "Class %s, target %s", rule_class_words[r->class],
               rule_target_word(r->targets));
    if (r->requires_opset > 0)
        buf_printf(p->out, ", needs opset %" PRId64, r->requires_opset);
    buf_puts(p->out, ".\n\n");
    put_source(p, r);
    put_example(p, r);
    put_near_misses(p, r);
}

/* --- the pack ------------------------------------------------------------------------ */
static void put_params(struct page *p) {
    for (uint32_t i = 0; i < p->pack->nparams; i++) {
        const struct rule_param *x = &p->pack->params[i];
        uint32_t begin = line_begin(x->at.source, x->at.begin);
        uint32_t end = line_end(x->at.source, x->at.end);
        buf_puts(p->out, i ? "" : "## Parameters (-D NAME=VALUE)\n\n```\n");
        put_lines(p, x->at.source, begin, end);
    }
    if (p->pack->nparams) buf_puts(p->out, "```\n\n");
}

static void put_stages(struct page *p) {
    buf_puts(p->out, "## Order\n\n");
    for (uint32_t i = 0; i < p->pack->nstages; i++) {
        const struct rule_stage *x = &p->pack->stages[i];
        buf_printf(p->out, "%u. %s %s%s", i + 1, x->is_pass ? "pass" : "phase",
                   x->name, x->atomic ? " (all of it, or nothing)" : "");
        for (uint32_t k = 0; k < x->nrules; k++)
            buf_printf(p->out, "%s%s", k ? ", " : ": ", p->pack->rules[x->rules[k]]->name);
        buf_putc(p->out, '\n');
    }
    buf_putc(p->out, '\n');
}

static bool is_shown(const struct page *p, const struct rule *r) {
    return p->s->options.all || r->at.source == p->pack->source;
}

static void put_table(struct page *p) {
    if (p->pack->nrules == 0) return;
    buf_puts(p->out, "## Rules\n\n| rule | class | target | what |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < p->pack->nrules; i++) {
        const struct rule *r = p->pack->rules[i];
        const char *name = r->name;
        if (is_shown(p, r)) buf_printf(p->out, "| [%s](#%s)", name, name);
        else buf_printf(p->out, "| %s", name);
        buf_printf(p->out, " | %s | %s | ", rule_class_words[r->class],
                   rule_target_word(r->targets));
        put_cell(p, r->doc);
        buf_puts(p->out, " |\n");
    }
    buf_putc(p->out, '\n');
}

static bool put_pack(struct page *p, const char *name) {
    const struct rule_pack *const *packs = packs_load(p->s, 1, &name);
    p->pack = packs ? packs[0] : NULL;
    p->rules = packs ? packs_compile(p->s, 1, packs) : NULL;
    if (!p->rules || !packs_natives(p->s, p->rules)) return false;
    buf_printf(p->out, "# %s: %s\n\n", p->pack->name, p->pack->doc);
    put_comment(p, p->pack->source);
    put_params(p);
    put_stages(p);
    put_table(p);
    for (uint32_t i = 0; i < p->pack->nrules; i++)
        if (is_shown(p, p->pack->rules[i])) put_rule(p, p->pack->rules[i]);
    return true;
}

enum rw_code rules_doc(struct session *s, uint32_t n, const char *const *names) {
    struct buf text = {0};
    struct page p = {.s = s, .out = &text};
    enum rw_code code = RW_OK;
    for (uint32_t i = 0; i < n && code == RW_OK; i++)
        code = put_pack(&p, names[i]) ? RW_OK : RW_USAGE;
    end_line(&p);
    if (code == RW_OK) code = session_write(s, s->options.out ? s->options.out : "-", &text);
    buf_free(&text);
    return code;
}
