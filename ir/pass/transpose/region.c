/* region.c -- growing a region, and what its sides cost.
 *
 * A node is in when it is in the table of axes and the permutations of its operands and
 * results agree with those that are known already. So which nodes are in may depend on
 * where a region begins; whichever they are, the result is right.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/transpose/region.h"

/* So many values and nodes in a region, and operands and results of one of them. */
#define MOST_VALUES 8000
#define MOST_NODES 1024
#define MOST_PORTS 128
#define MOST_USES 4096 /* of a value that is looked through */

/* A constant that others read as well is doubled: only a small one. */
#define MOST_SHARED ((uint64_t)16 << 10)
#define MOST_OWN ((uint64_t)8 << 20)

bool ir_may_transpose(const struct ir_graph *g, ir_value v, uint64_t *budget) {
    const struct ir_tensor *t = ir_const(g, v);
    uint64_t most = ir_val(g, v)->nuses == 1 && !ir_has(g, v, IR_IS_OUTER) ? MOST_OWN
                                                                          : MOST_SHARED;
    if (!t || t->storage == IR_STRINGS || t->nbytes > most || t->nbytes > *budget)
        return false;
    *budget -= t->nbytes;
    return true;
}

struct ir_perm ir_port_perm(const struct ir_region_node *x, const struct ir_port *p) {
    return ir_perm_part(x->perm, p->mask);
}

static ir_value value_of(const struct ir_graph *g, ir_node n, const struct ir_port *p) {
    return p->is_output ? ir_output(g, n, p->slot) : ir_input(g, n, p->slot);
}

static const struct ir_region_value *known_value(const struct ir_region *r, ir_value v) {
    uint32_t at = map_get(&r->value_at, v);
    return at == MAP_NONE ? NULL : &r->values.at[at];
}

/* Both ends of a Transpose in one region would depend on each other: what is on the other
 * side of one has a region of its own. */
static void shut_out(struct ir_region *r, ir_value v) {
    const struct ir_value_info *x = ir_val(r->g, v);
    if (x->producer != IR_NONE && ir_is_op(r->g, x->producer, "Transpose"))
        map_put(&r->across, ir_input(r->g, x->producer, 0), 0);
    for (ir_use u = x->uses; u != IR_NONE; u = r->g->uses.at[u].next) {
        ir_node n = r->g->uses.at[u].user;
        if (n != IR_NONE && ir_is_op(r->g, n, "Transpose"))
            map_put(&r->across, ir_output(r->g, n, 0), 0);
        r->steps++;
    }
}

static void add_value(struct ir_region *r, ir_value v, struct ir_perm p) {
    if (ir_perm_is_identity(p) || known_value(r, v) || ir_const(r->g, v)) return;
    map_put(&r->value_at, v, r->values.len);
    vec_push(r->arena, &r->values,
             (struct ir_region_value){.v = v, .perm = p,
                                      .cost = ir_perm_cost(r->g, v, p)});
    shut_out(r, v);
}

/* --- nodes ---------------------------------------------------------------------------- */

/* The permutation of the node's axes that its largest known port asks for. */
static bool find_perm(const struct ir_region *r, struct ir_region_node *x) {
    const struct ir_port *best = NULL;
    for (uint32_t i = 0; i < x->axes->nports; i++) {
        const struct ir_port *p = &x->axes->ports[i];
        if (best && ir_axes_in(p->mask) <= ir_axes_in(best->mask)) continue;
        if (known_value(r, value_of(r->g, x->n, p))) best = p;
    }
    if (!best) return false;
    struct ir_perm part = known_value(r, value_of(r->g, x->n, best))->perm;
    x->perm = ir_perm_whole(part, best->mask, x->axes->rank);
    return true;
}

static bool has_one_element(const struct ir_graph *g, ir_value v) {
    const struct ir_type *t = ir_val(g, v)->type;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t d;
        if (!ir_dim_is_const(g->model->dims, t->dims[i], &d) || d != 1) return false;
    }
    return true;
}

/* Are the last axes, which an operand of lower rank has, the last ones afterwards too? */
static bool stay_last(struct ir_perm p, uint8_t mask) {
    uint32_t first = p.rank - ir_axes_in(mask);
    for (uint32_t i = first; i < p.rank; i++)
        if (p.at[i] < first) return false;
    return true;
}

bool ir_port_is_lower(const struct ir_region_node *x, const struct ir_port *p) {
    return !p->is_output && ir_axes_broadcasts(x->axes) &&
           ir_axes_in(p->mask) < x->axes->rank;
}

bool ir_port_stays(const struct ir_graph *g, const struct ir_region_node *x,
                   const struct ir_port *p) {
    bool lower = ir_port_is_lower(x, p);
    if (lower && has_one_element(g, value_of(g, x->n, p))) return true;
    return ir_perm_is_identity(ir_port_perm(x, p)) &&
           (!lower || stay_last(x->perm, p->mask));
}

/* Is v a Transpose of another port's value? */
static bool is_across(const struct ir_region *r, const struct ir_region_node *x,
                      ir_value v) {
    ir_node n = ir_val(r->g, v)->producer;
    if (n == IR_NONE || !ir_is_op(r->g, n, "Transpose")) return false;
    for (uint32_t i = 0; i < x->axes->nports; i++)
        if (value_of(r->g, x->n, &x->axes->ports[i]) == ir_input(r->g, n, 0)) return true;
    return false;
}

/* An operand that lacks the first axes is as if it had them: where its own do not stay the
 * last ones, a constant can be given them. */
static bool port_agrees(struct ir_region *r, const struct ir_region_node *x,
                        const struct ir_port *p, uint64_t *budget) {
    ir_value v = value_of(r->g, x->n, p);
    struct ir_perm part = ir_port_perm(x, p);
    const struct ir_region_value *known = known_value(r, v);
    bool as_it_is = ir_port_stays(r->g, x, p);
    bool fits = as_it_is || !ir_port_is_lower(x, p) || stay_last(x->perm, p->mask);
    if (ir_const(r->g, v)) return as_it_is || ir_may_transpose(r->g, v, budget);
    if (as_it_is) return true;
    return fits && (known ? ir_perm_equal(known->perm, part)
                          : map_get(&r->across, v) == MAP_NONE && !is_across(r, x, v));
}

static bool agrees(struct ir_region *r, const struct ir_region_node *x) {
    uint64_t budget = r->constants;
    if (!ir_axes_allow(x->axes, x->perm)) return false;
    for (uint32_t i = 0; i < x->axes->nports; i++)
        if (!port_agrees(r, x, &x->axes->ports[i], &budget)) return false;
    r->constants = budget;
    return true;
}

static void consider(struct ir_region *r, ir_node n) {
    if (n == IR_NONE || map_get(&r->node_at, n) != MAP_NONE) return;
    const struct ir_node_info *info = ir_nod(r->g, n);
    if (r->nodes.len >= MOST_NODES || r->values.len >= MOST_VALUES ||
        info->nin > MOST_PORTS || info->nout > MOST_PORTS)
        return;
    struct arena_mark mark = arena_mark(r->arena);
    struct ir_region_node x = {.n = n, .axes = ir_axes_of(r->g, n, r->arena)};
    if (!x.axes || !find_perm(r, &x) || !agrees(r, &x)) {
        arena_reset(r->arena, mark);
        return;
    }
    r->steps += x.axes->nports;
    map_put(&r->node_at, n, r->nodes.len);
    vec_push(r->arena, &r->nodes, x);
    for (uint32_t i = 0; i < x.axes->nports; i++) {
        const struct ir_port *p = &x.axes->ports[i];
        if (!ir_port_stays(r->g, &x, p))
            add_value(r, value_of(r->g, n, p), ir_port_perm(&x, p));
    }
}

/* --- who makes and reads a value ------------------------------------------------------ */

/* The side of a node that has v at a port: its number, or the old one when it sees v as it
 * is, whichever side it is on. */
static uint32_t side_of(const struct ir_region *r, ir_node n, bool is_output,
                        uint32_t slot) {
    uint32_t at = n == IR_NONE ? MAP_NONE : map_get(&r->node_at, n);
    if (at == MAP_NONE) return IR_SIDE_OLD;
    const struct ir_region_node *x = &r->nodes.at[at];
    for (uint32_t i = 0; i < x->axes->nports; i++) {
        const struct ir_port *p = &x->axes->ports[i];
        if (p->is_output == is_output && p->slot == slot)
            return ir_port_stays(r->g, x, p) ? IR_SIDE_OLD : at;
    }
    return IR_SIDE_OLD;
}

static uint32_t producer_side(const struct ir_region *r, const struct ir_region_value *x) {
    const struct ir_value_info *v = ir_val(r->g, x->v);
    struct ir_perm p;
    if (v->producer == IR_NONE) return IR_SIDE_OLD;
    if (!ir_perm_of(r->g, v->producer, &p))
        return side_of(r, v->producer, true, v->output);
    return ir_perm_equal(p, x->perm) ? IR_SIDE_NEW : IR_SIDE_BOTH;
}

static uint32_t reader_side(const struct ir_region *r, const struct ir_region_value *x,
                            const struct ir_use_info *u) {
    struct ir_perm q;
    if (u->user == IR_NONE || u->slot == IR_SLOT_BODY) return IR_SIDE_OLD;
    if (!ir_perm_of(r->g, u->user, &q)) return side_of(r, u->user, false, u->slot);
    return ir_perm_is_identity(ir_perm_compose(x->perm, q)) ? IR_SIDE_NEW : IR_SIDE_BOTH;
}

static void find_sides(struct ir_region *r, struct ir_region_value *x) {
    x->producer = producer_side(r, x);
    for (ir_use u = ir_val(r->g, x->v)->uses; u != IR_NONE; u = r->g->uses.at[u].next) {
        uint32_t side = reader_side(r, x, &r->g->uses.at[u]);
        if (side != IR_SIDE_BOTH) vec_push(r->arena, &x->readers, side);
        r->steps++;
    }
}

void ir_region_grow(struct ir_region *r, ir_value v, struct ir_perm p) {
    add_value(r, v, p);
    for (uint32_t i = 0; i < r->values.len; i++) {
        ir_value at = r->values.at[i].v;
        consider(r, ir_val(r->g, at)->producer);
        if (ir_val(r->g, at)->nuses > MOST_USES) continue;
        for (ir_use u = ir_val(r->g, at)->uses; u != IR_NONE; u = r->g->uses.at[u].next) {
            consider(r, r->g->uses.at[u].user);
            r->steps++;
        }
    }
    for (uint32_t i = 0; i < r->values.len; i++) find_sides(r, &r->values.at[i]);
}

/* --- costs ---------------------------------------------------------------------------- */

static bool is_new(const struct ir_region *r, uint32_t side) {
    return side == IR_SIDE_NEW || (side < r->nodes.len && r->nodes.at[side].moved);
}

void ir_region_asks(const struct ir_region *r, const struct ir_region_value *x, bool *v,
                    bool *w) {
    *v = *w = false;
    for (uint32_t i = 0; i < x->readers.len; i++)
        *(is_new(r, x->readers.at[i]) ? w : v) = true;
}

struct ir_moves ir_region_moves(const struct ir_region *r) {
    struct ir_moves m = {0, 0};
    for (uint32_t i = 0; i < r->values.len; i++) {
        const struct ir_region_value *x = &r->values.at[i];
        bool v, w;
        ir_region_asks(r, x, &v, &w);
        uint32_t n = x->producer == IR_SIDE_BOTH ? (uint32_t)v + w
                                                 : is_new(r, x->producer) ? v : w;
        m.elements += n * x->cost;
        m.count += n;
    }
    return m;
}
