/* judge_diff_nodes.c -- the nodes of two graphs: gone, new, changed, and in what.
 *
 * Bodies are compared where they stand; they nest no deeper than a file may.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/diff/impl.h"

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

/* --- in what ------------------------------------------------------------------------ */

static void say(struct buf *what, const char *kind, const char *name) {
    buf_printf(what, "%s%s", what->len ? ", " : "", kind);
    if (name) buf_puts(what, " "), buf_quote(what, name);
}

static void compare_attrs(const struct judge_pairs *p, ir_node n, ir_node k,
                          struct buf *what) {
    const struct ir_graph *g = p->g[0], *other = p->g[1];
    const struct ir_node_info *x = ir_nod(g, n), *y = ir_nod(other, k);
    for (uint32_t i = 0; i < x->nattr; i++) {
        const struct ir_attr *attr = ir_find_attr(other, k, x->attr[i].name);
        if (!attr || !judge_same_attr(g->model, &x->attr[i], other->model, attr))
            say(what, "attribute", x->attr[i].name);
    }
    for (uint32_t i = 0; i < y->nattr; i++)
        if (!ir_find_attr(g, n, y->attr[i].name)) say(what, "attribute", y->attr[i].name);
}

/* A guess counts when the nodes are of one kind: then it is but a name. */
static bool same_value(const struct judge_pairs *p, ir_value v, ir_value w) {
    if (v == IR_NONE || w == IR_NONE) return v == w;
    ir_value other = p->other[0][v];
    ir_node producer = ir_val(p->g[0], v)->producer;
    if (other == IR_NONE)
        return rw_streq(value_name(p->g[0], v), value_name(p->g[1], w));
    bool sure = p->how[v] != JUDGE_GUESSED || p->node[0][producer] != IR_NONE;
    return p->like[other] == p->like[w] && sure;
}

static void compare_operands(struct differ *d, const struct judge_pairs *p, ir_node n,
                             ir_node k, struct buf *what) {
    const struct ir_node_info *x = ir_nod(p->g[0], n), *y = ir_nod(p->g[1], k);
    for (uint32_t i = 0; i < x->nin || i < y->nin; i++)
        if (!same_value(p, ir_input(p->g[0], n, i), ir_input(p->g[1], k, i)))
            say(what, arena_printf(d->a, "operand %u", i), NULL);
    for (uint32_t i = 0; i < x->nout || i < y->nout; i++)
        if (!rw_streq(value_name(p->g[0], ir_output(p->g[0], n, i)),
                      value_name(p->g[1], ir_output(p->g[1], k, i))))
            say(what, arena_printf(d->a, "output %u", i), NULL);
}

static void compare(struct differ *d, const struct judge_pairs *p, ir_node n, ir_node k,
                    struct buf *what) {
    const struct ir_graph *g = p->g[0], *other = p->g[1];
    if (!rw_streq(ir_op_name(g, n), ir_op_name(other, k)) ||
        !rw_streq(ir_domain_name(g, n), ir_domain_name(other, k)))
        say(what, "operator", NULL);
    compare_attrs(p, n, k, what);
    compare_operands(d, p, n, k, what);
}

/* --- bodies ------------------------------------------------------------------------- */

static void diff_bodies(struct differ *d, const struct judge_pairs *p, ir_node n,
                        ir_node k) {
    const char *around = d->graph;
    const struct ir_node_info *info = ir_nod(p->g[0], n);
    for (uint32_t i = 0; i < info->nattr; i++) {
        const struct ir_attr *x = &info->attr[i];
        const struct ir_attr *y = ir_find_attr(p->g[1], k, x->name);
        if (x->type != IR_ATTR_GRAPH || !y || y->type != IR_ATTR_GRAPH) continue;
        if (x->ref || y->ref) continue;
        d->graph = arena_printf(d->a, "%s of \"%s\"%s%s", x->name, node_name(p->g[0], n),
                                *around ? " in " : "", around);
        judge_diff_graphs(d, x->graphs[0], y->graphs[0], p);
        d->graph = around;
    }
}

/* --- all ---------------------------------------------------------------------------- */

static void add_node(struct differ *d, const struct judge_pairs *p, ir_node n, ir_node k,
                     const char *what) {
    const struct ir_graph *g = p->g[0], *other = p->g[1];
    const char *name = n != IR_NONE ? node_name(g, n) : node_name(other, k);
    judge_diff_add(d, JUDGE_NODE, name, node_text(d, g, n), node_text(d, other, k));
    vec_last(&d->out->changes)->what = what;
    if (k != IR_NONE) vec_last(&d->out->changes)->rule = ir_node_rule(other, k);
}

void judge_diff_nodes(struct differ *d, const struct judge_pairs *p) {
    const struct ir_graph *g = p->g[0], *other = p->g[1];
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        struct buf what = {0};
        ir_node k = p->node[0][n];
        if (k == IR_NONE) add_node(d, p, n, k, NULL);
        else compare(d, p, n, k, &what);
        if (what.len) add_node(d, p, n, k, arena_strdup(d->a, buf_text(&what)));
        buf_free(&what);
        if (k != IR_NONE) diff_bodies(d, p, n, k);
    }
    for (ir_node k = other->first; k != IR_NONE; k = ir_nod(other, k)->next)
        if (p->node[1][k] == IR_NONE) add_node(d, p, IR_NONE, k, NULL);
}
