/* whole.h -- the model as a whole, before and after, and the step that makes it differ.
 * Private to api/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_WHOLE_H
#define API_WHOLE_H

#include "api/verify.h"

struct api_guilty {
    const char *rule;
    uint32_t places;
};
struct api_whole {
    const struct pm_auto *rules;
    struct ir_model *original;
    const struct pm_options *options;
    const struct api_verify *verify;
    struct judge *judge;
    struct arena *arena;
    struct diag_sink *diags;
    uint32_t nsets; /* of inputs, and what the original gives for them */
    struct judge_values *in, *wanted;
    uint32_t blank; /* a bit for each of them that has a row of nothing (JUDGE_BLANK) */
    struct judge_noise *noise; /* in what it gives; NULL: not asked for so far */
    bool quantised;
    bool keep_opset;    /* raising was found wrong, or was asked not to be done */
    bool raise_is_right;
    VEC(struct pm_place) forbidden; /* those of the options first */
    VEC(struct api_guilty) guilty;
    struct judge_rewrites *doubts; /* what judges the other rewrites of guilty rules; NULL: none are */
    struct pm_judge doubter;
};
enum rw_code api_rewrite_whole(struct api_whole *w, struct pm_report *report,
                               struct api_rewritten *out);

/* whole_inputs.c: sets of inputs that the original runs with, and its results. RW_WRONG
 * and a diagnostic when there are none. */
enum rw_code api_whole_inputs(struct api_whole *w);
/* Does the model give the same? false: *why says what it gives. */
bool api_whole_agrees(struct api_whole *w, struct ir_model *m, struct arena *a,
                      const char **why);

#endif
