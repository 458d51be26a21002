/* rules_try.h -- one rule tried on instances of its own pattern, as text.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RULES_TRY_H
#define CLI_RULES_TRY_H

#include "cli/cli.h"
#include "judge/judge.h"

/* How it ended, and what is to be said. */
struct rule_tried {
    bool wrong; /* a counter-example, or never exercised */
    uint32_t scarce; /* alternatives and sides of conditions hardly seen */
    struct buf out, err;
};
void rule_try(struct session *s, struct judge *j, const struct rule_pack *pack,
              const struct rule *r, struct rule_tried *t);

/* All of a pack's own rules, `jobs` at a time. */
struct rules_tried {
    uint32_t rules, wrong, scarce;
};
enum rw_code rules_try(struct session *s, const struct rule_pack *pack,
                       struct rules_tried *sum);

#endif
