/* quantise.c -- QuantizeLinear and DequantizeLinear, by tensor, by axis, by block.
 *
 * The division and the product are made in float, as ONNX Runtime does for scales of
 * float16 too. Blocks cut their axis in two, so that the scale is broadcast over the
 * second one; a last block that is shorter is not evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include <math.h>

/* The scale's or the zero point's shape as one that is broadcast to x: along the axis. */
static bool along_axis(struct eval_source *s, const struct eval_shape *x, uint32_t axis) {
    int64_t n = s->shape.at[0];
    if (s->shape.rank != 1 || x->rank == 0 || n != x->at[axis]) return false;
    s->shape.rank = x->rank;
    for (uint32_t i = 0; i < x->rank; i++) s->shape.at[i] = i == axis ? n : 1;
    return true;
}

/* Puts an axis of n after `axis`. */
static void insert_axis(struct eval_shape *s, uint32_t axis, int64_t n) {
    for (uint32_t i = s->rank++; i > axis + 1; i--) s->at[i] = s->at[i - 1];
    s->at[axis + 1] = n;
}

static bool cut_into_blocks(struct eval_map *m, uint32_t axis, int64_t block) {
    struct eval_shape *x = &m->in[0].shape;
    if (x->rank == 0 || x->rank >= EVAL_RANK || block < 1 || x->at[axis] % block)
        return false;
    x->at[axis] /= block;
    for (uint32_t k = 1; k < m->nin; k++) {
        if (!ir_eval_same_shape(&m->in[k].shape, x)) return false;
        insert_axis(&m->in[k].shape, axis, 1);
    }
    insert_axis(x, axis, block);
    return true;
}

/* Adds x, scale and zero point, and finds how they fit. */
static bool add_quantised(struct eval_job *j, struct eval_map *m, enum ir_dtype to) {
    int64_t block = ir_eval_attr_int(j, "block_size", 0);
    uint32_t axis = 0;
    if (!ir_eval_map_add(j, m, 0) || !ir_eval_map_add(j, m, 1)) return false;
    if (ir_eval_given(j, 2) && !ir_eval_map_add(j, m, 2)) return false;
    const struct eval_shape x = m->in[0].shape;
    bool by_tensor = !block && m->in[1].tensor->count == 1;
    if (m->nin == 3 && by_tensor != (!block && m->in[2].tensor->count == 1)) return false;
    int64_t given = ir_eval_attr_int(j, "axis", 1);
    if (!by_tensor && !ir_eval_axis(x.rank == 1 ? 0 : given, x.rank, &axis)) return false;
    if (block && !cut_into_blocks(m, axis, block)) return false;
    for (uint32_t k = 1; k < m->nin && !block; k++) {
        if (by_tensor) m->in[k].shape.rank = 0;
        else if (!along_axis(&m->in[k], &x, axis)) return false;
    }
    const struct eval_shape over = m->in[0].shape;
    enum eval_class class = ir_eval_is_small_float(to) ? EVAL_I64 : ir_eval_class_of(to);
    if (!ir_eval_map_over(m, &over, to, class)) return false;
    m->result = x;
    return true;
}

static bool is_float32(const struct eval_source *s) { return s->class == EVAL_F32; }

/* --- quantise ---------------------------------------------------------------------- */

static bool to_integers(const struct eval_map *m, const struct eval_array *in,
                        struct eval_array *r) {
    float least = (float)ir_eval_least(m->dtype), most = (float)ir_eval_most(m->dtype);
    for (uint64_t i = 0; i < r->count; i++) {
        float zero = m->nin == 3 ? (float)in[2].i64[i] : 0;
        float y = nearbyintf(ir_eval_as_float(&in[0], i) / in[1].f32[i]) + zero;
        if (isnan(y)) return false;
        r->i64[i] = (int64_t)(y < least ? least : y > most ? most : y);
    }
    return true;
}

/* flag: saturate. */
static bool to_floats(const struct eval_map *m, const struct eval_array *in,
                      struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        float y = ir_eval_as_float(&in[0], i) / in[1].f32[i];
        if (m->nin == 3 && in[2].f32[i] != 0) return false;
        if (!ir_eval_to_small_float(m->dtype, y, m->flag, &r->u64[i])) return false;
    }
    return true;
}

static bool plan_quantise(struct eval_job *j, struct eval_map *m) {
    enum ir_dtype to, precision;
    if (!ir_eval_attr_dtype(j, "precision", IR_FLOAT, &precision) || precision != IR_FLOAT)
        return false;
    if (!ir_eval_attr_dtype(j, "output_dtype", IR_UINT8, &to)) return false;
    if (ir_eval_given(j, 2)) to = j->e->in[2]->dtype;
    m->flag = ir_eval_attr_int(j, "saturate", 1) != 0;
    m->run = ir_eval_is_small_float(to) ? to_floats : to_integers;
    if (!ir_eval_is_small_float(to) && (!ir_dtype_is_int(to) || ir_dtype_bits(to) > 16))
        return false;
    if (!add_quantised(j, m, to) || m->in[0].class == EVAL_F64 || !is_float32(&m->in[1]))
        return false;
    /* An integer x is of 32 bits; the runtime divides it as a float. */
    return is_float32(&m->in[0]) || m->in[0].dtype == IR_INT32;
}

/* --- dequantise -------------------------------------------------------------------- */

static bool dequantise(const struct eval_map *m, const struct eval_array *in,
                       struct eval_array *r) {
    for (uint64_t i = 0; i < r->count; i++) {
        float x;
        if (in[0].class == EVAL_F32) x = in[0].f32[i] - (m->nin == 3 ? in[2].f32[i] : 0);
        else {
            int64_t whole = in[0].i64[i] - (m->nin == 3 ? in[2].i64[i] : 0);
            if (!ir_eval_fits(IR_INT32, whole)) return false;
            x = (float)whole;
        }
        r->f32[i] = x * in[1].f32[i];
    }
    return true;
}

static bool plan_dequantise(struct eval_job *j, struct eval_map *m) {
    enum ir_dtype to;
    if (!ir_eval_given(j, 1) ||
        !ir_eval_attr_dtype(j, "output_dtype", j->e->in[1]->dtype, &to))
        return false;
    m->run = dequantise;
    if (!add_quantised(j, m, to) || m->class != EVAL_F32 || !is_float32(&m->in[1]))
        return false;
    if (m->nin == 3 && m->in[2].dtype != m->in[0].dtype) return false;
    return ir_eval_is_small_float(m->in[0].dtype) ||
           (m->in[0].class == EVAL_I64 && ir_dtype_bits(m->in[0].dtype) <= 32);
}

const struct eval_map_op ir_eval_quantise_ops[] = {
    {"QuantizeLinear", plan_quantise, 0},
    {"DequantizeLinear", plan_dequantise, 0},
    {NULL, NULL, 0},
};
