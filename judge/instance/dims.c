/* dims.c -- sizes and symbols of an instance.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#define MOST_SYMBOLS 4
#define MOST_ELEMENTS (1 << 20) /* of all values of an instance */

static int64_t note_number(void *ctx, uint32_t number) {
    *(uint32_t *)ctx = number;
    return 0;
}

uint32_t judge_gen_number_of(const struct ir_dims *t, ir_dim symbol) {
    uint32_t number = UINT32_MAX;
    int64_t value;
    ir_dim_value(t, symbol, note_number, &number, &value);
    return number;
}

static ir_dim new_symbol(struct gen *x, int64_t size) {
    static const char *const names[] = {"B", "S", "N", "M"};
    uint32_t n = x->sizes.len;
    const char *name =
        n < countof(names) ? names[n] : arena_printf(x->a, "D%u", n - MOST_SYMBOLS);
    ir_dim d = ir_dim_symbol(x->m->dims, name);
    uint32_t number = judge_gen_number_of(x->m->dims, d);
    vec_push(x->a, &x->sizes, (struct gen_size){d, number, size});
    return d;
}

/* 2, 3, 4, now and then 1, 5, 8, seldom 0. */
static int64_t draw_size(struct gen *x) {
    static const int8_t sizes[] = {2, 3, 4, 2, 3, 4, 2, 3, 4, 1, 1, 5, 8, 6, 0};
    return sizes[gen_draw(x, countof(sizes))];
}

ir_dim judge_gen_any_size(struct gen *x, int64_t least) {
    int64_t drawn = draw_size(x), size = drawn < least ? least : drawn;
    return gen_chance(x, 60) ? new_symbol(x, size) : ir_dim_const(x->m->dims, size);
}

ir_dim judge_gen_dim(struct gen *x) {
    uint32_t k = gen_draw(x, x->base.rank + 1);
    if (k > 0) return x->base.dims[k - 1];
    return ir_dim_const(x->m->dims, draw_size(x));
}

/* Of an image: large enough for a kernel. */
ir_dim judge_gen_image_side(struct gen *x) {
    int64_t size = 4 + gen_draw(x, 3);
    return gen_chance(x, 15) ? new_symbol(x, size) : ir_dim_const(x->m->dims, size);
}

/* Inner dimensions are numbers more often than outer ones: weights have theirs. */
void judge_gen_base(struct gen *x) {
    static const uint8_t ranks[] = {2, 3, 2, 3, 4, 1, 3, 2, 4, 0, 5};
    x->base.rank = ranks[gen_draw(x, countof(ranks))];
    bool alike = gen_draw(x, 4) == 3; /* all dimensions the same */
    for (uint32_t i = 0; i < x->base.rank; i++) {
        if (alike && i > 0) {
            x->base.dims[i] = x->base.dims[0];
            continue;
        }
        bool last = i + 1 == x->base.rank;
        int64_t size = draw_size(x);
        bool symbolic = gen_chance(x, last ? 15 : 40);
        if (symbolic && gen_chance(x, 15)) size = 1; /* which nobody can see */
        x->base.dims[i] =
            symbolic ? new_symbol(x, size) : ir_dim_const(x->m->dims, size);
    }
}

/* Sizes of symbols by their numbers, some of which are not known. */
struct sizes {
    const struct gen *x;
    bool unknown;
};

static int64_t size_of_symbol(void *ctx, uint32_t number) {
    struct sizes *s = ctx;
    for (uint32_t i = 0; i < s->x->sizes.len; i++)
        if (s->x->sizes.at[i].number == number) return s->x->sizes.at[i].size;
    s->unknown = true;
    return 0;
}

/* The symbols of the instance are what they are, until that is undone; false where two of them
 * cannot be. */
static bool give_sizes(struct gen *x) {
    bool all = true;
    for (uint32_t i = 0; i < x->sizes.len; i++)
        all &= ir_dim_give_size(x->m->dims, x->sizes.at[i].symbol, x->sizes.at[i].size);
    return all;
}

/* Where a symbol became one that inference made, those of the instance are put for what they
 * are, the form is read, and all is forgotten again. */
bool judge_gen_size(struct gen *x, ir_dim d, int64_t *out) {
    struct ir_dims *t = x->m->dims;
    struct sizes sizes = {.x = x};
    if (d == IR_DIM_UNKNOWN) return false;
    if (ir_dim_value(t, d, size_of_symbol, &sizes, out) && !sizes.unknown) return *out >= 0;
    uint32_t mark = ir_dims_mark(t);
    give_sizes(x);
    bool known = ir_dim_is_const(t, ir_dim_find(t, d), out);
    ir_dims_undo(t, mark);
    return known && *out >= 0;
}

/* Where nodes make a symbol another's equal, a runtime fed with other sizes need not say
 * no: its Concat skips what is empty, and leaves memory unset. */
bool judge_gen_sizes_agree(struct gen *x) {
    struct ir_dims *t = x->m->dims;
    uint32_t mark = ir_dims_mark(t);
    bool inside = x->g != x->m->main; /* there nothing is supposed to run */
    for (ir_node n = x->g->first; inside && n != IR_NONE; n = ir_nod(x->g, n)->next)
        ir_assume_node(x->g, n);
    bool all = give_sizes(x);
    ir_dims_undo(t, mark);
    return all;
}

/* Symbols count as what they are now. Unknown dimensions count as one. */
static bool count_elements(const struct ir_dims *t, const struct ir_type *type,
                           int64_t *sum) {
    int64_t n = 1, size;
    for (uint32_t i = 0; ir_type_ranked(type) && i < type->rank; i++)
        if (type->dims[i] != IR_DIM_UNKNOWN &&
            ir_dim_is_const(t, ir_dim_find(t, type->dims[i]), &size))
            GEN(size >= 0 && rw_mul_i64(n, size, &n));
    return rw_add_i64(*sum, n, sum) && *sum <= MOST_ELEMENTS;
}

bool judge_gen_is_small(struct gen *x) {
    struct ir_dims *t = x->m->dims;
    uint32_t mark = ir_dims_mark(t);
    int64_t sum = 0;
    bool small = true;
    give_sizes(x);
    for (uint32_t i = 0; i < x->m->graphs.len && small; i++) {
        const struct ir_graph *g = x->m->graphs.at[i];
        for (ir_value v = 0; v < g->values.len && small; v++)
            small = ir_has(g, v, IR_IS_DEAD) || count_elements(t, ir_val(g, v)->type, &sum);
    }
    ir_dims_undo(t, mark);
    return small;
}

bool judge_gen_shape_of(const struct gen *x, ir_value v, struct gen_shape *out) {
    const struct ir_type *t = v == IR_NONE ? NULL : ir_val(x->g, v)->type;
    if (!ir_type_ranked(t) || t->rank > GEN_RANK) return false;
    out->rank = t->rank;
    if (t->rank > 0) memcpy(out->dims, t->dims, t->rank * sizeof *t->dims);
    return true;
}

bool judge_gen_plain(struct gen *x, struct gen_shape *s) {
    for (uint32_t i = 0; i < s->rank; i++) {
        int64_t size;
        ir_dim d = ir_dim_find(x->m->dims, s->dims[i]);
        GEN(judge_gen_size(x, d, &size));
        if (ir_dim_is_const(x->m->dims, d, &size)) s->dims[i] = d;
        else if (!ir_dim_param(x->m->dims, d)) s->dims[i] = new_symbol(x, size);
    }
    return true;
}

/* --- what the rule asks of a variable ---------------------------------------------- */
static void set_rank(struct gen *x, struct gen_shape *s, uint32_t rank) {
    struct gen_shape out = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        int64_t from = (int64_t)s->rank - rank + i;
        int64_t size = from >= 0 || gen_chance(x, 50) ? 1 : draw_size(x);
        out.dims[i] = from >= 0 ? s->dims[from] : ir_dim_const(x->m->dims, size);
    }
    *s = out;
}

/* Dimensions that `..rest` stands for. */
static uint32_t rest_of(struct gen *x, const struct pat_dim *d, ir_dim *out) {
    struct gen_shape s;
    const struct pm_binding *b = d->slot == SLOT_NONE ? NULL : &x->slots[d->slot];
    if (b && b->kind == BOUND_DIMS && judge_gen_shape_of(x, b->a, &s) &&
        b->b + b->c <= s.rank) {
        uint32_t n = s.rank - b->b - b->c;
        memcpy(out, s.dims + b->b, n * sizeof *out);
        return n;
    }
    uint32_t n = gen_draw(x, 3);
    for (uint32_t i = 0; i < n; i++) out[i] = judge_gen_dim(x);
    return n;
}

static ir_dim written(struct gen *x, const struct pat_dim *d) {
    if (d->kind == DIM_CONST) return ir_dim_const(x->m->dims, d->value);
    if (d->kind == DIM_SLOT && x->slots[d->slot].kind == BOUND_DIM)
        return x->slots[d->slot].a;
    return judge_gen_dim(x);
}

static bool annotated(struct gen *x, const struct pat_type *t, struct gen_shape *out) {
    if (!t || !t->shaped || t->ndims > 4 || gen_goes_wild(x)) return false;
    bool only_rest = t->ndims == 1 && t->dims[0].kind == DIM_REST &&
                     (t->dims[0].slot == SLOT_NONE ||
                      x->slots[t->dims[0].slot].kind == BOUND_NOTHING);
    if (only_rest) return false; /* any shape does, so that of the operator */
    out->rank = 0;
    for (uint32_t i = 0; i < t->ndims; i++) {
        ir_dim dims[GEN_RANK];
        uint32_t n = 1;
        if (t->dims[i].kind == DIM_REST) n = rest_of(x, &t->dims[i], dims);
        else dims[0] = written(x, &t->dims[i]);
        for (uint32_t k = 0; k < n && out->rank < GEN_RANK; k++)
            out->dims[out->rank++] = dims[k];
    }
    return true;
}

void judge_gen_wishes(struct gen *x, uint32_t slot, struct gen_operand *o) {
    uint32_t rank;
    if (slot == SLOT_NONE) return;
    const struct rule_slot *s = &x->rule->slots[slot];
    if (!annotated(x, s->type, &o->shape) && !judge_hint_product(x, slot, &o->shape) &&
        !judge_hint_shape(x, slot, &o->shape) && judge_hint_rank(x, slot, &rank))
        set_rank(x, &o->shape, rank);
    if ((s->flags & SLOT_SCALAR) && !gen_goes_wild(x))
        for (o->shape.rank = gen_draw(x, 2), rank = 0; rank < o->shape.rank; rank++)
            o->shape.dims[rank] = ir_dim_const(x->m->dims, 1);
    judge_hint_dim(x, slot, &o->shape);
    if (x->interior.len == 0 && x->out->leaves.len == 0) x->base = o->shape;
}

void judge_gen_bind_dims(struct gen *x, uint32_t slot, ir_value v) {
    struct gen_shape s;
    const struct pat_type *t = x->rule->slots[slot].type;
    if (!t || !t->shaped || !judge_gen_shape_of(x, v, &s)) return;
    bool passed = false; /* a run of dimensions: from there on counted from the end */
    for (uint32_t i = 0; i < t->ndims; i++) {
        const struct pat_dim *d = &t->dims[i];
        uint32_t behind = t->ndims - 1 - i, at = passed ? s.rank - 1 - behind : i;
        passed |= d->kind == DIM_REST;
        if (passed && s.rank + 1 < t->ndims) return;
        if (d->slot == SLOT_NONE) continue;
        struct pm_binding *b = &x->slots[d->slot];
        if (b->kind != BOUND_NOTHING) continue;
        if (d->kind == DIM_REST) *b = (struct pm_binding){BOUND_DIMS, v, i, behind};
        if (d->kind == DIM_SLOT && at < s.rank)
            *b = (struct pm_binding){BOUND_DIM, s.dims[at], 0, 0};
    }
}
