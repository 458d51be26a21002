/* sort.c -- TopK and Unique: elements by their order. A NaN has no place in it, and is not
 * evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

/* Numbers of items of x, sorted by value and, where equal, by number. */
struct order {
    const struct eval_array *x;
    uint64_t begin, step; /* item i lies at begin + i * step */
    bool largest;         /* first */
    uint64_t *at, *spare; /* room for as many as there are */
};

/* Does item a come before b? Of a NaN nothing is asked. */
static bool precedes(const struct order *o, uint64_t a, uint64_t b) {
    uint64_t i = o->begin + (o->largest ? b : a) * o->step;
    uint64_t k = o->begin + (o->largest ? a : b) * o->step;
    switch (o->x->class) {
    case EVAL_F32: return o->x->f32[i] < o->x->f32[k];
    case EVAL_F64: return o->x->f64[i] < o->x->f64[k];
    case EVAL_I64: return o->x->i64[i] < o->x->i64[k];
    case EVAL_U64: break;
    }
    return o->x->u64[i] < o->x->u64[k];
}

/* Joins the sorted ranges begin..middle and middle..end; the first wins a tie. */
static void merge(struct order *o, uint64_t begin, uint64_t middle, uint64_t end) {
    uint64_t a = begin, b = middle;
    for (uint64_t i = begin; i < end; i++) {
        bool second = a == middle || (b < end && precedes(o, o->at[b], o->at[a]));
        o->spare[i] = o->at[second ? b++ : a++];
    }
}

static void sort(struct order *o, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) o->at[i] = i;
    for (uint64_t half = 1; half < n; half *= 2) {
        for (uint64_t begin = 0; begin < n; begin += 2 * half) {
            uint64_t middle = begin + half < n ? begin + half : n;
            uint64_t end = middle + half < n ? middle + half : n;
            merge(o, begin, middle, end);
        }
        uint64_t *sorted = o->spare;
        o->spare = o->at;
        o->at = sorted;
    }
}

static struct order order_of(struct eval_job *j, const struct eval_array *x, uint64_t n) {
    struct order o = {.x = x, .step = 1};
    o.at = arena_array(&j->work, (size_t)n, sizeof *o.at);
    o.spare = arena_array(&j->work, (size_t)n, sizeof *o.spare);
    return o;
}

static void copy_item(struct eval_array *r, uint64_t at, const struct eval_array *x,
                      uint64_t from) {
    if (x->class == EVAL_F32) r->f32[at] = x->f32[from];
    else r->u64[at] = x->u64[from];
}

/* --- TopK -------------------------------------------------------------------------- */

/* How many: an attribute before opset 10. */
static bool how_many(struct eval_job *j, int64_t dim, int64_t *k) {
    struct eval_ints given;
    const struct ir_attr *a = ir_eval_attr(j, "k");
    if (a) *k = a->i;
    else if (!ir_eval_ints(j, "", 1, &given) || given.n != 1) return false;
    else *k = given.at[0];
    return *k >= 0 && *k <= dim;
}

/* Without `sorted` the order is open. */
static bool eval_top_k(struct eval_job *j) {
    struct eval_array x, values, places;
    uint32_t axis;
    int64_t k;
    if (j->e->nout != 2 || !ir_eval_attr_int(j, "sorted", 1)) return false;
    if (!ir_eval_array(j, 0, &x) || ir_eval_has_nan(&x)) return false;
    if (!ir_eval_axis(ir_eval_attr_int(j, "axis", -1), x.shape.rank, &axis)) return false;
    if (!how_many(j, x.shape.at[axis], &k)) return false;
    struct eval_shape s = x.shape;
    s.at[axis] = k;
    if (!ir_eval_array_new(j, x.dtype, x.class, &s, &values) ||
        !ir_eval_array_new(j, IR_INT64, EVAL_I64, &s, &places))
        return false;
    struct eval_lines from = ir_eval_lines(&x.shape, axis), to = ir_eval_lines(&s, axis);
    struct order o = order_of(j, &x, from.length);
    o.largest = ir_eval_attr_int(j, "largest", 1) != 0;
    o.step = from.step;
    for (uint64_t line = 0; values.count && line < from.count; line++) {
        o.begin = ir_eval_line(&from, line);
        sort(&o, from.length);
        for (uint64_t i = 0; i < (uint64_t)k; i++) {
            uint64_t at = ir_eval_line(&to, line) + i * to.step;
            copy_item(&values, at, &x, o.begin + o.at[i] * o.step);
            places.i64[at] = (int64_t)o.at[i];
        }
    }
    return ir_eval_put(j, 0, &values) && ir_eval_put(j, 1, &places);
}

/* --- Unique ------------------------------------------------------------------------ */

/* first, inverse and counts, of the distinct items in the order wanted. */
struct distinct {
    uint64_t n;
    uint64_t *first;       /* number of the first item of each */
    int64_t *group, *size; /* of each item: which one it is; of each one: how many */
};

static struct distinct find_distinct(struct eval_job *j, struct order *o, uint64_t n) {
    struct distinct d = {0};
    d.first = arena_array(&j->work, (size_t)n, sizeof *d.first);
    d.group = arena_array(&j->work, (size_t)n, sizeof *d.group);
    d.size = arena_array(&j->work, (size_t)n, sizeof *d.size);
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || precedes(o, o->at[i - 1], o->at[i])) {
            d.first[d.n] = o->at[i];
            d.size[d.n++] = 0;
        }
        d.group[o->at[i]] = (int64_t)d.n - 1;
        d.size[d.n - 1]++;
    }
    return d;
}

/* Brings the distinct items into the order in which they first occur. */
static void by_occurrence(struct eval_job *j, struct distinct *d, uint64_t n) {
    int64_t *now = arena_array(&j->work, (size_t)n, sizeof *now);
    int64_t *size = arena_array(&j->work, (size_t)n, sizeof *size);
    uint64_t *first = arena_array(&j->work, (size_t)n, sizeof *first);
    uint64_t seen = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t group = (uint64_t)d->group[i];
        if (d->first[group] == i) {
            size[seen] = d->size[group];
            first[seen] = i;
            now[group] = (int64_t)seen++;
        }
        d->group[i] = now[group]; /* the first of the group came before */
    }
    d->first = first;
    d->size = size;
}

static bool put_list(struct eval_job *j, uint32_t k, uint64_t n, const int64_t *items) {
    struct eval_array r;
    const struct eval_shape s = {.rank = 1, .at = {(int64_t)n}};
    if (k >= j->e->nout) return true;
    if (!ir_eval_array_new(j, IR_INT64, EVAL_I64, &s, &r)) return false;
    if (n) memcpy(r.i64, items, (size_t)n * sizeof *items);
    return ir_eval_put(j, k, &r);
}

/* Of all elements; of slices along an axis it is not evaluated, unless there is one. */
static bool eval_unique(struct eval_job *j) {
    struct eval_array x, r;
    if (!ir_eval_array(j, 0, &x) || ir_eval_has_nan(&x)) return false;
    if (ir_eval_attr(j, "axis") && x.shape.rank != 1) return false;
    struct order o = order_of(j, &x, x.count);
    sort(&o, x.count);
    struct distinct d = find_distinct(j, &o, x.count);
    if (!ir_eval_attr_int(j, "sorted", 1)) by_occurrence(j, &d, x.count);
    const struct eval_shape s = {.rank = 1, .at = {(int64_t)d.n}};
    if (!ir_eval_array_new(j, x.dtype, x.class, &s, &r)) return false;
    int64_t *first = arena_array(&j->work, (size_t)d.n, sizeof *first);
    for (uint64_t i = 0; i < d.n; i++) {
        copy_item(&r, i, &x, d.first[i]);
        first[i] = (int64_t)d.first[i];
    }
    return ir_eval_put(j, 0, &r) && put_list(j, 1, d.n, first) &&
           put_list(j, 2, x.count, d.group) && put_list(j, 3, d.n, d.size);
}

const struct eval_op ir_eval_sort_ops[] = {
    {"TopK", eval_top_k, 0},
    {"Unique", eval_unique, 0},
    {NULL, NULL, 0},
};
