/* alone.c -- rules without the others of their pack, which would take what belongs to them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"

const struct rule_pack *dsl_alone(struct arena *a, uint32_t n, const struct rule *const *some) {
    struct rule_pack *pack = arena_copy(a, some[n - 1]->pack, sizeof *pack);
    const struct rule **rules = arena_new_array(a, const struct rule *, n);
    struct rule_stage *stages = arena_new_array(a, struct rule_stage, n);
    uint32_t *numbers = arena_new_array(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        struct rule *copy = arena_copy(a, some[i], sizeof *copy);
        copy->pack = pack;
        rules[i] = copy;
        numbers[i] = i;
        stages[i] = (struct rule_stage){
            .name = "alone", .nrules = 1, .rules = &numbers[i], .at = copy->at};
    }
    pack->rules = rules;
    pack->stages = stages;
    pack->nrules = pack->nstages = n;
    return pack;
}
