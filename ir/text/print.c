/* print.c -- models, graphs, functions and nodes as ONNX text.
 *
 * The order is that of the graph: initializers that are inputs first, then the others by
 * id, then types in the order of the nodes; so a text that was parsed prints the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema.h"
#include "ir/text/lex.h"
#include "ir/text/message.h"
#include "ir/text/private.h"

#define STEP 3u /* spaces a level */

static void indent(struct text_printer *p, uint32_t depth) {
    for (uint32_t i = 0; i < depth * STEP; i++) buf_putc(p->out, ' ');
}

static void print_graph(struct text_printer *p, const struct ir_graph *g, uint32_t depth);

/* The name of a value where it was made: a captured one has that of the outer graph. */
static const char *name_of(const struct ir_graph *g, ir_value v) {
    if (v == IR_NONE) return "";
    while (ir_has(g, v, IR_IS_OUTER) && g->outer) {
        v = ir_val(g, v)->outer;
        g = g->outer;
    }
    return ir_val(g, v)->name;
}

/* --- nodes -------------------------------------------------------------------------- */

/* Is the type told by the value's spelling, as read for this operator? */
static bool is_plain(const struct ir_node_info *x, const struct ir_attr *a) {
    bool is_list = a->type == IR_ATTR_FLOATS || a->type == IR_ATTR_INTS ||
                   a->type == IR_ATTR_STRINGS || a->type == IR_ATTR_TENSORS ||
                   a->type == IR_ATTR_GRAPHS;
    bool is_packed = a->type == IR_ATTR_UNDEFINED || a->type > IR_ATTR_GRAPHS;
    if (a->ref) return a->type == IR_ATTR_UNDEFINED;
    if (is_packed || (is_list && a->n == 0)) return false;
    const struct ir_schema_attr *s = x->schema ? ir_schema_attr(x->schema, a->name) : NULL;
    return !s || s->type == a->type;
}

static void print_graphs(struct text_printer *p, const struct ir_attr *a, uint32_t depth) {
    if (a->type == IR_ATTR_GRAPHS) buf_putc(p->out, '[');
    for (uint32_t i = 0; i < a->n; i++) {
        if (i) buf_puts(p->out, ", ");
        print_graph(p, a->graphs[i], depth + 1);
    }
    if (a->type == IR_ATTR_GRAPHS) buf_putc(p->out, ']');
}

static void print_attr(struct text_printer *p, const struct ir_node_info *x,
                       const struct ir_attr *a, uint32_t depth) {
    if (text_is_id(a->name)) buf_puts(p->out, a->name);
    else text_print_string(p->out, a->name, strlen(a->name));
    if (!is_plain(x, a)) buf_printf(p->out, ": %s", text_attr_type_name(a->type));
    buf_puts(p->out, " = ");
    if (a->ref) {
        buf_putc(p->out, '@');
        text_print_name(p->out, a->ref);
    } else if (ir_attr_is_body(a)) {
        print_graphs(p, a, depth);
    } else {
        text_print_attr_value(p, a);
    }
}

static void print_attrs(struct text_printer *p, const struct ir_node_info *x,
                        uint32_t depth) {
    for (uint32_t i = 0; i < x->nattr; i++) {
        buf_puts(p->out, i ? ", " : " <");
        print_attr(p, x, &x->attr[i], depth);
    }
    if (x->nattr) buf_putc(p->out, '>');
}

static bool is_dotted(const char *name) {
    char part[2] = {0};
    bool starts = true;
    for (; *name; name++) {
        part[0] = *name == '.' || (!starts && *name >= '0' && *name <= '9') ? '_' : *name;
        if (!text_is_id(part) || (starts && *name == '.')) return false;
        starts = *name == '.';
    }
    return !starts;
}

static void print_operator(struct text_printer *p, const struct ir_graph *g, ir_node n) {
    const char *domain = ir_domain_name(g, n), *op = ir_op_name(g, n);
    const struct ir_node_info *x = ir_nod(g, n);
    if (is_dotted(domain)) buf_puts(p->out, domain);
    else if (*domain) text_print_string(p->out, domain, strlen(domain));
    if (*domain) buf_putc(p->out, '.');
    if (text_is_id(op)) buf_puts(p->out, op);
    else text_print_string(p->out, op, strlen(op));
    if (*x->overload) {
        buf_putc(p->out, ':');
        text_print_name(p->out, x->overload);
    }
}

/* Attributes stand in front of the operands, but behind them where a body is among them. */
static void print_node(struct text_printer *p, const struct ir_graph *g, ir_node n,
                       uint32_t depth) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (x->name && *x->name) {
        buf_putc(p->out, '[');
        text_print_name(p->out, x->name);
        buf_puts(p->out, "] ");
    }
    for (uint32_t i = 0; i < x->nout; i++) {
        if (i) buf_puts(p->out, ", ");
        text_print_name(p->out, name_of(g, x->out[i]));
    }
    buf_puts(p->out, x->nout ? " = " : "= ");
    print_operator(p, g, n);
    bool last = ir_has_body(g, n);
    if (!last) print_attrs(p, x, depth);
    buf_puts(p->out, " (");
    for (uint32_t i = 0; i < x->nin; i++) {
        if (i) buf_puts(p->out, ", ");
        text_print_name(p->out, name_of(g, ir_input(g, n, i)));
    }
    buf_putc(p->out, ')');
    if (last) print_attrs(p, x, depth);
}

static void print_nodes(struct text_printer *p, const struct ir_graph *g, uint32_t depth) {
    buf_puts(p->out, "{\n");
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        indent(p, depth + 1);
        print_node(p, g, n, depth + 1);
        buf_putc(p->out, '\n');
    }
    indent(p, depth);
    buf_putc(p->out, '}');
}

/* --- graphs ------------------------------------------------------------------------- */

static void print_value(struct text_printer *p, const struct ir_graph *g, ir_value v) {
    const struct ir_type *t = ir_val(g, v)->type;
    if (t) {
        text_print_type(p->out, p->model->dims, t);
        buf_putc(p->out, ' ');
    }
    text_print_name(p->out, name_of(g, v));
}

/* Starts an item of the list in < > that is opened by its first item. */
static void start_item(struct text_printer *p, uint32_t *n, uint32_t depth) {
    buf_puts(p->out, *n == 0 ? "\n" : ",\n");
    indent(p, depth + 1);
    buf_puts(p->out, *n == 0 ? "<" : " ");
    ++*n;
}

static bool is_initializer(const struct ir_graph *g, ir_value v) {
    return (ir_val(g, v)->flags & (IR_IS_INIT | IR_IS_DEAD)) == IR_IS_INIT &&
           ir_val(g, v)->tensor;
}

static void print_initializers(struct text_printer *p, const struct ir_graph *g,
                               uint32_t *n, uint32_t depth) {
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        ir_value v = g->inputs.at[i];
        if (!is_initializer(g, v)) continue;
        start_item(p, n, depth);
        text_print_tensor(p, ir_val(g, v)->tensor, ir_val(g, v)->name);
    }
    for (ir_value v = 0; v < g->values.len; v++) {
        if (!is_initializer(g, v) || ir_has(g, v, IR_IS_INPUT)) continue;
        start_item(p, n, depth);
        text_print_tensor(p, ir_val(g, v)->tensor, ir_val(g, v)->name);
    }
}

/* Types of what nodes make, as declared; those of outputs stand with the outputs. */
static void print_value_infos(struct text_printer *p, const struct ir_graph *g, uint32_t *n,
                              uint32_t depth) {
    for (ir_node node = g->first; node != IR_NONE; node = ir_nod(g, node)->next) {
        for (uint32_t k = 0; k < ir_nod(g, node)->nout; k++) {
            ir_value v = ir_output(g, node, k);
            if (v == IR_NONE || !ir_val(g, v)->type || !ir_has(g, v, IR_TYPE_DECLARED))
                continue;
            if (ir_has(g, v, IR_IS_OUTPUT)) continue;
            start_item(p, n, depth);
            print_value(p, g, v);
        }
    }
}

static void print_graph(struct text_printer *p, const struct ir_graph *g, uint32_t depth) {
    text_print_name(p->out, g->name ? g->name : "");
    buf_puts(p->out, " (");
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        if (i) buf_puts(p->out, ", ");
        print_value(p, g, g->inputs.at[i]);
    }
    buf_puts(p->out, ") => (");
    for (uint32_t i = 0; i < ir_noutputs(g); i++) {
        if (i) buf_puts(p->out, ", ");
        print_value(p, g, g->uses.at[g->outputs.at[i]].value);
    }
    buf_putc(p->out, ')');
    uint32_t items = 0;
    print_initializers(p, g, &items, depth);
    print_value_infos(p, g, &items, depth);
    if (items) buf_puts(p->out, ">\n"), indent(p, depth);
    else buf_putc(p->out, ' ');
    print_nodes(p, g, depth);
}

/* --- functions and the model -------------------------------------------------------- */

static void print_opsets(struct text_printer *p, const struct ir_opset *opsets,
                         uint32_t n) {
    buf_puts(p->out, "opset_import: [");
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_puts(p->out, ", ");
        text_print_string(p->out, opsets[i].domain, strlen(opsets[i].domain));
        buf_printf(p->out, " : %" PRId64, opsets[i].version);
    }
    buf_putc(p->out, ']');
}

static void print_text_field(struct text_printer *p, const char *key, const char *value) {
    if (!value) return;
    buf_printf(p->out, ",\n   %s: ", key);
    text_print_string(p->out, value, strlen(value));
}

/* Parameters of the function; a default that is no number, text or list of these is left
 * out. */
static void print_parameters(struct text_printer *p, const Onnx__FunctionProto *f) {
    static const struct ir_node_info nowhere = {0};
    struct ir_attr a;
    uint32_t n = 0;
    for (size_t i = 0; i < f->n_attribute; i++) {
        buf_puts(p->out, n++ ? ", " : "<");
        text_print_name(p->out, f->attribute[i]);
    }
    for (size_t i = 0; i < f->n_attribute_proto; i++) {
        buf_puts(p->out, n++ ? ", " : "<");
        if (text_message_attr(p->model, f->attribute_proto[i], &a))
            print_attr(p, &nowhere, &a, 0);
        else text_print_name(p->out, f->attribute_proto[i]->name);
    }
    if (n) buf_puts(p->out, "> ");
}

static void print_function(struct text_printer *p, const struct ir_function *f) {
    const Onnx__FunctionProto *proto = f->proto;
    const struct ir_graph *g = f->body;
    buf_puts(p->out, "\n<\n   domain: ");
    text_print_string(p->out, f->domain, strlen(f->domain));
    if (f->overload && *f->overload) print_text_field(p, "overload", f->overload);
    buf_puts(p->out, ",\n   ");
    print_opsets(p, f->opsets.at, f->opsets.len);
    if (proto) print_text_field(p, "doc_string", proto->doc_string);
    buf_puts(p->out, "\n>\n");
    text_print_name(p->out, f->name);
    buf_putc(p->out, ' ');
    if (proto) print_parameters(p, proto);
    buf_putc(p->out, '(');
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        if (i) buf_puts(p->out, ", ");
        text_print_name(p->out, name_of(g, g->inputs.at[i]));
    }
    buf_puts(p->out, ") => (");
    for (uint32_t i = 0; i < g->outputs.len; i++) {
        if (i) buf_puts(p->out, ", ");
        text_print_name(p->out, name_of(g, g->uses.at[g->outputs.at[i]].value));
    }
    buf_puts(p->out, ") ");
    print_nodes(p, g, 0);
    buf_putc(p->out, '\n');
}

static void print_header(struct text_printer *p, const struct ir_model *m) {
    const Onnx__ModelProto *proto = m->proto;
    buf_printf(p->out, "<\n   ir_version: %" PRId64 ",\n   ", m->ir_version);
    print_opsets(p, m->opsets.at, m->opsets.len);
    if (proto) {
        print_text_field(p, "producer_name", proto->producer_name);
        print_text_field(p, "producer_version", proto->producer_version);
        print_text_field(p, "domain", proto->domain);
        if (proto->has_model_version)
            buf_printf(p->out, ",\n   model_version: %" PRId64, proto->model_version);
        print_text_field(p, "doc_string", proto->doc_string);
        for (size_t i = 0; i < proto->n_metadata_props; i++) {
            const Onnx__StringStringEntryProto *e = proto->metadata_props[i];
            buf_puts(p->out, i ? ", " : ",\n   metadata_props: [");
            text_print_string(p->out, e->key ? e->key : "", e->key ? strlen(e->key) : 0);
            buf_puts(p->out, ": ");
            text_print_string(p->out, e->value ? e->value : "",
                              e->value ? strlen(e->value) : 0);
        }
        if (proto->n_metadata_props) buf_putc(p->out, ']');
    }
    buf_puts(p->out, "\n>\n");
}

void ir_text_print(const struct ir_model *m, const struct ir_text_options *o,
                   struct buf *out) {
    struct text_printer p = {.out = out, .options = o, .model = m->main->model};
    print_header(&p, m);
    print_graph(&p, m->main, 0);
    buf_putc(out, '\n');
    for (uint32_t i = 0; i < m->functions.len; i++) print_function(&p, m->functions.at[i]);
}

void ir_text_print_node(const struct ir_graph *g, ir_node n, struct buf *out) {
    static const struct ir_text_options brief = {0};
    struct text_printer p = {.out = out, .options = &brief, .model = g->model};
    print_node(&p, g, n, 0);
}
