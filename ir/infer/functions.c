/* functions.c -- types inside of functions.
 *
 * A function has no types of its own, but this model's calls have: where all calls give an
 * operand the same type, the body has it too. Rules need types to match there. A function
 * is looked at when all functions that call it have been; those that call each other in a
 * circle are left without.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"

struct callee {
    VEC(struct ir_graph *) graphs; /* the body and those inside */
    uint32_t waiting;              /* calls from functions that were not looked at */
    bool called;
    const struct ir_type **operands; /* NULL: not known, or calls do not agree */
};
struct callees {
    struct infer_run *run;
    struct map number; /* of a function, by address */
    struct callee *at;
    VEC(uint32_t) ready;
};

static struct callee *callee_of(struct callees *c, const struct ir_function *f) {
    uint32_t i = f ? map_get(&c->number, (uint64_t)(uintptr_t)f) : MAP_NONE;
    return i == MAP_NONE ? NULL : &c->at[i];
}

static void begin(struct callees *c) {
    struct ir_model *m = c->run->m;
    struct arena *a = &c->run->scratch;
    c->at = arena_zalloc(a, m->functions.len * sizeof *c->at);
    map_init(&c->number, a);
    for (uint32_t i = 0; i < m->functions.len; i++) {
        map_put(&c->number, (uint64_t)(uintptr_t)m->functions.at[i], i);
        c->at[i].operands = arena_zalloc(
            a, m->functions.at[i]->body->inputs.len * sizeof *c->at[i].operands + 1);
    }
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        struct callee *of = ir_graph_is_live(g) ? callee_of(c, g->function) : NULL;
        if (!of) continue;
        vec_push(a, &of->graphs, g);
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            struct callee *x = callee_of(c, ir_callee(g, n));
            if (x) x->waiting++;
        }
    }
}

static void note_call(struct callees *c, const struct ir_graph *g, ir_node n,
                      const struct ir_function *f, struct callee *x) {
    for (uint32_t k = 0; k < f->body->inputs.len; k++) {
        ir_value v = ir_input(g, n, k);
        const struct ir_type *t = v == IR_NONE ? NULL : ir_val(g, v)->type;
        if (!x->called) x->operands[k] = t;
        else if (!infer_is_same(c->run->m->dims, x->operands[k], t)) x->operands[k] = NULL;
    }
    x->called = true;
}

static void note_calls(struct callees *c, const struct ir_graph *g) {
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        const struct ir_function *f = ir_callee(g, n);
        struct callee *x = callee_of(c, f);
        if (!x) continue;
        note_call(c, g, n, f, x);
        if (g->function && --x->waiting == 0)
            vec_push(&c->run->scratch, &c->ready, (uint32_t)(x - c->at));
    }
}

static void infer_function(struct callees *c, uint32_t i) {
    struct ir_graph *body = c->run->m->functions.at[i]->body;
    struct callee *x = &c->at[i];
    for (uint32_t k = 0; k < body->inputs.len; k++)
        if (x->operands[k]) ir_set_inferred(body, body->inputs.at[k], x->operands[k]);
    if (x->called) infer_nodes(c->run, body);
    for (uint32_t k = 0; k < x->graphs.len; k++) note_calls(c, x->graphs.at[k]);
}

void infer_functions(struct infer_run *run) {
    struct ir_model *m = run->m;
    struct callees c = {.run = run};
    struct diag_sink *diags = run->diags;
    if (m->functions.len == 0) return;
    run->diags = NULL; /* what is wrong without types was said */
    begin(&c);
    for (uint32_t i = 0; i < m->functions.len; i++)
        if (c.at[i].waiting == 0) vec_push(&run->scratch, &c.ready, i);
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (!m->graphs.at[i]->function && ir_graph_is_live(m->graphs.at[i]))
            note_calls(&c, m->graphs.at[i]);
    for (uint32_t i = 0; i < c.ready.len; i++) infer_function(&c, c.ready.at[i]);
    run->diags = diags;
}
