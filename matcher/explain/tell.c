/* tell.c -- failed tests in words: what is wanted, what was found.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/explain/near.h"

#define MOST_ITEMS 4u
#define MOST_USERS 3u
#define MOST_MENTIONS 6u

struct teller {
    struct pm_walk *w;
    struct ir_graph *g;
    struct arena *a;
    const struct pm_insn *in;
    struct pm_env env;
    struct buf text;
    ir_node node;   /* what it is about */
    ir_value value;
};

/* --- names ---------------------------------------------------------------------------- */
const char *pm_node_name(const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (x->name && *x->name) return x->name;
    for (uint32_t k = 0; k < x->nout; k++)
        if (x->out[k] != IR_NONE) return ir_val(g, x->out[k])->name;
    return "";
}

const char *pm_node_text(const struct ir_graph *g, ir_node n, struct arena *a) {
    return arena_printf(a, "%s \"%s\"", ir_op_name(g, n), pm_node_name(g, n));
}

static const char *node_text(struct teller *t, ir_node n) {
    t->node = n;
    return pm_node_text(t->g, n, t->a);
}

static const char *name_of(struct teller *t, ir_value v) {
    t->value = v;
    return ir_val(t->g, v)->name;
}

/* Where a value comes from: `comes from Sub "n"`. */
static void origin(struct teller *t, ir_value v) {
    const struct ir_value_info *x = ir_val(t->g, v);
    if (ir_const(t->g, v)) buf_puts(&t->text, "is a constant");
    else if (x->flags & IR_IS_OUTER) buf_puts(&t->text, "comes from outside this graph");
    else if (x->producer == IR_NONE) buf_puts(&t->text, "is a graph input");
    else if (x->output == 0)
        buf_printf(&t->text, "comes from %s", node_text(t, x->producer));
    else
        buf_printf(&t->text, "is output %u of %s", x->output, node_text(t, x->producer));
}

static void type_text(struct teller *t, ir_value v) {
    const struct ir_type *x = ir_val(t->g, v)->type;
    if (!x) buf_puts(&t->text, "a type that is not known");
    else ir_type_print(t->g->model->dims, x, &t->text);
}

/* --- values of expressions ------------------------------------------------------------- */
static void val_text(struct teller *t, struct pm_val v, uint32_t depth);

static void list_text(struct teller *t, struct pm_val v, uint32_t depth) {
    buf_putc(&t->text, '[');
    for (uint32_t i = 0; i < v.n && i < MOST_ITEMS; i++) {
        buf_puts(&t->text, i ? ", " : "");
        val_text(t, v.items[i], depth + 1);
    }
    buf_puts(&t->text, v.n > MOST_ITEMS ? ", ...]" : "]");
}

static void value_text(struct teller *t, struct pm_val v, uint32_t depth) {
    struct pm_val known = pm_known(&t->env, v);
    buf_printf(&t->text, "\"%s\"", name_of(t, v.value));
    if (known.kind != VAL_VALUE && known.kind != VAL_UNKNOWN && depth < 2) {
        buf_puts(&t->text, ", which is ");
        val_text(t, known, depth + 1);
    } else {
        buf_puts(&t->text, " of ");
        type_text(t, v.value);
    }
}

static void val_text(struct teller *t, struct pm_val v, uint32_t depth) {
    const char *dtype;
    switch (v.kind) {
    case VAL_UNKNOWN: buf_puts(&t->text, "not known"); break;
    case VAL_ABSENT: buf_puts(&t->text, "absent"); break;
    case VAL_BOOL: buf_puts(&t->text, v.i ? "true" : "false"); break;
    case VAL_INT: buf_printf(&t->text, "%" PRId64, v.i); break;
    case VAL_DIM: ir_dim_print(t->g->model->dims, v.dim, &t->text); break;
    case VAL_REAL:
        if ((double)(float)v.real == v.real) buf_float(&t->text, (float)v.real);
        else buf_double(&t->text, v.real);
        break;
    case VAL_STRING:
        buf_quote(&t->text, arena_strndup(t->a, v.s.at, v.s.len));
        break;
    case VAL_DTYPE:
        dtype = ir_dtype_name((enum ir_dtype)v.i);
        buf_puts(&t->text, dtype ? dtype : "undefined");
        break;
    case VAL_LIST:
        if (depth < 3) list_text(t, v, depth);
        else buf_puts(&t->text, "[...]");
        break;
    case VAL_VALUE: value_text(t, v, depth); break;
    case VAL_SHAPE: buf_puts(&t->text, "not known"); break;
    case VAL_ATTR: buf_puts(&t->text, "of another kind"); break;
    }
}

static void binding_text(struct teller *t, struct pm_binding b) {
    if (b.kind == BOUND_VALUE && b.a != IR_NONE)
        buf_printf(&t->text, "\"%s\"", name_of(t, b.a));
    else if (b.kind == BOUND_NODE)
        buf_puts(&t->text, node_text(t, b.a));
    else
        val_text(t, pm_binding_value(&t->env, b), 0);
}

/* --- instructions ---------------------------------------------------------------------- */
static struct pm_binding reg(const struct teller *t, uint16_t r) {
    return t->w->t->machine.regs.at[r];
}

static ir_value value(const struct teller *t, uint16_t r) {
    return reg(t, r).kind == BOUND_VALUE ? reg(t, r).a : IR_NONE;
}

static const char *wanted_text(struct teller *t, struct span at) {
    if (!at.source) return "";
    return arena_strndup(t->a, at.source->text + at.begin, at.end - at.begin);
}

static void ops_text(struct teller *t, const struct pm_ops *ops) {
    for (uint32_t i = 0; i < ops->n; i++)
        buf_printf(&t->text, "%s%s", !i ? "" : i + 1 == ops->n ? " or " : ", ",
                   t->w->t->p->op.at[ops->at[i]].name);
}

/* The PROD in front of it says which value it is. */
static void tell_op(struct teller *t, uint32_t pc) {
    const struct pm_insn *prod = &t->w->t->p->code.at[pc - 1];
    ir_value v = value(t, prod->b);
    ops_text(t, &t->w->t->p->ops.at[t->in->x]);
    if (v == IR_NONE) {
        buf_puts(&t->text, " is wanted, the operand is absent");
        return;
    }
    if (prod->x) buf_printf(&t->text, " (its output %u)", prod->x);
    buf_printf(&t->text, " is wanted, \"%s\" ", name_of(t, v));
    origin(t, v);
}

static void tell_param(struct teller *t, ir_node n, const char *name, bool is_axis) {
    buf_printf(&t->text, "%s has ", node_text(t, n));
    struct pm_val v = pm_param_value(&t->env, n, name, is_axis);
    if (v.kind == VAL_ABSENT) {
        buf_printf(&t->text, "no %s", name);
    } else {
        buf_printf(&t->text, "%s = ", name);
        val_text(t, v, 1);
    }
}

static void tell_named(struct teller *t) {
    ir_node n = reg(t, t->in->a).a;
    struct pm_odd odd;
    pm_spec_fits(&t->w->t->machine.site, n, &t->w->t->p->spec.at[t->in->x], &odd);
    if (!odd.name) {
        const struct ir_schema *s = ir_nod(t->g, n)->schema;
        odd.name = s ? ir_param_of_operand(s->domain, s->name, odd.operand, s->since) : NULL;
    }
    if (!odd.name) {
        buf_printf(&t->text, "%s has an operand %u, which the pattern does not name",
                   node_text(t, n), odd.operand);
        return;
    }
    tell_param(t, n, odd.name, false);
    buf_puts(&t->text, ", which the pattern does not name");
    struct ir_param d = ir_param_unwritten(t->g, n, odd.name, t->a);
    if (d.source == IR_PARAM_ATTR) buf_puts(&t->text, " and so must be the default");
}

static void tell_outputs(struct teller *t) {
    ir_node n = reg(t, t->in->a).a;
    for (uint32_t k = 0; k < ir_nod(t->g, n)->nout; k++) {
        ir_value v = ir_output(t->g, n, k);
        if ((k < 32 && (t->in->x >> k & 1)) || v == IR_NONE || !ir_val(t->g, v)->nuses)
            continue;
        buf_printf(&t->text, "output %u of %s is used, which the pattern does not name", k,
                   node_text(t, n));
        t->value = v;
        return;
    }
}

static void tell_climb(struct teller *t, struct span at) {
    const struct pm_way *way = &t->w->t->p->way.at[t->in->x];
    ir_value v = value(t, t->in->b);
    const struct pm_ops *ends = &t->w->t->p->ops.at[way->ends];
    ops_text(t, ends);
    buf_printf(&t->text, " is wanted for %s, users of \"%s\" lead to no further one",
               wanted_text(t, at), name_of(t, v));
}

/* How many there are is found once more, whatever must be. */
static void tell_each(struct teller *t) {
    const struct pm_family *f = &t->w->t->p->family.at[t->in->c];
    const struct pm_members *all = t->w->t->machine.site.members;
    ir_value via = value(t, t->in->b);
    uint32_t n = (all->len - t->w->members) / f->ncolumns;
    bool begins = f->is_root && n > 0 &&
                  all->at[t->w->members].a != reg(t, f->root).a;
    if (begins) {
        buf_printf(&t->text, "the first member of this family is \"%s\"",
                   name_of(t, all->at[t->w->members].a));
        return;
    }
    if (f->family->most == f->family->least)
        buf_printf(&t->text, "%" PRId64 " members are wanted", f->family->least);
    else if (f->family->most < 0)
        buf_printf(&t->text, "at least %" PRId64 " member%s wanted", f->family->least,
                   f->family->least == 1 ? " is" : "s are");
    else
        buf_printf(&t->text, "%" PRId64 " to %" PRId64 " members are wanted",
                   f->family->least, f->family->most);
    buf_printf(&t->text, ", of what leads up from \"%s\" %u fit%s", name_of(t, via), n,
               n == 1 ? "s" : "");
}

static void tell_same(struct teller *t, struct span at) {
    buf_printf(&t->text, "%s is ", wanted_text(t, at));
    binding_text(t, reg(t, t->in->a));
    buf_puts(&t->text, " at first, here it is ");
    binding_text(t, reg(t, t->in->b));
}

static void tell_see(struct teller *t) {
    buf_puts(&t->text, "what ");
    binding_text(t, reg(t, t->in->b));
    buf_puts(&t->text, " is the same as does not lead to ");
    binding_text(t, reg(t, t->in->a));
}

static void tell_const(struct teller *t) {
    ir_value v = value(t, t->in->a);
    buf_printf(&t->text, "a constant is wanted, \"%s\" ", name_of(t, v));
    origin(t, v);
}

static void tell_literal(struct teller *t, struct span at) {
    ir_value v = value(t, t->in->a);
    buf_printf(&t->text, "%s is wanted, ", wanted_text(t, at));
    if (v == IR_NONE) {
        buf_puts(&t->text, "the operand is absent");
    } else if (ir_const(t->g, v)) {
        struct pm_val known = pm_known(&t->env, (struct pm_val){.kind = VAL_VALUE, .value = v});
        buf_printf(&t->text, "\"%s\" is ", name_of(t, v));
        if (known.kind == VAL_VALUE) type_text(t, v);
        else val_text(t, known, 1);
    } else {
        buf_printf(&t->text, "\"%s\" ", name_of(t, v));
        origin(t, v);
    }
}

static void tell_type(struct teller *t, struct span at) {
    ir_value v = value(t, t->in->a);
    const struct ir_type *x = ir_val(t->g, v)->type;
    bool shape = t->in->op != PM_DTYPE;
    if (t->in->op == PM_SCALAR) buf_puts(&t->text, "one element is wanted, ");
    else buf_printf(&t->text, "%s is wanted, ", wanted_text(t, at));
    if (shape && !ir_type_ranked(x)) {
        buf_printf(&t->text, "the shape of \"%s\" is not known", name_of(t, v));
    } else if (!shape && ir_type_dtype(x) == IR_UNDEFINED) {
        buf_printf(&t->text, "the element type of \"%s\" is not known", name_of(t, v));
    } else {
        buf_printf(&t->text, "\"%s\" is ", name_of(t, v));
        type_text(t, v);
    }
}

/* What a dimension is one of: the DIM in front of the IS. */
static void tell_owner(struct teller *t, uint32_t pc) {
    const struct pm_insn *dim = &t->w->t->p->code.at[pc - 1];
    ir_value v = dim->op == PM_DIM && dim->a == t->in->a ? value(t, dim->b) : IR_NONE;
    if (v == IR_NONE) {
        buf_puts(&t->text, "found is ");
        return;
    }
    uint32_t rank = ir_val(t->g, v)->type->rank;
    buf_printf(&t->text, "dimension %u of \"%s\" is ", dim->c ? rank - dim->x : dim->x,
               name_of(t, v));
}

static void tell_list(struct teller *t, uint32_t pc, struct span at) {
    if (t->in->op == PM_LENGTH) buf_printf(&t->text, "a list of %u is wanted, ", t->in->x);
    else buf_printf(&t->text, "%s is wanted, ", wanted_text(t, at));
    tell_owner(t, pc);
    binding_text(t, reg(t, t->in->a));
}

static void tell_lossless(struct teller *t) {
    ir_node n = reg(t, t->in->a).a;
    buf_printf(&t->text, "%s does not keep every value, or it is not known: from ",
               node_text(t, n));
    if (ir_input(t->g, n, 0) != IR_NONE) type_text(t, ir_input(t->g, n, 0));
    buf_puts(&t->text, " to ");
    if (ir_output(t->g, n, 0) != IR_NONE) type_text(t, ir_output(t->g, n, 0));
}

static void tell_insn(struct teller *t, uint32_t pc, struct span at) {
    const struct pm_auto *p = t->w->t->p;
    switch ((enum pm_opcode)t->in->op) {
    case PM_OP: tell_op(t, pc); break;
    case PM_NAMED: tell_named(t); break;
    case PM_OUTPUTS: tell_outputs(t); break;
    case PM_CLIMB: tell_climb(t, at); break;
    case PM_EACH: tell_each(t); break;
    case PM_REST: buf_puts(&t->text, "an operand of the list is absent"); break;
    case PM_PRESENT:
        buf_printf(&t->text, "%s is absent", wanted_text(t, at));
        break;
    case PM_ABSENT:
        buf_puts(&t->text, "nothing is wanted, the operand is ");
        binding_text(t, reg(t, t->in->a));
        break;
    case PM_SAME:
    case PM_MEET: tell_same(t, at); break;
    case PM_SEE: tell_see(t); break;
    case PM_TEST: {
        const struct pm_test *x = &p->test.at[t->in->x];
        buf_printf(&t->text, "%s is wanted, ", wanted_text(t, at));
        tell_param(t, reg(t, t->in->a).a, x->param, false);
        break;
    }
    case PM_PARAM: tell_param(t, reg(t, t->in->b).a, p->param.at[t->in->x], false); break;
    case PM_LOSSLESS: tell_lossless(t); break;
    case PM_CONST: tell_const(t); break;
    case PM_LITERAL: tell_literal(t, at); break;
    case PM_LENGTH:
    case PM_IS: tell_list(t, pc, at); break;
    case PM_SCALAR:
    case PM_DTYPE:
    case PM_RANK: tell_type(t, at); break;
    default: buf_puts(&t->text, "it cannot be read"); break;
    }
}

/* The operator's name alone where a whole pattern is meant. */
static struct span narrowed(struct span at, const struct pat *pat) {
    if (!at.source || !pat || pat->kind != PAT_NODE || pat->nops == 0) return at;
    size_t len = strlen(pat->ops[0].name);
    for (uint32_t i = at.begin; i + len <= at.end; i++)
        if (memcmp(at.source->text + i, pat->ops[0].name, len) == 0)
            return (struct span){at.source, i, i + (uint32_t)len};
    return at;
}

/* --- the end of a way ------------------------------------------------------------------ */
/* The pattern that a matched node was found by. */
static struct span pattern_of(const struct teller *t, ir_node n, struct span otherwise) {
    const struct pm_auto *p = t->w->t->p;
    for (uint32_t pc = t->w->prog->start; p->code.at[pc].op != PM_ACCEPT; pc++) {
        const struct pm_insn *in = &p->code.at[pc];
        if (in->op != PM_PROD || reg(t, in->a).kind != BOUND_NODE || reg(t, in->a).a != n)
            continue;
        return narrowed(p->places.at[pc].at, p->places.at[pc].pat);
    }
    return otherwise;
}

static struct span tell_leak(struct teller *t, struct span at) {
    const struct pm_machine *m = &t->w->t->machine;
    const struct pm_match *x = &t->w->match;
    ir_value v = pm_leak(m, x->accept->rule, x->slots);
    uint32_t n = 0;
    buf_printf(&t->text, "\"%s\" is inside the pattern, but has users outside: ",
               ir_val(t->g, v)->name);
    for (ir_use u = ir_val(t->g, v)->uses; u != IR_NONE; u = t->g->uses.at[u].next) {
        const struct ir_use_info *use = &t->g->uses.at[u];
        bool inside = use->user != IR_NONE && use->slot != IR_SLOT_BODY &&
                      pm_is_matched(m, use->user);
        if (inside || n++ >= MOST_USERS) continue;
        buf_puts(&t->text, n > 1 ? ", " : "");
        if (use->user == IR_NONE) buf_puts(&t->text, "a graph output");
        else buf_printf(&t->text, "%s", node_text(t, use->user));
    }
    if (n > MOST_USERS) buf_printf(&t->text, " and %u more", n - MOST_USERS);
    t->value = v;
    return pattern_of(t, ir_val(t->g, v)->producer, at);
}

/* Why a number about a shape is not known. */
static void tell_missing_shape(struct teller *t, const struct expr *e) {
    if (e->kind != EXPR_CALL || e->nargs == 0 || e->args[0]->kind != EXPR_SLOT) return;
    struct pm_val v = pm_slot_value(&t->env, e->args[0]->slot);
    if (v.kind != VAL_VALUE) return;
    const struct ir_type *x = ir_val(t->g, v.value)->type;
    if (!ir_type_ranked(x))
        buf_printf(&t->text, " (the shape of \"%s\" is not known)", name_of(t, v.value));
    else if (e->fn == FN_dtype && ir_type_dtype(x) == IR_UNDEFINED)
        buf_printf(&t->text, " (the type of \"%s\" is not known)", name_of(t, v.value));
}

struct mentions {
    struct teller *t;
    const char *said[MOST_MENTIONS];
    uint32_t n;
};

static void mention(struct mentions *m, const struct expr *e) {
    struct teller *t = m->t;
    const char *what = wanted_text(t, e->at);
    for (uint32_t i = 0; i < m->n; i++)
        if (rw_streq(m->said[i], what)) return;
    if (m->n == MOST_MENTIONS) return;
    m->said[m->n++] = what;
    struct pm_val v = pm_eval(&t->env, e);
    buf_printf(&t->text, "%s %s is ", m->n == 1 ? ":" : ",", what);
    val_text(t, v, 0);
    if (v.kind == VAL_UNKNOWN || v.kind == VAL_SHAPE) tell_missing_shape(t, e);
}

static bool is_about_names(const struct expr *e) {
    if (e->kind != EXPR_CALL && e->kind != EXPR_INDEX) return false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (e->args[i]->kind != EXPR_SLOT && e->args[i]->kind != EXPR_INT &&
            !(e->kind == EXPR_INDEX && is_about_names(e->args[i])))
            return false;
    return true;
}

static void mention_missing(struct mentions *m, const struct rule_predicate *p) {
    if (m->n == MOST_MENTIONS || pm_native_of(m->t->env.params->natives, p)) return;
    buf_printf(&m->t->text, "%s no plug-in gives predicate \"%s\"", m->n ? "," : ":",
               p->name);
    m->said[m->n++] = p->name;
}

/* The names in an expression, and what is asked of them. Those of a comprehension are
 * bound only inside. */
static void mentions(struct mentions *m, const struct expr *e) {
    switch (e->kind) {
    case EXPR_SLOT:
    case EXPR_PARAM:
    case EXPR_OPSET:
    case EXPR_TARGET: mention(m, e); return;
    case EXPR_FOR: mentions(m, e->args[1]); return;
    case EXPR_NATIVE: mention_missing(m, e->predicate); break;
    default: break;
    }
    if (is_about_names(e)) {
        mention(m, e);
        return;
    }
    for (uint32_t i = 0; i < e->nargs; i++) mentions(m, e->args[i]);
}

/* The first part of a conjunction that is not true. */
static const struct expr *culprit(struct teller *t, const struct expr *e) {
    while (e->kind == EXPR_AND)
        e = e->args[pm_holds(&t->env, e->args[0]) == IR_TRUE ? 1 : 0];
    return e;
}

static struct span tell_where(struct teller *t, const struct expr *e) {
    e = culprit(t, e);
    struct mentions m = {.t = t};
    enum ir_truth is = pm_holds(&t->env, e);
    buf_puts(&t->text, is == IR_UNKNOWN ? "it cannot be told whether this holds"
                                        : "this does not hold");
    mentions(&m, e);
    return e->at;
}

static struct span tell_expr(struct teller *t, uint32_t i) {
    const struct pm_match *m = &t->w->match;
    const struct pm_expr_test *x = &m->accept->exprs[i];
    struct mentions all = {.t = t};
    if (m->exprs[i].kind == BOUND_ATTR)
        tell_param(t, m->exprs[i].a, t->w->t->p->param.at[m->exprs[i].b], x->is_axis);
    buf_puts(&t->text, ", wanted is ");
    val_text(t, pm_eval(&t->env, x->expr), 0);
    mentions(&all, x->expr);
    return x->expr->at;
}

struct pm_reason pm_tell(struct pm_walk *w, struct pm_failed f, struct arena *a) {
    const struct pm_auto *p = w->t->p;
    struct pm_origin place = p->places.at[f.pc];
    struct teller t = {.w = w, .g = w->g, .a = a, .in = &p->code.at[f.pc],
                       .node = IR_NONE, .value = IR_NONE};
    struct pm_match empty = w->match;
    if (f.what == ASKED_INSN) empty.accept = &p->accept.at[0];
    if (f.what == ASKED_INSN) empty.slots = NULL;
    t.env = pm_matcher_env(w->t, w->g, &empty);
    struct span at = place.at;
    switch (f.what) {
    case ASKED_INSN:
        tell_insn(&t, f.pc, at);
        at = narrowed(at, place.pat);
        break;
    case ASKED_CLOSED: at = tell_leak(&t, at); break;
    case ASKED_EXPR: at = tell_expr(&t, f.number); break;
    case ASKED_WHERE: at = tell_where(&t, w->match.accept->rule->where[f.number]); break;
    }
    struct pm_reason r = {.at = at, .text = arena_strdup(a, buf_text(&t.text))};
    if (t.node != IR_NONE) r.node = arena_strdup(a, pm_node_name(w->g, t.node));
    if (t.value != IR_NONE) r.value = arena_strdup(a, ir_val(w->g, t.value)->name);
    buf_free(&t.text);
    return r;
}
