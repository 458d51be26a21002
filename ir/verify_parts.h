/* verify_parts.h -- what the parts of the verifier share. Private to ir/.
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

/* verify_node.c: operands, outputs and attributes of the node against its schema. */
void ir_verify_node(struct verify *v);
/* verify_type.c: element types of the node against its schema. */
void ir_verify_types(struct verify *v);
/* verify_body.c: the bodies of If, Loop and Scan against their node. */
void ir_verify_bodies(struct verify *v);

#endif
