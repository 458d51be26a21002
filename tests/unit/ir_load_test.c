/* Reading models from bytes: names, bodies, order, tensors, and what is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/skeleton.h"
#include "tests/unit/messages.h"

static struct ir_model *read(Onnx__GraphProto *g) { return read_model(model(g, 10, 18)); }

static void assert_refused(struct ir_model *m, const char *where, const char *text) {
    CU_ASSERT_PTR_NULL(m);
    CU_ASSERT_EQUAL_FATAL(diags.list.len, 1);
    CU_ASSERT_STRING_EQUAL(diags.list.at[0].where, where);
    CU_ASSERT_STRING_EQUAL(diags.list.at[0].text, text);
    arena_free(&a);
}

static const char *op_at(const struct ir_graph *g, uint32_t k) {
    ir_node n = g->first;
    while (k--) n = g->nodes.at[n].next;
    return ir_op_name(g, n);
}

/* --- tests ------------------------------------------------------------------------ */

static void a_small_tensor_is_in_memory_and_a_large_one_in_the_file(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    PUSH(g->initializer, g->n_initializer, floats("small", 4, 16));
    PUSH(g->initializer, g->n_initializer, floats("large", 500, 2000));
    add(g, node("Add", "x", "y"));
    PUSH(g->node[0]->input, g->node[0]->n_input, "large");
    struct ir_model *m = read(g);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    const struct ir_tensor *small = ir_const(m->main, ir_find_value(m->main, "small"));
    const struct ir_tensor *large = ir_const(m->main, ir_find_value(m->main, "large"));
    CU_ASSERT_EQUAL(small->storage, IR_IN_MEMORY);
    CU_ASSERT_EQUAL(large->storage, IR_IN_FILE);
    CU_ASSERT_EQUAL(large->nbytes, 2000);
    const uint8_t *bytes = ir_tensor_read(m, large, &a);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    CU_ASSERT_EQUAL(bytes[1999], (uint8_t)(1999 * 7));
    CU_ASSERT_EQUAL(ir_input(m->main, m->main->first, 1), ir_find_value(m->main, "large"));
    CU_ASSERT_EQUAL(m->edits, 0);
    arena_free(&a);
}

static void a_body_sees_the_values_around_it(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y"), *inner = graph(NULL, "r"),
                     *other = graph(NULL, "r");
    add(inner, node("Neg", "t", "r"));
    add(other, node("Abs", "t", "r"));
    add(g, node("Relu", "x", "t"));
    add(g, node("If", "x", "y"));
    add_body(g->node[1], "then_branch", inner);
    add_body(g->node[1], "else_branch", other);
    struct ir_model *m = read(g);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_EQUAL_FATAL(m->graphs.len, 3);
    const struct ir_graph *body = m->graphs.at[1];
    CU_ASSERT_PTR_EQUAL(body->outer, m->main);
    CU_ASSERT_EQUAL(body->owner, m->main->last);
    ir_value t = ir_find_value(m->main, "t"), seen = ir_input(body, body->first, 0);
    CU_ASSERT_TRUE(ir_has(body, seen, IR_IS_OUTER));
    CU_ASSERT_EQUAL(body->values.at[seen].outer, t);
    CU_ASSERT_EQUAL(m->main->values.at[t].nuses, 2);
    /* Both branches keep the name that both have. */
    ir_value r = ir_output(body, body->first, 0);
    CU_ASSERT_STRING_EQUAL(body->values.at[r].name, "r");
    r = ir_output(m->graphs.at[2], m->graphs.at[2]->first, 0);
    CU_ASSERT_STRING_EQUAL(m->graphs.at[2]->values.at[r].name, "r");
    arena_free(&a);
}

static void a_body_value_that_hides_an_outer_one_is_renamed(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y"), *inner = graph(NULL, "x_1");
    add(inner, node("Neg", "x_1", "x"));
    add(inner, node("Neg", "y", "x_1"));
    PUSH(inner->initializer, inner->n_initializer, floats("y", 1, 4));
    add(g, node("If", "x", "y"));
    add_body(g->node[0], "then_branch", inner);
    struct ir_model *m = read(g);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    const struct ir_graph *body = m->graphs.at[1];
    CU_ASSERT_STRING_EQUAL(body->values.at[ir_output(body, body->last, 0)].name, "x_2");
    CU_ASSERT_STRING_EQUAL(body->values.at[ir_output(body, body->first, 0)].name, "x_1");
    arena_free(&a);
}

static void nodes_out_of_order_are_sorted_and_keep_their_order_otherwise(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Sqrt", "x", "s"));
    add(g, node("Neg", "b", "y"));
    add(g, node("Abs", "x", "c"));
    add(g, node("Relu", "x", "b"));
    struct ir_model *m = read(g);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    CU_ASSERT_STRING_EQUAL(op_at(m->main, 0), "Sqrt");
    CU_ASSERT_STRING_EQUAL(op_at(m->main, 1), "Abs");
    CU_ASSERT_STRING_EQUAL(op_at(m->main, 2), "Relu");
    CU_ASSERT_STRING_EQUAL(op_at(m->main, 3), "Neg");
    CU_ASSERT_EQUAL(diags.count[DIAG_WARNING], 1);
    CU_ASSERT_EQUAL(m->edits, 1);
    arena_free(&a);
}

static void a_cycle_is_refused(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Neg", "b", "y"));
    add(g, node("Relu", "b", "b"));
    assert_refused(read(g), "m.onnx: node of \"b\" (Relu)",
                   "needs its own output");
}

static void a_longer_cycle_is_told_by_two_of_its_nodes(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Neg", "x", "y"));
    add(g, node("Relu", "c", "b"));
    add(g, node("Abs", "b", "c"));
    assert_refused(read(g), "m.onnx: node of \"c\" (Abs)",
                   "is in a cycle: it needs node of \"b\" (Relu), which needs it");
}

static void a_name_that_nobody_defines_is_refused(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Neg", "b", "y"));
    g->node[0]->name = "first";
    assert_refused(
        read(g), "m.onnx: node \"first\" (Neg)",
        "input \"b\" is not defined: no node, input or initializer has this name");
}

static void a_name_defined_twice_is_refused(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    add(g, node("Neg", "x", "y"));
    add(g, node("Abs", "x", "y"));
    assert_refused(read(g), "m.onnx: node of \"y\" (Abs)", "\"y\" is defined twice");
}

static void a_tensor_with_too_few_bytes_is_refused(void) {
    start();
    Onnx__GraphProto *g = graph("x", "x");
    PUSH(g->initializer, g->n_initializer, floats("w", 5, 16));
    assert_refused(read(g), "m.onnx: initializer \"w\"",
                   "has 16 bytes of data, but float[5] has 20");
}

static void negative_dims_are_refused(void) {
    start();
    Onnx__GraphProto *g = graph("x", "x");
    PUSH(g->initializer, g->n_initializer, floats("w", -1, 16));
    assert_refused(read(g), "m.onnx: initializer \"w\"",
                   "has dims that are negative or too large");
}

static void every_truncation_is_refused_or_read(void) {
    start();
    Onnx__GraphProto *g = graph("x", "y");
    PUSH(g->initializer, g->n_initializer, floats("large", 300, 1200));
    add(g, node("Neg", "x", "y"));
    Onnx__ModelProto p = ONNX__MODEL_PROTO__INIT;
    p.graph = g;
    size_t len = onnx__model_proto__get_packed_size(&p);
    uint8_t *bytes = arena_alloc(&a, len);
    onnx__model_proto__pack(&p, bytes);
    for (size_t n = 0; n < len; n++) {
        struct ir_skeleton s = {0};
        const char *why = NULL;
        uint8_t *exact = malloc(n + 1); /* so that the sanitizer sees reads behind it */
        memcpy(exact, bytes, n);
        bool ok = ir_skeleton_read(&(struct ir_walked){exact, n, NULL},
                                   &onnx__model_proto__descriptor, &a, &s, &why);
        CU_ASSERT_EQUAL(ok, n == 0); /* the graph is all there is, so it is cut */
        CU_ASSERT_EQUAL(why == NULL, ok);
        buf_free(&s.bytes);
        free(exact);
    }
    arena_free(&a);
}

void add_ir_load_suite(void);
void add_ir_load_suite(void) {
    CU_pSuite s = CU_add_suite("ir/load", NULL, NULL);
#define T(name) CU_add_test(s, #name, name)
    T(a_small_tensor_is_in_memory_and_a_large_one_in_the_file);
    T(a_body_sees_the_values_around_it);
    T(a_body_value_that_hides_an_outer_one_is_renamed);
    T(nodes_out_of_order_are_sorted_and_keep_their_order_otherwise);
    T(a_cycle_is_refused);
    T(a_longer_cycle_is_told_by_two_of_its_nodes);
    T(a_name_that_nobody_defines_is_refused);
    T(a_name_defined_twice_is_refused);
    T(a_tensor_with_too_few_bytes_is_refused);
    T(negative_dims_are_refused);
    T(every_truncation_is_refused_or_read);
#undef T
}
