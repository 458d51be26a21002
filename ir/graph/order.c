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

/* Where n must come in front of users that stand earlier, there are two ways: what depends on n
 * goes behind it, or what n depends on goes in front of the first of those users. A few of the
 * first kind are moved at once; else both searches go on side by side, and that which ends
 * first is what is moved: so the cost is that of the smaller one. */
#define FEW 64u /* nodes */

/* A search from n, breadth first, within the nodes that stand between n and its users. */
struct region {
    struct arena arena;
    struct map seen;
    VEC(ir_node) nodes;
    uint32_t done; /* of them, from here on neighbours are not looked at */
};

struct search {
    const struct ir_graph *g;
    ir_node n, earliest; /* of the users in front of n */
    struct region behind, ahead; /* what depends on n; what n depends on, and n */
    bool cyclic;
    bool stuck; /* what bodies see is not known from their node: `ahead` is not complete */
};

static void region_init(struct region *r) {
    *r = (struct region){.arena = ARENA_EMPTY};
    map_init(&r->seen, &r->arena);
}

static void region_add(struct region *r, ir_node n) {
    if (map_get(&r->seen, n) != MAP_NONE) return;
    map_put(&r->seen, n, 1);
    vec_push(&r->arena, &r->nodes, n);
}

/* The users of the outputs of `from` that stand in front of n; n itself closes a circle. */
static void add_users(struct search *s, ir_node from) {
    for (uint32_t k = 0; k < s->g->nodes.at[from].nout; k++) {
        ir_value v = s->g->nodes.at[from].out[k];
        if (v == IR_NONE) continue;
        for (ir_use u = s->g->values.at[v].uses; u != IR_NONE; u = s->g->uses.at[u].next) {
            ir_node user = s->g->uses.at[u].user;
            if (user == s->n) s->cyclic = true;
            else if (user != IR_NONE && ir_precedes(s->g, user, s->n))
                region_add(&s->behind, user);
        }
    }
}

/* What makes the operands of `from` and does not stand in front of all users anyway. A user
 * among it closes a circle, and is found: it stands no earlier than the earliest. */
static void add_producers(struct search *s, ir_node from) {
    if (ir_has_body(s->g, from)) s->stuck = true;
    for (uint32_t k = 0; k < s->g->nodes.at[from].nin; k++) {
        ir_value v = ir_input(s->g, from, k);
        ir_node p = v == IR_NONE ? IR_NONE : s->g->values.at[v].producer;
        if (p == IR_NONE || ir_precedes(s->g, p, s->earliest)) continue;
        if (map_get(&s->behind.seen, p) != MAP_NONE) s->cyclic = true;
        region_add(&s->ahead, p);
    }
}

/* Goes on until `limit` nodes are found; true: there are no more, or a circle is closed. */
static bool grow(struct search *s, struct region *r, uint32_t limit,
                 void add(struct search *, ir_node)) {
    while (!s->cyclic && r->done < r->nodes.len && r->nodes.len <= limit)
        add(s, r->nodes.at[r->done++]);
    return s->cyclic || r->done == r->nodes.len;
}

static void search_init(struct search *s) {
    region_init(&s->behind);
    region_init(&s->ahead);
    add_users(s, s->n);
    region_add(&s->ahead, s->n);
    for (uint32_t i = 0; i < s->behind.nodes.len; i++) {
        ir_node user = s->behind.nodes.at[i];
        if (s->earliest == IR_NONE || ir_precedes(s->g, user, s->earliest))
            s->earliest = user;
    }
}

/* The region that is to move; NULL: there is a circle. */
static struct region *smaller_region(struct search *s) {
    for (uint32_t limit = FEW;; limit = rw_min_u32(limit, UINT32_MAX / 2) * 2) {
        if (grow(s, &s->behind, limit, add_users)) return s->cyclic ? NULL : &s->behind;
        if (s->stuck) continue;
        bool ended = grow(s, &s->ahead, limit, add_producers);
        if (ended && !s->stuck) return s->cyclic ? NULL : &s->ahead;
    }
}

struct keyed {
    uint64_t order;
    ir_node n;
};

static int by_order(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Moves the region in front of `before`, its order within kept. Behind n: what depends on a
 * moved node and is not moved already stands behind n; what a moved node depends on stands in
 * front. In front of the earliest user it is the other way round. */
static void move_region(struct ir_graph *g, struct region *r, ir_node before) {
    uint32_t count = r->nodes.len;
    struct keyed *moved = arena_new_array(&r->arena, struct keyed, count);
    for (uint32_t i = 0; i < count; i++)
        moved[i] = (struct keyed){key(g, r->nodes.at[i]), r->nodes.at[i]};
    if (count) qsort(moved, count, sizeof *moved, by_order);
    for (uint32_t i = 0; i < count; i++) {
        ir_list_remove(g, moved[i].n);
        ir_list_insert(g, moved[i].n, before);
    }
    if (count) ir_touch_graph(g);
}

bool ir_restore_order(struct ir_graph *g, ir_node n) {
    struct search s = {.g = g, .n = n, .earliest = IR_NONE};
    search_init(&s);
    struct region *r = smaller_region(&s);
    if (r) move_region(g, r, r == &s.ahead ? s.earliest : g->nodes.at[n].next);
    arena_free(&s.behind.arena);
    arena_free(&s.ahead.arena);
    return r != NULL;
}
