/* packs.c -- finding and loading rule packs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/paths.h"
#include "api/rewrite.h"
#include "cli/cli.h"

const struct rule_pack *const *packs_load(struct session *s, uint32_t n,
                                          const char *const *names) {
    static const char *const standard[] = {"auto.rules"};
    struct dsl_paths paths = api_paths(&s->arena);
    if (n == 0) n = 1, names = standard;
    const struct rule_pack **packs =
        arena_new_array(&s->arena, const struct rule_pack *, n);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        packs[i] = dsl_load(&s->arena, names[i], &paths, &s->diags);
        ok = ok && packs[i];
    }
    return ok ? packs : NULL;
}

const struct pm_auto *packs_compile(struct session *s, uint32_t n,
                                    const struct rule_pack *const *packs) {
    struct dsl_paths paths = api_paths(&s->arena);
    return api_compile(&s->arena, packs, n, &paths, &s->diags);
}
