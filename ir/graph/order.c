/* order.c -- the topological order: a linked list with keys, relabelled where it is full.
 *
 * Keys answer "which is earlier" in O(1). A new node gets the key in the middle of its
 * neighbours'; where there is none, the smallest enclosing range of keys that is sparse
 * enough is spread out evenly (Bender, Cole, Demaine, Farach-Colton, Zito: Two simplified
 * algorithms for maintaining order in a list): O(log n) amortised.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"

#define GAP ((uint64_t)1 << 32) /* between nodes added at the end */

static uint64_t key(const struct ir_graph *g, ir_node n) { return g->nodes.at[n].order; }

/* A key between two neighbours (IR_NONE: the ends), or false. 0 is nobody's. */
static bool key_between(const struct ir_graph *g, ir_node prev, ir_node next,
                        uint64_t *out) {
    uint64_t low = prev == IR_NONE ? 0 : key(g, prev);
    if (next == IR_NONE && low <= UINT64_MAX - 2 * GAP) {
        *out = low + GAP;
        return true;
    }
    uint64_t high = next == IR_NONE ? UINT64_MAX : key(g, next);
    *out = low + (high - low) / 2;
    return high - low >= 2;
}

/* Spreads out the nodes around n. A range of 2^i keys is sparse enough with up to
 * (4/3)^i nodes: then many insertions fit before it must be spread again. */
static void relabel(struct ir_graph *g, ir_node n) {
    ir_node first = n, last = n;
    uint64_t count = 1;
    double limit = 1;
    for (uint32_t bits = 1; bits < 64; bits++) {
        uint64_t mask = ((uint64_t)1 << bits) - 1;
        uint64_t low = key(g, n) & ~mask, high = low | mask;
        ir_node p;
        for (; (p = g->nodes.at[first].prev) != IR_NONE && key(g, p) >= low; count++)
            first = p;
        for (; (p = g->nodes.at[last].next) != IR_NONE && key(g, p) <= high; count++)
            last = p;
        limit *= 4.0 / 3.0;
        uint64_t step = mask / (count + 1);
        if ((double)count > limit || step < 2) continue;
        for (p = first;; p = g->nodes.at[p].next) {
            low += step;
            SET_NODE(g, p, order, low);
            if (p == last) return;
        }
    }
    rw_broken(__FILE__, __LINE__, "room for 2^32 nodes in 2^64 keys");
}

void ir_list_insert(struct ir_graph *g, ir_node n, ir_node before) {
    ir_node prev = before == IR_NONE ? g->last : g->nodes.at[before].prev;
    uint64_t order;
    if (!key_between(g, prev, before, &order)) {
        relabel(g, before == IR_NONE ? prev : before);
        bool room = key_between(g, prev, before, &order);
        rw_assert(room);
    }
    SET_NODE(g, n, order, order);
    SET_NODE(g, n, prev, prev);
    SET_NODE(g, n, next, before);
    if (prev == IR_NONE) SET(g->model, g->first, n);
    else SET_NODE(g, prev, next, n);
    if (before == IR_NONE) SET(g->model, g->last, n);
    else SET_NODE(g, before, prev, n);
}

void ir_list_remove(struct ir_graph *g, ir_node n) {
    ir_node prev = g->nodes.at[n].prev, next = g->nodes.at[n].next;
    if (prev == IR_NONE) SET(g->model, g->first, next);
    else SET_NODE(g, prev, next, next);
    if (next == IR_NONE) SET(g->model, g->last, prev);
    else SET_NODE(g, next, prev, prev);
}

/* --- restoring ---------------------------------------------------------------------- */

/* The nodes in front of `n` that depend on it, found breadth first. */
struct region {
    struct arena arena;
    struct map seen;
    VEC(ir_node) nodes;
    ir_node n;
};

/* Adds the users of the outputs of `from` that stand in front of n; false if n is one. */
static bool add_users(const struct ir_graph *g, struct region *r, ir_node from) {
    for (uint32_t k = 0; k < g->nodes.at[from].nout; k++) {
        ir_value v = g->nodes.at[from].out[k];
        if (v == IR_NONE) continue;
        for (ir_use u = g->values.at[v].uses; u != IR_NONE; u = g->uses.at[u].next) {
            ir_node user = g->uses.at[u].user;
            if (user == r->n) return false;
            if (user == IR_NONE || !ir_precedes(g, user, r->n)) continue;
            if (map_get(&r->seen, user) != MAP_NONE) continue;
            map_put(&r->seen, user, 1);
            vec_push(&r->arena, &r->nodes, user);
        }
    }
    return true;
}

static bool find_region(const struct ir_graph *g, struct region *r) {
    if (!add_users(g, r, r->n)) return false;
    for (uint32_t i = 0; i < r->nodes.len; i++)
        if (!add_users(g, r, r->nodes.at[i])) return false;
    return true;
}

struct keyed {
    uint64_t order;
    ir_node n;
};

static int by_order(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Moves the region behind n, its order within kept. What depends on a moved node and is
 * not moved already stands behind n; what a moved node depends on stands in front. */
static void move_behind(struct ir_graph *g, struct region *r) {
    uint32_t count = r->nodes.len;
    struct keyed *moved = arena_new_array(&r->arena, struct keyed, count);
    for (uint32_t i = 0; i < count; i++)
        moved[i] = (struct keyed){key(g, r->nodes.at[i]), r->nodes.at[i]};
    if (count) qsort(moved, count, sizeof *moved, by_order);
    ir_node before = g->nodes.at[r->n].next;
    for (uint32_t i = 0; i < count; i++) {
        ir_list_remove(g, moved[i].n);
        ir_list_insert(g, moved[i].n, before);
    }
    if (count) ir_touch_graph(g);
}

bool ir_restore_order(struct ir_graph *g, ir_node n) {
    struct region r = {.n = n};
    map_init(&r.seen, &r.arena);
    bool acyclic = find_region(g, &r);
    if (acyclic) move_behind(g, &r);
    arena_free(&r.arena);
    return acyclic;
}
