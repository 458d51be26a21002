/* operand.c -- shapes and values that an operator can take.
 *
 * A table by operator; what is not in it broadcasts, or takes anything. A wrong guess costs
 * an instance, no more.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

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

/* --- what goes along one axis, or from one on ------------------------------------- */
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

static bool concat(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    o->shape = x->base;
    if (k == 0 || !shape_of(x, n, 0, &in)) return true;
    int64_t axis = judge_gen_int(n, "axis", 0);
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank);
    o->shape = in;
    if (gen_chance(x, 50))
        o->shape.dims[axis] = gen_chance(x, 15) ? number(x, 0) : small(x);
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

/* --- operands that are integers with a meaning ------------------------------------ */
static void set_items(struct gen *x, struct gen_operand *o) {
    o->has_items = o->rather_known = true;
    o->dtype = IR_INT64;
    o->shape = (struct gen_shape){1, {number(x, o->nitems)}};
}

/* One place as a list, the one behind that of the last other Gather of the same value. */
static bool next_place(struct gen *x, const struct gen_node *n, struct gen_operand *o) {
    int64_t last = -1;
    for (ir_use u = ir_val(x->g, n->in[0])->uses; u != IR_NONE; u = x->g->uses.at[u].next) {
        ir_node user = x->g->uses.at[u].user;
        if (user == IR_NONE || !ir_is_op(x->g, user, "Gather")) continue;
        const struct ir_tensor *t = ir_const(x->g, ir_input(x->g, user, 1));
        GEN(t && t->rank == 1 && t->count == 1 && ir_tensor_int_at(x->m, t, 0, &last));
        break;
    }
    GEN(gen_chance(x, last < 0 ? 15 : 85));
    o->items[o->nitems++] = (last + 1) % o->below;
    set_items(x, o);
    return true;
}

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
    if (!same && next_place(x, n, o)) return true;
    o->shape = same ? in : (struct gen_shape){gen_draw(x, 3), {small(x), small(x)}};
    return true;
}

/* Indices and updates are alike, and no longer than the data. */
static bool scatter(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    if (shape_of(x, n, 3 - k, &in)) o->shape = in;
    else GEN(shape_of(x, n, 0, &o->shape));
    if (k == 2) return true;
    int64_t axis = judge_gen_int(n, "axis", 0);
    GEN(shape_of(x, n, 0, &in));
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank && judge_gen_size(x, in.dims[axis], &o->below));
    if (gen_chance(x, 30)) o->low = -o->below;
    return o->below > 0;
}

/* An image and its blocks: of N, C, H, W the channels or the sides are taken apart, of six
 * dimensions they are put together. */
static bool image_view(struct gen *x, const struct gen_shape *in, struct gen_operand *o) {
    int64_t d[6], b = 1 + gen_draw(x, 3);
    GEN(in->rank == 4 || in->rank == 6);
    for (uint32_t i = 0; i < in->rank; i++) GEN(judge_gen_size(x, in->dims[i], &d[i]));
    uint32_t way = gen_draw(x, in->rank == 4 ? 4 : 2);
    bool fits = way < 2 ? d[1] % (b * b) == 0 : d[2] % b == 0 && d[3] % b == 0;
    if (!fits) b = 1;
    const int64_t apart[4][6] = {{d[0], b, b, d[1] / (b * b), d[2], d[3]},
                                 {d[0], d[1] / (b * b), b, b, d[2], d[3]},
                                 {d[0], d[1], d[2] / b, b, d[3] / b, b},
                                 {d[0], d[1], d[2], 1, d[3], 1}};
    if (in->rank == 4) {
        memcpy(o->items, apart[way], sizeof apart[way]);
        o->nitems = 6;
        return true;
    }
    const int64_t joined[2][4] = {{d[0], d[1], d[2] * d[3], d[4] * d[5]},
                                  {d[0], d[1] * d[2] * d[3], d[4], d[5]}};
    memcpy(o->items, joined[way], sizeof joined[way]);
    o->nitems = 4;
    return true;
}

/* The shape that a condition asks of the result. */
static bool wished_view(struct gen *x, const struct gen_node *n, struct gen_operand *o) {
    struct gen_shape s;
    for (uint32_t i = 0; i < x->rule->nslots; i++) {
        if (x->rule->slots[i].def != n->pat || !judge_hint_shape(x, i, &s)) continue;
        for (o->nitems = 0; o->nitems < s.rank; o->nitems++)
            GEN(judge_gen_size(x, s.dims[o->nitems], &o->items[o->nitems]));
        return true;
    }
    return false;
}

/* The same dimensions, some of them joined, a 0 or a -1 for one of them. */
static bool reshape(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in));
    if (wished_view(x, n, o)) {
        set_items(x, o);
        return true;
    }
    o->nitems = 0;
    if (in.rank == 6 || (in.rank == 4 && gen_chance(x, 25))) {
        bool is_image = image_view(x, &in, o);
        set_items(x, o);
        return is_image;
    }
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

static bool lengths(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    RW_UNUSED(n);
    RW_UNUSED(k);
    uint32_t count = gen_draw(x, 4);
    for (uint32_t i = 0; i < count; i++) o->items[o->nitems++] = 1 + gen_draw(x, 4);
    set_items(x, o);
    return true;
}

/* How many axes the lists of a Slice or a Pad speak of: as many as those that are there. */
static uint32_t axes_of(struct gen *x, const struct gen_node *n, uint32_t first,
                        uint32_t rank) {
    struct gen_shape s;
    int64_t count;
    for (uint32_t i = first; i < 5; i++)
        if (n->in[i] != IR_NONE && shape_of(x, n, i, &s) && s.rank == 1 &&
            judge_gen_size(x, s.dims[0], &count))
            return rw_min_u32((uint32_t)count, rank);
    return rank ? 1 + gen_draw(x, rank) : 0;
}

static int64_t a_bound(struct gen *x, uint32_t k, uint32_t i, uint32_t rank) {
    static const int64_t starts[] = {0, 0, 1, -1, -2, 2}, steps[] = {1, 1, 1, 2, -1};
    static const int64_t ends[] = {INT64_MAX, INT64_MAX, 1, 2, 3, -1, 100, -100};
    switch (k) {
    case 1: return starts[gen_draw(x, countof(starts))];
    case 2: return ends[gen_draw(x, countof(ends))];
    case 3: return gen_chance(x, 50) ? i : (int64_t)i - rank;
    default: return steps[gen_draw(x, countof(steps))];
    }
}

/* Two halves, or one size for all parts. */
static bool pieces(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    int64_t size, axis = judge_gen_int(n, "axis", 0);
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in));
    if (axis < 0) axis += in.rank;
    GEN(axis >= 0 && axis < in.rank && judge_gen_size(x, in.dims[axis], &size) && size > 1);
    o->items[o->nitems++] = size / 2;
    bool one = gen_chance(x, 50);
    if (!one) o->items[o->nitems++] = size - size / 2;
    set_items(x, o);
    if (one) o->shape.rank = 0;
    return true;
}

/* Starts, ends, axes, steps. */
static bool bounds(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    GEN(shape_of(x, n, 0, &in));
    o->nitems = axes_of(x, n, 1, in.rank);
    uint32_t first = k == 3 && in.rank ? gen_draw(x, in.rank) : 0;
    for (uint32_t i = 0; i < o->nitems; i++)
        o->items[i] = a_bound(x, k, (first + i) % rw_max_u32(in.rank, 1), in.rank);
    set_items(x, o);
    return true;
}

/* Pads for all axes or for some, then a value, then those axes: the last ones. */
static bool pads(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    static const int64_t some[] = {0, 1, 0, 2, 0, 1, 0, -1};
    struct gen_shape in;
    if (k == 0) return anything(x, n, k, o);
    o->shape = (struct gen_shape){0};
    if (k == 2) return true;
    GEN(shape_of(x, n, 0, &in) && in.rank <= GEN_RANK / 2);
    uint32_t axes = in.rank, none = gen_draw(x, 5) == 4;
    if (k == 3) {
        struct gen_shape s;
        int64_t count;
        GEN(shape_of(x, n, 1, &s) && s.rank == 1 && judge_gen_size(x, s.dims[0], &count));
        axes = rw_min_u32((uint32_t)count / 2, in.rank);
        for (uint32_t i = 0; i < axes; i++)
            o->items[o->nitems++] = (int64_t)i - axes + (gen_draw(x, 2) ? in.rank : 0);
    } else {
        if (n->known[3] && n->in[3] != IR_NONE) axes = axes_of(x, n, 3, in.rank);
        else if (!n->known[3] && in.rank > 1 && n->pat->nargs > 3)
            axes = 1 + gen_draw(x, in.rank);
        for (uint32_t i = 0; i < 2 * axes; i++)
            o->items[o->nitems++] = none ? 0 : some[gen_draw(x, countof(some))];
        for (uint32_t i = 0; i < 2 * axes && in.rank > 2; i++) /* not batch and channel */
            if (axes == in.rank && i % axes < 2 && gen_chance(x, 80)) o->items[i] = 0;
    }
    set_items(x, o);
    return true;
}

/* --- Einsum ----------------------------------------------------------------------- */
/* The equation's letters are what its operands share. */
static bool einsum(struct gen *x, struct gen_node *n, uint32_t k, struct gen_operand *o) {
    const struct ir_attr *e = judge_gen_attr(n, "equation");
    struct gen_shape known[2] = {{0}, {0}};
    const char *terms[2], *p = e && e->s.at ? e->s.at : "i,i";
    if (!e) return anything(x, n, k, o);
    bool has = shape_of(x, n, 1 - (k & 1), &known[1 - (k & 1)]);
    terms[0] = p;
    terms[1] = p + strcspn(p, ",") + (strchr(p, ',') != NULL);
    o->shape = (struct gen_shape){0};
    for (const char *c = terms[k & 1]; *c && *c != ',' && *c != '-'; c++) {
        const char *other = terms[1 - (k & 1)];
        size_t len = strcspn(other, ",-"), at = 0;
        if (*c < 'a' || *c > 'z') continue;
        while (at < len && other[at] != *c) at++;
        bool shared = has && at < len && at < known[1 - (k & 1)].rank;
        push(&o->shape, shared ? known[1 - (k & 1)].dims[at] : judge_gen_dim(x));
    }
    return true;
}

/* --- the table -------------------------------------------------------------------- */
static const struct {
    const char *op;
    propose_fn *propose;
} table[] = {
    {"MatMul", matmul}, {"FusedMatMul", matmul}, {"Gemm", gemm}, {"FusedGemm", gemm},
    {"Einsum", einsum},
    {"LayerNormalization", normalized}, {"RMSNormalization", normalized},
    {"SimplifiedLayerNormalization", normalized},
    {"Concat", concat}, {"QuantizeLinear", quantised}, {"DequantizeLinear", quantised},
    {"Gather", gather}, {"GatherElements", gather}, {"ScatterElements", scatter},
    {"Reshape", reshape}, {"Expand", expand}, {"Tile", tile}, {"ConstantOfShape", lengths},
    {"SplitToSequence", pieces}, {"Slice", bounds}, {"Pad", pads},
};

/* What counts along an axis has one. */
static void give_an_axis(struct gen *x, const struct gen_node *n, struct gen_operand *o) {
    if (o->shape.rank == 0 && ir_schema_attr(n->schema, "axis")) push(&o->shape, small(x));
}

bool judge_gen_proposed(struct gen *x, struct gen_node *n, uint32_t k,
                        struct gen_operand *o) {
    for (size_t i = 0; i < countof(table); i++)
        if (rw_streq(table[i].op, n->op)) return table[i].propose(x, n, k, o);
    return judge_gen_related(x, n, k, o);
}

/* A parameter that the pattern writes as an operand. */
static bool parameter(struct gen *x, struct gen_node *n, uint32_t k,
                      struct gen_operand *o) {
    const char *name = ir_param_of_operand(n->domain, n->op, k, x->opset);
    const struct ir_param_def *d = name ? ir_param_def(n->domain, n->op, name) : NULL;
    struct ir_attr v;
    GEN(d && d->type == IR_ATTR_INTS && judge_gen_sensible(x, n, d, &v));
    GEN(v.n <= GEN_RANK);
    for (uint32_t i = 0; i < v.n; i++) o->items[o->nitems++] = v.ints[i];
    set_items(x, o);
    return true;
}

static bool has_own_entry(const struct gen_node *n) {
    for (size_t i = 0; i < countof(table); i++)
        if (rw_streq(table[i].op, n->op)) return true;
    return false;
}

bool judge_gen_operand(struct gen *x, struct gen_node *n, uint32_t k,
                       struct gen_operand *o) {
    if (judge_gen_proposed(x, n, k, o)) return true;
    GEN(!has_own_entry(n));
    *o = (struct gen_operand){.dtype = o->dtype};
    if (parameter(x, n, k, o)) return true;
    if (ir_op_is_broadcasting(n->domain, n->op)) return broadcasting(x, n, k, o);
    GEN(anything(x, n, k, o));
    if (k == 0) give_an_axis(x, n, o);
    return true;
}
