/* image.c -- boxes and grids over images, and what is put together of blocks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

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

/* (theta [n, ...], size [n, c, ..., h, w]) -> the places [n, ..., h, w, 2 or 3] */
bool infer_affine_grid(struct infer *x) {
    struct infer_shape size, theta;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_items_of(x, 1, &size)) return true;
    if (size.rank != 4 && size.rank != 5)
        return infer_fail(x, "the size has %u items, wanted 4 or 5", size.rank);
    struct infer_shape s = {.rank = size.rank, .dim = {size.dim[0]}};
    if (infer_shape_of(x, 0, &theta) && theta.rank == 3) s.dim[0] = theta.dim[0];
    for (uint32_t i = 2; i < size.rank; i++)
        if (infer_never_negative(x, size.dim[i])) s.dim[i - 1] = size.dim[i];
    s.dim[s.rank - 1] = infer_const(x, s.rank - 2);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

bool infer_center_crop_pad(struct infer *x) {
    struct infer_shape s, size;
    struct infer_ints axes = infer_ints(x, "axes");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    uint32_t n = axes.known ? axes.n : s.rank;
    if (!infer_items_of(x, 1, &size)) size = (struct infer_shape){.rank = n};
    if (n > s.rank || size.rank != n)
        return infer_fail(x, "the shape has %u items, wanted %u", size.rank, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis;
        if (!infer_axis(x, axes.known ? axes.at[i] : i, s.rank, &axis)) return false;
        s.dim[axis] = infer_never_negative(x, size.dim[i]) ? size.dim[i] : IR_DIM_UNKNOWN;
    }
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* (columns [n, c*block, places], image shape, block shape) -> [n, c, image ...] */
bool infer_col2im(struct infer *x) {
    struct infer_shape s, image, block, out = {.rank = 2};
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    bool known = infer_shape_of(x, 0, &s);
    if (known && s.rank != 3)
        return infer_fail(x, "the input has rank %u, wanted 3", s.rank);
    if (!infer_items_of(x, 1, &image) || image.rank > INFER_MAX_RANK - 2) return true;
    if (known) out.dim[0] = s.dim[0];
    if (known && infer_items_of(x, 2, &block))
        out.dim[1] = ir_dim_floordiv(x->d, s.dim[1],
                                     infer_product(x, &block, 0, block.rank));
    for (uint32_t i = 0; i < image.rank; i++, out.rank++)
        if (infer_never_negative(x, image.dim[i])) out.dim[out.rank] = image.dim[i];
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}

/* [height, width, channels] */
bool infer_image_decoder(struct infer *x) {
    bool grey = rw_streq(infer_string(x, "pixel_format"), "Grayscale");
    infer_set_dims(x, 0, IR_UINT8, 3, (ir_dim[]){0, 0, infer_const(x, grey ? 1 : 3)});
    return true;
}

/* com.microsoft: (image [n, c, h, w], boxes, their images, crop size [2]) */
bool infer_crop_and_resize(struct infer *x) {
    struct infer_shape s, boxes, size, out = {.rank = 4};
    if (infer_shape_of(x, 1, &boxes) && boxes.rank == 2) out.dim[0] = boxes.dim[0];
    if (infer_shape_of(x, 0, &s) && s.rank == 4) out.dim[1] = s.dim[1];
    if (infer_items_of(x, 3, &size) && size.rank == 2)
        for (uint32_t i = 0; i < 2; i++)
            if (infer_never_negative(x, size.dim[i])) out.dim[i + 2] = size.dim[i];
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}
