/* verify.c -- see verify.h: rewrites judged one by one; what cannot be, as a whole. The
 * mode of the whole model: whole.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/verify.h"

#include "api/whole.h"

/* A run in which each rewrite is judged. */
static enum rw_code judge_each(struct api_whole *w, struct ir_model *m, bool strict,
                               struct diag_sink *diags, struct pm_report *report,
                               struct judge_rewrites **each) {
    struct pm_options own = *w->options;
    *each = judge_rewrites_new(w->judge, strict, w->arena, diags);
    own.judge = judge_rewrites_judge(*each);
    return api_rewrite(w->rules, m, &own, w->arena, report, diags);
}

/* The model as it was read, once more. */
static enum rw_code reread(const struct api_whole *w, const struct ir_model *m,
                           struct arena *a, struct diag_sink *unheard,
                           struct ir_model **out) {
    *out = ir_model_reread(a, m, unheard);
    return *out ? api_prepare(*out, w->options->verify, unheard) : RW_FORMAT;
}

/* Does the rewritten model as a whole give what it gave? Unknown: it does not run on what
 * is made up. */
static enum ir_truth is_same_as_a_whole(struct api_whole *w, struct ir_model *m,
                                        struct diag_sink *unheard) {
    struct arena a = ARENA_EMPTY;
    struct api_whole own = *w;
    const char *why;
    own.diags = unheard;
    enum ir_truth same = IR_UNKNOWN;
    if (reread(w, m, &a, unheard, &own.original) == RW_OK && api_whole_inputs(&own) == RW_OK)
        same = api_whole_agrees(&own, m, &a, &why) ? IR_TRUE : IR_FALSE;
    if (own.original) ir_model_close(own.original);
    arena_free(&a);
    return same;
}

/* Once more from the beginning, without what could not be run by itself. */
static enum rw_code leave_unchecked_out(struct api_whole *w, const struct ir_model *m,
                                        struct diag_sink *unheard,
                                        struct pm_report *report,
                                        struct api_rewritten *out) {
    struct judge_rewrites *each;
    out->arena = ARENA_EMPTY;
    *report = (struct pm_report){0};
    TRY(reread(w, m, &out->arena, unheard, &out->model));
    enum rw_code code = judge_each(w, out->model, true, unheard, report, &each);
    out->counts = judge_rewrites_count(each);
    judge_rewrites_end(each, "so it is not applied there");
    return code;
}

/* Once more, each rewrite judged by itself as before, until the whole gives the same. */
static enum rw_code leave_sums_out(struct api_whole *w, struct ir_model *m,
                                   struct diag_sink *unheard, struct pm_report *report,
                                   struct api_rewritten *out) {
    struct arena a = ARENA_EMPTY;
    struct api_whole own = *w;
    struct pm_options options = *w->options;
    struct judge_counts counts = out->counts;
    struct judge_rewrites *each = judge_rewrites_new(w->judge, true, w->arena, unheard);
    options.judge = judge_rewrites_judge(each);
    own.options = &options;
    api_rewritten_close(out, m);
    *out = (struct api_rewritten){.model = m};
    enum rw_code code = reread(w, m, &a, unheard, &own.original);
    if (code == RW_OK) code = api_rewrite_whole(&own, report, out);
    out->counts = counts;
    judge_rewrites_end(each, "so it is not applied there");
    if (own.original) ir_model_close(own.original);
    arena_free(&a);
    return code;
}

/* Where a model rounds to integers, what is next to nothing may be a step, and steps of
 * many rewrites add up. */
static enum rw_code rewrite_each(struct api_whole *w, struct ir_model *m,
                                 struct pm_report *report, struct api_rewritten *out) {
    struct judge_rewrites *each;
    struct diag_sink unheard;
    diag_init(&unheard, w->arena);
    bool rounds = judge_is_quantised(m);
    enum rw_code code = judge_each(w, m, false, w->diags, report, &each);
    out->counts = judge_rewrites_count(each);
    bool doubt = code == RW_OK && out->counts.unknown > 0;
    bool sums = code == RW_OK && rounds && out->counts.inexact > 0;
    enum ir_truth same = doubt || sums ? is_same_as_a_whole(w, m, &unheard) : IR_TRUE;
    judge_rewrites_end(each, same == IR_TRUE ? "but the model as a whole gives the same"
                                             : "so it is not applied there");
    if (doubt && same != IR_TRUE) {
        TRY(leave_unchecked_out(w, m, &unheard, report, out));
        if (sums) same = is_same_as_a_whole(w, out->model, &unheard);
    }
    return sums && same == IR_FALSE ? leave_sums_out(w, m, &unheard, report, out) : code;
}

enum rw_code api_rewrite_judged(const struct pm_auto *rules, struct ir_model *m,
                                const struct pm_options *o, const struct api_verify *v,
                                struct arena *report_arena, struct pm_report *report,
                                struct diag_sink *diags, struct api_rewritten *out) {
    struct judge *j;
    *out = (struct api_rewritten){.model = m};
    if (o->verify < PM_VERIFY_REWRITES)
        return api_rewrite(rules, m, o, report_arena, report, diags);
    TRY(judge_open(&(struct judge_options){.library = v->library}, diags, &j));
    struct api_whole whole = {.rules = rules, .original = m, .options = o, .verify = v,
                              .judge = j, .arena = report_arena, .diags = diags};
    enum rw_code code = o->verify == PM_VERIFY_MODEL
                            ? api_rewrite_whole(&whole, report, out)
                            : rewrite_each(&whole, m, report, out);
    out->runtime = arena_strdup(report_arena, judge_version(j));
    judge_close(j);
    return code;
}

void api_rewritten_close(struct api_rewritten *r, const struct ir_model *given) {
    if (r->model && r->model != given) ir_model_close(r->model);
    arena_free(&r->arena);
}
