/* parse.c -- models, graphs and nodes of ONNX text, straight into the graph.
 *
 * A name is looked up in the scope of its graph and outwards; what an outer graph has is
 * captured on the way in. Types that the text declares ahead (outputs, the list in < >)
 * wait in the scope until a node makes the value.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/parser.h"

#include "ir/onnx.pb-c.h"

#define DEEPEST_GRAPH 64u
#define MOST_CANDIDATES 4096u

/* --- names -------------------------------------------------------------------------- */

static uint64_t key_of(const struct text_scope *s, sym_t name) {
    return (uint64_t)s->number << 32 | name;
}

/* What the scope knows of the name; a new entry, at that place, when it knows nothing. */
static struct text_def *define(struct text_parser *p, struct text_scope *s,
                               const char *name, struct span at) {
    sym_t sym = intern(&p->names, name);
    uint32_t i = map_get(&p->def_of, key_of(s, sym));
    if (i == MAP_NONE) {
        i = p->defs.len;
        vec_push(p->arena, &p->defs, (struct text_def){sym, IR_NONE, NULL, at});
        map_put(&p->def_of, key_of(s, sym), i);
    }
    return &p->defs.at[i];
}

static void declare(struct text_parser *p, struct text_scope *s, const char *name,
                    const struct ir_type *type, struct span at) {
    struct text_def *d = define(p, s, name, at);
    if (!d->type) d->type = type;
}

/* Does an outer graph have a value of that name? Then the new one gets another. */
static bool hides_another(const struct text_parser *p, const struct text_scope *s,
                          sym_t name) {
    for (s = s->outer; s; s = s->outer) {
        uint32_t i = map_get(&p->def_of, key_of(s, name));
        if (i != MAP_NONE && p->defs.at[i].value != IR_NONE) return true;
    }
    return false;
}

/* Makes the value of that name; an error when the graph has it already. */
static ir_value make_value(struct text_parser *p, struct text_scope *s, const char *name,
                           struct span at) {
    if (p->failed) return IR_NONE;
    struct text_def *d = define(p, s, name, at);
    if (d->value != IR_NONE) {
        text_fail(p, at, "\"%s\" is defined twice", name);
        diag_at(p->diags, DIAG_NOTE, d->at, "the first definition");
        return d->value;
    }
    d->at = at;
    d->value = hides_another(p, s, d->name) ? ir_add_value(s->graph, name, d->type)
                                            : ir_add_value_as(s->graph, name, d->type);
    if (d->type) s->graph->values.at[d->value].flags |= IR_TYPE_DECLARED;
    return d->value;
}

static ir_value find_value(struct text_parser *p, struct text_scope *s, sym_t name) {
    uint32_t i = map_get(&p->def_of, key_of(s, name));
    if (i != MAP_NONE && p->defs.at[i].value != IR_NONE) return p->defs.at[i].value;
    if (!s->outer) return IR_NONE;
    ir_value outer = find_value(p, s->outer, name); /* as deep as graphs nest */
    return outer == IR_NONE ? IR_NONE : ir_add_outer(s->graph, outer);
}

static void unknown_name(struct text_parser *p, const char *name, struct span at) {
    const char *known[MOST_CANDIDATES];
    size_t n = 0;
    for (uint32_t i = 0; i < p->defs.len && n < MOST_CANDIDATES; i++)
        if (p->defs.at[i].value != IR_NONE)
            known[n++] = intern_text(&p->names, p->defs.at[i].name);
    text_fail(p, at, "\"%s\" is not defined in front of this place", name);
    const char *near = diag_nearest(name, known, n);
    if (near) text_help(p, at, "did you mean \"%s\"?", near);
    else text_help(p, at, "nodes stand in the order in which they run");
}

static ir_value use_value(struct text_parser *p, struct text_scope *s, const char *name,
                          struct span at) {
    if (p->failed || *name == 0) return IR_NONE;
    ir_value v = find_value(p, s, intern(&p->names, name));
    if (v == IR_NONE) unknown_name(p, name, at);
    return v;
}

/* --- nodes -------------------------------------------------------------------------- */

struct name_at { const char *name; struct span at; };
struct name_list { VEC(struct name_at) list; };

/* Names with commas between; a name left out is empty, a comma at the end is ignored. */
static void name_list(struct text_parser *p, struct name_list *out) {
    while (text_at_name(p) || p->token.kind == ',') {
        struct name_at x = {"", p->token.at};
        if (text_at_name(p)) x.name = text_name(p, "a name");
        vec_push(p->arena, &out->list, x);
        if (!text_accept(p, ',')) break;
    }
}

struct operator { const char *domain, *op, *overload; };

/* `Op`, `com.microsoft.Op`, `Op:overload`. */
static struct operator operator_name(struct text_parser *p) {
    struct operator o = {.domain = "", .op = text_name(p, "an operator")};
    while (text_accept(p, '.')) {
        o.domain = *o.domain ? arena_printf(p->arena, "%s.%s", o.domain, o.op) : o.op;
        o.op = text_name(p, "an operator");
    }
    if (rw_streq(o.domain, "ai.onnx")) o.domain = "";
    if (text_accept(p, ':')) o.overload = text_name(p, "the overload of a function");
    return o;
}

static void import_domain(struct text_parser *p, const struct ir_graph *g,
                          const char *domain, struct span at) {
    if (!p->free_opsets || g->function || ir_opset(g, domain) != 0) return;
    if (p->model->opsets.len == TEXT_MOST_IMPORTS)
        text_fail(p, at, "operators of more than %d domains", TEXT_MOST_IMPORTS);
    int64_t newest = ir_schema_newest_opset(domain);
    ir_set_opset(p->model, arena_strdup(p->model->arena, domain), newest ? newest : 1);
}

static void add_node(struct text_parser *p, struct text_scope *s, const char *label,
                     struct operator o, const struct name_list *outs,
                     const struct name_list *ins, const struct text_attrs *attrs) {
    ir_value *in = arena_new_array(p->arena, ir_value, ins->list.len + 1);
    ir_value *out = arena_new_array(p->arena, ir_value, outs->list.len + 1);
    for (uint32_t i = 0; i < ins->list.len; i++)
        in[i] = use_value(p, s, ins->list.at[i].name, ins->list.at[i].at);
    for (uint32_t i = 0; i < outs->list.len; i++) {
        struct name_at x = outs->list.at[i];
        out[i] = *x.name ? make_value(p, s, x.name, x.at) : IR_NONE;
    }
    if (p->failed) return;
    struct ir_new_node n = {.op = o.op, .domain = o.domain, .name = label,
                            .overload = o.overload,
                            .nin = ins->list.len, .in = in, .nout = outs->list.len,
                            .out = out, .nattr = attrs->list.len, .attr = attrs->list.at};
    ir_node node = ir_add_node(s->graph, &n, IR_NONE);
    for (uint32_t i = 0; i < attrs->list.len; i++) {
        const struct ir_attr *a = &attrs->list.at[i];
        if (!ir_attr_is_body(a)) continue;
        for (uint32_t k = 0; k < a->n; k++) ir_own_body(s->graph, node, a->graphs[k]);
    }
}

static void node(struct text_parser *p, struct text_scope *s) {
    const char *label = NULL;
    struct name_list outs = {0}, ins = {0};
    struct text_attrs attrs = {0};
    if (text_accept(p, '[')) {
        if (p->token.kind != ']') label = text_name(p, "the node's name");
        text_expect(p, ']', "\"]\" behind the node's name");
    }
    name_list(p, &outs);
    text_expect(p, '=', "\"=\" behind the outputs of a node");
    struct span at = p->token.at;
    struct operator o = operator_name(p);
    if (p->failed) return;
    import_domain(p, s->graph, o.domain, at);
    const struct ir_schema *schema =
        ir_schema_find(o.domain, o.op, ir_opset(s->graph, o.domain));
    text_attrs(p, s, schema, &attrs);
    if (attrs.list.len == 0 || p->token.kind == '(') {
        text_expect(p, '(', "\"(\" in front of the operands");
        name_list(p, &ins);
        text_expect(p, ')', "\",\" or \")\" behind an operand");
    }
    if (attrs.list.len == 0) text_attrs(p, s, schema, &attrs);
    text_accept(p, ';');
    add_node(p, s, label, o, &outs, &ins, &attrs);
}

static void nodes(struct text_parser *p, struct text_scope *s) {
    text_expect(p, '{', "\"{\" in front of the nodes");
    while (p->token.kind != '}' && p->token.kind != TEXT_END) node(p, s);
    text_expect(p, '}', "\"}\" or a node");
}

/* --- graphs ------------------------------------------------------------------------- */

static void set_initializer(struct text_parser *p, struct text_scope *s, ir_value v,
                            const struct ir_type *type, struct span at) {
    if (!type) {
        text_fail(p, at, "a constant needs its type in front of the name");
        return;
    }
    struct ir_tensor *t = text_tensor(p, type, at);
    if (p->failed) return;
    ir_set_initializer(s->graph, v, t);
    if (!ir_val(s->graph, v)->type) ir_set_type(s->graph, v, type);
}

/* `float[N] x`, `x`, `float[2] x = {1, 2}`. */
static void graph_input(struct text_parser *p, struct text_scope *s) {
    const struct ir_type *type = text_at_type(p) ? text_type(p) : NULL;
    struct span at = p->token.at;
    const char *name = text_name(p, "an input (a type and a name)");
    declare(p, s, name, type, at);
    ir_value v = make_value(p, s, name, at);
    if (p->failed) return;
    ir_add_input(s->graph, v);
    if (text_accept(p, '=')) set_initializer(p, s, v, type, at);
}

static void graph_inputs(struct text_parser *p, struct text_scope *s) {
    text_expect(p, '(', "\"(\" in front of the inputs");
    if (text_accept(p, ')')) return;
    do graph_input(p, s);
    while (text_accept(p, ','));
    text_expect(p, ')', "\",\" or \")\" behind an input");
}

static void graph_outputs(struct text_parser *p, struct text_scope *s,
                          struct name_list *out) {
    text_expect(p, '(', "\"(\" in front of the outputs");
    if (text_accept(p, ')')) return;
    do {
        const struct ir_type *type = text_at_type(p) ? text_type(p) : NULL;
        struct name_at x = {.at = p->token.at};
        x.name = text_name(p, "an output (a type and a name)");
        if (type) declare(p, s, x.name, type, x.at);
        vec_push(p->arena, &out->list, x);
    } while (text_accept(p, ','));
    text_expect(p, ')', "\",\" or \")\" behind an output");
}

/* `float[2] w = {1, 2}` makes an initializer, or gives an input its default; without a
 * value it is the type of what a node will make. */
static void initializer(struct text_parser *p, struct text_scope *s) {
    const struct ir_type *type = text_type(p);
    struct span at = p->token.at;
    const char *name = text_name(p, "the name of a value");
    if (!text_accept(p, '=')) {
        declare(p, s, name, type, at);
        return;
    }
    if (p->failed) return;
    struct text_def *d = define(p, s, name, at);
    ir_value v = d->value;
    bool is_input = v != IR_NONE && ir_has(s->graph, v, IR_IS_INPUT) &&
                    !ir_has(s->graph, v, IR_IS_INIT);
    if (!is_input) v = make_value(p, s, name, at);
    if (!p->failed) set_initializer(p, s, v, type, at);
}

static void initializers(struct text_parser *p, struct text_scope *s) {
    if (!text_accept(p, '<') || text_accept(p, '>')) return;
    do initializer(p, s);
    while (text_accept(p, ','));
    text_expect(p, '>', "\",\" or \">\" behind an initializer");
}

static void add_outputs(struct text_parser *p, struct text_scope *s,
                        const struct name_list *outs) {
    for (uint32_t i = 0; i < outs->list.len && !p->failed; i++) {
        struct name_at x = outs->list.at[i];
        ir_value v = find_value(p, s, intern(&p->names, x.name));
        if (v == IR_NONE) text_fail(p, x.at, "no node makes the output \"%s\"", x.name);
        else ir_add_output(s->graph, v);
    }
}

void text_graph(struct text_parser *p, struct text_scope *s) {
    struct name_list outs = {0};
    graph_inputs(p, s);
    text_expect(p, TEXT_ARROW, "\"=>\" behind the inputs");
    graph_outputs(p, s, &outs);
    initializers(p, s);
    nodes(p, s);
    add_outputs(p, s, &outs);
}

struct ir_graph *text_body(struct text_parser *p, struct text_scope *outer,
                           const char *name) {
    struct ir_graph *g =
        ir_graph_new(p->model, outer->graph, arena_strdup(p->model->arena, name));
    struct text_scope scope = {g, p->scopes++, outer};
    if (p->depth >= DEEPEST_GRAPH) {
        text_fail(p, p->token.at, "graphs nested deeper than %u", DEEPEST_GRAPH);
        return g;
    }
    p->depth++;
    text_graph(p, &scope);
    p->depth--;
    return g;
}
