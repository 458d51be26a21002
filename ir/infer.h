/* infer.h -- types, shapes and shape values, symbolically.
 *
 * Inference reads the types and known values of a node's operands and sets those of its
 * outputs (journalled). On known operators it wins over a declaration; what it cannot
 * tell is taken from the declaration, and on unknown operators that is all there is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_INFER_H
#define IR_INFER_H

#include "ir/graph.h"
#include "ir/schema.h"

/* All nodes of a model in order, bodies and functions too. A node whose operands break a
 * rule of its operator (a Conv with a rank-0 weight) is an error; a declaration that
 * contradicts what is inferred is a warning and loses. Linear in the graph. */
enum rw_code ir_infer_model(struct ir_model *m, struct diag_sink *diags);
/* The same of a model that is to be judged. What is declared and cannot be meant is an
 * error: another type than is computed, another shape of an output of the main graph. */
enum rw_code ir_infer_strictly(struct ir_model *m, struct diag_sink *diags);
/* One node: sets its outputs. Returns false, and says why in *why (or NULL) in the
 * model's arena, when the operands cannot be right. Bodies are inferred along. */
bool ir_infer_node(struct ir_graph *g, ir_node n, const char **why);
/* The same of a node that is to replace others: where dimensions of its operands must agree
 * it is not supposed that they do, they have to be known to. */
bool ir_infer_new_node(struct ir_graph *g, ir_node n, const char **why);
/* What a node demands of its operands holds from here on, until the table of dimensions is
 * taken back: for nodes that stand in bodies, which may never run. */
void ir_assume_node(struct ir_graph *g, ir_node n);
/* Nodes whose operands changed, in order, until nothing changes: after a rewrite. */
void ir_infer_from(struct ir_graph *g, const ir_node *nodes, uint32_t n);
/* The known integer value of v: its symval, or that of a small constant; or NULL. */
const struct ir_symval *ir_symval_of(struct ir_graph *g, ir_value v);

/* The function of the model that node n calls, or NULL. */
struct ir_function *ir_callee(const struct ir_graph *g, ir_node n);
/* The value that a function gives to an attribute which a call leaves out. false: it gives
 * none, or one (a tensor, a graph) that is not read. */
bool ir_function_default(struct ir_model *m, const struct ir_function *f, const char *name,
                         struct ir_attr *out);

#endif
