/* leaf.c -- values without a pattern: inputs, constants, literals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#include <math.h>

#define RARELY_ENDLESS 32

/* --- element types ---------------------------------------------------------------- */
static bool allows(const struct gen_node *n, uint32_t k, uint32_t mask, enum ir_dtype t) {
    const struct ir_formal_param *f = ir_schema_input(n->schema, k);
    return f && ir_types_allow(f->types, t) && (mask == 0 || (mask >> (uint32_t)t & 1));
}

/* That of an operand which must have the same. */
static enum ir_dtype bound_dtype(const struct gen *x, const struct gen_node *n,
                                 uint32_t k) {
    const struct ir_formal_param *mine = ir_schema_input(n->schema, k);
    if (!mine || mine->constraint < 0) return IR_UNDEFINED;
    for (uint32_t i = 0; i < GEN_OPERANDS; i++) {
        const struct ir_formal_param *f = ir_schema_input(n->schema, i);
        if (i == k || !n->known[i] || n->in[i] == IR_NONE) continue;
        if (!f || f->constraint != mine->constraint) continue;
        if (f->option == IR_VARIADIC && !f->homogeneous) continue;
        enum ir_dtype t = ir_type_dtype(ir_val(x->g, n->in[i])->type);
        if (t != IR_UNDEFINED) return t;
    }
    return IR_UNDEFINED;
}

static const enum ir_dtype usual[] = {IR_FLOAT,  IR_INT64,   IR_INT32, IR_BOOL,
                                      IR_DOUBLE, IR_FLOAT16, IR_UINT8, IR_INT8};

void judge_gen_usual_dtype(const struct gen_node *n, uint32_t k, enum ir_dtype *t) {
    if (allows(n, k, 0, *t)) return;
    for (uint32_t i = 0; i < countof(usual); i++)
        if (allows(n, k, 0, usual[i])) {
            *t = usual[i];
            return;
        }
}

bool judge_gen_dtype(struct gen *x, const struct gen_node *n, uint32_t k, uint32_t slot,
                     enum ir_dtype *out) {
    const struct pat_type *type = slot == SLOT_NONE ? NULL : x->rule->slots[slot].type;
    uint32_t mask = type ? type->dtypes : 0;
    *out = bound_dtype(x, n, k);
    if (*out != IR_UNDEFINED) return true;
    ir_value there = judge_gen_there(x, n, k, slot);
    if (there != IR_NONE) *out = judge_gen_dtype_there(x, there);
    if (*out != IR_UNDEFINED && allows(n, k, mask, *out)) return true;
    if (slot != SLOT_NONE && judge_hint_dtype(x, slot, out) && allows(n, k, mask, *out)) {
        x->dtype = *out;
        return true;
    }
    *out = x->dtype;
    bool other = judge_hint_other_dtype(x, slot);
    if (!other && allows(n, k, mask, *out)) return true;
    uint32_t from = gen_draw(x, countof(usual));
    enum ir_dtype lacking = IR_UNDEFINED; /* allowed, but nobody runs it */
    for (uint32_t i = 0; i < countof(usual); i++) {
        *out = usual[(from + i) % countof(usual)];
        if (!allows(n, k, mask, *out)) continue;
        if (k > 0 || ir_runtime_has(n->domain, n->op, x->opset, *out)) return true;
        lacking = *out;
    }
    *out = lacking;
    return lacking != IR_UNDEFINED;
}

/* --- constants -------------------------------------------------------------------- */
static ir_value listed_initializer(struct gen *x, struct ir_tensor *t) {
    ir_dim dims[GEN_RANK];
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = ir_dim_const(x->m->dims, t->dims[i]);
    const struct ir_type *type = ir_type_tensor(x->m->arena, t->dtype, t->rank, dims);
    struct ir_graph *g = x->m->main;
    ir_value v = judge_gen_input(x, "w", type);
    ir_set_initializer(g, v, t);
    if (x->m->ir_version < 4) ir_set_symval(g, v, ir_symval_of_tensor(x->m, t));
    return v;
}

static ir_value constant_node(struct gen *x, struct ir_tensor *t) {
    ir_value out = ir_add_value(x->g, "k", NULL);
    struct ir_attr value = ir_attr_tensor(x->m->arena, "value", t);
    ir_node n = ir_add_node(x->g, &(struct ir_new_node){.op = "Constant", .domain = "",
                                                        .nout = 1, .out = &out,
                                                        .nattr = 1, .attr = &value},
                            IR_NONE);
    ir_infer_node(x->g, n, NULL);
    return out;
}

ir_value judge_gen_constant(struct gen *x, struct ir_tensor *t) {
    uint32_t form = gen_draw(x, 4);
    if (form == 3) return constant_node(x, t);
    if (form == 2 && x->m->ir_version < 4)
        return judge_gen_seen_inside(x, listed_initializer(x, t));
    if (form == 1 && x->g != x->m->main)
        return judge_gen_seen_inside(x, ir_add_constant(x->m->main, "k", t));
    return ir_add_constant(x->g, "k", t);
}

ir_value judge_gen_ints(struct gen *x, uint32_t rank, uint32_t n, const int64_t *items) {
    struct ir_tensor *t = ir_tensor_ints(x->m->arena, n, items);
    if (rank == 0) {
        struct ir_tensor *scalar = arena_copy(x->m->arena, t, sizeof *t);
        scalar->rank = 0;
        t = scalar;
    }
    return judge_gen_constant(x, t);
}

/* What is open in a list: what suits the operator, if a list of as many does, or any. */
static bool literal_list(struct gen *x, struct gen_node *n, uint32_t k,
                         const struct literal *l, ir_value *out) {
    int64_t items[64];
    struct gen_operand o = {.dtype = IR_INT64};
    bool suits = gen_chance(x, 50) && judge_gen_operand(x, n, k, &o) && o.has_items &&
                 o.nitems == l->n;
    GEN(l->n <= countof(items));
    for (uint32_t i = 0; i < l->n; i++) {
        const struct pat_dim *d = &l->items[i];
        static const int8_t some[] = {1, 2, -1, 3, 4, 0};
        items[i] = d->kind == DIM_CONST ? d->value
                   : suits              ? o.items[i]
                                        : some[gen_draw(x, countof(some))];
        if (d->kind != DIM_SLOT) continue;
        struct pm_binding *b = &x->slots[d->slot];
        judge_gen_number_by_example(x, d->slot, &items[i]);
        if (b->kind == BOUND_DIM) GEN(ir_dim_is_const(x->m->dims, b->a, &items[i]));
        else *b = (struct pm_binding){BOUND_DIM, ir_dim_const(x->m->dims, items[i]), 0, 0};
    }
    *out = judge_gen_ints(x, 1, l->n, items);
    return true;
}

/* A number that the pattern does not take. */
static double other_number(struct gen *x, double is) {
    static const double by[] = {1, 0.5, -1, 1e-3};
    return is + by[gen_draw(x, countof(by))];
}

static bool splat_dims(struct gen *x, struct gen_node *n, uint32_t k, enum ir_dtype t,
                       struct gen_shape *s) {
    struct gen_operand o = {.dtype = t};
    GEN(judge_gen_operand(x, n, k, &o));
    *s = o.shape;
    return true;
}

bool judge_gen_literal(struct gen *x, struct gen_node *n, uint32_t k,
                       const struct literal *l, ir_value *out) {
    if (l->kind == LIT_LIST) return literal_list(x, n, k, l, out);
    GEN(l->kind != LIT_STRING);
    enum ir_dtype t;
    int64_t dims[GEN_RANK] = {1, 1, 1, 1};
    uint32_t rank = gen_draw(x, 8);
    rank = rank < 4 ? 0 : rank < 7 ? 1 : 2 + gen_draw(x, 2);
    GEN(judge_gen_dtype(x, n, k, SLOT_NONE, &t));
    if (l->splat) {
        struct gen_shape s;
        GEN(splat_dims(x, n, k, t, &s));
        for (uint32_t i = 0; i < s.rank; i++) GEN(judge_gen_size(x, s.dims[i], &dims[i]));
        rank = s.rank;
    }
    double value = l->kind == LIT_REAL ? l->real : (double)l->i;
    if (gen_goes_wild(x)) value = other_number(x, value);
    struct ir_tensor *tensor = judge_gen_number(x->m->arena, t, value, rank, dims);
    GEN(tensor);
    *out = judge_gen_constant(x, tensor);
    return true;
}

/* --- variables -------------------------------------------------------------------- */
enum source { FROM_INPUT, FROM_NODE, FROM_OVERRIDABLE, FROM_CONSTANT };

/* Of tensors without elements a runtime need not see that their shapes do not fit: its Concat
 * skips them. Then inference has to, which reads what is known. */
static bool any_empty(const struct gen *x) {
    for (uint32_t i = 0; i < x->out->leaves.len; i++) {
        const struct judge_leaf *l = &x->out->leaves.at[i];
        for (uint32_t k = 0; k < l->rank; k++)
            if (l->dims[k] == 0) return true;
    }
    return false;
}

static enum source draw_source(struct gen *x, uint32_t slot, const struct gen_operand *o) {
    static const uint8_t of[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3};
    int wish = judge_hint_const(x, slot);
    if (wish > 0) return FROM_CONSTANT;
    if (wish == 0 && o->rather_known)
        return any_empty(x) || gen_draw(x, 5) < 4 ? FROM_CONSTANT : FROM_INPUT;
    enum source s = of[gen_draw(x, countof(of))];
    return s == FROM_CONSTANT && wish < 0 ? FROM_INPUT : s;
}

static bool sizes_of(struct gen *x, const struct gen_operand *o, int64_t *dims) {
    uint64_t count;
    for (uint32_t i = 0; i < o->shape.rank; i++)
        GEN(judge_gen_size(x, o->shape.dims[i], &dims[i]));
    return ir_tensor_count(o->shape.rank, dims, &count) && count <= 1 << 14;
}

static double draw_scalar(struct gen *x, enum ir_dtype t) {
    static const double some[] = {1, 1e-5, 0.5, 1e-12, 2, 0.1, 3, 1e-6, 0.25, 0, -1, -2};
    uint32_t far = gen_draw(x, 20); /* from 1, as far as the type goes */
    if (far == 19 && (t == IR_FLOAT || t == IR_DOUBLE)) return 1e20;
    if (far >= 17 && t == IR_FLOAT16) return 4e4;
    return some[gen_draw(x, countof(some))];
}

/* The items as the type has them. */
static struct ir_tensor *items_of(struct arena *a, const struct gen_operand *o) {
    float at[GEN_RANK];
    struct ir_tensor *ints = ir_tensor_ints(a, o->nitems, o->items);
    if (o->nitems == 1) ints->rank = o->shape.rank; /* a scalar, where one is asked for */
    if (o->dtype != IR_FLOAT) return ints;
    for (uint32_t i = 0; i < o->nitems; i++) at[i] = gen_float_item(o, i);
    return judge_gen_floats(a, o->nitems, at);
}

static struct ir_tensor *tensor_of(struct gen *x, uint32_t slot,
                                   const struct gen_operand *o, const int64_t *dims) {
    double value;
    uint64_t n, seed = gen_draw(x, 1000) + 1;
    if (o->has_items) return items_of(x->m->arena, o);
    bool hinted = slot != SLOT_NONE && judge_hint_real(x, slot, &value);
    ir_tensor_count(o->shape.rank, dims, &n);
    if (!hinted && n == 1 && o->low >= o->below) value = draw_scalar(x, o->dtype), hinted = true;
    if (hinted && ir_dtype_is_float(o->dtype) && gen_draw(x, RARELY_ENDLESS) == 0)
        value = gen_draw(x, 2) ? INFINITY : -INFINITY; /* bounds of a Clip are, where there are none */
    if (hinted) {
        struct ir_tensor *t =
            judge_gen_number(x->m->arena, o->dtype, value, o->shape.rank, dims);
        if (t) return t;
    }
    enum judge_fill fill = gen_draw(x, 8) == 7 ? JUDGE_ONES : JUDGE_RANDOM;
    struct ir_tensor *t = judge_gen_tensor(x->m->arena, o->dtype, o->shape.rank, dims, fill,
                                           o->low, o->below, &seed);
    if (t && o->positive) judge_gen_make_positive(t);
    return t;
}

static void remember(struct gen *x, ir_value v, const struct gen_operand *o,
                     const int64_t *dims, bool may_miss) {
    struct judge_leaf leaf = {.name = ir_val(x->m->main, v)->name, .dtype = o->dtype,
                              .rank = o->shape.rank, .may_miss = may_miss, .low = o->low,
                              .below = o->below, .positive = o->positive, .modest = o->modest,
                              .dims = arena_copy(x->a, dims, o->shape.rank * sizeof *dims)};
    if (o->has_items) leaf.fixed = items_of(x->a, o);
    vec_push(x->a, &x->out->leaves, leaf);
}

static const char *name_of(const struct gen *x, uint32_t slot) {
    const char *name = slot == SLOT_NONE ? "" : x->rule->slots[slot].name;
    return *name ? name : "x";
}

static bool input(struct gen *x, const char *name, struct gen_operand *o,
                  const int64_t *dims, ir_value *out) {
    GEN(judge_gen_plain(x, &o->shape));
    const struct ir_type *t =
        ir_type_tensor(x->m->arena, o->dtype, o->shape.rank, o->shape.dims);
    if (gen_draw(x, 40) == 39) t = ir_type_unranked(x->m->arena, o->dtype, 0);
    ir_value v = judge_gen_input(x, name, t);
    remember(x, v, o, dims, false);
    *out = judge_gen_seen_inside(x, v);
    return true;
}

bool judge_gen_fed(struct gen *x, const char *name, struct gen_operand *o, ir_value *out) {
    int64_t dims[GEN_RANK];
    return sizes_of(x, o, dims) && input(x, name, o, dims, out);
}

/* A node that keeps type and shape: the variable is then nobody's interface. */
static bool from_node(struct gen *x, ir_value *v) {
    ir_value out = ir_add_value(x->g, "n", NULL);
    enum ir_dtype t = ir_type_dtype(ir_val(x->g, *v)->type);
    const char *op = t == IR_BOOL ? "Not" : ir_dtype_is_float(t) ? "Neg" : "Identity";
    struct ir_new_node node = {.op = op, .domain = "", .nin = 1, .nout = 1, .in = v,
                               .out = &out};
    ir_node n = ir_add_node(x->g, &node, IR_NONE);
    *v = out;
    return ir_infer_node(x->g, n, NULL);
}

/* What the rule asks of a variable goes before what its operator can take. */
static bool shape_and_items(struct gen *x, struct gen_node *n, uint32_t k, uint32_t slot,
                            struct gen_operand *o) {
    bool scalar = slot != SLOT_NONE && (x->rule->slots[slot].flags & SLOT_SCALAR);
    o->shape.rank = UINT32_MAX;
    bool fits = judge_gen_operand(x, n, k, o);
    bool led = !scalar && judge_gen_by_example(x, n, k, slot, o);
    GEN(fits || led);
    judge_gen_nature(n->domain, n->op, k, o);
    if (o->has_items && o->dtype != IR_FLOAT) o->dtype = IR_INT64;
    if (o->has_items) judge_hint_items(x, slot, o->nitems, o->items);
    else if (!led) judge_gen_wishes(x, slot, o);
    return true;
}

bool judge_gen_leaf(struct gen *x, struct gen_node *n, uint32_t k, uint32_t slot,
                    ir_value *out) {
    int64_t dims[GEN_RANK];
    struct gen_operand o = {0};
    ir_value there;
    if (judge_gen_is_copy(x, n, k, slot, &there)) return judge_gen_copy(x, there, out);
    GEN(judge_gen_dtype(x, n, k, slot, &o.dtype));
    GEN(shape_and_items(x, n, k, slot, &o));
    GEN(sizes_of(x, &o, dims));
    enum source s = draw_source(x, slot, &o);
    if (s == FROM_INPUT || s == FROM_NODE)
        return input(x, name_of(x, slot), &o, dims, out) &&
               (s == FROM_INPUT || from_node(x, out));
    struct ir_tensor *t = tensor_of(x, slot, &o, dims);
    GEN(t);
    if (s == FROM_CONSTANT || x->m->ir_version < 4) {
        bool asked = slot != SLOT_NONE && (x->rule->slots[slot].flags & SLOT_CONST);
        x->was_free |= !asked && !o.has_items;
        *out = judge_gen_constant(x, t);
        return true;
    }
    ir_value v = listed_initializer(x, t);
    remember(x, v, &o, dims, true);
    *out = judge_gen_seen_inside(x, v);
    return true;
}
