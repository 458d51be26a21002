/* literals.c -- the literals that a constant may be, by its first elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/label/label.h"

#include <math.h>

/* --- what is read ---------------------------------------------------------------------- */
static void put_u64(uint32_t *key, uint64_t x) {
    key[0] = (uint32_t)x;
    key[1] = (uint32_t)(x >> 32);
}

static bool may_be_list(const struct pm_literals *l, const struct ir_tensor *t) {
    struct pm_list lengths = {l->lengths.len, l->lengths.at};
    return t->rank == 1 && t->count <= UINT32_MAX &&
           pm_list_has(lengths, (uint32_t)t->count);
}

static uint32_t put_items(struct ir_model *m, const struct ir_tensor *t, uint32_t *key) {
    uint32_t n = 8;
    for (uint32_t k = 1; k < t->count && k < PM_ITEMS_READ; k++, n += 2) {
        int64_t i;
        if (!ir_tensor_int_at(m, t, k, &i)) break;
        put_u64(key + n, (uint64_t)i);
    }
    return n;
}

uint32_t pm_literals_key(const struct pm_literals *l, struct ir_model *m,
                         const struct ir_tensor *t, uint32_t *key) {
    bool is_list = may_be_list(l, t);
    if (!is_list && t->count != 1 && (!l->splats || t->count == 0)) return 0;
    key[0] = t->dtype;
    key[1] = is_list;
    key[2] = is_list ? (uint32_t)t->count : t->count == 1;
    if (t->count == 0 || t->storage == IR_STRINGS) return 3;
    int64_t i = 0;
    double x = 0;
    uint64_t bits;
    key[3] = (ir_tensor_int_at(m, t, 0, &i) ? 1u : 0u) |
             (ir_tensor_double_at(m, t, 0, &x) ? 2u : 0u);
    memcpy(&bits, &x, sizeof bits);
    put_u64(key + 4, bits);
    put_u64(key + 6, (uint64_t)i);
    return is_list ? put_items(m, t, key) : 8;
}

/* --- which they are ---------------------------------------------------------------------- */
struct finder {
    const struct pm_auto *p;
    struct ir_model *m;
    const struct ir_tensor *t;
    struct arena *arena;
    struct pm_numbers *out;
};

static void try_literal(struct finder *f, uint32_t sub) {
    const struct literal *l = f->p->literal.at[f->p->subs->list.at[sub].literal];
    if (pm_literal_may_fit(f->m, f->t, l)) vec_push(f->arena, f->out, sub);
}

/* Those near x: no type's rounding is coarser. */
static void try_near(struct finder *f, uint32_t n, const struct pm_number *at, double x) {
    double reach = fabs(x) * 0x1p-6;
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (at[mid].value < x - reach) low = mid + 1;
        else high = mid;
    }
    for (; low < n && at[low].value <= x + reach; low++) try_literal(f, at[low].sub);
}

void pm_literals_find(const struct pm_auto *p, struct ir_model *m,
                      const struct ir_tensor *t, struct arena *a, struct pm_numbers *out) {
    const struct pm_literals *l = &p->subs->literals;
    struct finder f = {p, m, t, a, out};
    double x;
    if (t->count > 0 && t->storage != IR_STRINGS && ir_tensor_double_at(m, t, 0, &x) &&
        isfinite(x)) {
        try_near(&f, l->numbers.len, l->numbers.at, x);
        if (may_be_list(l, t)) try_near(&f, l->lists.len, l->lists.at, x);
    }
    for (uint32_t i = 0; i < l->others.len; i++) try_literal(&f, l->others.at[i]);
}
