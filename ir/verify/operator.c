/* operator.c -- what single operators ask beyond their schema: which operands and
 * attributes stand together, how long lists are. What inference looks at is not repeated.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

/* --- operands and attributes ---------------------------------------------------------- */

static bool has(const struct verify *v, uint32_t k) {
    return ir_input(v->g, v->n, k) != IR_NONE;
}

static int64_t int_of(const struct verify *v, const char *name, int64_t otherwise) {
    const struct ir_attr *a = ir_find_attr(v->g, v->n, name);
    return a && a->type == IR_ATTR_INT && !a->ref ? a->i : otherwise;
}

static bool length_of(const struct verify *v, uint32_t k, int64_t *len) {
    const struct ir_type *t = ir_verify_ranked(v, k);
    return t && t->rank == 1 && ir_dim_is_const(v->m->dims, t->dims[0], len);
}

/* An operand that is there and has no element counts as absent, as before opset 13. */
static bool has_items(const struct verify *v, uint32_t k) {
    int64_t len;
    return has(v, k) && !(length_of(v, k, &len) && len == 0);
}

static int64_t from_front(int64_t axis, uint32_t rank) {
    return axis < 0 && axis >= -(int64_t)rank ? axis + rank : axis;
}

static void verify_resized_axes(struct verify *v, const struct ir_attr *axes,
                                const struct ir_type *t) {
    int64_t wanted = axes ? axes->n : t->rank, len;
    for (uint32_t k = 2; k < 4; k++)
        if (has_items(v, k) && length_of(v, k, &len) && len != wanted)
            ir_verify_wrong(v, "operand %u (\"%s\") has %" PRId64 " items, wanted %" PRId64,
                            k, v->x->schema->inputs[k].name, len, wanted);
    for (uint32_t i = 0; axes && i < axes->n && i < t->rank + 1; i++)
        for (uint32_t k = 0; k < i; k++)
            if (from_front(axes->ints[i], t->rank) == from_front(axes->ints[k], t->rank)) {
                ir_verify_wrong(v, "\"axes\" names dimension %" PRId64 " twice",
                                axes->ints[i]);
                return;
            }
}

static void verify_resize(struct verify *v) {
    if (v->x->schema->since < 11) return;
    const struct ir_attr *axes = ir_find_attr(v->g, v->n, "axes");
    if (ir_verify_ranked(v, 0) && !(axes && (axes->ref || axes->type != IR_ATTR_INTS)))
        verify_resized_axes(v, axes, ir_verify_ranked(v, 0));
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

/* Each head of keys and values is shared by as many heads of queries. */
static void verify_heads(struct verify *v) {
    int64_t q = int_of(v, "q_num_heads", 0), kv = int_of(v, "kv_num_heads", 0);
    if (q > 0 && kv > 0 && q % kv != 0)
        ir_verify_wrong(v, "attribute \"q_num_heads\" is %" PRId64 ", wanted a multiple of "
                        "%" PRId64 " as \"kv_num_heads\"", q, kv);
}

static void verify_attention(struct verify *v) {
    verify_heads(v);
    const struct ir_type *q = ir_verify_ranked(v, 0);
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

/* A gate for each head, for each token at once, or for each channel of the keys. */
static void verify_gates(struct verify *v) {
    const struct ir_type *key = ir_verify_ranked(v, 1), *decay = ir_verify_ranked(v, 4),
                         *beta = ir_verify_ranked(v, 5);
    int64_t heads = int_of(v, "kv_num_heads", 0), channels, last;
    if (beta && beta->rank == 3 && heads > 0 &&
        ir_dim_is_const(v->m->dims, beta->dims[2], &last) && last != 1 && last != heads)
        ir_verify_wrong(v, "\"beta\" has %" PRId64 " items, wanted 1 or %" PRId64, last,
                        heads);
    if (key && key->rank == 3 && decay && decay->rank == 3 && heads > 0 &&
        ir_dim_is_const(v->m->dims, key->dims[2], &channels) &&
        ir_dim_is_const(v->m->dims, decay->dims[2], &last) && last != heads &&
        last != channels)
        ir_verify_wrong(v, "\"decay\" has %" PRId64 " items, wanted %" PRId64 " or %"
                        PRId64, last, heads, channels);
}

static void verify_linear_attention(struct verify *v) {
    const struct ir_attr *a = ir_find_attr(v->g, v->n, "update_rule");
    const char *rule = a && a->type == IR_ATTR_STRING && a->s.at ? a->s.at : "gated_delta";
    size_t len = a && a->type == IR_ATTR_STRING ? a->s.len : strlen(rule);
    bool gated = len >= 5 && memcmp(rule, "gated", 5) == 0;
    bool delta = len >= 5 && memcmp(rule + len - 5, "delta", 5) == 0;
    if (gated && !has(v, 4)) ir_verify_wrong(v, "operand 4 (\"decay\") is missing");
    if (delta && !has(v, 5)) ir_verify_wrong(v, "operand 5 (\"beta\") is missing");
    if (!gated && has(v, 4))
        ir_verify_wrong(v, "operand 4 (\"decay\") is there, which \"%.*s\" has no use for",
                        (int)len, rule);
    if (!delta && has(v, 5))
        ir_verify_wrong(v, "operand 5 (\"beta\") is there, which \"%.*s\" has no use for",
                        (int)len, rule);
    verify_heads(v);
    verify_gates(v);
}

/* Half of the result is left out because the other half mirrors it, for real numbers. */
static void verify_dft(struct verify *v) {
    const struct ir_type *t = ir_verify_ranked(v, 0);
    int64_t last, axis = int_of(v, "axis", 1);
    if (v->x->schema->since < 20 && t && (axis == -1 || axis == (int64_t)t->rank - 1))
        ir_verify_wrong(v, "axis %" PRId64 " is that of real and imaginary parts", axis);
    if (!int_of(v, "onesided", 0) || int_of(v, "inverse", 0) || !t || !t->rank) return;
    if (ir_dim_is_const(v->m->dims, t->dims[t->rank - 1], &last) && last == 2)
        ir_verify_wrong(v, "is one-sided, but its operand is complex");
}

/* A number of iterations, a condition: a scalar, or a list of one. */
static void verify_single(struct verify *v, uint32_t k) {
    const struct ir_type *t = ir_verify_ranked(v, k);
    int64_t count = 1, dim;
    for (uint32_t i = 0; t && i < t->rank; i++)
        if (!ir_dim_is_const(v->m->dims, t->dims[i], &dim) ||
            !rw_mul_i64(count, dim, &count))
            return;
    if (t && count != 1)
        ir_verify_wrong(v, "operand %u (\"%s\") has %" PRId64 " elements, wanted one", k,
                        v->x->schema->inputs[k].name, count);
}

static void verify_one_hot(struct verify *v) {
    int64_t len;
    verify_single(v, 1);
    if (length_of(v, 2, &len) && len != 2)
        ir_verify_wrong(v, "operand 2 (\"values\") has %" PRId64 " items, wanted 2", len);
}

static void verify_if(struct verify *v) { verify_single(v, 0); }

static void verify_loop(struct verify *v) {
    verify_single(v, 0);
    verify_single(v, 1);
}

/* Each operand has as many dimensions as its term has letters; `...` stands for any. */
static void verify_einsum(struct verify *v) {
    const struct ir_attr *a = ir_find_attr(v->g, v->n, "equation");
    if (!a || a->type != IR_ATTR_STRING || a->ref) return;
    uint32_t k = 0, letters = 0;
    bool any = false;
    for (size_t i = 0; i <= a->s.len; i++) {
        char c = i < a->s.len ? a->s.at[i] : '-';
        letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        any |= c == '.';
        if (c != ',' && c != '-') continue;
        const struct ir_type *t = ir_verify_ranked(v, k);
        if (t && (any ? letters > t->rank : letters != t->rank))
            ir_verify_wrong(v, "operand %u has rank %u, its term has %u letters", k,
                            t->rank, letters);
        if (c == '-') break;
        k++, letters = 0, any = false;
    }
    if (v->x->nin != k + 1)
        ir_verify_wrong(v, "has %u operands, its equation %u terms", v->x->nin, k + 1);
}

/* One item for each dimension of the image, two of pads. */
static void verify_col2im(struct verify *v) {
    static const char *const lists[] = {"pads", "strides", "dilations"};
    int64_t dims;
    if (!length_of(v, 1, &dims) || dims > UINT16_MAX) return;
    for (size_t i = 0; i < countof(lists); i++) {
        const struct ir_attr *a = ir_find_attr(v->g, v->n, lists[i]);
        int64_t wanted = i == 0 ? 2 * dims : dims;
        if (a && a->type == IR_ATTR_INTS && !a->ref && a->n != wanted)
            ir_verify_wrong(v, "attribute \"%s\" has %u items, wanted %" PRId64, lists[i],
                            a->n, wanted);
    }
}

/* The update covers a part of one axis of the cache. */
static void verify_tensor_scatter(struct verify *v) {
    const struct ir_type *cache = ir_verify_ranked(v, 0), *update = ir_verify_ranked(v, 1);
    if (cache && update && cache->rank != update->rank)
        ir_verify_wrong(v, "operand 1 (\"update\") has rank %u, wanted %u", update->rank,
                        cache->rank);
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

/* Items of the list or the 1-D tensor that an attribute holds; -1: it is something else. */
static int64_t items_of(const struct ir_attr *a) {
    switch (a->type) {
    case IR_ATTR_INTS:
    case IR_ATTR_FLOATS:
    case IR_ATTR_STRINGS: return a->n;
    case IR_ATTR_TENSOR: return a->n && a->tensors[0] ? (int64_t)a->tensors[0]->count : -1;
    default: return -1;
    }
}

static bool is_empty(const struct ir_attr *a) { return !a->ref && items_of(a) == 0; }

/* The attribute whose name begins so: it is to be one, besides empty lists. */
static const struct ir_attr *one_of(struct verify *v, const char *prefix) {
    const struct ir_attr *found = NULL;
    for (uint32_t k = 0; k < v->x->nattr; k++) {
        const struct ir_attr *a = &v->x->attr[k];
        if (strncmp(a->name, prefix, strlen(prefix)) != 0) continue;
        if (!found || is_empty(found)) found = a;
        else if (!is_empty(a)) {
            ir_verify_wrong(v, "has both \"%s\" and \"%s\", wanted one of them",
                            found->name, a->name);
            return NULL;
        }
    }
    if (!found) ir_verify_wrong(v, "has no attribute \"%s...\"", prefix);
    return found;
}

/* What is looked up, and what is found. */
static void verify_label_encoder(struct verify *v) {
    if (v->x->schema->since < 2) return;
    const struct ir_attr *keys = one_of(v, "keys_"), *values = one_of(v, "values_");
    if (!keys || !values || keys->ref || values->ref) return;
    int64_t n = items_of(keys), m = items_of(values);
    if (n >= 0 && m >= 0 && n != m)
        ir_verify_wrong(v, "attribute \"%s\" has %" PRId64 " items, wanted %" PRId64
                        " as \"%s\"", values->name, m, n, keys->name);
}

static void verify_ml(struct verify *v) {
    const char *op = v->x->schema->name;
    if (strncmp(op, "TreeEnsemble", 12) == 0) verify_trees(v);
    else if (rw_streq(op, "LabelEncoder")) verify_label_encoder(v);
    else if (rw_streq(op, "ZipMap")) one_of(v, "classlabels_");
}

/* --- all of them ---------------------------------------------------------------------- */

struct entry {
    const char *op;
    void (*verify)(struct verify *v);
};
static const struct entry entries[] = { /* sorted */
    {"Attention", verify_attention},
    {"BitCast", verify_bit_cast},
    {"Col2Im", verify_col2im},
    {"DFT", verify_dft},
    {"Einsum", verify_einsum},
    {"If", verify_if},
    {"LinearAttention", verify_linear_attention},
    {"Loop", verify_loop},
    {"OneHot", verify_one_hot},
    {"Resize", verify_resize},
    {"Split", verify_split},
    {"TensorScatter", verify_tensor_scatter},
};

void ir_verify_operator_rules(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    if (rw_streq(s->domain, "ai.onnx.ml")) verify_ml(v);
    if (*s->domain && !rw_streq(s->domain, "ai.onnx.preview")) return;
    ir_verify_ranks(v);
    ir_verify_same_dims(v);
    size_t i = ir_verify_row(entries, countof(entries), sizeof *entries, s->name);
    if (i < countof(entries) && rw_streq(entries[i].op, s->name)) entries[i].verify(v);
}
