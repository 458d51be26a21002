/* shape.c -- what operators ask of their operands beyond what inference needs:
 * ranks, and which of several operands and attributes stand together.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

/* --- ranks -------------------------------------------------------------------------- */

struct ranks {
    const char *op;
    uint8_t operand, least, most;
};
static const struct ranks ranks[] = {
    {"CausalConvWithState", 0, 3, 3}, {"CausalConvWithState", 1, 3, 3},
    {"CausalConvWithState", 2, 1, 1}, {"CausalConvWithState", 3, 3, 3},
    {"Col2Im", 0, 3, 3},              {"Col2Im", 1, 1, 1},
    {"Col2Im", 2, 1, 1},              {"FlexAttention", 0, 4, 4},
    {"FlexAttention", 1, 4, 4},       {"FlexAttention", 2, 4, 4},
    {"ImageDecoder", 0, 1, 1},        {"LinearAttention", 3, 4, 4},
    {"OneHot", 2, 1, 1},              {"Resize", 1, 1, 1},
    {"Resize", 2, 1, 1},              {"Resize", 3, 1, 1},
    {"ReverseSequence", 0, 2, 255},   {"ReverseSequence", 1, 1, 1},
    {"RotaryEmbedding", 0, 3, 4},     {"RotaryEmbedding", 1, 2, 3},
    {"RotaryEmbedding", 2, 2, 3},
};

/* The type of an operand whose rank is known, or NULL. */
static const struct ir_type *ranked(const struct verify *v, uint32_t k) {
    ir_value value = ir_input(v->g, v->n, k);
    const struct ir_type *t = value == IR_NONE ? NULL : ir_val(v->g, value)->type;
    return t && t->kind == IR_TENSOR && t->ranked ? t : NULL;
}

static void verify_ranks(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    for (size_t i = 0; i < countof(ranks); i++) {
        const struct ranks *r = &ranks[i];
        const struct ir_type *t = rw_streq(r->op, s->name) ? ranked(v, r->operand) : NULL;
        if (!t || (t->rank >= r->least && t->rank <= r->most)) continue;
        bool open = r->most == 255, one = r->least == r->most;
        ir_verify_wrong(v, "operand %u (\"%s\") has rank %u, wanted %u%s", r->operand,
                        s->inputs[r->operand].name, t->rank, r->least,
                        open ? " or more" : one ? "" : r->most == 4 ? " or 4" : " or 3");
    }
}

/* --- one operator each ---------------------------------------------------------------- */

static bool has(const struct verify *v, uint32_t k) {
    return ir_input(v->g, v->n, k) != IR_NONE;
}

static int64_t int_of(const struct verify *v, const char *name, int64_t otherwise) {
    const struct ir_attr *a = ir_find_attr(v->g, v->n, name);
    return a && a->type == IR_ATTR_INT && !a->ref ? a->i : otherwise;
}

/* An operand that is there and has no element counts as absent, as before opset 13. */
static bool has_items(const struct verify *v, uint32_t k) {
    const struct ir_type *t = ranked(v, k);
    int64_t len;
    bool empty = t && t->rank == 1 && ir_dim_is_const(v->m->dims, t->dims[0], &len) &&
                 len == 0;
    return has(v, k) && !empty;
}

static void verify_resize(struct verify *v) {
    if (v->x->schema->since < 11) return;
    bool scales = has_items(v, 2), sizes = has_items(v, 3);
    if (scales && sizes)
        ir_verify_wrong(v, "has both \"scales\" and \"sizes\", wanted one of them");
    else if (!scales && !sizes)
        ir_verify_wrong(v, "has neither \"scales\" nor \"sizes\", wanted one of them");
}

static void verify_split(struct verify *v) {
    if (v->x->schema->since < 18) return;
    bool parts = has(v, 1), number = ir_find_attr(v->g, v->n, "num_outputs") != NULL;
    if (parts && number)
        ir_verify_wrong(v, "has both \"split\" and \"num_outputs\", wanted one of them");
    else if (!parts && !number)
        ir_verify_wrong(v, "has neither \"split\" nor \"num_outputs\", wanted one of them");
}

static void verify_attention(struct verify *v) {
    const struct ir_type *q = ranked(v, 0);
    static const char *const heads[] = {"q_num_heads", "kv_num_heads"};
    for (size_t i = 0; q && q->rank == 3 && i < countof(heads); i++)
        if (!ir_find_attr(v->g, v->n, heads[i]))
            ir_verify_wrong(v, "attribute \"%s\" is missing, which rank 3 needs",
                            heads[i]);
    bool key = ir_output(v->g, v->n, 1) != IR_NONE;
    bool value = ir_output(v->g, v->n, 2) != IR_NONE;
    if (key != value)
        ir_verify_wrong(v, "gives one of \"present_key\" and \"present_value\", wanted "
                        "both or none");
    if (has(v, 4) != has(v, 5))
        ir_verify_wrong(v, "has one of \"past_key\" and \"past_value\", wanted both or "
                        "none");
}

static void verify_linear_attention(struct verify *v) {
    const struct ir_attr *a = ir_find_attr(v->g, v->n, "update_rule");
    const char *rule = a && a->type == IR_ATTR_STRING && a->s.at ? a->s.at : "gated_delta";
    size_t len = a && a->type == IR_ATTR_STRING ? a->s.len : strlen(rule);
    bool gated = len >= 5 && memcmp(rule, "gated", 5) == 0;
    bool delta = len >= 5 && memcmp(rule + len - 5, "delta", 5) == 0;
    if (gated && !has(v, 4)) ir_verify_wrong(v, "operand 4 (\"decay\") is missing");
    if (delta && !has(v, 5)) ir_verify_wrong(v, "operand 5 (\"beta\") is missing");
}

static void verify_axis(struct verify *v) {
    const struct ir_type *t = ranked(v, 0);
    int64_t axis = int_of(v, "axis", v->x->schema->since < 13 ? 1 : -1);
    if (t && t->rank && (axis < -(int64_t)t->rank || axis >= (int64_t)t->rank))
        ir_verify_wrong(v, "axis %" PRId64 " is not of a tensor of rank %u", axis, t->rank);
}

static void verify_one_hot(struct verify *v) {
    const struct ir_type *t = ranked(v, 2);
    int64_t len;
    if (t && t->rank == 1 && ir_dim_is_const(v->m->dims, t->dims[0], &len) && len != 2)
        ir_verify_wrong(v, "operand 2 (\"values\") has %" PRId64 " items, wanted 2", len);
}

/* Bits of a type on its own, 0: unknown. */
static uint32_t bits_of(const struct ir_type *t) {
    return t && t->kind == IR_TENSOR ? ir_dtype_bits(t->dtype) : 0;
}

static void verify_bit_cast(struct verify *v) {
    ir_value in = ir_input(v->g, v->n, 0);
    int64_t to = int_of(v, "to", 0);
    uint32_t from = in == IR_NONE ? 0 : bits_of(ir_val(v->g, in)->type);
    uint32_t bits = to > 0 && to < IR_DTYPE_N ? ir_dtype_bits((enum ir_dtype)to) : 0;
    if (from && bits && from != bits)
        ir_verify_wrong(v, "turns elements of %u bits into ones of %u", from, bits);
}

/* --- trees ---------------------------------------------------------------------------- */

/* Lists whose names begin alike describe the same nodes, leaves or classes. */
static void verify_tree_lists(struct verify *v, const char *prefix) {
    const struct ir_attr *first = NULL;
    for (uint32_t k = 0; k < v->x->nattr; k++) {
        const struct ir_attr *a = &v->x->attr[k];
        bool is_list = a->type == IR_ATTR_INTS || a->type == IR_ATTR_FLOATS ||
                       a->type == IR_ATTR_STRINGS;
        if (!is_list || a->ref || !a->n || strncmp(a->name, prefix, strlen(prefix)) != 0)
            continue;
        if (!first) first = a;
        if (a->n == first->n) continue;
        ir_verify_wrong(v, "attribute \"%s\" has %u items, wanted %u as \"%s\"", a->name,
                        a->n, first->n, first->name);
        return;
    }
}

static void verify_trees(struct verify *v) {
    static const char *const prefixes[] = {"nodes_", "leaf_", "class_", "target_"};
    for (size_t i = 0; i < countof(prefixes); i++) verify_tree_lists(v, prefixes[i]);
}

/* --- all of them ---------------------------------------------------------------------- */

struct entry {
    const char *op;
    void (*verify)(struct verify *v);
};
static const struct entry entries[] = {
    {"Attention", verify_attention},
    {"BitCast", verify_bit_cast},
    {"Hardmax", verify_axis},
    {"LinearAttention", verify_linear_attention},
    {"LogSoftmax", verify_axis},
    {"OneHot", verify_one_hot},
    {"Resize", verify_resize},
    {"Softmax", verify_axis},
    {"Split", verify_split},
};

void ir_verify_shapes(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    bool is_tree = strncmp(s->name, "TreeEnsemble", 12) == 0;
    if (is_tree && rw_streq(s->domain, "ai.onnx.ml")) verify_trees(v);
    if (*s->domain && !rw_streq(s->domain, "ai.onnx.preview")) return;
    verify_ranks(v);
    for (size_t i = 0; i < countof(entries); i++)
        if (rw_streq(entries[i].op, s->name)) entries[i].verify(v);
}
