/* decoder.c -- com.microsoft's attention for decoding step by step, for packed
 * batches, and for sparse and paged caches.
 *
 * Caches that are shared between past and present keep the shape they have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

static ir_dim heads_of(const struct infer *x, const char *name) {
    int64_t n = infer_int(x, name, 0);
    return n > 0 ? infer_const(x, n) : IR_DIM_UNKNOWN;
}

/* (query [seq, batch, hidden], key, ...) -> the same, caches [batch, heads, n, size] */
bool infer_decoder_attention(struct infer *x) {
    struct infer_shape q;
    enum ir_dtype t = infer_dtype(x, 0);
    ir_dim heads = heads_of(x, "num_heads");
    infer_set_like(x, 0, t, 0);
    if (!infer_shape_of(x, 0, &q) || q.rank != 3) return true;
    ir_dim size = heads ? ir_dim_floordiv(x->d, q.dim[2], heads) : IR_DIM_UNKNOWN;
    for (uint32_t k = 1; k < 3; k++)
        infer_set_dims(x, k, t, 4, (ir_dim[]){q.dim[1], heads, IR_DIM_UNKNOWN, size});
    return true;
}

/* The present of operand `past`, `more` items longer unless both share a buffer. */
static void set_present(struct infer *x, uint32_t k, uint32_t past, uint32_t axis,
                        ir_dim more) {
    struct infer_shape s;
    infer_set_like(x, k, infer_dtype(x, past), past);
    if (infer_int(x, "past_present_share_buffer", 0) || !infer_shape_of(x, past, &s) ||
        s.rank <= axis)
        return;
    s.dim[axis] = ir_dim_add(x->d, s.dim[axis], more);
    infer_set(x, k, infer_dtype(x, past), &s);
}

/* (input [batch, 1, in], weights [in, 3*hidden], bias, mask, past [2, ...]) */
bool infer_decoder_self_attention(struct infer *x) {
    struct infer_shape s, w;
    enum ir_dtype t = infer_dtype(x, 0);
    infer_set_unranked(x, 0, t, 0);
    if (infer_shape_of(x, 0, &s) && s.rank == 3) {
        bool known = infer_shape_of(x, 1, &w) && w.rank == 2;
        s.dim[2] = known ? ir_dim_floordiv(x->d, w.dim[1], infer_const(x, 3))
                         : IR_DIM_UNKNOWN;
        infer_set(x, 0, t, &s);
    }
    set_present(x, 1, 4, 3, infer_const(x, 1));
    return true;
}

/* (query [batch, 1, hidden], key, value [batch, 1, width] or a cache of rank 4, ...,
 * past key 5, past value 6). Keys of rank 4 are those of the encoder: all that there is. */
bool infer_decoder_multi_head_attention(struct infer *x) {
    struct infer_shape q, v;
    enum ir_dtype t = infer_dtype(x, 0);
    ir_dim heads = heads_of(x, "num_heads");
    bool known_v = infer_shape_of(x, 2, &v);
    infer_set_unranked(x, 0, t, 0);
    if (infer_shape_of(x, 0, &q) && q.rank == 3 && infer_has(x, 1)) {
        ir_dim width = IR_DIM_UNKNOWN;
        if (known_v && v.rank == 3) width = v.dim[2];
        if (known_v && v.rank == 4) width = ir_dim_mul(x->d, heads, v.dim[3]);
        infer_set_dims(x, 0, t, 3, (ir_dim[]){q.dim[0], q.dim[1], width});
    }
    if (!infer_has(x, 5) || !known_v || v.rank != 3) return true;
    set_present(x, 1, 5, 2, infer_const(x, 1));
    set_present(x, 2, 6, 2, infer_const(x, 1));
    return true;
}

/* (input [tokens, in], weights [in, q + k + v], bias, ...) -> [tokens, v] */
bool infer_packed_attention(struct infer *x) {
    struct infer_shape s, w;
    struct infer_ints sizes = infer_ints(x, "qkv_hidden_sizes");
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || s.rank != 2) return true;
    s.dim[1] = IR_DIM_UNKNOWN;
    if (sizes.known && sizes.n == 3) s.dim[1] = infer_const(x, sizes.at[2]);
    else if (infer_shape_of(x, 1, &w) && w.rank == 2)
        s.dim[1] = ir_dim_floordiv(x->d, w.dim[1], infer_const(x, 3));
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* (query [tokens, hidden] or all in one [tokens, heads, 3, size], key, value, ...) */
bool infer_packed_multi_head_attention(struct infer *x) {
    struct infer_shape q, v;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &q) || q.rank < 2) return true;
    ir_dim width = IR_DIM_UNKNOWN;
    if (q.rank == 4) width = ir_dim_mul(x->d, q.dim[1], q.dim[3]);
    else if (infer_shape_of(x, 2, &v) && v.rank == 2) width = v.dim[1];
    infer_set_dims(x, 0, infer_dtype(x, 0), 2, (ir_dim[]){q.dim[0], width});
    return true;
}

/* Q, K and V together in the query: what of its last dimension is Q. */
static ir_dim query_width(const struct infer *x, ir_dim all) {
    int64_t heads = infer_int(x, "num_heads", 0), kv = infer_int(x, "kv_num_heads", 0);
    if (infer_has(x, 1)) return all;
    if (heads < 1 || kv < 1 || heads > INT32_MAX || kv > INT32_MAX) return IR_DIM_UNKNOWN;
    ir_dim size = ir_dim_floordiv(x->d, all, infer_const(x, heads + 2 * kv));
    return ir_dim_mul(x->d, size, infer_const(x, heads));
}

/* Caches are operands 3 and 4, and outputs 1 and 2 of the same shape. */
static bool cached_attention(struct infer *x, bool has_width) {
    struct infer_shape q;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    infer_set_like(x, 1, infer_dtype(x, 3), 3);
    if (infer_has(x, 4)) infer_set_like(x, 2, infer_dtype(x, 4), 4);
    if (!infer_shape_of(x, 0, &q) || !q.rank) return true;
    ir_dim *last = &q.dim[q.rank - 1];
    *last = has_width ? query_width(x, *last) : IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &q);
    return true;
}

bool infer_sparse_attention(struct infer *x) { return cached_attention(x, true); }

/* Values may be narrower in a cache that holds keys and values as one. */
bool infer_paged_attention(struct infer *x) {
    return cached_attention(x, !infer_int(x, "v_head_size", 0));
}
