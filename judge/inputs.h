/* inputs.h -- inputs for a model, made up: they fit types and shapes, and integers index
 * what is there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_INPUTS_H
#define JUDGE_INPUTS_H

#include "judge/ort.h"

enum judge_fill {
    JUDGE_RANDOM,   /* normal distribution; what follows is for floating types alone */
    JUDGE_ZEROS, JUDGE_ONES,
    JUDGE_LARGE,    /* normal, times 1e4 (float16: 50) */
    JUDGE_WIDE,     /* normal, times 16: beyond the bounds of a Clip, where a Tanh is flat */
    JUDGE_NEGATIVE, /* minus the absolute value */
    JUDGE_SPECIAL,  /* some elements NaN, infinite, negative zero */
    JUDGE_HALVES,   /* normal, rounded to halves */
    JUDGE_BLANK,    /* normal, but for the last row (of the first dimension), which is nothing: floats,
                       numbers below 2 and bools are 0 there, as a mask is that hides all */
    JUDGE_FAR       /* normal; integers of 32 and 64 bits up to 4096, half of them small, below 0 too */
};
/* How dimensions that the model leaves open are chosen: a symbol has one size wherever
 * it stands. Models may refuse some: try the next. */
enum judge_sizes_policy {
    JUDGE_SIZES_DIFFERENT, JUDGE_SIZES_BY_PLACE, /* alike where they are at the same place of values */
    JUDGE_SIZES_ONE, JUDGE_SIZES_ALIKE, JUDGE_SIZES_LARGE, /* and different */
    JUDGE_SIZES
};

/* Sizes that are wished for: of dimensions by name, or `INPUT[1]` by place, which goes
 * first. */
struct judge_size_wish { const char *name; int64_t size; };
struct judge_size_wishes {
    const struct judge_size_wish *at;
    uint32_t n;
};

struct judge_inputs_options {
    uint64_t seed;
    uint32_t sizes; /* enum judge_sizes_policy */
    enum judge_fill fill;
    bool flag;      /* what single bools are: which way an If goes */
    struct judge_size_wishes wishes;
};
/* Has the model an input that is one bool? Both values are of interest then. */
bool judge_has_flag(const struct ir_model *m);
/* For a model that was inferred (ir_infer_model). Initializers that are inputs get no
 * value. RW_FORMAT with a diagnostic for an input that is no tensor or would be too
 * large; RW_USAGE for a wish that no input has a dimension for. */
enum rw_code judge_inputs(struct ir_model *m, const struct judge_inputs_options *o,
                          struct arena *a, struct diag_sink *diags,
                          struct judge_values *out);
/* Inputs with which the model runs: sizes are tried in turn. RW_WRONG with a diagnostic,
 * the runtime's words for the first, when it runs with none. wishes may be NULL. */
enum rw_code judge_inputs_that_run(struct judge *j, struct ir_model *m, uint64_t seed,
                                   const struct judge_size_wishes *wishes, struct arena *a,
                                   struct diag_sink *diags, struct judge_values *out);
/* One tensor; NULL for a type that cannot be made up. Integers are 0 <= x < below; below 0:
 * small ones, negative too where the type has them. Draws from *seed. */
struct ir_tensor *judge_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                               const int64_t *dims, enum judge_fill fill, int64_t below,
                               uint64_t *seed);

#endif
