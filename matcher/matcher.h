/* matcher.h -- the public header of matcher/: packs to automaton, automaton over a model.
 *
 * pm_compile makes one merged bind program per root operator over all rules, and the tables
 * of the label level, which tells what rules are tried at a node (label.h). All of it is
 * immutable afterwards and may be shared between threads; a run has its own state.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_MATCHER_H
#define PM_MATCHER_H

#include "dsl/rule.h"
#include "ir/ir.h"
#include "matcher/explain.h"
#include "matcher/binding.h"

struct pm_auto;
struct pm_stage; /* auto.h */

/* Compiles packs, in the order given. A pack named "opset" does not run by itself: its
 * rules carry nodes to a newer opset when a model is raised. NULL and diagnostics when a
 * rule cannot be compiled. */
const struct pm_auto *pm_compile(struct arena *a, const struct rule_pack *const *packs,
                                 uint32_t npacks, struct diag_sink *diags);
/* The rules of each phase, in the order in which they run; those that stand in several come
 * as often. What runs only when a model is raised is left out. */
void pm_each_rule(const struct pm_auto *p,
                  void (*each)(void *ctx, const struct rule *r, const char *phase),
                  void *ctx);
/* Disassembly of the merged programs, for people and tests. */
void pm_dump(const struct pm_auto *p, struct buf *out);

enum pm_verify {
    PM_VERIFY_OFF, PM_VERIFY_STRUCTURE,
    PM_VERIFY_REWRITES, /* also each rewrite by itself: the caller gives a judge */
    PM_VERIFY_MODEL     /* also the model as a whole: done by the caller, over pm_run */
};

/* Nodes that are about to be rewritten, the root first. */
struct pm_subject {
    struct ir_graph *g;
    uint32_t n;
    const ir_node *nodes;
    int64_t opset; /* of ai.onnx, that they are written for */
    /* Nodes and values from here on stand in for a staged operator, and go again: others
     * will have their numbers. */
    ir_node lent_nodes;
    ir_value lent_values;
};
/* A rewrite that was made and is not committed yet. */
struct pm_exchange {
    ir_value old, now; /* the same where the value is now made by a new node */
};
struct pm_change {
    struct ir_graph *g;
    const struct rule *rule;
    uint32_t nmade, nexchanged;
    const ir_node *made;
    const struct pm_exchange *exchanged;
};
/* Judges rewrites one by one; how is not for the matcher to know. */
struct pm_judge {
    void *ctx;
    void (*before)(void *ctx, const struct pm_subject *m);
    /* They were rewritten. false: it is wrong, so it is undone, and the rule is not applied there
     * again. */
    bool (*after)(void *ctx, const struct pm_change *c);
};

/* Rules are applied, and passes change something, step by step, the same steps in each run
 * with the same options. */
struct pm_place {
    const char *rule;  /* or pass */
    const char *value; /* the first root's name; of a pass: which it is. NULL: everywhere */
};

/* For tests: matching without the label level, or with it and beside it without, compared
 * at each node, as are the labels after each rewrite with labels from scratch. */
enum pm_labelling { PM_LABELS_ON, PM_LABELS_OFF, PM_LABELS_CHECKED };

/* Predicates of plug-ins, which outlive it (include/onnxrw_plugin.h); no two of one name. */
struct onnxrw_predicate;
struct pm_natives {
    uint32_t n;
    const struct onnxrw_predicate *const *at;
};
/* Those that the packs declare: one warning where some are missing, for then what they are
 * asked in is unknown; RW_USAGE where a signature is another one. natives may be NULL. */
enum rw_code pm_check_natives(const struct pm_auto *p, const struct pm_natives *natives,
                              struct diag_sink *diags);

struct pm_define { const char *name, *value; }; /* -D NAME=VALUE */
struct pm_options {
    uint32_t target;        /* TARGET_ONNX ... */
    enum rule_class level;  /* -O0 exact, -O1 float, -O2 approx */
    int64_t opset;          /* --opset N: raise to it first; 0: no wish */
    bool keep_opset;        /* --keep-opset: rules that need a newer one are off */
    bool inline_functions;  /* --inline-functions: before all else */
    bool only_raise;        /* to `opset`, and nothing else */
    bool bodies;            /* staged operators that are left over become their bodies */
    enum pm_verify verify;
    enum pm_labelling labels;
    uint64_t fold_limit;
    const struct ir_runtime *runtime; /* for constants that ir/ cannot compute, or NULL */
    uint32_t ndefines;
    const struct pm_define *defines;
    const struct pm_natives *natives; /* or NULL */
    /* Called now and then with work done and to do, for a progress line; may be NULL. */
    void (*progress)(void *ctx, const char *stage, uint64_t done, uint64_t total);
    void *progress_ctx;
    const struct pm_judge *judge; /* or NULL */
    uint32_t nforbidden;          /* what is not to be applied */
    const struct pm_place *forbidden;
    uint64_t most_steps;          /* the run ends after so many; 0: when it is done */
    uint64_t doubt_from;          /* from this step on nothing that a rule promises of shapes
                                     is believed afterwards; 0: all is */
    /* Called before each stage with the model as it is then; false ends the run. */
    bool (*before)(void *ctx, const struct pm_stage *s);
    void *before_ctx;
};

/* What was applied, of the rules of one name: packs share those of rules/lib/. */
struct pm_applied {
    const struct rule *rule;
    uint32_t count;     /* times applied */
    uint32_t refused;   /* matched, but refused by the safety net or for convexity */
    int64_t nodes;      /* change in the number of nodes, in sum */
    const char *why;    /* of the newest refusal, in words; or NULL */
};
struct pm_pass_done {
    const char *name;
    uint32_t changed;
    int64_t nodes; /* change in the number of nodes */
};
struct pm_report {
    VEC(struct pm_applied) rules;  /* those with count or refused, in order of first use */
    VEC(struct pm_pass_done) passes;
    uint32_t nodes_before, nodes_after; /* Constant nodes not counted, bodies counted */
    int64_t opset_before, opset_after;
    uint32_t calls;             /* of functions, that stay where they were to be inlined */
    uint64_t candidates, tests; /* of the bind machine */
    uint64_t tried;             /* nodes visited */
    uint64_t steps;
    uint64_t promises;          /* steps of a rule that promised something of shapes */
    struct pm_place last;       /* of the newest step */
    const struct rule *last_rule; /* NULL: a pass */
};

/* Runs all stages of the automaton over the model: phases to their fixed point, passes.
 * RW_WRONG and a diagnostic that names the cycle of rules when a phase runs out of fuel;
 * RW_USAGE for a define that no pack knows. */
enum rw_code pm_run(const struct pm_auto *p, struct ir_model *m, const struct pm_options *o,
                    struct arena *report_arena, struct pm_report *report,
                    struct diag_sink *diags);

/* One match, for tests, capture and explain: all matches of a rule at a node, no rewrite.
 * Calls back with the slots' values; stops when the callback returns false. */
typedef bool pm_match_fn(void *ctx, const struct rule *r, const struct pm_binding *slots);
void pm_matches(const struct pm_auto *p, struct ir_graph *g, ir_node root,
                const struct pm_options *o, pm_match_fn *each, void *ctx);

/* --- for those who make instances of a rule (ask.c) -------------------------------- */
/* Evaluates a rule's expressions while only some of its slots are bound. */
struct pm_asker;
struct pm_asker *pm_asker_new(const struct pm_auto *p, struct ir_model *m,
                              const struct pm_options *o, struct arena *a);
void pm_asker_free(struct pm_asker *t);
/* A parameter of a node as a binding; BOUND_NOTHING where no rule of p names it. */
struct pm_binding pm_asker_attr(const struct pm_asker *t, ir_node n, const char *name,
                                bool is_axis);
enum ir_truth pm_asker_holds(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                             struct pm_binding *slots, const struct expr *e);
/* A number; a list of dimensions or integers, or a shape. false: not known. */
bool pm_asker_real(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                   struct pm_binding *slots, const struct expr *e, double *out);
bool pm_asker_dims(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                   struct pm_binding *slots, const struct expr *e, uint32_t *n,
                   const ir_dim **dims);
/* A text; an element type. NULL, IR_UNDEFINED: not known. */
const char *pm_asker_text(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                          struct pm_binding *slots, const struct expr *e);
enum ir_dtype pm_asker_dtype(struct pm_asker *t, struct ir_graph *g, const struct rule *r,
                             struct pm_binding *slots, const struct expr *e);
/* A match of a rule's patterns as wholes, whatever its conditions say. */
struct pm_fit {
    const struct rule *rule;
    struct pm_binding *slots;
    uint32_t refuses; /* the first condition that is not true; nwhere: all are */
    enum ir_truth is; /* that one */
    uint32_t block;   /* that would be emitted; nblocks: none */
    uint64_t nodes;   /* the same for matches of the same nodes */
};
typedef void pm_fit_fn(void *ctx, const struct pm_fit *f);
/* All at root. What they point to is gone afterwards. */
void pm_fits(struct pm_asker *t, struct ir_graph *g, ir_node root, pm_fit_fn *each, void *ctx);

#endif
