/* solve.c -- see solve.h. SPDX-License-Identifier: Apache-2.0 */
#include "lint/solve.h"

#include "ir/param.h"

#define MOST_CHOICES 200u /* inside each other: the depth of our recursion */

/* --- states ------------------------------------------------------------------------ */
struct lint_state lint_state_new(struct lint_solver *x) {
    struct lint_state s = {0};
    for (uint32_t i = 0; i < LINT_SIDES; i++) {
        uint32_t n = x->rules[i] ? x->rules[i]->nslots : 0;
        s.slots[i] = arena_new_array(x->arena, uint32_t, n + 1);
        memset(s.slots[i], 0xff, (n + 1) * sizeof *s.slots[i]);
    }
    return s;
}

/* Takes from what may still be done; too much is cut off. */
static bool spend(struct lint_solver *x, uint32_t steps) {
    bool enough = x->steps >= steps && (!x->budget || *x->budget >= steps);
    x->steps = enough ? x->steps - steps : 0;
    if (x->budget && enough) *x->budget -= steps;
    x->cut = x->cut || !enough;
    return enough;
}

static struct lint_state copy_of(struct lint_solver *x, const struct lint_state *from) {
    struct lint_state s = *from;
    uint32_t slots = x->rules[0]->nslots + (x->rules[1] ? x->rules[1]->nslots : 0);
    (void)spend(x, 1 + (s.values.len + s.nodes.len + slots) / 64);
    s.values.at = arena_copy(x->arena, from->values.at,
                             from->values.len * sizeof *from->values.at);
    if (s.nodes.len > 0)
        s.nodes.at =
            arena_copy(x->arena, from->nodes.at, from->nodes.len * sizeof *from->nodes.at);
    s.values.cap = s.values.len;
    s.nodes.cap = s.nodes.len;
    for (uint32_t i = 0; i < LINT_SIDES; i++) {
        uint32_t n = x->rules[i] ? x->rules[i]->nslots : 0;
        s.slots[i] = arena_copy(x->arena, from->slots[i], (n + 1) * sizeof *s.slots[i]);
    }
    return s;
}

uint32_t lint_value_new(struct lint_solver *x, struct lint_state *s) {
    struct lint_value v = {.same = s->values.len, .node = LINT_NONE};
    vec_push(x->arena, &s->values, v);
    return v.same;
}

uint32_t lint_find(const struct lint_state *s, uint32_t v) {
    while (s->values.at[v].same != v) v = s->values.at[v].same;
    return v;
}

void lint_goal(struct lint_solver *x, struct lint_state *s, struct lint_goal g) {
    g.next = s->goals;
    s->goals = arena_copy(x->arena, &g, sizeof g);
}

static void match(struct lint_solver *x, struct lint_state *s, uint8_t side, uint32_t v,
                  const struct pat *p) {
    lint_goal(x, s, (struct lint_goal){.kind = LINT_MATCH, .side = side, .value = v,
                                       .pat = p});
}

static void merge(struct lint_solver *x, struct lint_state *s, uint32_t a, uint32_t b) {
    lint_goal(x, s, (struct lint_goal){.kind = LINT_MERGE, .value = a, .other = b});
}

/* --- what one value knows ---------------------------------------------------------- */
static bool set_presence(struct lint_state *s, struct lint_value *v,
                         enum lint_presence is) {
    if (v->presence == (uint8_t)is) return true;
    if (v->presence != LINT_OPEN || s->frozen) return false;
    v->presence = (uint8_t)is;
    return true;
}

static bool set_dtypes(struct lint_state *s, struct lint_value *v, uint32_t dtypes) {
    if (dtypes == 0) return true;
    uint32_t both = v->dtypes ? v->dtypes & dtypes : dtypes;
    if (both == 0 || (s->frozen && both != v->dtypes)) return false;
    v->dtypes = both;
    return true;
}

static bool set_literal(struct lint_state *s, struct lint_value *v,
                        const struct literal *lit, uint8_t side) {
    if (v->node != LINT_NONE) return false;
    if (s->frozen) return v->lit && lint_literal_implied(v->lit, lit);
    if (v->lit) return !lint_literals_clash(v->lit, lit);
    v->lit = lit;
    v->lit_side = side;
    return true;
}

static bool set_flags(struct lint_state *s, struct lint_value *v, uint32_t flags) {
    uint8_t want = flags & (SLOT_CONST | SLOT_SCALAR);
    if (s->frozen) {
        uint32_t has = v->flags | (v->lit ? SLOT_CONST : 0) |
                       (v->lit && !v->lit->splat && v->lit->kind != LIT_LIST ? SLOT_SCALAR
                                                                             : 0);
        return (want & ~has) == 0;
    }
    v->flags |= want | (flags & SLOT_KEEP);
    return !(v->flags & SLOT_CONST) || v->node == LINT_NONE;
}

static bool set_type(struct lint_solver *x, struct lint_state *s, struct lint_value *v,
                     const struct pat_type *t, uint8_t side) {
    if (!t) return true;
    if (s->frozen) return lint_type_implied(v, t);
    struct lint_type link = {t, side, v->types};
    v->types = arena_copy(x->arena, &link, sizeof link);
    return set_dtypes(s, v, t->dtypes);
}

/* --- nodes ------------------------------------------------------------------------- */
static uint32_t output_of(struct lint_solver *x, struct lint_state *s, uint32_t node,
                          uint32_t k) {
    for (const struct lint_out *o = s->nodes.at[node].outs; o; o = o->next)
        if (o->output == k) return lint_find(s, o->value);
    uint32_t v = lint_value_new(x, s);
    s->values.at[v].node = node;
    s->values.at[v].output = k;
    s->values.at[v].presence = LINT_THERE;
    struct lint_out link = {k, v, s->nodes.at[node].outs};
    s->nodes.at[node].outs = arena_copy(x->arena, &link, sizeof link);
    return v;
}

static uint32_t node_new(struct lint_solver *x, struct lint_state *s, uint32_t v,
                         uint32_t output) {
    uint32_t n = s->nodes.len;
    struct lint_out link = {output, v, NULL};
    vec_push(x->arena, &s->nodes,
             (struct lint_node){.outs = arena_copy(x->arena, &link, sizeof link)});
    s->values.at[v].node = n;
    s->values.at[v].output = output;
    return n;
}

static bool same_op(const struct pat_op *a, const struct pat_op *b) {
    return rw_streq(a->name, b->name) && rw_streq(a->domain, b->domain);
}

static bool has_op(uint32_t n, const struct pat_op *ops, const struct pat_op *op) {
    for (uint32_t i = 0; i < n; i++)
        if (same_op(&ops[i], op)) return true;
    return false;
}

/* Those of both; false when there is none. */
static bool set_ops(struct lint_solver *x, struct lint_state *s, struct lint_node *n,
                    uint32_t nops, const struct pat_op *ops) {
    if (n->nops == 0) {
        n->nops = nops;
        n->ops = ops;
        return true;
    }
    struct pat_op *both = arena_new_array(x->arena, struct pat_op, n->nops);
    uint32_t k = 0;
    for (uint32_t i = 0; i < n->nops; i++)
        if (has_op(nops, ops, &n->ops[i])) both[k++] = n->ops[i];
    if (k == 0 || (s->frozen && k < n->nops)) return false;
    n->nops = k;
    n->ops = both;
    return true;
}

/* May operand k be there although the pattern does not write it? A parameter may. */
static bool may_be_parameter(const struct lint_node *n, uint32_t k) {
    const struct pat_op *op = &n->ops[0];
    const struct ir_schema *newest = ir_schema_newest(op->domain, op->name);
    return newest && ir_param_of_operand(op->domain, op->name, k, newest->since);
}

/* The node has at least that many operands to speak of: absent ones behind the last. */
static bool set_operands(struct lint_solver *x, struct lint_state *s, uint32_t node,
                         uint32_t count) {
    struct lint_node *n = &s->nodes.at[node];
    if (count <= n->nargs) return true;
    uint32_t *args = arena_new_array(x->arena, uint32_t, count);
    if (n->nargs) memcpy(args, n->args, n->nargs * sizeof *args);
    for (uint32_t k = n->nargs; k < count; k++) {
        bool unknown = n->open || may_be_parameter(n, k);
        if (s->frozen && unknown) return false;
        args[k] = lint_value_new(x, s);
        if (!unknown) s->values.at[args[k]].presence = LINT_ABSENT;
        n = &s->nodes.at[node];
    }
    n->args = args;
    n->nargs = count;
    return true;
}

static uint32_t written_operands(const struct pat *p) {
    bool rest = p->nargs && p->args[p->nargs - 1]->kind == PAT_REST;
    return p->nargs - rest;
}

static bool commutes(const struct pat *p) { return p->commutes && p->nargs >= 2; }

static void add_operands(struct lint_solver *x, struct lint_state *s, uint32_t node,
                         const struct pat *p, uint8_t side, bool exchanged) {
    uint32_t count = written_operands(p);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t k = exchanged && i < 2 ? 1 - i : i;
        match(x, s, side, s->nodes.at[node].args[i], p->args[k]);
    }
}

static bool add_tests(struct lint_solver *x, struct lint_node *n, const struct pat *p,
                      uint8_t side) {
    for (uint32_t i = 0; i < p->nattrs; i++) {
        struct lint_test link = {&p->attrs[i], side, n->tests};
        for (const struct lint_test *t = n->tests; t; t = t->next)
            if (lint_tests_clash(t->test, link.test)) return false;
        n->tests = arena_copy(x->arena, &link, sizeof link);
    }
    return true;
}

/* The slot stands for the value, and what is said beside its name holds of it. */
static bool learn(struct lint_solver *x, struct lint_state *s, uint8_t side, uint32_t slot,
                  uint32_t v) {
    const struct rule_slot *r = &x->rules[side]->slots[slot];
    struct lint_value *value = &s->values.at[v];
    s->slots[side][slot] = v;
    return set_presence(s, value, LINT_THERE) && set_flags(s, value, r->flags) &&
           set_type(x, s, value, r->type, side);
}

static bool name_outputs(struct lint_solver *x, struct lint_state *s, uint32_t node,
                         const struct pat *p, uint8_t side) {
    for (uint32_t k = 0; k < p->nouts; k++) {
        if (p->outs[k] == SLOT_NONE) continue;
        uint32_t bound = s->slots[side][p->outs[k]], v = output_of(x, s, node, k);
        if (bound != LINT_NONE) merge(x, s, bound, v);
        else if (!learn(x, s, side, p->outs[k], v)) return false;
    }
    return true;
}

/* Ways to go on where both ways are possible. */
static bool solve_copy(struct lint_solver *x, struct lint_state *s) {
    if (x->depth >= MOST_CHOICES) {
        x->cut = true;
        return false;
    }
    x->depth++;
    bool enough = lint_solve(x, s);
    x->depth--;
    return enough;
}

enum step { FAILS, GOES_ON, ENOUGH, DONE /* every way was tried */ };

/* Operands that commute, against a node that has some already. */
static enum step both_orders(struct lint_solver *x, struct lint_state *s, uint32_t node,
                             const struct pat *p, uint8_t side) {
    struct lint_state other = copy_of(x, s);
    add_operands(x, s, node, p, side, false);
    if (solve_copy(x, s)) return ENOUGH;
    add_operands(x, &other, node, p, side, true);
    return solve_copy(x, &other) ? ENOUGH : DONE;
}

static enum step meet_node(struct lint_solver *x, struct lint_state *s,
                           const struct lint_goal *g, uint32_t node, bool is_new) {
    const struct pat *p = g->pat;
    struct lint_node *n = &s->nodes.at[node];
    bool rest = written_operands(p) < p->nargs;
    if (!set_ops(x, s, n, p->nops, p->ops)) return FAILS;
    if (s->frozen) {
        if (n->open && !rest) return FAILS;
        if (n->commutes && !commutes(p)) return FAILS; /* there it may be exchanged */
        if (!lint_attrs_implied(s, n, p, g->side)) return FAILS;
    } else {
        if (!is_new && lint_attrs_clash(n, p)) return FAILS;
        if (!add_tests(x, n, p, g->side)) return FAILS;
        n->any_attrs = (is_new || n->any_attrs) && p->attrs_slot != SLOT_NONE;
        n->commutes = commutes(p);
        n->lossless = p->lossless && (is_new || n->lossless);
    }
    if (is_new) n->open = true;
    if (!set_operands(x, s, node, written_operands(p))) return FAILS;
    n = &s->nodes.at[node];
    if (is_new) n->open = rest;
    else if (!s->frozen && !rest) n->open = false;
    for (uint32_t k = written_operands(p); k < n->nargs && !rest; k++)
        if (!may_be_parameter(n, k) &&
            !set_presence(s, &s->values.at[lint_find(s, n->args[k])], LINT_ABSENT))
            return FAILS;
    if (!name_outputs(x, s, node, p, g->side)) return FAILS;
    if (commutes(p) && !is_new) return both_orders(x, s, node, p, g->side);
    add_operands(x, s, node, p, g->side, false);
    return GOES_ON;
}

static enum step fit_node(struct lint_solver *x, struct lint_state *s,
                          const struct lint_goal *g, uint32_t v) {
    struct lint_value *value = &s->values.at[v];
    if (value->lit || (value->flags & SLOT_CONST)) return FAILS;
    if (!set_presence(s, value, LINT_THERE)) return FAILS;
    if (!s->frozen && g->pat->keep) value->flags |= SLOT_KEEP;
    if (value->node == LINT_NONE) {
        if (s->frozen) return FAILS;
        return meet_node(x, s, g, node_new(x, s, v, g->output), true);
    }
    bool keeps = g->keeps || g->pat->keep;
    if (s->frozen && (value->flags & SLOT_KEEP) && !keeps) return FAILS;
    if (value->output != g->output) return FAILS;
    return meet_node(x, s, g, value->node, false);
}

/* --- slots ------------------------------------------------------------------------- */
static bool bind(struct lint_solver *x, struct lint_state *s, uint8_t side, uint32_t slot,
                 uint32_t v) {
    const struct rule_slot *r = &x->rules[side]->slots[slot];
    if (!learn(x, s, side, slot, v)) return false;
    if (r->def)
        lint_goal(x, s, (struct lint_goal){.kind = LINT_MATCH, .side = side, .value = v,
                                           .keeps = r->flags & SLOT_KEEP, .pat = r->def,
                                           .output = r->def_output});
    return true;
}

static enum step fit_slot(struct lint_solver *x, struct lint_state *s,
                          const struct lint_goal *g, uint32_t v) {
    uint32_t bound = s->slots[g->side][g->pat->slot];
    if (bound != LINT_NONE) {
        merge(x, s, bound, v);
        return GOES_ON;
    }
    return bind(x, s, g->side, g->pat->slot, v) ? GOES_ON : FAILS;
}

/* --- alternatives ------------------------------------------------------------------ */
static enum step fit_one_of(struct lint_solver *x, struct lint_state *s,
                            const struct lint_goal *g) {
    const struct pat *p = g->pat;
    for (uint32_t i = 0; i < p->nalts; i++) {
        struct lint_state way = copy_of(x, s);
        struct lint_way link = {p, i, s->ways};
        struct lint_goal inner = *g;
        inner.pat = p->alts[i];
        way.ways = arena_copy(x->arena, &link, sizeof link);
        lint_goal(x, &way, inner);
        if (solve_copy(x, &way)) return ENOUGH;
        if (x->cut) return DONE;
    }
    return DONE;
}

/* None of the chain, or one node of it and what is behind: when it is asked whether that
 * follows, the rest of the chain. What two nodes could be one can be too. */
static enum step fit_chain(struct lint_solver *x, struct lint_state *s,
                           const struct lint_goal *g, uint32_t v) {
    const struct pat *p = g->pat;
    struct lint_state none = copy_of(x, s);
    match(x, &none, g->side, v, p->args[0]);
    if (solve_copy(x, &none)) return ENOUGH;
    struct lint_value *value = &s->values.at[v];
    if (value->lit || (value->flags & SLOT_CONST)) return FAILS;
    if (!set_presence(s, value, LINT_THERE)) return FAILS;
    if (value->node == LINT_NONE && s->frozen) return FAILS;
    uint32_t node = value->node;
    if (node == LINT_NONE) {
        node = node_new(x, s, v, 0);
        s->nodes.at[node].open = s->nodes.at[node].any_attrs = true;
    }
    if (s->values.at[v].output != 0) return FAILS;
    if (!set_ops(x, s, &s->nodes.at[node], p->nops, p->ops)) return FAILS;
    if (!set_operands(x, s, node, 1)) return FAILS;
    match(x, s, g->side, s->nodes.at[node].args[0], s->frozen ? p : p->args[0]);
    return GOES_ON;
}

static enum step fit(struct lint_solver *x, struct lint_state *s,
                     const struct lint_goal *g) {
    uint32_t v = lint_find(s, g->value);
    struct lint_value *value = &s->values.at[v];
    bool ok = true;
    switch (g->pat->kind) {
    case PAT_ANY: case PAT_REST: break;
    case PAT_ABSENT: ok = set_presence(s, value, LINT_ABSENT); break;
    case PAT_LITERAL:
        ok = set_presence(s, value, LINT_THERE) &&
             set_literal(s, value, &g->pat->lit, g->side);
        break;
    case PAT_SLOT: case PAT_SEE: return fit_slot(x, s, g, v);
    case PAT_ALT: return fit_one_of(x, s, g);
    case PAT_NODE: return fit_node(x, s, g, v);
    case PAT_CHAIN: return fit_chain(x, s, g, v);
    }
    return ok ? GOES_ON : FAILS;
}

/* --- two values are one ------------------------------------------------------------ */
static enum step merge_nodes(struct lint_solver *x, struct lint_state *s, uint32_t a,
                             uint32_t b) {
    struct lint_node *n = &s->nodes.at[a], m = s->nodes.at[b];
    if (!set_ops(x, s, n, m.nops, m.ops)) return FAILS;
    for (const struct lint_test *t = m.tests; t; t = t->next) {
        for (const struct lint_test *u = n->tests; u; u = u->next)
            if (lint_tests_clash(t->test, u->test)) return FAILS;
        struct lint_test link = {t->test, t->side, n->tests};
        n->tests = arena_copy(x->arena, &link, sizeof link);
    }
    n->any_attrs = n->any_attrs && m.any_attrs;
    n->open = n->open && m.open;
    for (const struct lint_out *o = m.outs; o; o = o->next)
        if (o->output != s->values.at[lint_find(s, o->value)].output ||
            s->values.at[lint_find(s, o->value)].node != a)
            merge(x, s, output_of(x, s, a, o->output), o->value);
    uint32_t count = rw_max_u32(s->nodes.at[a].nargs, m.nargs);
    if (!set_operands(x, s, a, count) || !set_operands(x, s, b, count)) return FAILS;
    for (uint32_t i = 0; i < count; i++)
        merge(x, s, s->nodes.at[a].args[i], s->nodes.at[b].args[i]);
    return GOES_ON;
}

static enum step fit_merge(struct lint_solver *x, struct lint_state *s,
                           const struct lint_goal *g) {
    uint32_t a = lint_find(s, g->value), b = lint_find(s, g->other);
    if (a == b) return GOES_ON;
    if (s->frozen) return FAILS;
    struct lint_value *v = &s->values.at[a], w = s->values.at[b];
    if (w.presence != LINT_OPEN && !set_presence(s, v, (enum lint_presence)w.presence))
        return FAILS;
    if (!set_dtypes(s, v, w.dtypes)) return FAILS;
    if (w.lit && !set_literal(s, v, w.lit, w.lit_side)) return FAILS;
    if (v->lit && w.node != LINT_NONE) return FAILS;
    v->flags |= w.flags;
    for (const struct lint_type *t = w.types; t; t = t->next) {
        struct lint_type link = {t->type, t->side, v->types};
        v->types = arena_copy(x->arena, &link, sizeof link);
    }
    s->values.at[b].same = a;
    uint32_t node = v->node;
    if (node == LINT_NONE) {
        v->node = w.node;
        v->output = w.output;
    }
    if (v->node != LINT_NONE && v->flags & SLOT_CONST) return FAILS;
    if (node == LINT_NONE || w.node == LINT_NONE || node == w.node)
        return node != LINT_NONE && node == w.node && v->output != w.output ? FAILS
                                                                            : GOES_ON;
    return v->output == w.output ? merge_nodes(x, s, node, w.node) : FAILS;
}

static enum step fit_root(struct lint_solver *x, struct lint_state *s,
                          const struct lint_goal *g) {
    const struct rule *r = x->rules[g->side];
    const struct rule_slot *root = &r->slots[r->roots[0]];
    uint32_t v = lint_find(s, g->value);
    if (s->values.at[v].node != LINT_NONE)
        v = output_of(x, s, s->values.at[v].node, root->def_output);
    if (s->frozen && r->njoins > 0) return FAILS; /* where they would be is not looked for */
    for (uint32_t i = 0; i < r->njoins; i++) {
        uint32_t join = lint_value_new(x, s);
        if (s->slots[g->side][r->joins[i].slot] == LINT_NONE &&
            !bind(x, s, g->side, r->joins[i].slot, join))
            return FAILS;
    }
    return bind(x, s, g->side, r->roots[0], v) ? GOES_ON : FAILS;
}

/* --- all goals --------------------------------------------------------------------- */
/* No value is made out of itself: nodes whose operands are all placed are placed. */
static bool is_acyclic(struct lint_solver *x, const struct lint_state *s) {
    bool *placed = arena_zalloc(x->arena, s->nodes.len + 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = s->nodes.len; n-- > 0;) { /* operands come mostly later */
            bool ready = !placed[n];
            for (uint32_t i = 0; ready && i < s->nodes.at[n].nargs; i++) {
                uint32_t of = s->values.at[lint_find(s, s->nodes.at[n].args[i])].node;
                ready = of == LINT_NONE || placed[of];
            }
            if (ready) placed[n] = more = true;
        }
    }
    for (uint32_t n = 0; n < s->nodes.len; n++)
        if (!placed[n]) return false;
    return true;
}

bool lint_solve(struct lint_solver *x, struct lint_state *s) {
    while (s->goals) {
        const struct lint_goal *g = s->goals;
        enum step step = FAILS;
        s->goals = g->next;
        if (!spend(x, 1)) return false;
        switch (g->kind) {
        case LINT_MATCH: step = fit(x, s, g); break;
        case LINT_ROOT: step = fit_root(x, s, g); break;
        case LINT_MERGE: step = fit_merge(x, s, g); break;
        }
        if (step != GOES_ON) return step == ENOUGH;
    }
    return spend(x, s->nodes.len) && is_acyclic(x, s) && x->found(x->ctx, s);
}
