/* programs.c -- the program of a state: the rules that it allows, merged when they are first
 * met together.
 *
 * Rules are merged in the order in which the operator's whole program comes to their ends,
 * so that this one is that one with the other ends cut off: the same matches in the same
 * order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/label/label.h"

/* Instructions of all programs that are made for states; later states run the operator's. */
#define MOST_INSNS (1u << 22)

struct entry {
    uint32_t place, variant;
};
static int by_place(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The variants whose roots are in the node state, as a key: behind the stage's number. */
static void key_variants(struct pm_states *s, const struct pm_stage *stage, uint32_t node) {
    uint32_t number = (uint32_t)(stage - s->p->stages.at);
    struct pm_list subs = s->nodes.list.at[node];
    VEC(struct entry) found = {0};
    for (uint32_t i = 0; i < subs.n; i++) {
        const struct pm_of_sub *x = &s->p->subs->of_sub[subs.at[i]];
        for (uint32_t k = 0; k < x->roots.len; k++) {
            if (x->roots.at[k].stage != number) continue;
            uint32_t variant = x->roots.at[k].variant;
            uint32_t accept = stage->variants[variant].accept;
            vec_push(s->arena, &found,
                     (struct entry){s->p->accept.at[accept].place, variant});
        }
    }
    if (found.len > 1) qsort(found.at, found.len, sizeof *found.at, by_place);
    s->key.len = 0;
    vec_push(s->arena, &s->key, number);
    for (uint32_t i = 0; i < found.len; i++)
        vec_push(s->arena, &s->key, found.at[i].variant);
}

static const struct pm_program *new_program(struct pm_states *s,
                                            const struct pm_stage *stage, uint32_t n,
                                            const uint32_t *numbers) {
    if (n == 0) return NULL;
    uint32_t op = stage->variants[numbers[0]].op;
    if (s->insns > MOST_INSNS) return &stage->programs[stage->program_of[op]];
    const struct pm_variant **variants = arena_array(s->arena, n, sizeof *variants);
    struct pm_program *prog = arena_new(s->arena, struct pm_program);
    for (uint32_t i = 0; i < n; i++) {
        variants[i] = &stage->variants[numbers[i]];
        prog->nregs = rw_max_u32(prog->nregs, variants[i]->nregs);
        prog->depth = rw_max_u32(prog->depth, variants[i]->depth);
    }
    struct pm_insns code = {0};
    prog->op = op;
    prog->start = pm_merge(s->arena, variants, n, &code, NULL);
    prog->code = code.at;
    s->insns += code.len;
    return prog;
}

/* The number of the program of a state that is new in the stage. */
static uint32_t find_program(struct pm_states *s, const struct pm_stage *stage,
                             uint32_t node) {
    key_variants(s, stage, node);
    uint32_t i = pm_sets_add(&s->root_keys, s->key.len, s->key.at);
    if (i == s->program_of.len) {
        struct pm_list l = s->root_keys.list.at[i];
        vec_push(s->arena, &s->program_of, new_program(s, stage, l.n - 1, l.at + 1));
    }
    return i;
}

bool pm_any_program(struct pm_states *s, const struct pm_stage *stage) {
    for (uint32_t node = 0; node < s->nodes.list.len; node++)
        if (pm_state_program(s, stage, node)) return true;
    return false;
}

const struct pm_program *pm_state_program(struct pm_states *s, const struct pm_stage *stage,
                                          uint32_t node) {
    if (node == PM_NO_PATTERN) return NULL;
    if (s->stage != stage) s->of_node.len = 0;
    s->stage = stage;
    while (s->of_node.len <= node) vec_push(s->arena, &s->of_node, 0);
    if (s->of_node.at[node] == 0) s->of_node.at[node] = 1 + find_program(s, stage, node);
    return s->program_of.at[s->of_node.at[node] - 1];
}
