/* types.c -- bind code for the types and shapes written beside values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/compile/plan.h"

static void plan_dim(struct planner *pl, uint16_t value, const struct pat_dim *d,
                     uint32_t x,
                     bool from_end) {
    if (d->kind == DIM_ANY) return;
    plan_at(pl, d->at, NULL);
    uint16_t r = plan_reg(pl);
    plan_emit(pl, PM_DIM, r, value, x)->in.c = from_end;
    if (d->kind == DIM_SLOT) {
        plan_bind(pl, d->slot, r);
        return;
    }
    struct literal *want = arena_new(pl->p->arena, struct literal);
    *want = (struct literal){.kind = LIT_INT, .i = d->value, .real = (double)d->value};
    plan_emit(pl, PM_IS, r, 0, pm_intern_literal(pl->p, want));
}

static void plan_dims(struct planner *pl, uint16_t value, const struct pat_type *t) {
    uint32_t rest = 0;
    while (rest < t->ndims && t->dims[rest].kind != DIM_REST) rest++;
    bool open = rest < t->ndims;
    plan_emit(pl, PM_RANK, value, 0, t->ndims - open)->in.c = open;
    for (uint32_t i = 0; i < rest; i++) plan_dim(pl, value, &t->dims[i], i, false);
    for (uint32_t i = rest + 1; i < t->ndims; i++)
        plan_dim(pl, value, &t->dims[i], t->ndims - i, true);
    if (!open || t->dims[rest].slot == SLOT_NONE) return;
    uint16_t r = plan_reg(pl);
    plan_at(pl, t->dims[rest].at, NULL);
    plan_emit(pl, PM_DIMS, r, value, rest)->in.c = (uint16_t)(t->ndims - rest - 1);
    plan_bind(pl, t->dims[rest].slot, r);
}

static void plan_type(struct planner *pl, const void *ctx) {
    uint32_t slot = *(const uint32_t *)ctx;
    const struct pat_type *t = pl->rule->slots[slot].type;
    uint16_t value = pl->slots[slot].reg;
    plan_at(pl, t->at, NULL);
    if (t->dtypes) plan_emit(pl, PM_DTYPE, value, 0, t->dtypes);
    if (t->shaped) plan_dims(pl, value, t);
}

void plan_types(struct planner *pl, uint32_t first, uint32_t end) {
    for (uint32_t s = first; s < end; s++) {
        if (!pl->rule->slots[s].type || pl->slots[s].reg == PM_NO_REG) continue;
        if (pl->slots[s].bound && !pl->slots[s].optional)
            plan_type(pl, &s);
        else
            plan_guarded(pl, PM_IFSET, pl->slots[s].reg, plan_type, &s);
    }
}
