/* advice.c -- what a rule lacks that is right: examples, digits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#include <math.h>

/* --- examples ---------------------------------------------------------------------- */
static bool has(const struct rule *r, bool near) {
    for (uint32_t i = 0; i < r->nexamples; i++)
        if (r->examples[i].is_near == near) return true;
    return false;
}

static void examples(struct lint *l, const struct rule *r) {
    if (!has(r, false)) {
        diag_at(l->diags, DIAG_WARNING, r->at, "\"%s\" has no example", r->name);
        diag_id(l->diags, DIAG_R_NO_EXAMPLE);
        diag_at(l->diags, DIAG_HELP, r->at, "write: example { ONNX text } => Operator 1");
    } else if (!has(r, true) && r->nwhere) {
        diag_at(l->diags, DIAG_WARNING, r->at,
                "\"%s\" has conditions, but no near miss that fails one", r->name);
        diag_id(l->diags, DIAG_R_NO_NEAR_MISS);
        diag_at(l->diags, DIAG_HELP, r->at,
                "write: near \"title\" { ONNX text } => \"the condition\"");
    }
}

/* --- constants that are cut short -------------------------------------------------- */
static const struct constant {
    const char *name, *digits;
    double value;
} constants[] = {
    {"sqrt(2)", "1.4142135623730951", 1.4142135623730951},
    {"1 / sqrt(2)", "0.7071067811865476", 0.7071067811865476},
    {"sqrt(2 / pi)", "0.7978845608028654", 0.7978845608028654},
    {"2 * sqrt(2 / pi)", "1.5957691216057308", 1.5957691216057308},
    {"pi", "3.141592653589793", 3.141592653589793},
    {"2 * pi", "6.283185307179586", 6.283185307179586},
    {"e", "2.718281828459045", 2.718281828459045},
    {"ln 2", "0.6931471805599453", 0.6931471805599453},
    {"1 / ln 2", "1.4426950408889634", 1.4426950408889634},
    {"ln 10", "2.302585092994046", 2.302585092994046},
    {"1 / 3", "0.3333333333333333", 0.3333333333333333},
    {"1 / 6", "0.16666666666666666", 0.16666666666666666},
    {"1 / 9", "0.1111111111111111", 0.1111111111111111},
    {"2 / 3", "0.6666666666666666", 0.6666666666666666},
    {"sqrt(3)", "1.7320508075688772", 1.7320508075688772},
};

/* Within what a person rounds away, and beyond what a float constant allows. */
static const struct constant *nearly(double x) {
    for (size_t i = 0; i < countof(constants); i++) {
        double off = fabs(fabs(x) - constants[i].value) / constants[i].value;
        if (off > 0x1p-20 && off < 0x1p-10) return &constants[i];
    }
    return NULL;
}

static void digits(struct lint *l, const struct literal *lit, struct span at) {
    if (lit->kind != LIT_REAL || lit->has_tolerance) return;
    const struct constant *c = nearly(lit->real);
    if (!c) return;
    diag_at(l->diags, DIAG_WARNING, at,
            "a float constant must be equal to 6 digits, and this is not %s to so many",
            c->name);
    diag_id(l->diags, DIAG_R_DIGITS);
    const char *sign = lit->real < 0 ? "-" : "";
    diag_at(l->diags, DIAG_HELP, at,
            "write all of them, %s%s, or how near is near: ~= %s%s ± 1e-3", sign, c->digits,
            sign, c->digits);
}

/* --- parameters that are emitted and not matched ----------------------------------- */
static bool names(const struct pat *p, const char *param) {
    for (uint32_t i = 0; i < p->nattrs; i++)
        if (rw_streq(p->attrs[i].name, param)) return true;
    return false;
}

/* A pattern of the operator that says nothing of the parameter: it has its default. */
static const struct pat *silent(const struct pat *p, const struct emit *e,
                                const char *param) {
    const struct pat *found = NULL;
    if (p->kind == PAT_NODE && p->nops == 1 && p->attrs_slot == SLOT_NONE &&
        rw_streq(p->ops->name, e->op.name) && rw_streq(p->ops->domain, e->op.domain) &&
        !names(p, param))
        return p;
    for (uint32_t i = 0; i < p->nargs && !found; i++) found = silent(p->args[i], e, param);
    for (uint32_t i = 0; i < p->nalts && !found; i++) found = silent(p->alts[i], e, param);
    return found;
}

static void default_of(struct lint *l, const struct rule *r, const struct emit *e,
                       const struct emit_attr *a) {
    const struct pat *p = NULL;
    for (uint32_t i = 0; i < r->nslots && !p; i++)
        if (r->slots[i].def) p = silent(r->slots[i].def, e, a->name);
    const struct ir_schema *s = p ? ir_schema_newest(e->op.domain, e->op.name) : NULL;
    const struct ir_schema_attr *attr = s ? ir_schema_attr(s, a->name) : NULL;
    if (!attr || attr->has_default != IR_HAS_DEFAULT) return;
    diag_at(l->diags, DIAG_WARNING, p->at,
            "\"%s\" is matched with the default of \"%s\" alone, and emitted with another",
            e->op.name, a->name);
    diag_id(l->diags, DIAG_R_DEFAULT);
    diag_at(l->diags, DIAG_HELP, p->at, "write <%s = a> to match any, <%s = ...> for one",
            a->name, a->name);
}

static void emitted(struct lint *l, const struct rule *r, const struct emit *e) {
    bool named = e->kind == EMIT_NODE && e->op_slot == SLOT_NONE;
    for (uint32_t i = 0; named && i < e->nattrs; i++)
        default_of(l, r, e, &e->attrs[i]);
    for (uint32_t i = 0; i < e->nargs; i++) emitted(l, r, e->args[i]);
}

/* --- patterns ---------------------------------------------------------------------- */
/* A pattern that several names lead to, and a sub-pattern that is used twice, are one
 * place. */
static bool is_new(struct map *seen, const struct pat *p) {
    uint64_t key = hash_join((uint64_t)p->kind << 32 | p->at.begin, p->at.end);
    if (map_get(seen, key) != MAP_NONE) return false;
    map_put(seen, key, 1);
    return true;
}

static void pattern(struct lint *l, struct map *seen, struct map *visited,
                    const struct pat *p) {
    if (map_get(visited, (uintptr_t)p) != MAP_NONE) return;
    map_put(visited, (uintptr_t)p, 1);
    bool own = p->at.source == l->pack->source;
    if (own && p->kind == PAT_LITERAL && is_new(seen, p)) digits(l, &p->lit, p->at);
    for (uint32_t i = 0; i < p->nattrs && own; i++)
        if (p->attrs[i].kind == ATTR_LITERAL && is_new(seen, p))
            digits(l, &p->attrs[i].lit, p->attrs[i].whole);
    for (uint32_t i = 0; i < p->nargs; i++) pattern(l, seen, visited, p->args[i]);
    for (uint32_t i = 0; i < p->nalts; i++) pattern(l, seen, visited, p->alts[i]);
}

void lint_advice(struct lint *l, const struct rule *r) {
    struct arena a = ARENA_EMPTY;
    struct map seen, visited;
    map_init(&seen, &a);
    map_init(&visited, &a);
    examples(l, r);
    for (uint32_t b = 0; b < r->nblocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n; i++)
            emitted(l, r, r->blocks[b].stmts[i].what);
    for (uint32_t i = 0; i < r->nslots; i++)
        if (r->slots[i].def) pattern(l, &seen, &visited, r->slots[i].def);
    arena_free(&a);
}
