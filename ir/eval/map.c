/* map.c -- runs elementwise operators, a tile of the result at a time.
 *
 * An operand of the result's own shape is read along with it. Of one that is broadcast the
 * whole is read first, and each tile gathers its cells by strides, in runs of the last
 * axis.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"
#include "ir/tensor/tensor_bytes.h"

#define TILE 4096u                         /* elements */
#define TILE_ITEMS ((uint64_t)1 << 18)     /* of all operands together, with many of them */

/* --- preparing --------------------------------------------------------------------- */

bool ir_eval_map_add(struct eval_job *j, struct eval_map *m, uint32_t k) {
    if (!m->in) m->in = arena_new_array(&j->work, struct eval_source, j->e->nin);
    struct eval_source *s = &m->in[m->nin];
    *s = (struct eval_source){0};
    if (!ir_eval_operand_shape(j, k, &s->dtype, &s->shape) || !ir_eval_is_number(s->dtype))
        return false;
    s->tensor = j->e->in[k];
    s->class = ir_eval_class_of(s->dtype);
    m->nin++;
    return true;
}

static void stride_in(const struct eval_shape *over, struct eval_source *s) {
    int64_t own[EVAL_RANK];
    uint32_t lead = over->rank - s->shape.rank;
    ir_eval_strides(&s->shape, own);
    memset(s->stride, 0, sizeof s->stride);
    for (uint32_t i = 0; i < s->shape.rank; i++)
        s->stride[lead + i] = s->shape.at[i] == 1 ? 0 : own[i];
}

bool ir_eval_map_over(struct eval_map *m, const struct eval_shape *over, enum ir_dtype t,
                      enum eval_class c) {
    struct eval_shape joint;
    m->shape = m->result = *over;
    m->dtype = t;
    m->class = c;
    if (!ir_eval_count(over, &m->count)) return false;
    for (uint32_t k = 0; k < m->nin; k++) {
        struct eval_source *s = &m->in[k];
        uint64_t count;
        if (!ir_eval_broadcast(&s->shape, over, &joint) ||
            !ir_eval_same_shape(&joint, over) || !ir_eval_count(&s->shape, &count))
            return false;
        stride_in(over, s);
        s->in_step = count == m->count;
    }
    return true;
}

bool ir_eval_map_broadcast(struct eval_map *m, enum ir_dtype t, enum eval_class c) {
    struct eval_shape joint = {0};
    for (uint32_t k = 0; k < m->nin; k++)
        if (!ir_eval_broadcast(&joint, &m->in[k].shape, &joint)) return false;
    return ir_eval_map_over(m, &joint, t, c);
}

/* --- cells of a tile --------------------------------------------------------------- */

/* Fills `bytes` with copies of one cell: of what is there already twice as much each time. */
static void repeat(unsigned char *to, const unsigned char *from, uint64_t bytes,
                   size_t size) {
    memcpy(to, from, size);
    for (uint64_t done = size, n; done < bytes; done += n) {
        n = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, (size_t)n);
    }
}

static void copy_run(unsigned char *to, const unsigned char *from, uint64_t n, size_t size,
                     int64_t stride) {
    if (stride == 1) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    for (uint64_t i = 0; stride != 0 && i < n; i++)
        memcpy(to + i * size, from + (size_t)((int64_t)i * stride) * size, size);
    if (stride == 0) repeat(to, from, n * size, size);
}

/* Cells of a broadcast operand for the elements first .. first + n of the map. */
static void gather(const struct eval_map *m, const struct eval_source *s, uint64_t first,
                   uint64_t n, size_t size, unsigned char *to) {
    int64_t pos[EVAL_RANK] = {0}, at = 0;
    uint32_t rank = m->shape.rank;
    for (uint32_t i = rank; i-- > 0; first /= (uint64_t)m->shape.at[i]) {
        pos[i] = (int64_t)(first % (uint64_t)m->shape.at[i]);
        at += pos[i] * s->stride[i];
    }
    for (uint64_t done = 0; done < n;) {
        uint64_t left = rank ? (uint64_t)(m->shape.at[rank - 1] - pos[rank - 1]) : 1;
        uint64_t run = left < n - done ? left : n - done;
        copy_run(to + done * size, s->cells + (size_t)at * size, run, size,
                 rank ? s->stride[rank - 1] : 0);
        done += run;
        for (uint32_t i = rank; i-- > 0; run = 1) {
            pos[i] += (int64_t)run;
            at += (int64_t)run * s->stride[i];
            if (pos[i] < m->shape.at[i]) break;
            at -= pos[i] * s->stride[i];
            pos[i] = 0;
        }
    }
}

struct tile {
    uint64_t first, n;
    unsigned char *raw, *cells; /* room for those of an operand or of the result */
    struct eval_array *x, r;
};

/* The tile's part of an operand that is in step, as cells; NULL: cannot be read. */
static const unsigned char *read_along(struct eval_job *j, const struct eval_source *s,
                                       const struct tile *t) {
    uint32_t width = ir_dtype_bits(s->tensor->dtype);
    uint64_t begin = t->first * width / 8, bytes = (t->n * width + 7) / 8;
    const unsigned char *raw = t->raw;
    if (begin > s->tensor->nbytes || bytes > s->tensor->nbytes - begin) return NULL;
    if (s->tensor->storage == IR_IN_MEMORY)
        raw = (const unsigned char *)s->tensor->data + begin;
    else if (!j->e->model ||
             !ir_tensor_bytes_at(j->e->model, s->tensor, begin, bytes, t->raw))
        return NULL;
    if (width >= 8) return raw;
    ir_eval_unpack(raw, width, t->n, t->cells);
    return t->cells;
}

static bool load_operand(struct eval_job *j, const struct eval_map *m, uint32_t k,
                         const struct tile *t) {
    const struct eval_source *s = &m->in[k];
    const unsigned char *cells = t->cells;
    if (s->in_step) cells = read_along(j, s, t);
    else gather(m, s, t->first, t->n, ir_eval_cell_size(s->dtype), t->cells);
    if (!cells) return false;
    t->x[k].count = t->n;
    ir_eval_load(cells, &t->x[k]);
    return true;
}

static bool run_tile(struct eval_job *j, const struct eval_map *m, struct tile *t,
                     unsigned char *raw) {
    uint32_t width = ir_dtype_bits(m->dtype);
    for (uint32_t k = 0; k < m->nin; k++)
        if (!load_operand(j, m, k, t)) return false;
    t->r.count = t->n;
    if (!m->run(m, t->x, &t->r)) return false;
    ir_eval_store(&t->r, width < 8 ? t->cells : raw);
    if (width < 8) ir_eval_pack(t->cells, width, t->n, raw);
    return true;
}

/* --- running ----------------------------------------------------------------------- */

/* The cells of the operands that are not in step. */
static bool read_broadcast(struct eval_job *j, const struct eval_map *m) {
    for (uint32_t k = 0; k < m->nin; k++) {
        struct eval_cells c;
        if (m->in[k].in_step) continue;
        if (!ir_eval_cells_of(j, m->in[k].tensor, &c)) return false;
        m->in[k].cells = c.at;
    }
    return true;
}

static struct tile tile_for(struct eval_job *j, const struct eval_map *m, uint64_t n) {
    struct tile t = {.n = n};
    t.raw = arena_array(&j->work, (size_t)n, 8);
    t.cells = arena_array(&j->work, (size_t)n, 8);
    t.x = arena_zalloc(&j->work, (m->nin + 1) * sizeof *t.x);
    for (uint32_t k = 0; k < m->nin; k++) {
        t.x[k].dtype = m->in[k].dtype;
        t.x[k].class = m->in[k].class;
        t.x[k].f64 = arena_array(&j->work, (size_t)n, 8);
    }
    t.r.dtype = m->dtype;
    t.r.class = m->class;
    t.r.f64 = arena_array(&j->work, (size_t)n, 8);
    return t;
}

bool ir_eval_map_run(struct eval_job *j, const struct eval_map *m, uint64_t first,
                     uint64_t n, unsigned char *raw) {
    uint64_t most = TILE_ITEMS / (m->nin + 1) / 64 * 64;
    most = most > TILE ? TILE : most ? most : 64;
    if (first % 8 || first > m->count || n > m->count - first) return false;
    if (n == 0) return true;
    if (!read_broadcast(j, m)) return false;
    struct tile t = tile_for(j, m, n < most ? n : most);
    for (uint64_t end = first + n; first < end; first += t.n) {
        t.first = first;
        t.n = end - first < most ? end - first : most;
        if (!run_tile(j, m, &t, raw)) return false;
        raw += t.n * ir_dtype_bits(m->dtype) / 8;
    }
    return true;
}
