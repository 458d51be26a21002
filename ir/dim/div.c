/* div.c -- floor division of forms.
 *
 * What divides exactly is taken out: floor((q*b + r)/b) = q + floor(r/b). By a constant
 * the rest is brought to one form: coefficients reduced modulo the divisor, common
 * factors cancelled, nested divisions by constants joined. Divisors are supposed to be
 * nonzero, as the operators that divide suppose.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

static int64_t floor_quotient(int64_t a, int64_t b) { /* b > 0 */
    return a / b - (a % b < 0);
}

static struct dim_range quotient_range(const struct ir_dims *t, const struct dim_poly *a,
                                       const struct dim_poly *b) {
    struct dim_range x = dim_poly_range(t, a), y = dim_poly_range(t, b);
    struct dim_range r = {DIM_NO_LOW, DIM_NO_HIGH};
    if (y.low < 0) return r;
    int64_t least = y.low > 0 ? y.low : 1;
    if (x.low >= 0) r.low = y.high == DIM_NO_HIGH ? 0 : x.low / (y.high > 0 ? y.high : 1);
    else if (x.low != DIM_NO_LOW) r.low = floor_quotient(x.low, least);
    if (x.high < 0) r.high = -1;
    else if (x.high != DIM_NO_HIGH) r.high = x.high / least;
    return r;
}

static ir_dim quotient_atom(struct ir_dims *t, const struct dim_poly *a,
                            const struct dim_poly *b) {
    return dim_atom_form(t, DIM_FLOORDIV, dim_intern(t, a), dim_intern(t, b),
                         quotient_range(t, a, b));
}

/* --- by a constant ----------------------------------------------------------------- */

/* Moves the multiples of c out of p: p = c*q + p', coefficients of p' in [0, c). */
static void take_multiples(struct dim_poly *p, int64_t c, struct dim_poly *q) {
    struct dim_poly rest = {.n = 0};
    dim_poly_const(q, 0);
    for (uint32_t i = 0; i < p->n; i++) {
        struct dim_term x = p->term[i];
        int64_t whole = floor_quotient(x.coef, c);
        int64_t part = x.coef % c + (x.coef % c < 0 ? c : 0);
        x.coef = whole;
        if (whole) q->term[q->n++] = x;
        x.coef = part;
        if (part) rest.term[rest.n++] = x;
    }
    *p = rest;
}

/* floor((g*p + k)/(g*m)) = floor((p + floor(k/g))/m) */
static void cancel_common_factor(struct dim_poly *p, int64_t *c) {
    int64_t g = *c;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->term[i].degree) g = dim_gcd(g, p->term[i].coef);
    for (uint32_t i = 0; i < p->n; i++) p->term[i].coef /= g;
    if (p->n && p->term[p->n - 1].coef == 0) p->n--; /* the constant, which stands last */
    *c /= g;
}

/* floor((floor(y/d) + k)/c) = floor((y + k*d)/(c*d)) for d > 0: p becomes y + k*d. */
static bool join_nested(const struct ir_dims *t, struct dim_poly *p, int64_t *c) {
    if (p->n == 0 || p->n > 2 || p->term[0].degree != 1 || p->term[0].coef != 1)
        return false;
    if (p->n == 2 && p->term[1].degree) return false;
    const struct dim_atom x = t->atoms.at[p->term[0].atom[0]];
    int64_t d, joined, offset = p->n == 2 ? p->term[1].coef : 0;
    if (x.kind != DIM_FLOORDIV || !ir_dim_is_const(t, x.b, &d) || d <= 0) return false;
    if (!rw_mul_i64(*c, d, &joined) || !rw_mul_i64(offset, d, &offset)) return false;
    struct dim_poly shift;
    dim_poly_load(t, ir_dim_find(t, x.a), p);
    dim_poly_const(&shift, offset);
    dim_poly_add(p, &shift, 1);
    *c = joined;
    return !p->too_big;
}

static ir_dim divide_by_constant(struct ir_dims *t, const struct dim_poly *a, int64_t c) {
    struct dim_poly p = *a, q, whole, divisor;
    int64_t value;
    if (c < 0) { /* floor(a/-c) = floor(-a/c) */
        if (c == INT64_MIN) return ir_dim_fresh_value(t);
        dim_poly_const(&p, 0);
        dim_poly_add(&p, a, -1);
        c = -c;
    }
    dim_poly_const(&whole, 0);
    for (uint32_t round = 0; round <= DIM_MAX_DEPTH && !p.too_big; round++) {
        take_multiples(&p, c, &q);
        dim_poly_add(&whole, &q, 1);
        cancel_common_factor(&p, &c);
        if (!join_nested(t, &p, &c)) break;
    }
    if (p.too_big || whole.too_big) return ir_dim_fresh_value(t);
    if (dim_poly_is_const(&p, &value)) { /* 0 <= value < c, so it adds nothing */
        return dim_intern(t, &whole);
    }
    dim_poly_const(&divisor, c);
    dim_poly_load(t, quotient_atom(t, &p, &divisor), &q);
    dim_poly_add(&whole, &q, 1);
    return dim_intern(t, &whole);
}

/* --- by anything else -------------------------------------------------------------- */

/* The atoms and the factor that every term of a and of b has, cancelled in both. */
static void cancel_common_term(struct dim_poly *a, struct dim_poly *b) {
    struct dim_term common = b->term[0], drop;
    int64_t g = 0;
    for (uint32_t i = 0; i < a->n + b->n; i++) {
        const struct dim_term *x = i < a->n ? &a->term[i] : &b->term[i - a->n];
        struct dim_term shared = {0};
        for (uint32_t j = 0, k = 0; j < x->degree && k < common.degree;) {
            if (x->atom[j] == common.atom[k])
                shared.atom[shared.degree++] = x->atom[j++], k++;
            else if (x->atom[j] < common.atom[k]) j++;
            else k++;
        }
        common = shared;
        g = dim_gcd(g, x->coef);
    }
    for (uint32_t i = 0; i < a->n + b->n; i++) {
        struct dim_term *x = i < a->n ? &a->term[i] : &b->term[i - a->n];
        dim_monomial_div(x, &common, &drop);
        *x = drop;
        x->coef /= g;
    }
}

/* Long division by the leading term: a = b*q + a'. Each step lowers a's leading monomial
 * or moves past it, so steps are bounded; exactness is what counts, not the remainder. */
static bool divides_exactly(const struct dim_poly *a, const struct dim_poly *b,
                            struct dim_poly *q) {
    struct dim_poly rest = *a, step;
    dim_poly_const(q, 0);
    for (uint32_t i = 0; i < 2 * DIM_MAX_TERMS && rest.n && !rest.too_big; i++) {
        struct dim_term x;
        if (rest.term[0].coef == INT64_MIN || rest.term[0].coef % b->term[0].coef)
            return false;
        if (!dim_monomial_div(&rest.term[0], &b->term[0], &x)) return false;
        x.coef = rest.term[0].coef / b->term[0].coef;
        step = (struct dim_poly){.n = 1, .term[0] = x};
        dim_poly_add(q, &step, 1);
        dim_poly_add_scaled(&rest, b, -x.coef, &x);
    }
    return rest.n == 0 && !rest.too_big && !q->too_big;
}

/* Terms of p that b, a single term, divides go to q. */
static void take_divisible(struct dim_poly *p, const struct dim_term *b,
                           struct dim_poly *q) {
    struct dim_poly rest = {.n = 0};
    dim_poly_const(q, 0);
    for (uint32_t i = 0; i < p->n; i++) {
        struct dim_term x;
        bool fits = dim_monomial_div(&p->term[i], b, &x) && p->term[i].coef != INT64_MIN &&
                    p->term[i].coef % b->coef == 0;
        x.coef = fits ? p->term[i].coef / b->coef : 0;
        if (fits) q->term[q->n++] = x;
        else rest.term[rest.n++] = p->term[i];
    }
    *p = rest;
}

ir_dim ir_dim_floordiv(struct ir_dims *t, ir_dim a, ir_dim b) {
    struct dim_poly p, divisor, q;
    int64_t c;
    if (!a || !b) return IR_DIM_UNKNOWN;
    dim_poly_load(t, ir_dim_find(t, a), &p);
    dim_poly_load(t, ir_dim_find(t, b), &divisor);
    if (divisor.n == 0) return IR_DIM_UNKNOWN;
    if (p.n == 0) return ir_dim_const(t, 0);
    cancel_common_term(&p, &divisor);
    if (dim_poly_is_const(&divisor, &c)) return divide_by_constant(t, &p, c);
    if (divides_exactly(&p, &divisor, &q)) return dim_intern(t, &q);
    dim_poly_const(&q, 0);
    if (divisor.n == 1) take_divisible(&p, &divisor.term[0], &q);
    struct dim_poly atom;
    dim_poly_load(t, quotient_atom(t, &p, &divisor), &atom);
    dim_poly_add(&q, &atom, 1);
    return dim_intern(t, &q);
}
