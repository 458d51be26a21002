/* bounds.c -- bounds of forms.
 *
 * An interval for each atom gives one for the form. That misses what the atoms of a form
 * have to do with each other, so each minimum, maximum and quotient is also replaced by
 * what it is at most or at least: seq - min(seq, 1) is then seq - seq at least.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

/* Bounds add and multiply with the extreme values standing for "none". */
static int64_t add_bound(int64_t a, int64_t b, int64_t none) {
    int64_t sum;
    if (a == none || b == none || !rw_add_i64(a, b, &sum)) return none;
    return sum;
}

static bool is_infinite(int64_t x) { return x == DIM_NO_LOW || x == DIM_NO_HIGH; }

static int64_t mul_bound(int64_t a, int64_t b) {
    int64_t product;
    if (a == 0 || b == 0) return 0;
    bool negative = (a < 0) != (b < 0);
    if (is_infinite(a) || is_infinite(b) || !rw_mul_i64(a, b, &product))
        return negative ? DIM_NO_LOW : DIM_NO_HIGH;
    return product;
}

static struct dim_range mul_ranges(struct dim_range a, struct dim_range b) {
    int64_t x[4] = {mul_bound(a.low, b.low), mul_bound(a.low, b.high),
                    mul_bound(a.high, b.low), mul_bound(a.high, b.high)};
    struct dim_range r = {x[0], x[0]};
    for (int i = 1; i < 4; i++) {
        if (x[i] < r.low) r.low = x[i];
        if (x[i] > r.high) r.high = x[i];
    }
    return r;
}

/* Every atom anywhere in its own range. */
static struct dim_range term_range(const struct ir_dims *t, const struct dim_poly *p) {
    struct dim_range sum = {0, 0};
    if (p->too_big) return (struct dim_range){DIM_NO_LOW, DIM_NO_HIGH};
    for (uint32_t i = 0; i < p->n; i++) {
        const struct dim_term *m = &p->term[i];
        struct dim_range r = {m->coef, m->coef};
        for (uint32_t k = 0; k < m->degree; k++)
            r = mul_ranges(r, t->atoms.at[m->atom[k]].range);
        sum.low = add_bound(sum.low, r.low, DIM_NO_LOW);
        sum.high = add_bound(sum.high, r.high, DIM_NO_HIGH);
    }
    return sum;
}

static void tighten(const struct ir_dims *t, struct dim_range *r, const struct dim_poly *p,
                    bool low, bool high) {
    struct dim_range other = term_range(t, p);
    if (low && other.low > r->low) r->low = other.low;
    if (high && other.high < r->high) r->high = other.high;
}

/* p with term i, coef*atom, replaced by coef*d + offset. */
static struct dim_poly replaced(const struct ir_dims *t, const struct dim_poly *p,
                                uint32_t i, ir_dim d, int64_t coef, int64_t offset) {
    struct dim_poly out = *p, q;
    memmove(&out.term[i], &out.term[i + 1], (--out.n - i) * sizeof *out.term);
    dim_poly_load(t, ir_dim_find(t, d), &q);
    dim_poly_add(&out, &q, coef);
    dim_poly_const(&q, offset);
    dim_poly_add(&out, &q, 1);
    return out;
}

/* min(a, b) is at most a and at most b; max(a, b) at least. */
static void tighten_by_choice(const struct ir_dims *t, struct dim_range *r,
                              const struct dim_poly *p, uint32_t i) {
    int64_t coef = p->term[i].coef;
    const struct dim_atom x = t->atoms.at[p->term[i].atom[0]];
    bool low = (x.kind == DIM_MAX) == (coef > 0);
    struct dim_poly by_a = replaced(t, p, i, x.a, coef, 0);
    struct dim_poly by_b = replaced(t, p, i, x.b, coef, 0);
    tighten(t, r, &by_a, low, !low);
    tighten(t, r, &by_b, low, !low);
}

/* (a - c + 1)/c <= floor(a/c) <= a/c for a constant c > 0 that divides the coefficient. */
static void tighten_by_quotient(const struct ir_dims *t, struct dim_range *r,
                                const struct dim_poly *p, uint32_t i) {
    int64_t coef = p->term[i].coef, c, offset;
    const struct dim_atom x = t->atoms.at[p->term[i].atom[0]];
    if (!ir_dim_is_const(t, x.b, &c) || c <= 0 || coef % c) return;
    if (!rw_mul_i64(coef / c, 1 - c, &offset)) return;
    struct dim_poly most = replaced(t, p, i, x.a, coef / c, 0);
    struct dim_poly least = replaced(t, p, i, x.a, coef / c, offset);
    tighten(t, r, &most, coef < 0, coef > 0);
    tighten(t, r, &least, coef > 0, coef < 0);
}

/* floor(a/c) <= a for a >= 0, c > 0, whatever the coefficient. */
static void tighten_by_dividend(const struct ir_dims *t, struct dim_range *r,
                                const struct dim_poly *p, uint32_t i) {
    int64_t coef = p->term[i].coef, c;
    const struct dim_atom x = t->atoms.at[p->term[i].atom[0]];
    struct dim_poly a;
    if (!ir_dim_is_const(t, x.b, &c) || c <= 0) return;
    dim_poly_load(t, ir_dim_find(t, x.a), &a);
    if (term_range(t, &a).low < 0) return;
    a = replaced(t, p, i, x.a, coef, 0);
    tighten(t, r, &a, coef < 0, coef > 0);
}

struct dim_range dim_poly_range(const struct ir_dims *t, const struct dim_poly *p) {
    struct dim_range r = term_range(t, p);
    for (uint32_t i = 0; i < p->n && !p->too_big; i++) {
        if (p->term[i].degree != 1) continue;
        enum dim_atom_kind kind = t->atoms.at[p->term[i].atom[0]].kind;
        if (kind == DIM_MIN || kind == DIM_MAX) tighten_by_choice(t, &r, p, i);
        if (kind != DIM_FLOORDIV) continue;
        tighten_by_quotient(t, &r, p, i);
        tighten_by_dividend(t, &r, p, i);
    }
    return r;
}

/* Atoms are integers: 4*a + 1 is odd whatever a is. */
static bool is_indivisible(const struct dim_poly *p) {
    if (!p->n || p->term[p->n - 1].degree) return false; /* the constant stands last */
    int64_t g = 0, rest = p->term[p->n - 1].coef;
    for (uint32_t i = 0; i + 1 < p->n; i++) g = dim_gcd(g, p->term[i].coef);
    return g > 1 && rest % g != 0;
}

bool dim_poly_is_never_zero(const struct ir_dims *t, const struct dim_poly *p) {
    if (p->too_big) return false;
    struct dim_range r = dim_poly_range(t, p);
    return r.low > 0 || r.high < 0 || is_indivisible(p);
}

/* coef*atom + constant >= 0 */
void ir_dim_never_negative(struct ir_dims *t, ir_dim d) {
    struct dim_poly p;
    if (!d) return;
    dim_poly_load(t, ir_dim_find(t, d), &p);
    int64_t coef = p.n ? p.term[0].coef : 0, constant = p.n == 2 ? p.term[1].coef : 0;
    bool fits = p.n == 1 || (p.n == 2 && p.term[1].degree == 0);
    if (!fits || p.term[0].degree != 1 || coef <= 0 || constant > 0 ||
        constant == INT64_MIN)
        return;
    int64_t low = -(constant / coef) + (constant % coef != 0); /* rounded up */
    struct dim_range *known = &t->atoms.at[p.term[0].atom[0]].range;
    if (low > known->low) known->low = low;
}
