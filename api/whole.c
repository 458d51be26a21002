/* whole.c -- rewriting a model until it gives what it gave: the first step that makes it
 * differ is found by bisection and left out, and all begins again.
 *
 * A run makes the same steps each time, so one that ends after k steps gives the model as
 * it was then. Nothing is assumed of steps in between: somewhere from the right beginning
 * to the wrong end one step turns right to wrong, and that one is found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/whole.h"

#define MOST_GUILTY 256  /* steps left out, before it is given up */
#define MOST_PLACES 16  /* of a rule; then it is left out everywhere */

/* A run over the model as it was read. */
struct attempt {
    struct arena arena;
    struct ir_model *model;
    struct pm_report report;
    bool right;
    const char *why; /* not */
};

static void drop(struct attempt *t) {
    if (t->model) ir_model_close(t->model);
    arena_free(&t->arena);
    *t = (struct attempt){0};
}

static enum rw_code rewrite(struct api_whole *w, uint64_t most_steps, struct diag_sink *diags,
                            struct attempt *t) {
    struct pm_options o = *w->options;
    o.most_steps = most_steps;
    o.forbidden = w->forbidden.at;
    o.nforbidden = w->forbidden.len;
    t->model = ir_model_reread(&t->arena, w->original, diags);
    if (!t->model) return RW_FORMAT;
    TRY(api_prepare(t->model, o.verify, diags));
    return api_rewrite(w->rules, t->model, &o, &t->arena, &t->report, diags);
}

/* Of a whole run (most_steps 0) what it has to say is passed on when it fails; what a part
 * of one says is not of interest. */
static enum rw_code make(struct api_whole *w, uint64_t most_steps, struct attempt *t) {
    struct diag_sink own;
    *t = (struct attempt){.arena = ARENA_EMPTY};
    diag_init(&own, &t->arena);
    enum rw_code code = rewrite(w, most_steps, &own, t);
    if (code == RW_OK) {
        t->right = api_whole_agrees(w, t->model, &t->arena, &t->why);
        return RW_OK;
    }
    t->why = "the model is not valid any more";
    if (most_steps > 0) return RW_OK;
    drop(t);
    return rewrite(w, 0, w->diags, t); /* with its messages */
}

/* --- who it was ------------------------------------------------------------------- */

static uint32_t places_of(struct api_whole *w, const char *rule) {
    for (uint32_t i = 0; i < w->guilty.len; i++)
        if (rw_streq(w->guilty.at[i].rule, rule)) return ++w->guilty.at[i].places;
    vec_push(w->arena, &w->guilty, (struct api_guilty){rule, 1});
    return 1;
}

static void forbid(struct api_whole *w, const struct attempt *t) {
    const struct pm_place *p = &t->report.last;
    const struct rule *rule = t->report.last_rule;
    struct pm_place own = {arena_strdup(w->arena, p->rule), arena_strdup(w->arena, p->value)};
    bool everywhere = places_of(w, own.rule) >= MOST_PLACES;
    struct span at = rule ? rule->at : (struct span){0};
    if (rule)
        diag_at(w->diags, DIAG_WARNING, at,
                "rule \"%s\" makes the model give something else and is not applied for "
                "\"%s\": %s",
                own.rule, own.value, t->why);
    else
        diag_where(w->diags, DIAG_WARNING, ir_model_name(w->original),
                   "pass \"%s\" makes the model give something else and is left out: %s",
                   own.rule, t->why);
    if (everywhere) {
        if (rule)
            diag_at(w->diags, DIAG_WARNING, at,
                    "rule \"%s\" was found wrong in %d places and is not applied any more",
                    own.rule, MOST_PLACES);
        own.value = NULL;
    }
    vec_push(w->arena, &w->forbidden, own);
}

/* The first step that makes it wrong, of those that `wrong` made. */
static enum rw_code bisect(struct api_whole *w, struct attempt *wrong) {
    uint64_t right = 0, steps = wrong->report.steps;
    while (steps - right > 1) {
        uint64_t middle = right + (steps - right) / 2;
        struct attempt t;
        enum rw_code code = make(w, middle, &t);
        if (code != RW_OK || t.right) {
            drop(&t);
            right = middle;
            TRY(code);
            continue;
        }
        drop(wrong);
        *wrong = t;
        steps = middle;
    }
    return RW_OK;
}

static enum rw_code give_up(struct api_whole *w, const struct attempt *t, const char *what) {
    diag_where(w->diags, DIAG_ERROR, ir_model_name(w->original), "%s: %s", what, t->why);
    return RW_WRONG;
}

static enum rw_code improve(struct api_whole *w, struct attempt *t) {
    if (t->report.steps == 0)
        return give_up(w, t, "the model gives something else although no rewrite is left");
    if (w->forbidden.len >= MOST_GUILTY)
        return give_up(w, t, "the model still gives something else");
    TRY(bisect(w, t));
    forbid(w, t);
    return RW_OK;
}

enum rw_code api_rewrite_whole(struct api_whole *w, struct pm_report *report,
                               struct api_rewritten *out) {
    struct attempt t;
    TRY(api_whole_inputs(w));
    for (;;) {
        enum rw_code code = make(w, 0, &t);
        if (code == RW_OK && t.right) break;
        if (code == RW_OK) code = improve(w, &t);
        drop(&t);
        TRY(code);
    }
    *report = t.report;
    *out = (struct api_rewritten){.model = t.model, .arena = t.arena,
                                  .left_out = w->forbidden.len, .nsets = w->nsets};
    return RW_OK;
}
