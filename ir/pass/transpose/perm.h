/* perm.h -- permutations of axes. Private to the pass transpose.
 *
 * A permutation p stands between a value and what it is a transposition of: v is
 * Transpose<perm = p>(w), so axis i of v is axis p[i] of w.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PASS_TRANSPOSE_PERM_H
#define IR_PASS_TRANSPOSE_PERM_H

#include "ir/graph.h"

#define IR_PERM_MAX 8 /* values of more dimensions are left alone */

struct ir_perm {
    uint8_t rank, at[IR_PERM_MAX];
};

struct ir_perm ir_perm_identity(uint32_t rank);
bool ir_perm_is_identity(struct ir_perm p);
bool ir_perm_equal(struct ir_perm a, struct ir_perm b);
struct ir_perm ir_perm_inverse(struct ir_perm p);
/* Transpose<q>(Transpose<p>(x)) is Transpose<compose(p, q)>(x). */
struct ir_perm ir_perm_compose(struct ir_perm p, struct ir_perm q);
/* That of a Transpose; false when it is none, or the perm is not known. */
bool ir_perm_of(const struct ir_graph *g, ir_node n, struct ir_perm *p);
void ir_perm_write(struct ir_graph *g, ir_node n, struct ir_perm p);
uint64_t ir_perm_number(struct ir_perm p); /* of its own, below 2^28 */

static inline uint32_t ir_axes_in(uint32_t mask) {
    uint32_t n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}
/* A value that has some of the axes of another one, in the same order, the bits of `mask`:
 * how it is permuted when that one is. */
struct ir_perm ir_perm_part(struct ir_perm p, uint32_t mask);
/* The other way: the axes that are not in the mask keep their places. */
struct ir_perm ir_perm_whole(struct ir_perm part, uint32_t mask, uint32_t rank);

/* What one transposition of v by p moves: 0 where only dimensions of 1 change places. A
 * dimension that is not known counts as a fixed number. At most 2^34. */
uint64_t ir_perm_cost(const struct ir_graph *g, ir_value v, struct ir_perm p);
/* The type of w where v is Transpose<p>(w). */
const struct ir_type *ir_perm_type(const struct ir_graph *g, ir_value v, struct ir_perm p);
/* The rank of v; false when it is not known or too large. */
bool ir_perm_rank(const struct ir_graph *g, ir_value v, uint32_t *rank);

#endif
