/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/levels.h"

#include "matcher/label/label.h"
#include "matcher/bind/match.h"
#include "tests/oracle/oracle.h"

struct comparison {
    struct arena arena;
    struct pm_matcher bare, whole;
    struct pm_labels labels;
    struct levels *sum;
    struct buf *why;
};

static bool labels_agree(struct comparison *c) {
    bool same = pm_matchers_agree(&c->bare, &c->whole);
    if (!same)
        buf_printf(c->why, "%u matches with labels, %u without", c->whole.found.len,
                   c->bare.found.len);
    return same;
}

static bool rule_agrees(struct comparison *c, struct ir_graph *g, const struct rule *r,
                        ir_node n, struct arena *a) {
    struct oracle_lines want = {0}, got = {0};
    oracle_matches(a, &c->bare, g, r, n, &want);
    c->sum->unsure += want.unsure;
    if (want.unsure) return true;
    for (uint32_t i = 0; i < c->bare.found.len; i++) {
        const struct pm_match *m = &c->bare.found.at[i];
        if (m->accept->rule == r)
            vec_push(a, &got.list, oracle_line(a, g, c->bare.p, &c->bare.members, r, m->slots));
    }
    oracle_sort(&want);
    oracle_sort(&got);
    bool same = want.list.len == got.list.len;
    for (uint32_t i = 0; same && i < want.list.len; i++)
        same = rw_streq(want.list.at[i], got.list.at[i]);
    c->sum->asked++;
    if (same) return true;
    buf_printf(c->why, "rule \"%s\"", r->name);
    for (uint32_t i = 0; i < want.list.len; i++)
        buf_printf(c->why, "\n  wanted %s", want.list.at[i]);
    for (uint32_t i = 0; i < got.list.len; i++)
        buf_printf(c->why, "\n  found  %s", got.list.at[i]);
    return false;
}

static bool oracle_agrees(struct comparison *c, const struct pm_stage *s,
                          struct ir_graph *g, ir_node n) {
    struct arena a = ARENA_EMPTY;
    bool ok = true;
    for (uint32_t i = 0; ok && g->live <= c->sum->most && i < s->stage->nrules; i++)
        ok = rule_agrees(c, g, s->pack->rules[s->stage->rules[i]], n, &a);
    arena_free(&a);
    return ok;
}

static bool node_agrees(struct comparison *c, const struct pm_stage *s, struct ir_graph *g,
                        ir_node n) {
    pm_matcher_find(&c->bare, s, g, n);
    pm_matcher_find(&c->whole, s, g, n);
    c->sum->nodes++;
    c->sum->matches += c->bare.found.len;
    if (labels_agree(c) && oracle_agrees(c, s, g, n)) return true;
    buf_printf(c->why, "\nat node %u, %s\n", n, ir_op_name(g, n));
    return false;
}

static bool graph_agrees(struct comparison *c, struct ir_graph *g) {
    const struct pm_site site = pm_matcher_site(&c->whole, g);
    const struct pm_auto *p = c->bare.p;
    pm_labels_begin(&c->labels, &site);
    for (uint32_t i = 0; i < p->stages.len; i++)
        for (ir_node n = g->first; n != IR_NONE && p->stages.at[i].nprograms > 0;
             n = ir_nod(g, n)->next)
            if (!node_agrees(c, &p->stages.at[i], g, n)) return false;
    return true;
}

bool levels_agree(const struct pm_auto *p, struct ir_model *m, struct levels *sum,
                  struct buf *why) {
    struct comparison c = {.sum = sum, .why = why};
    const struct pm_options o = {.target = TARGET_ORT};
    pm_matcher_init(&c.bare, p, m, &o, &c.arena);
    pm_matcher_init(&c.whole, p, m, &o, &c.arena);
    pm_labels_init(&c.labels, p, &c.arena);
    c.whole.labels = &c.labels;
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) ok = graph_agrees(&c, m->graphs.at[i]);
    sum->bare += c.bare.candidates;
    sum->labelled += c.whole.candidates;
    pm_matcher_free(&c.bare);
    pm_matcher_free(&c.whole);
    arena_free(&c.arena);
    return ok;
}

/* --- two automata -------------------------------------------------------------------- */
/* Their tables have the same order. */
static bool alike(const struct pm_auto *p, const struct pm_match *x,
                  const struct pm_auto *q, const struct pm_match *y) {
    const struct rule *r = x->accept->rule;
    return x->accept - p->accept.at == y->accept - q->accept.at &&
           rw_streq(r->name, y->accept->rule->name) && x->nnodes == y->nnodes &&
           memcmp(x->nodes, y->nodes, x->nnodes * sizeof *x->nodes) == 0 &&
           memcmp(x->slots, y->slots, r->nslots * sizeof *x->slots) == 0;
}

struct twins {
    struct arena arena;
    struct pm_matcher at[2];
    struct pm_labels labels[2];
};

static bool twins_agree(struct twins *t, uint32_t stage, struct ir_graph *g, ir_node n) {
    const struct pm_matcher *x = &t->at[0], *y = &t->at[1];
    for (uint32_t i = 0; i < 2; i++)
        pm_matcher_find(&t->at[i], &t->at[i].p->stages.at[stage], g, n);
    bool same = x->found.len == y->found.len;
    for (uint32_t i = 0; same && i < x->found.len; i++)
        same = alike(x->p, &x->found.at[i], y->p, &y->found.at[i]);
    return same;
}

static bool graph_is_same(struct twins *t, struct ir_graph *g, struct levels *sum,
                          struct buf *why) {
    for (uint32_t i = 0; i < 2; i++) {
        const struct pm_site site = pm_matcher_site(&t->at[i], g);
        pm_labels_begin(&t->labels[i], &site);
    }
    for (uint32_t s = 0; s < t->at[0].p->stages.len; s++)
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            if (!twins_agree(t, s, g, n)) {
                buf_printf(why, "compiled rules differ at node %u, %s\n", n,
                           ir_op_name(g, n));
                return false;
            }
            sum->compared += t->at[0].found.len;
        }
    return true;
}

bool levels_same(const struct pm_auto *p, const struct pm_auto *q, struct ir_model *m,
                 struct levels *sum, struct buf *why) {
    const struct pm_options o = {.target = TARGET_ORT};
    struct twins t = {0};
    bool ok = p->stages.len == q->stages.len;
    for (uint32_t i = 0; i < 2; i++) {
        pm_matcher_init(&t.at[i], i ? q : p, m, &o, &t.arena);
        pm_labels_init(&t.labels[i], i ? q : p, &t.arena);
        t.at[i].labels = &t.labels[i];
    }
    for (uint32_t i = 0; ok && i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i]))
            ok = graph_is_same(&t, m->graphs.at[i], sum, why);
    for (uint32_t i = 0; i < 2; i++) pm_matcher_free(&t.at[i]);
    arena_free(&t.arena);
    return ok;
}
