/* index.c -- operators whose operand says where elements are: gathering, one-hot rows,
 * places that are not zero. An index outside its axis is not evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

bool ir_eval_indices(struct eval_job *j, uint32_t k, struct eval_array *out) {
    return ir_eval_array(j, k, out) && (out->dtype == IR_INT32 || out->dtype == IR_INT64);
}

bool ir_eval_index(int64_t *index, int64_t dim) {
    if (*index < 0) *index += dim;
    return *index >= 0 && *index < dim;
}

static bool normalise_all(struct eval_array *index, int64_t dim) {
    for (uint64_t i = 0; i < index->count; i++)
        if (!ir_eval_index(&index->i64[i], dim)) return false;
    return true;
}

static bool eval_gather(struct eval_job *j) {
    struct eval_cells x, r;
    struct eval_array index;
    struct eval_shape s = {0};
    uint32_t axis;
    if (!ir_eval_cells(j, 0, &x) || !ir_eval_indices(j, 1, &index)) return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", 0), x.shape.rank, &axis)) return false;
    if (x.shape.rank + index.shape.rank - 1 > EVAL_RANK) return false;
    if (!normalise_all(&index, x.shape.at[axis])) return false;
    ir_eval_append(&s, &x.shape, 0, axis);
    ir_eval_append(&s, &index.shape, 0, index.shape.rank);
    ir_eval_append(&s, &x.shape, axis + 1, x.shape.rank);
    if (!ir_eval_cells_new(j, x.dtype, &s, &r)) return false;
    size_t row = (size_t)ir_eval_span(&x.shape, axis + 1, x.shape.rank) * x.size;
    uint64_t outer = r.count ? ir_eval_span(&x.shape, 0, axis) : 0;
    unsigned char *to = r.at;
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < index.count; i++, to += row) {
            uint64_t at = o * (uint64_t)x.shape.at[axis] + (uint64_t)index.i64[i];
            memcpy(to, x.at + at * row, row);
        }
    return ir_eval_put_cells(j, 0, &r);
}

static bool eval_gather_elements(struct eval_job *j) {
    struct eval_cells x, r;
    struct eval_array index;
    struct eval_walk w;
    int64_t stride[EVAL_RANK];
    uint32_t axis;
    if (!ir_eval_cells(j, 0, &x) || !ir_eval_indices(j, 1, &index)) return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", 0), x.shape.rank, &axis)) return false;
    if (index.shape.rank != x.shape.rank || !normalise_all(&index, x.shape.at[axis]))
        return false;
    for (uint32_t a = 0; a < x.shape.rank; a++)
        if (a != axis && index.shape.at[a] > x.shape.at[a]) return false;
    if (!ir_eval_cells_new(j, x.dtype, &index.shape, &r)) return false;
    ir_eval_strides(&x.shape, stride);
    int64_t along = stride[axis];
    stride[axis] = 0;
    ir_eval_walk_over(&w, &index.shape);
    ir_eval_walk_strided(&w, stride);
    for (uint64_t i = 0; i < r.count; i++, ir_eval_walk_next(&w)) {
        int64_t from = w.off[0] + index.i64[i] * along;
        memcpy(r.at + i * r.size, x.at + (size_t)from * x.size, x.size);
    }
    return ir_eval_put_cells(j, 0, &r);
}

/* --- tuples of indices (GatherND, ScatterND) --------------------------------------- */

bool ir_eval_tuples_of(struct eval_job *j, const struct eval_shape *data, int64_t batch,
                       struct eval_tuples *out) {
    if (!ir_eval_indices(j, 1, &out->index) || batch < 0) return false;
    const struct eval_shape *s = &out->index.shape;
    if (s->rank == 0 || batch >= (int64_t)s->rank || batch > (int64_t)data->rank)
        return false;
    out->batch = (uint32_t)batch;
    int64_t length = s->at[s->rank - 1];
    if (length < 1 || length > (int64_t)(data->rank - out->batch)) return false;
    for (uint32_t a = 0; a < out->batch; a++)
        if (s->at[a] != data->at[a]) return false;
    out->length = (uint32_t)length;
    out->count = out->index.count / (uint64_t)length;
    out->a_batch = ir_eval_span(s, out->batch, s->rank - 1);
    out->slice = ir_eval_span(data, out->batch + out->length, data->rank);
    return true;
}

bool ir_eval_tuple_at(const struct eval_tuples *t, const struct eval_shape *data,
                      const int64_t *stride, uint64_t n, uint64_t *out) {
    *out = n / t->a_batch * ir_eval_span(data, t->batch, data->rank);
    for (uint32_t k = 0; k < t->length; k++) {
        int64_t i = t->index.i64[n * t->length + k];
        if (!ir_eval_index(&i, data->at[t->batch + k])) return false;
        *out += (uint64_t)(i * stride[t->batch + k]);
    }
    return true;
}

static bool eval_gather_nd(struct eval_job *j) {
    struct eval_cells x, r;
    struct eval_tuples t;
    struct eval_shape s = {0};
    int64_t stride[EVAL_RANK];
    uint64_t from;
    if (!ir_eval_cells(j, 0, &x)) return false;
    int64_t batch = ir_eval_attr_int(j, "batch_dims", 0);
    if (!ir_eval_tuples_of(j, &x.shape, batch, &t)) return false;
    if (t.index.shape.rank + x.shape.rank - t.batch - t.length > EVAL_RANK) return false;
    ir_eval_append(&s, &t.index.shape, 0, t.index.shape.rank - 1);
    ir_eval_append(&s, &x.shape, t.batch + t.length, x.shape.rank);
    if (!ir_eval_cells_new(j, x.dtype, &s, &r)) return false;
    ir_eval_strides(&x.shape, stride);
    size_t bytes = (size_t)t.slice * x.size;
    for (uint64_t n = 0; r.count && n < t.count; n++) {
        if (!ir_eval_tuple_at(&t, &x.shape, stride, n, &from)) return false;
        memcpy(r.at + n * bytes, x.at + from * x.size, bytes);
    }
    return ir_eval_put_cells(j, 0, &r);
}

/* --- Compress ---------------------------------------------------------------------- */

/* The rows along an axis, or the elements, where the condition is true; it may be short. */
static bool eval_compress(struct eval_job *j) {
    struct eval_cells x, r;
    struct eval_array keep;
    uint32_t axis = 0;
    const struct ir_attr *a = ir_eval_attr(j, "axis");
    if (!ir_eval_cells(j, 0, &x) || !ir_eval_array(j, 1, &keep)) return false;
    if (keep.dtype != IR_BOOL || keep.shape.rank != 1) return false;
    if (!a) x.shape = (struct eval_shape){.rank = 1, .at = {(int64_t)x.count}};
    else if (!ir_eval_axis(a->i, x.shape.rank, &axis)) return false;
    struct eval_shape s = x.shape;
    if (keep.shape.at[0] > s.at[axis]) return false;
    s.at[axis] = 0;
    for (uint64_t i = 0; i < keep.count; i++) s.at[axis] += keep.i64[i] != 0;
    if (!ir_eval_cells_new(j, x.dtype, &s, &r)) return false;
    size_t row = (size_t)ir_eval_span(&x.shape, axis + 1, x.shape.rank) * x.size;
    uint64_t outer = r.count ? ir_eval_span(&x.shape, 0, axis) : 0;
    unsigned char *to = r.at;
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < keep.count; i++) {
            if (!keep.i64[i]) continue;
            memcpy(to, x.at + (o * (uint64_t)x.shape.at[axis] + i) * row, row);
            to += row;
        }
    return ir_eval_put_cells(j, 0, &r);
}

/* --- one-hot, not zero ------------------------------------------------------------- */

/* An integer, or a float as one that has no fraction. */
static bool whole(const struct eval_array *x, uint64_t i, int64_t *out) {
    if (x->class == EVAL_F64) {
        if (!(x->f64[i] >= -0x1p62 && x->f64[i] <= 0x1p62)) return false;
        *out = (int64_t)x->f64[i];
        return (double)*out == x->f64[i];
    }
    *out = x->i64[i];
    return x->class == EVAL_I64;
}

static bool eval_one_hot(struct eval_job *j) {
    struct eval_array index, depth;
    struct eval_cells values, r;
    struct eval_shape s = {0};
    struct eval_walk w;
    int64_t n, at, stride[EVAL_RANK], lifted[EVAL_RANK];
    uint32_t axis;
    if (!ir_eval_array_wide(j, 0, &index) || !ir_eval_array_wide(j, 1, &depth))
        return false;
    if (!ir_eval_cells(j, 2, &values) || values.count != 2 || values.shape.rank != 1)
        return false;
    if (depth.count != 1 || !whole(&depth, 0, &n) || n < 1) return false;
    if (index.shape.rank == EVAL_RANK ||
        !ir_eval_axis(ir_eval_attr_int(j, "axis", -1), index.shape.rank + 1, &axis))
        return false;
    ir_eval_append(&s, &index.shape, 0, axis);
    s.at[s.rank++] = n;
    ir_eval_append(&s, &index.shape, axis, index.shape.rank);
    if (!ir_eval_cells_new(j, values.dtype, &s, &r)) return false;
    ir_eval_strides(&index.shape, stride);
    for (uint32_t a = 0; a < s.rank; a++)
        lifted[a] = a == axis ? 0 : stride[a < axis ? a : a - 1];
    ir_eval_walk_over(&w, &s);
    ir_eval_walk_strided(&w, lifted);
    for (uint64_t i = 0; i < r.count; i++, ir_eval_walk_next(&w)) {
        if (!whole(&index, (uint64_t)w.off[0], &at)) return false;
        if (at < 0 && j->e->schema->since < 11) at = n; /* it meant: nowhere */
        bool hot = ir_eval_index(&at, n) && at == w.pos[axis];
        memcpy(r.at + i * r.size, values.at + (hot ? r.size : 0), r.size);
    }
    return ir_eval_put_cells(j, 0, &r);
}

static bool is_zero(const struct eval_array *x, uint64_t i) {
    return x->class == EVAL_F64 ? x->f64[i] == 0 : x->u64[i] == 0;
}

static bool eval_non_zero(struct eval_job *j) {
    struct eval_array x, r;
    struct eval_walk w;
    if (!ir_eval_array_wide(j, 0, &x) || x.shape.rank == 0) return false;
    uint64_t n = 0, column = 0;
    for (uint64_t i = 0; i < x.count; i++) n += !is_zero(&x, i);
    const struct eval_shape s = {.rank = 2, .at = {x.shape.rank, (int64_t)n}};
    if (!ir_eval_array_new(j, IR_INT64, EVAL_I64, &s, &r)) return false;
    ir_eval_walk_over(&w, &x.shape);
    for (uint64_t i = 0; i < x.count; i++, ir_eval_walk_next(&w)) {
        if (is_zero(&x, i)) continue;
        for (uint32_t a = 0; a < x.shape.rank; a++) r.i64[a * n + column] = w.pos[a];
        column++;
    }
    return ir_eval_put(j, 0, &r);
}

const struct eval_op ir_eval_index_ops[] = {
    {"Gather", eval_gather, 0},      {"GatherElements", eval_gather_elements, 0},
    {"GatherND", eval_gather_nd, 0}, {"NonZero", eval_non_zero, 0},
    {"OneHot", eval_one_hot, 0},     {"Compress", eval_compress, 0},
    {NULL, NULL, 0},
};
