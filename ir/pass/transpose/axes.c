/* axes.c -- the table: for each operator its axes, and what holds them in place.
 *
 * What ONNX Runtime can run restricts some of them more than the standard does: its Resize
 * interpolates along last axes only. A Softmax along the last axis stays there, for along
 * another one its kernel transposes by itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/param.h"
#include "ir/pass/kit.h"
#include "ir/pass/transpose/axes.h"

struct look {
    const struct ir_graph *g;
    ir_node n;
    struct ir_axes *x;
    struct arena *arena;
};

/* false: the node cannot be told. */
typedef bool view(struct look *l);
struct ir_axis_rule {
    const char *op;
    view *view;
    ir_carry *carry; /* NULL: no parameter speaks of axes */
};

/* --- ports ---------------------------------------------------------------------------- */

static uint8_t all_axes(uint32_t rank) { return (uint8_t)((1u << rank) - 1); }

static void add_port(struct look *l, bool is_output, uint32_t slot, uint8_t mask) {
    l->x->ports[l->x->nports++] =
        (struct ir_port){.slot = slot, .is_output = is_output, .mask = mask};
}

static ir_value value_at(const struct look *l, bool is_output, uint32_t slot) {
    return is_output ? ir_output(l->g, l->n, slot) : ir_input(l->g, l->n, slot);
}

/* A port that has all axes of the node; the first one says how many those are. */
static bool full(struct look *l, bool is_output, uint32_t slot) {
    uint32_t rank;
    if (!ir_perm_rank(l->g, value_at(l, is_output, slot), &rank)) return false;
    if (!l->x->nports) l->x->rank = rank;
    add_port(l, is_output, slot, all_axes(rank));
    return rank == l->x->rank;
}

/* One that has those of the mask. */
static bool part(struct look *l, bool is_output, uint32_t slot, uint32_t mask) {
    uint32_t rank;
    if (!ir_perm_rank(l->g, value_at(l, is_output, slot), &rank)) return false;
    add_port(l, is_output, slot, (uint8_t)mask);
    return rank == ir_axes_in(mask);
}

static bool is_used(const struct look *l, uint32_t output) {
    ir_value v = ir_output(l->g, l->n, output);
    return v != IR_NONE && ir_val(l->g, v)->nuses;
}

static bool keep_place(struct look *l, uint32_t first, uint32_t end) {
    if (end > l->x->rank) return false;
    for (uint32_t i = first; i < end; i++) l->x->place[i] = (int8_t)i;
    return true;
}

/* --- parameters ----------------------------------------------------------------------- */

static bool int_param(const struct look *l, const char *name, int64_t *out) {
    struct ir_param p = ir_param(l->g, l->n, name, l->arena);
    *out = p.attr.i;
    return (p.source == IR_PARAM_ATTR || p.source == IR_PARAM_CONST) &&
           p.attr.type == IR_ATTR_INT;
}

static bool axis_in(const struct look *l, int64_t axis, uint32_t *out) {
    int64_t rank = l->x->rank;
    if (axis < -rank || axis >= rank) return false;
    *out = (uint32_t)(axis < 0 ? axis + rank : axis);
    return true;
}

static bool axis_param(const struct look *l, uint32_t *axis) {
    int64_t given;
    return int_param(l, "axis", &given) && axis_in(l, given, axis);
}

/* `axes` as a mask; all of them where it is not given. */
static bool axes_param(const struct look *l, uint32_t *mask) {
    struct ir_param p = ir_param(l->g, l->n, "axes", l->arena);
    *mask = all_axes(l->x->rank);
    if (p.source == IR_PARAM_ABSENT || p.source == IR_PARAM_NONE) return true;
    if (p.source == IR_PARAM_DYNAMIC) return false;
    const int64_t *axes = p.attr.type == IR_ATTR_INT ? &p.attr.i : p.attr.ints;
    uint32_t n = p.attr.type == IR_ATTR_INT ? 1 : p.attr.n;
    if (p.attr.type != IR_ATTR_INT && p.attr.type != IR_ATTR_INTS) return false;
    *mask = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis;
        if (!axis_in(l, axes[i], &axis) || (*mask >> axis & 1)) return false;
        *mask |= 1u << axis;
    }
    return true;
}

static bool is_list(const struct look *l, const char *name, uint32_t items) {
    struct ir_param p = ir_param(l->g, l->n, name, l->arena);
    return (p.source == IR_PARAM_ATTR || p.source == IR_PARAM_CONST) &&
           p.attr.type == IR_ATTR_INTS && p.attr.n == items;
}

static bool is_given(const struct look *l, const char *name) {
    enum ir_param_source s = ir_param(l->g, l->n, name, l->arena).source;
    return s != IR_PARAM_ABSENT && s != IR_PARAM_NONE;
}

/* --- elementwise ---------------------------------------------------------------------- */

static bool see_unary(struct look *l) {
    return full(l, false, 0) && full(l, true, 0);
}

static bool see_dropout(struct look *l) {
    int64_t training;
    return int_param(l, "training_mode", &training) && !training && see_unary(l) &&
           (!is_used(l, 1) || full(l, true, 1));
}

/* An operand with the last axes of the result. One element fits anywhere. */
static bool last_axes(struct look *l, uint32_t slot) {
    uint32_t rank;
    if (!ir_perm_rank(l->g, ir_input(l->g, l->n, slot), &rank) || rank > l->x->rank)
        return false;
    uint32_t first = l->x->rank - rank;
    add_port(l, false, slot, (uint8_t)(all_axes(l->x->rank) & ~all_axes(first)));
    return true;
}

/* All operands. */
static bool see_broadcast(struct look *l) {
    if (!full(l, true, 0)) return false;
    for (uint32_t k = 0; k < ir_nod(l->g, l->n)->nin; k++)
        if (!last_axes(l, k)) return false;
    return true;
}

/* Two operands, each with its scale and zero point, which are those of the whole tensor. */
static bool see_quantised_pair(struct look *l) {
    return full(l, true, 0) && last_axes(l, 0) && last_axes(l, 3);
}

/* Scale and zero point of the whole tensor, or along `axis`; not by blocks. */
static bool see_quantise(struct look *l) {
    uint32_t rank, axis;
    ir_value scale = ir_input(l->g, l->n, 1);
    if (!see_unary(l) || !ir_perm_rank(l->g, scale, &rank) || rank > 1) return false;
    int64_t block = 0, count = 0;
    if (int_param(l, "block_size", &block) && block) return false;
    if (rank == 0) return true;
    const struct ir_type *t = ir_val(l->g, scale)->type;
    return ir_dim_is_const(l->g->model->dims, t->dims[0], &count) && axis_param(l, &axis);
}

static void carry_quantise(struct ir_graph *g, ir_node n, struct ir_perm p) {
    if (ir_val(g, ir_input(g, n, 1))->type->rank) ir_carry_axis(g, n, p);
}

/* --- along axes ----------------------------------------------------------------------- */

static bool see_axis(struct look *l) {
    uint32_t axis;
    return see_unary(l) && axis_param(l, &axis);
}

static bool see_axis_input(struct look *l) {
    uint32_t axis;
    int64_t given;
    struct ir_tensor *t = ir_const(l->g, ir_input(l->g, l->n, 1));
    return see_unary(l) && t && t->count == 1 &&
           ir_tensor_int_at(l->g->model, t, 0, &given) && axis_in(l, given, &axis);
}

static bool see_softmax(struct look *l) {
    uint32_t axis;
    if (!see_unary(l) || !axis_param(l, &axis)) return false;
    if (ir_nod(l->g, l->n)->schema->since < 13) {
        if (ir_is_op(l->g, l->n, "Hardmax")) return false; /* the first of equals wins */
        l->x->tail = l->x->rank - axis;
    }
    else if (axis + 1 == l->x->rank) l->x->place[axis] = (int8_t)axis;
    return true;
}

static void carry_softmax(struct ir_graph *g, ir_node n, struct ir_perm p) {
    if (ir_nod(g, n)->schema->since >= 13) ir_carry_axis(g, n, p);
}

static bool see_concat(struct look *l) {
    uint32_t axis, n = ir_nod(l->g, l->n)->nin;
    bool can = full(l, true, 0) && axis_param(l, &axis);
    for (uint32_t k = 0; can && k < n; k++) can = full(l, false, k);
    return can;
}

static bool see_split(struct look *l) {
    uint32_t axis;
    bool can = full(l, false, 0) && axis_param(l, &axis);
    for (uint32_t k = 0; can && k < ir_nod(l->g, l->n)->nout; k++)
        can = ir_output(l->g, l->n, k) == IR_NONE || full(l, true, k);
    return can;
}

static bool see_topk(struct look *l) {
    uint32_t axis;
    return see_unary(l) && axis_param(l, &axis) &&
           (ir_output(l->g, l->n, 1) == IR_NONE || full(l, true, 1));
}

/* GatherElements, ScatterElements: every operand has all axes. */
static bool see_elements(struct look *l) {
    uint32_t axis;
    bool can = see_unary(l) && axis_param(l, &axis);
    for (uint32_t k = 1; can && k < ir_nod(l->g, l->n)->nin; k++) can = full(l, false, k);
    return can;
}

/* With one index its axis goes, with a list of them it stays. */
static bool see_gather(struct look *l) {
    uint32_t axis, rank;
    if (!full(l, false, 0) || !axis_param(l, &axis)) return false;
    if (!ir_perm_rank(l->g, ir_input(l->g, l->n, 1), &rank) || rank > 1) return false;
    uint32_t gone = rank == 0 ? 1u << axis : 0;
    return part(l, true, 0, all_axes(l->x->rank) & ~gone);
}

static bool see_slice(struct look *l) {
    uint32_t mask;
    return see_unary(l) && is_given(l, "axes") && axes_param(l, &mask);
}

static bool see_pad(struct look *l) {
    uint32_t mask;
    if (!see_unary(l)) return false;
    if (is_given(l, "axes")) return axes_param(l, &mask);
    return is_list(l, "pads", 2 * l->x->rank);
}

/* Tile and Expand: operand 1 has an item for each axis. */
static bool see_items(struct look *l) {
    struct ir_tensor *t = ir_const(l->g, ir_input(l->g, l->n, 1));
    return see_unary(l) && t && t->dtype == IR_INT64 && t->count == l->x->rank;
}

/* --- axes that come and go ------------------------------------------------------------ */

static bool see_reduce(struct look *l) {
    int64_t keep, noop;
    uint32_t mask;
    if (!full(l, false, 0) || !int_param(l, "keepdims", &keep) || !axes_param(l, &mask))
        return false;
    bool none = !is_given(l, "axes") && int_param(l, "noop_with_empty_axes", &noop) && noop;
    uint32_t gone = keep || none ? 0 : mask;
    return part(l, true, 0, all_axes(l->x->rank) & ~gone);
}

static bool see_arg_reduce(struct look *l) {
    int64_t keep;
    uint32_t axis;
    if (!full(l, false, 0) || !int_param(l, "keepdims", &keep) || !axis_param(l, &axis))
        return false;
    return part(l, true, 0, all_axes(l->x->rank) & ~(keep ? 0 : 1u << axis));
}

static bool see_squeeze(struct look *l) {
    uint32_t gone;
    return full(l, false, 0) && is_given(l, "axes") && axes_param(l, &gone) &&
           part(l, true, 0, all_axes(l->x->rank) & ~gone);
}

static bool see_unsqueeze(struct look *l) {
    uint32_t added;
    return full(l, true, 0) && is_given(l, "axes") && axes_param(l, &added) &&
           part(l, false, 0, all_axes(l->x->rank) & ~added);
}

/* --- axes with a meaning -------------------------------------------------------------- */

/* The axis of channels is number 1. */
static bool see_channels(struct look *l) {
    int64_t training, spatial;
    if (ir_is_op(l->g, l->n, "BatchNormalization") &&
        (!int_param(l, "training_mode", &training) || training || is_used(l, 1) ||
         (int_param(l, "spatial", &spatial) && !spatial)))
        return false;
    return see_unary(l) && keep_place(l, 1, 2);
}

/* And that of the batch is number 0. */
static bool see_batch_and_channels(struct look *l) {
    return see_unary(l) && keep_place(l, 0, 2);
}

static bool see_layer_norm(struct look *l) {
    uint32_t axis;
    if (is_used(l, 1) || is_used(l, 2)) return false;
    return see_unary(l) && axis_param(l, &axis) && keep_place(l, axis, l->x->rank);
}

static bool see_last_two(struct look *l) {
    return see_unary(l) && l->x->rank >= 2 && keep_place(l, l->x->rank - 2, l->x->rank);
}

/* What is multiplied stays, the other axes are a batch. A matrix on the right leaves every
 * axis of the left operand but the last one free. */
static bool see_matmul(struct look *l) {
    uint32_t right;
    if (!see_unary(l) || !ir_perm_rank(l->g, ir_input(l->g, l->n, 1), &right)) return false;
    uint32_t rank = l->x->rank;
    if (rank < 2) return false;
    if (right == 2) return keep_place(l, rank - 1, rank);
    return full(l, false, 1) && keep_place(l, rank - 2, rank);
}

/* --- Resize --------------------------------------------------------------------------- */

static bool has_axis_items(const struct look *l, uint32_t slot) {
    struct ir_tensor *t = ir_const(l->g, ir_input(l->g, l->n, slot));
    return t && t->rank == 1 && t->count == l->x->rank;
}

/* By which axes it is resized, as far as the shapes tell. */
static uint32_t resized(const struct look *l) {
    const struct ir_type *a = ir_val(l->g, ir_input(l->g, l->n, 0))->type;
    const struct ir_type *b = ir_val(l->g, ir_output(l->g, l->n, 0))->type;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < l->x->rank; i++)
        if (ir_dim_equal(l->g->model->dims, a->dims[i], b->dims[i]) != IR_TRUE)
            mask |= 1u << i;
    return mask;
}

/* Interpolated axes have to come to the end, in their order. */
static bool place_last(struct look *l, uint32_t mask) {
    uint32_t place = l->x->rank - ir_axes_in(mask);
    for (uint32_t i = 0; i < IR_PERM_MAX; i++)
        if (mask >> i & 1) l->x->place[i] = (int8_t)place++;
    return true;
}

static bool see_resize(struct look *l) {
    struct ir_param mode = ir_param(l->g, l->n, "mode", l->arena);
    uint32_t mask, nin = ir_nod(l->g, l->n)->nin;
    if (ir_resize_may_crop(l->g, l->n)) return false;
    if (!see_unary(l) || mode.source != IR_PARAM_ATTR || mode.attr.type != IR_ATTR_STRING)
        return false;
    bool by_axes = is_given(l, "axes") && ir_is_op(l->g, l->n, "Resize");
    if (by_axes) {
        if (!axes_param(l, &mask)) return false;
    } else if (nin <= 2 ? !has_axis_items(l, 1)
                        : !has_axis_items(l, ir_input(l->g, l->n, 3) == IR_NONE ? 2 : 3))
        return false;
    bool nearest = mode.attr.s.len == 7 && !memcmp(mode.attr.s.at, "nearest", 7);
    return nearest || place_last(l, resized(l));
}

/* --- the table ------------------------------------------------------------------------ */

/* Sorted by name. Elementwise operators are in schema_facts.c. */
static const struct ir_axis_rule rules[] = {
    {"ArgMax", see_arg_reduce, ir_carry_axis},
    {"ArgMin", see_arg_reduce, ir_carry_axis},
    {"BatchNormalization", see_channels, NULL},
    {"Concat", see_concat, ir_carry_axis},
    {"CumProd", see_axis_input, ir_carry_axis_input},
    {"CumSum", see_axis_input, ir_carry_axis_input},
    {"DequantizeLinear", see_quantise, carry_quantise},
    {"Dropout", see_dropout, NULL},
    {"DynamicQuantizeLinear", see_unary, NULL},
    {"Expand", see_items, ir_carry_items},
    {"Gather", see_gather, ir_carry_axis},
    {"GatherElements", see_elements, ir_carry_axis},
    {"GlobalAveragePool", see_batch_and_channels, NULL},
    {"GlobalMaxPool", see_batch_and_channels, NULL},
    {"GroupNormalization", see_batch_and_channels, NULL},
    {"Hardmax", see_softmax, carry_softmax},
    {"InstanceNormalization", see_batch_and_channels, NULL},
    {"LRN", see_channels, NULL},
    {"LayerNormalization", see_layer_norm, NULL},
    {"LogSoftmax", see_softmax, carry_softmax},
    {"LpNormalization", see_axis, ir_carry_axis},
    {"MatMul", see_matmul, NULL},
    {"PRelu", see_broadcast, NULL},
    {"Pad", see_pad, ir_carry_pads},
    {"QuantizeLinear", see_quantise, carry_quantise},
    {"RMSNormalization", see_layer_norm, NULL},
    {"ReduceL1", see_reduce, ir_carry_axes},
    {"ReduceL2", see_reduce, ir_carry_axes},
    {"ReduceLogSum", see_reduce, ir_carry_axes},
    {"ReduceLogSumExp", see_reduce, ir_carry_axes},
    {"ReduceMax", see_reduce, ir_carry_axes},
    {"ReduceMean", see_reduce, ir_carry_axes},
    {"ReduceMin", see_reduce, ir_carry_axes},
    {"ReduceProd", see_reduce, ir_carry_axes},
    {"ReduceSum", see_reduce, ir_carry_axes},
    {"ReduceSumSquare", see_reduce, ir_carry_axes},
    {"Resize", see_resize, ir_carry_scales},
    {"ScatterElements", see_elements, ir_carry_axis},
    {"SimplifiedLayerNormalization", see_layer_norm, NULL},
    {"Slice", see_slice, ir_carry_axes},
    {"Softmax", see_softmax, carry_softmax},
    {"Split", see_split, ir_carry_axis},
    {"Squeeze", see_squeeze, ir_carry_axis_set},
    {"Tile", see_items, ir_carry_items},
    {"TopK", see_topk, ir_carry_axis},
    {"Trilu", see_last_two, NULL},
    {"Unsqueeze", see_unsqueeze, ir_carry_axes},
    {"Upsample", see_resize, ir_carry_scales},
};
/* Of com.microsoft. */
static const struct ir_axis_rule ort_rules[] = {
    {"QLinearAdd", see_quantised_pair, NULL},
    {"QLinearLeakyRelu", see_unary, NULL},
    {"QLinearMul", see_quantised_pair, NULL},
    {"QLinearSigmoid", see_unary, NULL},
};
static const struct ir_axis_rule unary_rule = {"", see_unary, NULL};
static const struct ir_axis_rule broadcast_rule = {"", see_broadcast, NULL};

static const struct ir_axis_rule *find_rule(const struct ir_axis_rule *in, uint32_t count,
                                            const char *op) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        int order = strcmp(in[mid].op, op);
        if (order == 0) return &in[mid];
        if (order < 0) low = mid + 1;
        else high = mid;
    }
    return NULL;
}

static const struct ir_axis_rule *rule_of(const char *domain, const char *op) {
    if (ir_op_is_unary(domain, op)) return &unary_rule;
    if (rw_streq(domain, "com.microsoft"))
        return find_rule(ort_rules, countof(ort_rules), op);
    if (*domain) return NULL;
    if (ir_op_is_broadcasting(domain, op)) return &broadcast_rule;
    return find_rule(rules, countof(rules), op);
}

struct ir_axes *ir_axes_of(const struct ir_graph *g, ir_node n, struct arena *a) {
    const struct ir_node_info *node = ir_nod(g, n);
    const struct ir_axis_rule *rule =
        node->schema ? rule_of(ir_domain_name(g, n), ir_op_name(g, n)) : NULL;
    if (!rule) return NULL;
    struct ir_axes *x = arena_new(a, struct ir_axes);
    x->rule = rule;
    x->ports = arena_new_array(a, struct ir_port, (size_t)node->nin + node->nout);
    for (uint32_t i = 0; i < IR_PERM_MAX; i++) x->place[i] = IR_ANYWHERE;
    struct look l = {.g = g, .n = n, .x = x, .arena = a};
    return rule->view(&l) ? x : NULL;
}

bool ir_axes_broadcasts(const struct ir_axes *x) {
    return x->rule->view == see_broadcast || x->rule->view == see_quantised_pair;
}

bool ir_axes_allow(const struct ir_axes *x, struct ir_perm p) {
    for (uint32_t i = 0; i < x->rank; i++) {
        if (x->place[i] != IR_ANYWHERE && x->place[i] != p.at[i]) return false;
        if (i + x->tail >= x->rank && p.at[i] + x->tail < x->rank) return false;
    }
    return true;
}

void ir_axes_carry(struct ir_graph *g, ir_node n, const struct ir_axes *x,
                   struct ir_perm p) {
    if (x->rule->carry) x->rule->carry(g, n, p);
}
