/* ast.h -- the syntax tree of a .rules file: what was written, with spans.
 *
 * Patterns, conditions and emitted bodies share one expression grammar and one tree; what
 * is allowed where is decided by sema.c, which can say it better than a parser. The tree
 * keeps all that the formatter needs (parentheses, spellings, comments), so that printing
 * and parsing again gives the same tree.
 *
 * Everything lives in the arena of the parse. Trees are at most AST_DEPTH deep: walking
 * them may recurse.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_AST_H
#define DSL_AST_H

#include "base/diag.h"

#define AST_DEPTH 200u

enum ast_kind {
    AST_NAME,   /* text; `_` too */
    AST_STRING, /* text: a string, or a name in quotes where a value is wanted */
    AST_INT, AST_REAL, /* text is the spelling */
    AST_BOOL,   /* i */
    AST_NONE,   /* none, absent */
    AST_EMPTY,  /* an operand left empty */
    AST_CALL,   /* call */
    AST_LIST,   /* [args] */
    AST_SET,    /* {args} */
    AST_SUM,    /* sum{args}, prod{args}: text */
    AST_UNARY,  /* op args[0] */
    AST_BINARY, /* args[0] op args[1] */
    AST_APPROX, /* args[0] ~= args[1], ± args[2] if there */
    AST_INDEX,  /* args[0][args[1]] */
    AST_IF,     /* args[1] if args[0] else args[2] */
    AST_FOR,    /* args[0] for text in args[1] [if args[2]] */
    AST_SPREAD, /* ..text; else ..args[0], a list; else a bare `..` */
    AST_MAYBE,  /* args[0]? */
    AST_TYPED,  /* args[0] : type */
    AST_IS_ABSENT, /* args[0] absent */
    AST_LET,    /* let text = args[0], among the conditions of where */
    AST_PAREN   /* (args[0]) */
};

#define AST_OPS(X) /* id, spelling, what */                                              \
    X(NEG, "-") X(SEE, "~") X(NOT, "!") X(CONST, "const") X(SCALAR, "scalar")            \
    X(SPLAT, "splat") X(KEEP, "keep")                                                    \
    X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(MOD, "%") X(CONCAT, "++")          \
    X(COALESCE, "??") X(ALT, "|") X(EQ, "==") X(NE, "!=") X(LT, "<") X(LE, "<=")         \
    X(GT, ">") X(GE, ">=") X(IN, "in") X(AND, "&&") X(OR, "||")
#define X(id, text) OP_##id,
enum ast_op { AST_OPS(X) OP_N };
#undef X
const char *dsl_op_text(enum ast_op op);

struct ast;
struct ast_list {
    struct ast **at;
    uint32_t len, cap;
};
struct ast_word { /* a name and where it stands; text NULL: left empty */
    const char *text;
    struct span at;
    bool optional; /* v? among the parameters of a pattern */
};
struct ast_words {
    struct ast_word *at;
    uint32_t len, cap;
};

struct ast_attr { /* one of <...> */
    const char *name;   /* NULL: ..rest */
    const char *rest;   /* of `..rest`; "" for a bare `..` */
    struct ast *value;  /* NULL: <axis> is short for <axis = axis> */
    struct span at;     /* of the name */
};
struct ast_attrs {
    struct ast_attr *at;
    uint32_t len, cap;
};

struct ast_call {
    struct ast_words names; /* the operator, perhaps dotted; more: a class {Relu, Tanh} */
    bool is_class;
    bool optional; /* Cast?(x) */
    bool pinned;   /* Add!(a, b) */
    bool chain;    /* chain{...}*(x) */
    const char *as;    /* `as act`, or NULL */
    struct span as_at;
    bool has_attrs;
    struct ast_attrs attrs;
    struct ast_list args;
};

struct ast_dim { /* of a type */
    enum { AST_DIM_ANY, AST_DIM_INT, AST_DIM_NAME, AST_DIM_REST } kind;
    int64_t value;
    const char *name; /* AST_DIM_REST: NULL for a bare `..` */
    struct span at;
};
struct ast_dims {
    struct ast_dim *at;
    uint32_t len, cap;
};
struct ast_type {
    struct ast_words dtypes; /* float; {float, float16}; _ */
    bool is_set, shaped;
    struct ast_dims dims;
    struct span at;
};

struct ast {
    enum ast_kind kind;
    enum ast_op op;
    uint32_t depth;
    struct span at;
    const char *text;
    int64_t i;
    double real;
    struct ast_list args;
    struct ast_call *call;
    struct ast_type *type;
};

/* --- statements and items ---------------------------------------------------------- */
struct ast_stmt {
    bool keep;
    bool spread;           /* ..m = Split(...): outs has one */
    struct ast *order;     /* ..m[order] = Split(...), or NULL */
    struct ast_words outs; /* items with text NULL: left empty */
    struct ast *value;
    bool each;
    int64_t least, most;   /* each[2..]: most -1 when open; least -1: no brackets */
    struct ast *where;     /* of each, or NULL */
    struct span at;
};
struct ast_stmts {
    struct ast_stmt *at;
    uint32_t len, cap;
    struct span span; /* with its braces */
};

enum ast_item_kind {
    ITEM_MATCH,      /* stmts */
    ITEM_WHERE,      /* conds */
    ITEM_EMIT,       /* stmts, cond of `when` or NULL */
    ITEM_OTHERWISE,  /* stmts */
    ITEM_CLASS, ITEM_AS_FUNCTION,              /* name */
    ITEM_TARGET,                               /* names */
    ITEM_REQUIRES, ITEM_PRIORITY,              /* number */
    ITEM_AGAIN, ITEM_SHAPES,
    ITEM_GRAPH,      /* graph input NAME : type; name is the template, i: 1 for output */
    ITEM_EXAMPLE, ITEM_NEAR /* raw, text, expects */
};
struct ast_expect {
    struct ast_word op;
    int64_t count;
};
struct ast_item {
    enum ast_item_kind kind;
    struct span at;
    struct ast_stmts stmts;
    struct ast_list conds;
    struct ast *cond;
    struct ast_word name;
    struct ast_words names;
    int64_t number;
    struct ast_type *type;
    struct span raw;      /* between the braces of an example */
    const char *title;    /* of a near miss; of an example "NAME=VALUE", or NULL */
    const char *reason;   /* near: after =>, or NULL */
    VEC(struct ast_expect) expects;
};
struct ast_items {
    struct ast_item *at;
    uint32_t len, cap;
};

struct ast_rule {
    struct ast_word name;
    const char *doc;
    struct ast *from, *to; /* short form; NULL in the long one */
    bool has_body;
    struct ast_items items;
};
struct ast_pattern { /* and `operator` */
    struct ast_word name;
    struct ast_words outs, ins;
    bool has_outs;
    struct ast *body;        /* or NULL: stmts */
    struct ast_stmts stmts;
};

enum ast_clause_kind { CLAUSE_VERSION, CLAUSE_OPSET, CLAUSE_PARAM, CLAUSE_INTERFACE,
                       CLAUSE_RAISES };
struct ast_clause { /* of a pack's head */
    enum ast_clause_kind kind;
    struct span at;
    struct ast_word name; /* version's spelling, domain, parameter */
    int64_t least, most;  /* opset; most 0: open */
    struct ast_word type;
    struct ast *value;    /* of a parameter; NULL: auto */
};
struct ast_clauses {
    struct ast_clause *at;
    uint32_t len, cap;
};
struct ast_pack {
    struct ast_word name;
    const char *doc;
    struct ast_clauses clauses;
};

enum ast_top_kind {
    TOP_PACK, TOP_USE, TOP_PASS, TOP_PHASE, TOP_PATTERN, TOP_OPERATOR,
    TOP_PREDICATE, TOP_RULE
};
struct ast_top {
    enum ast_top_kind kind;
    struct span at;
    struct ast_pack *pack;
    struct ast_word name;   /* use: the path; pass, phase, predicate: the name */
    bool atomic, only;
    struct ast_words names; /* phase: rules; use: only; predicate: types of arguments */
    struct ast_pattern *pattern;
    struct ast_rule *rule;
};

struct ast_comment {
    struct span at;  /* without the line end */
    bool own_line;   /* nothing but spaces before it */
};

struct ast_file {
    const struct diag_source *source;
    VEC(struct ast_top) tops;
    VEC(struct ast_comment) comments; /* in order */
};

/* --- making ------------------------------------------------------------------------ */
struct parse; /* parse.h */
struct ast *dsl_ast(struct parse *p, enum ast_kind kind, struct span at);
struct ast *dsl_ast_text(struct parse *p, enum ast_kind kind, struct span at,
                         const char *text);
/* With one to three children (NULL ends them). */
struct ast *dsl_ast_with(struct parse *p, enum ast_kind kind, struct span at, struct ast *a,
                         struct ast *b, struct ast *c);
struct ast *dsl_ast_op(struct parse *p, enum ast_op op, struct span at, struct ast *a,
                       struct ast *b);
struct ast *dsl_ast_args(struct parse *p, enum ast_kind kind, struct span at,
                         struct ast_list args);
struct ast *dsl_ast_call(struct parse *p, struct span at, struct ast_call *call);
/* Without its parentheses. */
static inline struct ast *dsl_bare(struct ast *e) {
    while (e && e->kind == AST_PAREN) e = e->args.at[0];
    return e;
}

#endif
