/* reform.h -- one node written for another opset, its meaning kept.
 *
 * Most operators change only their form from opset to opset: `axes` of Squeeze becomes an
 * input, Softmax gets another default axis. Those are re-formed here from what the schema
 * layer knows, without a rule per operator. Where a name changed its meaning (an epoch),
 * a rule of rules/opset.rules must say what the node becomes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_REFORM_H
#define IR_REFORM_H

#include "ir/graph.h"

enum ir_reform {
    IR_REFORM_DONE,      /* the node is now one of that opset (perhaps it was before) */
    IR_REFORM_NEEDS_RULE, /* its name means something else there, or is gone */
    IR_REFORM_IMPOSSIBLE  /* a parameter has no place in the newer form */
};

/* Re-forms node n, of an operator of ai.onnx or of a domain that does not move, for a
 * newer version of its domain. Journalled. On anything but DONE the node is unchanged and
 * *why (in the model's arena) says what stood in the way. */
enum ir_reform ir_reform_node(struct ir_graph *g, ir_node n, int64_t opset, const char **why);

#endif
