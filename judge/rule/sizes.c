/* sizes.c -- may an instance have the sizes that its inputs are given?
 *
 * Of tensors without elements a runtime need not see that their shapes do not fit: its Concat
 * skips them, and leaves the places of what is not there unset. Inference sees it once sizes are
 * numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/rule/case.h"

static bool any_empty(const struct judge_instance *i) {
    for (uint32_t k = 0; k < i->leaves.len; k++)
        for (uint32_t d = 0; d < i->leaves.at[k].rank; d++)
            if (i->leaves.at[k].dims[d] == 0) return true;
    return false;
}

static void forget_types(struct ir_graph *g) {
    for (ir_value v = 0; v < g->values.len; v++)
        if (!ir_has(g, v, IR_IS_DEAD) && ir_val(g, v)->producer != IR_NONE)
            ir_set_type(g, v, NULL);
}

static void give_sizes(struct ir_model *m, const struct judge_leaf *l) {
    ir_value v = ir_find_value(m->main, l->name);
    if (v == IR_NONE || ir_val(m->main, v)->tensor) return;
    ir_dim *dims = arena_new_array(m->arena, ir_dim, l->rank + 1);
    for (uint32_t d = 0; d < l->rank; d++) dims[d] = ir_dim_const(m->dims, l->dims[d]);
    ir_set_type(m->main, v, ir_type_tensor(m->arena, l->dtype, l->rank, dims));
}

bool judge_sizes_fit(const struct judge_case *c, struct arena *a) {
    struct diag_sink diags;
    diag_init(&diags, a);
    if (!any_empty(c->instance)) return true; /* the runtime has seen it */
    struct ir_model *m = ir_model_read_bytes(a, c->before.bytes, c->before.len, "sizes",
                                             c->before.folder, &diags);
    if (!m) return true;
    for (uint32_t i = 0; i < m->graphs.len; i++) forget_types(m->graphs.at[i]);
    for (uint32_t i = 0; i < c->instance->leaves.len; i++)
        give_sizes(m, &c->instance->leaves.at[i]);
    bool fit = ir_infer_model(m, &diags) == RW_OK;
    ir_model_close(m);
    return fit;
}
