/* param.h -- virtual parameters: one name whatever the form.
 *
 * `axes` of ReduceMean is an attribute before opset 18 and an input from 18 on; likewise
 * Squeeze, Unsqueeze, Split, Pad, Clip, Slice, Dropout, ReduceSum, TopK, Upsample. Here a
 * parameter has the name of the newest schema, and a reader gets its value wherever the
 * node keeps it: attribute, constant input (looked through Identity and Cast), the
 * schema's default, or the meaning that an older epoch has fixed for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PARAM_H
#define IR_PARAM_H

#include "ir/graph.h"
#include "ir/schema.h"

enum ir_param_source {
    IR_PARAM_NONE,    /* the operator has no such parameter */
    IR_PARAM_ABSENT,  /* optional, not given, no default: `absent` to a rule */
    IR_PARAM_ATTR,    /* given as attribute, or a default: value in attr */
    IR_PARAM_CONST,   /* given as an input of known value: value in attr too, input set */
    IR_PARAM_DYNAMIC  /* given as an input whose value is not known: input set */
};
struct ir_param {
    enum ir_param_source source;
    bool is_default;     /* not written on the node */
    struct ir_attr attr; /* INT(S), FLOAT(S), STRING(S), TENSOR, GRAPH. A constant operand
                            is INT or FLOAT where the attribute form is one, else a list;
                            of more than float's digits or one dimension: see `input` */
    ir_value input;      /* the operand, or IR_NONE */
};
/* The parameter of a node by its newest name. Lists read from inputs live in `a`. What the
 * standard fixes is filled in where it can be told: training_mode before there was one,
 * steps of Slice, perm of Transpose, strides of Conv. Empty axes of a reduction count as
 * absent. IR_PARAM_DYNAMIC without an operand refers to an attribute of a function. */
struct ir_param ir_param(const struct ir_graph *g, ir_node n, const char *name,
                         struct arena *a);
/* What it would be if the node did not give it: the default, which a written one may
 * equal. */
struct ir_param ir_param_unwritten(const struct ir_graph *g, ir_node n, const char *name,
                                   struct arena *a);

/* --- by operator, without a node --------------------------------------------------- */
struct ir_param_def {
    const char *name;
    const char *older; /* its name where it was an attribute of another name, or NULL */
    bool is_attr_somewhere, is_input_somewhere;
    enum ir_attr_type type; /* of the attribute form: INT, INTS, FLOAT, STRING ... */
    enum ir_default has_default; /* in the newest version that has it */
};
/* Parameters of an operator over all its versions, by name: attributes of any version,
 * and the inputs that are attributes in another one or that belong to those (steps of
 * Slice, training_mode of Dropout). Operators that only ONNX Runtime knows are in. NULL:
 * unknown operator. */
const struct ir_param_def *ir_param_defs(const char *domain, const char *op, size_t *n);
const struct ir_param_def *ir_param_def(const char *domain, const char *op,
                                        const char *name);
/* Which operand carries the parameter at that opset: its number, or -1 when it is an
 * attribute there, -2 when that version has no such parameter. */
#define IR_PARAM_IS_ATTR (-1)
#define IR_PARAM_IS_NOT (-2)
int ir_param_operand(const char *domain, const char *op, const char *name, int64_t opset);
/* The same of a version that is at hand. */
int ir_param_place(const struct ir_schema *s, const struct ir_param_def *d);
/* Is operand number i of that version one that a parameter stands for in another? Then
 * a pattern may leave it to `<...>`. Its parameter's name; NULL when not. */
const char *ir_param_of_operand(const char *domain, const char *op, uint32_t i,
                                int64_t opset);
/* The name that the attribute form of a parameter has in a version ("value" of Pad is
 * `constant_value`), or NULL when it is no attribute there. */
const char *ir_param_attr_name(const struct ir_schema *s, const struct ir_param_def *d);

#endif
