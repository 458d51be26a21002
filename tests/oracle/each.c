/* each.c -- families, for the oracle: every node of the graph is tried as a member by itself.
 *
 * The rules say that of several ways in which a node is a member one is taken, and not which.
 * Where they bind other things, the oracle is not sure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/match.h"
#include "tests/oracle/search.h"

#define MOST_USERS 256 /* of the value that the members share (docs/language.md) */

struct member {
    const struct rule_family *family;
    bool found;
    struct holds *column; /* by then */
    struct state end;
};

/* --- conditions on a member ------------------------------------------------------------ */
static uint32_t number_of(const struct pm_auto *p, const char *param) {
    uint32_t i = 0;
    while (i < p->param.len && !rw_streq(p->param.at[i], param)) i++;
    return i;
}

static struct pm_binding binding_of(const struct pm_auto *p, struct holds h) {
    switch (h.kind) {
    case VALUE: return (struct pm_binding){BOUND_VALUE, h.a, 0, 0};
    case VALUES: return (struct pm_binding){BOUND_LIST, h.a, h.b, 0};
    case OPERATOR: return (struct pm_binding){BOUND_OP, h.a, 0, 0};
    case DIM: return (struct pm_binding){BOUND_DIM, h.a, h.b, 0};
    case DIMS: return (struct pm_binding){BOUND_DIMS, h.a, h.b, h.c};
    case PARAM:
        return (struct pm_binding){BOUND_ATTR, h.a, number_of(p, h.param), h.is_axis};
    case NOTHING:
    case PARAMS:
    case MEMBERS: break;
    }
    return (struct pm_binding){0};
}

static bool where_holds(struct world *w, const struct state *s, const struct expr *where) {
    const struct pm_accept accept = {.rule = w->r};
    struct pm_match match = {.accept = &accept};
    if (!where) return true;
    if (!w->t) {
        w->out->unsure = true;
        return true;
    }
    match.slots = arena_zalloc(w->a, w->r->nslots * sizeof *match.slots);
    for (uint32_t i = 0; i < w->r->nslots; i++)
        match.slots[i] = binding_of(w->t->p, s->slot[i]);
    struct pm_env env = pm_matcher_env(w->t, w->g, &match);
    return pm_holds(&env, where) == IR_TRUE;
}

/* --- one ------------------------------------------------------------------------------- */
static void forget(struct state *s, const struct rule_family *f) {
    for (uint32_t i = f->first; i < f->end; i++) {
        s->slot[i] = (struct holds){.kind = NOTHING};
        s->defined[i] = false;
    }
}

void oracle_end_member(struct world *w, struct state *s) {
    struct member *m = s->member;
    const struct rule_family *f = m->family;
    struct state t = oracle_copy(w, s);
    if (!oracle_types_fit(w, &t, f->first, f->end) || !where_holds(w, &t, f->where)) return;
    struct holds *column = arena_new_array(w->a, struct holds, f->ncolumns);
    for (uint32_t i = 0; i < f->ncolumns; i++) column[i] = t.slot[f->columns[i].one];
    for (uint32_t i = 0; m->found && i < f->ncolumns; i++)
        w->out->unsure |= !holds_same(w->a, w->g, column[i], m->column[i]);
    if (m->found) return;
    *m = (struct member){f, true, column, t};
}

static struct member try_member(struct world *w, const struct state *s,
                                const struct rule_family *f, ir_value v) {
    struct member m = {.family = f};
    struct state t = oracle_copy(w, s);
    forget(&t, f);
    t.goals = t.later = NULL;
    t.member = &m;
    oracle_solve_slot(w, t, f->member, v);
    return m;
}

/* --- all of them ------------------------------------------------------------------------ */
static void add_nodes(struct state *s, const struct state *end) {
    for (uint32_t i = 0; i < end->nnodes; i++)
        if (s->nnodes < countof(s->node) && !oracle_is_inside(s, end->node[i].at))
            s->node[s->nnodes++] = end->node[i];
}

static void set_lists(struct world *w, struct state *s, const struct rule_family *f,
                      uint32_t n, struct holds *const *row) {
    for (uint32_t i = 0; i < f->ncolumns; i++) {
        struct holds *list = arena_new_array(w->a, struct holds, n);
        for (uint32_t k = 0; k < n; k++) list[k] = row[k][i];
        s->slot[f->columns[i].list] = (struct holds){.kind = MEMBERS, .a = n, .members = list};
    }
}

void oracle_solve_family(struct world *w, struct state s, const struct rule_join *j) {
    const struct rule_family *f = j->family;
    const bool is_root = j->slot == w->r->roots[0];
    const uint32_t output = w->r->slots[f->member].def_output;
    const struct holds via = s.slot[j->via];
    VEC(struct holds *) rows = {0};
    if (via.kind != VALUE || ir_val(w->g, via.a)->nuses > MOST_USERS) return;
    struct state t = oracle_copy(w, &s);
    forget(&t, f);
    for (ir_node n = w->g->first; n != IR_NONE; n = ir_nod(w->g, n)->next) {
        ir_value v = ir_output(w->g, n, output);
        if (v == IR_NONE || ir_val(w->g, v)->nuses == 0) continue;
        if (!is_root && oracle_is_inside(&s, n)) continue;
        struct member m = try_member(w, &s, f, v);
        if (!m.found) continue;
        if (is_root && rows.len == 0 && n != w->root) return; /* begun by another one */
        vec_push(w->a, &rows, m.column);
        add_nodes(&t, &m.end);
    }
    if (rows.len < f->least || (f->most >= 0 && rows.len > f->most)) return;
    set_lists(w, &t, f, rows.len, rows.at);
    oracle_solve(w, t);
}
