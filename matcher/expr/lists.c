/* lists.c -- what registers hold, compared: integers and lists of them, whether they are
 * parameters, constants or dimensions; lists of values; operators.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/bind.h"

static struct ir_param param_of(const struct pm_site *s, struct pm_binding b) {
    return ir_param(s->g, b.a, s->p->param.at[b.b], s->arena);
}

static bool is_known(const struct ir_param *p) {
    return p->source == IR_PARAM_ATTR || p->source == IR_PARAM_CONST;
}

static const struct ir_tensor *int_list(const struct pm_site *s, ir_value v) {
    const struct ir_tensor *t = v == IR_NONE ? NULL : ir_const(s->g, v);
    return t && t->rank == 1 && ir_dtype_is_int(t->dtype) && t->count <= UINT32_MAX ? t
                                                                                    : NULL;
}

bool pm_length(const struct pm_site *s, struct pm_binding list, uint32_t *n) {
    *n = 0;
    if (list.kind == BOUND_VALUE) {
        const struct ir_tensor *t = int_list(s, list.a);
        if (t) *n = (uint32_t)t->count;
        return t != NULL;
    }
    if (list.kind == BOUND_DIMS) {
        *n = ir_val(s->g, list.a)->type->rank - list.b - list.c;
        return true;
    }
    if (list.kind != BOUND_ATTR) return false;
    struct ir_param p = param_of(s, list);
    *n = p.attr.n;
    return is_known(&p) && p.attr.type == IR_ATTR_INTS;
}

static struct pm_binding integer(const struct pm_site *s, int64_t i, uint32_t base) {
    return (struct pm_binding){BOUND_DIM, ir_dim_const(s->g->model->dims, i), base, 0};
}

bool pm_item(const struct pm_site *s, struct pm_binding list, uint32_t i,
             struct pm_binding *out) {
    int64_t x;
    if (list.kind == BOUND_VALUE) {
        if (!ir_tensor_int_at(s->g->model, int_list(s, list.a), i, &x)) return false;
        *out = integer(s, x, PM_NO_AXIS);
    } else if (list.kind == BOUND_DIMS) {
        ir_dim d = ir_val(s->g, list.a)->type->dims[list.b + i];
        *out = (struct pm_binding){BOUND_DIM, d, 0, 0};
    } else {
        struct ir_param p = param_of(s, list);
        *out = integer(s, p.attr.ints[i], list.c ? pm_axis_base(s->g, list.a) : PM_NO_AXIS);
    }
    return true;
}

/* As one integer, where it is one. */
static bool scalar(const struct pm_site *s, struct pm_binding b, struct pm_binding *out) {
    *out = b;
    if (b.kind == BOUND_DIM) return true;
    if (b.kind != BOUND_ATTR) return false;
    struct ir_param p = param_of(s, b);
    if (!is_known(&p) || p.attr.type != IR_ATTR_INT) return false;
    *out = integer(s, p.attr.i, b.c ? pm_axis_base(s->g, b.a) : PM_NO_AXIS);
    return true;
}

static bool same_integer(const struct pm_site *s, struct pm_binding x,
                         struct pm_binding y) {
    const struct ir_dims *t = s->g->model->dims;
    int64_t i, k;
    if (!ir_dim_is_const(t, x.a, &i) || !ir_dim_is_const(t, y.a, &k))
        return ir_dim_equal(t, x.a, y.a) == IR_TRUE;
    return pm_axes_equal(i, x.b, k, y.b);
}

static bool same_items(const struct pm_site *s, struct pm_binding x, struct pm_binding y) {
    uint32_t n, m;
    if (!pm_length(s, x, &n) || !pm_length(s, y, &m) || n != m) return false;
    for (uint32_t i = 0; i < n; i++) {
        struct pm_binding a, b;
        if (!pm_item(s, x, i, &a) || !pm_item(s, y, i, &b) || !same_integer(s, a, b))
            return false;
    }
    return true;
}

static bool same_values(const struct ir_graph *g, struct pm_binding x,
                        struct pm_binding y) {
    uint32_t n = ir_nod(g, x.a)->nin - rw_min_u32(x.b, ir_nod(g, x.a)->nin);
    if (ir_nod(g, y.a)->nin - rw_min_u32(y.b, ir_nod(g, y.a)->nin) != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (ir_input(g, x.a, x.b + i) != ir_input(g, y.a, y.b + i)) return false;
    return true;
}

static bool same_param(const struct pm_site *s, struct pm_binding x, struct pm_binding y) {
    struct ir_param p = param_of(s, x), q = param_of(s, y);
    if (p.source == IR_PARAM_DYNAMIC || q.source == IR_PARAM_DYNAMIC)
        return p.source == q.source && p.input == q.input;
    if (!is_known(&p) || !is_known(&q)) return p.source == q.source;
    if (p.attr.type == IR_ATTR_INTS && q.attr.type == IR_ATTR_INTS)
        return same_items(s, x, y);
    if (p.attr.type == IR_ATTR_UNDEFINED || q.attr.type == IR_ATTR_UNDEFINED)
        return p.input == q.input;
    p.attr.name = q.attr.name;
    return ir_attr_equal(s->g->model, &p.attr, &q.attr);
}

bool pm_same(const struct pm_site *s, struct pm_binding x, struct pm_binding y) {
    struct pm_binding i, k;
    if (scalar(s, x, &i) && scalar(s, y, &k)) return same_integer(s, i, k);
    if (x.kind != y.kind) return same_items(s, x, y);
    switch (x.kind) {
    case BOUND_NOTHING: return true;
    case BOUND_NODE:
    case BOUND_VALUE: return x.a == y.a;
    case BOUND_LIST: return same_values(s->g, x, y);
    case BOUND_MEMBERS: return x.a == y.a && x.b == y.b;
    case BOUND_ATTR: return same_param(s, x, y);
    case BOUND_ATTRS: return x.a == y.a && x.b == y.b;
    case BOUND_OP:
        return ir_nod(s->g, x.a)->op == ir_nod(s->g, y.a)->op &&
               ir_nod(s->g, x.a)->domain == ir_nod(s->g, y.a)->domain;
    case BOUND_DIM: return same_integer(s, x, y);
    case BOUND_DIMS: return same_items(s, x, y);
    }
    return false;
}

uint32_t pm_values_of(struct pm_binding b) {
    if (b.kind == BOUND_MEMBERS) return b.b;
    return b.kind == BOUND_VALUE && b.a != IR_NONE;
}

ir_value pm_value_of(const struct pm_site *s, struct pm_binding b, uint32_t k) {
    return b.kind == BOUND_MEMBERS ? s->members->at[b.a + k].a : b.a;
}
