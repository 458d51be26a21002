/* dim.h -- symbolic dimensions as interned normal forms.
 *
 * A dimension is an id in its model's table. Equal expressions have equal ids, so that
 * equality is decided by comparing ids: `batch*seq`, `past + seq`, `64*heads`. Forms are
 * sums of products over atoms with 64-bit integer coefficients; atoms are symbols,
 * floor divisions, minima and maxima of forms. Arithmetic that would overflow, or grow
 * past a fixed size, gives a fresh symbol: nothing known, never something wrong.
 *
 * Values of shape tensors (struct ir_symval) are made of the same ids, so they may be
 * negative; a dimension of a shape never is, and symbols of the model's shapes are
 * known to be at least 0.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_DIM_H
#define IR_DIM_H

#include "base/buf.h"
#include "base/intern.h"

typedef uint32_t ir_dim;
#define IR_DIM_UNKNOWN 0u /* nothing known; equal to no dimension, itself included */

enum ir_truth { IR_FALSE, IR_TRUE, IR_UNKNOWN };

struct ir_dims; /* the table; one a model */

struct ir_dims *ir_dims_new(struct arena *a);
ir_dim ir_dim_const(struct ir_dims *t, int64_t value);
/* The symbol of that name; the same name gives the same id. */
ir_dim ir_dim_symbol(struct ir_dims *t, const char *name);
/* What a dim_param says: the expression that it is (`4*s0`, `Max(1, s0 - 2)`), or the symbol
 * of that name. */
ir_dim ir_dim_declared(struct ir_dims *t, const char *text);
/* A symbol that equals nothing else: a dimension, so at least 0; or any integer value. */
ir_dim ir_dim_fresh(struct ir_dims *t);
ir_dim ir_dim_fresh_value(struct ir_dims *t);
ir_dim ir_dim_add(struct ir_dims *t, ir_dim a, ir_dim b);
ir_dim ir_dim_sub(struct ir_dims *t, ir_dim a, ir_dim b);
ir_dim ir_dim_mul(struct ir_dims *t, ir_dim a, ir_dim b);
/* Rounds down (floor) as shape arithmetic needs; exact where the form divides. By a
 * constant 0, or where unknown: unknown. */
ir_dim ir_dim_floordiv(struct ir_dims *t, ir_dim a, ir_dim b);
ir_dim ir_dim_mod(struct ir_dims *t, ir_dim a, ir_dim b); /* a - b*floor(a/b) */
ir_dim ir_dim_min(struct ir_dims *t, ir_dim a, ir_dim b);
ir_dim ir_dim_max(struct ir_dims *t, ir_dim a, ir_dim b);
/* The dimension that a and b broadcast to, supposing that they do: the other one of a 1,
 * a constant that is not 1, else an atom of its own (neither's maximum: 0 beats 1). */
ir_dim ir_dim_broadcast(struct ir_dims *t, ir_dim a, ir_dim b);

bool ir_dim_is_const(const struct ir_dims *t, ir_dim d, int64_t *value);
/* Bounds that hold for every value of the symbols; INT64_MIN, INT64_MAX: none known. */
void ir_dim_bounds(const struct ir_dims *t, ir_dim d, int64_t *low, int64_t *high);
/* From here on d is known to be at least 0, and what it is made of to be so large, where that
 * can be told. Never undone: for what holds of a model whatever becomes of it. */
void ir_dim_never_negative(struct ir_dims *t, ir_dim d);
enum ir_truth ir_dim_equal(const struct ir_dims *t, ir_dim a, ir_dim b);
enum ir_truth ir_dim_less(const struct ir_dims *t, ir_dim a, ir_dim b);
/* Says that two dimensions were proved equal (a MatMul, a Concat proves it): from here on
 * both have one form, where a symbol can be solved for. false, and nothing done, when that
 * contradicts what is known, or says that something with a name is 0. Undone with the
 * journal of the model. */
bool ir_dim_unify(struct ir_dims *t, ir_dim a, ir_dim b);
/* Says how large a dimension is: 0 too, by whoever knows it. */
bool ir_dim_give_size(struct ir_dims *t, ir_dim d, int64_t size);
/* A point to go back to, and going back: every unification since is forgotten. */
uint32_t ir_dims_mark(const struct ir_dims *t);
void ir_dims_undo(struct ir_dims *t, uint32_t mark);
/* The current representative of d after unifications; ids stored in types may be old. */
ir_dim ir_dim_find(const struct ir_dims *t, ir_dim d);
/* Was d made by ir_dim_fresh, whatever it may be unified with now? */
bool ir_dim_is_fresh(const struct ir_dims *t, ir_dim d);
/* How many atoms there are; are the symbols of d among the first `atoms`? */
uint32_t ir_dims_symbols(const struct ir_dims *t);
bool ir_dim_is_older(const struct ir_dims *t, ir_dim d, uint32_t atoms);
/* The value of d when each symbol (by its number, below ir_dims_symbols) has the value that
 * `symbol` says; false where that cannot be told or overflows. */
bool ir_dim_value(const struct ir_dims *t, ir_dim d,
                  int64_t (*symbol)(void *ctx, uint32_t number), void *ctx, int64_t *out);
/* Text such as `batch*seq + 1`; `?` when unknown. Fresh symbols print as `_1`, ... */
void ir_dim_print(const struct ir_dims *t, ir_dim d, struct buf *out);
/* Whether d is a plain named symbol that can stand as dim_param; then its name. */
const char *ir_dim_param(const struct ir_dims *t, ir_dim d);
/* The dim_param that is read as d again, in *a; NULL: none is. */
char *ir_dim_text(const struct ir_dims *t, ir_dim d, struct arena *a);

#endif
