/* contrib.c -- operators of com.microsoft that belong to no other family.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* --- shapes of operands ------------------------------------------------------------ */

/* (emb, q, rotated q, k, rotated k) -> q, k */
bool infer_gemma_rotary(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 1), 1);
    infer_set_like(x, 1, infer_dtype(x, 3), 3);
    return true;
}

bool infer_like_second(struct infer *x) { /* NGramRepeatBlock: the scores */
    infer_set_like(x, 0, infer_dtype(x, 1), 1);
    return true;
}

/* Dropout whose mask is packed, 32 bits a word. */
bool infer_bitmask_dropout(struct infer *x) {
    struct infer_shape s, mask = {.rank = 1};
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    if (infer_shape_of(x, 0, &s))
        mask.dim[0] = infer_ceildiv(x, infer_product(x, &s, 0, s.rank), 32);
    infer_set(x, 1, IR_UINT32, &mask);
    return true;
}

/* SkipGroupNorm: the normalised, and the sum that was. */
bool infer_skip_group_norm(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    infer_set_like(x, 1, infer_dtype(x, 0), 0);
    return true;
}

bool infer_murmur_hash(struct infer *x) {
    infer_set_like(x, 0, infer_int(x, "positive", 1) ? IR_UINT32 : IR_INT32, 0);
    return true;
}

bool infer_quantize_with_order(struct infer *x) {
    infer_set_like(x, 0, IR_INT8, 0);
    return true;
}

bool infer_dequantize_with_order(struct infer *x) {
    infer_set_like(x, 0, infer_named_dtype(x, "to", IR_FLOAT), 0);
    return true;
}

/* --- halves ------------------------------------------------------------------------ */

static void set_half(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !s.rank) return;
    ir_dim *last = &s.dim[s.rank - 1];
    *last = ir_dim_floordiv(x->d, *last, infer_const(x, 2));
    infer_set(x, 0, infer_dtype(x, 0), &s);
}

/* One half gates the other. */
bool infer_bias_split_gelu(struct infer *x) {
    set_half(x);
    return true;
}

bool infer_swiglu(struct infer *x) {
    if (infer_has(x, 1)) infer_set_like(x, 0, infer_dtype(x, 0), 0);
    else set_half(x);
    return true;
}

/* --- tables ------------------------------------------------------------------------ */

/* (weight [n, width], indices [...]) -> [..., width] */
bool infer_torch_embedding(struct infer *x) {
    struct infer_shape table, s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 1, &s) || s.rank == INFER_MAX_RANK) return true;
    bool known = infer_shape_of(x, 0, &table) && table.rank == 2;
    s.dim[s.rank++] = known ? table.dim[1] : IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* (table [buckets, heads], query length, key length) -> [1, heads, query, key] */
bool infer_relative_position_bias(struct infer *x) {
    struct infer_shape table;
    bool known = infer_shape_of(x, 0, &table) && table.rank == 2;
    infer_set_dims(x, 0, infer_dtype(x, 0), 4,
                   (ir_dim[]){infer_const(x, 1), known ? table.dim[1] : IR_DIM_UNKNOWN,
                              infer_size_of(x, 1), infer_size_of(x, 2)});
    return true;
}

/* (query [batch, seq, width] or packed, bias, position [1, heads, seq, seq], ...) */
bool infer_gated_relative_position_bias(struct infer *x) {
    struct infer_shape s, q, offset;
    ir_dim batch = IR_DIM_UNKNOWN;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (infer_has(x, 6) && infer_shape_of(x, 6, &offset) && offset.rank == 2)
        batch = offset.dim[0];
    else if (!infer_has(x, 6) && infer_shape_of(x, 0, &q) && q.rank == 3) batch = q.dim[0];
    if (!infer_shape_of(x, 2, &s) || s.rank != 4) return true;
    s.dim[0] = batch;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* --- padding taken away and put back ----------------------------------------------- */

/* ([batch, seq, width], lengths) -> [tokens, width], places [batch, seq], sums, longest */
bool infer_remove_padding(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    infer_set_dims(x, 3, IR_INT32, 1, (ir_dim[]){infer_const(x, 1)});
    if (!infer_shape_of(x, 0, &s) || s.rank != 3) return true;
    infer_set_dims(x, 0, infer_dtype(x, 0), 2, (ir_dim[]){IR_DIM_UNKNOWN, s.dim[2]});
    infer_set_dims(x, 1, IR_INT32, 2, s.dim);
    infer_set_dims(x, 2, IR_INT32, 1,
                   (ir_dim[]){ir_dim_add(x->d, s.dim[0], infer_const(x, 1))});
    return true;
}

bool infer_restore_padding(struct infer *x) {
    struct infer_shape s, places;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !infer_shape_of(x, 1, &places)) return true;
    if (s.rank != 2 || places.rank != 2)
        return infer_fail(x, "ranks %u and %u, wanted 2", s.rank, places.rank);
    infer_set_dims(x, 0, infer_dtype(x, 0), 3,
                   (ir_dim[]){places.dim[0], places.dim[1], s.dim[1]});
    return true;
}

/* --- others ------------------------------------------------------------------------ */

/* A path through a matrix of costs: [2, steps]. */
bool infer_dynamic_time_warping(struct infer *x) {
    infer_set_dims(x, 0, IR_INT32, 2, (ir_dim[]){infer_const(x, 2), IR_DIM_UNKNOWN});
    return true;
}

/* A new dim of 1 at an axis that is an operand. */
bool infer_expand_dims(struct infer *x) {
    struct infer_shape s;
    const struct ir_symval *value = infer_value_of(x, 1);
    int64_t at;
    uint32_t axis;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || s.rank == INFER_MAX_RANK) return true;
    if (!value || value->len != 1 || !infer_is_const(x, value->items[0], &at)) {
        infer_set(x, 0, infer_dtype(x, 0), &(struct infer_shape){.rank = s.rank + 1});
        return true;
    }
    if (!infer_axis(x, at, s.rank + 1, &axis)) return false;
    memmove(&s.dim[axis + 1], &s.dim[axis], (s.rank++ - axis) * sizeof *s.dim);
    s.dim[axis] = infer_const(x, 1);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* Windows of `size` every `step` along `dim`; the windows' items are the last dim. */
bool infer_unfold_tensor(struct infer *x) {
    struct infer_shape s;
    int64_t size = infer_int(x, "size", 0), step = infer_int(x, "step", 1);
    uint32_t axis;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (size < 1 || step < 1)
        return infer_fail(x, "windows of %" PRId64 " every %" PRId64, size, step);
    if (!infer_shape_of(x, 0, &s) || s.rank == INFER_MAX_RANK) return true;
    if (!infer_axis(x, infer_int(x, "dim", -1), s.rank, &axis)) return false;
    ir_dim steps = ir_dim_sub(x->d, s.dim[axis], infer_const(x, size));
    steps = ir_dim_floordiv(x->d, steps, infer_const(x, step));
    s.dim[axis] = ir_dim_add(x->d, steps, infer_const(x, 1));
    s.dim[s.rank++] = infer_const(x, size);
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* com.microsoft Unique: the distinct items, where each went, how often it came. */
bool infer_ms_unique(struct infer *x) {
    struct infer_shape distinct = {.rank = 1};
    infer_set(x, 0, infer_dtype(x, 0), &distinct);
    infer_set_like(x, 1, IR_INT64, 0);
    infer_set(x, 2, IR_INT64, &distinct);
    return true;
}
