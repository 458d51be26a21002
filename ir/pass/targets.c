/* targets.c -- operands that say a shape, known up to symbols, become constants.
 *
 * Reshape, Expand, Slice and Resize can say "as it is" of a dimension in another way than
 * by its size: with 0, with 1, with the largest number, with a scale of 1. Where what they
 * are told is known to be a dimension of their operand they need no arithmetic to be told.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer.h"
#include "ir/param.h"
#include "ir/pass/kit.h"
#include "ir/tensor/tensor_bytes.h"

#define MOST_ITEMS 64

struct target {
    struct ir_graph *g;
    ir_node n;
    uint32_t slot;             /* of the operand that says a shape */
    const struct ir_type *x;   /* of the operand that gets it; ranked */
    const struct ir_symval *s; /* what it says; not all of it numbers */
    int64_t items[MOST_ITEMS];
};

static bool is_number(const struct target *t, uint32_t i, int64_t *value) {
    return ir_dim_is_const(t->g->model->dims, t->s->items[i], value);
}

/* Is item i the operand's dimension number `axis`? */
static bool is_dim(const struct target *t, uint32_t i, int64_t axis) {
    return axis >= 0 && axis < t->x->rank &&
           ir_dim_equal(t->g->model->dims, t->x->dims[axis], t->s->items[i]) == IR_TRUE;
}

static bool look_at(struct target *t, struct ir_graph *g, ir_node n, uint32_t slot) {
    ir_value x = ir_input(g, n, 0), v = ir_input(g, n, slot);
    if (x == IR_NONE || v == IR_NONE || ir_const(g, v)) return false;
    *t = (struct target){.g = g, .n = n, .slot = slot, .x = ir_val(g, x)->type,
                         .s = ir_val(g, v)->symval};
    int64_t value;
    if (!t->s || t->s->rank != 1 || t->s->len > MOST_ITEMS || !ir_type_ranked(t->x))
        return false;
    for (uint32_t i = 0; i < t->s->len; i++)
        if (!is_number(t, i, &value)) return true;
    return false; /* all known: a constant anyway */
}

static bool put(struct target *t, struct ir_tensor *now) {
    ir_value v = ir_input(t->g, t->n, t->slot);
    if (ir_val(t->g, v)->nuses == 1) ir_put_constant(t->g, v, now);
    else ir_set_input(t->g, t->n, t->slot, ir_add_constant(t->g, ir_val(t->g, v)->name, now));
    return true;
}

/* As integers of the type that was there. */
static bool put_items(struct target *t) {
    struct arena *a = t->g->model->arena;
    ir_value v = ir_input(t->g, t->n, t->slot);
    if (ir_type_dtype(ir_val(t->g, v)->type) != IR_INT32)
        return put(t, ir_tensor_ints(a, t->s->len, t->items));
    unsigned char bytes[4 * MOST_ITEMS];
    const int64_t dims[] = {t->s->len};
    for (uint32_t i = 0; i < t->s->len; i++) {
        int64_t fit = t->items[i] > INT32_MAX ? INT32_MAX : t->items[i];
        ir_store_le(bytes + (size_t)4 * i, 4, (uint64_t)fit);
    }
    return put(t, ir_tensor_new(a, IR_INT32, 1, dims, bytes));
}

/* --- Reshape -------------------------------------------------------------------------- */

struct counts {
    uint32_t copied, open, inferred, zeros;
};

/* An unknown item that is the operand's dimension at its place becomes 0, which copies it;
 * another one -1. */
static struct counts count_items(struct target *t) {
    struct counts c = {0};
    for (uint32_t i = 0; i < t->s->len; i++) {
        if (is_number(t, i, &t->items[i])) {
            c.zeros += t->items[i] == 0;
            c.inferred += t->items[i] == -1;
            continue;
        }
        bool copied = is_dim(t, i, i);
        t->items[i] = copied ? 0 : -1;
        *(copied ? &c.copied : &c.open) += 1;
    }
    return c;
}

/* At most one item may be -1. Where it was not before, all the rest have to be positive
 * numbers, for beside a dimension of 0 a size cannot be told from the others. A 0 that is
 * meant as one keeps allowzero, so that nothing can be copied. */
static bool settle_reshape(struct ir_graph *g, ir_node n) {
    struct target t;
    if (!look_at(&t, g, n, 1)) return false;
    const struct ir_attr *attr = ir_find_attr(g, n, "allowzero");
    bool allowzero = attr && (attr->ref || attr->i);
    struct counts c = count_items(&t);
    if (allowzero && c.copied && (c.zeros || attr->ref)) return false;
    bool can = c.open == 0 || (c.open == 1 && !c.copied && !c.zeros && !c.inferred);
    if (!can) return false;
    if (allowzero && c.copied) ir_drop_attr(g, n, "allowzero");
    return put_items(&t);
}

/* --- Expand, Slice -------------------------------------------------------------------- */

/* A 1 leaves the dimension as it is. */
static bool settle_expand(struct ir_graph *g, ir_node n) {
    struct target t;
    if (!look_at(&t, g, n, 1)) return false;
    for (uint32_t i = 0; i < t.s->len; i++) {
        if (is_number(&t, i, &t.items[i])) continue;
        if (!is_dim(&t, i, (int64_t)i + t.x->rank - t.s->len)) return false;
        t.items[i] = 1;
    }
    return put_items(&t);
}

/* The end of an axis is beyond every number. */
static bool settle_slice(struct ir_graph *g, ir_node n) {
    struct target t;
    struct arena work = ARENA_EMPTY;
    if (ir_nod(g, n)->schema->since < 10 || !look_at(&t, g, n, 2)) return false;
    struct ir_param axes = ir_param(g, n, "axes", &work);
    struct ir_param steps = ir_param(g, n, "steps", &work);
    bool can = axes.attr.type == IR_ATTR_INTS && axes.attr.n == t.s->len &&
               steps.attr.type == IR_ATTR_INTS && steps.attr.n == t.s->len;
    for (uint32_t i = 0; can && i < t.s->len; i++) {
        if (is_number(&t, i, &t.items[i])) continue;
        int64_t axis = axes.attr.ints[i];
        can = steps.attr.ints[i] > 0 && is_dim(&t, i, axis < 0 ? axis + t.x->rank : axis);
        t.items[i] = INT64_MAX;
    }
    arena_free(&work);
    return can && put_items(&t);
}

/* --- Resize --------------------------------------------------------------------------- */

/* By which whole number is the operand's dimension multiplied? */
static bool whole_scale(const struct target *t, uint32_t i, int64_t *scale) {
    struct ir_dims *dims = t->g->model->dims;
    ir_dim x = t->x->dims[i], item = t->s->items[i];
    if (is_dim(t, i, i)) return (*scale = 1), true;
    ir_dim by = ir_dim_floordiv(dims, item, x);
    return ir_dim_is_const(dims, by, scale) && *scale > 0 && *scale <= 1 << 20 &&
           ir_dim_equal(dims, ir_dim_mul(dims, x, ir_dim_const(dims, *scale)), item) ==
               IR_TRUE;
}

bool ir_resize_may_crop(const struct ir_graph *g, ir_node n) {
    static const char crop[] = "tf_crop_and_resize";
    const struct ir_attr *how = ir_find_attr(g, n, "coordinate_transformation_mode");
    return how && (how->ref || how->type != IR_ATTR_STRING ||
                   (how->s.len == strlen(crop) && !memcmp(how->s.at, crop, how->s.len)));
}

/* Sizes that are multiples of the operand's are scales. Not with axes or a policy, which
 * concern sizes alone, nor of a part: its size is what scales are of. */
static bool settle_resize(struct ir_graph *g, ir_node n) {
    struct target t;
    if (ir_nod(g, n)->schema->since < 11 || !look_at(&t, g, n, 3)) return false;
    if (ir_find_attr(g, n, "axes") || ir_find_attr(g, n, "keep_aspect_ratio_policy") ||
        ir_resize_may_crop(g, n))
        return false;
    unsigned char bytes[4 * MOST_ITEMS];
    if (t.s->len != t.x->rank) return false;
    for (uint32_t i = 0; i < t.s->len; i++) {
        int64_t scale;
        uint32_t word;
        if (!whole_scale(&t, i, &scale)) return false;
        float f = (float)scale;
        memcpy(&word, &f, sizeof word);
        ir_store_le(bytes + (size_t)4 * i, 4, word);
    }
    const int64_t dims[] = {t.s->len};
    struct ir_tensor *scales = ir_tensor_new(g->model->arena, IR_FLOAT, 1, dims, bytes);
    ir_set_input(g, n, 2, ir_add_constant(g, "scales", scales));
    ir_set_input(g, n, 3, IR_NONE);
    ir_set_input_count(g, n, 3);
    return true;
}

bool ir_settle_target(struct ir_graph *g, ir_node n) {
    if (!ir_nod(g, n)->schema) return false;
    if (ir_is_op(g, n, "Reshape")) return settle_reshape(g, n);
    if (ir_is_op(g, n, "Expand")) return settle_expand(g, n);
    if (ir_is_op(g, n, "Slice")) return settle_slice(g, n);
    return ir_is_op(g, n, "Resize") && settle_resize(g, n);
}
