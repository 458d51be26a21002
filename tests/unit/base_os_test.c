/* Outputs that appear complete or not at all, and files that must stay in their folder.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700 /* mkdtemp, symlink, truncate */
#include "base/arena.h"
#include "base/os.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <unistd.h>

static struct arena a;
static char *folder;

static const char *in_folder(const char *name) {
    return arena_printf(&a, "%s/%s", folder, name);
}

static void start(void) {
    a = ARENA_EMPTY;
    folder = arena_strdup(&a, "/tmp/onnxrw-os-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static void finish(void) {
    CU_ASSERT_EQUAL(rmdir(folder), 0); /* nothing was left behind */
    arena_free(&a);
}

static bool exists(const char *path) {
    struct os_stamp s;
    return os_stat(path, &s);
}

static void put(const char *path, const char *text) {
    struct os_output o;
    CU_ASSERT_TRUE_FATAL(os_create(path, &o));
    CU_ASSERT_TRUE(os_write(o.fd, text, strlen(text)));
    CU_ASSERT_TRUE(os_commit(&o, true));
}

static void assert_text(const char *path, const char *text) {
    struct os_file f;
    char bytes[64] = {0};
    CU_ASSERT_TRUE_FATAL(os_open(path, &f));
    CU_ASSERT_EQUAL_FATAL(f.stamp.size, strlen(text));
    CU_ASSERT_TRUE(os_read_at(f.fd, 0, bytes, strlen(text)));
    CU_ASSERT_STRING_EQUAL(bytes, text);
    os_close(&f);
}

static void an_output_has_its_name_when_it_is_complete(void) {
    start();
    const char *path = in_folder("out");
    struct os_output o;
    put(path, "before");
    CU_ASSERT_TRUE_FATAL(os_create(path, &o));
    CU_ASSERT_TRUE(os_write(o.fd, "half", 4));
    assert_text(path, "before");
    os_abandon(&o);
    assert_text(path, "before");
    put(path, "after");
    assert_text(path, "after");
    os_remove(path);
    finish();
}

static void abandoning_all_removes_what_is_not_committed(void) {
    start();
    struct os_output o, p;
    CU_ASSERT_TRUE_FATAL(os_create(in_folder("a"), &o));
    CU_ASSERT_TRUE_FATAL(os_create(in_folder("b"), &p));
    os_abandon_all();
    CU_ASSERT_FALSE(exists(o.temporary));
    CU_ASSERT_FALSE(exists(p.temporary));
    os_abandon(&p);
    os_abandon(&o);
    finish();
}

static void an_output_through_a_link_replaces_what_the_link_names(void) {
    start();
    put(in_folder("real"), "before");
    CU_ASSERT_EQUAL(symlink("real", in_folder("link")), 0);
    put(in_folder("link"), "after");
    assert_text(in_folder("real"), "after");
    char target[16] = {0};
    CU_ASSERT_EQUAL(readlink(in_folder("link"), target, sizeof target - 1), 4);
    os_remove(in_folder("link"));
    os_remove(in_folder("real"));
    finish();
}

static void files_outside_the_folder_are_not_opened(void) {
    start();
    struct os_file f;
    size_t made;
    const char *inner = in_folder("in/sub/file");
    put(in_folder("outside"), "no");
    CU_ASSERT_TRUE(os_make_folders(inner, &made));
    CU_ASSERT_EQUAL(made, strlen(in_folder("in")));
    put(inner, "yes");
    CU_ASSERT_EQUAL(symlink("../outside", in_folder("in/out")), 0);
    CU_ASSERT_EQUAL(symlink("sub/file", in_folder("in/inside")), 0);
    const char *root = in_folder("in");
    CU_ASSERT_EQUAL(os_open_within(root, "sub/file", &f), OS_WITHIN);
    os_close(&f);
    CU_ASSERT_EQUAL(os_open_within(root, "inside", &f), OS_WITHIN);
    os_close(&f);
    CU_ASSERT_EQUAL(os_open_within(root, "./sub/..file", &f), OS_UNREADABLE);
    CU_ASSERT_EQUAL(os_open_within(root, "out", &f), OS_OUTSIDE);
    CU_ASSERT_EQUAL(os_open_within(root, "sub/../../outside", &f), OS_OUTSIDE);
    CU_ASSERT_EQUAL(os_open_within(root, "..", &f), OS_OUTSIDE);
    CU_ASSERT_EQUAL(os_open_within(root, "", &f), OS_OUTSIDE);
    CU_ASSERT_EQUAL(os_open_within(root, in_folder("in/sub/file"), &f), OS_OUTSIDE);
    CU_ASSERT_EQUAL(os_open_within(root, "sub", &f), OS_UNREADABLE);
    os_remove(in_folder("in/out"));
    os_remove(in_folder("in/inside"));
    os_remove(inner);
    os_remove(in_folder("outside"));
    os_remove_folders(inner, made);
    finish();
}

static void a_copy_has_the_same_bytes(void) {
    start();
    struct os_file in;
    struct os_output out;
    put(in_folder("in"), "some bytes");
    CU_ASSERT_TRUE_FATAL(os_open(in_folder("in"), &in));
    CU_ASSERT_TRUE_FATAL(os_create(in_folder("out"), &out));
    CU_ASSERT_TRUE(os_copy(out.fd, &in));
    CU_ASSERT_TRUE(os_commit(&out, false));
    assert_text(in_folder("out"), "some bytes");
    CU_ASSERT_TRUE(os_unchanged(&in));
    os_close(&in);
    os_remove(in_folder("in"));
    os_remove(in_folder("out"));
    finish();
}

static void copying_a_file_that_shrank_fails(void) {
    start();
    const char *path = in_folder("in");
    struct os_output o;
    struct os_file in;
    CU_ASSERT_TRUE_FATAL(os_create(path, &o));
    CU_ASSERT_EQUAL(ftruncate(o.fd, 1 << 20), 0);
    CU_ASSERT_TRUE(os_commit(&o, false));
    CU_ASSERT_TRUE_FATAL(os_open(path, &in));
    CU_ASSERT_EQUAL(truncate(path, 10), 0);
    CU_ASSERT_TRUE_FATAL(os_create(in_folder("out"), &o));
    CU_ASSERT_FALSE(os_copy(o.fd, &in));
    CU_ASSERT_EQUAL(errno, 0);
    CU_ASSERT_FALSE(os_unchanged(&in));
    os_abandon(&o);
    os_close(&in);
    os_remove(path);
    finish();
}

static void folders_and_base_names(void) {
    const struct {
        const char *path, *folder, *name;
    } cases[] = {{"a/b/c", "a/b", "c"}, {"c", ".", "c"}, {"/c", "/", "c"}, {"a/", "a", ""}};
    for (size_t i = 0; i < countof(cases); i++) {
        char *found = os_folder(cases[i].path);
        CU_ASSERT_STRING_EQUAL(found, cases[i].folder);
        CU_ASSERT_STRING_EQUAL(os_basename(cases[i].path), cases[i].name);
        free(found);
    }
}

void add_base_os_suite(void);
void add_base_os_suite(void) {
    CU_pSuite s = CU_add_suite("base/os", NULL, NULL);
#define T(name) CU_add_test(s, #name, name)
    T(an_output_has_its_name_when_it_is_complete);
    T(abandoning_all_removes_what_is_not_committed);
    T(an_output_through_a_link_replaces_what_the_link_names);
    T(files_outside_the_folder_are_not_opened);
    T(a_copy_has_the_same_bytes);
    T(copying_a_file_that_shrank_fails);
    T(folders_and_base_names);
#undef T
}
