/* parts.h -- what the parts of the verifier share. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_VERIFY_PARTS_H
#define IR_VERIFY_PARTS_H

#include "ir/schema.h"
#include "ir/verify.h"
#include "ir/where.h"

/* A kind of remark that is made once for an operator, with the number of its nodes. */
enum verify_remark { VERIFY_RUNTIME_ONLY, VERIFY_UNKNOWN_CONTRIB };
struct verify_once {
    enum verify_remark remark;
    const struct ir_graph *g; /* the first node */
    ir_node n;
    uint32_t count;
};

struct verify {
    struct ir_model *m;
    struct diag_sink *diags;
    struct arena tmp;        /* of the run */
    enum rw_code code;
    struct map functions;    /* (domain, name) -> function */
    struct map once_at;      /* (remark, domain, op) -> index in once */
    VEC(struct verify_once) once;
    /* The node being looked at. */
    const struct ir_graph *g;
    ir_node n;
    const struct ir_node_info *x;
};

/* An error, or a warning, at the node. */
void ir_verify_wrong(struct verify *v, const char *format, ...) RW_PRINTF(2, 3);
void ir_verify_warn(struct verify *v, const char *format, ...) RW_PRINTF(2, 3);
void ir_verify_help(struct verify *v, const char *format, ...) RW_PRINTF(2, 3);

/* import.c: IR version, opsets of the model and of its functions. */
void ir_verify_imports(struct verify *v);
/* The name of a domain, "ai.onnx" for "". */
const char *ir_shown_domain(const char *domain);
/* interface.c: what the file says of inputs and outputs. */
void ir_verify_interface(struct verify *v);
/* function.c */
void ir_verify_note_functions(struct verify *v);
/* Do functions call each other in a circle? */
void ir_verify_functions(struct verify *v);
/* Is the node a call of a function of the model, which comes before an operator of that
 * name? Then the numbers of its operands and outputs are looked at. */
bool ir_verify_call(struct verify *v);
/* An attribute of the node that refers to one of the function around it. */
void ir_verify_reference(struct verify *v, const struct ir_attr *a);
/* tensor.c: the number of an element type, at what stands at `where`; those of
 * initializers, and of an attribute of the node. */
void ir_verify_element_type(struct verify *v, const char *where, int32_t number);
void ir_verify_initializers(struct verify *v, const struct ir_graph *g);
void ir_verify_tensor_attr(struct verify *v, const struct ir_attr *a);
/* operator.c: what single operators ask beyond their schema. */
void ir_verify_operator_rules(struct verify *v);
/* rank.c: the first row of an operator, or where it would stand; rows are sorted by their
 * first member, its name. */
size_t ir_verify_row(const void *rows, size_t n, size_t size, const char *op);
void ir_verify_ranks(struct verify *v);
void ir_verify_same_dims(struct verify *v);
/* The type of an operand of the node whose rank is known, or NULL. */
const struct ir_type *ir_verify_ranked(const struct verify *v, uint32_t k);
/* range.c: the value of an attribute. */
void ir_verify_range(struct verify *v, const struct ir_attr *a);
/* node.c: operands, outputs and attributes of the node against its schema. */
void ir_verify_node(struct verify *v);
/* type.c: element types of the node against its schema. */
void ir_verify_types(struct verify *v);
/* body.c: the bodies of If, Loop, Scan and SequenceMap against their node. */
void ir_verify_bodies(struct verify *v);
/* declared.c: what the file declares of inputs and outputs of a body of the node. */
void ir_verify_declared(struct verify *v, const char *name, const struct ir_graph *body);

#endif
