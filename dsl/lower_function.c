/* lower_function.c -- `as function NAME`: what is matched becomes the body of a function of
 * the model, and a call of it takes the place.
 *
 * The call has the variables of the pattern as operands, in the order in which they appear;
 * what the matched nodes read beside them (`_`, what ~x looks through) comes behind, and
 * constants that the pattern writes out are part of the body.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

#define DOMAIN "onnxrw" /* of functions whose name has none */

static bool is_variable(const struct rule_slot *s) {
    return (s->kind == SLOT_VALUE || s->kind == SLOT_VALUES) && !s->def &&
           !(s->flags & SLOT_ROOT);
}

static const struct emit *operand(struct lower *l, uint32_t slot, struct span at) {
    struct emit *e = arena_new(l->arena, struct emit);
    *e = (struct emit){
        .kind = l->slots.at[slot].kind == SLOT_VALUES ? EMIT_SPREAD : EMIT_SLOT,
        .at = at, .slot = slot, .op_slot = SLOT_NONE, .attrs_slot = SLOT_NONE};
    l->notes.at[slot].reads++;
    return e;
}

static const struct emit *call(struct lower *l, const struct ast_item *item) {
    struct emit *e = arena_new(l->arena, struct emit);
    VEC(const struct emit *) args = {0};
    for (uint32_t i = 0; i < l->slots.len; i++)
        if (is_variable(&l->slots.at[i]))
            vec_push(l->arena, &args, operand(l, i, item->at));
    struct pat_op op = dsl_op(l, &item->name);
    if (!*op.domain) op.domain = DOMAIN;
    *e = (struct emit){.kind = EMIT_NODE, .at = item->at, .slot = SLOT_NONE, .op = op,
                       .wraps = true, .op_slot = SLOT_NONE, .attrs_slot = SLOT_NONE,
                       .nargs = args.len, .args = args.at};
    return e;
}

void dsl_emit_function(struct lower *l, const struct ast_item *item,
                       struct emit_block *out) {
    const struct rule *r = l->rule;
    struct emit_stmt *stmt = arena_new(l->arena, struct emit_stmt);
    if (rw_streq(item->name.text, "ai.onnx") || !strncmp(item->name.text, "ai.onnx.", 8))
        dsl_error(l, item->name.at, "functions of ai.onnx are the standard's own");
    if (l->families.len)
        dsl_error(l, item->at, "\"as function\" takes one match at a time, and \"each\" a "
                               "family of them");
    *stmt = (struct emit_stmt){r->nroots, r->roots, SLOT_NONE, NULL, call(l, item),
                                 item->at};
    for (uint32_t i = 0; i < r->nroots; i++) l->notes.at[r->roots[i]].redefined = true;
    *out = (struct emit_block){NULL, 1, stmt};
}
