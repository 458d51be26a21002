/* alone.c -- a rule without the others of its pack, which would take what belongs to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"

const struct rule_pack *dsl_alone(struct arena *a, const struct rule *r) {
    static const uint32_t first = 0;
    struct rule_pack *pack = arena_copy(a, r->pack, sizeof *pack);
    struct rule *copy = arena_copy(a, r, sizeof *copy);
    struct rule_stage *stage = arena_new(a, struct rule_stage);
    const struct rule **rules = arena_new(a, const struct rule *);
    *stage = (struct rule_stage){.name = "alone", .nrules = 1, .rules = &first, .at = r->at};
    copy->pack = pack;
    rules[0] = copy;
    pack->rules = rules;
    pack->stages = stage;
    pack->nrules = pack->nstages = 1;
    return pack;
}
