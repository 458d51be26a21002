/* draw.c -- a graph as a flowchart in Mermaid's language, which pages in Markdown show as a
 * picture.
 *
 * Inputs are i0, i1, ..., constants and values from outside v<number>, nodes n<number>, outputs
 * o0, ...; what people read are the texts in quotes. Characters that would end a text or be taken
 * for HTML are written as entities.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/private.h"

#include "ir/schema.h"

struct drawing {
    const struct ir_graph *g;
    struct buf *out;
    struct buf text;           /* one text before it is escaped, ... */
    struct text_printer plain; /* ... which this prints */
    struct map inputs;         /* value -> number of the input */
    struct map drawn;          /* other values that stand there already */
};

static void put_escaped(struct buf *out, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '"') buf_puts(out, "#quot;");
        else if (*c == '<') buf_puts(out, "#lt;");
        else if (*c == '>') buf_puts(out, "#gt;");
        else if (*c == '#') buf_puts(out, "#35;");
        else buf_putc(out, (unsigned char)*c < ' ' ? ' ' : *c);
    }
}

/* What was printed to d->text. */
static void put_text(struct drawing *d) {
    put_escaped(d->out, buf_text(&d->text));
    d->text.len = 0;
}

/* `name: float[N, 8]`, or for a constant `float[2] name = {1, 2}`. */
static void put_value(struct drawing *d, ir_value v) {
    const struct ir_value_info *x = ir_val(d->g, v);
    const struct ir_tensor *t = ir_const(d->g, v);
    if (t) {
        text_print_tensor(&d->plain, t, x->name);
    } else {
        buf_printf(&d->text, "%s%s", x->name, x->type ? ": " : "");
        if (x->type) text_print_type(&d->text, d->g->model->dims, x->type);
    }
    put_text(d);
}

static void put_attr(struct drawing *d, const struct ir_attr *a) {
    buf_printf(&d->text, "%s = ", a->name);
    if (a->ref) buf_printf(&d->text, "@%s", a->ref);
    else if (ir_attr_is_body(a)) buf_puts(&d->text, "a graph");
    else text_print_attr_value(&d->plain, a);
    put_text(d);
}

static void put_node(struct drawing *d, ir_node n) {
    const struct ir_node_info *x = ir_nod(d->g, n);
    const char *domain = ir_domain_name(d->g, n);
    buf_printf(d->out, "  n%u[\"", n);
    buf_printf(&d->text, "%s%s%s", domain, *domain ? "." : "", ir_op_name(d->g, n));
    put_text(d);
    for (uint32_t i = 0; i < x->nattr; i++) {
        buf_puts(d->out, "<br/>");
        put_attr(d, &x->attr[i]);
    }
    buf_puts(d->out, "\"]\n");
}

/* Where a value comes from, as the beginning of an arrow; constants appear at their first use. */
static void put_origin(struct drawing *d, ir_value v) {
    const struct ir_value_info *x = ir_val(d->g, v);
    uint32_t input = map_get(&d->inputs, v);
    if (input != MAP_NONE) {
        buf_printf(d->out, "  i%u", input);
    } else if (!ir_const(d->g, v) && x->producer != IR_NONE) {
        buf_printf(d->out, "  n%u", x->producer);
    } else if (map_get(&d->drawn, v) != MAP_NONE) {
        buf_printf(d->out, "  v%u", v);
    } else {
        map_put(&d->drawn, v, 1);
        buf_printf(d->out, "  v%u[/\"", v);
        put_value(d, v);
        buf_puts(d->out, "\"/]");
    }
}

/* With the operand's name in the schema, where there are several. */
static void put_arrow(struct drawing *d, const struct ir_node_info *x, uint32_t i) {
    const struct ir_schema *s = x->schema;
    buf_puts(d->out, " -->");
    if (s && x->nin > 1 && i < s->ninputs) buf_printf(d->out, "|%s|", s->inputs[i].name);
}

static void put_operands(struct drawing *d, ir_node n) {
    const struct ir_node_info *x = ir_nod(d->g, n);
    for (uint32_t i = 0; i < x->nin; i++) {
        if (ir_input(d->g, n, i) == IR_NONE) continue;
        put_origin(d, ir_input(d->g, n, i));
        put_arrow(d, x, i);
        buf_printf(d->out, " n%u\n", n);
    }
}

static ir_value output_of(const struct ir_graph *g, uint32_t i) {
    return g->uses.at[g->outputs.at[i]].value;
}

static void put_interface(struct drawing *d, char side, uint32_t i, ir_value v) {
    buf_printf(d->out, "  %c%u([\"", side, i);
    put_value(d, v);
    buf_puts(d->out, "\"])\n");
}

void ir_text_draw(const struct ir_graph *g, struct buf *out) {
    static const struct ir_text_options options = {0};
    struct arena a = ARENA_EMPTY;
    struct drawing d = {.g = g, .out = out};
    d.plain = (struct text_printer){&d.text, &options, g->model, ARENA_EMPTY};
    map_init(&d.inputs, &a);
    map_init(&d.drawn, &a);
    buf_puts(out, "flowchart TD\n");
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        map_put(&d.inputs, g->inputs.at[i], i);
        put_interface(&d, 'i', i, g->inputs.at[i]);
    }
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        if (!ir_is_op(g, n, "Constant")) put_node(&d, n);
    for (uint32_t i = 0; i < g->outputs.len; i++) put_interface(&d, 'o', i, output_of(g, i));
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        if (!ir_is_op(g, n, "Constant")) put_operands(&d, n);
    for (uint32_t i = 0; i < g->outputs.len; i++) {
        put_origin(&d, output_of(g, i));
        buf_printf(out, " --> o%u\n", i);
    }
    buf_free(&d.text);
    arena_free(&d.plain.scratch);
    arena_free(&a);
}
