/* emitted.c -- see emitted.h. Variables are free: anything may make them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/emitted.h"

struct emitting {
    struct lint_solver *x;
    struct lint_made *out;
    const struct rule *rule;
};

static uint32_t value_of(struct emitting *m, const struct emit *e);

static struct lint_value *at(struct emitting *m, uint32_t v) {
    return &m->out->state.values.at[v];
}

static uint32_t constant(struct emitting *m, const struct literal *lit) {
    uint32_t v = lint_value_new(m->x, &m->out->state);
    at(m, v)->presence = LINT_THERE;
    at(m, v)->flags = SLOT_CONST;
    at(m, v)->lit = lit;
    return v;
}

static uint32_t unknown(struct emitting *m, enum lint_presence is) {
    uint32_t v = lint_value_new(m->x, &m->out->state);
    at(m, v)->presence = (uint8_t)is;
    return v;
}

static uint32_t of_slot(struct emitting *m, uint32_t slot) {
    uint32_t *bound = &m->out->state.slots[0][slot];
    if (*bound != LINT_NONE) return *bound;
    *bound = unknown(m, LINT_OPEN);
    at(m, *bound)->flags = m->rule->slots[slot].flags & (SLOT_CONST | SLOT_SCALAR);
    return *bound;
}

/* --- parameters -------------------------------------------------------------------- */
static bool literal_of(struct emitting *m, const struct expr *e, struct literal *out) {
    *out = (struct literal){.kind = LIT_INT, .i = e->i, .real = (double)e->i};
    if (e->kind == EXPR_INT) return true;
    if (e->kind == EXPR_NEG && literal_of(m, e->args[0], out)) {
        out->real = -out->real;
        return out->kind == LIT_INT && rw_sub_i64(0, out->i, &out->i);
    }
    out->kind = e->kind == EXPR_REAL ? LIT_REAL : LIT_STRING;
    out->real = e->real;
    out->s = e->s;
    return e->kind == EXPR_REAL || e->kind == EXPR_STRING;
}

static void add_attr(struct emitting *m, struct lint_node *n, const struct emit_attr *a) {
    struct attr_test *t = arena_new(m->x->arena, struct attr_test);
    *t = (struct attr_test){.name = a->name, .kind = ATTR_ANY, .slot = SLOT_NONE};
    if (literal_of(m, a->value, &t->lit)) t->kind = ATTR_LITERAL;
    struct lint_test link = {t, 0, n->tests};
    n->tests = arena_copy(m->x->arena, &link, sizeof link);
}

/* --- nodes ------------------------------------------------------------------------- */
/* The class that `as act` chose from, or NULL. */
static const struct pat *class_of(const struct rule *r, const struct pat *p,
                                  uint32_t op_slot) {
    if (p->kind == PAT_NODE && p->op_slot == op_slot) return p;
    const struct pat *found = NULL;
    for (uint32_t i = 0; i < p->nargs && !found; i++)
        found = class_of(r, p->args[i], op_slot);
    for (uint32_t i = 0; i < p->nalts && !found; i++)
        found = class_of(r, p->alts[i], op_slot);
    return found;
}

static bool set_ops(struct emitting *m, const struct emit *e, struct lint_node *n) {
    n->nops = 1;
    n->ops = &e->op;
    if (e->op_slot == SLOT_NONE) return true;
    for (uint32_t i = 0; i < m->rule->nslots; i++) {
        const struct pat *def = m->rule->slots[i].def;
        const struct pat *p = def ? class_of(m->rule, def, e->op_slot) : NULL;
        if (!p) continue;
        n->nops = p->nops;
        n->ops = p->ops;
        return true;
    }
    return false;
}

static bool is_constant(struct emitting *m, uint32_t v) {
    const struct lint_value *x = at(m, v);
    return x->presence == LINT_ABSENT || x->flags & SLOT_CONST;
}

static uint32_t node(struct emitting *m, const struct emit *e) {
    struct lint_node n = {.any_attrs = e->attrs_slot != SLOT_NONE};
    uint32_t *args = arena_new_array(m->x->arena, uint32_t, e->nargs), count = 0;
    bool folds = e->nargs > 0;
    for (uint32_t i = 0; i < e->nargs && !n.open; i++) {
        n.open = e->args[i]->kind == EMIT_SPREAD;
        if (n.open) break;
        args[count] = value_of(m, e->args[i]);
        folds = folds && is_constant(m, args[count]);
        count++;
    }
    if (folds && !n.open) return constant(m, NULL);
    if (!set_ops(m, e, &n)) return unknown(m, LINT_THERE);
    for (uint32_t i = 0; i < e->nattrs; i++) add_attr(m, &n, &e->attrs[i]);
    n.args = args;
    n.nargs = count;
    uint32_t v = unknown(m, LINT_THERE);
    struct lint_out link = {0, v, NULL};
    n.outs = arena_copy(m->x->arena, &link, sizeof link);
    at(m, v)->node = m->out->state.nodes.len;
    vec_push(m->x->arena, &m->out->state.nodes, n);
    vec_push(m->x->arena, &m->out->values, (struct lint_emitted){v, false});
    return v;
}

static uint32_t value_of(struct emitting *m, const struct emit *e) {
    switch (e->kind) {
    case EMIT_SLOT: return of_slot(m, e->slot);
    case EMIT_NODE: case EMIT_PLUS: return node(m, e);
    case EMIT_LITERAL: return constant(m, &e->lit);
    case EMIT_EXPR: return constant(m, NULL);
    case EMIT_ABSENT: return unknown(m, LINT_ABSENT);
    case EMIT_SPREAD: case EMIT_COALESCE: break;
    }
    return unknown(m, LINT_OPEN);
}

/* --- a block ----------------------------------------------------------------------- */
/* Further outputs are other values of the same node; what is matched on them is not
 * followed. */
static void statement(struct emitting *m, const struct emit_stmt *s) {
    uint32_t v = value_of(m, s->what);
    for (uint32_t k = 0; k < s->nouts; k++) {
        if (s->outs[k] == SLOT_NONE) continue;
        m->out->state.slots[0][s->outs[k]] = k == 0 ? v : unknown(m, LINT_THERE);
    }
}

static void mark_roots(struct emitting *m) {
    for (uint32_t i = 0; i < m->rule->nslots; i++) {
        uint32_t flags = m->rule->slots[i].flags, v = m->out->state.slots[0][i];
        if (!(flags & (SLOT_ROOT | SLOT_KEEP)) || v == LINT_NONE) continue;
        for (uint32_t k = 0; k < m->out->values.len; k++)
            m->out->values.at[k].is_root |= m->out->values.at[k].value == v;
    }
}

void lint_emit(struct lint_solver *x, const struct emit_block *block, struct lint_made *out) {
    struct emitting m = {x, out, x->rules[0]};
    *out = (struct lint_made){.state = lint_state_new(x)};
    for (uint32_t i = 0; i < block->n; i++) statement(&m, &block->stmts[i]);
    mark_roots(&m);
}
