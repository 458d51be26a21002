/* lower_operator.c -- staged operators: `operator _sdpa <scale> (q, k, v, mask?) = BODY`.
 *
 * The body is lowered like what a rule emits, its operands and parameters being what such a
 * rule would have bound. Nodes of the operator live in a domain that no model has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"
#include "ir/schema.h"

/* --- definition --------------------------------------------------------------------- */
static void declare(struct lower *l, const struct ast_words *words, enum slot_kind kind) {
    for (uint32_t i = 0; i < words->len; i++) {
        const struct ast_word *w = &words->at[i];
        if (dsl_find(l, l->scope, w->text))
            dsl_error(l, w->at, "\"%s\" is defined twice", w->text);
        uint32_t slot = dsl_new_slot(l, w->text, kind, w->at);
        dsl_bind(l, l->scope, w->text, (struct entry){.kind = ENTRY_SLOT, .slot = slot});
    }
}

/* What its statements define and none of them uses, in order. */
static void find_outs(struct lower *l, const struct emit_block *body,
                      struct rule_operator *op) {
    uint32_t *outs = arena_new_array(l->arena, uint32_t, l->slots.len);
    for (uint32_t i = 0; i < body->n; i++)
        for (uint32_t k = 0; k < body->stmts[i].nouts; k++) {
            uint32_t slot = body->stmts[i].outs[k];
            if (slot != SLOT_NONE && !l->notes.at[slot].reads) outs[op->nouts++] = slot;
        }
    op->outs = outs;
    if (!op->nouts) dsl_error(l, op->at, "the body of \"%s\" defines nothing", op->name);
}

static void check_name(struct lower *l, const struct ast_word *name) {
    if (!ir_schema_newest("", name->text)) return;
    dsl_error(l, name->at, "\"%s\" is an operator of ONNX", name->text);
    dsl_help(l, name->at, "write \"_%s\"", name->text);
}

static void all_are_used(struct lower *l, const struct rule_operator *op) {
    for (uint32_t i = 0; i < op->nins + op->nattrs; i++)
        if (!l->notes.at[i].reads)
            dsl_error(l, l->slots.at[i].at, "\"%s\" does not occur in the body",
                      l->slots.at[i].name);
}

const struct rule_operator *dsl_lower_operator(struct unit *u, const struct ast_pattern *p,
                                               struct span at) {
    struct load *ld = u->load;
    struct rule *rule = arena_new(ld->arena, struct rule);
    struct rule_operator *op = arena_new(ld->arena, struct rule_operator);
    struct emit_block *body = arena_new(ld->arena, struct emit_block);
    struct lower l = {.arena = ld->arena, .diags = ld->diags, .names = &ld->names,
                      .unit = u, .rule = rule};
    bool *optional = arena_zalloc(l.arena, p->ins.len + 1);
    for (uint32_t i = 0; i < p->ins.len; i++) optional[i] = p->ins.at[i].optional;
    *rule = (struct rule){.name = p->name.text, .doc = "", .at = p->name.at,
                          .pack = u->pack, .class = CLASS_EXACT, .targets = TARGET_ONNX};
    *op = (struct rule_operator){
        .name = p->name.text, .at = p->name.at, .nins = p->ins.len, .nattrs = p->outs.len,
        .domain = arena_printf(l.arena, RULE_STAGED "%s", u->pack->name),
        .optional = optional, .body = rule};
    l.scope = dsl_scope(&l, NULL);
    check_name(&l, &p->name);
    if (p->outs.len > LOWER_PARAMS)
        dsl_error(&l, at, "more than %u parameters in one <...>", LOWER_PARAMS);
    declare(&l, &p->ins, SLOT_VALUE);
    declare(&l, &p->outs, SLOT_ATTR);
    if (p->body) dsl_emit_body(&l, p->body, body);
    else dsl_emit(&l, &p->stmts, NULL, body);
    rule->nblocks = 1;
    rule->blocks = body;
    rule->nslots = l.slots.len;
    rule->slots = l.slots.at;
    find_outs(&l, body, op);
    all_are_used(&l, op);
    op->at = at;
    if (!l.failed) dsl_check_ops(&l);
    if (!l.failed) dsl_check_exprs(&l);
    if (l.failed) ld->failed = true;
    return l.failed ? NULL : op;
}

/* --- what is said of one ------------------------------------------------------------- */
static const char *param_name(const struct rule_operator *op, uint32_t i) {
    return op->body->slots[op->nins + i].name;
}

static void check_operands(struct lower *l, const struct rule_operator *op, uint32_t n,
                           struct span at) {
    uint32_t least = op->nins;
    while (least > 0 && op->optional[least - 1]) least--;
    if (n <= op->nins && n >= least) return;
    dsl_error(l, at, "\"%s\" has %u operand%s, %u %s written", op->name, op->nins,
              op->nins == 1 ? "" : "s", n, n == 1 ? "is" : "are");
    diag_at(l->diags, DIAG_NOTE, op->at, "it is defined here");
}

static void check_param(struct lower *l, const struct rule_operator *op, const char *name,
                        struct span at, bool *given) {
    const char *names[LOWER_PARAMS];
    uint32_t n = rw_min_u32(op->nattrs, LOWER_PARAMS);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = param_name(op, i);
        if (!rw_streq(names[i], name)) continue;
        given[i] = true;
        return;
    }
    dsl_error(l, at, "the operator \"%s\" has no \"<%s>\"", op->name, name);
    const char *near = diag_nearest(name, names, n);
    if (near) dsl_help(l, at, "did you mean \"%s\"?", near);
}

static void check_given(struct lower *l, const struct rule_operator *op, const bool *given,
                        struct span at, const char *how) {
    for (uint32_t i = 0; i < op->nattrs && i < LOWER_PARAMS; i++) {
        if (given[i]) continue;
        dsl_error(l, at, "\"%s\" of \"%s\" is not given", param_name(op, i), op->name);
        dsl_help(l, at, how, param_name(op, i));
    }
}

void dsl_staged_pattern(struct lower *l, struct pat *p) {
    const struct rule_operator *op = p->staged;
    bool given[LOWER_PARAMS] = {0};
    uint32_t n = p->nargs;
    p->ops = arena_copy(l->arena, &(struct pat_op){op->domain, op->name}, sizeof *p->ops);
    if (n > 0 && p->args[n - 1]->kind == PAT_REST)
        dsl_error(l, p->args[n - 1]->at, "a staged operator has no list of operands");
    check_operands(l, op, n, p->at);
    for (uint32_t i = 0; i < p->nattrs; i++)
        check_param(l, op, p->attrs[i].name, p->attrs[i].at, given);
    if (p->attrs_slot == SLOT_NONE)
        check_given(l, op, given, p->at, "write <%s = _> for any value, or a name to bind it");
    if (n > op->nins) return;
    const struct pat **args = arena_new_array(l->arena, const struct pat *, op->nins + 1);
    for (uint32_t i = 0; i < op->nins; i++)
        args[i] = i < n ? p->args[i] : dsl_new_pat(l, PAT_ABSENT, p->at);
    args[op->nins] = dsl_new_pat(l, PAT_REST, p->at);
    p->args = args;
    p->nargs = op->nins + 1;
}

void dsl_staged_emit(struct lower *l, const struct emit *e, uint32_t nouts) {
    const struct rule_operator *op = e->staged;
    bool given[LOWER_PARAMS] = {0};
    check_operands(l, op, e->nargs, e->at);
    for (uint32_t i = 0; i < e->nargs; i++)
        if (e->args[i]->kind == EMIT_SPREAD)
            dsl_error(l, e->args[i]->at, "a staged operator has no list of operands");
    for (uint32_t i = 0; i < e->nattrs; i++)
        check_param(l, op, e->attrs[i].name, e->attrs[i].at, given);
    if (e->attrs_slot != SLOT_NONE)
        dsl_error(l, e->at, "the parameters of a staged operator are written one by one");
    else check_given(l, op, given, e->at, "write <%s = ...>");
    if (nouts > op->nouts)
        dsl_error(l, e->at, "\"%s\" has %u output%s, %u are named", op->name, op->nouts,
                  op->nouts == 1 ? "" : "s", nouts);
}

/* --- where it may be emitted ----------------------------------------------------------- */
static const struct emit *staged_in(const struct emit *e) {
    const struct emit *found = e->staged ? e : NULL;
    for (uint32_t i = 0; i < e->nargs && !found; i++) found = staged_in(e->args[i]);
    return found;
}

static bool defines(const struct emit_stmt *s, uint32_t slot) {
    for (uint32_t i = 0; i < s->nouts; i++)
        if (s->outs[i] == slot) return true;
    return false;
}

/* What it stands for takes its place again where it is left over: it has to be all of it. */
void dsl_check_stages(struct lower *l, const struct emit_block *block, struct span at) {
    const struct emit_stmt *first = NULL;
    for (uint32_t i = 0; i < block->n; i++) {
        const struct emit_stmt *s = &block->stmts[i];
        const struct emit *inside = staged_in(s->what);
        if (!inside) continue;
        if (inside != s->what || first)
            dsl_error(l, inside->at, "a block emits one staged operator, as a statement");
        else first = s;
    }
    for (uint32_t i = 0; first && i < l->rule->nroots; i++) {
        if (defines(first, l->rule->roots[i])) continue;
        dsl_error(l, first->at, "a staged operator defines all that the rule replaces, and "
                                "not \"%s\"", l->slots.at[l->rule->roots[i]].name);
        diag_at(l->diags, DIAG_NOTE, at, "where it is left over, the nodes that this rule "
                                         "found take its place again");
    }
}
