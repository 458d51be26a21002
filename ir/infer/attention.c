/* attention.c -- the attention operators of ai.onnx and com.microsoft, embedding.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* width / heads; unknown when the attribute is missing. */
static ir_dim per_head(const struct infer *x, ir_dim width, int64_t heads) {
    return heads > 0 ? ir_dim_floordiv(x->d, width, infer_const(x, heads)) : IR_DIM_UNKNOWN;
}

/* --- ai.onnx ----------------------------------------------------------------------- */

/* Q, K or V as [batch, heads, length, size], from that or [batch, length, heads*size]. */
static bool by_heads(struct infer *x, uint32_t k, const char *heads, ir_dim out[4]) {
    struct infer_shape s;
    int64_t n = infer_int(x, heads, 0);
    memset(out, 0, 4 * sizeof *out);
    if (!infer_shape_of(x, k, &s)) return true;
    if (s.rank != 3 && s.rank != 4)
        return infer_fail(x, "operand %u has rank %u, wanted 3 or 4", k, s.rank);
    if (s.rank == 4) {
        memcpy(out, s.dim, 4 * sizeof *out);
        return true;
    }
    out[0] = s.dim[0];
    out[1] = n > 0 ? infer_const(x, n) : IR_DIM_UNKNOWN;
    out[2] = s.dim[1];
    out[3] = per_head(x, s.dim[2], n);
    return true;
}

/* The past of keys or values is like them but for its length, which is put in front. */
static bool behind_past(struct infer *x, uint32_t past, ir_dim now[4]) {
    struct infer_shape s;
    if (!infer_has(x, past)) return true;
    if (!infer_shape_of(x, past, &s) || s.rank != 4) {
        now[2] = IR_DIM_UNKNOWN;
        return true;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2 && !infer_same(x, &now[i], s.dim[i], "dimensions and those of the past"))
            return false;
    now[2] = ir_dim_add(x->d, s.dim[2], now[2]);
    return true;
}

/* Batch, heads and length are the same where they are named alike. */
static bool agree_by_heads(struct infer *x, ir_dim q[4], ir_dim k[4], ir_dim v[4]) {
    return infer_same(x, &q[0], k[0], "the batches of query and key") &&
           infer_same(x, &k[0], v[0], "the batches of key and value") &&
           infer_same(x, &k[1], v[1], "the heads of key and value") &&
           infer_same(x, &k[2], v[2], "the lengths of key and value") &&
           infer_same(x, &q[3], k[3], "the sizes of heads of query and key");
}

/* Length of keys or values with those of the past in front. */
static ir_dim with_past(const struct infer *x, uint32_t past, uint32_t axis,
                        ir_dim length) {
    struct infer_shape s;
    if (!infer_has(x, past)) return length;
    if (!infer_shape_of(x, past, &s) || s.rank <= axis) return IR_DIM_UNKNOWN;
    return ir_dim_add(x->d, s.dim[axis], length);
}

/* Attention (opset 23): Q, K, V, mask, past key and value -> Y, present key and value,
 * the product of Q and K. */
bool infer_attention(struct infer *x) {
    ir_dim q[4], k[4], v[4];
    struct infer_shape s;
    enum ir_dtype t = infer_dtype(x, 0);
    if (!by_heads(x, 0, "q_num_heads", q) || !by_heads(x, 1, "kv_num_heads", k) ||
        !by_heads(x, 2, "kv_num_heads", v) || !agree_by_heads(x, q, k, v) ||
        !behind_past(x, 4, k) || !behind_past(x, 5, v))
        return false;
    if (infer_shape_of(x, 0, &s) && s.rank == 3)
        infer_set_dims(x, 0, t, 3, (ir_dim[]){q[0], q[2], ir_dim_mul(x->d, q[1], v[3])});
    else if (infer_shape_of(x, 0, &s))
        infer_set_dims(x, 0, t, 4, (ir_dim[]){q[0], q[1], q[2], v[3]});
    else infer_set_unranked(x, 0, t, 0);
    infer_set_dims(x, 1, infer_dtype(x, 1), 4, k);
    infer_set_dims(x, 2, infer_dtype(x, 2), 4, v);
    infer_set_dims(x, 3, t, 4, (ir_dim[]){q[0], q[1], q[2], k[2]});
    return true;
}

/* What a body of FlexAttention gives has the type that it takes. */
static bool gives_scores(struct infer *x, const char *body, const struct ir_type *given,
                         const struct ir_type *scores) {
    struct infer_shape s;
    enum ir_dtype t = given ? ir_type_dtype(given) : IR_UNDEFINED;
    if (t != IR_UNDEFINED && t != scores->dtype)
        return infer_fail(x, "body \"%s\" gives %s, wanted %s", body, ir_dtype_name(t),
                          ir_dtype_name(scores->dtype));
    if (!infer_type_shape(x, given, &s)) return true;
    if (s.rank != 4)
        return infer_fail(x, "body \"%s\" gives rank %u, wanted 4", body, s.rank);
    for (uint32_t i = 0; i < 4; i++)
        if (!infer_same(x, &s.dim[i], scores->dims[i], "dimensions of scores"))
            return false;
    return true;
}

/* FlexAttention: Q, K, V by heads; bodies that change the scores see them all at once. */
bool infer_flex_attention(struct infer *x) {
    static const char *const bodies[] = {"score_mod", "prob_mod"};
    struct infer_shape q, k, v;
    enum ir_dtype t = infer_dtype(x, 0);
    infer_set_unranked(x, 0, t, 0);
    if (!infer_shape_of(x, 0, &q) || !infer_shape_of(x, 1, &k) || !infer_shape_of(x, 2, &v))
        return true;
    if (q.rank != 4 || k.rank != 4 || v.rank != 4)
        return infer_fail(x, "ranks %u, %u, %u, wanted 4", q.rank, k.rank, v.rank);
    if (!agree_by_heads(x, q.dim, k.dim, v.dim)) return false;
    enum ir_dtype inside = infer_named_dtype(x, "softmax_precision",
                                             t == IR_DOUBLE ? IR_DOUBLE : IR_FLOAT);
    const struct ir_type *scores =
        ir_type_tensor(x->m->arena, inside, 4,
                       (ir_dim[]){q.dim[0], q.dim[1], q.dim[2], k.dim[2]});
    for (size_t i = 0; i < countof(bodies); i++) {
        struct ir_graph *body = infer_body_of(x, bodies[i]);
        if (!body) continue;
        infer_set_body_input(body, 0, scores);
        infer_body(x, body);
        if (!gives_scores(x, bodies[i], infer_body_output(body, 0), scores))
            return false;
    }
    q.dim[3] = v.dim[3];
    infer_set(x, 0, t, &q);
    return true;
}

/* --- com.microsoft ----------------------------------------------------------------- */

/* Attention: input [batch, seq, in], weight [in, q + k + v] -> [batch, seq, v], present
 * [2, batch, heads, total, size]. Widths are equal but for qkv_hidden_sizes. */
static bool packed_attention(struct infer *x, enum ir_dtype t, uint32_t past) {
    struct infer_shape s, w;
    struct infer_ints sizes = infer_ints(x, "qkv_hidden_sizes");
    ir_dim width = IR_DIM_UNKNOWN, total;
    int64_t heads = infer_int(x, "num_heads", 0);
    infer_set_unranked(x, 0, t, 0);
    infer_set_unranked(x, 1, t, 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (s.rank != 3) return infer_fail(x, "the input has rank %u, wanted 3", s.rank);
    if (sizes.known && sizes.n == 3) width = infer_const(x, sizes.at[2]);
    else if (infer_shape_of(x, 1, &w) && w.rank == 2)
        width = ir_dim_floordiv(x->d, w.dim[1], infer_const(x, 3));
    infer_set_dims(x, 0, t, 3, (ir_dim[]){s.dim[0], s.dim[1], width});
    total = with_past(x, past, 3, s.dim[1]);
    if (infer_int(x, "past_present_share_buffer", 0)) total = IR_DIM_UNKNOWN;
    infer_set_dims(x, 1, t, 5,
             (ir_dim[]){infer_const(x, 2), s.dim[0],
                        heads > 0 ? infer_const(x, heads) : IR_DIM_UNKNOWN, total,
                        per_head(x, width, heads)});
    return true;
}

bool infer_ms_attention(struct infer *x) {
    return packed_attention(x, infer_dtype(x, 0), 4);
}

/* QAttention: input and weight are quantised, the result has the type of the bias. */
bool infer_q_attention(struct infer *x) {
    return packed_attention(x, infer_dtype(x, 2), 8);
}

/* The keys of MultiHeadAttention: length, and the width of the values. Packed forms have
 * ranks 5; keys projected before have rank 4 [batch, heads, length, size]. */
static void keys_of(struct infer *x, const struct infer_shape *q, int64_t heads,
                    ir_dim *length, ir_dim *width) {
    struct infer_shape k, v;
    *length = q->dim[1];
    *width = q->rank == 3 ? q->dim[2] : ir_dim_mul(x->d, q->dim[2], q->dim[4]);
    if (!infer_has(x, 1)) return;
    *length = IR_DIM_UNKNOWN;
    if (infer_shape_of(x, 1, &k) && k.rank >= 3) *length = k.dim[k.rank == 4 ? 2 : 1];
    if (!infer_has(x, 2)) return;
    *width = IR_DIM_UNKNOWN;
    if (!infer_shape_of(x, 2, &v)) return;
    if (v.rank == 3) *width = v.dim[2];
    if (v.rank == 4) *width = ir_dim_mul(x->d, infer_const(x, heads), v.dim[3]);
}

/* (query, key, value, bias, key padding mask, attention bias, past key, past value)
 * -> out [batch, seq, width], present key and value [batch, heads, total, size] */
bool infer_multi_head_attention(struct infer *x) {
    struct infer_shape q;
    enum ir_dtype t = infer_dtype(x, 0);
    int64_t heads = infer_int(x, "num_heads", 0);
    ir_dim length, width;
    for (uint32_t k = 0; k < x->nout; k++) infer_set_unranked(x, k, t, 0);
    if (!infer_shape_of(x, 0, &q)) return true;
    if (q.rank != 3 && q.rank != 5)
        return infer_fail(x, "the query has rank %u, wanted 3 or 5", q.rank);
    keys_of(x, &q, heads, &length, &width);
    ir_dim hidden = q.rank == 3 ? q.dim[2] : ir_dim_mul(x->d, q.dim[2], q.dim[4]);
    ir_dim total = with_past(x, 6, 2, length);
    ir_dim n = heads > 0 ? infer_const(x, heads) : IR_DIM_UNKNOWN;
    if (infer_int(x, "past_present_share_buffer", 0) || infer_has(x, 8))
        total = IR_DIM_UNKNOWN;
    infer_set_dims(x, 0, t, 3, (ir_dim[]){q.dim[0], q.dim[1], width});
    infer_set_dims(x, 1, t, 4, (ir_dim[]){q.dim[0], n, total, per_head(x, hidden, heads)});
    infer_set_dims(x, 2, t, 4, (ir_dim[]){q.dim[0], n, total, per_head(x, width, heads)});
    return true;
}

/* (query, key, value, past key, past value, lengths ...): Q alone may hold all three. */
bool infer_group_query_attention(struct infer *x) {
    struct infer_shape q;
    enum ir_dtype t = infer_dtype(x, 0);
    int64_t heads = infer_int(x, "num_heads", 0), kv = infer_int(x, "kv_num_heads", 0);
    for (uint32_t k = 0; k < x->nout; k++) infer_set_unranked(x, k, t, 0);
    if (!infer_shape_of(x, 0, &q) || q.rank != 3 || heads < 1 || kv < 1 ||
        heads > INT32_MAX || kv > INT32_MAX)
        return true;
    ir_dim size = infer_has(x, 1) ? per_head(x, q.dim[2], heads)
                                  : per_head(x, q.dim[2], heads + 2 * kv);
    ir_dim width = ir_dim_mul(x->d, size, infer_const(x, heads));
    infer_set_dims(x, 0, t, 3, (ir_dim[]){q.dim[0], q.dim[1], width});
    ir_dim cache[] = {q.dim[0], infer_const(x, kv), IR_DIM_UNKNOWN, size};
    infer_set_dims(x, 1, infer_dtype(x, 3) ? infer_dtype(x, 3) : t, 4, cache);
    infer_set_dims(x, 2, infer_dtype(x, 4) ? infer_dtype(x, 4) : t, 4, cache);
    return true;
}

/* (input ids, segment ids, word, position, segment table, gamma, beta, mask, positions)
 * -> embedding, mask index [batch], sum; the tables of the quantised one are the same. */
bool infer_embed_layer_norm(struct infer *x) {
    struct infer_shape ids, table;
    enum ir_dtype t = infer_dtype(x, 5);
    bool quantised = rw_streq(ir_op_name(x->g, x->n), "QEmbedLayerNormalization");
    if (quantised) t = IR_FLOAT;
    infer_set_unranked(x, 0, t, 0);
    infer_set_unranked(x, 1, IR_INT32, 0);
    infer_set_unranked(x, 2, t, 0);
    if (!infer_shape_of(x, 0, &ids) || ids.rank != 2) return true;
    ir_dim width =
        infer_shape_of(x, 2, &table) && table.rank == 2 ? table.dim[1] : IR_DIM_UNKNOWN;
    ir_dim out[] = {ids.dim[0], ids.dim[1], width};
    infer_set_dims(x, 0, t, 3, out);
    infer_set_dims(x, 1, IR_INT32, 1, ids.dim);
    infer_set_dims(x, 2, t, 3, out);
    return true;
}
