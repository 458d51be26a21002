/* tune_choices.c -- what there is to choose: targets, optimisers of the runtime, groups of
 * rules.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/tune_impl.h"

static void add(struct api_tune *t, struct api_choice c) {
    vec_push(t->arena, &t->choices, c);
}

/* --- targets -------------------------------------------------------------------------- */

/* Those whose results run where those of the target asked for do. */
void tune_add_targets(struct api_tune *t) {
    static const struct { const char *name; uint32_t target; } all[] = {
        {"ort-cpu", TARGET_ORT_CPU}, {"ort", TARGET_ORT}, {"onnx", TARGET_ONNX}};
    if (t->options->target == TARGET_ONNX) return;
    for (size_t i = 0; i < countof(all); i++)
        if (all[i].target != t->options->target)
            add(t, (struct api_choice){.kind = API_CHOICE_TARGET, .name = all[i].name,
                                       .target = all[i].target});
}

/* --- optimisers of the runtime -------------------------------------------------------- */

/* Those that may cost more than they bring, with the operators of which one at least must be
 * there for them to do anything. */
static const struct {
    const char *name;
    const char *operators[3];
} optimisers[] = {
    {"SkipLayerNormFusion", {"LayerNormalization", "SimplifiedLayerNormalization",
                             "ReduceMean"}},
    {"NchwcTransformer", {"Conv", "FusedConv"}},
    {"ConvAddActivationFusion", {"Conv", "FusedConv"}},
    {"ConvActivationFusion", {"Conv"}},
    {"AttentionFusion", {"Softmax"}},
    {"MatmulTransposeFusion", {"MatMul", "FusedMatMul"}},
    {"MatMulAddFusion", {"MatMul"}},
    {"MatMulScaleFusion", {"MatMul"}},
    {"BiasGeluFusion", {"Gelu", "Erf"}},
    {"QuickGeluFusion", {"Sigmoid"}},
    {"BiasSoftmaxFusion", {"Softmax"}},
    {"EmbedLayerNormFusion", {"Gather"}},
    {"GemmActivationFusion", {"Gemm"}},
    {"TransposeOptimizer", {"Transpose"}},
};
_Static_assert(countof(optimisers) <= 64, "bits of a number");

static uint64_t optimisers_of(const char *op) {
    uint64_t found = 0;
    for (size_t i = 0; i < countof(optimisers); i++)
        for (size_t k = 0; k < countof(optimisers[i].operators); k++) {
            const char *wanted = optimisers[i].operators[k];
            if (wanted && rw_streq(wanted, op)) found |= (uint64_t)1 << i;
        }
    return found;
}

uint64_t tune_optimisers_for(const struct ir_model *m) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
            found |= optimisers_of(ir_op_name(g, n));
    }
    return found;
}

void tune_add_optimisers(struct api_tune *t, const struct tune_variant *v) {
    for (size_t i = 0; i < countof(optimisers); i++)
        if (v->optimisers >> i & 1)
            add(t, (struct api_choice){.kind = API_CHOICE_OPTIMISER,
                                       .name = optimisers[i].name});
}

/* --- groups of rules ------------------------------------------------------------------ */

/* A rule, the pack that it is written in, and the first phase that it stands in. */
struct placed {
    const char *rule, *pack, *phase;
};
struct groups {
    struct api_tune *t;
    struct arena arena;
    VEC(struct placed) rules; /* each once, in the order in which they run */
    struct map number;        /* of a rule in it, by its address */
};

static void place(void *ctx, const struct rule *r, const char *phase) {
    struct groups *g = ctx;
    uint64_t key = (uint64_t)(uintptr_t)r;
    if (map_get(&g->number, key) != MAP_NONE) return;
    map_put(&g->number, key, g->rules.len);
    vec_push(&g->arena, &g->rules, (struct placed){r->name, r->pack->name, phase});
}

static bool is_known(const struct api_tune *t, const char *name) {
    for (uint32_t i = 0; i < t->choices.len; i++)
        if (rw_streq(t->choices.at[i].name, name)) return true;
    return false;
}

/* All rules of the pack, or of one phase of it, applied or not: others would take the place of
 * those that were. */
static void add_group(struct groups *g, const char *pack, const char *phase) {
    struct api_tune *t = g->t;
    struct api_choice c = {.kind = API_CHOICE_GROUP, .name = pack};
    VEC(const char *) names = {0};
    if (phase) c.name = arena_printf(t->arena, "%s/%s", pack, phase);
    if (is_known(t, c.name)) return;
    for (uint32_t i = 0; i < g->rules.len; i++) {
        const struct placed *x = &g->rules.at[i];
        if (rw_streq(x->pack, pack) && (!phase || rw_streq(x->phase, phase)))
            vec_push(t->arena, &names, x->rule);
    }
    c.nrules = names.len;
    c.rules = names.at;
    add(t, c);
}

static bool has_phases(const struct groups *g, const char *pack, const char *phase) {
    for (uint32_t i = 0; i < g->rules.len; i++)
        if (rw_streq(g->rules.at[i].pack, pack) && !rw_streq(g->rules.at[i].phase, phase))
            return true;
    return false;
}

/* The last first: what runs early cleans up, and what runs late makes operators. */
static void add_groups(struct groups *g, const struct pm_report *r, bool of_phases) {
    for (uint32_t i = r->rules.len; i-- > 0;) {
        uint64_t key = (uint64_t)(uintptr_t)r->rules.at[i].rule;
        uint32_t at = r->rules.at[i].count ? map_get(&g->number, key) : MAP_NONE;
        if (at == MAP_NONE) continue;
        const struct placed *x = &g->rules.at[at];
        if (!of_phases) add_group(g, x->pack, NULL);
        else if (has_phases(g, x->pack, x->phase)) add_group(g, x->pack, x->phase);
    }
}

void tune_add_groups(struct api_tune *t, const struct tune_variant *v) {
    struct groups g = {.t = t, .arena = ARENA_EMPTY};
    map_init(&g.number, &g.arena);
    pm_each_rule(t->rules, place, &g);
    add_groups(&g, &v->report, false);
    add(t, (struct api_choice){.kind = API_CHOICE_RULES, .name = "all rules"});
    add_groups(&g, &v->report, true);
    arena_free(&g.arena);
}

/* --- what a choice makes of a state --------------------------------------------------- */

static void forbid(struct tune_state *s, const struct api_choice *c, struct arena *a) {
    struct pm_place *all = arena_new_array(a, struct pm_place, s->nforbidden + c->nrules);
    if (s->nforbidden) memcpy(all, s->forbidden, s->nforbidden * sizeof *all);
    for (uint32_t i = 0; i < c->nrules; i++)
        all[s->nforbidden + i] = (struct pm_place){c->rules[i], NULL};
    s->forbidden = all;
    s->nforbidden += c->nrules;
}

struct tune_state tune_take(const struct tune_state *s, const struct api_choice *c,
                            struct arena *a) {
    struct tune_state next = *s;
    switch (c->kind) {
    case API_CHOICE_TARGET: next.target = c->target; break;
    case API_CHOICE_OPTIMISER:
        next.disabled = s->disabled ? arena_printf(a, "%s;%s", s->disabled, c->name)
                                    : c->name;
        break;
    case API_CHOICE_GROUP: forbid(&next, c, a); break;
    case API_CHOICE_RULES: next.original = true; break;
    }
    return next;
}
