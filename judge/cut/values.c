/* values.c -- sizes for symbols, and values of that size.
 *
 * Symbols get sizes in the order in which they are met, so that equal cuts are fed the
 * same. What inference knows of the elements of a shape tensor follows from those sizes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/cut/cut.h"

#include <math.h>

#define MOST_ELEMENTS (4 << 20)
#define LONG 144 /* beyond the 128 positions that relative ones are told apart in */

/* An integer of what is quantised. */
static bool is_narrow(enum ir_dtype t) {
    return ir_dtype_is_int(t) && (ir_dtype_bits(t) == 8 || ir_dtype_bits(t) == 16);
}

static bool is_wide(enum ir_dtype t) { return ir_dtype_is_int(t) && ir_dtype_bits(t) >= 32; }

bool cut_has_integers(const struct cut_inputs *in) {
    for (uint32_t i = 0; i < in->n; i++)
        if (is_wide(in->at[i].dtype) && !in->at[i].known) return true;
    return false;
}

/* --- sizes ------------------------------------------------------------------------ */

struct sizes {
    struct map index; /* symbol -> in which place it was met */
    uint32_t n, plan;
};

static int64_t size_of(uint32_t plan, uint32_t i) {
    static const int64_t primes[] = {2, 3, 5, 7, 11, 13};
    switch (plan) {
    case 0: return primes[i % countof(primes)];
    case 1: return 4;
    case 2: return 8 + 4 * (int64_t)(i % 6);
    case CUT_ONES: return 1;
    default: return (i + plan) % 2 ? 2 : LONG;
    }
}

static int64_t symbol_size(void *ctx, uint32_t symbol) {
    struct sizes *s = ctx;
    if (map_get(&s->index, symbol) == MAP_NONE) map_put(&s->index, symbol, s->n++);
    return size_of(s->plan, map_get(&s->index, symbol));
}

static bool choose_dims(struct cut *c, struct sizes *s, struct cut_input *in) {
    const struct ir_type *t = in->port->type;
    const struct ir_dims *table = c->g->model->dims;
    int64_t *dims = arena_new_array(c->a, int64_t, t->rank);
    uint64_t count;
    in->rank = t->rank;
    in->dims = dims;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dims[i] == IR_DIM_UNKNOWN) dims[i] = size_of(s->plan, s->n++);
        else if (!ir_dim_value(table, t->dims[i], symbol_size, s, &dims[i])) return false;
    }
    return ir_tensor_count(in->rank, dims, &count) && count <= MOST_ELEMENTS;
}

static void find_known(struct cut *c, struct sizes *s, struct cut_input *in) {
    const struct ir_symval *v = in->port->symval;
    if (!v || v->rank != in->rank || (v->rank == 1 && in->dims[0] != v->len)) return;
    int64_t *known = arena_new_array(c->a, int64_t, v->len);
    for (uint32_t i = 0; i < v->len; i++)
        if (!ir_dim_value(c->g->model->dims, v->items[i], symbol_size, s, &known[i]))
            return;
    in->known = known;
    in->nknown = v->len;
}

/* Behind what counts steps stand their size and their zero point. */
static void find_zero(struct cut *c, const struct cut_node *n, struct cut_input *in) {
    for (uint32_t k = 0; k + 2 < n->nin; k++) {
        uint32_t known = map_get(&c->constants, n->in[k + 2]);
        if (n->in[k] != in->port->v || known == MAP_NONE) continue;
        const struct ir_tensor *t = c->tensors.at[known];
        if (t->dtype == in->dtype) ir_tensor_int_at(c->g->model, t, 0, &in->zero);
    }
}

static void find_zeros(struct cut *c, struct cut_input *in) {
    for (uint32_t i = 0; i < c->side[0].nodes.len; i++)
        find_zero(c, &c->side[0].nodes.at[i], in);
    for (uint32_t i = 0; i < c->above.len; i++) find_zero(c, &c->above.at[i], in);
}

bool cut_inputs(struct cut *c, uint32_t plan, struct cut_inputs *out, const char **why) {
    struct sizes s = {.plan = plan};
    map_init(&s.index, c->a);
    *out = (struct cut_inputs){.plan = plan};
    out->at = arena_new_array(c->a, struct cut_input, c->ports.len);
    for (uint32_t i = 0; i < c->ports.len; i++) {
        const struct cut_port *p = &c->ports.at[i];
        if (p->constant) continue;
        struct cut_input in = {.port = p, .name = ir_slice_name(&c->numbers, p->v, c->a),
                               .dtype = ir_type_dtype(p->type)};
        *why = "the type or the rank of a value that it sees is not known";
        if (in.dtype == IR_UNDEFINED || !ir_type_ranked(p->type)) return false;
        *why = "no sizes were found for the values that it sees";
        if (!choose_dims(c, &s, &in)) return false;
        find_known(c, &s, &in);
        if (is_narrow(in.dtype)) find_zeros(c, &in);
        out->at[out->n++] = in;
    }
    return true;
}

bool cut_any_inputs(struct cut *c, struct cut_inputs *out, const char **why) {
    for (uint32_t plan = 0; plan < CUT_PLANS; plan++)
        if (cut_inputs(c, plan, out, why)) return true;
    return false;
}

/* --- values ----------------------------------------------------------------------- */

static bool store_known(const struct cut_input *in, struct ir_tensor *t, void *bytes) {
    for (uint32_t i = 0; i < in->nknown; i++) {
        int64_t x = in->known[i];
        switch (t->dtype) {
        case IR_INT64: ((int64_t *)bytes)[i] = x; break;
        case IR_INT32: ((int32_t *)bytes)[i] = (int32_t)x; break;
        case IR_FLOAT: ((float *)bytes)[i] = (float)x; break;
        case IR_DOUBLE: ((double *)bytes)[i] = (double)x; break;
        case IR_BOOL: ((uint8_t *)bytes)[i] = x != 0; break;
        default: return false;
        }
    }
    t->data = bytes;
    return true;
}

/* Integers of 32 and 64 bits may index something, so they stay small; narrower ones take all
 * of their type, as what is quantised does. */
static int64_t largest(const struct cut_inputs *in, enum ir_dtype t) {
    static const int64_t below[CUT_ALL_PLANS] = {2, 3, 7, 1, 1, 1};
    return is_wide(t) ? below[in->plan] : 0;
}

/* What a fill multiplies what is drawn by. */
static double factor(const struct cut_draw *draw) {
    switch (draw->fill) {
    case CUT_SMALL: return 1e-3;
    case CUT_POSITIVE: return -1;
    case CUT_LARGE: return 16; /* beyond the bounds of a Clip, where a Tanh is flat */
    case CUT_FITTED: return draw->by;
    default: return 1;
    }
}

static void scale_float(const struct ir_tensor *t, uint64_t i, void *bytes, double by) {
    double x;
    if (t->dtype == IR_FLOAT) ((float *)bytes)[i] *= (float)by;
    if (t->dtype == IR_DOUBLE) ((double *)bytes)[i] *= by;
    if (ir_dtype_bits(t->dtype) == 16 && ir_tensor_double_at(NULL, t, i, &x))
        ((uint16_t *)bytes)[i] = (uint16_t)ir_small_float_encode(t->dtype, x * by, false);
}

/* Nearer to their zero; never further from it, where there may be no integers. */
static void scale_integer(const struct ir_tensor *t, uint64_t i, void *bytes, double by,
                          int64_t zero) {
    int64_t x;
    if (by >= 1 || !ir_tensor_int_at(NULL, t, i, &x)) return;
    x = zero + llround((double)(x - zero) * by);
    if (ir_dtype_bits(t->dtype) == 8) ((uint8_t *)bytes)[i] = (uint8_t)x;
    else ((uint16_t *)bytes)[i] = (uint16_t)x;
}

static void scale(struct cut *c, const struct cut_input *in, struct ir_tensor *t,
                  const struct cut_draw *draw) {
    bool is_float = ir_dtype_is_float(t->dtype) && ir_dtype_bits(t->dtype) >= 16;
    bool counts_steps = draw->fill == CUT_FITTED && is_narrow(t->dtype);
    double by = factor(draw);
    if (by == 1 || !(is_float || counts_steps)) return;
    void *bytes = arena_copy(c->a, t->data, (size_t)t->nbytes);
    for (uint64_t i = 0; i < t->count; i++) {
        if (is_float) scale_float(t, i, bytes, by);
        else scale_integer(t, i, bytes, by, in->zero);
    }
    t->data = bytes;
}

static enum judge_fill kind(enum cut_fill fill) {
    switch (fill) {
    case CUT_NEGATIVE:
    case CUT_POSITIVE: return JUDGE_NEGATIVE;
    case CUT_BLANK: return JUDGE_BLANK;
    case CUT_FAR: return JUDGE_FAR;
    default: return JUDGE_RANDOM;
    }
}

static bool make_value(struct cut *c, const struct cut_inputs *all,
                       const struct cut_input *in, const struct cut_draw *draw,
                       uint64_t *seed, struct ir_tensor **out) {
    struct ir_tensor *t = judge_tensor(c->a, in->dtype, in->rank, in->dims, kind(draw->fill),
                                       largest(all, in->dtype), seed);
    *out = t;
    if (!t) return false;
    if (in->known && store_known(in, t, arena_alloc(c->a, (size_t)t->nbytes + 1))) return true;
    scale(c, in, t, draw);
    return true;
}

bool cut_values(struct cut *c, const struct cut_inputs *in, const struct cut_draw *draw,
                struct judge_values *out) {
    uint64_t seed = 1 + (uint64_t)draw->fill + (uint64_t)draw->again * (CUT_FAR + 1);
    *out = (struct judge_values){arena_new_array(c->a, struct judge_value, in->n), in->n};
    for (uint32_t i = 0; i < in->n; i++) {
        out->at[i] = (struct judge_value){.name = in->at[i].name};
        if (!make_value(c, in, &in->at[i], draw, &seed, &out->at[i].tensor)) return false;
    }
    return true;
}

struct judge_values cut_seen(struct cut *c, const struct cut_inputs *in,
                             const struct judge_values *all, uint32_t side) {
    struct judge_values out = {arena_new_array(c->a, struct judge_value, all->n), 0};
    for (uint32_t i = 0; i < all->n; i++)
        if (in->at[i].port->seen[side]) out.at[out.n++] = all->at[i];
    return out;
}
