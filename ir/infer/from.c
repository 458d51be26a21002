/* from.c -- inference after an edit: from some nodes on, as far as anything changes.
 *
 * Nodes wait in a heap by their place in the order, so each is inferred once, after all
 * that it depends on. A change that reaches an output of a body goes on at the node that
 * owns the body.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"

struct waiting {
    struct ir_graph *g;
    struct arena arena;
    VEC(ir_node) heap;
    struct map seen;     /* node -> 1: waits, or was done */
    bool output_changed; /* some output of the graph */
};

static bool precedes(const struct waiting *w, uint32_t i, uint32_t j) {
    return ir_nod(w->g, w->heap.at[i])->order < ir_nod(w->g, w->heap.at[j])->order;
}

static void exchange(struct waiting *w, uint32_t i, uint32_t j) {
    ir_node n = w->heap.at[i];
    w->heap.at[i] = w->heap.at[j];
    w->heap.at[j] = n;
}

static void add(struct waiting *w, ir_node n) {
    if (ir_is_dead(w->g, n) || map_get(&w->seen, n) != MAP_NONE) return;
    map_put(&w->seen, n, 1);
    vec_push(&w->arena, &w->heap, n);
    for (uint32_t i = w->heap.len - 1; i && precedes(w, i, (i - 1) / 2); i = (i - 1) / 2)
        exchange(w, i, (i - 1) / 2);
}

static ir_node take_first(struct waiting *w) {
    ir_node first = w->heap.at[0];
    w->heap.at[0] = vec_pop(&w->heap);
    for (uint32_t i = 0;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < w->heap.len && precedes(w, child, least)) least = child;
        if (least == i) return first;
        exchange(w, i, least);
        i = least;
    }
}

static void add_users(struct waiting *w, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(w->g, n)->nout; k++) {
        ir_value v = ir_output(w->g, n, k);
        if (v == IR_NONE) continue;
        for (ir_use u = ir_val(w->g, v)->uses; u != IR_NONE; u = w->g->uses.at[u].next) {
            if (w->g->uses.at[u].user == IR_NONE) w->output_changed = true;
            else add(w, w->g->uses.at[u].user);
        }
    }
}

/* true: what is known of an output of the graph changed. */
static bool infer_within(struct ir_graph *g, const ir_node *nodes, uint32_t n) {
    struct waiting w = {.g = g};
    map_init(&w.seen, &w.arena);
    for (uint32_t i = 0; i < n; i++) add(&w, nodes[i]);
    struct infer_run run;
    infer_run_init(&run, g->model, NULL);
    while (w.heap.len) {
        ir_node first = take_first(&w);
        const char *why;
        bool changed;
        infer_one(&run, g, first, &changed, &why);
        if (changed) add_users(&w, first);
    }
    infer_run_end(&run);
    arena_free(&w.arena);
    return w.output_changed;
}

/* Must the node that owns g be inferred anew, though no output of g changed? What a Loop
 * could not suppose of a state, which therefore has names of its own, may hold now. */
static bool may_suppose_more(const struct ir_graph *g) {
    if (!rw_streq(ir_op_name(g->outer, g->owner), "Loop")) return false;
    for (uint32_t k = 2; k < g->inputs.len; k++) {
        const struct ir_type *t = ir_val(g, g->inputs.at[k])->type;
        if (t && t->own) return true;
    }
    return false;
}

void ir_infer_from(struct ir_graph *g, const ir_node *nodes, uint32_t n) {
    for (;;) {
        bool changed = infer_within(g, nodes, n);
        if (!g->outer || g->owner == IR_NONE || !(changed || may_suppose_more(g))) return;
        nodes = &g->owner; /* outwards, body by body */
        g = g->outer;
        n = 1;
    }
}
