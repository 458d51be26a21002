/* call.c -- a node as a pattern writes it: parameters and operands.
 *
 * Parameters that have their default go unwritten, as patterns take them, unless another node
 * of the operator has another value, so that the two are told apart. A constant operand
 * that is an attribute in another opset (`axes`) is written as the parameter that it is, so
 * that the rule fits both; but not in front of an operand that stays one, since a gap in
 * a pattern means an operand that is absent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "capture/impl.h"

struct call {
    struct cap_names *names;
    const struct cap_place *p;
    ir_node n;
    const struct ir_schema *schema;
    struct buf params;
    uint32_t first_param; /* operands from here on are written as parameters */
};

/* --- values -------------------------------------------------------------------------- */

static bool names_type(const char *param) {
    return rw_streq(param, "to") || rw_streq(param, "dtype") ||
           rw_streq(param, "output_dtype");
}

/* What a shape says beyond 0, 1 and -1 is of the model, not of the idea. */
static bool put_shape(struct call *c, const struct ir_attr *a, struct buf *out) {
    if (!rw_streq(a->name, "shape") || !ir_is_op(c->p->g, c->n, "Reshape")) return false;
    buf_putc(out, '[');
    for (uint32_t i = 0; i < a->n; i++) {
        bool stays = a->ints[i] >= -1 && a->ints[i] <= 1;
        if (i) buf_puts(out, ", ");
        if (stays) buf_printf(out, "%" PRId64, a->ints[i]);
        else buf_puts(out, cap_is_kept(c->p, c->n) ? "_" : cap_fresh(c->names, "n"));
    }
    buf_putc(out, ']');
    return true;
}

static bool put_ints(const struct ir_attr *a, struct buf *out) {
    bool ok = a->n > 0;
    buf_putc(out, '[');
    for (uint32_t i = 0; i < a->n && ok; i++) {
        if (i) buf_puts(out, ", ");
        ok = cap_put_int(out, a->ints[i]);
    }
    buf_putc(out, ']');
    return ok;
}

static bool put_string(struct ir_string s, struct buf *out) {
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] < ' ' || s.at[i] == '"' || s.at[i] == '\\' || s.at[i] == 0x7f) return false;
    buf_printf(out, "\"%.*s\"", (int)s.len, s.at);
    return true;
}

static bool put_value(struct call *c, const struct ir_attr *a, struct buf *out) {
    switch (a->type) {
    case IR_ATTR_INT:
        if (names_type(a->name) && a->i > 0 && a->i < IR_DTYPE_N &&
            ir_dtype_name((enum ir_dtype)a->i)) {
            buf_puts(out, ir_dtype_name((enum ir_dtype)a->i));
            return true;
        }
        return cap_put_int(out, a->i);
    case IR_ATTR_FLOAT: return cap_put_real(out, (double)a->f);
    case IR_ATTR_STRING: return put_string(a->s, out);
    case IR_ATTR_INTS: return a->n > 0 && (put_shape(c, a, out) || put_ints(a, out));
    default: return false;
    }
}

/* --- parameters ---------------------------------------------------------------------- */

static bool says_default(const struct cap_place *p, ir_node n, const struct ir_param *is,
                         const char *name) {
    const struct ir_schema *s = ir_nod(p->g, n)->schema;
    if (is->is_default || ir_attr_is_inert(s->domain, s->name, name)) return true;
    struct ir_param unwritten = ir_param_unwritten(p->g, n, name, p->arena);
    if (unwritten.source != IR_PARAM_ATTR) return false;
    struct ir_attr a = is->attr, b = unwritten.attr;
    a.name = b.name = name;
    return ir_attr_equal(p->g->model, &a, &b);
}

/* Has another node of the operator a value of its own? Then each says which is its. */
static bool varies(const struct call *c, const char *name) {
    const struct cap_place *p = c->p;
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        ir_node n = p->nodes.at[i];
        if (ir_nod(p->g, n)->schema != c->schema) continue;
        struct ir_param is = ir_param(p->g, n, name, p->arena);
        if (is.source == IR_PARAM_ATTR && !says_default(p, n, &is, name)) return true;
    }
    return false;
}

static bool goes_unwritten(const struct call *c, const struct ir_param *is,
                           const char *name) {
    return is->source == IR_PARAM_ATTR && says_default(c->p, c->n, is, name) &&
           !varies(c, name);
}

/* What has no spelling is bound, and handed on; where nothing is emitted it is left open. */
static void put_param(struct call *c, const char *name, const struct ir_attr *a) {
    struct buf text = {0};
    buf_printf(&c->params, "%s%s = ", c->params.len ? ", " : "", name);
    if (put_value(c, a, &text)) buf_puts(&c->params, buf_text(&text));
    else if (cap_is_kept(c->p, c->n)) buf_putc(&c->params, '_');
    else buf_puts(&c->params, cap_fresh(c->names, name));
    buf_free(&text);
}

static bool is_written_here(const struct call *c, const struct ir_param *is) {
    if (is->source == IR_PARAM_ATTR) return true;
    if (is->source != IR_PARAM_CONST) return false;
    uint32_t k = 0;
    while (k < ir_nod(c->p->g, c->n)->nin && ir_input(c->p->g, c->n, k) != is->input) k++;
    return k >= c->first_param;
}

static void put_params(struct call *c) {
    size_t n;
    const struct ir_param_def *defs = ir_param_defs(c->schema->domain, c->schema->name, &n);
    for (size_t i = 0; i < n; i++) {
        struct ir_param is = ir_param(c->p->g, c->n, defs[i].name, c->p->arena);
        if (!is_written_here(c, &is)) continue;
        if (goes_unwritten(c, &is, defs[i].name)) continue;
        is.attr.name = defs[i].name;
        put_param(c, defs[i].name, &is.attr);
    }
}

/* --- operands ------------------------------------------------------------------------ */

/* Can operand k, a constant, be said by a parameter whose value has a spelling? What
 * nodes make, the pattern has too, though inference knew its value. */
static bool is_param(const struct call *c, uint32_t k) {
    const char *name = ir_param_of_operand(c->schema->domain, c->schema->name, k,
                                           c->schema->since);
    if (!name) return false;
    struct ir_param is = ir_param(c->p->g, c->n, name, c->p->arena);
    return is.source == IR_PARAM_CONST && is.attr.type != IR_ATTR_TENSOR &&
           ir_const(c->p->g, is.input) && !cap_is_input(c->p, is.input);
}

static uint32_t first_param(const struct call *c) {
    uint32_t n = ir_nod(c->p->g, c->n)->nin;
    while (n > 0 && (ir_input(c->p->g, c->n, n - 1) == IR_NONE || is_param(c, n - 1))) n--;
    return n;
}

static const char *op_text(const struct call *c) {
    const char *domain = ir_domain_name(c->p->g, c->n), *op = ir_op_name(c->p->g, c->n);
    return *domain ? arena_printf(c->p->arena, "%s.%s", domain, op) : op;
}

struct cap_call cap_call(struct cap_names *names, const struct cap_place *p, ir_node n) {
    struct call c = {.names = names, .p = p, .n = n, .schema = ir_nod(p->g, n)->schema};
    c.first_param = first_param(&c);
    put_params(&c);
    struct cap_call out = {.op = op_text(&c), .nin = c.first_param};
    ir_value *in = arena_new_array(p->arena, ir_value, c.first_param + 1);
    for (uint32_t k = 0; k < c.first_param; k++) in[k] = ir_input(p->g, n, k);
    while (out.nin > 0 && in[out.nin - 1] == IR_NONE) out.nin--;
    out.in = in;
    out.params = arena_strdup(p->arena, buf_text(&c.params));
    buf_free(&c.params);
    return out;
}
