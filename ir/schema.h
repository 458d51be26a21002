/* schema.h -- what is known of operators: generated facts and a few hand-kept ones.
 *
 * The table (ir/schema/schema_table.inc, made by tools/gen_schema.py from the onnx and
 * onnxruntime wheels) has every version of every operator of the standard domains and
 * com.microsoft: inputs, outputs, attributes with defaults, type constraints. On top,
 * written by hand in schema_facts.c with the reason of each: which operators commute,
 * which are random, which attributes do not matter, and the epochs at which a name
 * changed its meaning.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SCHEMA_H
#define IR_SCHEMA_H

#include "ir/attr.h"

enum ir_formal { IR_SINGLE, IR_OPTIONAL_FORMAL, IR_VARIADIC };

struct ir_formal_param {
    const char *name;
    enum ir_formal option;
    bool homogeneous; /* variadic: all of one type */
    int16_t constraint; /* index in constraints, or -1: `types` alone */
    uint32_t types;     /* index of a type set */
};
struct ir_constraint {
    const char *name;  /* "T" */
    uint32_t types;    /* index of a type set */
};
enum ir_default { IR_NO_DEFAULT, IR_HAS_DEFAULT, IR_REQUIRED };
struct ir_schema_attr {
    const char *name;
    enum ir_attr_type type;
    enum ir_default has_default;
    int64_t i;      /* default of an int */
    float f;        /* of a float */
    const char *s;  /* of a string */
    uint32_t n;     /* of a list: ints or strings */
    const int64_t *ints;
    const char *const *strings;
};

struct ir_schema {
    const char *domain, *name; /* domain "" = ai.onnx */
    int32_t since;             /* first opset with this version */
    int32_t until;             /* first opset with a newer one; INT32_MAX: newest */
    bool deprecated;
    bool has_body;             /* the standard gives a function body */
    uint16_t ninputs, noutputs, nattrs, nconstraints;
    uint16_t min_inputs, max_inputs;   /* UINT16_MAX: unbounded */
    uint16_t min_outputs, max_outputs;
    const struct ir_formal_param *inputs, *outputs;
    const struct ir_schema_attr *attrs;
    const struct ir_constraint *constraints;
};

/* The version of an operator that an opset imports, or NULL. domain "" or "ai.onnx".
 * O(1) or O(log n). ONNX Runtime's own operators in the default domain
 * (SimplifiedLayerNormalization, LayerNormalization before 17, ...) are not here: see
 * ir_schema_runtime. */
const struct ir_schema *ir_schema_find(const char *domain, const char *name, int64_t opset);
const struct ir_schema *ir_schema_newest(const char *domain, const char *name);
/* All versions of an operator, *n of them, oldest first; or NULL. */
const struct ir_schema *ir_schema_versions(const char *domain, const char *name, size_t *n);
/* Operators that only ONNX Runtime knows in the default domain at that opset, or NULL. */
const struct ir_schema *ir_schema_runtime(const char *name, int64_t opset);
/* Is it one of those? */
bool ir_schema_is_runtime(const struct ir_schema *s);
/* Newest opset of a domain that the table knows (28 for ai.onnx); 0: unknown domain. */
int64_t ir_schema_newest_opset(const char *domain);
/* IR version that goes with an opset of ai.onnx (the lowest that allows it). */
int64_t ir_version_for_opset(int64_t opset);
/* Every schema, by domain, name, version: for "did you mean" and documentation. */
const struct ir_schema *ir_schema_all(size_t *n);
/* Names of the operators of a domain, for diag_nearest. */
const char *const *ir_schema_names(const char *domain, size_t *n);
/* Where a name stands in a sorted list, or n: for the tables of this folder. */
uint32_t ir_find_name(const char *const *names, uint32_t n, const char *name);

const struct ir_schema_attr *ir_schema_attr(const struct ir_schema *s, const char *name);
/* Formal parameter of actual input i (the last one repeats when variadic), or NULL. */
const struct ir_formal_param *ir_schema_input(const struct ir_schema *s, uint32_t i);
const struct ir_formal_param *ir_schema_output(const struct ir_schema *s, uint32_t i);
/* Does a type set allow a tensor of that element type; any tensor at all? */
bool ir_types_allow(uint32_t types, enum ir_dtype t);
/* As text, for messages: "tensor(float), tensor(double)". */
const char *const *ir_types_list(uint32_t types, size_t *n);

/* --- hand-kept facts --------------------------------------------------------------- */
/* Operands 0 and 1 may be exchanged (Add, Mul, And, Min with two, Equal ...); Add and
 * others only from their epoch 7 on. */
bool ir_op_commutes(const char *domain, const char *name);
/* Same inputs, same outputs: false for RandomNormal, Dropout (which may be in training),
 * Multinomial, Bernoulli ... and for unknown operators. Of If, Loop and Scan it is true:
 * what stands in their bodies is for the caller to ask. */
bool ir_op_is_deterministic(const char *domain, const char *name);
/* The attribute has no influence on the outputs in inference (momentum, seed). */
bool ir_attr_is_inert(const char *domain, const char *op, const char *attr);
/* The opsets (ascending, first is 1) at which the operator began to mean something else
 * for the same text, parameters taken as param.h gives them: Softmax 1, 13;
 * GroupNormalization 1, 21; ... Most have one. */
const int32_t *ir_op_epochs(const char *domain, const char *name, size_t *n);
/* Elementwise, one data operand, output has its shape (and its type unless Cast, IsNaN). */
bool ir_op_is_unary(const char *domain, const char *name);
/* Elementwise with numpy broadcasting of all operands. */
bool ir_op_is_broadcasting(const char *domain, const char *name);

/* --- what ONNX Runtime runs on a CPU ------------------------------------------------ */
/* Does the runtime that the table was made from run the operator on a CPU, at that opset
 * of its domain and with that element type of its first operand: by a kernel, by casts
 * that it puts in (float16), or by a function body all of which has kernels? t
 * IR_UNDEFINED: for some type. The runtime's version: ir_runtime_version(). */
bool ir_runtime_has(const char *domain, const char *name, int64_t opset, enum ir_dtype t);
const char *ir_runtime_version(void);

#endif
