/* axes.h -- what operators do to axes: one table. Private to the pass transpose.
 *
 * The axes of a node are those of its largest operand or result. Each other operand and
 * result that moves along (a port) has some of them, in order: the result of a reduction
 * those that are left, a bias of a broadcast sum the last ones. So one permutation of the
 * node's axes says how every port is permuted, and axes, pads, and sizes given by
 * parameters with them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PASS_TRANSPOSE_AXES_H
#define IR_PASS_TRANSPOSE_AXES_H

#include "ir/pass/transpose/perm.h"

struct ir_port {
    uint32_t slot; /* number of the operand or output */
    bool is_output;
    uint8_t mask;  /* its axes */
};

#define IR_ANYWHERE (-1)
struct ir_axis_rule;
struct ir_axes {
    const struct ir_axis_rule *rule;
    uint32_t rank, nports;
    struct ir_port *ports;
    int8_t place[IR_PERM_MAX]; /* where the axis has to come to, or IR_ANYWHERE */
    uint32_t tail;             /* so many last axes stay the last ones, in any order */
};

/* The axes of n, in `a`; NULL: an operator that is not in the table, or with something that
 * is not known (a rank, a parameter computed at run time). */
struct ir_axes *ir_axes_of(const struct ir_graph *g, ir_node n, struct arena *a);
/* Is it a node whose operands are broadcast to its result, so that one that lacks axes
 * lacks the first ones? */
bool ir_axes_broadcasts(const struct ir_axes *x);
/* Does the node allow its axes to be permuted like that? */
bool ir_axes_allow(const struct ir_axes *x, struct ir_perm p);
/* Makes the parameters of n those of the node on permuted operands: n's operands are p
 * of new ones. */
void ir_axes_carry(struct ir_graph *g, ir_node n, const struct ir_axes *x,
                   struct ir_perm p);

/* --- carry.c: what becomes of parameters ---------------------------------------------- */
typedef void ir_carry(struct ir_graph *g, ir_node n, struct ir_perm p);
ir_carry ir_carry_axis;       /* `axis` */
ir_carry ir_carry_axis_input; /* operand 1, a number */
ir_carry ir_carry_axes;       /* `axes`; not given, it is all of them */
ir_carry ir_carry_axis_set;   /* `axes`, which then stand in order */
ir_carry ir_carry_pads;       /* `pads`, beginnings and ends, maybe of `axes` */
ir_carry ir_carry_items;      /* operand 1, an item for each axis */
ir_carry ir_carry_scales;     /* or sizes, of Resize and Upsample; maybe of `axes` */

#endif
