/* cmd_completion.c -- `onnxrw completion SHELL`: what a shell needs to complete the command
 * line, made from the tables of commands and options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cli.h"

#include <stdio.h>

static const char rules_actions[] = "check test fmt list compile doc explain";

/* --- bash --------------------------------------------------------------------------- */

static void bash_options(const struct command *c, struct buf *out) {
    struct option_shown d;
    for (size_t at = 0; options_next(c->bit, &at, &d);) {
        if (d.letter && d.name) buf_printf(out, " -%c", d.letter);
        if (d.name) buf_printf(out, " --%s%s", d.name, d.value && !d.letter ? "=" : "");
        else if (d.letter) buf_printf(out, " -%c", d.letter);
    }
}

/* What may stand behind an option; a `=` is a word of its own to bash. */
static void bash_values(struct buf *out) {
    const struct command *c;
    struct option_shown d;
    buf_puts(out, "    local before=${COMP_WORDS[COMP_CWORD-1]} values=\n"
                  "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
                  "    [ \"$cur\" = = ] && before=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
                  "    case $before in\n");
    for (size_t at = 0; options_next(command_at(0)->bit, &at, &d);)
        if (d.words) buf_printf(out, "    --%s) values=\"%s\" ;;\n", d.name, d.words);
    for (size_t i = 1; (c = command_at(i)); i++)
        if (c->bit == FOR_COMPLETION) buf_printf(out, "    %s) values=\"bash zsh fish\" ;;\n", c->name);
    buf_puts(out, "    -r|--rules) COMPREPLY=($(compgen -W \"$(onnxrw rules list | cut -d ' ' -f 1)\" -- \"$cur\")\n"
                  "                           $(compgen -f -- \"$cur\")); return ;;\n"
                  "    esac\n"
                  "    if [ -n \"$values\" ]; then\n"
                  "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\")); return\n"
                  "    fi\n");
}

static void bash(struct buf *out) {
    const struct command *c;
    buf_puts(out, "# bash completion of onnxrw\n"
                  "_onnxrw() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words\n");
    bash_values(out);
    buf_puts(out, "    case $command in\n");
    for (size_t i = 1; (c = command_at(i)); i++) {
        buf_printf(out, "    %s) words=\"", c->name);
        bash_options(c, out);
        if (c->bit == FOR_RULES) buf_printf(out, " %s", rules_actions);
        buf_puts(out, "\" ;;\n");
    }
    buf_puts(out, "    *) words=\"");
    bash_options(command_at(0), out);
    buf_puts(out, "\"\n       [ \"$COMP_CWORD\" = 1 ] && words=\"$words");
    for (size_t i = 1; (c = command_at(i)); i++) buf_printf(out, " %s", c->name);
    buf_puts(out, "\" ;;\n"
                  "    esac\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                  "    [[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
                  "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
                  "}\n"
                  "complete -o filenames -F _onnxrw onnxrw\n");
}

/* --- zsh ---------------------------------------------------------------------------- */

/* A text between single quotes; what zsh gives a meaning inside [...] is escaped. */
static void zsh_text(const char *text, struct buf *out) {
    for (; *text; text++) {
        if (*text == '\'') buf_puts(out, "'\\''");
        else {
            if (strchr("[]:\\", *text)) buf_putc(out, '\\');
            buf_putc(out, *text);
        }
    }
}

static void zsh_option(const char *dashes, const char *name, size_t len,
                       const struct option_shown *d, struct buf *out) {
    buf_printf(out, " \\\n            '*%s%.*s", dashes, (int)len, name);
    if (d->value) buf_puts(out, len > 1 ? "=" : "+");
    buf_putc(out, '[');
    zsh_text(d->what, out);
    buf_putc(out, ']');
    if (d->value) {
        buf_putc(out, ':');
        zsh_text(d->value, out);
        if (d->words) buf_printf(out, ":(%s)", d->words);
        else buf_puts(out, ":_files");
    }
    buf_putc(out, '\'');
}

static void zsh_arguments(const struct command *c, struct buf *out) {
    struct option_shown d;
    buf_puts(out, "_arguments -s");
    for (size_t at = 0; options_next(c->bit, &at, &d);) {
        if (d.letter) zsh_option("-", &d.letter, 1, &d, out);
        if (d.name) zsh_option("--", d.name, strlen(d.name), &d, out);
    }
    if (c->bit == FOR_RULES)
        buf_printf(out, " \\\n            '1:action:(%s)'", rules_actions);
    buf_puts(out, " \\\n            '*:file:_files'");
}

static void zsh(struct buf *out) {
    const struct command *c;
    buf_puts(out, "#compdef onnxrw\n"
                  "local -a commands\n"
                  "commands=(\n");
    for (size_t i = 1; (c = command_at(i)); i++) {
        buf_printf(out, "    '%s:", c->name);
        zsh_text(c->what, out);
        buf_puts(out, "'\n");
    }
    buf_puts(out, ")\n"
                  "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                  "    _describe command commands\n"
                  "fi\n"
                  "case $words[2] in\n");
    for (size_t i = 1; (c = command_at(i)); i++) {
        buf_printf(out, "%s) shift words; (( CURRENT-- ))\n        ", c->name);
        zsh_arguments(c, out);
        buf_puts(out, " ;;\n");
    }
    buf_puts(out, "*)      ");
    zsh_arguments(command_at(0), out);
    buf_puts(out, " ;;\nesac\n");
}

/* --- fish --------------------------------------------------------------------------- */

static void fish_text(const char *text, struct buf *out) {
    buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') buf_putc(out, '\\');
        buf_putc(out, *text);
    }
    buf_putc(out, '\'');
}

static void fish_options(const struct command *c, struct buf *out) {
    struct option_shown d;
    for (size_t at = 0; options_next(c->bit, &at, &d);) {
        buf_puts(out, "complete -c onnxrw -n ");
        if (c->name) buf_printf(out, "'__fish_seen_subcommand_from %s'", c->name);
        else buf_puts(out, "'not __fish_seen_subcommand_from $onnxrw_commands'");
        if (d.letter) buf_printf(out, " -s %c", d.letter);
        if (d.name) buf_printf(out, " -l %s", d.name);
        if (d.value) buf_puts(out, " -r");
        if (d.words) buf_printf(out, " -f -a '%s'", d.words);
        buf_puts(out, " -d ");
        fish_text(d.what, out);
        buf_putc(out, '\n');
    }
}

static void fish(struct buf *out) {
    const struct command *c;
    buf_puts(out, "# fish completion of onnxrw\nset -g onnxrw_commands");
    for (size_t i = 1; (c = command_at(i)); i++) buf_printf(out, " %s", c->name);
    buf_putc(out, '\n');
    for (size_t i = 1; (c = command_at(i)); i++) {
        buf_printf(out, "complete -c onnxrw -n __fish_use_subcommand -a %s -d ", c->name);
        fish_text(c->what, out);
        buf_putc(out, '\n');
    }
    buf_printf(out, "complete -c onnxrw -n '__fish_seen_subcommand_from rules' -a '%s'\n",
               rules_actions);
    for (size_t i = 0; (c = command_at(i)); i++) fish_options(c, out);
}

/* --- the command -------------------------------------------------------------------- */

enum rw_code cmd_completion(struct session *s) {
    static const struct { const char *name; void (*make)(struct buf *); } shells[] = {
        {"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    const char *wanted = s->options.args.at[0];
    for (size_t i = 0; i < countof(shells); i++) {
        if (!rw_streq(shells[i].name, wanted)) continue;
        struct buf text = {0};
        shells[i].make(&text);
        enum rw_code code = session_write(s, "-", &text);
        buf_free(&text);
        return code;
    }
    return session_usage(s, "no completion for \"%s\"; there is bash, zsh and fish", wanted);
}
