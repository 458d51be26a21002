/* lower_emit.c -- emitted bodies: ONNX text over bound values to rule.h.
 *
 * An operand that no value of the graph goes into but by its shape or type (numbers, bound
 * parameters, dim(x, 1), lists) is a constant that an expression computes: EMIT_EXPR.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

static struct emit *new_emit(struct lower *l, enum emit_kind kind, struct span at) {
    struct emit *e = arena_new(l->arena, struct emit);
    *e = (struct emit){.kind = kind, .at = at, .slot = SLOT_NONE, .op_slot = SLOT_NONE,
                       .attrs_slot = SLOT_NONE};
    return e;
}

static const struct emit *emitted(struct lower *l, const struct ast *e);

static void set_args(struct lower *l, struct emit *e, uint32_t n,
                     const struct emit *const *args) {
    e->nargs = n;
    e->args = n ? arena_copy(l->arena, args, n * sizeof *args) : NULL;
}

/* --- names ------------------------------------------------------------------------- */
/* What a name stands for, where that is a slot; NULL for a `let` and what is not known. */
static const struct entry *bound_name(struct lower *l, const char *name) {
    const struct entry *e = name ? dsl_find(l, l->scope, name) : NULL;
    return e && e->kind == ENTRY_SLOT ? e : NULL;
}

static bool is_replaced(const struct lower *l, uint32_t slot) {
    const struct rule_slot *s = &l->slots.at[slot];
    return s->def && s->def->kind != PAT_LITERAL && !(s->flags & SLOT_KEEP);
}

static const struct emit *value(struct lower *l, uint32_t slot, struct span at) {
    struct emit *e = new_emit(l, EMIT_SLOT, at);
    const struct rule_slot *s = &l->slots.at[slot];
    e->slot = slot;
    l->notes.at[slot].reads++;
    if (s->flags & SLOT_NEW) return e;
    if (s->flags & SLOT_ROOT) {
        if (!l->notes.at[slot].redefined)
            dsl_error(l, at, "\"%s\" is what this rule replaces; it cannot be an operand",
                      s->name);
    } else if (is_replaced(l, slot) && l->notes.at[slot].stmt) {
        dsl_error(l, at, "\"%s\" is inside of what this rule replaces", s->name);
        dsl_help(l, at, "write \"keep %s = ...\" in match to go on using it", s->name);
    }
    return e;
}

static const struct emit *computed(struct lower *l, const struct ast *e) {
    struct emit *out = new_emit(l, EMIT_EXPR, e->at);
    out->expr = dsl_expr(l, e);
    return out;
}

/* In place of what had an error. */
static const struct emit *something(struct lower *l, struct span at) {
    return new_emit(l, EMIT_LITERAL, at);
}

static const struct emit *unknown(struct lower *l, const char *name, struct span at) {
    l->failed = true;
    if (l->match_failed) return something(l, at);
    dsl_error(l, at, "\"%s\" is bound neither by the pattern nor above", name);
    dsl_help_name(l, name, at);
    return something(l, at);
}

static const struct emit *name_emit(struct lower *l, const struct ast *e) {
    const struct entry *entry = bound_name(l, e->text);
    if (!entry) return unknown(l, e->text, e->at);
    switch (l->slots.at[entry->slot].kind) {
    case SLOT_VALUE: return value(l, entry->slot, e->at);
    case SLOT_ATTR: case SLOT_DIM: case SLOT_DIMS: return computed(l, e);
    case SLOT_VALUES:
        dsl_error(l, e->at, "\"%s\" is a list of values: write \"..%s\"", e->text, e->text);
        break;
    case SLOT_ATTRS: case SLOT_OP:
        dsl_error(l, e->at, "\"%s\" is %s, not a value", e->text,
                  dsl_slot_what(l->slots.at[entry->slot].kind));
        break;
    }
    return something(l, e->at);
}

static const struct emit *spread(struct lower *l, const struct ast *e) {
    struct emit *out = new_emit(l, EMIT_SPREAD, e->at);
    const struct entry *named = e->text ? dsl_find(l, l->scope, e->text) : NULL;
    struct ast name = {.kind = AST_NAME, .text = e->text, .at = e->at};
    if (e->args.len) out->expr = dsl_expr(l, e->args.at[0]);
    else if (named && named->kind == ENTRY_LET) out->expr = dsl_expr(l, &name);
    if (out->expr) return out;
    const struct entry *entry = bound_name(l, e->text);
    if (!entry) return unknown(l, e->text ? e->text : "..", e->at);
    if (l->slots.at[entry->slot].kind != SLOT_VALUES)
        dsl_error(l, e->at, "\"%s\" is %s, not a list of values", e->text,
                  dsl_slot_what(l->slots.at[entry->slot].kind));
    out->slot = entry->slot;
    l->notes.at[entry->slot].reads++;
    return out;
}

/* --- what is computed without a value of the graph ---------------------------------- */
static bool is_static(struct lower *l, const struct ast *e) {
    switch (e->kind) {
    case AST_INT: case AST_REAL: case AST_BOOL: case AST_LIST: return true;
    case AST_NAME: {
        const struct entry *entry = dsl_find(l, l->scope, e->text);
        if (!entry) return false;
        if (entry->kind == ENTRY_LET) return true;
        enum slot_kind k = l->slots.at[entry->slot].kind;
        return k == SLOT_ATTR || k == SLOT_DIM || k == SLOT_DIMS;
    }
    case AST_CALL:
        return !e->call->is_class && dsl_is_function(e->call->names.at[0].text) &&
               !dsl_find(l, l->scope, e->call->names.at[0].text);
    case AST_PAREN: case AST_UNARY: case AST_BINARY: case AST_IF: case AST_INDEX:
        for (uint32_t i = 0; i < e->args.len; i++)
            if (!is_static(l, e->args.at[i])) return false;
        return true;
    default: return false;
    }
}

/* --- operators --------------------------------------------------------------------- */
static const char *operator_of(enum ast_op op) {
    switch (op) {
    case OP_ADD: return "Add";
    case OP_SUB: return "Sub";
    case OP_MUL: return "Mul";
    case OP_DIV: return "Div";
    case OP_MOD: return "Mod";
    default: return NULL;
    }
}

/* `a + b?`: the operator goes where b is absent. */
static const struct emit *plus(struct lower *l, const struct ast *e,
                               const struct ast *maybe) {
    struct emit *out = new_emit(l, EMIT_PLUS, e->at);
    out->op = (struct pat_op){"", operator_of(e->op)};
    const struct emit *args[2] = {emitted(l, e->args.at[0]), emitted(l, maybe)};
    if (args[1]->kind != EMIT_SLOT)
        dsl_error(l, maybe->at,
                  "\"?\" stands behind the name of a value that may be absent");
    set_args(l, out, 2, args);
    return out;
}

static const struct emit *binary(struct lower *l, const struct ast *e) {
    const struct ast *maybe = dsl_maybe(e->args.at[1]);
    const char *name = operator_of(e->op);
    if (name && maybe) return plus(l, e, maybe);
    if (!name && e->op != OP_COALESCE) {
        dsl_error(l, e->at, "\"%s\" cannot be emitted", dsl_op_text(e->op));
        if (e->op == OP_ALT) dsl_help(l, e->at, "emit when ... { } chooses");
        return something(l, e->at);
    }
    struct emit *out = new_emit(l, name ? EMIT_NODE : EMIT_COALESCE, e->at);
    if (name) out->op = (struct pat_op){"", name};
    const struct emit *args[2] = {emitted(l, e->args.at[0]), emitted(l, e->args.at[1])};
    set_args(l, out, 2, args);
    return out;
}

static const struct emit *unary(struct lower *l, const struct ast *e) {
    if (e->op != OP_NEG) {
        dsl_error(l, e->at, "\"%s\" cannot be emitted", dsl_op_text(e->op));
        return emitted(l, e->args.at[0]);
    }
    struct emit *out = new_emit(l, EMIT_NODE, e->at);
    out->op = (struct pat_op){"", "Neg"};
    const struct emit *arg = emitted(l, e->args.at[0]);
    set_args(l, out, 1, &arg);
    return out;
}

static void attributes(struct lower *l, const struct ast_call *c, struct emit *out) {
    if (c->attrs.len > LOWER_PARAMS) {
        dsl_error(l, out->at, "more than %u parameters in one <...>", LOWER_PARAMS);
        return;
    }
    struct emit_attr *attrs = arena_new_array(l->arena, struct emit_attr, c->attrs.len);
    for (uint32_t i = 0; i < c->attrs.len; i++) {
        const struct ast_attr *a = &c->attrs.at[i];
        if (!a->name) {
            const struct entry *entry = bound_name(l, a->rest);
            if (!entry || l->slots.at[entry->slot].kind != SLOT_ATTRS) {
                dsl_error(l, a->at, "\"..%s\" is not bound by a \"<..%s>\" of the pattern",
                          a->rest, a->rest);
                continue;
            }
            out->attrs_slot = entry->slot;
            l->notes.at[entry->slot].reads++;
            continue;
        }
        struct ast name = {.kind = AST_NAME, .text = a->name, .at = a->at};
        for (uint32_t k = 0; k < out->nattrs; k++)
            if (rw_streq(attrs[k].name, a->name))
                dsl_error(l, a->at, "\"%s\" is given twice", a->name);
        attrs[out->nattrs++] = (struct emit_attr){
            a->name, dsl_expr(l, a->value ? a->value : &name), a->at};
    }
    out->attrs = attrs;
}

static const struct emit *call(struct lower *l, const struct ast *e) {
    const struct ast_call *c = e->call;
    struct emit *out = new_emit(l, EMIT_NODE, e->at);
    const struct ast_word *name = &c->names.at[0];
    if (c->is_class || c->optional || c->pinned || c->chain)
        dsl_error(l, e->at,
                  "an emitted operator is one name, without \"?\", \"!\" or braces");
    const struct entry *bound = bound_name(l, name->text);
    struct unit *home;
    if (bound && l->slots.at[bound->slot].kind == SLOT_OP) {
        out->op_slot = bound->slot;
        l->notes.at[bound->slot].reads++;
    } else if (!strchr(name->text, '.') && dsl_find_pattern(l->unit, name->text, &home)) {
        dsl_error(l, name->at, "\"%s\" is a pattern and cannot be emitted", name->text);
        return something(l, e->at);
    }
    out->op = dsl_op(l, name);
    if (out->op_slot == SLOT_NONE && dsl_find_operator(l->unit, name->text, &out->staged)) {
        if (!l->ast)
            dsl_error(l, e->at, "the body of a staged operator has no staged operators");
        if (!out->staged) l->failed = true; /* said where it is defined */
        else out->op = (struct pat_op){out->staged->domain, out->staged->name};
    }
    attributes(l, c, out);
    const struct emit **args = arena_new_array(l->arena, const struct emit *, c->args.len);
    for (uint32_t i = 0; i < c->args.len; i++) {
        const struct ast *maybe = dsl_maybe(c->args.at[i]);
        args[i] = emitted(l, maybe ? maybe : c->args.at[i]);
    }
    set_args(l, out, c->args.len, args);
    return out;
}

static const struct emit *literal(struct lower *l, const struct ast *e) {
    struct literal lit;
    if (!dsl_number(e, &lit)) return NULL;
    struct emit *out = new_emit(l, EMIT_LITERAL, e->at);
    out->lit = lit;
    return out;
}

static const struct emit *misplaced(struct lower *l, const struct ast *e) {
    dsl_error(l, e->at, "this cannot be emitted");
    if (e->kind == AST_IF) dsl_help(l, e->at, "emit when ... { } otherwise { } chooses");
    if (e->kind == AST_STRING)
        dsl_help(l, e->at, "strings are values of parameters: <mode = \"max\">");
    return something(l, e->at);
}

/* One of a list of values: c[0]. */
static bool is_item(struct lower *l, const struct ast *e) {
    const struct ast *list = dsl_bare(e->args.at[0]);
    const struct entry *x = list->kind == AST_NAME ? bound_name(l, list->text) : NULL;
    return x && l->slots.at[x->slot].kind == SLOT_VALUES;
}

static const struct emit *emitted(struct lower *l, const struct ast *e) {
    const struct emit *number = literal(l, e);
    if (number) return number;
    if (is_static(l, e)) return computed(l, e);
    switch (e->kind) {
    case AST_NAME: return name_emit(l, e);
    case AST_STRING:
        return dsl_find(l, l->scope, e->text) ? name_emit(l, e) : misplaced(l, e);
    case AST_NONE: case AST_EMPTY: return new_emit(l, EMIT_ABSENT, e->at);
    case AST_PAREN: return emitted(l, e->args.at[0]);
    case AST_SPREAD: return spread(l, e);
    case AST_CALL: return call(l, e);
    case AST_UNARY: return unary(l, e);
    case AST_BINARY: return binary(l, e);
    case AST_INDEX: return is_item(l, e) ? computed(l, e) : misplaced(l, e);
    default: return misplaced(l, e);
    }
}

/* --- statements -------------------------------------------------------------------- */
static uint32_t defined_out(struct lower *l, const struct ast_word *out) {
    const struct entry *e = dsl_find(l, l->scope, out->text);
    if (!e) {
        uint32_t slot = dsl_new_slot(l, out->text, SLOT_VALUE, out->at);
        dsl_bind(l, l->scope, out->text, (struct entry){.kind = ENTRY_SLOT, .slot = slot});
        return slot;
    }
    if (e->kind != ENTRY_SLOT) {
        dsl_error(l, out->at, "\"%s\" is no value of the graph", out->text);
        return SLOT_NONE;
    }
    struct rule_slot *s = &l->slots.at[e->slot];
    struct slot_note *note = &l->notes.at[e->slot];
    if (s->flags & (SLOT_ROOT | SLOT_KEEP) && !note->redefined) {
        note->redefined = true;
    } else if (note->redefined || s->flags & SLOT_NEW) {
        dsl_error(l, out->at, "\"%s\" is defined twice", out->text);
    } else if (s->def) {
        dsl_error(l, out->at, "\"%s\" is inside of what this rule replaces", out->text);
        dsl_help(l, out->at, "write \"keep %s = ...\" in match to define it anew",
                 out->text);
    } else {
        dsl_error(l, out->at, "\"%s\" is an input of the pattern and cannot be defined",
                  out->text);
    }
    return e->slot;
}

/* `..m = Split(...)`: the members of a family, one after the other. */
static uint32_t members_out(struct lower *l, const struct ast_stmt *s) {
    const struct ast_word *out = &s->outs.at[0];
    const struct entry *e = bound_name(l, out->text);
    if (e && dsl_family_of(l, e->slot)) return defined_out(l, out);
    dsl_error(l, s->at, "\"%s\" is no family that the pattern finds with \"each\"",
              out->text);
    return SLOT_NONE;
}

static void check_family(struct lower *l, const struct ast_word *out) {
    const struct entry *e = bound_name(l, out->text);
    if (!e || !l->notes.at[e->slot].family) return;
    dsl_error(l, out->at, "\"%s\" is a list of what the members have", out->text);
    if (dsl_family_of(l, e->slot)) dsl_help(l, out->at, "write \"..%s = ...\"", out->text);
}

static bool is_named(const struct ast_word *out) {
    return out->text && !rw_streq(out->text, "_");
}

static void statement(struct lower *l, const struct ast_stmt *s, struct emit_stmt *out) {
    uint32_t *outs = arena_new_array(l->arena, uint32_t, s->outs.len);
    *out = (struct emit_stmt){.at = s->at, .spread_out = SLOT_NONE};
    if (s->each || s->keep)
        dsl_error(l, s->at, "\"%s\" is for match", s->each ? "each" : "keep");
    out->what = emitted(l, s->value);
    if (s->spread) out->spread_out = members_out(l, s);
    if (s->order) out->order = dsl_expr(l, s->order);
    for (uint32_t i = 0; i < s->outs.len && !s->spread; i++) check_family(l, &s->outs.at[i]);
    for (uint32_t i = 0; i < s->outs.len && !s->spread; i++)
        outs[i] = is_named(&s->outs.at[i]) ? defined_out(l, &s->outs.at[i]) : SLOT_NONE;
    if ((s->outs.len > 1 || s->spread) && out->what->kind != EMIT_NODE)
        dsl_error(l, s->at, "several outputs need one operator on the right");
    out->nouts = s->spread ? 0 : s->outs.len;
    out->outs = outs;
}

static void roots_are_defined(struct lower *l, struct span at) {
    for (uint32_t i = 0; i < l->slots.len; i++) {
        if (!(l->slots.at[i].flags & SLOT_ROOT)) continue;
        if (!l->notes.at[i].redefined && *l->slots.at[i].name)
            dsl_error(l, at,
                      "\"%s\" is what the pattern finds, and emit does not define it",
                      l->slots.at[i].name);
    }
}

void dsl_emit(struct lower *l, const struct ast_stmts *stmts, const struct ast *when,
              struct emit_block *out) {
    struct scope *outer = l->scope;
    out->when = when ? dsl_expr(l, when) : NULL;
    l->scope = dsl_scope(l, outer);
    l->in_emit = true;
    for (uint32_t i = 0; i < l->notes.len; i++) l->notes.at[i].redefined = false;
    struct emit_stmt *list = arena_new_array(l->arena, struct emit_stmt, stmts->len);
    for (uint32_t i = 0; i < stmts->len; i++) statement(l, &stmts->at[i], &list[i]);
    out->n = stmts->len;
    out->stmts = list;
    roots_are_defined(l, stmts->span);
    l->in_emit = false;
    l->scope = outer;
}

void dsl_emit_short(struct lower *l, const struct ast *e, struct emit_block *out) {
    struct emit_stmt *stmt = arena_new(l->arena, struct emit_stmt);
    uint32_t *root = arena_new(l->arena, uint32_t);
    *root = l->rule->roots[0];
    l->in_emit = true;
    *stmt = (struct emit_stmt){1, root, SLOT_NONE, NULL, emitted(l, e), e->at};
    l->in_emit = false;
    l->notes.at[*root].redefined = true;
    *out = (struct emit_block){NULL, 1, stmt};
}

void dsl_emit_body(struct lower *l, const struct ast *e, struct emit_block *out) {
    struct emit_stmt *stmt = arena_new(l->arena, struct emit_stmt);
    uint32_t *value = arena_new(l->arena, uint32_t);
    l->in_emit = true;
    *stmt = (struct emit_stmt){1, value, SLOT_NONE, NULL, emitted(l, e), e->at};
    *value = dsl_new_slot(l, "", SLOT_VALUE, e->at);
    l->in_emit = false;
    *out = (struct emit_block){NULL, 1, stmt};
}
