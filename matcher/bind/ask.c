/* ask.c -- a rule's expressions asked before there is a match, and conditions one by one:
 * for those who make instances of a rule.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/emit/emit.h"

struct pm_asker {
    struct arena arena;
    struct pm_matcher matcher;
};

struct pm_asker *pm_asker_new(const struct pm_auto *p, struct ir_model *m,
                              const struct pm_options *o, struct arena *a) {
    struct pm_asker *t = arena_new(a, struct pm_asker);
    pm_matcher_init(&t->matcher, p, m, o, &t->arena);
    return t;
}

void pm_asker_free(struct pm_asker *t) {
    pm_matcher_free(&t->matcher);
    arena_free(&t->arena);
}

struct pm_binding pm_asker_attr(const struct pm_asker *t, ir_node n, const char *name,
                                bool is_axis) {
    const struct pm_auto *p = t->matcher.p;
    for (uint32_t i = 0; i < p->param.len; i++)
        if (rw_streq(p->param.at[i], name))
            return (struct pm_binding){BOUND_ATTR, n, i, is_axis};
    return (struct pm_binding){0};
}

static struct pm_env env_of(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                            struct pm_binding *slots) {
    const struct pm_accept accept = {.rule = r};
    const struct pm_match m = {.accept = &accept, .slots = slots};
    return pm_matcher_env(&t->matcher, g, &m);
}

static struct pm_val eval(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                          struct pm_binding *slots, const struct expr *e) {
    struct pm_env env = env_of(t, g, r, slots);
    return pm_known(&env, pm_eval(&env, e));
}

enum ir_truth pm_asker_holds(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                             struct pm_binding *slots, const struct expr *e) {
    struct pm_env env = env_of(t, g, r, slots);
    return pm_holds(&env, e);
}

bool pm_asker_real(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                   struct pm_binding *slots, const struct expr *e, double *out) {
    return pm_as_real(eval(t, g, r, slots, e), out);
}

bool pm_asker_dims(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                   struct pm_binding *slots, const struct expr *e, uint32_t *n,
                   const ir_dim **dims) {
    struct pm_env env = env_of(t, g, r, slots);
    struct pm_val v = pm_known(&env, pm_eval(&env, e));
    if (v.kind != VAL_LIST) return false;
    ir_dim *list = arena_new_array(&t->arena, ir_dim, v.n);
    for (uint32_t i = 0; i < v.n; i++)
        if (!pm_as_dim(&env, pm_known(&env, v.items[i]), &list[i])) return false;
    *n = v.n;
    *dims = list;
    return true;
}

const char *pm_asker_text(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                          struct pm_binding *slots, const struct expr *e) {
    struct pm_val v = eval(t, g, r, slots, e);
    return v.kind == VAL_STRING ? arena_strndup(&t->arena, v.s.at, v.s.len) : NULL;
}

enum ir_dtype pm_asker_dtype(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                             struct pm_binding *slots, const struct expr *e) {
    struct pm_val v = eval(t, g, r, slots, e);
    bool is = v.kind == VAL_DTYPE || v.kind == VAL_INT;
    return is && v.i > 0 && v.i < IR_DTYPE_N ? (enum ir_dtype)v.i : IR_UNDEFINED;
}

/* --- fits ------------------------------------------------------------------------- */
static bool params_hold(struct pm_env *env, const struct pm_match *m) {
    for (uint32_t i = 0; i < m->accept->nexprs; i++)
        if (!pm_expr_test_holds(env, m, i)) return false;
    return true;
}

static void tell(struct pm_asker *t, struct ir_graph *g, const struct pm_match *m,
                 pm_fit_fn *each, void *ctx) {
    const struct rule *r = m->accept->rule;
    struct pm_env env = pm_matcher_env(&t->matcher, g, m);
    struct pm_fit f = {.rule = r, .slots = m->slots, .is = IR_TRUE};
    if (!params_hold(&env, m)) return; /* they are of the pattern */
    for (uint32_t i = 0; i < m->nnodes; i++)
        f.nodes += hash_bytes(&m->nodes[i], sizeof m->nodes[i], 0);
    for (; f.refuses < r->nwhere; f.refuses++)
        if ((f.is = pm_holds(&env, r->where[f.refuses])) != IR_TRUE) break;
    const struct emit_block *block = pm_emitted_block(&env, r, NULL);
    f.block = block ? (uint32_t)(block - r->blocks) : r->nblocks;
    each(ctx, &f);
}

void pm_fits(struct pm_asker *t, struct ir_graph *g, ir_node root, pm_fit_fn *each, void *ctx) {
    const struct pm_auto *p = t->matcher.p;
    for (uint32_t i = 0; i < p->stages.len; i++) {
        if (p->stages.at[i].nprograms == 0) continue;
        pm_matcher_find(&t->matcher, &p->stages.at[i], g, root);
        for (uint32_t k = 0; k < t->matcher.found.len; k++)
            tell(t, g, &t->matcher.found.at[k], each, ctx);
    }
}
