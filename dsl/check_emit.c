/* check_emit.c -- emitted operators against the schemas of every opset they may go to.
 *
 * What a pattern may leave open (an operator that is not in every opset), an emitted body
 * must not: it has to be valid wherever the rule matches.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/check.h"

struct emitting {
    struct lower *l;
    struct opsets opsets;
};

static bool is_for_runtime(const struct rule *r) {
    return r->targets & (TARGET_ORT | TARGET_ORT_CPU | TARGET_ORT_CUDA);
}

static void check_target(struct lower *l, const struct emit *e) {
    if (!rw_streq(e->op.domain, "com.microsoft") || is_for_runtime(l->rule)) return;
    dsl_error(l, e->at,
              "\"com.microsoft.%s\" is of ONNX Runtime, and the rule's target is onnx",
              e->op.name);
    dsl_help(l, e->at, "write \"target ort\" in the rule");
}

static uint32_t operands(const struct emit *e) {
    uint32_t n = e->nargs;
    while (n > 0 && e->args[n - 1]->kind == EMIT_ABSENT) n--;
    return n;
}

static bool has_spread(const struct emit *e) {
    for (uint32_t i = 0; i < e->nargs; i++)
        if (e->args[i]->kind == EMIT_SPREAD) return true;
    return false;
}

static bool is_given(const struct emit *e, const char *name) {
    for (uint32_t i = 0; i < e->nattrs; i++)
        if (rw_streq(e->attrs[i].name, name)) return true;
    return false;
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

/* --- one operator at one opset ------------------------------------------------------ */
static bool not_there(struct lower *l, const struct emit *e, int64_t opset,
                      struct opsets o) {
    const struct ir_schema *newest = ir_schema_newest("", e->op.name);
    int64_t first = opset;
    while (first <= o.most && !ir_schema_find("", e->op.name, first)) first++;
    dsl_error(l, e->at, "\"%s\" is not in opset %" PRId64 ", where this rule may match",
              e->op.name, opset);
    if (newest && newest->deprecated) dsl_help(l, e->at, "it is deprecated");
    else if (first <= o.most)
        dsl_help(l, e->at, "write \"requires opset %" PRId64 "\" in the rule", first);
    return true;
}

static bool wrong_operands(struct lower *l, const struct emit *e, const struct ir_schema *s,
                           int64_t opset) {
    uint32_t n = operands(e);
    if (has_spread(e)) return false;
    if (n > s->max_inputs) {
        dsl_error(l, e->at,
                  "\"%s\" takes %u operand%s at opset %" PRId64 ", %u are written",
                  e->op.name, s->max_inputs, plural(s->max_inputs), opset, n);
        const char *param = ir_param_of_operand("", e->op.name, s->max_inputs,
                                                ir_schema_newest_opset(""));
        if (param && !*e->op.domain)
            dsl_help(l, e->at, "write <%s = ...>: it takes the form of the model's opset",
                     param);
        else if (!param && s == ir_schema_newest(e->op.domain, e->op.name))
            dsl_help_params(l, &e->op, e->at);
        return true;
    }
    for (uint32_t i = 0; i < s->min_inputs; i++) {
        if (i < n && e->args[i]->kind != EMIT_ABSENT) continue;
        const char *param = ir_param_of_operand(e->op.domain, e->op.name, i, opset);
        if (param && (is_given(e, param) || e->attrs_slot != SLOT_NONE)) continue;
        const struct ir_formal_param *formal = ir_schema_input(s, i);
        if (formal && formal->option != IR_SINGLE) continue;
        dsl_error(l, e->at, "\"%s\" needs operand %u, \"%s\"", e->op.name, i + 1,
                  formal ? formal->name : "?");
        return true;
    }
    return false;
}

/* A parameter that this version lacks is left out where its value is what the version
 * means anyhow: surely so when it is the default, or was bound by the same parameter. */
static bool may_be_left_out(struct lower *l, const struct emit *e,
                            const struct emit_attr *a) {
    const struct expr *v = a->value;
    const struct ir_schema *newest = ir_schema_newest(e->op.domain, e->op.name);
    const struct ir_schema_attr *formal = newest ? ir_schema_attr(newest, a->name) : NULL;
    if (v->kind == EXPR_INT)
        return formal && formal->has_default == IR_HAS_DEFAULT && formal->i == v->i;
    return v->kind == EXPR_SLOT && l->notes.at[v->slot].bound_by &&
           rw_streq(l->notes.at[v->slot].bound_by, a->name);
}

static bool wrong_attrs(struct lower *l, const struct emit *e, int64_t opset) {
    for (uint32_t i = 0; i < e->nattrs; i++) {
        if (!ir_param_def(e->op.domain, e->op.name, e->attrs[i].name)) continue;
        int at = ir_param_operand(e->op.domain, e->op.name, e->attrs[i].name, opset);
        if (at == IR_PARAM_IS_NOT && !may_be_left_out(l, e, &e->attrs[i])) {
            dsl_error(l, e->attrs[i].at,
                      "\"%s\" has no \"%s\" at opset %" PRId64
                      ", where this rule may match",
                      e->op.name, e->attrs[i].name, opset);
            return true;
        }
        if (at >= 0 && (uint32_t)at < e->nargs && e->args[at]->kind != EMIT_ABSENT) {
            dsl_error(l, e->attrs[i].at, "\"%s\" is given twice: here and as an operand",
                      e->attrs[i].name);
            return true;
        }
    }
    return false;
}

/* By its name in that version, which may be an older one. */
static bool is_given_as(const struct emit *e, const char *name) {
    for (uint32_t i = 0; i < e->nattrs; i++) {
        const struct ir_param_def *d = ir_param_def(e->op.domain, e->op.name,
                                                    e->attrs[i].name);
        if (rw_streq(e->attrs[i].name, name) || (d && d->older && rw_streq(d->older, name)))
            return true;
    }
    return false;
}

static bool lacks_attr(struct lower *l, const struct emit *e, const struct ir_schema *s) {
    for (uint32_t i = 0; i < s->nattrs && e->attrs_slot == SLOT_NONE; i++) {
        const struct ir_schema_attr *a = &s->attrs[i];
        if (a->has_default != IR_REQUIRED || is_given_as(e, a->name)) continue;
        dsl_error(l, e->at, "\"%s\" needs \"%s\"", e->op.name, a->name);
        dsl_help(l, e->at, "write <%s = ...>", a->name);
        return true;
    }
    return false;
}

static bool wrong_outputs(struct lower *l, const struct emit *e, const struct ir_schema *s,
                          uint32_t nouts) {
    if (nouts <= s->max_outputs) return false;
    dsl_error(l, e->at, "\"%s\" has %u output%s, %u are named", e->op.name, s->max_outputs,
              plural(s->max_outputs), nouts);
    return true;
}

static void check_versions(const struct emitting *em, const struct emit *e,
                           uint32_t nouts) {
    struct lower *l = em->l;
    struct opsets o = dsl_domain_opsets(e->op.domain, em->opsets);
    const struct ir_schema *last = NULL;
    for (int64_t v = o.least; v <= o.most; v++) {
        const struct ir_schema *s = ir_schema_find(e->op.domain, e->op.name, v);
        if (!s && !*e->op.domain && is_for_runtime(l->rule))
            s = ir_schema_runtime(e->op.name, v);
        if (!s || s->deprecated) {
            not_there(l, e, v, o);
            return;
        }
        if (s != last && (wrong_operands(l, e, s, v) || wrong_attrs(l, e, v) ||
                          lacks_attr(l, e, s) || wrong_outputs(l, e, s, nouts)))
            return;
        last = s;
    }
    dsl_check_epochs(l, &e->op, o, e->at);
}

/* --- bodies ------------------------------------------------------------------------ */
static void check_emit(const struct emitting *em, const struct emit *e, uint32_t nouts) {
    struct lower *l = em->l;
    if (e->staged) dsl_staged_emit(l, e, nouts);
    bool named = !e->staged && !e->wraps && ((e->kind == EMIT_NODE && e->op_slot == SLOT_NONE) ||
                               e->kind == EMIT_PLUS);
    if (named && dsl_known_op(l, &e->op, e->at, true)) {
        check_target(l, e);
        for (uint32_t i = 0; i < e->nattrs; i++) {
            const struct ir_param_def *def = dsl_known_param(l, &e->op, e->attrs[i].name,
                                                             e->attrs[i].at);
            if (def) dsl_check_param(l, def, e->attrs[i].value, e->attrs[i].at);
        }
        check_versions(em, e, nouts);
    }
    for (uint32_t i = 0; i < e->nargs; i++) check_emit(em, e->args[i], 1);
}

void dsl_check_emit(struct lower *l, struct opsets o) {
    int64_t raised = l->rule->requires_opset; /* the model, before it is rewritten */
    if (raised > o.least) o.least = raised;
    if (raised > o.most) o.most = raised;
    for (uint32_t i = 0; i < l->rule->nblocks; i++) {
        const struct emit_block *block = &l->rule->blocks[i];
        struct emitting em = {.l = l,
                              .opsets = block->when ? dsl_narrow(o, block->when) : o};
        for (uint32_t k = 0; k < block->n; k++)
            check_emit(&em, block->stmts[k].what, block->stmts[k].nouts);
        dsl_check_stages(l, block, l->rule->at);
    }
}
