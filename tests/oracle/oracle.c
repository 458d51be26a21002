/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/oracle.h"

enum held { NOTHING, VALUE, VALUES, PARAM, OPERATOR, DIM };
struct holds {
    enum held kind;
    uint32_t a, b;     /* value; node and first operand; node */
    const char *param; /* of node a */
    bool is_axis;
};
struct goal {
    const struct pat *pat; /* NULL: the slot is seen through the value */
    uint32_t slot;
    ir_value value;
    uint32_t output;
    const struct goal *next;
};
struct world {
    struct arena *a;
    struct ir_graph *g;
    const struct rule *r;
    ir_node root;
    uint32_t *level; /* of each slot: 1 + the highest of those whose definition uses it */
    struct oracle_lines *out;
};
struct state {
    struct holds *slot;
    bool *defined; /* the definition of that slot was matched, or need not be */
    struct { ir_node at; bool keep; } node[64];
    uint32_t nnodes, joined;
    const struct goal *goals, *later; /* later: slots seen through */
};

static void solve(struct world *w, struct state s);

static struct state copy(struct world *w, const struct state *s) {
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
static const char *int_text(struct world *w, ir_node n, const struct ir_attr *x,
                            bool is_axis) {
    struct buf b = {0};
    uint32_t rank = is_axis ? pm_axis_base(w->g, n) : 0;
    const int64_t *ints = x->type == IR_ATTR_INT ? &x->i : x->ints;
    uint32_t len = x->type == IR_ATTR_INT ? 1 : x->n;
    if (x->type == IR_ATTR_FLOAT) buf_float(&b, x->f);
    else
        for (uint32_t i = 0; i < len; i++)
            buf_printf(&b, "%s%d", i ? "," : "", (int)pm_axis(ints[i], rank));
    const char *text = arena_strdup(w->a, buf_text(&b));
    buf_free(&b);
    return text;
}

static const char *param_text(struct world *w, ir_node n, const char *name, bool is_axis) {
    struct ir_param p = ir_param(w->g, n, name, w->a);
    if (p.source == IR_PARAM_DYNAMIC) return arena_printf(w->a, "value %u", p.input);
    if (p.source != IR_PARAM_ATTR && p.source != IR_PARAM_CONST) return "absent";
    return int_text(w, n, &p.attr, is_axis);
}

static const char *text_of(struct world *w, struct holds h) {
    struct buf b = {0};
    switch (h.kind) {
    case NOTHING: return "-";
    case VALUE: return ir_val(w->g, h.a)->name;
    case PARAM: return param_text(w, h.a, h.param, h.is_axis);
    case OPERATOR: return ir_op_name(w->g, h.a);
    case DIM: return arena_printf(w->a, "dim %u", h.a);
    case VALUES: break;
    }
    buf_puts(&b, "list");
    for (uint32_t k = h.b; k < ir_nod(w->g, h.a)->nin; k++)
        buf_printf(&b, " %s", ir_val(w->g, ir_input(w->g, h.a, k))->name);
    const char *text = arena_strdup(w->a, buf_text(&b));
    buf_free(&b);
    return text;
}

static bool bind(struct world *w, struct state *s, uint32_t slot, struct holds h) {
    if (s->slot[slot].kind != NOTHING)
        return s->slot[slot].kind == h.kind &&
               rw_streq(text_of(w, s->slot[slot]), text_of(w, h));
    s->slot[slot] = h;
    uint32_t flags = w->r->slots[slot].flags;
    const struct ir_tensor *t = h.kind == VALUE ? ir_const(w->g, h.a) : NULL;
    if (h.kind != VALUE) return true;
    return (!(flags & SLOT_CONST) || t) && (!(flags & SLOT_SCALAR) || (t && t->count == 1));
}

/* --- operators -------------------------------------------------------------------- */
static bool op_fits(struct world *w, const struct pat *p, ir_node n) {
    for (uint32_t i = 0; i < p->nops; i++)
        if (rw_streq(p->ops[i].name, ir_op_name(w->g, n)) &&
            rw_streq(p->ops[i].domain, ir_domain_name(w->g, n)))
            return true;
    return false;
}

static bool attr_is_as_said(struct world *w, struct state *s, ir_node n,
                            const struct attr_test *t) {
    struct ir_param p = ir_param(w->g, n, t->name, w->a);
    if (p.source == IR_PARAM_NONE) return false;
    if (t->kind == ATTR_ANY) return true;
    if (t->kind == ATTR_BIND)
        return bind(w, s, t->slot, (struct holds){PARAM, n, 0, t->name, t->is_axis});
    if (p.source != IR_PARAM_ATTR && p.source != IR_PARAM_CONST) return false;
    uint32_t rank = t->is_axis ? pm_axis_base(w->g, n) : 0;
    if (t->lit.kind == LIT_REAL)
        return p.attr.type == IR_ATTR_FLOAT && pm_number_fits(p.attr.f, 0x1p-20, &t->lit);
    if (t->lit.kind == LIT_INT)
        return p.attr.type == IR_ATTR_INT &&
               pm_axis(p.attr.i, rank) == pm_axis(t->lit.i, rank);
    if (p.attr.type != IR_ATTR_INTS || p.attr.n != t->lit.n) return false;
    for (uint32_t i = 0; i < p.attr.n; i++)
        if (pm_axis(p.attr.ints[i], rank) != pm_axis(t->lit.items[i].value, rank))
            return false;
    return true;
}

/* What the pattern does not name must be as if it were not written. */
static bool rest_is_default(struct world *w, const struct pat *p, ir_node n) {
    const struct ir_schema *schema = ir_nod(w->g, n)->schema;
    size_t ndefs;
    const struct ir_param_def *defs = ir_param_defs(schema->domain, schema->name, &ndefs);
    for (size_t i = 0; i < ndefs; i++) {
        bool named = defs[i].has_default == IR_REQUIRED;
        for (uint32_t k = 0; k < p->nattrs; k++)
            named = named || rw_streq(p->attrs[k].name, defs[i].name);
        int operand =
            ir_param_operand(schema->domain, schema->name, defs[i].name, schema->since);
        if (named || (operand >= 0 && operand < (int)p->nargs)) continue;
        struct ir_param d = ir_param_unwritten(w->g, n, defs[i].name, w->a);
        struct ir_param x = ir_param(w->g, n, defs[i].name, w->a);
        if (x.is_default) continue;
        if (x.source == IR_PARAM_ABSENT && d.source == IR_PARAM_ABSENT) continue;
        if (x.source != IR_PARAM_ATTR && x.source != IR_PARAM_CONST) return false;
        if (d.source != IR_PARAM_ATTR) return false;
        x.attr.name = d.attr.name;
        if (!ir_attr_equal(w->g->model, &x.attr, &d.attr)) return false;
    }
    return true;
}

static bool outputs_fit(struct world *w, struct state *s, const struct pat *p, ir_node n,
                        uint32_t output) {
    for (uint32_t k = 0; k < ir_nod(w->g, n)->nout; k++) {
        ir_value v = ir_output(w->g, n, k);
        uint32_t slot = k < p->nouts ? p->outs[k] : SLOT_NONE;
        if (v == IR_NONE) {
            if (slot != SLOT_NONE && s->slot[slot].kind != NOTHING) return false;
        } else if (slot != SLOT_NONE) {
            if (!bind(w, s, slot, (struct holds){VALUE, v, 0, NULL, false})) return false;
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
        struct holds list = {VALUES, n, last, NULL, false};
        if (slot != SLOT_NONE && !bind(w, &s, slot, list)) return;
    }
    for (uint32_t k = 0; k < rw_max_u32(last, rest ? 0 : x->nin); k++) {
        const struct pat *arg = k < last ? p->args[k] : &no_operand;
        const struct ir_schema *schema = x->schema;
        bool is_param =
            ir_param_of_operand(schema->domain, schema->name, k, schema->since) != NULL;
        if (k >= last && is_param) continue;
        ir_value v = ir_input(w->g, n, swap && k < 2 ? 1 - k : k);
        s.goals = also(w, arg, 0, v, 0, s.goals);
    }
    solve(w, s);
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
    if (p->attrs_slot == SLOT_NONE && !rest_is_default(w, p, n)) return;
    for (uint32_t i = 0; i < p->nattrs; i++)
        if (!attr_is_as_said(w, &s, n, &p->attrs[i])) return;
    if (p->op_slot != SLOT_NONE &&
        !bind(w, &s, p->op_slot, (struct holds){OPERATOR, n, 0, NULL, false}))
        return;
    if (!outputs_fit(w, &s, p, n, output)) return;
    mark_defined(w, &s, p);
    solve_args(w, copy(w, &s), p, n, false);
    if (p->commutes && p->nargs >= 2 && p->args[1]->kind != PAT_REST &&
        ir_input(w->g, n, 0) != ir_input(w->g, n, 1))
        solve_args(w, copy(w, &s), p, n, true);
}

/* --- goals ------------------------------------------------------------------------ */
static void solve_slot(struct world *w, struct state s, uint32_t slot, ir_value v) {
    const struct rule_slot *x = &w->r->slots[slot];
    if (v == IR_NONE || !bind(w, &s, slot, (struct holds){VALUE, v, 0, NULL, false}))
        return;
    if (x->def && !s.defined[slot]) {
        mark_defined(w, &s, x->def);
        s.goals = also(w, x->def, 0, v, x->def_output, s.goals);
    }
    solve(w, s);
}

static void solve_seen(struct world *w, struct state s, uint32_t slot, ir_value v) {
    if (s.slot[slot].kind == NOTHING)
        solve_slot(w, s, slot, pm_see_deepest(w->g, v, w->a));
    else if (s.slot[slot].kind == VALUE && pm_sees(w->g, v, s.slot[slot].a, w->a))
        solve(w, s);
}

static void solve_chain(struct world *w, struct state s, const struct pat *p, ir_value v) {
    for (uint32_t i = 0; v != IR_NONE && i <= RULE_CHAIN; i++) {
        struct state t = copy(w, &s);
        t.goals = also(w, p->args[0], 0, v, 0, s.goals);
        solve(w, t);
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
        if (v != IR_NONE) solve(w, s);
        break;
    case PAT_ABSENT:
        if (v == IR_NONE) solve(w, s);
        break;
    case PAT_SLOT: solve_slot(w, s, p->slot, v); break;
    case PAT_SEE:
        if (v == IR_NONE) break;
        s.later = also(w, NULL, p->slot, v, 0, s.later);
        solve(w, s);
        break;
    case PAT_LITERAL:
        if (v != IR_NONE && pm_literal_fits(w->g, v, &p->lit, w->a)) solve(w, s);
        break;
    case PAT_ALT:
        for (uint32_t i = 0; i < p->nalts; i++) {
            struct state t = copy(w, &s);
            t.goals = also(w, p->alts[i], 0, v, output, s.goals);
            solve(w, t);
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
static bool is_inside(const struct state *s, ir_node n) {
    for (uint32_t i = 0; i < s->nnodes; i++)
        if (s->node[i].at == n) return true;
    return false;
}

static bool may_be_seen(struct world *w, const struct state *s, uint32_t node, ir_value v) {
    /* One node may be matched by two patterns; it is kept where each of them keeps it. */
    if (s->node[node].keep) return true;
    for (uint32_t i = 0; i < w->r->nslots; i++)
        if (s->slot[i].kind == VALUE && s->slot[i].a == v &&
            (w->r->slots[i].flags & (SLOT_ROOT | SLOT_KEEP)))
            return true;
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
                if (x->user == IR_NONE || x->slot == IR_SLOT_BODY || !is_inside(s, x->user))
                    return false;
            }
        }
    return true;
}

static const char *line(struct world *w, const struct holds *slot) {
    struct buf b = {0};
    for (uint32_t i = 0; i < w->r->nslots; i++)
        buf_printf(&b, "%s%s=%s", i ? "; " : "", w->r->slots[i].name, text_of(w, slot[i]));
    const char *text = arena_strdup(w->a, buf_text(&b));
    buf_free(&b);
    return text;
}

/* Types last; of dimensions only what the tests write: numbers and names. */
static bool types_fit(struct world *w, struct state *s) {
    for (uint32_t i = 0; i < w->r->nslots; i++) {
        const struct pat_type *t = w->r->slots[i].type;
        if (!t || s->slot[i].kind != VALUE) continue;
        const struct ir_type *x = ir_val(w->g, s->slot[i].a)->type;
        if (t->dtypes && !(t->dtypes >> ir_type_dtype(x) & 1)) return false;
        if (!t->shaped) continue;
        if (!ir_type_ranked(x) || x->rank != t->ndims) return false;
        for (uint32_t k = 0; k < t->ndims; k++) {
            const struct pat_dim *d = &t->dims[k];
            if (d->kind == DIM_CONST &&
                x->dims[k] != ir_dim_const(w->g->model->dims, d->value))
                return false;
            if (d->kind == DIM_SLOT &&
                !bind(w, s, d->slot, (struct holds){DIM, x->dims[k], 0, NULL, false}))
                return false;
        }
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
    uint32_t output = w->r->slots[j->slot].def_output;
    for (ir_node n = w->g->first; n != IR_NONE; n = ir_nod(w->g, n)->next) {
        ir_value v = ir_output(w->g, n, output);
        if (v == IR_NONE || is_inside(&s, n)) continue;
        solve_slot(w, copy(w, &s), j->slot, v);
    }
}

static void solve(struct world *w, struct state s) {
    if (s.goals) {
        const struct goal *g = s.goals;
        s = copy(w, &s);
        s.goals = g->next;
        solve_pat(w, s, g->pat, g->value, g->output);
    } else if (s.later) {
        solve_later(w, copy(w, &s));
    } else if (s.joined < w->r->njoins) {
        solve_join(w, copy(w, &s));
    } else {
        s = copy(w, &s);
        if (types_fit(w, &s) && nothing_leaks(w, &s))
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
            solve_root(w, copy(w, &s), p->alts[i], output);
    } else if (p->kind == PAT_SLOT) {
        const struct rule_slot *x = &w->r->slots[p->slot];
        v = ir_output(w->g, w->root, x->def_output);
        if (v != IR_NONE && !bind(w, &s, p->slot, (struct holds){VALUE, v, 0, NULL, false}))
            return;
        mark_defined(w, &s, x->def);
        solve_root(w, s, x->def, x->def_output);
    } else {
        solve_node(w, s, p, w->root, output);
    }
}

void oracle_matches(struct arena *a, struct ir_graph *g, const struct rule *r, ir_node root,
                    struct oracle_lines *out) {
    struct world w = {a, g, r, root, arena_zalloc(a, r->nslots * sizeof(uint32_t)), out};
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

const char *oracle_line(struct arena *a, struct ir_graph *g, const struct pm_auto *p,
                        const struct rule *r, const struct pm_binding *slots) {
    struct world w = {a, g, r, IR_NONE, NULL, NULL};
    struct holds *h = arena_zalloc(a, r->nslots * sizeof *h);
    for (uint32_t i = 0; i < r->nslots; i++) {
        const struct pm_binding b = slots[i];
        if (b.kind == BOUND_VALUE) h[i] = (struct holds){VALUE, b.a, 0, NULL, false};
        if (b.kind == BOUND_LIST) h[i] = (struct holds){VALUES, b.a, b.b, NULL, false};
        if (b.kind == BOUND_OP) h[i] = (struct holds){OPERATOR, b.a, 0, NULL, false};
        if (b.kind == BOUND_DIM) h[i] = (struct holds){DIM, b.a, 0, NULL, false};
        if (b.kind == BOUND_ATTR)
            h[i] = (struct holds){PARAM, b.a, 0, p->param.at[b.b], b.c != 0};
    }
    return line(&w, h);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void oracle_sort(struct oracle_lines *l) {
    if (l->list.len > 0) qsort(l->list.at, l->list.len, sizeof *l->list.at, by_text);
}
