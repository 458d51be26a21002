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
    {"explain", FOR_EXPLAIN, cmd_explain,
     "explain [-r PACK]... [--rule RULE] [--node NODE] [--json] MODEL", 1, 1,
     "why a rule did not match"},
    {"check", FOR_CHECK, cmd_check, "check [--json] MODEL", 1, 1, "verify a model"},
    {"infer", FOR_INFER, cmd_infer, "infer [--json] [-o OUT] MODEL", 1, 1, "write inferred shapes"},
    {"print", FOR_PRINT, cmd_print, "print [--all] [-o OUT] MODEL", 1, 1,
     "a model as ONNX text"},
    {"parse", FOR_PARSE, cmd_parse, "parse [-o OUT] TEXT", 1, 1, "ONNX text to a model"},
    {"diff", FOR_DIFF, cmd_diff, "diff [--inputs X.npz | --random] [options] A B", 2, 2,
     "compare two models"},
    {"bench", FOR_BENCH, cmd_bench, "bench [--dim NAME=N]... [options] A B...", 2, 16,
     "which of several models runs fastest, and by how much"},
    {"tune", FOR_TUNE, cmd_tune, "tune [-r PACK]... [-o OUT] [--dim NAME=N]... [options] MODEL",
     1, 1, "rewrite a model by what is measured to make it faster"},
    {"capture", FOR_CAPTURE, cmd_capture,
     "capture --inputs A,B --outputs Y [--name NAME] [-o OUT] MODEL", 1, 1,
     "a rule from a real subgraph"},
    {"rules", FOR_RULES, cmd_rules, "rules check|test|fmt|list|compile|doc|explain [PACK...]", 1, ANY,
     "check, test, format, list, compile rules, or show them"},
    {"completion", FOR_COMPLETION, cmd_completion, "completion bash|zsh|fish", 1, 1,
     "a script that completes the command line"},
};

const struct command *command_at(size_t i) {
    return i == 0 ? &main_job : i <= countof(commands) ? &commands[i - 1] : NULL;
}

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

static const char rules_help[] =
    "\n"
    "  check   say what is wrong, and where; warn of what looks it\n"
    "  test    run the examples and near misses that stand in the packs\n"
    "  fmt     lay the files out, in place (--dry-run: name those that would change)\n"
    "  list    name, class, target and description of each rule\n"
    "  compile packs to C, or to a library that --plugin loads: -o OUT.c, -o OUT.so\n"
    "  doc     a page of the rules, with pictures of examples before and after (-o OUT.md)\n"
    "  explain what the id behind a message (R010) means, and what to do\n"
    "\n"
    "PACK is a file, or the name of a pack that comes with onnxrw\n";

static void print_help(const struct command *c) {
    struct buf text = {0};
    buf_printf(&text, "usage: onnxrw %s\n\n%s\n%s\noptions:\n", c->usage, c->what,
               c->bit == FOR_RULES ? rules_help : "");
    options_describe(c->bit, &text);
    if (!c->name) {
        buf_puts(&text, "\ncommands (`onnxrw COMMAND --help` for more):\n");
        for (size_t i = 0; i < countof(commands); i++)
            buf_printf(&text, "  %-10s %s\n", commands[i].name, commands[i].what);
        buf_puts(&text,
                 "\nexit status: 0 done, 1 a rewrite or a model was found wrong, 2 wrong\n"
                 "usage or a bad rules file, 3 the input cannot be read, 4 the output\n"
                 "cannot be written\n");
    }
    fputs(buf_text(&text), stdout);
    buf_free(&text);
}

static bool ends_in(const char *word, const char *end) {
    size_t n = strlen(word), m = strlen(end);
    return n > m && rw_streq(word + n - m, end);
}

/* Two words without a command: what they were meant to be, if that can be told. */
static enum rw_code two_words(struct session *s, const char *first, const char *second) {
    if (find_command(first))
        return session_usage(s, "the command comes before its options: onnxrw %s ...", first);
    const char *near = nearest_command(first);
    const char *pack = ends_in(first, ".rules")    ? first
                       : ends_in(second, ".rules") ? second
                                                   : NULL;
    if (near) return session_usage(s, "no command \"%s\"; did you mean \"%s\"?", first, near);
    if (pack) return session_usage(s, "a pack is given by -r: -r %s", pack);
    if (s->options.out || !ends_in(second, ".onnx")) return RW_OK;
    return session_usage(s, "one model at a time; the output is given by -o: -o %s", second);
}

static enum rw_code wrong_arguments(struct session *s, const struct command *c) {
    uint32_t n = s->options.args.len;
    const char *const *args = s->options.args.at;
    enum rw_code code = n == 2 && !c->name ? two_words(s, args[0], args[1]) : RW_OK;
    if (code != RW_OK) return code;
    if (n > c->most)
        return session_usage(s, "unexpected argument \"%s\"; usage: onnxrw %s",
                             args[c->most], c->usage);
    return session_usage(s, "an argument is missing; usage: onnxrw %s\n"
                            "onnxrw: `onnxrw %s%s--help` says more", c->usage,
                         c->name ? c->name : "", c->name ? " " : "");
}

/* `onnxrw help` and `onnxrw help COMMAND`, unless a file has that name. */
static bool wants_help(int argc, char **argv, const struct command **c) {
    struct os_stamp stamp;
    if (argc < 2 || argc > 3 || !rw_streq(argv[1], "help") || os_stat("help", &stamp))
        return false;
    const struct command *asked = argc == 3 ? find_command(argv[2]) : &main_job;
    if (asked) *c = asked;
    return asked != NULL;
}

static enum rw_code run(struct session *s, int argc, char **argv) {
    const struct command *c = argc > 1 ? find_command(argv[1]) : NULL;
    int first = c ? 2 : 1;
    struct buf error = {0};
    if (!c) c = &main_job;
    if (argc == 2 && rw_streq(argv[1], "--version")) {
        puts("onnxrw " ONNXRW_VERSION);
        return RW_OK;
    }
    if (wants_help(argc, argv, &c)) {
        print_help(c);
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
    uint32_t n = s->options.args.len;
    if (n < c->least || n > c->most) return wrong_arguments(s, c);
    enum rw_code status = c->run(s);
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
    enum rw_code status = run(&s, argc, argv);
    arena_free(&s.arena);
    if (fflush(stdout) != 0 && status == RW_OK) status = RW_OUTPUT;
    return (int)status;
}
