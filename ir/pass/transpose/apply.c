/* apply.c -- a graph rewritten as the nodes of a region are marked.
 *
 * The marked nodes are changed in order, so that what they read is there: the w of each
 * operand is made by a marked node, is the operand of a Transpose that made v, or is
 * transposed once, right behind what makes v. A marked node's v is made from w while
 * somebody reads it; Transposes of v read w instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"
#include "ir/pass/transpose/region.h"

struct apply {
    struct ir_region *r;
    struct ir_graph *g;
    struct arena *arena;
    ir_value *moved; /* of each value of the region its w, or IR_NONE */
};

/* Transpose<p>(x) as `out`, a value without a producer. */
static void add_transpose(struct ir_graph *g, ir_value x, struct ir_perm p, ir_value out,
                          ir_node before) {
    ir_node n = ir_add_node(g, &(struct ir_new_node){.op = "Transpose", .nin = 1, .in = &x,
                                                     .nout = 1, .out = &out,
                                                     .rule = SYM_NONE},
                            before);
    ir_perm_write(g, n, p);
}

static ir_node behind_producer(const struct ir_graph *g, ir_value v) {
    ir_node n = ir_val(g, v)->producer;
    return n == IR_NONE ? g->first : ir_nod(g, n)->next;
}

/* --- operands ------------------------------------------------------------------------- */

/* w of a value that no marked node makes. */
static ir_value make_moved(struct apply *a, const struct ir_region_value *x) {
    ir_node producer = ir_val(a->g, x->v)->producer;
    struct ir_perm q, back = ir_perm_inverse(x->perm);
    ir_value from = x->v;
    if (producer != IR_NONE && ir_perm_of(a->g, producer, &q)) {
        from = ir_input(a->g, producer, 0);
        back = ir_perm_compose(q, back);
        if (ir_perm_is_identity(back)) return from;
    }
    ir_value w = ir_add_value(a->g, ir_val(a->g, x->v)->name,
                              ir_perm_type(a->g, x->v, x->perm));
    add_transpose(a->g, from, back, w, behind_producer(a->g, x->v));
    return w;
}

static ir_value moved_operand(struct apply *a, const struct ir_region_node *x,
                              const struct ir_port *p) {
    ir_value v = ir_input(a->g, x->n, p->slot);
    if (ir_port_stays(a->g, x, p)) return v;
    if (ir_const(a->g, v))
        return ir_transposed_constant(a->g, v, ir_port_is_lower(x, p) ? x->perm
                                                                      : ir_port_perm(x, p));
    uint32_t at = map_get(&a->r->value_at, v);
    if (a->moved[at] == IR_NONE) a->moved[at] = make_moved(a, &a->r->values.at[at]);
    return a->moved[at];
}

/* --- nodes ---------------------------------------------------------------------------- */

static void move_output(struct apply *a, const struct ir_region_node *x,
                        const struct ir_port *p) {
    ir_value v = ir_output(a->g, x->n, p->slot);
    uint32_t at = v == IR_NONE ? MAP_NONE : map_get(&a->r->value_at, v);
    if (at == MAP_NONE || ir_port_stays(a->g, x, p)) return;
    const struct ir_region_value *value = &a->r->values.at[at];
    bool old, now;
    ir_region_asks(a->r, value, &old, &now);
    ir_value w = ir_add_value(a->g, ir_val(a->g, v)->name,
                              ir_perm_type(a->g, v, value->perm));
    a->moved[at] = w;
    ir_detach_output(a->g, x->n, p->slot);
    ir_attach_output(a->g, x->n, p->slot, w);
    if (old) add_transpose(a->g, w, value->perm, v, ir_nod(a->g, x->n)->next);
}

/* Operands are found by v: they are looked up before any is changed. */
static void move_node(struct apply *a, const struct ir_region_node *x) {
    uint32_t n = x->axes->nports;
    ir_value *now = arena_new_array(a->arena, ir_value, n);
    for (uint32_t i = 0; i < n; i++)
        if (!x->axes->ports[i].is_output) now[i] = moved_operand(a, x, &x->axes->ports[i]);
    ir_axes_carry(a->g, x->n, x->axes, x->perm);
    for (uint32_t i = 0; i < n; i++) {
        const struct ir_port *p = &x->axes->ports[i];
        if (p->is_output) continue;
        ir_value before = ir_input(a->g, x->n, p->slot);
        if (before == now[i]) continue;
        ir_set_input(a->g, x->n, p->slot, now[i]);
        if (ir_const(a->g, before)) ir_drop_constant(a->g, before);
    }
    for (uint32_t i = 0; i < n; i++)
        if (x->axes->ports[i].is_output) move_output(a, x, &x->axes->ports[i]);
}

/* --- Transposes that read a value ----------------------------------------------------- */

/* Transpose<q>(v) becomes one of w, or w itself. */
static void reread(struct apply *a, ir_node n, struct ir_perm p, ir_value w) {
    struct ir_perm q;
    if (!ir_perm_of(a->g, n, &q)) return;
    struct ir_perm now = ir_perm_compose(p, q);
    if (ir_perm_is_identity(now)) {
        ir_pass_on(a->g, n, 0, w);
        ir_remove_node(a->g, n);
        return;
    }
    ir_set_input(a->g, n, 0, w);
    ir_perm_write(a->g, n, now);
}

/* Where a marked node made v, all of them read w; where v is as it was and w made from it,
 * those that are w. Another one that makes v or w is not among them. */
static void reread_all(struct apply *a, const struct ir_region_value *x, ir_value w) {
    VEC(ir_node) users = {0};
    struct ir_perm q, back = ir_perm_inverse(x->perm);
    bool all = x->producer < a->r->nodes.len;
    for (ir_use u = ir_val(a->g, x->v)->uses; u != IR_NONE; u = a->g->uses.at[u].next) {
        ir_node n = a->g->uses.at[u].user;
        bool reads = n != IR_NONE && ir_perm_of(a->g, n, &q) && ir_output(a->g, n, 0) != w;
        if (!reads) continue;
        if (all || ir_perm_equal(q, back)) vec_push(a->arena, &users, n);
    }
    for (uint32_t i = 0; i < users.len; i++) reread(a, users.at[i], x->perm, w);
}

/* --- the region ----------------------------------------------------------------------- */

static int by_order(const void *a, const void *b) {
    uint64_t x = ((const uint64_t *)a)[0], y = ((const uint64_t *)b)[0];
    return x < y ? -1 : x > y;
}

/* The marked nodes in order: pairs of order and number. */
static uint64_t *in_order(const struct apply *a, uint32_t *count) {
    uint64_t *list = arena_array(a->arena, a->r->nodes.len, 2 * sizeof *list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->r->nodes.len; i++) {
        if (!a->r->nodes.at[i].moved) continue;
        list[2 * n] = ir_nod(a->g, a->r->nodes.at[i].n)->order;
        list[2 * n++ + 1] = i;
    }
    qsort(list, n, 2 * sizeof *list, by_order);
    *count = n;
    return list;
}

/* Only when all nodes are moved: until then they are found by what they read. */
static void reread_values(struct apply *a) {
    for (uint32_t i = 0; i < a->r->values.len; i++) {
        const struct ir_region_value *x = &a->r->values.at[i];
        bool made = x->producer < a->r->nodes.len || x->producer == IR_SIDE_OLD;
        if (a->moved[i] != IR_NONE && made) reread_all(a, x, a->moved[i]);
    }
}

/* Values that nothing makes any more, and Transposes that nobody reads. */
static void clear(struct apply *a) {
    for (uint32_t i = 0; i < a->r->values.len; i++) {
        ir_value v = a->r->values.at[i].v;
        const struct ir_value_info *x = ir_val(a->g, v);
        if (x->nuses || (x->flags & (IR_IS_INPUT | IR_IS_INIT | IR_IS_OUTER | IR_IS_DEAD)))
            continue;
        if (x->producer == IR_NONE) ir_remove_value(a->g, v);
        else if (ir_is_op(a->g, x->producer, "Transpose"))
            ir_remove_node(a->g, x->producer);
    }
}

uint32_t ir_region_apply(struct ir_region *r) {
    struct arena work = ARENA_EMPTY;
    struct apply a = {.r = r, .g = r->g, .arena = &work,
                      .moved = arena_new_array(&work, ir_value, r->values.len)};
    for (uint32_t i = 0; i < r->values.len; i++) a.moved[i] = IR_NONE;
    uint32_t n;
    const uint64_t *order = in_order(&a, &n);
    for (uint32_t i = 0; i < n; i++) move_node(&a, &r->nodes.at[order[2 * i + 1]]);
    reread_values(&a);
    clear(&a);
    arena_free(&work);
    return n;
}
