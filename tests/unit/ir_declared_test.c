/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/dim.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static struct arena arena;
static struct ir_dims *t;

static void start(void) {
    t = ir_dims_new(&arena);
    ir_dim_symbol(t, "s0");
    ir_dim_symbol(t, "s1");
}

static void end(void) { arena_free(&arena); }

static void check_text(const char *declared, const char *wanted) {
    struct buf b = {0};
    ir_dim_print(t, ir_dim_declared(t, declared), &b);
    CU_ASSERT_STRING_EQUAL(buf_text(&b), wanted);
    if (!rw_streq(buf_text(&b), wanted))
        fprintf(stderr, "%s: %s, not %s\n", declared, buf_text(&b), wanted);
    buf_free(&b);
}

static void check_name(const char *declared) {
    ir_dim d = ir_dim_declared(t, declared);
    const char *name = ir_dim_param(t, d);
    CU_ASSERT(name != NULL && rw_streq(name, declared));
    if (!name) fprintf(stderr, "\"%s\" was read as an expression\n", declared);
    CU_ASSERT_EQUAL(d, ir_dim_symbol(t, declared));
}

static void what_sympy_prints_is_read_as_what_it_means(void) {
    start();
    check_text("s0", "s0");
    check_text("4*s0", "4*s0");
    check_text("s0 + 1", "s0 + 1");
    check_text("5 - 2*s0", "-2*s0 + 5");
    check_text("-s0 + 5", "-s0 + 5");
    check_text("2*s0 + 2*s1", "2*s0 + 2*s1");
    check_text("s0**2*s1", "s0*s0*s1");
    check_text("((s0//2))", "floor(s0/2)");
    check_text("2*(((s0 - 1)//2)) + 2", "2*floor((s0 + 1)/2)");
    check_text("((s0*s1)//s0)", "s1");
    check_text("Max(0, s0 - 2)", "max(0, s0 - 2)");
    check_text("Max(1, s0, s1)", "max(s1, max(s0, 1))");
    check_text("Min(64, s0)", "min(s0, 64)");
    check_text("floor(s0/2 - 1/2) + 1", "floor((s0 + 1)/2)");
    check_text("ceiling(s0/2)", "floor((s0 + 1)/2)");
    check_text("CeilToInt(IntTrueDiv(s0, 2))", "floor((s0 + 1)/2)");
    check_text("CeilDiv(s0, 2)", "floor((s0 + 1)/2)");
    check_text("Mod(s0, 8)", "s0 - 8*floor(s0/8)");
    check_text("s0 % 8", "s0 - 8*floor(s0/8)");
    check_text("past.1 + seq", "past.1 + seq");
    check_text("seq+past.1", "past.1 + seq");
    end();
}

static void other_texts_are_names(void) {
    static const char *const names[] = {
        "batch-size", "batch -size", "N/2", "frames / 4", "2*s0/3", "batch x heads", "2x", "2 x", "1",
        "-1", "2*3", "?", "*", "s0 +", "+ s0", "s0 + + s1", "s0*", "(s0", "s0)", "()", "s0 s1",
        "f(s0)", "Max()", "Max(s0", "Max(s0,)", "floor(s0, 2)", "Mod(s0)", "Mod(s0, s1, 2)", "s0//0",
        "s0 % 0", "s0**9", "s0**-1", "s0**s1", "s0 - s0", "-s0 - 1", "1.5*s0", "Max(1/2, s0)", "s0 + 1 ",
        "a:b*2", "99999999999999999999*s0", "4611686018427387904*s0*4", "breadth\n+ 1",
        "s0**8*s1**8", "(a+b+c+d+e)**4"};
    start();
    for (size_t i = 0; i < countof(names); i++) check_name(names[i]);
    end();
}

/* What cannot be told from its text keeps its identity. */
static void what_is_long_or_deep_is_a_name(void) {
    static char deep[200], wide[700];
    start();
    memset(deep, '(', 99);
    deep[99] = 'x';
    memset(deep + 100, ')', 99);
    check_name(deep);
    for (int i = 0; i < 660; i += 4) memcpy(wide + i, "s0 +", 4);
    memcpy(wide + 660, " s0", 4);
    check_name(wide);
    check_text("((((((((s0 + 1))))))))", "s0 + 1");
    end();
}

static void what_is_named_in_an_expression_alone_may_be_negative(void) {
    int64_t low, high;
    start();
    ir_dim_bounds(t, ir_dim_declared(t, "u0 + 5"), &low, &high);
    CU_ASSERT_EQUAL(low, INT64_MIN);
    ir_dim_bounds(t, ir_dim_declared(t, "s0 + 5"), &low, &high);
    CU_ASSERT_EQUAL(low, 5);
    ir_dim_bounds(t, ir_dim_declared(t, "4*u1"), &low, &high);
    CU_ASSERT_EQUAL(low, 0);
    ir_dim_symbol(t, "u0"); /* is a size after all */
    ir_dim_bounds(t, ir_dim_declared(t, "u0 + 5"), &low, &high);
    CU_ASSERT_EQUAL(low, 5);
    end();
}

static void check_written(ir_dim d, const char *wanted) {
    const char *text = ir_dim_text(t, d, &arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, wanted);
    CU_ASSERT_EQUAL(ir_dim_declared(t, text), d);
}

static void a_form_is_written_as_it_is_read_again(void) {
    start();
    ir_dim s0 = ir_dim_symbol(t, "s0"), s1 = ir_dim_symbol(t, "s1");
    ir_dim two = ir_dim_const(t, 2), sum = ir_dim_add(t, s0, s1);
    check_written(s0, "s0");
    check_written(sum, "s0 + s1");
    check_written(ir_dim_sub(t, two, ir_dim_mul(t, s0, sum)), "-s0*s0 - s0*s1 + 2");
    check_written(ir_dim_floordiv(t, s0, ir_dim_mul(t, s1, two)), "floor(s0/(2*s1))");
    check_written(ir_dim_mul(t, s1, ir_dim_min(t, two, ir_dim_floordiv(t, sum, two))),
                  "s1*min(2, floor((s0 + s1)/2))");
    check_written(ir_dim_symbol(t, "batch-size"), "batch-size");
    ir_dim odd = ir_dim_symbol(t, "batch-size");
    CU_ASSERT_PTR_NULL(ir_dim_text(t, ir_dim_add(t, odd, odd), &arena));
    CU_ASSERT_PTR_NULL(ir_dim_text(t, ir_dim_broadcast(t, s0, s1), &arena));
    CU_ASSERT_PTR_NULL(ir_dim_text(t, ir_dim_fresh(t), &arena));
    CU_ASSERT_PTR_NULL(ir_dim_text(t, two, &arena));
    CU_ASSERT_PTR_NULL(ir_dim_text(t, IR_DIM_UNKNOWN, &arena));
    end();
}

/* What a file claims of a dimension can be wrong: that a batch is 0 is not believed. */
static void sizes_that_have_names_are_not_proved_to_be_zero(void) {
    start();
    ir_dim s0 = ir_dim_symbol(t, "s0"), s1 = ir_dim_symbol(t, "s1"), x = ir_dim_fresh(t);
    CU_ASSERT_FALSE(ir_dim_unify(t, s0, ir_dim_declared(t, "2*s0")));
    CU_ASSERT_FALSE(ir_dim_unify(t, ir_dim_declared(t, "s0 + s1"), ir_dim_const(t, 0)));
    CU_ASSERT_EQUAL(ir_dim_find(t, s0), s0);
    CU_ASSERT_EQUAL(ir_dim_find(t, s1), s1);
    CU_ASSERT_TRUE(ir_dim_unify(t, s0, ir_dim_declared(t, "s1 + 1")));
    CU_ASSERT_TRUE(ir_dim_unify(t, ir_dim_add(t, x, x), x));
    CU_ASSERT_EQUAL(ir_dim_find(t, x), ir_dim_const(t, 0));
    CU_ASSERT_TRUE(ir_dim_give_size(t, s1, 0));
    CU_ASSERT_EQUAL(ir_dim_find(t, s0), ir_dim_const(t, 1));
    CU_ASSERT_FALSE(ir_dim_give_size(t, s0, 2));
    end();
}

void add_ir_declared_suite(void);
void add_ir_declared_suite(void) {
    CU_pSuite s = CU_add_suite("ir: declared dimensions", NULL, NULL);
    CU_ADD_TEST(s, what_sympy_prints_is_read_as_what_it_means);
    CU_ADD_TEST(s, other_texts_are_names);
    CU_ADD_TEST(s, what_is_long_or_deep_is_a_name);
    CU_ADD_TEST(s, what_is_named_in_an_expression_alone_may_be_negative);
    CU_ADD_TEST(s, a_form_is_written_as_it_is_read_again);
    CU_ADD_TEST(s, sizes_that_have_names_are_not_proved_to_be_zero);
}
