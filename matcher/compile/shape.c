/* shape.c -- how the patterns of a rule hang together: order of definitions, depth.
 *
 * One walk over the patterns from each root, through the definitions of the slots that they
 * name. A slot gets its number when all below it have theirs, so that falling numbers are
 * an order in which a definition comes before whatever it uses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

#define MAX_NESTING 500
#define MAX_VISITS 100000

enum state { NOT_SEEN, OPEN, DONE };
struct walk {
    struct pm_auto *p;
    const struct rule *rule;
    enum state *state; /* of each slot */
    uint32_t *depth;   /* of each slot that is done */
    uint32_t *order;
    uint32_t done, nesting, visits;
};

static enum rw_code walk_pat(struct walk *w, const struct pat *pat, uint32_t *depth);

static enum rw_code walk_slot(struct walk *w, uint32_t s, struct span at, uint32_t *depth) {
    const struct rule_slot *slot = &w->rule->slots[s];
    if (w->state[s] == OPEN) {
        diag_at(w->p->diags, DIAG_ERROR, at, "\"%s\" is defined by itself", slot->name);
        return RW_USAGE;
    }
    if (w->state[s] == NOT_SEEN) {
        w->state[s] = OPEN;
        if (slot->def) TRY(walk_pat(w, slot->def, &w->depth[s]));
        w->state[s] = DONE;
        w->order[s] = w->rule->nslots - 1 - w->done++;
    }
    *depth = w->depth[s];
    return RW_OK;
}

static enum rw_code walk_list(struct walk *w, uint32_t n, const struct pat *const *pats,
                              uint32_t *deepest) {
    *deepest = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t depth;
        TRY(walk_pat(w, pats[i], &depth));
        *deepest = rw_max_u32(*deepest, depth);
    }
    return RW_OK;
}

static enum rw_code walk_pat(struct walk *w, const struct pat *pat, uint32_t *depth) {
    if (++w->nesting > MAX_NESTING || ++w->visits > MAX_VISITS) {
        diag_at(w->p->diags, DIAG_ERROR, w->rule->at,
                "the patterns of rule \"%s\" are too large or nested too deeply",
                w->rule->name);
        return RW_USAGE;
    }
    *depth = 0;
    switch (pat->kind) {
    case PAT_SLOT:
    case PAT_SEE: TRY(walk_slot(w, pat->slot, pat->at, depth)); break;
    case PAT_NODE:
        TRY(walk_list(w, pat->nargs, pat->args, depth));
        ++*depth;
        break;
    case PAT_ALT: TRY(walk_list(w, pat->nalts, pat->alts, depth)); break;
    case PAT_CHAIN:
        TRY(walk_pat(w, pat->args[0], depth));
        *depth += RULE_CHAIN;
        break;
    case PAT_ANY:
    case PAT_LITERAL:
    case PAT_ABSENT:
    case PAT_REST: break;
    }
    w->nesting--;
    return RW_OK;
}

enum rw_code pm_rule_shape(struct pm_auto *p, const struct rule *r, struct pm_shape *out) {
    struct walk w = {.p = p, .rule = r};
    w.state = arena_zalloc(p->arena, r->nslots * sizeof *w.state);
    w.depth = arena_zalloc(p->arena, r->nslots * sizeof *w.depth);
    w.order = arena_zalloc(p->arena, r->nslots * sizeof *w.order);
    out->order = w.order;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < r->njoins; i++) {
        const struct rule_family *f = r->joins[i].family;
        TRY(walk_slot(&w, f ? f->member : r->joins[i].slot, r->at, &out->depth));
        if (f && i == 0) deepest = out->depth;
    }
    TRY(walk_slot(&w, r->roots[0], r->at, &out->depth));
    out->depth = rw_max_u32(out->depth, deepest);
    return RW_OK;
}
