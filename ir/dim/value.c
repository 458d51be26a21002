/* value.c -- dimensions as numbers, once their symbols are given some.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

struct assignment {
    const struct ir_dims *t;
    int64_t (*symbol)(void *ctx, uint32_t number);
    void *ctx;
};

static bool form_value(const struct assignment *s, ir_dim d, int64_t *out);

static int64_t floor_of(int64_t a, int64_t b) {
    int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool combine(enum dim_atom_kind kind, int64_t a, int64_t b, int64_t *out) {
    switch (kind) {
    case DIM_FLOORDIV:
        if (b == 0 || (a == INT64_MIN && b == -1)) return false;
        *out = floor_of(a, b);
        return true;
    case DIM_MIN: *out = a < b ? a : b; return true;
    case DIM_MAX: *out = a > b ? a : b; return true;
    case DIM_BROADCAST:
        *out = a == 1 ? b : a;
        return a == 1 || b == 1 || a == b;
    case DIM_SYMBOL: break;
    }
    return false;
}

/* Recursion is as deep as atoms nest. */
static bool atom_value(const struct assignment *s, uint32_t atom, int64_t *out) {
    const struct dim_atom x = s->t->atoms.at[atom]; /* they move when a form is resolved */
    int64_t a, b;
    if (x.kind == DIM_SYMBOL) return *out = s->symbol(s->ctx, atom), true;
    return form_value(s, x.a, &a) && form_value(s, x.b, &b) && combine(x.kind, a, b, out);
}

static bool form_value(const struct assignment *s, ir_dim d, int64_t *out) {
    ir_dim now = ir_dim_find(s->t, d);
    const struct dim_form f = s->t->forms.at[now];
    *out = 0;
    for (uint32_t i = 0; i < f.n; i++) {
        int64_t product = f.term[i].coef, x;
        for (uint32_t k = 0; k < f.term[i].degree; k++)
            if (!atom_value(s, f.term[i].atom[k], &x) || !rw_mul_i64(product, x, &product))
                return false;
        if (!rw_add_i64(*out, product, out)) return false;
    }
    return true;
}

bool ir_dim_value(const struct ir_dims *t, ir_dim d,
                  int64_t (*symbol)(void *ctx, uint32_t number), void *ctx, int64_t *out) {
    struct assignment s = {t, symbol, ctx};
    return d && form_value(&s, d, out);
}
