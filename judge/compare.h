/* compare.h -- are two results the same, within what a class of rules allows?
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include "dsl/dsl.h"
#include "judge/ort.h"

/* |a - b| <= relative * max(1, |a|) + absolute; infinite with one sign, or NaN, together.
 * Both zero: bit-identical, but for the payload of NaN. */
struct judge_bounds { double relative, absolute; };
/* Those of docs/language.md for a result of that type: `exact` none; `float` 1e-5 in float
 * and double, 2^-8 in float16, 2^-5 in bfloat16, none in integers; `approx` 2^-5, in
 * bfloat16 2^-3. `quantised`: not for `exact`, one step of an integer. */
struct judge_bounds judge_bounds_of(enum rule_class c, enum ir_dtype t, bool quantised);

/* Those of whole models, in which rounding adds up, and where integers are rounded to one
 * step more or less may come out at the end. */
struct judge_bounds judge_bounds_of_model(enum rule_class c, enum ir_dtype t,
                                          bool quantised);
/* Is there a node that rounds to integers? */
bool judge_is_quantised(const struct ir_model *m);

struct judge_verdict {
    bool same;
    const char *what;  /* "types", "shapes", "values", "kinds" differ; NULL when same */
    double absolute;   /* largest difference; infinity where one is NaN or infinite */
    double relative;   /* largest difference over max(1, |a|) */
    uint64_t at;       /* element with the largest relative one ... */
    double a, b;       /* ... and its values; NaN for strings */
    uint64_t beyond;   /* elements beyond the bounds */
    uint64_t count;    /* elements compared */
};
/* Both in memory. What is no tensor (NULL) is not compared: same, with count 0. */
struct judge_verdict judge_compare(const struct ir_tensor *a, const struct ir_tensor *b,
                                   struct judge_bounds bounds);
/* What is now, with the elements for which there was no finite number as they were: of
 * those a class that allows rounding promises nothing. */
struct ir_tensor *judge_where_finite(struct arena *a, const struct ir_tensor *was,
                                     const struct ir_tensor *is);

#endif
