/* pack.c -- the head of a pack, and one pack out of a file and all that it uses.
 *
 * Rules are numbered in the order of the files, used ones first where their `use` stands.
 * Stages likewise. A rule that no phase names runs in the file's first phase; a file
 * without phases has one, of its pack's name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"
#include "ir/pass.h"

#define DEFAULT_LEAST 7 /* where a pack does not say: since then broadcasting is numpy's */

static const char *stem(struct arena *a, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return arena_strndup(a, name, dot ? (size_t)(dot - name) : strlen(name));
}

/* --- head -------------------------------------------------------------------------- */
static void set_opset(struct unit *u, const struct ast_clause *c) {
    int64_t newest = ir_schema_newest_opset("");
    if (!rw_streq(c->name.text, "ai.onnx")) {
        dsl_load_error(u->load, c->name.at,
                       "a pack claims opsets of \"ai.onnx\", not of \"%s\"", c->name.text);
        return;
    }
    if (c->least < 1 || c->least > newest || (c->most && c->most < c->least)) {
        dsl_load_error(u->load, c->at, "no opset is in this range");
        return;
    }
    u->pack->opset_least = c->least;
    u->pack->opset_most = c->most;
}

static const struct expr *param_value(struct unit *u, const struct ast *e) {
    struct lower l = {.arena = u->load->arena, .diags = u->load->diags,
                      .names = &u->load->names, .unit = u};
    struct rule rule = {0};
    l.rule = &rule;
    l.scope = dsl_scope(&l, NULL);
    const struct expr *value = dsl_expr(&l, e);
    if (l.failed) u->load->failed = true;
    return value;
}

static void set_param(struct unit *u, const struct ast_clause *c, struct rule_param *out) {
    static const char *const types[] = {[PARAM_INT] = "int", [PARAM_FLOAT] = "float",
                                        [PARAM_STRING] = "string", [PARAM_BOOL] = "bool"};
    *out = (struct rule_param){.name = c->name.text, .at = c->at};
    uint32_t type = 0;
    while (type < countof(types) && !rw_streq(types[type], c->type.text)) type++;
    if (type == countof(types)) {
        dsl_load_error(u->load, c->type.at, "a parameter cannot be a \"%s\"", c->type.text);
        diag_at(u->load->diags, DIAG_HELP, c->type.at,
                "types are int, float, string and bool");
    }
    out->type = type;
    const struct ast *value = dsl_bare(c->value);
    bool is_auto = value->kind == AST_NAME && rw_streq(value->text, "auto");
    out->value = is_auto ? NULL : param_value(u, value);
}

static void set_clause(struct unit *u, const struct ast_clause *c,
                       struct rule_param *params) {
    switch (c->kind) {
    case CLAUSE_VERSION: u->pack->version = c->name.text; break;
    case CLAUSE_OPSET: set_opset(u, c); break;
    case CLAUSE_INTERFACE: u->pack->changes_interface = true; break;
    case CLAUSE_RAISES: u->pack->raises_opset = true; break;
    case CLAUSE_PARAM:
        for (uint32_t i = 0; i < u->pack->nparams; i++)
            if (rw_streq(params[i].name, c->name.text))
                dsl_load_error(u->load, c->name.at, "a second parameter \"%s\"",
                               c->name.text);
        set_param(u, c, &params[u->pack->nparams++]);
        break;
    }
}

void dsl_pack_head(struct unit *u) {
    struct load *ld = u->load;
    u->pack = arena_new(ld->arena, struct rule_pack);
    *u->pack = (struct rule_pack){.name = stem(ld->arena, u->path),
                                  .doc = "",
                                  .version = "",
                                  .source = u->source,
                                  .opset_least = DEFAULT_LEAST};
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind != TOP_PACK) continue;
        if (u->head) {
            dsl_load_error(ld, t->at, "a second head in one file");
            continue;
        }
        u->head = t->pack;
        u->pack->name = t->pack->name.text;
        if (t->pack->doc) u->pack->doc = t->pack->doc;
        struct rule_param *params = arena_new_array(ld->arena, struct rule_param,
                                                    t->pack->clauses.len);
        u->pack->params = params;
        for (uint32_t k = 0; k < t->pack->clauses.len; k++)
            set_clause(u, &t->pack->clauses.at[k], params);
    }
}

/* --- which rules are wanted -------------------------------------------------------- */
struct found {
    struct unit *unit;
    uint32_t index;
};

static bool find_rule(struct unit *u, sym_t name, struct found *out) {
    uint32_t at = name == MAP_NONE ? MAP_NONE : map_get(&u->rule_index, name);
    if (at != MAP_NONE) {
        *out = (struct found){u, at};
        return true;
    }
    for (uint32_t i = 0; i < u->uses.len; i++)
        if (find_rule(u->uses.at[i].unit, name, out)) return true;
    return false;
}

static void unknown_rule(struct unit *u, const struct ast_word *w) {
    const char *names[256];
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->rules.len && n < countof(names); i++)
        names[n++] = u->rules.at[i].name;
    for (uint32_t k = 0; k < u->uses.len; k++) {
        struct unit *used = u->uses.at[k].unit;
        for (uint32_t i = 0; i < used->rules.len && n < countof(names); i++)
            names[n++] = used->rules.at[i].name;
    }
    dsl_load_error(u->load, w->at, "there is no rule \"%s\"", w->text);
    const char *near = diag_nearest(w->text, names, n);
    if (near) diag_at(u->load->diags, DIAG_HELP, w->at, "did you mean \"%s\"?", near);
}

static struct unit_rule *named_rule(struct unit *u, const struct ast_word *w) {
    struct found f;
    if (find_rule(u, intern_find(&u->load->names, w->text), &f))
        return &f.unit->rules.at[f.index];
    unknown_rule(u, w);
    return NULL;
}

/* A whole pack wants what it uses; `only` wants rules by name. */
static void want_all(struct unit *u) {
    if (u->whole) return;
    u->whole = true;
    for (uint32_t i = 0; i < u->rules.len; i++) u->rules.at[i].wanted = true;
    for (uint32_t i = 0; i < u->uses.len; i++) {
        const struct ast_top *t = u->uses.at[i].top;
        if (!t->only) {
            want_all(u->uses.at[i].unit);
            continue;
        }
        for (uint32_t k = 0; k < t->names.len; k++) {
            struct unit_rule *r = named_rule(u->uses.at[i].unit, &t->names.at[k]);
            if (r) r->wanted = true;
        }
    }
}

/* --- one pack ---------------------------------------------------------------------- */
struct assembly {
    struct load *ld;
    VEC(const struct diag_source *) sources;
    VEC(const struct rule *) rules;
    VEC(struct rule_stage) stages;
    VEC(struct rule_param) params;
    VEC(const struct rule_predicate *) predicates;
};

static void add_params(struct assembly *as, const struct rule_pack *p) {
    for (uint32_t i = 0; i < p->nparams; i++) {
        bool known = false;
        for (uint32_t k = 0; k < as->params.len; k++)
            known |= rw_streq(as->params.at[k].name, p->params[i].name);
        if (!known) vec_push(as->ld->arena, &as->params, p->params[i]);
    }
}

static void number_rules(struct assembly *as, struct unit *u) {
    if (u->numbered) return;
    u->numbered = true;
    vec_push(as->ld->arena, &as->sources, u->source);
    for (uint32_t i = 0; i < u->uses.len; i++) number_rules(as, u->uses.at[i].unit);
    add_params(as, u->pack);
    for (uint32_t i = 0; i < u->predicates.len; i++)
        vec_push(as->ld->arena, &as->predicates, u->predicates.at[i]);
    for (uint32_t i = 0; i < u->rules.len; i++) {
        struct unit_rule *r = &u->rules.at[i];
        if (!r->wanted || !r->rule) continue;
        r->number = as->rules.len;
        vec_push(as->ld->arena, &as->rules, r->rule);
    }
}

static void mark_named(struct unit *u) {
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind != TOP_PHASE) continue;
        for (uint32_t k = 0; k < t->names.len; k++) {
            struct unit_rule *r = named_rule(u, &t->names.at[k]);
            if (r) r->in_phase = true;
        }
    }
}

static void push_stage(struct assembly *as, const char *name, bool is_pass, struct span at,
                       uint32_t n, const uint32_t *rules) {
    struct rule_stage s = {
        .is_pass = is_pass, .name = name, .nrules = n, .rules = rules, .at = at};
    if (is_pass || n) vec_push(as->ld->arena, &as->stages, s);
}

struct numbers {
    uint32_t *at;
    uint32_t len, cap;
};

/* Rules of the file that none of its phases names. */
static void add_unnamed(struct assembly *as, struct unit *u, struct numbers *out) {
    for (uint32_t i = 0; i < u->rules.len; i++)
        if (!u->rules.at[i].in_phase && u->rules.at[i].number != MAP_NONE)
            vec_push(as->ld->arena, out, u->rules.at[i].number);
}

static void phase(struct assembly *as, struct unit *u, const struct ast_top *t,
                  bool first) {
    struct numbers list = {0};
    for (uint32_t k = 0; k < t->names.len; k++) {
        struct found f;
        if (!find_rule(u, intern_find(&u->load->names, t->names.at[k].text), &f)) continue;
        uint32_t number = f.unit->rules.at[f.index].number;
        bool twice = false;
        for (uint32_t i = 0; i < list.len; i++) twice |= list.at[i] == number;
        if (twice)
            diag_at(as->ld->diags, DIAG_WARNING, t->names.at[k].at, "\"%s\" is named twice",
                    t->names.at[k].text);
        else if (number != MAP_NONE) vec_push(as->ld->arena, &list, number);
    }
    if (first) add_unnamed(as, u, &list);
    uint32_t before = as->stages.len;
    push_stage(as, t->name.text, false, t->at, list.len, list.at);
    if (as->stages.len > before) vec_last(&as->stages)->atomic = t->atomic;
}

static void check_pass(struct load *ld, const struct ast_top *t) {
    if (ir_pass_find(t->name.text)) return;
    size_t n;
    const struct ir_pass *all = ir_pass_all(&n);
    const char **names = arena_new_array(ld->arena, const char *, n), *list = "";
    for (size_t i = 0; i < n; i++) {
        names[i] = all[i].name;
        list = arena_printf(ld->arena, "%s%s%s", list, i ? ", " : "", all[i].name);
    }
    dsl_load_error(ld, t->name.at, "there is no pass \"%s\"", t->name.text);
    const char *near = diag_nearest(t->name.text, names, n);
    if (near) diag_at(ld->diags, DIAG_HELP, t->name.at, "did you mean \"%s\"?", near);
    else diag_at(ld->diags, DIAG_HELP, t->name.at, "passes are %s", list);
}

static void stages_of(struct assembly *as, struct unit *u) {
    if (u->staged) return;
    u->staged = true;
    mark_named(u);
    bool has_phase = false, first = true;
    uint32_t use = 0;
    for (uint32_t i = 0; i < u->file->tops.len; i++)
        has_phase |= u->file->tops.at[i].kind == TOP_PHASE;
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind == TOP_USE && use < u->uses.len && u->uses.at[use].top == t)
            stages_of(as, u->uses.at[use++].unit);
        if (t->kind == TOP_PHASE) phase(as, u, t, first), first = false;
        if (t->kind == TOP_PASS)
            check_pass(as->ld, t), push_stage(as, t->name.text, true, t->at, 0, NULL);
    }
    if (has_phase) return;
    struct numbers list = {0};
    add_unnamed(as, u, &list);
    push_stage(as, u->pack->name, false, (struct span){u->source, 0, 0}, list.len, list.at);
}

/* Of what another pack of the same load wanted, nothing is left. */
static void forget_wanted(struct load *ld) {
    for (uint32_t i = 0; i < ld->units.len; i++) {
        struct unit *u = ld->units.at[i];
        u->whole = u->numbered = u->staged = false;
        for (uint32_t k = 0; k < u->rules.len; k++) {
            u->rules.at[k].wanted = u->rules.at[k].in_phase = false;
            u->rules.at[k].number = MAP_NONE;
        }
    }
}

const struct rule_pack *dsl_assemble(struct load *ld, struct unit *top) {
    struct assembly as = {.ld = ld};
    forget_wanted(ld);
    want_all(top);
    number_rules(&as, top);
    stages_of(&as, top);
    struct rule_pack *pack = arena_new(ld->arena, struct rule_pack);
    *pack = *top->pack;
    pack->nsources = as.sources.len;
    pack->sources = as.sources.at;
    pack->params = as.params.at;
    pack->nparams = as.params.len;
    pack->predicates = as.predicates.at;
    pack->npredicates = as.predicates.len;
    pack->rules = as.rules.at;
    pack->nrules = as.rules.len;
    pack->stages = as.stages.at;
    pack->nstages = as.stages.len;
    return pack;
}
