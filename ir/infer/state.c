/* state.c -- operators that hand a state on from step to step: linear attention,
 * causal convolution.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

/* In ai.onnx the state that comes in has the shape of the one that goes out. */
static bool unify_past(struct infer *x, ir_dim present[4]) {
    struct infer_shape past;
    bool is_standard = x->schema && !*x->schema->domain;
    if (!is_standard || !infer_has(x, 3) || !infer_shape_of(x, 3, &past) || past.rank != 4)
        return true;
    for (uint32_t i = 0; i < 4; i++)
        if (!infer_same(x, &present[i], past.dim[i], "dimensions of the state"))
            return false;
    return true;
}

/* (query [b, t, hq*dk], key [b, t, hkv*dk], value [b, t, hkv*dv], past, ...)
 * -> [b, t, heads*dv], present [b, hkv, dk, dv]; com.microsoft may keep a window of
 * states, and may have more heads of keys than of queries. */
bool infer_linear_attention(struct infer *x) {
    struct infer_shape q, k, v;
    int64_t query_heads = infer_int(x, "q_num_heads", 0),
            heads = infer_int(x, "kv_num_heads", 0);
    enum ir_dtype t = infer_dtype(x, 0), state = infer_has(x, 3) ? infer_dtype(x, 3) : t;
    bool known_k = infer_shape_of(x, 1, &k) && k.rank == 3,
         known_v = infer_shape_of(x, 2, &v) && v.rank == 3;
    if (heads < 1 || query_heads < 1 || heads > INT32_MAX || query_heads > INT32_MAX)
        return infer_fail(x, "%" PRId64 " and %" PRId64 " heads", query_heads, heads);
    ir_dim n = infer_const(x, heads);
    ir_dim dk = known_k ? ir_dim_floordiv(x->d, k.dim[2], n) : IR_DIM_UNKNOWN;
    ir_dim dv = known_v ? ir_dim_floordiv(x->d, v.dim[2], n) : IR_DIM_UNKNOWN;
    ir_dim most = infer_const(x, query_heads > heads ? query_heads : heads);
    infer_set_unranked(x, 0, t, 0);
    if (infer_has(x, 3)) infer_set_like(x, 1, state, 3);
    else infer_set_unranked(x, 1, state, 0);
    if (!infer_shape_of(x, 0, &q) || q.rank != 3) return true;
    infer_set_dims(x, 0, t, 3,
                   (ir_dim[]){q.dim[0], q.dim[1], ir_dim_mul(x->d, most, dv)});
    ir_dim present[] = {q.dim[0], n, dk, dv};
    if (!unify_past(x, present)) return false;
    if (!infer_int(x, "state_window", 0)) infer_set_dims(x, 1, state, 4, present);
    return true;
}

/* (input [b, c, n], weight [c, 1, k], bias, past [b, c, k - 1]) -> the same, the last
 * items. com.microsoft has other layouts; there the state is as it was before. */
bool infer_causal_conv(struct infer *x) {
    struct infer_shape s, w;
    enum ir_dtype t = infer_dtype(x, 0);
    bool plain = infer_int(x, "ndim", 1) == 1 && !infer_int(x, "channels_last", 0) &&
                 !infer_int(x, "state_window", 0) && !infer_int(x, "state_length", 0) &&
                 infer_int(x, "state_channels_last", -1) < 0;
    if (infer_int(x, "input_channels", 0)) infer_set_unranked(x, 0, t, 0);
    else infer_set_like(x, 0, t, 0);
    if (infer_has(x, 3)) infer_set_like(x, 1, t, 3);
    else infer_set_unranked(x, 1, t, 0);
    infer_set_unranked(x, 2, t, 0);
    if (!plain || !infer_shape_of(x, 0, &s) || !infer_shape_of(x, 1, &w)) return true;
    if (s.rank != 3 || w.rank != 3)
        return infer_fail(x, "input and weight have ranks %u and %u, wanted 3", s.rank,
                          w.rank);
    ir_dim one = infer_const(x, 1);
    if (!infer_same(x, &s.dim[1], w.dim[0], "the channels of input and weight") ||
        !infer_same(x, &w.dim[1], one, "dimension 1 of the weight and 1"))
        return false;
    ir_dim taps = ir_dim_sub(x->d, w.dim[2], one);
    taps = ir_dim_mul(x->d, taps, infer_const(x, infer_int(x, "dilation", 1)));
    infer_set_dims(x, 1, t, 3, (ir_dim[]){s.dim[0], s.dim[1], taps});
    return true;
}

/* com.microsoft LinearAttentionGate: the decay by head, and the rate. */
bool infer_linear_attention_gate(struct infer *x) {
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    infer_set_like(x, 1, infer_dtype(x, 0), infer_has(x, 3) ? 3 : 0);
    return true;
}
