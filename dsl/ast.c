/* ast.c -- making nodes of the syntax tree, with the limit on their depth.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/parse.h"

const char *dsl_op_text(enum ast_op op) {
#define X(id, text) text,
    static const char *const texts[OP_N] = {AST_OPS(X)};
#undef X
    return op < OP_N ? texts[op] : "?";
}

struct ast *dsl_ast(struct parse *p, enum ast_kind kind, struct span at) {
    struct ast *e = arena_new(p->arena, struct ast);
    *e = (struct ast){.kind = kind, .at = at, .depth = 1};
    return e;
}

struct ast *dsl_ast_text(struct parse *p, enum ast_kind kind, struct span at,
                         const char *text) {
    struct ast *e = dsl_ast(p, kind, at);
    e->text = text;
    return e;
}

/* Walks of the tree recurse, so its depth is bounded here, once. */
static void deepen(struct parse *p, struct ast *e, const struct ast *child) {
    if (!child || child->depth < e->depth) return;
    e->depth = child->depth + 1;
    if (e->depth <= AST_DEPTH || p->gave_up) return;
    dsl_parse_error(p, e->at, "an expression of more than %u levels", AST_DEPTH);
    dsl_parse_help(p, e->at, "give parts of it names of their own");
    dsl_parse_give_up(p);
}

static void add(struct parse *p, struct ast *e, struct ast *child) {
    if (!child) return;
    deepen(p, e, child);
    vec_push(p->arena, &e->args, child);
}

struct ast *dsl_ast_with(struct parse *p, enum ast_kind kind, struct span at, struct ast *a,
                         struct ast *b, struct ast *c) {
    struct ast *e = dsl_ast(p, kind, at);
    add(p, e, a);
    add(p, e, b);
    add(p, e, c);
    return e;
}

struct ast *dsl_ast_op(struct parse *p, enum ast_op op, struct span at, struct ast *a,
                       struct ast *b) {
    enum ast_kind kind = op < OP_ADD ? AST_UNARY : AST_BINARY;
    struct ast *e = dsl_ast_with(p, kind, at, a, b, NULL);
    e->op = op;
    return e;
}

/* `()` and `[]` hold nothing, not one operand left empty. */
static void drop_lone_empty(struct ast_list *args) {
    if (args->len == 1 && args->at[0]->kind == AST_EMPTY) args->len = 0;
}

struct ast *dsl_ast_args(struct parse *p, enum ast_kind kind, struct span at,
                         struct ast_list args) {
    struct ast *e = dsl_ast(p, kind, at);
    drop_lone_empty(&args);
    e->args = args;
    for (uint32_t i = 0; i < args.len; i++) deepen(p, e, args.at[i]);
    return e;
}

struct ast *dsl_ast_call(struct parse *p, struct span at, struct ast_call *call) {
    struct ast *e = dsl_ast(p, AST_CALL, at);
    drop_lone_empty(&call->args);
    e->call = call;
    for (uint32_t i = 0; i < call->args.len; i++) deepen(p, e, call->args.at[i]);
    for (uint32_t i = 0; i < call->attrs.len; i++) deepen(p, e, call->attrs.at[i].value);
    return e;
}
