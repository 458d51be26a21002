/* rules_compile.c -- onnxrw rules compile: packs as C, or as a library for --plugin.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/paths.h"
#include "base/os.h"
#include "base/process.h"
#include "cli/cli.h"
#include "cli/rules.h"
#include "codegen/codegen.h"

#include <errno.h>

struct compilation {
    struct session *s;
    struct dsl_paths paths;
    uint32_t n;                     /* packs, the one that raises models among them */
    const struct rule_pack **packs;
    const struct rule_pack *opset;  /* that one, or NULL */
};

static bool is_library(const char *path) {
    size_t n = strlen(path);
    return n > 3 && rw_streq(path + n - 3, ".so");
}

/* The innermost folder that has all of the packs. */
static const char *common_folder(const struct compilation *c, uint32_t given) {
    const char *first = c->packs[0]->source->name;
    size_t len = strlen(first);
    for (uint32_t i = 0; i < given; i++) {
        const char *path = c->packs[i]->source->name;
        size_t same = 0, behind = 0; /* the last slash that both have */
        for (; same < len && path[same] == first[same]; same++)
            if (path[same] == '/') behind = same + 1;
        len = behind;
    }
    return arena_strndup(&c->s->arena, first, len > 0 ? len - 1 : 0);
}

/* The packs, and "opset.rules" where none of them raises models. */
static bool load(struct compilation *c, uint32_t n, const char *const *names) {
    struct session *s = c->s;
    const char *opset = "opset.rules";
    c->paths = api_paths(&s->arena);
    c->packs = arena_new_array(&s->arena, const struct rule_pack *, n + 1);
    c->n = n;
    if (!dsl_load_packs(&s->arena, n, names, &c->paths, &s->diags, c->packs)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (c->packs[i]->raises_opset) c->opset = c->packs[i];
    if (c->opset || !dsl_pack_file(&s->arena, opset, &c->paths, &s->diags)) return true;
    c->opset = c->packs[c->n++] = dsl_load(&s->arena, opset, &c->paths, &s->diags);
    return c->opset != NULL;
}

static bool compile(struct compilation *c, struct cg_rules *out,
                    const struct rule_pack *pack) {
    struct arena *a = &c->s->arena;
    const struct rule_pack **packs = arena_new_array(a, const struct rule_pack *, 2);
    packs[0] = pack;
    packs[1] = c->opset;
    uint32_t n = c->opset && !pack->raises_opset ? 2 : 1;
    *out = (struct cg_rules){n, packs, pm_compile(a, packs, n, &c->s->diags)};
    return out->compiled != NULL;
}

/* Names of files are shown from the folder that the packs lie in; of packs that come with
 * onnxrw, from theirs. */
static void write_image(const struct compilation *c, const struct cg_image *image,
                        uint32_t given, struct buf *out) {
    struct arena *a = &c->s->arena;
    const char **folders = arena_new_array(a, const char *, c->paths.n + 1);
    folders[0] = common_folder(c, given);
    memcpy(folders + 1, c->paths.folders, c->paths.n * sizeof *folders);
    const struct cg_source source = {image, c->paths.n + 1, folders};
    cg_write(&source, out);
}

/* --- libraries ------------------------------------------------------------------------ */
#define MOST_WORDS 16

/* $CC may have options. */
static uint32_t compiler(struct arena *a, char **argv) {
    const char *own = getenv("CC");
    char *rest = arena_strdup(a, own && *own ? own : "cc");
    uint32_t n = 0;
    for (char *word = strtok(rest, " "); word && n < MOST_WORDS; word = strtok(NULL, " "))
        argv[n++] = word;
    return n;
}

static enum rw_code failed(struct session *s, const char *compiler, int status) {
    if (status < 0)
        diag_where(&s->diags, DIAG_ERROR, compiler, "cannot be run: %s", os_error());
    else
        diag_where(&s->diags, DIAG_ERROR, compiler, "failed with exit status %d", status);
    diag_where(&s->diags, DIAG_HELP, compiler, "the C compiler is named by $CC");
    return RW_OUTPUT;
}

/* cc -shared -fPIC -x c -o OUT -, which reads the text. */
static int run_compiler(struct arena *a, char **argv, uint32_t n, char *out,
                        const struct buf *text) {
    static const char *const flags[] = {"-shared", "-fPIC", "-x", "c", "-o"};
    for (size_t i = 0; i < countof(flags); i++) argv[n++] = arena_strdup(a, flags[i]);
    argv[n++] = out;
    argv[n++] = arena_strdup(a, "-");
    argv[n] = NULL;
    return process_run(argv, buf_text(text), text->len);
}

static enum rw_code cannot_write(struct session *s) {
    diag_where(&s->diags, DIAG_ERROR, s->options.out, "cannot be written: %s", os_error());
    return RW_OUTPUT;
}

static enum rw_code make_library(struct session *s, const struct buf *text) {
    struct os_output out;
    char *argv[MOST_WORDS + 8];
    uint32_t n = compiler(&s->arena, argv);
    if (!os_create(s->options.out, &out)) return cannot_write(s);
    int status = n == 0 || !out.temporary
                     ? (errno = EINVAL, -1)
                     : run_compiler(&s->arena, argv, n, out.temporary, text);
    if (status == 0) return os_commit(&out, s->options.durable) ? RW_OK : cannot_write(s);
    enum rw_code code = failed(s, n ? argv[0] : "$CC", status);
    os_abandon(&out);
    return code;
}

/* --- the command ---------------------------------------------------------------------- */
enum rw_code rules_compile(struct session *s, uint32_t n, const char *const *names) {
    struct compilation c = {.s = s};
    struct cg_image image = {0};
    const char *out = s->options.out;
    if (!out)
        return session_usage(s, "\"rules compile\" needs -o OUT: OUT.c for C, OUT.so for "
                                "a library that --plugin loads");
    if (!load(&c, n, names)) return RW_USAGE;
    struct cg_rules *rules = arena_new_array(&s->arena, struct cg_rules, c.n);
    for (uint32_t i = 0; i < c.n; i++)
        if (!compile(&c, &rules[i], c.packs[i])) return RW_USAGE;
    image = (struct cg_image){c.n, c.packs, c.n, rules};
    struct buf text = {0};
    write_image(&c, &image, n, &text);
    enum rw_code code =
        is_library(out) ? make_library(s, &text) : session_write(s, out, &text);
    buf_free(&text);
    return code;
}
