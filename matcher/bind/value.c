/* value.c -- constants compared with what a rule writes.
 *
 * An integer is meant exactly, whatever type the constant has; a real within the rounding
 * of the constant's type. A plain literal is one element of any rank, `splat` all elements
 * of any shape, a list the elements of one dimension.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/bind.h"

#include <math.h>

/* Elements of a splat that are looked at; a larger constant is no splat. */
#define MAX_SPLAT (1u << 20)

double pm_tolerance(enum ir_dtype t) {
    switch (t) {
    case IR_FLOAT:
    case IR_DOUBLE: return 0x1p-20;
    case IR_FLOAT16: return 0x1p-9;
    case IR_BFLOAT16: return 0x1p-7;
    default: return 0;
    }
}

bool pm_number_fits(double x, double relative, const struct literal *l) {
    if (l->kind == LIT_STRING || l->kind == LIT_LIST) return false;
    double want = l->kind == LIT_REAL ? l->real : (double)l->i;
    if (l->has_tolerance) return fabs(x - want) <= l->tolerance;
    if (l->kind != LIT_REAL || isinf(want)) return x == want;
    return fabs(x - want) <= relative * fabs(want);
}

static bool string_fits(const struct ir_tensor *t, uint64_t i, const struct literal *l) {
    if (t->storage != IR_STRINGS) return false;
    size_t len = strlen(l->s);
    return t->strings[i].len == len && memcmp(t->strings[i].at, l->s, len) == 0;
}

static bool element_fits(struct ir_model *m, const struct ir_tensor *t, uint64_t i,
                         const struct literal *l) {
    if (l->kind == LIT_STRING) return string_fits(t, i, l);
    int64_t n;
    if (l->kind == LIT_INT && !l->has_tolerance && ir_tensor_int_at(m, t, i, &n))
        return n == l->i;
    double x;
    return ir_tensor_double_at(m, t, i, &x) && pm_number_fits(x, pm_tolerance(t->dtype), l);
}

static bool list_fits(struct ir_model *m, const struct ir_tensor *t,
                      const struct literal *l) {
    if (t->rank != 1 || t->count != l->n) return false;
    for (uint32_t i = 0; i < l->n; i++) {
        int64_t n;
        if (!ir_tensor_int_at(m, t, i, &n) || n != l->items[i].value) return false;
    }
    return true;
}

/* The first element tells most constants apart; only then the bytes are read. */
static bool splat_fits(struct ir_model *m, const struct ir_tensor *t,
                       const struct literal *l,
                       struct arena *a) {
    if (t->count == 0 || t->count > MAX_SPLAT || !element_fits(m, t, 0, l)) return false;
    if (t->storage == IR_STRINGS || ir_dtype_bits(t->dtype) < 8) {
        for (uint64_t i = 1; i < t->count; i++)
            if (!element_fits(m, t, i, l)) return false;
        return true;
    }
    struct arena_mark mark = arena_mark(a);
    const char *bytes = ir_tensor_read(m, t, a);
    size_t size = ir_dtype_bits(t->dtype) / 8;
    struct ir_tensor one = *t;
    one.storage = IR_IN_MEMORY;
    one.count = 1;
    one.nbytes = size;
    one.proto = NULL;
    bool fits = bytes != NULL;
    for (uint64_t i = 1; fits && i < t->count; i++) {
        if (memcmp(bytes + i * size, bytes, size) == 0) continue;
        one.data = bytes + i * size;
        fits = element_fits(m, &one, 0, l);
    }
    arena_reset(a, mark);
    return fits;
}

bool pm_literal_fits(struct ir_graph *g, ir_value v, const struct literal *l,
                     struct arena *a) {
    const struct ir_tensor *t = ir_const(g, v);
    if (!t) return false;
    if (l->splat) return splat_fits(g->model, t, l, a);
    if (l->kind == LIT_LIST) return list_fits(g->model, t, l);
    return t->count == 1 && element_fits(g->model, t, 0, l);
}

bool pm_literal_may_fit(struct ir_model *m, const struct ir_tensor *t,
                        const struct literal *l) {
    bool any_text = l->kind == LIT_STRING && t->storage == IR_STRINGS;
    if (l->kind != LIT_LIST || l->splat)
        return (l->splat ? t->count > 0 : t->count == 1) &&
               (any_text || element_fits(m, t, 0, l));
    if (t->rank != 1 || t->count != l->n) return false;
    for (uint32_t i = 0; i < l->n && i < PM_ITEMS_READ; i++) {
        int64_t x;
        if (!ir_tensor_int_at(m, t, i, &x) || x != l->items[i].value) return false;
    }
    return true;
}
