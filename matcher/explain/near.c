/* near.c -- the nearest miss: a bind program run to its end in spite of what fails.
 *
 * A way is a list of choices: at each TRY and PICK, the first or the second; at a CLIMB or
 * CHAIN, one of those found. All ways are gone from the beginning, one after the other, and
 * each is left as soon as no fewer tests fail on it than on the best one so far.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/explain/near.h"

#define MAX_STEPS 50000u

/* --- what instructions read and write ------------------------------------------------ */
enum { A = 1, B = 2, C = 4 };
static const struct {
    uint8_t reads, writes;
    bool is_test; /* PROD is one with the OP behind it */
} flow[PM_INSN_N] = {
    [PM_PROD] = {B, A, false},   [PM_OP] = {A, 0, true},      [PM_NAMED] = {A, 0, true},
    [PM_OUTPUTS] = {A, 0, true}, [PM_ARG] = {B, A, false},    [PM_PICK] = {C, A | B, false},
    [PM_CHAIN] = {B, A, false},  [PM_CLIMB] = {B, A, true},
    [PM_EACH] = {B, A, true},
    [PM_REST] = {B, A, true},    [PM_OUT] = {B, A, false},    [PM_PRESENT] = {A, 0, true},
    [PM_ABSENT] = {A, 0, true},  [PM_SAME] = {A | B, 0, true}, [PM_MEET] = {B, A, true},
    [PM_SEE] = {B, A, true},     [PM_TEST] = {A, 0, true},    [PM_PARAM] = {B, A, true},
    [PM_OPNAME] = {B, A, false}, [PM_ATTRS] = {B, A, false},  [PM_LOSSLESS] = {A, 0, true},
    [PM_CONST] = {A, 0, true},   [PM_SCALAR] = {A, 0, true},  [PM_LITERAL] = {A, 0, true},
    [PM_LENGTH] = {A, 0, true},  [PM_ITEM] = {B, A, false},   [PM_IS] = {A, 0, true},
    [PM_DTYPE] = {A, 0, true},   [PM_RANK] = {A, 0, true},    [PM_DIM] = {B, A, false},
    [PM_DIMS] = {B, A, false},
};

static bool is_control(uint8_t op) { return flow[op].reads == 0; }

/* Calls for each register of the operands named by `which`. */
#define EACH(in, which, r, body)                                                       \
    do {                                                                               \
        const uint16_t regs_[3] = {(in)->a, (in)->b, (in)->c};                         \
        for (uint32_t i_ = 0; i_ < 3; i_++)                                            \
            if ((which) >> i_ & 1) {                                                   \
                uint16_t r = regs_[i_];                                                \
                body;                                                                  \
            }                                                                          \
    } while (0)

/* --- registers that hold nothing ------------------------------------------------------ */
static void lose(struct pm_walk *w, uint16_t r, enum pm_gone how) {
    w->gone[r] |= (uint8_t)how;
    if (how != GONE_SHAPE) w->t->machine.regs.at[r] = (struct pm_binding){0};
}

static bool reads_gone(const struct pm_walk *w, const struct pm_insn *in) {
    uint8_t bad = GONE;
    bool gone = false;
    if (in->op == PM_DIM || in->op == PM_DIMS) bad |= GONE_SHAPE;
    EACH(in, flow[in->op].reads, r, gone |= (w->gone[r] & bad) != 0);
    return gone;
}

/* What is written comes from where what is read comes from. */
static void trace(struct pm_walk *w, const struct pm_insn *in, uint32_t pc) {
    uint8_t side = 0;
    uint32_t pick = 0;
    EACH(in, flow[in->op].reads, r, side |= w->side[r]; pick = rw_max_u32(pick, w->pick[r]));
    EACH(in, flow[in->op].writes, r, w->side[r] = side; w->pick[r] = pick);
    if (in->op != PM_PICK) return;
    w->pick[in->a] = w->pick[in->b] = pc + 1;
    if (pc != w->sides.pc) return;
    w->side[in->a] = 1;
    w->side[in->b] = 2;
}

/* --- counting ------------------------------------------------------------------------- */
static void count(struct pm_walk *w, bool held, uint8_t side) {
    w->total++;
    w->held += held;
    if (side != 1 && side != 2) return;
    w->sides.total[side - 1]++;
    w->sides.held[side - 1] += held;
}

static void fail(struct pm_walk *w, enum pm_asked what, uint32_t pc, uint32_t number) {
    if (w->failed) w->failed(w->ctx, w, (struct pm_failed){what, pc, number});
}

static uint8_t side_of(const struct pm_walk *w, const struct pm_insn *in) {
    uint8_t side = 0;
    EACH(in, flow[in->op].reads, r, side |= w->side[r]);
    return side;
}

/* --- one instruction ------------------------------------------------------------------ */
static void lose_family(struct pm_walk *w, const struct pm_insn *in) {
    const struct pm_family *f = &w->t->p->family.at[in->c];
    for (uint32_t i = 0; i < f->ncolumns; i++) lose(w, f->columns[i].list, GONE);
    w->t->machine.pc = in->x;
}

/* What cannot be known after a failure. */
static void lose_after(struct pm_walk *w, const struct pm_insn *in) {
    w->nodes_gone |= in->op == PM_PROD || in->op == PM_OP || in->op == PM_EACH;
    switch (in->op) {
    case PM_PROD: lose(w, in->a, GONE_MAKER); break;
    case PM_OP:
        w->t->machine.nodes.len--; /* PROD took it for matched */
        lose(w, in->a, GONE);
        break;
    case PM_PRESENT:
    case PM_LENGTH:
    case PM_PARAM:
    case PM_REST:
    case PM_CLIMB:
    case PM_CHAIN:
    case PM_ITEM: lose(w, in->a, GONE); break;
    case PM_RANK: lose(w, in->a, GONE_SHAPE); break;
    case PM_EACH: lose_family(w, in); break;
    default: break;
    }
}

/* An instruction that left a frame: goes on as the list of choices says. */
static void choose(struct pm_walk *w, uint32_t pc) {
    struct pm_machine *m = &w->t->machine;
    uint32_t of = pm_ways(m), taken;
    if (of == 1) return;
    if (pc == w->sides.pc) {
        w->sides.before = w->taken;
        taken = w->sides.swap;
    } else {
        if (w->taken == w->choices.len)
            vec_push(&w->t->step, &w->choices, (struct pm_choice){0, of});
        w->choices.at[w->taken].of = of;
        taken = w->choices.at[w->taken++].taken;
    }
    pm_go_way(m, taken);
    m->frames.len = 0;
}

/* Alternatives for something that is not there are all the same. */
static bool is_vain_try(const struct pm_walk *w, uint32_t pc) {
    const struct pm_insn *next = &w->t->p->code.at[pc + 1];
    return w->t->p->code.at[pc].op == PM_TRY && !is_control(next->op) && reads_gone(w, next);
}

static void skip(struct pm_walk *w, const struct pm_insn *in) {
    if (flow[in->op].is_test) count(w, false, side_of(w, in));
    w->nodes_gone |= in->op == PM_PROD || in->op == PM_EACH;
    if (in->op == PM_EACH) {
        lose_family(w, in);
        return;
    }
    bool stays = in->op == PM_MEET && pm_is_set(w->t->machine.regs.at[in->a]);
    if (!stays) EACH(in, flow[in->op].writes, r, lose(w, r, GONE));
    w->t->machine.pc++;
}

static void run_insn(struct pm_walk *w) {
    struct pm_machine *m = &w->t->machine;
    uint32_t pc = m->pc;
    const struct pm_insn *in = &w->t->p->code.at[pc];
    trace(w, in, pc);
    if (in->op == PM_OP && (w->gone[in->a] & GONE_MAKER)) {
        fail(w, ASKED_INSN, pc, 0);
        count(w, false, side_of(w, in));
        lose(w, in->a, GONE);
        m->pc++;
        return;
    }
    if (is_vain_try(w, pc)) {
        m->pc++;
        return;
    }
    if (!is_control(in->op) && reads_gone(w, in)) {
        skip(w, in);
        return;
    }
    bool meets = in->op == PM_MEET && pm_is_set(m->regs.at[in->a]);
    EACH(in, flow[in->op].writes, r, w->gone[r] = 0);
    if (in->op == PM_CLEAR) memset(w->gone + in->a, 0, (size_t)(in->b - in->a));
    if (in->op == PM_EACH) w->members = m->site.members->len;
    bool ok = pm_step_on(m);
    bool is_test = flow[in->op].is_test && (in->op != PM_MEET || meets);
    if (is_test || (!ok && in->op != PM_PROD)) count(w, ok, side_of(w, in));
    choose(w, pc);
    if (ok) return;
    if (in->op != PM_PROD) fail(w, ASKED_INSN, pc, 0);
    lose_after(w, in);
}

/* --- the end of a way ----------------------------------------------------------------- */
/* Does it mention a name whose value is not there? */
static bool mentions_gone(const struct pm_walk *w, const struct expr *e) {
    const struct pm_accept *a = w->match.accept;
    if (e->kind == EXPR_SLOT && a->regs[e->slot] != PM_NO_REG &&
        (w->gone[a->regs[e->slot]] & GONE))
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (mentions_gone(w, e->args[i])) return true;
    return false;
}

static void ask(struct pm_walk *w, bool known, bool held, enum pm_asked what, uint32_t i) {
    count(w, known && held, 0);
    if (known && !held) fail(w, what, w->t->machine.pc, i);
}

static void ask_the_rest(struct pm_walk *w) {
    struct pm_machine *m = &w->t->machine;
    const struct pm_accept *a = &w->t->p->accept.at[w->t->p->code.at[m->pc].x];
    struct arena *step = &w->t->step;
    struct pm_binding *exprs = arena_new_array(step, struct pm_binding, a->nexprs);
    for (uint32_t i = 0; i < a->nexprs; i++) exprs[i] = m->regs.at[a->exprs[i].reg];
    ir_node *nodes = arena_new_array(step, ir_node, m->nodes.len);
    for (uint32_t i = 0; i < m->nodes.len; i++) nodes[i] = m->nodes.at[i].node;
    w->match = (struct pm_match){.accept = a, .slots = pm_bound_slots(m, a), .exprs = exprs,
                                 .nnodes = m->nodes.len, .nodes = nodes};
    struct pm_env env = pm_matcher_env(w->t, w->g, &w->match);
    bool closed = !w->nodes_gone && pm_leak(m, a->rule, w->match.slots) == IR_NONE;
    ask(w, !w->nodes_gone, closed, ASKED_CLOSED, 0);
    for (uint32_t i = 0; i < a->nexprs; i++) {
        bool known = !(w->gone[a->exprs[i].reg] & GONE) && !mentions_gone(w, a->exprs[i].expr);
        ask(w, known, known && pm_expr_test_holds(&env, &w->match, i), ASKED_EXPR, i);
    }
    for (uint32_t i = 0; i < a->rule->nwhere; i++) {
        bool known = !mentions_gone(w, a->rule->where[i]);
        ask(w, known, known && pm_holds(&env, a->rule->where[i]) == IR_TRUE, ASKED_WHERE, i);
    }
}

/* --- ways ----------------------------------------------------------------------------- */
/* False: left, because it is no better or too long. */
static bool go(struct pm_walk *w) {
    struct pm_machine *m = &w->t->machine;
    w->held = w->total = w->taken = 0;
    w->nodes_gone = false;
    memset(w->sides.held, 0, sizeof w->sides.held);
    memset(w->sides.total, 0, sizeof w->sides.total);
    memset(w->gone, 0, w->prog->nregs);
    memset(w->side, 0, w->prog->nregs);
    memset(w->pick, 0, w->prog->nregs * sizeof *w->pick);
    pm_begin(m, w->prog, w->root);
    while (w->t->p->code.at[m->pc].op != PM_ACCEPT) {
        if (w->left == 0 || w->total - w->held >= w->limit) return false;
        w->left--;
        run_insn(w);
    }
    ask_the_rest(w);
    return w->total - w->held < w->limit;
}

/* The way behind that one, the last choice changing first and the first `fixed` not at
 * all; false: that was the last. */
static bool next_way(struct pm_walk *w, uint32_t fixed) {
    w->choices.len = rw_min_u32(w->choices.len, w->taken);
    for (; w->choices.len > fixed; w->choices.len--) {
        struct pm_choice *last = vec_last(&w->choices);
        if (++last->taken < last->of) return true;
    }
    return false;
}

bool pm_nearest(struct pm_walk *w, struct pm_matcher *t, const struct pm_stage *s,
                struct ir_graph *g, ir_node root, struct pm_near *out) {
    pm_matcher_begin(t, g);
    *out = (struct pm_near){0};
    const struct pm_program *prog = pm_program_at(s, &t->machine.site, root);
    if (!prog) return false;
    *w = (struct pm_walk){.t = t, .prog = prog, .g = g, .root = root, .limit = UINT32_MAX,
                          .left = MAX_STEPS, .sides = {.pc = UINT32_MAX},
                          .gone = arena_zalloc(&t->step, prog->nregs),
                          .side = arena_zalloc(&t->step, prog->nregs),
                          .pick = arena_zalloc(&t->step, prog->nregs * sizeof *w->pick)};
    do {
        if (!go(w)) continue;
        w->limit = w->total - w->held;
        out->held = w->held;
        out->total = w->total;
        out->choices.len = 0;
        for (uint32_t i = 0; i < w->taken; i++)
            vec_push(&t->step, &out->choices, w->choices.at[i]);
    } while (w->limit > 0 && w->left > 0 && next_way(w, 0));
    out->gave_up = w->left == 0;
    return true;
}

static void set_way(struct pm_walk *w, const struct pm_near *near) {
    w->choices.len = 0;
    for (uint32_t i = 0; i < near->choices.len; i++)
        vec_push(&w->t->step, &w->choices, near->choices.at[i]);
    w->limit = UINT32_MAX;
    w->left = MAX_STEPS;
}

void pm_go_again(struct pm_walk *w, const struct pm_near *near, pm_on_failed *failed,
                 void *ctx) {
    set_way(w, near);
    w->failed = failed;
    w->ctx = ctx;
    go(w);
    w->failed = NULL;
}

void pm_try_sides(struct pm_walk *w, const struct pm_near *near, uint32_t pc, bool swap,
                  struct pm_sides *out) {
    set_way(w, near);
    w->sides.pc = pc;
    w->sides.swap = swap;
    go(w); /* tells how many choices come before it */
    uint32_t fixed = w->sides.before;
    w->choices.len = rw_min_u32(w->choices.len, fixed);
    *out = (struct pm_sides){0};
    uint32_t best[2] = {UINT32_MAX, UINT32_MAX};
    do {
        go(w);
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t missing = w->sides.total[i] - w->sides.held[i];
            if (w->sides.total[i] == 0 || missing >= best[i]) continue;
            best[i] = missing;
            out->held[i] = w->sides.held[i];
            out->total[i] = w->sides.total[i];
        }
    } while (w->left > 0 && next_way(w, fixed));
    w->sides.pc = UINT32_MAX;
}
