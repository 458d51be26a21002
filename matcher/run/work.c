/* work.c -- the worklist, and what a rewrite puts back on it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/run/run.h"

/* A value with more uses than this is not interior to any pattern, so losing one changes
 * nothing for those above it. And a requeueing comes by this many nodes at most: what it
 * misses the next sweep finds. Both keep a rewrite from costing more than its
 * neighbourhood, whatever hangs on a value that thousands see. */
#define MOST_INNER_USES 8
#define MOST_SEEN 4096

void pm_work_begin(struct pm_work *w, struct ir_graph *g, struct arena *a) {
    w->arena = a;
    w->g = g;
    pm_heap_begin(&w->heap, g, true, a);
    w->seen.len = w->round = 0;
}

void pm_work_add(struct pm_work *w, ir_node n) { pm_heap_add(&w->heap, n); }

ir_node pm_work_take(struct pm_work *w) { return pm_heap_take(&w->heap); }

/* --- requeueing ------------------------------------------------------------------- */
static void reach(struct pm_work *w, ir_node n) {
    if (ir_is_dead(w->g, n) || w->seen.at[n] == w->round) return;
    w->seen.at[n] = w->round;
    vec_push(w->arena, &w->next, n);
}

static void reach_users(struct pm_work *w, ir_value v) {
    const struct ir_graph *g = w->g;
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE && w->next.len < MOST_SEEN;
         u = g->uses.at[u].next)
        if (g->uses.at[u].user != IR_NONE) reach(w, g->uses.at[u].user);
}

static void reach_first(struct pm_work *w, const struct pm_done *d) {
    for (uint32_t i = 0; i < d->users.len; i++) reach(w, d->users.at[i]);
    for (uint32_t i = 0; i < d->released.len; i++) {
        const struct ir_value_info *x = ir_val(w->g, d->released.at[i]);
        if (!(x->flags & IR_IS_DEAD) && x->nuses <= MOST_INNER_USES)
            reach_users(w, d->released.at[i]);
    }
}

void pm_work_again(struct pm_work *w, const struct pm_stage *s, const struct pm_site *site,
                   const struct pm_done *d) {
    while (w->seen.len < w->g->nodes.len) vec_push(w->arena, &w->seen, 0);
    for (uint32_t i = 0; i < d->made.len; i++) pm_work_add(w, d->made.at[i]);
    w->round++;
    w->next.len = 0;
    reach_first(w, d);
    uint32_t count = 0;
    for (uint32_t level = 1; level <= s->depth && w->next.len > 0; level++) {
        w->front.len = 0;
        for (uint32_t i = 0; i < w->next.len; i++)
            vec_push(w->arena, &w->front, w->next.at[i]);
        w->next.len = 0;
        for (uint32_t i = 0; i < w->front.len && count < MOST_SEEN; i++, count++) {
            ir_node n = w->front.at[i];
            const struct pm_program *prog = pm_program_at(s, site, n);
            if (prog && prog->depth >= level) pm_work_add(w, n);
            for (uint32_t k = 0; k < ir_nod(w->g, n)->nout; k++)
                if (ir_output(w->g, n, k) != IR_NONE) reach_users(w, ir_output(w->g, n, k));
        }
    }
}
