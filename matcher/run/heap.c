/* heap.c -- a heap of nodes. Orders are asked when needed: editing keeps those of the nodes
 * that are there relative to each other. SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/run/heap.h"

void pm_heap_begin(struct pm_heap *h, struct ir_graph *g, bool last_first,
                   struct arena *a) {
    h->arena = a;
    h->g = g;
    h->last_first = last_first;
    h->at.len = h->queued.len = 0;
}

static bool goes_before(const struct pm_heap *h, ir_node a, ir_node b) {
    uint64_t x = ir_nod(h->g, a)->order, y = ir_nod(h->g, b)->order;
    return h->last_first ? x > y : x < y;
}

static void sift_up(struct pm_heap *h, uint32_t i) {
    ir_node n = h->at.at[i];
    for (; i > 0 && goes_before(h, n, h->at.at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at.at[i] = h->at.at[(i - 1) / 2];
    h->at.at[i] = n;
}

static void sift_down(struct pm_heap *h, uint32_t i) {
    ir_node n = h->at.at[i];
    for (uint32_t kid; (kid = 2 * i + 1) < h->at.len; i = kid) {
        if (kid + 1 < h->at.len && goes_before(h, h->at.at[kid + 1], h->at.at[kid])) kid++;
        if (!goes_before(h, h->at.at[kid], n)) break;
        h->at.at[i] = h->at.at[kid];
    }
    h->at.at[i] = n;
}

void pm_heap_add(struct pm_heap *h, ir_node n) {
    while (h->queued.len < h->g->nodes.len) vec_push(h->arena, &h->queued, false);
    if (h->queued.at[n] || ir_is_dead(h->g, n)) return;
    h->queued.at[n] = true;
    vec_push(h->arena, &h->at, n);
    sift_up(h, h->at.len - 1);
}

ir_node pm_heap_take(struct pm_heap *h) {
    while (h->at.len > 0) {
        ir_node n = h->at.at[0], last = vec_pop(&h->at);
        if (h->at.len > 0) {
            h->at.at[0] = last;
            sift_down(h, 0);
        }
        h->queued.at[n] = false;
        if (!ir_is_dead(h->g, n)) return n;
    }
    return IR_NONE;
}
