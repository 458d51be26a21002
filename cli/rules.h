/* rules.h -- onnxrw rules test and compile. SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "cli/cli.h"

/* Runs the examples and near misses of a pack's rules, then instances of their patterns:
 * RW_WRONG when one fails. */
enum rw_code rules_test(struct session *s, const char *pack);

/* The model of an example, `rules` applied to it as `rules test` does; as it was read when they
 * are NULL. NULL after an error. */
struct ir_model *rules_example(struct session *s, const struct pm_auto *rules, const struct rule *r,
                               const struct rule_example *e, struct pm_report *report);
/* How often a rule was applied. */
uint32_t rules_applied(const struct pm_report *r, const struct rule *rule);

/* Warns when a near miss, which did not match, fails at something else than it names. */
void rules_near(struct session *s, const struct pm_auto *rules, const struct rule *r,
                const struct rule_example *e, const struct pm_options *o);

/* Writes a page of packs, in Markdown, to -o or standard output. */
enum rw_code rules_doc(struct session *s, uint32_t n, const char *const *names);

/* Writes packs as C or as a library, to -o. */
enum rw_code rules_compile(struct session *s, uint32_t n, const char *const *names);

#endif
