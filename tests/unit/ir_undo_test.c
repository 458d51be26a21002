/* Random edits of random graphs: the invariants hold after each, and undoing gives back
 * the very state.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "graph_dump.h"

#include <CUnit/Basic.h>
#include <stdio.h>

struct world {
    struct arena arena;
    struct ir_model *m;
    struct diag_sink diags;
    uint64_t seed;
};

static uint32_t random_below(struct world *w, uint32_t n) {
    w->seed = hash_u64(w->seed + 0x9e3779b97f4a7c15u);
    return (uint32_t)((w->seed >> 32) % n);
}

/* A graph whose node is alive. */
static struct ir_graph *some_graph(struct world *w) {
    struct ir_graph *g;
    do g = w->m->graphs.at[random_below(w, w->m->graphs.len)];
    while (!ir_graph_is_live(g));
    return g;
}

static ir_node some_node(struct world *w, const struct ir_graph *g) {
    if (!g->live) return IR_NONE;
    ir_node n;
    do n = random_below(w, g->nodes.len);
    while (ir_is_dead(g, n));
    return n;
}

/* A live value that can be used in front of `before` (IR_NONE: anywhere), or IR_NONE. */
static ir_value some_value(struct world *w, const struct ir_graph *g, ir_node before) {
    for (int tries = 0; tries < 20 && g->values.len; tries++) {
        ir_value v = random_below(w, g->values.len);
        ir_node p = ir_val(g, v)->producer;
        if (ir_has(g, v, IR_IS_DEAD)) continue;
        if (before == IR_NONE || p == IR_NONE || ir_precedes(g, p, before)) return v;
    }
    return IR_NONE;
}

static void add_node(struct world *w, struct ir_graph *g) {
    static const char *const ops[] = {"Add", "Mul", "Split", "Unknown"};
    ir_node before = random_below(w, 3) ? IR_NONE : some_node(w, g);
    ir_value in[3], out[2];
    for (int i = 0; i < 3; i++) in[i] = some_value(w, g, before);
    out[0] = ir_add_value(g, random_below(w, 2) ? "t" : NULL, NULL);
    out[1] = random_below(w, 2) ? IR_NONE : ir_add_value(g, "x", NULL);
    struct ir_attr attr = ir_attr_int("k", random_below(w, 9));
    ir_add_node(g, &(struct ir_new_node){.op = ops[random_below(w, 4)], .name = "n",
                                         .nin = random_below(w, 4), .in = in, .nout = 2,
                                         .out = out, .nattr = random_below(w, 2),
                                         .attr = &attr}, before);
}

static void add_body_node(struct world *w, struct ir_graph *g) {
    if (w->m->graphs.len > 12) return;
    struct ir_graph *body = ir_graph_new(w->m, g, "body");
    if (!g->outer) ir_add_value_as(body, "shared", NULL); /* as siblings in a file may */
    for (int i = 0; i < 3; i++) {
        ir_value v = some_value(w, g, IR_NONE);
        if (v != IR_NONE) ir_add_outer(body, v);
        add_node(w, body);
    }
    ir_add_output(body, some_value(w, body, IR_NONE));
    ir_value out = ir_add_value(g, "t", NULL);
    struct ir_attr attr = ir_attr_graph(w->m->arena, "body", body);
    ir_node n = ir_add_node(g, &(struct ir_new_node){.op = "If", .nout = 1, .out = &out,
                                                     .nattr = 1, .attr = &attr}, IR_NONE);
    ir_own_body(g, n, body);
}

/* May every user of `old` use `now`: does it come earlier than all of them? */
static bool is_early_enough(const struct ir_graph *g, ir_value old, ir_value now) {
    ir_node p = ir_val(g, now)->producer;
    if (p == IR_NONE) return true;
    for (ir_use u = ir_val(g, old)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        ir_node user = g->uses.at[u].user;
        if (user != IR_NONE && !ir_precedes(g, p, user)) return false;
    }
    return true;
}

static void replace(struct world *w, struct ir_graph *g) {
    ir_value old = some_value(w, g, IR_NONE), now = some_value(w, g, IR_NONE);
    if (old == IR_NONE || now == IR_NONE || old == now) return;
    if (!is_early_enough(g, old, now)) return;
    if (!ir_can_replace(g, old, now)) return;
    if (random_below(w, 2)) ir_replace_value(g, old, now);
    else ir_replace_uses(g, old, now);
}

static void remove_something(struct world *w, struct ir_graph *g) {
    ir_value v = some_value(w, g, IR_NONE);
    ir_node n = some_node(w, g);
    if (v != IR_NONE && !ir_val(g, v)->nuses && ir_val(g, v)->producer == IR_NONE &&
        !ir_has(g, v, IR_IS_INPUT))
        ir_remove_value(g, v);
    if (n == IR_NONE) return;
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        v = ir_output(g, n, k);
        if (v != IR_NONE && ir_val(g, v)->nuses) return;
    }
    ir_remove_node(g, n);
}

/* Moves an output to a new node at the end, whose users then stand too early. */
static void move_output(struct world *w, struct ir_graph *g) {
    ir_node n = some_node(w, g);
    ir_value in = some_value(w, g, IR_NONE);
    if (n == IR_NONE || ir_output(g, n, 0) == IR_NONE) return;
    ir_value v = ir_output(g, n, 0), none = IR_NONE;
    ir_node made = ir_add_node(g, &(struct ir_new_node){.op = "Relu", .nin = 1, .in = &in,
                                                        .nout = 1, .out = &none}, IR_NONE);
    ir_detach_output(g, n, 0);
    ir_attach_output(g, made, 0, v);
    if (ir_restore_order(g, made)) return;
    ir_detach_output(g, made, 0); /* a cycle: back again */
    ir_attach_output(g, n, 0, v);
}

static void change(struct world *w, struct ir_graph *g) {
    ir_node n = some_node(w, g);
    ir_value v = some_value(w, g, IR_NONE);
    if (n != IR_NONE && ir_nod(g, n)->nin)
        ir_set_input(g, n, random_below(w, ir_nod(g, n)->nin), some_value(w, g, n));
    if (v == IR_NONE) return;
    struct ir_attr attr = ir_attr_int("k", 9);
    switch (random_below(w, 6)) {
    case 0: ir_set_type(g, v, ir_type_unranked(&w->arena, IR_FLOAT, 0)); break;
    case 1:
        if (!(ir_val(g, v)->flags & (IR_IS_INPUT | IR_IS_OUTER)))
            ir_rename(g, v, ir_fresh_name(w->m, "renamed"));
        break;
    case 2: ir_add_constant(g, "c", ir_tensor_ints(&w->arena, 1, (int64_t[]){5})); break;
    case 3:
        if (n != IR_NONE) ir_set_attr(g, n, &attr);
        break;
    case 4:
        if (n != IR_NONE) ir_drop_attr(g, n, random_below(w, 2) ? "k" : "body");
        break;
    default:
        if (n != IR_NONE) ir_set_input_count(g, n, ir_nod(g, n)->nin + 1);
    }
}

static void edit(struct world *w) {
    struct ir_graph *g = some_graph(w);
    switch (random_below(w, 8)) {
    case 0: add_node(w, g); break;
    case 1: add_body_node(w, g); break;
    case 2:
    case 3: replace(w, g); break;
    case 4:
    case 5: remove_something(w, g); break;
    case 6: move_output(w, g); break;
    default: change(w, g);
    }
}

static bool sound(struct world *w) {
    for (uint32_t i = 0; i < w->m->graphs.len; i++)
        if (!ir_graph_check(w->m->graphs.at[i], &w->diags)) {
            puts(vec_last(&w->diags.list)->text);
            return false;
        }
    return true;
}

static void build(struct world *w) {
    w->m = ir_model_new(&w->arena, 8);
    ir_set_opset(w->m, "", 17);
    diag_init(&w->diags, &w->arena);
    for (int i = 0; i < 3; i++)
        ir_add_input(w->m->main, ir_add_value(w->m->main, "x", NULL));
    for (int i = 0; i < 30; i++) {
        if (random_below(w, 5)) add_node(w, some_graph(w));
        else add_body_node(w, some_graph(w));
    }
    for (int i = 0; i < 3; i++) {
        ir_node n = some_node(w, w->m->main);
        ir_add_output(w->m->main, ir_output(w->m->main, n, 0));
    }
    ir_model_settle(w->m);
}

static void same_dump(struct ir_model *m, const struct buf *wanted) {
    struct buf now = {0};
    dump_model(m, &now);
    CU_ASSERT_STRING_EQUAL(buf_text(&now), buf_text(wanted));
    buf_free(&now);
}

static void one_round(uint64_t seed) {
    struct world w = {.seed = seed};
    build(&w);
    CU_ASSERT_TRUE(sound(&w));
    struct buf outer = {0}, inner = {0};
    ir_mark_t first = ir_mark(w.m);
    dump_model(w.m, &outer);
    for (int i = 0; i < 15; i++) edit(&w);
    ir_mark_t second = ir_mark(w.m);
    dump_model(w.m, &inner);
    for (int i = 0; i < 25; i++) {
        edit(&w);
        CU_ASSERT_TRUE(sound(&w));
    }
    ir_undo(w.m, second);
    same_dump(w.m, &inner);
    CU_ASSERT_TRUE(sound(&w));
    for (int i = 0; i < 5; i++) edit(&w);
    ir_undo(w.m, first);
    same_dump(w.m, &outer);
    CU_ASSERT_TRUE(sound(&w));
    CU_ASSERT_EQUAL(w.m->edits, 0);
    buf_free(&outer);
    buf_free(&inner);
    arena_free(&w.arena);
}

static void undo_gives_back_the_very_state(void) {
    for (uint64_t seed = 1; seed <= 150; seed++) one_round(seed);
}

static void what_is_committed_stays(void) {
    struct world w = {.seed = 7};
    build(&w);
    ir_mark(w.m);
    add_node(&w, w.m->main);
    ir_commit(w.m);
    struct buf kept = {0};
    ir_mark_t mark = ir_mark(w.m);
    CU_ASSERT_EQUAL(mark, 0);
    dump_model(w.m, &kept);
    ir_value v = ir_add_value(w.m->main, "fresh", NULL);
    CU_ASSERT_STRING_EQUAL(ir_val(w.m->main, v)->name, "fresh");
    ir_undo(w.m, mark);
    same_dump(w.m, &kept);
    CU_ASSERT_EQUAL(ir_add_value(w.m->main, "fresh", NULL), v); /* ids and names again */
    CU_ASSERT_STRING_EQUAL(ir_val(w.m->main, v)->name, "fresh");
    buf_free(&kept);
    arena_free(&w.arena);
}

static void a_mark_serves_again_after_undo(void) {
    struct world w = {.seed = 9};
    build(&w);
    struct ir_dims *d = w.m->dims;
    ir_dim a = ir_dim_symbol(d, "a"), b = ir_dim_symbol(d, "b");
    struct buf start = {0};
    dump_model(w.m, &start);
    ir_mark_t mark = ir_mark(w.m);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20; i++) edit(&w);
        w.m->opaque++;
        CU_ASSERT_TRUE(ir_dim_unify(d, a, b));
        CU_ASSERT_EQUAL(ir_dim_equal(d, a, b), IR_TRUE);
        ir_undo(w.m, mark);
        CU_ASSERT_EQUAL(ir_dim_equal(d, a, b), IR_UNKNOWN);
        same_dump(w.m, &start);
    }
    buf_free(&start);
    arena_free(&w.arena);
}

static void made_up_names_come_again_after_undo(void) {
    struct world w = {.seed = 8};
    build(&w);
    ir_add_value(w.m->main, "hint", NULL);
    ir_mark_t mark = ir_mark(w.m);
    CU_ASSERT_STRING_EQUAL(ir_fresh_name(w.m, "hint"), "hint_1");
    CU_ASSERT_STRING_EQUAL(ir_fresh_name(w.m, "hint"), "hint_2");
    ir_undo(w.m, mark);
    CU_ASSERT_STRING_EQUAL(ir_fresh_name(w.m, "hint"), "hint_1");
    arena_free(&w.arena);
}

void add_ir_undo_suite(void);
void add_ir_undo_suite(void) {
    CU_pSuite s = CU_add_suite("ir: undo", NULL, NULL);
    CU_ADD_TEST(s, undo_gives_back_the_very_state);
    CU_ADD_TEST(s, what_is_committed_stays);
    CU_ADD_TEST(s, a_mark_serves_again_after_undo);
    CU_ADD_TEST(s, made_up_names_come_again_after_undo);
}
