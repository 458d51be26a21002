/* sizes.h -- numbers for the dimensions that a model leaves open. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_INPUTS_SIZES_H
#define JUDGE_INPUTS_SIZES_H

#include "judge/inputs.h"

struct judge_sizes {
    struct arena *arena;
    struct ir_dims *dims;
    uint32_t policy;
    uint32_t place; /* of new symbols, in their value */
    bool pixels;    /* they are of an image */
    struct map chosen; /* symbol -> index in sizes; unknown dimensions are symbols too */
    VEC(int64_t) sizes;
    struct judge_size_wishes wishes;
    struct judge_wished { uint64_t symbol; bool granted; } *wished; /* for each wish */
};
void judge_sizes_init(struct judge_sizes *s, struct arena *a, struct ir_dims *dims,
                      const struct judge_inputs_options *o);
/* Dimension k of a value; false when it is negative or cannot be told. A name that is a
 * sum, as in `past + 1`, is that sum. */
bool judge_size(struct judge_sizes *s, const struct ir_type *t, uint32_t k, int64_t *out);
/* The same of an input, which may have a wish of its own. */
bool judge_size_of_input(struct judge_sizes *s, const struct ir_value_info *v, uint32_t k,
                         int64_t *out);
/* How many there are to choose from where integers of v index something (inputs.c); 0: they
 * do not. */
int64_t judge_choices(struct judge_sizes *s, const struct ir_graph *g, ir_value v);
/* The first wish for what no input has, or NULL. */
const char *judge_size_not_granted(const struct judge_sizes *s);

#endif
