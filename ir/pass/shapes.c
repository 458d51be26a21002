/* shapes.c -- shape arithmetic with a known result becomes a constant.
 *
 * Inference has found the integers that carry shapes (symval). Where all of a value are
 * known and something other than known arithmetic reads it, a constant takes its place;
 * what made it is left to dce. Targets of a Reshape and its like need less: see targets.c.
 * Values that are known to be equal, though not what they are, become one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"

static bool is_integral(enum ir_dtype t) {
    return t == IR_INT64 || t == IR_INT32 || t == IR_BOOL;
}

/* --- known values ------------------------------------------------------------------- */

/* The integers that v is known to have, or NULL. Floats, which a Cast makes of integers, are
 * left to fold: what they are made of must become a constant first. */
static const struct ir_symval *known(const struct ir_graph *g, ir_value v) {
    const struct ir_symval *s = ir_val(g, v)->symval;
    int64_t value;
    if (!is_integral(ir_type_dtype(ir_val(g, v)->type))) return NULL;
    for (uint32_t i = 0; s && i < s->len; i++)
        if (!ir_dim_is_const(g->model->dims, s->items[i], &value)) return NULL;
    return s;
}

/* Is every result of the node known, so that it will be dead itself? */
static bool is_known_arithmetic(const struct ir_graph *g, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (v == IR_NONE) continue;
        if (ir_has(g, v, IR_IS_OUTPUT) || !known(g, v)) return false;
    }
    return true;
}

static bool is_wanted(const struct ir_graph *g, ir_value v) {
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        const struct ir_use_info *x = &g->uses.at[u];
        if (x->user == IR_NONE || x->slot == IR_SLOT_BODY) return true;
        if (!is_known_arithmetic(g, x->user)) return true;
    }
    return false;
}

static bool replace_known(struct ir_graph *g, ir_value v) {
    if (ir_has(g, v, IR_IS_OUTPUT) || ir_val(g, v)->tensor) return false;
    const struct ir_symval *s = known(g, v);
    if (!s || !is_wanted(g, v)) return false;
    struct ir_tensor *t = ir_tensor_of_symval(g, v, g->model->arena);
    if (t) ir_put_constant(g, v, t);
    return t != NULL;
}

static bool replace_results(struct ir_graph *g, ir_node n) {
    bool replaced = false;
    for (uint32_t k = 0; k < ir_nod(g, n)->nout && !ir_is_dead(g, n); k++) {
        ir_value v = ir_output(g, n, k);
        if (v != IR_NONE && replace_known(g, v)) replaced = true;
    }
    return replaced;
}

/* --- equal values ------------------------------------------------------------------- */

struct numbering {
    struct ir_graph *g;
    struct hset seen;
};

static uint64_t hash_symval(const struct ir_graph *g, ir_value v) {
    const struct ir_symval *s = ir_val(g, v)->symval;
    uint64_t h = hash_join(ir_type_dtype(ir_val(g, v)->type), s->rank);
    for (uint32_t i = 0; i < s->len; i++)
        h = hash_join(h, ir_dim_find(g->model->dims, s->items[i]));
    return h;
}

static bool same_symval(const void *key, uint32_t id, const void *ctx) {
    const struct ir_graph *g = ctx;
    const struct ir_value_info *a = ir_val(g, *(const ir_value *)key), *b = ir_val(g, id);
    if (ir_type_dtype(a->type) != ir_type_dtype(b->type)) return false;
    if (a->symval->rank != b->symval->rank || a->symval->len != b->symval->len)
        return false;
    for (uint32_t i = 0; i < a->symval->len; i++)
        if (ir_dim_equal(g->model->dims, a->symval->items[i], b->symval->items[i]) !=
            IR_TRUE)
            return false;
    return true;
}

/* An integer value, each item of which is known to be something, but not all numbers:
 * constants are not to give way to what has to be computed. */
static bool is_numbered(const struct ir_graph *g, ir_value v) {
    const struct ir_symval *s = ir_val(g, v)->symval;
    if (!s || s->rank > 1 || known(g, v) || !ir_dtype_is_int(ir_type_dtype(ir_val(g, v)->type)))
        return false;
    for (uint32_t i = 0; i < s->len; i++)
        if (s->items[i] == IR_DIM_UNKNOWN) return false;
    return true;
}

/* A value that is equal to an earlier one, whatever way each was found, gives way to it:
 * the batch size taken from a tensor deep inside, for one, to that of an input. */
static uint32_t merge_results(struct numbering *all, ir_node n) {
    struct ir_graph *g = all->g;
    uint32_t merged = 0;
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (v == IR_NONE || !is_numbered(g, v)) continue;
        uint64_t hash = hash_symval(g, v);
        ir_value first = hset_find(&all->seen, hash, same_symval, &v, g);
        if (first == MAP_NONE) hset_add(&all->seen, hash, v);
        else if (ir_val(g, v)->nuses && !ir_has(g, v, IR_IS_OUTPUT)) {
            ir_replace_value(g, v, first);
            merged++;
        }
    }
    return merged;
}

static uint32_t merge_equals(struct ir_graph *g) {
    struct arena work = ARENA_EMPTY;
    struct numbering all = {.g = g, .seen.arena = &work};
    uint32_t merged = 0;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        merged += merge_results(&all, n);
    arena_free(&work);
    return merged;
}

static uint32_t settle(struct ir_graph *g, void *ctx) {
    RW_UNUSED(ctx);
    uint32_t changed = 0;
    for (ir_node n = g->first, next; n != IR_NONE; n = next) {
        next = ir_nod(g, n)->next;
        changed += ir_settle_target(g, n) || replace_results(g, n) || ir_settle_dims(g, n);
    }
    return changed + merge_equals(g);
}

uint32_t ir_pass_shapes(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    return ir_pass_over(m, settle, NULL);
}
