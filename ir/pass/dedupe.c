/* dedupe.c -- equal initializers of a graph become one.
 *
 * Only a tensor that shares type and shape with another is looked into at all; tensors
 * are told apart by their first 4 KiB, and compared in full where those agree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"

struct dedupe {
    struct ir_graph *g;
    struct map shapes; /* hash of type and shape -> tensors that have it */
    struct hset seen;
    uint32_t compared;
};

static bool is_candidate(const struct dedupe *d, ir_value v) {
    return ir_val(d->g, v)->nuses && !ir_has(d->g, v, IR_IS_DEAD) &&
           !ir_has(d->g, v, IR_IS_OUTPUT) && ir_may_drop(d->g, v);
}

static uint64_t shape_hash(const struct ir_tensor *t) {
    return hash_bytes(t->dims, t->rank * sizeof *t->dims, t->dtype);
}

static void count_shapes(struct dedupe *d) {
    for (ir_value v = 0; v < d->g->values.len; v++) {
        if (!is_candidate(d, v)) continue;
        uint64_t h = shape_hash(ir_val(d->g, v)->tensor);
        uint32_t before = map_get(&d->shapes, h);
        map_put(&d->shapes, h, before == MAP_NONE ? 1 : before + 1);
    }
}

static bool same_tensor(const void *key, uint32_t id, const void *ctx) {
    struct dedupe *d = (struct dedupe *)(uintptr_t)ctx;
    if (d->compared++ >= IR_MOST_COMPARED) return false;
    return ir_tensor_equal(d->g->model, key, ir_val(d->g, id)->tensor);
}

static bool merge(struct dedupe *d, ir_value v) {
    const struct ir_tensor *t = ir_val(d->g, v)->tensor;
    if (map_get(&d->shapes, shape_hash(t)) == 1) return false;
    uint64_t hash = ir_hash_tensor(d->g->model, t);
    d->compared = 0;
    ir_value first = hset_find(&d->seen, hash, same_tensor, t, d);
    if (first == MAP_NONE) {
        if (d->compared < IR_MOST_COMPARED) hset_add(&d->seen, hash, v);
        return false;
    }
    ir_replace_uses(d->g, v, first);
    ir_remove_value(d->g, v);
    return true;
}

static uint32_t merge_equals(struct ir_graph *g, void *ctx) {
    RW_UNUSED(ctx);
    struct arena work = ARENA_EMPTY;
    struct dedupe d = {.g = g, .seen.arena = &work};
    uint32_t merged = 0;
    map_init(&d.shapes, &work);
    count_shapes(&d);
    for (ir_value v = 0; v < g->values.len; v++)
        if (is_candidate(&d, v)) merged += merge(&d, v);
    arena_free(&work);
    return merged;
}

uint32_t ir_pass_dedupe(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    return ir_pass_over(m, merge_equals, NULL);
}
