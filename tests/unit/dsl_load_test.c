/* dsl_load_test.c -- packs by name and path, what they use, and their heads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"

#include <CUnit/Basic.h>

struct fixture {
    struct arena a;
    struct diag_sink sink;
    const char *folder;
    struct dsl_paths paths;
};

static void set_up(struct fixture *f) {
    *f = (struct fixture){0};
    diag_init(&f->sink, &f->a);
    f->folder = arena_printf(&f->a, "%s/packs", ONNXRW_TESTS_DIR);
    f->paths = (struct dsl_paths){1, &f->folder};
}

static const struct rule_pack *parse(struct fixture *f, const char *text) {
    struct diag_source *s = arena_new(&f->a, struct diag_source);
    *s = (struct diag_source){"mine.rules", text, strlen(text)};
    return dsl_parse(&f->a, s, &f->paths, &f->sink);
}

static void packs_are_found_by_name_and_by_path(void) {
    struct fixture f;
    set_up(&f);
    const struct rule_pack *p = dsl_load(&f.a, "other", &f.paths, &f.sink);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_STRING_EQUAL(p->name, "other");
    CU_ASSERT_EQUAL(p->nrules, 3);
    CU_ASSERT_PTR_NOT_NULL(dsl_load(&f.a, "other.rules", &f.paths, &f.sink));
    const char *path = arena_printf(&f.a, "%s/./other.rules", f.folder);
    p = dsl_load(&f.a, path, NULL, &f.sink);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_EQUAL(p->nrules, 3);
    CU_ASSERT_EQUAL(f.sink.count[DIAG_ERROR], 0);
    CU_ASSERT_PTR_NULL(dsl_load(&f.a, "another", &f.paths, &f.sink));
    CU_ASSERT_STRING_EQUAL(f.sink.list.at[0].text, "there is no such pack");
    CU_ASSERT_PTR_NULL(dsl_load(&f.a, f.folder, &f.paths, &f.sink));
    arena_free(&f.a);
}

static void a_pack_used_twice_comes_once(void) {
    struct fixture f;
    set_up(&f);
    const struct rule_pack *p =
        parse(&f, "use \"other\" use \"lib/shared.rules\" use \"other.rules\"");
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_EQUAL(p->nrules, 3);
    CU_ASSERT_STRING_EQUAL(p->rules[0]->name, "drop");
    CU_ASSERT_EQUAL(p->nstages, 3); /* pass fold, shared, other */
    CU_ASSERT_TRUE(p->stages[0].is_pass);
    CU_ASSERT_STRING_EQUAL(p->stages[1].name, "shared");
    CU_ASSERT_STRING_EQUAL(p->stages[2].name, "other");
    CU_ASSERT_EQUAL(p->stages[2].nrules, 2);
    arena_free(&f.a);
}

static void only_takes_the_rules_that_it_names(void) {
    struct fixture f;
    set_up(&f);
    const struct rule_pack *p = parse(&f, "use \"other\" only second, drop");
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_EQUAL(p->nrules, 2);
    CU_ASSERT_STRING_EQUAL(p->rules[0]->name, "drop");
    CU_ASSERT_STRING_EQUAL(p->rules[1]->name, "second");
    arena_free(&f.a);
}

static void the_head_says_version_opsets_and_parameters(void) {
    struct fixture f;
    set_up(&f);
    const struct rule_pack *p = parse(&f,
        "pack p \"doc\" { version 1.20 opset ai.onnx >= 11 <= 20 param n : int = auto "
        "param eps : float = 1e-5 changes interface } rule r: Relu(Relu(x)) => x");
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_STRING_EQUAL(p->doc, "doc");
    CU_ASSERT_STRING_EQUAL(p->version, "1.20");
    CU_ASSERT_EQUAL(p->opset_least, 11);
    CU_ASSERT_EQUAL(p->opset_most, 20);
    CU_ASSERT_TRUE(p->changes_interface);
    CU_ASSERT_EQUAL(p->nparams, 2);
    CU_ASSERT_PTR_NULL(p->params[0].value);
    CU_ASSERT_EQUAL(p->params[1].type, PARAM_FLOAT);
    CU_ASSERT_EQUAL(p->params[1].value->real, 1e-5);
    arena_free(&f.a);
}

static void a_file_without_a_head_claims_opset_7_and_later(void) {
    struct fixture f;
    set_up(&f);
    const struct rule_pack *p = parse(&f, "rule r: Relu(Relu(x)) => x");
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_STRING_EQUAL(p->name, "mine");
    CU_ASSERT_EQUAL(p->opset_least, 7);
    CU_ASSERT_EQUAL(p->opset_most, 0);
    arena_free(&f.a);
}

static void rules_in_no_phase_run_in_the_first(void) {
    struct fixture f;
    set_up(&f);
    const struct rule_pack *p = parse(&f,
        "pass fold phase one { b } phase two { c } rule a: Abs(Abs(x)) => x "
        "rule b: Neg(Neg(x)) => x rule c: Relu(Relu(x)) => Relu(x)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT_EQUAL(p->nstages, 3);
    CU_ASSERT_EQUAL(p->stages[1].nrules, 2);
    CU_ASSERT_EQUAL(p->stages[1].rules[0], 1);
    CU_ASSERT_EQUAL(p->stages[1].rules[1], 0);
    CU_ASSERT_EQUAL(p->stages[2].nrules, 1);
    arena_free(&f.a);
}

static void examples_keep_their_text_and_expectations(void) {
    struct fixture f;
    set_up(&f);
    const char *text =
        "rule r: Relu(Relu(x)) => Relu(x) {\n"
        "  example { y = A(\"}\") # }\n { } } => Relu 1, com.microsoft.Gelu 0\n"
        "  near \"title\" {a} => \"why\" }";
    const struct rule_pack *p = parse(&f, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    const struct rule *r = p->rules[0];
    CU_ASSERT_EQUAL(r->nexamples, 3);
    const struct rule_example *e = r->examples;
    CU_ASSERT_EQUAL(strncmp(text + e[0].graph.begin, " y = A(\"}\") # }\n { } }", 21), 0);
    CU_ASSERT_EQUAL(text[e[0].graph.end], '}');
    CU_ASSERT_STRING_EQUAL(e[1].expects, "Gelu");
    CU_ASSERT_EQUAL(e[1].count, 0);
    CU_ASSERT_TRUE(e[2].is_near);
    CU_ASSERT_STRING_EQUAL(e[2].name, "title");
    CU_ASSERT_STRING_EQUAL(e[2].expects, "why");
    arena_free(&f.a);
}

/* The names of dimensions are slots as well, and make room for themselves. */
static void a_type_in_where_is_kept_whatever_it_names(void) {
    struct fixture f;
    for (uint32_t n = 1; n < 40; n++) {
        struct buf text = {0};
        set_up(&f);
        buf_puts(&text, "rule r { match { y = Add(x, z) } emit { y = Sub(x, z) } where { x : float[");
        for (uint32_t i = 0; i < n; i++) buf_printf(&text, "%sd%u", i ? ", " : "", i);
        buf_puts(&text, "]; } }");
        const struct rule_pack *p = parse(&f, buf_text(&text));
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        const struct rule *r = p->rules[0];
        uint32_t typed = 0;
        for (uint32_t i = 0; i < r->nslots; i++) typed += r->slots[i].type != NULL;
        CU_ASSERT_EQUAL(typed, 1);
        buf_free(&text);
        arena_free(&f.a);
    }
}

void add_dsl_load_suite(void);
void add_dsl_load_suite(void) {
    CU_pSuite s = CU_add_suite("dsl: packs", NULL, NULL);
    CU_ADD_TEST(s, packs_are_found_by_name_and_by_path);
    CU_ADD_TEST(s, a_pack_used_twice_comes_once);
    CU_ADD_TEST(s, only_takes_the_rules_that_it_names);
    CU_ADD_TEST(s, the_head_says_version_opsets_and_parameters);
    CU_ADD_TEST(s, a_file_without_a_head_claims_opset_7_and_later);
    CU_ADD_TEST(s, rules_in_no_phase_run_in_the_first);
    CU_ADD_TEST(s, examples_keep_their_text_and_expectations);
    CU_ADD_TEST(s, a_type_in_where_is_kept_whatever_it_names);
}
