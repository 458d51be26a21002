/* impl.h -- the table of dimensions, shared by the ir/dim*.c files.
 *
 * A form is a canonical polynomial: terms sorted from the greatest monomial down (graded
 * lexicographic, so that long division works), no zero coefficients. Forms and atoms are
 * interned and never change; a unification binds a symbol to a form, and ir_dim_find
 * rewrites forms by the bindings, remembering the result for one generation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_DIM_IMPL_H
#define IR_DIM_IMPL_H

#include "base/vec.h"
#include "ir/dim.h"

#define DIM_MAX_TERMS 16u
#define DIM_MAX_DEGREE 8u
#define DIM_MAX_DEPTH 6u   /* atoms nested in atoms */
#define DIM_MAX_SIZE 100u  /* symbols in an atom, counted as often as they stand there */
#define DIM_MAX_HEIGHT 16u /* bindings behind bindings */
#define DIM_NO_LOW INT64_MIN
#define DIM_NO_HIGH INT64_MAX

struct dim_range { int64_t low, high; };

struct dim_term {
    int64_t coef;
    uint32_t degree;
    uint32_t atom[DIM_MAX_DEGREE]; /* rising; a power repeats */
};
struct dim_poly {
    uint32_t n;
    bool too_big; /* overflowed or outgrew the limits: means nothing */
    struct dim_term term[DIM_MAX_TERMS];
};

enum dim_atom_kind { DIM_SYMBOL, DIM_FLOORDIV, DIM_MIN, DIM_MAX, DIM_BROADCAST };
struct dim_atom {
    enum dim_atom_kind kind;
    const char *name; /* of a symbol; NULL: a fresh one */
    uint32_t number;  /* of a fresh symbol */
    ir_dim a, b;      /* operands */
    uint32_t depth;   /* of nesting; a symbol has 0 */
    uint32_t size;    /* written out; a symbol has 1 */
    struct dim_range range;
    ir_dim bound;     /* what it was unified with, or IR_DIM_UNKNOWN */
    uint32_t height;  /* of the chains of bindings that end here */
};
struct dim_form {
    uint32_t n;
    const struct dim_term *term;
    uint32_t generation; /* of `now` */
    ir_dim now;          /* the form after the bindings of that generation */
};
struct dim_trail { uint32_t atom; ir_dim bound; uint32_t height; };

struct ir_dims {
    struct arena *arena;
    VEC(struct dim_form) forms; /* form 0 is unused */
    VEC(struct dim_atom) atoms;
    VEC(struct dim_trail) trail;
    struct hset form_set, atom_set;
    struct map symbols; /* interned name -> atom */
    struct intern names;
    uint32_t fresh;
    uint32_t generation;  /* of the bindings: changes with each of them */
    uint32_t generations; /* given out so far */
    uint32_t bindings;
};

/* --- dim_poly.c: arithmetic on polynomials ----------------------------------------- */
void dim_poly_const(struct dim_poly *p, int64_t value);
void dim_poly_load(const struct ir_dims *t, ir_dim d, struct dim_poly *p);
/* p += coef * (monomial of m) * q */
void dim_poly_add_scaled(struct dim_poly *p, const struct dim_poly *q, int64_t coef,
                         const struct dim_term *m);
void dim_poly_add(struct dim_poly *p, const struct dim_poly *q, int64_t coef);
void dim_poly_mul(const struct dim_poly *a, const struct dim_poly *b, struct dim_poly *out);
bool dim_poly_is_const(const struct dim_poly *p, int64_t *value);
/* The greatest common divisor, at least 0; of INT64_MIN, which has no opposite, 1. */
int64_t dim_gcd(int64_t a, int64_t b);
/* out = a / b as monomials; false when b's atoms are not all in a. Leaves coef alone. */
bool dim_monomial_div(const struct dim_term *a, const struct dim_term *b,
                      struct dim_term *out);

/* --- dim_unify.c: where there are bindings --- */
ir_dim dim_find_bound(struct ir_dims *t, ir_dim d);
/* As ir_dim_find. The table only looks constant: resolving interns forms and remembers them,
 * which changes nothing that can be observed. */
static inline ir_dim dim_find(const struct ir_dims *t, ir_dim d) {
    return d && t->bindings ? dim_find_bound((struct ir_dims *)(uintptr_t)t, d) : d;
}

/* --- dim_bounds.c ------------------------------------------------------------------ */
struct dim_range dim_poly_range(const struct ir_dims *t, const struct dim_poly *p);
/* Is p something else than 0 whatever its atoms are? */
bool dim_poly_is_never_zero(const struct ir_dims *t, const struct dim_poly *p);

/* --- dim.c: interning -------------------------------------------------------------- */
ir_dim dim_intern(struct ir_dims *t, const struct dim_poly *p);
/* The symbol of that name, which is at least range.low from here on. */
ir_dim dim_symbol(struct ir_dims *t, const char *name, struct dim_range range);
/* The form of one atom. Operands of the commutative kinds may come in any order. */
ir_dim dim_atom_form(struct ir_dims *t, enum dim_atom_kind kind, ir_dim a, ir_dim b,
                     struct dim_range range);
/* a - b without interning it. */
void dim_difference(const struct ir_dims *t, ir_dim a, ir_dim b, struct dim_poly *out);

#endif
