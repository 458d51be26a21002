/* view.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/tensor/view.h"

/* --- what a view is like ---------------------------------------------------------- */

void ir_view_simplify(struct ir_view *v) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->rank; i++) {
        struct ir_axis x = v->axes[i];
        if (x.dim == 1) continue;
        struct ir_axis *before = n ? &v->axes[n - 1] : NULL;
        if (before && before->step == x.dim * x.step)
            *before = (struct ir_axis){before->dim * x.dim, x.step};
        else v->axes[n++] = x;
    }
    if (n == 0) v->axes[n++] = (struct ir_axis){1, 1};
    v->rank = n;
}

bool ir_view_is_range(const struct ir_view *v) {
    return v->rank == 1 && v->axes[0].step == 1;
}

uint64_t ir_view_run(const struct ir_view *v) {
    const struct ir_axis *last = &v->axes[v->rank - 1];
    return last->step == 1 ? (uint64_t)last->dim : 1;
}

/* --- walking ---------------------------------------------------------------------- */

void ir_view_seek(const struct ir_view *v, uint64_t first, struct ir_view_at *at) {
    at->place = v->start;
    for (uint32_t k = v->rank; k-- > 0;) {
        at->pos[k] = (int64_t)(first % (uint64_t)v->axes[k].dim);
        first /= (uint64_t)v->axes[k].dim;
        at->place += at->pos[k] * v->axes[k].step;
    }
}

void ir_view_step(const struct ir_view *v, uint64_t n, struct ir_view_at *at) {
    for (uint32_t k = v->rank; k-- > 0; n = 1) {
        at->pos[k] += (int64_t)n;
        at->place += (int64_t)n * v->axes[k].step;
        if (at->pos[k] < v->axes[k].dim) return;
        at->place -= at->pos[k] * v->axes[k].step;
        at->pos[k] = 0;
    }
}

/* --- copying ---------------------------------------------------------------------- */

#define EDGE 16 /* of a block: elements of 4 bytes fill a line of the cache */

/* Rows of a transposition: r * row + c * column -> r * width + c. Block by block through a
 * buffer, so that each line of the cache is read and written in one go. */
#define DEFINE_COPY_BLOCKS(T)                                                              \
    static void copy_blocks_##T(const T *from, int64_t row, int64_t column, uint64_t rows, \
                                uint64_t width, T *to) {                                   \
        T block[EDGE][EDGE];                                                               \
        for (uint64_t c0 = 0, n = EDGE; c0 < width; c0 += n) {                             \
            if (n > width - c0) n = width - c0;                                            \
            for (uint64_t c = 0; c < n; c++, from += column) {                             \
                if (row == 1 && rows == EDGE) memcpy(block[c], from, sizeof block[c]);     \
                for (uint64_t r = 0; !(row == 1 && rows == EDGE) && r < rows; r++)         \
                    block[c][r] = from[(int64_t)r * row];                                  \
            }                                                                              \
            for (uint64_t r = 0; r < rows; r++)                                            \
                for (uint64_t c = 0; c < n; c++) to[r * width + c0 + c] = block[c][r];     \
        }                                                                                  \
    }
DEFINE_COPY_BLOCKS(uint8_t)
DEFINE_COPY_BLOCKS(uint16_t)
DEFINE_COPY_BLOCKS(uint32_t)
DEFINE_COPY_BLOCKS(uint64_t)

/* `rows`, at most EDGE, of `width` elements. Bases and results are aligned to elements, for
 * they begin in blocks of memory. */
static void copy_rows(const unsigned char *from, int64_t row, int64_t column, uint64_t rows,
                      uint64_t width, size_t size, unsigned char *to) {
    const void *in = from;
    void *out = to;
    switch (column == 1 ? 0 : size) {
    case 1: copy_blocks_uint8_t(in, row, column, rows, width, out); return;
    case 2: copy_blocks_uint16_t(in, row, column, rows, width, out); return;
    case 4: copy_blocks_uint32_t(in, row, column, rows, width, out); return;
    case 8: copy_blocks_uint64_t(in, row, column, rows, width, out); return;
    default: break;
    }
    for (uint64_t r = 0; r < rows; r++, from += row * (int64_t)size) {
        if (column == 1) memcpy(to, from, (size_t)width * size);
        for (uint64_t c = 0; column != 1 && c < width; c++)
            memcpy(to + c * size, from + (int64_t)c * column * (int64_t)size, size);
        to += width * size;
    }
}

void ir_view_copy(const struct ir_view *v, const void *base, size_t size, uint64_t first,
                  uint64_t n, void *out) {
    int64_t pos[IR_VIEW_RANK];
    struct ir_view_at at = {.pos = pos};
    const struct ir_axis *last = &v->axes[v->rank - 1];
    const struct ir_axis *above = v->rank > 1 ? last - 1 : NULL;
    uint64_t width = (uint64_t)last->dim;
    unsigned char *to = out;
    ir_view_seek(v, first, &at);
    while (n > 0) {
        uint64_t columns = width - (uint64_t)pos[v->rank - 1], rows = 1;
        if (columns > n) columns = n;
        if (columns == width && above) {
            rows = (uint64_t)(above->dim - pos[v->rank - 2]);
            if (rows > n / width) rows = n / width;
            if (rows > EDGE) rows = EDGE;
        }
        copy_rows((const unsigned char *)base + at.place * (int64_t)size,
                  above ? above->step : 0, last->step, rows, columns, size, to);
        for (uint64_t r = 0; r < rows; r++) ir_view_step(v, columns, &at);
        to += rows * columns * size;
        n -= rows * columns;
    }
}
