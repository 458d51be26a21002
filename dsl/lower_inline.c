/* lower_inline.c -- sub-patterns: `pattern mean <axis> (v) = ...`, put in where it is used.
 *
 * What is given to an operand becomes a slot (a made-up one when it is more than a name),
 * so that a body may use it as often as it likes. All other names of a body are its own,
 * but for those that <...> hands to the user.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

static void give_operand(struct lower *l, struct scope *inner, const struct ast_word *in,
                         const struct ast *given, struct span call) {
    struct entry entry = {.kind = ENTRY_ABSENT};
    const struct pat *p = given ? dsl_pattern(l, given) : NULL;
    bool maybe = p && p->kind == PAT_ALT && dsl_maybe(given);
    if (!in->optional && (!p || p->kind == PAT_ABSENT || maybe))
        dsl_error(l, given ? given->at : call, "\"%s\" must be given", in->text);
    if (p && p->kind != PAT_ABSENT)
        entry = (struct entry){.kind = ENTRY_SLOT,
                               .slot = dsl_slot_for(l, maybe ? p->alts[0] : p)};
    dsl_bind(l, inner, in->text, entry);
}

static void give_operands(struct lower *l, struct scope *inner,
                          const struct ast_pattern *pt, const struct ast *e) {
    const struct ast_list *args = &e->call->args;
    if (args->len > pt->ins.len)
        dsl_error(l, e->at, "\"%s\" has %u operand%s, %u %s given", pt->name.text,
                  pt->ins.len, pt->ins.len == 1 ? "" : "s", args->len,
                  args->len == 1 ? "is" : "are");
    for (uint32_t i = 0; i < pt->ins.len; i++)
        give_operand(l, inner, &pt->ins.at[i], i < args->len ? args->at[i] : NULL, e->at);
}

static bool has_out(const struct ast_pattern *pt, const char *name) {
    for (uint32_t i = 0; i < pt->outs.len; i++)
        if (rw_streq(pt->outs.at[i].text, name)) return true;
    return false;
}

/* <axis> or <axis = a>: the name of the sub-pattern is that of its user. What it is, a
 * parameter's value or a value of the graph, its body will tell. */
static void give_out(struct lower *l, struct scope *inner, const struct ast_pattern *pt,
                     const struct ast_attr *a) {
    if (!a->name || !has_out(pt, a->name)) {
        dsl_error(l, a->at, "the pattern \"%s\" has no \"<%s>\"", pt->name.text,
                  a->name ? a->name : "..");
        return;
    }
    const struct ast *value = dsl_bare(a->value);
    if (value && value->kind != AST_NAME) {
        dsl_bind(l, inner, a->name, (struct entry){.kind = ENTRY_EXPR, .expr = value,
                                                   .from = l->scope});
        return;
    }
    const char *name = value ? value->text : a->name;
    if (rw_streq(name, "_")) return;
    const struct entry *known = dsl_find(l, l->scope, name);
    struct entry entry = known ? *known : (struct entry){.kind = ENTRY_SLOT};
    if (!known) {
        entry.slot = dsl_new_slot(l, name, SLOT_ATTR, a->at);
        l->notes.at[entry.slot].kind_open = true;
        dsl_bind(l, l->scope, name, entry);
    }
    dsl_bind(l, inner, a->name, entry);
}

const struct pat *dsl_inline(struct lower *l, const struct ast_pattern *pt,
                             struct unit *home, const struct ast *e) {
    for (uint32_t i = 0; i < l->inlining; i++)
        if (l->active[i] == pt) {
            dsl_error(l, e->at, "the pattern \"%s\" is defined by itself", pt->name.text);
            return dsl_any(l, e->at);
        }
    if (l->inlining == LOWER_INLINING) {
        dsl_error(l, e->at, "sub-patterns more than %u deep", LOWER_INLINING);
        return dsl_any(l, e->at);
    }
    struct scope *inner = dsl_scope(l, NULL), *outer = l->scope;
    give_operands(l, inner, pt, e);
    for (uint32_t i = 0; i < e->call->attrs.len; i++)
        give_out(l, inner, pt, &e->call->attrs.at[i]);
    struct unit *unit = l->unit;
    l->scope = inner;
    l->unit = home;
    l->active[l->inlining++] = pt;
    const struct pat *p = dsl_pattern(l, pt->body);
    l->inlining--;
    l->scope = outer;
    l->unit = unit;
    return p;
}

/* --- bodies ------------------------------------------------------------------------ */
static bool occurs(const struct ast *e, const char *name);

static bool occurs_in(const struct ast_list *list, const char *name) {
    for (uint32_t i = 0; i < list->len; i++)
        if (occurs(list->at[i], name)) return true;
    return false;
}

static bool occurs_in_call(const struct ast_call *c, const char *name) {
    for (uint32_t i = 0; i < c->attrs.len; i++) {
        const struct ast_attr *a = &c->attrs.at[i];
        const char *bound = a->name ? a->name : a->rest;
        if (a->value ? occurs(a->value, name) : rw_streq(bound, name)) return true;
    }
    return occurs_in(&c->args, name) || (c->as && rw_streq(c->as, name));
}

static bool occurs_in_type(const struct ast_type *t, const char *name) {
    for (uint32_t i = 0; i < t->dims.len; i++)
        if (t->dims.at[i].name && rw_streq(t->dims.at[i].name, name)) return true;
    return false;
}

static bool occurs(const struct ast *e, const char *name) {
    if (e->kind == AST_CALL && occurs_in_call(e->call, name)) return true;
    if (e->kind == AST_TYPED && occurs_in_type(e->type, name)) return true;
    if (e->text && rw_streq(e->text, name)) return true;
    return occurs_in(&e->args, name);
}

static void check_words(struct load *ld, const struct ast_pattern *p,
                        const struct ast_words *words) {
    for (uint32_t i = 0; i < words->len; i++)
        if (!occurs(p->body, words->at[i].text))
            dsl_load_error(ld, words->at[i].at, "\"%s\" does not occur in the pattern",
                           words->at[i].text);
}

void dsl_check_sub_pattern(struct load *ld, const struct ast_pattern *p) {
    check_words(ld, p, &p->ins);
    check_words(ld, p, &p->outs);
}
