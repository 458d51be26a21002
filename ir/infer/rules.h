/* rules.h -- the rules of inference by name, and what files of rules share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_INFER_RULES_H
#define IR_INFER_RULES_H

#include "ir/infer/impl.h"

struct infer_slice {
    struct infer_shape start, end; /* item by item; IR_DIM_UNKNOWN allowed */
    uint32_t axis[INFER_MAX_RANK];
    int64_t step[INFER_MAX_RANK];  /* 0: not known */
};
/* The bounds of a Slice; false where their number or the axes are not known. */
bool infer_read_slice(struct infer *x, struct infer_slice *r);
/* Shape's `start` and `end` brought into 0..rank. */
void infer_shape_range(uint32_t rank, int64_t start, int64_t end, int64_t *from,
                       int64_t *to);
/* Can output k have a known value, and how many items? Tables of two dimensions can, too. */
bool infer_value_length(const struct infer *x, uint32_t k, uint32_t *rank, uint32_t *len);
/* The items of output k, without those that its type cannot hold. */
void infer_put_items(struct infer *x, uint32_t k, uint32_t rank, uint32_t len,
                     ir_dim *items);

/* --- bodies (infer_control.c) ------------------------------------------------------ */
struct ir_graph *infer_body_of(const struct infer *x, const char *attribute);
const struct ir_type *infer_body_input(const struct ir_graph *body, uint32_t k);
const struct ir_type *infer_body_output(const struct ir_graph *body, uint32_t k);
void infer_set_body_input(struct ir_graph *body, uint32_t k, const struct ir_type *t);
enum ir_dtype infer_dtype_or(const struct ir_type *t, const struct ir_type *other);
/* Output k has what holds of both types: the dims that are the same in both; tensors of two
 * element types are an error. */
bool infer_set_common(struct infer *x, uint32_t k, const struct ir_type *a,
                      const struct ir_type *b);
/* Elements of a sequence (infer_sequence.c): what is said of all of them by one; what holds
 * of both, or NULL. */
const struct ir_type *infer_as_element(const struct infer *x, const struct ir_type *t);
const struct ir_type *infer_common_element(const struct infer *x, const struct ir_type *a,
                                           const struct ir_type *b);
/* Output k collects one tensor of type `each` an iteration along a new axis. */
void infer_set_collected(struct infer *x, uint32_t k, const struct ir_type *each,
                         int64_t axis, ir_dim count);

/* infer_attention.c */
infer_rule infer_attention, infer_flex_attention, infer_ms_attention, infer_q_attention,
    infer_multi_head_attention, infer_group_query_attention, infer_embed_layer_norm;
/* infer_contrib.c */
infer_rule infer_gemma_rotary, infer_like_second, infer_bitmask_dropout,
    infer_skip_group_norm, infer_murmur_hash, infer_quantize_with_order,
    infer_dequantize_with_order, infer_bias_split_gelu, infer_swiglu, infer_torch_embedding,
    infer_relative_position_bias, infer_gated_relative_position_bias, infer_remove_padding,
    infer_restore_padding, infer_dynamic_time_warping, infer_expand_dims,
    infer_unfold_tensor, infer_ms_unique;
/* infer_control.c */
infer_rule infer_if, infer_scan;
infer_value_rule infer_value_if;
/* infer_decoder.c */
infer_rule infer_decoder_attention, infer_decoder_self_attention,
    infer_decoder_multi_head_attention, infer_packed_attention,
    infer_packed_multi_head_attention, infer_sparse_attention, infer_paged_attention;
/* infer_einsum.c */
infer_rule infer_einsum;
/* infer_elementwise.c */
infer_rule infer_like_first, infer_same_as_first, infer_same_shapes, infer_cast, infer_cast_like,
    infer_like_with_dtype, infer_dropout, infer_quantize_linear, infer_dequantize_linear,
    infer_dynamic_quantize_linear, infer_broadcast, infer_qlinear_broadcast,
    infer_qlinear_where, infer_mul_integer, infer_bias;
/* infer_image.c */
infer_rule infer_non_max_suppression, infer_grid_sample, infer_roi_align,
    infer_max_roi_pool, infer_det, infer_affine_grid, infer_center_crop_pad, infer_col2im,
    infer_image_decoder, infer_crop_and_resize;
/* infer_index.c */
infer_rule infer_gather, infer_gather_block_quantized, infer_gather_elements,
    infer_gather_nd, infer_concat, infer_qlinear_concat, infer_split, infer_slice,
    infer_range, infer_one_hot, infer_non_zero, infer_compress, infer_unique, infer_pad;
/* infer_loop.c */
infer_rule infer_loop;
/* infer_loss.c */
infer_rule infer_loss, infer_adagrad_or_momentum, infer_adam, infer_gradient;
/* infer_matmul.c */
infer_rule infer_matmul, infer_matmul_integer, infer_matmul_integer_to_float,
    infer_qlinear_matmul, infer_dynamic_quantize_matmul, infer_fused_matmul, infer_gemm,
    infer_qgemm, infer_gemm_float8, infer_matmul_nbits_mlp, infer_matmul_nbits_qkv,
    infer_matmul_block_quantized, infer_matmul_fpq4, infer_matmul_nbits, infer_cdist;
/* infer_misc.c */
infer_rule infer_constant, infer_random, infer_multinomial, infer_identity, infer_scalar;
/* infer_ml.c */
infer_rule infer_classifier, infer_regressor, infer_float_like,
    infer_array_feature_extractor, infer_zip_map, infer_category_mapper,
    infer_label_encoder, infer_one_hot_encoder, infer_feature_vectorizer,
    infer_dict_vectorizer, infer_cast_map, infer_tree_ensemble, infer_string_normalizer,
    infer_tokenizer, infer_string_split, infer_tfidf_vectorizer;
/* infer_nn.c */
infer_rule infer_batch_norm, infer_resize, infer_recurrent;
/* infer_reduce.c */
infer_rule infer_reduce, infer_reduce_integer, infer_arg_reduce, infer_topk,
    infer_layer_norm, infer_skip_layer_norm;
/* infer_sequence.c */
infer_rule infer_split_to_sequence, infer_sequence_construct, infer_sequence_empty,
    infer_sequence_insert, infer_same_type, infer_sequence_at, infer_sequence_map,
    infer_optional, infer_optional_get_element, infer_concat_from_sequence;
/* infer_shape.c */
infer_rule infer_reshape, infer_flatten, infer_transpose, infer_unsqueeze, infer_squeeze,
    infer_depth_to_space, infer_shape_op, infer_size, infer_constant_of_shape, infer_expand,
    infer_tile;
/* infer_signal.c */
infer_rule infer_dft, infer_stft, infer_mel_weight_matrix, infer_rfft, infer_irfft,
    infer_window_function;
/* infer_state.c */
infer_rule infer_linear_attention, infer_causal_conv, infer_linear_attention_gate;
/* value.c */
infer_value_rule infer_value_add, infer_value_sub, infer_value_mul, infer_value_div,
    infer_value_mod, infer_value_min, infer_value_max, infer_value_neg, infer_value_abs,
    infer_value_same, infer_value_equal, infer_value_less, infer_value_greater,
    infer_value_at_most, infer_value_at_least, infer_value_and, infer_value_or,
    infer_value_not, infer_value_cast, infer_value_where;
/* value_shape.c */
infer_value_rule infer_value_moved, infer_value_transpose, infer_value_shape,
    infer_value_size, infer_value_concat, infer_value_gather, infer_value_slice,
    infer_value_split, infer_value_constant_of_shape, infer_value_expand, infer_value_tile,
    infer_value_scatter_nd, infer_value_range, infer_value_reduce_sum,
    infer_value_reduce_prod, infer_value_reduce_max, infer_value_reduce_min,
    infer_value_cumsum;
/* infer_window.c */
infer_rule infer_conv, infer_conv_integer, infer_qlinear_conv, infer_conv_transpose,
    infer_conv_transpose_with_pads, infer_pool, infer_max_unpool, infer_global_pool,
    infer_reorder_output;

#endif
