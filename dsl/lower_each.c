/* lower_each.c -- families: `each[2..] m = MatMul(x, const w) where rank(w) == 2`.
 *
 * Names that other statements have mean the same here; where there are none, the first
 * variable that is not a constant is what the members share. All other names are those of a
 * member; outside of the statement they stand for the lists of what the members have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

const struct rule_family *dsl_family_of(const struct lower *l, uint32_t slot) {
    for (uint32_t i = 0; i < l->families.len; i++)
        if (l->families.at[i]->ncolumns && l->families.at[i]->columns[0].list == slot)
            return l->families.at[i];
    return NULL;
}

/* --- what is shared ------------------------------------------------------------------ */
/* The first variable, from left to right, that no `const` or `scalar` stands before. */
static const struct ast *first_variable(const struct ast *e) {
    if (e->kind == AST_NAME) return rw_streq(e->text, "_") ? NULL : e;
    if (e->kind == AST_UNARY && (e->op == OP_CONST || e->op == OP_SCALAR)) return NULL;
    const struct ast_list *args = e->kind == AST_CALL ? &e->call->args : &e->args;
    if (e->kind == AST_LIST || e->kind == AST_SET) return NULL;
    for (uint32_t i = 0; i < args->len; i++) {
        const struct ast *v = first_variable(args->at[i]);
        if (v) return v;
    }
    return NULL;
}

/* A variable that is a value of the rule already: of another statement. */
static bool shares_value(struct lower *l, const struct ast *e) {
    const struct ast_list *args = e->kind == AST_CALL ? &e->call->args : &e->args;
    if (e->kind == AST_NAME) {
        const struct entry *x = dsl_find(l, l->scope, e->text);
        return x && x->kind == ENTRY_SLOT && l->slots.at[x->slot].kind == SLOT_VALUE;
    }
    for (uint32_t i = 0; i < args->len; i++)
        if (shares_value(l, args->at[i])) return true;
    return false;
}

static bool find_shared(struct lower *l, const struct ast_stmt *s) {
    if (shares_value(l, s->value)) return true;
    const struct ast *v = first_variable(s->value);
    if (!v) {
        dsl_error(l, s->at, "\"each\" finds the users of a value: no variable is shared");
        return false;
    }
    uint32_t slot = dsl_slot(l, v->text, SLOT_VALUE, v->at);
    if (slot != SLOT_NONE) l->notes.at[slot].uses++; /* by each member */
    return slot != SLOT_NONE;
}

/* --- columns ------------------------------------------------------------------------- */
static void check_pattern(struct lower *l, const struct pat *p) {
    for (uint32_t i = 0; i < p->nattrs; i++)
        if (p->attrs[i].kind == ATTR_EXPR)
            dsl_error(l, p->attrs[i].at,
                      "an expression cannot stand here within \"each\": write it behind where");
    for (uint32_t i = 0; i < p->nargs; i++) check_pattern(l, p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++) check_pattern(l, p->alts[i]);
}

static void add_column(struct lower *l, struct rule_family *f, struct rule_column *columns,
                       const char *name, uint32_t one) {
    const struct rule_slot s = l->slots.at[one];
    if (s.kind == SLOT_OP || s.kind == SLOT_ATTRS || !*s.name) return;
    uint32_t list = dsl_slot(l, name,
                             s.kind == SLOT_VALUE ? SLOT_VALUES : SLOT_DIMS, s.at);
    l->slots.at[list].flags |= s.flags & SLOT_CONST;
    l->notes.at[list].family = true;
    if (l->notes.at[list].uses)
        dsl_error(l, s.at, "members of a family are replaced, so no other statement uses \"%s\"",
                  name);
    columns[f->ncolumns++] = (struct rule_column){one, list};
}

/* The statement names one output of an operator, or what alternatives give. */
static void member_pattern(struct lower *l, const struct ast_stmt *s, uint32_t member) {
    const struct pat *p = dsl_pattern(l, s->value);
    uint32_t *outs = arena_copy(l->arena, &member, sizeof member);
    l->slots.at[member].def = p;
    check_pattern(l, p);
    if (p->kind != PAT_NODE || p->nouts) return;
    ((struct pat *)(uintptr_t)p)->nouts = 1;
    ((struct pat *)(uintptr_t)p)->outs = outs;
}

static void check_range(struct lower *l, const struct ast_stmt *s, struct rule_family *f) {
    f->least = s->least < 0 ? 1 : s->least;
    f->most = s->least < 0 ? -1 : s->most;
    if (f->least >= 1 && (f->most < 0 || f->most >= f->least)) return;
    dsl_error(l, s->at, "a family has at least one member, and most are not fewer than least");
}

void dsl_each(struct lower *l, const struct ast_stmts *stmts, const struct ast_stmt *s) {
    struct rule_family *f = arena_new(l->arena, struct rule_family);
    struct scope *outer = l->scope, *inner = dsl_scope(l, outer);
    const char *name = s->outs.at[0].text;
    RW_UNUSED(stmts);
    *f = (struct rule_family){.at = s->at};
    check_range(l, s, f);
    if (!find_shared(l, s)) return;
    l->scope = inner;
    f->first = f->member = dsl_new_slot(l, name, SLOT_VALUE, s->outs.at[0].at);
    dsl_bind(l, inner, name, (struct entry){.kind = ENTRY_SLOT, .slot = f->member});
    member_pattern(l, s, f->member);
    if (s->where) f->where = dsl_expr(l, s->where);
    l->scope = outer;
    f->end = l->slots.len;
    struct rule_column *columns =
        arena_new_array(l->arena, struct rule_column, inner->entries.len);
    for (uint32_t i = 0; i < inner->entries.len; i++) {
        const struct entry *e = &inner->entries.at[i];
        if (e->kind != ENTRY_SLOT) continue;
        l->notes.at[e->slot].from_pattern = true; /* its list is what may be used */
        add_column(l, f, columns, intern_text(l->names, e->name), e->slot);
    }
    f->columns = columns;
    if (f->ncolumns) l->slots.at[columns[0].list].def = l->slots.at[f->member].def;
    vec_push(l->arena, &l->families, f);
}
