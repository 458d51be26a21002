/* sensible.c -- a value for a parameter that nobody asks anything of: one that its
 * operator can do with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

int64_t judge_gen_rank_of(const struct gen *x, const struct gen_node *n) {
    struct gen_shape s;
    return n->known[0] && judge_gen_shape_of(x, n->in[0], &s) ? (int64_t)s.rank : -1;
}

struct ir_attr judge_gen_ints_attr(struct gen *x, const char *name, uint32_t n,
                                   const int64_t *at) {
    return ir_attr_ints(name, n, arena_copy(x->a, at, n * sizeof *at));
}

int64_t judge_gen_axis(struct gen *x, int64_t rank) {
    if (rank <= 0 || gen_draw(x, 3) == 0) return -1;
    return (int64_t)gen_draw(x, (uint32_t)(2 * rank)) - rank;
}

/* Of the last other Slice of the same value: its first item. */
static bool other_slice(struct gen *x, const struct gen_node *n, const char *name,
                        int64_t *out) {
    GEN(n->known[0] && n->in[0] != IR_NONE);
    for (ir_use u = ir_val(x->g, n->in[0])->uses; u != IR_NONE; u = x->g->uses.at[u].next) {
        ir_node user = x->g->uses.at[u].user;
        if (user == IR_NONE || !ir_is_op(x->g, user, "Slice")) continue;
        struct ir_param p = ir_param(x->g, user, name, x->a);
        GEN(p.attr.type == IR_ATTR_INTS && p.attr.n > 0);
        *out = p.attr.ints[0];
        return true;
    }
    return false;
}

/* Where piece p begins: all alike; small, and a large one behind or in front of them. */
static int64_t edge_of(const struct gen_cut *cut, uint32_t p, int64_t size) {
    if (p == 0 || p == cut->n) return p == 0 ? 0 : size;
    return cut->way == 0 ? p * size / cut->n : cut->way == 1 ? p : size - (cut->n - p);
}

/* The same of a Slice that is one of those that cut a whole. */
static bool cut_bound(struct gen *x, const struct gen_node *n, const char *name,
                      int64_t *out) {
    struct gen_cut *cut = &x->cut;
    struct gen_shape s;
    int64_t size;
    GEN(cut->n > 0 && n->known[0] && judge_gen_shape_of(x, n->in[0], &s) && s.rank > 0);
    if (!cut->has_axis) cut->axis = judge_gen_axis(x, s.rank), cut->has_axis = true;
    int64_t axis = cut->axis < 0 ? cut->axis + s.rank : cut->axis;
    GEN(axis >= 0 && axis < s.rank && judge_gen_size(x, s.dims[axis], &size));
    GEN(size >= cut->n);
    bool ends = rw_streq(name, "ends"), last = cut->piece + 1 == cut->n;
    *out = rw_streq(name, "axes") ? cut->axis : 1;
    if (!ends && !rw_streq(name, "starts")) return true;
    *out = edge_of(cut, cut->piece + ends, size);
    if (ends && last && gen_chance(x, 50)) *out = INT64_MAX;
    else if (*out > 0 && *out < size && gen_chance(x, 25)) *out -= size;
    return true;
}

int64_t judge_gen_bound(struct gen *x, const struct gen_node *n, const char *name) {
    static const int64_t starts[] = {0, 0, 1, -1, -2, 2}, steps[] = {1, 1, 1, 2, -1};
    static const int64_t ends[] = {INT64_MAX, 1, 2, INT64_MAX, 3, -1, 100, -100};
    int64_t other;
    if (cut_bound(x, n, name, &other)) return other;
    if (rw_streq(name, "axes"))
        return gen_chance(x, 70) && other_slice(x, n, name, &other)
                   ? other : judge_gen_axis(x, judge_gen_rank_of(x, n));
    if (rw_streq(name, "steps")) return steps[gen_draw(x, countof(steps))];
    if (rw_streq(name, "ends")) return ends[gen_draw(x, countof(ends))];
    bool follows = gen_chance(x, 60) && other_slice(x, n, "ends", &other) &&
                   other != INT64_MAX;
    return follows ? other : starts[gen_draw(x, countof(starts))];
}

/* The last ones, from either end; some; all. */
static struct ir_attr some_axes(struct gen *x, const struct gen_node *n, const char *name) {
    int64_t at[GEN_RANK], rank = judge_gen_rank_of(x, n);
    uint32_t count = 1 + gen_draw(x, 4) / 2, way = gen_draw(x, 4), k = 0;
    if (rw_streq(n->op, "Unsqueeze") && rank >= 0) rank += count;
    if (rank < 0) rank = count;
    if (rank > GEN_RANK) rank = GEN_RANK;
    if (count > rank) count = (uint32_t)rank;
    if (way == 3) {
        for (int64_t i = 0; i < rank; i++)
            if (gen_chance(x, 40)) at[k++] = i;
        if (k > 1 && gen_chance(x, 20)) { /* in no order */
            int64_t first = at[0];
            at[0] = at[1];
            at[1] = first;
        }
        return judge_gen_ints_attr(x, name, k, at);
    }
    if (way == 2 && rank > 0) {
        at[0] = gen_draw(x, (uint32_t)rank);
        return judge_gen_ints_attr(x, name, 1, at);
    }
    for (; k < count; k++) at[k] = (way == 1 ? rank : 0) - count + k;
    return judge_gen_ints_attr(x, name, k, at);
}

static struct ir_attr a_perm(struct gen *x, const struct gen_node *n, const char *name) {
    int64_t at[GEN_RANK], rank = judge_gen_rank_of(x, n);
    if (rank < 0) rank = 2;
    for (int64_t i = 0; i < rank; i++) at[i] = i;
    uint32_t way = gen_draw(x, 8);
    for (int64_t i = rank - 1; i > 0 && way > 1; i--) {
        int64_t k = way == 2 && i + 1 == rank ? i - 1 : gen_draw(x, (uint32_t)i + 1);
        int64_t at_i = at[i];
        at[i] = at[k];
        at[k] = at_i;
        if (way == 2) break; /* the last two exchanged */
    }
    return judge_gen_ints_attr(x, name, (uint32_t)rank, at);
}

/* Where there is a weight it says so. */
static bool kernel_of(struct gen *x, const struct gen_node *n, int64_t *at) {
    struct gen_shape in, w;
    GEN(n->known[0] && judge_gen_shape_of(x, n->in[0], &in) && n->schema->ninputs > 1);
    GEN(n->known[1] && judge_gen_shape_of(x, n->in[1], &w) && w.rank == in.rank);
    for (uint32_t i = 2; i < w.rank; i++) GEN(judge_gen_size(x, w.dims[i], &at[i - 2]));
    return true;
}

struct ir_attr judge_gen_window(struct gen *x, const struct gen_node *n,
                                const char *name) {
    int64_t at[2 * GEN_RANK], rank = judge_gen_rank_of(x, n);
    uint32_t spatial = rank > 2 ? (uint32_t)rank - 2 : 0, least = 1, more = 2;
    if (rw_streq(name, "kernel_shape") && kernel_of(x, n, at))
        return judge_gen_ints_attr(x, name, spatial, at);
    if (rw_streq(name, "pads")) spatial *= 2, least = 0;
    if (rw_streq(name, "output_padding")) least = 0;
    if (rw_streq(name, "kernel_shape")) more = 3;
    for (uint32_t i = 0; i < spatial; i++) at[i] = least + gen_draw(x, more);
    return judge_gen_ints_attr(x, name, spatial, at);
}

/* Parts for each result, of equal size or not. */
static bool parts(struct gen *x, const struct gen_node *n, const char *name,
                  struct ir_attr *out) {
    int64_t at[GEN_OPERANDS], size, axis = judge_gen_int(n, "axis", 0);
    struct gen_shape s;
    uint32_t count = rw_max_u32(n->pat->nouts, 1);
    GEN(n->known[0] && judge_gen_shape_of(x, n->in[0], &s));
    if (axis < 0) axis += s.rank;
    GEN(axis >= 0 && axis < s.rank && count <= GEN_OPERANDS);
    GEN(judge_gen_size(x, s.dims[axis], &size) && size >= count);
    for (uint32_t i = 0; i < count; i++) at[i] = size / count;
    at[gen_draw(x, count)] += size % count;
    if (count > 1 && at[0] > 1 && gen_chance(x, 30)) at[0]--, at[1]++;
    *out = judge_gen_ints_attr(x, name, count, at);
    return true;
}

static int64_t a_group(struct gen *x, const struct gen_node *n) {
    struct gen_shape s;
    int64_t c;
    bool known = n->known[0] && judge_gen_shape_of(x, n->in[0], &s) && s.rank > 1 &&
                 judge_gen_size(x, s.dims[1], &c) && c > 0;
    uint32_t way = gen_draw(x, 3);
    if (!known || way == 0) return 1;
    return way == 1 && c % 2 == 0 ? 2 : c;
}

static int64_t a_dtype(struct gen *x, const struct gen_node *n) {
    static const enum ir_dtype some[] = {IR_FLOAT, IR_DOUBLE, IR_FLOAT16,
                                         IR_INT64, IR_INT32,  IR_BOOL,
                                         IR_UINT8, IR_INT8,   IR_STRING};
    enum ir_dtype from =
        n->known[0] && n->in[0] != IR_NONE ? ir_type_dtype(ir_val(x->g, n->in[0])->type)
                                           : IR_UNDEFINED;
    uint32_t k = gen_draw(x, countof(some) + 2);
    if (k >= countof(some)) return from == IR_UNDEFINED ? IR_FLOAT : (int64_t)from;
    /* Where rounding may differ, the step from one integer to the next says nothing. */
    if (x->rule->class != CLASS_EXACT && ir_dtype_is_float(from)) k %= 3;
    for (uint32_t i = 0; n->pat->lossless && i < countof(some); i++)
        if (ir_cast_is_lossless(from, some[(k + i) % countof(some)]))
            return some[(k + i) % countof(some)];
    return some[k];
}

/* What divides the last dimension of the first operand. */
static int64_t heads(struct gen *x, const struct gen_node *n) {
    static const uint8_t some[] = {1, 2, 3, 4};
    struct gen_shape s;
    int64_t size, by = some[gen_draw(x, countof(some))];
    bool known = n->known[0] && judge_gen_shape_of(x, n->in[0], &s) && s.rank > 0 &&
                 judge_gen_size(x, s.dims[s.rank - 1], &size);
    return known && size % by ? 1 : by;
}

static bool is_one_of(const char *name, size_t n, const char *const *names) {
    for (size_t i = 0; i < n; i++)
        if (rw_streq(names[i], name)) return true;
    return false;
}

/* Integers that nothing but one value suits in most runtimes, or that stay as they are. */
static const char *const left_alone[] = {
    "block_size", "layout", "output_dtype", "precision", "qk_matmul_output_mode",
    "rotary_embedding_dim", "batch_dims"};

static struct ir_attr an_int(struct gen *x, const struct gen_node *n, const char *name) {
    static const int8_t some[] = {0, 1, -1, 2};
    static const char *const head_counts[] = {"num_heads", "q_num_heads", "kv_num_heads"};
    int64_t related;
    if (judge_gen_related_int(x, n, name, &related)) return ir_attr_int(name, related);
    if (is_one_of(name, countof(head_counts), head_counts))
        return ir_attr_int(name, heads(x, n));
    if (is_one_of(name, countof(left_alone), left_alone))
        return ir_attr_int(name, judge_gen_int(n, name, 0));
    if (rw_streq(name, "training_mode")) return ir_attr_int(name, gen_draw(x, 12) / 11);
    if (rw_streq(name, "hidden_size")) return ir_attr_int(name, 2 + gen_draw(x, 3));
    if (rw_streq(name, "blocksize")) return ir_attr_int(name, 2 + gen_draw(x, 4) / 3);
    if (rw_streq(name, "num_groups")) return ir_attr_int(name, a_group(x, n));
    if (rw_streq(name, "axis")) return ir_attr_int(name, judge_gen_axis(x, judge_gen_rank_of(x, n)));
    if (rw_streq(name, "to")) return ir_attr_int(name, a_dtype(x, n));
    if (rw_streq(name, "group")) return ir_attr_int(name, a_group(x, n));
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, name);
    if (s && s->has_default == IR_HAS_DEFAULT && s->i >= 0 && s->i <= 1)
        return ir_attr_int(name, gen_draw(x, 2) ? 1 - s->i : s->i);
    return ir_attr_int(name, some[gen_draw(x, countof(some))]);
}

static struct ir_attr a_float(struct gen *x, const char *name) {
    static const float epsilons[] = {1e-5f, 1e-12f, 1e-3f, 1e-6f, 0.1f};
    static const float others[] = {1, 0.5f, 2, 0.01f, 1.702f, 0.25f, -1, 0};
    bool small = strstr(name, "eps") != NULL;
    return ir_attr_float(name, small ? epsilons[gen_draw(x, countof(epsilons))]
                                     : others[gen_draw(x, countof(others))]);
}

/* What a text may be, by the operator that it belongs to; "" for any. */
static const struct { const char *op, *attr, *values; } texts[] = {
    {"", "approximate", "none tanh"},
    {"", "auto_pad", "NOTSET VALID SAME_UPPER SAME_LOWER"},
    {"BitShift", "direction", "LEFT RIGHT"},
    {"", "direction", "forward reverse bidirectional"},
    {"Pad", "mode", "constant reflect edge"},
    {"DepthToSpace", "mode", "DCR CRD"},
    {"Resize", "mode", "nearest linear cubic"},
    {"Upsample", "mode", "nearest linear"},
    {"RoiAlign", "mode", "avg max"},
    {"", "nearest_mode", "round_prefer_floor floor ceil round_prefer_ceil"},
    {"", "coordinate_transformation_mode", "half_pixel asymmetric align_corners tf_crop_and_resize"},
    {"", "padding_mode", "zeros border reflection"},
    {"NegativeLogLikelihoodLoss", "reduction", "mean sum none"},
    {"SoftmaxCrossEntropyLoss", "reduction", "mean sum none"},
    {"", "reduction", "none add mul"}};

/* Of one operand, of two. */
static const char *const equations[] = {
    "ij->ji ij->i bij->ib bihw->bhwi bij->bi ii->i ij",
    "ij,jk->ik bhqd,bkhd->bhqk bhqd,bhkd->bhqk bhqk,bkhd->bqhd ij,kj->ki ji,kj->ki ij,jk bij,jk->bik ij,j->i "
    "i,ij->j i,i-> ij,ij->ij bij,j->bij bij,bi->bij i,j->ij ij,ij->i bqhd,bkhd->bhqk "
    "bmd,dc->bmc abcd,abde->abce abcd,ade->abce"};

static const char *word(struct gen *x, const char *words) {
    uint32_t n = 1;
    for (const char *p = words; *p; p++) n += *p == ' ';
    for (uint32_t k = gen_draw(x, n); k > 0; k--) words = strchr(words, ' ') + 1;
    return arena_strndup(x->a, words, strcspn(words, " "));
}

static struct ir_attr a_string(struct gen *x, const struct gen_node *n, const char *name) {
    if (rw_streq(name, "equation"))
        return ir_attr_string(name, word(x, equations[n->pat->nargs > 1]));
    for (size_t i = 0; i < countof(texts); i++)
        if (rw_streq(texts[i].attr, name) && (!*texts[i].op || rw_streq(texts[i].op, n->op)))
            return ir_attr_string(name, word(x, texts[i].values));
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, name);
    return ir_attr_string(name, s && s->s ? s->s : "");
}

/* The operand that the parameter is where it is one. */
static int operand_of(const struct gen_node *n, const char *name) {
    const struct ir_schema *s = ir_schema_newest(n->domain, n->op);
    for (uint32_t i = 0; s && i < s->ninputs; i++)
        if (rw_streq(s->inputs[i].name, name)) return (int)i;
    return -1;
}

/* A list that is an operand, in this version or in another one. */
static bool listed(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                   struct ir_attr *out) {
    int k = operand_of(n, d->name);
    struct gen_operand o = {.dtype = IR_INT64};
    if (k <= 0 || !judge_gen_proposed(x, n, (uint32_t)k, &o) || !o.has_items) return false;
    if (d->type == IR_ATTR_INTS) *out = judge_gen_ints_attr(x, d->name, o.nitems, o.items);
    if (d->type == IR_ATTR_FLOATS) {
        float *at = arena_new_array(x->a, float, o.nitems + 1);
        for (uint32_t i = 0; i < o.nitems; i++) at[i] = gen_float_item(&o, i);
        *out = ir_attr_floats(d->name, o.nitems, at);
    }
    if (d->type == IR_ATTR_INT && o.nitems == 1) *out = ir_attr_int(d->name, o.items[0]);
    return d->type != IR_ATTR_INT || o.nitems == 1;
}

/* One element, which suits ConstantOfShape and Constant. */
static bool a_tensor(struct gen *x, const char *name, struct ir_attr *out) {
    static const int8_t some[] = {1, 0, 3};
    static const int64_t one[1] = {1};
    struct ir_tensor *t = judge_gen_number(x->m->arena, x->dtype,
                                           some[gen_draw(x, countof(some))], 1, one);
    if (t) *out = ir_attr_tensor(x->m->arena, name, t);
    return t != NULL;
}

bool judge_gen_sensible(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                        struct ir_attr *out) {
    static const char *const windows[] = {"pads", "strides", "dilations", "kernel_shape",
                                          "output_padding"};
    if (judge_gen_param_by_example(x, n, d, out)) return true;
    if (listed(x, n, d, out)) return true;
    switch (d->type) {
    case IR_ATTR_INT: *out = an_int(x, n, d->name); return true;
    case IR_ATTR_FLOAT: *out = a_float(x, d->name); return true;
    case IR_ATTR_STRING: *out = a_string(x, n, d->name); return true;
    case IR_ATTR_TENSOR: return a_tensor(x, d->name, out);
    case IR_ATTR_INTS: break;
    default: return false;
    }
    for (size_t i = 0; i < countof(windows); i++)
        if (rw_streq(windows[i], d->name)) return *out = judge_gen_window(x, n, d->name), true;
    if (rw_streq(d->name, "split")) return parts(x, n, d->name, out);
    if (rw_streq(d->name, "axes")) return *out = some_axes(x, n, d->name), true;
    if (rw_streq(d->name, "perm")) return *out = a_perm(x, n, d->name), true;
    return false;
}
