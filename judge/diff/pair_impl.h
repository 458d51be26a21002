/* pair_impl.h -- the parts of finding pairs. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_DIFF_PAIR_IMPL_H
#define JUDGE_DIFF_PAIR_IMPL_H

#include "judge/diff/pair.h"

#define MOST_USES 64 /* of a value, or of those that are alike, that are looked through */

static inline ir_value other(const struct judge_pairs *p, ir_value before) {
    return before == IR_NONE ? IR_NONE : p->other[0][before];
}

/* Is v known to be w, or what is equal to it? */
static inline bool is_pair(const struct judge_pairs *p, ir_value v, ir_value w) {
    ir_value found = other(p, v);
    return found != IR_NONE && w != IR_NONE && p->like[found] == p->like[w];
}

static inline bool is_free(const struct judge_pairs *p, uint32_t side, ir_value v) {
    return v != IR_NONE && p->other[side][v] == IR_NONE;
}

static inline const struct ir_tensor *constant(const struct ir_graph *g, ir_value v) {
    return ir_has(g, v, IR_IS_DEAD | IR_IS_OUTER) ? NULL : ir_const(g, v);
}

/* --- pair.c --------------------------------------------------------------------------- */
/* Values, and the nodes that give them where they are of one kind. */
void judge_pair_values(struct judge_pairs *p, ir_value v, ir_value w, enum judge_how how);

/* --- pair_alike.c --------------------------------------------------------------------- */
/* Constants by name, type and shape; `equal`: and as far as some of their elements tell. */
void judge_pair_named_constants(struct judge_pairs *p, bool equal);
/* Those that no name was found for, by what they are; and what of after is alike. */
void judge_pair_equal_constants(struct judge_pairs *p);
/* What is computed twice in after is alike: which of them is which does not matter. */
void judge_pair_find_alike(struct judge_pairs *p);
/* May it be that another node gives the same? */
bool judge_pair_may_be_equal(const struct ir_graph *g, ir_node n);

#endif
