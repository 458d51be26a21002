/* match.h -- the matches at a node in the order in which they are tried.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_MATCH_H
#define PM_MATCH_H

#include "matcher/expr/expr.h"

struct pm_matcher {
    const struct pm_auto *p;
    struct ir_model *model;
    const struct pm_options *options; /* or NULL */
    struct arena *arena;  /* of the run */
    struct arena step;    /* of one node; the matches found live in it */
    struct arena_mark empty; /* keeps the first block of step */
    struct pm_names names;
    struct pm_params params;
    struct pm_machine machine;
    struct pm_labels *labels; /* NULL: the root's operator alone selects rules */
    int64_t opset;        /* what `opset` means instead of the graph's own; 0: that */
    uint64_t candidates;
    struct pm_members members;
    VEC(struct pm_match) found;
};
void pm_matcher_init(struct pm_matcher *t, const struct pm_auto *p, struct ir_model *m,
                     const struct pm_options *o, struct arena *a);
void pm_matcher_free(struct pm_matcher *t);
/* In front of a look at a node: what was found before is forgotten. */
void pm_matcher_begin(struct pm_matcher *t, struct ir_graph *g);
/* Fills t->found with the matches of the stage's rules at n, the preferred first. What the
 * conditions say is still to be asked. Forgets those found before. */
void pm_matcher_find(struct pm_matcher *t, const struct pm_stage *s, struct ir_graph *g,
                     ir_node n);
/* Do both hold the same matches in the same order? Both are of the same automaton. */
bool pm_matchers_agree(const struct pm_matcher *x, const struct pm_matcher *y);
struct pm_site pm_matcher_site(struct pm_matcher *t, struct ir_graph *g);
/* What expressions of the match are evaluated in. */
struct pm_env pm_matcher_env(struct pm_matcher *t, struct ir_graph *g,
                             const struct pm_match *m);

/* defines.c: the values of the packs' parameters. RW_USAGE and a diagnostic for a define
 * that no pack knows or that is no value of its type. */
enum rw_code pm_check_defines(const struct pm_auto *p, const struct pm_options *o,
                              struct diag_sink *diags);
void pm_params_init(struct pm_params *out, const struct pm_auto *p, struct ir_model *m,
                    const struct pm_options *o, struct arena *a);

#endif
