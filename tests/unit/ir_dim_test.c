/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/dim.h"

#include <CUnit/Basic.h>
#include <stdio.h>

struct dims {
    struct arena a;
    struct ir_dims *t;
    ir_dim batch, seq, past;
};

static struct dims make(void) {
    struct dims d = {ARENA_EMPTY, NULL, 0, 0, 0};
    return d;
}

static void start(struct dims *d) {
    d->t = ir_dims_new(&d->a);
    d->batch = ir_dim_symbol(d->t, "batch");
    d->seq = ir_dim_symbol(d->t, "seq");
    d->past = ir_dim_symbol(d->t, "past");
}

static ir_dim num(struct dims *d, int64_t value) { return ir_dim_const(d->t, value); }

static void check_text(struct dims *d, ir_dim x, const char *wanted) {
    struct buf b = {0};
    ir_dim_print(d->t, x, &b);
    CU_ASSERT_STRING_EQUAL(buf_text(&b), wanted);
    if (!rw_streq(buf_text(&b), wanted)) fprintf(stderr, "%s, not %s\n", buf_text(&b), wanted);
    buf_free(&b);
}

static void equal_expressions_have_equal_ids(void) {
    struct dims d = make();
    start(&d);
    ir_dim a = ir_dim_mul(d.t, ir_dim_add(d.t, d.batch, num(&d, 1)), d.seq);
    ir_dim b = ir_dim_add(d.t, ir_dim_mul(d.t, d.seq, d.batch), d.seq);
    CU_ASSERT_EQUAL(a, b);
    check_text(&d, a, "batch*seq + seq");
    check_text(&d, ir_dim_sub(d.t, num(&d, 3), ir_dim_mul(d.t, d.past, num(&d, 2))),
               "-2*past + 3");
    check_text(&d, ir_dim_sub(d.t, a, b), "0");
    check_text(&d, IR_DIM_UNKNOWN, "?");
    CU_ASSERT_EQUAL(ir_dim_symbol(d.t, "seq"), d.seq);
    CU_ASSERT_NOT_EQUAL(ir_dim_fresh(d.t), ir_dim_fresh(d.t));
    CU_ASSERT_EQUAL(ir_dim_add(d.t, a, IR_DIM_UNKNOWN), IR_DIM_UNKNOWN);
    arena_free(&d.a);
}

static void division_takes_out_what_divides(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    ir_dim bs = ir_dim_mul(t, d.batch, d.seq);
    ir_dim whole = ir_dim_mul(t, bs, num(&d, 768));
    ir_dim part = ir_dim_mul(t, bs, num(&d, 12));
    check_text(&d, ir_dim_floordiv(t, whole, part), "64");
    check_text(&d, ir_dim_floordiv(t, whole, ir_dim_mul(t, d.seq, num(&d, 768))), "batch");
    ir_dim six = ir_dim_add(t, ir_dim_mul(t, d.seq, num(&d, 6)), num(&d, 12));
    check_text(&d, ir_dim_floordiv(t, six, num(&d, 3)), "2*seq + 4");
    check_text(&d, ir_dim_floordiv(t, six, num(&d, 4)), "seq + floor(seq/2) + 3");
    check_text(&d, ir_dim_floordiv(t, num(&d, -7), num(&d, 2)), "-4");
    check_text(&d, ir_dim_floordiv(t, num(&d, 7), num(&d, -2)), "-4");
    ir_dim sum = ir_dim_mul(t, ir_dim_add(t, d.past, d.seq), d.batch);
    check_text(&d, ir_dim_floordiv(t, sum, ir_dim_add(t, d.seq, d.past)), "batch");
    check_text(&d, ir_dim_floordiv(t, d.seq, d.past), "floor(seq/past)");
    CU_ASSERT_EQUAL(ir_dim_floordiv(t, d.seq, num(&d, 0)), IR_DIM_UNKNOWN);
    check_text(&d, ir_dim_mod(t, six, num(&d, 3)), "0");
    check_text(&d, ir_dim_mod(t, d.seq, num(&d, 8)), "seq - 8*floor(seq/8)");
    arena_free(&d.a);
}

static void nested_divisions_have_one_form(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    /* two convolutions of stride 2, padded: (x - 1)/2 + 1 twice is (x - 1)/4 + 1 */
    ir_dim once = ir_dim_add(t, ir_dim_floordiv(t, ir_dim_sub(t, d.seq, num(&d, 1)),
                                                num(&d, 2)), num(&d, 1));
    ir_dim twice = ir_dim_add(t, ir_dim_floordiv(t, ir_dim_sub(t, once, num(&d, 1)),
                                                 num(&d, 2)), num(&d, 1));
    ir_dim direct = ir_dim_add(t, ir_dim_floordiv(t, ir_dim_sub(t, d.seq, num(&d, 1)),
                                                  num(&d, 4)), num(&d, 1));
    CU_ASSERT_EQUAL(twice, direct);
    check_text(&d, twice, "floor((seq + 3)/4)");
    arena_free(&d.a);
}

static void symbols_are_at_least_zero(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    ir_dim total = ir_dim_add(t, d.past, d.seq);
    CU_ASSERT_EQUAL(ir_dim_less(t, d.seq, ir_dim_add(t, total, num(&d, 1))), IR_TRUE);
    CU_ASSERT_EQUAL(ir_dim_less(t, total, d.seq), IR_FALSE);
    CU_ASSERT_EQUAL(ir_dim_less(t, d.seq, d.past), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_equal(t, d.seq, num(&d, -1)), IR_FALSE);
    CU_ASSERT_EQUAL(ir_dim_equal(t, d.seq, d.past), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_equal(t, total, ir_dim_add(t, total, num(&d, 2))), IR_FALSE);
    CU_ASSERT_EQUAL(ir_dim_equal(t, IR_DIM_UNKNOWN, IR_DIM_UNKNOWN), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_max(t, total, d.seq), total);
    CU_ASSERT_EQUAL(ir_dim_min(t, d.seq, total), d.seq);
    CU_ASSERT_EQUAL(ir_dim_max(t, num(&d, 3), num(&d, 5)), num(&d, 5));
    CU_ASSERT_EQUAL(ir_dim_min(t, d.seq, d.past), ir_dim_min(t, d.past, d.seq));
    check_text(&d, ir_dim_min(t, d.seq, num(&d, 512)), "min(seq, 512)");
    int64_t low, high;
    ir_dim_bounds(t, ir_dim_min(t, d.seq, num(&d, 512)), &low, &high);
    CU_ASSERT_EQUAL(low, 0);
    CU_ASSERT_EQUAL(high, 512);
    CU_ASSERT_EQUAL(ir_dim_less(t, ir_dim_fresh_value(t), num(&d, 0)), IR_UNKNOWN);
    /* what atoms of one form have to do with each other */
    ir_dim tail = ir_dim_sub(t, d.seq, ir_dim_min(t, d.seq, num(&d, 1)));
    CU_ASSERT_EQUAL(ir_dim_max(t, tail, num(&d, 0)), tail);
    ir_dim_bounds(t, ir_dim_mod(t, d.seq, num(&d, 8)), &low, &high);
    CU_ASSERT_EQUAL(low, 0);
    CU_ASSERT_EQUAL(high, 7);
    ir_dim half = ir_dim_floordiv(t, d.seq, num(&d, 2));
    CU_ASSERT_EQUAL(ir_dim_less(t, d.seq, half), IR_FALSE);
    arena_free(&d.a);
}

static void broadcasting_prefers_what_is_not_one(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    CU_ASSERT_EQUAL(ir_dim_broadcast(t, num(&d, 1), d.seq), d.seq);
    CU_ASSERT_EQUAL(ir_dim_broadcast(t, d.seq, num(&d, 7)), num(&d, 7));
    CU_ASSERT_EQUAL(ir_dim_broadcast(t, IR_DIM_UNKNOWN, num(&d, 7)), num(&d, 7));
    CU_ASSERT_EQUAL(ir_dim_broadcast(t, IR_DIM_UNKNOWN, d.seq), IR_DIM_UNKNOWN);
    ir_dim both = ir_dim_broadcast(t, d.seq, d.past);
    CU_ASSERT_EQUAL(both, ir_dim_broadcast(t, d.past, d.seq));
    CU_ASSERT_EQUAL(both, ir_dim_broadcast(t, both, d.past));
    ir_dim cut = ir_dim_min(t, d.seq, num(&d, 64)), one = ir_dim_min(t, d.seq, num(&d, 1));
    CU_ASSERT_EQUAL(ir_dim_broadcast(t, cut, d.seq), d.seq);
    CU_ASSERT_NOT_EQUAL(ir_dim_broadcast(t, one, d.seq), d.seq);
    arena_free(&d.a);
}

static void a_unification_holds_until_it_is_undone(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    ir_dim x = ir_dim_fresh(t), y = ir_dim_fresh(t);
    ir_dim half = ir_dim_floordiv(t, x, num(&d, 2));
    uint32_t mark = ir_dims_mark(t);
    CU_ASSERT_TRUE(ir_dim_unify(t, x, y));
    CU_ASSERT_EQUAL(ir_dim_equal(t, x, y), IR_TRUE);
    CU_ASSERT_TRUE(ir_dim_unify(t, y, ir_dim_add(t, d.seq, d.seq)));
    CU_ASSERT_EQUAL(ir_dim_find(t, x), ir_dim_mul(t, d.seq, num(&d, 2)));
    CU_ASSERT_EQUAL(ir_dim_equal(t, half, d.seq), IR_TRUE);
    check_text(&d, half, "seq");
    CU_ASSERT_FALSE(ir_dim_unify(t, x, num(&d, -4)));
    CU_ASSERT_TRUE(ir_dim_unify(t, x, num(&d, 12)));
    check_text(&d, d.seq, "6");
    CU_ASSERT_FALSE(ir_dim_unify(t, d.seq, num(&d, 7)));
    ir_dims_undo(t, mark);
    CU_ASSERT_EQUAL(ir_dim_equal(t, x, y), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_find(t, x), x);
    check_text(&d, d.seq, "seq");
    check_text(&d, half, "floor(_1/2)");
    arena_free(&d.a);
}

static void a_name_survives_unification(void) {
    struct dims d = make();
    start(&d);
    ir_dim x = ir_dim_fresh(d.t);
    CU_ASSERT_TRUE(ir_dim_unify(d.t, d.batch, x));
    CU_ASSERT_STRING_EQUAL(ir_dim_param(d.t, x), "batch");
    CU_ASSERT_PTR_NULL(ir_dim_param(d.t, ir_dim_fresh(d.t)));
    CU_ASSERT_PTR_NULL(ir_dim_param(d.t, ir_dim_add(d.t, x, x)));
    arena_free(&d.a);
}

static void a_symbol_is_not_bound_to_itself(void) {
    struct dims d = make();
    start(&d);
    /* seq = floor(seq/2) + past cannot be solved for seq; past can */
    ir_dim half = ir_dim_floordiv(d.t, d.seq, num(&d, 2));
    CU_ASSERT_TRUE(ir_dim_unify(d.t, d.seq, ir_dim_add(d.t, half, d.past)));
    CU_ASSERT_EQUAL(ir_dim_find(d.t, d.seq), d.seq);
    CU_ASSERT_EQUAL(ir_dim_find(d.t, d.past), ir_dim_sub(d.t, d.seq, half));
    arena_free(&d.a);
}

static void long_chains_of_unifications_stay_shallow(void) {
    struct dims d = make();
    start(&d);
    enum { N = 20000 };
    ir_dim *x = arena_new_array(&d.a, ir_dim, N);
    for (uint32_t i = 0; i < N; i++) x[i] = ir_dim_fresh(d.t);
    for (uint32_t i = N - 1; i > 0; i--) /* worst order: the newest first */
        CU_ASSERT_TRUE(ir_dim_unify(d.t, x[i], x[i - 1]));
    CU_ASSERT_EQUAL(ir_dim_find(d.t, x[N - 1]), ir_dim_find(d.t, x[0]));
    for (uint32_t i = 1; i < N; i++) /* x[i - 1] = x[i] + 1 + ... : must end, and be sound */
        ir_dim_unify(d.t, ir_dim_fresh(d.t), ir_dim_add(d.t, x[i], num(&d, i)));
    arena_free(&d.a);
}

static void overflow_and_growth_give_unknown_values(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    ir_dim big = num(&d, INT64_MAX);
    ir_dim over = ir_dim_add(t, big, num(&d, 1));
    int64_t value;
    CU_ASSERT_FALSE(ir_dim_is_const(t, over, &value));
    CU_ASSERT_EQUAL(ir_dim_equal(t, over, ir_dim_mul(t, big, num(&d, 2))), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_floordiv(t, num(&d, INT64_MIN), num(&d, 1)), num(&d, INT64_MIN));
    ir_dim_floordiv(t, num(&d, INT64_MIN), num(&d, -1));
    ir_dim_floordiv(t, ir_dim_mul(t, d.seq, num(&d, INT64_MIN)), ir_dim_mul(t, d.past, num(&d, -1)));
    ir_dim power = d.seq, sum = d.seq;
    for (int i = 0; i < 100; i++) {
        power = ir_dim_mul(t, power, ir_dim_add(t, d.seq, num(&d, i)));
        sum = ir_dim_add(t, sum, ir_dim_min(t, sum, ir_dim_symbol(t, i % 2 ? "p" : "q")));
        sum = ir_dim_floordiv(t, sum, ir_dim_add(t, power, d.past));
    }
    struct buf b = {0};
    ir_dim_print(t, sum, &b);
    CU_ASSERT_TRUE(b.len < 20000);
    buf_free(&b);
    arena_free(&d.a);
}

void add_ir_dim_suite(void);
void add_ir_dim_suite(void) {
    CU_pSuite s = CU_add_suite("ir: dimensions", NULL, NULL);
    CU_ADD_TEST(s, equal_expressions_have_equal_ids);
    CU_ADD_TEST(s, division_takes_out_what_divides);
    CU_ADD_TEST(s, nested_divisions_have_one_form);
    CU_ADD_TEST(s, symbols_are_at_least_zero);
    CU_ADD_TEST(s, broadcasting_prefers_what_is_not_one);
    CU_ADD_TEST(s, a_unification_holds_until_it_is_undone);
    CU_ADD_TEST(s, a_name_survives_unification);
    CU_ADD_TEST(s, a_symbol_is_not_bound_to_itself);
    CU_ADD_TEST(s, long_chains_of_unifications_stay_shallow);
    CU_ADD_TEST(s, overflow_and_growth_give_unknown_values);
}
