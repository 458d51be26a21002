/* make.c -- tensors made from parameters: constants, ranges, identity matrices,
 * triangles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

/* --- Constant ---------------------------------------------------------------------- */

static bool put_ints(struct eval_job *j, uint32_t rank, uint32_t n, const int64_t *values) {
    struct eval_array r;
    const struct eval_shape s = {.rank = rank, .at = {n}};
    if (!ir_eval_array_new(j, IR_INT64, EVAL_I64, &s, &r)) return false;
    memcpy(r.i64, values, (size_t)r.count * sizeof *values);
    return ir_eval_put(j, 0, &r);
}

static bool put_floats(struct eval_job *j, uint32_t rank, uint32_t n, const float *values) {
    struct eval_array r;
    const struct eval_shape s = {.rank = rank, .at = {n}};
    if (!ir_eval_array_new(j, IR_FLOAT, EVAL_F32, &s, &r)) return false;
    memcpy(r.f32, values, (size_t)r.count * sizeof *values);
    return ir_eval_put(j, 0, &r);
}

static bool put_strings(struct eval_job *j, uint32_t rank, uint32_t n,
                        const struct ir_string *values) {
    struct eval_cells r;
    const struct eval_shape s = {.rank = rank, .at = {n}};
    if (!ir_eval_cells_new(j, IR_STRING, &s, &r)) return false;
    memcpy(r.at, values, (size_t)r.count * sizeof *values);
    return ir_eval_put_cells(j, 0, &r);
}

/* The value's form fixes type and rank. A sparse one is not evaluated. */
static bool eval_constant(struct eval_job *j) {
    if (j->e->nattr != 1 || j->e->nout != 1) return false;
    const struct ir_attr *a = &j->e->attr[0];
    switch (a->type) {
    case IR_ATTR_TENSOR: j->out[0] = a->tensors[0]; return true;
    case IR_ATTR_INT: return put_ints(j, 0, 1, &a->i);
    case IR_ATTR_INTS: return put_ints(j, 1, a->n, a->ints);
    case IR_ATTR_FLOAT: return put_floats(j, 0, 1, &a->f);
    case IR_ATTR_FLOATS: return put_floats(j, 1, a->n, a->floats);
    case IR_ATTR_STRING: return put_strings(j, 0, 1, &a->s);
    case IR_ATTR_STRINGS: return put_strings(j, 1, a->n, a->strings);
    default: return false;
    }
}

/* The cell that fills: the attribute's one element, or a float 0. */
static bool fill_value(struct eval_job *j, struct eval_cells *out) {
    static const float zero = 0;
    const struct ir_attr *value = ir_eval_attr(j, "value");
    *out = (struct eval_cells){.dtype = IR_FLOAT, .count = 1, .size = sizeof zero};
    out->at = arena_copy(&j->work, &zero, sizeof zero);
    if (!value) return true;
    struct ir_eval inner = *j->e;
    inner.nin = 1;
    inner.in = value->tensors;
    struct eval_job one = {.e = &inner, .work = j->work};
    bool read = ir_eval_cells(&one, 0, out) && out->count == 1;
    j->work = one.work;
    return read;
}

static bool eval_constant_of_shape(struct eval_job *j) {
    struct eval_ints wanted;
    struct eval_shape s;
    struct eval_cells value, r;
    if (!ir_eval_ints(j, "", 0, &wanted) || !wanted.given ||
        !ir_eval_ints_shape(&wanted, &s))
        return false;
    if (!fill_value(j, &value) || !ir_eval_cells_new(j, value.dtype, &s, &r)) return false;
    for (uint64_t i = 0; i < r.count; i++) memcpy(r.at + i * r.size, value.at, r.size);
    return ir_eval_put_cells(j, 0, &r);
}

/* --- Range ------------------------------------------------------------------------- */

static bool range_length(const struct eval_array *v, int64_t *out) {
    double n;
    if (v[0].class == EVAL_I64) {
        int64_t span, start = v[0].i64[0], limit = v[1].i64[0], delta = v[2].i64[0];
        if (delta == 0 || delta == INT64_MIN || !rw_sub_i64(limit, start, &span))
            return false;
        *out = delta > 0 ? (span > 0 ? (span - 1) / delta + 1 : 0)
                         : (span < 0 ? (-(span + 1)) / -delta + 1 : 0);
        return true;
    }
    if (v[0].class == EVAL_F32)
        n = ceil((double)(v[1].f32[0] - v[0].f32[0]) / (double)v[2].f32[0]);
    else n = ceil((v[1].f64[0] - v[0].f64[0]) / v[2].f64[0]);
    if (!(fabs(n) < 0x1p62)) return false;
    *out = n > 0 ? (int64_t)n : 0;
    return true;
}

static bool eval_range(struct eval_job *j) {
    struct eval_array v[3], r;
    struct eval_shape s = {.rank = 1};
    for (uint32_t k = 0; k < 3; k++)
        if (!ir_eval_array(j, k, &v[k]) || v[k].count != 1 || v[k].dtype != v[0].dtype)
            return false;
    if (v[0].class == EVAL_U64 || !range_length(v, &s.at[0])) return false;
    if (!ir_eval_array_new(j, v[0].dtype, v[0].class, &s, &r)) return false;
    /* By adding up, as the runtime does: the rounding of floats adds up too. */
    for (int64_t i = 0; i < s.at[0]; i++) {
        if (r.class == EVAL_F32) r.f32[i] = i ? r.f32[i - 1] + v[2].f32[0] : v[0].f32[0];
        else if (r.class == EVAL_F64)
            r.f64[i] = i ? r.f64[i - 1] + v[2].f64[0] : v[0].f64[0];
        else r.u64[i] = v[0].u64[0] + (uint64_t)i * v[2].u64[0];
    }
    return ir_eval_put(j, 0, &r);
}

/* --- matrices ---------------------------------------------------------------------- */

static bool eval_eye_like(struct eval_job *j) {
    enum ir_dtype t;
    struct eval_shape s;
    struct eval_array r;
    if (!ir_eval_operand_shape(j, 0, &t, &s) || s.rank != 2) return false;
    int64_t to = ir_eval_attr_int(j, "dtype", t), k = ir_eval_attr_int(j, "k", 0);
    if (to <= 0 || to >= IR_DTYPE_N || ir_dtype_bits((enum ir_dtype)to) < 8) return false;
    enum eval_class class = ir_eval_class_of((enum ir_dtype)to);
    if (!ir_eval_array_new(j, (enum ir_dtype)to, class, &s, &r)) return false;
    if (k < -s.at[0] || k > s.at[1]) k = s.at[1]; /* beyond the matrix: no diagonal */
    for (int64_t row = k < 0 ? -k : 0; row < s.at[0] && row + k < s.at[1]; row++) {
        int64_t at = row * s.at[1] + row + k;
        if (class == EVAL_F32) r.f32[at] = 1;
        else if (class == EVAL_F64) r.f64[at] = 1;
        else r.u64[at] = 1;
    }
    return ir_eval_put(j, 0, &r);
}

static bool eval_trilu(struct eval_job *j) {
    struct eval_cells x, r;
    struct eval_ints k;
    bool upper = ir_eval_attr_int(j, "upper", 1) != 0;
    if (!ir_eval_cells(j, 0, &x) || x.shape.rank < 2 || x.dtype == IR_STRING) return false;
    if (!ir_eval_ints(j, "", 1, &k) || (k.given && k.n != 1)) return false;
    if (!ir_eval_cells_new(j, x.dtype, &x.shape, &r)) return false;
    int64_t rows = x.shape.at[x.shape.rank - 2], columns = x.shape.at[x.shape.rank - 1];
    int64_t diagonal = k.given ? k.at[0] : 0;
    for (uint64_t i = 0; i < x.count; i++) {
        int64_t row = (int64_t)i / columns % rows, column = (int64_t)i % columns;
        bool kept = upper ? column - row >= diagonal : column - row <= diagonal;
        if (kept) memcpy(r.at + i * r.size, x.at + i * r.size, r.size);
    }
    return ir_eval_put_cells(j, 0, &r);
}

const struct eval_op ir_eval_make_ops[] = {
    {"Constant", eval_constant, 0}, {"ConstantOfShape", eval_constant_of_shape, 0},
    {"EyeLike", eval_eye_like, 0},  {"Range", eval_range, 0},
    {"Trilu", eval_trilu, 0},       {NULL, NULL, 0},
};
