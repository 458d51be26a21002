/* dim.c -- the table of symbolic dimensions: interning, arithmetic, comparison, text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

static const struct dim_range any_value = {DIM_NO_LOW, DIM_NO_HIGH};
static const struct dim_range any_dim = {0, DIM_NO_HIGH};

struct ir_dims *ir_dims_new(struct arena *a) {
    struct ir_dims *t = arena_new(a, struct ir_dims);
    t->arena = t->form_set.arena = t->atom_set.arena = a;
    map_init(&t->symbols, a);
    intern_init(&t->names, a);
    vec_push(a, &t->forms, (struct dim_form){0});
    return t;
}

/* --- interning --------------------------------------------------------------------- */

static uint64_t hash_poly(const struct dim_poly *p) {
    uint64_t h = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        h = hash_join(h, (uint64_t)p->term[i].coef);
        for (uint32_t k = 0; k < p->term[i].degree; k++)
            h = hash_join(h, p->term[i].atom[k] + 1);
    }
    return h;
}

static bool same_term(const struct dim_term *a, const struct dim_term *b) {
    return a->coef == b->coef && a->degree == b->degree &&
           memcmp(a->atom, b->atom, a->degree * sizeof *a->atom) == 0;
}

static bool same_form(const void *key, uint32_t id, const void *ctx) {
    const struct dim_poly *p = key;
    const struct dim_form *f = &((const struct ir_dims *)ctx)->forms.at[id];
    if (p->n != f->n) return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (!same_term(&p->term[i], &f->term[i])) return false;
    return true;
}

ir_dim dim_intern(struct ir_dims *t, const struct dim_poly *p) {
    if (p->too_big) return ir_dim_fresh_value(t);
    uint64_t hash = hash_poly(p);
    uint32_t id = hset_find(&t->form_set, hash, same_form, p, t);
    if (id != MAP_NONE) return id;
    struct dim_form f = {.n = p->n};
    f.term = arena_copy(t->arena, p->term, p->n * sizeof *p->term);
    id = t->forms.len;
    vec_push(t->arena, &t->forms, f);
    hset_add(&t->form_set, hash, id);
    return id;
}

static ir_dim form_of_atom(struct ir_dims *t, uint32_t atom) {
    struct dim_poly p = {.n = 1, .term[0] = {.coef = 1, .degree = 1, .atom = {atom}}};
    return dim_intern(t, &p);
}

static ir_dim new_symbol(struct ir_dims *t, const char *name, struct dim_range range) {
    uint32_t atom = t->atoms.len;
    vec_push(t->arena, &t->atoms,
             (struct dim_atom){.kind = DIM_SYMBOL, .name = name, .range = range,
                               .size = 1, .number = name ? 0 : ++t->fresh});
    return form_of_atom(t, atom);
}

/* Depth and size of an atom over these operands. */
static void weigh(const struct ir_dims *t, ir_dim operand, struct dim_atom *x) {
    const struct dim_form *f = &t->forms.at[operand];
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->term[i].degree; k++) {
            const struct dim_atom *y = &t->atoms.at[f->term[i].atom[k]];
            x->depth = rw_max_u32(x->depth, y->depth + 1);
            x->size += y->size;
        }
}

static bool same_atom(const void *key, uint32_t id, const void *ctx) {
    const struct dim_atom *x = key, *y = &((const struct ir_dims *)ctx)->atoms.at[id];
    return x->kind == y->kind && x->a == y->a && x->b == y->b;
}

ir_dim dim_atom_form(struct ir_dims *t, enum dim_atom_kind kind, ir_dim a, ir_dim b,
                     struct dim_range range) {
    if (kind != DIM_FLOORDIV && a > b) {
        ir_dim swap = a;
        a = b;
        b = swap;
    }
    struct dim_atom x = {.kind = kind, .a = a, .b = b, .range = range};
    weigh(t, a, &x);
    weigh(t, b, &x);
    if (x.depth > DIM_MAX_DEPTH || x.size > DIM_MAX_SIZE) return new_symbol(t, NULL, range);
    uint64_t hash = hash_join(hash_join((uint64_t)kind, a), b);
    uint32_t atom = hset_find(&t->atom_set, hash, same_atom, &x, t);
    if (atom == MAP_NONE) {
        atom = t->atoms.len;
        vec_push(t->arena, &t->atoms, x);
        hset_add(&t->atom_set, hash, atom);
    }
    return form_of_atom(t, atom);
}

ir_dim ir_dim_const(struct ir_dims *t, int64_t value) {
    struct dim_poly p;
    dim_poly_const(&p, value);
    return dim_intern(t, &p);
}

ir_dim dim_symbol(struct ir_dims *t, const char *name, struct dim_range range) {
    sym_t id = intern(&t->names, name);
    uint32_t atom = map_get(&t->symbols, id);
    if (atom == MAP_NONE) {
        map_put(&t->symbols, id, t->atoms.len);
        return new_symbol(t, intern_text(&t->names, id), range);
    }
    struct dim_range *known = &t->atoms.at[atom].range;
    if (range.low > known->low) known->low = range.low;
    return form_of_atom(t, atom);
}

ir_dim ir_dim_symbol(struct ir_dims *t, const char *name) {
    return dim_symbol(t, name, any_dim);
}

ir_dim ir_dim_fresh(struct ir_dims *t) { return new_symbol(t, NULL, any_dim); }

ir_dim ir_dim_fresh_value(struct ir_dims *t) { return new_symbol(t, NULL, any_value); }

/* --- sums and products ------------------------------------------------------------- */

static bool both_known(struct ir_dims *t, ir_dim *a, ir_dim *b) {
    if (!*a || !*b) return false;
    *a = dim_find(t, *a);
    *b = dim_find(t, *b);
    return true;
}

static ir_dim add_scaled(struct ir_dims *t, ir_dim a, ir_dim b, int64_t coef) {
    struct dim_poly p, q;
    if (!both_known(t, &a, &b)) return IR_DIM_UNKNOWN;
    dim_poly_load(t, a, &p);
    dim_poly_load(t, b, &q);
    dim_poly_add(&p, &q, coef);
    return dim_intern(t, &p);
}

ir_dim ir_dim_add(struct ir_dims *t, ir_dim a, ir_dim b) { return add_scaled(t, a, b, 1); }

ir_dim ir_dim_sub(struct ir_dims *t, ir_dim a, ir_dim b) { return add_scaled(t, a, b, -1); }

ir_dim ir_dim_mul(struct ir_dims *t, ir_dim a, ir_dim b) {
    struct dim_poly p, q, product;
    if (!both_known(t, &a, &b)) return IR_DIM_UNKNOWN;
    dim_poly_load(t, a, &p);
    dim_poly_load(t, b, &q);
    dim_poly_mul(&p, &q, &product);
    return dim_intern(t, &product);
}

ir_dim ir_dim_mod(struct ir_dims *t, ir_dim a, ir_dim b) {
    return ir_dim_sub(t, a, ir_dim_mul(t, b, ir_dim_floordiv(t, a, b)));
}

/* --- minimum, maximum, broadcast --------------------------------------------------- */

static bool is_atom(const struct ir_dims *t, ir_dim d, enum dim_atom_kind kind,
                    const struct dim_atom **atom) {
    const struct dim_form *f = &t->forms.at[d];
    if (f->n != 1 || f->term[0].coef != 1 || f->term[0].degree != 1) return false;
    *atom = &t->atoms.at[f->term[0].atom[0]];
    return (*atom)->kind == kind;
}

/* An idempotent operation absorbs an operand that is in the other one already. */
static bool absorbs(const struct ir_dims *t, enum dim_atom_kind kind, ir_dim whole,
                    ir_dim part) {
    const struct dim_atom *x;
    return is_atom(t, whole, kind, &x) && (x->a == part || x->b == part);
}

static ir_dim choice(struct ir_dims *t, enum dim_atom_kind kind, ir_dim a, ir_dim b,
                     struct dim_range range) {
    if (absorbs(t, kind, a, b)) return a;
    if (absorbs(t, kind, b, a)) return b;
    return dim_atom_form(t, kind, a, b, range);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static struct dim_range range_of(const struct ir_dims *t, ir_dim d) {
    struct dim_poly p;
    dim_poly_load(t, d, &p);
    return dim_poly_range(t, &p);
}

static bool is_at_most(const struct ir_dims *t, ir_dim a, ir_dim b) {
    return ir_dim_less(t, b, a) == IR_FALSE;
}

ir_dim ir_dim_min(struct ir_dims *t, ir_dim a, ir_dim b) {
    if (!both_known(t, &a, &b)) return IR_DIM_UNKNOWN;
    if (is_at_most(t, a, b)) return a;
    if (is_at_most(t, b, a)) return b;
    struct dim_range x = range_of(t, a), y = range_of(t, b);
    struct dim_range range = {smaller(x.low, y.low), smaller(x.high, y.high)};
    return choice(t, DIM_MIN, a, b, range);
}

ir_dim ir_dim_max(struct ir_dims *t, ir_dim a, ir_dim b) {
    if (!both_known(t, &a, &b)) return IR_DIM_UNKNOWN;
    if (is_at_most(t, a, b)) return b;
    if (is_at_most(t, b, a)) return a;
    struct dim_range x = range_of(t, a), y = range_of(t, b);
    struct dim_range range = {greater(x.low, y.low), greater(x.high, y.high)};
    return choice(t, DIM_MAX, a, b, range);
}

/* a and min(a, k), k >= 2: where they differ they do not broadcast. */
static bool is_cut_of(const struct ir_dims *t, ir_dim cut, ir_dim a) {
    const struct dim_atom *x;
    int64_t k;
    if (!is_atom(t, cut, DIM_MIN, &x) || (x->a != a && x->b != a)) return false;
    return ir_dim_is_const(t, x->a == a ? x->b : x->a, &k) && k >= 2;
}

ir_dim ir_dim_broadcast(struct ir_dims *t, ir_dim a, ir_dim b) {
    int64_t x, y;
    bool a_const = ir_dim_is_const(t, a, &x), b_const = ir_dim_is_const(t, b, &y);
    if (a_const && x != 1) return dim_find(t, a);
    if (b_const && y != 1) return dim_find(t, b);
    if (a_const) return b ? dim_find(t, b) : b;
    if (b_const) return a ? dim_find(t, a) : a;
    if (!both_known(t, &a, &b)) return IR_DIM_UNKNOWN;
    if (a == b || is_cut_of(t, b, a)) return a;
    if (is_cut_of(t, a, b)) return b;
    return choice(t, DIM_BROADCAST, a, b, any_dim);
}

/* --- comparison -------------------------------------------------------------------- */

void dim_difference(const struct ir_dims *t, ir_dim a, ir_dim b, struct dim_poly *out) {
    struct dim_poly q;
    dim_poly_load(t, dim_find(t, a), out);
    dim_poly_load(t, dim_find(t, b), &q);
    dim_poly_add(out, &q, -1);
}

bool ir_dim_is_const(const struct ir_dims *t, ir_dim d, int64_t *value) {
    if (!d) return false;
    ir_dim now = dim_find(t, d); /* which may move the forms */
    const struct dim_form *f = &t->forms.at[now];
    if (f->n > 1 || (f->n == 1 && f->term[0].degree > 0)) return false;
    *value = f->n ? f->term[0].coef : 0;
    return true;
}

void ir_dim_bounds(const struct ir_dims *t, ir_dim d, int64_t *low, int64_t *high) {
    struct dim_range r = d ? range_of(t, dim_find(t, d)) : any_value;
    *low = r.low;
    *high = r.high;
}

enum ir_truth ir_dim_equal(const struct ir_dims *t, ir_dim a, ir_dim b) {
    struct dim_poly p;
    if (!a || !b) return IR_UNKNOWN;
    if (dim_find(t, a) == dim_find(t, b)) return IR_TRUE;
    dim_difference(t, a, b, &p);
    return dim_poly_is_never_zero(t, &p) ? IR_FALSE : IR_UNKNOWN;
}

enum ir_truth ir_dim_less(const struct ir_dims *t, ir_dim a, ir_dim b) {
    struct dim_poly p;
    if (!a || !b) return IR_UNKNOWN;
    dim_difference(t, b, a, &p);
    struct dim_range r = dim_poly_range(t, &p);
    return r.low > 0 ? IR_TRUE : r.high <= 0 ? IR_FALSE : IR_UNKNOWN;
}

/* --- text -------------------------------------------------------------------------- */

static void print_form(const struct ir_dims *t, ir_dim d, struct buf *out);

static void print_call(const struct ir_dims *t, const char *name, const char *between,
                       const struct dim_atom *x, struct buf *out) {
    buf_printf(out, "%s(", name);
    print_form(t, x->a, out);
    buf_puts(out, between);
    print_form(t, x->b, out);
    buf_putc(out, ')');
}

static void print_quotient(const struct ir_dims *t, const struct dim_atom *x,
                           struct buf *out) {
    bool wide_a = t->forms.at[x->a].n > 1, wide_b = t->forms.at[x->b].n > 1;
    const struct dim_form *b = &t->forms.at[x->b];
    if (b->n == 1 && b->term[0].degree + (b->term[0].coef != 1) > 1) wide_b = true;
    buf_puts(out, wide_a ? "floor((" : "floor(");
    print_form(t, x->a, out);
    buf_puts(out, wide_a ? ")/" : "/");
    if (wide_b) buf_putc(out, '(');
    print_form(t, x->b, out);
    buf_puts(out, wide_b ? "))" : ")");
}

/* Depth is limited by DIM_MAX_DEPTH. */
static void print_atom(const struct ir_dims *t, uint32_t atom, struct buf *out) {
    const struct dim_atom *x = &t->atoms.at[atom];
    switch (x->kind) {
    case DIM_SYMBOL:
        if (x->name) buf_puts(out, x->name);
        else buf_printf(out, "_%u", x->number);
        break;
    case DIM_FLOORDIV: print_quotient(t, x, out); break;
    case DIM_MIN: print_call(t, "min", ", ", x, out); break;
    case DIM_MAX: print_call(t, "max", ", ", x, out); break;
    case DIM_BROADCAST: print_call(t, "broadcast", ", ", x, out); break;
    }
}

static void print_term(const struct ir_dims *t, const struct dim_term *x, bool first,
                       struct buf *out) {
    bool negative = x->coef < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)x->coef : (uint64_t)x->coef;
    if (!first) buf_puts(out, negative ? " - " : " + ");
    else if (negative) buf_putc(out, '-');
    if (magnitude != 1 || !x->degree) buf_printf(out, "%" PRIu64, magnitude);
    for (uint32_t k = 0; k < x->degree; k++) {
        if (k || magnitude != 1) buf_putc(out, '*');
        print_atom(t, x->atom[k], out);
    }
}

static void print_form(const struct ir_dims *t, ir_dim d, struct buf *out) {
    const struct dim_form *f = &t->forms.at[d];
    if (!f->n) buf_putc(out, '0');
    for (uint32_t i = 0; i < f->n; i++) print_term(t, &f->term[i], i == 0, out);
}

void ir_dim_print(const struct ir_dims *t, ir_dim d, struct buf *out) {
    if (d) print_form(t, dim_find(t, d), out);
    else buf_putc(out, '?');
}

bool ir_dim_is_fresh(const struct ir_dims *t, ir_dim d) {
    const struct dim_atom *x;
    return d && is_atom(t, d, DIM_SYMBOL, &x) && !x->name;
}

uint32_t ir_dims_symbols(const struct ir_dims *t) { return t->atoms.len; }

/* An atom with operands counts by them. Recursion is as deep as atoms nest. */
bool ir_dim_is_older(const struct ir_dims *t, ir_dim d, uint32_t atoms) {
    ir_dim now = dim_find(t, d);
    const struct dim_form f = t->forms.at[now];
    for (uint32_t i = 0; i < f.n; i++)
        for (uint32_t k = 0; k < f.term[i].degree; k++) {
            uint32_t atom = f.term[i].atom[k];
            const struct dim_atom x = t->atoms.at[atom];
            bool is_symbol = x.kind == DIM_SYMBOL;
            if (is_symbol
                    ? atom >= atoms
                    : !ir_dim_is_older(t, x.a, atoms) || !ir_dim_is_older(t, x.b, atoms))
                return false;
        }
    return true;
}

const char *ir_dim_param(const struct ir_dims *t, ir_dim d) {
    const struct dim_atom *x;
    if (!d || !is_atom(t, dim_find(t, d), DIM_SYMBOL, &x)) return NULL;
    return x->name && *x->name ? x->name : NULL;
}
