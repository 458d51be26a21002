/* param_implied.c -- values that hold although neither node nor schema gives them.
 *
 * Three sources: a table of what the standard fixes in prose; values that follow from the
 * node (ones for the strides of a Conv, by its rank); and for a parameter that came later,
 * the default it came with, which is what held before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema/param_parts.h"

static struct ir_attr list_of(struct arena *a, const char *name, uint32_t n, int64_t first,
                              int64_t step) {
    int64_t *values = arena_new_array(a, int64_t, n + 1);
    for (uint32_t k = 0; k < n; k++) values[k] = first + (int64_t)k * step;
    return ir_attr_ints(name, n, values);
}

static bool is_one_of(const char *name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (rw_streq(list[i], name)) return true;
    return false;
}

/* --- by the node ------------------------------------------------------------------- */
/* The spatial axes of a convolution or pooling; 0: not known. */
static uint32_t spatial_rank(const struct ir_graph *g, ir_node n) {
    const struct ir_attr *kernel = ir_find_attr(g, n, "kernel_shape");
    if (kernel && !kernel->ref && kernel->type == IR_ATTR_INTS) return kernel->n;
    ir_value x = ir_input(g, n, 0);
    const struct ir_type *type = x == IR_NONE ? NULL : ir_val(g, x)->type;
    return ir_type_ranked(type) && type->rank > 2 ? type->rank - 2 : 0;
}

static bool pads_are_zero(const struct ir_graph *g, ir_node n) {
    const struct ir_attr *a = ir_find_attr(g, n, "auto_pad");
    if (!a) return true;
    if (a->ref || a->type != IR_ATTR_STRING) return false;
    return a->s.len == 6 && memcmp(a->s.at, "NOTSET", 6) == 0;
}

static bool spatial(const struct ir_graph *g, ir_node n, const struct ir_param_def *d,
                    struct arena *a, struct ir_attr *out) {
    static const char *const windows[] = {
        "AveragePool", "Conv", "ConvInteger", "ConvTranspose", "LpPool", "MaxPool",
        "QLinearConv",
    };
    uint32_t rank = spatial_rank(g, n);
    if (rank == 0 || !is_one_of(ir_op_name(g, n), windows, countof(windows))) return false;
    if (rw_streq(d->name, "strides") || rw_streq(d->name, "dilations"))
        *out = list_of(a, d->name, rank, 1, 0);
    else if (rw_streq(d->name, "output_padding")) *out = list_of(a, d->name, rank, 0, 0);
    else if (rw_streq(d->name, "pads") && rank < UINT32_MAX / 2 && pads_are_zero(g, n))
        *out = list_of(a, d->name, 2 * rank, 0, 0);
    else return false;
    return true;
}

/* Transpose reverses the axes. */
static bool reversed(const struct ir_graph *g, ir_node n, const struct ir_param_def *d,
                     struct arena *a, struct ir_attr *out) {
    ir_value x = ir_input(g, n, 0);
    const struct ir_type *type = x == IR_NONE ? NULL : ir_val(g, x)->type;
    if (!rw_streq(d->name, "perm") || !ir_type_ranked(type)) return false;
    *out = list_of(a, d->name, type->rank, (int64_t)type->rank - 1, -1);
    return true;
}

/* Slice: every step is one, the axes are the first ones, as many as there are starts. */
static bool by_starts(const struct ir_graph *g, ir_node n, const struct ir_param_def *d,
                      struct arena *a, struct ir_attr *out) {
    bool steps = rw_streq(d->name, "steps");
    if (!steps && !rw_streq(d->name, "axes")) return false;
    struct ir_param starts = ir_param(g, n, "starts", a);
    if (starts.source != IR_PARAM_ATTR && starts.source != IR_PARAM_CONST) return false;
    if (starts.attr.type != IR_ATTR_INTS) return false;
    *out = list_of(a, d->name, starts.attr.n, steps ? 1 : 0, steps ? 0 : 1);
    return true;
}

/* Dropout and BatchNormalization before they had training_mode. */
static bool is_training(const struct ir_graph *g, ir_node n, int32_t since) {
    if (since < 7) {
        const struct ir_attr *test = ir_find_attr(g, n, "is_test");
        return !test || test->i == 0;
    }
    if (!ir_is_op(g, n, "BatchNormalization")) return false;
    /* The running statistics are outputs of training alone. */
    for (uint32_t k = 1; k < ir_nod(g, n)->nout; k++)
        if (ir_output(g, n, k) != IR_NONE) return true;
    return false;
}

static bool by_node(const struct ir_graph *g, ir_node n, const struct ir_param_def *d,
                    struct arena *a, struct ir_attr *out) {
    const char *op = ir_op_name(g, n);
    const struct ir_node_info *x = ir_nod(g, n);
    if (rw_streq(op, "Transpose")) return reversed(g, n, d, a, out);
    if (rw_streq(op, "Slice")) return by_starts(g, n, d, a, out);
    if (rw_streq(d->name, "training_mode") && !ir_schema_attr(x->schema, d->name)) {
        *out = ir_attr_int(d->name, is_training(g, n, x->schema->since));
        return true;
    }
    if (rw_streq(op, "Split") && rw_streq(d->name, "num_outputs") &&
        x->schema->since < 18) {
        *out = ir_attr_int(d->name, x->nout);
        return ir_param(g, n, "split", a).source == IR_PARAM_ABSENT;
    }
    return spatial(g, n, d, a, out);
}

/* --- by the standard ---------------------------------------------------------------- */
/* In versions first <= since < until; type UNDEFINED: nothing holds, whatever came. */
struct implied {
    const char *op, *param;
    int32_t first, until;
    enum ir_attr_type type;
    int64_t i;
    float f;
    const char *s;
};
static const struct implied implied[] = {
    {"Concat", "axis", 1, 4, IR_ATTR_INT, 1, 0, NULL},
    {"DFT", "axis", 20, INT32_MAX, IR_ATTR_INT, -2, 0, NULL},
    {"Dropout", "ratio", 12, INT32_MAX, IR_ATTR_FLOAT, 0, 0.5f, NULL},
    /* Computed in the type of X, whatever that is. */
    {"GroupNormalization", "stash_type", 1, 21, IR_ATTR_UNDEFINED, 0, 0, NULL},
    /* Two flags of other names said which axes. */
    {"MeanVarianceNormalization", "axes", 1, 9, IR_ATTR_UNDEFINED, 0, 0, NULL},
    {"Pad", "constant_value", 11, INT32_MAX, IR_ATTR_FLOAT, 0, 0, NULL},
    {"Range", "stash_type", 11, 27, IR_ATTR_UNDEFINED, 0, 0, NULL},
    {"Resize", "coordinate_transformation_mode", 10, 11, IR_ATTR_STRING, 0, 0,
     "asymmetric"},
    {"Resize", "nearest_mode", 10, 11, IR_ATTR_UNDEFINED, 0, 0, NULL}, /* left open */
    {"RoiAlign", "coordinate_transformation_mode", 10, 16, IR_ATTR_STRING, 0, 0,
     "output_half_pixel"},
};

static const struct implied *find_implied(const char *op, const char *param,
                                          int32_t since) {
    for (size_t k = 0; k < countof(implied); k++) {
        const struct implied *x = &implied[k];
        if (rw_streq(x->op, op) && rw_streq(x->param, param) && x->first <= since &&
            since < x->until)
            return x;
    }
    return NULL;
}

static bool by_standard(const struct implied *x, struct ir_attr *out) {
    if (x->type == IR_ATTR_INT) *out = ir_attr_int(x->param, x->i);
    else if (x->type == IR_ATTR_FLOAT) *out = ir_attr_float(x->param, x->f);
    else if (x->type == IR_ATTR_STRING) *out = ir_attr_string(x->param, x->s);
    else return false;
    return true;
}

/* --- by a later version -------------------------------------------------------------- */
static bool by_later(const struct ir_schema *s, const struct ir_param_def *d,
                     struct arena *a, struct ir_attr *out) {
    size_t n;
    const struct ir_schema *versions = ir_schema_versions(s->domain, s->name, &n);
    for (size_t k = n; k-- > 0 && versions[k].since > s->since;) {
        const struct ir_schema_attr *attr = ir_schema_attr(&versions[k], d->name);
        if (attr) return ir_param_default(attr, a, out);
    }
    return false;
}

bool ir_param_implied(const struct ir_graph *g, ir_node n, const struct ir_param_def *d,
                      struct arena *a, struct ir_attr *out) {
    const struct ir_schema *s = ir_nod(g, n)->schema;
    if (!*s->domain) {
        const struct implied *fixed = find_implied(s->name, d->name, s->since);
        if (fixed) return by_standard(fixed, out);
        if (by_node(g, n, d, a, out)) return true;
    }
    int where = ir_param_place(s, d);
    return where == IR_PARAM_IS_NOT && by_later(s, d, a, out);
}
