/* parser.y -- the grammar of .rules files: LALR(1), no conflicts, no precedence tables.
 *
 * One expression grammar serves patterns, conditions and emitted bodies; from loose to
 * tight:
 *
 *     a if c else b;  ||;  &&;  |;  == != < <= > >= in, absent;  ~= ±, x : type;
 *     ??;  ++;  + -;  * / %;  - ~ ! const scalar splat keep;  x[i]  x?  f(x)
 *
 * Statements need no separator: one starts with `name =`, `name, name =`, `..name =`,
 * `keep` or `each`, and no expression goes on with a name. Inside <...> a value is free of
 * comparisons, since `>` closes. The scanner tells `<` that opens parameters from `<` that
 * compares (lexer.l).
 *
 * After an error the parser goes on behind the next `}` of the construct, or at the next
 * word that begins an item of the file.
 * SPDX-License-Identifier: Apache-2.0
 */
%define api.pure full
%define api.prefix {dsl_yy}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%parse-param { struct parse *p } { void *scanner }
%lex-param { void *scanner }

%code requires {
#include "dsl/parse.h"
}
%code top {
#include "dsl/parse.h"
}
%code {
#define YYMAXDEPTH 4000
#define YYLLOC_DEFAULT(now, rhs, n)                                                       \
    ((now) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) : after(YYRHSLOC(rhs, 0)))
static struct span after(struct span at) {
    return (struct span){at.source, at.end, at.end};
}
int dsl_yylex(DSL_YYSTYPE *value, struct span *at, void *scanner);
static void dsl_yyerror(struct span *at, struct parse *p, void *scanner, const char *what);
static void item(struct parse *p, struct ast_top top);
static struct ast_call *class_of(struct parse *p, struct ast *set);
#define PUSH(list, ...) vec_push(p->arena, &(list), __VA_ARGS__)
#define NEW(type) arena_new(p->arena, type)
#define WORD(t, l) ((struct ast_word){.text = (t), .at = (l)})
#define ITEM(k, l, ...) ((struct ast_item){.kind = (k), .at = (l), __VA_ARGS__})
/* Behind whatever may have found the text too deep or the errors too many. */
#define GO_ON                                                                             \
    do {                                                                                  \
        if (p->gave_up) YYABORT;                                                          \
    } while (0)
}

%union {
    const char *text;
    struct { const char *text; int64_t i; double real; } number;
    struct span span;
    struct { int64_t least, most; } range;
    int64_t i;
    struct ast *e;
    struct ast_list list;
    struct ast_call *call;
    struct ast_attr attr;
    struct ast_attrs attrs;
    struct ast_word word;
    struct ast_words words;
    struct ast_dim dim;
    struct ast_dims dims;
    struct ast_type *type;
    struct ast_stmt stmt;
    struct ast_stmts stmts;
    struct ast_item item;
    struct ast_items items;
    struct ast_clause clause;
    struct ast_clauses clauses;
    struct ast_pattern *pattern;
    enum ast_op op;
}

%token <text> T_NAME "a name" T_DOTTED "a dotted name" T_STRING "a string"
%token <number> T_INT "an integer" T_REAL "a number"
%token <span> T_RAW "ONNX text in braces"
%token <text> T_SUM "sum {"
%token T_CHAIN "chain {" T_OPEN_ATTRS "<"
%token T_ARROW "=>" T_EQ "==" T_NE "!=" T_LE "<=" T_GE ">=" T_APPROX "~=" T_PLUSMINUS "±"
%token T_OR "||" T_AND "&&" T_COALESCE "??" T_CONCAT "++" T_DOTS ".."
/* Reserved. */
%token <text> T_ABSENT "absent" T_AS "as" T_CONST "const" T_EACH "each" T_ELSE "else"
    T_FALSE "false" T_FOR "for" T_IF "if" T_IN "in" T_KEEP "keep" T_NONE "none"
    T_SCALAR "scalar" T_SPLAT "splat" T_TRUE "true" T_WHERE "where"
/* Words that may be names too. */
%token <text> T_AGAIN "again" T_ATOMIC "atomic" T_BY "by" T_CHANGES "changes"
    T_CLASS "class" T_EMIT "emit" T_EXAMPLE "example" T_FUNCTION "function"
    T_GRAPH "graph" T_INPUT "input" T_INTERFACE "interface" T_LET "let" T_MATCH "match"
    T_NEAR "near"
    T_ONLY "only" T_OPERATOR "operator" T_OPSET "opset" T_OTHERWISE "otherwise"
    T_OUTPUT "output" T_PACK "pack" T_PARAM "param" T_PASS "pass" T_PATTERN "pattern"
    T_PHASE "phase" T_PREDICATE "predicate" T_PRIORITY "priority" T_RAISES "raises"
    T_REQUIRES "requires" T_RULE "rule"
    T_SHAPES "shapes" T_TARGET "target" T_USE "use" T_VERSION "version" T_WHEN "when"

%type <text> name doc
%type <word> word op_name target out param
%type <words> targets words word_list outs out_tail op_list params param_list opt_attr_names
%type <e> cond full or_e and_e cmp alt side coal cat add mul unary postfix closed primary arg
    attr_value opt_where opt_filter number set
%type <list> args set_items conds
%type <op> cmp_op prefix_op
%type <call> call callee
%type <attr> attr
%type <attrs> attr_list attrs
%type <type> type
%type <dim> dim
%type <dims> dims dim_list
%type <stmt> stmt
%type <stmts> stmts block
%type <item> rule_item
%type <items> rule_items rule_body opt_body
%type <clause> clause
%type <clauses> clauses
%type <pattern> pattern_head
%type <i> integer opt_most opt_open
%type <range> opt_each_range
%type <item> expects
%type <text> template

%%

file: tops ;
tops: %empty | tops top | tops ';' | tops error { GO_ON; p->nesting = 0; } ;

/* --- items of a file --------------------------------------------------------------- */
top:
  T_PACK word doc '{' clauses '}' {
      struct ast_pack *pack = NEW(struct ast_pack);
      *pack = (struct ast_pack){$word, $doc, $clauses};
      item(p, (struct ast_top){.kind = TOP_PACK, .at = @$, .pack = pack}); }
| T_USE T_STRING {
      item(p, (struct ast_top){.kind = TOP_USE, .at = @$, .name = WORD($2, @2)}); }
| T_USE T_STRING T_ONLY words {
      item(p, (struct ast_top){.kind = TOP_USE, .at = @$, .name = WORD($2, @2),
                               .only = true, .names = $words}); }
| T_PASS word {
      item(p, (struct ast_top){.kind = TOP_PASS, .at = @$, .name = $word}); }
| opt_atomic_phase
| T_PATTERN pattern_head '=' full {
      $pattern_head->body = $full;
      item(p, (struct ast_top){.kind = TOP_PATTERN, .at = @$, .pattern = $pattern_head}); }
| T_OPERATOR pattern_head '=' full {
      $pattern_head->body = $full;
      item(p, (struct ast_top){.kind = TOP_OPERATOR, .at = @$, .pattern = $pattern_head}); }
| T_OPERATOR pattern_head '{' stmts '}' {
      $pattern_head->stmts = $stmts;
      item(p, (struct ast_top){.kind = TOP_OPERATOR, .at = @$, .pattern = $pattern_head}); }
| T_PREDICATE word '(' params ')' {
      item(p, (struct ast_top){.kind = TOP_PREDICATE, .at = @$, .name = $word,
                               .names = $params}); }
| T_RULE word doc ':' full[from] T_ARROW full[to] opt_body {
      struct ast_rule *rule = NEW(struct ast_rule);
      *rule = (struct ast_rule){.name = $word, .doc = $doc, .from = $from, .to = $to,
                                .has_body = @opt_body.begin < @opt_body.end,
                                .items = $opt_body};
      item(p, (struct ast_top){.kind = TOP_RULE, .at = @$, .rule = rule}); }
| T_RULE word doc rule_body {
      struct ast_rule *rule = NEW(struct ast_rule);
      *rule = (struct ast_rule){.name = $word, .doc = $doc, .has_body = true,
                                .items = $rule_body};
      item(p, (struct ast_top){.kind = TOP_RULE, .at = @$, .rule = rule}); }
;
opt_atomic_phase:
  T_PHASE word '{' word_list '}' {
      item(p, (struct ast_top){.kind = TOP_PHASE, .at = @$, .name = $word,
                               .names = $word_list}); }
| T_ATOMIC T_PHASE word '{' word_list '}' {
      item(p, (struct ast_top){.kind = TOP_PHASE, .at = @$, .name = $word,
                               .names = $word_list, .atomic = true}); }
| T_PHASE error '}' { GO_ON; }
;

clauses:
  %empty { $$ = (struct ast_clauses){0}; }
| clauses clause { $$ = $1; PUSH($$, $clause); }
| clauses ';'
| clauses error { GO_ON; $$ = $1; }
;
clause:
  T_VERSION number {
      $$ = (struct ast_clause){CLAUSE_VERSION, @$, .name = WORD($2->text, @2)}; }
| T_VERSION T_STRING { $$ = (struct ast_clause){CLAUSE_VERSION, @$, .name = WORD($2, @2)}; }
| T_OPSET op_name T_GE integer opt_most {
      $$ = (struct ast_clause){CLAUSE_OPSET, @$, .name = $op_name, .least = $integer,
                               .most = $opt_most}; }
| T_PARAM word ':' word '=' full {
      $$ = (struct ast_clause){CLAUSE_PARAM, @$, .name = $2, .type = $4, .value = $full}; }
| T_CHANGES T_INTERFACE { $$ = (struct ast_clause){CLAUSE_INTERFACE, @$}; }
| T_RAISES T_OPSET { $$ = (struct ast_clause){CLAUSE_RAISES, @$}; }
;
opt_most: %empty { $$ = 0; } | T_LE integer { $$ = $2; } ;

pattern_head:
  word opt_attr_names '(' params ')' {
      $$ = NEW(struct ast_pattern);
      *$$ = (struct ast_pattern){.name = $word, .outs = $2, .ins = $params,
                                 .has_outs = @2.begin < @2.end}; }
;
opt_attr_names:
  %empty { $$ = (struct ast_words){0}; }
| T_OPEN_ATTRS word_list close_attrs { $$ = $2; }
;
params: %empty { $$ = (struct ast_words){0}; } | param_list ;
param_list:
  param { $$ = (struct ast_words){0}; PUSH($$, $1); }
| param_list ',' param { $$ = $1; PUSH($$, $3); }
;
param: word | word '?' { $$ = $1; $$.optional = true; } ;

/* --- items of a rule --------------------------------------------------------------- */
opt_body: %empty { $$ = (struct ast_items){0}; } | rule_body ;
rule_body: '{' rule_items '}' { $$ = $2; } ;
rule_items:
  %empty { $$ = (struct ast_items){0}; }
| rule_items rule_item { $$ = $1; PUSH($$, $2); }
| rule_items ';'
| rule_items error { GO_ON; $$ = $1; }
;
rule_item:
  T_MATCH block { $$ = ITEM(ITEM_MATCH, @$, .stmts = $2); }
| T_WHERE '{' conds '}' { $$ = ITEM(ITEM_WHERE, @$, .conds = $3); }
| T_WHERE '{' error '}' { GO_ON; $$ = ITEM(ITEM_WHERE, @$, .name = {0}); }
| T_EMIT block { $$ = ITEM(ITEM_EMIT, @$, .stmts = $2); }
| T_EMIT T_WHEN full block { $$ = ITEM(ITEM_EMIT, @$, .cond = $3, .stmts = $4); }
| T_OTHERWISE block { $$ = ITEM(ITEM_OTHERWISE, @$, .stmts = $2); }
| T_CLASS word { $$ = ITEM(ITEM_CLASS, @$, .name = $2); }
| T_TARGET targets { $$ = ITEM(ITEM_TARGET, @$, .names = $2); }
| T_REQUIRES T_OPSET integer { $$ = ITEM(ITEM_REQUIRES, @$, .number = $3); }
| T_PRIORITY integer { $$ = ITEM(ITEM_PRIORITY, @$, .number = $2); }
| T_AGAIN { $$ = ITEM(ITEM_AGAIN, @$, .number = 0); }
| T_SHAPES T_BY T_RULE { $$ = ITEM(ITEM_SHAPES, @$, .number = 0); }
| T_AS T_FUNCTION op_name { $$ = ITEM(ITEM_AS_FUNCTION, @$, .name = $3); }
| T_GRAPH T_INPUT template ':' type {
      $$ = ITEM(ITEM_GRAPH, @$, .name = WORD($3, @3), .type = $5); }
| T_GRAPH T_OUTPUT template ':' type {
      $$ = ITEM(ITEM_GRAPH, @$, .name = WORD($3, @3), .type = $5, .number = 1); }
| T_EXAMPLE T_RAW T_ARROW expects { $$ = $4; $$.at = @$; $$.raw = $2; }
| T_EXAMPLE T_STRING T_RAW T_ARROW expects {
      $$ = $5; $$.at = @$; $$.title = $2; $$.raw = $3; }
| T_NEAR T_STRING T_RAW {
      $$ = ITEM(ITEM_NEAR, @$, .title = $2, .raw = $3); }
| T_NEAR T_STRING T_RAW T_ARROW T_STRING {
      $$ = ITEM(ITEM_NEAR, @$, .title = $2, .raw = $3, .reason = $5); }
;
expects:
  op_name integer {
      $$ = ITEM(ITEM_EXAMPLE, @$, .number = 0);
      PUSH($$.expects, (struct ast_expect){$1, $2}); }
| expects ',' op_name integer {
      $$ = $1; PUSH($$.expects, (struct ast_expect){$3, $4}); }
;
targets:
  target { $$ = (struct ast_words){0}; PUSH($$, $1); }
| targets ',' target { $$ = $1; PUSH($$, $3); }
;
target:
  word
| word '-' word {
      $$ = WORD(arena_printf(p->arena, "%s-%s", $1.text, $3.text), @$); }
;
template:
  name
| template '{' name '}' { $$ = arena_printf(p->arena, "%s{%s}", $1, $3); }
;

/* --- statements -------------------------------------------------------------------- */
block:
  '{' stmts '}' { $$ = $2; $$.span = @$; }
| '{' stmts error '}' { GO_ON; $$ = $2; $$.span = @$; }
;
stmts:
  %empty { $$ = (struct ast_stmts){0}; }
| stmts stmt { $$ = $1; PUSH($$, $2); }
| stmts ';'
;
stmt:
  outs '=' full { $$ = (struct ast_stmt){.outs = $1, .value = $3, .at = @$}; }
| T_KEEP outs '=' full {
      $$ = (struct ast_stmt){.keep = true, .outs = $2, .value = $4, .at = @$}; }
| T_DOTS word '=' full {
      $$ = (struct ast_stmt){.spread = true, .value = $4, .at = @$};
      PUSH($$.outs, $2); }
| T_DOTS word '[' full ']' '=' full {
      $$ = (struct ast_stmt){.spread = true, .order = $4, .value = $7, .at = @$};
      PUSH($$.outs, $2); }
| T_EACH opt_each_range word '=' full opt_where {
      $$ = (struct ast_stmt){.each = true, 
                             .least = $2.least, .most = $2.most, .value = $5,
                             .where = $6, .at = @$};
      PUSH($$.outs, $3); }
;
opt_each_range:
  %empty { $$.least = $$.most = -1; }
| '[' integer T_DOTS opt_open ']' { $$.least = $2; $$.most = $4; }
;
opt_open: %empty { $$ = -1; } | integer ;
opt_where: %empty { $$ = NULL; } | T_WHERE full { $$ = $2; } ;
outs:
  out { $$ = (struct ast_words){0}; PUSH($$, $1); }
| out ',' out_tail { $$ = (struct ast_words){0}; PUSH($$, $1);
      for (uint32_t i = 0; i < $3.len; i++) PUSH($$, $3.at[i]); }
;
out: word | T_STRING { $$ = WORD($1, @1); } ;
out_tail:
  %empty { $$ = (struct ast_words){0}; PUSH($$, WORD(NULL, @$)); }
| out { $$ = (struct ast_words){0}; PUSH($$, $1); }
| out_tail ',' { $$ = $1; PUSH($$, WORD(NULL, @2)); }
| out_tail ',' out { $$ = $1; PUSH($$, $3); }
;
conds:
  %empty { $$ = (struct ast_list){0}; }
| cond { $$ = (struct ast_list){0}; PUSH($$, $1); }
| conds ';' { $$ = $1; }
| conds ';' cond { $$ = $1; PUSH($$, $3); }
;
cond:
  full
| T_LET word '=' full {
      $$ = dsl_ast_with(p, AST_LET, @$, $4, NULL, NULL); $$->text = $2.text; GO_ON; }
;

/* --- expressions ------------------------------------------------------------------- */
full:
  or_e
| or_e T_IF or_e T_ELSE full { $$ = dsl_ast_with(p, AST_IF, @$, $3, $1, $5); GO_ON; }
;
or_e: and_e | or_e T_OR and_e { $$ = dsl_ast_op(p, OP_OR, @$, $1, $3); GO_ON; } ;
and_e: alt | and_e T_AND alt { $$ = dsl_ast_op(p, OP_AND, @$, $1, $3); GO_ON; } ;
alt: cmp | alt '|' cmp { $$ = dsl_ast_op(p, OP_ALT, @$, $1, $3); GO_ON; } ;
cmp:
  side
| side cmp_op side { $$ = dsl_ast_op(p, $2, @$, $1, $3); }
| side T_ABSENT { $$ = dsl_ast_with(p, AST_IS_ABSENT, @$, $1, NULL, NULL); }
;
cmp_op:
  T_EQ { $$ = OP_EQ; } | T_NE { $$ = OP_NE; } | '<' { $$ = OP_LT; } | T_LE { $$ = OP_LE; }
| '>' { $$ = OP_GT; } | T_GE { $$ = OP_GE; } | T_IN { $$ = OP_IN; }
;
side:
  coal
| coal T_APPROX coal { $$ = dsl_ast_with(p, AST_APPROX, @$, $1, $3, NULL); }
| coal T_APPROX coal T_PLUSMINUS coal { $$ = dsl_ast_with(p, AST_APPROX, @$, $1, $3, $5); }
| coal ':' type { $$ = dsl_ast_with(p, AST_TYPED, @$, $1, NULL, NULL); $$->type = $3; }
;
coal: cat | cat T_COALESCE coal { $$ = dsl_ast_op(p, OP_COALESCE, @$, $1, $3); GO_ON; } ;
cat: add | cat T_CONCAT add { $$ = dsl_ast_op(p, OP_CONCAT, @$, $1, $3); GO_ON; } ;
add:
  mul
| add '+' mul { $$ = dsl_ast_op(p, OP_ADD, @$, $1, $3); GO_ON; }
| add '-' mul { $$ = dsl_ast_op(p, OP_SUB, @$, $1, $3); GO_ON; }
;
mul:
  unary
| mul '*' unary { $$ = dsl_ast_op(p, OP_MUL, @$, $1, $3); GO_ON; }
| mul '/' unary { $$ = dsl_ast_op(p, OP_DIV, @$, $1, $3); GO_ON; }
| mul '%' unary { $$ = dsl_ast_op(p, OP_MOD, @$, $1, $3); GO_ON; }
;
unary: postfix | prefix_op unary { $$ = dsl_ast_op(p, $1, @$, $2, NULL); GO_ON; } ;
prefix_op:
  '-' { $$ = OP_NEG; } | '~' { $$ = OP_SEE; } | '!' { $$ = OP_NOT; }
| T_CONST { $$ = OP_CONST; } | T_SCALAR { $$ = OP_SCALAR; } | T_SPLAT { $$ = OP_SPLAT; }
| T_KEEP { $$ = OP_KEEP; }
;
postfix:
  primary
| closed '?' { $$ = dsl_ast_with(p, AST_MAYBE, @$, $1, NULL, NULL); GO_ON; }
| postfix '[' full ']' { $$ = dsl_ast_with(p, AST_INDEX, @$, $1, $3, NULL); GO_ON; }
;
/* What may stand before `?`, names aside: `Cast?(x)` is a call, `b?` a value. */
closed:
  call { $$ = dsl_ast_call(p, @1, $1); GO_ON; }
| '(' full ')' { $$ = dsl_ast_with(p, AST_PAREN, @$, $2, NULL, NULL); GO_ON; }
;
primary:
  closed
| op_name { $$ = dsl_ast_text(p, AST_NAME, @1, $1.text); }
| op_name '?' {
      struct ast *v = dsl_ast_text(p, AST_NAME, @1, $1.text);
      $$ = dsl_ast_with(p, AST_MAYBE, @$, v, NULL, NULL); }
| T_STRING { $$ = dsl_ast_text(p, AST_STRING, @1, $1); }
| number
| T_TRUE { $$ = dsl_ast(p, AST_BOOL, @1); $$->i = 1; }
| T_FALSE { $$ = dsl_ast(p, AST_BOOL, @1); }
| T_NONE { $$ = dsl_ast(p, AST_NONE, @1); }
| T_ABSENT { $$ = dsl_ast(p, AST_NONE, @1); }
| '[' args ']' { $$ = dsl_ast_args(p, AST_LIST, @$, $2); GO_ON; }
| set
| T_SUM args '}' { $$ = dsl_ast_args(p, AST_SUM, @$, $2); $$->text = $1; GO_ON; }
;
set:
  '{' set_items '}' { $$ = dsl_ast_args(p, AST_SET, @$, $2); GO_ON; }
| '{' error '}' { GO_ON; $$ = dsl_ast(p, AST_SET, @$); }
;
number:
  T_INT { $$ = dsl_ast_text(p, AST_INT, @1, $1.text); $$->i = $1.i; $$->real = $1.real; }
| T_REAL { $$ = dsl_ast_text(p, AST_REAL, @1, $1.text); $$->real = $1.real; }
;
set_items:
  full { $$ = (struct ast_list){0}; PUSH($$, $1); }
| set_items ',' full { $$ = $1; PUSH($$, $3); }
;

/* --- operators and their operands -------------------------------------------------- */
call:
  callee '(' args ')' { $$ = $1; $$->args = $3; }
| callee '(' args ')' attrs {
      $$ = $1; $$->args = $3; $$->attrs = $5; $$->has_attrs = true; }
| callee attrs '(' args ')' {
      $$ = $1; $$->args = $4; $$->attrs = $2; $$->has_attrs = true; }
;
callee:
  op_name { $$ = NEW(struct ast_call); PUSH($$->names, $1); }
| op_name '?' { $$ = NEW(struct ast_call); PUSH($$->names, $1); $$->optional = true; }
| op_name '!' { $$ = NEW(struct ast_call); PUSH($$->names, $1); $$->pinned = true; }
| set { $$ = class_of(p, $1); }
| set T_AS word { $$ = class_of(p, $1); $$->as = $3.text; $$->as_at = $3.at; }
| T_CHAIN op_list '}' '*' { $$ = NEW(struct ast_call); $$->names = $2; $$->is_class = true;
      $$->chain = true; }
;
args:
  arg { $$ = (struct ast_list){0}; PUSH($$, $1); }
| args ',' arg { $$ = $1; PUSH($$, $3); }
;
arg:
  %empty { $$ = dsl_ast(p, AST_EMPTY, @$); }
| full
| T_DOTS { $$ = dsl_ast(p, AST_SPREAD, @1); }
| T_DOTS word { $$ = dsl_ast_text(p, AST_SPREAD, @$, $2.text); }
| T_DOTS '[' args ']' {
      struct ast *list = dsl_ast_args(p, AST_LIST, span_join(@2, @4), $3);
      $$ = dsl_ast_with(p, AST_SPREAD, @$, list, NULL, NULL); GO_ON; }
| full T_FOR word T_IN side opt_filter {
      $$ = dsl_ast_with(p, AST_FOR, @$, $1, $5, $6); $$->text = $3.text; GO_ON; }
;
opt_filter: %empty { $$ = NULL; } | T_IF or_e { $$ = $2; } ;

attrs:
  T_OPEN_ATTRS attr_list close_attrs { $$ = $2; }
| T_OPEN_ATTRS close_attrs { $$ = (struct ast_attrs){0}; }
;
/* The scanner cannot tell this `>` from one that compares. */
close_attrs: '>' { if (p->nesting) p->nesting--; } ;
attr_list:
  attr { $$ = (struct ast_attrs){0}; PUSH($$, $1); }
| attr_list ',' attr { $$ = $1; PUSH($$, $3); }
;
attr:
  word { $$ = (struct ast_attr){.name = $1.text, .at = $1.at}; }
| word '=' attr_value { $$ = (struct ast_attr){.name = $1.text, .at = $1.at, .value = $3}; }
| T_DOTS { $$ = (struct ast_attr){.rest = "", .at = @1}; }
| T_DOTS word { $$ = (struct ast_attr){.rest = $2.text, .at = $2.at}; }
;
attr_value:
  coal
| coal T_IF coal T_ELSE attr_value { $$ = dsl_ast_with(p, AST_IF, @$, $3, $1, $5); GO_ON; }
;

/* --- types ------------------------------------------------------------------------- */
type:
  word {
      $$ = NEW(struct ast_type); $$->at = @$; PUSH($$->dtypes, $1); }
| word '[' dims ']' {
      $$ = NEW(struct ast_type); $$->at = @$; PUSH($$->dtypes, $1);
      $$->shaped = true; $$->dims = $3; }
| '{' op_list '}' {
      $$ = NEW(struct ast_type); $$->at = @$; $$->dtypes = $2; $$->is_set = true; }
| '{' op_list '}' '[' dims ']' {
      $$ = NEW(struct ast_type); $$->at = @$; $$->dtypes = $2; $$->is_set = true;
      $$->shaped = true; $$->dims = $5; }
;
dims: %empty { $$ = (struct ast_dims){0}; } | dim_list ;
dim_list:
  dim { $$ = (struct ast_dims){0}; PUSH($$, $1); }
| dim_list ',' dim { $$ = $1; PUSH($$, $3); }
;
dim:
  word {
      bool any = rw_streq($1.text, "_");
      $$ = (struct ast_dim){any ? AST_DIM_ANY : AST_DIM_NAME, .name = $1.text, .at = @$}; }
| T_INT { $$ = (struct ast_dim){AST_DIM_INT, .value = $1.i, .at = @$}; }
| T_DOTS { $$ = (struct ast_dim){AST_DIM_REST, .at = @$}; }
| T_DOTS word { $$ = (struct ast_dim){AST_DIM_REST, .name = $2.text, .at = @$}; }
;

/* --- words ------------------------------------------------------------------------- */
doc: %empty { $$ = NULL; } | T_STRING ;
integer: T_INT { $$ = $1.i; } | '-' T_INT { $$ = -$2.i; } ;
words:
  word { $$ = (struct ast_words){0}; PUSH($$, $1); }
| words ',' word { $$ = $1; PUSH($$, $3); }
;
word_list: %empty { $$ = (struct ast_words){0}; } | words | words ',' ;
op_list:
  op_name { $$ = (struct ast_words){0}; PUSH($$, $1); }
| op_list ',' op_name { $$ = $1; PUSH($$, $3); }
;
op_name: word | T_DOTTED { $$ = WORD($1, @1); } ;
word: name { $$ = WORD($1, @1); } ;
name:
  T_NAME
| T_AGAIN | T_ATOMIC | T_BY | T_CHANGES | T_CLASS | T_EMIT | T_EXAMPLE | T_FUNCTION
| T_GRAPH | T_INPUT | T_INTERFACE | T_LET | T_MATCH | T_NEAR | T_ONLY | T_OPERATOR | T_OPSET
| T_OTHERWISE | T_OUTPUT | T_PACK | T_PARAM | T_PASS | T_PATTERN | T_PHASE
| T_PREDICATE | T_PRIORITY | T_RAISES | T_REQUIRES | T_RULE | T_SHAPES | T_TARGET | T_USE | T_VERSION | T_WHEN
;

%%

static void item(struct parse *p, struct ast_top top) {
    vec_push(p->arena, &p->file->tops, top);
    p->nesting = 0;
}

/* {Relu, Tanh} before `(`: the names of a class of operators. */
static struct ast_call *class_of(struct parse *p, struct ast *set) {
    struct ast_call *call = NEW(struct ast_call);
    call->is_class = true;
    for (uint32_t i = 0; i < set->args.len; i++) {
        const struct ast *e = set->args.at[i];
        if (e->kind == AST_NAME)
            PUSH(call->names, WORD(e->text, e->at));
        else
            dsl_parse_error(p, e->at, "a class of operators holds names of operators only");
    }
    return call;
}

/* Memory (the parser's stack at its limit); syntax errors come by the function below. */
static void dsl_yyerror(struct span *at, struct parse *p, void *scanner, const char *what) {
    RW_UNUSED(scanner);
    RW_UNUSED(what);
    dsl_parse_error(p, *at, "nested too deep");
    dsl_parse_give_up(p);
}

/* Words that may be names are not worth a mention where a name is expected. */
static bool is_soft(yysymbol_kind_t k) {
    return k >= YYSYMBOL_T_AGAIN && k <= YYSYMBOL_T_WHEN;
}
static bool is_prefix(yysymbol_kind_t k) {
    switch (k) {
    case YYSYMBOL_T_CONST: case YYSYMBOL_T_SCALAR: case YYSYMBOL_T_SPLAT:
    case YYSYMBOL_T_KEEP: case YYSYMBOL_T_SUM: case YYSYMBOL_T_CHAIN: case YYSYMBOL_T_NONE:
    case YYSYMBOL_T_TRUE: case YYSYMBOL_T_FALSE: case YYSYMBOL_T_INT: case YYSYMBOL_T_REAL:
    case YYSYMBOL_T_STRING: case YYSYMBOL_T_NAME: case YYSYMBOL_T_DOTTED: return true;
    default: return false;
    }
}
static bool is_infix(yysymbol_kind_t k) {
    switch (k) {
    case YYSYMBOL_T_EQ: case YYSYMBOL_T_NE: case YYSYMBOL_T_LE: case YYSYMBOL_T_GE:
    case YYSYMBOL_T_APPROX: case YYSYMBOL_T_PLUSMINUS: case YYSYMBOL_T_OR:
    case YYSYMBOL_T_AND: case YYSYMBOL_T_COALESCE: case YYSYMBOL_T_CONCAT:
    case YYSYMBOL_T_IN: case YYSYMBOL_T_IF: case YYSYMBOL_T_FOR: return true;
    default: return false;
    }
}

static bool is_reserved(yysymbol_kind_t k) {
    return k >= YYSYMBOL_T_ABSENT && k <= YYSYMBOL_T_WHERE;
}

/* As one shows it: without the quotes of a single character. */
static const char *token_text(struct parse *p, yysymbol_kind_t k) {
    const char *s = yysymbol_name(k);
    return strlen(s) == 3 && *s == '\'' ? arena_printf(p->arena, "%.1s", s + 1) : s;
}

/* What was wanted, as one phrase; "" when that would be a long list. */
static const char *wanted(struct parse *p, const yypcontext_t *context) {
    yysymbol_kind_t all[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, all, YYNTOKENS);
    bool name = false, prefix = false, open = false;
    for (int i = 0; i < n; i++) {
        name |= all[i] == YYSYMBOL_T_NAME;
        prefix |= all[i] == YYSYMBOL_T_CONST;
        open |= all[i] == YYSYMBOL_T_ABSENT;
    }
    const char *text = "", *last = prefix ? "an expression" : "";
    uint32_t shown = prefix;
    for (int i = 0; i < n; i++) {
        yysymbol_kind_t k = all[i];
        if ((name && is_soft(k)) || (prefix && is_prefix(k)) ||
            ((prefix || open) && is_infix(k)))
            continue;
        const char *s = token_text(p, k);
        if ((prefix || open) && strlen(s) == 1 && strchr("+-*/%<>|!?~:[({", *s)) continue;
        if (prefix && k == YYSYMBOL_T_ABSENT) continue;
        if (open && (k == YYSYMBOL_T_ABSENT || k == YYSYMBOL_T_OPEN_ATTRS)) continue;
        bool bare = k == YYSYMBOL_T_NAME || k == YYSYMBOL_T_DOTTED || k == YYSYMBOL_T_INT ||
                    k == YYSYMBOL_T_REAL || k == YYSYMBOL_T_STRING || k == YYSYMBOL_T_RAW ||
                    k == YYSYMBOL_YYEOF;
        if (k == YYSYMBOL_YYEOF) s = "the end of the file";
        text = arena_printf(p->arena, "%s%s%s", text, !shown ? "" : shown > 1 ? ", " : "",
                            last);
        last = arena_printf(p->arena, bare ? "%s" : "\"%s\"", s);
        shown++;
    }
    if (shown > 6) return "";
    return arena_printf(p->arena, "%s%s%s", text, shown > 1 ? " or " : "", last);
}

static void hint(struct parse *p, const yypcontext_t *context, struct span at) {
    yysymbol_kind_t all[YYNTOKENS];
    const char *names[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, all, YYNTOKENS);
    for (int i = 0; i < n; i++) names[i] = token_text(p, all[i]);
    dsl_parse_hint(p, at, names, (size_t)n);
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parse *p,
                                 void *scanner) {
    RW_UNUSED(scanner);
    const struct span *at = yypcontext_location(context);
    if (p->gave_up) return 0;
    const char *found = "the end of the file";
    if (yypcontext_token(context) != YYSYMBOL_YYEOF) {
        uint32_t len = rw_min_u32(at->end - at->begin, 40);
        const char *token = p->source->text + at->begin;
        found = arena_printf(p->arena, *token == '"' ? "%.*s" : "\"%.*s\"", (int)len, token);
    }
    const char *want = wanted(p, context);
    if (*want)
        dsl_parse_error(p, *at, "found %s, wanted %s", found, want);
    else
        dsl_parse_error(p, *at, "%s does not fit here", found);
    if (is_reserved(yypcontext_token(context)) && strstr(want, "a name"))
        dsl_parse_help(p, *at, "%s is a word of the language and cannot be a name", found);
    else hint(p, context, *at);
    return 0;
}
