/* parse_hint.c -- what may have been meant where the text does not fit the grammar.
 *
 * Each hint looks at the token that was found, at the text before it, and at the tokens that
 * would have fitted; the first one that has something to say is the only one to speak.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/parse.h"

#include <ctype.h>

struct place {
    struct parse *p;
    struct span at;
    const char *found;           /* the token; "" at the end of the file */
    const char *const *expected; /* as %token names them */
    size_t n;
    uint32_t open; /* byte of the innermost open bracket, UINT32_MAX: none */
};

static bool wants(const struct place *h, const char *token) {
    for (size_t i = 0; i < h->n; i++)
        if (rw_streq(h->expected[i], token)) return true;
    return false;
}
static bool is(const struct place *h, const char *token) {
    return rw_streq(h->found, token);
}
static bool is_word(const struct place *h) {
    return isalpha((unsigned char)*h->found) || *h->found == '_';
}

/* --- the text before ---------------------------------------------------------------- */
static uint32_t behind_string(const struct diag_source *s, uint32_t i) {
    for (i++; i < s->len && s->text[i] != '"'; i++)
        if (s->text[i] == '\\') i++;
    return i;
}
static uint32_t behind_comment(const struct diag_source *s, uint32_t i) {
    while (i + 1 < s->len && s->text[i + 1] != '\n') i++;
    return i;
}

static uint32_t innermost_open(const struct diag_source *s, uint32_t end) {
    uint32_t stack[PARSE_NESTING], depth = 0;
    for (uint32_t i = 0; i < end; i++) {
        char c = s->text[i];
        if (c == '"') i = behind_string(s, i);
        else if (c == '#' || (c == '/' && s->text[i + 1] == '/')) i = behind_comment(s, i);
        else if (strchr("([{", c) && c && depth < PARSE_NESTING) stack[depth++] = i;
        else if (strchr(")]}", c) && c && depth > 0) depth--;
    }
    return depth ? stack[depth - 1] : UINT32_MAX;
}
static char open_bracket(const struct place *h) {
    return h->open == UINT32_MAX ? '\0' : h->p->source->text[h->open];
}

static uint32_t skip_blanks_back(const struct place *h, uint32_t end) {
    while (end > 0 && isspace((unsigned char)h->p->source->text[end - 1])) end--;
    return end;
}

/* The word that ends before byte `end`, blanks between; "" when there is none. */
static const char *word_before(const struct place *h, uint32_t end) {
    const char *text = h->p->source->text;
    uint32_t begin = end = skip_blanks_back(h, end);
    while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
        begin--;
    return arena_strndup(h->p->arena, text + begin, end - begin);
}

/* --- brackets ----------------------------------------------------------------------- */
static bool not_closed(const struct place *h) {
    char c = open_bracket(h);
    if ((c != '(' && c != '[') || !wants(h, c == '(' ? ")" : "]")) return false;
    bool ends = !*h->found || is(h, "=>") || is(h, "}") || is(h, ")") || is(h, "]");
    if (!ends) return false;
    struct span at = {h->p->source, h->open, h->open + 1};
    diag_at(h->p->diags, DIAG_NOTE, at, "this \"%c\" is not closed", c);
    return true;
}

static bool not_open(const struct place *h) {
    static const char *const pairs[] = {"()", "[]", "{}"};
    for (size_t i = 0; i < countof(pairs); i++) {
        if (!is(h, pairs[i] + 1) || open_bracket(h) == pairs[i][0]) continue;
        dsl_parse_help(h->p, h->at, "no \"%c\" is open here", pairs[i][0]);
        return true;
    }
    return false;
}

/* --- signs -------------------------------------------------------------------------- */
static bool parameter_as_operand(const struct place *h) {
    if (!is(h, "=") || open_bracket(h) != '(' || !wants(h, ")")) return false;
    const char *name = word_before(h, h->at.begin), *op = word_before(h, h->open);
    if (!*name) return false;
    dsl_parse_help(h->p, h->at,
                   "parameters stand in <...> before the operands: %s <%s = ...> (...)",
                   *op ? op : "Op", name);
    return true;
}

static bool sign_of_another_language(const struct place *h) {
    uint32_t at = h->at.begin;
    const char *want = NULL;
    if (is(h, ">") && at > 0 && h->p->source->text[at - 1] == '-') want = "=>";
    else if (is(h, "and") && wants(h, "&&")) want = "&&";
    else if (is(h, "or") && wants(h, "||")) want = "||";
    else if (is(h, "=") && wants(h, "==") && open_bracket(h) == '{') want = "==";
    if (want) dsl_parse_help(h->p, h->at, "write \"%s\"", want);
    return want != NULL;
}

/* --- names -------------------------------------------------------------------------- */
static bool name_of_a_rule(const struct place *h) {
    const char *before = word_before(h, h->at.begin);
    uint32_t name_at = skip_blanks_back(h, h->at.begin) - (uint32_t)strlen(before);
    bool is_named = *before && rw_streq(word_before(h, name_at), "rule");
    if (*h->found == '"' && wants(h, "a name") && *before)
        dsl_parse_help(h->p, h->at, "a name has no quotes; a description in quotes may follow it");
    else if (is_named && is(h, "-"))
        dsl_parse_help(h->p, h->at, "names are made of letters, digits and \"_\"");
    else if (is_named && is_word(h))
        dsl_parse_help(h->p, h->at, "write \":\" before the pattern");
    else return false;
    return true;
}

static bool operand_without_parentheses(const struct place *h) {
    const char *op = word_before(h, h->at.begin);
    if (!is_word(h) || *op < 'A' || *op > 'Z') return false;
    const char *line = h->p->source->text + skip_blanks_back(h, h->at.begin);
    if (memchr(line, '\n', h->at.begin - (size_t)(line - h->p->source->text))) return false;
    dsl_parse_help(h->p, h->at, "operands stand in parentheses: %s(%s)", op, h->found);
    return true;
}

static const char *const clauses[] = {"match", "where",    "emit",     "class",   "target",
                                      "requires", "priority", "again", "example", "near"};

static bool nearly_a_word(const struct place *h) {
    const char *words[128];
    size_t n = 0;
    if (!is_word(h)) return false;
    for (size_t i = 0; i < h->n && n < countof(words); i++) {
        const char *c = h->expected[i];
        while (isalpha((unsigned char)*c)) c++;
        if (!*c) words[n++] = h->expected[i];
    }
    const char *near = diag_nearest(h->found, words, n);
    if (near) dsl_parse_help(h->p, h->at, "did you mean \"%s\"?", near);
    return near != NULL;
}

static bool clause_outside(const struct place *h) {
    if (!wants(h, "rule")) return false;
    for (size_t i = 0; i < countof(clauses); i++) {
        if (!is(h, clauses[i])) continue;
        dsl_parse_help(h->p, h->at, "\"%s\" stands in the braces of a rule: { %s ... }",
                       h->found, h->found);
        return true;
    }
    return false;
}

static bool neither_rule_nor_clause(const struct place *h) {
    if (wants(h, "rule") && wants(h, "pattern"))
        dsl_parse_help(h->p, h->at, "a rule is written: rule NAME: PATTERN => REPLACEMENT");
    else if (wants(h, "match") && wants(h, "emit"))
        dsl_parse_help(h->p, h->at,
                       "a rule has match, where, emit, class, target, requires, priority, "
                       "again, shapes, example and near");
    else return false;
    return true;
}

/* --- what is missing ---------------------------------------------------------------- */
static bool nothing_behind(const struct place *h) {
    uint32_t end = skip_blanks_back(h, h->at.begin);
    bool behind_brace = end > 0 && h->p->source->text[end - 1] == '}';
    if (behind_brace && wants(h, "=>"))
        dsl_parse_help(h->p, h->at, "behind an example stands what is left: => Operator 1");
    else if (is(h, "}") && wants(h, "="))
        dsl_parse_help(h->p, h->at, "a statement is written: NAME = EXPRESSION");
    else return false;
    return true;
}

void dsl_parse_hint(struct parse *p, struct span at, const char *const *expected,
                    size_t n) {
    static bool (*const hints[])(const struct place *) = {
        not_closed, not_open, parameter_as_operand, sign_of_another_language, name_of_a_rule,
        operand_without_parentheses, clause_outside, nearly_a_word, neither_rule_nor_clause,
        nothing_behind};
    uint32_t len = rw_min_u32(at.end - at.begin, 64);
    struct place h = {.p = p, .at = at, .expected = expected, .n = n,
                      .found = arena_strndup(p->arena, p->source->text + at.begin, len),
                      .open = innermost_open(p->source, at.begin)};
    for (size_t i = 0; i < countof(hints); i++)
        if (hints[i](&h)) return;
}
