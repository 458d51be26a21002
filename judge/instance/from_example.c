/* from_example.c -- shapes, lists and parameters as an example of the rule has them.
 *
 * Symbols of the example get sizes of the instance, each the same wherever it stands;
 * numbers stay. What a variable of the rule is in the example it is here, what an operator
 * has there beside operands of such shapes it has here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/inputs/sizes.h"
#include "judge/instance/generate.h"

#define FAR 10 /* from what indexes a dimension */

/* --- sizes -------------------------------------------------------------------------- */
static bool is_named(const struct gen *x, const char *name) {
    for (uint32_t i = 0; i < x->named.len; i++)
        if (rw_streq(x->named.at[i].name, name)) return true;
    return false;
}

static void add_named(struct gen *x, const struct ir_dims *t, const char *name, ir_dim is) {
    ir_dim symbol = ir_dim_symbol((struct ir_dims *)t, name); /* which is there */
    struct gen_named n = {.name = name, .number = judge_gen_number_of(t, symbol), .dim = is};
    if (judge_gen_size(x, is, &n.size)) vec_push(x->a, &x->named, n);
}

/* A symbol that is no other one gets a size. What is a number there is of a weight, such as
 * a kernel, and has elements. */
static void name_size(struct gen *x, const struct ir_dims *t, ir_dim d) {
    const char *name = ir_dim_param(t, ir_dim_find(t, d));
    if (!name || is_named(x, name)) return;
    ir_dim size = judge_gen_any_size(x, *name == JUDGE_LOOSE ? 1 : 0);
    add_named(x, t, name, size);
}

/* Numbers are what they are, or all of them are drawn like symbols. */
static void keep_numbers(struct gen *x, const struct judge_example *e) {
    struct ir_dims *t = e->written->dims;
    if (gen_chance(x, 25)) return;
    for (uint32_t i = 0; i < e->loose.len; i++) {
        const struct judge_loose *l = &e->loose.at[i];
        const char *name = ir_dim_param(t, ir_dim_find(t, ir_dim_symbol(t, l->name)));
        ir_dim is = ir_dim_const(x->m->dims, l->size);
        if (name && !is_named(x, name)) add_named(x, t, name, is);
    }
}

/* Mostly the type of the first input there. */
static void draw_dtype(struct gen *x, const struct ir_graph *g) {
    static const enum ir_dtype reals[] = {IR_FLOAT, IR_FLOAT, IR_FLOAT, IR_DOUBLE, IR_FLOAT16};
    enum ir_dtype t = ir_type_dtype(ir_val(g, g->inputs.at[0])->type);
    if (t == IR_UNDEFINED || gen_chance(x, 10)) return;
    x->dtype = ir_dtype_is_float(t) ? reals[gen_draw(x, countof(reals))] : t;
}

/* One that is refused by the very condition that is not heeded, or else by none: mostly. */
static const struct judge_example *choose(struct gen *x, const struct judge_examples *all) {
    uint32_t refuses = x->against, n = 0;
    bool any = gen_draw(x, 8) == 7;
    for (uint32_t i = 0; i < all->list.len; i++) n += all->list.at[i].refuses == refuses;
    if (n == 0) refuses = x->rule->nwhere;
    const struct judge_example *found = &all->list.at[gen_draw(x, all->list.len)];
    n = 0;
    for (uint32_t i = 0; i < all->list.len && !any; i++)
        if (all->list.at[i].refuses == refuses && gen_draw(x, ++n) == 0)
            found = &all->list.at[i];
    return found;
}

void judge_gen_begin_example(struct gen *x) {
    const struct judge_examples *all = x->plan->examples;
    if (!x->plan->led || all->list.len == 0) return;
    x->example = choose(x, all);
    const struct ir_graph *g = x->example->written->main;
    if (g->inputs.len > 0) draw_dtype(x, g);
    x->dtype_there = x->dtype;
    x->copies = gen_chance(x, 50) && judge_gen_can_copy(x);
    keep_numbers(x, x->example);
    for (ir_value v = 0; v < g->values.len; v++) {
        const struct ir_type *t = ir_val(g, v)->type;
        if (ir_val(g, v)->producer != IR_NONE || !ir_type_ranked(t)) continue;
        for (uint32_t k = 0; k < t->rank; k++) name_size(x, g->model->dims, t->dims[k]);
    }
}

struct named {
    const struct gen *x;
    bool unknown;
};

static int64_t size_of_named(void *ctx, uint32_t number) {
    struct named *s = ctx;
    for (uint32_t i = 0; i < s->x->named.len; i++)
        if (s->x->named.at[i].number == number) return s->x->named.at[i].size;
    s->unknown = true;
    return 0;
}

static bool value_there(const struct gen *x, ir_dim d, int64_t *out) {
    struct named s = {.x = x};
    return ir_dim_value(x->example->written->dims, d, size_of_named, &s, out) && !s.unknown;
}

/* Of a table that knows the symbols by their names alone. */
static bool value_elsewhere(const struct gen *x, struct ir_dims *t, ir_dim d, int64_t *out) {
    uint32_t mark = ir_dims_mark(t);
    for (uint32_t i = 0; i < x->named.len; i++)
        ir_dim_give_size(t, ir_dim_symbol(t, x->named.at[i].name), x->named.at[i].size);
    bool known = d != IR_DIM_UNKNOWN && ir_dim_is_const(t, ir_dim_find(t, d), out);
    ir_dims_undo(t, mark);
    return known;
}

/* A dimension of the example as one of the instance. */
static bool carried(struct gen *x, const struct ir_dims *from, ir_dim d, ir_dim *out) {
    struct ir_dims *t = (struct ir_dims *)from; /* and it is as it was afterwards */
    d = d == IR_DIM_UNKNOWN ? d : ir_dim_find(from, d);
    const char *name = ir_dim_param(from, d);
    int64_t size;
    for (uint32_t i = 0; name && i < x->named.len; i++)
        if (rw_streq(x->named.at[i].name, name)) return *out = x->named.at[i].dim, true;
    bool known = from == x->example->written->dims ? value_there(x, d, &size)
                                                   : value_elsewhere(x, t, d, &size);
    if (known) *out = ir_dim_const(x->m->dims, size);
    return known && size >= 0;
}

static bool carried_shape(struct gen *x, const struct ir_dims *from,
                          const struct ir_type *t, struct gen_shape *out) {
    if (!ir_type_ranked(t) || t->rank > GEN_RANK) return false;
    out->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++)
        GEN(carried(x, from, t->dims[i], &out->dims[i]));
    return true;
}

/* --- values ------------------------------------------------------------------------- */
/* Integers that an operator reads: a shape, axes, an index. */
static bool take_items(const struct ir_tensor *t, struct gen_operand *o) {
    bool fits = t && (t->dtype == IR_INT64 || t->dtype == IR_INT32) && t->rank <= 1 &&
                t->count <= GEN_RANK;
    for (uint32_t i = 0; fits && i < t->count; i++) {
        double item;
        if (!ir_tensor_double_at(NULL, t, i, &item)) return false;
        o->items[i] = (int64_t)item;
    }
    if (!fits) return false;
    o->nitems = (uint32_t)t->count;
    return o->has_items = o->rather_known = true;
}

/* Is nothing of the example to be changed: does it hold, or fail, as it should? */
bool judge_gen_heeds(const struct gen *x) {
    return x->against >= x->rule->nwhere || x->example->refuses == x->against;
}

/* Two are exchanged, or one is the next one, or far below, or counted from the other end. */
void judge_gen_disturb_items(struct gen *x, uint32_t n, int64_t *items) {
    uint32_t k = gen_draw(x, n), way = gen_draw(x, 4);
    int64_t first = items[0];
    if (way == 2) items[k] = ~items[k];
    if (way == 3 && items[k] > INT64_MIN + FAR) items[k] -= FAR;
    if (way > 1) return;
    items[0] = items[k];
    items[k] = k > 0 ? first : first - (first == INT64_MAX) + 1;
}

static void disturb_shape(struct gen *x, struct gen_shape *s) {
    uint32_t way = gen_draw(x, 4);
    ir_dim one = ir_dim_const(x->m->dims, 1);
    if (way == 3 && s->rank < GEN_RANK) {
        memmove(s->dims + 1, s->dims, s->rank * sizeof *s->dims);
        s->dims[0] = one;
        s->rank++;
    } else if (s->rank > 0) {
        ir_dim *d = &s->dims[way == 2 ? s->rank - 1 : gen_draw(x, s->rank)];
        *d = way == 0 ? judge_gen_dim(x) : ir_dim_add(x->m->dims, *d, one);
    }
}

/* One condition is not to hold: something that it speaks of is not as it should be. Now and
 * then something else, which may be where that comes from. */
static void disturb(struct gen *x, uint32_t slot, struct gen_operand *o) {
    if (judge_gen_heeds(x)) return;
    if (!gen_chance(x, judge_hint_against(x, slot) ? 60 : 10)) return;
    if (!o->has_items) disturb_shape(x, &o->shape);
    else if (o->nitems > 0) judge_gen_disturb_items(x, o->nitems, o->items);
}

static bool take(struct gen *x, const struct judge_known *k, uint32_t slot,
                 struct gen_operand *o) {
    const struct judge_example *e = x->example;
    struct gen_operand found = *o;
    /* A list that is computed there: what the operator makes of its operands is better. */
    if (o->has_items && !k->tensor) return false;
    const struct ir_dims *from = k->value == IR_NONE ? e->dims : e->written->dims;
    GEN(carried_shape(x, from, k->type, &found.shape));
    found.has_items = false;
    take_items(k->tensor, &found);
    disturb(x, slot, &found);
    *o = found;
    return true;
}

bool judge_gen_shape_there(struct gen *x, ir_value v, struct gen_shape *out) {
    const struct ir_graph *g = x->example->written->main;
    return carried_shape(x, g->model->dims, ir_val(g, v)->type, out);
}

int64_t judge_gen_choices_there(struct gen *x, ir_value v) {
    const struct ir_graph *g = x->example->written->main;
    struct judge_size_wish *sizes = arena_new_array(x->a, struct judge_size_wish, x->named.len);
    struct judge_inputs_options o = {.wishes = {sizes, x->named.len}};
    struct judge_sizes all;
    for (uint32_t i = 0; i < x->named.len; i++) {
        sizes[i].name = x->named.at[i].name;
        sizes[i].size = x->named.at[i].size;
    }
    judge_sizes_init(&all, x->a, g->model->dims, &o);
    return judge_choices(&all, g, v);
}

/* --- operators ---------------------------------------------------------------------- */
static bool same_sizes(struct gen *x, const struct gen_shape *a,
                       const struct gen_shape *b) {
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        int64_t s, t;
        GEN(judge_gen_size(x, a->dims[i], &s) && judge_gen_size(x, b->dims[i], &t));
        if (s != t) return false;
    }
    return true;
}

/* Are the operands that n has by now those of node k of the example? */
static bool is_like(struct gen *x, const struct gen_node *n, const struct ir_graph *g,
                    ir_node k) {
    if (!rw_streq(ir_op_name(g, k), n->op) || !rw_streq(ir_domain_name(g, k), n->domain))
        return false;
    for (uint32_t i = 0; i < GEN_OPERANDS; i++) {
        struct gen_shape is, there;
        if (!n->known[i] || !judge_gen_shape_of(x, n->in[i], &is)) continue;
        ir_value v = ir_input(g, k, i);
        GEN(v != IR_NONE && carried_shape(x, g->model->dims, ir_val(g, v)->type, &there));
        if (!same_sizes(x, &is, &there)) return false;
    }
    return true;
}

/* One of the nodes that are, each as likely; or IR_NONE. */
static ir_node like(struct gen *x, const struct gen_node *n) {
    const struct ir_graph *g = x->example->written->main;
    ir_node found = IR_NONE;
    uint32_t count = 0;
    for (ir_node k = g->first; k != IR_NONE; k = ir_nod(g, k)->next)
        if (is_like(x, n, g, k) && gen_draw(x, ++count) == 0) found = k;
    return found;
}

static bool from_operator(struct gen *x, struct gen_node *n, uint32_t k, uint32_t slot,
                          struct gen_operand *o) {
    const struct ir_graph *g = x->example->written->main;
    ir_node found = n->there != IR_NONE ? n->there : like(x, n);
    ir_value v = found == IR_NONE ? IR_NONE : ir_input(g, found, k);
    if (v == IR_NONE) return false;
    const struct judge_known there = {.value = v, .type = ir_val(g, v)->type,
                                      .tensor = ir_const(g, v)};
    return take(x, &there, slot, o);
}

const struct judge_known *judge_gen_known(const struct gen *x, uint32_t slot) {
    return x->rule == x->plan->rule ? &x->example->own[slot] : &x->example->makers[slot];
}

bool judge_gen_number_by_example(struct gen *x, uint32_t slot, int64_t *out) {
    ir_dim d;
    if (!x->example || judge_gen_known(x, slot)->kind != BOUND_DIM || gen_chance(x, 10))
        return false;
    return carried(x, x->example->dims, judge_gen_known(x, slot)->dim, &d) &&
           judge_gen_size(x, d, out);
}

bool judge_gen_by_example(struct gen *x, struct gen_node *n, uint32_t k, uint32_t slot,
                          struct gen_operand *o) {
    if (!x->example || gen_chance(x, 10)) return false;
    if (slot != SLOT_NONE && judge_gen_known(x, slot)->type &&
        take(x, judge_gen_known(x, slot), slot, o))
        return true;
    return from_operator(x, n, k, slot, o);
}

bool judge_gen_param_by_example(struct gen *x, struct gen_node *n,
                                const struct ir_param_def *d, struct ir_attr *out) {
    struct gen_operand o = {0};
    if (!x->example) return false;
    if (n->there != IR_NONE && !gen_chance(x, 6)) return judge_gen_param_there(x, n, d, out);
    if (gen_chance(x, 40)) return false;
    const struct ir_graph *g = x->example->written->main;
    ir_node k = like(x, n);
    if (k == IR_NONE) return false;
    int at = ir_param_operand(n->domain, n->op, d->name, ir_opset(g, ""));
    ir_value v = at < 0 ? IR_NONE : ir_input(g, k, (uint32_t)at);
    if (v != IR_NONE && d->type == IR_ATTR_INTS && take_items(ir_const(g, v), &o)) {
        *out = judge_gen_ints_attr(x, d->name, o.nitems, o.items);
        return true;
    }
    const struct ir_node_info *info = ir_nod(g, k);
    for (uint32_t i = 0; i < info->nattr; i++) {
        const struct ir_attr *there = &info->attr[i];
        if (!rw_streq(there->name, d->name) || there->type != d->type) continue;
        *out = *there;
        return d->type == IR_ATTR_INT || d->type == IR_ATTR_INTS || d->type == IR_ATTR_STRING;
    }
    return false;
}
