/* shape.c -- shapes as operands: constants as far as they are known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

#define MAX_RANK 64

static bool constant_dims(struct pm_build *b, struct pm_val list, int64_t other,
                          ir_value *out) {
    int64_t *ints = arena_new_array(b->env->site.arena, int64_t, list.n);
    for (uint32_t i = 0; i < list.n; i++)
        ints[i] = list.items[i].kind == VAL_INT ? list.items[i].i : other;
    *out = pm_add_constant(b, ir_tensor_ints(b->g->model->arena, list.n, ints));
    return true;
}

/* --- from shapes ------------------------------------------------------------------ */
static bool has_dim(const struct pm_build *b, ir_value v, ir_dim d, uint32_t *axis) {
    const struct ir_type *t = ir_val(b->g, v)->type;
    for (*axis = 0; ir_type_ranked(t) && *axis < t->rank; ++*axis)
        if (ir_dim_equal(b->g->model->dims, t->dims[*axis], d) == IR_TRUE) return true;
    return false;
}

/* A value of the match that has the dimension, and where. A variable rather than a result
 * of what was matched, which would have to stay for it; never what is replaced. */
static bool find_dim(const struct pm_build *b, ir_dim d, ir_value *v, uint32_t *axis) {
    const struct rule *r = b->match->accept->rule;
    for (int variables = 1; variables >= 0; variables--)
        for (uint32_t s = 0; s < r->nslots; s++) {
            const struct pm_binding x = b->env->slots[s];
            bool is_variable = !r->slots[s].def;
            if (x.kind != BOUND_VALUE || x.a == IR_NONE || is_variable != variables)
                continue;
            if (r->slots[s].flags & SLOT_ROOT) continue;
            *v = x.a;
            if (has_dim(b, *v, d, axis)) return true;
        }
    return false;
}

static bool make_one(struct pm_build *b, const char *op, uint32_t nin, const ir_value *in,
                     const struct ir_attr *attr, ir_value *out) {
    struct arena *a = b->env->site.arena;
    int64_t opset = ir_opset(b->g, "");
    struct pm_draft d = {.domain = "", .op = op, .opset = opset,
                         .schema = ir_schema_in(b->g, "", op)};
    for (uint32_t i = 0; i < nin; i++) vec_push(a, &d.in, in[i]);
    if (attr) vec_push(a, &d.attrs, *attr);
    bool wanted = true;
    return pm_make(b, &d, 1, &wanted, out);
}

/* Gather(Shape(v), [axis]), a list of one. */
static bool dim_node(struct pm_build *b, ir_dim d, ir_value *out) {
    ir_value v, in[2];
    uint32_t axis;
    if (!find_dim(b, d, &v, &axis))
        return pm_refuse(b, "a dimension of an emitted shape is not known");
    int64_t index = axis;
    if (!make_one(b, "Shape", 1, &v, NULL, &in[0])) return false;
    in[1] = pm_add_constant(b, ir_tensor_ints(b->g->model->arena, 1, &index));
    return make_one(b, "Gather", 2, in, NULL, out);
}

static bool dims_from_shapes(struct pm_build *b, struct pm_val list, ir_value *out) {
    ir_value parts[MAX_RANK];
    for (uint32_t i = 0; i < list.n; i++) {
        struct pm_val one = pm_list(1, &list.items[i]);
        bool ok = list.items[i].kind == VAL_INT ? constant_dims(b, one, 0, &parts[i])
                  : list.items[i].kind == VAL_DIM
                      ? dim_node(b, list.items[i].dim, &parts[i])
                      : pm_refuse(b, "a dimension of an emitted shape is not known");
        if (!ok) return false;
    }
    struct ir_attr axis = ir_attr_int("axis", 0);
    if (list.n == 1) *out = parts[0];
    return list.n == 1 || make_one(b, "Concat", list.n, parts, &axis, out);
}

/* Reshape finds one dimension by itself: one that no value of the match has, if any. */
static void leave_one_free(const struct pm_build *b, struct pm_val *items, uint32_t n) {
    ir_value v;
    uint32_t axis;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind != VAL_DIM || find_dim(b, items[i].dim, &v, &axis)) continue;
        items[i] = pm_int(-1);
        return;
    }
}

bool pm_emit_dims(struct pm_build *b, struct pm_val list, bool for_reshape, ir_value *out) {
    struct pm_val *items = arena_new_array(b->env->site.arena, struct pm_val, list.n);
    uint32_t unknown = 0, free = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        items[i] = pm_known(b->env, list.items[i]);
        if (items[i].kind == VAL_LIST && items[i].n == 1) items[i] = items[i].items[0];
        unknown += items[i].kind != VAL_INT;
        free += items[i].kind == VAL_INT && items[i].i == -1;
    }
    list.items = items;
    if (unknown == 0 || (for_reshape && unknown == 1 && free == 0))
        return constant_dims(b, list, -1, out);
    if (list.n > MAX_RANK) return pm_refuse(b, "an emitted shape has too many dimensions");
    if (for_reshape && free == 0) leave_one_free(b, items, list.n);
    return dims_from_shapes(b, list, out);
}
