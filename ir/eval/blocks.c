/* blocks.c -- SpaceToDepth and DepthToSpace: a transpose of the operand with its axes cut
 * in two.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

/* Views x as the shape `cut` of six axes, which go to the order `perm`; into `to`. */
static bool put_permuted(struct eval_job *j, const struct eval_cells *x,
                         const struct eval_shape *cut, const uint32_t *perm,
                         const struct eval_shape *to) {
    struct eval_shape s = {.rank = cut->rank};
    struct eval_cells r;
    struct eval_walk w;
    int64_t stride[EVAL_RANK], moved[EVAL_RANK];
    if (!ir_eval_cells_new(j, x->dtype, to, &r)) return false;
    ir_eval_strides(cut, stride);
    for (uint32_t i = 0; i < s.rank; i++) {
        s.at[i] = cut->at[perm[i]];
        moved[i] = stride[perm[i]];
    }
    ir_eval_walk_over(&w, &s);
    ir_eval_walk_strided(&w, moved);
    for (uint64_t i = 0; i < r.count; i++, ir_eval_walk_next(&w))
        memcpy(r.at + i * r.size, x->at + (size_t)w.off[0] * r.size, r.size);
    return ir_eval_put_cells(j, 0, &r);
}

static bool mode_is(const struct eval_job *j, const char *name) {
    return ir_eval_attr_is(j, "mode", name, "DCR");
}

static bool operand(struct eval_job *j, struct eval_cells *x, int64_t *block) {
    *block = ir_eval_attr_int(j, "blocksize", 0);
    return ir_eval_cells(j, 0, x) && x->shape.rank == 4 && *block > 0 &&
           (mode_is(j, "DCR") || mode_is(j, "CRD"));
}

static bool eval_depth_to_space(struct eval_job *j) {
    static const uint32_t dcr[] = {0, 3, 4, 1, 5, 2}, crd[] = {0, 1, 4, 2, 5, 3};
    struct eval_cells x;
    int64_t b, area, rows, columns;
    if (!operand(j, &x, &b) || !rw_mul_i64(b, b, &area)) return false;
    const int64_t *d = x.shape.at;
    if (d[1] % area || !rw_mul_i64(d[2], b, &rows) || !rw_mul_i64(d[3], b, &columns))
        return false;
    int64_t depth = d[1] / area;
    struct eval_shape cut = {6, {d[0], b, b, depth, d[2], d[3]}};
    if (mode_is(j, "CRD")) cut = (struct eval_shape){6, {d[0], depth, b, b, d[2], d[3]}};
    const struct eval_shape to = {4, {d[0], depth, rows, columns}};
    return put_permuted(j, &x, &cut, mode_is(j, "CRD") ? crd : dcr, &to);
}

static bool eval_space_to_depth(struct eval_job *j) {
    static const uint32_t dcr[] = {0, 3, 5, 1, 2, 4}, crd[] = {0, 1, 3, 5, 2, 4};
    struct eval_cells x;
    int64_t b, area, depth;
    if (!operand(j, &x, &b) || !rw_mul_i64(b, b, &area)) return false;
    const int64_t *d = x.shape.at;
    if (d[2] % b || d[3] % b || !rw_mul_i64(d[1], area, &depth)) return false;
    const struct eval_shape cut = {6, {d[0], d[1], d[2] / b, b, d[3] / b, b}};
    const struct eval_shape to = {4, {d[0], depth, d[2] / b, d[3] / b}};
    return put_permuted(j, &x, &cut, mode_is(j, "CRD") ? crd : dcr, &to);
}

const struct eval_op ir_eval_blocks_ops[] = {
    {"DepthToSpace", eval_depth_to_space, 0},
    {"SpaceToDepth", eval_space_to_depth, 0},
    {NULL, NULL, 0},
};
