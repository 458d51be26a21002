/* verify.c -- see verify.h: rewrites judged one by one. The whole model: whole.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/verify.h"

#include "api/whole.h"

static enum rw_code judge_each(const struct pm_auto *rules, struct ir_model *m,
                               const struct pm_options *o, struct judge *j,
                               struct arena *report_arena, struct pm_report *report,
                               struct diag_sink *diags, struct judge_counts *counts) {
    struct judge_rewrites *each = judge_rewrites_new(j, report_arena, diags);
    struct pm_options own = *o;
    own.judge = judge_rewrites_judge(each);
    enum rw_code code = api_rewrite(rules, m, &own, report_arena, report, diags);
    *counts = judge_rewrites_end(each);
    return code;
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
                            : judge_each(rules, m, o, j, report_arena, report, diags,
                                         &out->counts);
    out->runtime = arena_strdup(report_arena, judge_version(j));
    judge_close(j);
    return code;
}

void api_rewritten_close(struct api_rewritten *r, const struct ir_model *given) {
    if (r->model && r->model != given) ir_model_close(r->model);
    arena_free(&r->arena);
}
