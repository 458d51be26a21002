/* check_ops.c -- operators of a pattern against the schemas of every opset it claims.
 *
 * Names and types of parameters are checked once, over all versions; numbers of operands
 * and meanings version by version. An operator that is in no claimed opset is an error,
 * one that is in some is not: elsewhere the rule simply does not match.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/check.h"
#include "dsl/load.h"

const struct ir_schema *dsl_schema(const struct pat_op *op, int64_t opset) {
    const struct ir_schema *s = ir_schema_find(op->domain, op->name, opset);
    return s || *op->domain ? s : ir_schema_runtime(op->name, opset);
}

static bool exists(const struct pat_op *op) {
    if (ir_schema_newest(op->domain, op->name)) return true;
    for (int64_t v = 1; !*op->domain && v <= ir_schema_newest_opset(""); v++)
        if (ir_schema_runtime(op->name, v)) return true;
    return false;
}

/* The name alone, where the place is that of a whole call. */
static struct span name_span(struct lower *l, const struct pat_op *op, struct span at) {
    const char *written = *op->domain
                              ? arena_printf(l->arena, "%s.%s", op->domain, op->name)
                              : op->name;
    uint32_t len = (uint32_t)strlen(written);
    bool fits = at.source && at.end - at.begin > len &&
                memcmp(at.source->text + at.begin, written, len) == 0;
    return fits ? (struct span){at.source, at.begin, at.begin + len} : at;
}

static void unknown_op(struct lower *l, const struct pat_op *op, struct span at) {
    static const char *const domains[] = {"", "com.microsoft"};
    at = name_span(l, op, at);
    dsl_error(l, at, "there is no operator \"%s\"", op->name);
    for (size_t i = 0; i < countof(domains); i++)
        if (!rw_streq(domains[i], op->domain) && ir_schema_newest(domains[i], op->name)) {
            dsl_help(l, at, "did you mean \"%s%s%s\"?", domains[i], *domains[i] ? "." : "",
                     op->name);
            return;
        }
    size_t n;
    const char *const *names = ir_schema_names(op->domain, &n);
    const char *near = *op->domain ? NULL : dsl_near_pattern(l->unit, op->name);
    if (!near) near = diag_nearest(op->name, names, n);
    if (near) dsl_help(l, at, "did you mean \"%s\"?", near);
    else if (!*op->domain && *op->name >= 'a' && *op->name <= 'z')
        dsl_help(l, at, "a sub-pattern is declared by: pattern %s (v) = ...", op->name);
}

/* A model may hold operators of any domain, but one that is nearly known is hardly meant. */
static void unknown_domain(struct lower *l, const struct pat_op *op, struct span at,
                           bool emitted) {
    static const char *const domains[] = {"com.microsoft", "microsoft", "ai.onnx.ml",
                                          "ai.onnx"};
    const char *near = diag_nearest(op->domain, domains, countof(domains));
    at = name_span(l, op, at);
    if (emitted)
        dsl_error(l, at, "no operator of the domain \"%s\" is known, so none can be emitted",
                  op->domain);
    else if (near)
        dsl_warning(l, at, "no operator of the domain \"%s\" is known", op->domain);
    if (near && rw_streq(near, "microsoft")) near = "com.microsoft";
    if (near) dsl_help(l, at, "did you mean \"%s.%s\"?", near, op->name);
}

bool dsl_known_op(struct lower *l, const struct pat_op *op, struct span at, bool emitted) {
    if (ir_schema_newest_opset(op->domain) == 0) {
        unknown_domain(l, op, at, emitted);
        return false;
    }
    if (exists(op)) return true;
    unknown_op(l, op, at);
    return false;
}

void dsl_check_expected(struct lower *l, const struct pat_op *op, struct span at) {
    const struct pat_op microsoft = {"com.microsoft", op->name};
    if (*op->domain || exists(&microsoft)) return;
    dsl_known_op(l, op, at, false);
}

void dsl_help_params(struct lower *l, const struct pat_op *op, struct span at) {
    const struct ir_schema *s = ir_schema_newest(op->domain, op->name);
    if (s && s->nattrs)
        dsl_help(l, at, "parameters stand in <...> before the operands: %s <%s = ...> (...)",
                 op->name, s->attrs[0].name);
}

/* Leaves those that the newest version of the operator has, as attribute or input. */
static size_t today(const struct pat_op *op, const char **names, size_t n) {
    const struct ir_schema *s = ir_schema_newest(op->domain, op->name);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool has = !s || ir_param_operand(op->domain, op->name, names[i], s->since) >= 0;
        for (uint32_t k = 0; !has && k < s->nattrs; k++)
            has = rw_streq(s->attrs[k].name, names[i]);
        if (has) names[kept++] = names[i];
    }
    return kept;
}

const struct ir_param_def *dsl_known_param(struct lower *l, const struct pat_op *op,
                                           const char *name, struct span at) {
    const struct ir_param_def *def = ir_param_def(op->domain, op->name, name);
    if (def) return def;
    size_t n;
    const struct ir_param_def *all = ir_param_defs(op->domain, op->name, &n);
    const char **names = arena_new_array(l->arena, const char *, n);
    for (size_t i = 0; i < n; i++) {
        names[i] = all[i].name;
        if (all[i].older && rw_streq(all[i].older, name)) {
            dsl_error(l, at, "\"%s\" of \"%s\" is called \"%s\" now", name, op->name,
                      all[i].name);
            return NULL;
        }
    }
    dsl_error(l, at, "\"%s\" has no parameter \"%s\"", op->name, name);
    const char *near = diag_nearest(name, names, n);
    n = today(op, names, n);
    if (near) dsl_help(l, at, "did you mean \"%s\"?", near);
    else if (n) dsl_help(l, at, "it has %s", dsl_listed(l, names, n));
    else dsl_help(l, at, "it has none");
    return NULL;
}

void dsl_check_epochs(struct lower *l, const struct pat_op *op, struct opsets o,
                      struct span at) {
    size_t n;
    const int32_t *epochs = ir_op_epochs(op->domain, op->name, &n);
    for (size_t i = 1; i < n; i++) {
        if (o.least >= epochs[i] || o.most < epochs[i]) continue;
        dsl_error(l, at,
                  "\"%s\" means something else from opset %d on, and this rule is for %s",
                  op->name, epochs[i], dsl_opsets_text(l, o));
        dsl_id(l, DIAG_R_MEANING);
        dsl_help(l, at,
                 "write \"opset >= %d\" in where, or claim it in the head of the pack",
                 epochs[i]);
        return;
    }
}

/* --- operands ---------------------------------------------------------------------- */
static bool may_be_absent(const struct pat *p) {
    if (p->kind == PAT_ABSENT) return true;
    for (uint32_t i = 0; i < p->nalts; i++)
        if (may_be_absent(p->alts[i])) return true;
    return false;
}

/* Operands that surely are there, at least. */
static uint32_t least_operands(const struct pat *p) {
    uint32_t n = p->nargs;
    while (n > 0 && (p->args[n - 1]->kind == PAT_REST || may_be_absent(p->args[n - 1])))
        n--;
    return n;
}
static bool has_rest(const struct pat *p) {
    return p->nargs && p->args[p->nargs - 1]->kind == PAT_REST;
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

/* The opsets with that version, of those asked for. */
static struct opsets of_version(const struct ir_schema *s, struct opsets o) {
    if (s->since > o.least) o.least = s->since;
    if (s->until - 1 < o.most) o.most = s->until - 1;
    return o;
}

/* " at opset 7 to 10" where the newest version is different. */
static const char *where_so(struct lower *l, const struct ir_schema *s, struct opsets o,
                            bool newest_too) {
    if (newest_too) return "";
    return arena_printf(l->arena, " at %s", dsl_opsets_text(l, of_version(s, o)));
}

static bool too_many(struct lower *l, const struct pat *p, const struct pat_op *op,
                     const struct ir_schema *s, struct opsets o) {
    uint32_t n = least_operands(p);
    const struct ir_schema *newest = dsl_schema(op, o.most);
    bool always = newest && n > newest->max_inputs;
    if (n <= s->max_inputs) return false;
    dsl_error(l, p->at, "\"%s\" takes %u operand%s%s, %u are written", op->name,
              s->max_inputs, plural(s->max_inputs), where_so(l, s, o, always), n);
    dsl_id(l, DIAG_R_OPERANDS);
    const char *param = ir_param_of_operand(op->domain, op->name, s->max_inputs, o.most);
    if (param) dsl_help(l, p->at, "in <%s = ...> it is found in every version", param);
    else if (always) dsl_help_params(l, op, p->at);
    else
        dsl_help(l, p->at,
                 "write an opset in where, or claim fewer in the head of the pack");
    return true;
}

static bool too_few(struct lower *l, const struct pat *p, const struct pat_op *op,
                    const struct ir_schema *s) {
    if (has_rest(p)) return false;
    for (uint32_t i = p->nargs; i < s->min_inputs; i++) {
        if (ir_param_of_operand(op->domain, op->name, i, s->since)) continue;
        dsl_error(l, p->at, "\"%s\" takes %s%u operand%s, %u %s written", op->name,
                  s->max_inputs > s->min_inputs ? "at least " : "", s->min_inputs,
                  plural(s->min_inputs), p->nargs, p->nargs == 1 ? "is" : "are");
        dsl_id(l, DIAG_R_OPERANDS);
        return true;
    }
    return false;
}

static bool wrong_operands(struct lower *l, const struct pat *p, const struct pat_op *op,
                           const struct ir_schema *s, struct opsets o) {
    if (too_many(l, p, op, s, o) || too_few(l, p, op, s)) return true;
    if (p->nouts <= s->max_outputs) return false;
    const struct ir_schema *newest = dsl_schema(op, o.most);
    bool always = newest && p->nouts > newest->max_outputs;
    dsl_error(l, p->at, "\"%s\" has %u output%s%s, %u are named", op->name, s->max_outputs,
              plural(s->max_outputs), where_so(l, s, o, always), p->nouts);
    dsl_id(l, DIAG_R_OPERANDS);
    return true;
}

static void check_versions(struct lower *l, const struct pat *p, const struct pat_op *op,
                           struct opsets o) {
    const struct ir_schema *last = NULL;
    bool any = false;
    for (int64_t v = o.least; v <= o.most; v++) {
        const struct ir_schema *s = dsl_schema(op, v);
        if (!s || s->deprecated) continue;
        any = true;
        if (s != last && wrong_operands(l, p, op, s, o)) return;
        last = s;
    }
    if (any || o.least > o.most) {
        dsl_check_epochs(l, op, o, p->at);
        return;
    }
    dsl_error(l, name_span(l, op, p->at), "\"%s\" is not in %s, so this never matches",
              op->name, dsl_opsets_text(l, o));
    dsl_id(l, DIAG_R_NEVER);
}

/* --- parameters -------------------------------------------------------------------- */
static bool is_mentioned(const struct pat *p, const char *name) {
    for (uint32_t i = 0; i < p->nattrs; i++)
        if (rw_streq(p->attrs[i].name, name)) return true;
    return false;
}

static bool is_operand(const struct pat *p, const struct pat_op *op, const char *name,
                       struct opsets o) {
    int at = ir_param_operand(op->domain, op->name, name, o.most);
    return at >= 0 && ((uint32_t)at < p->nargs || has_rest(p));
}

/* What must be given on the node must be spoken of in the pattern: there is no default
 * that could be meant. */
static void check_required(struct lower *l, const struct pat *p, const struct pat_op *op,
                           struct opsets o) {
    size_t n;
    const struct ir_param_def *defs = ir_param_defs(op->domain, op->name, &n);
    if (p->attrs_slot != SLOT_NONE || p->lossless) return;
    for (size_t i = 0; i < n; i++) {
        const struct ir_param_def *d = &defs[i];
        if (d->has_default != IR_REQUIRED || is_mentioned(p, d->name)) continue;
        if (ir_param_operand(op->domain, op->name, d->name, o.most) == IR_PARAM_IS_NOT)
            continue;
        if (is_operand(p, op, d->name, o)) continue;
        dsl_error(l, p->at, "\"%s\" always has \"%s\", of which the pattern says nothing",
                  op->name, d->name);
        dsl_help(l, p->at, "write <%s = a> to bind it, or <%s = _>", d->name, d->name);
    }
}

static void check_attrs(struct lower *l, const struct pat *p, const struct pat_op *op,
                        struct opsets o) {
    for (uint32_t i = 0; i < p->nattrs; i++) {
        const struct attr_test *t = &p->attrs[i];
        const struct ir_param_def *def = dsl_known_param(l, op, t->name, t->at);
        if (!def) continue;
        if (is_operand(p, op, t->name, o))
            dsl_error(l, t->at, "\"%s\" is given twice: here and as an operand", t->name);
        if (t->kind == ATTR_LITERAL) dsl_check_literal(l, def, &t->lit, t->at);
        if (t->kind == ATTR_EXPR) dsl_check_param(l, def, t->expr, t->at);
    }
    check_required(l, p, op, o);
}

/* --- all nodes --------------------------------------------------------------------- */
/* A sub-pattern inlined twice is at one place: what is wrong there is said once. */
static bool is_checked(struct map *seen, const struct pat *p) {
    uint64_t key = hash_join((uint64_t)(uintptr_t)p->at.source,
                             (uint64_t)p->at.begin << 32 | p->at.end);
    key = hash_join(key, p->nops ? hash_bytes(p->ops->name, strlen(p->ops->name), 0) : 0);
    if (map_get(seen, key) != MAP_NONE) return true;
    map_put(seen, key, 1);
    return false;
}

static void check_node(struct lower *l, const struct pat *p, struct opsets o) {
    for (uint32_t i = 0; i < p->nops; i++) {
        const struct pat_op *op = &p->ops[i];
        struct opsets of_op = dsl_domain_opsets(op->domain, o);
        if (!dsl_known_op(l, op, p->at, false)) continue;
        check_attrs(l, p, op, of_op);
        check_versions(l, p, op, of_op);
    }
}

static void check_pattern(struct lower *l, const struct pat *p, struct opsets o,
                          struct map *seen, struct map *visited) {
    if (map_get(visited, (uint64_t)(uintptr_t)p) != MAP_NONE) return;
    map_put(visited, (uint64_t)(uintptr_t)p, 1);
    if (p->kind == PAT_NODE && !p->staged && !is_checked(seen, p)) check_node(l, p, o);
    if (p->staged && p->nouts > p->staged->nouts)
        dsl_error(l, p->at, "\"%s\" has %u output%s, %u are named", p->staged->name,
                  p->staged->nouts, plural(p->staged->nouts), p->nouts);
    for (uint32_t i = 0; p->kind == PAT_CHAIN && i < p->nops; i++)
        dsl_known_op(l, &p->ops[i], p->at, false);
    for (uint32_t i = 0; i < p->nargs; i++) check_pattern(l, p->args[i], o, seen, visited);
    for (uint32_t i = 0; i < p->nalts; i++) check_pattern(l, p->alts[i], o, seen, visited);
}

void dsl_check_ops(struct lower *l) {
    struct opsets o = dsl_rule_opsets(l);
    struct map seen, visited;
    map_init(&seen, l->arena);
    map_init(&visited, l->arena);
    if (o.least > o.most) {
        dsl_error(l, l->rule->at,
                  "no opset fits what this rule wants, so it never matches");
        dsl_id(l, DIAG_R_NEVER);
    }
    for (uint32_t i = 0; i < l->slots.len; i++)
        if (l->slots.at[i].def) check_pattern(l, l->slots.at[i].def, o, &seen, &visited);
    dsl_check_emit(l, o);
}
