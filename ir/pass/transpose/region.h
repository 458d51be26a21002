/* region.h -- what is connected with a Transpose by nodes that can work on either side of
 * it. Private to the pass transpose.
 *
 * Each value v of a region is Transpose<perm>(w) of a value w that is there or can be made.
 * Each node of it can read and make either the values or their w: that is its side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PASS_TRANSPOSE_REGION_H
#define IR_PASS_TRANSPOSE_REGION_H

#include "ir/pass/transpose/axes.h"

struct ir_region_node {
    ir_node n;
    struct ir_axes *axes;
    struct ir_perm perm; /* of its axes */
    bool moved;          /* is to work on w */
};

/* Who makes or reads a value. A number below is that of a node in the region. */
#define IR_SIDE_OLD 0xfffffffdu  /* v itself, whatever happens */
#define IR_SIDE_NEW 0xfffffffeu  /* w: Transpose<perm> makes v, its inverse reads it */
#define IR_SIDE_BOTH 0xffffffffu /* another Transpose, that can be rewritten for either */

struct ir_region_value {
    ir_value v;
    struct ir_perm perm;
    uint64_t cost; /* of one transposition */
    uint32_t producer;
    VEC(uint32_t) readers; /* without those of IR_SIDE_BOTH */
};

struct ir_region {
    struct ir_graph *g;
    struct arena *arena;
    VEC(struct ir_region_value) values;
    VEC(struct ir_region_node) nodes;
    struct map value_at, node_at; /* their numbers */
    struct map across; /* what a Transpose makes of a value or makes it from: not in it */
    uint64_t constants; /* bytes of constants that may still be transposed */
    uint64_t steps;     /* uses looked at */
};

/* Grows it around v. */
void ir_region_grow(struct ir_region *r, ir_value v, struct ir_perm p);

/* How its port is permuted with the node. */
struct ir_perm ir_port_perm(const struct ir_region_node *x, const struct ir_port *p);
/* An operand that is broadcast and lacks the first axes of the node. */
bool ir_port_is_lower(const struct ir_region_node *x, const struct ir_port *p);
/* Is the value the same whichever side the node is on? */
bool ir_port_stays(const struct ir_graph *g, const struct ir_region_node *x,
                   const struct ir_port *p);
/* May the constant be transposed by itself? The bytes are taken off *budget. */
bool ir_may_transpose(const struct ir_graph *g, ir_value v, uint64_t *budget);

/* What is moved as the nodes are marked: elements, then Transposes. */
struct ir_moves {
    uint64_t elements, count;
};
struct ir_moves ir_region_moves(const struct ir_region *r);
/* Is v, is w asked for by its readers? */
void ir_region_asks(const struct ir_region *r, const struct ir_region_value *x, bool *v,
                    bool *w);

/* cut.c: marks the nodes so that least is moved, as few of them as that takes. false: that
 * takes too long. */
bool ir_region_cut(struct ir_region *r);
/* constant.c: the constant w for v = Transpose<p>(w), in the graph. Where p has more axes
 * than v, v has the last of them. IR_NONE when it cannot be read. */
ir_value ir_transposed_constant(struct ir_graph *g, ir_value v, struct ir_perm p);
/* apply.c: rewrites the graph as the nodes are marked. Returns how many nodes changed. */
uint32_t ir_region_apply(struct ir_region *r);

#endif
