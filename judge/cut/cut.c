/* cut.c -- see cut.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/cut/cut.h"

#define OWN_NUMBER 0x80000000u /* no graph has as many values */

/* --- nodes ------------------------------------------------------------------------ */

static bool has_bodies(const struct ir_attr *at) {
    return !at->ref && ir_attr_is_body(at);
}

static uint32_t most_captures(const struct ir_attr *at) {
    uint32_t n = 0;
    for (uint32_t k = 0; has_bodies(at) && k < at->n; k++) n += at->graphs[k]->values.len;
    return n;
}

static uint32_t add_captures(const struct ir_graph *body, ir_value *in) {
    uint32_t n = 0;
    for (ir_value v = 0; v < body->values.len; v++)
        if ((ir_val(body, v)->flags & (IR_IS_OUTER | IR_IS_DEAD)) == IR_IS_OUTER)
            in[n++] = ir_val(body, v)->outer;
    return n;
}

static struct cut_node take_down(struct cut *c, ir_node n) {
    const struct ir_node_info *x = ir_nod(c->g, n);
    uint32_t room = x->nin, nin = 0;
    for (uint32_t i = 0; i < x->nattr; i++) room += most_captures(&x->attr[i]);
    ir_value *in = arena_new_array(c->a, ir_value, room);
    for (uint32_t k = 0; k < x->nin; k++)
        if (ir_input(c->g, n, k) != IR_NONE) in[nin++] = ir_input(c->g, n, k);
    for (uint32_t i = 0; i < x->nattr; i++)
        for (uint32_t k = 0; has_bodies(&x->attr[i]) && k < x->attr[i].n; k++)
            nin += add_captures(x->attr[i].graphs[k], in + nin);
    const char *op = ir_op_name(c->g, n);
    c->quantised |=
        strstr(op, "Quantize") || strstr(op, "QLinear") || strstr(op, "Integer");
    bool rounds = strstr(op, "QuantizeLinear") || strstr(op, "QLinear");
    return (struct cut_node){n, nin, x->nout, in,
                             arena_copy(c->a, x->out, x->nout * sizeof *x->out), rounds};
}

static void sort_nodes(const struct ir_graph *g, ir_node *at, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && ir_precedes(g, at[k], at[k - 1]); k--) {
            ir_node swap = at[k];
            at[k] = at[k - 1];
            at[k - 1] = swap;
        }
}

static bool makes(const struct cut_node *n, ir_value v) {
    for (uint32_t k = 0; k < n->nout; k++)
        if (n->out[k] == v) return true;
    return false;
}

static bool side_makes(const struct cut_side *s, ir_value v) {
    for (uint32_t i = 0; i < s->nodes.len; i++)
        if (makes(&s->nodes.at[i], v)) return true;
    return false;
}

/* --- before ----------------------------------------------------------------------- */

/* Constants go with the nodes that use them. */
static void keep_constant(struct cut *c, ir_value v) {
    const struct ir_tensor *t = ir_const(c->g, v);
    if (!t || map_get(&c->constants, v) != MAP_NONE) return;
    map_put(&c->constants, v, c->tensors.len);
    vec_push(c->a, &c->tensors, t);
}

static void add_to(struct cut *c, struct cut_side *s, ir_node n) {
    struct cut_node x = take_down(c, n);
    vec_push(c->a, &s->nodes, x);
    ir_slice_add(s->slice, n);
    for (uint32_t k = 0; k < x.nin; k++) keep_constant(c, x.in[k]);
}

/* A value that goes again, by a number that the graph does not give to another one. */
static ir_value own_number(struct cut *c, ir_value v) {
    ir_value own = v | OWN_NUMBER;
    uint32_t known = map_get(&c->constants, v);
    ir_numbering_rename(&c->numbers, v, own);
    if (known == MAP_NONE) return own;
    map_put(&c->constants, own, known);
    map_put(&c->constants, v, MAP_NONE);
    return own;
}

static void give_back(struct cut *c, const struct pm_subject *m) {
    for (uint32_t i = 0; i < c->side[0].nodes.len; i++) {
        struct cut_node *n = &c->side[0].nodes.at[i];
        if (n->id >= m->lent_nodes) n->id = IR_NONE;
        for (uint32_t k = 0; k < n->nin + n->nout; k++) {
            ir_value *v = k < n->nin ? &n->in[k] : &n->out[k - n->nin];
            if (*v != IR_NONE && *v >= m->lent_values) *v = own_number(c, *v);
        }
    }
}

void cut_before(struct cut *c, struct arena *a, const struct pm_subject *m) {
    *c = (struct cut){.a = a, .g = m->g, .older = m->opset != ir_opset(m->g, "")};
    ir_numbering_init(&c->numbers, a);
    map_init(&c->constants, a);
    c->side[0].slice = ir_slice_new(a, m->g, &c->numbers, m->opset);
    ir_node *sorted = arena_copy(a, m->nodes, m->n * sizeof *m->nodes);
    sort_nodes(m->g, sorted, m->n);
    for (uint32_t i = 0; i < m->n; i++) /* one may be matched twice, as both parts of a Concat */
        if (i == 0 || sorted[i] != sorted[i - 1]) add_to(c, &c->side[0], sorted[i]);
    give_back(c, m);
}

/* --- after ------------------------------------------------------------------------ */

static bool is_in(const ir_node *at, uint32_t n, ir_node x) {
    for (uint32_t i = 0; i < n; i++)
        if (at[i] == x) return true;
    return false;
}

static bool was_matched(const struct cut *c, ir_node n) {
    for (uint32_t i = 0; i < c->side[0].nodes.len; i++)
        if (c->side[0].nodes.at[i].id == n) return true;
    return false;
}

struct after {
    struct cut *c;
    VEC(ir_node) nodes;
};

/* Matched nodes that stay belong to the new side as far as it needs them. */
static void need(struct after *x, ir_value v) {
    const struct ir_graph *g = x->c->g;
    ir_node n = ir_has(g, v, IR_IS_DEAD) ? IR_NONE : ir_val(g, v)->producer;
    if (n != IR_NONE && was_matched(x->c, n) && !is_in(x->nodes.at, x->nodes.len, n))
        vec_push(x->c->a, &x->nodes, n);
}

static struct cut_port *port_of(struct cut *c, ir_value v) {
    for (uint32_t i = 0; i < c->ports.len; i++)
        if (c->ports.at[i].v == v) return &c->ports.at[i];
    struct cut_port p = {.v = v};
    uint32_t known = map_get(&c->constants, v);
    if (known != MAP_NONE) {
        p.constant = c->tensors.at[known];
    } else {
        p.type = ir_val(c->g, v)->type;
        p.symval = ir_val(c->g, v)->symval;
        p.constant = ir_const(c->g, v);
    }
    vec_push(c->a, &c->ports, p);
    return vec_last(&c->ports);
}

static bool is_made(const struct cut *c, uint32_t side, ir_value v) {
    for (uint32_t i = 0; i < c->above.len; i++)
        if (makes(&c->above.at[i], v)) return true;
    return side_makes(&c->side[side], v);
}

static void see(struct cut *c, uint32_t side, ir_value v) {
    if (!is_made(c, side, v)) port_of(c, v)->seen[side] = true;
}

/* What the nodes above see, both sides see. */
static void find_ports(struct cut *c) {
    c->ports.len = 0;
    for (uint32_t side = 0; side < 2; side++) {
        const struct cut_side *s = &c->side[side];
        for (uint32_t i = 0; i < s->nodes.len; i++)
            for (uint32_t k = 0; k < s->nodes.at[i].nin; k++)
                see(c, side, s->nodes.at[i].in[k]);
        for (uint32_t i = 0; i < c->above.len; i++)
            for (uint32_t k = 0; k < c->above.at[i].nin; k++)
                see(c, side, c->above.at[i].in[k]);
        for (uint32_t i = 0; i < c->nresults; i++)
            see(c, side, side ? c->results[i].now : c->results[i].old);
    }
}

void cut_after(struct cut *c, const struct pm_change *change) {
    struct after x = {.c = c};
    c->nresults = change->nexchanged;
    c->results =
        arena_copy(c->a, change->exchanged, c->nresults * sizeof *change->exchanged);
    for (uint32_t i = 0; i < change->nmade; i++) vec_push(c->a, &x.nodes, change->made[i]);
    for (uint32_t i = 0; i < c->nresults; i++) need(&x, c->results[i].now);
    for (uint32_t i = 0; i < x.nodes.len; i++)
        for (uint32_t k = 0; k < ir_nod(c->g, x.nodes.at[i])->nin; k++)
            if (ir_input(c->g, x.nodes.at[i], k) != IR_NONE)
                need(&x, ir_input(c->g, x.nodes.at[i], k));
    sort_nodes(c->g, x.nodes.at, x.nodes.len);
    c->side[1].slice = ir_slice_new(c->a, c->g, &c->numbers, 0);
    for (uint32_t i = 0; i < x.nodes.len; i++) add_to(c, &c->side[1], x.nodes.at[i]);
    find_ports(c);
}

/* --- growing ---------------------------------------------------------------------- */

static bool is_above(const struct cut *c, ir_node n) {
    for (uint32_t i = 0; i < c->above.len; i++)
        if (c->above.at[i].id == n) return true;
    return false;
}

/* A value whose meaning the rewrite changed, or that only one side has. */
static bool is_ours(const struct cut *c, ir_value v) {
    for (uint32_t i = 0; i < c->nresults; i++)
        if (c->results[i].old == v || c->results[i].now == v) return true;
    return side_makes(&c->side[0], v) || side_makes(&c->side[1], v);
}

static bool may_add(const struct cut *c, ir_node n) {
    if (!ir_op_is_deterministic(ir_domain_name(c->g, n), ir_op_name(c->g, n))) return false;
    if (was_matched(c, n) || is_above(c, n)) return false;
    for (uint32_t k = 0; k < ir_nod(c->g, n)->nin; k++) {
        ir_value v = ir_input(c->g, n, k);
        if (v != IR_NONE && is_ours(c, v)) return false;
    }
    return true;
}

static uint32_t add_level(struct cut *c, uint32_t most) {
    VEC(ir_node) found = {0};
    for (uint32_t i = 0; i < c->ports.len && found.len < most; i++) {
        const struct cut_port *p = &c->ports.at[i];
        ir_node n = p->constant || ir_has(c->g, p->v, IR_IS_DEAD)
                        ? IR_NONE : ir_val(c->g, p->v)->producer;
        if (n != IR_NONE && may_add(c, n) && !is_in(found.at, found.len, n))
            vec_push(c->a, &found, n);
    }
    for (uint32_t i = 0; i < found.len; i++) {
        vec_push(c->a, &c->above, take_down(c, found.at[i]));
        for (uint32_t k = 0; k < vec_last(&c->above)->nin; k++)
            keep_constant(c, vec_last(&c->above)->in[k]);
        for (uint32_t side = 0; side < 2; side++)
            ir_slice_add_front(c->side[side].slice, found.at[i]);
    }
    find_ports(c);
    return found.len;
}

bool cut_grow(struct cut *c, uint32_t levels, uint32_t most) {
    uint32_t before = c->above.len;
    for (uint32_t i = 0; !c->older && i < levels && c->above.len - before < most; i++)
        if (add_level(c, most - (c->above.len - before)) == 0) break;
    return c->above.len > before;
}
