/* trim.c -- what the bodies of If and Loop give and carry that nobody needs.
 *
 * An output of If that nobody reads goes, with that of both branches. Of a Loop a carried
 * value is needed where its last state is read, or where a needed result of the body
 * depends on it; the others go: operand, input and output of the body, output. What made
 * them in the body is then dead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"

static bool is_read(const struct ir_graph *g, ir_node n, uint32_t k) {
    ir_value v = ir_output(g, n, k);
    return v != IR_NONE && ir_val(g, v)->nuses;
}

/* --- If ------------------------------------------------------------------------------ */

static void trim_if(struct ir_graph *g, ir_node n, struct arena *a) {
    struct ir_graph *yes = ir_body(g, n, "then_branch"), *no = ir_body(g, n, "else_branch");
    uint32_t nout = ir_nod(g, n)->nout, unread = 0;
    bool *keep = arena_new_array(a, bool, nout);
    if (!yes || !no || yes == no || ir_noutputs(yes) != nout || ir_noutputs(no) != nout)
        return;
    for (uint32_t k = 0; k < nout; k++) unread += !(keep[k] = is_read(g, n, k));
    if (!unread) return;
    ir_keep_outputs(g, n, keep);
    ir_keep_body_outputs(yes, keep);
    ir_keep_body_outputs(no, keep);
}

/* --- Loop ---------------------------------------------------------------------------- */

struct loop {
    struct ir_graph *g, *body;
    ir_node n;
    uint32_t nin, nout, carried;
    bool *needed;    /* per output of the node */
    bool *reached;   /* per value of the body */
    uint32_t *port;  /* per value of the body: which carried one it is, or IR_NONE */
    VEC(ir_value) queue;
    struct arena *a;
};

static void reach(struct loop *l, ir_value v) {
    if (v == IR_NONE || l->reached[v]) return;
    l->reached[v] = true;
    vec_push(l->a, &l->queue, v);
}

static void reach_result(struct loop *l, uint32_t k) {
    reach(l, l->body->uses.at[l->body->outputs.at[k]].value);
}

static void reach_captures(struct loop *l, const struct ir_graph *inner) {
    for (ir_value v = 0; v < inner->values.len; v++)
        if ((ir_val(inner, v)->flags & (IR_IS_OUTER | IR_IS_DEAD)) == IR_IS_OUTER)
            reach(l, ir_val(inner, v)->outer);
}

static void reach_operands(struct loop *l, ir_node n) {
    const struct ir_node_info *x = ir_nod(l->body, n);
    for (uint32_t k = 0; k < x->nin; k++) reach(l, ir_input(l->body, n, k));
    for (uint32_t i = 0; i < x->nattr; i++) {
        const struct ir_attr *attr = &x->attr[i];
        for (uint32_t b = 0; ir_attr_is_body(attr) && b < attr->n; b++)
            reach_captures(l, attr->graphs[b]);
    }
}

static void need(struct loop *l, uint32_t k) {
    if (l->needed[k]) return;
    l->needed[k] = true;
    reach_result(l, k + 1);
}

/* All nodes without outputs count as needed: they are there for what they do. */
static void find_needed(struct loop *l) {
    reach_result(l, 0);
    for (ir_node n = l->body->first; n != IR_NONE; n = ir_nod(l->body, n)->next)
        if (ir_nod(l->body, n)->nout == 0) reach_operands(l, n);
    for (uint32_t k = 0; k < l->nout; k++)
        if (is_read(l->g, l->n, k)) need(l, k);
    while (l->queue.len) {
        ir_value v = l->queue.at[--l->queue.len];
        ir_node producer = ir_val(l->body, v)->producer;
        if (producer != IR_NONE) reach_operands(l, producer);
        if (l->port[v] != IR_NONE) need(l, l->port[v]);
    }
}

/* Nodes of the body that only served what is not needed: their results have no use but
 * each other, so from the last on they can go. */
static void remove_unreached(struct loop *l) {
    struct ir_graph *b = l->body;
    for (ir_node n = b->last, prev; n != IR_NONE; n = prev) {
        const struct ir_node_info *x = ir_nod(b, n);
        prev = x->prev;
        bool any = x->nout == 0;
        for (uint32_t k = 0; k < x->nout; k++)
            any = any || (x->out[k] != IR_NONE && l->reached[x->out[k]]);
        if (!any && ir_is_unused(b, n)) ir_remove_node(b, n);
    }
}

static void drop_unneeded(struct loop *l) {
    uint32_t fixed = 2; /* trip count and condition; of the body, iteration and condition */
    bool *in = arena_new_array(l->a, bool, l->nin);
    bool *out = arena_new_array(l->a, bool, (size_t)l->nout + 1);
    out[0] = in[0] = in[1] = true;
    memcpy(in + fixed, l->needed, l->carried * sizeof *in);
    memcpy(out + 1, l->needed, l->nout * sizeof *out);
    ir_keep_body_outputs(l->body, out);
    remove_unreached(l);
    ir_keep_body_inputs(l->body, in);
    ir_keep_inputs(l->g, l->n, in);
    ir_keep_outputs(l->g, l->n, l->needed);
}

static bool is_plain(const struct loop *l) {
    if (!l->body || l->nin < 2 || l->body->inputs.len != l->nin ||
        ir_noutputs(l->body) != l->nout + 1 || l->carried > l->nout)
        return false;
    for (uint32_t i = 0; i < l->body->inputs.len; i++)
        if (ir_has(l->body, l->body->inputs.at[i], IR_IS_INIT)) return false;
    return true;
}

static void trim_loop(struct ir_graph *g, ir_node n, struct arena *a) {
    const struct ir_node_info *x = ir_nod(g, n);
    struct loop l = {.g = g, .n = n, .nin = x->nin, .nout = x->nout, .a = a,
                     .carried = x->nin - 2, .body = ir_body(g, n, "body")};
    if (!is_plain(&l)) return;
    uint32_t nvalues = l.body->values.len;
    l.needed = arena_zalloc(a, l.nout + 1);
    l.reached = arena_zalloc(a, nvalues + 1);
    l.port = arena_new_array(a, uint32_t, nvalues);
    for (ir_value v = 0; v < nvalues; v++) l.port[v] = IR_NONE;
    for (uint32_t k = 0; k < l.carried; k++) l.port[l.body->inputs.at[k + 2]] = k;
    find_needed(&l);
    for (uint32_t k = 0; k < l.nout; k++)
        if (!l.needed[k]) {
            drop_unneeded(&l);
            return;
        }
}

void ir_trim_bodies(struct ir_graph *g, ir_node n) {
    struct arena work = ARENA_EMPTY;
    if (ir_is_op(g, n, "If")) trim_if(g, n, &work);
    else if (ir_is_op(g, n, "Loop")) trim_loop(g, n, &work);
    arena_free(&work);
}
