/* rules.h -- onnxrw rules test and compile. SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "cli/cli.h"

/* Runs the examples and near misses of a pack's rules, then instances of their patterns:
 * RW_WRONG when one fails. */
enum rw_code rules_test(struct session *s, const char *pack);

/* Warns when a near miss, which did not match, fails at something else than it names. */
void rules_near(struct session *s, const struct pm_auto *rules, const struct rule *r,
                const struct rule_example *e, const struct pm_options *o);

/* Writes packs as C or as a library, to -o. */
enum rw_code rules_compile(struct session *s, uint32_t n, const char *const *names);

#endif
