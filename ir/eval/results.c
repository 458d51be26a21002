/* results.c -- results that may wait until they are read: those whose elements are those
 * of operands at other places, and those of maps.
 *
 * The same expressions serve both ways: kept, when the result may wait, or read at once.
 * Strings, and elements below a byte, are cells in memory and copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"
#include "ir/tensor/lazy.h"
#include "ir/tensor/tensor_bytes.h"

void ir_eval_view_all(const struct eval_shape *s, struct ir_axis *axes, struct ir_view *v) {
    int64_t stride[EVAL_RANK];
    ir_eval_strides(s, stride);
    *v = (struct ir_view){.rank = s->rank, .axes = axes};
    v->count = ir_eval_span(s, 0, s->rank);
    for (uint32_t i = 0; i < s->rank; i++) axes[i] = (struct ir_axis){s->at[i], stride[i]};
}

static bool in_bytes(enum ir_dtype t) { return t != IR_STRING && ir_dtype_bits(t) >= 8; }

/* Of a result of so many bytes: may it wait? */
static bool may_wait(const struct eval_job *j, uint64_t bytes) {
    return bytes >= j->e->least_lazy && bytes <= j->e->max_lazy;
}

/* The expression's elements, now. */
static bool make_now(struct eval_job *j, uint32_t k, struct ir_tensor *t) {
    struct ir_model *m = j->e->model;
    if (!t || t->nbytes > j->e->max_bytes || !ir_eval_spend(j, t->nbytes)) return false;
    void *bytes = arena_alloc(j->e->arena, (size_t)t->nbytes);
    if (m) ir_lazy_begin(m, t);
    bool ok = ir_tensor_bytes_at(m, t, 0, t->nbytes, bytes);
    if (m) ir_lazy_end(m, t);
    struct ir_tensor *r = arena_copy(j->e->arena, t, sizeof *t);
    r->dims = arena_copy(j->e->arena, t->dims, t->rank * sizeof *t->dims);
    r->storage = IR_IN_MEMORY;
    r->data = bytes;
    r->lazy = NULL;
    j->out[k] = r;
    return ok;
}

/* The operand with its bytes in memory, where an expression over it would be too deep. */
static const struct ir_tensor *settled(struct eval_job *j, const struct ir_tensor *x) {
    bool small = x->nbytes <= j->e->max_bytes && ir_eval_spend(j, x->nbytes);
    const void *bytes = small ? ir_tensor_read(j->e->model, x, &j->work) : NULL;
    struct ir_tensor *r = arena_copy(&j->work, x, sizeof *x);
    r->storage = IR_IN_MEMORY;
    r->data = bytes;
    return bytes ? r : NULL;
}

static bool put_cells_of(struct eval_job *j, uint32_t k, uint32_t operand,
                         const struct ir_view *v, const struct eval_shape *s) {
    struct eval_cells x, r;
    struct ir_axis axes[IR_VIEW_RANK];
    struct ir_view plain = *v;
    if (!ir_eval_cells(j, operand, &x) || !ir_eval_cells_new(j, x.dtype, s, &r))
        return false;
    if (v->rank) memcpy(axes, v->axes, v->rank * sizeof *axes);
    plain.axes = axes;
    ir_view_simplify(&plain);
    uint64_t width = (uint64_t)plain.axes[plain.rank - 1].dim;
    if (r.count) ir_view_copy(&plain, x.at, x.size, 0, r.count, r.at, width);
    return ir_eval_put_cells(j, k, &r);
}

bool ir_eval_put_view(struct eval_job *j, uint32_t k, uint32_t operand,
                      const struct ir_view *v, const struct eval_shape *s) {
    const struct ir_tensor *x = j->e->in[operand];
    if (k >= j->e->nout) return false;
    if (!in_bytes(x->dtype) || v->count == 0) return put_cells_of(j, k, operand, v, s);
    uint64_t bytes;
    if (!ir_tensor_bytes(x->dtype, v->count, &bytes)) return false;
    if (may_wait(j, bytes)) {
        j->out[k] = ir_lazy_view(j->e->arena, x, v, s->rank, s->at);
        if (j->out[k]) return true;
    }
    struct ir_tensor *t = ir_lazy_view(&j->work, x, v, s->rank, s->at);
    if (!t && (x = settled(j, x))) t = ir_lazy_view(&j->work, x, v, s->rank, s->at);
    return make_now(j, k, t);
}

/* --- side by side ------------------------------------------------------------------- */

/* Copies x to where it begins on the axis of `whole`. */
static void copy_part(const struct eval_cells *whole, const struct eval_cells *x,
                      uint32_t axis, int64_t begin) {
    uint64_t inner = ir_eval_span(&whole->shape, axis + 1, whole->shape.rank);
    size_t row = (size_t)inner * whole->size;
    size_t part = (size_t)x->shape.at[axis] * row;
    size_t stride = (size_t)whole->shape.at[axis] * row;
    uint64_t outer = x->count ? ir_eval_span(&whole->shape, 0, axis) : 0;
    for (uint64_t o = 0; o < outer; o++)
        memcpy(whole->at + o * stride + (size_t)begin * row, x->at + o * part, part);
}

static bool put_joined_cells(struct eval_job *j, uint32_t axis,
                             const struct eval_shape *s) {
    struct eval_cells x, r;
    int64_t begin = 0;
    if (!ir_eval_cells_new(j, j->e->in[0]->dtype, s, &r)) return false;
    for (uint32_t k = 0; k < j->e->nin; k++) {
        if (!ir_eval_cells(j, k, &x)) return false;
        copy_part(&r, &x, axis, begin);
        begin += x.shape.at[axis];
    }
    return ir_eval_put_cells(j, 0, &r);
}

static struct ir_tensor *joined_settled(struct eval_job *j, uint32_t axis,
                                        const struct eval_shape *s) {
    const struct ir_tensor **parts =
        arena_new_array(&j->work, const struct ir_tensor *, j->e->nin);
    for (uint32_t k = 0; k < j->e->nin; k++) {
        parts[k] = j->e->in[k];
        if (parts[k]->storage == IR_COMPUTED && !(parts[k] = settled(j, parts[k])))
            return NULL;
    }
    return ir_lazy_join(&j->work, j->e->nin, parts, axis, s->rank, s->at);
}

bool ir_eval_put_joined(struct eval_job *j, uint32_t axis, const struct eval_shape *s) {
    enum ir_dtype dtype = j->e->in[0]->dtype;
    uint64_t count, bytes;
    const struct ir_tensor *const *parts = (const struct ir_tensor *const *)j->e->in;
    if (!ir_eval_count(s, &count)) return false;
    if (!in_bytes(dtype) || count == 0) return put_joined_cells(j, axis, s);
    if (!ir_tensor_bytes(dtype, count, &bytes)) return false;
    if (may_wait(j, bytes)) {
        j->out[0] = ir_lazy_join(j->e->arena, j->e->nin, parts, axis, s->rank, s->at);
        if (j->out[0]) return true;
    }
    struct ir_tensor *t = ir_lazy_join(&j->work, j->e->nin, parts, axis, s->rank, s->at);
    if (!t) t = joined_settled(j, axis, s);
    return make_now(j, 0, t);
}

/* --- maps --------------------------------------------------------------------------- */

/* Bytes of operands that are not read along with the result, but again for each piece. */
#define MOST_BROADCAST ((uint64_t)4 << 20)

static uint64_t broadcast_bytes(const struct eval_map *m) {
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < m->nin; k++)
        if (!m->in[k].in_step) bytes += m->in[k].tensor->nbytes;
    return bytes;
}

/* Floating results always exist; an integer may have been divided by zero, or be beyond its
 * type. All of those are made once to see. */
static bool never_fails(struct eval_job *j, const struct eval_map *m) {
    enum { PIECE = 1 << 16 };
    bool floating = ir_dtype_is_float(m->dtype) && ir_dtype_bits(m->dtype) >= 16;
    uint64_t end = floating && m->count > 8 ? 8 : m->count;
    size_t size = ir_dtype_bits(m->dtype) / 8;
    unsigned char *piece = arena_array(&j->work, PIECE, size);
    if (!floating && !ir_eval_spend(j, m->count * size)) return false;
    for (uint64_t at = 0, n; at < end; at += n) {
        n = end - at < PIECE ? end - at : PIECE;
        if (!ir_eval_map_run(j, m, at, n, piece)) return false;
    }
    return true;
}

bool ir_eval_put_waiting(struct eval_job *j, const struct eval_map *m) {
    uint64_t bytes;
    if (!in_bytes(m->dtype) || !ir_tensor_bytes(m->dtype, m->count, &bytes) || bytes == 0 ||
        !may_wait(j, bytes))
        return false;
    uint64_t broadcast = broadcast_bytes(m);
    if (broadcast > MOST_BROADCAST || !never_fails(j, m)) return false;
    j->out[0] = ir_lazy_map(j->e, m->dtype, m->result.rank, m->result.at, broadcast);
    return j->out[0] != NULL;
}
