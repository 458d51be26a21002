/* matching.c -- labels a model and binds at each of its nodes, again and again, with
 * nothing else: what bench/codegen.py takes apart.
 *
 *     matching PACK MODEL TIMES
 *
 * Times binding as it is, and with a jump in front of each instruction: twice the dispatch
 * for the same work, so that the difference is what code without any dispatch could save.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/process.h"
#include "dsl/dsl.h"
#include "matcher/label/label.h"
#include "matcher/bind/match.h"

#include <stdio.h>

struct sums {
    double label, bind, twice;
    uint64_t insns, matches, candidates, misses;
};

/* --- the same programs with a jump in front of each instruction -------------------- */
static bool is_jump(uint8_t op) {
    return op == PM_TRY || op == PM_JUMP || op == PM_IFSET || op == PM_UNLESS ||
           op == PM_EACH;
}

/* A program ends with the first end of a rule that nothing leads behind. */
static uint32_t program_end(const struct pm_insn *code, uint32_t start) {
    uint32_t furthest = start, i = start;
    for (;; i++) {
        if (is_jump(code[i].op)) furthest = rw_max_u32(furthest, code[i].x);
        if (code[i].op == PM_ACCEPT && i >= furthest) return i + 1;
    }
}

static const struct pm_program *with_jumps(struct arena *a, const struct pm_program *prog) {
    uint32_t start = prog->start, n = program_end(prog->code, start) - start;
    struct pm_insn *code = arena_new_array(a, struct pm_insn, 2 * n);
    struct pm_program *out = arena_copy(a, prog, sizeof *prog);
    for (uint32_t i = 0; i < n; i++) {
        code[2 * i] = (struct pm_insn){.op = PM_JUMP, .x = 2 * i + 1};
        code[2 * i + 1] = prog->code[start + i];
        if (is_jump(code[2 * i + 1].op))
            code[2 * i + 1].x = 2 * (code[2 * i + 1].x - start);
    }
    out->code = code;
    out->start = 0;
    return out;
}

/* Those of all states that were met. */
static void put_jumps(struct pm_states *s) {
    for (uint32_t i = 0; i < s->program_of.len; i++)
        if (s->program_of.at[i] && s->program_of.at[i]->code)
            s->program_of.at[i] = with_jumps(s->arena, s->program_of.at[i]);
}

/* --- timing ------------------------------------------------------------------------- */
static double bind_all(struct pm_matcher *t, struct ir_graph *g, uint64_t *matches) {
    double begin = process_seconds();
    for (uint32_t s = 0; s < t->p->stages.len; s++)
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            pm_matcher_find(t, &t->p->stages.at[s], g, n);
            *matches += t->found.len;
        }
    return process_seconds() - begin;
}

static void match_graph(struct pm_matcher *t, struct pm_labels *l, struct ir_graph *g,
                        struct sums *sum) {
    double begin = process_seconds();
    struct pm_site site = pm_matcher_site(t, g);
    pm_matcher_begin(t, g);
    pm_labels_begin(l, &site);
    sum->label += process_seconds() - begin;
    uint64_t again = 0, warm = 0;
    bind_all(t, g, &warm);
    t->machine.tests = t->candidates = 0;
    sum->bind += bind_all(t, g, &sum->matches);
    sum->insns += t->machine.tests;
    sum->candidates += t->candidates;
    sum->misses += l->states.misses;
    put_jumps(&l->states);
    sum->twice += bind_all(t, g, &again);
    rw_assert(again == warm);
}

static void once(const struct pm_auto *p, struct ir_model *m, struct sums *sum) {
    struct arena a = ARENA_EMPTY;
    const struct pm_options o = {.target = TARGET_ORT};
    struct pm_matcher t;
    struct pm_labels labels;
    pm_matcher_init(&t, p, m, &o, &a);
    pm_labels_init(&labels, p, &a);
    t.labels = &labels;
    match_graph(&t, &labels, m->main, sum);
    pm_matcher_free(&t);
    arena_free(&a);
}

int main(int argc, char **argv) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct sums sum = {0};
    diag_init(&diags, &a);
    long times = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
    if (times < 1) return RW_USAGE;
    const struct rule_pack *pack = dsl_load(&a, argv[1], NULL, &diags);
    const struct pm_auto *p = pack ? pm_compile(&a, &pack, 1, &diags) : NULL;
    struct ir_model *m = p ? ir_model_read(&a, argv[2], &diags) : NULL;
    if (!m || ir_infer_model(m, &diags) != RW_OK) return RW_FORMAT;
    for (long i = 0; i < times; i++) once(p, m, &sum);
    double n = (double)times / 1e3;
    uint64_t k = (uint64_t)times;
    printf("label %.3f bind %.3f twice %.3f ms, ", sum.label / n, sum.bind / n, sum.twice / n);
    printf("%" PRIu64 " instructions, %" PRIu64 " candidates, %" PRIu64 " matches, ",
           sum.insns / k, sum.candidates / k, sum.matches / k);
    printf("%" PRIu64 " states worked out\n", sum.misses / k);
    ir_model_close(m);
    arena_free(&a);
    return RW_OK;
}
