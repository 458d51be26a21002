/* infer_image.c -- boxes, grids and windows over images and signals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer_rules.h"

/* Rows of (batch, class, box). */
bool infer_non_max_suppression(struct infer *x) {
    struct infer_shape s = {.rank = 2, .dim = {IR_DIM_UNKNOWN, infer_const(x, 3)}};
    infer_set(x, 0, IR_INT64, &s);
    return true;
}

/* [n, c, h, w] and a grid [n, h', w', 2]: the channels of one, the places of the other;
 * likewise in three dims. */
bool infer_grid_sample(struct infer *x) {
    struct infer_shape s, grid;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !infer_shape_of(x, 1, &grid)) return true;
    if (s.rank != grid.rank || s.rank < 3)
        return infer_fail(x, "input and grid have ranks %u and %u", s.rank, grid.rank);
    for (uint32_t i = 2; i < s.rank; i++) s.dim[i] = grid.dim[i - 1];
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* A window of each region: [regions, channels, height, width]. */
static bool regions(struct infer *x, int64_t height, int64_t width) {
    struct infer_shape s, rois, out = {.rank = 4};
    if (infer_shape_of(x, 0, &s) && s.rank != 4)
        return infer_fail(x, "the input has rank %u, wanted 4", s.rank);
    if (height < 1 || width < 1)
        return infer_fail(x, "the window has the size %" PRId64 " x %" PRId64, height,
                          width);
    if (infer_shape_of(x, 1, &rois) && rois.rank == 2) out.dim[0] = rois.dim[0];
    if (infer_shape_of(x, 0, &s)) out.dim[1] = s.dim[1];
    out.dim[2] = infer_const(x, height);
    out.dim[3] = infer_const(x, width);
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

bool infer_roi_align(struct infer *x) {
    return regions(x, infer_int(x, "output_height", 1), infer_int(x, "output_width", 1));
}

bool infer_max_roi_pool(struct infer *x) {
    struct infer_ints shape = infer_ints(x, "pooled_shape");
    if (!shape.known || shape.n != 2)
        return infer_fail(x, "\"pooled_shape\" has %u items, wanted 2", shape.n);
    return regions(x, shape.at[0], shape.at[1]);
}

/* Determinants of the matrices in the last two dims. */
bool infer_det(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank < 2) return infer_fail(x, "the input has rank %u, wanted 2 or more", s.rank);
    s.rank -= 2;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* HannWindow and its like: a list as long as the operand says. */
bool infer_window_function(struct infer *x) {
    const struct ir_symval *size = infer_value_of(x, 0);
    int64_t t = infer_int(x, "output_datatype", IR_FLOAT);
    struct infer_shape s = {.rank = 1};
    if (size && size->len == 1 && infer_never_negative(x, size->items[0]))
        s.dim[0] = size->items[0];
    infer_set(x, 0, t > 0 && t < IR_DTYPE_N ? (enum ir_dtype)t : IR_FLOAT, &s);
    return true;
}
