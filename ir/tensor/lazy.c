/* lazy.c -- reading ranges of expressions, and what is held meanwhile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/lazy.h"

#include "ir/graph.h"
#include "ir/tensor/tensor_bytes.h"

/* Bytes of a piece that is large enough for the rows of a transposed weight, and of one
 * that rows which are longer still may take; of a line of the cache. */
#define PIECE ((uint64_t)4 << 20)
#define LARGE_PIECE ((uint64_t)16 << 20)
#define LINE 64u

static bool read_elements(struct ir_model *m, const struct ir_tensor *t, uint64_t first,
                          uint64_t n, size_t size, void *out) {
    return ir_tensor_bytes_at(m, t, first * size, n * size, out);
}

/* --- what is held ----------------------------------------------------------------- */

static void drop(struct ir_model *m, struct ir_lazy **at) {
    struct ir_lazy *x = *at;
    *at = x->next;
    m->held.bytes -= x->base->nbytes;
    arena_free(&x->memory);
    x->bytes = NULL;
    x->next = NULL;
}

void ir_lazy_begin(struct ir_model *m, const struct ir_tensor *t) {
    m->held.readers++;
    if (t->storage == IR_COMPUTED) m->held.limit += t->lazy->held;
}

void ir_lazy_end(struct ir_model *m, const struct ir_tensor *t) {
    if (t->storage == IR_COMPUTED) m->held.limit -= t->lazy->held;
    if (--m->held.readers > 0) return;
    while (m->held.newest) drop(m, &m->held.newest);
}

/* What was made first is gone through by now: expressions are read in order, and all that
 * one needs at a time is within the limit. */
static void make_room(struct ir_model *m, uint64_t bytes) {
    while (m->held.bytes + bytes > m->held.limit) {
        struct ir_lazy **oldest = NULL;
        for (struct ir_lazy **at = &m->held.newest; *at; at = &(*at)->next)
            if (!(*at)->busy) oldest = at;
        if (!oldest) return;
        drop(m, oldest);
    }
}

static bool hold(struct ir_model *m, struct ir_lazy *x) {
    make_room(m, x->base->nbytes);
    void *bytes = arena_alloc(&x->memory, (size_t)x->base->nbytes);
    if (!ir_tensor_bytes_at(m, x->base, 0, x->base->nbytes, bytes)) {
        arena_free(&x->memory);
        return false;
    }
    x->bytes = bytes;
    x->next = m->held.newest;
    m->held.newest = x;
    m->held.bytes += x->base->nbytes;
    return true;
}

/* --- views ------------------------------------------------------------------------ */

static bool read_runs(struct ir_model *m, struct ir_lazy *x, uint64_t first, uint64_t n,
                      unsigned char *out) {
    const struct ir_view *v = &x->view;
    int64_t pos[IR_VIEW_RANK];
    struct ir_view_at at = {.pos = pos};
    uint64_t width = ir_view_run(v);
    ir_view_seek(v, first, &at);
    while (n > 0) {
        uint64_t left = width == 1 ? 1 : width - (uint64_t)pos[v->rank - 1];
        uint64_t run = left < n ? left : n;
        if (!read_elements(m, x->base, (uint64_t)at.place, run, x->size, out)) return false;
        ir_view_step(v, run, &at);
        out += run * x->size;
        n -= run;
    }
    return true;
}

/* *base: the bytes of the base where they are in memory, or NULL. */
static bool base_of(struct ir_model *m, struct ir_lazy *x, const void **base) {
    bool ok = true;
    *base = x->base->storage == IR_IN_MEMORY ? x->base->data : x->bytes;
    if (*base || !x->holds || !m || m->held.readers == 0) return true;
    x->busy++;
    ok = hold(m, x);
    x->busy--;
    *base = x->bytes;
    return ok;
}

static uint64_t row_of(const struct ir_view *v) { return (uint64_t)v->axes[v->rank - 1].dim; }

static bool read_view(struct ir_model *m, struct ir_lazy *x, uint64_t first, uint64_t n,
                      void *out) {
    const void *base;
    if (!base_of(m, x, &base)) return false;
    if (!base) return read_runs(m, x, first, n, out);
    ir_view_copy(&x->view, base, x->size, first, n, out, row_of(&x->view));
    return true;
}

/* --- joined ----------------------------------------------------------------------- */

/* Elements first .. first + n of row number `row`. */
static bool read_in_row(struct ir_model *m, struct ir_lazy *x, uint64_t row,
                        uint64_t first, uint64_t n, unsigned char *out) {
    const struct ir_lazy_join *j = &x->join;
    for (uint32_t k = 0; n > 0; first = 0, k++) {
        while (first >= j->width[k]) first -= j->width[k++];
        uint64_t left = j->width[k] - first, some = left < n ? left : n;
        if (!read_elements(m, j->parts[k], row * j->width[k] + first, some, x->size, out))
            return false;
        out += some * x->size;
        n -= some;
    }
    return true;
}

/* Rows of a part, to where they belong: at once where they are rows of a view. */
static bool read_part_rows(struct ir_model *m, const struct ir_lazy *x, uint32_t k,
                           uint64_t row, uint64_t rows, unsigned char *out) {
    const struct ir_tensor *part = x->join.parts[k];
    uint64_t width = x->join.width[k], first = row * width, n = rows * width;
    struct ir_lazy *view = part->storage == IR_COMPUTED && part->lazy->kind == IR_LAZY_VIEW &&
                                   row_of(&part->lazy->view) == width
                               ? part->lazy : NULL;
    const void *base = NULL;
    if (view && !base_of(m, view, &base)) return false;
    if (base) {
        ir_view_copy(&view->view, base, x->size, first, n, out, x->join.row);
        return true;
    }
    struct arena work = ARENA_EMPTY;
    size_t bytes = (size_t)width * x->size, stride = (size_t)x->join.row * x->size;
    unsigned char *some = arena_array(&work, (size_t)rows, bytes);
    bool ok = read_elements(m, part, first, n, x->size, some);
    for (uint64_t r = 0; ok && r < rows; r++) memcpy(out + r * stride, some + r * bytes, bytes);
    arena_free(&work);
    return ok;
}

static bool read_rows(struct ir_model *m, const struct ir_lazy *x, uint64_t row,
                      uint64_t rows, unsigned char *out) {
    bool ok = true;
    for (uint32_t k = 0; ok && k < x->join.n; k++) {
        ok = read_part_rows(m, x, k, row, rows, out);
        out += x->join.width[k] * x->size;
    }
    return ok;
}

static bool read_joined(struct ir_model *m, struct ir_lazy *x, uint64_t first,
                        uint64_t n, unsigned char *out) {
    const struct ir_lazy_join *j = &x->join;
    bool ok = true;
    for (uint64_t some; ok && n > 0; first += some, n -= some) {
        uint64_t row = first / j->row, skipped = first % j->row, left = j->row - skipped;
        uint64_t rows = skipped ? 0 : n / j->row;
        some = rows > 1 ? rows * j->row : left < n ? left : n;
        ok = rows > 1 ? read_rows(m, x, row, rows, out)
                      : read_in_row(m, x, row, skipped, some, out);
        out += some * x->size;
    }
    return ok;
}

/* --- maps ------------------------------------------------------------------------- */

/* The evaluator begins at multiples of 8. */
static bool read_map(struct ir_model *m, const struct ir_lazy *x, uint64_t first,
                     uint64_t n, void *out) {
    struct ir_eval e = x->map;
    uint64_t skipped = first % 8;
    e.model = m;
    if (skipped == 0) return ir_eval_part(&e, first, n, out);
    struct arena work = ARENA_EMPTY;
    unsigned char *bytes = arena_array(&work, (size_t)(skipped + n), x->size);
    bool ok = ir_eval_part(&e, first - skipped, skipped + n, bytes);
    if (ok) memcpy(out, bytes + skipped * x->size, (size_t)n * x->size);
    arena_free(&work);
    return ok;
}

/* --- all -------------------------------------------------------------------------- */

/* Elements that are best read at a time, as many as one likes of them. */
static uint64_t tile_of(const struct ir_tensor *t) {
    const struct ir_lazy *x = t->storage == IR_COMPUTED ? t->lazy : NULL;
    uint64_t tile = 1;
    if (!x) return 1;
    switch (x->kind) {
    case IR_LAZY_VIEW: return ir_view_tile(&x->view, x->size);
    case IR_LAZY_JOIN: return x->size < LINE ? LINE / x->size * x->join.row : x->join.row;
    case IR_LAZY_MAP:
        for (uint32_t k = 0; k < x->map.nin && tile == 1; k++)
            if (x->map.in[k] && x->map.in[k]->count == x->count) tile = tile_of(x->map.in[k]);
    }
    return tile;
}

uint64_t ir_lazy_piece(const struct ir_tensor *t) {
    uint64_t size = t->lazy->size, tile = tile_of(t);
    if (tile > LARGE_PIECE / size) tile = 1;
    uint64_t piece = tile > PIECE / size ? tile : PIECE / size / tile * tile;
    return (piece < t->count ? piece : t->count) * size;
}

bool ir_lazy_read(struct ir_model *m, struct ir_lazy *x, uint64_t first, uint64_t n,
                  void *out) {
    if (first > x->count || n > x->count - first) return false;
    switch (x->kind) {
    case IR_LAZY_VIEW: return read_view(m, x, first, n, out);
    case IR_LAZY_JOIN: return read_joined(m, x, first, n, out);
    case IR_LAZY_MAP: return read_map(m, x, first, n, out);
    }
    return false;
}

/* Bytes first .. first + n of one element. */
static bool read_part(struct ir_model *m, struct ir_lazy *x, uint64_t element,
                      size_t first, size_t n, void *out) {
    unsigned char bytes[16];
    if (!ir_lazy_read(m, x, element, 1, bytes)) return false;
    memcpy(out, bytes + first, n);
    return true;
}

bool ir_lazy_bytes_at(struct ir_model *m, struct ir_lazy *x, uint64_t first,
                      uint64_t n, void *out) {
    unsigned char *to = out;
    bool ok = true;
    for (uint64_t some; ok && n > 0; first += some, to += some, n -= some) {
        uint64_t element = first / x->size;
        size_t skipped = (size_t)(first % x->size), left = x->size - skipped;
        bool whole = skipped == 0 && n >= x->size;
        some = whole ? n / x->size * x->size : left < n ? left : n;
        ok = whole ? ir_lazy_read(m, x, element, some / x->size, to)
                   : read_part(m, x, element, skipped, (size_t)some, to);
    }
    return ok;
}
