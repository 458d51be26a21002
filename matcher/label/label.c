/* label.c -- the labels of a graph, made once and kept right after each rewrite.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"
#include "matcher/label/label.h"

void pm_labels_init(struct pm_labels *l, const struct pm_auto *p, struct arena *a) {
    *l = (struct pm_labels){.arena = a};
    pm_states_init(&l->states, p, a);
}

static void make_room(struct pm_labels *l) {
    while (l->value.len < l->g->values.len) vec_push(l->arena, &l->value, 0);
    while (l->node.len < l->g->nodes.len) vec_push(l->arena, &l->node, 0);
    if (l->seen_in != l->g) l->seen.len = 0;
    l->seen_in = l->g;
    while (l->seen.len < l->g->values.len)
        vec_push(l->arena, &l->seen, (struct pm_seen_const){0});
}

/* --- one node ---------------------------------------------------------------------- */
/* Of what no node makes. What a constant is, is read from it once, however often all is labelled
 * anew. */
static uint32_t leaf_state(struct pm_labels *l, ir_value v) {
    const struct ir_tensor *t = ir_const(l->g, v);
    struct pm_seen_const *seen = &l->seen.at[v];
    if (t && seen->tensor == t) return seen->state;
    uint32_t state =
        pm_value_state(&l->states, l->g->model, PM_NO_PATTERN, PM_NO_NODE, t);
    *seen = (struct pm_seen_const){t, state};
    return state;
}

/* The state of an operand. Nodes come in topological order, so what makes it has one. */
static uint32_t operand_state(struct pm_labels *l, ir_value v) {
    if (v == IR_NONE) return l->states.absent;
    if (l->value.at[v] == 0) l->value.at[v] = 1 + leaf_state(l, v);
    return l->value.at[v] - 1;
}

/* Operands behind those that patterns ask for are not looked at: a node may have a million. */
static uint32_t operands_asked(const struct pm_labels *l, ir_node n, uint32_t op) {
    return op == MAP_NONE ? 0
                          : rw_min_u32(ir_nod(l->g, n)->nin,
                                       l->states.p->subs->of_op[op].nslots);
}

static uint32_t node_state(struct pm_labels *l, const struct pm_site *site, ir_node n) {
    uint32_t op = pm_op_asked(&l->states, site, n), asked = operands_asked(l, n, op);
    if (op == MAP_NONE) return PM_NO_PATTERN;
    l->operands.len = 0;
    for (uint32_t k = 0; k < asked; k++)
        vec_push(l->arena, &l->operands, operand_state(l, ir_input(l->g, n, k)));
    return pm_node_state(&l->states, site, n, op, asked, l->operands.at);
}

static void label_node(struct pm_labels *l, const struct pm_site *site, ir_node n) {
    l->node.at[n] = 1 + node_state(l, site, n);
}

static uint32_t output_label(struct pm_labels *l, ir_node n, uint32_t k) {
    return 1 + pm_value_state(&l->states, l->g->model, l->node.at[n] - 1, k,
                              ir_const(l->g, ir_output(l->g, n, k)));
}

/* --- what the model has --------------------------------------------------------------- */
static void look_at(struct pm_labels *l, const struct pm_site *site, ir_node n) {
    uint32_t op = pm_op_asked(&l->states, site, n), asked = operands_asked(l, n, op);
    if (op == MAP_NONE) return;
    pm_states_see(&l->states, op);
    for (uint32_t k = 0; k < asked; k++) {
        ir_value v = ir_input(l->g, n, k);
        if (v != IR_NONE && ir_const(l->g, v))
            pm_states_see_operand(&l->states, op, k, leaf_state(l, v));
    }
}

static void look_over_graph(struct pm_labels *l, const struct pm_site *site,
                            struct ir_graph *g) {
    struct pm_site at = *site;
    at.g = l->g = g;
    make_room(l);
    for (ir_node n = g->first; n != IR_NONE && !pm_states_full(&l->states);
         n = ir_nod(g, n)->next)
        look_at(l, &at, n);
}

/* All of its graphs, the one that will be labelled last: what its constants are is read then.
 */
static void look_over(struct pm_labels *l, const struct pm_site *site) {
    const struct ir_model *m = site->g->model;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (m->graphs.at[i] != site->g && ir_graph_is_live(m->graphs.at[i]))
            look_over_graph(l, site, m->graphs.at[i]);
    look_over_graph(l, site, site->g);
    pm_states_looked(&l->states);
}

/* --- all of a graph ---------------------------------------------------------------- */
static void label_once(struct pm_labels *l, const struct pm_site *site) {
    l->value.len = l->node.len = 0;
    make_room(l);
    for (ir_node n = l->g->first; n != IR_NONE && !pm_states_full(&l->states);
         n = ir_nod(l->g, n)->next) {
        label_node(l, site, n);
        for (uint32_t k = 0; k < ir_nod(l->g, n)->nout; k++) {
            ir_value v = ir_output(l->g, n, k);
            if (v != IR_NONE) l->value.at[v] = output_label(l, n, k);
        }
    }
}

static void label_all(struct pm_labels *l, const struct pm_site *site) {
    do label_once(l, site);
    while (pm_states_widen(&l->states));
}

/* They are right now, or given up for good. */
static void settle(struct pm_labels *l) {
    if (pm_states_full(&l->states)) l->g = NULL;
    else l->changes = l->g->model->changes;
}

void pm_labels_begin(struct pm_labels *l, const struct pm_site *site) {
    if (pm_labels_hold(l, site->g) || pm_states_full(&l->states)) return;
    if (!l->looked_over) look_over(l, site);
    l->looked_over = true;
    l->g = site->g;
    pm_heap_begin(&l->heap, l->g, false, l->arena);
    label_all(l, site);
    settle(l);
}

void pm_labels_settled(struct pm_labels *l) { l->changes = l->g->model->changes; }

/* --- after a rewrite ------------------------------------------------------------------ */
static void add_users(struct pm_labels *l, ir_value v) {
    const struct ir_graph *g = l->g;
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].user != IR_NONE) pm_heap_add(&l->heap, g->uses.at[u].user);
}

static void relabel(struct pm_labels *l, const struct pm_site *site, ir_node n) {
    uint32_t asked = operands_asked(l, n, pm_op_asked(&l->states, site, n));
    for (uint32_t k = 0; k < asked; k++) { /* may be a constant by now */
        ir_value v = ir_input(l->g, n, k);
        if (v != IR_NONE && ir_val(l->g, v)->producer == IR_NONE) l->value.at[v] = 0;
    }
    label_node(l, site, n);
    for (uint32_t k = 0; k < ir_nod(l->g, n)->nout; k++) {
        ir_value v = ir_output(l->g, n, k);
        if (v == IR_NONE) continue;
        uint32_t label = output_label(l, n, k);
        if (l->value.at[v] == label) continue;
        l->value.at[v] = label;
        add_users(l, v);
    }
}

static void work_off(struct pm_labels *l, const struct pm_site *site) {
    for (ir_node n; (n = pm_heap_take(&l->heap)) != IR_NONE;) relabel(l, site, n);
}

/* Do users of an old value see another label now? Where the new node took the value over,
 * they were added when its label changed. */
static bool users_see_another(struct pm_labels *l, const struct pm_done *d) {
    for (uint32_t i = 0; i < d->exchanged.len; i++) {
        struct pm_exchange x = d->exchanged.at[i];
        if (x.old != x.now && l->value.at[x.old] != operand_state(l, x.now) + 1)
            return true;
    }
    return false;
}

void pm_labels_update(struct pm_labels *l, const struct pm_site *site,
                      const struct pm_done *d) {
    uint32_t known = l->node.len; /* constants of functions are nodes too: not in d->made */
    make_room(l);
    for (ir_node n = known; n < l->g->nodes.len; n++) pm_heap_add(&l->heap, n);
    work_off(l, site);
    if (users_see_another(l, d))
        for (uint32_t i = 0; i < d->users.len; i++) pm_heap_add(&l->heap, d->users.at[i]);
    work_off(l, site);
    if (pm_states_widen(&l->states)) label_all(l, site);
    settle(l);
}

/* --- for tests --------------------------------------------------------------------- */
bool pm_labels_check(struct pm_labels *l, const struct pm_site *site) {
    struct pm_labels fresh = {.states = l->states, .arena = l->arena, .g = l->g};
    if (!pm_labels_hold(l, l->g)) return false;
    label_all(&fresh, site);
    l->states = fresh.states;
    for (ir_node n = l->g->first; n != IR_NONE; n = ir_nod(l->g, n)->next) {
        if (l->node.at[n] != fresh.node.at[n]) return false;
        for (uint32_t k = 0; k < ir_nod(l->g, n)->nout; k++) {
            ir_value v = ir_output(l->g, n, k);
            if (v != IR_NONE && l->value.at[v] != fresh.value.at[v]) return false;
        }
    }
    return true;
}
