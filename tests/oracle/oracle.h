/* oracle.h -- matching a second time, as plainly as it can be said.
 *
 * Written from what rule.h says of patterns, without the planner, the merged programs or
 * the machine: goals in a list, tried one after the other with recursion, copies of the
 * bindings instead of a trail. Slow, for tests alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "matcher/bind/bind.h"

/* One line of text for each match of the rule at the node: its bindings. */
struct oracle_lines {
    VEC(const char *) list;
    bool unsure; /* the rules of the language leave open what is bound */
};
struct pm_matcher;
/* t evaluates conditions on members of a family; NULL: there it is not sure. */
void oracle_matches(struct arena *a, struct pm_matcher *t, struct ir_graph *g,
                    const struct rule *r, ir_node root, struct oracle_lines *out);
/* The bindings of a match that the matcher reports, in the same form. */
const char *oracle_line(struct arena *a, struct ir_graph *g, const struct pm_auto *p,
                        const struct pm_members *members, const struct rule *r,
                        const struct pm_binding *slots);
/* Sorts the lines, so that two lists can be compared. */
void oracle_sort(struct oracle_lines *l);

#endif
