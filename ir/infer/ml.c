/* ml.c -- classical learning and text: ai.onnx.ml, and what goes with it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

static ir_dim rows_of(const struct infer *x) {
    struct infer_shape s;
    if (!infer_shape_of(x, 0, &s)) return IR_DIM_UNKNOWN;
    return s.rank == 2 ? s.dim[0] : s.rank == 1 ? infer_const(x, 1) : IR_DIM_UNKNOWN;
}

static uint32_t list_length(const struct infer *x, const char *name) {
    const struct ir_attr *a = ir_find_attr(x->g, x->n, name);
    return a ? a->n : 0;
}

/* Labels [rows], strings or int64 as the class labels are; scores [rows, classes]. */
bool infer_classifier(struct infer *x) {
    static const char *const strings[] = {"classlabels_strings", "classlabels_string"};
    static const char *const ints[] = {"classlabels_int64s", "classlabels_ints"};
    uint32_t n = 0;
    enum ir_dtype t = IR_INT64;
    for (size_t i = 0; i < 2; i++) {
        if (list_length(x, strings[i])) n = list_length(x, strings[i]), t = IR_STRING;
        else if (list_length(x, ints[i])) n = list_length(x, ints[i]);
    }
    struct infer_shape labels = {.rank = 1, .dim = {rows_of(x)}};
    struct infer_shape scores = {.rank = 2, .dim = {labels.dim[0], IR_DIM_UNKNOWN}};
    bool by_pairs = rw_streq(ir_op_name(x->g, x->n), "SVMClassifier");
    if (n > 1 && !by_pairs) scores.dim[1] = infer_const(x, n);
    infer_set(x, 0, t, &labels);
    infer_set(x, 1, IR_FLOAT, &scores);
    return true;
}

bool infer_regressor(struct infer *x) {
    const struct ir_attr *a = ir_find_attr(x->g, x->n, "n_targets");
    if (!a) a = ir_find_attr(x->g, x->n, "targets");
    struct infer_shape s = {.rank = 2, .dim = {rows_of(x), IR_DIM_UNKNOWN}};
    if (a && a->type == IR_ATTR_INT && a->i > 0) s.dim[1] = infer_const(x, a->i);
    infer_set(x, 0, IR_FLOAT, &s);
    return true;
}

/* Normalizer, Scaler: the data's shape, in float. */
bool infer_float_like(struct infer *x) {
    infer_set_like(x, 0, IR_FLOAT, 0);
    return true;
}

/* Columns of the last dim, by index. */
bool infer_array_feature_extractor(struct infer *x) {
    struct infer_shape s, index;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    if (!infer_shape_of(x, 0, &s) || !s.rank) return true;
    if (s.rank == 1) s = (struct infer_shape){.rank = 2, .dim = {infer_const(x, 1)}};
    bool known = infer_shape_of(x, 1, &index);
    s.dim[s.rank - 1] = known ? infer_product(x, &index, 0, index.rank) : IR_DIM_UNKNOWN;
    infer_set(x, 0, infer_dtype(x, 0), &s);
    return true;
}

/* A sequence of maps from label to score. */
bool infer_zip_map(struct infer *x) {
    struct ir_type *types = arena_new_array(x->m->arena, struct ir_type, 2);
    bool strings = list_length(x, "classlabels_strings") > 0;
    types[0] = (struct ir_type){.kind = IR_TENSOR, .dtype = IR_FLOAT, .ranked = true};
    types[1] = (struct ir_type){.kind = IR_MAP, .dtype = strings ? IR_STRING : IR_INT64,
                                .elem = &types[0]};
    infer_set_type(x, 0, &(struct ir_type){.kind = IR_SEQUENCE, .elem = &types[1]});
    return true;
}

/* Strings become numbers and numbers strings. */
bool infer_category_mapper(struct infer *x) {
    enum ir_dtype from = infer_dtype(x, 0);
    enum ir_dtype to = from == IR_STRING ? IR_INT64 : IR_STRING;
    infer_set_like(x, 0, from == IR_UNDEFINED ? IR_UNDEFINED : to, 0);
    return true;
}

/* The type of the list that values_* is. In its first version there is one list, of
 * strings, for both ways. */
bool infer_label_encoder(struct infer *x) {
    const struct ir_attr *tensor = ir_find_attr(x->g, x->n, "values_tensor");
    if (list_length(x, "classes_strings")) return infer_category_mapper(x);
    enum ir_dtype t = IR_UNDEFINED;
    bool by_tensor = tensor && tensor->type == IR_ATTR_TENSOR && tensor->n;
    if (by_tensor) t = tensor->tensors[0]->dtype;
    else if (list_length(x, "values_strings")) t = IR_STRING;
    else if (list_length(x, "values_int64s")) t = IR_INT64;
    else if (list_length(x, "values_floats")) t = IR_FLOAT;
    infer_set_like(x, 0, t, 0);
    return true;
}

/* A column for each category, behind the other dims. */
bool infer_one_hot_encoder(struct infer *x) {
    struct infer_shape s;
    uint32_t n = list_length(x, "cats_strings");
    if (!n) n = list_length(x, "cats_int64s");
    infer_set_unranked(x, 0, IR_FLOAT, 0);
    if (!infer_shape_of(x, 0, &s) || s.rank == INFER_MAX_RANK) return true;
    s.dim[s.rank++] = infer_const(x, n);
    infer_set(x, 0, IR_FLOAT, &s);
    return true;
}

/* Columns side by side; a list is one row. */
bool infer_feature_vectorizer(struct infer *x) {
    struct infer_shape s, out = {.rank = 2, .dim = {rows_of(x), infer_const(x, 0)}};
    for (uint32_t k = 0; k < x->nin; k++) {
        bool known = infer_shape_of(x, k, &s) && (s.rank == 1 || s.rank == 2);
        ir_dim columns = known ? s.dim[s.rank - 1] : IR_DIM_UNKNOWN;
        out.dim[1] = ir_dim_add(x->d, out.dim[1], columns);
    }
    infer_set(x, 0, IR_FLOAT, &out);
    return true;
}

/* A place for each word of the vocabulary; ONNX Runtime gives a row of them. */
bool infer_dict_vectorizer(struct infer *x) {
    const struct ir_type *map = infer_in(x, 0);
    enum ir_dtype t = map && map->kind == IR_MAP ? ir_type_dtype(map->elem) : IR_UNDEFINED;
    infer_set_unranked(x, 0, t, 0);
    return true;
}

bool infer_cast_map(struct infer *x) {
    const char *to = infer_string(x, "cast_to");
    enum ir_dtype t = rw_streq(to, "TO_STRING")  ? IR_STRING
                      : rw_streq(to, "TO_INT64") ? IR_INT64
                                                 : IR_FLOAT;
    bool sparse = rw_streq(infer_string(x, "map_form"), "SPARSE");
    int64_t n = infer_int(x, "max_map", 1);
    ir_dim columns = sparse && n > 0 ? infer_const(x, n) : IR_DIM_UNKNOWN;
    infer_set_dims(x, 0, t, 2, (ir_dim[]){infer_const(x, 1), columns});
    return true;
}

bool infer_tree_ensemble(struct infer *x) {
    int64_t n = infer_int(x, "n_targets", 0);
    infer_set_dims(x, 0, infer_dtype(x, 0), 2,
                   (ir_dim[]){rows_of(x), n > 0 ? infer_const(x, n) : IR_DIM_UNKNOWN});
    return true;
}

/* --- text -------------------------------------------------------------------------- */

/* Stop words are left out of the last dim. */
bool infer_string_normalizer(struct infer *x) {
    struct infer_shape s;
    infer_set_like(x, 0, IR_STRING, 0);
    if (!list_length(x, "stopwords") || !infer_shape_of(x, 0, &s) || !s.rank) return true;
    s.dim[s.rank - 1] = IR_DIM_UNKNOWN;
    infer_set(x, 0, IR_STRING, &s);
    return true;
}

/* Each text becomes a row of tokens, as long as the longest. */
bool infer_tokenizer(struct infer *x) {
    struct infer_shape s;
    infer_set_unranked(x, 0, IR_STRING, 0);
    if (!infer_shape_of(x, 0, &s) || s.rank == INFER_MAX_RANK) return true;
    s.dim[s.rank++] = IR_DIM_UNKNOWN;
    infer_set(x, 0, IR_STRING, &s);
    return true;
}

/* Each text becomes a row of parts, as long as the longest; and how many parts it has. */
bool infer_string_split(struct infer *x) {
    infer_tokenizer(x);
    infer_set_like(x, 1, IR_INT64, 0);
    return true;
}

/* [n, words] -> [n, columns]: one column for each index an n-gram is counted in. */
bool infer_tfidf_vectorizer(struct infer *x) {
    struct infer_shape s;
    struct infer_ints index = infer_ints(x, "ngram_indexes");
    int64_t last = -1;
    for (uint32_t i = 0; i < index.n; i++)
        if (index.at[i] > last) last = index.at[i];
    infer_set_unranked(x, 0, IR_FLOAT, 0);
    if (!infer_shape_of(x, 0, &s) || !s.rank) return true;
    bool countable = last >= 0 && last < INT32_MAX;
    s.dim[s.rank - 1] = countable ? infer_const(x, last + 1) : IR_DIM_UNKNOWN;
    infer_set(x, 0, IR_FLOAT, &s);
    return true;
}
