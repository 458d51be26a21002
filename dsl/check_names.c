/* check_names.c -- names that nothing uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/lower.h"

static bool says_something(const struct rule_slot *s) {
    return s->flags & (SLOT_CONST | SLOT_SCALAR | SLOT_KEEP | SLOT_ROOT) || s->type ||
           s->def;
}

static void check_slot(struct lower *l, uint32_t i) {
    const struct rule_slot *s = &l->slots.at[i];
    const struct slot_note *note = &l->notes.at[i];
    if (!*s->name || note->from_pattern || note->local || note->reads) return;
    if (s->flags & SLOT_NEW) {
        dsl_warning(l, s->at, "\"%s\" is emitted and not used", s->name);
        dsl_id(l, DIAG_R_UNUSED_NAME);
    } else if (note->uses == 1 && !note->optional && !says_something(s)) {
        dsl_warning(l, s->at, "\"%s\" is bound and not used", s->name);
        dsl_id(l, DIAG_R_UNUSED_NAME);
        bool rest = s->kind == SLOT_VALUES || s->kind == SLOT_ATTRS || s->kind == SLOT_DIMS;
        dsl_help(l, s->at, "write \"%s\" for what does not matter", rest ? ".." : "_");
    }
}

void dsl_check_names(struct lower *l) {
    for (uint32_t i = 0; i < l->slots.len; i++) check_slot(l, i);
}
