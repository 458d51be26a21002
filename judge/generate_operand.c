/* generate_operand.c -- shapes and values that an operator can take.
 *
 * A table by operator; what is not in it broadcasts, or takes anything. A wrong guess costs
 * an instance, no more.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/generate.h"

typedef bool propose_fn(struct gen *x, struct gen_node *n, uint32_t k,
                        struct gen_operand *o);

static bool shape_of(const struct gen *x, const struct gen_node *n, uint32_t k,
                     struct gen_shape *out) {
    return k < GEN_OPERANDS && n->known[k] && judge_gen_shape_of(x, n->in[k], out);
}

static ir_dim number(struct gen *x, int64_t i) { return ir_dim_const(x->m->dims, i); }

/* A number that is no symbol: of a weight. */
static ir_dim small(struct gen *x) {
    static const uint8_t some[] = {2, 3, 4, 1, 6, 8};
    return number(x, some[gen_draw(x, countof(some))]);
}

static void push(struct gen_shape *s, ir_dim d) {
    if (s->rank < GEN_RANK) s->dims[s->rank++] = d;
}

static struct gen_shape from_axis(const struct gen_shape *s, uint32_t from) {
    struct gen_shape out = {0};
    for (uint32_t i = from; i < s->rank; i++) push(&out, s->dims[i]);
    return out;
}

/* --- broadcasting ----------------------------------------------------------------- */
/* What broadcasts with s: the same, the end of it, ones in it, one element, more. */
static struct gen_shape beside(struct gen *x, const struct gen_shape *s) {
    uint32_t way = gen_draw(x, 12);
    struct gen_shape out = *s;
    if (way < 4) return out;
    if (way > 4 && way < 8) out = from_axis(s, s->rank ? gen_draw(x, s->rank) : 0);
    if (way == 8) out.rank = 0;
    if (way == 9) out = (struct gen_shape){1, {number(x, 1)}};
    if (way == 10)
        for (uint32_t i = 0; i < out.rank; i++)
            if (gen_chance(x, 50)) out.dims[i] = number(x, 1);
    if (way == 11) {
        out = (struct gen_shape){1, {small(x)}};
        for (uint32_t i = 0; i < s->rank; i++) push(&out, s->dims[i]);
    }
    int64_t one; /* a symbol, too, may stand for it */
    for (uint32_t i = 0; i < out.rank; i++)
        if (judge_gen_size(x, out.dims[i], &one) && one == 1 && gen_chance(x, 25))
            out.dims[i] = gen_chance(x, 50) ? judge_gen_dim(x) : small(x);
    return out;
}

static bool broadcasting(struct gen *x, struct gen_node *n, uint32_t k,
                         struct gen_operand *o) {
    struct gen_shape s;
    o->shape = x->base;
    for (uint32_t i = 0; i < GEN_OPERANDS; i++)
        if (i != k && shape_of(x, n, i, &s)) {
            o->shape = beside(x, &s);
            return true;
        }
    if (x->interior.len > 0) o->shape = beside(x, &x->base);
    return true;
}

static bool anything(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape s;
    o->shape = x->base;
    if (k > 0 && shape_of(x, n, 0, &s)) o->shape = s;
    return true;
}

/* --- products --------------------------------------------------------------------- */
static bool matmul(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape other;
    bool known = shape_of(x, n, 1 - (k & 1), &other);
    o->shape = x->base;
    if (o->shape.rank == 0) push(&o->shape, small(x));
    if (!known || other.rank == 0) return true;
    ir_dim inner = k == 1 || other.rank == 1 ? other.dims[other.rank - 1]
                                             : other.dims[other.rank - 2];
    if (k == 0) {
        o->shape.dims[o->shape.rank - 1] = inner;
        return true;
    }
    uint32_t way = gen_draw(x, 8);
    struct gen_shape s = {0};
    if (way > 4 && way < 7)
        for (uint32_t i = 0; i + 2 < other.rank; i++) push(&s, other.dims[i]);
    push(&s, inner);
    if (way < 7) push(&s, small(x));
    o->shape = s;
    return true;
}

static bool gemm(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape a, b;
    bool has_a = shape_of(x, n, 0, &a) && a.rank == 2;
    bool has_b = shape_of(x, n, 1, &b) && b.rank == 2;
    uint32_t ta = judge_gen_int(n, "transA", 0) != 0;
    uint32_t tb = judge_gen_int(n, "transB", 0) != 0;
    struct gen_shape s = {2, {judge_gen_dim(x), small(x)}};
    if (k == 0 && has_b) s.dims[ta ? 0 : 1] = b.dims[tb ? 1 : 0];
    if (k == 1 && has_a) s.dims[tb ? 1 : 0] = a.dims[ta ? 0 : 1];
    if (k == 2) {
        GEN(has_a && has_b);
        struct gen_shape y = {2, {a.dims[ta ? 1 : 0], b.dims[tb ? 0 : 1]}};
        s = y;
        uint32_t way = gen_draw(x, 6);
        if (way < 2) s = from_axis(&y, 1);
        if (way == 2) s.dims[0] = number(x, 1);
        if (way == 3) s.dims[1] = number(x, 1);
        if (way == 4) s.rank = 0;
    }
    o->shape = s;
    return true;
}

/* --- images ----------------------------------------------------------------------- */
static bool image(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    RW_UNUSED(n);
    RW_UNUSED(k);
    static const uint8_t channels[] = {2, 4, 3, 1, 6};
    uint32_t spatial = 1 + (gen_draw(x, 4) + 1) % 4 % 3;
    struct gen_shape s = {0};
    push(&s, x->base.rank ? x->base.dims[0] : number(x, 1));
    push(&s, number(x, channels[gen_draw(x, countof(channels))]));
    for (uint32_t i = 0; i < spatial; i++) push(&s, number(x, 4 + gen_draw(x, 3)));
    o->shape = s;
    return true;
}

static bool conv(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in, w;
    int64_t c, group = judge_gen_int(n, "group", 1);
    bool transposed = rw_streq(n->op, "ConvTranspose");
    if (k == 0) return image(x, n, k, o);
    GEN(shape_of(x, n, 0, &in) && in.rank >= 3 && judge_gen_size(x, in.dims[1], &c));
    GEN(group > 0 && c % group == 0);
    if (k == 2) {
        int64_t m;
        GEN(shape_of(x, n, 1, &w) && judge_gen_size(x, w.dims[transposed], &m));
        o->shape = (struct gen_shape){1, {number(x, transposed ? m * group : m)}};
        return true;
    }
    int64_t m = 1 + gen_draw(x, 3);
    struct gen_shape s = {2, {number(x, transposed ? c : m * group),
                              number(x, transposed ? m : c / group)}};
    const struct ir_attr *kernel = judge_gen_attr(n, "kernel_shape");
    for (uint32_t i = 0; i + 2 < in.rank; i++) {
        bool given = kernel && i < kernel->n;
        push(&s, number(x, given ? kernel->ints[i] : 1 + (int64_t)gen_draw(x, 3)));
    }
    o->shape = s;
    return true;
}

static bool grid(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    GEN(image(x, n, 0, o));
    while (o->shape.rank < 4) push(&o->shape, number(x, 5));
    if (k == 0 || !shape_of(x, n, 0, &in)) return true;
    o->shape = (struct gen_shape){4, {in.dims[0], small(x), small(x), number(x, 2)}};
    return true;
}

/* --- what goes along one axis, or from one on ------------------------------------- */
static bool channels(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return gen_draw(x, 3) < 2 ? image(x, n, k, o) : anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in) && in.rank >= 2);
    o->shape = (struct gen_shape){1, {in.dims[1]}};
    return true;
}

static bool normalized(struct gen *x, struct gen_node *n, uint32_t k,
                       struct gen_operand *o) {
    struct gen_shape in;
    int64_t axis = judge_gen_int(n, "axis", -1);
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in) && in.rank > 0);
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank);
    o->shape = from_axis(&in, (uint32_t)axis);
    return true;
}

/* Operand 1 of Skip* is like operand 0; the others, and the bias of a Gelu, are rows. */
static bool rows(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0 || (k == 1 && strstr(n->op, "Skip"))) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in) && in.rank > 0);
    o->shape = from_axis(&in, in.rank - 1);
    return true;
}

static bool concat(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    o->shape = x->base;
    if (k == 0 || !shape_of(x, n, 0, &in)) return true;
    int64_t axis = judge_gen_int(n, "axis", 0);
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank);
    o->shape = in;
    if (gen_chance(x, 50)) o->shape.dims[axis] = small(x);
    return true;
}

static bool quantised(struct gen *x, struct gen_node *n, uint32_t k,
                      struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    o->shape = (struct gen_shape){0};
    if (k == 2 && shape_of(x, n, 1, &o->shape)) return true;
    int64_t axis = judge_gen_int(n, "axis", 1);
    if (gen_draw(x, 3) < 2 || !shape_of(x, n, 0, &in)) return true;
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank);
    push(&o->shape, in.dims[axis]);
    return true;
}

static bool scalars(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    if (k == 0) return anything(x, n, k, o);
    o->shape = (struct gen_shape){0};
    return true;
}

/* --- operands that are integers with a meaning ------------------------------------ */
static bool gather(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    int64_t axis = judge_gen_int(n, "axis", 0);
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in));
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank && judge_gen_size(x, in.dims[axis], &o->below));
    if (gen_chance(x, 30)) o->low = -o->below;
    GEN(o->below > 0);
    bool same = rw_streq(n->op, "GatherElements");
    o->shape = same ? in : (struct gen_shape){gen_draw(x, 3), {small(x), small(x)}};
    return true;
}

static void set_items(struct gen *x, struct gen_operand *o) {
    o->has_items = true;
    o->dtype = IR_INT64;
    o->shape = (struct gen_shape){1, {number(x, o->nitems)}};
}

/* The same dimensions, some of them joined, a 0 or a -1 for one of them. */
static bool reshape(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in));
    bool copies = judge_gen_int(n, "allowzero", 0) == 0;
    uint32_t joined = in.rank > 1 && gen_chance(x, 50) ? 1 + gen_draw(x, in.rank - 1) : 0;
    for (uint32_t i = 0; i < in.rank; i++) {
        int64_t size;
        GEN(judge_gen_size(x, in.dims[i], &size));
        if (joined && i == joined) o->items[o->nitems - 1] *= size;
        else o->items[o->nitems++] = size;
    }
    if (!joined && in.rank < GEN_RANK && gen_chance(x, 30)) o->items[o->nitems++] = 1;
    for (uint32_t i = 0; copies && i < o->nitems && !(joined && i + 1 >= joined); i++)
        if (gen_chance(x, 40)) o->items[i] = 0;
    if (o->nitems > 0 && gen_chance(x, 50)) o->items[gen_draw(x, o->nitems)] = -1;
    set_items(x, o);
    return true;
}

static bool expand(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in) && in.rank < GEN_RANK);
    if (gen_draw(x, 5) == 4) o->items[o->nitems++] = 1 + gen_draw(x, 2);
    for (uint32_t i = 0; i < in.rank; i++) {
        int64_t size;
        GEN(judge_gen_size(x, in.dims[i], &size));
        bool wide = size == 1 && gen_chance(x, 40);
        o->items[o->nitems++] = wide ? 3 : gen_chance(x, 50) ? 1 : size;
    }
    set_items(x, o);
    return true;
}

static bool tile(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in));
    for (uint32_t i = 0; i < in.rank; i++) o->items[o->nitems++] = 1 + gen_draw(x, 4) / 3;
    set_items(x, o);
    return true;
}

/* --- the table -------------------------------------------------------------------- */
static const struct {
    const char *op;
    propose_fn *propose;
} table[] = {
    {"MatMul", matmul}, {"MatMulInteger", matmul}, {"FusedMatMul", matmul}, {"Gemm", gemm},
    {"Conv", conv}, {"ConvTranspose", conv}, {"FusedConv", conv},
    {"MaxPool", image}, {"AveragePool", image}, {"LpPool", image},
    {"GridSample", grid}, {"GlobalAveragePool", image}, {"GlobalMaxPool", image},
    {"BatchNormalization", channels}, {"InstanceNormalization", channels},
    {"GroupNormalization", channels},
    {"LayerNormalization", normalized}, {"RMSNormalization", normalized},
    {"SimplifiedLayerNormalization", normalized},
    {"SkipLayerNormalization", rows}, {"SkipSimplifiedLayerNormalization", rows},
    {"BiasGelu", rows}, {"FastGelu", rows},
    {"Concat", concat}, {"QuantizeLinear", quantised}, {"DequantizeLinear", quantised},
    {"Clip", scalars}, {"Dropout", scalars}, {"CumSum", scalars},
    {"Gather", gather}, {"GatherElements", gather},
    {"Reshape", reshape}, {"Expand", expand}, {"Tile", tile},
};

/* What counts along an axis has one. */
static void give_an_axis(struct gen *x, const struct gen_node *n, struct gen_operand *o) {
    if (o->shape.rank == 0 && ir_schema_attr(n->schema, "axis")) push(&o->shape, small(x));
}

bool judge_gen_operand(struct gen *x, struct gen_node *n, uint32_t k,
                       struct gen_operand *o) {
    for (size_t i = 0; i < countof(table); i++)
        if (rw_streq(table[i].op, n->op)) return table[i].propose(x, n, k, o);
    if (ir_op_is_broadcasting(n->domain, n->op)) return broadcasting(x, n, k, o);
    GEN(anything(x, n, k, o));
    if (k == 0) give_an_axis(x, n, o);
    return true;
}
