/* const.c -- constants that a rule writes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

#include <math.h>

ir_value pm_add_constant(struct pm_build *b, struct ir_tensor *t) {
    ir_value v = ir_add_constant(b->g, b->hint, t);
    vec_push(b->env->site.arena, &b->constants, v);
    return v;
}

struct pm_val pm_literal_value(const struct literal *l) {
    switch (l->kind) {
    case LIT_INT: return pm_int(l->i);
    case LIT_BOOL: return pm_bool(l->i ? IR_TRUE : IR_FALSE);
    case LIT_REAL: return pm_real(l->real, 0);
    case LIT_STRING:
        return (struct pm_val){.kind = VAL_STRING, .s = {l->s, strlen(l->s)}};
    case LIT_LIST: break;
    }
    return (struct pm_val){.kind = VAL_UNKNOWN};
}

/* --- numbers ---------------------------------------------------------------------- */
static bool fits_in_bits(int64_t i, uint32_t bits, bool is_signed) {
    if (bits == 64) return is_signed || i >= 0;
    int64_t span = (int64_t)1 << (is_signed ? bits - 1 : bits);
    return is_signed ? i >= -span && i < span : i >= 0 && i < span;
}

static bool is_signed(enum ir_dtype t) {
    return t == IR_INT8 || t == IR_INT16 || t == IR_INT32 || t == IR_INT64;
}

static struct ir_tensor *int_tensor(struct arena *a, int64_t i, enum ir_dtype t,
                                    uint32_t rank) {
    uint32_t bits = ir_dtype_bits(t);
    bool fits = t == IR_BOOL ? i == 0 || i == 1
                             : bits >= 8 && fits_in_bits(i, bits, is_signed(t));
    if (!fits) return NULL;
    unsigned char bytes[8];
    for (uint32_t k = 0; k < 8; k++) bytes[k] = (unsigned char)((uint64_t)i >> (8 * k));
    int64_t one = 1;
    return ir_tensor_new(a, t, rank, &one, bytes);
}

/* Of rank 1 instead of 0. */
static struct ir_tensor *with_rank(struct arena *a, struct ir_tensor *t, uint32_t rank) {
    int64_t one = 1;
    return t && rank == 1 ? ir_tensor_new(a, t->dtype, 1, &one, t->data) : t;
}

struct ir_tensor *pm_number_tensor(struct ir_model *m, struct pm_val v, enum ir_dtype t,
                                   uint32_t rank) {
    double x;
    int64_t one = 1;
    if (t == IR_STRING)
        return v.kind == VAL_STRING ? ir_tensor_strings(m->arena, rank, &one, &v.s) : NULL;
    if (ir_dtype_is_float(t))
        return !pm_as_real(v, &x)
                   ? NULL
                   : with_rank(m->arena, ir_tensor_scalar_float(m->arena, t, x), rank);
    if (v.kind == VAL_REAL && v.real == floor(v.real) && fabs(v.real) < 0x1p53)
        v = pm_int((int64_t)v.real);
    if (v.kind != VAL_INT && v.kind != VAL_BOOL && v.kind != VAL_DTYPE) return NULL;
    return int_tensor(m->arena, v.i, t, rank);
}

/* --- the type beside -------------------------------------------------------------- */
static enum ir_dtype dtype_of(const struct pm_build *b, ir_value v) {
    return v == IR_NONE ? IR_UNDEFINED : ir_type_dtype(ir_val(b->g, v)->type);
}

/* Of the first other operand whose type is known, under the same constraint if one is
 * asked for. */
static enum ir_dtype sibling(const struct pm_build *b, const struct pm_draft *d, uint32_t k,
                             int constraint) {
    for (uint32_t i = 0; i < d->in.len; i++) {
        const struct ir_formal_param *f = d->schema ? ir_schema_input(d->schema, i) : NULL;
        enum ir_dtype t = i == k ? IR_UNDEFINED : dtype_of(b, d->in.at[i]);
        if (t != IR_UNDEFINED && (constraint < 0 || (f && f->constraint == constraint)))
            return t;
    }
    return IR_UNDEFINED;
}

static uint32_t allowed(const struct ir_schema *s, const struct ir_formal_param *f) {
    return f->constraint >= 0 ? s->constraints[f->constraint].types : f->types;
}

enum ir_dtype pm_dtype_beside(const struct pm_build *b, const struct pm_draft *d,
                              uint32_t k,
                              struct pm_val v) {
    if (v.kind == VAL_STRING) return IR_STRING;
    const struct ir_formal_param *f = d->schema ? ir_schema_input(d->schema, k) : NULL;
    enum ir_dtype t = sibling(b, d, k, f && f->constraint >= 0 ? f->constraint : -1);
    if (t == IR_UNDEFINED) t = sibling(b, d, k, -1);
    if (!f) return t;
    uint32_t types = allowed(d->schema, f);
    if (t != IR_UNDEFINED && ir_types_allow(types, t)) return t;
    if (v.kind == VAL_BOOL && ir_types_allow(types, IR_BOOL)) return IR_BOOL;
    if (v.kind != VAL_REAL && ir_types_allow(types, IR_INT64)) return IR_INT64;
    return ir_types_allow(types, IR_FLOAT) ? IR_FLOAT : IR_UNDEFINED;
}
