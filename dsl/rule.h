/* rule.h -- rules after parsing and checking: the only form that the matcher sees.
 *
 * Everything that has a spelling is resolved here. Names are slots of their rule.
 * Sub-patterns are inlined; `a + b` is Add; `sum{...}` is the alternatives of its
 * associations; `Cast?(x)` is the alternatives Cast(x) and x; `b?` is b or absent. What
 * stays is a graph of patterns over slots:
 *
 *   slot.def == NULL   a variable: it binds on first sight, later it must be the same
 *   slot.def != NULL   a named result: on first sight the value is matched against def,
 *                      and bound; later it must be the same
 *
 * A slot that the chosen alternatives did not reach is absent after the match.
 *
 * All of it is immutable, in the pack's arena, and keeps spans for explain. Compiled packs
 * have it as C data: fields are described to the generator in codegen/layout.def.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_RULE_H
#define DSL_RULE_H

#include "base/diag.h"
#include "ir/attr.h"
#include "ir/type.h"

#define SLOT_NONE UINT32_MAX
#define RULE_CHAIN 16 /* most nodes of a chain{...}* */
#define RULE_STAGED "onnxrw.staged/" /* domains of staged operators begin with it */

enum slot_kind {
    SLOT_VALUE,  /* a value of the graph; absent allowed */
    SLOT_VALUES, /* a list of values: ..xs */
    SLOT_ATTR,   /* the value of a parameter: int, float, string, list ... */
    SLOT_ATTRS,  /* all parameters not named: <..attrs> */
    SLOT_OP,     /* which operator of a class: `as act` */
    SLOT_DIM,    /* a dimension: B in float[B, _] or an item of [0, G, -1]; an integer
                    parameter too when one name stands for both: [axis] and <axis> */
    SLOT_DIMS    /* a run of dimensions: ..rest */
};

struct pat;
struct expr;

/* `float[B, _, ..rest]` */
enum pat_dim_kind { DIM_ANY, DIM_CONST, DIM_SLOT, DIM_REST };
struct pat_dim {
    enum pat_dim_kind kind;
    int64_t value; /* DIM_CONST */
    uint32_t slot; /* DIM_SLOT; DIM_REST: SLOT_NONE for a bare `..` */
    struct span at;
};
struct pat_type {
    uint32_t dtypes; /* bit (1u << ir_dtype) for each allowed; 0: any */
    bool shaped;     /* dims given */
    uint32_t ndims;
    const struct pat_dim *dims; /* at most one DIM_REST */
    struct span at;
};

enum slot_flag {
    SLOT_CONST = 1,  /* `const`: known now */
    SLOT_SCALAR = 2, /* `scalar`: one element, whatever the rank */
    SLOT_KEEP = 4,   /* `keep`: may be seen from outside */
    SLOT_ROOT = 8,   /* replaced by emit */
    SLOT_NEW = 16    /* first defined in emit */
};
struct rule_slot {
    const char *name; /* "" when it was made up */
    enum slot_kind kind;
    uint32_t flags;
    const struct pat *def;  /* SLOT_VALUE: what defines it, or NULL; of the list of a
                               family's members: what each of them is */
    uint32_t def_output;    /* which output of def, a PAT_NODE; else 0 */
    const struct pat_type *type; /* annotation, or NULL */
    struct span at;
};

/* --- patterns ---------------------------------------------------------------------- */
enum pat_kind {
    PAT_ANY,     /* any value: _ */
    PAT_SLOT,    /* the value of a slot (see above) */
    PAT_NODE,    /* an operator; as an operand: its output 0 */
    PAT_ALT,     /* alternatives, in order of preference, tried with full backtracking */
    PAT_LITERAL, /* a constant of that value */
    PAT_ABSENT,  /* no operand */
    PAT_SEE,     /* ~x: the slot's value, seen through value-preserving nodes */
    PAT_REST,    /* ..xs: all remaining operands; last operand only */
    PAT_CHAIN    /* chain{Cast, Reshape}*(x): any number of nodes of these operators, each
                    the first operand of the next; args[0] is behind the last of them */
};

enum lit_kind { LIT_INT, LIT_REAL, LIT_BOOL, LIT_STRING, LIT_LIST };
struct literal {
    enum lit_kind kind;
    bool splat;       /* a constant of any shape, all equal */
    bool has_tolerance;
    int64_t i;        /* LIT_INT, LIT_BOOL */
    double real;      /* LIT_REAL, and the same number for LIT_INT */
    double tolerance; /* absolute, as written after ±, when has_tolerance */
    const char *s;
    uint32_t n;       /* LIT_LIST: items are integers, slots or any */
    const struct pat_dim *items;
};

/* A test of one parameter in <...>. */
enum attr_test_kind {
    ATTR_ANY,     /* name = _ : whatever it is */
    ATTR_BIND,    /* name = x : binds, or must equal what x is bound to */
    ATTR_LITERAL, /* name = 1, [0, 1], "max", [axis, _] */
    ATTR_EXPR     /* name = (expression over names bound elsewhere): compared after */
};
struct attr_test {
    const char *name; /* newest name; resolved by ir_param */
    enum attr_test_kind kind;
    uint32_t slot;           /* ATTR_BIND */
    struct literal lit;      /* ATTR_LITERAL */
    const struct expr *expr; /* ATTR_EXPR */
    bool is_axis;            /* compared after both sides are normalised by the rank */
    struct span at;          /* of the name */
    struct span whole;       /* name = value */
};

struct pat_op {
    const char *domain; /* "" = ai.onnx; "*" never */
    const char *name;
};

/* operator _sdpa <scale> (q, k, v, mask?) = BODY: a staged operator. Its nodes stand in a
 * graph only while rules are applied. A pattern has an operand for each of its own, and a
 * bare `..` behind them. */
struct rule_operator {
    const char *name, *domain; /* of its nodes: no model's */
    struct span at;
    uint32_t nins, nattrs, nouts;
    const bool *optional;    /* of each operand */
    const struct rule *body; /* its one block emits it. Slots: operands, then parameters */
    const uint32_t *outs;    /* slots of the body */
};
struct pat {
    enum pat_kind kind;
    struct span at;
    uint32_t slot; /* PAT_SLOT, PAT_SEE, PAT_REST (SLOT_NONE for a bare `..`) */
    /* PAT_NODE; PAT_CHAIN has operators and one operand */
    uint32_t nops;           /* 1, or the members of a class */
    const struct pat_op *ops;
    const struct rule_operator *staged; /* of such an operator, else NULL */
    uint32_t op_slot;        /* `as act`, or SLOT_NONE */
    bool commutes;           /* operands 0 and 1 in either order */
    bool keep;               /* `keep Op(...)` */
    bool lossless;           /* Cast?(x) without a description: keeps every value */
    uint32_t nargs;
    const struct pat *const *args; /* operands; those behind the last are absent, except
                                      where a parameter stands for them */
    uint32_t nattrs;
    const struct attr_test *attrs; /* those not named have their default (inert ones any) */
    uint32_t attrs_slot;     /* <..attrs>: those not named have any value; or SLOT_NONE */
    uint32_t nouts;
    const uint32_t *outs;    /* slots of named outputs; SLOT_NONE: absent or unused */
    /* PAT_ALT */
    uint32_t nalts;
    const struct pat *const *alts;
    /* PAT_LITERAL */
    struct literal lit;
};

/* --- expressions: conditions, attribute values ------------------------------------- */
#define EXPR_FUNCTIONS(X) /* name, fewest and most arguments */                        \
    X(rank, 1, 1) X(shape, 1, 1) X(dim, 2, 2) X(dtype, 1, 1) X(value, 1, 1)            \
    X(uses, 1, 1) X(is_input, 1, 1) X(is_output, 1, 1) X(broadcasts, 2, 2)             \
    X(all, 1, 1) X(any, 1, 1) X(sum, 1, 1) X(prod, 1, 1) X(len, 1, 1)                  \
    X(min, 1, 9) X(max, 1, 9) X(sqrt, 1, 1) X(abs, 1, 1) X(exp, 1, 1) X(log, 1, 1)     \
    X(floor, 1, 1) X(compose, 2, 2) X(inverse, 1, 1) X(iota, 1, 2)                     \
    X(is_const, 1, 1) X(same, 2, 2) X(lossless, 2, 2) X(surely, 1, 1) X(made_by, 1, 1)   \
    X(items, 1, 1) X(terms, 1, 1) X(largest, 1, 1) X(in_function, 1, 1)
#define X(name, least, most) FN_##name,
enum expr_function { EXPR_FUNCTIONS(X) FN_N };
#undef X

/* predicate is_nice(value, int): computed by a plug-in. */
#define PREDICATE_ARGS(X) X(value) X(int) X(float) X(string) X(ints)
enum predicate_arg {
#define X(name) PRED_##name,
    PREDICATE_ARGS(X)
#undef X
    PRED_N
};
struct rule_predicate {
    const char *name;
    const char *signature; /* "is_nice(value, int)", so spelt */
    uint32_t nargs;
    const uint32_t *args;  /* enum predicate_arg */
    struct span at;
};

enum expr_kind {
    EXPR_INT, EXPR_REAL, EXPR_STRING, EXPR_BOOL,
    EXPR_LIST,     /* args; an EXPR_SPREAD item is spliced in */
    EXPR_SPREAD,   /* ..a */
    EXPR_SLOT,     /* slot */
    EXPR_PARAM,    /* a pack's parameter: i = its number */
    EXPR_OPSET,    /* opset of ai.onnx */
    EXPR_TARGET,   /* "onnx", "ort", "ort-cpu", "ort-cuda" */
    EXPR_DTYPE,    /* i = enum ir_dtype: float, float16 ... in conditions */
    EXPR_ABSENT,   /* the value `absent` (also written none) */
    EXPR_CALL,     /* fn, args */
    EXPR_NEG, EXPR_NOT,                    /* args[0] */
    EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, /* integers divide by floor */
    EXPR_MOD, EXPR_CONCAT /* ++ */,
    EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE,
    EXPR_IN,       /* args[0] in args[1], a list or a {set} */
    EXPR_AND, EXPR_OR,
    EXPR_INDEX,    /* args[0][args[1]], negative from the end */
    EXPR_COALESCE, /* a ?? b */
    EXPR_IF,       /* args[1] if args[0] else args[2] */
    EXPR_IS_ABSENT, /* `x absent`: args[0] */
    EXPR_LET,      /* a name of `let`, number i of the rule: args[0], computed once a match */
    EXPR_FOR,      /* args[0] for slot in args[1] [if args[2]]: a list; slot is local */
    EXPR_NATIVE    /* predicate, args */
};
#define RULE_LETS 32u /* of one rule */
struct expr {
    enum expr_kind kind;
    struct span at;
    int64_t i;
    double real;
    const char *s;
    uint32_t slot;
    enum expr_function fn;
    const struct rule_predicate *predicate; /* EXPR_NATIVE */
    uint32_t nargs;
    const struct expr *const *args;
};
/* The comparison that holds of (b, a) where `op` holds of (a, b); others as they are. */
enum expr_kind rule_mirrored(enum expr_kind op);

/* --- emitting ---------------------------------------------------------------------- */
enum emit_kind {
    EMIT_SLOT,     /* a bound or emitted value */
    EMIT_NODE,     /* a new node; folded when all its operands are constants */
    EMIT_LITERAL,  /* a constant; its element type is that of the operand beside it */
    EMIT_EXPR,     /* a constant computed from names and shapes: [0, dim(x, 1), -1], len(a);
                      a list of integers is an int64 tensor of rank 1, a number is a scalar
                      whose element type is that of the operand beside it */
    EMIT_ABSENT,   /* an empty operand */
    EMIT_SPREAD,   /* ..w: the values of a list, of a slot or that expr makes */
    EMIT_COALESCE, /* args[0] ?? args[1] */
    EMIT_PLUS      /* args[0] + args[1]?: args[0] alone when args[1], an EMIT_SLOT, is
                      absent; op says which operator (Add, Sub, Mul, Div) */
};
struct emit_attr {
    const char *name;
    const struct expr *value; /* absent: left out; so is one that the model's version of
                                 the operator lacks, its value being what that means */
    struct span at;
};
struct emit {
    enum emit_kind kind;
    struct span at;
    uint32_t slot;
    struct pat_op op;
    const struct rule_operator *staged; /* of such an operator, else NULL. It is then a
                            statement's own, which defines all roots */
    bool wraps;          /* `as function`: a call of a function, op, whose body is what was
                            matched; a statement's own, which defines all roots */
    uint32_t op_slot;    /* the operator that `as act` bound, or SLOT_NONE */
    uint32_t nattrs;
    const struct emit_attr *attrs;
    uint32_t attrs_slot; /* <..attrs> carried over, or SLOT_NONE; attrs override */
    uint32_t nargs;
    const struct emit *const *args;
    struct literal lit;
    const struct expr *expr; /* EMIT_EXPR */
};
struct emit_stmt {
    uint32_t nouts;
    const uint32_t *outs; /* slots; SLOT_NONE: output left empty */
    uint32_t spread_out;  /* `..m = Split...`: the list whose members are the outputs, or
                             SLOT_NONE */
    const struct expr *order; /* `..m[order] = ...`: output k is for the member order[k]; or
                             NULL, in order */
    const struct emit *what;
    struct span at;
};
struct emit_block {
    const struct expr *when; /* NULL: always, or otherwise */
    uint32_t n;
    const struct emit_stmt *stmts;
};

/* --- rules and packs --------------------------------------------------------------- */
enum rule_class { CLASS_EXACT, CLASS_FLOAT, CLASS_APPROX };
enum rule_target {
    TARGET_ONNX = 1, TARGET_ORT = 2, TARGET_ORT_CPU = 4, TARGET_ORT_CUDA = 8
};
#define CLASS_N 3u
#define TARGET_WORDS 4u
extern const char *const rule_class_words[CLASS_N];
extern const char *const rule_target_words[TARGET_WORDS]; /* by bit */
/* "ort": the widest of some targets; of none "onnx". */
const char *rule_target_word(uint32_t targets);

struct rule_example {
    struct span graph;   /* ONNX text between the braces */
    bool is_near;        /* a near miss: must not match */
    const char *expects; /* example: "LayerNormalization"; near: the failing condition */
    int64_t count;       /* example: how many of that operator afterwards */
    const char *name;    /* near: its title; example: "NAME=VALUE" as behind -D, or "" */
};

/* each[2..] m = MatMul(x, const w) where rank(w) == 2: all that fit, in order of the graph.
 * What the names of a member are bound to becomes a list each: SLOT_VALUES of values,
 * SLOT_DIMS of numbers. */
struct rule_column {
    uint32_t one, list; /* slots */
};
struct rule_family {
    uint32_t member;     /* slot of a member; its def is the pattern */
    uint32_t first, end; /* slots of the names of a member */
    uint32_t ncolumns;
    const struct rule_column *columns; /* the first: of the members themselves */
    int64_t least, most; /* how many there must be; most -1: any number */
    const struct expr *where; /* on the names of a member; or NULL */
    struct span at;
};

/* A pattern that must be there too, and to which that of the first root does not lead. It
 * is found from a value that both have. */
struct rule_join {
    uint32_t slot;   /* named by it; its def is the pattern */
    uint32_t via;    /* bound by then, and reached from def whatever alternatives are taken */
    uint32_t levels; /* most operator nodes from def down to via */
    const struct rule_family *family; /* of which slot is the list; or NULL. Where it is that
                                         of the first root, matching begins at a member */
};

struct rule {
    const char *name;
    const char *doc;       /* or "" */
    struct span at;        /* its name */
    struct span text;      /* from the word "rule" to its end */
    const struct rule_pack *pack;
    uint32_t nslots;
    const struct rule_slot *slots;
    uint32_t nroots;       /* values that emit replaces */
    const uint32_t *roots; /* slots with SLOT_ROOT; matching begins at the first one's def,
                              or at the first member of the family of which it is the list */
    uint32_t njoins;
    const struct rule_join *joins; /* in order: `via` is bound by what stands in front */
    uint32_t nwhere;
    const struct expr *const *where; /* in source order; all must be true */
    uint32_t nblocks;
    const struct emit_block *blocks; /* first whose `when` is true */
    enum rule_class class;
    uint32_t targets;      /* of the rule: TARGET_ONNX alone fits every target */
    int64_t requires_opset; /* 0: none */
    int32_t priority;
    uint32_t size;         /* most operator nodes it can match: bigger wins */
    bool again;
    bool shapes_by_rule;
    int32_t growth;        /* most nodes that it makes, less those that surely go */
    bool grows;            /* may leave as many nodes or more: not done to its own work */
    uint32_t nexamples;
    const struct rule_example *examples;
};

struct rule_param {
    const char *name;
    enum { PARAM_INT, PARAM_FLOAT, PARAM_STRING, PARAM_BOOL } type;
    const struct expr *value; /* default; NULL: auto, absent until given */
    struct span at;
};
struct rule_stage {
    bool is_pass;
    bool atomic;            /* a phase: all of it everywhere, or none */
    const char *name;       /* of the phase or the pass */
    uint32_t nrules;
    const uint32_t *rules;  /* numbers in pack->rules */
    struct span at;
};
struct rule_pack {
    const char *name, *doc, *version;
    const struct diag_source *source;
    uint32_t nsources; /* all files that it was made of, its own first */
    const struct diag_source *const *sources;
    int64_t opset_least;    /* of ai.onnx, as claimed; 0 when not said */
    int64_t opset_most;     /* 0: none */
    bool changes_interface;
    bool raises_opset;      /* its rules run when a model is raised, and only then */
    uint32_t nparams;
    const struct rule_param *params;
    uint32_t npredicates; /* declared by it and by the packs it uses */
    const struct rule_predicate *const *predicates;
    uint32_t nrules;
    const struct rule *const *rules; /* its own and those of the packs it uses */
    uint32_t nstages;
    const struct rule_stage *stages; /* in order; used packs' stages where `use` stands */
};

#endif
