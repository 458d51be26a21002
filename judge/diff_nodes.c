/* judge_diff_nodes.c -- the nodes of two graphs: gone, new, changed, and in what.
 *
 * Bodies are compared where they stand; they nest no deeper than a file may.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/diff_impl.h"

static const char *value_name(const struct ir_graph *g, ir_value v) {
    return v == IR_NONE ? "" : ir_val(g, v)->name;
}

/* The name that a node goes by: of its first output that has one. */
static const char *node_name(const struct ir_graph *g, ir_node n) {
    for (uint32_t i = 0; i < ir_nod(g, n)->nout; i++)
        if (ir_output(g, n, i) != IR_NONE) return value_name(g, ir_output(g, n, i));
    return ir_nod(g, n)->name;
}

static const char *node_text(struct differ *d, const struct ir_graph *g, ir_node n) {
    struct buf text = {0};
    if (n == IR_NONE) return NULL;
    ir_text_print_node(g, n, &text);
    const char *copy = arena_strdup(d->a, buf_text(&text));
    buf_free(&text);
    return copy;
}

/* The node of another graph that goes by the same name. */
static ir_node counterpart(const struct ir_graph *g, ir_node n,
                           const struct ir_graph *other) {
    const char *name = node_name(g, n);
    ir_value v = ir_find_value(other, name);
    ir_node k = v == IR_NONE ? IR_NONE : ir_val(other, v)->producer;
    return k != IR_NONE && rw_streq(node_name(other, k), name) ? k : IR_NONE;
}

/* --- in what ------------------------------------------------------------------------ */

static bool same_tensors(struct differ *d, const struct ir_attr *x,
                         const struct ir_attr *y) {
    if (x->n != y->n) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (!judge_diff_same_tensor(d, x->tensors[i], y->tensors[i])) return false;
    return true;
}

/* Bodies are equal here: what differs in them is said of them. */
static bool same_attr(struct differ *d, const struct ir_attr *x, const struct ir_attr *y) {
    bool tensors = x->type == IR_ATTR_TENSOR || x->type == IR_ATTR_TENSORS;
    bool graphs = x->type == IR_ATTR_GRAPH || x->type == IR_ATTR_GRAPHS;
    if (x->type != y->type || (x->ref != NULL) != (y->ref != NULL)) return false;
    if (x->ref) return rw_streq(x->ref, y->ref);
    if (graphs) return x->n == y->n;
    return tensors ? same_tensors(d, x, y) : ir_attr_equal(d->m[0], x, y);
}

static void say(struct buf *what, const char *kind, const char *name) {
    buf_printf(what, "%s%s", what->len ? ", " : "", kind);
    if (name) buf_puts(what, " "), buf_quote(what, name);
}

static void compare_attrs(struct differ *d, const struct ir_graph *g, ir_node n,
                          const struct ir_graph *other, ir_node k, struct buf *what) {
    const struct ir_node_info *x = ir_nod(g, n), *y = ir_nod(other, k);
    for (uint32_t i = 0; i < x->nattr; i++) {
        const char *name = x->attr[i].name;
        const struct ir_attr *attr = ir_find_attr(other, k, name);
        if (!attr || !same_attr(d, &x->attr[i], attr)) say(what, "attribute", name);
    }
    for (uint32_t i = 0; i < y->nattr; i++)
        if (!ir_find_attr(g, n, y->attr[i].name)) say(what, "attribute", y->attr[i].name);
}

static void compare_operands(struct differ *d, const struct ir_graph *g, ir_node n,
                             const struct ir_graph *other, ir_node k, struct buf *what) {
    const struct ir_node_info *x = ir_nod(g, n), *y = ir_nod(other, k);
    for (uint32_t i = 0; i < x->nin || i < y->nin; i++)
        if (!rw_streq(value_name(g, ir_input(g, n, i)),
                      value_name(other, ir_input(other, k, i))))
            say(what, arena_printf(d->a, "operand %u", i), NULL);
    for (uint32_t i = 0; i < x->nout || i < y->nout; i++)
        if (!rw_streq(value_name(g, ir_output(g, n, i)),
                      value_name(other, ir_output(other, k, i))))
            say(what, arena_printf(d->a, "output %u", i), NULL);
}

static void compare(struct differ *d, const struct ir_graph *g, ir_node n,
                    const struct ir_graph *other, ir_node k, struct buf *what) {
    if (!rw_streq(ir_op_name(g, n), ir_op_name(other, k)) ||
        !rw_streq(ir_domain_name(g, n), ir_domain_name(other, k)))
        say(what, "operator", NULL);
    compare_attrs(d, g, n, other, k, what);
    compare_operands(d, g, n, other, k, what);
}

/* --- bodies ------------------------------------------------------------------------- */

static void diff_bodies(struct differ *d, const struct ir_graph *g, ir_node n,
                        const struct ir_graph *other, ir_node k) {
    const char *around = d->graph;
    for (uint32_t i = 0; i < ir_nod(g, n)->nattr; i++) {
        const struct ir_attr *x = &ir_nod(g, n)->attr[i];
        const struct ir_attr *y = ir_find_attr(other, k, x->name);
        if (x->type != IR_ATTR_GRAPH || !y || y->type != IR_ATTR_GRAPH) continue;
        d->graph = arena_printf(d->a, "%s of \"%s\"%s%s", x->name, node_name(g, n),
                                *around ? " in " : "", around);
        judge_diff_graphs(d, x->graphs[0], y->graphs[0]);
        d->graph = around;
    }
}

/* --- all ---------------------------------------------------------------------------- */

static void add_node(struct differ *d, const struct ir_graph *g, ir_node n,
                     const struct ir_graph *other, ir_node k, const char *what) {
    const char *name = n != IR_NONE ? node_name(g, n) : node_name(other, k);
    judge_diff_add(d, JUDGE_NODE, name, node_text(d, g, n), node_text(d, other, k));
    vec_last(&d->out->changes)->what = what;
    if (k != IR_NONE) vec_last(&d->out->changes)->rule = ir_node_rule(other, k);
}

void judge_diff_nodes(struct differ *d, struct ir_graph *before, struct ir_graph *after) {
    for (ir_node n = before->first; n != IR_NONE; n = ir_nod(before, n)->next) {
        struct buf what = {0};
        ir_node k = counterpart(before, n, after);
        if (k == IR_NONE) add_node(d, before, n, after, k, NULL);
        else compare(d, before, n, after, k, &what);
        if (what.len) add_node(d, before, n, after, k, arena_strdup(d->a, buf_text(&what)));
        buf_free(&what);
        if (k != IR_NONE) diff_bodies(d, before, n, after, k);
    }
    for (ir_node k = after->first; k != IR_NONE; k = ir_nod(after, k)->next)
        if (counterpart(after, k, before) == IR_NONE)
            add_node(d, before, IR_NONE, after, k, NULL);
}
