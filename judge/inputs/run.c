/* run.c -- inputs that a model runs with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/inputs.h"

static enum judge_outcome try_sizes(struct judge *j, uint32_t session,
                                    const struct judge_values *in) {
    struct arena scratch = ARENA_EMPTY;
    struct judge_values out;
    enum judge_outcome o = judge_run(j, session, in, NULL, 0, &scratch, &out);
    arena_free(&scratch);
    return o;
}

static enum rw_code try_all(struct judge *j, uint32_t session, struct ir_model *m,
                            struct judge_inputs_options o, struct arena *a,
                            struct diag_sink *diags, struct judge_values *out) {
    const char *first = NULL;
    for (o.sizes = 0; o.sizes < JUDGE_SIZES; o.sizes++) {
        TRY(judge_inputs(m, &o, a, diags, out));
        enum judge_outcome outcome = try_sizes(j, session, out);
        if (outcome == JUDGE_OK) return RW_OK;
        if (!first) first = arena_strdup(a, judge_message(j));
        if (outcome != JUDGE_REFUSED) break;
    }
    diag_where(diags, DIAG_ERROR, ir_model_name(m), "does not run with inputs made up: %s",
               first);
    return RW_WRONG;
}

enum rw_code judge_inputs_that_run(struct judge *j, struct ir_model *m, uint64_t seed,
                                   const struct judge_size_wishes *wishes, struct arena *a,
                                   struct diag_sink *diags, struct judge_values *out) {
    struct judge_inputs_options o = {.seed = seed};
    struct judge_model model;
    uint32_t session;
    TRY(judge_model_of(m, a, diags, &model));
    if (judge_load(j, &model, &session) != JUDGE_OK) {
        diag_where(diags, DIAG_ERROR, ir_model_name(m), "does not run: %s",
                   judge_message(j));
        return RW_WRONG;
    }
    if (wishes) o.wishes = *wishes;
    enum rw_code code = try_all(j, session, m, o, a, diags, out);
    judge_unload(j, session);
    return code;
}
