/* poly.c -- arithmetic on canonical polynomials of fixed size.
 *
 * Terms stand in graded lexicographic order, greatest first; a polynomial that would
 * outgrow its room, or a coefficient that overflows, is marked too_big and stays so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

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

void dim_poly_mul(const struct dim_poly *a, const struct dim_poly *b,
                  struct dim_poly *out) {
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

int64_t dim_gcd(int64_t a, int64_t b) {
    if (a == INT64_MIN || b == INT64_MIN) return 1;
    for (a = a < 0 ? -a : a, b = b < 0 ? -b : b; b;) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
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
