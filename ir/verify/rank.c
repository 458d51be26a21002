/* rank.c -- ranks that operators ask of operands, where inference has no use for them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

struct ranks {
    const char *op;
    uint8_t operand, least, most;
};
static const struct ranks ranks[] = {
    {"Attention", 4, 4, 4},           {"Attention", 5, 4, 4},
    {"CausalConvWithState", 0, 3, 3}, {"CausalConvWithState", 1, 3, 3},
    {"CausalConvWithState", 2, 1, 1}, {"CausalConvWithState", 3, 3, 3},
    {"Col2Im", 0, 3, 3},              {"Col2Im", 1, 1, 1},
    {"Col2Im", 2, 1, 1},              {"ConstantOfShape", 0, 1, 1},
    {"Dropout", 1, 0, 0},             {"Dropout", 2, 0, 0},
    {"FlexAttention", 0, 4, 4},       {"FlexAttention", 1, 4, 4},
    {"FlexAttention", 2, 4, 4},       {"ImageDecoder", 0, 1, 1},
    {"LinearAttention", 0, 3, 3},     {"LinearAttention", 1, 3, 3},
    {"LinearAttention", 2, 3, 3},     {"LinearAttention", 3, 4, 4},
    {"LinearAttention", 4, 3, 3},     {"LinearAttention", 5, 3, 3},
    {"MaxUnpool", 2, 1, 1},           {"NegativeLogLikelihoodLoss", 2, 1, 1},
    {"OneHot", 2, 1, 1},              {"SoftmaxCrossEntropyLoss", 2, 1, 1},
    {"Resize", 1, 1, 1},
    {"Resize", 2, 1, 1},              {"Resize", 3, 1, 1},
    {"ReverseSequence", 0, 2, 255},   {"ReverseSequence", 1, 1, 1},
    {"RotaryEmbedding", 0, 3, 4},     {"RotaryEmbedding", 1, 2, 3},
    {"RotaryEmbedding", 2, 2, 3},
};

const struct ir_type *ir_verify_ranked(const struct verify *v, uint32_t k) {
    ir_value value = ir_input(v->g, v->n, k);
    const struct ir_type *t = value == IR_NONE ? NULL : ir_val(v->g, value)->type;
    return t && t->kind == IR_TENSOR && t->ranked ? t : NULL;
}

void ir_verify_ranks(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    for (size_t i = 0; i < countof(ranks); i++) {
        const struct ranks *r = &ranks[i];
        if (!rw_streq(r->op, s->name)) continue;
        const struct ir_type *t = ir_verify_ranked(v, r->operand);
        if (!t || (t->rank >= r->least && t->rank <= r->most)) continue;
        bool open = r->most == 255, one = r->least == r->most;
        ir_verify_wrong(v, "operand %u (\"%s\") has rank %u, wanted %u%s", r->operand,
                        s->inputs[r->operand].name, t->rank, r->least,
                        open ? " or more" : one ? "" : r->most == 4 ? " or 4" : " or 3");
    }
}
