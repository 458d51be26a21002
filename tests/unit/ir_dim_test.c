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
    if (!rw_streq(buf_text(&b), wanted))
        fprintf(stderr, "%s, not %s\n", buf_text(&b), wanted);
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

static void what_leaves_a_rest_is_never_equal(void) {
    struct dims d = make();
    start(&d);
    ir_dim four = ir_dim_mul(d.t, d.batch, num(&d, 4));
    ir_dim six = ir_dim_mul(d.t, d.seq, num(&d, 6));
    CU_ASSERT_EQUAL(ir_dim_equal(d.t, four, num(&d, 1)), IR_FALSE);
    CU_ASSERT_EQUAL(ir_dim_equal(d.t, four, num(&d, 8)), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_equal(d.t, four, six), IR_UNKNOWN);
    CU_ASSERT_EQUAL(ir_dim_equal(d.t, four, ir_dim_add(d.t, six, num(&d, 3))), IR_FALSE);
    CU_ASSERT_EQUAL(ir_dim_equal(d.t, d.batch, num(&d, 1)), IR_UNKNOWN);
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

static void a_broadcast_is_what_it_was_unified_with(void) {
    struct dims d = make();
    start(&d);
    struct ir_dims *t = d.t;
    ir_dim both = ir_dim_broadcast(t, d.seq, d.past), more = ir_dim_add(t, both, num(&d, 1));
    uint32_t mark = ir_dims_mark(t);
    CU_ASSERT_TRUE(ir_dim_unify(t, both, d.seq)); /* neither symbol can be solved for */
    CU_ASSERT_EQUAL(ir_dim_find(t, both), d.seq);
    CU_ASSERT_EQUAL(ir_dim_broadcast(t, d.past, ir_dim_find(t, d.seq)), both);
    check_text(&d, more, "seq + 1");
    check_text(&d, d.past, "past");
    CU_ASSERT_TRUE(ir_dim_unify(t, d.seq, ir_dim_mul(t, d.batch, d.batch)));
    check_text(&d, both, "batch*batch");
    ir_dims_undo(t, mark);
    CU_ASSERT_EQUAL(ir_dim_find(t, both), both);
    arena_free(&d.a);
}

static void a_minimum_is_what_it_was_unified_with(void) {
    struct dims d = make();
    start(&d);
    ir_dim cut = ir_dim_sub(d.t, d.seq, ir_dim_min(d.t, d.seq, num(&d, 1)));
    ir_dim padded = ir_dim_add(d.t, cut, num(&d, 1));
    uint32_t mark = ir_dims_mark(d.t);
    CU_ASSERT_TRUE(ir_dim_unify(d.t, padded, d.seq));
    check_text(&d, padded, "seq");
    check_text(&d, cut, "seq - 1");
    ir_dims_undo(d.t, mark);
    check_text(&d, cut, "seq - min(seq, 1)");
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
    for (uint32_t i = 1; i < N;
         i++) /* x[i - 1] = x[i] + 1 + ... : must end, and be sound */
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
    ir_dim_floordiv(t, ir_dim_mul(t, d.seq, num(&d, INT64_MIN)),
                    ir_dim_mul(t, d.past, num(&d, -1)));
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

/* --- random expressions, computed in numbers beside -------------------------------- */

#define SYMBOLS 3
#define POOL 60

struct twin { /* an expression, and its value under several assignments of the symbols */
    ir_dim dim;
    int64_t value[4];
};

static uint64_t next_random(uint64_t *state) { return *state = hash_u64(*state + 1); }

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* op on numbers; false where it is not defined. */
static bool compute(uint32_t op, int64_t a, int64_t b, int64_t *out) {
    switch (op) {
    case 0: *out = a + b; return true;
    case 1: *out = a - b; return true;
    case 2: *out = a * b; return true;
    case 3: *out = b ? floor_div(a, b) : 0; return b != 0;
    case 4: *out = b ? a - b * floor_div(a, b) : 0; return b != 0;
    case 5: *out = a < b ? a : b; return true;
    case 6: *out = a > b ? a : b; return true;
    default: *out = a == 1 ? b : a; return a >= 0 && b >= 0 && (a == b || a == 1 || b == 1);
    }
}

static ir_dim build(struct ir_dims *t, uint32_t op, ir_dim a, ir_dim b) {
    ir_dim (*const f[])(struct ir_dims *, ir_dim, ir_dim) = {
        ir_dim_add, ir_dim_sub, ir_dim_mul, ir_dim_floordiv,
        ir_dim_mod, ir_dim_min, ir_dim_max, ir_dim_broadcast};
    return f[op](t, a, b);
}

static bool combine(struct ir_dims *t, uint32_t op, const struct twin *a,
                    const struct twin *b, struct twin *out) {
    for (int k = 0; k < 4; k++) {
        int64_t x = a->value[k], y = b->value[k];
        if (x > 100000 || x < -100000 || y > 100000 || y < -100000) return false;
        if (!compute(op, x, y, &out->value[k])) return false;
    }
    out->dim = build(t, op, a->dim, b->dim);
    return true;
}

/* Equal ids must mean equal values; a constant, a bound, a comparison must hold. */
static bool agrees(struct ir_dims *t, const struct twin *a, const struct twin *b) {
    int64_t c, low, high;
    enum ir_truth less = ir_dim_less(t, a->dim, b->dim),
                  same = ir_dim_equal(t, a->dim, b->dim);
    ir_dim_bounds(t, a->dim, &low, &high);
    for (int k = 0; k < 4; k++) {
        int64_t x = a->value[k], y = b->value[k];
        if (ir_dim_is_const(t, a->dim, &c) && c != x) return false;
        if (x < low || x > high) return false;
        if ((less == IR_TRUE && x >= y) || (less == IR_FALSE && x < y)) return false;
        if ((same == IR_TRUE && x != y) || (same == IR_FALSE && x == y)) return false;
    }
    return true;
}

static void random_expressions_mean_what_they_compute(void) {
    static const int64_t size[SYMBOLS][4] = {{3, 1, 17, 2}, {11, 1, 4, 0}, {5, 8, 1, 64}};
    static const char *const name[SYMBOLS] = {"batch", "seq", "past"};
    uint64_t state = 7;
    uint32_t wrong = 0;
    for (int round = 0; round < 150; round++) {
        struct dims d = make();
        struct twin pool[POOL];
        start(&d);
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            pool[i].dim = ir_dim_symbol(d.t, name[i]);
            memcpy(pool[i].value, size[i], sizeof size[i]);
        }
        for (uint32_t i = SYMBOLS; i < POOL;) {
            struct twin number;
            int64_t c = (int64_t)(next_random(&state) % 14) - 3;
            number.dim = num(&d, c);
            for (int k = 0; k < 4; k++) number.value[k] = c;
            const struct twin *a = &pool[next_random(&state) % i];
            const struct twin *b = &pool[next_random(&state) % i];
            if (next_random(&state) % 3 == 0) b = &number;
            uint32_t op = (uint32_t)(next_random(&state) % 8);
            if (!combine(d.t, op, a, b, &pool[i])) continue;
            const struct twin *other = &pool[next_random(&state) % i];
            if (!agrees(d.t, &pool[i], other) || !agrees(d.t, other, &pool[i])) wrong++;
            i++;
        }
        arena_free(&d.a);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* What is unified in agreement with an assignment stays in agreement with it. */
static void random_unifications_keep_the_meaning(void) {
    uint64_t state = 11;
    uint32_t wrong = 0;
    for (int round = 0; round < 150; round++) {
        struct dims d = make();
        struct twin pool[POOL];
        start(&d);
        for (uint32_t i = 0; i < 8; i++) {
            pool[i].dim = ir_dim_fresh(d.t);
            for (int k = 0; k < 4; k++)
                pool[i].value[k] = (int64_t)(next_random(&state) % 6);
            for (int k = 1; k < 4; k++) pool[i].value[k] = pool[i].value[0]; /* one world */
        }
        for (uint32_t i = 8; i < POOL;) {
            const struct twin *a = &pool[next_random(&state) % i];
            const struct twin *b = &pool[next_random(&state) % i];
            if (!combine(d.t, (uint32_t)(next_random(&state) % 8), a, b, &pool[i]))
                continue;
            const struct twin *other = &pool[next_random(&state) % i];
            if (pool[i].value[0] == other->value[0] &&
                !ir_dim_unify(d.t, pool[i].dim, other->dim))
                wrong++;
            if (!agrees(d.t, &pool[i], other) || !agrees(d.t, a, b)) wrong++;
            i++;
        }
        arena_free(&d.a);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static int64_t seven_and_up(void *ctx, uint32_t number) {
    RW_UNUSED(ctx);
    return 7 + number;
}

static void a_dimension_has_a_value_when_its_symbols_have(void) {
    struct dims d = make();
    start(&d); /* batch 7, seq 8, past 9 */
    struct ir_dims *t = d.t;
    int64_t x;
    ir_dim sum = ir_dim_sub(t, ir_dim_mul(t, d.batch, d.seq), num(&d, 60));
    CU_ASSERT(ir_dim_value(t, sum, seven_and_up, NULL, &x));
    CU_ASSERT_EQUAL(x, -4);
    ir_dim part = ir_dim_floordiv(t, sum, num(&d, 3));
    CU_ASSERT(ir_dim_value(t, part, seven_and_up, NULL, &x));
    CU_ASSERT_EQUAL(x, -2);
    ir_dim choice = ir_dim_max(t, ir_dim_min(t, d.seq, d.past), num(&d, 3));
    CU_ASSERT(ir_dim_value(t, choice, seven_and_up, NULL, &x));
    CU_ASSERT_EQUAL(x, 8);
    CU_ASSERT_FALSE(ir_dim_value(t, ir_dim_broadcast(t, d.seq, d.past), seven_and_up, NULL,
                                 &x));
    CU_ASSERT_FALSE(ir_dim_value(t, IR_DIM_UNKNOWN, seven_and_up, NULL, &x));
    arena_free(&d.a);
}

/* A form that is resolved is a new one, and the table of them moves as it grows. */
static void forms_are_asked_while_their_table_grows(void) {
    enum { N = 40000 };
    struct dims d = make();
    start(&d);
    static ir_dim sums[N];
    int64_t x;
    uint32_t right = 0;
    for (int64_t i = 0; i < N; i++)
        sums[i] = ir_dim_add(d.t, ir_dim_mul(d.t, d.batch, num(&d, i + 1)), d.seq);
    ir_dim_unify(d.t, d.seq, num(&d, 3));
    ir_dim_unify(d.t, d.batch, num(&d, 1000003));
    for (int64_t i = 0; i < N; i++)
        right += ir_dim_is_const(d.t, sums[i], &x) && x == 3 + 1000003 * (i + 1);
    CU_ASSERT_EQUAL(right, N);
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
    CU_ADD_TEST(s, what_leaves_a_rest_is_never_equal);
    CU_ADD_TEST(s, a_unification_holds_until_it_is_undone);
    CU_ADD_TEST(s, a_name_survives_unification);
    CU_ADD_TEST(s, a_symbol_is_not_bound_to_itself);
    CU_ADD_TEST(s, a_broadcast_is_what_it_was_unified_with);
    CU_ADD_TEST(s, a_minimum_is_what_it_was_unified_with);
    CU_ADD_TEST(s, long_chains_of_unifications_stay_shallow);
    CU_ADD_TEST(s, overflow_and_growth_give_unknown_values);
    CU_ADD_TEST(s, random_expressions_mean_what_they_compute);
    CU_ADD_TEST(s, random_unifications_keep_the_meaning);
    CU_ADD_TEST(s, a_dimension_has_a_value_when_its_symbols_have);
    CU_ADD_TEST(s, forms_are_asked_while_their_table_grows);
}
