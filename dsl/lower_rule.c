/* lower_rule.c -- a whole rule: its parts in order, its roots, its clauses and examples.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

/* --- roots ------------------------------------------------------------------------- */
/* Whatever alternative is taken, an operator stands at the root. */
static bool is_operator(const struct lower *l, const struct pat *p) {
    if (p->kind == PAT_SLOT && l->slots.at[p->slot].def && !l->notes.at[p->slot].stmt)
        return is_operator(l, l->slots.at[p->slot].def); /* given to a sub-pattern */
    bool all = p->kind == PAT_NODE || p->kind == PAT_ALT;
    for (uint32_t i = 0; i < p->nalts; i++) all &= is_operator(l, p->alts[i]);
    return all;
}

static void roots_are_operators(struct lower *l, struct span at) {
    for (uint32_t i = 0; i < l->rule->nroots && !l->failed; i++) {
        uint32_t root = l->rule->roots[i];
        const struct pat *p = l->slots.at[root].def;
        if (!p || is_operator(l, p)) continue;
        const struct ast_stmt *s = l->notes.at[root].stmt;
        dsl_error(l, s ? s->at : at,
                  "the pattern may be without an operator, so it would match anything");
    }
}

/* --- clauses ----------------------------------------------------------------------- */
bool dsl_one_of(struct lower *l, struct span at, const char *word, const char *what,
                const char *const *names, uint32_t n, uint32_t *out) {
    for (uint32_t i = 0; i < n; i++)
        if (rw_streq(names[i], word)) {
            *out = i;
            return true;
        }
    dsl_error(l, at, "there is no %s \"%s\"", what, word);
    const char *near = diag_nearest(word, names, n);
    if (near) dsl_help(l, at, "did you mean \"%s\"?", near);
    else dsl_help(l, at, "there are %s", dsl_listed(l, names, n));
    return false;
}

static void set_class(struct lower *l, const struct ast_word *w) {
    uint32_t i = CLASS_FLOAT;
    dsl_one_of(l, w->at, w->text, "class", rule_class_words, CLASS_N, &i);
    l->rule->class = (enum rule_class)i;
}

static void set_targets(struct lower *l, const struct ast_words *words) {
    l->rule->targets = 0;
    for (uint32_t k = 0; k < words->len; k++) {
        uint32_t i = 0;
        dsl_one_of(l, words->at[k].at, words->at[k].text, "target", rule_target_words,
                   TARGET_WORDS, &i);
        l->rule->targets |= 1u << i;
    }
}

static void clause(struct lower *l, const struct ast_item *item) {
    switch (item->kind) {
    case ITEM_CLASS: set_class(l, &item->name); break;
    case ITEM_TARGET: set_targets(l, &item->names); break;
    case ITEM_REQUIRES:
        l->rule->requires_opset = item->number;
        if (item->number < 1 || item->number > ir_schema_newest_opset(""))
            dsl_error(l, item->at, "opsets go from 1 to %" PRId64,
                      ir_schema_newest_opset(""));
        break;
    case ITEM_PRIORITY:
        if (item->number < -1000 || item->number > 1000)
            dsl_error(l, item->at, "a priority is between -1000 and 1000");
        else l->rule->priority = (int32_t)item->number;
        break;
    case ITEM_AGAIN: l->rule->again = true; break;
    case ITEM_SHAPES: l->rule->shapes_by_rule = true; break;
    case ITEM_GRAPH:
        dsl_refuse(l, item->at, item->number ? "graph output" : "graph input");
        break;
    default: break;
    }
}

static void examples(struct lower *l, const struct ast_items *items) {
    VEC(struct rule_example) list = {0};
    for (uint32_t i = 0; i < items->len; i++) {
        const struct ast_item *item = &items->at[i];
        const char *define = item->kind == ITEM_EXAMPLE && item->title ? item->title : "";
        if (*define && !strchr(define, '='))
            dsl_error(l, item->at, "\"%s\" is not NAME=VALUE, a parameter of the pack", define);
        for (uint32_t k = 0; k < item->expects.len; k++) {
            struct pat_op op = dsl_op(l, &item->expects.at[k].op);
            dsl_check_expected(l, &op, item->expects.at[k].op.at);
            struct rule_example e = {item->raw, false, op.name, item->expects.at[k].count,
                                     define};
            vec_push(l->arena, &list, e);
        }
        if (item->kind != ITEM_NEAR) continue;
        struct rule_example near = {item->raw, true, item->reason ? item->reason : "", 0,
                                    item->title};
        vec_push(l->arena, &list, near);
    }
    l->rule->nexamples = list.len;
    l->rule->examples = list.at;
}

/* --- the parts --------------------------------------------------------------------- */
static const struct ast_item *first(const struct ast_items *items,
                                    enum ast_item_kind kind) {
    for (uint32_t i = 0; i < items->len; i++)
        if (items->at[i].kind == kind) return &items->at[i];
    return NULL;
}

static const struct ast_item *only(struct lower *l, const struct ast_items *items,
                                   enum ast_item_kind kind) {
    const struct ast_item *found = first(items, kind);
    for (uint32_t i = 0; i < items->len; i++) {
        if (items->at[i].kind != kind || &items->at[i] == found) continue;
        dsl_error(l, items->at[i].at, "a second one of this in the same rule");
        diag_at(l->diags, DIAG_NOTE, found->at, "the first is here");
    }
    return found;
}

static void match_part(struct lower *l, struct span at) {
    const struct ast_rule *r = l->ast;
    const struct ast_item *match = only(l, &r->items, ITEM_MATCH);
    if (r->from && match)
        dsl_error(l, match->at, "a rule of the short form has no match { ... }");
    if (!r->from && !match) dsl_error(l, r->name.at, "a rule without match { ... }");
    if (r->from) {
        uint32_t root = dsl_new_slot(l, "", SLOT_VALUE, r->from->at);
        const struct pat *p = dsl_pattern(l, r->from);
        l->slots.at[root].def = p;
        l->slots.at[root].flags |= SLOT_ROOT;
        l->rule->nroots = 1;
        l->rule->roots = arena_copy(l->arena, &root, sizeof root);
    } else if (match) {
        dsl_match(l, &match->stmts);
        dsl_find_roots(l, &match->stmts, match->at);
    }
    roots_are_operators(l, r->from ? r->from->at : match ? match->at : at);
}

static void emit_part(struct lower *l) {
    const struct ast_items *items = &l->ast->items;
    VEC(struct emit_block) blocks = {0};
    bool closed = false; /* a block without a condition was seen */
    if (l->ast->to) {
        vec_push(l->arena, &blocks, (struct emit_block){0});
        dsl_emit_short(l, l->ast->to, &blocks.at[0]);
    }
    for (uint32_t i = 0; i < items->len; i++) {
        const struct ast_item *item = &items->at[i];
        if (item->kind != ITEM_EMIT && item->kind != ITEM_OTHERWISE) continue;
        if (l->ast->to)
            dsl_error(l, item->at, "a rule of the short form has no emit { ... }");
        else if (closed)
            dsl_error(l, item->at,
                      "what is emitted is settled above, this is never reached");
        else if (item->kind == ITEM_OTHERWISE && !blocks.len)
            dsl_error(l, item->at, "\"otherwise\" follows emit when ... { }");
        closed |= !item->cond;
        vec_push(l->arena, &blocks, (struct emit_block){0});
        dsl_emit(l, &item->stmts, item->cond, vec_last(&blocks));
    }
    const struct ast_item *function = first(items, ITEM_AS_FUNCTION);
    if (function && blocks.len) {
        dsl_error(l, function->at, "\"as function\" stands in the place of what is emitted");
        dsl_help(l, function->at, "leave out what is emitted: the function is called instead");
    } else if (function) {
        vec_push(l->arena, &blocks, (struct emit_block){0});
        dsl_emit_function(l, function, &blocks.at[0]);
    } else if (!blocks.len) {
        dsl_error(l, l->ast->name.at, "a rule without emit { ... }");
    }
    l->rule->nblocks = blocks.len;
    l->rule->blocks = blocks.at;
}

static void finish(struct lower *l) {
    l->rule->nslots = l->slots.len;
    l->rule->slots = l->slots.at;
    l->rule->nwhere = l->where.len;
    l->rule->where = l->where.at;
}

const struct rule *dsl_lower_rule(struct unit *u, const struct ast_rule *r,
                                  struct span at) {
    struct load *ld = u->load;
    struct rule *rule = arena_new(ld->arena, struct rule);
    struct lower l = {.arena = ld->arena, .diags = ld->diags, .names = &ld->names,
                      .unit = u, .ast = r, .rule = rule};
    *rule = (struct rule){.name = r->name.text,
                          .doc = r->doc ? r->doc : "",
                          .at = r->name.at,
                          .text = at,
                          .pack = u->pack,
                          .class = CLASS_FLOAT,
                          .targets = TARGET_ONNX};
    l.scope = dsl_scope(&l, NULL);
    for (enum ast_item_kind k = ITEM_CLASS; k <= ITEM_SHAPES; k++) only(&l, &r->items, k);
    for (uint32_t i = 0; i < r->items.len; i++) clause(&l, &r->items.at[i]);
    match_part(&l, at);
    l.match_failed = l.failed;
    if (l.refused) {
        ld->failed = true;
        return NULL;
    }
    const struct ast_item *where = only(&l, &r->items, ITEM_WHERE);
    if (where) dsl_where(&l, &where->conds);
    emit_part(&l);
    examples(&l, &r->items);
    finish(&l);
    if (!l.failed) dsl_measure(&l);
    dsl_check_ops(&l);
    if (!l.failed) dsl_check_exprs(&l);
    if (!l.failed) dsl_check_names(&l);
    if (l.failed) ld->failed = true;
    return l.failed ? NULL : rule;
}
