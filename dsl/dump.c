/* dump.c -- rules in their checked form, as text for tests and people.
 *
 *     rule relu_relu (1 of 2 nodes)
 *       $0 root = Relu(Relu($x))
 *       emit
 *         $0 = Relu($x)
 *
 * Slots are $name, or $ and their number when the name is made up or not unique.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"

struct dump {
    const struct rule *r;
    struct buf *b;
};

static void put_slot(const struct dump *d, uint32_t slot) {
    if (slot == SLOT_NONE) {
        buf_putc(d->b, '_');
        return;
    }
    const char *name = d->r->slots[slot].name;
    bool unique = *name != '\0';
    for (uint32_t i = 0; i < d->r->nslots && unique; i++)
        unique = i == slot || !rw_streq(d->r->slots[i].name, name);
    buf_printf(d->b, "$%s", name);
    if (!unique) buf_printf(d->b, "%u", slot);
}

static void put_op(struct buf *b, const struct pat_op *op) {
    buf_printf(b, "%s%s%s", op->domain, *op->domain ? "." : "", op->name);
}

static void put_dims(const struct dump *d, uint32_t n, const struct pat_dim *dims) {
    buf_putc(d->b, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_puts(d->b, ", ");
        if (dims[i].kind == DIM_REST) buf_puts(d->b, "..");
        if (dims[i].kind == DIM_CONST) buf_printf(d->b, "%" PRId64, dims[i].value);
        else if (dims[i].kind != DIM_REST || dims[i].slot != SLOT_NONE)
            put_slot(d, dims[i].slot);
    }
    buf_putc(d->b, ']');
}

static void put_literal(const struct dump *d, const struct literal *lit) {
    if (lit->splat) buf_puts(d->b, "splat ");
    switch (lit->kind) {
    case LIT_INT: buf_printf(d->b, "%" PRId64, lit->i); break;
    case LIT_BOOL: buf_puts(d->b, lit->i ? "true" : "false"); break;
    case LIT_REAL: buf_double(d->b, lit->real); break;
    case LIT_STRING: buf_quote(d->b, lit->s); break;
    case LIT_LIST: put_dims(d, lit->n, lit->items); break;
    }
    if (lit->has_tolerance) buf_puts(d->b, " ± "), buf_double(d->b, lit->tolerance);
}

/* --- expressions ------------------------------------------------------------------- */
static const char *const function_names[FN_N] = {
#define X(name, least, most) #name,
    EXPR_FUNCTIONS(X)
#undef X
};
static const char *const infix_names[] = {
    [EXPR_ADD] = "+",  [EXPR_SUB] = "-",   [EXPR_MUL] = "*",      [EXPR_DIV] = "/",
    [EXPR_MOD] = "%",  [EXPR_CONCAT] = "++", [EXPR_EQ] = "==",    [EXPR_NE] = "!=",
    [EXPR_LT] = "<",   [EXPR_LE] = "<=",   [EXPR_GT] = ">",       [EXPR_GE] = ">=",
    [EXPR_IN] = "in",  [EXPR_AND] = "&&",  [EXPR_OR] = "||",      [EXPR_COALESCE] = "??",
    [EXPR_FOR] = NULL};

static void put_expr(const struct dump *d, const struct expr *e);

static void put_exprs(const struct dump *d, const char *open, const struct expr *e,
                      const char *close) {
    buf_puts(d->b, open);
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (i) buf_puts(d->b, ", ");
        put_expr(d, e->args[i]);
    }
    buf_puts(d->b, close);
}

static void put_operation(const struct dump *d, const struct expr *e) {
    const char *infix = infix_names[e->kind];
    buf_putc(d->b, '(');
    put_expr(d, e->args[0]);
    buf_printf(d->b, " %s ", infix ? infix : "?");
    put_expr(d, e->args[1]);
    buf_putc(d->b, ')');
}

static void put_for(const struct dump *d, const struct expr *e) {
    buf_putc(d->b, '[');
    put_expr(d, e->args[0]);
    buf_puts(d->b, " for ");
    put_slot(d, e->slot);
    buf_puts(d->b, " in ");
    put_expr(d, e->args[1]);
    if (e->nargs > 2) buf_puts(d->b, " if "), put_expr(d, e->args[2]);
    buf_putc(d->b, ']');
}

static void put_expr(const struct dump *d, const struct expr *e) {
    switch (e->kind) {
    case EXPR_INT: buf_printf(d->b, "%" PRId64, e->i); break;
    case EXPR_REAL: buf_double(d->b, e->real); break;
    case EXPR_STRING: buf_quote(d->b, e->s); break;
    case EXPR_BOOL: buf_puts(d->b, e->i ? "true" : "false"); break;
    case EXPR_LIST: put_exprs(d, "[", e, "]"); break;
    case EXPR_SPREAD: put_exprs(d, "..", e, ""); break;
    case EXPR_SLOT: put_slot(d, e->slot); break;
    case EXPR_PARAM: buf_puts(d->b, d->r->pack->params[e->i].name); break;
    case EXPR_OPSET: buf_puts(d->b, "opset"); break;
    case EXPR_TARGET: buf_puts(d->b, "target"); break;
    case EXPR_DTYPE: buf_puts(d->b, ir_dtype_name((enum ir_dtype)e->i)); break;
    case EXPR_ABSENT: buf_puts(d->b, "absent"); break;
    case EXPR_CALL: buf_puts(d->b, function_names[e->fn]), put_exprs(d, "(", e, ")"); break;
    case EXPR_NATIVE:
        buf_puts(d->b, e->predicate->name), put_exprs(d, "(", e, ")");
        break;
    case EXPR_NEG: put_exprs(d, "-(", e, ")"); break;
    case EXPR_NOT: put_exprs(d, "!(", e, ")"); break;
    case EXPR_INDEX:
        put_expr(d, e->args[0]);
        buf_putc(d->b, '['), put_expr(d, e->args[1]), buf_putc(d->b, ']');
        break;
    case EXPR_IF: put_exprs(d, "if(", e, ")"); break;
    case EXPR_LET: put_expr(d, e->args[0]); break;
    case EXPR_IS_ABSENT: put_exprs(d, "(", e, " absent)"); break;
    case EXPR_FOR: put_for(d, e); break;
    default: put_operation(d, e); break;
    }
}

/* --- patterns ---------------------------------------------------------------------- */
static void put_attr_test(const struct dump *d, const struct attr_test *t) {
    buf_printf(d->b, "%s = ", t->name);
    switch (t->kind) {
    case ATTR_ANY: buf_putc(d->b, '_'); break;
    case ATTR_BIND: put_slot(d, t->slot); break;
    case ATTR_LITERAL: put_literal(d, &t->lit); break;
    case ATTR_EXPR: put_expr(d, t->expr); break;
    }
}

static void put_attr_tests(const struct dump *d, const struct pat *p) {
    if (!p->nattrs && p->attrs_slot == SLOT_NONE) return;
    buf_puts(d->b, " <");
    for (uint32_t i = 0; i < p->nattrs; i++) {
        if (i) buf_puts(d->b, ", ");
        put_attr_test(d, &p->attrs[i]);
    }
    if (p->attrs_slot != SLOT_NONE) {
        buf_puts(d->b, p->nattrs ? ", .." : "..");
        put_slot(d, p->attrs_slot);
    }
    buf_puts(d->b, "> ");
}

static void put_pat(const struct dump *d, const struct pat *p);

static void put_pats(const struct dump *d, uint32_t n, const struct pat *const *list,
                     const char *between) {
    buf_putc(d->b, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_puts(d->b, between);
        put_pat(d, list[i]);
    }
    buf_putc(d->b, ')');
}

static void put_node(const struct dump *d, const struct pat *p) {
    if (p->keep) buf_puts(d->b, "keep ");
    if (p->lossless) buf_puts(d->b, "lossless ");
    for (uint32_t i = 0; i < p->nops; i++) {
        if (i) buf_putc(d->b, '/');
        put_op(d->b, &p->ops[i]);
    }
    if (p->commutes) buf_putc(d->b, '*');
    if (p->op_slot != SLOT_NONE) buf_puts(d->b, " as "), put_slot(d, p->op_slot);
    put_attr_tests(d, p);
    put_pats(d, p->nargs, p->args, ", ");
}

static void put_pat(const struct dump *d, const struct pat *p) {
    switch (p->kind) {
    case PAT_ANY: buf_putc(d->b, '_'); break;
    case PAT_SLOT: put_slot(d, p->slot); break;
    case PAT_NODE: put_node(d, p); break;
    case PAT_ALT: put_pats(d, p->nalts, p->alts, " | "); break;
    case PAT_LITERAL: put_literal(d, &p->lit); break;
    case PAT_ABSENT: buf_puts(d->b, "none"); break;
    case PAT_SEE: buf_putc(d->b, '~'), put_slot(d, p->slot); break;
    case PAT_REST: buf_puts(d->b, ".."), put_slot(d, p->slot); break;
    case PAT_CHAIN: buf_puts(d->b, "chain "), put_node(d, p); break;
    }
}

static void put_type(const struct dump *d, const struct pat_type *t) {
    buf_puts(d->b, " : {");
    for (uint32_t i = 1; i < IR_DTYPE_N; i++)
        if (t->dtypes >> i & 1) buf_printf(d->b, " %s", ir_dtype_name((enum ir_dtype)i));
    buf_puts(d->b, " }");
    if (t->shaped) put_dims(d, t->ndims, t->dims);
}

static void put_slot_line(const struct dump *d, uint32_t i) {
    const struct rule_slot *s = &d->r->slots[i];
    static const char *const flags[] = {"const", "scalar", "keep", "root"};
    uint32_t said = s->flags & (SLOT_CONST | SLOT_SCALAR | SLOT_KEEP | SLOT_ROOT);
    if (!s->def && !s->type && !said) return;
    buf_puts(d->b, "  ");
    put_slot(d, i);
    for (uint32_t k = 0; k < countof(flags); k++)
        if (s->flags >> k & 1) buf_printf(d->b, " %s", flags[k]);
    if (s->type) put_type(d, s->type);
    if (s->def) buf_puts(d->b, " = "), put_pat(d, s->def);
    if (s->def_output) buf_printf(d->b, " [%u]", s->def_output);
    buf_putc(d->b, '\n');
}

/* --- emitting ---------------------------------------------------------------------- */
static void put_emit(const struct dump *d, const struct emit *e);

static void put_emits(const struct dump *d, const struct emit *e, const char *between) {
    buf_putc(d->b, '(');
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (i) buf_puts(d->b, between);
        put_emit(d, e->args[i]);
    }
    buf_putc(d->b, ')');
}

static void put_emit_node(const struct dump *d, const struct emit *e) {
    if (e->op_slot != SLOT_NONE) put_slot(d, e->op_slot);
    else put_op(d->b, &e->op);
    if (e->nattrs || e->attrs_slot != SLOT_NONE) {
        buf_puts(d->b, " <");
        for (uint32_t i = 0; i < e->nattrs; i++) {
            buf_printf(d->b, "%s%s = ", i ? ", " : "", e->attrs[i].name);
            put_expr(d, e->attrs[i].value);
        }
        if (e->attrs_slot != SLOT_NONE) {
            buf_puts(d->b, e->nattrs ? ", .." : "..");
            put_slot(d, e->attrs_slot);
        }
        buf_puts(d->b, "> ");
    }
    put_emits(d, e, ", ");
}

static void put_emit(const struct dump *d, const struct emit *e) {
    switch (e->kind) {
    case EMIT_SLOT: put_slot(d, e->slot); break;
    case EMIT_NODE: put_emit_node(d, e); break;
    case EMIT_LITERAL: put_literal(d, &e->lit); break;
    case EMIT_EXPR: buf_putc(d->b, '{'), put_expr(d, e->expr), buf_putc(d->b, '}'); break;
    case EMIT_ABSENT: buf_puts(d->b, "none"); break;
    case EMIT_SPREAD:
        buf_puts(d->b, "..");
        if (e->expr) put_expr(d, e->expr);
        else put_slot(d, e->slot);
        break;
    case EMIT_COALESCE: put_emits(d, e, " ?? "); break;
    case EMIT_PLUS: put_op(d->b, &e->op), put_emits(d, e, ", maybe "); break;
    }
}

static void put_block(const struct dump *d, const struct emit_block *block) {
    buf_puts(d->b, "  emit");
    if (block->when) buf_puts(d->b, " when "), put_expr(d, block->when);
    buf_putc(d->b, '\n');
    for (uint32_t i = 0; i < block->n; i++) {
        const struct emit_stmt *s = &block->stmts[i];
        buf_puts(d->b, "    ");
        for (uint32_t k = 0; k < s->nouts; k++) {
            if (k) buf_puts(d->b, ", ");
            put_slot(d, s->outs[k]);
        }
        if (s->spread_out != SLOT_NONE) buf_puts(d->b, ".."), put_slot(d, s->spread_out);
        if (s->order) buf_puts(d->b, " by "), put_expr(d, s->order);
        buf_puts(d->b, " = ");
        put_emit(d, s->what);
        buf_putc(d->b, '\n');
    }
}

static void put_family(const struct dump *d, const struct rule_family *f) {
    buf_printf(d->b, "  each [%" PRId64 "..%" PRId64 "]", f->least, f->most);
    for (uint32_t i = 0; i < f->ncolumns; i++) {
        buf_puts(d->b, " "), put_slot(d, f->columns[i].list);
        buf_puts(d->b, " of "), put_slot(d, f->columns[i].one);
    }
    if (f->where) buf_puts(d->b, " where "), put_expr(d, f->where);
    buf_putc(d->b, '\n');
}

void dsl_dump_rule(const struct rule *r, struct buf *out) {
    struct dump d = {r, out};
    buf_printf(out, "rule %s: %s, targets %u, opset %" PRId64 ", size %u%s\n", r->name,
               rule_class_words[r->class], r->targets, r->requires_opset, r->size,
               r->grows ? ", grows" : "");
    for (uint32_t i = 0; i < r->nslots; i++) put_slot_line(&d, i);
    for (uint32_t i = 0; i < r->njoins; i++) {
        buf_puts(out, "  join "), put_slot(&d, r->joins[i].slot);
        buf_puts(out, " by "), put_slot(&d, r->joins[i].via);
        buf_printf(out, ", %u levels\n", r->joins[i].levels);
        if (r->joins[i].family) put_family(&d, r->joins[i].family);
    }
    for (uint32_t i = 0; i < r->nwhere; i++) {
        buf_puts(out, "  where ");
        put_expr(&d, r->where[i]);
        buf_putc(out, '\n');
    }
    for (uint32_t i = 0; i < r->nblocks; i++) put_block(&d, &r->blocks[i]);
}
