/* attr.c -- parameters of an emitted node, in the form that its opset has.
 *
 * A parameter is written under its newest name. Where the operator's version keeps it as
 * an operand it becomes one, where it has another name there it gets that, and where the
 * version has no such parameter it must mean what is written by itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

#include <math.h>

/* --- values to attributes --------------------------------------------------------- */
static bool int_of(struct pm_val v, int64_t *out) {
    *out = v.i;
    return v.kind == VAL_INT || v.kind == VAL_BOOL || v.kind == VAL_DTYPE;
}

static bool list_to_attr(struct pm_build *b, const char *name, enum ir_attr_type type,
                         struct pm_val v, struct ir_attr *out) {
    struct arena *a = b->env->site.arena;
    struct pm_val one = v;
    if (v.kind != VAL_LIST) v = pm_list(1, &one);
    int64_t *ints = arena_new_array(a, int64_t, v.n);
    float *floats = arena_new_array(a, float, v.n);
    for (uint32_t i = 0; i < v.n; i++) {
        double x;
        bool ok = type == IR_ATTR_INTS ? int_of(v.items[i], &ints[i])
                                       : pm_as_real(v.items[i], &x);
        if (!ok)
            return pm_refuse(b, "an emitted list has an item that is not known");
        if (type == IR_ATTR_FLOATS) floats[i] = (float)x;
    }
    *out = type == IR_ATTR_INTS ? ir_attr_ints(name, v.n, ints)
                                : ir_attr_floats(name, v.n, floats);
    return true;
}

/* The type that a value would have by itself, for operators that are not known. */
static enum ir_attr_type natural_type(struct pm_val v) {
    switch (v.kind) {
    case VAL_REAL: return IR_ATTR_FLOAT;
    case VAL_STRING: return IR_ATTR_STRING;
    case VAL_LIST:
        return v.n > 0 && v.items[0].kind == VAL_REAL ? IR_ATTR_FLOATS : IR_ATTR_INTS;
    default: return IR_ATTR_INT;
    }
}

static bool tensor_to_attr(struct pm_build *b, const char *name, struct pm_val v,
                           struct ir_attr *out) {
    struct ir_tensor *t = v.kind == VAL_VALUE ? ir_const(b->g, v.value) : NULL;
    if (!t) return pm_refuse(b, "an emitted parameter needs a constant");
    *out = ir_attr_tensor(b->env->site.arena, name, t);
    return true;
}

static bool to_attr(struct pm_build *b, const char *name, enum ir_attr_type type,
                    struct pm_val v, struct ir_attr *out) {
    double x;
    int64_t i;
    if (v.kind == VAL_ATTR) {
        *out = *v.attr;
        out->name = name;
        return ir_attr_is_body(v.attr) ? pm_refuse(b, "a body cannot be carried over") : true;
    }
    if (type == IR_ATTR_TENSOR) return tensor_to_attr(b, name, v, out);
    v = pm_known(b->env, v);
    if (type == IR_ATTR_UNDEFINED) type = natural_type(v);
    if (v.kind == VAL_LIST && v.n == 1 && type != IR_ATTR_INTS && type != IR_ATTR_FLOATS)
        v = v.items[0];
    if (v.kind == VAL_UNKNOWN) return pm_refuse(b, "the value of a parameter is not known");
    switch (type) {
    case IR_ATTR_INT:
        if (!int_of(v, &i)) break;
        *out = ir_attr_int(name, i);
        return true;
    case IR_ATTR_FLOAT:
        if (!pm_as_real(v, &x)) break;
        if (!isfinite((float)x)) return pm_refuse(b, "a parameter would not be a finite number");
        *out = ir_attr_float(name, (float)x);
        return true;
    case IR_ATTR_STRING:
        if (v.kind != VAL_STRING) break;
        *out = ir_attr_string(name, arena_strndup(b->env->site.arena, v.s.at, v.s.len));
        return true;
    case IR_ATTR_INTS:
    case IR_ATTR_FLOATS: return list_to_attr(b, name, type, v, out);
    default: break;
    }
    return pm_refuse(b, "the value of a parameter is of the wrong kind");
}

/* --- values to operands ----------------------------------------------------------- */
/* K of TopK is a list of one, other single numbers are scalars. */
static uint32_t operand_rank(const struct pm_draft *d, const char *name) {
    return rw_streq(d->op, "TopK") && rw_streq(name, "K");
}

static bool floats_operand(struct pm_build *b, struct pm_val v, ir_value *out) {
    unsigned char *bytes = arena_array(b->env->site.arena, v.n, 4);
    for (uint32_t i = 0; i < v.n; i++) {
        double x;
        uint32_t word;
        if (!pm_as_real(v.items[i], &x))
            return pm_refuse(b, "an emitted list has an item that is not known");
        memcpy(&word, &(float){(float)x}, sizeof word);
        for (uint32_t k = 0; k < 4; k++)
            bytes[4 * i + k] = (unsigned char)(word >> (8 * k));
    }
    int64_t n = v.n;
    *out = pm_add_constant(b, ir_tensor_new(b->g->model->arena, IR_FLOAT, 1, &n, bytes));
    return true;
}

static bool to_operand(struct pm_build *b, struct pm_draft *d, const char *name,
                       enum ir_attr_type type, struct pm_val v, uint32_t k, ir_value *out) {
    *out = v.value;
    if (v.kind == VAL_VALUE) return true;
    if (v.kind != VAL_LIST && (type == IR_ATTR_INTS || type == IR_ATTR_FLOATS)) {
        struct pm_val *one = arena_copy(b->env->site.arena, &v, sizeof v);
        v = pm_list(1, one);
    }
    if (v.kind == VAL_LIST && type == IR_ATTR_FLOATS) return floats_operand(b, v, out);
    if (v.kind == VAL_LIST) return pm_emit_dims(b, v, rw_streq(d->op, "Reshape"), out);
    enum ir_dtype t = pm_dtype_beside(b, d, k, v);
    struct ir_tensor *x = t == IR_UNDEFINED
                              ? NULL
                              : pm_number_tensor(b->g->model, v, t, operand_rank(d, name));
    if (!x) return pm_refuse(b, "a parameter has no value in the type of its operand");
    *out = pm_add_constant(b, x);
    return true;
}

/* --- where a parameter goes ------------------------------------------------------- */
static bool has_attr(const struct pm_draft *d, const char *name) {
    for (uint32_t i = 0; i < d->attrs.len; i++)
        if (rw_streq(d->attrs.at[i].name, name)) return true;
    return false;
}

static bool put_operand(struct pm_build *b, struct pm_draft *d, const char *name,
                        enum ir_attr_type type, struct pm_val v, uint32_t k) {
    ir_value x;
    while (d->in.len <= k) vec_push(b->env->site.arena, &d->in, (ir_value)IR_NONE);
    if (d->in.at[k] != IR_NONE) return true; /* written as an operand: that wins */
    if (!to_operand(b, d, name, type, v, k, &x)) return false;
    d->in.at[k] = x;
    return true;
}

static bool put(struct pm_build *b, struct pm_draft *d, const char *name, struct pm_val v) {
    struct arena *a = b->env->site.arena;
    if (v.kind == VAL_ABSENT) return true;
    const struct ir_param_def *def = ir_param_def(d->domain, d->op, name);
    enum ir_attr_type type = def ? def->type : IR_ATTR_UNDEFINED;
    int where = def ? ir_param_operand(d->domain, d->op, name, d->opset) : IR_PARAM_IS_ATTR;
    if (where >= 0) return put_operand(b, d, name, type, v, (uint32_t)where);
    const char *as = def && d->schema ? ir_param_attr_name(d->schema, def) : name;
    struct ir_attr x;
    if (!to_attr(b, as ? as : name, type, v, &x)) return false;
    if (where == IR_PARAM_IS_NOT) vec_push(a, &d->implied, x);
    else if (!has_attr(d, x.name)) vec_push(a, &d->attrs, x);
    return true;
}

/* --- <..attrs> -------------------------------------------------------------------- */
static bool is_named(const struct pm_spec *spec, const char *name) {
    for (uint32_t i = 0; i < spec->n; i++)
        if (rw_streq(spec->named[i], name)) return true;
    return false;
}

static bool is_overridden(const struct emit *e, const char *name) {
    for (uint32_t i = 0; i < e->nattrs; i++)
        if (rw_streq(e->attrs[i].name, name)) return true;
    return false;
}

static bool carry_written(struct pm_build *b, const struct emit *e, struct pm_draft *d,
                          ir_node from, const struct pm_spec *spec) {
    const struct ir_node_info *x = ir_nod(b->g, from);
    for (uint32_t i = 0; i < x->nattr; i++) {
        const struct ir_attr *attr = &x->attr[i];
        if (is_named(spec, attr->name) || is_overridden(e, attr->name)) continue;
        struct pm_val v = {.kind = VAL_ATTR, .attr = attr};
        if (!put(b, d, attr->name, v)) return false;
    }
    return true;
}

static bool carry(struct pm_build *b, const struct emit *e, struct pm_draft *d) {
    struct pm_binding from = b->env->slots[e->attrs_slot];
    if (from.kind != BOUND_ATTRS) return true;
    const struct pm_spec *spec = &b->env->site.p->spec.at[from.b];
    const char *domain = ir_domain_name(b->g, from.a), *op = ir_op_name(b->g, from.a);
    size_t n;
    const struct ir_param_def *defs = ir_param_defs(domain, op, &n);
    if (!defs) return carry_written(b, e, d, from.a, spec);
    for (size_t i = 0; i < n; i++) {
        const char *name = defs[i].name;
        if (is_named(spec, name) || is_overridden(e, name)) continue;
        struct ir_param p = ir_param(b->g, from.a, name, b->env->site.arena);
        if (p.is_default || p.source == IR_PARAM_NONE) continue;
        if (!put(b, d, name, pm_param_value(b->env, from.a, name, false))) return false;
    }
    return true;
}

bool pm_draft_attrs(struct pm_build *b, const struct emit *e, struct pm_draft *d) {
    for (uint32_t i = 0; i < e->nattrs; i++)
        if (!put(b, d, e->attrs[i].name, pm_eval(b->env, e->attrs[i].value))) return false;
    return e->attrs_slot == SLOT_NONE || carry(b, e, d);
}
