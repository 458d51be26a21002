/* param_parts.h -- how param.c reads and completes values. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PARAM_PARTS_H
#define IR_PARAM_PARTS_H

#include "ir/param.h"

/* The default of an attribute; false: it has none. (param.c) */
bool ir_param_default(const struct ir_schema_attr *s, struct arena *a, struct ir_attr *out);
/* The value of an operand, where it is known, in the form that the parameter wants: a
 * single element as INT or FLOAT where the attribute is one, else a list; as TENSOR what
 * no attribute can hold. false: not known, or not readable. (param_value.c) */
bool ir_param_read(const struct ir_graph *g, ir_value v, const struct ir_param_def *d,
                   struct arena *a, struct ir_attr *out);
/* The value that holds where the node gives none, neither its schema: what an older
 * version or the prose of the standard has fixed. false: none. (param_implied.c) */
bool ir_param_implied(const struct ir_graph *g, ir_node n, const struct ir_param_def *d,
                      struct arena *a, struct ir_attr *out);

#endif
