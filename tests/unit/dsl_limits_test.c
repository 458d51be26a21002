/* dsl_limits_test.c -- rules files made to hurt: an error at once, few messages, no crash;
 * and large ones that are right.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/map.h"
#include "dsl/dsl.h"

#include <CUnit/Basic.h>

struct outcome {
    bool ok;
    uint32_t errors, shown;
    char first[160]; /* text of the first message */
};

static struct outcome load(const char *text, size_t len) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink sink;
    diag_init(&sink, &a);
    struct diag_source source = {"t", text, len};
    struct outcome o = {.ok = dsl_parse(&a, &source, NULL, &sink) != NULL};
    o.errors = sink.count[DIAG_ERROR];
    for (uint32_t i = 0; i < sink.list.len; i++)
        o.shown += sink.list.at[i].level == DIAG_ERROR;
    if (sink.list.len) strncpy(o.first, sink.list.at[0].text, sizeof o.first - 1);
    struct buf out = {0};
    dsl_format(&source, &out, &sink);
    buf_free(&out);
    arena_free(&a);
    return o;
}

static struct outcome load_buf(struct buf *b) {
    struct outcome o = load(buf_text(b), b->len);
    buf_free(b);
    return o;
}

static void repeat(struct buf *b, const char *text, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) buf_puts(b, text);
}

static void refused(const char *before, const char *open, const char *middle,
                    const char *close, uint32_t n, const char *message) {
    struct buf b = {0};
    buf_puts(&b, before);
    repeat(&b, open, n);
    buf_puts(&b, middle);
    repeat(&b, close, n);
    buf_puts(&b, " => x");
    struct outcome o = load_buf(&b);
    CU_ASSERT_FALSE(o.ok);
    CU_ASSERT_STRING_EQUAL(o.first, message);
    CU_ASSERT_TRUE(o.errors <= 2);
}

static void deep_nesting_is_refused(void) {
    const char *brackets = "more than 100 brackets open at once";
    const char *levels = "an expression of more than 200 levels";
    refused("rule r: ", "Relu(", "x", ")", 20000, brackets);
    refused("rule r: ", "(", "x", ")", 20000, brackets);
    refused("rule r: ", "[", "x", "]", 20000, brackets);
    refused("rule r: ", "R <a = ", "x", ">", 20000, brackets);
    refused("rule r: ", "-", "x", "", 20000, "nested too deep");
    refused("rule r: ", "x ?? ", "x", "", 20000, "nested too deep");
    refused("rule r: ", "x + ", "x", "", 20000, levels);
    refused("rule r: x", "[1]", "", "", 20000, levels);
}

static void ten_megabytes_of_garbage_give_few_messages(void) {
    static const char *const words[] = {"rule ",  "x ",    "( ",  ") ",  "{ ",     "} ",
                                        "<",      "> ",    "= ",  "=> ", "\"a\" ", "Relu",
                                        "match ", "emit ", ".. ", "? "};
    struct buf text = {0}, bytes = {0};
    uint64_t state = 1;
    while (text.len < 10u << 20) {
        state = hash_u64(state + 1);
        buf_puts(&text, words[state % countof(words)]);
        uint64_t piece = state | 0x0101010101010101u; /* a zero byte is one error of its own */
        buf_add(&bytes, &piece, sizeof piece);
    }
    struct outcome o = load_buf(&text);
    CU_ASSERT_FALSE(o.ok);
    CU_ASSERT_TRUE(o.shown > 0 && o.shown <= 20);
    o = load_buf(&bytes);
    CU_ASSERT_FALSE(o.ok);
    CU_ASSERT_EQUAL(o.shown, 20);
}

static void an_open_example_ends_the_file(void) {
    struct buf b = {0};
    buf_puts(&b, "rule r: Relu(x) => x { ");
    repeat(&b, "example {", 100000);
    struct outcome o = load_buf(&b);
    CU_ASSERT_STRING_EQUAL(o.first, "the \"{\" of this example has no partner");
    CU_ASSERT_TRUE(o.errors <= 2);
}

static void sub_patterns_do_not_explode(void) {
    struct buf b = {0};
    for (int i = 0; i < 20; i++)
        buf_printf(&b, "pattern p%d (v) = Add(p%d(v), p%d(v))\n", i, i + 1, i + 1);
    buf_puts(&b, "pattern p20 (v) = Relu(v)\nrule r: p0(x) => x");
    struct outcome o = load_buf(&b);
    CU_ASSERT_FALSE(o.ok);
    CU_ASSERT_STRING_EQUAL(
        o.first, "a rule of more than 20000 pattern nodes, sub-patterns inlined");
}

/* What is refused is not walked as the tree that it would be: 105 trees in 105 trees in ... */
static void sums_in_sums_do_not_explode(void) {
    struct buf b = {0};
    buf_puts(&b, "rule r: ");
    repeat(&b, "sum{a, b, c, d, ", 20);
    buf_puts(&b, "e");
    repeat(&b, "}", 20);
    buf_puts(&b, " => a");
    struct outcome o = load_buf(&b);
    CU_ASSERT_FALSE(o.ok);
    CU_ASSERT_EQUAL(o.errors, 1);
    CU_ASSERT_STRING_EQUAL(o.first, "more than 20000 ways and nodes in one pattern");
}

static void deep_sub_patterns_are_refused(void) {
    struct buf b = {0};
    for (int i = 0; i < 20; i++) {
        buf_printf(&b, "pattern p%d (v) = ", i);
        repeat(&b, "-", 150);
        buf_printf(&b, "p%d(v)\n", i + 1);
    }
    buf_puts(&b, "pattern p20 (v) = Relu(v)\nrule r: p0(x) => x");
    struct outcome o = load_buf(&b);
    CU_ASSERT_STRING_EQUAL(o.first, "a pattern of more than 1000 levels");
}

static void a_zero_byte_is_an_error(void) {
    static const char text[] = "rule r: Relu(\"a\0b\") => x\0";
    struct outcome o = load(text, sizeof text - 1);
    CU_ASSERT_FALSE(o.ok);
    CU_ASSERT_STRING_EQUAL(o.first, "a zero byte: this is no text");
}

static void thousands_of_rules_are_fine(void) {
    struct buf b = {0};
    for (int i = 0; i < 2000; i++)
        buf_printf(&b, "rule r%d: Transpose <perm = p> (Transpose <perm = q> (x)) "
                       "=> Transpose <perm = compose(q, p)> (x)\n", i);
    struct outcome o = load_buf(&b);
    CU_ASSERT_TRUE(o.ok);
    CU_ASSERT_EQUAL(o.errors, 0);
}

static void one_rule_may_hold_many_parameters_lists(void) {
    struct buf b = {0};
    buf_puts(&b, "rule r { match { x0 = Relu(x)\n");
    for (int i = 0; i < 150; i++)
        buf_printf(&b, "x%d = Softmax <axis = -1> (x%d)\n", i + 1, i);
    buf_puts(&b, "} where { opset >= 13 } emit { x150 = x } }");
    CU_ASSERT_TRUE(load_buf(&b).ok);
}

void add_dsl_limits_suite(void);
void add_dsl_limits_suite(void) {
    CU_pSuite s = CU_add_suite("dsl: limits", NULL, NULL);
    CU_ADD_TEST(s, deep_nesting_is_refused);
    CU_ADD_TEST(s, ten_megabytes_of_garbage_give_few_messages);
    CU_ADD_TEST(s, an_open_example_ends_the_file);
    CU_ADD_TEST(s, sub_patterns_do_not_explode);
    CU_ADD_TEST(s, sums_in_sums_do_not_explode);
    CU_ADD_TEST(s, deep_sub_patterns_are_refused);
    CU_ADD_TEST(s, a_zero_byte_is_an_error);
    CU_ADD_TEST(s, thousands_of_rules_are_fine);
    CU_ADD_TEST(s, one_rule_may_hold_many_parameters_lists);
}
