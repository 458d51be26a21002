/* transpose.c -- Transposes are moved to where they cost least, and cancelled.
 *
 * Around each Transpose a region is grown of nodes that can work on either side of it
 * (region.c, by the table of axes.c), the sides that move least are found (cut.c), and if
 * fewer elements are moved than before, by no more Transposes, or as many by fewer, the
 * graph is rewritten so (apply.c). Every step moves less than before, so it ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"
#include "ir/pass/transpose/region.h"

/* What one step has moved may make way for another one. */
#define MOST_ROUNDS 4
/* Uses that may be looked at in a graph: regions of many permutations may overlap. */
#define LEAST_STEPS 100000
#define STEPS_PER_NODE 64
/* Transposed constants are in memory until the model is written. */
#define CONSTANTS ((uint64_t)32 << 20)

struct transpose {
    struct ir_graph *g;
    struct map tried;          /* values with a permutation that were in a region */
    uint64_t steps, constants; /* that may still be made */
    uint32_t changed;
};

/* --- pairs ---------------------------------------------------------------------------- */

/* Transpose<q>(Transpose<p>(x)) reads x; where nothing moves, x takes its place. */
static void settle_pair(struct transpose *t, ir_node n) {
    struct ir_graph *g = t->g;
    struct ir_perm p, q;
    if (!ir_perm_of(g, n, &q)) return;
    ir_value x = ir_input(g, n, 0);
    ir_node inner = ir_val(g, x)->producer;
    bool is_pair = inner != IR_NONE && ir_perm_of(g, inner, &p);
    if (is_pair) {
        q = ir_perm_compose(p, q);
        x = ir_input(g, inner, 0);
    }
    if (ir_perm_is_identity(q)) {
        ir_pass_on(g, n, 0, x);
        ir_remove_node(g, n);
    } else if (is_pair) {
        ir_set_input(g, n, 0, x);
        ir_perm_write(g, n, q);
    } else return;
    if (is_pair && ir_is_unused(g, inner)) ir_remove_node(g, inner);
    t->changed++;
}

/* --- regions -------------------------------------------------------------------------- */

static uint64_t key_of(ir_value v, struct ir_perm p) {
    return (uint64_t)v << 32 | ir_perm_number(p);
}

static bool is_less(struct ir_moves a, struct ir_moves b) {
    return a.elements == b.elements ? a.count < b.count
                                    : a.elements < b.elements && a.count <= b.count;
}

static void settle_region(struct transpose *t, struct ir_region *r) {
    struct ir_moves before = ir_region_moves(r);
    if (!before.count || !r->nodes.len || !ir_region_cut(r)) return;
    if (!is_less(ir_region_moves(r), before)) return;
    t->changed += ir_region_apply(r);
    t->constants = r->constants;
}

/* Around v, which is Transpose<p> of something, unless it was in a region like that. */
static void try_around(struct transpose *t, ir_value v, struct ir_perm p) {
    if (!t->steps || map_get(&t->tried, key_of(v, p)) != MAP_NONE) return;
    struct arena work = ARENA_EMPTY;
    struct ir_region r = {.g = t->g, .arena = &work, .constants = t->constants};
    map_init(&r.value_at, &work);
    map_init(&r.node_at, &work);
    map_init(&r.across, &work);
    ir_region_grow(&r, v, p);
    for (uint32_t i = 0; i < r.values.len; i++)
        map_put(&t->tried, key_of(r.values.at[i].v, r.values.at[i].perm), 0);
    t->steps -= r.steps < t->steps ? r.steps : t->steps;
    settle_region(t, &r);
    arena_free(&work);
}

static void try_transpose(struct transpose *t, ir_node n) {
    struct ir_perm p;
    if (ir_is_dead(t->g, n) || !ir_perm_of(t->g, n, &p)) return;
    ir_value x = ir_input(t->g, n, 0);
    if (ir_const(t->g, x)) return; /* the business of fold */
    try_around(t, ir_output(t->g, n, 0), p);
    if (!ir_is_dead(t->g, n) && ir_perm_of(t->g, n, &p))
        try_around(t, ir_input(t->g, n, 0), ir_perm_inverse(p));
}

/* --- the pass ------------------------------------------------------------------------- */

static uint32_t one_round(struct transpose *t) {
    struct arena work = ARENA_EMPTY;
    VEC(ir_node) list = {0};
    for (ir_node n = t->g->first; n != IR_NONE; n = ir_nod(t->g, n)->next)
        if (ir_is_op(t->g, n, "Transpose")) vec_push(&work, &list, n);
    map_init(&t->tried, &work);
    t->changed = 0;
    for (uint32_t i = 0; i < list.len; i++)
        if (!ir_is_dead(t->g, list.at[i])) settle_pair(t, list.at[i]);
    for (uint32_t i = 0; i < list.len; i++) try_transpose(t, list.at[i]);
    arena_free(&work);
    return t->changed;
}

static uint32_t settle(struct ir_graph *g, void *ctx) {
    uint64_t *constants = ctx;
    if (ir_opset(g, "") < 7) return 0; /* another way of broadcasting */
    struct transpose t = {.g = g, .constants = *constants,
                          .steps = LEAST_STEPS + (uint64_t)STEPS_PER_NODE * g->live};
    uint32_t changed = 0, round = 0;
    while (round++ < MOST_ROUNDS && one_round(&t)) changed += t.changed;
    *constants = t.constants;
    return changed;
}

uint32_t ir_pass_transpose(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    uint64_t constants = CONSTANTS;
    return ir_pass_over(m, settle, &constants);
}
