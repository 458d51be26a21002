/* tune_impl.h -- private to api/tune*.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_TUNE_IMPL_H
#define API_TUNE_IMPL_H

#include "api/tune.h"

/* What a model is made by. */
struct tune_state {
    uint32_t target;
    const char *disabled;
    uint32_t nforbidden;
    const struct pm_place *forbidden;
    bool original; /* no rule at all: the file as it is */
};
struct tune_variant {
    struct arena arena;
    struct tune_state state;
    struct judge_model model;
    struct pm_report report;
    uint32_t nodes;
    uint64_t outline;    /* of what the runtime makes of it; 0: not known */
    uint64_t optimisers; /* of the runtime, that have something to do in it, as bits */
};
/* --- tune_variant.c: models of states -------------------------------------------------- */
enum rw_code tune_build(struct api_tune *t, const struct tune_state *s,
                        struct diag_sink *diags, struct tune_variant *out);
void tune_drop(struct tune_variant *v);
bool tune_same(const struct tune_variant *a, const struct tune_variant *b);

/* --- tune_choices.c: what there is to choose ------------------------------------------- */
uint64_t tune_optimisers_for(const struct ir_model *m);
void tune_add_targets(struct api_tune *t);
void tune_add_optimisers(struct api_tune *t, const struct tune_variant *v);
/* Packs of the rules that were applied, all rules, and phases of packs that have several. */
void tune_add_groups(struct api_tune *t, const struct tune_variant *v);
/* The state with that choice taken, in *a. */
struct tune_state tune_take(const struct tune_state *s, const struct api_choice *c,
                            struct arena *a);

#endif
