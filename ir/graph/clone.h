/* clone.h -- the contents of one graph made anew in another: what inlining of branches,
 * loops and functions stands on. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_GRAPH_CLONE_H
#define IR_GRAPH_CLONE_H

#include "ir/graph.h"

struct ir_clone {
    const struct ir_graph *from; /* a body of a node of `to`, or of a function */
    struct ir_graph *to;
    ir_node before;         /* in `to`: the copies stand in front of it */
    uint32_t nargs;
    const ir_value *args;   /* of `to`, for the inputs of `from`; IR_NONE: absent */
    uint32_t nattrs;        /* what references in a function's body stand for; one that */
    const struct ir_attr *attrs; /* refers to nothing leaves its attribute unwritten */
};
/* May the contents be told apart from the graph: no overridable or sparse initializer, and
 * nothing that training or an annotation names. */
bool ir_can_clone(const struct ir_graph *from);
/* Copies nodes, with bodies, and constants; names that are taken become fresh ones.
 * results[k] is the value of `to` that output k of `from` is: a copy, an argument (maybe
 * IR_NONE), or a captured value. */
void ir_clone(const struct ir_clone *c, ir_value *results);

#endif
