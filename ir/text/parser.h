/* parser.h -- what the parsing half of ir/text_*.c shares.
 *
 * The parser stops at the first error: text_fail adds the diagnostic, and from then on
 * the current token is TEXT_END, so that every loop and list ends by itself. Functions
 * return something harmless after a failure; `failed` is asked once at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TEXT_PARSER_H
#define IR_TEXT_PARSER_H

#include "ir/schema.h"
#include "ir/text.h"
#include "ir/text/lex.h"

#define TEXT_MOST_IMPORTS 256 /* they are looked through for every node */

/* What is known of a name in one graph. */
struct text_def {
    sym_t name;
    ir_value value; /* IR_NONE: only its type was declared so far */
    const struct ir_type *type;
    struct span at;
};

struct text_scope {
    struct ir_graph *graph;
    uint32_t number; /* of the graph, in order of the text */
    struct text_scope *outer;
};

struct text_parser {
    struct arena *arena;
    struct diag_sink *diags;
    struct text_lexer lexer;
    struct text_token token; /* the current one, not yet used up */
    bool failed;
    struct ir_model *model;
    bool free_opsets; /* no opset_import in the text: domains are imported as used */
    uint32_t depth, type_depth; /* of graphs, of types around the current token */
    uint32_t scopes;
    struct intern names;
    struct map def_of; /* scope number and name -> index in defs */
    VEC(struct text_def) defs;
};

/* --- text_parse_value.c ------------------------------------------------------------- */
void text_fail(struct text_parser *p, struct span at, const char *format, ...)
    RW_PRINTF(3, 4);
void text_help(struct text_parser *p, struct span at, const char *format, ...)
    RW_PRINTF(3, 4);
void text_advance(struct text_parser *p);
/* Steps over a token of that kind; false, and nothing done, when it is another. */
bool text_accept(struct text_parser *p, int kind);
/* The same, but another token is an error: `wanted` names what was. */
bool text_expect(struct text_parser *p, int kind, const char *wanted);
/* The current token cannot stand here: an error that shows it and says what can. */
void text_unexpected(struct text_parser *p, const char *wanted);
/* Is the current token an identifier or a quoted text? */
bool text_at_name(const struct text_parser *p);
/* Steps over a name and returns it; "" after an error. */
const char *text_name(struct text_parser *p, const char *wanted);
struct ir_string text_string(struct text_parser *p, const char *wanted);
int64_t text_int(struct text_parser *p, const char *wanted);
double text_real(struct text_parser *p);
bool text_at_number(const struct text_parser *p);
/* Does the current token begin a type? */
bool text_at_type(const struct text_parser *p);
const struct ir_type *text_type(struct text_parser *p);

/* --- text_parse_tensor.c ------------------------------------------------------------ */
/* `{1, 2}`, `["location": ...]`: the constant of that type. */
struct ir_tensor *text_tensor(struct text_parser *p, const struct ir_type *type,
                              struct span at);
/* `{1, 2}` alone: int64 or, with a real number among them, float. */
struct ir_tensor *text_bare_tensor(struct text_parser *p);

/* --- text_parse_attr.c -------------------------------------------------------------- */
/* `<a = 1, ...>`, without effect when there is none. Types not written are those of the
 * schema (may be NULL) where the value fits it. */
struct text_attrs { VEC(struct ir_attr) list; };
/* One attribute from behind its name, which *a has: `: ints = [1]`. */
void text_attr(struct text_parser *p, struct text_scope *scope,
               const struct ir_schema *schema, struct ir_attr *a);
void text_attrs(struct text_parser *p, struct text_scope *scope,
                const struct ir_schema *schema, struct text_attrs *out);

/* --- text_parse.c ------------------------------------------------------------------- */
/* `(inputs) => (outputs) <...> { nodes }` into the scope's graph. */
void text_graph(struct text_parser *p, struct text_scope *scope);
/* The same into a new graph, a body inside of `outer`. */
struct ir_graph *text_body(struct text_parser *p, struct text_scope *outer,
                           const char *name);

#endif
