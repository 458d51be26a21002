/* param_value.c -- parameters that are operands of a known value.
 *
 * The operand is followed through outer values, Identity and Cast to a constant. A Cast is
 * looked through when it keeps the very values that pass it, whatever its types. Else the
 * integers that inference found for it count as well.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema/param_parts.h"

#define CASTS_MAX 8
#define STEPS_MAX 32     /* on the way to the constant */
#define LIST_MAX 4096    /* items of a list; longer ones stay tensors */

struct found {
    struct ir_tensor *tensor;
    enum ir_dtype casts[CASTS_MAX]; /* applied to it, last one first */
    uint32_t ncasts;
};

static bool push_cast(const struct ir_graph *g, ir_node n, struct found *f) {
    const struct ir_attr *to = ir_find_attr(g, n, "to");
    if (!to || to->ref || to->type != IR_ATTR_INT || f->ncasts == CASTS_MAX) return false;
    if (to->i <= IR_UNDEFINED || to->i >= IR_DTYPE_N) return false;
    f->casts[f->ncasts++] = (enum ir_dtype)to->i;
    return true;
}

static bool find_constant(const struct ir_graph *g, ir_value v, struct found *f) {
    for (uint32_t step = 0; step < STEPS_MAX && v != IR_NONE; step++) {
        f->tensor = ir_const(g, v);
        if (f->tensor) return true;
        const struct ir_value_info *info = ir_val(g, v);
        if (info->flags & IR_IS_OUTER) {
            v = info->outer;
            g = g->outer;
            continue;
        }
        ir_node n = info->producer;
        if (n == IR_NONE) return false;
        if (!ir_is_op(g, n, "Identity") && !(ir_is_op(g, n, "Cast") && push_cast(g, n, f)))
            return false;
        v = ir_input(g, n, 0);
    }
    return false;
}

/* Does the type hold the very value? */
static bool holds_int(enum ir_dtype t, int64_t x) {
    int64_t most = x < 0 ? -(x + 1) : x;
    switch (t) {
    case IR_BOOL: return x == 0 || x == 1;
    case IR_DOUBLE: return most <= (int64_t)1 << 53;
    case IR_FLOAT: return most <= 1 << 24;
    case IR_FLOAT16: return most <= 1 << 11;
    case IR_BFLOAT16: return most <= 1 << 8;
    case IR_UINT2: case IR_UINT4: case IR_UINT8: case IR_UINT16: case IR_UINT32:
        return x >= 0 && x < (int64_t)1 << ir_dtype_bits(t);
    case IR_UINT64: return x >= 0;
    case IR_INT2: case IR_INT4: case IR_INT8: case IR_INT16: case IR_INT32:
        return most < (int64_t)1 << (ir_dtype_bits(t) - 1);
    case IR_INT64: return true;
    default: return false;
    }
}

static bool holds_double(enum ir_dtype t, double x) {
    switch (t) {
    case IR_DOUBLE: return true;
    case IR_FLOAT: return (double)(float)x == x;
    case IR_FLOAT16: return (double)ir_half_to_float(ir_float_to_half((float)x)) == x;
    case IR_BFLOAT16:
        return (double)ir_bfloat16_to_float(ir_float_to_bfloat16((float)x)) == x;
    default: break;
    }
    if (!(x > -9007199254740992.0 && x < 9007199254740992.0)) return false;
    return (double)(int64_t)x == x && holds_int(t, (int64_t)x);
}

/* One element, in both forms, after the casts; false when a cast changes it or it cannot
 * be read. */
struct element {
    int64_t i;
    double f;
};
static bool read_element(struct ir_model *m, const struct found *f, uint64_t at,
                         struct element *out) {
    const struct ir_tensor *t = f->tensor;
    bool is_float = ir_dtype_is_float(t->dtype);
    bool ok = is_float ? ir_tensor_double_at(m, t, at, &out->f)
                       : ir_tensor_int_at(m, t, at, &out->i);
    if (!ok) return false;
    for (uint32_t k = 0; k < f->ncasts; k++)
        if (is_float ? !holds_double(f->casts[k], out->f) : !holds_int(f->casts[k], out->i))
            return false;
    if (!is_float) out->f = (double)out->i;
    else if (holds_double(IR_INT64, out->f)) out->i = (int64_t)out->f;
    return true;
}

static bool fill_ints(struct ir_model *m, const struct found *f, struct arena *a,
                      struct ir_attr *out) {
    int64_t *values = arena_new_array(a, int64_t, out->n + 1);
    for (uint32_t k = 0; k < out->n; k++) {
        struct element e = {0};
        if (!read_element(m, f, k, &e)) return false;
        values[k] = e.i;
    }
    out->ints = values;
    return true;
}

static bool fill_floats(struct ir_model *m, const struct found *f, struct arena *a,
                        struct ir_attr *out) {
    float *values = arena_new_array(a, float, out->n + 1);
    for (uint32_t k = 0; k < out->n; k++) {
        struct element e = {0};
        if (!read_element(m, f, k, &e)) return false;
        values[k] = (float)e.f;
    }
    out->floats = values;
    return true;
}

static bool as_tensor(const struct found *f, struct arena *a, struct ir_attr *out) {
    if (f->ncasts > 0) return false;
    *out = ir_attr_tensor(a, out->name, f->tensor);
    return true;
}

/* One element where the parameter is one, or where it has no shape of its own. */
static bool is_scalar(uint64_t count, uint32_t rank, const struct ir_param_def *d) {
    if (count != 1) return false;
    if (d->type == IR_ATTR_INT || d->type == IR_ATTR_FLOAT) return true;
    return rank == 0 && d->type != IR_ATTR_INTS && d->type != IR_ATTR_FLOATS;
}

static void finish(bool is_float, bool scalar, struct ir_attr *out) {
    out->type = is_float ? IR_ATTR_FLOATS : IR_ATTR_INTS;
    if (!scalar) return;
    if (is_float) *out = ir_attr_float(out->name, out->floats[0]);
    else *out = ir_attr_int(out->name, out->ints[0]);
}

static bool read_tensor(const struct ir_graph *g, const struct found *f,
                        const struct ir_param_def *d, struct arena *a,
                        struct ir_attr *out) {
    const struct ir_tensor *t = f->tensor;
    enum ir_dtype seen = f->ncasts > 0 ? f->casts[0] : t->dtype;
    bool is_float = ir_dtype_is_float(seen), scalar = is_scalar(t->count, t->rank, d);
    bool numeric = is_float || ir_dtype_is_int(seen) || seen == IR_BOOL;
    if (!numeric || t->count > LIST_MAX || (t->rank > 1 && !scalar))
        return as_tensor(f, a, out);
    out->n = (uint32_t)t->count;
    if (is_float ? !fill_floats(g->model, f, a, out) : !fill_ints(g->model, f, a, out))
        return as_tensor(f, a, out);
    finish(is_float, scalar, out);
    return true;
}

static bool read_inferred(const struct ir_graph *g, ir_value v,
                          const struct ir_param_def *d, struct arena *a,
                          struct ir_attr *out) {
    const struct ir_symval *s = ir_val(g, v)->symval;
    if (!s || s->rank > 1 || s->len > LIST_MAX) return false;
    int64_t *values = arena_new_array(a, int64_t, (size_t)s->len + 1);
    for (uint32_t k = 0; k < s->len; k++)
        if (!ir_dim_is_const(g->model->dims, s->items[k], &values[k])) return false;
    out->n = s->len;
    out->ints = values;
    finish(false, is_scalar(s->len, s->rank, d), out);
    return true;
}

bool ir_param_read(const struct ir_graph *g, ir_value v, const struct ir_param_def *d,
                   struct arena *a, struct ir_attr *out) {
    struct found f = {0};
    *out = (struct ir_attr){.name = d->name};
    if (find_constant(g, v, &f) && read_tensor(g, &f, d, a, out)) return true;
    *out = (struct ir_attr){.name = d->name};
    return read_inferred(g, v, d, a, out);
}
