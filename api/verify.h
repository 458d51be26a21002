/* verify.h -- rewriting with ONNX Runtime as the judge, of each rewrite or of the whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_VERIFY_H
#define API_VERIFY_H

#include "api/rewrite.h"
#include "judge/judge.h"

struct api_verify {
    const char *library; /* of ONNX Runtime; NULL: it is looked for */
    uint32_t ninputs;    /* .npz files to run the whole model on; none: made up */
    const char *const *inputs;
};
/* What came out: the model that was given, or another one with an arena of its own. */
struct api_rewritten {
    struct ir_model *model;
    struct arena arena;
    struct judge_counts counts; /* with PM_VERIFY_REWRITES */
    uint32_t left_out;          /* with PM_VERIFY_MODEL: steps */
    uint32_t nsets;             /* ... and sets of inputs that it was run on */
    const char *runtime;        /* version of ONNX Runtime, or NULL: not asked */
};
/* api_rewrite under pm_options.verify; m is prepared. With PM_VERIFY_REWRITES a rewrite
 * that is found wrong is undone by itself; where some could not be run by themselves the
 * whole model is, and unless it gives the same they are undone as well. With PM_VERIFY_MODEL
 * m stays as it is: it is read again, rewritten, and compared; where the results differ the
 * first wrong step is sought and left out, until they agree (RW_WRONG when they never do). */
enum rw_code api_rewrite_judged(const struct pm_auto *rules, struct ir_model *m,
                                const struct pm_options *o, const struct api_verify *v,
                                struct arena *report_arena, struct pm_report *report,
                                struct diag_sink *diags, struct api_rewritten *out);
/* Closes what is not the model that was given. */
void api_rewritten_close(struct api_rewritten *r, const struct ir_model *given);

#endif
