/* measure.c -- order, depth and size of a rule's patterns.
 *
 * Values that are defined by each other in a circle are refused here: whoever walks
 * patterns later may follow definitions without fear, to MEASURE_DEPTH levels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

#define MEASURE_DEPTH 600u

/* --- circles and depth ------------------------------------------------------------- */
struct refs { /* slots that a pattern names */
    uint32_t *at;
    uint32_t len, cap;
};

static void collect(struct lower *l, const struct pat *p, struct refs *out) {
    if (p->kind == PAT_SLOT || p->kind == PAT_SEE) vec_push(l->arena, out, p->slot);
    for (uint32_t i = 0; i < p->nargs; i++) collect(l, p->args[i], out);
    for (uint32_t i = 0; i < p->nalts; i++) collect(l, p->alts[i], out);
}

static uint32_t levels(const struct pat *p) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->nargs; i++) most = rw_max_u32(most, levels(p->args[i]));
    for (uint32_t i = 0; i < p->nalts; i++) most = rw_max_u32(most, levels(p->alts[i]));
    return most + 1;
}

struct visit {
    struct refs refs;
    uint32_t next, depth;
    enum { NEW, OPEN, DONE } state;
};

static void circle(struct lower *l, uint32_t slot) {
    const struct rule_slot *s = &l->slots.at[slot];
    dsl_error(l, s->at, "\"%s\" is defined by itself", s->name);
}

/* Depth first over the slots, on a stack of our own: chains of names may be long. */
static void visit_slot(struct lower *l, struct visit *visits, uint32_t first) {
    struct refs stack = {0};
    vec_push(l->arena, &stack, first);
    while (stack.len && !l->failed) {
        uint32_t slot = *vec_last(&stack);
        const struct pat *def = l->slots.at[slot].def;
        struct visit *v = &visits[slot];
        if (v->state == NEW) {
            v->state = OPEN;
            if (def) collect(l, def, &v->refs);
        }
        if (v->next < v->refs.len) {
            uint32_t to = v->refs.at[v->next++];
            if (visits[to].state == OPEN) circle(l, to);
            if (visits[to].state == NEW) vec_push(l->arena, &stack, to);
            continue;
        }
        for (uint32_t i = 0; i < v->refs.len; i++)
            v->depth = rw_max_u32(v->depth, visits[v->refs.at[i]].depth);
        v->depth += def ? levels(def) : 0;
        v->state = DONE;
        (void)vec_pop(&stack);
        if (v->depth > MEASURE_DEPTH)
            dsl_error(l, l->slots.at[slot].at, "a pattern of more than %u levels",
                      MEASURE_DEPTH);
    }
}

/* --- sizes ------------------------------------------------------------------------- */
static uint32_t most_nodes(const struct pat *p) {
    uint32_t n = p->kind == PAT_NODE || p->kind == PAT_CHAIN, best = 0;
    for (uint32_t i = 0; i < p->nargs; i++) n += most_nodes(p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++) best = rw_max_u32(best, most_nodes(p->alts[i]));
    return n + best;
}

static uint32_t least_nodes(const struct pat *p) {
    uint32_t n = p->kind == PAT_NODE, best = UINT32_MAX;
    for (uint32_t i = 0; i < p->nargs; i++) n += least_nodes(p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++)
        best = rw_min_u32(best, least_nodes(p->alts[i]));
    return p->nalts ? n + best : n;
}

/* Outputs of one operator share its pattern: it counts for the first that has a name. */
static bool counts(const struct lower *l, uint32_t slot) {
    const struct pat *def = l->slots.at[slot].def;
    if (!def) return false;
    for (uint32_t i = 0; i < def->nouts; i++)
        if (def->outs[i] != SLOT_NONE) return def->outs[i] == slot;
    return true;
}

/* Nodes that surely go: kept ones only where emit defines their value anew. */
static uint32_t removed(struct lower *l) {
    bool *reached = arena_zalloc(l->arena, l->slots.len * sizeof *reached);
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->rule->nroots; i++) dsl_reach(l, l->rule->roots[i], reached);
    for (uint32_t i = 0; i < l->rule->njoins; i++)
        dsl_reach(l, l->rule->joins[i].slot, reached);
    for (uint32_t i = 0; i < l->slots.len; i++) {
        const struct rule_slot *s = &l->slots.at[i];
        bool stays = (s->flags & SLOT_KEEP) && !l->notes.at[i].redefined;
        if (reached[i] && counts(l, i) && !stays) n += least_nodes(s->def);
    }
    return n;
}

/* Known before the model runs: it is folded and makes no node. */
static bool is_constant(const struct lower *l, const struct emit *e) {
    switch (e->kind) {
    case EMIT_LITERAL: case EMIT_EXPR: case EMIT_ABSENT: return true;
    case EMIT_SLOT:
        return (l->slots.at[e->slot].flags & SLOT_CONST) || l->notes.at[e->slot].constant;
    case EMIT_SPREAD: return false;
    case EMIT_NODE: case EMIT_COALESCE: case EMIT_PLUS: break;
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!is_constant(l, e->args[i])) return false;
    return true;
}

static uint32_t made(const struct lower *l, const struct emit *e) {
    if (is_constant(l, e)) return 0;
    uint32_t n = e->kind == EMIT_NODE || e->kind == EMIT_PLUS;
    for (uint32_t i = 0; i < e->nargs; i++) n += made(l, e->args[i]);
    return n;
}

static uint32_t most_made(struct lower *l) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < l->rule->nblocks; i++) {
        const struct emit_block *block = &l->rule->blocks[i];
        uint32_t n = 0;
        for (uint32_t k = 0; k < block->n; k++) {
            const struct emit_stmt *s = &block->stmts[k];
            n += made(l, s->what);
            for (uint32_t j = 0; j < s->nouts; j++)
                if (s->outs[j] != SLOT_NONE)
                    l->notes.at[s->outs[j]].constant = is_constant(l, s->what);
        }
        most = rw_max_u32(most, n);
    }
    return most;
}

void dsl_measure(struct lower *l) {
    struct visit *visits = arena_zalloc(l->arena, l->slots.len * sizeof *visits);
    for (uint32_t i = 0; i < l->slots.len; i++)
        if (visits[i].state == NEW) visit_slot(l, visits, i);
    if (!l->failed) dsl_join(l);
    if (l->failed) return;
    for (uint32_t i = 0; i < l->slots.len; i++)
        if (counts(l, i)) l->rule->size += most_nodes(l->slots.at[i].def);
    l->rule->growth = (int32_t)most_made(l) - (int32_t)removed(l);
    l->rule->grows = l->rule->growth >= 0;
}
