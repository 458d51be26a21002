/* pair.h -- which value of one graph is which of another one: by name and provenance, by
 * what computes it, by what reads it. Private to judge/.
 *
 * A name says most, for rewrites keep the names of what they replace. It is believed where
 * a rule made one of the nodes, or where the operator is the same and the operands are no
 * other ones; else a node that does the same with the same operands comes first, for
 * exporters count their names anew. What is left goes by its name all the same, and then
 * by guesses: it is read at the same place, or is another operator of the same operands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_DIFF_PAIR_H
#define JUDGE_DIFF_PAIR_H

#include "ir/ir.h"

enum judge_how {
    JUDGE_BY_NAME,
    JUDGE_BY_PLACE, /* the same operator over the same operands, or an Identity less */
    JUDGE_GUESSED   /* where it differs and nothing that reads it does, it is no pair */
};
struct judge_pairs {
    struct arena *a;
    struct ir_graph *g[2];            /* before and after */
    const struct judge_pairs *around; /* for bodies: of the graphs around; or NULL */
    ir_value *other[2]; /* of a value of g[i] that of the other, or IR_NONE. Several values
                           of before may be one after: duplicates that were merged */
    ir_node *node[2];
    ir_value *like;      /* of after: the first value that is equal; or itself ... */
    ir_value *next_like; /* ... and the next one that is, or IR_NONE */
    enum judge_how *how; /* by values of before */
};
/* In time linear in the graphs. */
void judge_pairs_find(struct arena *a, struct ir_graph *before, struct ir_graph *after,
                      const struct judge_pairs *around, struct judge_pairs *out);
/* Equal in type, dims and elements; each is of its own model. */
bool judge_same_tensor(struct ir_model *m, const struct ir_tensor *x, struct ir_model *n,
                       const struct ir_tensor *y);
/* Equal in all but bodies, of which there must be as many. */
bool judge_same_attr(struct ir_model *m, const struct ir_attr *x, struct ir_model *n,
                     const struct ir_attr *y);
/* Of two nodes. */
bool judge_same_attrs(const struct ir_graph *g, ir_node n, const struct ir_graph *other,
                      ir_node k);

#endif
