/* matcher_random_test.c -- rewriting random graphs: what they compute stays, nothing that a
 * rule matches is left, and the graph is sound.
 *
 * All values are int64[2, 2], in which sums and products wrap, so that the rules' algebra
 * is exact and every value can be compared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/random.h"
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define CASES 500

static const char *const rules =
    "rule identity: Identity(x) => x\n"
    "rule neg_neg: Neg(Neg(x)) => x\n"
    "rule abs_neg: Abs(Neg(x)) => Abs(x)\n"
    "rule abs_abs: Abs(Abs(x)) => Abs(x)\n"
    "rule add_neg: Add(x, Neg(y)) => Sub(x, y)\n"
    "rule sub_neg: Sub(x, Neg(y)) => Add(x, y)\n"
    "rule sub_sub: Sub(Sub(x, y), Sub(x, z)) => Sub(z, y)\n"
    "rule factor: Add(Mul(a, c), Mul(b, c)) => Mul(Add(a, b), c)\n"
    "rule turn_twice: Transpose <perm = p> (Transpose <perm = q> (x))\n"
    "    => Transpose <perm = compose(q, p)> (x)\n"
    "rule turn_nothing: Transpose <perm = [0, 1]> (x) => x\n"
    "rule turn_sum: Add(Transpose <perm = p> (a), Transpose <perm = p> (b))\n"
    "    => Transpose <perm = p> (Add(a, b))\n"
    "rule mul_one: Mul(x, splat 1) => x\n"
    "rule scale { match { y = Mul(Mul(x, const c), const d) }\n"
    "  emit { y = Mul(x, c * d) } }\n"
    "rule kept { match { keep n = Neg(x)  y = Mul(n, Neg(z)) } emit { y = Mul(x, z) } }\n"
    "rule moved { match { keep n = Abs(x)  y = Sub(n, n) }\n"
    "  emit { n = Abs(Neg(x))  y = Sub(x, x) } }\n"
    "rule sum3: sum{Neg(a), Neg(b), c} => Sub(c, Add(a, b))\n"
    "rule mean { match { y = Sub(s, (Neg(s) | Abs(s) | Identity(s))) }\n"
    "  where { uses(s) > 100 } emit { y = s } }\n";

/* Staged operators: what is left over comes back in between. */
static const char *const staged =
    "operator _pair (x, y) = Add(Neg(x), Neg(y))\n"
    "operator _both (x, y) { s = Add(Abs(x), y)  d = Sub(Abs(x), y) }\n"
    "operator _more (x, y) = Add(Neg(x), Neg(Abs(y)))\n"
    "phase stage { find_pair, find_both }\n"
    "phase lower { lower_pair, lower_both, lower_more, both_of_neg, more, neg_neg, factor }\n"
    "rule find_pair: Add(Neg(x), Neg(y)) => _pair(x, y)\n"
    "rule find_both { match { a = Abs(x)  s = Add(a, y)  d = Sub(a, y) }\n"
    "  emit { s, d = _both(x, y) } }\n"
    "rule lower_pair: _pair(x, x) => Mul(x, -2)\n"
    "rule more: _pair(x, Abs(y)) => _more(x, y)\n"
    "rule lower_more: _more(x, x) => Sub(Neg(x), Abs(x))\n"
    "rule lower_both { match { s, d = _both(x, x) }\n"
    "  emit { s = Add(Abs(x), x)  d = Sub(Abs(x), x) } }\n"
    "rule both_of_neg { match { s, d = _both(Neg(x), y) } emit { s, d = _both(x, y) } }\n"
    "rule neg_neg: Neg(Neg(x)) => x\n"
    "rule factor: Add(Mul(a, c), Mul(b, c)) => Mul(Add(a, b), c)\n";

static void add_line(struct dice *d, struct buf *b, uint32_t i) {
    static const char *const ops[] = {"Neg",      "Abs", "Identity", "Add",
                                      "Sub",      "Mul", "Neg",      "Add",
                                      "Transpose"};
    const char *op = ops[roll(d, countof(ops))];
    bool binary = rw_streq(op, "Add") || rw_streq(op, "Sub") || rw_streq(op, "Mul");
    buf_printf(b, "  v%u = %s%s(v%u", i, op,
               !rw_streq(op, "Transpose") ? "" : chance(d, 80) ? "<perm = [1, 0]>" : "",
               i - 1 - roll(d, rw_min_u32(i, 5)));
    if (binary && chance(d, 15)) buf_printf(b, ", c%u", roll(d, 2));
    else if (binary) buf_printf(b, ", v%u", i - 1 - roll(d, rw_min_u32(i, 5)));
    buf_puts(b, ")\n");
}

static void random_text(struct dice *d, struct buf *b, uint32_t n) {
    buf_puts(b, KIT_OPSET(14) "g (int64[2, 2] v0, int64[2, 2] v1, int64[2, 2] v2) => (");
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at = 3 + i * (n / 3) + roll(d, n / 3);
        buf_printf(b, "%sint64[2, 2] v%u", i ? ", " : "", i == 2 ? n + 2 : at);
    }
    buf_puts(b, ") <int64[2, 2] c0 = {1, 1, 1, 1}, int64 c1 = {3}> {\n");
    for (uint32_t i = 3; i < n + 3; i++) add_line(d, b, i);
    buf_puts(b, "}");
}

/* --- what a graph computes -------------------------------------------------------- */
static struct ir_tensor *input(struct arena *a, uint32_t i) {
    static const int64_t dims[2] = {2, 2}, values[3][4] = {
        {1, -2, 3, 50}, {-7, 11, 0, 2}, {5, 5, -1000000007, 123456789}};
    return ir_tensor_new(a, IR_INT64, 2, dims, values[i]);
}

static bool compute(struct arena *a, struct ir_graph *g, struct ir_tensor **of) {
    for (uint32_t i = 0; i < g->inputs.len; i++) of[g->inputs.at[i]] = input(a, i);
    for (ir_value v = 0; v < g->values.len; v++)
        if (ir_const(g, v)) of[v] = ir_const(g, v);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        const struct ir_node_info *x = ir_nod(g, n);
        struct ir_tensor *in[2], *out[1];
        for (uint32_t k = 0; k < x->nin; k++) in[k] = of[ir_input(g, n, k)];
        struct ir_eval e = {.model = g->model, .schema = x->schema, .nin = x->nin,
                            .nout = 1, .nattr = x->nattr, .in = in, .attr = x->attr,
                            .arena = a, .max_bytes = 1000};
        if (!ir_eval(&e, out)) return false;
        of[ir_output(g, n, 0)] = out[0];
    }
    return true;
}

/* The outputs, one behind the other. */
static bool outputs(struct arena *a, struct ir_model *m, struct ir_tensor **out) {
    struct ir_graph *g = m->main;
    struct ir_tensor **of = arena_zalloc(a, g->values.len * sizeof(struct ir_tensor *));
    if (!compute(a, g, of)) return false;
    for (uint32_t i = 0; i < g->outputs.len; i++)
        out[i] = of[g->uses.at[g->outputs.at[i]].value];
    return true;
}

static uint32_t applications(const struct kit *k) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->report.rules.len; i++) n += k->report.rules.at[i].count;
    return n;
}

static bool is_sound(struct kit *k) { return ir_graph_check(k->model->main, &k->diags); }

/* settles: a second run finds nothing more. */
static bool one_case(uint64_t seed, const char *pack, bool settles, uint32_t *applied) {
    struct dice d = {seed * 0x9e3779b97f4a7c15u + 1};
    struct buf text = {0};
    random_text(&d, &text, 10 + roll(&d, 60));
    struct kit k;
    kit_open(&k, pack, NULL, buf_text(&text));
    k.options.labels = PM_LABELS_CHECKED;
    struct ir_tensor *before[3], *after[3];
    bool ok = k.code == RW_OK && outputs(&k.arena, k.model, before);
    kit_run(&k);
    *applied += applications(&k);
    ok = ok && k.code == RW_OK && is_sound(&k) && outputs(&k.arena, k.model, after);
    for (uint32_t i = 0; ok && i < 3; i++)
        ok = ir_tensor_equal(k.model, before[i], after[i]);
    /* Again: nothing is left, unless values that became the same are merged first. */
    kit_run(&k);
    ok = ok && is_sound(&k);
    if (settles) ok = ok && (applications(&k) == 0 || k.report.passes.len > 0);
    if (!ok)
        printf("\nseed %u:\n%s\n%s%s", (unsigned)seed, buf_text(&text), kit_nodes(&k),
               kit_messages(&k));
    buf_free(&text);
    kit_close(&k);
    return ok;
}

static void random_graphs_compute_the_same_afterwards(void) {
    uint32_t applied = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        CU_ASSERT_FATAL(one_case(seed, rules, true, &applied));
    CU_ASSERT(applied > 3 * CASES);
}

static void staged_operators_come_and_go(void) {
    uint32_t applied = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        CU_ASSERT_FATAL(one_case(seed, staged, false, &applied));
    CU_ASSERT(applied > CASES / 4);
}

void add_matcher_random_suite(void);
void add_matcher_random_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: random graphs", NULL, NULL);
    CU_ADD_TEST(s, random_graphs_compute_the_same_afterwards);
    CU_ADD_TEST(s, staged_operators_come_and_go);
}
