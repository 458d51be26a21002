/* kit.c -- operands into working form, results into tensors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include "ir/tensor/tensor_bytes.h"

#define LONGEST_LIST (1u << 16) /* of integers given as a parameter */

/* --- types ------------------------------------------------------------------------- */

static bool is_signed(enum ir_dtype t) {
    return t == IR_INT8 || t == IR_INT16 || t == IR_INT32 || t == IR_INT64 ||
           t == IR_INT4 || t == IR_INT2;
}

int64_t ir_eval_least(enum ir_dtype t) {
    return is_signed(t) ? -((int64_t)1 << (ir_dtype_bits(t) - 1)) : 0;
}

int64_t ir_eval_most(enum ir_dtype t) {
    return ((int64_t)1 << (ir_dtype_bits(t) - is_signed(t))) - 1;
}

bool ir_eval_fits(enum ir_dtype t, int64_t x) {
    if (t == IR_BOOL || ir_dtype_bits(t) == 64) return true;
    return x >= ir_eval_least(t) && x <= ir_eval_most(t);
}

bool ir_eval_is_small_float(enum ir_dtype t) {
    return ir_dtype_is_float(t) && ir_dtype_bits(t) < 16;
}

bool ir_eval_spend(const struct eval_job *j, uint64_t bytes) {
    if (!j->e->budget) return true;
    if (bytes > *j->e->budget) return false;
    *j->e->budget -= bytes;
    return true;
}

/* --- operands ---------------------------------------------------------------------- */

bool ir_eval_given(const struct eval_job *j, uint32_t k) {
    return k < j->e->nin && j->e->in[k];
}

static bool shape_of(const struct ir_tensor *x, struct eval_shape *s) {
    if (x->rank > EVAL_RANK) return false;
    s->rank = x->rank;
    if (x->rank) memcpy(s->at, x->dims, x->rank * sizeof *x->dims);
    return true;
}

bool ir_eval_operand_shape(const struct eval_job *j, uint32_t k, enum ir_dtype *t,
                        struct eval_shape *s) {
    if (!ir_eval_given(j, k)) return false;
    *t = j->e->in[k]->dtype;
    return shape_of(j->e->in[k], s);
}

/* Bytes of an operand, in memory. NULL: too large, unreadable, not as its shape says. */
static const unsigned char *read_bytes(struct eval_job *j, const struct ir_tensor *t,
                                       uint64_t count) {
    uint64_t need;
    if (!ir_tensor_bytes(t->dtype, count, &need) || need != t->nbytes) return NULL;
    if (need > j->e->max_bytes || !ir_eval_spend(j, need)) return NULL;
    if (need == 0) return (const unsigned char *)"";
    if (t->storage == IR_IN_MEMORY) return t->data;
    return j->e->model ? ir_tensor_read(j->e->model, t, &j->work) : NULL;
}

size_t ir_eval_cell_size(enum ir_dtype t) {
    if (t == IR_STRING) return sizeof(struct ir_string);
    return (ir_dtype_bits(t) + 7) / 8;
}

static bool cells_of(struct eval_job *j, enum ir_dtype t, const struct eval_shape *s,
                     struct eval_cells *out) {
    *out = (struct eval_cells){.dtype = t, .shape = *s, .size = ir_eval_cell_size(t)};
    uint64_t bytes;
    return out->size && ir_eval_count(s, &out->count) &&
           !__builtin_mul_overflow(out->count, out->size, &bytes) &&
           bytes / 8 <= j->e->max_bytes;
}

bool ir_eval_cells_of(struct eval_job *j, const struct ir_tensor *x,
                      struct eval_cells *out) {
    struct eval_shape s;
    if (!shape_of(x, &s) || !cells_of(j, x->dtype, &s, out)) return false;
    if (x->dtype == IR_STRING) {
        out->at = (unsigned char *)(uintptr_t)x->strings;
        return x->storage == IR_STRINGS && x->count == out->count;
    }
    const unsigned char *bytes = read_bytes(j, x, out->count);
    if (!bytes) return false;
    out->at = (unsigned char *)(uintptr_t)bytes;
    if (ir_dtype_bits(x->dtype) >= 8) return true;
    out->at = arena_array(&j->work, (size_t)out->count, 1);
    ir_eval_unpack(bytes, ir_dtype_bits(x->dtype), out->count, out->at);
    return true;
}

bool ir_eval_cells(struct eval_job *j, uint32_t k, struct eval_cells *out) {
    return ir_eval_given(j, k) && ir_eval_cells_of(j, j->e->in[k], out);
}

enum eval_class ir_eval_class_of(enum ir_dtype t) {
    if (t == IR_DOUBLE) return EVAL_F64;
    if (t == IR_UINT64) return EVAL_U64;
    return ir_dtype_is_float(t) ? EVAL_F32 : EVAL_I64;
}

bool ir_eval_is_number(enum ir_dtype t) {
    return ir_dtype_is_float(t) || ir_dtype_is_int(t) || t == IR_BOOL;
}

static size_t class_size(enum eval_class c) { return c == EVAL_F32 ? 4 : 8; }

/* The array without its items. */
static bool array_of(enum ir_dtype t, enum eval_class c, const struct eval_shape *s,
                     struct eval_array *out) {
    *out = (struct eval_array){.dtype = t, .class = c, .shape = *s};
    return ir_eval_is_number(t) && ir_eval_count(s, &out->count);
}

bool ir_eval_array(struct eval_job *j, uint32_t k, struct eval_array *out) {
    struct eval_cells cells;
    if (!ir_eval_cells(j, k, &cells) ||
        !array_of(cells.dtype, ir_eval_class_of(cells.dtype), &cells.shape, out))
        return false;
    out->f64 = arena_array(&j->work, (size_t)out->count, class_size(out->class));
    ir_eval_load(cells.at, out);
    return true;
}

bool ir_eval_array_wide(struct eval_job *j, uint32_t k, struct eval_array *out) {
    if (!ir_eval_array(j, k, out)) return false;
    if (out->class != EVAL_F32) return true;
    const float *narrow = out->f32;
    out->class = EVAL_F64;
    out->f64 = arena_array(&j->work, (size_t)out->count, sizeof *out->f64);
    for (uint64_t i = 0; i < out->count; i++) out->f64[i] = (double)narrow[i];
    return true;
}

/* --- results ----------------------------------------------------------------------- */

static bool fits(const struct eval_job *j, enum ir_dtype t, uint64_t count) {
    uint64_t bytes;
    if (t == IR_STRING)
        return !__builtin_mul_overflow(count, sizeof(struct ir_string), &bytes) &&
               bytes <= j->e->max_bytes;
    return ir_tensor_bytes(t, count, &bytes) && bytes <= j->e->max_bytes;
}

bool ir_eval_cells_new(struct eval_job *j, enum ir_dtype t, const struct eval_shape *s,
                    struct eval_cells *out) {
    if (!cells_of(j, t, s, out) || !fits(j, t, out->count)) return false;
    size_t bytes;
    if (!rw_mul_size((size_t)out->count, out->size, &bytes)) return false;
    out->at = arena_zalloc(&j->work, bytes);
    return true;
}

bool ir_eval_array_new(struct eval_job *j, enum ir_dtype t, enum eval_class c,
                    const struct eval_shape *s, struct eval_array *out) {
    if (!array_of(t, c, s, out) || !fits(j, t, out->count)) return false;
    size_t bytes;
    if (!rw_mul_size((size_t)out->count, class_size(c), &bytes)) return false;
    out->f64 = arena_zalloc(&j->work, bytes);
    return true;
}

struct ir_tensor *ir_eval_result(struct eval_job *j, enum ir_dtype t,
                                 const struct eval_shape *s) {
    uint64_t bytes = 0, count;
    struct arena *a = j->e->arena;
    if (!ir_eval_count(s, &count) || !fits(j, t, count)) return NULL;
    if (t != IR_STRING && !ir_tensor_bytes(t, count, &bytes)) return NULL;
    if (!ir_eval_spend(j, bytes)) return NULL;
    struct ir_tensor *r = arena_new(a, struct ir_tensor);
    *r = (struct ir_tensor){.dtype = t, .rank = s->rank, .count = count, .nbytes = bytes};
    r->dims = arena_copy(a, s->at, s->rank * sizeof *s->at);
    r->storage = t == IR_STRING ? IR_STRINGS : IR_IN_MEMORY;
    if (t != IR_STRING) r->data = arena_zalloc(a, (size_t)bytes);
    return r;
}

bool ir_eval_put_cells(struct eval_job *j, uint32_t k, const struct eval_cells *c) {
    struct ir_tensor *r = k < j->e->nout ? ir_eval_result(j, c->dtype, &c->shape) : NULL;
    if (!r) return false;
    uint32_t width = ir_dtype_bits(c->dtype);
    unsigned char *to = (unsigned char *)(uintptr_t)r->data;
    if (c->dtype == IR_STRING)
        r->strings = arena_copy(j->e->arena, c->at, (size_t)c->count * c->size);
    else if (width < 8) ir_eval_pack(c->at, width, c->count, to);
    else if (r->nbytes) memcpy(to, c->at, (size_t)r->nbytes);
    j->out[k] = r;
    return true;
}

bool ir_eval_put(struct eval_job *j, uint32_t k, const struct eval_array *a) {
    bool wants_float = ir_dtype_is_float(a->dtype) && ir_dtype_bits(a->dtype) >= 16;
    if (ir_eval_is_floating(a) != wants_float) return false;
    struct eval_cells c = {.dtype = a->dtype, .shape = a->shape, .count = a->count};
    c.size = ir_eval_cell_size(a->dtype);
    c.at = arena_array(&j->work, (size_t)a->count, c.size);
    ir_eval_store(a, c.at);
    return ir_eval_put_cells(j, k, &c);
}

/* --- parameters -------------------------------------------------------------------- */

const struct ir_attr *ir_eval_attr(const struct eval_job *j, const char *name) {
    for (uint32_t i = 0; i < j->e->nattr; i++)
        if (rw_streq(j->e->attr[i].name, name)) return &j->e->attr[i];
    return NULL;
}

int64_t ir_eval_attr_int(const struct eval_job *j, const char *name, int64_t fallback) {
    const struct ir_attr *a = ir_eval_attr(j, name);
    return a ? a->i : fallback;
}

float ir_eval_attr_float(const struct eval_job *j, const char *name) {
    const struct ir_attr *a = ir_eval_attr(j, name);
    if (a) return a->f;
    const struct ir_schema_attr *known = ir_schema_attr(j->e->schema, name);
    return known && known->has_default == IR_HAS_DEFAULT ? known->f : 0;
}

bool ir_eval_attr_is(const struct eval_job *j, const char *name, const char *value,
                  const char *fallback) {
    const struct ir_attr *a = ir_eval_attr(j, name);
    if (!a) return rw_streq(value, fallback);
    return a->s.len == strlen(value) && (!a->s.len || !memcmp(a->s.at, value, a->s.len));
}

bool ir_eval_ints(struct eval_job *j, const char *name, uint32_t operand,
               struct eval_ints *out) {
    const struct ir_attr *a = ir_eval_attr(j, name);
    *out = (struct eval_ints){0};
    if (a) {
        *out = (struct eval_ints){true, a->n, a->ints};
        return true;
    }
    if (!ir_eval_given(j, operand)) return true;
    struct eval_array v;
    if (j->e->in[operand]->count > LONGEST_LIST || !ir_eval_array(j, operand, &v))
        return false;
    if (v.shape.rank > 1 || v.class != EVAL_I64 || v.dtype == IR_BOOL) return false;
    *out = (struct eval_ints){true, (uint32_t)v.count, v.i64};
    return true;
}

bool ir_eval_ints_shape(const struct eval_ints *v, struct eval_shape *out) {
    if (v->n > EVAL_RANK) return false;
    out->rank = v->n;
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->at[i] < 0) return false;
        out->at[i] = v->at[i];
    }
    return true;
}
