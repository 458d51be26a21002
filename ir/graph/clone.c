/* clone.c -- see clone.h. Recursion goes as deep as bodies are nested, which readers limit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/clone.h"

#include "ir/graph/graph_parts.h"

struct copy {
    const struct ir_clone *c;
    const struct ir_graph *from;
    struct ir_graph *to;
    ir_node before;
    struct copy *around; /* of the graph around `from`; NULL: `from` is c->from */
    ir_value *map;       /* value of `from` -> of `to` */
    struct arena *a;
};

bool ir_can_clone(const struct ir_graph *from) {
    for (ir_value v = 0; v < from->values.len; v++) {
        const struct ir_value_info *x = ir_val(from, v);
        if (x->flags & IR_IS_DEAD) continue;
        if (x->flags & (IR_IS_NAMED | IR_IS_TRAINED)) return false;
        if ((x->flags & IR_IS_INIT) && (!x->tensor || (x->flags & IR_IS_INPUT))) return false;
    }
    for (ir_node n = from->first; n != IR_NONE; n = ir_nod(from, n)->next)
        for (uint32_t i = 0; i < ir_nod(from, n)->nattr; i++) {
            const struct ir_attr *x = &ir_nod(from, n)->attr[i];
            for (uint32_t k = 0; ir_attr_is_body(x) && k < x->n; k++)
                if (!ir_can_clone(x->graphs[k])) return false;
        }
    return true;
}

/* --- values ------------------------------------------------------------------------- */

static ir_value of(struct copy *p, ir_value v);

/* The value of p->to that a captured one is. */
static ir_value captured(struct copy *p, ir_value v) {
    ir_value outer = ir_val(p->from, v)->outer;
    if (!p->around) return outer; /* `to` is the graph around */
    ir_value there = of(p->around, outer);
    return there == IR_NONE ? IR_NONE : ir_add_outer(p->to, there);
}

static ir_value of(struct copy *p, ir_value v) {
    if (v == IR_NONE) return IR_NONE;
    if (p->map[v] == IR_NONE && ir_has(p->from, v, IR_IS_OUTER)) p->map[v] = captured(p, v);
    return p->map[v];
}

static ir_value add_value(struct copy *p, ir_value v) {
    const struct ir_value_info x = *ir_val(p->from, v);
    ir_value now = ir_add_value(p->to, x.name, x.given);
    if (x.type) ir_set_inferred(p->to, now, x.type);
    if (x.symval) ir_set_symval(p->to, now, x.symval);
    return p->map[v] = now;
}

static void add_inputs(struct copy *p) {
    for (uint32_t i = 0; i < p->from->inputs.len; i++) {
        ir_value v = p->from->inputs.at[i];
        if (p->around) ir_add_input(p->to, add_value(p, v));
        else p->map[v] = i < p->c->nargs ? p->c->args[i] : IR_NONE;
    }
}

static void add_constants(struct copy *p) {
    for (ir_value v = 0; v < p->from->values.len; v++) {
        const struct ir_value_info x = *ir_val(p->from, v);
        if ((x.flags & IR_IS_INIT) && !(x.flags & IR_IS_DEAD))
            p->map[v] = ir_add_constant(p->to, x.name, x.tensor);
    }
}

/* --- nodes -------------------------------------------------------------------------- */

static void copy_contents(struct copy *p);

static struct ir_graph *copy_body(struct copy *p, const struct ir_graph *body) {
    struct copy inner = {.c = p->c, .from = body, .before = IR_NONE, .around = p, .a = p->a,
                         .to = ir_graph_new(p->to->model, p->to, body->name)};
    copy_contents(&inner);
    for (uint32_t i = 0; i < ir_noutputs(body); i++)
        ir_add_output(inner.to, of(&inner, body->uses.at[body->outputs.at[i]].value));
    return inner.to;
}

static const struct ir_attr *referred(const struct copy *p, const char *ref) {
    for (uint32_t i = 0; i < p->c->nattrs; i++)
        if (rw_streq(p->c->attrs[i].name, ref)) return &p->c->attrs[i];
    return NULL;
}

/* false: the attribute is not written. */
static bool copy_attr(struct copy *p, const struct ir_attr *x, struct ir_attr *out) {
    *out = *x;
    if (x->ref) {
        const struct ir_attr *given = referred(p, x->ref);
        if (!given) return false;
        *out = *given;
        out->name = x->name;
        out->proto = NULL;
    }
    if (!ir_attr_is_body(x)) return true;
    struct ir_graph **bodies = arena_new_array(p->to->model->arena, struct ir_graph *, x->n);
    for (uint32_t i = 0; i < x->n; i++) bodies[i] = copy_body(p, x->graphs[i]);
    out->graphs = bodies;
    return true;
}

static void own_bodies(struct ir_graph *g, ir_node n) {
    for (uint32_t i = 0; i < ir_nod(g, n)->nattr; i++) {
        const struct ir_attr x = ir_nod(g, n)->attr[i];
        for (uint32_t k = 0; ir_attr_is_body(&x) && k < x.n; k++)
            ir_own_body(g, n, x.graphs[k]);
    }
}

static void copy_node(struct copy *p, ir_node n) {
    const struct ir_node_info x = *ir_nod(p->from, n);
    ir_value *in = arena_new_array(p->a, ir_value, x.nin);
    ir_value *out = arena_new_array(p->a, ir_value, x.nout);
    struct ir_attr *attr = arena_new_array(p->a, struct ir_attr, x.nattr);
    uint32_t nattr = 0;
    for (uint32_t k = 0; k < x.nin; k++) in[k] = of(p, ir_input(p->from, n, k));
    for (uint32_t i = 0; i < x.nattr; i++)
        if (copy_attr(p, &x.attr[i], &attr[nattr])) nattr++;
    for (uint32_t k = 0; k < x.nout; k++)
        out[k] = x.out[k] == IR_NONE ? IR_NONE : add_value(p, x.out[k]);
    ir_node made = ir_add_node(
        p->to, &(struct ir_new_node){.op = ir_op_name(p->from, n),
                                     .domain = ir_domain_name(p->from, n), .name = x.name,
                                     .overload = x.overload, .nin = x.nin, .in = in,
                                     .nout = x.nout, .out = out, .nattr = nattr,
                                     .attr = attr, .rule = x.rule}, p->before);
    SET_NODE(p->to, made, proto, x.proto); /* for its doc string and metadata */
    own_bodies(p->to, made);
}

static void copy_contents(struct copy *p) {
    p->map = arena_new_array(p->a, ir_value, p->from->values.len);
    for (ir_value v = 0; v < p->from->values.len; v++) p->map[v] = IR_NONE;
    add_inputs(p);
    add_constants(p);
    for (ir_node n = p->from->first; n != IR_NONE; n = ir_nod(p->from, n)->next)
        copy_node(p, n);
}

void ir_clone(const struct ir_clone *c, ir_value *results) {
    struct arena work = ARENA_EMPTY;
    struct copy p = {.c = c, .from = c->from, .to = c->to, .before = c->before, .a = &work};
    copy_contents(&p);
    for (uint32_t i = 0; i < ir_noutputs(c->from); i++)
        results[i] = of(&p, c->from->uses.at[c->from->outputs.at[i]].value);
    arena_free(&work);
}
