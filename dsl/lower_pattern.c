/* lower_pattern.c -- match: what is written to patterns over slots.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

/* A pattern and its size as a tree: shared parts count as often as they are reached. */
struct weighed {
    struct pat pat;
    uint32_t weight;
};

static uint32_t weight(const struct pat *p) { return ((const struct weighed *)p)->weight; }

struct pat *dsl_new_pat(struct lower *l, enum pat_kind kind, struct span at) {
    struct weighed *w = arena_new(l->arena, struct weighed);
    w->pat = (struct pat){.kind = kind, .at = at, .slot = SLOT_NONE, .op_slot = SLOT_NONE,
                          .attrs_slot = SLOT_NONE};
    w->weight = 1;
    if (++l->npatterns > LOWER_PATTERNS && !l->too_big) {
        dsl_error(l, at, "a rule of more than %u pattern nodes, sub-patterns inlined",
                  LOWER_PATTERNS);
        l->too_big = true;
    }
    return &w->pat;
}

/* What holds too much holds anything instead: it is walked later for other errors. */
static const struct pat *const *any_of(struct lower *l, uint32_t n, struct span at) {
    const struct pat **parts = arena_new_array(l->arena, const struct pat *, n);
    for (uint32_t i = 0; i < n; i++) parts[i] = dsl_any(l, at);
    return parts;
}

void dsl_weigh(struct lower *l, struct pat *p) {
    uint64_t sum = 1;
    for (uint32_t i = 0; i < p->nargs; i++) sum += weight(p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++) sum += weight(p->alts[i]);
    if (sum > LOWER_WEIGHT && !l->too_big) {
        dsl_error(l, p->at, "more than %u ways and nodes in one pattern", LOWER_WEIGHT);
        dsl_help(l, p->at, "give parts of it names: d = ...");
        l->too_big = true;
    }
    if (sum > LOWER_WEIGHT) {
        p->args = any_of(l, p->nargs, p->at);
        p->alts = any_of(l, p->nalts, p->at);
        sum = 1 + p->nargs + p->nalts;
    }
    ((struct weighed *)p)->weight = (uint32_t)sum;
}

struct pat *dsl_any(struct lower *l, struct span at) { return dsl_new_pat(l, PAT_ANY, at); }

struct pat *dsl_pat_slot(struct lower *l, uint32_t slot, struct span at) {
    struct pat *p = dsl_new_pat(l, PAT_SLOT, at);
    p->slot = slot;
    l->notes.at[slot].uses++;
    return p;
}

struct pat *dsl_alt(struct lower *l, uint32_t n, const struct pat *const *alts,
                    struct span at) {
    struct pat *p = dsl_new_pat(l, PAT_ALT, at);
    p->nalts = n;
    p->alts = arena_copy(l->arena, alts, n * sizeof *alts);
    dsl_weigh(l, p);
    return p;
}

static void set_args(struct lower *l, struct pat *p, uint32_t n,
                     const struct pat *const *args) {
    p->nargs = n;
    p->args = n ? arena_copy(l->arena, args, n * sizeof *args) : NULL;
    dsl_weigh(l, p);
}

static void set_op(struct lower *l, struct pat *p, uint32_t n, const struct pat_op *ops) {
    p->nops = n;
    p->ops = arena_copy(l->arena, ops, n * sizeof *ops);
    p->commutes = n > 0;
    for (uint32_t i = 0; i < n; i++)
        p->commutes &= ir_op_commutes(ops[i].domain, ops[i].name);
}

struct pat *dsl_infix(struct lower *l, enum ast_op op, const struct pat *a,
                      const struct pat *b, struct span at) {
    const char *name = op == OP_ADD   ? "Add"
                       : op == OP_SUB ? "Sub"
                       : op == OP_MUL ? "Mul"
                                      : "Div";
    struct pat *p = dsl_new_pat(l, PAT_NODE, at);
    set_op(l, p, 1, &(struct pat_op){"", name});
    const struct pat *args[2] = {a, b};
    set_args(l, p, 2, args);
    return p;
}

struct pat_op dsl_op(struct lower *l, const struct ast_word *name) {
    const char *dot = strrchr(name->text, '.');
    if (!dot) return (struct pat_op){"", name->text};
    const char *domain = arena_strndup(l->arena, name->text, (size_t)(dot - name->text));
    return (struct pat_op){rw_streq(domain, "ai.onnx") ? "" : domain, dot + 1};
}

uint32_t dsl_flags(const struct ast *e, const struct ast **inner) {
    uint32_t flags = 0;
    e = dsl_bare((struct ast *)(uintptr_t)e);
    while (e->kind == AST_UNARY && (e->op == OP_CONST || e->op == OP_SCALAR)) {
        flags |= e->op == OP_CONST ? SLOT_CONST : SLOT_SCALAR;
        e = dsl_bare(e->args.at[0]);
    }
    *inner = e;
    return flags;
}

const struct ast *dsl_maybe(const struct ast *e) {
    dsl_flags(e, &e);
    return e->kind == AST_MAYBE ? dsl_bare(e->args.at[0]) : NULL;
}

/* --- names ------------------------------------------------------------------------- */
static struct pat *name_pattern(struct lower *l, const char *name, struct span at) {
    if (rw_streq(name, "_")) return dsl_any(l, at);
    const struct entry *e = dsl_find(l, l->scope, name);
    if (e && e->kind == ENTRY_ABSENT) return dsl_new_pat(l, PAT_ABSENT, at);
    uint32_t slot = dsl_slot(l, name, SLOT_VALUE, at);
    return slot == SLOT_NONE ? dsl_any(l, at) : dsl_pat_slot(l, slot, at);
}

uint32_t dsl_slot_for(struct lower *l, const struct pat *p) {
    if (p->kind == PAT_SLOT) return p->slot;
    uint32_t slot = dsl_new_slot(l, "", SLOT_VALUE, p->at);
    l->slots.at[slot].def = p;
    l->notes.at[slot].from_pattern = true;
    return slot;
}

static const struct pat *flagged(struct lower *l, const struct ast *e) {
    const struct ast *inner;
    uint32_t flags = dsl_flags(e, &inner);
    const struct pat *p = dsl_pattern(l, inner);
    const struct pat *named = p->kind == PAT_ALT && inner->kind == AST_MAYBE ? p->alts[0]
                                                                             : p;
    if (named->kind == PAT_SLOT) {
        l->slots.at[named->slot].flags |= flags;
    } else if (named->kind == PAT_ANY) {
        uint32_t slot = dsl_new_slot(l, "", SLOT_VALUE, e->at);
        l->slots.at[slot].flags |= flags;
        l->notes.at[slot].from_pattern = true;
        return dsl_pat_slot(l, slot, e->at);
    } else if (named->kind != PAT_ABSENT) {
        dsl_error(l, e->at, "\"%s\" stands before a name",
                  flags & SLOT_CONST ? "const" : "scalar");
    }
    return p;
}

static const struct pat *typed(struct lower *l, const struct ast *e) {
    const struct pat *p = dsl_pattern(l, e->args.at[0]);
    const struct pat_type *type = dsl_type(l, e->type);
    bool maybe = p->kind == PAT_ALT && dsl_maybe(e->args.at[0]);
    uint32_t slot = dsl_slot_for(l, maybe ? p->alts[0] : p);
    if (l->slots.at[slot].type) dsl_error(l, e->at, "a second type for the same value");
    l->slots.at[slot].type = type;
    return maybe || p->kind == PAT_SLOT ? p : dsl_pat_slot(l, slot, e->at);
}

static const struct pat *approx(struct lower *l, const struct ast *e) {
    const struct ast *name = dsl_bare(e->args.at[0]);
    struct literal lit = {0}, tolerance = {0};
    if (name->kind != AST_NAME) {
        dsl_error(l, name->at, "\"~=\" of a pattern stands behind a name: c ~= 1.5");
        return dsl_any(l, e->at);
    }
    if (!dsl_number(e->args.at[1], &lit) || lit.kind == LIT_BOOL ||
        (e->args.len > 2 && !dsl_number(e->args.at[2], &tolerance))) {
        dsl_error(l, e->at, "\"~=\" and \"±\" want numbers");
        return dsl_any(l, e->at);
    }
    lit.kind = LIT_REAL;
    lit.has_tolerance = e->args.len > 2;
    lit.tolerance = tolerance.real;
    struct pat *constant = dsl_new_pat(l, PAT_LITERAL, e->at);
    constant->lit = lit;
    struct pat *p = name_pattern(l, name->text, name->at);
    if (p->kind != PAT_SLOT) return constant;
    if (l->slots.at[p->slot].def)
        dsl_error(l, name->at, "\"%s\" is defined elsewhere already", name->text);
    l->slots.at[p->slot].def = constant;
    return p;
}

/* --- what may be missing ----------------------------------------------------------- */
static const struct pat *maybe_operand(struct lower *l, const struct ast *e) {
    const struct ast *name = dsl_bare(e->args.at[0]);
    const struct pat *there = dsl_pattern(l, name);
    if (there->kind == PAT_ABSENT) return there;
    if (there->kind == PAT_SLOT) l->notes.at[there->slot].optional = true;
    const struct pat *alts[2] = {there, dsl_new_pat(l, PAT_ABSENT, e->at)};
    return dsl_alt(l, 2, alts, e->at);
}

static const struct pat *infix(struct lower *l, const struct ast *e) {
    const struct ast *left = e->args.at[0], *right = e->args.at[1];
    if (dsl_maybe(left)) {
        dsl_error(l, left->at, "what may be missing stands on the right of \"%s\"",
                  dsl_op_text(e->op));
        return dsl_any(l, e->at);
    }
    const struct pat *a = dsl_pattern(l, left);
    if (!dsl_maybe(right)) return dsl_infix(l, e->op, a, dsl_pattern(l, right), e->at);
    const struct pat *b = dsl_pattern(l, right); /* there, or absent */
    if (b->kind != PAT_ALT) return a;
    const struct pat *alts[2] = {dsl_infix(l, e->op, a, b->alts[0], e->at), a};
    return dsl_alt(l, 2, alts, e->at);
}

static void flatten(struct lower *l, const struct ast *e, struct ast_list *out) {
    for (; e->kind == AST_BINARY && e->op == OP_ALT; e = e->args.at[0])
        vec_push(l->arena, out, e->args.at[1]);
    vec_push(l->arena, out, (struct ast *)(uintptr_t)e);
}

static const struct pat *alternatives(struct lower *l, const struct ast *e) {
    struct ast_list parts = {0}; /* from the last to the first */
    flatten(l, e, &parts);
    const struct pat **alts = arena_new_array(l->arena, const struct pat *, parts.len);
    for (uint32_t i = 0; i < parts.len; i++)
        alts[i] = dsl_pattern(l, parts.at[parts.len - 1 - i]);
    return dsl_alt(l, parts.len, alts, e->at);
}

/* --- operators --------------------------------------------------------------------- */
static const struct pat *rest_operand(struct lower *l, const struct ast *e) {
    struct pat *p = dsl_new_pat(l, PAT_REST, e->at);
    if (e->text) p->slot = dsl_slot(l, e->text, SLOT_VALUES, e->at);
    if (p->slot != SLOT_NONE) l->notes.at[p->slot].uses++;
    return p;
}

static void operands(struct lower *l, struct pat *node, const struct ast_list *args) {
    const struct pat **out = arena_new_array(l->arena, const struct pat *, args->len + 1);
    for (uint32_t i = 0; i < args->len; i++) {
        const struct ast *e = args->at[i];
        bool rest = e->kind == AST_SPREAD;
        if (rest && i + 1 < args->len)
            dsl_error(l, e->at, "\"..%s\" must be the last operand",
                      e->text ? e->text : "");
        out[i] = rest ? rest_operand(l, e) : dsl_pattern(l, e);
    }
    set_args(l, node, args->len, out);
}

static struct pat *node(struct lower *l, const struct ast *e) {
    const struct ast_call *c = e->call;
    struct pat *p = dsl_new_pat(l, PAT_NODE, e->at);
    struct pat_op *ops = arena_new_array(l->arena, struct pat_op, c->names.len);
    for (uint32_t i = 0; i < c->names.len; i++) ops[i] = dsl_op(l, &c->names.at[i]);
    set_op(l, p, c->names.len, ops);
    if (c->pinned) p->commutes = false;
    if (c->as) p->op_slot = dsl_slot(l, c->as, SLOT_OP, c->as_at);
    operands(l, p, &c->args);
    if (p->nargs < 2) p->commutes = false;
    p->lossless = c->optional && !c->has_attrs && rw_streq(ops[0].name, "Cast");
    dsl_attrs(l, c, p);
    return p;
}

static const struct pat *operation(struct lower *l, const struct ast *e) {
    const struct ast_call *c = e->call;
    const char *name = c->names.at[0].text;
    struct unit *home = NULL;
    const struct ast_pattern *pt =
        c->is_class || strchr(name, '.') ? NULL : dsl_find_pattern(l->unit, name, &home);
    if (pt) return dsl_inline(l, pt, home, e);
    const struct rule_operator *staged;
    if (!c->is_class && dsl_find_operator(l->unit, name, &staged)) {
        struct pat *p = node(l, e);
        p->staged = staged;
        if (staged) dsl_staged_pattern(l, p);
        else l->failed = true; /* said where it is defined */
        return p;
    }
    if (!c->is_class && dsl_is_function(name)) {
        dsl_error(l, e->at, "\"%s\" is a function of conditions, not an operator", name);
        dsl_help(l, e->at, "name the value here and write the condition in where { ... }");
        return dsl_any(l, e->at);
    }
    return node(l, e);
}

static const struct pat *chain(struct lower *l, const struct ast *e) {
    const struct ast_call *c = e->call;
    struct pat *p = dsl_new_pat(l, PAT_CHAIN, e->at);
    struct pat_op *ops = arena_new_array(l->arena, struct pat_op, c->names.len);
    for (uint32_t i = 0; i < c->names.len; i++) ops[i] = dsl_op(l, &c->names.at[i]);
    set_op(l, p, c->names.len, ops);
    p->commutes = false;
    if (c->has_attrs) {
        dsl_error(l, e->at, "the operators of a chain may have any parameters");
        dsl_help(l, e->at, "leave out the <...>, or write them one by one: Cast?(x)");
    }
    bool one = c->args.len == 1 && c->args.at[0]->kind != AST_EMPTY &&
               c->args.at[0]->kind != AST_SPREAD;
    if (!one) dsl_error(l, e->at, "a chain has one operand: chain{Cast, Reshape}*(x)");
    const struct pat *behind = one ? dsl_pattern(l, c->args.at[0]) : dsl_any(l, e->at);
    set_args(l, p, 1, &behind);
    return p;
}

static const struct pat *call(struct lower *l, const struct ast *e) {
    const struct ast_call *c = e->call;
    if (c->chain) return chain(l, e);
    const struct pat *p = operation(l, e);
    if (!c->optional) return p;
    if (p->kind == PAT_NODE && p->nargs == 0) {
        dsl_error(l, e->at, "what may be missing must have an operand that is there then");
        return p;
    }
    const struct pat *first = p->kind == PAT_NODE ? p->args[0] : NULL;
    if (!first && c->args.len) first = dsl_pattern(l, c->args.at[0]);
    const struct pat *alts[2] = {p, first ? first : p};
    return dsl_alt(l, 2, alts, e->at);
}

/* Only of patterns just made: nothing else refers to them yet. */
static bool mark_kept(const struct pat *p) {
    if (p->kind == PAT_NODE) {
        ((struct pat *)(uintptr_t)p)->keep = true;
        return true;
    }
    bool ok = p->kind == PAT_ALT;
    for (uint32_t i = 0; i < p->nalts; i++) ok &= mark_kept(p->alts[i]);
    return ok;
}

static const struct pat *seen_through(struct lower *l, const struct ast *e) {
    const struct pat *inner = dsl_pattern(l, e->args.at[0]);
    if (inner->kind == PAT_ANY || inner->kind == PAT_ABSENT) return inner;
    struct pat *p = dsl_new_pat(l, PAT_SEE, e->at);
    p->slot = dsl_slot_for(l, inner);
    if (inner->kind != PAT_SLOT) l->notes.at[p->slot].uses++;
    return p;
}

static const struct pat *number(struct lower *l, const struct ast *e) {
    struct literal lit;
    if (!dsl_number(e, &lit)) return NULL;
    struct pat *p = dsl_new_pat(l, PAT_LITERAL, e->at);
    p->lit = lit;
    return p;
}

static const struct pat *splat(struct lower *l, const struct ast *e) {
    struct pat *p = dsl_new_pat(l, PAT_LITERAL, e->at);
    if (!dsl_number(e->args.at[0], &p->lit))
        dsl_error(l, e->at, "\"splat\" stands before a number");
    p->lit.splat = true;
    return p;
}

static const struct pat *unary(struct lower *l, const struct ast *e) {
    switch (e->op) {
    case OP_CONST: case OP_SCALAR: return flagged(l, e);
    case OP_SPLAT: return splat(l, e);
    case OP_SEE: return seen_through(l, e);
    case OP_KEEP: {
        const struct pat *p = dsl_pattern(l, e->args.at[0]);
        if (!mark_kept(p)) dsl_error(l, e->at, "\"keep\" stands before an operator");
        return p;
    }
    case OP_NEG: {
        struct pat *p = dsl_new_pat(l, PAT_NODE, e->at);
        const struct pat *arg = dsl_pattern(l, e->args.at[0]);
        set_op(l, p, 1, &(struct pat_op){"", "Neg"});
        set_args(l, p, 1, &arg);
        return p;
    }
    default: break;
    }
    dsl_error(l, e->at, "\"%s\" is for conditions: write it in where { ... }",
              dsl_op_text(e->op));
    return dsl_any(l, e->at);
}

static const struct pat *binary(struct lower *l, const struct ast *e) {
    switch (e->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: return infix(l, e);
    case OP_ALT: return alternatives(l, e);
    default: break;
    }
    dsl_error(l, e->at, "\"%s\" is for conditions: write it in where { ... }",
              dsl_op_text(e->op));
    if (e->op == OP_OR)
        dsl_help(l, e->at, "alternatives of a pattern are written \"a | b\"");
    return dsl_any(l, e->at);
}

static const struct pat *misplaced(struct lower *l, const struct ast *e) {
    static const char *const what[] = {
        [AST_SET] = "a set in braces", [AST_INDEX] = "an index in brackets",
        [AST_IF] = "\"if\"", [AST_FOR] = "\"for\"", [AST_SPREAD] = "\"..\"",
        [AST_IS_ABSENT] = "\"absent\""};
    dsl_error(l, e->at, "%s cannot stand here in a pattern", what[e->kind]);
    if (e->kind == AST_INDEX)
        dsl_help(l, e->at, "rules have no node labels; a statement begins with a name");
    return dsl_any(l, e->at);
}

static const struct pat *pattern(struct lower *l, const struct ast *e) {
    const struct pat *constant = number(l, e);
    if (constant) return constant;
    switch (e->kind) {
    case AST_NAME: case AST_STRING: return name_pattern(l, e->text, e->at);
    case AST_NONE: case AST_EMPTY: return dsl_new_pat(l, PAT_ABSENT, e->at);
    case AST_PAREN: return dsl_pattern(l, e->args.at[0]);
    case AST_CALL: return call(l, e);
    case AST_SUM: return dsl_sum(l, e);
    case AST_UNARY: return unary(l, e);
    case AST_BINARY: return binary(l, e);
    case AST_APPROX: return approx(l, e);
    case AST_TYPED: return typed(l, e);
    case AST_MAYBE: return maybe_operand(l, e);
    case AST_LIST: {
        struct pat *p = dsl_new_pat(l, PAT_LITERAL, e->at);
        return dsl_list_literal(l, e, &p->lit) ? p : dsl_any(l, e->at);
    }
    default: return misplaced(l, e);
    }
}

const struct pat *dsl_pattern(struct lower *l, const struct ast *e) {
    if (l->depth >= LOWER_DEPTH && !l->too_big) {
        dsl_error(l, e->at, "a pattern of more than %u levels", LOWER_DEPTH);
        l->too_big = true;
    }
    if (l->too_big) return dsl_any(l, e->at);
    l->depth++;
    const struct pat *p = pattern(l, e);
    l->depth--;
    return p;
}

/* --- statements -------------------------------------------------------------------- */
static void declare(struct lower *l, const struct ast_stmt *s) {
    enum slot_kind kind = s->each ? SLOT_VALUES : SLOT_VALUE;
    for (uint32_t i = 0; i < s->outs.len; i++) {
        const struct ast_word *out = &s->outs.at[i];
        if (!out->text || rw_streq(out->text, "_")) continue;
        uint32_t slot = dsl_slot(l, out->text, kind, out->at);
        if (slot == SLOT_NONE) continue;
        struct slot_note *note = &l->notes.at[slot];
        if (note->stmt) {
            dsl_error(l, out->at, "\"%s\" is defined twice", out->text);
            diag_at(l->diags, DIAG_NOTE, note->stmt->at, "it is defined here too");
        }
        note->stmt = s;
        if (s->keep) l->slots.at[slot].flags |= SLOT_KEEP;
    }
}

static uint32_t out_slot(struct lower *l, const struct ast_word *out) {
    if (!out->text || rw_streq(out->text, "_")) return SLOT_NONE;
    const struct entry *e = dsl_find(l, l->scope, out->text);
    return e && e->kind == ENTRY_SLOT ? e->slot : SLOT_NONE;
}

static void define(struct lower *l, const struct ast_stmt *s) {
    const struct pat *p = dsl_pattern(l, s->value);
    if (s->keep && !mark_kept(p)) dsl_error(l, s->at, "\"keep\" stands before an operator");
    uint32_t *outs = arena_new_array(l->arena, uint32_t, s->outs.len);
    for (uint32_t i = 0; i < s->outs.len; i++) {
        outs[i] = out_slot(l, &s->outs.at[i]);
        if (outs[i] == SLOT_NONE) continue;
        struct rule_slot *slot = &l->slots.at[outs[i]];
        if (slot->def && slot->def != p && l->notes.at[outs[i]].stmt == s)
            dsl_error(l, s->at, "\"%s\" is defined twice", slot->name);
        slot->def = p;
        slot->def_output = i;
    }
    if (p->kind == PAT_NODE && p->nouts == 0) {
        struct pat *defined = (struct pat *)(uintptr_t)p;
        defined->nouts = s->outs.len;
        defined->outs = outs;
    } else if (s->outs.len > 1) {
        dsl_error(l, s->at, "several outputs need one operator on the right");
    }
}

void dsl_match(struct lower *l, const struct ast_stmts *stmts) {
    for (uint32_t i = 0; i < stmts->len; i++) {
        const struct ast_stmt *s = &stmts->at[i];
        if (s->spread) dsl_error(l, s->at, "\"..%s =\" is for emit", s->outs.at[0].text);
        declare(l, s);
    }
    for (uint32_t i = 0; i < stmts->len; i++)
        if (!stmts->at[i].each) define(l, &stmts->at[i]);
    for (uint32_t i = 0; i < stmts->len; i++)
        if (stmts->at[i].each) dsl_each(l, stmts, &stmts->at[i]);
}
