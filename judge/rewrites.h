/* rewrites.h -- each rewrite judged by itself, before it is committed (--verify=rewrites).
 *
 * The nodes that were matched and those that were made are run side by side, as models of
 * their own, on small made-up inputs that fit what is known of the values around them.
 * Where they differ the judge looks further up: what a rule knows of its surroundings (that
 * two values have to do with each other, that a shape is that of another value) may make
 * them equal after all. What was judged once is not run again, wherever it stands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_REWRITES_H
#define JUDGE_REWRITES_H

#include "judge/ort.h"
#include "matcher/matcher.h"

struct judge_rewrites;
/* `strict`: what could not be run is undone, too. */
struct judge_rewrites *judge_rewrites_new(struct judge *j, bool strict, struct arena *a,
                                          struct diag_sink *diags);
/* For pm_options. */
const struct pm_judge *judge_rewrites_judge(const struct judge_rewrites *r);

struct judge_counts {
    uint32_t judged; /* rewrites looked at ... */
    uint32_t run;    /* ... of so many kinds ... */
    uint32_t wrong, unknown; /* ... were found wrong; could not be run */
    uint32_t inexact;        /* right, but not bit by bit */
};
struct judge_counts judge_rewrites_count(const struct judge_rewrites *r);
/* Warns of rules some of whose rewrites could not be run, `fate` says what came of them,
 * and of how often others were found wrong. Frees what is not in the arena. */
void judge_rewrites_end(struct judge_rewrites *r, const char *fate);

#endif
