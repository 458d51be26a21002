/* rank.c -- ranks and dimensions that operators ask of operands, where inference has no
 * use for them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

size_t ir_verify_row(const void *rows, size_t n, size_t size, const char *op) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *const *name = (const void *)((const char *)rows + middle * size);
        if (rw_strcmp(*name, op) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct ranks {
    const char *op;
    uint8_t operand, least, most;
};
static const struct ranks ranks[] = { /* sorted */
    {"AffineGrid", 1, 1, 1}, {"Attention", 4, 4, 4}, {"Attention", 5, 4, 4},
    {"CausalConvWithState", 0, 3, 3}, {"CausalConvWithState", 1, 3, 3},
    {"CausalConvWithState", 2, 1, 1}, {"CausalConvWithState", 3, 3, 3},
    {"Col2Im", 0, 3, 3}, {"Col2Im", 1, 1, 1}, {"Col2Im", 2, 1, 1},
    {"ConstantOfShape", 0, 1, 1}, {"Dropout", 1, 0, 0}, {"Dropout", 2, 0, 0},
    {"Expand", 1, 1, 1}, {"FlexAttention", 0, 4, 4}, {"FlexAttention", 1, 4, 4},
    {"FlexAttention", 2, 4, 4}, {"ImageDecoder", 0, 1, 1}, {"LinearAttention", 0, 3, 3},
    {"LinearAttention", 1, 3, 3}, {"LinearAttention", 2, 3, 3},
    {"LinearAttention", 3, 4, 4}, {"LinearAttention", 4, 3, 3},
    {"LinearAttention", 5, 3, 3}, {"MaxUnpool", 2, 1, 1},
    {"NegativeLogLikelihoodLoss", 2, 1, 1}, {"OneHot", 2, 1, 1}, {"Reshape", 1, 1, 1},
    {"Resize", 1, 1, 1}, {"Resize", 2, 1, 1}, {"Resize", 3, 1, 1},
    {"ReverseSequence", 0, 2, 255}, {"ReverseSequence", 1, 1, 1}, {"RoiAlign", 2, 1, 1},
    {"RotaryEmbedding", 0, 3, 4}, {"RotaryEmbedding", 1, 2, 3},
    {"RotaryEmbedding", 2, 2, 3}, {"SoftmaxCrossEntropyLoss", 2, 1, 1},
    {"TensorScatter", 2, 1, 1},
};

const struct ir_type *ir_verify_ranked(const struct verify *v, uint32_t k) {
    ir_value value = ir_input(v->g, v->n, k);
    const struct ir_type *t = value == IR_NONE ? NULL : ir_val(v->g, value)->type;
    return t && t->kind == IR_TENSOR && t->ranked ? t : NULL;
}

/* Dimension i of operand a is dimension j of operand b; negative ones from the end. */
struct same {
    const char *op;
    uint8_t a;
    int8_t i;
    uint8_t b;
    int8_t j;
};
static const struct same sames[] = { /* sorted */
    {"Det", 0, -2, 0, -1},
    {"LinearAttention", 1, 0, 0, 0},
    {"LinearAttention", 1, 1, 0, 1},
    {"LinearAttention", 2, 0, 0, 0},
    {"LinearAttention", 2, 1, 0, 1},
    {"LinearAttention", 3, 0, 0, 0},
    {"NegativeLogLikelihoodLoss", 1, 0, 0, 0},
    {"NegativeLogLikelihoodLoss", 1, 1, 0, 2},
    {"NegativeLogLikelihoodLoss", 1, 2, 0, 3},
    {"NegativeLogLikelihoodLoss", 2, 0, 0, 1},
    {"SoftmaxCrossEntropyLoss", 1, 0, 0, 0},
    {"SoftmaxCrossEntropyLoss", 1, 1, 0, 2},
    {"SoftmaxCrossEntropyLoss", 1, 2, 0, 3},
    {"SoftmaxCrossEntropyLoss", 2, 0, 0, 1},
};

static bool dim_of(const struct verify *v, uint32_t k, int32_t i, int64_t *dim) {
    const struct ir_type *t = ir_verify_ranked(v, k);
    int32_t at = t && i < 0 ? (int32_t)t->rank + i : i;
    return t && at >= 0 && (uint32_t)at < t->rank &&
           ir_dim_is_const(v->m->dims, t->dims[at], dim);
}

void ir_verify_same_dims(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    size_t first = ir_verify_row(sames, countof(sames), sizeof *sames, s->name);
    for (size_t i = first; i < countof(sames) && rw_streq(sames[i].op, s->name); i++) {
        const struct same *x = &sames[i];
        int64_t p, q;
        if (!dim_of(v, x->a, x->i, &p) || !dim_of(v, x->b, x->j, &q) || p == q) continue;
        ir_verify_wrong(v, "dimensions of \"%s\" and \"%s\" do not agree: %" PRId64
                        " and %" PRId64, s->inputs[x->a].name, s->inputs[x->b].name, p, q);
        return;
    }
}

void ir_verify_ranks(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    size_t first = ir_verify_row(ranks, countof(ranks), sizeof *ranks, s->name);
    for (size_t i = first; i < countof(ranks) && rw_streq(ranks[i].op, s->name); i++) {
        const struct ranks *r = &ranks[i];
        const struct ir_type *t = ir_verify_ranked(v, r->operand);
        if (!t || (t->rank >= r->least && t->rank <= r->most)) continue;
        bool open = r->most == 255, one = r->least == r->most;
        ir_verify_wrong(v, "operand %u (\"%s\") has rank %u, wanted %u%s", r->operand,
                        s->inputs[r->operand].name, t->rank, r->least,
                        open ? " or more" : one ? "" : r->most == 4 ? " or 4" : " or 3");
    }
}
