/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_dump.h"

#include "ir/schema.h"

#include <CUnit/Basic.h>
#include <stdio.h>

/* --- small graphs ------------------------------------------------------------------- */

struct fixture {
    struct arena arena;
    struct ir_model *m;
    struct ir_graph *g;
    struct diag_sink diags;
};

static void set_up(struct fixture *f, int64_t ir_version) {
    *f = (struct fixture){0};
    f->m = ir_model_new(&f->arena, ir_version);
    ir_set_opset(f->m, "", 17);
    f->g = f->m->main;
    diag_init(&f->diags, &f->arena);
}

static bool sound(struct fixture *f) {
    for (uint32_t i = 0; i < f->m->graphs.len; i++)
        if (!ir_graph_check(f->m->graphs.at[i], &f->diags)) {
            puts(f->diags.list.at[f->diags.list.len - 1].text);
            return false;
        }
    return true;
}

static void tear_down(struct fixture *f) {
    CU_ASSERT_TRUE(sound(f));
    arena_free(&f->arena);
}

static ir_value input(struct ir_graph *g, const char *name) {
    ir_value v = ir_add_value(g, name, NULL);
    ir_add_input(g, v);
    return v;
}

/* A node with one output, in front of `before`; returns the output. */
static ir_value op_before(struct ir_graph *g, const char *op, ir_value a, ir_value b,
                          const char *name, ir_node before) {
    ir_value out = ir_add_value(g, name, NULL), in[] = {a, b};
    ir_add_node(g, &(struct ir_new_node){.op = op, .nin = b == IR_NONE ? 1 : 2, .in = in,
                                         .nout = 1, .out = &out}, before);
    return out;
}
static ir_value op(struct ir_graph *g, const char *name, ir_value a, ir_value b,
                   const char *out) {
    return op_before(g, name, a, b, out, IR_NONE);
}

static ir_node producer(const struct ir_graph *g, ir_value v) {
    return ir_val(g, v)->producer;
}

/* An If whose branches are the graphs. */
static ir_value branch(struct ir_graph *g, ir_value cond, struct ir_graph *then_,
                       struct ir_graph *else_, const char *name) {
    struct arena *a = g->model->arena;
    ir_value out = ir_add_value(g, name, NULL);
    struct ir_attr attrs[] = {ir_attr_graph(a, "then_branch", then_),
                              ir_attr_graph(a, "else_branch", else_)};
    ir_node n = ir_add_node(g, &(struct ir_new_node){.op = "If", .nin = 1, .in = &cond,
                                                     .nout = 1, .out = &out, .nattr = 2,
                                                     .attr = attrs}, IR_NONE);
    ir_own_body(g, n, then_);
    ir_own_body(g, n, else_);
    return out;
}

static void a_graph_is_made_and_asked(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), y = input(f.g, "y");
    ir_value s = op(f.g, "Add", x, y, "s"), r = op(f.g, "Relu", s, IR_NONE, NULL);
    ir_add_output(f.g, r);
    ir_node add = producer(f.g, s), relu = producer(f.g, r);
    CU_ASSERT_TRUE(ir_is_op(f.g, add, "Add"));
    CU_ASSERT_STRING_EQUAL(ir_op_name(f.g, relu), "Relu");
    CU_ASSERT_STRING_EQUAL(ir_domain_name(f.g, relu), "");
    CU_ASSERT_PTR_EQUAL(ir_nod(f.g, add)->schema, ir_schema_find("", "Add", 17));
    CU_ASSERT_EQUAL(ir_input(f.g, add, 1), y);
    CU_ASSERT_EQUAL(ir_input(f.g, add, 2), IR_NONE);
    CU_ASSERT_EQUAL(ir_output(f.g, add, 0), s);
    CU_ASSERT_TRUE(ir_precedes(f.g, add, relu));
    CU_ASSERT_EQUAL(ir_find_value(f.g, "s"), s);
    CU_ASSERT_EQUAL(ir_find_value(f.g, "t"), IR_NONE);
    CU_ASSERT_EQUAL(ir_val(f.g, s)->nuses, 1);
    CU_ASSERT_EQUAL(ir_opset(f.g, "ai.onnx"), 17);
    CU_ASSERT_EQUAL(ir_opset(f.g, "com.microsoft"), 0);
    CU_ASSERT_EQUAL(f.g->live, 2);
    tear_down(&f);
}

static void names_are_made_free_and_unique(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value a = ir_add_value(f.g, "x", NULL), b = ir_add_value(f.g, "x", NULL);
    CU_ASSERT_STRING_EQUAL(ir_val(f.g, a)->name, "x");
    CU_ASSERT_STRING_EQUAL(ir_val(f.g, b)->name, "x_1");
    CU_ASSERT_STRING_EQUAL(ir_val(f.g, ir_add_value(f.g, "", NULL))->name, "v");
    CU_ASSERT_STRING_EQUAL(ir_val(f.g, ir_add_value(f.g, NULL, NULL))->name, "v_1");
    struct ir_function *fun = ir_function_new(f.m, "local", "F");
    ir_value inside = ir_add_value(fun->body, "x", NULL);
    CU_ASSERT_STRING_EQUAL(ir_val(fun->body, inside)->name, "x");
    ir_rename(f.g, b, "z");
    CU_ASSERT_EQUAL(ir_find_value(f.g, "z"), b);
    CU_ASSERT_EQUAL(ir_find_value(f.g, "x_1"), IR_NONE);
    CU_ASSERT_STRING_EQUAL(ir_fresh_name(f.m, "x"), "x_2");
    for (int i = 0; i < 100000; i++) ir_add_value(f.g, "many", NULL);
    CU_ASSERT_STRING_EQUAL(ir_fresh_name(f.m, "many"), "many_100000");
    tear_down(&f);
}

static void absent_operands_and_operand_counts(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), c = op(f.g, "Clip", x, IR_NONE, "c");
    ir_node n = producer(f.g, c);
    ir_set_input_count(f.g, n, 3);
    CU_ASSERT_EQUAL(ir_nod(f.g, n)->nin, 3);
    CU_ASSERT_EQUAL(ir_input(f.g, n, 2), IR_NONE);
    ir_set_input(f.g, n, 2, x);
    CU_ASSERT_EQUAL(ir_val(f.g, x)->nuses, 2);
    ir_set_input(f.g, n, 2, IR_NONE);
    ir_set_input_count(f.g, n, 1);
    CU_ASSERT_EQUAL(ir_val(f.g, x)->nuses, 1);
    tear_down(&f);
}

static void attributes_are_set_and_dropped(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_node n = producer(f.g, op(f.g, "Softmax", input(f.g, "x"), IR_NONE, "y"));
    struct ir_attr axis = ir_attr_int("axis", -1), other = ir_attr_float("beta", 2);
    ir_set_attr(f.g, n, &axis);
    ir_set_attr(f.g, n, &other);
    axis.i = 3;
    ir_set_attr(f.g, n, &axis);
    CU_ASSERT_EQUAL(ir_nod(f.g, n)->nattr, 2);
    CU_ASSERT_EQUAL(ir_find_attr(f.g, n, "axis")->i, 3);
    CU_ASSERT_STRING_EQUAL(ir_nod(f.g, n)->attr[0].name, "axis");
    ir_drop_attr(f.g, n, "axis");
    CU_ASSERT_PTR_NULL(ir_find_attr(f.g, n, "axis"));
    CU_ASSERT_EQUAL(ir_find_attr(f.g, n, "beta")->f, 2.0f);
    tear_down(&f);
}

/* --- constants ---------------------------------------------------------------------- */

static void initializers_are_constants_unless_overridable(void) {
    struct fixture f;
    set_up(&f, 8);
    struct ir_tensor *t = ir_tensor_ints(&f.arena, 2, (int64_t[]){3, -1});
    ir_value c = ir_add_constant(f.g, "c", t), x = input(f.g, "x");
    ir_set_initializer(f.g, x, t);
    CU_ASSERT_PTR_EQUAL(ir_const(f.g, c), t);
    CU_ASSERT_PTR_NULL(ir_const(f.g, x));
    CU_ASSERT_PTR_NULL(ir_const(f.g, IR_NONE));
    f.m->ir_version = 3;
    CU_ASSERT_PTR_EQUAL(ir_const(f.g, x), t);
    const struct ir_symval *s = ir_val(f.g, c)->symval;
    CU_ASSERT_EQUAL(s->rank, 1);
    CU_ASSERT_EQUAL(s->items[1], ir_dim_const(f.m->dims, -1));
    CU_ASSERT_EQUAL(ir_val(f.g, c)->type->dims[0], ir_dim_const(f.m->dims, 2));
    ir_remove_value(f.g, c);
    CU_ASSERT_TRUE(ir_has(f.g, c, IR_IS_DEAD));
    tear_down(&f);
}

static void constant_nodes_are_constants(void) {
    struct fixture f;
    set_up(&f, 3);
    struct ir_tensor *t = ir_tensor_ints(&f.arena, 1, (int64_t[]){7});
    ir_value x = input(f.g, "x");
    ir_value y = op(f.g, "Relu", x, IR_NONE, "y"), c = ir_add_constant(f.g, "c", t);
    ir_node n = producer(f.g, c);
    CU_ASSERT_TRUE(ir_is_op(f.g, n, "Constant") && ir_precedes(f.g, n, producer(f.g, y)));
    CU_ASSERT_PTR_EQUAL(ir_const(f.g, c), t);
    ir_drop_attr(f.g, n, "value");
    CU_ASSERT_PTR_NULL(ir_const(f.g, c));
    struct ir_attr attr = ir_attr_float("value_float", 2.5f);
    ir_set_attr(f.g, n, &attr);
    double d;
    CU_ASSERT_TRUE(ir_tensor_double_at(f.m, ir_const(f.g, c), 0, &d) && d == 2.5);
    CU_ASSERT_EQUAL(ir_const(f.g, c)->rank, 0);
    ir_drop_attr(f.g, n, "value_float");
    attr = ir_attr_ints("value_ints", 2, (int64_t[]){4, 5});
    ir_set_attr(f.g, n, &attr);
    CU_ASSERT_EQUAL(ir_const(f.g, c)->count, 2);
    attr.ref = "shape";
    ir_set_attr(f.g, n, &attr);
    CU_ASSERT_PTR_NULL(ir_const(f.g, c));
    tear_down(&f);
}

/* Its Constant node holds floats only, and its initializers would be inputs. */
static void integers_lift_the_version_of_a_model_of_opset_8(void) {
    struct fixture f;
    set_up(&f, 3);
    ir_set_opset(f.m, "", 8);
    ir_value k = ir_add_constant(f.g, "k", ir_tensor_scalar_float(&f.arena, IR_FLOAT, 1));
    CU_ASSERT_NOT_EQUAL(producer(f.g, k), IR_NONE);
    CU_ASSERT_EQUAL(f.m->ir_version, 3);
    ir_value c = ir_add_constant(f.g, "c", ir_tensor_ints(&f.arena, 1, (int64_t[]){7}));
    CU_ASSERT_TRUE(ir_has(f.g, c, IR_IS_INIT) && !ir_has(f.g, c, IR_IS_INPUT));
    CU_ASSERT_EQUAL(f.m->ir_version, 4);
    tear_down(&f);
}

static void functions_hold_constants_as_nodes(void) {
    struct fixture f;
    set_up(&f, 9);
    struct ir_function *fun = ir_function_new(f.m, "local", "F");
    ir_value c = ir_add_constant(fun->body, "c", ir_tensor_ints(&f.arena, 0, NULL));
    CU_ASSERT_TRUE(ir_is_op(fun->body, producer(fun->body, c), "Constant"));
    CU_ASSERT_EQUAL(ir_const(fun->body, c)->count, 0);
    CU_ASSERT_EQUAL(ir_opset(fun->body, ""), 0);
    tear_down(&f);
}

/* --- bodies ------------------------------------------------------------------------- */

static void captures_are_uses_through_levels(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), cond = input(f.g, "cond");
    ir_value w = ir_add_constant(f.g, "w", ir_tensor_ints(&f.arena, 1, (int64_t[]){1}));
    ir_value s = op(f.g, "Neg", x, IR_NONE, "s"), t = op(f.g, "Abs", x, IR_NONE, "t");
    struct ir_graph *a = ir_graph_new(f.m, f.g, "a"), *b = ir_graph_new(f.m, f.g, "b");
    struct ir_graph *aa = ir_graph_new(f.m, a, "aa"), *ab = ir_graph_new(f.m, a, "ab");
    ir_value inner = ir_add_outer(aa, ir_add_outer(a, s));
    ir_value deep = op(aa, "Mul", inner, ir_add_outer(aa, ir_add_outer(a, w)), "deep");
    ir_add_output(aa, deep);
    ir_add_output(ab, op(ab, "Exp", ir_add_outer(ab, ir_add_outer(a, t)), IR_NONE, "e"));
    ir_add_output(a, branch(a, ir_add_outer(a, cond), aa, ab, "mid"));
    ir_add_output(b, op(b, "Log", ir_add_outer(b, s), IR_NONE, "l"));
    CU_ASSERT_FALSE(ir_graph_is_live(a));
    ir_value top = branch(f.g, cond, a, b, "top");
    ir_add_output(f.g, top);
    CU_ASSERT_TRUE(ir_graph_is_live(aa));
    CU_ASSERT_EQUAL(ir_add_outer(aa, ir_add_outer(a, s)), inner);
    CU_ASSERT_EQUAL(ir_val(f.g, s)->nuses, 2); /* by each branch once */
    CU_ASSERT_EQUAL(ir_find_value(aa, "s"), inner);
    CU_ASSERT_EQUAL(ir_find_value(b, "t"), IR_NONE);
    CU_ASSERT_PTR_EQUAL(ir_const(aa, ir_find_value(aa, "w")), ir_val(f.g, w)->tensor);
    ir_rename(f.g, s, "renamed");
    CU_ASSERT_STRING_EQUAL(ir_val(aa, inner)->name, "renamed");
    const struct ir_type *type = ir_type_unranked(&f.arena, IR_FLOAT, 0);
    ir_set_type(f.g, s, type);
    CU_ASSERT_PTR_EQUAL(ir_val(aa, inner)->type, type);
    CU_ASSERT_TRUE(sound(&f));

    ir_mark_t mark = ir_mark(f.m);
    struct buf before = {0}, after = {0};
    dump_model(f.m, &before);
    ir_replace_uses(f.g, s, t); /* `a` sees t already: its two values become one */
    CU_ASSERT_EQUAL(ir_val(f.g, s)->nuses, 0);
    CU_ASSERT_EQUAL(ir_val(f.g, t)->nuses, 2);
    CU_ASSERT_STRING_EQUAL(ir_val(aa, ir_input(aa, producer(aa, deep), 0))->name, "t");
    CU_ASSERT_STRING_EQUAL(ir_val(b, ir_input(b, 0, 0))->name, "t");
    CU_ASSERT_TRUE(sound(&f));
    ir_undo(f.m, mark);
    dump_model(f.m, &after);
    CU_ASSERT_STRING_EQUAL(buf_text(&before), buf_text(&after));
    buf_free(&before);
    buf_free(&after);
    tear_down(&f);
}

static void removing_a_node_releases_what_its_bodies_saw(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), s = op(f.g, "Neg", x, IR_NONE, "s");
    struct ir_graph *a = ir_graph_new(f.m, f.g, "a"), *b = ir_graph_new(f.m, f.g, "b");
    ir_add_output(a, op(a, "Exp", ir_add_outer(a, s), IR_NONE, "p"));
    ir_add_output(b, op(b, "Log", ir_add_outer(b, s), IR_NONE, "q"));
    ir_value y = branch(f.g, x, a, b, "y");
    CU_ASSERT_EQUAL(ir_val(f.g, s)->nuses, 2);
    ir_drop_attr(f.g, producer(f.g, y), "else_branch");
    CU_ASSERT_EQUAL(ir_val(f.g, s)->nuses, 1);
    CU_ASSERT_FALSE(ir_graph_is_live(b));
    ir_remove_node(f.g, producer(f.g, y));
    CU_ASSERT_EQUAL(ir_val(f.g, s)->nuses, 0);
    ir_remove_node(f.g, producer(f.g, s));
    CU_ASSERT_EQUAL(f.g->live, 0);
    CU_ASSERT_EQUAL(ir_find_value(f.g, "s"), IR_NONE);
    tear_down(&f);
}

static void a_change_in_a_body_changes_the_nodes_around(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x");
    struct ir_graph *a = ir_graph_new(f.m, f.g, "a"), *b = ir_graph_new(f.m, f.g, "b");
    ir_value p = op(a, "Exp", ir_add_outer(a, x), IR_NONE, "p");
    ir_add_output(a, p);
    ir_add_output(b, op(b, "Log", ir_add_outer(b, x), IR_NONE, "q"));
    ir_node n = producer(f.g, branch(f.g, x, a, b, "y"));
    ir_model_settle(f.m);
    CU_ASSERT_EQUAL(f.m->edits, 0);
    ir_set_type(a, p, ir_type_unranked(&f.arena, IR_FLOAT, 0));
    CU_ASSERT_EQUAL(f.m->edits, 0);
    ir_mark_t mark = ir_mark(f.m);
    ir_rename(a, p, "pp");
    CU_ASSERT_TRUE(ir_nod(f.g, n)->flags & IR_NODE_CHANGED);
    CU_ASSERT_FALSE(ir_nod(b, 0)->flags & IR_NODE_CHANGED);
    CU_ASSERT_NOT_EQUAL(f.m->edits, 0);
    ir_undo(f.m, mark);
    CU_ASSERT_EQUAL(ir_nod(f.g, n)->flags, 0);
    CU_ASSERT_EQUAL(f.m->edits, 0);
    tear_down(&f);
}

/* --- replacing ---------------------------------------------------------------------- */

static void an_output_hands_its_name_on(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), a = op(f.g, "Abs", x, IR_NONE, "a");
    ir_value b = op(f.g, "Identity", a, IR_NONE, "out");
    ir_value c = op(f.g, "Neg", b, IR_NONE, "c");
    ir_add_output(f.g, b);
    ir_add_output(f.g, b); /* twice is fine */
    ir_add_output(f.g, c);
    CU_ASSERT_TRUE(ir_can_replace(f.g, b, a));
    ir_replace_value(f.g, b, a);
    CU_ASSERT_STRING_EQUAL(ir_val(f.g, a)->name, "out");
    CU_ASSERT_STRING_EQUAL(ir_val(f.g, b)->name, "out_1");
    CU_ASSERT_TRUE(ir_has(f.g, a, IR_IS_OUTPUT));
    CU_ASSERT_FALSE(ir_has(f.g, b, IR_IS_OUTPUT));
    CU_ASSERT_EQUAL(f.g->uses.at[f.g->outputs.at[1]].value, a);
    CU_ASSERT_EQUAL(ir_input(f.g, producer(f.g, c), 0), a);
    CU_ASSERT_EQUAL(ir_val(f.g, b)->nuses, 0);
    ir_remove_node(f.g, producer(f.g, b));
    tear_down(&f);
}

static void an_interface_is_kept(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), a = op(f.g, "Abs", x, IR_NONE, "a");
    ir_value b = op(f.g, "Identity", a, IR_NONE, "b");
    ir_value c = op(f.g, "Identity", x, IR_NONE, "c");
    ir_value w = ir_add_constant(f.g, "w", ir_tensor_ints(&f.arena, 0, NULL));
    CU_ASSERT_TRUE(ir_can_replace(f.g, c, x)); /* no output yet */
    ir_add_output(f.g, b);
    ir_add_output(f.g, c);
    CU_ASSERT_FALSE(ir_can_replace(f.g, c, x));
    CU_ASSERT_FALSE(ir_can_replace(f.g, c, w));
    CU_ASSERT_FALSE(ir_can_replace(f.g, b, c)); /* an output itself */
    CU_ASSERT_TRUE(ir_can_replace(f.g, c, a));
    CU_ASSERT_TRUE(ir_can_replace(f.g, a, x));
    ir_add_output(f.g, x);
    CU_ASSERT_FALSE(ir_can_replace(f.g, x, a)); /* an input keeps its name */
    struct ir_graph *body = ir_graph_new(f.m, f.g, "body");
    ir_value outer = ir_add_outer(body, a);
    ir_value copy = op(body, "Identity", outer, IR_NONE, "d");
    ir_add_output(body, copy);
    CU_ASSERT_FALSE(ir_can_replace(body, copy, outer));
    tear_down(&f);
}

/* --- order -------------------------------------------------------------------------- */

static void insertion_anywhere_keeps_the_keys_rising(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x");
    op(f.g, "Abs", x, IR_NONE, NULL);
    ir_node last = producer(f.g, op(f.g, "Abs", x, IR_NONE, NULL));
    for (int i = 0; i < 3000; i++) op_before(f.g, "Neg", x, IR_NONE, NULL, last);
    for (int i = 0; i < 3000; i++) op_before(f.g, "Exp", x, IR_NONE, NULL, f.g->first);
    ir_node middle = producer(f.g, op_before(f.g, "Log", x, IR_NONE, NULL, last));
    for (int i = 0; i < 3000; i++) {
        op_before(f.g, "Sin", x, IR_NONE, NULL, middle);
        if (i % 2) middle = f.g->nodes.at[middle].prev;
    }
    CU_ASSERT_EQUAL(f.g->live, 9003);
    CU_ASSERT_TRUE(ir_is_op(f.g, f.g->first, "Exp"));
    tear_down(&f);
}

static void order_is_restored_or_a_cycle_found(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x");
    ir_value p = op(f.g, "Abs", x, IR_NONE, "p"), q = op(f.g, "Exp", p, IR_NONE, "q");
    ir_value free_ = op(f.g, "Log", x, IR_NONE, "free");
    ir_value r = op(f.g, "Neg", q, IR_NONE, "r");
    ir_value late = op(f.g, "Sin", x, IR_NONE, "late");
    ir_node n = producer(f.g, late);
    ir_set_input(f.g, producer(f.g, p), 0, late); /* p stands too early now */
    CU_ASSERT_FALSE(ir_graph_check(f.g, &f.diags));
    uint64_t kept = ir_nod(f.g, producer(f.g, free_))->order;
    CU_ASSERT_TRUE(ir_restore_order(f.g, n));
    CU_ASSERT_TRUE(sound(&f));
    CU_ASSERT_EQUAL(ir_nod(f.g, producer(f.g, free_))->order, kept);
    CU_ASSERT_EQUAL(f.g->first, producer(f.g, free_));
    CU_ASSERT_EQUAL(f.g->last, producer(f.g, r));
    ir_set_input(f.g, n, 0, r); /* late -> p -> q -> r -> late */
    struct buf before = {0}, after = {0};
    dump_model(f.m, &before);
    CU_ASSERT_FALSE(ir_restore_order(f.g, producer(f.g, r)));
    dump_model(f.m, &after);
    CU_ASSERT_STRING_EQUAL(buf_text(&before), buf_text(&after));
    buf_free(&before);
    buf_free(&after);
    ir_set_input(f.g, n, 0, x);
    tear_down(&f);
}

/* A chain of `count` nodes, from v on. */
static ir_value chain(struct ir_graph *g, ir_value v, int count) {
    for (int i = 0; i < count; i++) v = op(g, "Neg", v, IR_NONE, NULL);
    return v;
}

static void the_smaller_side_moves_where_order_is_restored(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x");
    ir_value p = op(f.g, "Abs", x, IR_NONE, "p"), end = chain(f.g, p, 500);
    ir_value one = op(f.g, "Sin", x, IR_NONE, "one"), two = op(f.g, "Cos", one, IR_NONE, "two");
    ir_node first = producer(f.g, p), n = producer(f.g, one);
    uint64_t kept = ir_nod(f.g, first)->order;
    ir_set_input(f.g, first, 0, two);
    CU_ASSERT_TRUE(ir_restore_order(f.g, producer(f.g, two)));
    CU_ASSERT_TRUE(sound(&f));
    CU_ASSERT_EQUAL(ir_nod(f.g, first)->order, kept);
    CU_ASSERT_EQUAL(f.g->first, n);
    ir_value last = chain(f.g, end, 500);
    ir_set_input(f.g, n, 0, last); /* a long circle */
    CU_ASSERT_FALSE(ir_restore_order(f.g, producer(f.g, last)));
    CU_ASSERT_EQUAL(f.g->first, n);
    ir_set_input(f.g, n, 0, x);
    tear_down(&f);
}

static void a_new_import_gives_meaning_and_a_newer_one_waits_for_reforming(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), y = op(f.g, "ReduceMean", x, IR_NONE, "y");
    ir_node n = producer(f.g, y);
    ir_mark_t mark = ir_mark(f.m);
    ir_set_opset(f.m, "ai.onnx", 18);
    ir_set_opset(f.m, "com.microsoft", 1);
    CU_ASSERT_PTR_EQUAL(ir_nod(f.g, n)->schema, ir_schema_find("", "ReduceMean", 17));
    ir_set_schema(f.g, n, ir_schema_find("", "ReduceMean", 18));
    CU_ASSERT_PTR_EQUAL(ir_nod(f.g, n)->schema, ir_schema_find("", "ReduceMean", 18));
    CU_ASSERT_EQUAL(f.m->opsets.len, 2);
    ir_undo(f.m, mark);
    CU_ASSERT_PTR_EQUAL(ir_nod(f.g, n)->schema, ir_schema_find("", "ReduceMean", 17));
    CU_ASSERT_EQUAL(ir_opset(f.g, ""), 17);
    CU_ASSERT_EQUAL(ir_opset(f.g, "com.microsoft"), 0);
    tear_down(&f);
}

static void a_broken_graph_is_noticed(void) {
    struct fixture f;
    set_up(&f, 8);
    ir_value x = input(f.g, "x"), y = op(f.g, "Abs", x, IR_NONE, "y");
    CU_ASSERT_TRUE(sound(&f));
    f.g->values.at[x].nuses = 2;
    CU_ASSERT_FALSE(ir_graph_check(f.g, &f.diags));
    f.g->values.at[x].nuses = 1;
    f.g->values.at[y].producer = IR_NONE;
    CU_ASSERT_FALSE(ir_graph_check(f.g, &f.diags));
    f.g->values.at[y].producer = 0;
    f.g->values.at[y].flags = IR_IS_OUTPUT;
    CU_ASSERT_FALSE(ir_graph_check(f.g, &f.diags));
    f.g->values.at[y].flags = 0;
    f.g->values.at[y].name = "x";
    CU_ASSERT_FALSE(ir_graph_check(f.g, &f.diags));
    f.g->values.at[y].name = "y";
    tear_down(&f);
}

void add_ir_graph_suite(void);
void add_ir_graph_suite(void) {
    CU_pSuite s = CU_add_suite("ir: graph", NULL, NULL);
    CU_ADD_TEST(s, a_graph_is_made_and_asked);
    CU_ADD_TEST(s, names_are_made_free_and_unique);
    CU_ADD_TEST(s, absent_operands_and_operand_counts);
    CU_ADD_TEST(s, attributes_are_set_and_dropped);
    CU_ADD_TEST(s, initializers_are_constants_unless_overridable);
    CU_ADD_TEST(s, constant_nodes_are_constants);
    CU_ADD_TEST(s, integers_lift_the_version_of_a_model_of_opset_8);
    CU_ADD_TEST(s, functions_hold_constants_as_nodes);
    CU_ADD_TEST(s, captures_are_uses_through_levels);
    CU_ADD_TEST(s, removing_a_node_releases_what_its_bodies_saw);
    CU_ADD_TEST(s, a_change_in_a_body_changes_the_nodes_around);
    CU_ADD_TEST(s, an_output_hands_its_name_on);
    CU_ADD_TEST(s, an_interface_is_kept);
    CU_ADD_TEST(s, insertion_anywhere_keeps_the_keys_rising);
    CU_ADD_TEST(s, order_is_restored_or_a_cycle_found);
    CU_ADD_TEST(s, the_smaller_side_moves_where_order_is_restored);
    CU_ADD_TEST(s, a_new_import_gives_meaning_and_a_newer_one_waits_for_reforming);
    CU_ADD_TEST(s, a_broken_graph_is_noticed);
}
