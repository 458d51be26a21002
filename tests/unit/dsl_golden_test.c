/* dsl_golden_test.c -- the formatter and the diagnostics of the language, by exact text.
 *
 * tests/fmt/<what>.rules is formatted to <what>.txt; tests/diag/<what>.rules is checked and
 * its messages are <what>.txt; tests/lint/<what>.rules is checked for what lint/ finds, with
 * the graphs that it prints; tests/lower/<what>.rules is lowered, and its rules are
 * printed. With ONNXRW_UPDATE=1 in the environment the expectations are
 * written anew: look at the difference before committing it.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "dsl/dsl.h"
#include "lint/lint.h"

#include <CUnit/Basic.h>
#include <dirent.h>
#include <stdio.h>

static int is_rules(const struct dirent *entry) {
    size_t n = strlen(entry->d_name);
    return n > 6 && rw_streq(entry->d_name + n - 6, ".rules");
}

static const struct diag_source *read_file(struct arena *a, const char *path,
                                           const char *shown) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    struct buf b = {0};
    char piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;) buf_add(&b, piece, n);
    fclose(f);
    struct diag_source *s = arena_new(a, struct diag_source);
    *s = (struct diag_source){arena_strdup(a, shown), arena_strdup(a, buf_text(&b)), b.len};
    buf_free(&b);
    return s;
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

typedef void make_text(struct arena *a, const struct diag_source *source, struct buf *out);

static void format(struct arena *a, const struct diag_source *source, struct buf *out) {
    struct diag_sink sink;
    diag_init(&sink, a);
    CU_ASSERT_EQUAL(dsl_format(source, out, &sink), RW_OK);
    struct diag_source again = {"again", buf_text(out), out->len};
    struct buf second = {0};
    CU_ASSERT_EQUAL(dsl_format(&again, &second, &sink), RW_OK);
    CU_ASSERT_STRING_EQUAL(buf_text(&second), buf_text(out));
    buf_free(&second);
    diag_print_all(&sink, DIAG_NOTE, out);
}

/* Paths of this machine do not belong into expectations. */
static void put_relative(struct buf *out, const char *text) {
    size_t n = strlen(ONNXRW_TESTS_DIR);
    for (const char *at; (at = strstr(text, ONNXRW_TESTS_DIR)); text = at + n) {
        buf_add(out, text, (size_t)(at - text));
        buf_puts(out, "tests");
    }
    buf_puts(out, text);
}

static const struct rule_pack *parse(struct arena *a, const struct diag_source *source,
                                     struct buf *out) {
    struct diag_sink sink;
    diag_init(&sink, a);
    const char *folder = arena_printf(a, "%s/packs", ONNXRW_TESTS_DIR);
    struct dsl_paths paths = {1, &folder};
    const struct rule_pack *pack = dsl_parse(a, source, &paths, &sink);
    CU_ASSERT_EQUAL(pack == NULL, sink.count[DIAG_ERROR] > 0);
    struct buf printed = {0};
    diag_print_all(&sink, DIAG_NOTE, &printed);
    put_relative(out, buf_text(&printed));
    buf_free(&printed);
    return pack;
}

static void check(struct arena *a, const struct diag_source *source, struct buf *out) {
    parse(a, source, out);
}

static void lint(struct arena *a, const struct diag_source *source, struct buf *out) {
    struct diag_sink sink;
    const struct rule_pack *pack = parse(a, source, out);
    diag_init(&sink, a);
    CU_ASSERT_PTR_NOT_NULL(pack);
    if (!pack) return;
    enum rw_code code = lint_pack(pack, true, &sink);
    lint_allow(pack, true, &sink, 0);
    CU_ASSERT_EQUAL(code, sink.count[DIAG_ERROR] ? RW_USAGE : RW_OK);
    diag_print_all(&sink, DIAG_NOTE, out);
}

static void lower(struct arena *a, const struct diag_source *source, struct buf *out) {
    const struct rule_pack *pack = parse(a, source, out);
    CU_ASSERT_PTR_NOT_NULL(pack);
    if (!pack) return;
    for (uint32_t i = 0; i < pack->nrules; i++) dsl_dump_rule(pack->rules[i], out);
    for (uint32_t i = 0; i < pack->nstages; i++) {
        const struct rule_stage *s = &pack->stages[i];
        buf_printf(out, "%s%s %s", s->atomic ? "atomic " : "",
                   s->is_pass ? "pass" : "phase", s->name);
        for (uint32_t k = 0; k < s->nrules; k++)
            buf_printf(out, " %s", pack->rules[s->rules[k]]->name);
        buf_putc(out, '\n');
    }
}

static void compare(const char *folder, const char *file, make_text *make) {
    struct arena a = ARENA_EMPTY;
    struct buf out = {0};
    const char *path = arena_printf(&a, "%s/%s/%s", ONNXRW_TESTS_DIR, folder, file);
    char *expected_path = arena_printf(&a, "%s", path);
    strcpy(expected_path + strlen(path) - 5, "txt");
    make(&a, read_file(&a, path, file), &out);
    if (getenv("ONNXRW_UPDATE")) write_file(expected_path, buf_text(&out));
    const struct diag_source *expected = read_file(&a, expected_path, file);
    CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
    if (!rw_streq(expected->text, buf_text(&out)))
        printf("\n%s: expected\n%sfound\n%s", path, expected->text, buf_text(&out));
    CU_ASSERT_STRING_EQUAL(expected->text, buf_text(&out));
    buf_free(&out);
    arena_free(&a);
}

static void compare_all(const char *folder, make_text *make) {
    struct arena a = ARENA_EMPTY;
    struct dirent **list = NULL;
    int n = scandir(arena_printf(&a, "%s/%s", ONNXRW_TESTS_DIR, folder), &list, is_rules,
                    alphasort);
    CU_ASSERT_TRUE(n > 0);
    for (int i = 0; i < n; i++) {
        compare(folder, list[i]->d_name, make);
        free(list[i]);
    }
    free(list);
    arena_free(&a);
}

/* Without what layout is free in: spaces, semicolons, comments. */
static void essence(const char *text, struct buf *out) {
    for (const char *c = text; *c; c++) {
        if (*c == '#') c += strcspn(c, "\n") - 1;
        else if (*c == '"') {
            size_t n = 1 + strcspn(c + 1, "\"") + 1; /* with both quotes */
            buf_add(out, c, n);
            c += n - 1;
        } else if (!strchr(" \t\n;", *c)) {
            buf_putc(out, *c);
        }
    }
}

static void format_keeps_the_meaning(struct arena *a, const struct diag_source *source,
                                     struct buf *out) {
    struct buf formatted = {0}, before = {0};
    format(a, source, &formatted);
    essence(source->text, &before);
    essence(buf_text(&formatted), out);
    CU_ASSERT_STRING_EQUAL(buf_text(out), buf_text(&before));
    buf_free(&formatted);
    buf_free(&before);
}

static void packs_are_only_laid_out_anew(void) {
    static const char *const packs[] = {"auto", "bert", "opset", "lib/cleanup", "lib/norm",
                                        "lib/gelu", "lib/skip_norm"};
    for (size_t i = 0; i < countof(packs); i++) {
        struct arena a = ARENA_EMPTY;
        struct buf out = {0};
        const char *path = arena_printf(&a, "%s/%s.rules", ONNXRW_SOURCE_RULES, packs[i]);
        const struct diag_source *source = read_file(&a, path, packs[i]);
        CU_ASSERT_PTR_NOT_NULL(source);
        if (source) format_keeps_the_meaning(&a, source, &out);
        buf_free(&out);
        arena_free(&a);
    }
}

static void files_are_formatted_as_expected(void) { compare_all("fmt", format); }

static void files_are_lowered_as_expected(void) { compare_all("lower", lower); }
static void messages_are_as_expected(void) { compare_all("diag", check); }

static void findings_are_as_expected(void) { compare_all("lint", lint); }

void add_dsl_golden_suite(void);
void add_dsl_golden_suite(void) {
    CU_pSuite s = CU_add_suite("dsl: golden texts", NULL, NULL);
    CU_ADD_TEST(s, files_are_formatted_as_expected);
    CU_ADD_TEST(s, packs_are_only_laid_out_anew);
    CU_ADD_TEST(s, files_are_lowered_as_expected);
    CU_ADD_TEST(s, messages_are_as_expected);
    CU_ADD_TEST(s, findings_are_as_expected);
}
