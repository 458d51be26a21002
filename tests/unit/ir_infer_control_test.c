/* SPDX-License-Identifier: Apache-2.0 */
#include "infer_kit.h"

/* A body graph: a kit of its own on the same model. */
static struct kit body_of(struct kit *k, const char *name) {
    struct kit b = *k;
    b.g = ir_graph_new(k->m, k->g, name);
    return b;
}

static ir_node own(struct kit *k, const char *op, uint32_t nin, const ir_value *in,
                   uint32_t nout, uint32_t nbodies, struct kit *const *bodies,
                   const char *const *names) {
    struct ir_attr attr[2];
    ir_value out[4];
    for (uint32_t i = 0; i < nout; i++) out[i] = ir_add_value(k->g, NULL, NULL);
    for (uint32_t i = 0; i < nbodies; i++)
        attr[i] = ir_attr_graph(k->m->arena, names[i], bodies[i]->g);
    ir_node n = ir_add_node(k->g, &(struct ir_new_node){.op = op, .domain = "", .nin = nin,
        .in = in, .nout = nout, .out = out, .nattr = nbodies, .attr = attr}, IR_NONE);
    for (uint32_t i = 0; i < nbodies; i++) ir_own_body(k->g, n, bodies[i]->g);
    return n;
}

static void branches_meet_in_what_both_have(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value c = kit_input(&k, "c", IR_BOOL, ""),
             x = kit_input(&k, "x", IR_FLOAT, "batch 4");
    struct kit yes = body_of(&k, "yes"), no = body_of(&k, "no");
    ir_value seen = ir_add_outer(yes.g, x);
    ir_node a = kit_add(&yes, &(struct kit_node){"Relu", .nin = 1, .in = {seen}});
    ir_add_output(yes.g, ir_output(yes.g, a, 0));
    seen = ir_add_outer(no.g, x);
    ir_node b =
        kit_add(&no, &(struct kit_node){"Concat", .nin = 2, .in = {seen, seen}, .nattr = 1,
                                        .attr = {ir_attr_int("axis", 1)}});
    ir_add_output(no.g, ir_output(no.g, b, 0));
    ir_node n = own(&k, "If", 1, &c, 1, 2, (struct kit *[]){&yes, &no},
                    (const char *[]){"then_branch", "else_branch"});
    CU_ASSERT_TRUE(ir_infer_node(k.g, n, NULL));
    kit_type(&yes, ir_output(yes.g, a, 0), "float[batch, 4]");
    kit_type(&no, ir_output(no.g, b, 0), "float[batch, 8]");
    const struct ir_type *t = ir_val(k.g, ir_output(k.g, n, 0))->type;
    CU_ASSERT_EQUAL_FATAL(t->rank, 2);
    CU_ASSERT_STRING_EQUAL(ir_dim_param(k.m->dims, t->dims[0]), "batch");
    CU_ASSERT_TRUE(ir_dim_is_fresh(k.m->dims, t->dims[1]));
    kit_end(&k);
}

static void a_change_in_a_body_goes_on_outside(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value c = kit_input(&k, "c", IR_BOOL, ""), x = kit_input(&k, "x", IR_FLOAT, NULL);
    ir_value y = kit_input(&k, "y", IR_FLOAT, "2 3");
    struct kit yes = body_of(&k, "yes"), no = body_of(&k, "no");
    ir_value seen = ir_add_outer(yes.g, x), other = ir_add_outer(yes.g, y);
    ir_node a = kit_add(&yes, &(struct kit_node){"Relu", .nin = 1, .in = {seen}});
    ir_add_output(yes.g, ir_output(yes.g, a, 0));
    ir_node b =
        kit_add(&no, &(struct kit_node){"Relu", .nin = 1, .in = {ir_add_outer(no.g, y)}});
    ir_add_output(no.g, ir_output(no.g, b, 0));
    ir_node n = own(&k, "If", 1, &c, 1, 2, (struct kit *[]){&yes, &no},
                    (const char *[]){"then_branch", "else_branch"});
    ir_value out = ir_output(k.g, n, 0);
    ir_node user = kit_add(&k, &(struct kit_node){"Tanh", .nin = 1, .in = {out}});
    CU_ASSERT_EQUAL(ir_infer_model(k.m, NULL), RW_OK);
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(k.g, out)->type));
    ir_set_input(yes.g, a, 0, other);
    ir_infer_from(yes.g, &a, 1);
    kit_type(&k, out, "float[2, 3]");
    kit_type(&k, ir_output(k.g, user, 0), "float[2, 3]");
    kit_end(&k);
}

/* for (...) { grows = concat(grows, stays); stays = relu(stays); collect stays } */
static void a_loop_keeps_what_its_body_keeps(void) {
    struct kit k;
    kit_start(&k, 14);
    int64_t ten = 10;
    ir_value trip = ir_add_constant(k.g, "t", ir_tensor_new(&k.a, IR_INT64, 0, NULL, &ten));
    ir_value grows = kit_input(&k, "grows", IR_FLOAT, "batch past");
    ir_value stays = kit_input(&k, "stays", IR_FLOAT, "batch 1");
    struct kit b = body_of(&k, "body");
    ir_value in[4];
    for (int i = 0; i < 4; i++) {
        in[i] = ir_add_value(b.g, NULL, NULL);
        ir_add_input(b.g, in[i]);
    }
    ir_node grown = kit_add(&b, &(struct kit_node){"Concat", .nin = 2, .in = {in[2], in[3]},
        .nattr = 1, .attr = {ir_attr_int("axis", 1)}});
    ir_node kept = kit_add(&b, &(struct kit_node){"Relu", .nin = 1, .in = {in[3]}});
    ir_node on = kit_add(&b, &(struct kit_node){"Identity", .nin = 1, .in = {in[1]}});
    ir_node same = kit_add(&b, &(struct kit_node){"Tanh", .nin = 1, .in = {in[3]}});
    ir_node outs[] = {on, grown, kept, same};
    for (int i = 0; i < 4; i++) ir_add_output(b.g, ir_output(b.g, outs[i], 0));
    ir_node n = own(&k, "Loop", 4, (ir_value[]){trip, IR_NONE, grows, stays}, 3, 1,
                    (struct kit *[]){&b}, (const char *[]){"body"});
    CU_ASSERT_TRUE(ir_infer_node(k.g, n, NULL));
    kit_type(&b, in[0], "int64");
    kit_type(&b, in[3], "float[batch, 1]"); /* the same in every iteration */
    const struct ir_type *state = ir_val(b.g, in[2])->type;
    CU_ASSERT_EQUAL(ir_dim_equal(k.m->dims, state->dims[1],
                                 ir_val(k.g, grows)->type->dims[1]), IR_UNKNOWN);
    kit_type(&k, ir_output(k.g, n, 1), "float[batch, 1]");
    const struct ir_type *last = ir_val(k.g, ir_output(k.g, n, 0))->type;
    CU_ASSERT_EQUAL_FATAL(last->rank, 2);
    CU_ASSERT_STRING_EQUAL(ir_dim_param(k.m->dims, last->dims[0]), "batch");
    CU_ASSERT_EQUAL(ir_dim_equal(k.m->dims, last->dims[1], state->dims[1]), IR_UNKNOWN);
    const struct ir_type *all = ir_val(k.g, ir_output(k.g, n, 2))->type;
    CU_ASSERT_EQUAL_FATAL(all->rank, 3);
    CU_ASSERT_STRING_EQUAL(ir_dim_param(k.m->dims, all->dims[1]), "batch");
    /* again: nothing new */
    ir_infer_from(k.g, &n, 1);
    CU_ASSERT_PTR_EQUAL(ir_val(k.g, ir_output(k.g, n, 0))->type, last);
    CU_ASSERT_PTR_EQUAL(ir_val(b.g, in[2])->type, state);
    kit_end(&k);
}

static void a_rank_that_changes_is_not_assumed(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value x = kit_input(&k, "x", IR_FLOAT, "n");
    struct kit b = body_of(&k, "body");
    ir_value in[3];
    for (int i = 0; i < 3; i++) {
        in[i] = ir_add_value(b.g, NULL, NULL);
        ir_add_input(b.g, in[i]);
    }
    ir_node on = kit_add(&b, &(struct kit_node){"Identity", .nin = 1, .in = {in[1]}});
    ir_node more = kit_add(&b, &(struct kit_node){"Unsqueeze", .nin = 2,
                                                  .in = {in[2], INTS(&b, 0)}});
    ir_add_output(b.g, ir_output(b.g, on, 0));
    ir_add_output(b.g, ir_output(b.g, more, 0));
    ir_node n = own(&k, "Loop", 3, (ir_value[]){IR_NONE, IR_NONE, x}, 1, 1,
                    (struct kit *[]){&b}, (const char *[]){"body"});
    CU_ASSERT_TRUE(ir_infer_node(k.g, n, NULL));
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(b.g, in[2])->type));
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(k.g, ir_output(k.g, n, 0))->type));
    CU_ASSERT_EQUAL(ir_type_dtype(ir_val(k.g, ir_output(k.g, n, 0))->type), IR_FLOAT);
    kit_end(&k);
}

static void what_a_branch_demands_holds_only_there(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value c = kit_input(&k, "c", IR_BOOL, ""), x = kit_input(&k, "x", IR_FLOAT, "1 n");
    ir_value w = kit_input(&k, "w", IR_FLOAT, "5 7"),
             v = kit_input(&k, "v", IR_FLOAT, "6 7");
    struct kit yes = body_of(&k, "yes"), no = body_of(&k, "no");
    ir_value weight[] = {w, v};
    struct kit *both[] = {&yes, &no};
    for (int i = 0; i < 2; i++) {
        ir_value a = ir_add_outer(both[i]->g, x), b = ir_add_outer(both[i]->g, weight[i]);
        ir_node m = kit_add(both[i], &(struct kit_node){"MatMul", .nin = 2, .in = {a, b}});
        ir_add_output(both[i]->g, ir_output(both[i]->g, m, 0));
    }
    ir_node n =
        own(&k, "If", 1, &c, 1, 2, both, (const char *[]){"then_branch", "else_branch"});
    ir_add_output(k.g, ir_output(k.g, n, 0));
    CU_ASSERT_EQUAL(ir_infer_model(k.m, NULL), RW_OK);
    kit_type(&k, ir_output(k.g, n, 0), "float[1, 7]");
    kit_type(&k, x, "float[1, n]");
    kit_end(&k);
}

static void a_scan_takes_an_axis_away_and_gives_one(void) {
    struct kit k;
    kit_start(&k, 14);
    ir_value state = kit_input(&k, "s", IR_FLOAT, "8"),
             x = kit_input(&k, "x", IR_FLOAT, "len 8");
    struct kit b = body_of(&k, "body");
    ir_value in[2];
    for (int i = 0; i < 2; i++) {
        in[i] = ir_add_value(b.g, NULL, NULL);
        ir_add_input(b.g, in[i]);
    }
    ir_node sum = kit_add(&b, &(struct kit_node){"Add", .nin = 2, .in = {in[0], in[1]}});
    ir_node out = kit_add(&b, &(struct kit_node){"Relu", .nin = 1, .in = {in[1]}});
    ir_add_output(b.g, ir_output(b.g, sum, 0));
    ir_add_output(b.g, ir_output(b.g, out, 0));
    ir_node n = own(&k, "Scan", 2, (ir_value[]){state, x}, 2, 1, (struct kit *[]){&b},
                    (const char *[]){"body"});
    struct ir_attr scans = ir_attr_int("num_scan_inputs", 1);
    ir_set_attr(k.g, n, &scans);
    CU_ASSERT_TRUE(ir_infer_node(k.g, n, NULL));
    kit_type(&b, in[1], "float[8]");
    kit_type(&k, ir_output(k.g, n, 0), "float[8]");
    kit_type(&k, ir_output(k.g, n, 1), "float[len, 8]");
    kit_end(&k);
}

/* double(x) = concat(x, x), called with two shapes. */
static void a_call_is_inferred_with_its_own_operands(void) {
    struct kit k;
    kit_start(&k, 14);
    struct ir_function *f = ir_function_new(k.m, "local", "Double");
    vec_push(&k.a, &f->opsets, (struct ir_opset){"", 14});
    struct kit b = k;
    b.g = f->body;
    ir_value in = ir_add_value(b.g, "in", NULL);
    ir_add_input(b.g, in);
    ir_node act = kit_add(&b, &(struct kit_node){"Relu", .nin = 1, .in = {in}});
    ir_value r = ir_output(b.g, act, 0);
    ir_node two =
        kit_add(&b, &(struct kit_node){"Concat", .nin = 2, .in = {r, r}, .nattr = 1,
                                       .attr = {ir_attr_int("axis", 0)}});
    ir_add_output(b.g, ir_output(b.g, two, 0));
    ir_value x = kit_input(&k, "x", IR_FLOAT, "n 3"),
             y = kit_input(&k, "y", IR_DOUBLE, "5");
    ir_node p = kit_add(&k, &(struct kit_node){"Double", "local", .nin = 1, .in = {x}});
    ir_node q = kit_add(&k, &(struct kit_node){"Double", "local", .nin = 1, .in = {y}});
    CU_ASSERT_EQUAL(ir_infer_model(k.m, NULL), RW_OK);
    kit_type(&k, ir_output(k.g, p, 0), "float[2*n, 3]");
    kit_type(&k, ir_output(k.g, q, 0), "double[10]");
    /* the body itself knows neither, only that Relu keeps the shape */
    CU_ASSERT_EQUAL(ir_shape_equal(k.m->dims, ir_val(b.g, in)->type, ir_val(b.g, r)->type),
                    IR_TRUE);
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(b.g, in)->type));
    kit_end(&k);
}

/* Only where they agree has the body their types; through a function that calls another. */
static void a_body_has_the_types_that_all_calls_give(void) {
    struct arena arena = ARENA_EMPTY;
    struct diag_sink diags;
    diag_init(&diags, &arena);
    static const char text[] =
        "<ir_version: 10, opset_import: [\"\" : 20, \"f\" : 1]>\n"
        "g (float[N, 3] x, float[N, 3] y, float[4] z) => (float[N, 3] a, float[N, 3] b) {\n"
        " a = f.outer (x, x)\n b = f.outer (y, z) }\n"
        "<domain: \"f\", opset_import: [\"\" : 20, \"f\" : 1]>\n"
        "outer (u, v) => (w) { w = f.inner (u) }\n"
        "<domain: \"f\", opset_import: [\"\" : 20]>\n"
        "inner (u) => (w) { w = Neg (u) }\n";
    const struct diag_source source = {"test", text, strlen(text)};
    struct ir_model *m = ir_text_parse(&arena, &source, &diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_EQUAL(ir_infer_model(m, NULL), RW_OK);
    const struct ir_graph *outer = m->functions.at[0]->body, *inner = m->functions.at[1]->body;
    CU_ASSERT_TRUE(ir_type_ranked(ir_val(outer, outer->inputs.at[0])->type));
    CU_ASSERT_FALSE(ir_type_ranked(ir_val(outer, outer->inputs.at[1])->type));
    const struct ir_type *t = ir_val(inner, ir_find_value(inner, "w"))->type;
    CU_ASSERT_TRUE_FATAL(ir_type_ranked(t));
    CU_ASSERT_EQUAL(t->rank, 2);
    CU_ASSERT_EQUAL(t->dtype, IR_FLOAT);
    arena_free(&arena);
}

/* Each function calls the next one eight times: 8^20 calls, were they all followed. */
static void nests_of_calls_end(void) {
    struct kit k;
    kit_start(&k, 14);
    for (int i = 0; i < 20; i++) {
        struct ir_function *f = ir_function_new(k.m, "local", arena_printf(&k.a, "f%d", i));
        vec_push(&k.a, &f->opsets, (struct ir_opset){"", 14});
        struct kit b = k;
        b.g = f->body;
        ir_value v = ir_add_value(b.g, NULL, NULL);
        ir_add_input(b.g, v);
        const char *next = arena_printf(&k.a, "f%d", (i + 1) % 20);
        for (int j = 0; j < 8; j++)
            v = ir_output(
                b.g, kit_add(&b, &(struct kit_node){next, "local", .nin = 1, .in = {v}}),
                0);
        ir_add_output(b.g, v);
    }
    ir_value x = kit_input(&k, "x", IR_FLOAT, "n");
    kit_add(&k, &(struct kit_node){"f0", "local", .nin = 1, .in = {x}});
    CU_ASSERT_EQUAL(ir_infer_model(k.m, NULL), RW_OK);
    kit_end(&k);
}

void add_ir_infer_control_suite(void);
void add_ir_infer_control_suite(void) {
    CU_pSuite s = CU_add_suite("ir: inference through bodies and calls", NULL, NULL);
    CU_ADD_TEST(s, branches_meet_in_what_both_have);
    CU_ADD_TEST(s, a_change_in_a_body_goes_on_outside);
    CU_ADD_TEST(s, a_loop_keeps_what_its_body_keeps);
    CU_ADD_TEST(s, a_rank_that_changes_is_not_assumed);
    CU_ADD_TEST(s, what_a_branch_demands_holds_only_there);
    CU_ADD_TEST(s, a_scan_takes_an_axis_away_and_gives_one);
    CU_ADD_TEST(s, a_call_is_inferred_with_its_own_operands);
    CU_ADD_TEST(s, a_body_has_the_types_that_all_calls_give);
    CU_ADD_TEST(s, nests_of_calls_end);
}
