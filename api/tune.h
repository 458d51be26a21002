/* tune.h -- which rules, and which optimisers of the runtime, make a model faster: found out
 * by measuring with and without, one choice after the other.
 *
 * What is there stays unless something else is faster beyond the noise, so the order of the
 * choices is fixed and what is undecided is as the packs have it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_TUNE_H
#define API_TUNE_H

#include "api/rewrite.h"
#include "judge/judge.h"

enum api_choice_kind {
    API_CHOICE_TARGET,    /* to rewrite for this target */
    API_CHOICE_OPTIMISER, /* to turn this optimiser of the runtime off */
    API_CHOICE_GROUP,     /* to leave out the rules of a pack, or of one phase of it */
    API_CHOICE_RULES      /* to leave out all of them */
};
enum api_choice_end {
    API_UNTRIED, /* the time was over */
    API_ALIKE,   /* it makes no difference to the model */
    API_FAILED,  /* it does not run, or gives something else */
    API_KEPT,    /* not faster beyond the noise: all stays as it was */
    API_TAKEN    /* faster */
};
struct api_choice {
    enum api_choice_kind kind;
    const char *name;           /* "ort", "SkipLayerNormFusion", "gelu", "gelu/bias_gelu" */
    uint32_t target;
    uint32_t nrules;            /* of a group */
    const char *const *rules;
    enum api_choice_end end;
       uint32_t nodes, pairs;      /* of the model then; processes that were compared */
    struct judge_ratio ratio;   /* to what was the best before, where there are pairs */
    const char *why;            /* it failed; or NULL */
};

struct api_tune {
    const struct pm_auto *rules;
    struct ir_model *original;  /* prepared */
    const struct pm_options *options; /* target: to begin with */
    const char *library;
    uint32_t threads;
    double seconds;             /* most that it may take, about */
    const struct judge_values *in;
    struct arena *arena;
    struct diag_sink *diags;
    void (*tell)(void *ctx, const struct api_choice *c); /* a choice is made; may be NULL */
    void *ctx;

    /* What is found. */
    VEC(struct api_choice) choices;
    uint32_t target;
    VEC(struct pm_place) forbidden; /* rules that are left out */
    bool original_is_best;      /* no rule at all */
    const char *disabled;       /* optimisers that are off, or NULL */
    struct judge_ratio ratio;   /* of what was found to the original with all of them on */
    double before, after;       /* medians of seconds a run */
    uint32_t nodes, pairs;      /* nodes of the original; processes that were compared */
    const char *version;        /* of the runtime */
    bool complete;              /* nothing was left untried */
};
/* RW_WRONG when the original, or what the packs make of it, does not run. */
enum rw_code api_tune(struct api_tune *t);

#endif
