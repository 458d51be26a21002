/* tune.c -- one choice after the other, measured against the best so far.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/tune_impl.h"
#include "base/process.h"

#define SECONDS 0.3     /* that a process runs a model for */
#define PATIENCE 60     /* with a job, beyond all the time there is */
/* After so many pairs of processes a choice is left that is slower, or faster by little at
 * most; after so many more, which say what is beyond the noise, one that seems no faster. */
#define FIRST_LOOK 3
#define SLOWER 1.02
#define LITTLE 0.97
#define ENOUGH 6
#define NO_FASTER 0.99
#define MOST 10
#define CHOOSING 0.8    /* of the time; the rest is for the comparison at the end */

struct tuning {
    struct api_tune *t;
    struct judge_bench bench;
    struct diag_sink unheard;
    double begin, end;
    struct tune_variant source, best;
    struct judge_contestant original; /* with what it gives */
    bool comparable; /* what the packs make gives the same, so all has to */
    bool quantised;
};

static bool is_over(const struct tuning *x) { return process_seconds() >= x->end; }

static struct judge_contestant contestant(const struct tune_variant *v, const char *name) {
    return (struct judge_contestant){.name = name, .model = v->model,
                                     .disabled = v->state.disabled};
}

/* --- one choice ----------------------------------------------------------------------- */

static void failed(struct tuning *x, struct api_choice *c, const char *why) {
    c->end = API_FAILED;
    c->why = arena_strdup(x->t->arena, why);
}

static const char *last_words(const struct diag_sink *diags) {
    return diags->list.len ? vec_last(&diags->list)->text : "it cannot be made";
}

static bool is_same(struct tuning *x, const struct judge_contestant *c,
                    struct judge_difference *d) {
    return judge_bench_agrees(&x->original, c, x->quantised, d);
}

static bool is_hopeless(const struct api_choice *c) {
    const struct judge_ratio *r = &c->ratio;
    if (c->pairs >= ENOUGH) return r->is > NO_FASTER;
    return c->pairs >= FIRST_LOOK && (r->is > SLOWER || r->low > LITTLE);
}

/* After a round: is there anything left to find out? */
static bool is_decided(struct api_choice *c) {
    if (c->ratio.sure && c->ratio.high < 1) c->end = API_TAKEN;
    return c->end == API_TAKEN || c->pairs >= MOST || is_hopeless(c);
}

/* Which ran before: a runtime that went away, say. */
static enum rw_code best_fails(struct tuning *x, enum rw_code code) {
    diag_where(x->t->diags, DIAG_ERROR, ir_model_name(x->t->original), "%s",
               last_words(x->bench.diags));
    return code;
}

/* Pairs of fresh processes of the best and the next, until it is clear or the time over. */
static enum rw_code measure(struct tuning *x, const struct tune_variant *next,
                            struct api_choice *c) {
    struct judge_contestant a = contestant(&x->best, "the best so far");
    struct judge_contestant b = contestant(next, c->name);
    struct judge_contestant *both[] = {&a, &b};
    const struct judge_contestant *guilty = NULL;
    struct judge_difference d;
    while (!is_over(x)) {
        enum rw_code code = judge_bench_round(&x->bench, both, 2, &guilty);
        if (code != RW_OK && guilty != &b) return best_fails(x, code);
        if (code != RW_OK) failed(x, c, last_words(x->bench.diags));
        else if (x->comparable && c->pairs == 0 && !is_same(x, &b, &d))
            failed(x, c, arena_printf(x->t->arena, "output \"%s\" is another", d.output));
        if (c->end == API_FAILED) break;
        c->end = API_KEPT;
        c->pairs++;
        c->ratio = judge_bench_ratio(&a, &b);
        if (is_decided(c)) break;
    }
    return RW_OK;
}

/* Does the runtime make the same of it? What fails here fails where it is measured. */
static void find_outline(struct tuning *x, struct tune_variant *v) {
    struct judge_options o = {.library = x->t->library, .threads = x->t->threads,
                              .seconds = x->bench.limit, .optimise = true,
                              .disabled = v->state.disabled};
    struct judge *j;
    if (judge_open(&o, &x->unheard, &j) != RW_OK) return;
    if (judge_outline(j, &v->model, &v->outline) != JUDGE_OK) v->outline = 0;
    judge_close(j);
}

static bool runs_the_same(struct tuning *x, struct tune_variant *next) {
    if (!x->best.outline) find_outline(x, &x->best);
    find_outline(x, next);
    return next->outline && next->outline == x->best.outline;
}

static enum rw_code try_choice(struct tuning *x, struct api_choice *c) {
    struct api_tune *t = x->t;
    struct tune_state state = tune_take(&x->best.state, c, t->arena);
    struct tune_variant next;
    if (is_over(x)) return RW_OK;
    if (x->best.state.original && c->kind == API_CHOICE_GROUP) {
        c->end = API_ALIKE; /* there are no rules any more */
        return RW_OK;
    }
    enum rw_code code = tune_build(t, &state, &x->unheard, &next);
    c->nodes = next.nodes;
    if (code != RW_OK) failed(x, c, last_words(&x->unheard));
    else if (tune_same(&x->best, &next) || runs_the_same(x, &next)) c->end = API_ALIKE;
    else TRY(measure(x, &next, c));
    if (c->end == API_TAKEN) {
        tune_drop(&x->best);
        x->best = next;
    } else tune_drop(&next);
    if (t->tell) t->tell(t->ctx, c);
    return RW_OK;
}

/* Those behind the first `from`; trying one adds none. */
static enum rw_code try_from(struct tuning *x, uint32_t from) {
    for (uint32_t i = from; i < x->t->choices.len; i++)
        TRY(try_choice(x, &x->t->choices.at[i]));
    return RW_OK;
}

/* --- all of them ---------------------------------------------------------------------- */

/* Warnings were given when the original was read. */
static enum rw_code build_first(struct tuning *x) {
    struct api_tune *t = x->t;
    struct tune_state original = {.original = true}, state = {.target = t->options->target};
    uint32_t said = t->diags->list.len, warnings = t->diags->count[DIAG_WARNING];
    TRY(tune_build(t, &state, t->diags, &x->best));
    t->diags->list.len = said;
    t->diags->count[DIAG_WARNING] = warnings;
    t->nodes = x->best.report.nodes_before;
    return tune_build(t, &original, t->diags, &x->source);
}

static enum rw_code begin(struct tuning *x) {
    struct api_tune *t = x->t;
    struct judge_contestant *original = &x->original, packed, *other = &packed;
    struct judge_difference d;
    x->quantised = judge_is_quantised(t->original);
    TRY(build_first(x));
    x->original = contestant(&x->source, ir_model_name(t->original));
    packed = contestant(&x->best, ir_model_name(t->original));
    TRY(judge_bench_round(&x->bench, &original, 1, NULL));
    TRY(judge_bench_round(&x->bench, &other, 1, NULL));
    x->comparable = is_same(x, &packed, &d);
    if (!x->comparable)
        diag_where(t->diags, DIAG_WARNING, ir_model_name(t->original),
                   "what the rules make of it gives something else: output \"%s\"",
                   d.output);
    return RW_OK;
}

static enum rw_code choose(struct tuning *x) {
    struct api_tune *t = x->t;
    tune_add_optimisers(t, &x->best);
    tune_add_targets(t);
    TRY(try_from(x, 0));
    uint32_t from = t->choices.len;
    tune_add_groups(t, &x->best);
    return try_from(x, from);
}

/* Many choices that lose too little to be told may lose together: the original is what is
 * found then. */
static void go_back(struct tuning *x, const struct judge_contestant *original,
                    const struct judge_contestant *found) {
    struct api_tune *t = x->t;
    for (uint32_t i = 0; i < t->choices.len; i++) {
        struct api_choice *c = &t->choices.at[i];
        if (c->kind != API_CHOICE_RULES) continue;
        bool told = c->end != API_UNTRIED;
        c->end = API_TAKEN;
        c->nodes = t->nodes;
        c->pairs = t->pairs;
        c->ratio = judge_bench_ratio(found, original);
        if (t->tell && !told) t->tell(t->ctx, c);
    }
    x->best.state = (struct tune_state){.original = true};
    t->ratio = (struct judge_ratio){1, 1, 1, true};
    t->after = t->before;
}

/* What was found beside the original, as it runs without any of this. */
static enum rw_code conclude(struct tuning *x) {
    struct api_tune *t = x->t;
    struct judge_contestant a = x->original, b = contestant(&x->best, "what was found");
    struct judge_contestant *both[] = {&a, &b};
    a.seconds.len = 0;
    x->end = x->begin + t->seconds;
    while (t->pairs < ENOUGH && (t->pairs == 0 || !is_over(x))) {
        TRY(judge_bench_round(&x->bench, both, 2, NULL));
        t->pairs++;
    }
    t->ratio = judge_bench_ratio(&a, &b);
    t->before = judge_median(a.seconds.len, a.seconds.at);
    t->after = judge_median(b.seconds.len, b.seconds.at);
    if (t->ratio.sure && t->ratio.low > 1) go_back(x, &a, &b);
    t->version = x->bench.version;
    t->target = x->best.state.target;
    t->disabled = x->best.state.disabled;
    t->original_is_best = x->best.state.original;
    for (uint32_t i = 0; i < x->best.state.nforbidden; i++)
        vec_push(t->arena, &t->forbidden, x->best.state.forbidden[i]);
    t->complete = true;
    for (uint32_t i = 0; i < t->choices.len; i++)
        t->complete &= t->choices.at[i].end != API_UNTRIED;
    return RW_OK;
}

enum rw_code api_tune(struct api_tune *t) {
    struct tuning x = {.t = t, .begin = process_seconds()};
    x.end = x.begin + CHOOSING * t->seconds;
    x.bench = (struct judge_bench){.library = t->library, .threads = t->threads,
                                   .seconds = SECONDS, .limit = t->seconds + PATIENCE,
                                   .in = t->in, .arena = t->arena,
                                   .diags = t->diags};
    diag_init(&x.unheard, t->arena);
    enum rw_code code = begin(&x);
    x.bench.diags = &x.unheard;
    if (code == RW_OK) code = choose(&x);
    x.bench.diags = t->diags;
    if (code == RW_OK) code = conclude(&x);
    tune_drop(&x.best);
    tune_drop(&x.source);
    return code;
}
