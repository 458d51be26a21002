/* eval.h -- constant evaluation of one operator on tensors in memory.
 *
 * What folding and rules over constants need, with ONNX Runtime's numerics: float is
 * computed in float, float16 in float and rounded, integers wrap as two's complement,
 * division by zero of integers is not evaluated. Never the judge of a rewrite.
 * Work that is more than linear in operands and results (the multiplications of MatMul,
 * Gemm, Einsum) is bounded for a node, and in sum for a model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_EVAL_H
#define IR_EVAL_H

#include "ir/graph.h"
#include "ir/schema.h"

struct ir_eval {
    struct ir_model *model; /* to read weights from; may be NULL when all are in memory */
    const struct ir_schema *schema;
    uint32_t nin, nout, nattr;
    struct ir_tensor *const *in; /* NULL: absent */
    const struct ir_attr *attr;
    struct arena *arena;         /* of the results */
    /* No result, and no operand whose elements are needed, may be larger: refused. */
    uint64_t max_bytes;
    /* Results that can be computed when they are read are so, if they have at least and at
     * most so many bytes; max_lazy 0: all are made at once. */
    uint64_t least_lazy, max_lazy;
    uint64_t *budget; /* bytes that may still be read and made at once; NULL: any number */
};
#define IR_LEAST_LAZY ((uint64_t)16 << 10) /* what is smaller is not worth the wait */
/* Sets out[0..nout) to new tensors (strings share their text with the operands; a computed
 * result, or one that is a range of an operand, refers to the operands).
 * false: this operator, type or size is not evaluated; the node stays. */
bool ir_eval(const struct ir_eval *e, struct ir_tensor **out);
/* Can the operator be evaluated at all (some types of it)? */
bool ir_eval_has(const char *domain, const char *op);
/* May a node over constants give way to its result? Not a DequantizeLinear: its operands
 * are what makes a quantised model small and fast. */
bool ir_eval_folds(const char *domain, const char *op);
/* Elementwise operators can be evaluated in parts: elements first .. first + n of the one
 * result, in the raw layout, to `raw`; `first` is a multiple of 8. Operands of the
 * result's shape are read along, so that memory is bounded by those that are broadcast.
 * Whether it is evaluated may depend on the elements (an integer divided by zero). */
bool ir_eval_has_parts(const char *domain, const char *op);
bool ir_eval_part(const struct ir_eval *e, uint64_t first, uint64_t n, void *raw);
/* The same for a node of a graph whose operands are constants. */
struct ir_eval_limits { uint64_t max_bytes, least_lazy, max_lazy, *budget; };
bool ir_eval_node(struct ir_graph *g, ir_node n, struct arena *a,
                  const struct ir_eval_limits *limits, struct ir_tensor **out);

#endif
