/* scatter.c -- ScatterElements and ScatterND: a copy of the operand, into which updates are
 * written one after the other. Later ones win, as they do in the runtime; or each is
 * joined to what is there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

enum reduction { NONE, SUM, PRODUCT, LEAST, LARGEST };

static bool reduction_of(const struct eval_job *j, enum reduction *out) {
    static const char *const names[] = {"none", "add", "mul", "min", "max"};
    for (uint32_t i = 0; i < countof(names); i++)
        if (ir_eval_attr_is(j, "reduction", names[i], "none")) {
            *out = (enum reduction)i;
            return true;
        }
    return false;
}

/* Of a class; W is that in which overflow is no error. */
#define JOIN(c, W)                                                                     \
    static void join_##c(enum reduction how, struct eval_array *r, uint64_t at,        \
                         const struct eval_array *x, uint64_t from) {                  \
        switch (how) {                                                                 \
        case NONE: break;                                                              \
        case SUM: r->W[at] += x->W[from]; return;                                      \
        case PRODUCT: r->W[at] *= x->W[from]; return;                                  \
        case LEAST:                                                                    \
            if (!(x->c[from] < r->c[at])) return;                                      \
            break;                                                                     \
        case LARGEST:                                                                  \
            if (!(x->c[from] > r->c[at])) return;                                      \
        }                                                                              \
        r->c[at] = x->c[from];                                                         \
    }
JOIN(f32, f32)
JOIN(f64, f64)
JOIN(i64, u64)
JOIN(u64, u64)

struct scatter {
    enum reduction how;
    struct eval_array r, updates; /* numbers, when they are joined */
    struct eval_cells to, from;   /* else cells */
};

/* In 16 bits the runtime rounds after each update; a NaN has no place in an order. */
static bool can_join(const struct scatter *s) {
    if (s->updates.dtype != s->r.dtype) return false;
    if ((s->how == SUM || s->how == PRODUCT) && ir_dtype_is_float(s->r.dtype))
        return ir_dtype_bits(s->r.dtype) >= 32;
    return !ir_eval_has_nan(&s->r) && !ir_eval_has_nan(&s->updates);
}

static bool begin(struct eval_job *j, struct scatter *s) {
    struct eval_cells x;
    if (!reduction_of(j, &s->how)) return false;
    if (s->how != NONE)
        return ir_eval_array(j, 0, &s->r) && ir_eval_array(j, 2, &s->updates) &&
               can_join(s);
    if (!ir_eval_cells(j, 0, &x) || !ir_eval_cells(j, 2, &s->from) ||
        s->from.dtype != x.dtype || !ir_eval_cells_new(j, x.dtype, &x.shape, &s->to))
        return false;
    if (x.count) memcpy(s->to.at, x.at, (size_t)x.count * x.size);
    return true;
}

static const struct eval_shape *data_shape(const struct scatter *s) {
    return s->how == NONE ? &s->to.shape : &s->r.shape;
}
static const struct eval_shape *update_shape(const struct scatter *s) {
    return s->how == NONE ? &s->from.shape : &s->updates.shape;
}

/* Elements from .. from + n of the updates go to at .. at + n. */
static void write(struct scatter *s, uint64_t at, uint64_t from, uint64_t n) {
    if (s->how == NONE) {
        memcpy(s->to.at + at * s->to.size, s->from.at + from * s->to.size,
               (size_t)n * s->to.size);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        switch (s->r.class) {
        case EVAL_F32: join_f32(s->how, &s->r, at + i, &s->updates, from + i); break;
        case EVAL_F64: join_f64(s->how, &s->r, at + i, &s->updates, from + i); break;
        case EVAL_I64: join_i64(s->how, &s->r, at + i, &s->updates, from + i); break;
        case EVAL_U64: join_u64(s->how, &s->r, at + i, &s->updates, from + i);
        }
    }
}

/* Integers below 64 bits are joined in 64: they are cut once, which is the same for sums
 * and products, and never needed for the others. */
static bool put(struct eval_job *j, const struct scatter *s) {
    return s->how == NONE ? ir_eval_put_cells(j, 0, &s->to) : ir_eval_put(j, 0, &s->r);
}

static bool eval_scatter_elements(struct eval_job *j) {
    struct scatter *s = arena_new(&j->work, struct scatter);
    struct eval_array index;
    struct eval_walk w;
    int64_t stride[EVAL_RANK];
    uint32_t axis;
    if (!begin(j, s) || !ir_eval_indices(j, 1, &index)) return false;
    const struct eval_shape *data = data_shape(s);
    if (!ir_eval_same_shape(&index.shape, update_shape(s)) ||
        index.shape.rank != data->rank ||
        !ir_eval_axis(ir_eval_attr_int(j, "axis", 0), data->rank, &axis))
        return false;
    for (uint32_t a = 0; a < data->rank; a++)
        if (a != axis && index.shape.at[a] > data->at[a]) return false;
    ir_eval_strides(data, stride);
    int64_t along = stride[axis];
    stride[axis] = 0;
    ir_eval_walk_over(&w, &index.shape);
    ir_eval_walk_strided(&w, stride);
    for (uint64_t i = 0; i < index.count; i++, ir_eval_walk_next(&w)) {
        if (!ir_eval_index(&index.i64[i], data->at[axis])) return false;
        write(s, (uint64_t)(w.off[0] + index.i64[i] * along), i, 1);
    }
    return put(j, s);
}

static bool eval_scatter_nd(struct eval_job *j) {
    struct scatter *s = arena_new(&j->work, struct scatter);
    struct eval_tuples t;
    struct eval_shape wanted = {0};
    int64_t stride[EVAL_RANK];
    uint64_t at;
    if (!begin(j, s)) return false;
    const struct eval_shape *data = data_shape(s);
    if (!ir_eval_tuples_of(j, data, 0, &t)) return false;
    if (t.index.shape.rank + data->rank - t.length > EVAL_RANK) return false;
    ir_eval_append(&wanted, &t.index.shape, 0, t.index.shape.rank - 1);
    ir_eval_append(&wanted, data, t.length, data->rank);
    if (!ir_eval_same_shape(&wanted, update_shape(s))) return false;
    ir_eval_strides(data, stride);
    for (uint64_t n = 0; t.slice && n < t.count; n++) {
        if (!ir_eval_tuple_at(&t, data, stride, n, &at)) return false;
        write(s, at, n * t.slice, t.slice);
    }
    return put(j, s);
}

const struct eval_op ir_eval_scatter_ops[] = {
    {"Scatter", eval_scatter_elements, 0},
    {"ScatterElements", eval_scatter_elements, 0},
    {"ScatterND", eval_scatter_nd, 0},
    {NULL, NULL, 0},
};
