/* lower.h -- syntax tree to rule.h: the state of lowering one rule, and its steps.
 *
 *   names.c          scopes: what a name stands for
 *   lower_pattern.c  match: statements, operators, alternatives
 *   lower_inline.c   sub-patterns
 *   lower_literal.c  constants and <...> of patterns, types
 *   lower_sum.c      sum{...} and prod{...}: alternatives over association trees
 *   lower_expr.c     conditions and the values of parameters
 *   lower_emit.c     emitted bodies
 *   lower_operator.c staged operators: what they are, and what is said of them where used
 *   lower_roots.c    what a rule replaces, and how its patterns are joined
 *   lower_rule.c     all of a rule
 *   check_ops.c      operators, parameters and operands against the schemas of the opsets
 *   check_expr.c     types of expressions
 *   check_rule.c     unused names, sizes
 *
 * Each step reports what is wrong and goes on with something harmless (PAT_ANY), so that
 * one run shows all errors of a rule.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_LOWER_H
#define DSL_LOWER_H

#include "base/intern.h"
#include "dsl/ast.h"
#include "dsl/rule.h"
#include "ir/schema.h"

#define LOWER_PATTERNS 20000u /* nodes of patterns in one rule, after inlining */
#define LOWER_WEIGHT 20000u   /* of one pattern as a tree: what a matcher may unfold */
#define LOWER_INLINING 24u    /* sub-patterns within sub-patterns */
#define LOWER_SLOTS 4096u
#define LOWER_EXPRS 50000u /* nodes of expressions in one rule, what `let` names put in */
#define LOWER_DEPTH 1000u   /* of nested patterns, sub-patterns inlined */
#define LOWER_PARAMS 64u    /* in one <...> */

struct unit; /* load.h */

enum entry_kind {
    ENTRY_SLOT,
    ENTRY_ABSENT, /* a parameter of a sub-pattern for which nothing was given */
    ENTRY_EXPR,   /* <axis = -1> given to a sub-pattern: read it in the giver's scope */
    ENTRY_LET     /* let n = ...: read in the scope above; slot is its number */
};
struct scope;
struct entry {
    sym_t name;
    enum entry_kind kind;
    uint32_t slot;
    const struct ast *expr;
    struct scope *from;
};
struct scope {
    struct scope *outer; /* where names not found here are looked up; or NULL */
    VEC(struct entry) entries;
    struct map index;
};

/* What lowering knows of a slot beyond rule.h. */
struct slot_note {
    uint32_t uses;      /* in patterns */
    uint32_t reads;     /* in conditions and emit */
    bool kind_open;     /* given to <...> of a sub-pattern: its body tells the kind */
    bool from_pattern;  /* belongs to an inlined sub-pattern: not worth a warning */
    bool local;         /* of a comprehension */
    bool optional;      /* may be absent: b? */
    bool redefined;     /* by emit */
    bool constant;      /* emitted, out of constants alone */
    const char *bound_by; /* the parameter that binds it first, or NULL */
    const struct ast_stmt *stmt; /* that defines it */
    bool family;        /* it is a list that an `each` makes */
};

struct lower {
    struct arena *arena;
    struct diag_sink *diags;
    struct intern *names;
    struct unit *unit;
    const struct ast_rule *ast;
    struct rule *rule;
    struct scope *scope;
    VEC(struct rule_slot) slots;
    VEC(struct slot_note) notes;
    VEC(const struct expr *) where;
    VEC(struct rule_family *) families;
    uint32_t npatterns, nexprs, nlets, inlining, depth;
    const struct ast_pattern *active[LOWER_INLINING]; /* being inlined */
    bool failed, too_big;
    bool match_failed; /* names that it should have bound are not worth an error */
    bool refused; /* it holds what is not supported yet; no more is said of it */
    bool in_emit;
};

/* --- diagnostics ------------------------------------------------------------------- */
void dsl_error(struct lower *l, struct span at, const char *format, ...) RW_PRINTF(3, 4);
/* Gives the newest error or warning its fixed id. */
void dsl_id(struct lower *l, enum diag_code id);
/* Parsed, but not supported yet. */
void dsl_refuse(struct lower *l, struct span at, const char *what);
void dsl_help(struct lower *l, struct span at, const char *format, ...) RW_PRINTF(3, 4);
void dsl_warning(struct lower *l, struct span at, const char *format, ...) RW_PRINTF(3, 4);

/* --- names.c ----------------------------------------------------------------------- */
struct scope *dsl_scope(struct lower *l, struct scope *outer);
void dsl_bind(struct lower *l, struct scope *s, const char *name, struct entry e);
/* The entry of a name in a scope or those around it, or NULL. */
const struct entry *dsl_find(struct lower *l, struct scope *s, const char *name);
uint32_t dsl_new_slot(struct lower *l, const char *name, enum slot_kind kind,
                      struct span at);
/* The slot of a name, made on first sight as that kind; an error when it is another kind
 * already. SLOT_NONE for `_`. */
uint32_t dsl_slot(struct lower *l, const char *name, enum slot_kind kind, struct span at);
/* "did you mean" among the names in sight; nothing when none is near. */
void dsl_help_name(struct lower *l, const char *name, struct span at);
/* The names in quotes, with commas and "and". */
const char *dsl_listed(struct lower *l, const char *const *names, size_t n);
/* Which of the names `word` is; false is an error that says what there are. */
bool dsl_one_of(struct lower *l, struct span at, const char *word, const char *what,
                const char *const *names, uint32_t n, uint32_t *out);
const char *dsl_slot_what(enum slot_kind kind);

/* --- lower_pattern.c --------------------------------------------------------------- */
struct pat *dsl_new_pat(struct lower *l, enum pat_kind kind, struct span at);
struct pat *dsl_any(struct lower *l, struct span at);
struct pat *dsl_pat_slot(struct lower *l, uint32_t slot, struct span at);
struct pat *dsl_alt(struct lower *l, uint32_t n, const struct pat *const *alts,
                    struct span at);
struct pat *dsl_infix(struct lower *l, enum ast_op op, const struct pat *a,
                      const struct pat *b, struct span at);
struct pat_op dsl_op(struct lower *l, const struct ast_word *name);
/* A slot that stands for a pattern, for what only a name can have. */
uint32_t dsl_slot_for(struct lower *l, const struct pat *p);
/* Call when the operands of a pattern are set. */
void dsl_weigh(struct lower *l, struct pat *p);
const struct pat *dsl_pattern(struct lower *l, const struct ast *e);
void dsl_match(struct lower *l, const struct ast_stmts *stmts);
/* `b?` behind const and scalar: the name, or NULL. */
const struct ast *dsl_maybe(const struct ast *e);
/* const x, scalar x, const scalar x: the flags; *inner what is behind. */
uint32_t dsl_flags(const struct ast *e, const struct ast **inner);

/* --- lower_each.c ------------------------------------------------------------------- */
/* Behind all other statements. */
void dsl_each(struct lower *l, const struct ast_stmts *stmts, const struct ast_stmt *s);
/* That of which the slot is the list of members, or NULL. */
const struct rule_family *dsl_family_of(const struct lower *l, uint32_t slot);

/* --- lower_inline.c ---------------------------------------------------------------- */
const struct pat *dsl_inline(struct lower *l, const struct ast_pattern *pt,
                             struct unit *home, const struct ast *call);

/* --- lower_literal.c --------------------------------------------------------------- */
/* A number, true, false, or arithmetic on numbers. */
bool dsl_number(const struct ast *e, struct literal *out);
bool dsl_list_literal(struct lower *l, const struct ast *e, struct literal *out);
void dsl_attrs(struct lower *l, const struct ast_call *call, struct pat *node);
const struct pat_type *dsl_type(struct lower *l, const struct ast_type *t);

/* --- lower_sum.c ------------------------------------------------------------------- */
const struct pat *dsl_sum(struct lower *l, const struct ast *e);

/* --- lower_expr.c ------------------------------------------------------------------ */
struct expr *dsl_new_expr(struct lower *l, enum expr_kind kind, struct span at);
const struct expr *dsl_expr(struct lower *l, const struct ast *e);
void dsl_where(struct lower *l, const struct ast_list *conds);
bool dsl_is_function(const char *name);
const char *dsl_function_name(enum expr_function fn);

/* --- lower_emit.c ------------------------------------------------------------------ */
void dsl_emit(struct lower *l, const struct ast_stmts *stmts, const struct ast *when,
              struct emit_block *out);
/* The short form: what replaces the only root. */
void dsl_emit_short(struct lower *l, const struct ast *e, struct emit_block *out);
/* lower_function.c: `as function NAME`. */
void dsl_emit_function(struct lower *l, const struct ast_item *item,
                       struct emit_block *out);
/* The body of a staged operator. */
void dsl_emit_body(struct lower *l, const struct ast *e, struct emit_block *out);

/* --- lower_operator.c --------------------------------------------------------------- */
/* Completes a pattern or emitted node of a staged operator, and checks it. */
void dsl_staged_pattern(struct lower *l, struct pat *p);
void dsl_staged_emit(struct lower *l, const struct emit *e, uint32_t nouts);
/* A block with a staged operator has it define all roots. */
void dsl_check_stages(struct lower *l, const struct emit_block *block, struct span at);

/* --- lower_roots.c ----------------------------------------------------------------- */
void dsl_find_roots(struct lower *l, const struct ast_stmts *stmts, struct span at);
/* Puts the root where matching begins first, and joins the other patterns to it. Values
 * defined in a circle are refused before. */
void dsl_join(struct lower *l);
/* Marks the slot and those that its definition reaches whatever alternatives are taken. */
void dsl_reach(const struct lower *l, uint32_t slot, bool *reached);

/* --- lower_rule.c ------------------------------------------------------------------ */
/* NULL when there was an error. */
const struct rule *dsl_lower_rule(struct unit *u, const struct ast_rule *r, struct span at);

/* --- checks ------------------------------------------------------------------------ */
void dsl_check_ops(struct lower *l);
/* `=> LayerNormalization 1`: an operator of any domain. */
void dsl_check_expected(struct lower *l, const struct pat_op *op, struct span at);
void dsl_check_exprs(struct lower *l);
void dsl_check_names(struct lower *l);
void dsl_measure(struct lower *l);

#endif
