/* expr.h -- values of expressions in conditions and parameters, three-valued.
 *
 * An expression has a value, or is unknown, or absent. Dimensions that are no number are
 * symbolic (ir_dim), so that `dim(x, 0) == dim(y, 0)` is true where both are `batch`. What
 * a rule asks must be true: unknown is not enough. Work is bounded by a budget; beyond it
 * everything is unknown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_EXPR_H
#define PM_EXPR_H

#include "matcher/bind/bind.h"

enum pm_kind {
    VAL_UNKNOWN,
    VAL_ABSENT,
    VAL_BOOL,   /* i */
    VAL_INT,    /* i; axis: PM_NO_AXIS, or what it is an axis of */
    VAL_DIM,    /* dim: symbolic, not a constant */
    VAL_REAL,   /* real, known within a relative tolerance */
    VAL_STRING, /* s */
    VAL_DTYPE,  /* i */
    VAL_LIST,   /* n, items */
    VAL_VALUE,  /* value: of the graph; its number is read when one is needed */
    VAL_SHAPE,  /* type: a shape of which not even the rank is known */
    VAL_ATTR    /* attr: a parameter of another kind, to be handed on */
};
struct pm_val {
    enum pm_kind kind;
    uint32_t axis;
    int64_t i;
    double real, tolerance;
    ir_dim dim;
    ir_value value;
    struct ir_string s;
    uint32_t n;
    const struct pm_val *items;
    const struct ir_type *type;
    const struct ir_attr *attr;
};

/* A name of a comprehension. */
struct pm_local {
    uint32_t slot;
    struct pm_val value;
    const struct pm_local *outer;
};
/* Values of the parameters of the packs: by pack, then by number. */
struct pm_params {
    const struct pm_val *const *of_pack; /* as pm_auto.packs */
    const struct pm_natives *natives;    /* or NULL */
};
struct pm_env {
    struct pm_site site;
    const struct rule *rule;
    struct pm_binding *slots;
    const struct pm_params *params;
    int64_t opset; /* as the rule sees it */
    uint32_t target;
    const struct pm_local *locals;
    struct pm_val *lets;  /* values of the names of `let` that were asked; or NULL */
    uint32_t known_lets;  /* bit i: lets[i] is there */
    uint32_t budget; /* of values looked at */
};

struct pm_val pm_eval(struct pm_env *env, const struct expr *e);
/* true, false, or unknown (absent too). */
enum ir_truth pm_holds(struct pm_env *env, const struct expr *e);
/* <name = (expression)> number i of a match; a parameter that is absent passes. */
bool pm_expr_test_holds(struct pm_env *env, const struct pm_match *m, uint32_t i);
/* Are all conditions of a match true, those in <name = (expression)> too? */
bool pm_conditions_hold(struct pm_env *env, const struct pm_match *m);
/* The elements of a constant of any rank, in order. */
struct pm_val pm_items(struct pm_env *env, struct pm_val v);
/* The largest absolute value in a constant of floats; unknown where one is no number. */
struct pm_val pm_largest(struct pm_env *env, struct pm_val v);
struct pm_val pm_slot_value(struct pm_env *env, uint32_t slot);
struct pm_val pm_binding_value(struct pm_env *env, struct pm_binding b);
/* What a parameter of a node is worth to an expression. */
struct pm_val pm_param_value(struct pm_env *env, ir_node n, const char *name, bool is_axis);

struct pm_val pm_attr_value(struct pm_env *env, const struct ir_attr *x, uint32_t axis);

/* numbers.c */
struct pm_val pm_int(int64_t i);
struct pm_val pm_bool(enum ir_truth t);
struct pm_val pm_real(double x, double tolerance);
struct pm_val pm_dim(const struct pm_env *env, ir_dim d);
struct pm_val pm_list(uint32_t n, const struct pm_val *items);
/* The number or list that a constant or a shape value is; others as they are. */
struct pm_val pm_known(struct pm_env *env, struct pm_val v);
/* As a double; false when it is no number. */
bool pm_as_real(struct pm_val v, double *out);
/* As a dimension; false when it is neither an integer nor symbolic. */
bool pm_as_dim(const struct pm_env *env, struct pm_val v, ir_dim *out);
struct pm_val pm_arith(struct pm_env *env, enum expr_kind op, struct pm_val a,
                       struct pm_val b);
enum ir_truth pm_equal(struct pm_env *env, struct pm_val a, struct pm_val b);
enum ir_truth pm_less(struct pm_env *env, struct pm_val a, struct pm_val b);
enum ir_truth pm_not(enum ir_truth t);
enum ir_truth pm_and(enum ir_truth a, enum ir_truth b);
enum ir_truth pm_or(enum ir_truth a, enum ir_truth b);

/* native.c: what a plug-in says; unknown where none gives the predicate, with that
 * signature. pm_native_of: its function, or NULL. */
struct pm_val pm_native(struct pm_env *env, const struct expr *e);
const struct onnxrw_predicate *pm_native_of(const struct pm_natives *all,
                                            const struct rule_predicate *declared);

/* functions.c */
struct pm_val pm_call(struct pm_env *env, const struct expr *e, const struct pm_val *args);

#endif
