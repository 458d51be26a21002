/* constant.c -- transposed constants.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval.h"
#include "ir/pass/transpose/region.h"

/* The same elements with dimensions of 1 in front. */
static struct ir_tensor with_rank(const struct ir_tensor *t, uint32_t rank, int64_t *dims) {
    struct ir_tensor r = *t;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i + t->rank < rank ? 1 : t->dims[i + t->rank - rank];
    r.rank = rank;
    r.dims = dims;
    return r;
}

static struct ir_tensor *transpose(struct ir_graph *g, struct ir_tensor *t,
                                   struct ir_perm p) {
    int64_t items[IR_PERM_MAX];
    for (uint32_t i = 0; i < p.rank; i++) items[i] = p.at[i];
    struct ir_attr perm = ir_attr_ints("perm", p.rank, items);
    struct ir_tensor *out = NULL;
    struct ir_eval e = {.model = g->model, .nin = 1, .nout = 1, .nattr = 1, .in = &t,
                        .attr = &perm, .arena = g->model->arena, .max_bytes = t->nbytes,
                        .schema = ir_schema_in(g, "", "Transpose")};
    return e.schema && ir_eval(&e, &out) ? out : NULL;
}

/* As many dimensions as needed, but no fewer than before. */
static void drop_leading_ones(struct ir_tensor *t, uint32_t least) {
    while (t->rank > least && t->dims[0] == 1) {
        t->rank--;
        t->dims++;
    }
}

ir_value ir_transposed_constant(struct ir_graph *g, ir_value v, struct ir_perm p) {
    struct ir_tensor *t = ir_const(g, v);
    int64_t dims[IR_PERM_MAX];
    struct ir_tensor raised = with_rank(t, p.rank, dims);
    struct ir_tensor *now = transpose(g, &raised, ir_perm_inverse(p));
    if (!now) return IR_NONE;
    if (t->rank < p.rank) drop_leading_ones(now, t->rank);
    return ir_add_constant(g, ir_val(g, v)->name, now);
}
