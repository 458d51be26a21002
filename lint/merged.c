/* merged.c -- see merged.h. Slots: one for each value, then those of each side that are no
 * values or were not reached.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/merged.h"

struct merging {
    const struct lint_solver *x;
    const struct lint_state *s;
    struct arena *a;
    uint32_t base[LINT_SIDES];
    struct rule_slot *slots;
    const struct pat **nodes; /* of each node; NULL: not made yet */
};

/* --- names ------------------------------------------------------------------------- */
static uint32_t slot_of(const struct merging *m, uint8_t side, uint32_t slot) {
    if (slot == SLOT_NONE) return SLOT_NONE;
    uint32_t v = m->s->slots[side][slot];
    if (m->x->rules[side]->slots[slot].kind != SLOT_VALUE || v == LINT_NONE)
        return m->base[side] + slot;
    v = lint_find(m->s, v);
    return m->s->values.at[v].presence == LINT_ABSENT ? m->base[side] + slot : v;
}

static const struct pat_dim *dims_of(const struct merging *m, uint8_t side, uint32_t n,
                                     const struct pat_dim *from) {
    struct pat_dim *dims = arena_new_array(m->a, struct pat_dim, n);
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = from[i];
        if (from[i].kind == DIM_SLOT || from[i].kind == DIM_REST)
            dims[i].slot = slot_of(m, side, from[i].slot);
    }
    return dims;
}

static struct literal literal_of(const struct merging *m, uint8_t side,
                                 const struct literal *l) {
    struct literal out = *l;
    if (l->kind == LIT_LIST) out.items = dims_of(m, side, l->n, l->items);
    return out;
}

/* --- expressions ------------------------------------------------------------------- */
static const struct expr *expr_of(const struct merging *m, uint8_t side,
                                  const struct expr *e) {
    const struct rule_pack *pack = m->x->rules[side]->pack;
    if (e->kind == EXPR_PARAM) { /* the merged rule has no pack whose it could be */
        static const struct expr absent = {.kind = EXPR_ABSENT};
        return pack->params[e->i].value ? pack->params[e->i].value : &absent;
    }
    struct expr *copy = arena_copy(m->a, e, sizeof *e);
    if (e->kind == EXPR_SLOT || e->kind == EXPR_FOR) copy->slot = slot_of(m, side, e->slot);
    const struct expr **args = arena_new_array(m->a, const struct expr *, e->nargs);
    for (uint32_t i = 0; i < e->nargs; i++) args[i] = expr_of(m, side, e->args[i]);
    copy->args = args;
    return copy;
}

/* --- nodes ------------------------------------------------------------------------- */
static const struct pat *pat_new(const struct merging *m, enum pat_kind kind,
                                 uint32_t slot) {
    struct pat *p = arena_new(m->a, struct pat);
    p->kind = kind;
    p->slot = slot;
    p->op_slot = p->attrs_slot = SLOT_NONE;
    return p;
}

/* What binds a name comes first: of what is left the last one is what a node gets. */
static uint32_t rank_of(const struct attr_test *t) {
    return t->kind == ATTR_ANY ? 0 : t->kind == ATTR_BIND ? 1 : t->kind == ATTR_EXPR ? 2 : 3;
}

static void add_attrs(const struct merging *m, const struct lint_node *n, struct pat *p) {
    VEC(struct attr_test) list = {0};
    for (uint32_t rank = 0; rank <= 3; rank++)
        for (const struct lint_test *t = n->tests; t; t = t->next) {
            if (rank_of(t->test) != rank) continue;
            struct attr_test test = *t->test;
            test.lit = literal_of(m, t->side, &test.lit);
            if (test.kind == ATTR_BIND) test.slot = slot_of(m, t->side, test.slot);
            if (test.kind == ATTR_EXPR) test.expr = expr_of(m, t->side, test.expr);
            vec_push(m->a, &list, test);
        }
    p->attrs = list.at;
    p->nattrs = list.len;
}

static const struct pat *operand(const struct merging *m, uint32_t v) {
    const struct lint_value *x = &m->s->values.at[v];
    bool said = x->node != LINT_NONE || x->lit || x->presence == LINT_THERE;
    return said ? pat_new(m, PAT_SLOT, v) : pat_new(m, PAT_ABSENT, SLOT_NONE);
}

static const struct pat *node_of(const struct merging *m, uint32_t number) {
    const struct lint_node *n = &m->s->nodes.at[number];
    if (m->nodes[number]) return m->nodes[number];
    struct pat *p = arena_copy(m->a, pat_new(m, PAT_NODE, SLOT_NONE), sizeof *p);
    m->nodes[number] = p;
    p->nops = n->nops;
    p->ops = n->ops;
    p->lossless = n->lossless;
    p->attrs_slot = n->any_attrs ? m->base[1] - 1 : SLOT_NONE;
    const struct pat **args = arena_new_array(m->a, const struct pat *, n->nargs + 1);
    for (uint32_t i = 0; i < n->nargs; i++) args[i] = operand(m, lint_find(m->s, n->args[i]));
    p->nargs = n->nargs;
    while (p->nargs > 0 && args[p->nargs - 1]->kind == PAT_ABSENT) p->nargs--;
    if (n->open) args[p->nargs++] = pat_new(m, PAT_REST, SLOT_NONE);
    p->args = args;
    add_attrs(m, n, p);
    uint32_t nouts = 0;
    for (const struct lint_out *o = n->outs; o; o = o->next)
        nouts = rw_max_u32(nouts, o->output + 1);
    uint32_t *outs = arena_new_array(m->a, uint32_t, nouts);
    for (uint32_t i = 0; i < nouts; i++) outs[i] = SLOT_NONE;
    for (const struct lint_out *o = n->outs; o; o = o->next)
        outs[o->output] = lint_find(m->s, o->value);
    p->outs = outs;
    p->nouts = nouts;
    return p;
}

/* --- slots ------------------------------------------------------------------------- */
/* Both types in one: the element types of both, the first shape. */
static const struct pat_type *type_of(const struct merging *m, const struct lint_value *v) {
    if (!v->types) return NULL;
    struct pat_type *t = arena_new(m->a, struct pat_type);
    t->dtypes = v->dtypes;
    for (const struct lint_type *k = v->types; k; k = k->next) {
        if (!k->type->shaped) continue;
        t->shaped = true;
        t->ndims = k->type->ndims;
        t->dims = dims_of(m, k->side, t->ndims, k->type->dims);
    }
    return t;
}

static void fill_value(const struct merging *m, uint32_t v) {
    const struct lint_value *x = &m->s->values.at[v];
    struct rule_slot *slot = &m->slots[v];
    *slot = (struct rule_slot){.name = "", .kind = SLOT_VALUE, .flags = x->flags};
    if (x->same != v) return;
    slot->type = type_of(m, x);
    if (x->node != LINT_NONE) {
        slot->def = node_of(m, x->node);
        slot->def_output = x->output;
    } else if (x->lit) {
        struct pat *p = arena_copy(m->a, pat_new(m, PAT_LITERAL, SLOT_NONE), sizeof *p);
        p->lit = literal_of(m, x->lit_side, x->lit);
        slot->def = p;
    }
}

static void fill_side(const struct merging *m, uint8_t side) {
    const struct rule *r = m->x->rules[side];
    for (uint32_t i = 0; r && i < r->nslots; i++) {
        struct rule_slot *slot = &m->slots[m->base[side] + i];
        *slot = r->slots[i];
        slot->def = NULL;
        slot->type = NULL;
        uint32_t v = slot_of(m, side, i);
        if (v < m->base[0] && !*m->slots[v].name) m->slots[v].name = r->slots[i].name;
    }
}

const struct rule *lint_merged(const struct lint_solver *x, const struct lint_state *s,
                               uint32_t root, struct arena *a) {
    struct merging m = {.x = x, .s = s, .a = a};
    uint32_t n0 = x->rules[0]->nslots, n1 = x->rules[1] ? x->rules[1]->nslots : 0;
    m.base[0] = s->values.len;
    m.base[1] = m.base[0] + n0 + 1; /* one for parameters that are not named */
    struct rule *r = arena_new(a, struct rule);
    r->nslots = m.base[1] + n1;
    m.slots = arena_zalloc(a, r->nslots * sizeof *m.slots);
    m.nodes = arena_zalloc(a, (s->nodes.len + 1) * sizeof *m.nodes);
    for (uint32_t v = 0; v < s->values.len; v++) fill_value(&m, v);
    m.slots[m.base[1] - 1] = (struct rule_slot){.name = "", .kind = SLOT_ATTRS};
    fill_side(&m, 0);
    fill_side(&m, 1);
    VEC(const struct expr *) where = {0};
    for (uint8_t side = 0; side < LINT_SIDES && x->rules[side]; side++)
        for (uint32_t i = 0; i < x->rules[side]->nwhere; i++)
            vec_push(a, &where, expr_of(&m, side, x->rules[side]->where[i]));
    VEC(uint32_t) roots = {0};
    vec_push(a, &roots, lint_find(s, root));
    for (uint8_t side = 0; side < LINT_SIDES && x->rules[side]; side++)
        for (uint32_t i = 0; i < x->rules[side]->njoins; i++)
            vec_push(a, &roots, slot_of(&m, side, x->rules[side]->joins[i].slot));
    for (uint32_t i = 0; i < roots.len; i++) m.slots[roots.at[i]].flags |= SLOT_ROOT;
    r->name = x->rules[0]->name;
    r->doc = "";
    r->pack = x->rules[0]->pack;
    r->at = x->rules[0]->at;
    r->slots = m.slots;
    r->nroots = roots.len;
    r->roots = roots.at;
    r->nwhere = where.len;
    r->where = where.at;
    return r;
}
