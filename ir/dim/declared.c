/* declared.c -- dimensions as files declare them: names, and texts that are expressions.
 *
 * Exporters that trace with symbolic sizes write what they found as sympy prints it: `4*s0`,
 * `s0 + 1`, `((s0//2))`, `Max(0, s0 - 2)`, `floor(h/2 - 1/2)`. Others call dimensions whatever
 * they like, so only what can hardly be a name is read as an expression: a minus stands
 * between spaces (`batch-size` is a name), and a quotient inside of floor or ceiling (`frames/4`
 * is a name, and there are exporters that round what they call so). All that is not an
 * expression, or outgrows a form, is a name.
 *
 * Recursion goes as deep as parentheses, of which there are few.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim/impl.h"

#define MAX_LENGTH 500u
#define MAX_NESTING 16u
#define MAX_POWER 8

/* What has been read is over/under; most is over 1. */
struct ratio { ir_dim over, under; };

struct reader {
    struct ir_dims *t;
    const char *at;
    uint32_t fresh;   /* symbols made up before: one more, and a form was too big */
    uint32_t nesting;
    bool has_name, failed;
};

/* --- words -------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_length(const char *at) {
    size_t len = 0;
    if (is_letter(*at))
        while (is_letter(at[len]) || rw_is_digit(at[len]) || at[len] == '.') len++;
    return len;
}

static void skip_spaces(struct reader *r) { r->at += strspn(r->at, " "); }

/* Takes `text` and the spaces in front of it, or leaves all as it is. */
static bool accept(struct reader *r, const char *text) {
    const char *at = r->at + strspn(r->at, " ");
    size_t len = strlen(text);
    if (strncmp(at, text, len) != 0) return false;
    r->at = at + len;
    return true;
}

/* A minus that joins two words without spaces is part of a name. */
static bool accept_minus(struct reader *r) {
    if (strncmp(r->at, " - ", 3) != 0) return false;
    r->at += 3;
    return true;
}

/* --- arithmetic --------------------------------------------------------------------- */

static struct ratio fail(struct reader *r) {
    r->failed = true;
    return (struct ratio){IR_DIM_UNKNOWN, IR_DIM_UNKNOWN};
}

static struct ratio made(struct reader *r, ir_dim over, ir_dim under) {
    if (!over || !under || r->t->fresh != r->fresh) return fail(r);
    return (struct ratio){over, under};
}

static struct ratio whole(struct reader *r, ir_dim d) {
    return made(r, d, ir_dim_const(r->t, 1));
}

static bool is_whole(const struct reader *r, struct ratio x) {
    int64_t under;
    return ir_dim_is_const(r->t, x.under, &under) && under == 1;
}

static struct ratio times(struct reader *r, struct ratio x, struct ratio y) {
    return made(r, ir_dim_mul(r->t, x.over, y.over), ir_dim_mul(r->t, x.under, y.under));
}

typedef ir_dim operation(struct ir_dims *t, ir_dim a, ir_dim b);

/* x + y or x - y. */
static struct ratio joined(struct reader *r, operation *f, struct ratio x, struct ratio y) {
    if (x.under == y.under) return made(r, f(r->t, x.over, y.over), x.under);
    return made(r,
                f(r->t, ir_dim_mul(r->t, x.over, y.under), ir_dim_mul(r->t, y.over, x.under)),
                ir_dim_mul(r->t, x.under, y.under));
}

/* An operation of integers. */
static struct ratio applied(struct reader *r, operation *f, struct ratio x,
                            struct ratio y) {
    if (r->failed || !is_whole(r, x) || !is_whole(r, y)) return fail(r);
    return whole(r, f(r->t, x.over, y.over));
}

static struct ratio quotient(struct reader *r, struct ratio x, struct ratio y) {
    return made(r, ir_dim_mul(r->t, x.over, y.under), ir_dim_mul(r->t, x.under, y.over));
}

static struct ratio negated(struct reader *r, struct ratio x) {
    return made(r, ir_dim_sub(r->t, ir_dim_const(r->t, 0), x.over), x.under);
}

static struct ratio rounded_down(struct reader *r, struct ratio x) {
    return whole(r, ir_dim_floordiv(r->t, x.over, x.under));
}

/* The form that inference has for it, where the divisor is not negative. */
static struct ratio rounded_up(struct reader *r, struct ratio x) {
    int64_t low, high;
    ir_dim_bounds(r->t, x.under, &low, &high);
    if (low < 0) return negated(r, rounded_down(r, negated(r, x)));
    ir_dim more = ir_dim_sub(r->t, x.under, ir_dim_const(r->t, 1));
    return rounded_down(r, (struct ratio){ir_dim_add(r->t, x.over, more), x.under});
}

/* --- functions ---------------------------------------------------------------------- */

enum function {
    CALL_ANY, /* operands, of integers */
    CALL_TWO,
    CALL_QUOTIENT,
    CALL_CEIL_QUOTIENT,
    CALL_FLOOR,
    CALL_CEILING
};

static const struct {
    const char *name;
    enum function kind;
    operation *f;
} functions[] = {
    {"Max", CALL_ANY, ir_dim_max},       {"max", CALL_ANY, ir_dim_max},
    {"Min", CALL_ANY, ir_dim_min},       {"min", CALL_ANY, ir_dim_min},
    {"FloorDiv", CALL_TWO, ir_dim_floordiv}, {"CleanDiv", CALL_TWO, ir_dim_floordiv},
    {"Mod", CALL_TWO, ir_dim_mod},       {"PythonMod", CALL_TWO, ir_dim_mod},
    {"mod", CALL_TWO, ir_dim_mod},       {"IntTrueDiv", CALL_QUOTIENT, NULL},
    {"CeilDiv", CALL_CEIL_QUOTIENT, NULL}, {"floor", CALL_FLOOR, NULL},
    {"FloorToInt", CALL_FLOOR, NULL},    {"ceiling", CALL_CEILING, NULL},
    {"CeilToInt", CALL_CEILING, NULL},
};

static struct ratio sum(struct reader *r);

static struct ratio of_one(struct reader *r, enum function kind, struct ratio x) {
    switch (kind) {
    case CALL_ANY: return x;
    case CALL_FLOOR: return rounded_down(r, x);
    case CALL_CEILING: return rounded_up(r, x);
    default: return fail(r);
    }
}

static struct ratio of_two(struct reader *r, uint32_t i, struct ratio x, struct ratio y) {
    switch (functions[i].kind) {
    case CALL_ANY:
    case CALL_TWO: return applied(r, functions[i].f, x, y);
    case CALL_QUOTIENT: return quotient(r, x, y);
    case CALL_CEIL_QUOTIENT: return rounded_up(r, quotient(r, x, y));
    default: return fail(r);
    }
}

/* What functions[i] makes of the operands that follow, and their parenthesis. */
static struct ratio call(struct reader *r, uint32_t i) {
    struct ratio x = sum(r);
    uint32_t n = 1;
    for (; accept(r, ","); n++) {
        if (n > 1 && functions[i].kind != CALL_ANY) return fail(r);
        x = of_two(r, i, x, sum(r));
    }
    if (n == 1) x = of_one(r, functions[i].kind, x);
    return accept(r, ")") ? x : fail(r);
}

/* --- grammar ------------------------------------------------------------------------ */

static struct ratio number(struct reader *r) {
    int64_t value = 0;
    for (; rw_is_digit(*r->at); r->at++)
        if (!rw_mul_i64(value, 10, &value) || !rw_add_i64(value, *r->at - '0', &value))
            return fail(r);
    return whole(r, ir_dim_const(r->t, value));
}

/* What is named in an expression alone may be negative: an index, not a size. */
static struct ratio symbol(struct reader *r, size_t len) {
    char text[MAX_LENGTH + 1];
    memcpy(text, r->at, len);
    text[len] = 0;
    r->at += len;
    r->has_name = true;
    return whole(r, dim_symbol(r->t, text, (struct dim_range){DIM_NO_LOW, DIM_NO_HIGH}));
}

static struct ratio named_call(struct reader *r, size_t len) {
    const char *at = r->at;
    r->at += len + 1;
    for (uint32_t i = 0; i < countof(functions); i++)
        if (strlen(functions[i].name) == len && memcmp(functions[i].name, at, len) == 0)
            return call(r, i);
    return fail(r);
}

static struct ratio in_parentheses(struct reader *r) {
    struct ratio x = sum(r);
    return accept(r, ")") ? x : fail(r);
}

static struct ratio primary(struct reader *r) {
    skip_spaces(r);
    size_t len = word_length(r->at);
    if (r->at[len] == '(' && len) return named_call(r, len);
    if (len) return symbol(r, len);
    if (rw_is_digit(*r->at)) return number(r);
    return accept(r, "(") ? in_parentheses(r) : fail(r);
}

static struct ratio power(struct reader *r) {
    struct ratio base = primary(r), x = base;
    if (strncmp(r->at, "**", 2) != 0) return x;
    char digit = r->at[2];
    if (digit < '1' || digit > '0' + MAX_POWER || rw_is_digit(r->at[3])) return fail(r);
    r->at += 3;
    for (; digit > '1'; digit--) x = times(r, x, base);
    return x;
}

static struct ratio product(struct reader *r) {
    struct ratio x = power(r);
    while (!r->failed) {
        if (accept(r, "*")) x = times(r, x, power(r));
        else if (accept(r, "//")) x = rounded_down(r, quotient(r, x, power(r)));
        else if (accept(r, "/")) x = quotient(r, x, power(r));
        else if (accept(r, "%")) x = applied(r, ir_dim_mod, x, power(r));
        else break;
    }
    return x;
}

static struct ratio sum(struct reader *r) {
    if (r->failed || r->nesting == MAX_NESTING) return fail(r);
    r->nesting++;
    struct ratio x = accept(r, "-") ? negated(r, product(r)) : product(r);
    while (!r->failed) {
        if (accept(r, "+")) x = joined(r, ir_dim_add, x, product(r));
        else if (accept_minus(r)) x = joined(r, ir_dim_sub, x, product(r));
        else break;
    }
    r->nesting--;
    return x;
}

/* --- reading ------------------------------------------------------------------------ */

/* IR_DIM_UNKNOWN: the text is none, or one that no dimension can be. */
static ir_dim expression(struct ir_dims *t, const char *text) {
    struct reader r = {.t = t, .at = text, .fresh = t->fresh};
    int64_t value, high;
    if (strlen(text) > MAX_LENGTH) return IR_DIM_UNKNOWN;
    struct ratio x = sum(&r);
    if (r.failed || *r.at || !r.has_name || !is_whole(&r, x)) return IR_DIM_UNKNOWN;
    ir_dim_bounds(t, x.over, &value, &high);
    if (high < 0 || ir_dim_is_const(t, x.over, &value)) return IR_DIM_UNKNOWN;
    if (t->forms.at[x.over].n == 1) ir_dim_never_negative(t, x.over); /* 4*s0: nor is s0 */
    return x.over;
}

ir_dim ir_dim_declared(struct ir_dims *t, const char *text) {
    ir_dim d = strpbrk(text, "+-*/%(") ? expression(t, text) : IR_DIM_UNKNOWN;
    return d ? d : ir_dim_symbol(t, text);
}

/* --- writing ------------------------------------------------------------------------ */

static bool is_written(const struct ir_dims *t, ir_dim d);

/* Depth is limited by DIM_MAX_DEPTH. */
static bool is_written_atom(const struct ir_dims *t, const struct dim_atom *x) {
    if (x->kind == DIM_SYMBOL)
        return x->name && *x->name && x->name[word_length(x->name)] == 0;
    return x->kind != DIM_BROADCAST && is_written(t, x->a) && is_written(t, x->b);
}

static bool is_written(const struct ir_dims *t, ir_dim d) {
    const struct dim_form *f = &t->forms.at[d];
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->term[i].degree; k++)
            if (!is_written_atom(t, &t->atoms.at[f->term[i].atom[k]])) return false;
    return true;
}

char *ir_dim_text(const struct ir_dims *t, ir_dim d, struct arena *a) {
    const char *name = ir_dim_param(t, d);
    int64_t value;
    if (name) return arena_strdup(a, name);
    if (!d || ir_dim_is_const(t, d, &value) || !is_written(t, ir_dim_find(t, d))) return NULL;
    struct buf text = {0};
    ir_dim_print(t, d, &text);
    char *kept = text.len > MAX_LENGTH ? NULL : arena_strdup(a, buf_text(&text));
    buf_free(&text);
    return kept;
}
