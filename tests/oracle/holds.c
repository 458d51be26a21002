/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/holds.h"

static bool is_known(const struct ir_param *p) {
    return p->source == IR_PARAM_ATTR || p->source == IR_PARAM_CONST;
}

/* --- integers --------------------------------------------------------------------- */
static void from_int64(struct arena *a, struct ir_graph *g, uint32_t n, const int64_t *at,
                       struct ints *out) {
    out->n = n;
    out->at = arena_new_array(a, ir_dim, n);
    for (uint32_t i = 0; i < n; i++) out->at[i] = ir_dim_const(g->model->dims, at[i]);
}

static bool ints_of_param(struct arena *a, struct ir_graph *g, struct holds h,
                          struct ints *out) {
    struct ir_param p = ir_param(g, h.a, h.param, a);
    if (!is_known(&p)) return false;
    if (p.attr.type != IR_ATTR_INT && p.attr.type != IR_ATTR_INTS) return false;
    out->base = h.is_axis ? pm_axis_base(g, h.a) : PM_NO_AXIS;
    out->is_list = p.attr.type == IR_ATTR_INTS;
    from_int64(a, g, out->is_list ? p.attr.n : 1, out->is_list ? p.attr.ints : &p.attr.i,
               out);
    return true;
}

static bool ints_of_value(struct arena *a, struct ir_graph *g, ir_value v,
                          struct ints *out) {
    const struct ir_tensor *t = ir_const(g, v);
    if (!t || t->rank != 1 || !ir_dtype_is_int(t->dtype)) return false;
    int64_t *at = arena_new_array(a, int64_t, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        if (!ir_tensor_int_at(g->model, t, i, &at[i])) return false;
    out->is_list = true;
    from_int64(a, g, (uint32_t)t->count, at, out);
    return true;
}

bool holds_ints(struct arena *a, struct ir_graph *g, struct holds h, struct ints *out) {
    *out = (struct ints){0};
    switch (h.kind) {
    case VALUE: return ints_of_value(a, g, h.a, out);
    case PARAM: return ints_of_param(a, g, h, out);
    case DIM:
        *out = (struct ints){false, 1, h.b, arena_copy(a, &h.a, sizeof h.a)};
        return true;
    case DIMS: {
        const struct ir_type *t = ir_val(g, h.a)->type;
        uint32_t n = t->rank - h.b - h.c;
        *out = (struct ints){true, n, 0, arena_copy(a, t->dims + h.b, n * sizeof(ir_dim))};
        return true;
    }
    default: return false;
    }
}

static bool ints_same(struct ir_graph *g, const struct ints *x, const struct ints *y) {
    if (x->is_list != y->is_list || x->n != y->n) return false;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t a, b;
        bool known = ir_dim_is_const(g->model->dims, x->at[i], &a) &&
                     ir_dim_is_const(g->model->dims, y->at[i], &b);
        if (known ? !pm_axes_equal(a, x->base, b, y->base)
                  : ir_dim_equal(g->model->dims, x->at[i], y->at[i]) != IR_TRUE)
            return false;
    }
    return true;
}

/* --- text -------------------------------------------------------------------------- */
static void ints_text(struct ir_graph *g, const struct ints *x, struct buf *b) {
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t k;
        if (ir_dim_is_const(g->model->dims, x->at[i], &k))
            buf_printf(b, "%s%" PRId64, i ? "," : "", pm_axis(k, x->base));
        else buf_printf(b, "%sdim %u", i ? "," : "", x->at[i]);
    }
}

static void param_text(struct arena *a, struct ir_graph *g, struct holds h, struct buf *b) {
    struct ir_param p = ir_param(g, h.a, h.param, a);
    struct ints ints;
    if (p.source == IR_PARAM_DYNAMIC) buf_printf(b, "value %u", p.input);
    else if (!is_known(&p)) buf_puts(b, "absent");
    else if (p.attr.type == IR_ATTR_UNDEFINED) buf_printf(b, "constant %u", p.input);
    else if (holds_ints(a, g, h, &ints)) ints_text(g, &ints, b);
    else if (p.attr.type == IR_ATTR_FLOAT) buf_float(b, p.attr.f);
    else if (p.attr.type == IR_ATTR_STRING) buf_quote(b, p.attr.s.at);
    else buf_printf(b, "%s of %u", h.param, h.a);
}

const char *holds_text(struct arena *a, struct ir_graph *g, struct holds h) {
    struct buf b = {0};
    struct ints ints;
    switch (h.kind) {
    case NOTHING: return "-";
    case VALUE: return ir_val(g, h.a)->name;
    case OPERATOR: return ir_op_name(g, h.a);
    case PARAMS: return arena_printf(a, "parameters of %u", h.a);
    case PARAM: param_text(a, g, h, &b); break;
    case DIM:
    case DIMS:
        if (holds_ints(a, g, h, &ints)) ints_text(g, &ints, &b);
        break;
    case MEMBERS:
        for (uint32_t i = 0; i < h.a; i++)
            buf_printf(&b, "%s%s", i ? " " : "each ", holds_text(a, g, h.members[i]));
        break;
    case VALUES:
        buf_puts(&b, "list");
        for (uint32_t k = h.b; k < ir_nod(g, h.a)->nin; k++)
            buf_printf(&b, " %s", ir_val(g, ir_input(g, h.a, k))->name);
        break;
    }
    const char *text = arena_strdup(a, buf_text(&b));
    buf_free(&b);
    return text;
}

bool holds_same(struct arena *a, struct ir_graph *g, struct holds x, struct holds y) {
    struct ints i, k;
    bool plain = x.kind == y.kind && x.kind != PARAM && x.kind != DIM && x.kind != DIMS;
    if (!plain && holds_ints(a, g, x, &i) && holds_ints(a, g, y, &k))
        return ints_same(g, &i, &k);
    return x.kind == y.kind && rw_streq(holds_text(a, g, x), holds_text(a, g, y));
}

/* --- parameters -------------------------------------------------------------------- */
bool holds_test(struct arena *a, struct ir_graph *g, ir_node n, const struct attr_test *t) {
    struct ir_param p = ir_param(g, n, t->name, a);
    struct holds h = {.kind = PARAM, .a = n, .param = t->name, .is_axis = t->is_axis};
    struct ints x;
    if (p.source == IR_PARAM_NONE) return false;
    if (t->kind != ATTR_LITERAL) return true;
    if (!pm_literal_is_ground(&t->lit))
        return holds_ints(a, g, h, &x) && x.is_list && x.n == t->lit.n;
    if (is_known(&p) && p.attr.type == IR_ATTR_INT && t->lit.kind == LIT_INT) {
        uint32_t rank = t->is_axis ? pm_axis_base(g, n) : 0;
        return pm_axis(p.attr.i, rank) == pm_axis(t->lit.i, rank);
    }
    const struct pm_site site = {.g = g, .arena = a};
    return pm_param_fits(&site, n, &(struct pm_test){t->name, &t->lit, t->is_axis});
}

static bool is_named(const struct pat *p, const char *name) {
    for (uint32_t k = 0; k < p->nattrs; k++)
        if (rw_streq(p->attrs[k].name, name)) return true;
    return false;
}

static bool is_default(struct arena *a, struct ir_graph *g, ir_node n, const char *name) {
    struct ir_param d = ir_param_unwritten(g, n, name, a);
    struct ir_param x = ir_param(g, n, name, a);
    if (x.is_default || x.source == IR_PARAM_ABSENT) return true;
    if (!is_known(&x) || d.source != IR_PARAM_ATTR) return false;
    x.attr.name = d.attr.name;
    return ir_attr_equal(g->model, &x.attr, &d.attr);
}

static const struct ir_param_def *def_of(const struct ir_param_def *defs, size_t n,
                                         const char *attr) {
    for (size_t i = 0; i < n; i++)
        if (rw_streq(defs[i].name, attr) || (defs[i].older && rw_streq(defs[i].older, attr)))
            return &defs[i];
    return NULL;
}

bool holds_defaults(struct arena *a, struct ir_graph *g, ir_node n, const struct pat *p) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    const char *domain = ir_domain_name(g, n), *op = ir_op_name(g, n);
    bool rest = p->nargs > 0 && p->args[p->nargs - 1]->kind == PAT_REST;
    size_t ndefs;
    const struct ir_param_def *defs = ir_param_defs(domain, op, &ndefs);
    for (uint32_t i = 0; i < ir_nod(g, n)->nattr; i++) {
        const char *attr = ir_nod(g, n)->attr[i].name;
        if (ir_attr_is_inert(domain, op, attr) || is_named(p, attr)) continue;
        const struct ir_param_def *d = def_of(defs, ndefs, attr);
        if (!d) return false;
        if (is_named(p, d->name) || d->has_default == IR_REQUIRED) continue;
        if (!is_default(a, g, n, d->name)) return false;
    }
    for (size_t i = 0; s && !rest && i < ndefs; i++) {
        int k = ir_param_operand(s->domain, s->name, defs[i].name, s->since);
        if (k < 0 || k < (int)p->nargs || ir_input(g, n, (uint32_t)k) == IR_NONE) continue;
        if (!is_named(p, defs[i].name) && !is_default(a, g, n, defs[i].name)) return false;
    }
    return true;
}
