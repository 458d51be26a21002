/* matcher_step_test.c -- a judge of rewrites, places that are forbidden, runs that end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>

#define RELUS "rule r: Relu(Relu(x)) => Relu(x)\n"
#define MODEL                                                                              \
    "(float[2] a) => (float[2] y, float[2] z) {"                                           \
    "  b = Relu(a)  y = Relu(b)  c = Neg(a)  d = Relu(c)  z = Relu(d) }"

/* Rejects what replaces the value of one name, and takes down what it is asked. */
struct fake {
    struct kit k;
    struct pm_judge judge;
    const char *rejected;
    struct buf heard;
};

static void before(void *ctx, const struct pm_subject *m) {
    struct fake *f = ctx;
    buf_printf(&f->heard, "opset %" PRId64 ":", m->opset);
    for (uint32_t i = 0; i < m->n; i++) {
        CU_ASSERT_FALSE(ir_is_dead(m->g, m->nodes[i]));
        buf_printf(&f->heard, " %s", ir_op_name(m->g, m->nodes[i]));
    }
}

static bool after(void *ctx, const struct pm_change *c) {
    struct fake *f = ctx;
    const char *name = "";
    for (uint32_t i = 0; i < c->nexchanged; i++) {
        name = ir_val(c->g, c->exchanged[i].old)->name;
        buf_printf(&f->heard, " -> %s by %u", name, c->nmade);
    }
    buf_putc(&f->heard, '\n');
    CU_ASSERT_STRING_EQUAL(c->rule->name, "r");
    return !rw_streq(name, f->rejected);
}

static void open_fake(struct fake *f, const char *rejected) {
    *f = (struct fake){.judge = {f, before, after}, .rejected = rejected};
    kit_open(&f->k, RELUS, NULL, KIT_OPSET(17) MODEL);
    f->k.options.judge = &f->judge;
}

static void close_fake(struct fake *f) {
    buf_free(&f->heard);
    kit_close(&f->k);
}

static void a_judge_is_asked_about_each_rewrite(void) {
    struct fake f;
    open_fake(&f, "");
    kit_run(&f.k);
    CU_ASSERT_STRING_EQUAL(buf_text(&f.heard), "opset 17: Relu Relu -> z by 1\n"
                                               "opset 17: Relu Relu -> y by 1\n");
    CU_ASSERT_STRING_EQUAL(kit_nodes(&f.k), "y = Relu (a)\nc = Neg (a)\nz = Relu (c)\n");
    CU_ASSERT_EQUAL(f.k.report.steps, 2);
    CU_ASSERT_STRING_EQUAL(f.k.report.last.rule, "r");
    CU_ASSERT_STRING_EQUAL(f.k.report.last.value, "y");
    close_fake(&f);
}

static void what_it_rejects_is_undone_once_and_for_all(void) {
    struct fake f;
    open_fake(&f, "z");
    kit_run(&f.k);
    CU_ASSERT_STRING_EQUAL(buf_text(&f.heard), "opset 17: Relu Relu -> z by 1\n"
                                               "opset 17: Relu Relu -> y by 1\n");
    CU_ASSERT_STRING_EQUAL(kit_nodes(&f.k),
                           "y = Relu (a)\nc = Neg (a)\nd = Relu (c)\nz = Relu (d)\n");
    CU_ASSERT_EQUAL(kit_count(&f.k, "r"), 1);
    CU_ASSERT_EQUAL(kit_refused(&f.k, "r"), 1);
    close_fake(&f);
}

static const char *run_with(struct kit *k, uint64_t most, uint32_t n,
                            const struct pm_place *forbidden) {
    kit_open(k, RELUS, NULL, KIT_OPSET(17) MODEL);
    k->options.most_steps = most;
    k->options.nforbidden = n;
    k->options.forbidden = forbidden;
    kit_run(k);
    return kit_nodes(k);
}

static void a_run_ends_after_its_steps(void) {
    struct kit k;
    CU_ASSERT_STRING_EQUAL(run_with(&k, 1, 0, NULL),
                           "b = Relu (a)\ny = Relu (b)\nc = Neg (a)\nz = Relu (c)\n");
    CU_ASSERT_EQUAL(k.report.steps, 1);
    CU_ASSERT_STRING_EQUAL(k.report.last.value, "z");
    kit_close(&k);
    CU_ASSERT_STRING_EQUAL(run_with(&k, 2, 0, NULL),
                           "y = Relu (a)\nc = Neg (a)\nz = Relu (c)\n");
    kit_close(&k);
}

static void a_rule_is_forbidden_in_a_place_or_everywhere(void) {
    struct kit k;
    const struct pm_place y = {"r", "y"}, all = {"r", NULL}, other = {"s", NULL};
    CU_ASSERT_STRING_EQUAL(run_with(&k, 0, 1, &y),
                           "b = Relu (a)\ny = Relu (b)\nc = Neg (a)\nz = Relu (c)\n");
    CU_ASSERT_EQUAL(kit_refused(&k, "r"), 0);
    kit_close(&k);
    CU_ASSERT_STRING_EQUAL(
        run_with(&k, 0, 1, &all),
        "b = Relu (a)\ny = Relu (b)\nc = Neg (a)\nd = Relu (c)\nz = Relu (d)\n");
    CU_ASSERT_EQUAL(k.report.steps, 0);
    kit_close(&k);
    CU_ASSERT_STRING_EQUAL(run_with(&k, 0, 1, &other),
                           "y = Relu (a)\nc = Neg (a)\nz = Relu (c)\n");
    kit_close(&k);
}

static void a_pass_is_a_step_too(void) {
    const char *pack = "pack p { version 1.0 opset ai.onnx >= 7 }\npass dce\n";
    const char *text = KIT_OPSET(17) "(float[2] a) => (float[2] y) { b = Neg(a) y = Abs(a) }";
    const struct pm_place it = {"dce", "1"};
    struct kit k;
    kit_open(&k, pack, NULL, text);
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "y = Abs (a)\n");
    CU_ASSERT_EQUAL(k.report.steps, 1);
    CU_ASSERT_PTR_NULL(k.report.last_rule);
    CU_ASSERT_STRING_EQUAL(k.report.last.rule, "dce");
    CU_ASSERT_STRING_EQUAL(k.report.last.value, "1");
    kit_close(&k);
    kit_open(&k, pack, NULL, text);
    k.options.nforbidden = 1;
    k.options.forbidden = &it;
    kit_run(&k);
    CU_ASSERT_STRING_EQUAL(kit_nodes(&k), "b = Neg (a)\ny = Abs (a)\n");
    kit_close(&k);
}

void add_matcher_step_suite(void);
void add_matcher_step_suite(void) {
    CU_pSuite s = CU_add_suite("matcher: steps", NULL, NULL);
    CU_ADD_TEST(s, a_judge_is_asked_about_each_rewrite);
    CU_ADD_TEST(s, what_it_rejects_is_undone_once_and_for_all);
    CU_ADD_TEST(s, a_run_ends_after_its_steps);
    CU_ADD_TEST(s, a_rule_is_forbidden_in_a_place_or_everywhere);
    CU_ADD_TEST(s, a_pass_is_a_step_too);
}
