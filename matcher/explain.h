/* explain.h -- why a rule did not match: part of matcher.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_EXPLAIN_H
#define PM_EXPLAIN_H

#include "dsl/rule.h"
#include "ir/ir.h"

struct pm_auto;
struct pm_options;

/* A test that does not hold. */
struct pm_reason {
    struct span at;    /* in the rules file */
    const char *text;  /* what is wanted, what was found */
    const char *node;  /* the name of the node, or of its first result, that it is about */
    const char *value; /* the name of the value that it is about, or NULL */
};
/* A failed commutative operator: tests that hold of each operand's pattern at each operand
 * of the node. */
struct pm_pair {
    const char *node;
    struct span pattern[2];
    const char *operand[2];
    uint32_t held[2][2], total[2][2]; /* [pattern][operand] */
};
enum pm_verdict { PM_MISSES, PM_REFUSED, PM_MATCHES };
/* Nodes at which a rule fares the same. */
struct pm_fate {
    enum pm_verdict verdict;
    uint32_t held, total;
    uint32_t count;           /* of such nodes */
    const char *root;         /* the first one, as text */
    const char *graph, *name; /* and its names */
    VEC(const char *) others; /* names of some more */
    VEC(struct pm_reason) reasons;
    uint32_t unreached;       /* tests on what is not there */
    bool gave_up;
    const struct pm_pair *pair; /* or NULL */
    const char *refused;        /* why, in words */
};
struct pm_explained {
    const struct rule *rule;
    const struct rule_pack *pack;
    const char *phase;
    const char *off;       /* why the rule does not run at all, or NULL */
    const char *wanted_op; /* what its root can be */
    const char *node_op;   /* what the node asked for is, if it cannot be the root */
    uint32_t nroots;       /* nodes looked at */
    uint32_t nmatches;     /* of them */
    VEC(struct pm_fate) fates; /* the nearest first */
};
struct pm_question {
    const char *rule, *node; /* or NULL: all */
    uint32_t other_names;    /* how many names of equal nodes are kept */
};
struct pm_answer {
    VEC(struct pm_explained) rules; /* by stage, in order of the pack */
    bool rule_known, node_known;
};
/* Runs the stages, and in front of each says how its rules fare at the model as it is. */
enum rw_code pm_explain(const struct pm_auto *p, struct ir_model *m,
                        const struct pm_options *o, const struct pm_question *q,
                        struct arena *a, struct pm_answer *out, struct diag_sink *diags);

#endif
