/* node.c -- emitted nodes: operands, folding, adding, inference.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

/* --- operands --------------------------------------------------------------------- */
static bool slot_operand(struct pm_build *b, uint32_t slot, ir_value *out) {
    struct pm_binding x = b->env->slots[slot];
    if (x.kind != BOUND_NOTHING && x.kind != BOUND_VALUE)
        return pm_refuse(b, "an emitted operand is not a value");
    *out = pm_is_set(x) ? x.a : IR_NONE;
    return true;
}

/* What depends on its neighbours waits: *late is then the literal or expression. */
static bool operand(struct pm_build *b, const struct emit *e, ir_value *out,
                    const struct emit **late) {
    *out = IR_NONE;
    *late = NULL;
    switch (e->kind) {
    case EMIT_LITERAL:
    case EMIT_EXPR: *late = e; return true;
    case EMIT_COALESCE:
        if (!operand(b, e->args[0], out, late)) return false;
        return *out != IR_NONE || *late ? true : operand(b, e->args[1], out, late);
    default: return pm_emit_value(b, e, out);
    }
}

static struct pm_val list_value(struct pm_build *b, const struct literal *l) {
    struct pm_val *items = arena_new_array(b->env->site.arena, struct pm_val, l->n);
    for (uint32_t i = 0; i < l->n; i++)
        items[i] = l->items[i].kind == DIM_SLOT ? pm_slot_value(b->env, l->items[i].slot)
                                                : pm_int(l->items[i].value);
    return pm_list(l->n, items);
}

static bool number_operand(struct pm_build *b, struct pm_draft *d, uint32_t k,
                           struct pm_val v) {
    enum ir_dtype t = pm_dtype_beside(b, d, k, v);
    struct ir_tensor *x =
        t == IR_UNDEFINED ? NULL : pm_number_tensor(b->g->model, v, t, 0);
    if (!x) return pm_refuse(b, "an emitted number has no value in the type beside it");
    d->in.at[k] = pm_add_constant(b, x);
    return true;
}

static bool late_operand(struct pm_build *b, struct pm_draft *d, uint32_t k,
                         const struct emit *e) {
    struct pm_val v;
    if (e->kind == EMIT_EXPR) v = pm_eval(b->env, e->expr);
    else v = e->lit.kind == LIT_LIST ? list_value(b, &e->lit) : pm_literal_value(&e->lit);
    if (v.kind == VAL_ABSENT) return true;
    if (v.kind == VAL_VALUE) d->in.at[k] = v.value;
    if (v.kind == VAL_VALUE) return true;
    if (v.kind == VAL_LIST)
        return pm_emit_dims(b, v, rw_streq(d->op, "Reshape"), &d->in.at[k]);
    return number_operand(b, d, k, v);
}

/* ..[v for v in xs if ...] */
static bool spread_items(struct pm_build *b, struct pm_draft *d, const struct expr *e) {
    struct pm_val list = pm_eval(b->env, e);
    if (list.kind != VAL_LIST) return pm_refuse(b, "an emitted list is not known");
    for (uint32_t i = 0; i < list.n; i++) {
        if (list.items[i].kind != VAL_VALUE)
            return pm_refuse(b, "an emitted list is not a list of values");
        vec_push(b->env->site.arena, &d->in, list.items[i].value);
    }
    return true;
}

static bool spread(struct pm_build *b, struct pm_draft *d, uint32_t slot) {
    struct pm_binding x = b->env->slots[slot];
    if (x.kind == BOUND_NOTHING) return true;
    for (uint32_t i = 0; x.kind == BOUND_MEMBERS && i < x.b; i++) {
        struct pm_binding one = b->env->site.members->at[x.a + i];
        if (one.kind != BOUND_VALUE || !pm_is_set(one))
            return pm_refuse(b, "a member has no such value");
        vec_push(b->env->site.arena, &d->in, one.a);
    }
    if (x.kind == BOUND_MEMBERS) return true;
    if (x.kind != BOUND_LIST)
        return pm_refuse(b, "an emitted list is not a list of values");
    for (uint32_t k = x.b; k < ir_nod(b->g, x.a)->nin; k++)
        vec_push(b->env->site.arena, &d->in, ir_input(b->g, x.a, k));
    return true;
}

static bool draft_operands(struct pm_build *b, const struct emit *e, struct pm_draft *d) {
    struct arena *a = b->env->site.arena;
    VEC(const struct emit *) late = {0};
    for (uint32_t i = 0; i < e->nargs; i++) {
        ir_value v;
        const struct emit *wait;
        if (e->args[i]->kind == EMIT_SPREAD) {
            const struct emit *list = e->args[i];
            if (!(list->expr ? spread_items(b, d, list->expr) : spread(b, d, list->slot)))
                return false;
        } else {
            if (!operand(b, e->args[i], &v, &wait)) return false;
            while (late.len < d->in.len) vec_push(a, &late, NULL);
            vec_push(a, &d->in, v);
            vec_push(a, &late, wait);
        }
    }
    for (uint32_t k = 0; k < late.len; k++)
        if (late.at[k] && !late_operand(b, d, k, late.at[k])) return false;
    return true;
}

bool pm_draft_node(struct pm_build *b, const struct emit *e, struct pm_draft *d) {
    d->domain = rw_streq(e->op.domain, "ai.onnx") ? "" : e->op.domain;
    d->op = e->op.name;
    if (e->op_slot != SLOT_NONE) {
        struct pm_binding x = b->env->slots[e->op_slot];
        if (x.kind != BOUND_OP) return pm_refuse(b, "the emitted operator was not bound");
        d->domain = ir_domain_name(b->g, x.a);
        d->op = ir_op_name(b->g, x.a);
    }
    d->opset = ir_opset(b->g, d->domain);
    if (d->opset == 0) d->opset = ir_schema_newest_opset(d->domain);
    d->schema = ir_schema_find(d->domain, d->op, d->opset);
    if (!d->schema && !*d->domain) d->schema = ir_schema_runtime(d->op, d->opset);
    return draft_operands(b, e, d) && pm_draft_attrs(b, e, d);
}

bool pm_emit_value(struct pm_build *b, const struct emit *e, ir_value *out) {
    struct pm_draft d = {0};
    bool wanted = true;
    *out = IR_NONE;
    switch (e->kind) {
    case EMIT_SLOT: return slot_operand(b, e->slot, out);
    case EMIT_ABSENT: return true;
    case EMIT_PLUS: {
        ir_value second;
        if (!pm_emit_value(b, e->args[1], &second)) return false;
        if (second == IR_NONE) return pm_emit_value(b, e->args[0], out);
        return pm_draft_node(b, e, &d) && pm_make(b, &d, 1, &wanted, out);
    }
    case EMIT_NODE: return pm_draft_node(b, e, &d) && pm_make(b, &d, 1, &wanted, out);
    case EMIT_COALESCE:
        if (!pm_emit_value(b, e->args[0], out)) return false;
        return *out != IR_NONE || pm_emit_value(b, e->args[1], out);
    case EMIT_LITERAL:
    case EMIT_EXPR:
    case EMIT_SPREAD: break;
    }
    return pm_refuse(b, "a constant stands where its type cannot be told");
}

/* --- folding ---------------------------------------------------------------------- */
#define LARGEST ((uint64_t)8 << 20) /* bytes of a constant that is made at once */

static bool operands_are_constant(struct pm_build *b, const struct pm_draft *d,
                                  struct ir_tensor **in) {
    uint32_t present = 0;
    for (uint32_t k = 0; k < d->in.len; k++) {
        in[k] = ir_const(b->g, d->in.at[k]);
        if (d->in.at[k] == IR_NONE) continue;
        if (!in[k]) return false;
        present++;
    }
    return present > 0 || d->in.len == 0; /* Constant */
}

/* Is a constant read by nothing but what the rewrite takes away, or made on the way? */
static bool goes_with_match(const struct pm_build *b, ir_value v) {
    if (ir_val(b->g, v)->nuses > b->match->nnodes * 4) return false;
    for (ir_use u = ir_val(b->g, v)->uses; u != IR_NONE; u = b->g->uses.at[u].next) {
        bool matched = false;
        for (uint32_t i = 0; i < b->match->nnodes; i++)
            matched |= b->match->nodes[i] == b->g->uses.at[u].user;
        if (!matched) return false;
    }
    return !ir_has(b->g, v, IR_IS_OUTER);
}

/* Bytes of v that no earlier result of this rewrite was made up for with. */
static uint64_t *credit_of(struct pm_build *b, ir_value v) {
    for (uint32_t i = 0; i < b->credits.len; i++)
        if (b->credits.at[i].value == v) return &b->credits.at[i].bytes;
    uint64_t bytes = goes_with_match(b, v) ? ir_const(b->g, v)->nbytes : 0;
    vec_push(b->env->site.arena, &b->credits, (struct pm_credit){v, bytes});
    return &vec_last(&b->credits)->bytes;
}

/* What the results may have, so that the file grows by no more than the limit. */
static uint64_t most_bytes(struct pm_build *b, const struct pm_draft *d) {
    uint64_t bytes = b->fold_limit;
    for (uint32_t k = 0; k < d->in.len; k++) {
        uint64_t credit = d->in.at[k] == IR_NONE ? 0 : *credit_of(b, d->in.at[k]);
        if (!rw_add_u64(bytes, credit, &bytes)) return UINT64_MAX;
    }
    return bytes;
}

static void pay(struct pm_build *b, const struct pm_draft *d, uint64_t bytes) {
    for (uint32_t k = 0; k < d->in.len && bytes > 0; k++) {
        if (d->in.at[k] == IR_NONE) continue;
        uint64_t *credit = credit_of(b, d->in.at[k]);
        uint64_t some = bytes < *credit ? bytes : *credit;
        *credit -= some;
        bytes -= some;
    }
}

/* The results as constants. */
static bool fold(struct pm_build *b, const struct pm_draft *d, uint32_t nout,
                 const bool *wanted, ir_value *out) {
    struct arena *a = b->env->site.arena;
    struct ir_tensor **in = arena_zalloc(a, (d->in.len + 1) * sizeof(struct ir_tensor *));
    struct ir_tensor **results = arena_zalloc(a, (nout + 1) * sizeof(struct ir_tensor *));
    if (!d->schema || d->implied.len > 0 || !ir_eval_folds(d->domain, d->op) ||
        !operands_are_constant(b, d, in))
        return false;
    uint64_t most = most_bytes(b, d), made = 0;
    struct ir_eval e = {.model = b->g->model, .schema = d->schema, .nin = d->in.len,
                        .nout = nout, .nattr = d->attrs.len, .in = in, .attr = d->attrs.at,
                        .arena = b->g->model->arena,
                        .max_bytes = most < LARGEST ? most : LARGEST,
                        .least_lazy = IR_LEAST_LAZY, .max_lazy = most};
    if (!ir_eval(&e, results)) return false;
    for (uint32_t k = 0; k < nout; k++)
        if (wanted[k]) made += results[k]->nbytes;
    if (made > most) return false;
    pay(b, d, made);
    for (uint32_t k = 0; k < nout; k++)
        if (wanted[k]) out[k] = pm_add_constant(b, results[k]);
    return true;
}

/* --- adding ----------------------------------------------------------------------- */
static bool may_stand(struct pm_build *b, const struct pm_draft *d) {
    bool is_ort = (b->target & (TARGET_ORT | TARGET_ORT_CPU | TARGET_ORT_CUDA)) != 0;
    if (!d->schema || d->schema->deprecated)
        return pm_refuse(b, "an emitted operator is not in this opset");
    if (!is_ort && !ir_schema_find(d->domain, d->op, d->opset))
        return pm_refuse(b, "an emitted operator is not of the standard");
    if (is_ort) {
        ir_value x = d->in.len > 0 ? d->in.at[0] : IR_NONE;
        enum ir_dtype t = IR_UNDEFINED;
        if (x != IR_NONE) t = ir_type_dtype(ir_val(b->g, x)->type);
        if (!ir_runtime_has(d->domain, d->op, d->opset, t))
            return pm_refuse(b, "the runtime does not run an emitted operator");
    }
    if (ir_opset(b->g, d->domain) > 0) return true;
    if (b->g->function) return pm_refuse(b, "a function does not import an emitted domain");
    ir_set_opset(b->g->model, d->domain, d->opset);
    return true;
}

static bool implied_hold(struct pm_build *b, const struct pm_draft *d, ir_node n) {
    for (uint32_t i = 0; i < d->implied.len; i++) {
        struct ir_attr want = d->implied.at[i];
        struct ir_param p = ir_param(b->g, n, want.name, b->env->site.arena);
        if (p.source != IR_PARAM_ATTR)
            return pm_refuse(b, "this opset lacks an emitted parameter");
        want.name = p.attr.name;
        if (!ir_attr_equal(b->g->model, &p.attr, &want))
            return pm_refuse(b, "this opset lacks an emitted parameter");
    }
    return true;
}

/* An output that nobody wants is left away, or empty, if it may be. Those of a row (Split)
 * may not: how many there are says what they are. */
static bool needs_name(const struct pm_draft *d, uint32_t k) {
    const struct ir_formal_param *formal = ir_schema_output(d->schema, k);
    return formal && formal->option != IR_OPTIONAL_FORMAL;
}

/* The outputs of the node, *nout of the statement and those that the schema asks for. */
static ir_value *add_outputs(struct pm_build *b, const struct pm_draft *d,
                             const bool *wanted, uint32_t *nout) {
    uint32_t named = *nout;
    while (*nout > 1 && !wanted[*nout - 1] && !needs_name(d, *nout - 1)) --*nout;
    *nout = rw_max_u32(*nout, d->schema->min_outputs);
    ir_value *all = arena_new_array(b->env->site.arena, ir_value, *nout);
    for (uint32_t k = 0; k < *nout; k++) {
        bool is_there = (k < named && wanted[k]) || needs_name(d, k);
        all[k] = is_there ? ir_add_value(b->g, b->hint, NULL) : IR_NONE;
    }
    return all;
}

ir_node pm_place(struct pm_build *b, const struct pm_draft *d) {
    for (uint32_t k = 0; k < d->in.len && b->place != IR_NONE; k++) {
        ir_value v = d->in.at[k];
        ir_node n = v == IR_NONE ? IR_NONE : ir_val(b->g, v)->producer;
        if (n != IR_NONE && !ir_precedes(b->g, n, b->place))
            b->place = ir_nod(b->g, n)->next;
    }
    return b->place;
}

static bool add(struct pm_build *b, struct pm_draft *d, uint32_t nout, const bool *wanted,
                ir_value *out) {
    if (!may_stand(b, d)) return false;
    uint32_t count = nout;
    ir_value *all = add_outputs(b, d, wanted, &count);
    memcpy(out, all, rw_min_u32(count, nout) * sizeof *out);
    struct ir_new_node x = {.op = d->op, .domain = d->domain, .nin = d->in.len,
                            .nout = count, .nattr = d->attrs.len, .in = d->in.at, .out = all,
                            .attr = d->attrs.at, .rule = b->rule};
    ir_node n = ir_add_node(b->g, &x, pm_place(b, d));
    vec_push(b->done->arena, &b->done->made, n);
    if (ir_nod(b->g, n)->schema && ir_callee(b->g, n))
        return pm_refuse(b, "a function of the model has the name of an emitted operator");
    const char *why;
    bool by_rule = b->match->accept->rule->shapes_by_rule;
    if (!(by_rule ? ir_infer_node : ir_infer_new_node)(b->g, n, &why))
        return pm_refuse(b, why ? why : "an emitted operator does not fit its operands");
    return implied_hold(b, d, n);
}

bool pm_make(struct pm_build *b, struct pm_draft *d, uint32_t nout, const bool *wanted,
             ir_value *out) {
    for (uint32_t k = 0; k < nout; k++) out[k] = IR_NONE;
    while (d->in.len > 0 && *vec_last(&d->in) == IR_NONE) d->in.len--;
    return fold(b, d, nout, wanted, out) || add(b, d, nout, wanted, out);
}
