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
#define MOST_PLACES 8   /* of a rule; then it is left out everywhere */

/* A run over the model as it was read. */
struct attempt {
    struct arena arena;
    struct ir_model *model;
    struct pm_report report;
    struct diag_sink diags; /* of rewriting */
    bool right;
    const char *why; /* not */
};

static void drop(struct attempt *t) {
    if (t->model) ir_model_close(t->model);
    arena_free(&t->arena);
    *t = (struct attempt){0};
}

/* --- rules that were found wrong ---------------------------------------------------- */
/* Where they do harm that does not show in the outputs they are as wrong: each of their other
 * rewrites is judged by itself, as --verify=rewrites does. */

static bool is_guilty(const struct api_whole *w, const char *rule) {
    for (uint32_t i = 0; i < w->guilty.len; i++)
        if (rw_streq(w->guilty.at[i].rule, rule)) return true;
    return false;
}

static void look_before(void *ctx, const struct pm_subject *m) {
    const struct pm_judge *own = judge_rewrites_judge(((const struct api_whole *)ctx)->doubts);
    own->before(own->ctx, m);
}

static bool look_after(void *ctx, const struct pm_change *c) {
    const struct api_whole *w = ctx;
    const struct pm_judge *own = judge_rewrites_judge(w->doubts);
    return !is_guilty(w, c->rule->name) || own->after(own->ctx, c);
}

static void doubt_guilty(struct api_whole *w) {
    if (w->doubts || w->options->judge) return;
    w->doubts = judge_rewrites_new(w->judge, false, w->arena, w->diags);
    w->doubter = (struct pm_judge){w, look_before, look_after};
}

static struct pm_options options_now(const struct api_whole *w) {
    struct pm_options o = *w->options;
    if (w->doubts) o.judge = &w->doubter;
    o.keep_opset |= w->keep_opset;
    o.forbidden = w->forbidden.at;
    o.nforbidden = w->forbidden.len;
    return o;
}

/* What there is to say of the model as it was read has been said. */
static enum rw_code rewrite(struct api_whole *w, const struct pm_options *o,
                            struct attempt *t) {
    struct diag_sink unheard;
    *t = (struct attempt){.arena = ARENA_EMPTY};
    diag_init(&t->diags, &t->arena);
    diag_init(&unheard, &t->arena);
    t->model = ir_model_reread(&t->arena, w->original, &t->diags);
    if (!t->model) return RW_FORMAT;
    TRY(api_prepare(t->model, o->verify, &unheard));
    TRY(api_rewrite(w->rules, t->model, o, &t->arena, &t->report, &t->diags));
    t->right = api_whole_agrees(w, t->model, &t->arena, &t->why);
    return RW_OK;
}

static void hand_on(struct api_whole *w, const struct attempt *t) {
    for (uint32_t i = 0; i < t->diags.list.len; i++) {
        const struct diag *d = &t->diags.list.at[i];
        const char *where = d->where ? arena_strdup(w->arena, d->where) : NULL;
        if (d->at.source) diag_at(w->diags, d->level, d->at, "%s", d->text);
        else diag_where(w->diags, d->level, where, "%s", d->text);
    }
}

static enum rw_code make_all(struct api_whole *w, struct attempt *t) {
    struct pm_options o = options_now(w);
    enum rw_code code = rewrite(w, &o, t);
    if (code != RW_OK || t->right) hand_on(w, t);
    return code;
}

/* What a part of a run has to say is not of interest. It may end before the model was
 * raised as far as was wished (RW_USAGE), which is right; or leave no valid model. */
static void make_part(struct api_whole *w, const struct pm_options *o, struct attempt *t) {
    enum rw_code code = rewrite(w, o, t);
    if (code != RW_OK) t->why = "the model is not valid any more";
    t->right |= code == RW_USAGE;
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
    struct pm_place own = {arena_strdup(w->arena, p->rule),
                           arena_strdup(w->arena, p->value)};
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
    if (rule) doubt_guilty(w);
}

/* The lowest number for *limit, one of *o, that makes it wrong: `right` does not, `most` made
 * what `wrong` is, which becomes what the number makes. */
static uint64_t bisect(struct api_whole *w, struct pm_options *o, uint64_t *limit,
                       uint64_t right, uint64_t most, struct attempt *wrong) {
    while (most - right > 1) {
        struct attempt t;
        *limit = right + (most - right) / 2;
        make_part(w, o, &t);
        if (t.right) {
            drop(&t);
            right = *limit;
        } else {
            drop(wrong);
            *wrong = t;
            most = *limit;
        }
    }
    return most;
}

/* The first step that makes it wrong, of those that `wrong` made. */
static void find_step(struct api_whole *w, struct attempt *wrong) {
    struct pm_options o = options_now(w);
    bisect(w, &o, &o.most_steps, 0, wrong->report.steps, wrong);
}

/* A run in which promises are doubted from that step on. */
static struct attempt doubt(struct api_whole *w, struct pm_options *o, uint64_t from) {
    struct attempt t;
    o->doubt_from = from;
    make_part(w, o, &t);
    return t;
}

/* What a rule promises of shapes and is not so does no harm by itself: steps that build on it
 * do. When all is right as soon as no promise is believed, the first one that makes it wrong
 * is to blame for the step that was found. */
static void find_promise(struct api_whole *w, struct attempt *found) {
    const struct pm_report *r = &found->report;
    struct pm_options o = options_now(w);
    if (r->promises == 0 || (r->last_rule && r->last_rule->shapes_by_rule)) return;
    struct attempt none = doubt(w, &o, 1), all = doubt(w, &o, r->steps);
    if (none.right && !all.right) {
        uint64_t from = bisect(w, &o, &o.doubt_from, 1, r->steps, &all);
        o.doubt_from = 0;
        o.most_steps = from - 1;
        const char *why = arena_strdup(w->arena, found->why);
        drop(found);
        make_part(w, &o, found);
        found->why = why;
    }
    drop(&none);
    drop(&all);
}

static enum rw_code give_up(struct api_whole *w, const char *what, const char *why) {
    diag_where(w->diags, DIAG_ERROR, ir_model_name(w->original), "%s: %s", what, why);
    return RW_WRONG;
}

/* The raise of the opset by itself, which all that needs it would be blamed for. */
static enum rw_code judge_raise(struct api_whole *w, const struct pm_report *r) {
    struct pm_options o = options_now(w);
    struct attempt t;
    enum rw_code code = RW_OK;
    o.only_raise = true;
    o.opset = r->opset_after;
    make_part(w, &o, &t);
    w->raise_is_right = t.right;
    if (!t.right && w->options->opset) {
        code = give_up(w, "raising the opset makes the model give something else", t.why);
    } else if (!t.right) {
        w->keep_opset = true;
        diag_where(w->diags, DIAG_WARNING, ir_model_name(w->original),
                   "raising the opset from %" PRId64 " to %" PRId64 " makes the model give "
                   "something else, so rules that need it are left out: %s",
                   r->opset_before, r->opset_after, t.why);
    }
    drop(&t);
    return code;
}

static enum rw_code improve(struct api_whole *w, struct attempt *t) {
    const struct pm_report *r = &t->report;
    if (r->opset_after != r->opset_before && !w->raise_is_right) {
        TRY(judge_raise(w, r));
        if (!w->raise_is_right) return RW_OK; /* without it, then */
    }
    if (r->steps == 0)
        return give_up(w, "the model gives something else although no rewrite is left",
                       t->why);
    if (w->forbidden.len - w->options->nforbidden >= MOST_GUILTY)
        return give_up(w, "the model still gives something else", t->why);
    find_step(w, t);
    find_promise(w, t);
    forbid(w, t);
    return RW_OK;
}

static enum rw_code until_right(struct api_whole *w, struct pm_report *report,
                                struct api_rewritten *out) {
    struct attempt t;
    TRY(api_whole_inputs(w));
    for (uint32_t i = 0; i < w->options->nforbidden; i++)
        vec_push(w->arena, &w->forbidden, w->options->forbidden[i]);
    for (;;) {
        enum rw_code code = make_all(w, &t);
        if (code == RW_OK && t.right) break;
        if (code == RW_OK) code = improve(w, &t);
        drop(&t);
        TRY(code);
    }
    *report = t.report;
    *out = (struct api_rewritten){.model = t.model, .arena = t.arena,
                                  .left_out = w->forbidden.len - w->options->nforbidden,
                                  .nsets = w->nsets};
    return RW_OK;
}

enum rw_code api_rewrite_whole(struct api_whole *w, struct pm_report *report,
                               struct api_rewritten *out) {
    enum rw_code code = until_right(w, report, out);
    if (w->doubts) judge_rewrites_end(w->doubts, "and stays");
    return code;
}
