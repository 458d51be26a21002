/* reduce.c -- reductions, arg-reductions, TopK, and normalisations with statistics.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

static void set_reduced(struct infer *x, uint32_t k, enum ir_dtype t,
                        const struct infer_shape *s, const bool *gone, bool keep) {
    struct infer_shape out = {0};
    for (uint32_t i = 0; i < s->rank; i++) {
        if (gone[i] && keep) out.dim[out.rank++] = infer_const(x, 1);
        else if (!gone[i]) out.dim[out.rank++] = s->dim[i];
    }
    infer_set(x, k, t, &out);
}

/* The axes are an input whose value is not known: with keepdims the rank at least is. */
static void set_dynamic(struct infer *x, const struct infer_shape *s, bool keep,
                        enum ir_dtype t) {
    struct infer_shape axes, out = {.rank = s->rank};
    if (!keep && infer_items_of(x, 1, &axes) && axes.rank <= s->rank)
        out.rank = s->rank - axes.rank;
    else if (!keep) return;
    infer_set(x, 0, t, &out);
}

static bool reduce(struct infer *x, enum ir_dtype t) {
    struct infer_shape s;
    bool gone[INFER_MAX_RANK] = {false};
    bool keep = infer_int(x, "keepdims", 1) != 0;
    struct infer_ints axes = infer_ints(x, "axes");
    infer_set_unranked(x, 0, t, 0);
    bool none = !axes.given || (axes.known && axes.n == 0);
    if (none && infer_int(x, "noop_with_empty_axes", 0)) return infer_same_as_first(x);
    if (!infer_shape_of(x, 0, &s)) {
        if (none && !keep) infer_set(x, 0, t, &(struct infer_shape){0});
        return true;
    }
    if (axes.given && !axes.known) {
        set_dynamic(x, &s, keep, t);
        return true;
    }
    for (uint32_t i = 0; i < s.rank && none; i++) gone[i] = true;
    for (uint32_t i = 0; i < axes.n; i++) {
        uint32_t axis;
        if (!infer_axis(x, axes.at[i], s.rank, &axis)) return false;
        gone[axis] = true;
    }
    set_reduced(x, 0, t, &s, gone, keep);
    return true;
}

bool infer_reduce(struct infer *x) { return reduce(x, infer_dtype(x, 0)); }

/* com.microsoft ReduceSumInteger: small integers, summed up in larger ones. */
bool infer_reduce_integer(struct infer *x) {
    enum ir_dtype t = infer_dtype(x, 0);
    return reduce(x, t == IR_UINT8 ? IR_UINT32 : t == IR_INT8 ? IR_INT32 : IR_UNDEFINED);
}

bool infer_arg_reduce(struct infer *x) {
    struct infer_shape s;
    bool gone[INFER_MAX_RANK] = {false};
    uint32_t axis;
    infer_set_unranked(x, 0, IR_INT64, 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!infer_axis(x, infer_int(x, "axis", 0), s.rank, &axis)) return false;
    gone[axis] = true;
    set_reduced(x, 0, IR_INT64, &s, gone, infer_int(x, "keepdims", 1) != 0);
    return true;
}

bool infer_topk(struct infer *x) {
    struct infer_shape s;
    uint32_t axis;
    struct infer_ints k = infer_ints(x, "k");
    const struct ir_symval *value = infer_value_of(x, 1);
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    infer_set_unranked(x, 1, IR_INT64, 0);
    if (!infer_shape_of(x, 0, &s)) return true;
    if (!infer_axis(x, infer_int(x, "axis", -1), s.rank, &axis)) return false;
    s.dim[axis] = IR_DIM_UNKNOWN;
    if (k.known && k.n == 1) s.dim[axis] = infer_const(x, k.at[0]);
    else if (value && value->len == 1 && infer_never_negative(x, value->items[0]))
        s.dim[axis] = value->items[0];
    infer_set(x, 0, infer_dtype(x, 0), &s);
    infer_set(x, 1, IR_INT64, &s);
    return true;
}

/* --- normalisation over the last dims ---------------------------------------------- */

/* Statistics stand for what was normalised: ones from the axis on. */
static bool set_statistics(struct infer *x, uint32_t first, uint32_t last, enum ir_dtype t,
                           int64_t axis) {
    struct infer_shape s;
    uint32_t from;
    if (!infer_shape_of(x, 0, &s)) {
        for (uint32_t k = first; k <= last; k++) infer_set_unranked(x, k, t, 0);
        return true;
    }
    if (!infer_axis(x, axis, s.rank, &from)) return false;
    for (uint32_t i = from; i < s.rank; i++) s.dim[i] = infer_const(x, 1);
    for (uint32_t k = first; k <= last; k++) infer_set(x, k, t, &s);
    return true;
}

/* LayerNormalization, RMSNormalization, SimplifiedLayerNormalization. */
bool infer_layer_norm(struct infer *x) {
    int64_t stash = infer_int(x, "stash_type", IR_FLOAT);
    enum ir_dtype scale = infer_has(x, 1) ? infer_dtype(x, 1) : IR_UNDEFINED;
    infer_set_like(x, 0, scale != IR_UNDEFINED ? scale : infer_dtype(x, 0), 0);
    bool named = stash > IR_UNDEFINED && stash < IR_DTYPE_N;
    return set_statistics(x, 1, 2, named ? (enum ir_dtype)stash : IR_FLOAT,
                          infer_int(x, "axis", -1));
}

/* (x, skip, gamma, ...) -> y, mean, 1/sd, x + skip; the skip may lack the batch. */
bool infer_skip_layer_norm(struct infer *x) {
    struct infer_shape s;
    if (infer_shape_of(x, 0, &s) && s.rank != 2 && s.rank != 3)
        return infer_fail(x, "the input has rank %u, wanted 2 or 3", s.rank);
    infer_set_like(x, 0, infer_dtype(x, 0), 0);
    infer_set_like(x, 3, infer_dtype(x, 0), 0);
    return set_statistics(x, 1, 2, IR_FLOAT, -1);
}
