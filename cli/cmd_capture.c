/* cmd_capture.c -- onnxrw capture: a rule from a real subgraph.
 *
 * What is printed is tried first: it loads, is laid out as `rules fmt` would, matches at the
 * very place that it was made from, and its example holds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/paths.h"
#include "api/rewrite.h"
#include "capture/capture.h"
#include "cli/cli.h"

struct capture {
    struct session *s;
    struct ir_model *m;
    struct cap_place place;
    struct cap_form form;
    const struct diag_source *text; /* of the rule */
    const struct rule_pack *pack;
};

/* --- the rule as text ---------------------------------------------------------------- */

static const struct diag_source *laid_out(struct capture *c, struct diag_sink *diags) {
    struct buf raw = {0}, text = {0};
    struct arena *a = &c->s->arena;
    cap_print(&c->place, &c->form, &raw);
    struct diag_source *source = arena_new(a, struct diag_source);
    *source = (struct diag_source){"captured.rules", arena_strdup(a, buf_text(&raw)), raw.len};
    if (dsl_format(source, &text, diags) == RW_OK) {
        source->text = arena_strdup(a, buf_text(&text));
        source->len = text.len;
    }
    buf_free(&raw);
    buf_free(&text);
    return source;
}

static bool load(struct capture *c, struct diag_sink *diags) {
    struct dsl_paths paths = api_paths(&c->s->arena);
    c->text = laid_out(c, diags);
    c->pack = dsl_parse(&c->s->arena, c->text, &paths, diags);
    return c->pack != NULL;
}

/* For as many opsets as it can be written for: at the least, for the model's. */
static enum rw_code write_rule(struct capture *c) {
    struct diag_sink tried;
    diag_init(&tried, &c->s->arena);
    cap_opsets(&c->place, &c->form);
    if (load(c, &tried)) return RW_OK;
    c->form.opset_least = cap_own_opset(&c->place);
    if (load(c, &tried)) return RW_OK;
    c->form.opset_most = c->form.opset_least;
    return load(c, &c->s->diags) ? RW_OK : RW_USAGE;
}

/* --- does it match? ------------------------------------------------------------------ */

static const struct pm_options as_a_run = {.target = TARGET_ORT, .level = CLASS_FLOAT,
                                           .verify = PM_VERIFY_STRUCTURE};

/* How it fares at the place: of several outputs, one is where the search begins. */
static enum rw_code ask(struct capture *c, const struct pm_auto *rules,
                        const struct pm_fate **fate) {
    struct session *s = c->s;
    *fate = NULL;
    for (uint32_t i = 0; i < c->place.outputs.len; i++) {
        ir_value root = c->place.outputs.at[i];
        struct pm_question q = {c->pack->rules[0]->name, ir_val(c->place.g, root)->name, 0};
        struct pm_answer a;
        TRY(pm_explain(rules, c->m, &as_a_run, &q, &s->arena, &a, &s->diags));
        if (a.rules.len == 0 || a.rules.at[0].fates.len == 0) continue;
        const struct pm_fate *f = &a.rules.at[0].fates.at[0];
        if (!*fate || f->verdict > (*fate)->verdict) *fate = f;
    }
    return RW_OK;
}

/* An example that is not there holds. */
static bool example_holds(struct capture *c, const struct pm_auto *rules) {
    const struct rule *r = c->pack->rules[0];
    struct session *s = c->s;
    struct diag_sink diags;
    struct pm_report report = {0};
    diag_init(&diags, &s->arena);
    if (r->nexamples == 0) return true;
    struct ir_model *m = ir_text_parse_span(&s->arena, r->examples[0].graph, &diags);
    return m && api_prepare(m, as_a_run.verify, &diags) == RW_OK &&
           api_rewrite(rules, m, &as_a_run, &s->arena, &report, &diags) == RW_OK &&
           report.rules.len > 0 && report.rules.at[0].count > 0;
}

struct tried {
    const struct pm_fate *fate; /* at the place, or NULL */
    bool example;
};

static enum rw_code try_rule(struct capture *c, struct tried *t) {
    TRY(write_rule(c));
    const struct pm_auto *rules = packs_compile(c->s, 1, &c->pack);
    if (!rules) return RW_USAGE;
    TRY(ask(c, rules, &t->fate));
    t->example = example_holds(c, rules);
    return RW_OK;
}

static bool holds(const struct tried *t) {
    return t->fate && t->fate->verdict == PM_MATCHES && t->example;
}

static void tell(struct capture *c, const struct tried *t) {
    struct diag_sink *diags = &c->s->diags;
    const struct pm_fate *f = t->fate;
    if (f && f->verdict == PM_MATCHES) {
        if (!t->example)
            diag_where(diags, DIAG_WARNING, NULL,
                       "the rule matches there, but not at its example");
        return;
    }
    if (f && f->verdict == PM_REFUSED)
        diag_where(diags, DIAG_WARNING, NULL,
                   "the rule matches there, but what it emits is refused: %s", f->refused);
    else if (f && f->reasons.len)
        diag_at(diags, DIAG_WARNING, f->reasons.at[0].at, "the rule does not match there: %s",
                f->reasons.at[0].text);
    else diag_where(diags, DIAG_WARNING, NULL, "the rule does not match there");
}

/* Where a shape cannot be proved to stay, in the model or without what it knows of the
 * inputs, the rule says that its author sees to it. */
static enum rw_code make_rule(struct capture *c) {
    struct tried strict, lenient;
    struct capture other = *c;
    TRY(try_rule(c, &strict));
    if (!holds(&strict)) {
        other.form.shapes_by_rule = true;
        TRY(try_rule(&other, &lenient));
        if (holds(&lenient)) *c = other, strict = lenient;
    }
    tell(c, &strict);
    return RW_OK;
}

/* --- the command --------------------------------------------------------------------- */

static bool is_name(const char *text) {
    bool ok = *text && !strchr("0123456789", *text);
    for (const char *c = text; *c; c++)
        ok &= *c == '_' || (*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z');
    return ok;
}

static enum rw_code check_options(struct session *s) {
    const struct options *o = &s->options;
    if (o->outputs.len == 0)
        return session_usage(s, "capture needs --outputs: the values that the subgraph makes");
    if (o->inputs.len == 0)
        return session_usage(s, "capture needs --inputs: the values that the subgraph begins "
                                "with");
    if (o->name && !is_name(o->name))
        return session_usage(s, "\"%s\" is no name of a rule: letters, digits and _", o->name);
    return RW_OK;
}

static enum rw_code capture(struct capture *c) {
    struct session *s = c->s;
    const struct options *o = &s->options;
    struct cap_question q = {o->inputs.len, o->outputs.len, o->inputs.at, o->outputs.at};
    TRY(api_prepare(c->m, PM_VERIFY_STRUCTURE, &s->diags));
    TRY(cap_find(c->m, &q, &s->arena, &s->diags, &c->place));
    c->form.name = o->name;
    TRY(make_rule(c));
    struct buf text = {0};
    buf_puts(&text, c->text->text);
    enum rw_code code = session_write(s, o->out ? o->out : "-", &text);
    buf_free(&text);
    return code;
}

enum rw_code cmd_capture(struct session *s) {
    struct capture c = {.s = s};
    enum rw_code code = check_options(s);
    if (code != RW_OK) return code;
    c.m = ir_model_read(&s->arena, s->options.args.at[0], &s->diags);
    if (!c.m) return RW_FORMAT;
    code = capture(&c);
    ir_model_close(c.m);
    return code;
}
