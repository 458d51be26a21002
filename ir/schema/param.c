/* param.c -- the value of a virtual parameter of a node.
 *
 * Where the node's version of the operator keeps the parameter: as an attribute, as an
 * operand, or not at all; then what is written there, else what the schema gives, else
 * what is implied (param_implied.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema/param_parts.h"

bool ir_param_default(const struct ir_schema_attr *s, struct arena *a,
                      struct ir_attr *out) {
    if (s->has_default != IR_HAS_DEFAULT) return false;
    *out = (struct ir_attr){.name = s->name, .type = s->type, .i = s->i, .f = s->f,
                            .n = s->n, .ints = s->ints};
    if (s->type == IR_ATTR_STRING) out->s = (struct ir_string){s->s, strlen(s->s)};
    if (s->type == IR_ATTR_STRINGS) {
        struct ir_string *list = arena_new_array(a, struct ir_string, s->n);
        for (uint32_t k = 0; k < s->n; k++)
            list[k] = (struct ir_string){s->strings[k], strlen(s->strings[k])};
        out->strings = list;
    }
    return true;
}

static struct ir_param absent(void) {
    return (struct ir_param){
        .source = IR_PARAM_ABSENT, .is_default = true, .input = IR_NONE};
}

/* Reducing over an empty list of axes means the same as over none that are given; and
 * ONNX Runtime squeezes likewise. */
static bool is_as_good_as_absent(const struct ir_graph *g, ir_node n,
                                 const struct ir_attr *x) {
    const char *op = ir_op_name(g, n);
    return x->type == IR_ATTR_INTS && x->n == 0 && rw_streq(x->name, "axes") &&
           (strncmp(op, "Reduce", 6) == 0 || rw_streq(op, "Squeeze"));
}

static struct ir_param written(const struct ir_graph *g, ir_node n, const struct ir_attr *x,
                               const char *name) {
    struct ir_param p = {.source = x->ref ? IR_PARAM_DYNAMIC : IR_PARAM_ATTR, .attr = *x,
                         .input = IR_NONE};
    p.attr.name = name;
    if (!x->ref && is_as_good_as_absent(g, n, &p.attr)) p.source = IR_PARAM_ABSENT;
    return p;
}

static struct ir_param not_written(const struct ir_graph *g, ir_node n,
                                   const struct ir_param_def *d, const char *attr_name,
                                   struct arena *a) {
    struct ir_param p = {.source = IR_PARAM_ATTR, .is_default = true, .input = IR_NONE};
    const struct ir_schema *s = ir_nod(g, n)->schema;
    bool has = (attr_name && ir_param_default(ir_schema_attr(s, attr_name), a, &p.attr)) ||
               ir_param_implied(g, n, d, a, &p.attr);
    if (!has) return absent();
    p.attr.name = d->name;
    return p;
}

static struct ir_param given(const struct ir_graph *g, ir_node n, ir_value v,
                             const struct ir_param_def *d, struct arena *a) {
    struct ir_param p = {.source = IR_PARAM_DYNAMIC, .input = v};
    if (ir_param_read(g, v, d, a, &p.attr)) p.source = IR_PARAM_CONST;
    else p.attr = (struct ir_attr){0};
    if (p.source == IR_PARAM_CONST && is_as_good_as_absent(g, n, &p.attr))
        p.source = IR_PARAM_ABSENT;
    return p;
}

/* Of an operator, or an opset of it, of which nothing is known. */
static struct ir_param unknown_operator(const struct ir_graph *g, ir_node n,
                                        const char *name) {
    const struct ir_attr *x = ir_find_attr(g, n, name);
    return x ? written(g, n, x, x->name) : absent();
}

struct ir_param ir_param(const struct ir_graph *g, ir_node n, const char *name,
                         struct arena *a) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    if (!s) return unknown_operator(g, n, name);
    const struct ir_param_def *d = ir_param_def(s->domain, s->name, name);
    if (!d) return (struct ir_param){.source = IR_PARAM_NONE, .input = IR_NONE};
    const char *attr_name = ir_param_attr_name(s, d);
    const struct ir_attr *x = attr_name ? ir_find_attr(g, n, attr_name) : NULL;
    if (x) return written(g, n, x, d->name);
    int operand = attr_name ? IR_PARAM_IS_ATTR : ir_param_place(s, d);
    ir_value v = operand >= 0 ? ir_input(g, n, (uint32_t)operand) : IR_NONE;
    return v == IR_NONE ? not_written(g, n, d, attr_name, a) : given(g, n, v, d, a);
}

struct ir_param ir_param_unwritten(const struct ir_graph *g, ir_node n, const char *name,
                                   struct arena *a) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    const struct ir_param_def *d = s ? ir_param_def(s->domain, s->name, name) : NULL;
    return d ? not_written(g, n, d, ir_param_attr_name(s, d), a) : absent();
}
