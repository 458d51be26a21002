/* attr.c -- parameters of a node as the pattern has them. They are written as
 * attributes or as operands, as the opset has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#define MOST_INTS 64

const struct ir_attr *judge_gen_attr(const struct gen_node *n, const char *name) {
    for (uint32_t i = 0; i < n->attrs.len; i++)
        if (rw_streq(n->attrs.at[i].name, name)) return &n->attrs.at[i];
    return NULL;
}

int64_t judge_gen_int(const struct gen_node *n, const char *name, int64_t otherwise) {
    const struct ir_attr *x = judge_gen_attr(n, name);
    if (x) return x->type == IR_ATTR_INT ? x->i : otherwise;
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, name);
    bool given = s && s->type == IR_ATTR_INT && s->has_default == IR_HAS_DEFAULT;
    return given ? s->i : otherwise;
}

/* --- what the pattern says -------------------------------------------------------- */
static bool list_items(struct gen *x, const struct gen_node *n, const struct literal *l,
                       const char *name, struct ir_attr *out) {
    int64_t at[MOST_INTS], rank = judge_gen_rank_of(x, n);
    GEN(l->n <= MOST_INTS);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct pat_dim *d = &l->items[i];
        if (d->kind == DIM_CONST) at[i] = d->value;
        else if (rw_streq(n->op, "Slice")) at[i] = judge_gen_bound(x, n, name);
        else at[i] = judge_gen_axis(x, rank);
        if (d->kind != DIM_SLOT) continue;
        struct pm_binding *b = &x->slots[d->slot];
        if (x->params[d->slot] && x->params[d->slot]->type == IR_ATTR_INT)
            at[i] = x->params[d->slot]->i;
        else if (b->kind == BOUND_DIM) GEN(ir_dim_is_const(x->m->dims, b->a, &at[i]));
        else judge_gen_number_by_example(x, d->slot, &at[i]);
        if (b->kind == BOUND_NOTHING)
            *b = (struct pm_binding){BOUND_DIM, ir_dim_const(x->m->dims, at[i]), 0, 0};
    }
    *out = judge_gen_ints_attr(x, name, l->n, at);
    return true;
}

static bool literal(struct gen *x, const struct gen_node *n, const struct literal *l,
                    const struct ir_param_def *d, struct ir_attr *out) {
    switch (l->kind) {
    case LIT_LIST: return list_items(x, n, l, d->name, out);
    case LIT_STRING: *out = ir_attr_string(d->name, l->s); return true;
    case LIT_REAL: *out = ir_attr_float(d->name, (float)l->real); return true;
    case LIT_INT:
    case LIT_BOOL: break;
    }
    if (d->type == IR_ATTR_FLOAT) *out = ir_attr_float(d->name, (float)l->i);
    else *out = ir_attr_int(d->name, l->i);
    if (l->splat && d->type == IR_ATTR_INTS) {
        *out = judge_gen_window(x, n, d->name);
        int64_t *at = arena_new_array(x->a, int64_t, out->n + 1);
        for (uint32_t i = 0; i < out->n; i++) at[i] = l->i;
        out->ints = at;
    }
    return true;
}

static bool hinted(struct gen *x, uint32_t slot, const struct ir_param_def *d,
                   struct ir_attr *out) {
    int64_t at[GEN_RANK];
    uint32_t n;
    double real;
    const char *text;
    enum ir_dtype t;
    if (d->type == IR_ATTR_STRING) {
        if (!(text = judge_hint_text(x, slot))) return false;
        *out = ir_attr_string(d->name, text);
        return true;
    }
    if (d->type == IR_ATTR_INTS) {
        if (!judge_hint_ints(x, slot, &n, at)) return false;
        *out = judge_gen_ints_attr(x, d->name, n, at);
        return true;
    }
    if (rw_streq(d->name, "to") && judge_hint_type_param(x, slot, &t)) {
        *out = ir_attr_int(d->name, t);
        return true;
    }
    if (!judge_hint_real(x, slot, &real)) return false;
    if (d->type == IR_ATTR_FLOAT) *out = ir_attr_float(d->name, (float)real);
    else *out = ir_attr_int(d->name, (int64_t)real);
    return d->type == IR_ATTR_FLOAT || d->type == IR_ATTR_INT;
}

/* Items as conditions want them. */
static void heed_items(struct gen *x, uint32_t slot, struct ir_attr *v) {
    bool whole = v->type == IR_ATTR_INTS, real = v->type == IR_ATTR_FLOATS;
    int64_t *items = arena_new_array(x->a, int64_t, v->n + 1);
    float *reals = arena_new_array(x->a, float, v->n + 1);
    if (!whole && !real) return;
    for (uint32_t i = 0; i < v->n; i++)
        items[i] = whole ? v->ints[i] : (int64_t)v->floats[i];
    judge_hint_items(x, slot, v->n, items);
    for (uint32_t i = 0; real && i < v->n; i++) {
        bool as_it_is = items[i] == (int64_t)v->floats[i];
        reals[i] = as_it_is ? v->floats[i] : (float)items[i];
    }
    if (whole) v->ints = items;
    else v->floats = reals;
}

static bool bound(struct gen *x, struct gen_node *n, uint32_t slot,
                  const struct ir_param_def *d, struct ir_attr *out) {
    int64_t i;
    if (x->params[slot] && !gen_goes_wild(x)) {
        *out = *x->params[slot];
        out->name = d->name;
        return true;
    }
    if (x->slots[slot].kind == BOUND_DIM) {
        GEN(ir_dim_is_const(x->m->dims, x->slots[slot].a, &i));
        *out = ir_attr_int(d->name, i);
        return true;
    }
    GEN((gen_chance(x, 70) && hinted(x, slot, d, out)) || judge_gen_sensible(x, n, d, out));
    heed_items(x, slot, out);
    if (!x->params[slot]) x->params[slot] = arena_copy(x->a, out, sizeof *out);
    return true;
}

static bool computed(struct gen *x, const struct expr *e, const struct ir_param_def *d,
                     struct ir_attr *out) {
    const ir_dim *dims;
    uint32_t n;
    double real;
    int64_t at[MOST_INTS];
    if (d->type == IR_ATTR_INTS) {
        GEN(pm_asker_dims(x->asker, x->g, x->rule, x->slots, e, &n, &dims));
        GEN(n <= MOST_INTS);
        for (uint32_t i = 0; i < n; i++) GEN(ir_dim_is_const(x->m->dims, dims[i], &at[i]));
        *out = judge_gen_ints_attr(x, d->name, n, at);
        return true;
    }
    GEN(pm_asker_real(x->asker, x->g, x->rule, x->slots, e, &real));
    if (d->type == IR_ATTR_FLOAT) *out = ir_attr_float(d->name, (float)real);
    else *out = ir_attr_int(d->name, (int64_t)real);
    return true;
}

static bool tested(struct gen *x, struct gen_node *n, const struct attr_test *t,
                   const struct ir_param_def *d, struct ir_attr *out) {
    if (t->kind == ATTR_BIND) return bound(x, n, t->slot, d, out);
    if (t->kind == ATTR_ANY || gen_goes_wild(x)) return judge_gen_sensible(x, n, d, out);
    if (t->kind == ATTR_LITERAL) return literal(x, n, &t->lit, d, out);
    return computed(x, t->expr, d, out) || judge_gen_sensible(x, n, d, out);
}

/* --- writing it down -------------------------------------------------------------- */
static bool as_operand(struct gen *x, struct gen_node *n, uint32_t k,
                       const struct ir_attr *v) {
    enum ir_dtype t;
    int64_t one[1] = {1};
    GEN(k < GEN_OPERANDS);
    if (n->known[k]) return true;
    if (v->type == IR_ATTR_INTS) {
        n->in[k] = judge_gen_ints(x, 1, v->n, v->ints);
    } else if (v->type == IR_ATTR_FLOATS) {
        struct ir_tensor *list = judge_gen_floats(x->m->arena, v->n, v->floats);
        n->in[k] = judge_gen_constant(x, list);
    } else {
        GEN(judge_gen_dtype(x, n, k, SLOT_NONE, &t));
        double number = v->type == IR_ATTR_INT ? (double)v->i : (double)v->f;
        uint32_t rank = rw_streq(n->op, "TopK");
        struct ir_tensor *tensor = judge_gen_number(x->m->arena, t, number, rank, one);
        GEN(tensor);
        n->in[k] = judge_gen_constant(x, tensor);
    }
    n->known[k] = true;
    for (uint32_t i = n->nin; i < k; i++) n->in[i] = IR_NONE;
    n->nin = rw_max_u32(n->nin, k + 1);
    return true;
}

bool judge_gen_write_param(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                           struct ir_attr v) {
    int k = ir_param_operand(n->domain, n->op, d->name, x->opset);
    if (k == IR_PARAM_IS_NOT) return true; /* it then means what that version fixes */
    if (k >= 0) return as_operand(x, n, (uint32_t)k, &v);
    const char *name = ir_param_attr_name(n->schema, d);
    if (!name) return true;
    v.name = name;
    vec_push(x->a, &n->attrs, v);
    return true;
}

static bool is_default(const struct gen_node *n, const struct ir_attr *v) {
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, v->name);
    if (!s || s->has_default != IR_HAS_DEFAULT || s->type != v->type) return false;
    if (v->type == IR_ATTR_INT) return s->i == v->i;
    return v->type == IR_ATTR_FLOAT && s->f <= v->f && s->f >= v->f;
}

/* What ONNX Runtime takes beside some types only. */
static bool is_picky(const char *name) {
    return rw_streq(name, "saturate") || rw_streq(name, "round_mode");
}

/* Pads beside another auto_pad than NOTSET contradict it. */
static bool pads_itself(const struct gen_node *n) {
    const struct ir_attr *a = judge_gen_attr(n, "auto_pad");
    return a && a->s.at && !rw_streq(a->s.at, "NOTSET");
}

/* Defaults written out, required ones, and with <..attrs> any. */
static bool unnamed(struct gen *x, struct gen_node *n, const struct ir_param_def *d) {
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, d->name);
    struct ir_attr v;
    int k = ir_param_operand(n->domain, n->op, d->name, x->opset);
    bool required = s ? s->has_default == IR_REQUIRED
                      : k >= 0 && n->schema->inputs[k].option == IR_SINGLE;
    if (k >= 0 && (uint32_t)k < n->pat->nargs) return true; /* the pattern's operand */
    bool free = n->pat->attrs_slot != SLOT_NONE && gen_chance(x, 40);
    if (is_picky(d->name)) return true;
    if (rw_streq(d->name, "pads") && pads_itself(n)) return true;
    if (rw_streq(d->name, "num_outputs") && !n->known[1])
        return judge_gen_write_param(x, n, d, ir_attr_int(d->name, n->pat->nouts));
    if (required || free || gen_goes_wild(x)) {
        if (judge_gen_sensible(x, n, d, &v)) return judge_gen_write_param(x, n, d, v);
        return !required;
    }
    if (!s || s->has_default != IR_HAS_DEFAULT || !gen_chance(x, 20)) return true;
    if (s->type == IR_ATTR_INT) v = ir_attr_int(d->name, s->i);
    else if (s->type == IR_ATTR_FLOAT) v = ir_attr_float(d->name, s->f);
    else return true;
    return judge_gen_write_param(x, n, d, v);
}

/* May a node go without it, and does this one? */
static bool is_left_out(struct gen *x, const struct gen_node *n, const struct attr_test *t,
                        const struct ir_param_def *d) {
    if (t->kind != ATTR_BIND && t->kind != ATTR_LITERAL && t->kind != ATTR_ANY && t->expr &&
        t->expr->kind == EXPR_ABSENT)
        return !gen_goes_wild(x);
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, d->name);
    int k = ir_param_operand(n->domain, n->op, d->name, x->opset);
    bool optional = s ? s->has_default == IR_NO_DEFAULT
                      : k >= 0 && n->schema->inputs[k].option == IR_OPTIONAL_FORMAL;
    return t->kind == ATTR_BIND && optional && !x->params[t->slot] && gen_chance(x, 20);
}

bool judge_gen_attrs(struct gen *x, struct gen_node *n) {
    size_t count;
    const struct ir_param_def *defs = ir_param_defs(n->domain, n->op, &count);
    n->attributed = true;
    for (size_t i = 0; i < count; i++) {
        const struct attr_test *t = NULL;
        struct ir_attr v;
        for (uint32_t k = 0; k < n->pat->nattrs; k++)
            if (rw_streq(n->pat->attrs[k].name, defs[i].name)) t = &n->pat->attrs[k];
        if (!t) {
            GEN(unnamed(x, n, &defs[i]));
            continue;
        }
        if (is_left_out(x, n, t, &defs[i])) continue;
        bool any = t->kind == ATTR_BIND || t->kind == ATTR_ANY, copied = false;
        if (any) GEN(judge_gen_copy_param(x, n, &defs[i], &copied));
        if (copied) continue;
        GEN(tested(x, n, t, &defs[i], &v));
        if (is_default(n, &v) && gen_chance(x, 50)) continue;
        GEN(judge_gen_write_param(x, n, &defs[i], v));
    }
    return true;
}
