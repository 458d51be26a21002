/* Inference after random edits is inference from scratch, but for the names of fresh
 * symbols.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "infer_kit.h"

#define SEEDS 400u
#define EDITS 40u

struct world {
    struct kit k;
    uint64_t seed;
    uint32_t compared;
};

static uint32_t below(struct world *w, uint32_t n) {
    w->seed = hash_u64(w->seed + 0x9e3779b97f4a7c15u);
    return (uint32_t)((w->seed >> 32) % n);
}

/* --- what is edited ---------------------------------------------------------------- */

static const struct op {
    const char *name;
    uint32_t nin, nout;
    const char *attr; /* an int, or NULL */
} ops[] = {
    {"Add", 2, 1, NULL}, {"Mul", 2, 1, NULL}, {"Relu", 1, 1, NULL}, {"Neg", 1, 1, NULL},
    {"MatMul", 2, 1, NULL}, {"Transpose", 1, 1, NULL}, {"Shape", 1, 1, "start"},
    {"Size", 1, 1, NULL}, {"Gather", 2, 1, "axis"}, {"Concat", 2, 1, "axis"},
    {"Reshape", 2, 1, NULL}, {"Expand", 2, 1, NULL}, {"Unsqueeze", 2, 1, NULL},
    {"Squeeze", 1, 1, NULL}, {"Flatten", 1, 1, "axis"}, {"ReduceSum", 1, 1, "keepdims"},
    {"Slice", 3, 1, NULL}, {"Equal", 2, 1, NULL}, {"Where", 3, 1, NULL},
    {"NonZero", 1, 1, NULL}, {"Softmax", 1, 1, "axis"}, {"TopK", 2, 2, "axis"},
    {"Range", 3, 1, NULL}, {"ConstantOfShape", 1, 1, NULL}, {"Split", 1, 2, "axis"},
    {"Unknown", 1, 1, "axis"}, {"Div", 2, 1, NULL}, {"Cast", 1, 1, "to"},
    {"Min", 2, 1, NULL}, {"SequenceConstruct", 2, 1, NULL}, {"SequenceAt", 2, 1, NULL},
    {"Tile", 2, 1, NULL}, {"Compress", 2, 1, "axis"},
};

static ir_value some_value(struct world *w, struct ir_graph *g, ir_node before) {
    if (g->outer && below(w, 4) == 0) {
        ir_value v = some_value(w, g->outer, g->owner);
        return v == IR_NONE ? v : ir_add_outer(g, v);
    }
    for (int tries = 0; tries < 30 && g->values.len; tries++) {
        ir_value v = below(w, g->values.len);
        ir_node p = ir_val(g, v)->producer;
        if (ir_has(g, v, IR_IS_DEAD)) continue;
        if (before == IR_NONE || p == IR_NONE || ir_precedes(g, p, before)) return v;
    }
    return IR_NONE;
}

static struct ir_graph *some_graph(struct world *w) {
    struct ir_graph *g;
    do g = w->k.m->graphs.at[below(w, w->k.m->graphs.len)];
    while (!ir_graph_is_live(g));
    return g;
}

static ir_node some_node(struct world *w, const struct ir_graph *g) {
    for (int tries = 0; tries < 30 && g->nodes.len; tries++) {
        ir_node n = below(w, g->nodes.len);
        if (!ir_is_dead(g, n)) return n;
    }
    return IR_NONE;
}

static ir_node add_some(struct world *w, struct ir_graph *g, ir_node before) {
    const struct op *op = &ops[below(w, countof(ops))];
    ir_value in[3], out[2];
    struct ir_attr attr = ir_attr_int(op->attr ? op->attr : "", below(w, 3));
    if (op->attr && rw_streq(op->attr, "to")) attr.i = below(w, 2) ? IR_INT64 : IR_FLOAT;
    for (uint32_t i = 0; i < op->nin; i++) in[i] = some_value(w, g, before);
    for (uint32_t i = 0; i < op->nout; i++) out[i] = ir_add_value(g, NULL, NULL);
    return ir_add_node(g, &(struct ir_new_node){.op = op->name, .domain = "",
        .nin = op->nin, .in = in, .nout = op->nout, .out = out, .nattr = op->attr != NULL,
        .attr = &attr}, before);
}

static void add_if(struct world *w, ir_value condition) {
    struct ir_graph *g = w->k.g, *body[2];
    struct ir_attr attr[2];
    ir_value out = ir_add_value(g, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        body[i] = ir_graph_new(w->k.m, g, i ? "no" : "yes");
        ir_value seen = ir_add_outer(body[i], g->inputs.at[i]);
        ir_value v = ir_add_value(body[i], NULL, NULL);
        ir_add_node(body[i], &(struct ir_new_node){.op = "Relu", .domain = "", .nin = 1,
            .in = &seen, .nout = 1, .out = &v}, IR_NONE);
        ir_add_output(body[i], v);
        attr[i] = ir_attr_graph(w->k.m->arena, i ? "else_branch" : "then_branch", body[i]);
    }
    ir_node n = ir_add_node(g, &(struct ir_new_node){.op = "If", .domain = "", .nin = 1,
        .in = &condition, .nout = 1, .out = &out, .nattr = 2, .attr = attr}, IR_NONE);
    for (int i = 0; i < 2; i++) ir_own_body(g, n, body[i]);
}

/* for ...: state = Relu(state) */
static void add_loop(struct world *w, ir_value count, ir_value condition, ir_value state) {
    struct ir_graph *g = w->k.g, *body = ir_graph_new(w->k.m, g, "body");
    ir_value in[3], v = ir_add_value(body, NULL, NULL), out = ir_add_value(g, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        in[i] = ir_add_value(body, NULL, NULL);
        ir_add_input(body, in[i]);
    }
    ir_add_node(body, &(struct ir_new_node){.op = "Relu", .domain = "", .nin = 1,
        .in = &in[2], .nout = 1, .out = &v}, IR_NONE);
    ir_add_output(body, in[1]);
    ir_add_output(body, v);
    struct ir_attr attr = ir_attr_graph(w->k.m->arena, "body", body);
    ir_node n = ir_add_node(g, &(struct ir_new_node){.op = "Loop", .domain = "", .nin = 3,
        .in = (ir_value[]){count, condition, state}, .nout = 1, .out = &out, .nattr = 1,
        .attr = &attr}, IR_NONE);
    ir_own_body(g, n, body);
}

static void start(struct world *w) {
    kit_start(&w->k, 13);
    ir_value x = kit_input(&w->k, "x", IR_FLOAT, "batch seq 8");
    kit_input(&w->k, "y", IR_FLOAT, "batch ? 8");
    kit_input(&w->k, "m", IR_FLOAT, "8 4");
    ir_value c = kit_input(&w->k, "c", IR_BOOL, "");
    ir_value n = kit_input(&w->k, "n", IR_INT64, "");
    kit_input(&w->k, "list", IR_INT64, "3");
    kit_input(&w->k, "any", IR_FLOAT, NULL);
    INTS(&w->k, 0);
    INTS(&w->k, 1);
    INTS(&w->k, 2, 4);
    add_if(w, c);
    add_loop(w, n, c, x);
    ir_infer_model(w->k.m, NULL);
}

static bool is_control(const struct ir_graph *g, ir_node n) {
    return rw_streq(ir_op_name(g, n), "If") || rw_streq(ir_op_name(g, n), "Loop");
}

static void add_to_main(struct world *w) {
    ir_node n = add_some(w, w->k.g, IR_NONE);
    ir_infer_from(w->k.g, &n, 1);
}

/* All uses of a result go to an earlier value; their nodes are inferred. */
static void replace_some(struct world *w, struct ir_graph *g, ir_node n) {
    ir_value old = ir_output(g, n, 0), now = some_value(w, g, n);
    ir_node users[64];
    uint32_t count = 0;
    if (old == IR_NONE || now == IR_NONE || ir_has(g, old, IR_IS_OUTPUT)) return;
    for (ir_use u = ir_val(g, old)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        if (count == countof(users)) return;
        users[count++] = g->uses.at[u].user;
    }
    ir_replace_uses(g, old, now);
    ir_infer_from(g, users, count);
}

static void edit(struct world *w) {
    struct ir_graph *g = some_graph(w);
    ir_node n = some_node(w, g);
    uint32_t what = below(w, 4);
    if (what == 0 || n == IR_NONE) {
        n = add_some(w, g, below(w, 2) ? n : IR_NONE);
    } else if (what == 1) {
        replace_some(w, g, n);
        return;
    } else if (what == 2 && !is_control(g, n) && ir_nod(g, n)->nattr) {
        struct ir_attr a = ir_nod(g, n)->attr[0];
        a.i = rw_streq(a.name, "to") ? (below(w, 2) ? IR_INT64 : IR_FLOAT) : below(w, 3);
        ir_set_attr(g, n, &a);
    } else if (ir_nod(g, n)->nin) {
        ir_value v = some_value(w, g, n);
        if (v == IR_NONE) return;
        ir_set_input(g, n, below(w, ir_nod(g, n)->nin), v);
    }
    ir_infer_from(g, &n, 1);
}

/* --- comparing --------------------------------------------------------------------- */

struct known {
    const struct ir_type *type;
    const struct ir_symval *symval;
};

/* Fresh symbols of one side and the other, in pairs. */
struct pairs {
    struct ir_dims *d;
    struct arena arena;
    struct map there, back, opaque;
};

static bool pair_up(struct map *m, uint32_t a, uint32_t b) {
    if (map_get(m, a) == MAP_NONE) map_put(m, a, b);
    return map_get(m, a) == b;
}

/* Two fresh symbols are the same when they stand for each other everywhere. */
static bool same_dim(struct pairs *p, ir_dim a, ir_dim b) {
    if (ir_dim_find(p->d, a) == ir_dim_find(p->d, b)) return true;
    if (!ir_dim_is_fresh(p->d, a) || !ir_dim_is_fresh(p->d, b)) return false;
    return pair_up(&p->there, a, b) && pair_up(&p->back, b, a) &&
           ir_dim_unify(p->d, a, b);
}

static bool same_type(struct pairs *p, const struct ir_type *a, const struct ir_type *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->dtype != b->dtype || a->ranked != b->ranked)
        return false;
    if (a->elem || b->elem) return same_type(p, a->elem, b->elem);
    if (!a->ranked)
        return !a->opaque == !b->opaque &&
               (!a->opaque || pair_up(&p->opaque, a->opaque, b->opaque));
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = same_dim(p, a->dims[i], b->dims[i]);
    return same;
}

static bool same_symval(struct pairs *p, const struct ir_symval *a,
                        const struct ir_symval *b) {
    if (!a || !b) return a == b;
    bool same = a->rank == b->rank && a->len == b->len;
    for (uint32_t i = 0; same && i < a->len; i++)
        same = same_dim(p, a->items[i], b->items[i]);
    return same;
}

static void show(struct world *w, const char *what, const struct known *k) {
    struct buf b = {0};
    ir_type_print(w->k.m->dims, k->type, &b);
    for (uint32_t i = 0; k->symval && i < k->symval->len; i++) {
        buf_puts(&b, i ? ", " : " = ");
        ir_dim_print(w->k.m->dims, k->symval->items[i], &b);
    }
    fprintf(stderr, "  %s: %s\n", what, buf_text(&b));
    buf_free(&b);
}

static void report(struct world *w, const struct ir_graph *g, ir_value v,
                   const struct known *was, const struct known *is) {
    struct buf b = {0};
    if (ir_val(g, v)->producer != IR_NONE)
        ir_text_print_node(g, ir_val(g, v)->producer, &b);
    fprintf(stderr, "%s of %s (%s)\n", ir_val(g, v)->name, g->name, buf_text(&b));
    show(w, "after edits", was);
    show(w, "from scratch", is);
    buf_free(&b);
}

static uint32_t count_values(const struct ir_model *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++) n += m->graphs.at[i]->values.len;
    return n;
}

static void forget(struct ir_model *m) {
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        for (ir_value v = 0; v < g->values.len; v++) {
            if (ir_has(g, v, IR_IS_OUTER) || ir_const(g, v)) continue;
            ir_set_inferred(g, v, ir_val(g, v)->given);
            ir_set_symval(g, v, NULL);
        }
    }
}

static bool compare(struct world *w, struct pairs *p, const struct known *was, bool say) {
    struct ir_model *m = w->k.m;
    bool same = true;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        for (ir_value v = 0; v < g->values.len; v++, was++) {
            struct known is = {ir_val(g, v)->type, ir_val(g, v)->symval};
            if (!ir_graph_is_live(g) || ir_has(g, v, IR_IS_DEAD) || ir_const(g, v))
                continue;
            bool one = same_type(p, was->type, is.type) &&
                       same_symval(p, was->symval, is.symval);
            if (!one && same && say) report(w, g, v, was, &is);
            same &= one;
        }
    }
    return same;
}

/* Remembers what is known, infers from scratch, compares, and goes back. Symbols are
 * paired in a first round, where they stand alone. A node whose result was not used before
 * may prove something now; then there is nothing to compare. */
static bool is_as_from_scratch(struct world *w) {
    struct ir_model *m = w->k.m;
    struct pairs p = {.d = m->dims};
    struct known *was = arena_new_array(&p.arena, struct known, count_values(m));
    uint32_t n = 0;
    map_init(&p.there, &p.arena);
    map_init(&p.back, &p.arena);
    map_init(&p.opaque, &p.arena);
    for (uint32_t i = 0; i < m->graphs.len; i++)
        for (ir_value v = 0; v < m->graphs.at[i]->values.len; v++) {
            const struct ir_value_info *x = ir_val(m->graphs.at[i], v);
            was[n++] = (struct known){x->type, x->symval};
        }
    ir_mark_t mark = ir_mark(m);
    uint32_t proved = ir_dims_mark(m->dims);
    forget(m);
    ir_infer_model(m, NULL);
    bool more = proved != ir_dims_mark(m->dims), same = true;
    if (!more) {
        compare(w, &p, was, false);
        same = compare(w, &p, was, true);
        w->compared++;
    }
    ir_undo(m, mark);
    arena_free(&p.arena);
    return same;
}

/* A proof outlives the node that made it, for a rewrite keeps the meaning. These edits do
 * not, so those that prove anything are undone. */
static void try_edit(struct world *w, void (*f)(struct world *)) {
    ir_mark_t mark = ir_mark(w->k.m);
    uint32_t proved = ir_dims_mark(w->k.m->dims);
    f(w);
    if (proved != ir_dims_mark(w->k.m->dims)) ir_undo(w->k.m, mark);
}

static void edits_and_scratch_agree(void) {
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct world w = {.seed = seed};
        bool same = true;
        uint32_t i;
        start(&w);
        for (i = 0; same && i < EDITS; i++) {
            try_edit(&w, i < 12 ? add_to_main : edit);
            same = is_as_from_scratch(&w);
        }
        if (!same) fprintf(stderr, "seed %" PRIu64 ", after %u edits\n", seed, i);
        CU_ASSERT_TRUE(same);
        compared += w.compared;
        kit_end(&w.k);
    }
    CU_ASSERT(compared > SEEDS * EDITS / 10 * 9);
}

void add_ir_infer_from_suite(void);
void add_ir_infer_from_suite(void) {
    CU_pSuite s = CU_add_suite("ir_infer_from", NULL, NULL);
    CU_ADD_TEST(s, edits_and_scratch_agree);
}
