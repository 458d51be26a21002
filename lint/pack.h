/* pack.h -- the findings, one file each. Private to lint/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LINT_PACK_H
#define LINT_PACK_H

#include "lint/lint.h"
#include "lint/merged.h"

struct lint {
    const struct rule_pack *pack;
    struct diag_sink *diags;
    uint64_t budget;    /* steps of all questions that may still be made */
    uint32_t witnesses; /* instances that may still be looked for */
    uint32_t cut;       /* questions that were too big to be answered in full */
    const struct rule *cut_first; /* about which the first of them was */
    struct map dead;    /* rules by address: no more is said of them */
    bool brief;         /* what takes long is left out, and what is no fault */
    bool competing;     /* say too which pairs a priority decides */
};

/* The rules of a phase in the order in which they are tried. */
struct lint_phase {
    const struct rule_stage *stage;
    uint32_t n;
    const struct rule **rules;
};

/* pack.c: all of them, of a struct that has pack, sink and bounds. */
void lint_all(struct lint *l);
/* A question about the rule was too big. */
void lint_set_cut(struct lint *l, const struct rule *r);
/* Is it for this file to be told? */
bool lint_is_own(const struct lint *l, const struct rule *r);
/* It never is applied, which was said. */
void lint_set_dead(struct lint *l, const struct rule *r);
bool lint_is_dead(const struct lint *l, const struct rule *r);

void lint_advice(struct lint *l, const struct rule *r);                     /* advice.c */
void lint_ambiguous(struct lint *l, const struct rule *r);                  /* ambiguous.c */
/* These two: false when it can never match. */
bool lint_never(struct lint *l, const struct rule *r);                      /* never.c */
bool lint_facts(struct lint *l, const struct rule *r);                      /* facts.c */
/* The same, of a merged rule, and nothing is told. */
bool lint_facts_clash(const struct rule *r);
void lint_overlaps(struct lint *l, const struct lint_phase *p);             /* overlap.c */
void lint_cycles(struct lint *l, const struct lint_phase *p);               /* cycles.c */

/* covers.c: does a match wherever b does, at the same root? */
enum lint_cover {
    LINT_APART,   /* there may be matches of b that are none of a */
    LINT_GUARDED, /* where a's conditions hold */
    LINT_COVERED  /* always */
};
enum lint_cover lint_covers(struct lint *l, const struct rule *a, const struct rule *b);

#endif
