/* cut.c -- the sides of a region's nodes that move least: a minimum cut.
 *
 * A value costs its transposition when those who make and read it are not all on one side.
 * As a network: from each of them without limit to a knot `in`, from there with the cost
 * to a knot `out`, and back without limit to each of them. The source is the old side, the
 * sink the new one. Dinic's algorithm; nodes that can reach the sink in what is left are
 * moved, which are the fewest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/transpose/region.h"

#define UNLIMITED ((uint64_t)1 << 62) /* more than all costs: 2^34 elements, 2^13 values */
/* Elements count first, then Transposes: of those there are fewer than this. */
#define AN_ELEMENT ((uint64_t)1 << 14)
#define MOST_ROUNDS 256
#define NO_LEVEL UINT32_MAX

struct edge {
    uint32_t to, next; /* of the same knot */
    uint64_t room;     /* the way back is edge ^ 1 */
};
struct network {
    struct arena *arena;
    VEC(struct edge) edges;
    uint32_t *first, *current, *level, *queue, *path;
    uint32_t knots, source, sink;
};

static void connect(struct network *w, uint32_t from, uint32_t to, uint64_t room) {
    vec_push(w->arena, &w->edges, (struct edge){to, w->first[from], room});
    w->first[from] = w->edges.len - 1;
    vec_push(w->arena, &w->edges, (struct edge){from, w->first[to], 0});
    w->first[to] = w->edges.len - 1;
}

/* --- building ------------------------------------------------------------------------- */

static uint32_t knot_of(const struct network *w, uint32_t side) {
    return side == IR_SIDE_OLD ? w->source : side == IR_SIDE_NEW ? w->sink : side;
}

static void join(struct network *w, uint32_t side, uint32_t in) {
    connect(w, knot_of(w, side), in, UNLIMITED);
    connect(w, in + 1, knot_of(w, side), UNLIMITED);
}

static void build(struct network *w, const struct ir_region *r) {
    uint32_t nodes = r->nodes.len;
    w->source = nodes;
    w->sink = nodes + 1;
    w->knots = nodes + 2 + 2 * r->values.len;
    uint32_t **lists[] = {&w->first, &w->current, &w->level, &w->queue, &w->path};
    for (uint32_t i = 0; i < countof(lists); i++)
        *lists[i] = arena_new_array(w->arena, uint32_t, w->knots);
    for (uint32_t i = 0; i < w->knots; i++) w->first[i] = MAP_NONE;
    for (uint32_t i = 0; i < r->values.len; i++) {
        const struct ir_region_value *x = &r->values.at[i];
        uint32_t in = nodes + 2 + 2 * i;
        connect(w, in, in + 1, x->cost * AN_ELEMENT + 1);
        if (x->producer != IR_SIDE_BOTH) join(w, x->producer, in);
        for (uint32_t k = 0; k < x->readers.len; k++) join(w, x->readers.at[k], in);
    }
}

/* --- flow ----------------------------------------------------------------------------- */

static bool find_levels(struct network *w) {
    for (uint32_t i = 0; i < w->knots; i++) {
        w->level[i] = NO_LEVEL;
        w->current[i] = w->first[i];
    }
    uint32_t len = 0;
    w->level[w->source] = 0;
    w->queue[len++] = w->source;
    for (uint32_t i = 0; i < len; i++)
        for (uint32_t e = w->first[w->queue[i]]; e != MAP_NONE; e = w->edges.at[e].next) {
            uint32_t to = w->edges.at[e].to;
            if (!w->edges.at[e].room || w->level[to] != NO_LEVEL) continue;
            w->level[to] = w->level[w->queue[i]] + 1;
            w->queue[len++] = to;
        }
    return w->level[w->sink] != NO_LEVEL;
}

static void push_along(struct network *w, uint32_t len) {
    uint64_t room = UINT64_MAX;
    for (uint32_t i = 0; i < len; i++)
        if (w->edges.at[w->path[i]].room < room) room = w->edges.at[w->path[i]].room;
    for (uint32_t i = 0; i < len; i++) {
        w->edges.at[w->path[i]].room -= room;
        w->edges.at[w->path[i] ^ 1].room += room;
    }
}

/* The next edge of a knot that leads on, or none. */
static uint32_t leading_edge(struct network *w, uint32_t knot) {
    uint32_t *e = &w->current[knot];
    for (; *e != MAP_NONE; *e = w->edges.at[*e].next) {
        const struct edge *x = &w->edges.at[*e];
        if (x->room && w->level[x->to] == w->level[knot] + 1) break;
    }
    return *e;
}

/* All ways from source to sink along the levels, one after the other. */
static void fill_levels(struct network *w) {
    uint32_t len = 0, at = w->source;
    for (;;) {
        uint32_t e = leading_edge(w, at);
        if (e != MAP_NONE) {
            w->path[len++] = e;
            at = w->edges.at[e].to;
        } else if (len) {
            at = w->edges.at[w->path[--len] ^ 1].to;
            w->current[at] = w->edges.at[w->current[at]].next;
        } else return;
        if (at != w->sink) continue;
        push_along(w, len);
        len = 0;
        at = w->source;
    }
}

/* Marks who reaches the sink. */
static void mark(struct network *w, struct ir_region *r) {
    uint32_t len = 0;
    for (uint32_t i = 0; i < w->knots; i++) w->level[i] = NO_LEVEL;
    w->level[w->sink] = 0;
    w->queue[len++] = w->sink;
    for (uint32_t i = 0; i < len; i++)
        for (uint32_t e = w->first[w->queue[i]]; e != MAP_NONE; e = w->edges.at[e].next) {
            uint32_t from = w->edges.at[e].to;
            if (!w->edges.at[e ^ 1].room || w->level[from] != NO_LEVEL) continue;
            w->level[from] = 0;
            w->queue[len++] = from;
        }
    for (uint32_t i = 0; i < r->nodes.len; i++)
        r->nodes.at[i].moved = w->level[i] != NO_LEVEL;
}

bool ir_region_cut(struct ir_region *r) {
    struct arena work = ARENA_EMPTY;
    struct network w = {.arena = &work};
    build(&w, r);
    uint32_t round = 0;
    while (round < MOST_ROUNDS && find_levels(&w)) {
        fill_levels(&w);
        round++;
    }
    if (round < MOST_ROUNDS) mark(&w, r);
    arena_free(&work);
    return round < MOST_ROUNDS;
}
