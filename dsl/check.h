/* check.h -- what the checks of patterns and of emitted bodies share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_CHECK_H
#define DSL_CHECK_H

#include "dsl/lower.h"
#include "ir/param.h"

struct opsets {
    int64_t least, most; /* both included; empty when least > most */
};

/* check_range.c: the opsets of ai.onnx at which the rule can match, from what the pack
 * claims, `opset` in where, and operators that must be there. */
struct opsets dsl_rule_opsets(struct lower *l);
/* Narrowed by `opset >= 13 && ...`. */
struct opsets dsl_narrow(struct opsets o, const struct expr *cond);
/* Those at which operators of that domain are looked up: the rule's for ai.onnx. */
struct opsets dsl_domain_opsets(const char *domain, struct opsets o);
/* "opset 7 to 12", "opset 13". */
const char *dsl_opsets_text(struct lower *l, struct opsets o);

/* check_ops.c */
/* The version at an opset; operators that only ONNX Runtime knows too. */
const struct ir_schema *dsl_schema(const struct pat_op *op, int64_t opset);
/* An error when there is no such operator; false then, and when nothing is known of its
 * domain, which is an error for one that is emitted. */
bool dsl_known_op(struct lower *l, const struct pat_op *op, struct span at, bool emitted);
/* Help that says how parameters are written, for one who gave them as operands; none for an
 * operator that has none. */
void dsl_help_params(struct lower *l, const struct pat_op *op, struct span at);
/* The parameter, or NULL and an error. */
const struct ir_param_def *dsl_known_param(struct lower *l, const struct pat_op *op,
                                           const char *name, struct span at);
/* One name with two meanings in these opsets is an error. */
void dsl_check_epochs(struct lower *l, const struct pat_op *op, struct opsets o,
                      struct span at);
/* check_emit.c */
void dsl_check_emit(struct lower *l, struct opsets o);
/* check_expr.c */
void dsl_check_param(struct lower *l, const struct ir_param_def *def,
                     const struct expr *value, struct span at);
void dsl_check_literal(struct lower *l, const struct ir_param_def *def,
                       const struct literal *lit, struct span at);

#endif
