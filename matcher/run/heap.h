/* heap.h -- nodes of one graph by topological order, each there once at most.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_HEAP_H
#define PM_HEAP_H

#include "ir/graph.h"

struct pm_heap {
    struct arena *arena;
    struct ir_graph *g;
    bool last_first; /* else the first in topological order comes first */
    VEC(ir_node) at;
    VEC(bool) queued; /* of each node */
};
void pm_heap_begin(struct pm_heap *h, struct ir_graph *g, bool last_first, struct arena *a);
/* Dead nodes are left out. */
void pm_heap_add(struct pm_heap *h, ir_node n);
/* IR_NONE: nothing is left. */
ir_node pm_heap_take(struct pm_heap *h);

#endif
