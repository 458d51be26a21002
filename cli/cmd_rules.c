/* cmd_rules.c -- onnxrw rules: check, format, list, test, compile packs, and pages of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/paths.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/rules.h"
#include "lint/lint.h"

#include <stdio.h>

/* --- check, list -------------------------------------------------------------------- */

/* What was found goes into one list when all is done (--json), or is printed at once. */
static void flush(struct session *s) {
    if (!s->options.json) session_flush(s);
}

static void print_json(struct session *s) {
    struct buf text = {0};
    json_diagnostics(&s->diags, s->options.args.at[1], &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    s->printed = s->diags.list.len;
}

/* Loads a pack with its warnings printed; NULL after an error. */
static const struct rule_pack *load(struct session *s, const char *name) {
    const struct rule_pack *const *packs = packs_load(s, 1, &name);
    flush(s);
    return packs ? packs[0] : NULL;
}

static enum rw_code check_pack(struct session *s, const char *name) {
    uint32_t before = s->diags.count[DIAG_WARNING], first = s->diags.list.len;
    const struct rule_pack *const *packs = packs_load(s, 1, &name);
    const struct rule_pack *pack = packs ? packs[0] : NULL;
    const struct pm_auto *rules = pack ? pm_compile(&s->arena, &pack, 1, &s->diags) : NULL;
    if (!rules || (s->options.plugins.len > 0 && !packs_natives(s, rules))) return RW_USAGE;
    enum rw_code code = lint_pack(pack, s->options.verbosity > 0, &s->diags);
    lint_allow(pack, true, &s->diags, first);
    flush(s);
    uint32_t warnings = s->diags.count[DIAG_WARNING] - before;
    if (code != RW_OK || s->options.verbosity < 0 || s->options.json) return code;
    printf("%s: %u rule%s, no errors", name, pack->nrules, plural(pack->nrules));
    if (warnings) printf(", %u warning%s", warnings, plural(warnings));
    putchar('\n');
    return RW_OK;
}

static enum rw_code list_pack(struct session *s, const char *name) {
    const struct rule_pack *pack = load(s, name);
    if (!pack) return RW_USAGE;
    for (uint32_t i = 0; i < pack->nrules; i++) {
        const struct rule *r = pack->rules[i];
        printf("%-28s %-6s %-*s%s\n", r->name, rule_class_words[r->class], *r->doc ? 9 : 0,
               rule_target_word(r->targets), r->doc);
    }
    return RW_OK;
}

/* Without a pack: those that there are. */
static enum rw_code list_packs(struct session *s) {
    const struct dsl_paths paths = api_paths(&s->arena);
    const struct dsl_pack_entry *all;
    uint32_t n = dsl_catalogue(&s->arena, &paths, &all);
    for (uint32_t i = 0; i < n; i++) printf("%-20s %s\n", all[i].name, all[i].doc);
    return RW_OK;
}

/* --- explain ------------------------------------------------------------------------ */

static const struct diag_meaning *find_meaning(const char *id) {
    size_t n;
    const struct diag_meaning *all = diag_meanings(&n);
    for (size_t i = 0; i < n; i++) {
        char text[8];
        snprintf(text, sizeof text, "R%03u", all[i].id);
        if (rw_streq(id, text)) return &all[i];
    }
    return NULL;
}

/* R010 of `... [R010]`: what it means and what to do. */
static enum rw_code explain_id(struct session *s, const char *id) {
    const struct diag_meaning *m = find_meaning(id);
    if (!m) {
        size_t n;
        const struct diag_meaning *all = diag_meanings(&n);
        session_usage(s, "no diagnostic \"%s\"; there are R%03u to R%03u, as printed behind "
                      "a message", id, all[0].id, all[n - 1].id);
        return RW_USAGE;
    }
    printf("R%03u: %s\n\n%s\n\n%s\n", m->id, m->title, m->means, m->remedy);
    return RW_OK;
}

/* --- fmt ---------------------------------------------------------------------------- */

/* Formats a file in place; standard input to standard output. With --dry-run it only says
 * which files would change, and fails when one would. */
static enum rw_code format_pack(struct session *s, const char *name) {
    const struct diag_source *source = session_read(s, name);
    struct buf text = {0};
    if (!source) return RW_USAGE;
    enum rw_code code = dsl_format(source, &text, &s->diags);
    bool is_stream = rw_streq(name, "-");
    bool same = code == RW_OK && rw_streq(buf_text(&text), source->text);
    if (code == RW_OK && is_stream) code = session_write(s, "-", &text);
    else if (code == RW_OK && !same) {
        printf("%s\n", name);
        code = s->options.dry_run ? RW_WRONG : session_write(s, name, &text);
    }
    buf_free(&text);
    return code;
}

/* --- the subcommands ---------------------------------------------------------------- */

static const struct {
    const char *name;
    enum rw_code (*run)(struct session *s, const char *pack);
    enum rw_code (*run_all)(struct session *s, uint32_t n, const char *const *packs);
} actions[] = {{"check", check_pack, NULL}, {"test", rules_test, NULL},
               {"fmt", format_pack, NULL},  {"list", list_pack, NULL},
               {"explain", explain_id, NULL}, {"compile", NULL, rules_compile},
               {"doc", NULL, rules_doc}};

static enum rw_code unknown_action(struct session *s, const char *word) {
    const char *names[countof(actions)];
    struct buf all = {0};
    for (size_t i = 0; i < countof(actions); i++) {
        names[i] = actions[i].name;
        buf_printf(&all, "%s%s", i ? ", " : "; there are ", names[i]);
    }
    const char *near = diag_nearest(word, names, countof(names));
    enum rw_code code =
        near ? session_usage(s, "no command \"rules %s\"; did you mean \"%s\"?", word, near)
             : session_usage(s, "no command \"rules %s\"%s", word, buf_text(&all));
    buf_free(&all);
    return code;
}

static enum rw_code check_arguments(struct session *s, size_t i) {
    const struct options *o = &s->options;
    const char *word = o->args.at[0];
    if (o->args.len < 2)
        return session_usage(s, "\"rules %s\" needs %s", word,
                             actions[i].run == explain_id ? "an id" : "a pack");
    if (o->json && actions[i].run != check_pack)
        return session_usage(s, "--json is for \"rules check\"");
    if (o->out && !actions[i].run_all)
        return session_usage(s, "-o is for \"rules compile\" and \"rules doc\"");
    return RW_OK;
}

enum rw_code cmd_rules(struct session *s) {
    const char *word = s->options.args.at[0];
    size_t i = 0;
    while (i < countof(actions) && !rw_streq(word, actions[i].name)) i++;
    if (i == countof(actions)) return unknown_action(s, word);
    if (actions[i].run == list_pack && s->options.args.len == 1) return list_packs(s);
    TRY(check_arguments(s, i));
    if (actions[i].run_all)
        return actions[i].run_all(s, s->options.args.len - 1, s->options.args.at + 1);
    if (s->options.json) s->diags.error_limit = JSON_ERRORS;
    enum rw_code worst = RW_OK;
    for (uint32_t k = 1; k < s->options.args.len; k++) {
        enum rw_code code = actions[i].run(s, s->options.args.at[k]);
        if (code > worst) worst = code;
        flush(s);
    }
    if (s->options.json) print_json(s);
    return worst;
}
