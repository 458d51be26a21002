/* generate_attr.c -- parameters of a node: what the pattern says of them, and what makes
 * sense where it says nothing. They are written as attributes or as operands, as the
 * opset has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/generate.h"

#define MOST_INTS 64

const struct ir_attr *judge_gen_attr(const struct gen_node *n, const char *name) {
    for (uint32_t i = 0; i < n->attrs.len; i++)
        if (rw_streq(n->attrs.at[i].name, name)) return &n->attrs.at[i];
    return NULL;
}

int64_t judge_gen_int(const struct gen_node *n, const char *name, int64_t otherwise) {
    const struct ir_attr *x = judge_gen_attr(n, name);
    if (x) return x->type == IR_ATTR_INT ? x->i : otherwise;
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, name);
    bool given = s && s->type == IR_ATTR_INT && s->has_default == IR_HAS_DEFAULT;
    return given ? s->i : otherwise;
}

/* --- what makes sense ------------------------------------------------------------- */
static int64_t rank_of(const struct gen *x, const struct gen_node *n) {
    struct gen_shape s;
    return n->known[0] && judge_gen_shape_of(x, n->in[0], &s) ? (int64_t)s.rank : -1;
}

static struct ir_attr ints(struct gen *x, const char *name, uint32_t n, const int64_t *at) {
    return ir_attr_ints(name, n, arena_copy(x->a, at, n * sizeof *at));
}

static int64_t an_axis(struct gen *x, int64_t rank) {
    if (rank <= 0 || gen_draw(x, 3) == 0) return -1;
    return (int64_t)gen_draw(x, (uint32_t)(2 * rank)) - rank;
}

/* The last ones, from either end; some; all. */
static struct ir_attr some_axes(struct gen *x, const struct gen_node *n, const char *name) {
    int64_t at[GEN_RANK], rank = rank_of(x, n);
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
        return ints(x, name, k, at);
    }
    if (way == 2 && rank > 0) {
        at[0] = gen_draw(x, (uint32_t)rank);
        return ints(x, name, 1, at);
    }
    for (; k < count; k++) at[k] = (way == 1 ? rank : 0) - count + k;
    return ints(x, name, k, at);
}

static struct ir_attr a_perm(struct gen *x, const struct gen_node *n, const char *name) {
    int64_t at[GEN_RANK], rank = rank_of(x, n);
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
    return ints(x, name, (uint32_t)rank, at);
}

/* Where there is a weight it says so. */
static bool kernel_of(struct gen *x, const struct gen_node *n, int64_t *at) {
    struct gen_shape in, w;
    GEN(n->known[0] && judge_gen_shape_of(x, n->in[0], &in) && n->schema->ninputs > 1);
    GEN(n->known[1] && judge_gen_shape_of(x, n->in[1], &w) && w.rank == in.rank);
    for (uint32_t i = 2; i < w.rank; i++) GEN(judge_gen_size(x, w.dims[i], &at[i - 2]));
    return true;
}

static struct ir_attr a_window(struct gen *x, const struct gen_node *n, const char *name) {
    int64_t at[2 * GEN_RANK], rank = rank_of(x, n);
    uint32_t spatial = rank > 2 ? (uint32_t)rank - 2 : 0, least = 1, more = 2;
    if (rw_streq(name, "kernel_shape") && kernel_of(x, n, at))
        return ints(x, name, spatial, at);
    if (rw_streq(name, "pads")) spatial *= 2, least = 0;
    if (rw_streq(name, "output_padding")) least = 0;
    if (rw_streq(name, "kernel_shape")) more = 3;
    for (uint32_t i = 0; i < spatial; i++) at[i] = least + gen_draw(x, more);
    return ints(x, name, spatial, at);
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
    *out = ints(x, name, count, at);
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
    if (rw_streq(name, "axis")) return ir_attr_int(name, an_axis(x, rank_of(x, n)));
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
    {"", "reduction", "none add mul"},
    {"", "equation", "ij,jk->ik bij,bjk->bik bhqd,bhkd->bhqk ij,ij->ij i,j->ij"}};

static const char *word(struct gen *x, const char *words) {
    uint32_t n = 1;
    for (const char *p = words; *p; p++) n += *p == ' ';
    for (uint32_t k = gen_draw(x, n); k > 0; k--) words = strchr(words, ' ') + 1;
    return arena_strndup(x->a, words, strcspn(words, " "));
}

static struct ir_attr a_string(struct gen *x, const struct gen_node *n, const char *name) {
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
    if (d->type == IR_ATTR_INTS) *out = ints(x, d->name, o.nitems, o.items);
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
        if (rw_streq(windows[i], d->name)) return *out = a_window(x, n, d->name), true;
    if (rw_streq(d->name, "split")) return parts(x, n, d->name, out);
    if (rw_streq(d->name, "axes")) return *out = some_axes(x, n, d->name), true;
    if (rw_streq(d->name, "perm")) return *out = a_perm(x, n, d->name), true;
    return false;
}

/* --- what the pattern says -------------------------------------------------------- */
static bool list_items(struct gen *x, const struct gen_node *n, const struct literal *l,
                       const char *name, struct ir_attr *out) {
    int64_t at[MOST_INTS], rank = rank_of(x, n);
    GEN(l->n <= MOST_INTS);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct pat_dim *d = &l->items[i];
        at[i] = d->kind == DIM_CONST ? d->value : an_axis(x, rank);
        if (d->kind != DIM_SLOT) continue;
        struct pm_binding *b = &x->slots[d->slot];
        if (x->params[d->slot] && x->params[d->slot]->type == IR_ATTR_INT)
            at[i] = x->params[d->slot]->i;
        else if (b->kind == BOUND_DIM) GEN(ir_dim_is_const(x->m->dims, b->a, &at[i]));
        else *b = (struct pm_binding){BOUND_DIM, ir_dim_const(x->m->dims, at[i]), 0, 0};
    }
    *out = ints(x, name, l->n, at);
    return true;
}

static bool literal(struct gen *x, const struct gen_node *n, const struct literal *l,
                    const struct ir_param_def *d, struct ir_attr *out) {
    switch (l->kind) {
    case LIT_LIST: return list_items(x, n, l, d->name, out);
    case LIT_STRING: *out = ir_attr_string(d->name, l->s); return true;
    case LIT_REAL: *out = ir_attr_float(d->name, (float)l->real); return true;
    case LIT_INT:
    case LIT_BOOL: break;
    }
    if (d->type == IR_ATTR_FLOAT) *out = ir_attr_float(d->name, (float)l->i);
    else *out = ir_attr_int(d->name, l->i);
    if (l->splat && d->type == IR_ATTR_INTS) {
        *out = a_window(x, n, d->name);
        int64_t *at = arena_new_array(x->a, int64_t, out->n + 1);
        for (uint32_t i = 0; i < out->n; i++) at[i] = l->i;
        out->ints = at;
    }
    return true;
}

static bool hinted(struct gen *x, uint32_t slot, const struct ir_param_def *d,
                   struct ir_attr *out) {
    int64_t at[GEN_RANK];
    uint32_t n;
    double real;
    const char *text;
    enum ir_dtype t;
    if (d->type == IR_ATTR_STRING) {
        if (!(text = judge_hint_text(x, slot))) return false;
        *out = ir_attr_string(d->name, text);
        return true;
    }
    if (d->type == IR_ATTR_INTS) {
        if (!judge_hint_ints(x, slot, &n, at)) return false;
        *out = ints(x, d->name, n, at);
        return true;
    }
    if (rw_streq(d->name, "to") && judge_hint_type_param(x, slot, &t)) {
        *out = ir_attr_int(d->name, t);
        return true;
    }
    if (!judge_hint_real(x, slot, &real)) return false;
    if (d->type == IR_ATTR_FLOAT) *out = ir_attr_float(d->name, (float)real);
    else *out = ir_attr_int(d->name, (int64_t)real);
    return d->type == IR_ATTR_FLOAT || d->type == IR_ATTR_INT;
}

/* Items as conditions want them. */
static void heed_items(struct gen *x, uint32_t slot, struct ir_attr *v) {
    bool whole = v->type == IR_ATTR_INTS, real = v->type == IR_ATTR_FLOATS;
    int64_t *items = arena_new_array(x->a, int64_t, v->n + 1);
    float *reals = arena_new_array(x->a, float, v->n + 1);
    if (!whole && !real) return;
    for (uint32_t i = 0; i < v->n; i++)
        items[i] = whole ? v->ints[i] : (int64_t)v->floats[i];
    judge_hint_items(x, slot, v->n, items);
    for (uint32_t i = 0; i < v->n; i++) reals[i] = (float)items[i];
    if (whole) v->ints = items;
    else v->floats = reals;
}

static bool bound(struct gen *x, struct gen_node *n, uint32_t slot,
                  const struct ir_param_def *d, struct ir_attr *out) {
    int64_t i;
    if (x->params[slot] && !gen_goes_wild(x)) {
        *out = *x->params[slot];
        out->name = d->name;
        return true;
    }
    if (x->slots[slot].kind == BOUND_DIM) {
        GEN(ir_dim_is_const(x->m->dims, x->slots[slot].a, &i));
        *out = ir_attr_int(d->name, i);
        return true;
    }
    GEN((gen_chance(x, 70) && hinted(x, slot, d, out)) || judge_gen_sensible(x, n, d, out));
    heed_items(x, slot, out);
    if (!x->params[slot]) x->params[slot] = arena_copy(x->a, out, sizeof *out);
    return true;
}

static bool computed(struct gen *x, const struct expr *e, const struct ir_param_def *d,
                     struct ir_attr *out) {
    const ir_dim *dims;
    uint32_t n;
    double real;
    int64_t at[MOST_INTS];
    if (d->type == IR_ATTR_INTS) {
        GEN(pm_asker_dims(x->asker, x->g, x->rule, x->slots, e, &n, &dims));
        GEN(n <= MOST_INTS);
        for (uint32_t i = 0; i < n; i++) GEN(ir_dim_is_const(x->m->dims, dims[i], &at[i]));
        *out = ints(x, d->name, n, at);
        return true;
    }
    GEN(pm_asker_real(x->asker, x->g, x->rule, x->slots, e, &real));
    if (d->type == IR_ATTR_FLOAT) *out = ir_attr_float(d->name, (float)real);
    else *out = ir_attr_int(d->name, (int64_t)real);
    return true;
}

static bool tested(struct gen *x, struct gen_node *n, const struct attr_test *t,
                   const struct ir_param_def *d, struct ir_attr *out) {
    if (t->kind == ATTR_BIND) return bound(x, n, t->slot, d, out);
    if (t->kind == ATTR_ANY || gen_goes_wild(x)) return judge_gen_sensible(x, n, d, out);
    if (t->kind == ATTR_LITERAL) return literal(x, n, &t->lit, d, out);
    return computed(x, t->expr, d, out) || judge_gen_sensible(x, n, d, out);
}

/* --- writing it down -------------------------------------------------------------- */
static bool as_operand(struct gen *x, struct gen_node *n, uint32_t k,
                       const struct ir_attr *v) {
    enum ir_dtype t;
    int64_t one[1] = {1};
    GEN(k < GEN_OPERANDS);
    if (n->known[k]) return true;
    if (v->type == IR_ATTR_INTS) {
        n->in[k] = judge_gen_ints(x, 1, v->n, v->ints);
    } else if (v->type == IR_ATTR_FLOATS) {
        struct ir_tensor *list = judge_gen_floats(x->m->arena, v->n, v->floats);
        n->in[k] = judge_gen_constant(x, list);
    } else {
        GEN(judge_gen_dtype(x, n, k, SLOT_NONE, &t));
        double number = v->type == IR_ATTR_INT ? (double)v->i : (double)v->f;
        uint32_t rank = rw_streq(n->op, "TopK");
        struct ir_tensor *tensor = judge_gen_number(x->m->arena, t, number, rank, one);
        GEN(tensor);
        n->in[k] = judge_gen_constant(x, tensor);
    }
    n->known[k] = true;
    for (uint32_t i = n->nin; i < k; i++) n->in[i] = IR_NONE;
    n->nin = rw_max_u32(n->nin, k + 1);
    return true;
}

static bool write_param(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                        struct ir_attr v) {
    int k = ir_param_operand(n->domain, n->op, d->name, x->opset);
    if (k == IR_PARAM_IS_NOT) return true; /* it then means what that version fixes */
    if (k >= 0) return as_operand(x, n, (uint32_t)k, &v);
    const char *name = ir_param_attr_name(n->schema, d);
    if (!name) return true;
    v.name = name;
    vec_push(x->a, &n->attrs, v);
    return true;
}

static bool is_default(const struct gen_node *n, const struct ir_attr *v) {
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, v->name);
    if (!s || s->has_default != IR_HAS_DEFAULT || s->type != v->type) return false;
    if (v->type == IR_ATTR_INT) return s->i == v->i;
    return v->type == IR_ATTR_FLOAT && s->f <= v->f && s->f >= v->f;
}

/* What ONNX Runtime takes beside some types only. */
static bool is_picky(const char *name) {
    return rw_streq(name, "saturate") || rw_streq(name, "round_mode");
}

/* Pads beside another auto_pad than NOTSET contradict it. */
static bool pads_itself(const struct gen_node *n) {
    const struct ir_attr *a = judge_gen_attr(n, "auto_pad");
    return a && a->s.at && !rw_streq(a->s.at, "NOTSET");
}

/* Defaults written out, required ones, and with <..attrs> any. */
static bool unnamed(struct gen *x, struct gen_node *n, const struct ir_param_def *d) {
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, d->name);
    struct ir_attr v;
    int k = ir_param_operand(n->domain, n->op, d->name, x->opset);
    bool required = s ? s->has_default == IR_REQUIRED
                      : k >= 0 && n->schema->inputs[k].option == IR_SINGLE;
    if (k >= 0 && (uint32_t)k < n->pat->nargs) return true; /* the pattern's operand */
    bool free = n->pat->attrs_slot != SLOT_NONE && gen_chance(x, 40);
    if (is_picky(d->name)) return true;
    if (rw_streq(d->name, "pads") && pads_itself(n)) return true;
    if (rw_streq(d->name, "num_outputs") && !n->known[1])
        return write_param(x, n, d, ir_attr_int(d->name, n->pat->nouts));
    if (required || free || gen_goes_wild(x)) {
        if (judge_gen_sensible(x, n, d, &v)) return write_param(x, n, d, v);
        return !required;
    }
    if (!s || s->has_default != IR_HAS_DEFAULT || !gen_chance(x, 20)) return true;
    if (s->type == IR_ATTR_INT) v = ir_attr_int(d->name, s->i);
    else if (s->type == IR_ATTR_FLOAT) v = ir_attr_float(d->name, s->f);
    else return true;
    return write_param(x, n, d, v);
}

/* May a node go without it, and does this one? */
static bool is_left_out(struct gen *x, const struct gen_node *n, const struct attr_test *t,
                        const struct ir_param_def *d) {
    if (t->kind != ATTR_BIND && t->kind != ATTR_LITERAL && t->kind != ATTR_ANY && t->expr &&
        t->expr->kind == EXPR_ABSENT)
        return !gen_goes_wild(x);
    const struct ir_schema_attr *s = ir_schema_attr(n->schema, d->name);
    int k = ir_param_operand(n->domain, n->op, d->name, x->opset);
    bool optional = s ? s->has_default == IR_NO_DEFAULT
                      : k >= 0 && n->schema->inputs[k].option == IR_OPTIONAL_FORMAL;
    return t->kind == ATTR_BIND && optional && !x->params[t->slot] && gen_chance(x, 20);
}

bool judge_gen_attrs(struct gen *x, struct gen_node *n) {
    size_t count;
    const struct ir_param_def *defs = ir_param_defs(n->domain, n->op, &count);
    n->attributed = true;
    for (size_t i = 0; i < count; i++) {
        const struct attr_test *t = NULL;
        struct ir_attr v;
        for (uint32_t k = 0; k < n->pat->nattrs; k++)
            if (rw_streq(n->pat->attrs[k].name, defs[i].name)) t = &n->pat->attrs[k];
        if (!t) {
            GEN(unnamed(x, n, &defs[i]));
            continue;
        }
        if (is_left_out(x, n, t, &defs[i])) continue;
        GEN(tested(x, n, t, &defs[i], &v));
        if (is_default(n, &v) && gen_chance(x, 50)) continue;
        GEN(write_param(x, n, &defs[i], v));
    }
    return true;
}
