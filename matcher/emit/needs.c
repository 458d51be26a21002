/* needs.c -- does what a match would emit need the newer opset that its rule allows?
 *
 * `requires opset N` lets a rule raise the model; it is raised only when the block that
 * would be emitted has an operator that the model's opset lacks, or means otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

static bool means_otherwise(const char *op, int64_t is, int64_t wanted) {
    size_t n;
    const int32_t *epochs = ir_op_epochs("", op, &n);
    for (size_t i = 0; i < n; i++)
        if (is < epochs[i] && epochs[i] <= wanted) return true;
    return false;
}

static bool emit_needs(const struct emit *e, int64_t is, int64_t wanted) {
    bool standard = e->kind == EMIT_NODE && e->op_slot == SLOT_NONE && !*e->op.domain;
    if (standard && (!ir_schema_find("", e->op.name, is) ||
                     means_otherwise(e->op.name, is, wanted)))
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (emit_needs(e->args[i], is, wanted)) return true;
    return false;
}

bool pm_needs_opset(struct pm_env *env, const struct rule *r) {
    int64_t is = ir_opset(env->site.g, "");
    const struct emit_block *block = pm_emitted_block(env, r, NULL);
    if (r->requires_opset <= is || !block) return false;
    for (uint32_t i = 0; i < block->n; i++)
        if (emit_needs(block->stmts[i].what, is, r->requires_opset)) return true;
    return false;
}
