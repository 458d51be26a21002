/* view_copy.c -- the elements of a view, from a base in memory.
 *
 * The two axes that run fastest are copied together. Where neither runs along the base that
 * is a transposition, made tile by tile: as many elements as a line of the cache has on both
 * sides, so that each line is read and written once, in one go. Tiles are turned in
 * registers where the compiler has vectors of 16 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/view.h"

#define LINE 64u   /* bytes of a line of the cache */
#define VECTOR 16u /* of a vector */
#define EDGE(T) (LINE / sizeof(T))
#define LANES(T) (VECTOR / sizeof(T))

/* A part of a view: element (r, c) of rows x width lies at r * row + c * column in the base,
 * and goes to r * pitch + c; all in elements. */
struct part {
    int64_t row, column;
    uint64_t rows, width, pitch;
};

/* --- turned in registers ------------------------------------------------------------ */

typedef uint8_t vector_uint8_t RW_VECTOR(VECTOR);
typedef uint16_t vector_uint16_t RW_VECTOR(VECTOR);
typedef uint32_t vector_uint32_t RW_VECTOR(VECTOR);
typedef uint64_t vector_uint64_t RW_VECTOR(VECTOR);

/* Elements i .. of two vectors in turn. */
#define TURNS1(x, y, i) x[i], y[i]
#define TURNS2(x, y, i) TURNS1(x, y, i), TURNS1(x, y, i + 1)
#define TURNS4(x, y, i) TURNS2(x, y, i), TURNS2(x, y, i + 2)
#define TURNS8(x, y, i) TURNS4(x, y, i), TURNS4(x, y, i + 4)

/* Interleaving row i with row i + half, log2(LANES) times over, transposes LANES rows. */
#define DEFINE_TURN(T, HALF)                                                               \
    static void turn_##T(vector_##T v[LANES(T)]) {                                         \
        vector_##T w[LANES(T)];                                                            \
        for (uint32_t n = HALF; n > 0; n /= 2) {                                           \
            for (uint32_t i = 0; i < HALF; i++) {                                          \
                const vector_##T x = v[i], y = v[i + HALF];                                \
                w[2 * i] = (vector_##T){TURNS##HALF(x, y, 0)};                             \
                w[2 * i + 1] = (vector_##T){TURNS##HALF(x, y, HALF)};                      \
            }                                                                              \
            memcpy(v, w, sizeof w);                                                        \
        }                                                                                  \
    }
DEFINE_TURN(uint8_t, 8)
DEFINE_TURN(uint16_t, 4)
DEFINE_TURN(uint32_t, 2)
DEFINE_TURN(uint64_t, 1)

/* EDGE x EDGE elements, of which those of a column lie side by side in the base. They lie
 * together before they are turned: lines a power of two apart share few places in the
 * cache. `ahead`: there is a tile behind, columns EDGE .. 2 * EDGE. */
#define DEFINE_TILE(T)                                                                     \
    static void copy_tile_##T(const T *from, int64_t column, bool ahead,                   \
                              unsigned char *to, uint64_t pitch) {                         \
        vector_##T tile[EDGE(T)][LINE / VECTOR], v[LANES(T)];                              \
        for (uint32_t c = 0; c < EDGE(T); c++, from += column) {                           \
            memcpy(tile[c], from, LINE);                                                   \
            if (ahead) RW_PREFETCH(from + (int64_t)EDGE(T) * column);                      \
        }                                                                                  \
        for (uint32_t r = 0; r < LINE / VECTOR; r++, to += VECTOR * pitch)                 \
            for (uint32_t c = 0; c < EDGE(T); c += LANES(T)) {                             \
                for (uint32_t i = 0; i < LANES(T); i++) v[i] = tile[c + i][r];             \
                turn_##T(v);                                                               \
                for (uint32_t i = 0; i < LANES(T); i++)                                    \
                    memcpy(to + (i * pitch + c) * sizeof(T), &v[i], VECTOR);               \
            }                                                                              \
    }
DEFINE_TILE(uint8_t)
DEFINE_TILE(uint16_t)
DEFINE_TILE(uint32_t)
DEFINE_TILE(uint64_t)

/* --- element by element ------------------------------------------------------------- */

/* At most EDGE rows; of them whole tiles where they lie side by side in the base. */
#define DEFINE_COPY(T)                                                                     \
    static void copy_##T(const T *from, const struct part *p, unsigned char *to) {         \
        uint64_t c = 0, edge = EDGE(T);                                                    \
        if (p->row == 1 && p->rows == edge)                                                \
            for (; p->width - c >= edge; c += edge, from += (int64_t)edge * p->column)     \
                copy_tile_##T(from, p->column, p->width - c >= 2 * edge,                   \
                              to + c * sizeof(T), p->pitch);                               \
        for (uint64_t n; c < p->width; c += n, from += (int64_t)n * p->column) {           \
            n = p->width - c < edge ? p->width - c : edge;                                 \
            for (uint64_t r = 0; r < p->rows; r++)                                         \
                for (uint64_t i = 0; i < n; i++)                                           \
                    memcpy(to + (r * p->pitch + c + i) * sizeof(T),                        \
                           &from[(int64_t)r * p->row + (int64_t)i * p->column], sizeof(T));\
        }                                                                                  \
    }
DEFINE_COPY(uint8_t)
DEFINE_COPY(uint16_t)
DEFINE_COPY(uint32_t)
DEFINE_COPY(uint64_t)

static void copy_any(const unsigned char *from, const struct part *p, size_t size,
                     unsigned char *to) {
    for (uint64_t r = 0; r < p->rows; r++, from += p->row * (int64_t)size) {
        if (p->column == 1) memcpy(to, from, (size_t)p->width * size);
        for (uint64_t c = 0; p->column != 1 && c < p->width; c++)
            memcpy(to + c * size, from + (int64_t)c * p->column * (int64_t)size, size);
        to += p->pitch * size;
    }
}

/* Bases are aligned to elements, for they begin in blocks of memory; results need not be. */
static void copy_part(const void *from, const struct part *p, size_t size,
                      unsigned char *to) {
    switch (p->column == 1 ? 0 : size) {
    case 1: copy_uint8_t(from, p, to); return;
    case 2: copy_uint16_t(from, p, to); return;
    case 4: copy_uint32_t(from, p, to); return;
    case 8: copy_uint64_t(from, p, to); return;
    default: copy_any(from, p, size, to); return;
    }
}

/* --- all ---------------------------------------------------------------------------- */

uint64_t ir_view_tile(const struct ir_view *v, size_t size) {
    const struct ir_axis *last = &v->axes[v->rank - 1];
    bool turned = v->rank > 1 && last->step != 1 && size <= LINE;
    return turned ? LINE / size * (uint64_t)last->dim : 1;
}

void ir_view_copy(const struct ir_view *v, const void *base, size_t size, uint64_t first,
                  uint64_t n, void *out, uint64_t pitch) {
    int64_t pos[IR_VIEW_RANK];
    struct ir_view_at at = {.pos = pos};
    const struct ir_axis *last = &v->axes[v->rank - 1];
    const struct ir_axis *above = v->rank > 1 ? last - 1 : NULL;
    uint64_t width = (uint64_t)last->dim, edge = size <= LINE ? LINE / size : 1;
    unsigned char *to = out;
    ir_view_seek(v, first, &at);
    for (uint64_t columns; n > 0; n -= columns) {
        columns = width - (uint64_t)pos[v->rank - 1];
        if (columns > n) columns = n;
        struct part p = {.column = last->step, .rows = 1, .width = columns, .pitch = pitch};
        if (columns == width && above) {
            uint64_t left = (uint64_t)(above->dim - pos[v->rank - 2]);
            p.row = above->step;
            p.rows = n / width < edge ? n / width : edge;
            if (p.rows > left) p.rows = left;
        }
        copy_part((const unsigned char *)base + at.place * (int64_t)size, &p, size, to);
        for (uint64_t r = 0; r < p.rows; r++) ir_view_step(v, columns, &at);
        to += (columns == width ? p.rows * pitch : columns) * size;
        columns *= p.rows;
    }
}
