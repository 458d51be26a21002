/* witness.c -- a graph on which rules really match, for those who must see it to believe.
 *
 * Instances of the merged rule are made as for `rules test`, and the rules themselves are
 * matched on them. Of the numbers that a found one was drawn from as many as can be are
 * then made 0, which is the simplest answer to every question.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/judge.h"
#include "lint/merged.h"

#define LEAST_OPSET 7
#define MOST_SIMPLER 150 /* tries to make one simpler */

struct witness {
    struct judge_plan plan;
    const struct lint_wanted *wanted;
    uint32_t *seen; /* of each rule: matches at the node that is looked at */
};

/* --- do they match? ---------------------------------------------------------------- */
static bool note(void *ctx, const struct rule *r, const struct pm_binding *slots) {
    struct witness *w = ctx;
    RW_UNUSED(slots);
    for (uint32_t i = 0; i < w->wanted->n; i++) w->seen[i] += w->wanted->of[i] == r;
    return true;
}

static bool all_match_at(struct witness *w, struct ir_graph *g, ir_node n) {
    struct pm_options o = {.target = w->plan.target};
    memset(w->seen, 0, w->wanted->n * sizeof *w->seen);
    pm_matches(w->plan.rules, g, n, &o, note, w);
    for (uint32_t i = 0; i < w->wanted->n; i++)
        if (w->seen[i] == 0) return false;
    return true;
}

static bool all_match(struct witness *w, struct ir_graph *g) {
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        if (all_match_at(w, g, n)) return true;
    return false;
}

static const char *text_of(const struct ir_model *m, struct arena *a) {
    struct buf out = {0};
    ir_text_print(m, &(struct ir_text_options){.all = true}, &out);
    const char *text = arena_strdup(a, buf_text(&out));
    buf_free(&out);
    return text;
}

/* The model that the numbers make, when it is one that is wanted. */
static const char *attempt(struct witness *w, struct judge_draws *d, struct arena *a) {
    const struct lint_wanted *wanted = w->wanted;
    struct diag_sink diags;
    diag_init(&diags, a);
    struct judge_instance *i = judge_generate(&w->plan, d, a);
    if (!i || ir_infer_model(i->model, &diags) != RW_OK ||
        ir_verify_model(i->model, &diags) != RW_OK || !all_match(w, i->graph))
        return NULL;
    const char *text = text_of(i->model, a);
    return !wanted->holds || wanted->holds(wanted->ctx, i->model, a) ? text : NULL;
}

/* --- the rules together ------------------------------------------------------------ */
const struct pm_auto *lint_compile(uint32_t n, const struct rule *const *of,
                                   struct arena *a) {
    struct diag_sink diags;
    diag_init(&diags, a);
    struct rule_pack *pack = arena_new(a, struct rule_pack);
    struct rule_stage *stage = arena_new(a, struct rule_stage);
    uint32_t *numbers = arena_new_array(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) numbers[i] = i;
    *stage = (struct rule_stage){.name = "both", .nrules = n, .rules = numbers};
    *pack = (struct rule_pack){.name = "both", .doc = "", .version = "", .nrules = n,
                               .rules = of, .nstages = 1, .stages = stage};
    return pm_compile(a, (const struct rule_pack *const[]){pack}, 1, &diags);
}

static void choose_opsets(struct judge_plan *p, uint32_t n, const struct rule *const *of) {
    p->opset_least = LEAST_OPSET;
    p->opset_most = ir_schema_newest_opset("");
    for (uint32_t i = 0; i < n; i++) {
        const struct rule_pack *pack = of[i]->pack;
        if (pack->opset_least > p->opset_least) p->opset_least = pack->opset_least;
        if (pack->opset_most && pack->opset_most < p->opset_most)
            p->opset_most = pack->opset_most;
        if (of[i]->targets && !(of[i]->targets & TARGET_ONNX)) p->target = of[i]->targets;
    }
    p->target &= ~p->target + 1; /* one of them */
    if (p->target == 0) p->target = TARGET_ONNX;
}

static bool begin(struct witness *w, const struct lint_wanted *wanted, struct arena *a) {
    const struct rule *r = wanted->merged;
    w->wanted = wanted;
    w->seen = arena_new_array(a, uint32_t, wanted->n);
    w->plan = (struct judge_plan){.rules = lint_compile(wanted->n, wanted->of, a),
                                  .rule = r, .choices = arena_new(a, struct judge_choices)};
    choose_opsets(&w->plan, wanted->n, wanted->of);
    return w->plan.rules && w->plan.opset_least <= w->plan.opset_most;
}

/* --- simpler ----------------------------------------------------------------------- */
static bool works(struct witness *w, uint32_t n, const uint32_t *numbers) {
    struct arena step = ARENA_EMPTY;
    struct judge_draws d;
    judge_draws_replay(&d, &step, n, numbers);
    bool ok = attempt(w, &d, &step) != NULL;
    arena_free(&step);
    return ok;
}

static void simplify(struct witness *w, uint32_t n, uint32_t *numbers, struct arena *a) {
    uint32_t *trial = arena_copy(a, numbers, (n + 1) * sizeof *trial); /* has one to spare */
    uint32_t tries = MOST_SIMPLER;
    for (uint32_t run = 16; run > 0; run /= 2)
        for (uint32_t from = 0; from < n && tries > 0; from += run) {
            uint32_t end = rw_min_u32(from + run, n);
            bool differs = false;
            for (uint32_t i = from; i < end; i++) {
                differs |= trial[i] != 0;
                trial[i] = 0;
            }
            if (!differs) continue;
            tries--;
            uint32_t *from_at = works(w, n, trial) ? trial : numbers;
            memcpy(from_at == trial ? numbers + from : trial + from, from_at + from,
                   (end - from) * sizeof *trial);
        }
}

static const char *show(struct witness *w, uint32_t n, uint32_t *numbers, struct arena *a) {
    struct judge_draws d;
    simplify(w, n, numbers, a);
    judge_draws_replay(&d, a, n, numbers);
    return attempt(w, &d, a);
}

const char *lint_witness(const struct lint_wanted *wanted, struct arena *a) {
    struct witness w = {0};
    if (!begin(&w, wanted, a)) return NULL;
    for (uint32_t i = 0; i < wanted->tries; i++) {
        struct arena step = ARENA_EMPTY;
        struct judge_draws d;
        if (i == 0) judge_draws_replay(&d, &step, 0, NULL); /* the simplest of all */
        else judge_draws_new(&d, &step, i);
        bool ok = attempt(&w, &d, &step) != NULL;
        uint32_t len = ok ? d.taken.len : 0;
        uint32_t *taken = arena_new_array(a, uint32_t, len + 1);
        if (len > 0) memcpy(taken, d.taken.at, len * sizeof *taken);
        arena_free(&step);
        if (ok) return show(&w, len, taken, a);
    }
    return NULL;
}
