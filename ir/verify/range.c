/* range.c -- values of attributes: the words that the standard lists for a string,
 * and the least that a number may be.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

#define ANY_OP NULL

struct words {
    const char *op, *attr;
    const char *words; /* with a space behind each */
};
static const struct words words[] = {
    {ANY_OP, "auto_pad", "NOTSET SAME_UPPER SAME_LOWER VALID "},
    {"BitShift", "direction", "RIGHT LEFT "},
    {"CausalConvWithState", "activation", "none silu swish "},
    {"DepthToSpace", "mode", "DCR CRD "},
    {"GRU", "direction", "forward reverse bidirectional "},
    {"Gelu", "approximate", "none tanh "},
    {"GridSample", "mode", "bilinear nearest bicubic linear cubic "},
    {"GridSample", "padding_mode", "zeros border reflection "},
    {"ImageDecoder", "pixel_format", "RGB BGR Grayscale "},
    {"LSTM", "direction", "forward reverse bidirectional "},
    {"LinearAttention", "update_rule", "linear gated delta gated_delta "},
    {"NegativeLogLikelihoodLoss", "reduction", "none sum mean "},
    {"Pad", "mode", "constant reflect edge wrap "},
    {"RNN", "direction", "forward reverse bidirectional "},
    {"Resize", "coordinate_transformation_mode",
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric "
     "tf_half_pixel_for_nn tf_crop_and_resize "},
    {"Resize", "keep_aspect_ratio_policy", "stretch not_larger not_smaller "},
    {"Resize", "mode", "nearest linear cubic "},
    {"Resize", "nearest_mode", "round_prefer_floor round_prefer_ceil floor ceil "},
    {"RoiAlign", "coordinate_transformation_mode", "half_pixel output_half_pixel "},
    {"RoiAlign", "mode", "avg max "},
    {"ScatterElements", "reduction", "none add mul max min "},
    {"ScatterND", "reduction", "none add mul max min "},
    {"SoftmaxCrossEntropyLoss", "reduction", "none sum mean "},
    {"TfIdfVectorizer", "mode", "TF IDF TFIDF "},
    {"Upsample", "mode", "nearest linear bilinear "},
};

/* Of an int, or of each item of ints. */
struct bounds {
    const char *op, *attr;
    int64_t least, most; /* most 0: any; else it is 1 */
};
static const struct bounds bounds[] = {
    {ANY_OP, "blocksize", 1, 0},
    {ANY_OP, "dilations", 1, 0},
    {ANY_OP, "group", 1, 0},
    {ANY_OP, "hidden_size", 1, 0},
    {ANY_OP, "keepdims", 0, 1},
    {ANY_OP, "kernel_shape", 1, 0},
    {ANY_OP, "kv_num_heads", 1, 0},
    {ANY_OP, "q_num_heads", 1, 0},
    {ANY_OP, "strides", 1, 0},
    {"Attention", "left_window_size", -1, 0},
    {"Attention", "right_window_size", -1, 0},
    {"AveragePool", "pads", 0, 0},
    {"Conv", "pads", 0, 0},
    {"ConvInteger", "pads", 0, 0},
    {"ConvTranspose", "output_padding", 0, 0},
    {"LpPool", "pads", 0, 0},
    {"MaxPool", "pads", 0, 0},
    {"QLinearConv", "pads", 0, 0},
    {"Split", "num_outputs", 1, 0},
    {"Split", "split", 0, 0},
    {"TfIdfVectorizer", "ngram_indexes", 0, 0},
    {"Transpose", "perm", 0, 0},
};

static bool is_of(const struct verify *v, const struct ir_attr *a, const char *op,
                  const char *attr) {
    return rw_streq(a->name, attr) && (!op || rw_streq(v->x->schema->name, op));
}

static bool is_among(const char *list, const struct ir_string *s) {
    for (size_t len; (len = strcspn(list, " ")) > 0; list += len + 1)
        if (s->len == len && memcmp(s->at, list, len) == 0) return true;
    return false;
}

static void verify_word(struct verify *v, const struct ir_attr *a) {
    for (size_t i = 0; i < countof(words); i++) {
        if (!is_of(v, a, words[i].op, words[i].attr)) continue;
        if (!is_among(words[i].words, &a->s))
            ir_verify_wrong(v, "attribute \"%s\" is \"%.*s\", wanted one of %.*s", a->name,
                            (int)(a->s.len < 40 ? a->s.len : 40), a->s.at ? a->s.at : "",
                            (int)strlen(words[i].words) - 1, words[i].words);
        return;
    }
}

static void verify_bounds(struct verify *v, const struct ir_attr *a) {
    const int64_t *items = a->type == IR_ATTR_INT ? &a->i : a->ints;
    uint32_t n = a->type == IR_ATTR_INT ? 1 : a->n;
    for (size_t i = 0; i < countof(bounds); i++) {
        const struct bounds *b = &bounds[i];
        if (!is_of(v, a, b->op, b->attr)) continue;
        for (uint32_t k = 0; k < n; k++) {
            if (items[k] >= b->least && (!b->most || items[k] <= b->most)) continue;
            ir_verify_wrong(v, "attribute \"%s\" has %" PRId64 ", wanted %" PRId64 " %s",
                            a->name, items[k], b->least, b->most ? "or 1" : "or more");
            return;
        }
        return;
    }
}

/* An element type by its number. */
static bool is_element_type(const struct ir_attr *a) {
    return a->i > IR_UNDEFINED && a->i < IR_DTYPE_N;
}

void ir_verify_range(struct verify *v, const struct ir_attr *a) {
    if (*v->x->schema->domain || a->ref) return;
    if (a->type == IR_ATTR_STRING) verify_word(v, a);
    else if (a->type == IR_ATTR_INT && rw_streq(a->name, "dtype") && !is_element_type(a))
        ir_verify_wrong(v, "attribute \"%s\" is no element type: %" PRId64, a->name, a->i);
    else if (a->type == IR_ATTR_INT || a->type == IR_ATTR_INTS) verify_bounds(v, a);
}
