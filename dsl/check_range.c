/* check_range.c -- the opsets at which a rule can match.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/check.h"

static void at_least(struct opsets *o, int64_t n) {
    if (n > o->least) o->least = n;
}
static void at_most(struct opsets *o, int64_t n) {
    if (n < o->most) o->most = n;
}

/* opset OP n */
static void compared(struct opsets *o, enum expr_kind op, int64_t n) {
    switch (op) {
    case EXPR_GE: at_least(o, n); break;
    case EXPR_GT: at_least(o, n < INT64_MAX ? n + 1 : n); break;
    case EXPR_LE: at_most(o, n); break;
    case EXPR_LT: at_most(o, n > INT64_MIN ? n - 1 : n); break;
    case EXPR_EQ: at_least(o, n), at_most(o, n); break;
    default: break;
    }
}

enum expr_kind rule_mirrored(enum expr_kind op) {
    switch (op) {
    case EXPR_GE: return EXPR_LE;
    case EXPR_GT: return EXPR_LT;
    case EXPR_LE: return EXPR_GE;
    case EXPR_LT: return EXPR_GT;
    default: return op;
    }
}

struct opsets dsl_narrow(struct opsets o, const struct expr *e) {
    if (e->nargs != 2) return o;
    const struct expr *a = e->args[0], *b = e->args[1];
    if (e->kind == EXPR_AND) return dsl_narrow(dsl_narrow(o, a), b);
    if (a->kind == EXPR_OPSET && b->kind == EXPR_INT) compared(&o, e->kind, b->i);
    if (b->kind == EXPR_OPSET && a->kind == EXPR_INT) compared(&o, rule_mirrored(e->kind), a->i);
    return o;
}

/* --- from when on the pattern can be there ---------------------------------------- */
static int64_t lower(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t higher(int64_t a, int64_t b) { return a > b ? a : b; }

/* (Models that hold ONNX Runtime's own, older operator of a standard name are for that
 * runtime anyhow.) An operator that is nowhere in the range tells nothing. */
static int64_t first_of_op(const struct pat_op *op, const struct opsets *o) {
    for (int64_t v = o->least; v <= o->most && !*op->domain; v++)
        if (ir_schema_find("", op->name, v)) return v;
    return o->least;
}

/* The first opset of the range that has all operators of every match of the pattern: of
 * alternatives and classes, the earliest. `of_slot`: what is known of slots, else 0. */
static int64_t first_of(struct lower *l, const struct pat *p, int64_t *of_slot,
                        const struct opsets *o) {
    int64_t first = o->least, earliest = INT64_MAX;
    if ((p->kind == PAT_SLOT || p->kind == PAT_SEE) && l->slots.at[p->slot].def) {
        int64_t *known = &of_slot[p->slot];
        if (*known) return *known;
        *known = o->least; /* of a value defined by itself, which is an error found later */
        return *known = first_of(l, l->slots.at[p->slot].def, of_slot, o);
    }
    for (uint32_t i = 0; i < p->nalts; i++)
        earliest = lower(earliest, first_of(l, p->alts[i], of_slot, o));
    for (uint32_t i = 0; i < p->nops && p->kind == PAT_NODE; i++)
        earliest = lower(earliest, first_of_op(&p->ops[i], o));
    if (earliest != INT64_MAX) first = earliest;
    for (uint32_t i = 0; i < p->nargs; i++)
        first = higher(first, first_of(l, p->args[i], of_slot, o));
    return first;
}

struct opsets dsl_rule_opsets(struct lower *l) {
    const struct rule_pack *pack = l->rule->pack;
    struct opsets o = {pack->opset_least, ir_schema_newest_opset("")};
    if (pack->opset_most) at_most(&o, pack->opset_most);
    for (uint32_t i = 0; i < l->where.len; i++) o = dsl_narrow(o, l->where.at[i]);
    if (!l->rule->nroots) return o;
    int64_t *of_slot = arena_zalloc(l->arena, l->slots.len * sizeof *of_slot);
    for (uint32_t i = 0; i < l->rule->nroots; i++) {
        const struct pat *def = l->slots.at[l->rule->roots[i]].def;
        if (def) at_least(&o, first_of(l, def, of_slot, &o));
    }
    return o;
}

struct opsets dsl_domain_opsets(const char *domain, struct opsets o) {
    if (!*domain) return o;
    int64_t newest = ir_schema_newest_opset(domain);
    return (struct opsets){newest, newest};
}

const char *dsl_opsets_text(struct lower *l, struct opsets o) {
    if (o.least == o.most) return arena_printf(l->arena, "opset %" PRId64, o.least);
    return arena_printf(l->arena, "opset %" PRId64 " to %" PRId64, o.least, o.most);
}
