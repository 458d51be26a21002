/* sizes.c -- see sizes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/inputs/sizes.h"

#define PIXELS 64 /* an image must bear some pooling */

#define NO_SYMBOL UINT64_MAX

static int64_t note_symbol(void *ctx, uint32_t number) {
    *(uint64_t *)ctx = number;
    return 0;
}

/* Names are those of symbols, which inference may have found to be the same. */
static uint64_t symbol_of(struct judge_sizes *s, const char *name) {
    uint64_t symbol = NO_SYMBOL;
    int64_t value;
    ir_dim_value(s->dims, ir_dim_symbol(s->dims, name), note_symbol, &symbol, &value);
    return symbol;
}

void judge_sizes_init(struct judge_sizes *s, struct arena *a, struct ir_dims *dims,
                      const struct judge_inputs_options *o) {
    *s = (struct judge_sizes){.arena = a, .dims = dims, .policy = o->sizes % JUDGE_SIZES,
                              .wishes = o->wishes};
    s->wished = arena_zalloc(a, (o->wishes.n + 1) * sizeof *s->wished);
    for (uint32_t i = 0; i < o->wishes.n; i++)
        s->wished[i].symbol = symbol_of(s, o->wishes.at[i].name);
    map_init(&s->chosen, a);
}

static bool grant_symbol(struct judge_sizes *s, uint64_t symbol, int64_t *out) {
    bool found = false;
    for (uint32_t i = 0; i < s->wishes.n; i++) {
        if (s->wished[i].symbol != symbol) continue;
        if (!found) *out = s->wishes.at[i].size;
        s->wished[i].granted = found = true;
    }
    return found;
}

static bool grant_place(struct judge_sizes *s, const char *input, uint32_t k,
                        int64_t *out) {
    const char *place = arena_printf(s->arena, "%s[%u]", input, k);
    for (uint32_t i = 0; i < s->wishes.n; i++) {
        if (!rw_streq(s->wishes.at[i].name, place)) continue;
        *out = s->wishes.at[i].size;
        return s->wished[i].granted = true;
    }
    return false;
}

const char *judge_size_not_granted(const struct judge_sizes *s) {
    for (uint32_t i = 0; i < s->wishes.n; i++)
        if (!s->wished[i].granted) return s->wishes.at[i].name;
    return NULL;
}

/* In the order of appearance, so mostly the batch is first, then a sequence or channels. What
 * has a name of its own at each input may have to be the same all the same: by place. */
static int64_t next_size(const struct judge_sizes *s) {
    static const int64_t small[] = {2, 5, 3, 7, 4, 6, 9, 11};
    static const int64_t large[] = {3, 16, 24, 17, 12, 20, 18, 21};
    uint32_t k = s->sizes.len % countof(small);
    switch (s->policy) {
    case JUDGE_SIZES_DIFFERENT: return small[k];
    case JUDGE_SIZES_BY_PLACE: return small[s->place % countof(small)];
    case JUDGE_SIZES_ONE: return 1;
    case JUDGE_SIZES_ALIKE: return 4;
    default: return s->pixels ? PIXELS : large[k];
    }
}

static int64_t size_of(struct judge_sizes *s, uint64_t key) {
    int64_t size;
    if (grant_symbol(s, key, &size)) return size;
    uint32_t at = map_get(&s->chosen, key);
    if (at == MAP_NONE) {
        at = s->sizes.len;
        vec_push(s->arena, &s->sizes, next_size(s));
        map_put(&s->chosen, key, at);
    }
    return s->sizes.at[at];
}

static int64_t symbol_size(void *ctx, uint32_t number) { return size_of(ctx, number); }

/* What exporters of decoders mean by a name. */
static ir_dim meaning(struct judge_sizes *s, ir_dim d) {
    const char *name = ir_dim_param(s->dims, d);
    if (!name || !rw_streq(name, "total_sequence_length")) return d;
    return ir_dim_declared(s->dims, "past_sequence_length + sequence_length");
}

bool judge_size(struct judge_sizes *s, const struct ir_type *t, uint32_t k, int64_t *out) {
    ir_dim d = t->dims[k];
    s->place = k;
    s->pixels = t->rank == 4 && k >= 2 && ir_dtype_is_float(t->dtype);
    if (d == IR_DIM_UNKNOWN) *out = size_of(s, (uint64_t)1 << 32 | s->sizes.len);
    else if (!ir_dim_value(s->dims, meaning(s, d), symbol_size, s, out)) return false;
    return *out >= 0;
}

bool judge_size_of_input(struct judge_sizes *s, const struct ir_value_info *v, uint32_t k,
                         int64_t *out) {
    int64_t fixed;
    bool is_fixed = ir_dim_is_const(s->dims, v->type->dims[k], &fixed);
    return (!is_fixed && grant_place(s, v->name, k, out)) || judge_size(s, v->type, k, out);
}
