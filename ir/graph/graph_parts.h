/* graph_parts.h -- the pieces that the editing functions share. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_GRAPH_PARTS_H
#define IR_GRAPH_PARTS_H

#include "ir/graph/journal.h"

/* --- uses (use.c) --- */
/* A use of nothing so far. */
ir_use ir_use_new(struct ir_graph *g, ir_node user, uint32_t slot);
/* Takes a use off the list of its value and puts it in front of that of v; IR_NONE: on
 * no list. */
void ir_use_set(struct ir_graph *g, ir_use u, ir_value v);

/* --- what has to be written anew (use.c) --- */
/* An edit of node n: it and the nodes around it are not as in the file. */
void ir_touch_node(struct ir_graph *g, ir_node n);
/* An edit of the graph beside its nodes. */
void ir_touch_graph(struct ir_graph *g);
/* Whoever names v: its producer and its users. */
void ir_touch_around(struct ir_graph *g, ir_value v);

/* --- order (order.c) --- */
void ir_list_insert(struct ir_graph *g, ir_node n, ir_node before);
void ir_list_remove(struct ir_graph *g, ir_node n);

/* --- bodies (capture.c) --- */
/* Brings name, type and symval of the values that stand for v in bodies up to date. */
void ir_refresh_captures(struct ir_graph *g, ir_value v);
/* Makes a capture of `old` one of `now`. */
void ir_move_capture(struct ir_graph *g, ir_use u, ir_value now);
/* Releases the bodies that an attribute of node n holds. */
void ir_release_bodies(struct ir_graph *g, ir_node n, const struct ir_attr *attr);

/* --- constants (constant.c) --- */
/* Gives output 0 of a Constant node its tensor; nothing for other nodes. */
void ir_sync_constant(struct ir_graph *g, ir_node n);

#endif
