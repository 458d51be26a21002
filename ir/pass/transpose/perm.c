/* perm.c -- permutations of axes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/param.h"
#include "ir/pass/transpose/perm.h"

#define NOMINAL 32                       /* a dimension that is not known */
#define MOST_MOVED ((uint64_t)1 << 34)

struct ir_perm ir_perm_identity(uint32_t rank) {
    struct ir_perm p = {.rank = (uint8_t)rank};
    for (uint32_t i = 0; i < rank; i++) p.at[i] = (uint8_t)i;
    return p;
}

bool ir_perm_is_identity(struct ir_perm p) {
    return ir_perm_equal(p, ir_perm_identity(p.rank));
}

bool ir_perm_equal(struct ir_perm a, struct ir_perm b) {
    return a.rank == b.rank && memcmp(a.at, b.at, a.rank) == 0;
}

struct ir_perm ir_perm_inverse(struct ir_perm p) {
    struct ir_perm r = {.rank = p.rank};
    for (uint32_t i = 0; i < p.rank; i++) r.at[p.at[i]] = (uint8_t)i;
    return r;
}

struct ir_perm ir_perm_compose(struct ir_perm p, struct ir_perm q) {
    struct ir_perm r = {.rank = p.rank};
    for (uint32_t i = 0; i < p.rank; i++) r.at[i] = p.at[q.at[i]];
    return r;
}

uint64_t ir_perm_number(struct ir_perm p) {
    uint64_t number = p.rank;
    for (uint32_t i = 0; i < p.rank; i++) number = number << 3 | p.at[i];
    return number;
}

static bool is_permutation(const struct ir_attr *x) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->ints[i] < 0 || x->ints[i] >= x->n || (seen >> x->ints[i] & 1)) return false;
        seen |= 1u << x->ints[i];
    }
    return true;
}

bool ir_perm_of(const struct ir_graph *g, ir_node n, struct ir_perm *p) {
    uint32_t rank, same;
    if (!ir_is_op(g, n, "Transpose") || !ir_perm_rank(g, ir_input(g, n, 0), &rank) ||
        !ir_perm_rank(g, ir_output(g, n, 0), &same) || rank != same)
        return false;
    struct arena work = ARENA_EMPTY;
    struct ir_param x = ir_param(g, n, "perm", &work);
    bool known = x.source == IR_PARAM_ATTR && x.attr.type == IR_ATTR_INTS &&
                 x.attr.n == rank && is_permutation(&x.attr);
    p->rank = (uint8_t)rank;
    for (uint32_t i = 0; known && i < rw_min_u32(rank, IR_PERM_MAX); i++)
        p->at[i] = (uint8_t)x.attr.ints[i];
    arena_free(&work);
    return known;
}

void ir_perm_write(struct ir_graph *g, ir_node n, struct ir_perm p) {
    int64_t items[IR_PERM_MAX];
    for (uint32_t i = 0; i < p.rank; i++) items[i] = p.at[i];
    struct ir_attr perm = ir_attr_ints("perm", p.rank, items);
    ir_set_attr(g, n, &perm);
}

/* --- values with some of the axes ----------------------------------------------------- */

static uint32_t bits_of(uint32_t mask, uint8_t *axes) {
    uint32_t n = 0;
    for (uint8_t i = 0; i < IR_PERM_MAX; i++)
        if (mask >> i & 1) axes[n++] = i;
    return n;
}

struct ir_perm ir_perm_part(struct ir_perm p, uint32_t mask) {
    uint8_t axes[IR_PERM_MAX];
    struct ir_perm part = {.rank = (uint8_t)bits_of(mask, axes)};
    for (uint32_t i = 0; i < part.rank; i++)
        for (uint32_t k = 0; k < part.rank; k++)
            if (p.at[axes[k]] < p.at[axes[i]]) part.at[i]++;
    return part;
}

struct ir_perm ir_perm_whole(struct ir_perm part, uint32_t mask, uint32_t rank) {
    uint8_t axes[IR_PERM_MAX];
    struct ir_perm p = ir_perm_identity(rank);
    uint32_t n = bits_of(mask, axes);
    for (uint32_t i = 0; i < n; i++) p.at[axes[i]] = axes[part.at[i]];
    return p;
}

/* --- values --------------------------------------------------------------------------- */

bool ir_perm_rank(const struct ir_graph *g, ir_value v, uint32_t *rank) {
    const struct ir_type *t = v == IR_NONE ? NULL : ir_val(g, v)->type;
    if (!t || t->kind != IR_TENSOR || !ir_type_ranked(t) || t->rank > IR_PERM_MAX)
        return false;
    *rank = t->rank;
    return true;
}

static int64_t nominal(void *ctx, uint32_t number) {
    RW_UNUSED(ctx);
    RW_UNUSED(number);
    return NOMINAL;
}

static uint64_t count_dim(const struct ir_dims *t, ir_dim d) {
    int64_t value;
    if (d == IR_DIM_UNKNOWN || !ir_dim_value(t, d, nominal, NULL, &value)) return NOMINAL;
    return value < 1 ? 1 : (uint64_t)value;
}

uint64_t ir_perm_cost(const struct ir_graph *g, ir_value v, struct ir_perm p) {
    const struct ir_dims *dims = g->model->dims;
    const struct ir_type *t = ir_val(g, v)->type;
    uint64_t count = 1;
    bool moves = false;
    uint32_t last = 0; /* where the last dimension that is not 1 comes from */
    for (uint32_t i = 0; i < p.rank; i++) {
        int64_t value;
        if (ir_dim_is_const(dims, t->dims[i], &value) && value == 1) continue;
        moves = moves || p.at[i] < last;
        last = p.at[i];
        uint64_t n = count_dim(dims, t->dims[i]);
        count = n > MOST_MOVED / count ? MOST_MOVED : count * n;
    }
    return moves ? count : 0;
}

const struct ir_type *ir_perm_type(const struct ir_graph *g, ir_value v, struct ir_perm p) {
    const struct ir_type *t = ir_val(g, v)->type;
    ir_dim dims[IR_PERM_MAX];
    for (uint32_t i = 0; i < p.rank; i++) dims[p.at[i]] = t->dims[i];
    return ir_type_tensor(g->model->arena, t->dtype, p.rank, dims);
}
