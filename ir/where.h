/* where.h -- places in a model, as words for diagnostics.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_WHERE_H
#define IR_WHERE_H

#include "base/diag.h"
#include "ir/graph.h"

/* The model's file as it was named, or the name of its graph. */
const char *ir_model_name(const struct ir_model *m);
/* `model.onnx: node "n" (Op)`; a node without a name is known by its first output. In the
 * arena. */
const char *ir_node_where(const struct ir_graph *g, ir_node n, struct arena *a);
/* What a diagnostic about the node is about. */
struct diag_subject ir_node_subject(const struct ir_graph *g, ir_node n);
/* A diagnostic at the node. */
void ir_diag_node(struct diag_sink *diags, enum diag_level level, const struct ir_graph *g,
                  ir_node n, const char *text);

/* The rule that made the node, in this run or an earlier one (which models of IR version 10
 * and later remember); NULL: none. */
const char *ir_node_rule(const struct ir_graph *g, ir_node n);

#endif
