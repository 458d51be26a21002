/* judge_generate_test.c -- instances of a pattern are what their numbers make of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"
#include "tests/oracle/rule_kit.h"

#include <CUnit/Basic.h>
#include <stdio.h>

/* A rule, its choices, and room for instances of it. */
struct bench {
    struct kit kit;
    const struct rule *rule;
    struct judge_choices choices;
    struct judge_plan plan;
    struct arena arena;
};

static void open_bench(struct bench *b, const char *rules) {
    *b = (struct bench){0};
    kit_open(&b->kit, rules, NULL, "(float[1] a) => (float[1] y) { y = Exp(a) }");
    b->rule = b->kit.pack->rules[0];
    judge_choices_of(b->rule, &b->arena, &b->choices);
    b->plan = (struct judge_plan){.rules = b->kit.rules, .rule = b->rule,
                                  .choices = &b->choices, .opset_least = 11,
                                  .opset_most = 20, .target = TARGET_ONNX};
}

static void close_bench(struct bench *b) {
    arena_free(&b->arena);
    kit_close(&b->kit);
}

static const char *text_of(struct bench *b, const struct judge_instance *i) {
    struct buf out = {0};
    if (!i) return "none";
    ir_text_print(i->model, &(struct ir_text_options){.all = true}, &out);
    char *text = arena_strdup(&b->arena, buf_text(&out));
    buf_free(&out);
    return text;
}

static const char *replayed(struct bench *b, uint32_t n, const uint32_t *numbers) {
    struct judge_draws d;
    judge_draws_replay(&d, &b->arena, n, numbers);
    return text_of(b, judge_generate(&b->plan, &d, &b->arena));
}

/* --- numbers ---------------------------------------------------------------------- */
static void numbers_can_be_used_again(void) {
    struct arena a = ARENA_EMPTY;
    struct judge_draws d, again;
    uint32_t first[100];
    judge_draws_new(&d, &a, 42);
    for (uint32_t i = 0; i < 100; i++) first[i] = judge_draw(&d, i + 1);
    judge_draws_replay(&again, &a, d.taken.len, d.taken.at);
    for (uint32_t i = 0; i < 100; i++) CU_ASSERT_EQUAL(judge_draw(&again, i + 1), first[i]);
    CU_ASSERT_EQUAL(judge_draw(&again, 7), 0); /* behind the last */
    const uint32_t large[] = {1000};
    judge_draws_replay(&again, &a, 1, large);
    CU_ASSERT_EQUAL(judge_draw(&again, 3), 2);
    arena_free(&a);
}

static void a_chance_is_as_large_as_said(void) {
    struct arena a = ARENA_EMPTY;
    struct judge_draws d;
    uint32_t yes = 0;
    judge_draws_new(&d, &a, 1);
    for (uint32_t i = 0; i < 10000; i++) yes += judge_chance(&d, 30);
    CU_ASSERT_TRUE(yes > 2800 && yes < 3200);
    for (uint32_t i = 0; i < 100; i++) CU_ASSERT_FALSE(judge_chance(&d, 0));
    for (uint32_t i = 0; i < 100; i++) CU_ASSERT_TRUE(judge_chance(&d, 100));
    arena_free(&a);
}

/* --- instances -------------------------------------------------------------------- */
static void no_numbers_make_the_simplest_instance(void) {
    struct bench b;
    open_bench(&b, "rule r: Relu(Neg(x)) => Abs(x)\n");
    CU_ASSERT_STRING_EQUAL(replayed(&b, 0, NULL),
                           "<\n   ir_version: 9,\n   opset_import: [\"\" : 20]\n>\n"
                           "instance (float[2, 2] x) => (float[2, 2] out) {\n"
                           "   t = Neg (x)\n   t_1 = Relu (t)\n   out = Neg (t_1)\n}\n");
    close_bench(&b);
}

static void the_same_numbers_make_the_same_instance(void) {
    struct bench b;
    open_bench(&b, "rule r: sum{a, Mul(b, 2) | Div(b, 0.5), c} => a\n");
    uint32_t made = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct judge_draws d;
        judge_draws_new(&d, &b.arena, seed);
        const char *first = text_of(&b, judge_generate(&b.plan, &d, &b.arena));
        made += strcmp(first, "none") != 0;
        CU_ASSERT_STRING_EQUAL(replayed(&b, d.taken.len, d.taken.at), first);
    }
    CU_ASSERT_TRUE(made > 25);
    close_bench(&b);
}

static bool count_match(void *ctx, const struct rule *r, const struct pm_binding *slots) {
    RW_UNUSED(r);
    RW_UNUSED(slots);
    ++*(uint32_t *)ctx;
    return false;
}

/* Does the rule match somewhere? */
static bool matches(const struct bench *b, struct judge_instance *i) {
    struct diag_sink diags;
    struct ir_graph *g = i->graph;
    struct pm_options o = {.target = TARGET_ONNX};
    uint32_t n = 0;
    diag_init(&diags, &((struct bench *)b)->arena);
    ir_infer_model(i->model, &diags);
    for (ir_node k = g->first; k != IR_NONE && n == 0; k = ir_nod(g, k)->next)
        pm_matches(b->plan.rules, g, k, &o, count_match, &n);
    return n > 0;
}

/* Of a hundred seeds: instances made, and those that the rule matches. */
static void try_seeds(struct bench *b, uint32_t *made, uint32_t *matched) {
    *made = *matched = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct judge_draws d;
        judge_draws_new(&d, &b->arena, seed);
        struct judge_instance *i = judge_generate(&b->plan, &d, &b->arena);
        *made += i != NULL;
        *matched += i && matches(b, i);
    }
}

static void conditions_are_wishes(void) {
    static const char *const rules[] = {
        "rule r: Add(x, b) => x { where { rank(x) == 3; shape(b) == [dim(x, -1)] } }\n",
        "rule r: Cast <to = t> (x) => x { where { dtype(x) == t } }\n",
        "rule r: MatMul(x, const w) => x { where { rank(w) == 2; dim(w, 1) == 4 } }\n",
        "rule r: Softmax <axis = a> (x) => x { where { opset >= 13; a == rank(x) - 1 } }\n",
        "rule r: Mul(x : float[B, _, 4], y : float[B, ..]) => x\n",
        "rule r: Concat <axis = a> (x, y) => x { where { a == 1 } }\n",
        "rule r: Clip <min = low, max = _> (x) => x { where { low >= 0 } }\n",
    };
    for (size_t i = 0; i < countof(rules); i++) {
        struct bench b;
        uint32_t made, matched;
        open_bench(&b, rules[i]);
        try_seeds(&b, &made, &matched);
        if (matched < 20 || matched == made) printf("\n%s%u %u\n", rules[i], made, matched);
        CU_ASSERT_TRUE(matched >= 20);
        CU_ASSERT_TRUE(matched < made); /* near misses, too */
        close_bench(&b);
    }
}

/* Weights, states, heads, lists: what must fit what is there. */
static void operands_fit_each_other(void) {
    static const char *const rules[] = {
        "rule r: LSTM <hidden_size = _, direction = _> (x, w, r, b, none, h, c) => x\n",
        "rule r: ConvTranspose <group = _> (x, w, b?) => x\n",
        "rule r: QLinearConv(x, s, z, w, t, y, u, v, b?) => x\n",
        "rule r: Einsum <equation = _> (a, b) => a\n",
        "rule r: Slice(Relu(x), a, b, c, d?) => x { where { opset >= 10 } }\n",
        "rule r: BatchNormalization(Conv(x, w), s, b, m, v) => x { where { opset >= 9 } }\n",
        "rule r: Split <split = [2, 3], axis = a> (x) => x { where { dim(x, a) == 5 } }\n",
    };
    for (size_t i = 0; i < countof(rules); i++) {
        struct bench b;
        uint32_t made, matched;
        open_bench(&b, rules[i]);
        try_seeds(&b, &made, &matched);
        if (made < 40) printf("\n%s%u %u\n", rules[i], made, matched);
        CU_ASSERT_TRUE(made >= 40);
        close_bench(&b);
    }
}

static void some_instances_stand_in_bodies_or_functions(void) {
    struct bench b;
    uint32_t bodies = 0, functions = 0;
    open_bench(&b, "rule r: Relu(Add(x, const c)) => x\n");
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct judge_draws d;
        judge_draws_new(&d, &b.arena, seed);
        struct judge_instance *i = judge_generate(&b.plan, &d, &b.arena);
        if (!i || i->graph == i->model->main) continue;
        functions += i->graph->function != NULL;
        bodies += i->graph->outer == i->model->main;
        CU_ASSERT_TRUE(ir_graph_check(i->model->main, NULL));
        CU_ASSERT_TRUE(ir_graph_check(i->graph, NULL));
    }
    CU_ASSERT_TRUE(bodies > 5);
    CU_ASSERT_TRUE(functions > 5);
    close_bench(&b);
}

/* A runtime need not refuse what does not fit. */
static void sizes_are_those_that_nodes_ask_for_in_bodies_too(void) {
    struct bench b;
    uint32_t pairs = 0;
    open_bench(&b, "rule r: Concat <axis = 1> (x, y) => x { where { rank(x) == 2 } }\n");
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct judge_draws d;
        judge_draws_new(&d, &b.arena, seed);
        struct judge_instance *i = judge_generate(&b.plan, &d, &b.arena);
        if (!i || i->leaves.len != 2 || i->leaves.at[0].rank != 2) continue;
        pairs++;
        CU_ASSERT_EQUAL(i->leaves.at[0].dims[0], i->leaves.at[1].dims[0]);
    }
    CU_ASSERT_TRUE(pairs > 50);
    close_bench(&b);
}

static void made_again_an_instance_can_show_what_it_computes(void) {
    struct bench b;
    open_bench(&b, "rule r: Relu(Neg(x)) => Abs(x)\n");
    b.plan.reveals = true;
    for (uint32_t way = 0; way < 100; way += 6) { /* of where it stands */
        const uint32_t numbers[] = {0, 0, 0, way};
        const char *text = replayed(&b, countof(numbers), numbers);
        const char *outputs = strstr(text, "=> (");
        CU_ASSERT_PTR_NOT_NULL_FATAL(outputs);
        uint32_t n = 0;
        for (const char *p = outputs; *p != '{'; p++) n += strncmp(p, "float[", 6) == 0;
        CU_ASSERT_EQUAL(n, 3);
    }
    close_bench(&b);
}

/* --- led by an example ------------------------------------------------------------ */
static void led_by_examples(struct bench *b, struct judge_examples *examples) {
    judge_examples_of(b->kit.rules, b->rule, NULL, NULL, &b->arena, examples);
    b->plan.examples = examples;
    b->plan.led = true;
}

static const char counted[] =
    "rule r {\n"
    "  match { i = Range(0, n, 1) y = Gather <axis = 0> (x, i) }\n"
    "  where { shape(i) == [dim(x, 0)] }\n"
    "  emit { y = x }\n"
    "  class exact\n"
    "  example { (float[B, 7] x) => (float[B, 7] y) <int64 zero = {0}, int64 one = {1}> {\n"
    "    s = Shape (x) n = Gather (s, zero) i = Range (zero, n, one)\n"
    "    v = Gather <axis = 0> (x, i) y = Neg (v)\n"
    "  } } => Gather 0\n"
    "}\n";

static const struct ir_graph *copy_of_count(struct bench *b, uint64_t seed) {
    struct judge_draws d;
    judge_draws_new(&d, &b->arena, seed);
    struct judge_instance *i = judge_generate(&b->plan, &d, &b->arena);
    if (!i || i->graph != i->model->main || i->model->main->inputs.len != 1) return NULL;
    for (ir_node n = i->graph->first; n != IR_NONE; n = ir_nod(i->graph, n)->next)
        if (ir_is_op(i->graph, n, "Shape")) return i->graph;
    return NULL;
}

/* The limit belongs to what is read, whatever its sizes: those of symbols and others. */
static void variables_are_what_an_example_computes(void) {
    struct bench b;
    struct judge_examples examples;
    uint32_t copies = 0, sizes = 0;
    open_bench(&b, counted);
    led_by_examples(&b, &examples);
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct ir_graph *g = copy_of_count(&b, seed);
        const struct ir_type *t = g ? ir_val(g, g->inputs.at[0])->type : NULL;
        int64_t size;
        if (!ir_type_ranked(t) || t->rank != 2) continue;
        copies++;
        sizes += ir_dim_is_const(g->model->dims, t->dims[1], &size) && size != 7;
    }
    CU_ASSERT_TRUE(copies > 30);
    CU_ASSERT_TRUE(sizes > 3);
    close_bench(&b);
}

/* The leaf of that name in one instance, or NULL. */
static const struct judge_leaf *leaf_named(struct bench *b, uint64_t seed, const char *name) {
    struct judge_draws d;
    judge_draws_new(&d, &b->arena, seed);
    struct judge_instance *i = judge_generate(&b->plan, &d, &b->arena);
    for (uint32_t k = 0; i && k < i->leaves.len; k++)
        if (strcmp(i->leaves.at[k].name, name) == 0) return &i->leaves.at[k];
    return NULL;
}

/* Large regions take gigabytes. The image of the example is not the one that RoiAlign is
 * known to get here. */
static void what_work_grows_with_is_never_large(void) {
    struct bench b;
    struct judge_examples examples;
    uint32_t n = 0;
    open_bench(&b, "rule r: RoiAlign(x, rois, which) => x {\n"
                   "  where { opset >= 16 }\n"
                   "  example { <ir_version: 8, opset_import: [\"\" : 16]> g (float[1, 1, 8, 8] x, float[N, 4] rois, int64[N] which)\n"
                   "    => (float[N, 1, 1, 1] y) { y = RoiAlign (x, rois, which) } } => RoiAlign 0\n"
                   "}\n");
    led_by_examples(&b, &examples);
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct judge_leaf *l = leaf_named(&b, seed, "rois");
        if (!l) continue;
        n++;
        CU_ASSERT_TRUE(l->modest);
    }
    CU_ASSERT_TRUE(n > 20);
    close_bench(&b);
}

static void a_length_is_one_number_that_fits(void) {
    struct bench b;
    uint32_t n = 0;
    open_bench(&b, "rule r: DFT(x, n) => x { where { opset >= 20 } }\n");
    b.plan.opset_least = 20;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct judge_leaf *l = leaf_named(&b, seed, "n");
        int64_t length;
        if (!l || !l->fixed) continue;
        n++;
        CU_ASSERT_EQUAL(l->rank, 0);
        CU_ASSERT_TRUE(ir_tensor_int_at(NULL, l->fixed, 0, &length) && length <= 8);
    }
    CU_ASSERT_TRUE(n > 5);
    close_bench(&b);
}

/* --- choices ---------------------------------------------------------------------- */
static const struct judge_choice *choice(const struct bench *b, enum judge_choice_kind kind,
                                         uint32_t n) {
    for (uint32_t i = 0; i < b->choices.list.len; i++)
        if (b->choices.list.at[i].kind == kind && b->choices.list.at[i].n == n)
            return &b->choices.list.at[i];
    return NULL;
}

static void choices_of_a_rule(void) {
    struct bench b;
    open_bench(&b, "rule r: Neg(Sub(a, b) | Add(a, b) | {Relu, Tanh} as f (a)) => a\n");
    CU_ASSERT_EQUAL(b.choices.list.len, 3);
    const struct judge_choice *alt = choice(&b, JUDGE_ALTERNATIVE, 3);
    CU_ASSERT_PTR_NOT_NULL_FATAL(alt);
    CU_ASSERT_EQUAL(alt->nested[0].n, 0);
    CU_ASSERT_EQUAL(alt->nested[1].n, 1);
    CU_ASSERT_PTR_NOT_NULL(choice(&b, JUDGE_ORDER, 2));
    CU_ASSERT_PTR_NOT_NULL(choice(&b, JUDGE_OPERATOR, 2));
    close_bench(&b);
}

static void the_rarest_way_leads_to_what_was_seen_least(void) {
    struct bench b;
    open_bench(&b, "rule r: Neg(Sub(a, b) | Add(a, b) | {Relu, Tanh} as f (a)) => a\n");
    const struct judge_choice *alt = choice(&b, JUDGE_ALTERNATIVE, 3);
    uint32_t number = (uint32_t)(alt - b.choices.list.at);
    for (uint32_t i = 0; i < 3; i++) alt->seen[i] = 5;
    choice(&b, JUDGE_ORDER, 2)->seen[0] = choice(&b, JUDGE_ORDER, 2)->seen[1] = 5;
    choice(&b, JUDGE_OPERATOR, 2)->seen[0] = 5;
    CU_ASSERT_EQUAL(judge_rarest_way(&b.choices, number), 2); /* Tanh was not seen */
    choice(&b, JUDGE_OPERATOR, 2)->seen[1] = 5;
    choice(&b, JUDGE_ORDER, 2)->seen[1] = 4;
    CU_ASSERT_EQUAL(judge_rarest_way(&b.choices, number), 1);
    alt->seen[0] = 3;
    CU_ASSERT_EQUAL(judge_rarest_way(&b.choices, number), 0);
    close_bench(&b);
}

void add_judge_generate_suite(void);
void add_judge_generate_suite(void) {
    CU_pSuite s = CU_add_suite("judge/generate", NULL, NULL);
    CU_add_test(s, "numbers can be used again", numbers_can_be_used_again);
    CU_add_test(s, "a chance is as large as said", a_chance_is_as_large_as_said);
    CU_add_test(s, "no numbers make the simplest instance",
                no_numbers_make_the_simplest_instance);
    CU_add_test(s, "the same numbers make the same instance",
                the_same_numbers_make_the_same_instance);
    CU_add_test(s, "conditions are wishes", conditions_are_wishes);
    CU_add_test(s, "operands fit each other", operands_fit_each_other);
    CU_add_test(s, "some instances stand in bodies or functions",
                some_instances_stand_in_bodies_or_functions);
    CU_add_test(s, "sizes are those that nodes ask for, in bodies too",
                sizes_are_those_that_nodes_ask_for_in_bodies_too);
    CU_add_test(s, "made again, an instance can show what it computes",
                made_again_an_instance_can_show_what_it_computes);
    CU_add_test(s, "variables are what an example computes",
                variables_are_what_an_example_computes);
    CU_add_test(s, "what work grows with is never large",
                what_work_grows_with_is_never_large);
    CU_add_test(s, "a length is one number that fits", a_length_is_one_number_that_fits);
    CU_add_test(s, "choices of a rule", choices_of_a_rule);
    CU_add_test(s, "the rarest way leads to what was seen least",
                the_rarest_way_leads_to_what_was_seen_least);
}
