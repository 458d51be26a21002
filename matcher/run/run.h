/* run.h -- the state of a run over a model, shared by run.c, work.c and raise.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_RUN_H
#define PM_RUN_H

#include "matcher/emit/emit.h"
#include "matcher/run/heap.h"
#include "matcher/label/label.h"

/* work.c: the nodes of one graph that are to be looked at, the last one in topological
 * order first: outermost first, so that the bigger of two patterns gets its chance before
 * the smaller one has eaten what it needs. Each node stands in it once. */
struct pm_work {
    struct arena *arena;
    struct ir_graph *g;
    struct pm_heap heap;
    VEC(uint32_t) seen;  /* of each node: the last requeueing that came by */
    uint32_t round;
    VEC(ir_node) front, next; /* of a requeueing */
};
void pm_work_begin(struct pm_work *w, struct ir_graph *g, struct arena *a);
void pm_work_add(struct pm_work *w, ir_node n);
/* IR_NONE: nothing is left. */
ir_node pm_work_take(struct pm_work *w);
/* After a rewrite: the new nodes, and whoever sees, up to the depth of the deepest pattern,
 * a value that changed or whose uses have become few enough to be interior. */
void pm_work_again(struct pm_work *w, const struct pm_stage *s, const struct pm_site *site,
                   const struct pm_done *d);

/* An application on the way to a newer opset: counted when the raise is kept. */
struct pm_raised {
    const struct pm_accept *accept;
    int64_t nodes;
};

/* What the model was when a pass changed nothing: it would change nothing again. */
struct pm_rested {
    const struct ir_pass *pass;
    uint64_t edits;
    uint32_t dims;
};

#define PM_RING 64
struct pm_run {
    const struct pm_auto *p;
    struct ir_model *model;
    const struct pm_options *options;
    struct pm_report *report;
    struct arena *report_arena;
    struct diag_sink *diags;
    struct arena arena;
    struct pm_matcher matcher;
    bool *on;            /* of each rule: may it run at all? */
    sym_t *name;         /* of each rule, in the model */
    uint32_t *alike;     /* of each rule: the first of that name; packs share those of lib/ */
    uint32_t *applied;   /* of such a first one: 1 + its place in the report, or 0 */
    struct map refused;  /* (graph, rule, node) that were counted */
    struct intern forbidden; /* places, as texts */
    VEC(struct pm_staged) staged; /* in order; not all are there still */
    struct map staged_at;         /* graph and node -> the newest */
    uint64_t fuel;
    uint32_t nodes;      /* when model->changes was `counted` */
    uint64_t counted;
    uint32_t ring[PM_RING], nring; /* rules applied last */
    int64_t stuck;       /* lowest opset that the model could not be raised to, or 0 */
    uint32_t vain;       /* raises that were taken back */
    VEC(struct pm_raised) raised; /* of the newest raise */
    bool in_function;             /* what could not be raised stands in a function */
    VEC(struct pm_rested) rested;
    struct pm_atomic *atomic; /* of an atomic phase that is going on, or NULL */
};
/* Of one that has p, model, options, report and diags. */
void pm_run_begin(struct pm_run *r);
void pm_run_end(struct pm_run *r);

/* TRIED: not applied either, and the list of matches has been used for something else. */
enum pm_outcome { NOT_APPLIED, TRIED, APPLIED, RAISED };
/* One match, if its rule may run and its conditions hold. Counts what becomes of it. */
enum pm_outcome pm_try(struct pm_run *r, const struct pm_stage *s, struct ir_graph *g,
                       const struct pm_match *m, struct pm_done *done);
/* Counts an application in the report; or, with why, a refusal. */
void pm_count(struct pm_run *r, const struct pm_accept *a, int64_t nodes, const char *why);
/* An application that came to nothing. */
void pm_uncount(struct pm_run *r, const struct pm_accept *a, int64_t nodes,
                const char *why);

/* step.c: one application of a rule: whether it may be made, and what a judge says of it.
 * false: not made, or undone; *why in words, NULL when that is no refusal. own: the rule
 * is applied to its own work, so it must shrink it. */
bool pm_step(struct pm_run *r, struct pm_env *env, const struct pm_match *m, bool own,
             struct pm_done *done, const char **why);
/* Runs a pass, the number-th one of the run, unless it is forbidden. */
uint32_t pm_step_pass(struct pm_run *r, const struct ir_pass *pass, uint32_t number);
void pm_steps_begin(struct pm_run *r);
/* Were all steps made that may be? */
bool pm_steps_end(const struct pm_run *r);
/* Must the rule not be applied to the match? */
bool pm_is_forbidden(const struct pm_run *r, const struct pm_match *m);

/* unstage.c: a staged operator that was made; whether a node is one, or NULL. */
void pm_keep_staged(struct pm_run *r, const struct pm_staged *s);
const struct pm_staged *pm_staged_at(const struct pm_run *r, const struct ir_graph *g,
                                     ir_node n);
/* Puts the body in its place; false, with the graph to be undone, where that cannot be. */
bool pm_unfold_in_place(struct pm_run *r, const struct pm_staged *s, struct pm_done *done);
/* Gives back what those stand for that are left over. */
enum rw_code pm_restore_staged(struct pm_run *r);
/* No model has the domains of staged operators. */
enum rw_code pm_check_domains(const struct pm_run *r);

/* atomic.c: a phase of which either all is done or nothing. */
struct pm_atomic {
    ir_mark_t mark;
    struct pm_report before; /* with a list of its own */
    uint32_t staged;
    const struct rule *rule; /* that was not applied where it fits, in this sweep; or NULL */
    const char *value, *why;
};
void pm_atomic_begin(struct pm_run *r, struct pm_atomic *a);
/* A match whose conditions hold is not applied. */
void pm_atomic_missed(struct pm_run *r, const struct pm_match *m, const char *why);
/* Takes all back unless it was complete. */
void pm_atomic_end(struct pm_run *r, const struct pm_stage *s);
/* What was done stays, but for what an atomic phase does. */
void pm_commit(struct pm_run *r);

/* raise.c: raises the model to an opset: by the rules of a pack that `raises opset` where
 * the name of an operator changed its meaning, else by its form; wished: even where the
 * runtime does not run it then. false: it cannot be; the model is as before and *why says
 * which node stands in the way. */
bool pm_raise(struct pm_run *r, int64_t opset, bool wished, const char **why);
/* It is kept. */
void pm_count_raise(struct pm_run *r);

#endif
