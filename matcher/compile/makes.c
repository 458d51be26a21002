/* makes.c -- the operators that a rule makes, of those that patterns ask for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

struct made {
    uint32_t *at;
    uint32_t len, cap;
};

static void add_op(struct pm_auto *p, const char *domain, const char *name,
                   struct made *out) {
    uint32_t op = pm_find_op(p, domain, name);
    if (op != MAP_NONE) vec_push(p->arena, out, op);
}

/* An operator of a class that was matched is there already. Expressions are not deep: they
 * were parsed. */
static void add_emit(struct pm_auto *p, const struct emit *e, struct made *out) {
    bool is_node = e->kind == EMIT_NODE || e->kind == EMIT_PLUS;
    if (is_node && e->op_slot == SLOT_NONE) add_op(p, e->op.domain, e->op.name, out);
    for (uint32_t i = 0; i < e->nargs; i++) add_emit(p, e->args[i], out);
}

static void add_blocks(struct pm_auto *p, const struct rule *r, struct made *out) {
    for (uint32_t i = 0; i < r->nblocks; i++)
        for (uint32_t k = 0; k < r->blocks[i].n; k++) {
            const struct emit *e = r->blocks[i].stmts[k].what;
            add_emit(p, e, out);
            if (e->staged) add_blocks(p, e->staged->body, out);
        }
}

void pm_index_makes(struct pm_auto *p) {
    struct pm_subs *t = p->subs;
    t->nrules = p->rules.len;
    t->makes = arena_zalloc(p->arena, p->rules.len * sizeof *t->makes);
    for (uint32_t i = 0; i < p->rules.len; i++) {
        struct made made = {0};
        add_blocks(p, p->rules.at[i], &made);
        t->makes[i] = (struct pm_makes){pm_make_set(made.len, made.at), made.at};
    }
}
