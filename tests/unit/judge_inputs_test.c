/* Inputs made up: sizes of symbols, what integers index, values of each kind.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"

#include <CUnit/Basic.h>
#include <math.h>

static struct arena a;
static struct diag_sink diags;

static struct ir_model *model(const char *text) {
    const struct diag_source source = {"test", text, strlen(text)};
    diag_init(&diags, &a);
    struct ir_model *m = ir_text_parse(&a, &source, &diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_EQUAL_FATAL(ir_infer_model(m, &diags), RW_OK);
    return m;
}

static struct judge_values inputs(const char *text, uint32_t sizes, enum judge_fill fill) {
    struct judge_inputs_options o = {.seed = 7, .sizes = sizes, .fill = fill};
    struct judge_values out;
    CU_ASSERT_EQUAL_FATAL(judge_inputs(model(text), &o, &a, &diags, &out), RW_OK);
    return out;
}

static void a_symbol_has_one_size(void) {
    struct judge_values x = inputs(
        "g (float[B, S] p, float[S, 3] q, float[B, \"S + 1\"] r) => (float[B, 3] y) "
        "{ y = MatMul(p, q) }", 0, JUDGE_RANDOM);
    CU_ASSERT_EQUAL_FATAL(x.n, 3);
    const int64_t *p = x.at[0].tensor->dims, *q = x.at[1].tensor->dims;
    CU_ASSERT_NOT_EQUAL(p[0], p[1]);
    CU_ASSERT_EQUAL(p[1], q[0]);
    CU_ASSERT_EQUAL(q[1], 3);
    CU_ASSERT_EQUAL(x.at[2].tensor->dims[0], p[0]);
    CU_ASSERT_EQUAL(x.at[2].tensor->dims[1], p[1] + 1);
    arena_free(&a);
}

static enum rw_code wish(const char *text, const struct judge_size_wish *at, uint32_t n,
                         struct judge_values *out) {
    struct judge_inputs_options o = {.seed = 7, .wishes = {at, n}};
    return judge_inputs(model(text), &o, &a, &diags, out);
}

static void sizes_are_those_wished_for(void) {
    static const char text[] = "g (float[B, S] p, float[B, \"S + 1\", 4] q, float[?, S] r) "
                               "=> (float[B, S] y) { y = Neg(p) }";
    const struct judge_size_wish w[] = {{"S", 128}, {"B", 1}, {"r[0]", 9}};
    struct judge_values x;
    CU_ASSERT_EQUAL_FATAL(wish(text, w, 3, &x), RW_OK);
    CU_ASSERT_EQUAL(x.at[0].tensor->dims[0], 1);
    CU_ASSERT_EQUAL(x.at[0].tensor->dims[1], 128);
    CU_ASSERT_EQUAL(x.at[1].tensor->dims[1], 129);
    CU_ASSERT_EQUAL(x.at[2].tensor->dims[0], 9);
    CU_ASSERT_EQUAL(x.at[2].tensor->dims[1], 128);
    arena_free(&a);
}

static void a_wish_for_what_is_not_open_is_an_error(void) {
    static const char text[] = "g (float[B, 3] p) => (float[B, 3] y) { y = Neg(p) }";
    const char *const names[] = {"S", "p[1]", "p[2]", "q[0]", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct judge_size_wish w = {names[i], 5};
        struct judge_values x;
        CU_ASSERT_EQUAL(wish(text, &w, 1, &x), RW_USAGE);
        CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[0].text, "no input has a dimension"));
        CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[1].text, "\"p\" is float[B, 3]"));
        arena_free(&a);
    }
}

static void a_size_beyond_all_memory_is_refused(void) {
    static const char text[] = "g (float[B, B, B] p) => (float[B, B, B] y) { y = Neg(p) }";
    const struct judge_size_wish w = {"B", 1000000000};
    struct judge_values x;
    CU_ASSERT_EQUAL(wish(text, &w, 1, &x), RW_FORMAT);
    arena_free(&a);
}

static void sizes_go_by_the_policy(void) {
    static const char text[] = "g (float[A, B, C] x) => (float[A, B, C] y) { y = Neg(x) }";
    for (uint32_t k = 0; k < JUDGE_SIZES; k++) {
        const int64_t *d = inputs(text, k, JUDGE_RANDOM).at[0].tensor->dims;
        CU_ASSERT_EQUAL(d[0] == d[1] && d[1] == d[2],
                        k == JUDGE_SIZES_ONE || k == JUDGE_SIZES_ALIKE);
        if (k == JUDGE_SIZES_ONE) CU_ASSERT_EQUAL(d[0], 1);
        if (k == JUDGE_SIZES_LARGE) CU_ASSERT_TRUE(d[1] > 10);
    }
    arena_free(&a);
}

/* Exporters may give each input names of its own for what must be the same. */
static void sizes_may_go_by_place(void) {
    static const char text[] = "g (float[A, B] x, float[C, D] y, float[D, A, E] z) => "
                               "(float[A, B] r) { r = Neg(x) }";
    struct judge_values x = inputs(text, JUDGE_SIZES_BY_PLACE, JUDGE_RANDOM);
    const int64_t *p = x.at[0].tensor->dims, *q = x.at[1].tensor->dims;
    const int64_t *r = x.at[2].tensor->dims;
    CU_ASSERT_EQUAL(p[0], q[0]);
    CU_ASSERT_EQUAL(p[1], q[1]);
    CU_ASSERT_NOT_EQUAL(p[0], p[1]);
    CU_ASSERT_TRUE(r[0] == q[1] && r[1] == p[0] && r[2] != r[0] && r[2] != r[1]);
    arena_free(&a);
}

static void integers_index_what_is_there(void) {
    struct judge_values x = inputs(
        "g (int64[40, 60] ids, int64[40] mask, float[3, 4] other) => (float[D, E, 4] y) "
        "<float[9, 4] table = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,"
        "3,4,5,6,7,8,9}> { c = Cast<to = 6>(ids)  y = Gather(table, c) "
        "z = Gather(other, ids) }",
        0, JUDGE_RANDOM);
    const int64_t *ids = x.at[0].tensor->data, *mask = x.at[1].tensor->data;
    bool seen[3] = {false}, zero = false;
    for (uint32_t i = 0; i < 2400; i++) {
        CU_ASSERT_TRUE_FATAL(ids[i] >= 0 && ids[i] < 3);
        seen[ids[i]] = true;
    }
    CU_ASSERT_TRUE(seen[0] && seen[1] && seen[2]);
    for (uint32_t i = 0; i < 40; i++) {
        CU_ASSERT_TRUE(mask[i] == 0 || mask[i] == 1);
        if (mask[i] == 0) zero = true;
    }
    CU_ASSERT_TRUE(zero);
    CU_ASSERT_EQUAL(mask[0], 1);
    arena_free(&a);
}

static void fills_are_what_they_say(void) {
    static const char text[] = "g (float[50] x) => (float[50] y) { y = Neg(x) }";
    const float *r = inputs(text, 0, JUDGE_RANDOM).at[0].tensor->data;
    const float *again = inputs(text, 0, JUDGE_RANDOM).at[0].tensor->data;
    const float *z = inputs(text, 0, JUDGE_ZEROS).at[0].tensor->data;
    const float *o = inputs(text, 0, JUDGE_ONES).at[0].tensor->data;
    const float *n = inputs(text, 0, JUDGE_NEGATIVE).at[0].tensor->data;
    const float *s = inputs(text, 0, JUDGE_SPECIAL).at[0].tensor->data;
    const float *w = inputs(text, 0, JUDGE_WIDE).at[0].tensor->data;
    float sum = 0, square = 0;
    uint32_t nans = 0, infinite = 0;
    CU_ASSERT_EQUAL(memcmp(r, again, 50 * sizeof *r), 0);
    for (uint32_t i = 0; i < 50; i++) {
        sum += r[i];
        square += r[i] * r[i];
        CU_ASSERT_TRUE(z[i] == 0 && o[i] == 1 && n[i] < 0);
        CU_ASSERT_DOUBLE_EQUAL(w[i], 16 * r[i], 1e-5);
        nans += isnan(s[i]) != 0;
        infinite += isinf(s[i]) != 0;
    }
    CU_ASSERT_TRUE(fabsf(sum / 50) < 0.5f && square / 50 > 0.5f && square / 50 < 2);
    CU_ASSERT_TRUE(nans >= 2 && infinite >= 4);
    arena_free(&a);
}

static void the_last_row_may_be_blank(void) {
    static const char text[] = "g (float[3, 4] x, int64[3, 4] m, int64[3, 4] ids) => (float[3, 4, 2] e, float[3, 4] y)"
                               "<float[9, 2] table = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}> {"
                               "  e = Gather(table, ids)  f = Cast<to = 1>(m)  y = Mul(x, f) }";
    struct judge_values in = inputs(text, 0, JUDGE_BLANK);
    const float *x = in.at[0].tensor->data;
    const int64_t *m = in.at[1].tensor->data, *ids = in.at[2].tensor->data;
    int64_t shown = 0, places = 0;
    for (uint32_t i = 0; i < 12; i++) {
        CU_ASSERT_EQUAL(fabsf(x[i]) > 0, i < 8);
        if (i < 8) shown += m[i];
        else CU_ASSERT_EQUAL(m[i], 0);
        if (i >= 8) places += ids[i];
    }
    CU_ASSERT_TRUE(shown > 0 && places > 0); /* places in a table are none that could be nothing */
    arena_free(&a);
}

static void small_types_stay_in_their_range(void) {
    int64_t n = 64, v;
    uint64_t seed = 1;
    static const enum ir_dtype types[] = {IR_INT4, IR_UINT4, IR_INT2, IR_UINT2, IR_INT8,
                                          IR_UINT8};
    for (size_t k = 0; k < countof(types); k++) {
        struct ir_tensor *t = judge_tensor(&a, types[k], 1, &n, JUDGE_RANDOM, 0, &seed);
        int64_t least = 0, most = 0;
        CU_ASSERT_PTR_NOT_NULL_FATAL(t);
        for (uint64_t i = 0; i < 64; i++) {
            CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, i, &v));
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
        CU_ASSERT_TRUE(most > 0);
        CU_ASSERT_EQUAL(least < 0, k % 2 == 0);
    }
    struct ir_tensor *t = judge_tensor(&a, IR_UINT2, 1, &n, JUDGE_RANDOM, 1000, &seed);
    CU_ASSERT_TRUE(ir_tensor_int_at(NULL, t, 0, &v));
    struct ir_tensor *c = judge_tensor(&a, IR_COMPLEX64, 1, &n, JUDGE_ONES, 0, &seed);
    CU_ASSERT_EQUAL(c->nbytes, 64 * 8);
    CU_ASSERT_EQUAL(((const float *)c->data)[127], 1);
    arena_free(&a);
}

static void what_cannot_be_made_up_is_named(void) {
    struct judge_inputs_options o = {0};
    struct judge_values out;
    struct ir_model *m =
        model("g (seq(float[2]) s) => (float[2] y) { i = Constant<value_int = 0>() "
              "y = SequenceAt(s, i) }");
    CU_ASSERT_EQUAL(judge_inputs(m, &o, &a, &diags, &out), RW_FORMAT);
    CU_ASSERT_STRING_EQUAL(diags.list.at[0].text, "no values can be made up for input "
                           "\"s\": it is no tensor of a known type");
    m = model("g (float[100000, 100000] x) => (float[100000, 100000] y) { y = Neg(x) }");
    CU_ASSERT_EQUAL(judge_inputs(m, &o, &a, &diags, &out), RW_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(diags.list.at[0].text, "too large"));
    arena_free(&a);
}

void add_judge_inputs_suite(void);
void add_judge_inputs_suite(void) {
    CU_pSuite s = CU_add_suite("judge_inputs", NULL, NULL);
    CU_ADD_TEST(s, a_symbol_has_one_size);
    CU_ADD_TEST(s, sizes_are_those_wished_for);
    CU_ADD_TEST(s, a_wish_for_what_is_not_open_is_an_error);
    CU_ADD_TEST(s, a_size_beyond_all_memory_is_refused);
    CU_ADD_TEST(s, sizes_go_by_the_policy);
    CU_ADD_TEST(s, sizes_may_go_by_place);
    CU_ADD_TEST(s, integers_index_what_is_there);
    CU_ADD_TEST(s, fills_are_what_they_say);
    CU_ADD_TEST(s, the_last_row_may_be_blank);
    CU_ADD_TEST(s, small_types_stay_in_their_range);
    CU_ADD_TEST(s, what_cannot_be_made_up_is_named);
}
