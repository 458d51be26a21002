/* rules.h -- onnxrw rules test. SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "cli/cli.h"

/* Runs the examples and near misses of a pack's rules, then instances of their patterns:
 * RW_WRONG when one fails. */
enum rw_code rules_test(struct session *s, const char *pack);

#endif
