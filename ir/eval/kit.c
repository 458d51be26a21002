/* kit.c -- operands into working form, results into tensors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#include "ir/tensor/tensor_bytes.h"

#define LONGEST_LIST (1u << 16) /* of integers given as a parameter */

/* --- elements ---------------------------------------------------------------------- */

static int64_t sign_extended(uint64_t bits, uint32_t width) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static bool is_signed(enum ir_dtype t) {
    return t == IR_INT8 || t == IR_INT16 || t == IR_INT32 || t == IR_INT64 ||
           t == IR_INT4 || t == IR_INT2;
}

bool ir_eval_fits(enum ir_dtype t, int64_t x) {
    uint32_t width = ir_dtype_bits(t);
    if (t == IR_BOOL || t == IR_INT64) return true;
    if (is_signed(t)) return x >= -((int64_t)1 << (width - 1)) && x < (int64_t)1 << (width - 1);
    return x >= 0 && (width == 64 || x >> width == 0);
}

static float float_of(enum ir_dtype t, uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float f;
    if (t != IR_FLOAT) return (float)ir_small_float_decode(t, word);
    memcpy(&f, &word, sizeof f);
    return f;
}

static uint64_t bits_of_float(enum ir_dtype t, float f) {
    uint32_t word;
    if (t != IR_FLOAT) return ir_small_float_encode(t, (double)f, false);
    memcpy(&word, &f, sizeof word);
    return word;
}

static uint64_t bits_of_double(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* --- operands ---------------------------------------------------------------------- */

bool ir_eval_given(const struct eval_job *j, uint32_t k) {
    return k < j->e->nin && j->e->in[k];
}

bool ir_eval_operand_shape(const struct eval_job *j, uint32_t k, enum ir_dtype *t,
                        struct eval_shape *s) {
    if (!ir_eval_given(j, k) || j->e->in[k]->rank > EVAL_RANK) return false;
    const struct ir_tensor *x = j->e->in[k];
    *t = x->dtype;
    s->rank = x->rank;
    if (x->rank) memcpy(s->at, x->dims, x->rank * sizeof *x->dims);
    return true;
}

/* Bytes of an operand, in memory. NULL: too large, unreadable, not as its shape says. */
static const unsigned char *read_bytes(struct eval_job *j, const struct ir_tensor *t,
                                       uint64_t count) {
    uint64_t need;
    if (!ir_tensor_bytes(t->dtype, count, &need) || need != t->nbytes) return NULL;
    if (need > j->e->max_bytes) return NULL;
    if (need == 0) return (const unsigned char *)"";
    if (t->storage == IR_IN_MEMORY) return t->data;
    return j->e->model ? ir_tensor_read(j->e->model, t, &j->work) : NULL;
}

static size_t cell_size(enum ir_dtype t) {
    if (t == IR_STRING) return sizeof(struct ir_string);
    return (ir_dtype_bits(t) + 7) / 8;
}

static bool cells_of(struct eval_job *j, enum ir_dtype t, const struct eval_shape *s,
                     struct eval_cells *out) {
    *out = (struct eval_cells){.dtype = t, .shape = *s, .size = cell_size(t)};
    uint64_t bytes;
    return out->size && ir_eval_count(s, &out->count) &&
           !__builtin_mul_overflow(out->count, out->size, &bytes) &&
           bytes / 8 <= j->e->max_bytes;
}

bool ir_eval_cells(struct eval_job *j, uint32_t k, struct eval_cells *out) {
    enum ir_dtype t;
    struct eval_shape s;
    if (!ir_eval_operand_shape(j, k, &t, &s) || !cells_of(j, t, &s, out)) return false;
    const struct ir_tensor *x = j->e->in[k];
    if (t == IR_STRING) {
        out->at = (unsigned char *)(uintptr_t)x->strings;
        return x->storage == IR_STRINGS && x->count == out->count;
    }
    const unsigned char *bytes = read_bytes(j, x, out->count);
    if (!bytes) return false;
    out->at = (unsigned char *)(uintptr_t)bytes;
    if (ir_dtype_bits(t) >= 8) return true;
    out->at = arena_array(&j->work, (size_t)out->count, 1);
    for (uint64_t i = 0; i < out->count; i++)
        out->at[i] = (unsigned char)ir_load_bits(bytes, ir_dtype_bits(t), i);
    return true;
}

enum eval_class ir_eval_class_of(enum ir_dtype t) {
    if (t == IR_DOUBLE) return EVAL_F64;
    if (t == IR_UINT64) return EVAL_U64;
    return ir_dtype_is_float(t) ? EVAL_F32 : EVAL_I64;
}

static bool is_number(enum ir_dtype t) {
    return ir_dtype_is_float(t) || ir_dtype_is_int(t) || t == IR_BOOL;
}

static void load(const unsigned char *bytes, const struct eval_array *a) {
    uint32_t width = ir_dtype_bits(a->dtype);
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t bits = ir_load_bits(bytes, width, i);
        switch (a->class) {
        case EVAL_F32: a->f32[i] = float_of(a->dtype, bits); break;
        case EVAL_F64: memcpy(&a->f64[i], &bits, sizeof bits); break;
        case EVAL_U64: a->u64[i] = bits; break;
        case EVAL_I64:
            a->i64[i] = is_signed(a->dtype) ? sign_extended(bits, width) : (int64_t)bits;
        }
    }
}

static size_t class_size(enum eval_class c) { return c == EVAL_F32 ? 4 : 8; }

/* The array without its items. */
static bool array_of(enum ir_dtype t, enum eval_class c, const struct eval_shape *s,
                     struct eval_array *out) {
    *out = (struct eval_array){.dtype = t, .class = c, .shape = *s};
    return is_number(t) && ir_eval_count(s, &out->count);
}

bool ir_eval_array(struct eval_job *j, uint32_t k, struct eval_array *out) {
    enum ir_dtype t;
    struct eval_shape s;
    if (!ir_eval_operand_shape(j, k, &t, &s)) return false;
    if (!array_of(t, ir_eval_class_of(t), &s, out)) return false;
    const unsigned char *bytes = read_bytes(j, j->e->in[k], out->count);
    if (!bytes) return false;
    out->f64 = arena_array(&j->work, (size_t)out->count, class_size(out->class));
    load(bytes, out);
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

/* A tensor of the results' arena with zeroed bytes; NULL when it is too large. */
static struct ir_tensor *result(struct eval_job *j, enum ir_dtype t,
                                const struct eval_shape *s, uint64_t count) {
    uint64_t bytes = 0;
    struct arena *a = j->e->arena;
    if (!fits(j, t, count)) return NULL;
    if (t != IR_STRING && !ir_tensor_bytes(t, count, &bytes)) return NULL;
    struct ir_tensor *r = arena_new(a, struct ir_tensor);
    *r = (struct ir_tensor){.dtype = t, .rank = s->rank, .count = count, .nbytes = bytes};
    r->dims = arena_copy(a, s->at, s->rank * sizeof *s->at);
    r->storage = t == IR_STRING ? IR_STRINGS : IR_IN_MEMORY;
    if (t != IR_STRING) r->data = arena_zalloc(a, (size_t)bytes);
    return r;
}

bool ir_eval_put_cells(struct eval_job *j, uint32_t k, const struct eval_cells *c) {
    struct ir_tensor *r = result(j, c->dtype, &c->shape, c->count);
    if (!r || k >= j->e->nout) return false;
    uint32_t width = ir_dtype_bits(c->dtype);
    unsigned char *to = (unsigned char *)(uintptr_t)r->data;
    if (c->dtype == IR_STRING)
        r->strings = arena_copy(j->e->arena, c->at, (size_t)c->count * c->size);
    else if (width >= 8) memcpy(to, c->at, (size_t)r->nbytes);
    else
        for (uint64_t i = 0; i < c->count; i++) ir_put_bits(to, width, i, c->at[i]);
    j->out[k] = r;
    return true;
}

static uint64_t stored(const struct eval_array *a, uint64_t i) {
    switch (a->class) {
    case EVAL_F32:
        if (a->dtype == IR_DOUBLE) return bits_of_double((double)a->f32[i]);
        return bits_of_float(a->dtype, a->f32[i]);
    case EVAL_F64:
        if (a->dtype == IR_DOUBLE) return bits_of_double(a->f64[i]);
        return bits_of_float(a->dtype, (float)a->f64[i]);
    default: return a->dtype == IR_BOOL ? a->u64[i] != 0 : a->u64[i];
    }
}

bool ir_eval_put(struct eval_job *j, uint32_t k, const struct eval_array *a) {
    bool floating = a->class == EVAL_F32 || a->class == EVAL_F64;
    bool wants_float = ir_dtype_is_float(a->dtype) && ir_dtype_bits(a->dtype) >= 16;
    if (floating != wants_float || k >= j->e->nout) return false;
    struct ir_tensor *r = result(j, a->dtype, &a->shape, a->count);
    if (!r) return false;
    unsigned char *to = (unsigned char *)(uintptr_t)r->data;
    for (uint64_t i = 0; i < a->count; i++)
        ir_put_bits(to, ir_dtype_bits(a->dtype), i, stored(a, i));
    j->out[k] = r;
    return true;
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
