/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/search.h"

struct state oracle_copy(struct world *w, const struct state *s) {
    struct state t = *s;
    t.slot = arena_copy(w->a, s->slot, w->r->nslots * sizeof *s->slot);
    t.defined = arena_copy(w->a, s->defined, w->r->nslots * sizeof *s->defined);
    return t;
}

static const struct goal *also(struct world *w, const struct pat *pat, uint32_t slot,
                               ir_value v, uint32_t output, const struct goal *next) {
    struct goal *g = arena_new(w->a, struct goal);
    *g = (struct goal){pat, slot, v, output, next};
    return g;
}

/* --- bindings --------------------------------------------------------------------- */
static struct holds value_of(ir_value v) {
    return (struct holds){.kind = VALUE, .a = v};
}

static bool has_one_element(const struct ir_graph *g, ir_value v) {
    const struct ir_tensor *t = ir_const(g, v);
    const struct ir_type *type = ir_val(g, v)->type;
    if (t) return t->count == 1;
    if (!ir_type_ranked(type)) return false;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] != ir_dim_const(g->model->dims, 1)) return false;
    return true;
}

static bool bind(struct world *w, struct state *s, uint32_t slot, struct holds h) {
    if (s->slot[slot].kind != NOTHING) return holds_same(w->a, w->g, s->slot[slot], h);
    s->slot[slot] = h;
    uint32_t flags = w->r->slots[slot].flags;
    if (h.kind != VALUE) return true;
    return (!(flags & SLOT_CONST) || ir_const(w->g, h.a)) &&
           (!(flags & SLOT_SCALAR) || has_one_element(w->g, h.a));
}

/* The items of a list that a literal names or gives. */
static bool items_fit(struct world *w, struct state *s, struct holds list,
                      const struct literal *l) {
    struct ints x;
    if (!holds_ints(w->a, w->g, list, &x) || !x.is_list || x.n != l->n) return false;
    for (uint32_t i = 0; i < l->n; i++) {
        struct holds item = {.kind = DIM, .a = x.at[i], .b = x.base};
        struct holds want = {.kind = DIM, .b = x.base};
        want.a = ir_dim_const(w->g->model->dims, l->items[i].value);
        if (l->items[i].kind == DIM_CONST && !holds_same(w->a, w->g, item, want))
            return false;
        if (l->items[i].kind == DIM_SLOT && !bind(w, s, l->items[i].slot, item))
            return false;
    }
    return true;
}

/* --- operators -------------------------------------------------------------------- */
static bool op_fits(struct world *w, const struct pat *p, ir_node n) {
    if (ir_nod(w->g, n)->schema && ir_callee(w->g, n)) return false; /* another meaning */
    for (uint32_t i = 0; i < p->nops; i++)
        if (rw_streq(p->ops[i].name, ir_op_name(w->g, n)) &&
            rw_streq(p->ops[i].domain, ir_domain_name(w->g, n)))
            return true;
    return false;
}

static bool attr_is_as_said(struct world *w, struct state *s, ir_node n,
                            const struct attr_test *t) {
    struct holds h = {.kind = PARAM, .a = n, .param = t->name, .is_axis = t->is_axis};
    if (!holds_test(w->a, w->g, n, t)) return false;
    if (t->kind == ATTR_BIND) return bind(w, s, t->slot, h);
    if (t->kind != ATTR_LITERAL || pm_literal_is_ground(&t->lit)) return true;
    return items_fit(w, s, h, &t->lit);
}

static bool outputs_fit(struct world *w, struct state *s, const struct pat *p, ir_node n,
                        uint32_t output) {
    for (uint32_t k = 0; k < ir_nod(w->g, n)->nout; k++) {
        ir_value v = ir_output(w->g, n, k);
        uint32_t slot = k < p->nouts ? p->outs[k] : SLOT_NONE;
        if (v == IR_NONE) {
            if (slot != SLOT_NONE && s->slot[slot].kind != NOTHING) return false;
        } else if (slot != SLOT_NONE) {
            if (!bind(w, s, slot, value_of(v))) return false;
        } else if (k != output && ir_val(w->g, v)->nuses > 0) {
            return false;
        }
    }
    return true;
}

static const struct pat no_operand = {.kind = PAT_ABSENT};

static void solve_args(struct world *w, struct state s, const struct pat *p, ir_node n,
                       bool swap) {
    const struct ir_node_info *x = ir_nod(w->g, n);
    bool rest = p->nargs > 0 && p->args[p->nargs - 1]->kind == PAT_REST;
    uint32_t last = rest ? p->nargs - 1 : p->nargs;
    if (rest) {
        uint32_t slot = p->args[last]->slot;
        for (uint32_t k = last; k < x->nin; k++)
            if (ir_input(w->g, n, k) == IR_NONE) return;
        struct holds list = {.kind = VALUES, .a = n, .b = last};
        if (slot != SLOT_NONE && !bind(w, &s, slot, list)) return;
    }
    for (uint32_t k = 0; k < rw_max_u32(last, rest ? 0 : x->nin); k++) {
        const struct pat *arg = k < last ? p->args[k] : &no_operand;
        const struct ir_schema *schema = x->schema;
        bool is_param = schema && ir_param_of_operand(schema->domain, schema->name, k,
                                                      schema->since);
        if (k >= last && is_param) continue;
        ir_value v = ir_input(w->g, n, swap && k < 2 ? 1 - k : k);
        s.goals = also(w, arg, 0, v, 0, s.goals);
    }
    oracle_solve(w, s);
}

/* The rule's pattern node may be the definition of several slots. */
static void mark_defined(struct world *w, struct state *s, const struct pat *p) {
    for (uint32_t i = 0; i < w->r->nslots; i++)
        if (w->r->slots[i].def == p) s->defined[i] = true;
}

static void solve_node(struct world *w, struct state s, const struct pat *p, ir_node n,
                       uint32_t output) {
    if (!op_fits(w, p, n) || s.nnodes == 64) return;
    s.node[s.nnodes].at = n;
    s.node[s.nnodes++].keep = p->keep;
    if (p->attrs_slot == SLOT_NONE && !holds_defaults(w->a, w->g, n, p)) return;
    const struct pm_site site = {.g = w->g, .arena = w->a};
    if (p->lossless && !pm_cast_is_lossless(&site, n)) return;
    for (uint32_t i = 0; i < p->nattrs; i++)
        if (!attr_is_as_said(w, &s, n, &p->attrs[i])) return;
    if (p->op_slot != SLOT_NONE &&
        !bind(w, &s, p->op_slot, (struct holds){.kind = OPERATOR, .a = n}))
        return;
    if (p->attrs_slot != SLOT_NONE &&
        !bind(w, &s, p->attrs_slot, (struct holds){.kind = PARAMS, .a = n}))
        return;
    if (!outputs_fit(w, &s, p, n, output)) return;
    mark_defined(w, &s, p);
    solve_args(w, oracle_copy(w, &s), p, n, false);
    if (p->commutes && p->nargs >= 2 && p->args[1]->kind != PAT_REST &&
        ir_input(w->g, n, 0) != ir_input(w->g, n, 1))
        solve_args(w, oracle_copy(w, &s), p, n, true);
}

/* --- goals ------------------------------------------------------------------------ */
void oracle_solve_slot(struct world *w, struct state s, uint32_t slot, ir_value v) {
    const struct rule_slot *x = &w->r->slots[slot];
    if (v == IR_NONE || !bind(w, &s, slot, value_of(v)))
        return;
    if (x->def && !s.defined[slot]) {
        mark_defined(w, &s, x->def);
        s.goals = also(w, x->def, 0, v, x->def_output, s.goals);
    }
    oracle_solve(w, s);
}

static void solve_seen(struct world *w, struct state s, uint32_t slot, ir_value v) {
    if (s.slot[slot].kind == NOTHING)
        oracle_solve_slot(w, s, slot, pm_see_deepest(w->g, v, w->a));
    else if (s.slot[slot].kind == VALUE && pm_sees(w->g, v, s.slot[slot].a, w->a))
        oracle_solve(w, s);
}

static void solve_chain(struct world *w, struct state s, const struct pat *p, ir_value v) {
    for (uint32_t i = 0; v != IR_NONE && i <= RULE_CHAIN; i++) {
        struct state t = oracle_copy(w, &s);
        t.goals = also(w, p->args[0], 0, v, 0, s.goals);
        oracle_solve(w, t);
        ir_node n = ir_val(w->g, v)->producer;
        if (n == IR_NONE || ir_val(w->g, v)->output || !op_fits(w, p, n) || s.nnodes == 64)
            return;
        s.node[s.nnodes].at = n;
        s.node[s.nnodes++].keep = false;
        v = ir_input(w->g, n, 0);
    }
}

static void solve_pat(struct world *w, struct state s, const struct pat *p, ir_value v,
                      uint32_t output) {
    switch (p->kind) {
    case PAT_ANY:
        if (v != IR_NONE) oracle_solve(w, s);
        break;
    case PAT_ABSENT:
        if (v == IR_NONE) oracle_solve(w, s);
        break;
    case PAT_SLOT: oracle_solve_slot(w, s, p->slot, v); break;
    case PAT_SEE:
        if (v == IR_NONE) break;
        s.later = also(w, NULL, p->slot, v, 0, s.later);
        oracle_solve(w, s);
        break;
    case PAT_LITERAL:
        if (v == IR_NONE) break;
        if (pm_literal_is_ground(&p->lit) ? pm_literal_fits(w->g, v, &p->lit, w->a)
                                          : items_fit(w, &s, value_of(v), &p->lit))
            oracle_solve(w, s);
        break;
    case PAT_ALT:
        for (uint32_t i = 0; i < p->nalts; i++) {
            struct state t = oracle_copy(w, &s);
            t.goals = also(w, p->alts[i], 0, v, output, s.goals);
            oracle_solve(w, t);
        }
        break;
    case PAT_NODE:
        if (v == IR_NONE || ir_val(w->g, v)->producer == IR_NONE) break;
        if (ir_val(w->g, v)->output == output)
            solve_node(w, s, p, ir_val(w->g, v)->producer, output);
        break;
    case PAT_CHAIN: solve_chain(w, s, p, v); break;
    case PAT_REST: break;
    }
}

/* --- a match ---------------------------------------------------------------------- */
bool oracle_is_inside(const struct state *s, ir_node n) {
    for (uint32_t i = 0; i < s->nnodes; i++)
        if (s->node[i].at == n) return true;
    return false;
}

static bool may_be_seen(struct world *w, const struct state *s, uint32_t node, ir_value v) {
    /* One node may be matched by two patterns; it is kept where each of them keeps it. */
    if (s->node[node].keep) return true;
    for (uint32_t i = 0; i < w->r->nslots; i++) {
        const struct holds *h = &s->slot[i];
        if (!(w->r->slots[i].flags & (SLOT_ROOT | SLOT_KEEP))) continue;
        if (h->kind == VALUE && h->a == v) return true;
        for (uint32_t k = 0; h->kind == MEMBERS && k < h->a; k++)
            if (h->members[k].kind == VALUE && h->members[k].a == v) return true;
    }
    return false;
}

static bool nothing_leaks(struct world *w, const struct state *s) {
    for (uint32_t i = 0; i < s->nnodes; i++)
        for (uint32_t k = 0; k < ir_nod(w->g, s->node[i].at)->nout; k++) {
            ir_value v = ir_output(w->g, s->node[i].at, k);
            if (v == IR_NONE || may_be_seen(w, s, i, v)) continue;
            ir_use u = ir_val(w->g, v)->uses;
            for (; u != IR_NONE; u = w->g->uses.at[u].next) {
                const struct ir_use_info *x = &w->g->uses.at[u];
                if (x->user == IR_NONE || x->slot == IR_SLOT_BODY || !oracle_is_inside(s, x->user))
                    return false;
            }
        }
    return true;
}

static const char *line(struct world *w, const struct holds *slot) {
    struct buf b = {0};
    for (uint32_t i = 0; i < w->r->nslots; i++)
        buf_printf(&b, "%s%s=%s", i ? "; " : "", w->r->slots[i].name, holds_text(w->a, w->g, slot[i]));
    const char *text = arena_strdup(w->a, buf_text(&b));
    buf_free(&b);
    return text;
}

/* --- types -------------------------------------------------------------------------- */
static bool dim_fits(struct world *w, struct state *s, const struct pat_dim *d, ir_dim x) {
    if (d->kind == DIM_CONST) return x == ir_dim_const(w->g->model->dims, d->value);
    return d->kind != DIM_SLOT || bind(w, s, d->slot, (struct holds){.kind = DIM, .a = x});
}

static bool dims_fit(struct world *w, struct state *s, const struct pat_type *t,
                     ir_value v) {
    const struct ir_type *x = ir_val(w->g, v)->type;
    uint32_t rest = 0;
    while (rest < t->ndims && t->dims[rest].kind != DIM_REST) rest++;
    uint32_t behind = rest < t->ndims ? t->ndims - rest - 1 : 0;
    if (!ir_type_ranked(x)) return false;
    if (rest == t->ndims ? x->rank != rest : x->rank < rest + behind) return false;
    for (uint32_t k = 0; k < rest; k++)
        if (!dim_fits(w, s, &t->dims[k], x->dims[k])) return false;
    for (uint32_t k = 0; k < behind; k++)
        if (!dim_fits(w, s, &t->dims[rest + 1 + k], x->dims[x->rank - behind + k]))
            return false;
    if (rest == t->ndims || t->dims[rest].slot == SLOT_NONE) return true;
    return bind(w, s, t->dims[rest].slot,
                (struct holds){.kind = DIMS, .a = v, .b = rest, .c = behind});
}

/* Last of all. */
bool oracle_types_fit(struct world *w, struct state *s, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        const struct pat_type *t = w->r->slots[i].type;
        if (!t || s->slot[i].kind != VALUE) continue;
        const struct ir_type *x = ir_val(w->g, s->slot[i].a)->type;
        if (t->dtypes && !(t->dtypes >> ir_type_dtype(x) & 1)) return false;
        if (t->shaped && !dims_fit(w, s, t, s->slot[i].a)) return false;
    }
    return true;
}

/* The slot seen through whose definition leads to none of the others'. */
static void solve_later(struct world *w, struct state s) {
    const struct goal *best = s.later, *rest = NULL;
    for (const struct goal *l = s.later; l; l = l->next)
        if (w->level[l->slot] < w->level[best->slot]) best = l;
    for (const struct goal *l = s.later; l; l = l->next)
        if (l != best) rest = also(w, NULL, l->slot, l->value, 0, rest);
    s.later = rest;
    solve_seen(w, s, best->slot, best->value);
}

/* Another pattern of the rule may begin at any node that is not matched yet. */
static void solve_join(struct world *w, struct state s) {
    const struct rule_join *j = &w->r->joins[s.joined++];
    if (j->family) {
        oracle_solve_family(w, s, j);
        return;
    }
    uint32_t output = w->r->slots[j->slot].def_output;
    for (ir_node n = w->g->first; n != IR_NONE; n = ir_nod(w->g, n)->next) {
        ir_value v = ir_output(w->g, n, output);
        if (v == IR_NONE || oracle_is_inside(&s, n)) continue;
        oracle_solve_slot(w, oracle_copy(w, &s), j->slot, v);
    }
}

void oracle_solve(struct world *w, struct state s) {
    if (s.goals) {
        const struct goal *g = s.goals;
        s = oracle_copy(w, &s);
        s.goals = g->next;
        solve_pat(w, s, g->pat, g->value, g->output);
    } else if (s.later) {
        solve_later(w, oracle_copy(w, &s));
    } else if (s.member) {
        oracle_end_member(w, &s);
    } else if (s.joined < w->r->njoins) {
        solve_join(w, oracle_copy(w, &s));
    } else {
        s = oracle_copy(w, &s);
        if (oracle_types_fit(w, &s, 0, w->r->nslots) && nothing_leaks(w, &s))
            vec_push(w->a, &w->out->list, line(w, s.slot));
    }
}

/* A slot's level is higher than that of each slot whose definition uses it. */
static void raise_levels(struct world *w, const struct pat *p, uint32_t level) {
    switch (p->kind) {
    case PAT_SLOT:
    case PAT_SEE:
        if (w->level[p->slot] >= level) return;
        w->level[p->slot] = level;
        if (w->r->slots[p->slot].def) raise_levels(w, w->r->slots[p->slot].def, level + 1);
        break;
    case PAT_NODE:
        for (uint32_t i = 0; i < p->nargs; i++) raise_levels(w, p->args[i], level);
        break;
    case PAT_ALT:
        for (uint32_t i = 0; i < p->nalts; i++) raise_levels(w, p->alts[i], level);
        break;
    case PAT_CHAIN: raise_levels(w, p->args[0], level); break;
    case PAT_ANY:
    case PAT_LITERAL:
    case PAT_ABSENT:
    case PAT_REST: break;
    }
}

/* The root's pattern at the node itself, whichever of its alternatives. */
static void solve_root(struct world *w, struct state s, const struct pat *p,
                       uint32_t output) {
    ir_value v = ir_output(w->g, w->root, output);
    if (p->kind == PAT_ALT) {
        for (uint32_t i = 0; i < p->nalts; i++)
            solve_root(w, oracle_copy(w, &s), p->alts[i], output);
    } else if (p->kind == PAT_SLOT) {
        const struct rule_slot *x = &w->r->slots[p->slot];
        v = ir_output(w->g, w->root, x->def_output);
        if (v != IR_NONE && !bind(w, &s, p->slot, value_of(v)))
            return;
        mark_defined(w, &s, x->def);
        solve_root(w, s, x->def, x->def_output);
    } else {
        solve_node(w, s, p, w->root, output);
    }
}

void oracle_matches(struct arena *a, struct pm_matcher *t, struct ir_graph *g,
                    const struct rule *r, ir_node root, struct oracle_lines *out) {
    struct world w = {a, g, r, root, arena_zalloc(a, r->nslots * sizeof(uint32_t)), out, t};
    struct state s = {.slot = arena_zalloc(a, r->nslots * sizeof *s.slot),
                      .defined = arena_zalloc(a, r->nslots * sizeof *s.defined)};
    struct pat p = {.kind = PAT_SLOT, .slot = r->roots[0]};
    raise_levels(&w, &p, 1);
    for (uint32_t i = 0; i < r->njoins; i++) {
        p.slot = r->joins[i].slot;
        raise_levels(&w, &p, 1);
    }
    p.slot = r->roots[0];
    solve_root(&w, s, &p, 0);
}

/* --- what the matcher says -------------------------------------------------------- */
static struct holds of_binding(struct arena *a, const struct pm_auto *p,
                               const struct pm_members *members, struct pm_binding b) {
    struct holds *list;
    switch (b.kind) {
    case BOUND_VALUE: return value_of(b.a);
    case BOUND_LIST: return (struct holds){.kind = VALUES, .a = b.a, .b = b.b};
    case BOUND_OP: return (struct holds){.kind = OPERATOR, .a = b.a};
    case BOUND_ATTRS: return (struct holds){.kind = PARAMS, .a = b.a};
    case BOUND_DIM: return (struct holds){.kind = DIM, .a = b.a, .b = b.b};
    case BOUND_DIMS: return (struct holds){.kind = DIMS, .a = b.a, .b = b.b, .c = b.c};
    case BOUND_ATTR:
        return (struct holds){
            .kind = PARAM, .a = b.a, .param = p->param.at[b.b], .is_axis = b.c != 0};
    case BOUND_MEMBERS: /* of members there are no members */
        list = arena_new_array(a, struct holds, b.b);
        for (uint32_t i = 0; i < b.b; i++)
            list[i] = of_binding(a, p, NULL, members->at[b.a + i]);
        return (struct holds){.kind = MEMBERS, .a = b.b, .members = list};
    case BOUND_NOTHING:
    case BOUND_NODE: break;
    }
    return (struct holds){.kind = NOTHING};
}

const char *oracle_line(struct arena *a, struct ir_graph *g, const struct pm_auto *p,
                        const struct pm_members *members, const struct rule *r,
                        const struct pm_binding *slots) {
    struct world w = {.a = a, .g = g, .r = r};
    struct holds *h = arena_zalloc(a, r->nslots * sizeof *h);
    for (uint32_t i = 0; i < r->nslots; i++) h[i] = of_binding(a, p, members, slots[i]);
    return line(&w, h);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void oracle_sort(struct oracle_lines *l) {
    if (l->list.len > 0) qsort(l->list.at, l->list.len, sizeof *l->list.at, by_text);
}
