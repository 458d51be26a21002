/* verify.h -- is the model one that the standard allows and a runtime loads?
 *
 * Names and their resolution (dangling, cyclic, defined twice) are refused while a model
 * is read. Here it is about operators: imports, versions, arity, attributes, element
 * types, bodies. Asked of models that were read, to refuse what no runtime would load,
 * and after rewriting, where a fault is ours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_VERIFY_H
#define IR_VERIFY_H

#include "ir/graph.h"

/* Imports what is used of other domains than ai.onnx and not imported, at the newest
 * version that is known and has the operator, with a warning for each. For models just
 * read. */
void ir_add_missing_imports(struct ir_model *m, struct diag_sink *diags);
/* RW_OK, or RW_WRONG with errors. Faults that do no harm are warnings: an operator that
 * ONNX Runtime alone knows at that opset, one of com.microsoft that is not known. Types
 * are compared where they are known, so best asked after inference. Linear in the model;
 * changes nothing. */
enum rw_code ir_verify_model(struct ir_model *m, struct diag_sink *diags);

/* One node that a rewrite has made, against its schema; its operands' types are known as
 * far as they are inferred. false: *why (in a) is the first fault. Unknown operators pass. */
bool ir_verify_new_node(const struct ir_graph *g, ir_node n, struct arena *a,
                        const char **why);

/* Names, types and shapes of the inputs and outputs of a model, as they are now. */
struct ir_interface;
const struct ir_interface *ir_interface_of(const struct ir_model *m, struct arena *a);
/* Are they still the same? RW_WRONG with an error where not. */
enum rw_code ir_verify_kept(const struct ir_model *m, const struct ir_interface *was,
                            struct diag_sink *diags);

#endif
