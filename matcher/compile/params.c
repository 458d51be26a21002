/* params.c -- tests of virtual parameters.
 *
 * ir_param gives one value whatever the form and the opset; here it is compared with what
 * a pattern writes, and what a pattern does not write is compared with the default.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/bind.h"

/* --- axes ------------------------------------------------------------------------- */
uint32_t pm_axis_base(const struct ir_graph *g, ir_node n) {
    bool by_output = ir_is_op(g, n, "Unsqueeze") || ir_is_op(g, n, "OneHot");
    ir_value v = by_output ? ir_output(g, n, 0) : ir_input(g, n, 0);
    const struct ir_type *t = v == IR_NONE ? NULL : ir_val(g, v)->type;
    return ir_type_ranked(t) ? PM_AXIS_OF + t->rank : PM_AXIS_OF_UNKNOWN;
}

int64_t pm_axis(int64_t axis, uint32_t base) {
    if (base < PM_AXIS_OF || axis >= 0 || axis < -(int64_t)UINT32_MAX) return axis;
    return axis + (int64_t)(base - PM_AXIS_OF);
}

bool pm_axes_equal(int64_t x, uint32_t x_base, int64_t y, uint32_t y_base) {
    return pm_axis(x, x_base ? x_base : y_base) == pm_axis(y, y_base ? y_base : x_base);
}

/* --- literals --------------------------------------------------------------------- */
static bool int_fits(int64_t i, const struct literal *l, uint32_t base) {
    if (l->kind == LIT_INT && !l->has_tolerance) return pm_axes_equal(i, base, l->i, base);
    return pm_number_fits((double)i, 0, l);
}

static bool ints_fit(const struct ir_attr *x, const struct literal *l, uint32_t base) {
    if (!l->splat && (l->kind != LIT_LIST || l->n != x->n)) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (l->splat ? !int_fits(x->ints[i], l, base)
                     : !pm_axes_equal(x->ints[i], base, l->items[i].value, base))
            return false;
    return x->n > 0 || !l->splat;
}

static bool floats_fit(const struct ir_attr *x, const struct literal *l) {
    if (!l->splat && (l->kind != LIT_LIST || l->n != x->n)) return false;
    for (uint32_t i = 0; i < x->n; i++) {
        double f = x->floats[i];
        if (l->splat ? !pm_number_fits(f, pm_tolerance(IR_FLOAT), l)
                     : f != (double)l->items[i].value)
            return false;
    }
    return x->n > 0 || !l->splat;
}

static bool attr_fits(const struct ir_attr *x, const struct literal *l, uint32_t base) {
    switch (x->type) {
    case IR_ATTR_INT: return int_fits(x->i, l, base);
    case IR_ATTR_FLOAT: return pm_number_fits(x->f, pm_tolerance(IR_FLOAT), l);
    case IR_ATTR_INTS: return ints_fit(x, l, base);
    case IR_ATTR_FLOATS: return floats_fit(x, l);
    case IR_ATTR_STRING:
        return l->kind == LIT_STRING && x->s.len == strlen(l->s) &&
               memcmp(x->s.at, l->s, x->s.len) == 0;
    default: return false;
    }
}

bool pm_param_fits(const struct pm_site *s, ir_node n, const struct pm_test *t) {
    struct ir_param p = ir_param(s->g, n, t->param, s->arena);
    if (p.source == IR_PARAM_CONST && p.attr.type == IR_ATTR_UNDEFINED)
        return pm_literal_fits(s->g, p.input, t->lit, s->arena);
    if (p.source != IR_PARAM_ATTR && p.source != IR_PARAM_CONST) return false;
    return attr_fits(&p.attr, t->lit, t->is_axis ? pm_axis_base(s->g, n) : PM_NO_AXIS);
}

/* An axis may be counted from either end. */
static bool axis_may_fit(int64_t x, int64_t want) {
    return (x < 0) != (want < 0) || x == want;
}

static bool axes_may_fit(const struct ir_attr *x, const struct literal *l) {
    if (l->splat || l->has_tolerance) return true;
    if (x->type == IR_ATTR_INT && l->kind == LIT_INT) return axis_may_fit(x->i, l->i);
    if (x->type != IR_ATTR_INTS || l->kind != LIT_LIST) return true;
    if (x->n != l->n) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (!axis_may_fit(x->ints[i], l->items[i].value)) return false;
    return true;
}

bool pm_param_may_fit(const struct pm_site *s, ir_node n, const struct pm_test *t) {
    struct ir_param p = ir_param(s->g, n, t->param, s->arena);
    if (p.source == IR_PARAM_NONE) return false;
    if (p.source != IR_PARAM_ATTR || p.is_default) return true;
    return t->is_axis ? axes_may_fit(&p.attr, t->lit)
                      : attr_fits(&p.attr, t->lit, PM_NO_AXIS);
}

/* --- what is not named ------------------------------------------------------------ */
static bool is_named(const struct pm_spec *spec, const char *name) {
    for (uint32_t i = 0; i < spec->n; i++)
        if (rw_streq(spec->named[i], name)) return true;
    return false;
}

static bool has_default(const struct pm_site *s, ir_node n, const char *name) {
    struct ir_param p = ir_param(s->g, n, name, s->arena);
    if (p.source == IR_PARAM_ABSENT || p.is_default) return true;
    struct ir_param d = ir_param_unwritten(s->g, n, name, s->arena);
    if (p.source == IR_PARAM_DYNAMIC || d.source != IR_PARAM_ATTR) return false;
    p.attr.name = d.attr.name;
    return ir_attr_equal(s->g->model, &p.attr, &d.attr);
}

/* The parameter that an attribute of a node is, under its newest name. */
static const struct ir_param_def *def_of(const char *domain, const char *op,
                                         const char *attr) {
    size_t n;
    const struct ir_param_def *defs = ir_param_defs(domain, op, &n);
    for (size_t i = 0; i < n; i++)
        if (rw_streq(defs[i].name, attr) ||
            (defs[i].older && rw_streq(defs[i].older, attr)))
            return &defs[i];
    return NULL;
}

/* A required attribute has no default that it could differ from. */
static bool attr_is_free(const struct pm_site *s, ir_node n, const struct pm_spec *spec,
                         const char *attr) {
    const char *domain = ir_domain_name(s->g, n), *op = ir_op_name(s->g, n);
    if (ir_attr_is_inert(domain, op, attr) || is_named(spec, attr)) return true;
    const struct ir_param_def *d = def_of(domain, op, attr);
    if (!d) return false;
    if (is_named(spec, d->name) || d->has_default == IR_REQUIRED) return true;
    return has_default(s, n, d->name);
}

/* Defaults of the schema are fixed, others may follow from types. */
static bool attr_may_be_free(const struct pm_site *s, ir_node n, const struct pm_spec *spec,
                             const struct ir_attr *x) {
    const struct ir_schema *schema = ir_nod(s->g, n)->schema;
    const struct ir_schema_attr *a = schema ? ir_schema_attr(schema, x->name) : NULL;
    bool is_plain = x->type == IR_ATTR_INT || x->type == IR_ATTR_FLOAT ||
                    x->type == IR_ATTR_STRING || x->type == IR_ATTR_INTS;
    if (is_plain && !x->ref && a && a->has_default == IR_HAS_DEFAULT)
        return attr_is_free(s, n, spec, x->name);
    const char *domain = ir_domain_name(s->g, n), *op = ir_op_name(s->g, n);
    return ir_attr_is_inert(domain, op, x->name) || is_named(spec, x->name) ||
           def_of(domain, op, x->name);
}

bool pm_attrs_may_fit(const struct pm_site *s, ir_node n, const struct pm_spec *spec) {
    for (uint32_t i = 0; !spec->any && i < ir_nod(s->g, n)->nattr; i++)
        if (!attr_may_be_free(s, n, spec, &ir_nod(s->g, n)->attr[i])) return false;
    return true;
}

static bool operand_is_free(const struct pm_site *s, ir_node n, const struct pm_spec *spec,
                            uint32_t k) {
    const struct ir_schema *schema = ir_nod(s->g, n)->schema;
    if (!schema) return false;
    const char *param = ir_param_of_operand(schema->domain, schema->name, k, schema->since);
    if (!param) return false;
    return spec->any || is_named(spec, param) || has_default(s, n, param);
}

bool pm_spec_fits(const struct pm_site *s, ir_node n, const struct pm_spec *spec,
                  struct pm_odd *odd) {
    uint32_t nin = ir_nod(s->g, n)->nin, nattr = ir_nod(s->g, n)->nattr;
    *odd = (struct pm_odd){0};
    for (uint32_t k = spec->nargs; !spec->rest && k < nin; k++) {
        odd->operand = k;
        if (ir_input(s->g, n, k) != IR_NONE && !operand_is_free(s, n, spec, k))
            return false;
    }
    for (uint32_t i = 0; !spec->any && i < nattr; i++) {
        odd->name = ir_nod(s->g, n)->attr[i].name;
        if (!attr_is_free(s, n, spec, odd->name)) return false;
    }
    return true;
}

bool pm_cast_is_lossless(const struct pm_site *s, ir_node n) {
    ir_value x = ir_input(s->g, n, 0);
    struct ir_param to = ir_param(s->g, n, "to", s->arena);
    if (x == IR_NONE || to.source != IR_PARAM_ATTR || to.attr.type != IR_ATTR_INT)
        return false;
    if (to.attr.i <= IR_UNDEFINED || to.attr.i >= IR_DTYPE_N) return false;
    enum ir_dtype from = ir_type_dtype(ir_val(s->g, x)->type);
    return from != IR_UNDEFINED && ir_cast_is_lossless(from, (enum ir_dtype)to.attr.i);
}
