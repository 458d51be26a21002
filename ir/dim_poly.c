/* dim_poly.c -- arithmetic on canonical polynomials of fixed size.
 *
 * Terms stand in graded lexicographic order, greatest first; a polynomial that would
 * outgrow its room, or a coefficient that overflows, is marked too_big and stays so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim_impl.h"

void dim_poly_const(struct dim_poly *p, int64_t value) {
    p->too_big = false;
    p->n = value != 0;
    if (value) p->term[0] = (struct dim_term){.coef = value};
}

void dim_poly_load(const struct ir_dims *t, ir_dim d, struct dim_poly *p) {
    const struct dim_form *f = &t->forms.at[d];
    p->too_big = false;
    p->n = f->n;
    if (f->n) memcpy(p->term, f->term, f->n * sizeof *f->term);
}

/* Less than 0 when a stands before b: of greater degree, or with more of an older atom. */
static int compare_monomials(const struct dim_term *a, const struct dim_term *b) {
    if (a->degree != b->degree) return a->degree > b->degree ? -1 : 1;
    for (uint32_t i = 0; i < a->degree; i++)
        if (a->atom[i] != b->atom[i]) return a->atom[i] < b->atom[i] ? -1 : 1;
    return 0;
}

static void insert_term(struct dim_poly *p, const struct dim_term *x) {
    uint32_t i = 0;
    int order = 1;
    while (i < p->n && (order = compare_monomials(&p->term[i], x)) < 0) i++;
    if (i < p->n && order == 0) {
        if (!rw_add_i64(p->term[i].coef, x->coef, &p->term[i].coef)) p->too_big = true;
        else if (p->term[i].coef == 0)
            memmove(&p->term[i], &p->term[i + 1], (--p->n - i) * sizeof *p->term);
        return;
    }
    if (p->n == DIM_MAX_TERMS) {
        p->too_big = true;
        return;
    }
    memmove(&p->term[i + 1], &p->term[i], (p->n++ - i) * sizeof *p->term);
    p->term[i] = *x;
}

/* The product of two terms; false when it does not fit. */
static bool multiply_terms(const struct dim_term *a, const struct dim_term *b,
                           struct dim_term *out) {
    *out = (struct dim_term){.degree = a->degree + b->degree};
    if (out->degree > DIM_MAX_DEGREE || !rw_mul_i64(a->coef, b->coef, &out->coef))
        return false;
    for (uint32_t i = 0, j = 0; i + j < out->degree;) {
        bool take_a = j == b->degree || (i < a->degree && a->atom[i] <= b->atom[j]);
        uint32_t k = i + j;
        out->atom[k] = take_a ? a->atom[i++] : b->atom[j++];
    }
    return true;
}

void dim_poly_add_scaled(struct dim_poly *p, const struct dim_poly *q, int64_t coef,
                         const struct dim_term *m) {
    struct dim_term factor = *m, product;
    factor.coef = coef;
    if (q->too_big) p->too_big = true;
    if (coef == 0) return;
    for (uint32_t i = 0; i < q->n && !p->too_big; i++) {
        if (multiply_terms(&q->term[i], &factor, &product)) insert_term(p, &product);
        else p->too_big = true;
    }
}

void dim_poly_add(struct dim_poly *p, const struct dim_poly *q, int64_t coef) {
    dim_poly_add_scaled(p, q, coef, &(struct dim_term){0});
}

void dim_poly_mul(const struct dim_poly *a, const struct dim_poly *b, struct dim_poly *out) {
    dim_poly_const(out, 0);
    out->too_big = a->too_big || b->too_big;
    for (uint32_t i = 0; i < a->n && !out->too_big; i++)
        dim_poly_add_scaled(out, b, a->term[i].coef, &a->term[i]);
}

bool dim_poly_is_const(const struct dim_poly *p, int64_t *value) {
    if (p->too_big || p->n > 1 || (p->n == 1 && p->term[0].degree)) return false;
    *value = p->n ? p->term[0].coef : 0;
    return true;
}

bool dim_monomial_div(const struct dim_term *a, const struct dim_term *b,
                      struct dim_term *out) {
    *out = (struct dim_term){.coef = a->coef};
    uint32_t j = 0;
    for (uint32_t i = 0; i < a->degree; i++) {
        if (j < b->degree && a->atom[i] == b->atom[j]) j++;
        else out->atom[out->degree++] = a->atom[i];
    }
    return j == b->degree;
}

/* --- bounds ------------------------------------------------------------------------ */

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

struct dim_range dim_poly_range(const struct ir_dims *t, const struct dim_poly *p) {
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
