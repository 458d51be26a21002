/* run.c -- both sides of a cut in the runtime.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/compare.h"
#include "judge/cut/cut.h"
#include "judge/noise.h"

#include <math.h>

#define ENOUGH_PLANS 2  /* that both sides were run with */
#define ENOUGH_ELEMENTS 32 /* that say something of what is quantised, with each plan */
#define MOST_DRAWS 32   /* to have as many */
#define FAR_DRAWS 8     /* of integers; there may be one in each */
#define LARGEST_FIT 4   /* powers of two that inputs are multiplied by */
#define LEAST_FIT (-16)
#define HALF 2

struct trial {
    struct cut *c;
    struct judge *j;
    enum rule_class class;
    struct cut_draw draw;
    uint32_t session[2];
    bool loaded[2];
    bool inexact;
    uint32_t noisy[JUDGE_NOISES], nnoisy; /* sessions of the old nodes, with noise in them */
    bool has_noisy;
    struct judge_noise noise;        /* of this draw, once it is asked for */
    struct judge_steps steps;
    struct cut_verdict verdict;
};

/* Always false, for "go no further". */
static bool settle(struct trial *t, enum cut_result result, const char *why) {
    t->verdict = (struct cut_verdict){result, t->inexact, why};
    return false;
}

static const char *words(struct trial *t, const char *what) {
    return arena_printf(t->c->a, "%s: %s", what, judge_message(t->j));
}

static bool load(struct trial *t, const struct cut_inputs *in, uint32_t side) {
    struct buf bytes = {0};
    const char *why;
    if (!cut_pack(t->c, in, side, false, &bytes, &why)) {
        buf_free(&bytes);
        return settle(t, CUT_UNKNOWN, why);
    }
    struct judge_model m = {.bytes = bytes.at, .len = bytes.len,
                            .folder = ir_model_folder(t->c->g->model)};
    if (side == 0) m.reveal = cut_rounded(t->c, &m.nreveal);
    enum judge_outcome o = judge_load(t->j, &m, &t->session[side]);
    t->loaded[side] = o == JUDGE_OK;
    buf_free(&bytes);
    if (o == JUDGE_OK) return true;
    return side ? settle(t, CUT_DIFFERENT, words(t, "what it makes does not load"))
                : settle(t, CUT_UNKNOWN, words(t, "what was there does not load"));
}

static enum judge_outcome run(struct trial *t, uint32_t session, uint32_t side,
                              const struct cut_inputs *in, const struct judge_values *all,
                              struct judge_values *out) {
    struct judge_values seen = cut_seen(t->c, in, all, side);
    return judge_run(t->j, session, &seen, NULL, 0, t->c->a, out);
}

/* What they compute from may be integers, which have no noise themselves. */
static void load_noisy(struct trial *t, const struct cut_inputs *in) {
    struct buf bytes = {0};
    struct judge_model noisy;
    const char *why, *folder = ir_model_folder(t->c->g->model);
    t->has_noisy = true;
    bool ok = cut_pack(t->c, in, 0, false, &bytes, &why);
    for (uint64_t seed = 1; ok && seed <= JUDGE_NOISES; seed++) {
        struct judge_model is = {.bytes = bytes.at, .len = bytes.len, .folder = folder};
        if (judge_noisy_model(t->c->a, &is, JUDGE_MANY_ROUNDINGS, seed, &noisy) &&
            judge_load(t->j, &noisy, &t->noisy[t->nnoisy]) == JUDGE_OK)
            t->nnoisy++;
    }
    buf_free(&bytes);
}

/* The old nodes on inputs with noise, and where they round to integers also with noise in all
 * that they compute. */
static void find_noise(struct trial *t, const struct cut_inputs *in,
                       const struct judge_values *all) {
    bool within = t->c->quantised;
    if (within && !t->has_noisy) load_noisy(t, in);
    uint32_t n = within ? t->nnoisy : JUDGE_NOISES;
    t->noise.at = arena_new_array(t->c->a, struct judge_values, JUDGE_NOISES);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t own = k + 1;
        struct judge_values near = judge_noisy_values(t->c->a, all, JUDGE_MANY_ROUNDINGS, &own);
        uint32_t session = within ? t->noisy[k] : t->session[0];
        if (run(t, session, 0, in, &near, &t->noise.at[t->noise.n]) == JUDGE_OK) t->noise.n++;
    }
}

/* Rounding of what is ill-conditioned, or goes to one integer or the next: of few elements, or
 * where the original does so, too. What stands on a grid may lie half way between two integers
 * all of it: there any rounding is noise. So it acquits nobody who rounds otherwise elsewhere,
 * nor of steps of more than half of the elements. */
static bool is_noise(struct trial *t, const struct cut_inputs *in,
                     const struct judge_values *all, uint32_t result,
                     const struct ir_tensor *a, const struct ir_tensor *b,
                     struct judge_bounds bounds) {
    if (t->class == CLASS_EXACT || (t->c->quantised && t->c->doubted)) return false;
    bool steps = t->c->quantised && judge_count_steps(&t->steps, a, b);
    if (steps && judge_are_few(&t->steps, JUDGE_FEW)) return true;
    if (steps && !judge_are_few(&t->steps, HALF)) return false;
    if (!t->noise.at) find_noise(t, in, all);
    b = judge_beyond_noise(t->c->a, &t->noise, result, a, b);
    return judge_compare(a, b, bounds).same;
}

static const char *numbers(struct trial *t, const struct judge_verdict *v,
                           struct judge_bounds b) {
    if (!rw_streq(v->what, "values"))
        return arena_printf(t->c->a, "the %s of the results differ", v->what);
    return arena_printf(t->c->a,
                        "%.9g became %.9g, and %" PRIu64 " of %" PRIu64
                        " elements differ; relative error %.2g, allowed %.2g",
                        v->a, v->b, v->beyond, v->count, v->relative, b.relative);
}

static bool compare(struct trial *t, const struct cut_inputs *in,
                    const struct judge_values *all, const struct judge_values *was,
                    const struct judge_values *is) {
    for (uint32_t i = 0; i < t->c->nresults; i++) {
        const struct ir_tensor *a = was->at[i].tensor, *b = is->at[i].tensor;
        if (!a && !b) return settle(t, CUT_UNKNOWN, "a result is no tensor, and is not compared");
        enum ir_dtype type = a ? a->dtype : IR_UNDEFINED;
        bool overflows = t->draw.fill == CUT_LARGE || t->draw.fill == CUT_BLANK;
        if (a && b && overflows && t->class != CLASS_EXACT)
            b = judge_where_finite(t->c->a, a, b);
        bool steps = t->c->quantised && t->class == CLASS_APPROX;
        struct judge_bounds bounds = judge_bounds_of(t->class, type, steps);
        struct judge_verdict v = judge_compare(a, b, bounds);
        t->inexact |= !v.same || v.absolute > 0;
        if (v.same) continue;
        if (rw_streq(v.what, "values") && is_noise(t, in, all, i, a, b, bounds)) continue;
        return settle(t, CUT_DIFFERENT, numbers(t, &v, bounds));
    }
    return true;
}

/* --- fills ------------------------------------------------------------------------- */
/* What the old nodes gave, with the sizes of one plan. */
struct told {
    bool any;          /* it says something */
    uint64_t elements; /* of the result with the fewest that do */
};

static void listen(const struct trial *t, const struct judge_values *was, struct told *told) {
    uint64_t least = UINT64_MAX, elements;
    for (uint32_t i = 0; i < t->c->nresults; i++) {
        if (!cut_tells(t->c, was->at[i].tensor, &elements)) return;
        if (elements < least) least = elements;
    }
    told->any = true;
    if (!rw_add_u64(told->elements, least, &told->elements)) told->elements = UINT64_MAX;
}

static bool is_enough(const struct trial *t, const struct told *told) {
    bool some = !t->c->quantised || t->c->above.len == 0;
    return told->any && (some || told->elements >= ENOUGH_ELEMENTS);
}

/* true: go on. *ran: the old nodes ran. */
static bool try_draw(struct trial *t, const struct cut_inputs *in, struct cut_draw draw,
                     bool *ran, struct told *told) {
    struct judge_values all, was, is;
    *ran = false;
    t->draw = draw;
    t->noise = (struct judge_noise){0};
    if (!cut_values(t->c, in, &draw, &all))
        return settle(t, CUT_UNKNOWN, "a value that it sees has no numbers");
    if (run(t, t->session[0], 0, in, &all, &was) != JUDGE_OK) {
        settle(t, CUT_UNKNOWN, words(t, "what was there does not run"));
        return true;
    }
    *ran = true;
    listen(t, &was, told);
    if (run(t, t->session[1], 1, in, &all, &is) != JUDGE_OK)
        return settle(t, CUT_DIFFERENT, words(t, "what it makes does not run"));
    return compare(t, in, &all, &was, &is);
}

/* The size of what is fed with which the old nodes make the most of the integers that they
 * round to: neither all beyond the largest, nor all within the first step. */
static double find_fit(struct trial *t, const struct cut_inputs *in) {
    double best = -INFINITY, fit = 1;
    for (int power = LARGEST_FIT; power >= LEAST_FIT; power -= 2) {
        struct cut_draw draw = {CUT_FITTED, ldexp(1, power), 0};
        struct judge_values all, was;
        if (!cut_values(t->c, in, &draw, &all) || run(t, t->session[0], 0, in, &all, &was) != JUDGE_OK)
            continue;
        double spread = cut_spread(t->c, &was);
        if (spread <= best) continue;
        best = spread;
        fit = draw.by;
    }
    return fit;
}

static bool try_fitted(struct trial *t, const struct cut_inputs *in, struct told *told) {
    bool ran = true;
    struct cut_draw draw = {CUT_FITTED, find_fit(t, in), 0};
    while (ran && draw.again < MOST_DRAWS) {
        if (!try_draw(t, in, draw, &ran, told)) return false;
        draw.again++;
        if (told->elements >= ENOUGH_ELEMENTS) break;
    }
    return true;
}

/* Integers that are places in a table do not run so far out, which says nothing. */
static bool try_far(struct trial *t, const struct cut_inputs *in, struct told *told) {
    bool ran = cut_has_integers(in);
    for (uint32_t again = 0; ran && again < FAR_DRAWS; again++)
        if (!try_draw(t, in, (struct cut_draw){CUT_FAR, 1, again}, &ran, told)) return false;
    return true;
}

enum tried { DOES_NOT_RUN, SAYS_NOTHING, IS_GOOD, IS_SETTLED };

static enum tried try_plan(struct trial *t, uint32_t plan) {
    struct cut_inputs in;
    const char *why;
    struct told told = {0};
    bool ran = cut_inputs(t->c, plan, &in, &why);
    for (uint32_t fill = 0; ran && fill < CUT_FILLS; fill++)
        if (!try_draw(t, &in, (struct cut_draw){.fill = (enum cut_fill)fill}, &ran, &told))
            return IS_SETTLED;
    if (ran && t->c->quantised && !try_fitted(t, &in, &told)) return IS_SETTLED;
    if (!ran) return DOES_NOT_RUN;
    if (!try_far(t, &in, &told)) return IS_SETTLED;
    return is_enough(t, &told) ? IS_GOOD : SAYS_NOTHING;
}

/* What came out different in a narrower cut is not acquitted by sizes of 1: places are all the
 * first one there, and anything broadcasts; and it is tried with long ones. */
static void try_doubted(struct trial *t, bool wide) {
    if (!wide) {
        settle(t, CUT_UNKNOWN, "it runs with sizes of 1 alone");
        return;
    }
    for (uint32_t plan = CUT_PLANS; plan < CUT_ALL_PLANS; plan++)
        if (try_plan(t, plan) == IS_SETTLED) return;
    settle(t, CUT_SAME, NULL);
}

/* Plans that the old nodes do not run with say nothing. */
static void try_plans(struct trial *t) {
    uint32_t good = 0;
    bool wide = false; /* other sizes than 1 were good, too */
    for (uint32_t plan = 0; plan < CUT_PLANS && good < ENOUGH_PLANS; plan++) {
        enum tried tried = try_plan(t, plan);
        if (tried == IS_SETTLED) return;
        good += tried == IS_GOOD;
        wide |= tried == IS_GOOD && plan != CUT_ONES;
        if (tried == SAYS_NOTHING)
            settle(t, CUT_UNKNOWN, "what was there gives nothing but NaN, or one number");
    }
    if (good == 0) return;
    if (t->c->doubted) try_doubted(t, wide);
    else settle(t, CUT_SAME, NULL);
}

struct cut_verdict cut_judge(struct cut *c, struct judge *j, enum rule_class class) {
    struct trial t = {.c = c, .j = j, .class = class};
    struct cut_inputs in;
    const char *why;
    if (!cut_any_inputs(c, &in, &why)) settle(&t, CUT_UNKNOWN, why);
    else if (load(&t, &in, 0) && load(&t, &in, 1)) try_plans(&t);
    for (uint32_t side = 0; side < 2; side++)
        if (t.loaded[side]) judge_unload(j, t.session[side]);
    for (uint32_t i = 0; i < t.nnoisy; i++) judge_unload(j, t.noisy[i]);
    return t.verdict;
}
