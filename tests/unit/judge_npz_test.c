/* Arrays of numpy: zip files made here, stored and deflated, and what is damaged.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "judge/judge.h"
#include "judge/npz/zip.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <zlib.h>

static struct arena a;
static struct diag_sink diags;

/* --- making files ------------------------------------------------------------------- */

struct member { uint64_t packed, size; uint32_t offset; const char *name; bool deflated; };
static struct { struct buf bytes; struct member at[8]; uint32_t n; } archive;

static void put(uint64_t x, int n) {
    for (; n-- > 0; x >>= 8) buf_putc(&archive.bytes, (char)x);
}

static void pack(const struct buf *from, bool deflated) {
    uint8_t out[4096];
    z_stream s = {.next_in = (uint8_t *)from->at, .avail_in = (uInt)from->len,
                  .next_out = out, .avail_out = sizeof out};
    if (!deflated) {
        buf_add(&archive.bytes, from->at, from->len);
        return;
    }
    deflateInit2(&s, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    CU_ASSERT_EQUAL(deflate(&s, Z_FINISH), Z_STREAM_END);
    buf_add(&archive.bytes, out, s.total_out);
    deflateEnd(&s);
}

/* As numpy writes it: the local header says the sizes in an extra field. */
static void add_member(const char *name, const struct buf *contents, bool deflated) {
    struct member *m = &archive.at[archive.n++];
    *m = (struct member){.size = contents->len, .offset = (uint32_t)archive.bytes.len,
                         .name = name, .deflated = deflated};
    put(0x04034b50, 4), put(45, 2), put(0, 2), put(deflated ? 8 : 0, 2), put(0, 8);
    put(UINT32_MAX, 4), put(UINT32_MAX, 4), put(strlen(name), 2), put(20, 2);
    buf_puts(&archive.bytes, name);
    put(1, 2), put(16, 2), put(contents->len, 8), put(0, 8);
    size_t before = archive.bytes.len;
    pack(contents, deflated);
    m->packed = archive.bytes.len - before;
}

static void add_array(const char *name, const char *header, const void *data, size_t len,
                      bool deflated) {
    struct buf b = {0};
    buf_add(&b, "\x93NUMPY\x01\x00", 8);
    buf_putc(&b, (char)strlen(header));
    buf_putc(&b, 0);
    buf_puts(&b, header);
    buf_add(&b, data, len);
    add_member(name, &b, deflated);
    buf_free(&b);
}

static void end_archive(void) {
    size_t begin = archive.bytes.len;
    for (uint32_t i = 0; i < archive.n; i++) {
        const struct member *m = &archive.at[i];
        put(0x02014b50, 4), put(45, 2), put(45, 2), put(0, 2), put(m->deflated ? 8 : 0, 2);
        put(0, 8), put(m->packed, 4), put(m->size, 4), put(strlen(m->name), 2), put(0, 12);
        put(m->offset, 4);
        buf_puts(&archive.bytes, m->name);
    }
    size_t len = archive.bytes.len - begin;
    put(0x06054b50, 4), put(0, 4), put(archive.n, 2), put(archive.n, 2), put(len, 4);
    put(begin, 4), put(0, 2);
}

static enum rw_code read_bytes(const void *bytes, size_t len, struct judge_values *out) {
    const char *folder = getenv("TMPDIR");
    const char *path = arena_printf(&a, "%s/onnxrw-test.npz",
                                    folder && *folder ? folder : "/tmp");
    struct os_output o;
    diag_init(&diags, &a);
    CU_ASSERT_TRUE_FATAL(os_create(path, &o));
    CU_ASSERT_TRUE(os_write(o.fd, bytes, len));
    CU_ASSERT_TRUE(os_commit(&o, false));
    enum rw_code code = judge_npz_read(path, &a, &diags, out);
    os_remove(path);
    return code;
}

/* Reads the archive, and begins a new one. */
static enum rw_code read_archive(struct judge_values *out) {
    end_archive();
    enum rw_code code = read_bytes(archive.bytes.at, archive.bytes.len, out);
    buf_free(&archive.bytes);
    memset(&archive, 0, sizeof archive);
    return code;
}

#define HEADER(descr, shape)                                                               \
    "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

/* --- tests -------------------------------------------------------------------------- */

static void arrays_are_read_stored_and_deflated(void) {
    const float x[] = {1, 2, 3, 4, 5, 6};
    const int64_t n[] = {7};
    struct judge_values out;
    add_array("x.npy", HEADER("<f4", "(2, 3)"), x, sizeof x, false);
    add_array("n.npy", HEADER("<i8", "()"), n, sizeof n, true);
    CU_ASSERT_EQUAL_FATAL(read_archive(&out), RW_OK);
    CU_ASSERT_EQUAL_FATAL(out.n, 2);
    CU_ASSERT_STRING_EQUAL(out.at[0].name, "x");
    CU_ASSERT_EQUAL(out.at[0].tensor->dtype, IR_FLOAT);
    CU_ASSERT_EQUAL_FATAL(out.at[0].tensor->rank, 2);
    CU_ASSERT_EQUAL(out.at[0].tensor->dims[1], 3);
    CU_ASSERT_EQUAL(memcmp(out.at[0].tensor->data, x, sizeof x), 0);
    CU_ASSERT_EQUAL(out.at[1].tensor->rank, 0);
    CU_ASSERT_EQUAL(*(const int64_t *)out.at[1].tensor->data, 7);
    arena_free(&a);
}

static void marked_inputs_are_read_alone(void) {
    struct judge_values out;
    add_array("out:y.npy", HEADER("|u1", "(1,)"), "\1", 1, false);
    add_array("in:x.npy", HEADER("|u1", "(1,)"), "\2", 1, false);
    CU_ASSERT_EQUAL_FATAL(read_archive(&out), RW_OK);
    CU_ASSERT_EQUAL_FATAL(out.n, 1);
    CU_ASSERT_STRING_EQUAL(out.at[0].name, "x");
    arena_free(&a);
}

static void order_of_fortran_is_turned(void) {
    static const uint8_t columns[] = {1, 4, 2, 5, 3, 6};
    struct judge_values out;
    add_array("x.npy", "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}", columns,
              sizeof columns, false);
    CU_ASSERT_EQUAL_FATAL(read_archive(&out), RW_OK);
    CU_ASSERT_EQUAL(memcmp(out.at[0].tensor->data, "\1\2\3\4\5\6", 6), 0);
    arena_free(&a);
}

static void texts_become_utf8(void) {
    static const uint32_t x[] = {'a', 0, 0, 0xe9, 0x20ac, 0x1f600};
    struct judge_values out;
    add_array("s.npy", HEADER("<U3", "(2,)"), x, sizeof x, false);
    CU_ASSERT_EQUAL_FATAL(read_archive(&out), RW_OK);
    const struct ir_tensor *t = out.at[0].tensor;
    CU_ASSERT_EQUAL_FATAL(t->dtype, IR_STRING);
    CU_ASSERT_EQUAL(t->strings[0].len, 1);
    CU_ASSERT_STRING_EQUAL(t->strings[0].at, "a");
    CU_ASSERT_STRING_EQUAL(t->strings[1].at, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    arena_free(&a);
}

static void what_is_no_numbers_is_refused(void) {
    static const char *const headers[] = {
        HEADER("|O", "(1,)"), HEADER(">f4", "(1,)"), HEADER("<f4", "(-1,)"),
        HEADER("<f4", "(3,)"), HEADER("<f4", "(99999999999, 99999999999)"),
        HEADER("<U0", "(4000000000,)"), "{'descr': [('a', '<f4')], 'shape': (1,)}", "{",
        ""};
    struct judge_values out;
    for (size_t i = 0; i < countof(headers); i++) {
        add_array("x.npy", headers[i], "\0\0\0\0", 4, false);
        CU_ASSERT_EQUAL(read_archive(&out), RW_FORMAT);
        CU_ASSERT_EQUAL_FATAL(diags.list.len, 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[0].text, "array \"x\""));
    }
    CU_ASSERT_EQUAL(judge_npz_read("not/there.npz", &a, &diags, &out), RW_FORMAT);
    CU_ASSERT_EQUAL(read_bytes("PK", 2, &out), RW_FORMAT);
    arena_free(&a);
}

/* Cut anywhere, and with any byte changed, a file is read or refused. */
static void damage_does_no_harm(void) {
    const float x[] = {1, 2, 3};
    struct zip z;
    add_array("x.npy", HEADER("<f4", "(3,)"), x, sizeof x, true);
    add_array("y.npy", HEADER("<f4", "(3,)"), x, sizeof x, false);
    end_archive();
    uint8_t *bytes = (uint8_t *)archive.bytes.at;
    for (size_t i = 0; i < archive.bytes.len; i++) {
        for (uint32_t flip = 0; flip < 2; flip++) {
            uint8_t was = bytes[i];
            uint8_t *copy = arena_copy(&a, bytes, flip ? archive.bytes.len : i);
            if (flip) copy[i] = (uint8_t)~was;
            bool opened = judge_zip_open(&z, copy, flip ? archive.bytes.len : i);
            struct zip_member m;
            while (opened && judge_zip_next(&z, &a, &m) == ZIP_MEMBER)
                judge_zip_read(&m, &a);
        }
        arena_free(&a);
    }
    buf_free(&archive.bytes);
    memset(&archive, 0, sizeof archive);
}

static void values_fit_what_the_model_asks_for(void) {
    static const char text[] =
        "g (bfloat16[2] b, int4[3] i, float[1] f) => (float[1] y) { y = Neg(f) }";
    const struct diag_source source = {"test", text, strlen(text)};
    int64_t two = 2, three = 3, one = 1;
    const float f = 5;
    struct judge_value v[] = {
        {"f", ir_tensor_new(&a, IR_FLOAT, 1, &one, &f), NULL},
        {"unknown", ir_tensor_new(&a, IR_FLOAT, 1, &one, &f), NULL},
        {"i", ir_tensor_new(&a, IR_INT8, 1, &three, "\x01\xff\x07"), NULL},
        {"b", ir_tensor_new(&a, IR_UINT16, 1, &two, "\x80\x3f\x00\x40"), NULL}};
    struct judge_values given = {v, 4}, out;
    diag_init(&diags, &a);
    struct ir_model *m = ir_text_parse(&a, &source, &diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_EQUAL_FATAL(judge_fit(m, &given, "x.npz", &a, &diags, &out), RW_OK);
    CU_ASSERT_EQUAL_FATAL(out.n, 3);
    CU_ASSERT_STRING_EQUAL(out.at[0].name, "b");
    double x;
    CU_ASSERT_TRUE(ir_tensor_double_at(NULL, out.at[0].tensor, 1, &x) && x == 2);
    CU_ASSERT_EQUAL(out.at[1].tensor->nbytes, 2);
    CU_ASSERT_EQUAL(memcmp(out.at[1].tensor->data, "\xf1\x07", 2), 0);
    v[3].tensor = v[0].tensor;
    CU_ASSERT_EQUAL(judge_fit(m, &given, "x.npz", &a, &diags, &out), RW_FORMAT);
    CU_ASSERT_STRING_EQUAL(diags.list.at[0].text,
                           "the array for input \"b\" is float, not bfloat16");
    given.n = 3;
    CU_ASSERT_EQUAL(judge_fit(m, &given, "x.npz", &a, &diags, &out), RW_FORMAT);
    CU_ASSERT_STRING_EQUAL(diags.list.at[1].text, "there is no array for input \"b\"");
    arena_free(&a);
}

static void files_of_numpy_are_read(void) {
    static const char bert[] = ONNXRW_TESTS_DIR "/models/bert-eager__ts14.npz";
    struct judge_values out;
    diag_init(&diags, &a);
    CU_ASSERT_EQUAL_FATAL(judge_npz_read(bert, &a, &diags, &out), RW_OK);
    CU_ASSERT_TRUE(out.n >= 2);
    CU_ASSERT_EQUAL(out.at[0].tensor->dtype, IR_INT64);
    arena_free(&a);
}

void add_judge_npz_suite(void);
void add_judge_npz_suite(void) {
    CU_pSuite s = CU_add_suite("judge_npz", NULL, NULL);
    CU_ADD_TEST(s, arrays_are_read_stored_and_deflated);
    CU_ADD_TEST(s, marked_inputs_are_read_alone);
    CU_ADD_TEST(s, order_of_fortran_is_turned);
    CU_ADD_TEST(s, texts_become_utf8);
    CU_ADD_TEST(s, what_is_no_numbers_is_refused);
    CU_ADD_TEST(s, damage_does_no_harm);
    CU_ADD_TEST(s, values_fit_what_the_model_asks_for);
    CU_ADD_TEST(s, files_of_numpy_are_read);
}
