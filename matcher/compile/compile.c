/* compile.c -- packs to stages of merged programs.
 *
 * A phase gets one program for each operator that is the root of some rule of it, over all
 * of its rules. Rules go by priority, then by size, then as they stand in the files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

static void add_pack(struct pm_auto *p, const struct rule_pack *pack) {
    for (uint32_t i = 0; i < p->packs.len; i++)
        if (p->packs.at[i] == pack) return;
    vec_push(p->arena, &p->packs, pack);
}

static uint32_t rule_number(struct pm_auto *p, const struct rule *r) {
    for (uint32_t i = 0; i < p->rules.len; i++)
        if (p->rules.at[i] == r) return i;
    add_pack(p, r->pack);
    vec_push(p->arena, &p->rules, r);
    return p->rules.len - 1;
}

static bool goes_first(const struct rule *a, const struct rule *b) {
    if (a->priority != b->priority) return a->priority > b->priority;
    return a->size > b->size;
}

struct ranked {
    const struct rule *rule;
    uint32_t place; /* in the stage */
};
static int by_rank(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (goes_first(x->rule, y->rule)) return -1;
    if (goes_first(y->rule, x->rule)) return 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static enum rw_code plan_stage(struct pm_auto *p, const struct pm_stage *s,
                               struct pm_variants *out) {
    uint32_t n = s->stage->nrules;
    struct ranked *order = arena_new_array(p->arena, struct ranked, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct ranked){s->pack->rules[s->stage->rules[i]], i};
    if (n > 0) qsort(order, n, sizeof *order, by_rank);
    enum rw_code worst = RW_OK;
    for (uint32_t i = 0; i < n; i++) {
        const struct rule *r = order[i].rule;
        enum rw_code code = pm_plan(p, r, i, rule_number(p, r), out);
        if (code != RW_OK) worst = code;
    }
    return worst;
}

/* Where each rule's match is found in the code: the order of the matches of one rank,
 * which the programs of the label level keep. */
static void note_places(struct pm_auto *p, uint32_t from) {
    for (uint32_t pc = from; pc < p->code.len; pc++)
        if (p->code.at[pc].op == PM_ACCEPT) p->accept.at[p->code.at[pc].x].place = pc;
}

static struct pm_program merge_op(struct pm_auto *p, const struct pm_variants *all,
                                  uint32_t op) {
    struct pm_program prog = {.op = op};
    VEC(const struct pm_variant *) mine = {0};
    for (uint32_t i = 0; i < all->list.len; i++) {
        const struct pm_variant *v = &all->list.at[i];
        if (v->op != op) continue;
        vec_push(p->arena, &mine, v);
        prog.nregs = rw_max_u32(prog.nregs, v->nregs);
        prog.depth = rw_max_u32(prog.depth, v->depth);
    }
    prog.start = pm_merge(p->arena, mine.at, mine.len, &p->code, &p->places);
    note_places(p, prog.start);
    return prog;
}

static enum rw_code compile_phase(struct pm_auto *p, struct pm_stage *s) {
    struct pm_variants all = {0};
    TRY(plan_stage(p, s, &all));
    s->nops = p->op.len;
    uint32_t *of = arena_new_array(p->arena, uint32_t, s->nops);
    memset(of, 0xff, s->nops * sizeof *of);
    struct pm_program *programs = arena_new_array(p->arena, struct pm_program, s->nops);
    for (uint32_t i = 0; i < all.list.len; i++) {
        uint32_t op = all.list.at[i].op;
        if (of[op] != UINT32_MAX) continue;
        of[op] = s->nprograms;
        programs[s->nprograms] = merge_op(p, &all, op);
        s->depth = rw_max_u32(s->depth, programs[s->nprograms].depth);
        s->nprograms++;
    }
    s->programs = programs;
    s->nvariants = all.list.len;
    s->variants = all.list.at;
    s->program_of = of;
    return RW_OK;
}

static enum rw_code compile_pass(struct pm_auto *p, struct pm_stage *s) {
    if (ir_pass_find(s->stage->name)) return RW_OK;
    diag_at(p->diags, DIAG_ERROR, s->stage->at, "there is no pass \"%s\"", s->stage->name);
    return RW_USAGE;
}

static enum rw_code compile_pack(struct pm_auto *p, const struct rule_pack *pack) {
    enum rw_code worst = RW_OK;
    for (uint32_t i = 0; i < pack->nstages; i++) {
        struct pm_stage s = {.pack = pack, .stage = &pack->stages[i],
                             .raises = pack->raises_opset};
        enum rw_code code = s.stage->is_pass ? compile_pass(p, &s) : compile_phase(p, &s);
        if (code != RW_OK) worst = code;
        vec_push(p->arena, &p->stages, s);
    }
    return worst;
}

static void init_tables(struct pm_auto *p) {
    struct pm_keys *k = p->keys = arena_new(p->arena, struct pm_keys);
    struct intern *tables[] = {&k->op, &k->ops, &k->param, &k->test,
                               &k->spec, &k->literal, &k->way};
    for (size_t i = 0; i < countof(tables); i++) intern_init(tables[i], p->arena);
}

const struct pm_auto *pm_compile(struct arena *a, const struct rule_pack *const *packs,
                                 uint32_t npacks, struct diag_sink *diags) {
    struct pm_auto *p = arena_new(a, struct pm_auto);
    p->arena = a;
    p->diags = diags;
    init_tables(p);
    pm_subs_init(p);
    enum rw_code worst = RW_OK;
    for (uint32_t i = 0; i < npacks; i++) {
        add_pack(p, packs[i]);
        enum rw_code code = compile_pack(p, packs[i]);
        if (code != RW_OK) worst = code;
    }
    p->diags = NULL;
    pm_index_subs(p);
    return worst == RW_OK ? p : NULL;
}

void pm_each_rule(const struct pm_auto *p,
                  void (*each)(void *ctx, const struct rule *r, const char *phase),
                  void *ctx) {
    for (uint32_t i = 0; i < p->stages.len; i++) {
        const struct pm_stage *s = &p->stages.at[i];
        for (uint32_t k = 0; !s->stage->is_pass && !s->raises && k < s->stage->nrules; k++)
            each(ctx, s->pack->rules[s->stage->rules[k]], s->stage->name);
    }
}
