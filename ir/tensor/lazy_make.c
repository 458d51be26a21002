/* lazy_make.c -- expressions, and whether they may be.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/tensor/lazy.h"

#define LONG_RUN 2048u      /* bytes that are worth a read of their own */
#define MOST_READS 65536u   /* of shorter ones */

static struct ir_tensor *tensor_of(struct arena *a, const struct ir_tensor *like,
                                   uint32_t rank, const int64_t *dims, uint64_t count) {
    struct ir_tensor *t = arena_new(a, struct ir_tensor);
    t->dtype = like->dtype;
    t->rank = rank;
    t->dims = rank ? arena_copy(a, dims, rank * sizeof *dims) : NULL;
    t->count = count;
    t->nbytes = count * (ir_dtype_bits(like->dtype) / 8);
    return t;
}

static uint32_t depth_of(const struct ir_tensor *t) {
    return t->storage == IR_COMPUTED ? t->lazy->depth : 0;
}
static uint32_t cost_of(const struct ir_tensor *t) {
    return t->storage == IR_COMPUTED ? t->lazy->cost : 0;
}
static uint64_t held_of(const struct ir_tensor *t) {
    return t->storage == IR_COMPUTED ? t->lazy->held : 0;
}

static bool may_be(const struct ir_lazy *x) {
    return x->depth <= IR_LAZY_DEPTH && x->cost <= IR_LAZY_COST && x->held <= IR_LAZY_HELD;
}

static struct ir_tensor *computed(struct arena *a, struct ir_tensor *t,
                                  const struct ir_lazy *x) {
    if (!may_be(x)) return NULL;
    t->storage = IR_COMPUTED;
    t->lazy = arena_copy(a, x, sizeof *x);
    return t;
}

/* --- views ------------------------------------------------------------------------ */

/* The base's own bytes, from element `start` on; false where they are not a range. */
static bool share_range(struct ir_tensor *t, const struct ir_tensor *base, int64_t start,
                        size_t size) {
    uint64_t skipped = (uint64_t)start * size;
    t->storage = base->storage;
    switch (base->storage) {
    case IR_IN_MEMORY: t->data = (const char *)base->data + skipped; return true;
    case IR_EXTERNAL: t->location = base->location; /* fall through */
    case IR_IN_FILE: t->offset = base->offset + skipped; return true;
    case IR_COMPUTED: t->lazy = base->lazy; return t->count == base->count;
    default: return false;
    }
}

/* The axis of a view, counted in elements of `inner`, as one of inner's base: *step, and
 * how far it reaches on which axis of inner. false: it runs over several axes. */
static bool axis_within(const struct ir_view *inner, struct ir_axis x, int64_t *most,
                        int64_t *step) {
    int64_t stride = (int64_t)inner->count;
    *step = 0;
    if (x.step == 0) return true;
    for (uint32_t k = 0; x.step > 0 && k < inner->rank; k++) {
        stride /= inner->axes[k].dim;
        if (x.step < stride) continue;
        int64_t steps = x.step / stride;
        *step = steps * inner->axes[k].step;
        return x.step % stride == 0 && !__builtin_mul_overflow(steps, x.dim - 1, &steps) &&
               rw_add_i64(most[k], steps, &most[k]) && most[k] < inner->axes[k].dim;
    }
    return false;
}

/* The view of a view as one of the first base. */
static bool compose(const struct ir_view *inner, struct ir_view *v) {
    int64_t most[IR_VIEW_RANK], step[IR_VIEW_RANK];
    struct ir_view_at at = {.pos = most};
    if (v->start < 0) return false;
    ir_view_seek(inner, (uint64_t)v->start, &at);
    for (uint32_t k = 0; k < v->rank; k++)
        if (v->axes[k].dim > 1 && !axis_within(inner, v->axes[k], most, &step[k]))
            return false;
    for (uint32_t k = 0; k < v->rank; k++)
        if (v->axes[k].dim > 1) v->axes[k].step = step[k];
    v->start = at.place;
    return true;
}

/* Runs that are long, or few, are read where they are; for others the whole base is. */
static bool must_hold(const struct ir_tensor *base, const struct ir_view *v, size_t size) {
    uint64_t run = ir_view_run(v);
    if (base->storage == IR_AS_PROTO) return true;
    if (base->storage == IR_IN_MEMORY || run * size >= LONG_RUN) return false;
    return v->count / run > MOST_READS || base->nbytes / 8 <= v->count * size;
}

struct ir_tensor *ir_lazy_view(struct arena *a, const struct ir_tensor *base,
                               const struct ir_view *view, uint32_t rank,
                               const int64_t *dims) {
    struct ir_tensor *t = tensor_of(a, base, rank, dims, view->count);
    struct ir_lazy x = {.kind = IR_LAZY_VIEW, .size = ir_dtype_bits(base->dtype) / 8,
                        .count = view->count, .view = *view};
    /* A scalar gets an axis. */
    x.view.axes = arena_new_array(a, struct ir_axis, view->rank + 1);
    if (view->rank) memcpy(x.view.axes, view->axes, view->rank * sizeof *view->axes);
    while (base->storage == IR_COMPUTED && base->lazy->kind == IR_LAZY_VIEW &&
           base->count == base->lazy->view.count && compose(&base->lazy->view, &x.view))
        base = base->lazy->base;
    ir_view_simplify(&x.view);
    if (ir_view_is_range(&x.view) && share_range(t, base, x.view.start, x.size)) return t;
    x.base = base;
    x.holds = must_hold(base, &x.view, x.size);
    x.depth = 1 + depth_of(base);
    x.cost = 1 + cost_of(base);
    x.held = held_of(base) + (x.holds ? base->nbytes : 0);
    return computed(a, t, &x);
}

/* --- joining ---------------------------------------------------------------------- */

static uint64_t product(const int64_t *dims, uint32_t from, uint32_t to) {
    uint64_t n = 1;
    for (uint32_t i = from; i < to; i++) n *= (uint64_t)dims[i];
    return n;
}

/* Of parts that follow one another only the one that is read is held. */
static void add_part(struct ir_lazy *x, const struct ir_tensor *part, bool one_row) {
    x->depth = rw_max_u32(x->depth, 1 + depth_of(part));
    x->cost = rw_max_u32(x->cost, 1 + cost_of(part));
    uint64_t held = held_of(part) + (part->storage == IR_AS_PROTO ? part->nbytes : 0);
    if (one_row) x->held = held > x->held ? held : x->held;
    else x->held += held;
}

struct ir_tensor *ir_lazy_join(struct arena *a, uint32_t n,
                               const struct ir_tensor *const *parts, uint32_t axis,
                               uint32_t rank, const int64_t *dims) {
    uint64_t count = product(dims, 0, rank), inner = product(dims, axis + 1, rank);
    struct ir_tensor *t = tensor_of(a, parts[0], rank, dims, count);
    struct ir_lazy x = {.kind = IR_LAZY_JOIN, .size = ir_dtype_bits(t->dtype) / 8,
                        .count = count, .depth = 1, .cost = 1};
    const struct ir_tensor **list = arena_new_array(a, const struct ir_tensor *, n);
    uint64_t *width = arena_new_array(a, uint64_t, n);
    bool one_row = product(dims, 0, axis) == 1;
    x.join = (struct ir_lazy_join){.parts = list, .width = width};
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i]->count == 0) continue;
        width[x.join.n] = (uint64_t)parts[i]->dims[axis] * inner;
        list[x.join.n] = parts[i];
        x.join.row += width[x.join.n++];
        add_part(&x, parts[i], one_row);
    }
    return computed(a, t, &x);
}

/* --- maps ------------------------------------------------------------------------- */

struct ir_tensor *ir_lazy_map(const struct ir_eval *e, enum ir_dtype t, uint32_t rank,
                              const int64_t *dims, uint64_t broadcast) {
    struct arena *a = e->arena;
    uint64_t count = product(dims, 0, rank);
    struct ir_lazy x = {.kind = IR_LAZY_MAP, .size = ir_dtype_bits(t) / 8, .count = count,
                        .map = *e, .depth = 1, .cost = 1, .held = broadcast};
    struct ir_attr *attrs = arena_new_array(a, struct ir_attr, e->nattr + 1);
    for (uint32_t i = 0; i < e->nattr; i++) attrs[i] = ir_attr_copy(a, &e->attr[i]);
    x.map.attr = attrs;
    x.map.in = arena_copy(a, e->in, e->nin * sizeof(struct ir_tensor *));
    x.map.model = NULL; /* whoever reads has it */
    x.map.arena = NULL;
    x.map.budget = NULL;
    x.map.max_bytes = UINT64_MAX;
    for (uint32_t k = 0; k < e->nin; k++) {
        if (!e->in[k]) continue;
        x.depth = rw_max_u32(x.depth, 1 + depth_of(e->in[k]));
        x.cost += cost_of(e->in[k]);
        x.held += held_of(e->in[k]);
    }
    const struct ir_tensor like = {.dtype = t};
    return computed(a, tensor_of(a, &like, rank, dims, count), &x);
}

/* --- comparing -------------------------------------------------------------------- */

static bool same_base(const struct ir_tensor *a, const struct ir_tensor *b) {
    if (a == b) return true;
    if (a->dtype != b->dtype || a->storage != b->storage || a->nbytes != b->nbytes)
        return false;
    switch (a->storage) {
    case IR_IN_MEMORY: return a->data == b->data;
    case IR_IN_FILE: return a->offset == b->offset;
    case IR_EXTERNAL: return a->offset == b->offset && a->location == b->location;
    case IR_COMPUTED: return a->lazy == b->lazy;
    default: return false;
    }
}

static bool same_view(const struct ir_lazy *a, const struct ir_lazy *b) {
    const struct ir_view *x = &a->view, *y = &b->view;
    return same_base(a->base, b->base) && x->rank == y->rank && x->start == y->start &&
           memcmp(x->axes, y->axes, x->rank * sizeof *x->axes) == 0;
}

static bool same_join(const struct ir_lazy_join *a, const struct ir_lazy_join *b) {
    if (a->n != b->n || a->row != b->row) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->width[i] != b->width[i] || !same_base(a->parts[i], b->parts[i]))
            return false;
    return true;
}

bool ir_lazy_same(const struct ir_tensor *a, const struct ir_tensor *b) {
    const struct ir_lazy *x = a->lazy, *y = b->lazy;
    bool alike = a->dtype == b->dtype && a->rank == b->rank && a->count == b->count &&
                 (!a->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
    if (!alike || x->kind != y->kind) return false;
    if (x == y) return true;
    if (x->kind == IR_LAZY_VIEW) return same_view(x, y);
    return x->kind == IR_LAZY_JOIN && same_join(&x->join, &y->join);
}
