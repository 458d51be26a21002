/* cycles.c -- rules that go on making what they match.
 *
 * An edge leads from a rule to each rule of the phase that may match something which the
 * first one has made, or has brought next to each other. Each rule changes the number of
 * nodes by its growth at most; a circle whose growth is negative in sum ends. Of the others
 * only those are told that really do not: instances of their rules are made, and the phase
 * is run on them until it runs out of fuel. Where every rule of a phase makes the graph
 * smaller there is nothing to look for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/emitted.h"
#include "lint/pack.h"

#define MOST_STEPS 2000u      /* for one question whether a pattern fits what was made */
#define MOST_QUESTIONS 400000u
#define MOST_RELAXED 50000000u
#define MOST_CIRCLES 8u       /* looked at in a phase */
#define MOST_STARTS 4u        /* rules of a circle on whose instances it is tried */
#define MOST_SOLUTIONS 3u
#define MOST_TRIES 6u

struct place { /* a node of a rule's pattern */
    uint32_t rule;
    const struct pat *pat;
};
struct places {
    struct place *at;
    uint32_t len, cap;
};
struct edges {
    uint32_t *at;
    uint32_t len, cap;
    bool known;
};
struct cycles {
    struct lint *l;
    const struct lint_phase *phase;
    struct arena arena;
    struct map index; /* operator -> places */
    VEC(struct places) places;
    struct edges *edges;  /* of each rule */
    uint32_t *seen;       /* of each rule: edges from seen[] - 1 lead there already */
    uint32_t questions;
    const struct pm_auto *compiled;
};

/* --- which patterns have an operator ----------------------------------------------- */
static uint64_t key_of(const struct pat_op *op) {
    return hash_bytes(op->name, strlen(op->name),
                      hash_bytes(op->domain, strlen(op->domain), 0));
}

static void add_place(struct cycles *c, const struct pat_op *op, struct place p) {
    uint32_t i = map_get(&c->index, key_of(op));
    if (i == MAP_NONE) {
        i = c->places.len;
        map_put(&c->index, key_of(op), i);
        vec_push(&c->arena, &c->places, (struct places){0});
    }
    vec_push(&c->arena, &c->places.at[i], p);
}

static void add_places(struct cycles *c, struct map *seen, uint32_t rule,
                       const struct pat *p) {
    if (map_get(seen, (uintptr_t)p) != MAP_NONE) return;
    map_put(seen, (uintptr_t)p, 1);
    for (uint32_t i = 0; p->kind == PAT_NODE && i < p->nops; i++)
        add_place(c, &p->ops[i], (struct place){rule, p});
    for (uint32_t i = 0; i < p->nargs; i++) add_places(c, seen, rule, p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++) add_places(c, seen, rule, p->alts[i]);
}

static void index_patterns(struct cycles *c) {
    struct map seen;
    map_init(&seen, &c->arena);
    map_init(&c->index, &c->arena);
    for (uint32_t i = 0; i < c->phase->n; i++) {
        const struct rule *r = c->phase->rules[i];
        for (uint32_t k = 0; k < r->nslots; k++)
            if (r->slots[k].def) add_places(c, &seen, i, r->slots[k].def);
    }
}

/* --- edges ------------------------------------------------------------------------- */
static bool enough(void *ctx, struct lint_state *s) {
    RW_UNUSED(s);
    *(bool *)ctx = true;
    return true;
}

/* The root of a match is there for the rule itself to find; inside of another pattern it
 * must be seen from outside of what was made. */
static bool is_root_of(const struct rule *r, const struct pat *p) {
    for (uint32_t i = 0; i < r->nroots; i++)
        if (r->slots[r->roots[i]].def == p) return true;
    return false;
}

static bool fits(struct cycles *c, const struct rule *maker, const struct emit_block *block,
                 uint32_t number, struct place at) {
    struct arena arena = ARENA_EMPTY;
    bool found = false;
    struct lint_made made;
    struct lint_solver x = {.arena = &arena, .steps = MOST_STEPS, .found = enough,
                            .budget = &c->l->budget,
                            .ctx = &found, .rules = {maker, c->phase->rules[at.rule]}};
    lint_emit(&x, block, &made);
    struct lint_emitted e = made.values.at[number];
    if (e.is_root || is_root_of(x.rules[1], at.pat)) {
        lint_goal(&x, &made.state, (struct lint_goal){.kind = LINT_MATCH, .side = 1,
                                                      .value = e.value, .pat = at.pat});
        (void)lint_solve(&x, &made.state);
    }
    arena_free(&arena);
    return found || x.cut;
}

static void add_edge(struct cycles *c, uint32_t from, uint32_t to) {
    const struct rule *r = c->phase->rules[from];
    bool own_work = from == to && r->grows && !r->again;
    if (c->seen[to] == from + 1 || own_work) return;
    c->seen[to] = from + 1;
    vec_push(&c->arena, &c->edges[from], to);
}

static void edges_of_node(struct cycles *c, uint32_t from, const struct emit_block *block,
                          uint32_t number, const struct lint_node *n) {
    const struct rule *r = c->phase->rules[from];
    for (uint32_t k = 0; k < n->nops; k++) {
        uint32_t list = map_get(&c->index, key_of(&n->ops[k]));
        for (uint32_t i = 0; list != MAP_NONE && i < c->places.at[list].len; i++) {
            struct place p = c->places.at[list].at[i];
            if (c->questions == 0 || c->l->budget == 0) return;
            if (c->seen[p.rule] == from + 1) continue;
            c->questions--;
            if (fits(c, r, block, number, p)) add_edge(c, from, p.rule);
        }
    }
}

/* A value that is handed on brings its producer next to the users of the old one. */
static bool hands_on(const struct rule *r, const struct emit_block *b) {
    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t k = 0; k < b->stmts[i].nouts; k++) {
            uint32_t out = b->stmts[i].outs[k];
            bool node = b->stmts[i].what->kind == EMIT_NODE;
            if (out != SLOT_NONE && !node && r->slots[out].flags & SLOT_ROOT) return true;
        }
    return false;
}

static void find_edges(struct cycles *c, uint32_t from) {
    const struct rule *r = c->phase->rules[from];
    c->edges[from].known = true;
    for (uint32_t b = 0; b < r->nblocks; b++) {
        struct arena arena = ARENA_EMPTY;
        struct lint_solver x = {.arena = &arena, .rules = {r}};
        struct lint_made made;
        lint_emit(&x, &r->blocks[b], &made);
        for (uint32_t i = 0; i < made.values.len; i++) {
            uint32_t node = made.state.values.at[made.values.at[i].value].node;
            edges_of_node(c, from, &r->blocks[b], i, &made.state.nodes.at[node]);
        }
        for (uint32_t i = 0; hands_on(r, &r->blocks[b]) && i < c->phase->n; i++)
            if (c->phase->rules[i]->size > 1) add_edge(c, from, i);
        arena_free(&arena);
    }
}

/* From the rules that do not make the graph smaller on: a circle that goes on has one. */
static void find_all_edges(struct cycles *c) {
    VEC(uint32_t) open = {0};
    for (uint32_t i = 0; i < c->phase->n; i++)
        if (c->phase->rules[i]->growth >= 0) vec_push(&c->arena, &open, i);
    while (open.len > 0) {
        uint32_t r = vec_pop(&open);
        if (c->edges[r].known) continue;
        find_edges(c, r);
        for (uint32_t i = 0; i < c->edges[r].len; i++)
            if (!c->edges[c->edges[r].at[i]].known)
                vec_push(&c->arena, &open, c->edges[r].at[i]);
    }
}

/* --- circles that do not shrink ---------------------------------------------------- */
struct circle {
    uint32_t n;
    uint32_t *rules; /* in order */
};

/* Rounds times edges is what finding a circle costs. */
static bool is_too_big(const struct cycles *c) {
    uint64_t edges = 0;
    for (uint32_t i = 0; i < c->phase->n; i++) edges += c->edges[i].len;
    return edges * c->phase->n > MOST_RELAXED;
}

/* Longest ways by Bellman and Ford: one that can be made longer after as many rounds as
 * there are rules goes round. A step counts the growth, and a little for itself, so that a
 * circle of growth 0 counts too. */
static bool find_circle(struct cycles *c, struct circle *out) {
    uint32_t n = c->phase->n, last = LINT_NONE;
    int64_t *far = arena_zalloc(&c->arena, (n + 1) * sizeof *far);
    uint32_t *from = arena_new_array(&c->arena, uint32_t, n + 1);
    for (uint32_t round = 0; round <= n; round++) {
        last = LINT_NONE;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < c->edges[i].len; k++) {
                uint32_t to = c->edges[i].at[k];
                int64_t there = far[i] + (int64_t)c->phase->rules[i]->growth * (n + 1) + 1;
                if (there <= far[to]) continue;
                far[to] = there;
                from[to] = i;
                last = to;
            }
        if (last == LINT_NONE) return false;
    }
    for (uint32_t i = 0; i < n; i++) last = from[last]; /* into the circle */
    out->rules = arena_new_array(&c->arena, uint32_t, n);
    out->n = 0;
    uint32_t at = last;
    do {
        out->rules[n - ++out->n] = at;
        at = from[at];
    } while (at != last && out->n < n);
    out->rules += n - out->n;
    return true;
}

static void forget_edge(struct cycles *c, uint32_t from, uint32_t to) {
    struct edges *e = &c->edges[from];
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->len; i++)
        if (e->at[i] != to) e->at[n++] = e->at[i];
    e->len = n;
}

/* --- does it go on? ---------------------------------------------------------------- */
struct trial {
    struct cycles *c;
    struct lint_solver x;
    uint32_t root, solutions;
    struct arena *keep;
    const char *graph;
};

static bool runs_out(void *ctx, struct ir_model *m, struct arena *a) {
    const struct trial *t = ctx;
    struct diag_sink diags;
    struct pm_report report;
    diag_init(&diags, a);
    struct pm_options o = {.target = TARGET_ONNX, .level = CLASS_APPROX};
    uint32_t targets = t->x.rules[0]->targets;
    if (targets && !(targets & TARGET_ONNX)) o.target = targets & (~targets + 1);
    return pm_run(t->c->compiled, m, &o, a, &report, &diags) == RW_WRONG;
}

static bool try_instance(void *ctx, struct lint_state *s) {
    struct trial *t = ctx;
    if (t->c->l->witnesses == 0) return true;
    t->c->l->witnesses--;
    struct lint_wanted wanted = {.merged = lint_merged(&t->x, s, t->root, t->x.arena),
                                 .n = 1, .of = t->x.rules, .tries = MOST_TRIES,
                                 .holds = runs_out, .ctx = t};
    t->graph = lint_witness(&wanted, t->keep);
    return t->graph || ++t->solutions == MOST_SOLUTIONS;
}

static const char *try_rule(struct cycles *c, const struct rule *r, struct arena *keep) {
    struct arena arena = ARENA_EMPTY;
    struct trial t = {.c = c, .keep = keep};
    t.x = (struct lint_solver){.arena = &arena, .rules = {r}, .steps = 10 * MOST_STEPS,
                               .budget = &c->l->budget,
                               .found = try_instance, .ctx = &t};
    struct lint_state s = lint_state_new(&t.x);
    t.root = lint_value_new(&t.x, &s);
    lint_goal(&t.x, &s, (struct lint_goal){.kind = LINT_ROOT, .value = t.root});
    (void)lint_solve(&t.x, &s);
    arena_free(&arena);
    return t.graph;
}

static void tell(struct cycles *c, const struct circle *o, const char *graph) {
    const struct rule *first = c->phase->rules[o->rules[0]];
    struct diag_sink *diags = c->l->diags;
    struct buf names = {0};
    for (uint32_t i = 0; i < o->n; i++)
        buf_printf(&names, "%s\"%s\"", i ? ", " : "", c->phase->rules[o->rules[i]]->name);
    diag_at(diags, DIAG_ERROR, first->at,
            o->n == 1 ? "%s goes on matching what it makes"
                      : "%s go on making what they match", buf_text(&names));
    diag_id(diags, o->n == 1 ? DIAG_R_FEEDS_ITSELF : DIAG_R_GOES_ROUND);
    diag_at(diags, DIAG_HELP, first->at,
            o->n == 1 ? "take out \"again\", or write a condition that fails in the end"
                      : "put them into different phases, or write a condition that fails "
                        "in the end");
    for (uint32_t i = 1; i < o->n; i++)
        diag_at(diags, DIAG_NOTE, c->phase->rules[o->rules[i]]->at, "\"%s\" is here",
                c->phase->rules[o->rules[i]]->name);
    diag_where(diags, DIAG_NOTE, NULL, "phase \"%s\" does not come to an end on\n%s",
               c->phase->stage->name, graph);
    buf_free(&names);
}

static void look_at(struct cycles *c, const struct circle *o) {
    struct arena keep = ARENA_EMPTY;
    const char *graph = NULL;
    if (!c->compiled) c->compiled = lint_compile(c->phase->n, c->phase->rules, &c->arena);
    for (uint32_t i = 0; c->compiled && !graph && i < o->n && i < MOST_STARTS; i++)
        graph = try_rule(c, c->phase->rules[o->rules[i]], &keep);
    if (graph) tell(c, o, graph);
    arena_free(&keep);
}

void lint_cycles(struct lint *l, const struct lint_phase *p) {
    struct cycles c = {.l = l, .phase = p, .arena = ARENA_EMPTY,
                       .questions = MOST_QUESTIONS};
    struct circle o;
    bool any = false;
    for (uint32_t i = 0; i < p->n; i++) any |= p->rules[i]->growth >= 0;
    if (!any) return;
    c.edges = arena_zalloc(&c.arena, p->n * sizeof *c.edges);
    c.seen = arena_zalloc(&c.arena, p->n * sizeof *c.seen);
    index_patterns(&c);
    find_all_edges(&c);
    bool big = is_too_big(&c);
    if (big || c.questions == 0) lint_set_cut(l, p->rules[0]);
    for (uint32_t i = 0; !big && i < MOST_CIRCLES && find_circle(&c, &o); i++) {
        look_at(&c, &o);
        for (uint32_t k = 0; k < o.n; k++)
            forget_edge(&c, o.rules[k], o.rules[(k + 1) % o.n]);
    }
    arena_free(&c.arena);
}
