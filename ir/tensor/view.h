/* view.h -- elements of a tensor under other indices: what Transpose, Slice, Expand, Tile
 * and Split make, without looking at an element. Private to ir/.
 *
 * Element (i0, i1, ...) of a view is the element of its base at start + the sum of
 * ik * step(k), counted in row-major order. The dims of a view need not be those of the tensor
 * that it is the value of; only their number of elements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_VIEW_H
#define IR_VIEW_H

#include "base/arena.h"

struct ir_axis {
    int64_t dim, step; /* dim > 0; step in elements of the base, 0: repeated */
};
struct ir_view {
    uint32_t rank;
    uint64_t count; /* > 0 */
    int64_t start;
    struct ir_axis *axes; /* the last one runs fastest */
};

/* The same view with as few axes as possible, but one: those of length 1 go, those that
 * run as one become one. In place, where there must be room for that one. What follows is
 * for views that are simple. */
void ir_view_simplify(struct ir_view *v);
/* Are its elements one range of the base? */
bool ir_view_is_range(const struct ir_view *v);
/* Elements that lie side by side in the base, at a time. */
uint64_t ir_view_run(const struct ir_view *v);

/* Where a walk over a view is; after ir_view_seek at element `first`. */
struct ir_view_at {
    int64_t *pos;
    int64_t place; /* in the base */
};
void ir_view_seek(const struct ir_view *v, uint64_t first, struct ir_view_at *at);
/* n elements on, no further than to the end of the last axis. */
void ir_view_step(const struct ir_view *v, uint64_t n, struct ir_view_at *at);
#define IR_VIEW_RANK 64u /* room for `pos` */

/* Elements that are best copied at a time: where rows lie across the base, as many of them as
 * a line of the cache has elements. */
uint64_t ir_view_tile(const struct ir_view *v, size_t size);
/* Elements first .. first + n, of `size` bytes, from a base in memory. Rows, of the last
 * axis, begin `pitch` elements apart; where that is not its length `first` begins one. */
void ir_view_copy(const struct ir_view *v, const void *base, size_t size, uint64_t first,
                  uint64_t n, void *out, uint64_t pitch);

#endif
