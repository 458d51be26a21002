/* holds.h -- what a slot holds, for the oracle: as text, and whether two hold the same.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HOLDS_H
#define HOLDS_H

#include "matcher/bind/bind.h"

enum held { NOTHING, VALUE, VALUES, PARAM, OPERATOR, PARAMS, DIM, DIMS, MEMBERS };
struct holds {
    enum held kind;
    uint32_t a, b, c;  /* value; node and first operand; node; dimension and what it is an
                          axis of; value, first and how many at the end are left out */
    const char *param; /* of node a */
    bool is_axis;
    const struct holds *members; /* a of them */
};
/* One integer, or a list of them. */
struct ints {
    bool is_list;
    uint32_t n, base;
    ir_dim *at;
};

const char *holds_text(struct arena *a, struct ir_graph *g, struct holds h);
bool holds_same(struct arena *a, struct ir_graph *g, struct holds x, struct holds y);
bool holds_ints(struct arena *a, struct ir_graph *g, struct holds h, struct ints *out);
/* Is the parameter as the test says? One that names items is asked for its length alone. */
bool holds_test(struct arena *a, struct ir_graph *g, ir_node n, const struct attr_test *t);
/* Are all parameters that the pattern does not name as if they were not written? */
bool holds_defaults(struct arena *a, struct ir_graph *g, ir_node n, const struct pat *p);

#endif
