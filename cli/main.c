/* main.c -- the onnxrw command: which command, its options, help.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "base/process.h"
#include "cli/cli.h"

#include <stdio.h>

#define ANY UINT32_MAX

static const struct command main_job = {
    NULL, FOR_RUN, cmd_run, "[-r PACK]... [-o OUT] [options] MODEL", 1, 1,
    "rewrites MODEL by the rules of the packs (without -r: auto.rules) and writes OUT\n"
    "(without -o: MODEL with .opt.onnx in place of .onnx); - is a standard stream"};
static const struct command commands[] = {
    {"explain", FOR_EXPLAIN, cmd_later, "explain -r PACK MODEL", 0, ANY,
     "why a rule did not match"},
    {"check", FOR_CHECK, cmd_check, "check [--json] MODEL", 1, 1, "verify a model"},
    {"infer", FOR_INFER, cmd_infer, "infer [--json] [-o OUT] MODEL", 1, 1, "write inferred shapes"},
    {"print", FOR_PRINT, cmd_print, "print [--all] [-o OUT] MODEL", 1, 1,
     "a model as ONNX text"},
    {"parse", FOR_PARSE, cmd_parse, "parse [-o OUT] TEXT", 1, 1, "ONNX text to a model"},
    {"diff", FOR_DIFF, cmd_later, "diff A B", 0, ANY, "compare two models"},
    {"profile", FOR_PROFILE, cmd_later, "profile MODEL", 0, ANY, "time by operator"},
    {"capture", FOR_CAPTURE, cmd_later, "capture MODEL", 0, ANY,
     "a rule from a real subgraph"},
    {"rules", FOR_RULES, cmd_rules, "rules check|test|fmt|list PACK...", 1, ANY,
     "check, test, format or list rules"},
};

static const struct command *find_command(const char *name) {
    for (size_t i = 0; i < countof(commands); i++)
        if (rw_streq(commands[i].name, name)) return &commands[i];
    return NULL;
}

/* A word that is no file, but nearly a command. */
static const char *nearest_command(const char *word) {
    const char *names[countof(commands)];
    struct os_stamp stamp;
    if (strpbrk(word, "./") || os_stat(word, &stamp)) return NULL;
    for (size_t i = 0; i < countof(commands); i++) names[i] = commands[i].name;
    return diag_nearest(word, names, countof(names));
}

static void print_help(const struct command *c) {
    struct buf text = {0};
    buf_printf(&text, "usage: onnxrw %s\n\n%s\n\noptions:\n", c->usage, c->what);
    options_describe(c->bit, &text);
    if (!c->name) {
        buf_puts(&text, "\ncommands (`onnxrw COMMAND --help` for more):\n");
        for (size_t i = 0; i < countof(commands); i++)
            buf_printf(&text, "  %-9s %s%s\n", commands[i].name, commands[i].what,
                       commands[i].run == cmd_later ? " (not there yet)" : "");
        buf_puts(&text,
                 "\nexit status: 0 done, 1 a rewrite or a model was found wrong, 2 wrong\n"
                 "usage or a bad rules file, 3 the input cannot be read, 4 the output\n"
                 "cannot be written\n");
    }
    fputs(buf_text(&text), stdout);
    buf_free(&text);
}

static int wrong_arguments(struct session *s, const struct command *c) {
    const char *near =
        s->options.args.len > 1 && !c->name ? nearest_command(s->options.args.at[0]) : NULL;
    if (near) return session_usage(s, "no command \"%s\"; did you mean \"%s\"?",
                                   s->options.args.at[0], near);
    if (s->options.args.len > c->most)
        return session_usage(s, "unexpected argument \"%s\"; usage: onnxrw %s",
                             s->options.args.at[c->most], c->usage);
    return session_usage(s, "an argument is missing; usage: onnxrw %s", c->usage);
}

static int run(struct session *s, int argc, char **argv) {
    const struct command *c = argc > 1 ? find_command(argv[1]) : NULL;
    int first = c ? 2 : 1;
    struct buf error = {0};
    if (!c) c = &main_job;
    if (argc == 2 && rw_streq(argv[1], "--version")) {
        puts("onnxrw " ONNXRW_VERSION);
        return RW_OK;
    }
    bool ok = options_parse(argc, argv, first, c->bit, &s->arena, &s->options, &error);
    if (!ok) session_usage(s, "%s", buf_text(&error));
    buf_free(&error);
    if (!ok) return RW_USAGE;
    if (s->options.help) {
        print_help(c);
        return RW_OK;
    }
    if (s->options.later) return session_usage(s, "%s is not there yet", s->options.later);
    uint32_t n = s->options.args.len;
    if (n < c->least || n > c->most) return wrong_arguments(s, c);
    int status = c->run(s);
    session_flush(s);
    return status;
}

static void on_no_memory(void) {
    os_abandon_all();
    fputs("onnxrw: error: out of memory\n", stderr);
    exit(RW_FORMAT);
}

int main(int argc, char **argv) {
    struct session s = {.arena = ARENA_EMPTY};
    diag_init(&s.diags, &s.arena);
    rw_set_oom_handler(on_no_memory);
    process_on_interrupt(os_abandon_all);
    int status = run(&s, argc, argv);
    arena_free(&s.arena);
    if (fflush(stdout) != 0 && status == RW_OK) status = RW_OUTPUT;
    return status;
}
