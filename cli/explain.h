/* explain.h -- the answer of onnxrw explain, for people and for tools.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/cli.h"

/* `most` fates a rule. */
void explain_text(const struct pm_answer *a, uint32_t most, struct buf *out);
/* A list of rules; docs/explain.md says what is in it. */
void explain_json(const struct pm_answer *a, uint32_t most, struct buf *out);

#endif
