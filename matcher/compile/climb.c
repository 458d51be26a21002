/* climb.c -- from a value up to where another pattern of the rule may begin.
 *
 * Users are followed, breadth first, through operators that the pattern has. What is found
 * is only a candidate: the pattern is then matched from there down, the value included.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/bind.h"

/* A value with more users joins no patterns, and is no step on the way: so one that
 * thousands see costs nothing. */
#define MOST_USERS 256u
#define MOST_CLIMBED 512u /* nodes on all ways */

struct climb {
    struct pm_machine *m;
    const struct pm_way *way;
    bool matched; /* nodes that are matched already may be ends */
    struct map seen;
    VEC(ir_node) nodes; /* reached, in order; those of a level behind each other */
};

static void reach(struct climb *c, ir_node n) {
    if (n == IR_NONE || c->nodes.len >= MOST_CLIMBED || map_get(&c->seen, n) != MAP_NONE)
        return;
    map_put(&c->seen, n, 1);
    vec_push(c->m->site.arena, &c->nodes, n);
}

static void reach_users(struct climb *c, ir_value v) {
    const struct ir_graph *g = c->m->site.g;
    if (v == IR_NONE || ir_val(g, v)->nuses > MOST_USERS) return;
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].slot != IR_SLOT_BODY) reach(c, g->uses.at[u].user);
}

/* What was matched already begins no other pattern. */
static bool is_end(const struct climb *c, ir_node n) {
    ir_value v = ir_output(c->m->site.g, n, c->way->output);
    return v != IR_NONE && pm_has_op(&c->m->site, n, c->way->ends) &&
           (c->matched || !pm_is_matched(c->m, n));
}

static void add_end(struct pm_machine *m, uint32_t first, ir_value v) {
    struct ir_graph *g = m->site.g;
    vec_push(m->arena, &m->ends, v);
    uint32_t i = m->ends.len - 1;
    for (; i > first && ir_precedes(g, ir_val(g, v)->producer,
                                    ir_val(g, m->ends.at[i - 1])->producer); i--)
        m->ends.at[i] = m->ends.at[i - 1];
    m->ends.at[i] = v;
}

void pm_climb(struct pm_machine *m, ir_value from, const struct pm_way *way, bool matched) {
    struct climb c = {.m = m, .way = way, .matched = matched};
    struct ir_graph *g = m->site.g;
    uint32_t first = m->ends.len, next = 0;
    map_init(&c.seen, m->site.arena);
    reach_users(&c, from);
    for (uint32_t level = 1; level <= way->levels && next < c.nodes.len; level++)
        for (uint32_t end = c.nodes.len; next < end; next++) {
            ir_node n = c.nodes.at[next];
            if (is_end(&c, n)) add_end(m, first, ir_output(g, n, way->output));
            if (level == way->levels || !pm_has_op(&m->site, n, way->inner)) continue;
            for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++)
                reach_users(&c, ir_output(g, n, k));
        }
}
