/* names.c -- scopes of names, and what a name stands for.
 *
 * A rule has one scope; each sub-pattern that is inlined has one of its own, whose
 * parameters stand for what was given; each emit block and comprehension has one inside.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

#include "dsl/load.h"

void dsl_error(struct lower *l, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(l->diags, DIAG_ERROR, at, format, args);
    va_end(args);
    l->failed = true;
}

void dsl_id(struct lower *l, enum diag_code id) { diag_id(l->diags, (uint16_t)id); }

void dsl_refuse(struct lower *l, struct span at, const char *what) {
    dsl_error(l, at, "\"%s\" is not supported yet", what);
    l->refused = true;
}

void dsl_help(struct lower *l, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(l->diags, DIAG_HELP, at, format, args);
    va_end(args);
}

void dsl_warning(struct lower *l, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(l->diags, DIAG_WARNING, at, format, args);
    va_end(args);
}

struct scope *dsl_scope(struct lower *l, struct scope *outer) {
    struct scope *s = arena_new(l->arena, struct scope);
    s->outer = outer;
    map_init(&s->index, l->arena);
    return s;
}

void dsl_bind(struct lower *l, struct scope *s, const char *name, struct entry e) {
    e.name = intern(l->names, name);
    map_put(&s->index, e.name, s->entries.len);
    vec_push(l->arena, &s->entries, e);
}

const struct entry *dsl_find(struct lower *l, struct scope *s, const char *name) {
    sym_t sym = intern_find(l->names, name);
    if (sym == MAP_NONE) return NULL;
    for (; s; s = s->outer) {
        uint32_t at = map_get(&s->index, sym);
        if (at != MAP_NONE) return &s->entries.at[at];
    }
    return NULL;
}

uint32_t dsl_new_slot(struct lower *l, const char *name, enum slot_kind kind,
                      struct span at) {
    if (l->slots.len >= LOWER_SLOTS) {
        if (!l->too_big) dsl_error(l, at, "a rule of more than %u names", LOWER_SLOTS);
        l->too_big = true;
        return 0;
    }
    struct rule_slot slot = {.name = name, .kind = kind, .at = at};
    if (l->in_emit && kind == SLOT_VALUE) slot.flags = SLOT_NEW;
    vec_push(l->arena, &l->slots, slot);
    vec_push(l->arena, &l->notes, (struct slot_note){.from_pattern = l->inlining > 0});
    return l->slots.len - 1;
}

const char *dsl_slot_what(enum slot_kind kind) {
    static const char *const what[] = {
        [SLOT_VALUE] = "a value",           [SLOT_VALUES] = "a list of values",
        [SLOT_ATTR] = "a parameter's value", [SLOT_ATTRS] = "a set of parameters",
        [SLOT_OP] = "an operator",          [SLOT_DIM] = "a dimension",
        [SLOT_DIMS] = "a run of dimensions"};
    return what[kind];
}

/* What the body of a sub-pattern makes of a name given to it. */
static bool settle(struct lower *l, uint32_t slot, enum slot_kind kind) {
    if (!l->notes.at[slot].kind_open) return false;
    l->notes.at[slot].kind_open = false;
    l->slots.at[slot].kind = kind;
    return true;
}

/* One name may be a parameter's value and a dimension: both are integers then. */
static bool kinds_agree(struct rule_slot *slot, enum slot_kind kind) {
    if (slot->kind == kind) return true;
    bool numbers = (slot->kind == SLOT_ATTR || slot->kind == SLOT_DIM) &&
                   (kind == SLOT_ATTR || kind == SLOT_DIM);
    if (numbers) slot->kind = SLOT_DIM;
    return numbers;
}

uint32_t dsl_slot(struct lower *l, const char *name, enum slot_kind kind, struct span at) {
    if (rw_streq(name, "_")) return SLOT_NONE;
    const struct entry *e = dsl_find(l, l->scope, name);
    if (!e) {
        uint32_t slot = dsl_new_slot(l, name, kind, at);
        dsl_bind(l, l->scope, name, (struct entry){.kind = ENTRY_SLOT, .slot = slot});
        return slot;
    }
    if (e->kind != ENTRY_SLOT) {
        dsl_error(l, at, "\"%s\" is given as an expression and cannot be bound here", name);
        return SLOT_NONE;
    }
    struct rule_slot *slot = &l->slots.at[e->slot];
    if (!settle(l, e->slot, kind) && !kinds_agree(slot, kind)) {
        dsl_error(l, at, "\"%s\" is %s here, and %s elsewhere", name, dsl_slot_what(kind),
                  dsl_slot_what(slot->kind));
        diag_at(l->diags, DIAG_NOTE, slot->at, "it is %s here", dsl_slot_what(slot->kind));
    }
    return e->slot;
}

const char *dsl_listed(struct lower *l, const char *const *names, size_t n) {
    const char *out = "";
    for (size_t i = 0; i < n; i++)
        out = arena_printf(l->arena, "%s%s\"%s\"", out, !i ? "" : i + 1 < n ? ", " : " and ",
                           names[i]);
    return out;
}

void dsl_help_name(struct lower *l, const char *name, struct span at) {
    const char *seen[256];
    uint32_t n = 0;
    for (struct scope *s = l->scope; s; s = s->outer)
        for (uint32_t i = 0; i < s->entries.len && n < countof(seen); i++)
            seen[n++] = intern_text(l->names, s->entries.at[i].name);
    for (uint32_t i = 0; i < l->unit->pack->nparams && n < countof(seen); i++)
        seen[n++] = l->unit->pack->params[i].name;
    const char *near = diag_nearest(name, seen, n);
    if (near) dsl_help(l, at, "did you mean \"%s\"?", near);
}
