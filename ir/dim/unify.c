/* unify.c -- equalities between dimensions, and undoing them.
 *
 * An equality a = b is solved for a symbol that stands in a - b once, alone and with
 * coefficient 1 or -1; the symbol is bound to the rest. Where there is none a broadcast is
 * solved for: a mask of some length was added to scores of `keys`, and a MatMul proves that
 * there are still `keys` of them. Then what else is computed: of a sequence the first was cut
 * off, and one put behind it, and a Concat proves that it is as long as before, so that
 * min(seq, 1) is 1. Both sides are resolved first, so a binding never leads
 * back to its symbol. Chains of bindings are kept short: of two
 * symbols the one with the lower chains behind it is bound, and a binding that would
 * make a chain longer than DIM_MAX_HEIGHT is not made, which is sound.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

/* --- rewriting by the bindings ------------------------------------------------------ */

/* The present form of an atom. Recursion is bounded by DIM_MAX_DEPTH (operands) and
 * DIM_MAX_HEIGHT (bindings). */
static ir_dim atom_now(struct ir_dims *t, uint32_t atom) {
    struct dim_atom x = t->atoms.at[atom];
    if (x.bound) return ir_dim_find(t, x.bound);
    if (x.kind == DIM_SYMBOL) return IR_DIM_UNKNOWN;
    ir_dim a = ir_dim_find(t, x.a), b = ir_dim_find(t, x.b);
    if (a == x.a && b == x.b) return IR_DIM_UNKNOWN;
    switch (x.kind) {
    case DIM_FLOORDIV: return ir_dim_floordiv(t, a, b);
    case DIM_MIN: return ir_dim_min(t, a, b);
    case DIM_MAX: return ir_dim_max(t, a, b);
    default: return ir_dim_broadcast(t, a, b);
    }
}

/* term = coef * product of the present forms of its atoms; false when none changed. */
static bool term_now(struct ir_dims *t, const struct dim_term *x, struct dim_poly *out) {
    struct dim_poly factor, product;
    bool changed = false;
    dim_poly_const(out, x->coef);
    for (uint32_t k = 0; k < x->degree; k++) {
        ir_dim now = atom_now(t, x->atom[k]);
        changed |= now != IR_DIM_UNKNOWN;
        if (now) dim_poly_load(t, now, &factor);
        else factor = (struct dim_poly){
                 .n = 1, .term[0] = {.coef = 1, .degree = 1, .atom = {x->atom[k]}}};
        dim_poly_mul(out, &factor, &product);
        *out = product;
    }
    return changed;
}

static ir_dim resolve(struct ir_dims *t, ir_dim d) {
    struct dim_form f = t->forms.at[d];
    struct dim_poly sum, term;
    bool changed = false;
    dim_poly_const(&sum, 0);
    for (uint32_t i = 0; i < f.n; i++) {
        changed |= term_now(t, &f.term[i], &term);
        dim_poly_add(&sum, &term, 1);
    }
    return changed ? dim_intern(t, &sum) : d;
}

ir_dim dim_find_bound(struct ir_dims *t, ir_dim d) {
    struct dim_form *f = &t->forms.at[d];
    if (f->generation == t->generation && f->now) return f->now;
    ir_dim now = resolve(t, d);
    f = &t->forms.at[d]; /* may have moved */
    f->generation = t->generation;
    f->now = now;
    return now;
}

ir_dim ir_dim_find(const struct ir_dims *t, ir_dim d) { return dim_find(t, d); }

/* --- solving ------------------------------------------------------------------------ */

static bool mentions(const struct ir_dims *t, ir_dim d, uint32_t symbol);

static bool atom_mentions(const struct ir_dims *t, uint32_t atom, uint32_t symbol) {
    const struct dim_atom *x = &t->atoms.at[atom];
    if (atom == symbol || x->kind == DIM_SYMBOL) return atom == symbol;
    return mentions(t, x->a, symbol) || mentions(t, x->b, symbol);
}

static bool mentions(const struct ir_dims *t, ir_dim d, uint32_t symbol) {
    const struct dim_form *f = &t->forms.at[d];
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->term[i].degree; k++)
            if (atom_mentions(t, f->term[i].atom[k], symbol)) return true;
    return false;
}

/* Can p = 0 be solved for the atom that term i is? */
static bool is_solvable(const struct ir_dims *t, const struct dim_poly *p, uint32_t i) {
    const struct dim_term *x = &p->term[i];
    if (x->degree != 1 || (x->coef != 1 && x->coef != -1)) return false;
    uint32_t symbol = x->atom[0];
    for (uint32_t j = 0; j < p->n; j++)
        for (uint32_t k = 0; j != i && k < p->term[j].degree; k++)
            if (atom_mentions(t, p->term[j].atom[k], symbol)) return false;
    return true;
}

static int class_of(enum dim_atom_kind kind) {
    return kind == DIM_SYMBOL ? 0 : kind == DIM_BROADCAST ? 1 : 2;
}

/* Which of two atoms to bind: a symbol before what is computed, a broadcast before other such,
 * a fresh one before a named one, one with low chains before one with high ones, the newer
 * before the older. */
static bool binds_before(const struct ir_dims *t, uint32_t a, uint32_t b) {
    const struct dim_atom *x = &t->atoms.at[a], *y = &t->atoms.at[b];
    if (class_of(x->kind) != class_of(y->kind)) return class_of(x->kind) < class_of(y->kind);
    if (!x->name != !y->name) return !x->name;
    if (x->height != y->height) return x->height < y->height;
    return a > b;
}

static void raise_heights(struct ir_dims *t, ir_dim d, uint32_t height, bool *too_high) {
    struct dim_form f = t->forms.at[d];
    for (uint32_t i = 0; i < f.n; i++)
        for (uint32_t k = 0; k < f.term[i].degree; k++) {
            struct dim_atom *x = &t->atoms.at[f.term[i].atom[k]];
            if (x->kind != DIM_SYMBOL) {
                raise_heights(t, x->a, height, too_high);
                raise_heights(t, x->b, height, too_high);
            }
            if (x->height >= height) continue;
            vec_push(t->arena, &t->trail,
                     (struct dim_trail){f.term[i].atom[k], x->bound, x->height});
            x->height = height;
            *too_high |= height > DIM_MAX_HEIGHT;
        }
}

static void new_generation(struct ir_dims *t) { t->generation = ++t->generations; }

static void bind(struct ir_dims *t, uint32_t symbol, ir_dim to) {
    uint32_t mark = ir_dims_mark(t);
    bool too_high = false;
    raise_heights(t, to, t->atoms.at[symbol].height + 1, &too_high);
    if (too_high) {
        ir_dims_undo(t, mark);
        return;
    }
    struct dim_atom *x = &t->atoms.at[symbol];
    vec_push(t->arena, &t->trail, (struct dim_trail){symbol, x->bound, x->height});
    x->bound = to;
    t->bindings++;
    new_generation(t);
}

/* An equation divided by what its coefficients have in common. */
static void reduce(struct dim_poly *p) {
    int64_t g = 0;
    for (uint32_t i = 0; i < p->n; i++) g = dim_gcd(g, p->term[i].coef);
    for (uint32_t i = 0; i < p->n; i++) p->term[i].coef /= g;
}

/* Does p = 0 say of sizes, one with a name among them, that they are 0? What a file declares
 * is wrong sooner than that its model is for tensors without elements. */
static bool is_for_nothing(const struct ir_dims *t, const struct dim_poly *p) {
    bool named = false;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct dim_term *m = &p->term[i];
        if (m->degree != 1 || (m->coef < 0) != (p->term[0].coef < 0)) return false;
        const struct dim_atom *x = &t->atoms.at[m->atom[0]];
        if (x->kind != DIM_SYMBOL || x->range.low < 0) return false;
        named |= x->name != NULL;
    }
    return named;
}

static bool unify(struct ir_dims *t, ir_dim a, ir_dim b, bool may_be_nothing) {
    struct dim_poly p, rest;
    if (!a || !b || ir_dim_find(t, a) == ir_dim_find(t, b)) return true;
    if (ir_dim_equal(t, a, b) == IR_FALSE) return false;
    dim_difference(t, a, b, &p);
    if (p.too_big) return true;
    if (!may_be_nothing && is_for_nothing(t, &p)) return false;
    reduce(&p);
    uint32_t best = p.n;
    for (uint32_t i = 0; i < p.n; i++)
        if (is_solvable(t, &p, i) &&
            (best == p.n || binds_before(t, p.term[i].atom[0], p.term[best].atom[0])))
            best = i;
    if (best == p.n) return true;
    struct dim_term x = p.term[best];
    dim_poly_const(&rest, 0); /* x.coef*symbol + others = 0 */
    dim_poly_add(&rest, &p, x.coef == 1 ? -1 : 1);
    struct dim_poly symbol = {.n = 1, .term[0] = x};
    symbol.term[0].coef = 1;
    dim_poly_add(&rest, &symbol, 1);
    if (!rest.too_big) bind(t, x.atom[0], dim_intern(t, &rest));
    return true;
}

bool ir_dim_unify(struct ir_dims *t, ir_dim a, ir_dim b) { return unify(t, a, b, false); }

bool ir_dim_give_size(struct ir_dims *t, ir_dim d, int64_t size) {
    return unify(t, d, ir_dim_const(t, size), true);
}

/* --- undo --------------------------------------------------------------------------- */

uint32_t ir_dims_mark(const struct ir_dims *t) { return t->trail.len; }

void ir_dims_undo(struct ir_dims *t, uint32_t mark) {
    if (t->trail.len == mark) return;
    while (t->trail.len > mark) {
        struct dim_trail e = vec_pop(&t->trail);
        struct dim_atom *x = &t->atoms.at[e.atom];
        if (x->bound && !e.bound) t->bindings--;
        x->bound = e.bound;
        x->height = e.height;
    }
    new_generation(t);
}
