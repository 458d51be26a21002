/* compare.c -- see compare.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/compare.h"

#include <math.h>

static double rounding_of(enum ir_dtype t) {
    switch (t) {
    case IR_FLOAT:
    case IR_DOUBLE:
    case IR_COMPLEX64:
    case IR_COMPLEX128: return 1e-5;
    case IR_FLOAT16: return 1.0 / 256;
    case IR_BFLOAT16: return 1.0 / 32;
    default: return 0;
    }
}

struct judge_bounds judge_bounds_of(enum rule_class c, enum ir_dtype t, bool quantised) {
    double relative = rounding_of(t);
    if (c == CLASS_EXACT) return (struct judge_bounds){0, 0};
    if (c == CLASS_APPROX && relative > 0) relative = t == IR_BFLOAT16 ? 1.0 / 8 : 1.0 / 32;
    return (struct judge_bounds){relative, quantised && ir_dtype_is_int(t) ? 1 : 0};
}

/* --- elements ----------------------------------------------------------------------- */

/* Numbers of a tensor: a complex element is two. */
static uint64_t numbers_of(const struct ir_tensor *t) {
    bool complex = t->dtype == IR_COMPLEX64 || t->dtype == IR_COMPLEX128;
    return complex ? 2 * t->count : t->count;
}

static enum ir_dtype number_type(enum ir_dtype t) {
    return t == IR_COMPLEX64 ? IR_FLOAT : t == IR_COMPLEX128 ? IR_DOUBLE : t;
}

/* The numbers of a tensor as one of their type. */
static struct ir_tensor as_numbers(const struct ir_tensor *t) {
    struct ir_tensor x = *t;
    x.dtype = number_type(t->dtype);
    x.count = numbers_of(t);
    return x;
}

static double number_at(const struct ir_tensor *t, uint64_t i) {
    double x;
    int64_t n;
    if (ir_tensor_double_at(NULL, t, i, &x)) return x;
    return ir_tensor_int_at(NULL, t, i, &n) ? (double)n : NAN;
}

static bool same_bits(const struct ir_tensor *a, const struct ir_tensor *b, uint64_t i) {
    uint32_t bits = ir_dtype_bits(a->dtype);
    if (bits < 8) return number_at(a, i) == number_at(b, i);
    size_t size = bits / 8;
    const char *x = a->data, *y = b->data;
    return !memcmp(x + i * size, y + i * size, size);
}

#define MANY 3 /* rewrites whose rounding adds up */
#define ONE_STEP (1.0 / 32)

struct judge_bounds judge_bounds_of_model(enum rule_class c, enum ir_dtype t,
                                          bool quantised) {
    struct judge_bounds b = judge_bounds_of(c, t, quantised);
    b.relative *= MANY;
    if (quantised && b.relative < ONE_STEP) b.relative = ONE_STEP;
    return b;
}

static bool rounds(const char *op) {
    static const char *const words[] = {"Quantize", "QLinear", "MatMulNBits"};
    for (size_t i = 0; i < countof(words); i++)
        if (strstr(op, words[i])) return true;
    return false;
}

bool judge_is_quantised(const struct ir_model *m) {
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
            if (rounds(ir_op_name(g, n))) return true;
    }
    return false;
}

/* --- verdict ------------------------------------------------------------------------ */

static void note(struct judge_verdict *v, uint64_t i, double a, double b, double absolute,
                 double relative, bool beyond) {
    if (beyond && v->beyond++ == 0) v->relative = -1; /* the worst is one that is beyond */
    if (absolute > v->absolute) v->absolute = absolute;
    if ((!beyond && v->beyond) || relative <= v->relative) return;
    v->relative = relative;
    v->at = i;
    v->a = a;
    v->b = b;
}

static void compare_numbers(const struct ir_tensor *a, const struct ir_tensor *b,
                            struct judge_bounds bounds, struct judge_verdict *v) {
    bool exact = bounds.relative <= 0 && bounds.absolute <= 0;
    for (uint64_t i = 0; i < a->count; i++) {
        if (same_bits(a, b, i)) continue;
        double x = number_at(a, i), y = number_at(b, i), scale = fmax(1, fabs(x));
        if (isnan(x) && isnan(y)) continue;
        double d = x == y ? 0 : isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY;
        bool beyond = exact || isinf(d) || d > bounds.relative * scale + bounds.absolute;
        note(v, i, x, y, d, isinf(d) ? d : d / scale, beyond);
    }
}

static void compare_strings(const struct ir_tensor *a, const struct ir_tensor *b,
                            struct judge_verdict *v) {
    for (uint64_t i = 0; i < a->count; i++) {
        const struct ir_string *x = &a->strings[i], *y = &b->strings[i];
        if (x->len != y->len || memcmp(x->at, y->at, x->len) != 0)
            note(v, i, NAN, NAN, INFINITY, INFINITY, true);
    }
}

static const char *differ_in_kind(const struct ir_tensor *a, const struct ir_tensor *b) {
    if (!a || !b) return a || b ? "kinds" : NULL;
    if (a->dtype != b->dtype) return "types";
    if (a->rank != b->rank) return "shapes";
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return "shapes";
    return NULL;
}

struct judge_verdict judge_compare(const struct ir_tensor *a, const struct ir_tensor *b,
                                   struct judge_bounds bounds) {
    struct judge_verdict v = {.what = differ_in_kind(a, b)};
    if (v.what || !a) {
        v.same = !v.what;
        return v;
    }
    v.count = a->count;
    if (a->dtype == IR_STRING) compare_strings(a, b, &v);
    else if (a->nbytes && memcmp(a->data, b->data, (size_t)a->nbytes) != 0) {
        struct ir_tensor x = as_numbers(a), y = as_numbers(b);
        compare_numbers(&x, &y, bounds, &v);
    }
    v.same = v.beyond == 0;
    if (!v.same) v.what = "values";
    return v;
}

struct ir_tensor *judge_where_finite(struct arena *a, const struct ir_tensor *was,
                                     const struct ir_tensor *is) {
    struct ir_tensor *out = arena_copy(a, is, sizeof *is);
    if (!ir_dtype_is_float(was->dtype) || was->nbytes != is->nbytes) return out;
    unsigned char *bytes = arena_copy(a, is->data, is->nbytes);
    uint32_t width = ir_dtype_bits(was->dtype) / 8;
    for (uint64_t i = 0; width > 0 && i < was->count; i++) {
        double x;
        if (ir_tensor_double_at(NULL, was, i, &x) && isfinite(x)) continue;
        memcpy(bytes + i * width, (const unsigned char *)was->data + i * width, width);
    }
    out->data = bytes;
    return out;
}
