/* example.c -- the subgraph as an example that `rules test` runs.
 *
 * The nodes are put into a model of their own, under the names of the rule, and printed.
 * Of large constants a few elements are written, which repeat.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "capture/impl.h"

#define IN_FULL 8u
#define SOME 4u

struct example {
    const struct cap_place *p;
    struct cap_names *names;
    struct buf *out;
    const char *why; /* there can be none, or NULL */
};

/* --- types --------------------------------------------------------------------------- */

static void put_dim(struct example *e, ir_dim d, bool all) {
    const struct ir_dims *dims = e->p->g->model->dims;
    int64_t number;
    if (ir_dim_is_const(dims, d, &number)) buf_printf(e->out, "%" PRId64, number);
    else if (d == IR_DIM_UNKNOWN || (!all && !ir_dim_param(dims, d))) buf_putc(e->out, '?');
    else buf_puts(e->out, cap_dim_name(e->names, dims, d));
}

/* With `all`, dimensions that have no name in the model get one. */
static void put_type(struct example *e, const struct ir_type *t, bool all) {
    if (t->kind != IR_TENSOR) {
        ir_type_print(e->p->g->model->dims, t, e->out);
        return;
    }
    buf_puts(e->out, ir_dtype_name(t->dtype));
    if (!t->ranked) buf_puts(e->out, "[]");
    for (uint32_t k = 0; t->ranked && k < t->rank; k++) {
        buf_puts(e->out, k ? ", " : "[");
        put_dim(e, t->dims[k], all);
    }
    if (t->ranked && t->rank > 0) buf_putc(e->out, ']');
}

static void put_value(struct example *e, ir_value v, bool is_input, uint32_t i) {
    const struct ir_type *t = ir_val(e->p->g, v)->type;
    bool known = t && (t->kind != IR_TENSOR || t->dtype != IR_UNDEFINED);
    if (is_input && !known) e->why = "the type of an input is not known";
    if (i) buf_puts(e->out, ", ");
    if (known) put_type(e, t, is_input), buf_putc(e->out, ' ');
    buf_puts(e->out, cap_name(e->names, e->p->g, v));
}

/* --- constants ----------------------------------------------------------------------- */

static bool put_element(struct example *e, const struct ir_tensor *t, uint64_t i) {
    struct ir_model *m = e->p->g->model;
    int64_t number;
    double x;
    if (t->dtype == IR_BOOL || ir_dtype_is_int(t->dtype)) {
        if (!ir_tensor_int_at(m, t, i, &number)) return false;
        buf_printf(e->out, "%" PRId64, number);
        return true;
    }
    if (ir_dtype_bits(t->dtype) < 16 || !ir_tensor_double_at(m, t, i, &x)) return false;
    if (t->dtype == IR_DOUBLE) buf_double(e->out, x);
    else if (cap_put_real(e->out, x)) return true;
    else if (ir_dtype_bits(t->dtype) > 16) buf_float(e->out, (float)x);
    else return false;
    return true;
}

static void put_constant(struct example *e, ir_value v) {
    const struct ir_tensor *t = ir_const(e->p->g, v);
    buf_puts(e->out, ir_dtype_name(t->dtype));
    for (uint32_t k = 0; k < t->rank; k++)
        buf_printf(e->out, "%s%" PRId64, k ? ", " : "[", t->dims[k]);
    buf_printf(e->out, "%s %s = {", t->rank ? "]" : "", cap_name(e->names, e->p->g, v));
    uint64_t n = t->count <= IN_FULL ? t->count : SOME;
    for (uint64_t i = 0; i < n; i++) {
        if (i) buf_puts(e->out, ", ");
        if (!put_element(e, t, i)) e->why = "a constant is of a type that is not written here";
    }
    buf_puts(e->out, n < t->count ? ", ...}" : "}");
}

static void put_constants(struct example *e) {
    for (uint32_t i = 0; i < e->p->constants.len; i++) {
        buf_puts(e->out, i ? ",\n       " : "\n      <");
        put_constant(e, e->p->constants.at[i]);
    }
    if (e->p->constants.len) buf_puts(e->out, ">\n    ");
}

/* --- nodes --------------------------------------------------------------------------- */

/* The values of a model that has no other, by those of the place. */
struct copy {
    struct example *e;
    struct ir_graph *g;
    struct map of;
};

static ir_value copied(struct copy *c, ir_value v) {
    if (v == IR_NONE) return IR_NONE;
    uint32_t known = map_get(&c->of, v);
    if (known != MAP_NONE) return known;
    const char *name = cap_name(c->e->names, c->e->p->g, v);
    ir_value x = ir_add_value(c->g, name, NULL);
    map_put(&c->of, v, x);
    return x;
}

static void put_node(struct copy *c, ir_node n) {
    const struct ir_graph *from = c->e->p->g;
    const struct ir_node_info *x = ir_nod(from, n);
    struct arena *a = c->e->p->arena;
    ir_value *in = arena_new_array(a, ir_value, x->nin);
    ir_value *out = arena_new_array(a, ir_value, x->nout);
    for (uint32_t k = 0; k < x->nin; k++) in[k] = copied(c, ir_input(from, n, k));
    for (uint32_t k = 0; k < x->nout; k++) out[k] = copied(c, ir_output(from, n, k));
    for (uint32_t k = 0; k < x->nattr; k++)
        if (x->attr[k].type == IR_ATTR_TENSOR && x->attr[k].tensors[0]->count > IN_FULL)
            c->e->why = "an attribute is a large tensor";
    struct ir_new_node d = {.op = ir_op_name(from, n), .domain = ir_domain_name(from, n),
                            .nin = x->nin, .nout = x->nout, .nattr = x->nattr, .in = in,
                            .out = out, .attr = x->attr};
    ir_node made = ir_add_node(c->g, &d, IR_NONE);
    buf_puts(c->e->out, "      ");
    ir_text_print_node(c->g, made, c->e->out);
    buf_putc(c->e->out, '\n');
}

static void put_nodes(struct example *e) {
    struct ir_model *m = ir_model_new(e->p->arena, e->p->g->model->ir_version);
    struct copy c = {.e = e, .g = m->main};
    map_init(&c.of, e->p->arena);
    ir_set_opset(m, "", cap_own_opset(e->p));
    for (uint32_t i = 0; i < e->p->nodes.len; i++) {
        const char *domain = ir_domain_name(e->p->g, e->p->nodes.at[i]);
        if (ir_opset(m->main, domain) == 0)
            ir_set_opset(m, domain, ir_opset(e->p->g, domain));
        put_node(&c, e->p->nodes.at[i]);
    }
}

/* --- head ---------------------------------------------------------------------------- */

static void put_imports(struct example *e) {
    int64_t opset = cap_own_opset(e->p), version = ir_version_for_opset(opset);
    struct intern domains;
    intern_init(&domains, e->p->arena);
    buf_printf(e->out, "<ir_version: %" PRId64 ", opset_import: [\"\" : %" PRId64,
               version < 4 ? 4 : version, opset);
    for (uint32_t i = 0; i < e->p->nodes.len; i++) {
        const char *domain = ir_domain_name(e->p->g, e->p->nodes.at[i]);
        if (!*domain || intern_find(&domains, domain) != MAP_NONE) continue;
        intern(&domains, domain);
        buf_printf(e->out, ", \"%s\" : %" PRId64, domain, ir_opset(e->p->g, domain));
    }
    buf_puts(e->out, "]>");
}

/* What is replaced, and what others see. */
static void put_outputs(struct example *e) {
    const struct ir_graph *g = e->p->g;
    uint32_t put = 0;
    ir_node user;
    for (uint32_t i = 0; i < e->p->nodes.len; i++) {
        const struct ir_node_info *x = ir_nod(g, e->p->nodes.at[i]);
        for (uint32_t k = 0; k < x->nout; k++)
            if (x->out[k] != IR_NONE && (cap_is_root(e->p, x->out[k]) ||
                                         cap_outside_user(e->p, x->out[k], &user)))
                put_value(e, x->out[k], false, put++);
    }
}

/* --- what is there afterwards -------------------------------------------------------- */

/* Nodes that constants alone go into may be folded when they are emitted. */
static bool *surely_there(const struct cap_place *p) {
    bool *there = arena_zalloc(p->arena, p->nodes.len + 1);
    for (uint32_t i = 0; i < p->nodes.len; i++)
        for (uint32_t k = 0; k < ir_nod(p->g, p->nodes.at[i])->nin; k++) {
            ir_value v = ir_input(p->g, p->nodes.at[i], k);
            if (v == IR_NONE) continue;
            there[i] |= cap_is_input(p, v) || (cap_is_inside(p, v) &&
                                           there[map_get(&p->at, ir_val(p->g, v)->producer)]);
        }
    return there;
}

static bool has_op(const struct cap_place *p, const char *op) {
    for (uint32_t i = 0; i < p->nodes.len; i++)
        if (ir_is_op(p->g, p->nodes.at[i], op)) return true;
    return false;
}

/* An operator, as late as can be, all of whose nodes stay; else one that is not there. */
static const char *lasting(const struct cap_place *p, uint32_t *count) {
    const bool *there = surely_there(p);
    for (uint32_t i = p->nodes.len; i-- > 0;) {
        ir_node n = p->nodes.at[i];
        bool all = true;
        *count = 0;
        for (uint32_t k = 0; k < p->nodes.len; k++) {
            ir_node other = p->nodes.at[k];
            if (ir_nod(p->g, n)->op != ir_nod(p->g, other)->op ||
                ir_nod(p->g, n)->domain != ir_nod(p->g, other)->domain)
                continue;
            ++*count;
            all &= there[k];
        }
        if (!all) continue;
        const char *domain = ir_domain_name(p->g, n);
        return *domain ? arena_printf(p->arena, "%s.%s", domain, ir_op_name(p->g, n))
                       : ir_op_name(p->g, n);
    }
    *count = 0;
    return has_op(p, "Identity") ? "Neg" : "Identity";
}

void cap_print_example(const struct cap_place *p, struct cap_names *names, struct buf *out) {
    struct buf text = {0};
    struct example e = {.p = p, .names = names, .out = &text};
    uint32_t count;
    const char *op = lasting(p, &count);
    buf_puts(&text, "  example {\n    ");
    put_imports(&e);
    buf_puts(&text, "\n    (");
    for (uint32_t i = 0; i < p->inputs.len; i++) put_value(&e, p->inputs.at[i], true, i);
    buf_puts(&text, ") => (");
    put_outputs(&e);
    buf_puts(&text, ")");
    put_constants(&e);
    buf_puts(&text, p->constants.len ? "{\n" : " {\n");
    put_nodes(&e);
    buf_printf(&text, "    }\n  } => %s %u\n", op, count);
    if (e.why) buf_printf(out, "  # no example is written, since %s\n", e.why);
    else buf_add(out, text.at, text.len);
    buf_free(&text);
}
