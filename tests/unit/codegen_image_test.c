/* Compiled packs against what the files give. SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "codegen/layout.h"
#include "matcher/auto.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static const char *const folder = ONNXRW_SOURCE_RULES;
static const struct dsl_paths source_folder = {1, &folder};

/* --- a walk over both copies --------------------------------------------------------- */
struct pair {
    enum cg_type type;
    const void *a, *b;
};
struct walk {
    struct arena arena;
    VEC(struct pair) todo;
    struct map seen[CG_TYPE_N]; /* a -> its place in `todo` */
    const char *differs;
};

static void pair_up(struct walk *w, enum cg_type t, const void *a, const void *b) {
    if (!a && !b) return;
    if (!a || !b) {
        w->differs = cg_structs[t].name;
        return;
    }
    if (map_get(&w->seen[t], (uint64_t)(uintptr_t)a) != MAP_NONE) return;
    map_put(&w->seen[t], (uint64_t)(uintptr_t)a, w->todo.len);
    vec_push(&w->arena, &w->todo, (struct pair){t, a, b});
}

static const char *text_at(const void *at) {
    const char *text;
    memcpy(&text, at, sizeof text);
    return text;
}

static bool ends_in(const char *path, const char *name) {
    size_t n = strlen(path), k = strlen(name);
    return n >= k && rw_streq(path + n - k, name);
}

static void compare_item(struct walk *w, const struct cg_field *f, const void *a,
                         const void *b) {
    const char *x, *y;
    bool same = true;
    switch (f->item) {
    case CG_NUM: same = memcmp(a, b, cg_number_size(f->number)) == 0; break;
    case CG_TEXT:
        x = text_at(a), y = text_at(b);
        same = x && y ? rw_streq(x, y) : x == y;
        break;
    case CG_FILE_NAME: same = ends_in(text_at(a), text_at(b)); break;
    case CG_STRUCT: pair_up(w, f->type, a, b); break;
    case CG_REF: pair_up(w, f->type, text_at(a), text_at(b)); break;
    case CG_UNUSED: break;
    }
    if (!same) w->differs = f->name;
}

static void compare_field(struct walk *w, const struct cg_field *f, const void *a,
                          const void *b) {
    if (f->item == CG_UNUSED) return;
    if (f->holder == CG_PLAIN) {
        compare_item(w, f, (const char *)a + f->offset, (const char *)b + f->offset);
        return;
    }
    uint32_t n = f->count(a);
    size_t size = cg_item_size(f);
    if (n != f->count(b)) w->differs = f->name;
    for (uint32_t i = 0; i < n && !w->differs; i++)
        compare_item(w, f, (const char *)cg_items(f, a) + i * size,
                     (const char *)cg_items(f, b) + i * size);
}

/* The field that differs, or NULL. */
static const char *difference(enum cg_type t, const void *a, const void *b) {
    struct walk w = {0};
    for (uint32_t i = 0; i < CG_TYPE_N; i++) map_init(&w.seen[i], &w.arena);
    pair_up(&w, t, a, b);
    for (uint32_t i = 0; i < w.todo.len && !w.differs; i++) {
        struct pair p = w.todo.at[i];
        for (uint32_t k = 0; k < cg_structs[p.type].nfields && !w.differs; k++)
            compare_field(&w, &cg_structs[p.type].fields[k], p.a, p.b);
    }
    arena_free(&w.arena);
    return w.differs;
}

/* --- tests --------------------------------------------------------------------------- */
static const struct cg_image *image(void) {
    const struct cg_header *h = cg_builtin();
    CU_ASSERT_PTR_NOT_NULL_FATAL(h);
    CU_ASSERT_PTR_NULL_FATAL(cg_refused(h));
    return h->image;
}

static void packs_of_the_library_are_what_their_files_give(void) {
    const struct cg_image *built = image();
    CU_ASSERT_TRUE(built->nrules > 1);
    for (uint32_t i = 0; i < built->nrules; i++) {
        const struct cg_rules *r = &built->rules[i];
        struct arena a = ARENA_EMPTY;
        struct diag_sink diags;
        const char *names[4];
        const struct rule_pack *packs[4];
        diag_init(&diags, &a);
        for (uint32_t k = 0; k < r->npacks; k++) names[k] = r->packs[k]->source->name;
        CU_ASSERT_TRUE_FATAL(
            dsl_load_packs(&a, r->npacks, names, &source_folder, &diags, packs));
        const struct pm_auto *p = pm_compile(&a, packs, r->npacks, &diags);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        const char *field = difference(CG_pm_auto, p, r->compiled);
        CU_ASSERT_PTR_NULL(field);
        if (field) fprintf(stderr, "%s: \"%s\"\n", names[0], field);
        arena_free(&a);
    }
}

static void a_difference_is_seen(void) {
    const struct cg_image *built = image();
    CU_ASSERT_PTR_NOT_NULL(
        difference(CG_pm_auto, built->rules[0].compiled, built->rules[1].compiled));
}

static void packs_have_names_without_folders(void) {
    const struct rule_pack *bert = cg_named(image(), "bert");
    CU_ASSERT_PTR_NOT_NULL_FATAL(bert);
    CU_ASSERT_STRING_EQUAL(bert->source->name, "bert.rules");
    CU_ASSERT_PTR_EQUAL(cg_named(image(), "bert.rules"), bert);
    CU_ASSERT_PTR_NULL(cg_named(image(), "ber"));
    CU_ASSERT_PTR_NULL(cg_named(image(), "bert.rule"));
}

static void files_that_changed_are_told(void) {
    const struct cg_image *built = image();
    const struct rule_pack *bert = cg_named(built, "bert");
    CU_ASSERT_PTR_EQUAL(cg_unchanged(built, ONNXRW_SOURCE_RULES "/bert.rules"), bert);
    /* beside it there is no lib/ */
    CU_ASSERT_PTR_NULL(cg_unchanged(built, ONNXRW_SOURCE_RULES "/../bert.rules"));
    CU_ASSERT_PTR_NULL(cg_unchanged(built, ONNXRW_SOURCE_RULES "/lib/norm.rules"));
}

static void other_versions_and_machines_are_refused(void) {
    struct cg_header h = *cg_builtin();
    uint32_t sizes[CG_TYPE_N];
    CU_ASSERT_PTR_NULL(cg_refused(&h));
    memcpy(sizes, h.sizes, sizeof sizes);
    sizes[CG_TYPE_N - 1]++;
    h.sizes = sizes;
    CU_ASSERT_STRING_EQUAL(cg_refused(&h), "it was compiled for another machine");
    h.layout++;
    CU_ASSERT_STRING_EQUAL(cg_refused(&h), "it was compiled by another version of onnxrw");
    h = (struct cg_header){.abi = CG_ABI + 1, .layout = cg_layout_hash()};
    CU_ASSERT_STRING_EQUAL(cg_refused(&h), "it was compiled by another version of onnxrw");
}

void add_codegen_image_suite(void);
void add_codegen_image_suite(void) {
    CU_pSuite s = CU_add_suite("codegen: compiled packs", NULL, NULL);
    CU_ADD_TEST(s, packs_of_the_library_are_what_their_files_give);
    CU_ADD_TEST(s, a_difference_is_seen);
    CU_ADD_TEST(s, packs_have_names_without_folders);
    CU_ADD_TEST(s, files_that_changed_are_told);
    CU_ADD_TEST(s, other_versions_and_machines_are_refused);
}
