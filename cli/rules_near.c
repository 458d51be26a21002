/* rules_near.c -- does a near miss fail at what it names?
 *
 * What stands behind `=>` of a near miss is looked for in what explain says fails first at
 * some node: in the source of that test, in its words, or in the reason of a refusal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/rewrite.h"
#include "cli/rules.h"

/* Texts without their spaces. */
static void squeeze(const char *text, size_t len, struct buf *out) {
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' && text[i] != '\n') buf_putc(out, text[i]);
}

static bool has(const char *text, size_t len, const char *what) {
    struct buf a = {0}, b = {0};
    squeeze(text, len, &a);
    squeeze(what, strlen(what), &b);
    bool found = strstr(buf_text(&a), buf_text(&b)) != NULL;
    buf_free(&a);
    buf_free(&b);
    return found;
}

static bool names(const struct pm_fate *f, const char *what) {
    if (f->refused) return has(f->refused, strlen(f->refused), what);
    if (f->reasons.len == 0) return false;
    const struct pm_reason *r = &f->reasons.at[0];
    bool in_source = r->at.source &&
                     has(r->at.source->text + r->at.begin, r->at.end - r->at.begin, what);
    return in_source || has(r->text, strlen(r->text), what);
}

/* What is nearest, in words. */
static const char *first_of(const struct pm_answer *a) {
    for (uint32_t i = 0; i < a->rules.len; i++) {
        const struct pm_explained *e = &a->rules.at[i];
        if (e->fates.len == 0) continue;
        const struct pm_fate *f = &e->fates.at[0];
        return f->refused ? f->refused : f->reasons.len > 0 ? f->reasons.at[0].text
                                                             : "it matches";
    }
    return "no node is such a root";
}

void rules_near(struct session *s, const struct pm_auto *rules, const struct rule *r,
                const struct rule_example *e, const struct pm_options *o) {
    struct pm_question q = {.rule = r->name};
    struct pm_answer a;
    struct ir_model *m = ir_text_parse_span(&s->arena, e->graph, &s->diags);
    bool raises = r->pack->raises_opset;
    if (!e->expects || raises || !m || api_prepare(m, o->verify, &s->diags) != RW_OK ||
        pm_explain(rules, m, o, &q, &s->arena, &a, &s->diags) != RW_OK)
        return;
    for (uint32_t i = 0; i < a.rules.len; i++)
        for (uint32_t k = 0; k < a.rules.at[i].fates.len; k++)
            if (names(&a.rules.at[i].fates.at[k], e->expects)) return;
    diag_at(&s->diags, DIAG_WARNING, e->graph,
            "near miss \"%s\" of \"%s\" is said to fail at \"%s\"; what fails first is: %s",
            e->name, r->name, e->expects, first_of(&a));
}
