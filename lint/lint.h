/* lint.h -- the public header of lint/: what can be said of a pack before it is run.
 *
 * Rules that never match, that another one takes everything from, that meet at one node
 * and nothing says which goes first, that go round without an end. Each finding has an id;
 * docs/diagnostics.md has a section for each. Where two rules clash, a graph on which both
 * really match is printed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LINT_LINT_H
#define LINT_LINT_H

#include "matcher/matcher.h"

/* Errors and warnings about the rules of the pack's own file, and about those of the packs
 * that it uses where they meet one another in its phases. competing: notes too, on pairs of
 * rules of which a priority decides. RW_USAGE when there was an error. */
enum rw_code lint_pack(const struct rule_pack *pack, bool competing, struct diag_sink *diags);
/* Takes out warnings of the sink, from number `from` on, that a comment of the pack allows;
 * complete: all that there are stand there, so that a comment without one is told. */
void lint_allow(const struct rule_pack *pack, bool complete, struct diag_sink *diags,
                uint32_t from);
/* What concerns who runs the pack, in a few lines and a few milliseconds: rules that can never
 * be applied, as warnings, and how much else there is. */
void lint_briefly(const struct rule_pack *pack, struct diag_sink *diags);

#endif
