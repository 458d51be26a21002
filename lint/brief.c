/* brief.c -- what is told of a pack that is about to be run: that a rule of it can never be
 * applied, and of the rest how much there is. Whatever takes long is left to lint_pack.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

#define BUDGET 100000u /* steps: some milliseconds */
#define MOST_TOLD 3u

/* Advice concerns who writes the pack, not who runs it. */
static bool matters(const struct diag *d) {
    bool finding = d->level == DIAG_ERROR || d->level == DIAG_WARNING;
    return finding && d->id != DIAG_R_CUT;
}

static void tell(const struct diag *d, struct diag_sink *diags) {
    diag_at(diags, DIAG_WARNING, d->at, "%s", d->text);
    diag_id(diags, d->id);
}

void lint_briefly(const struct rule_pack *pack, struct diag_sink *diags) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink found;
    uint32_t told = 0, rest = 0;
    diag_init(&found, &a);
    struct lint l = {.pack = pack, .diags = &found, .budget = BUDGET, .brief = true};
    lint_all(&l);
    lint_allow(pack, false, &found, 0);
    for (uint32_t i = 0; i < found.list.len; i++) {
        const struct diag *d = &found.list.at[i];
        if (d->level == DIAG_ERROR && told < MOST_TOLD) tell(d, diags), told++;
        else rest += matters(d);
    }
    if (told + rest > 0)
        diag_where(diags, DIAG_HELP, NULL, "\"onnxrw rules check %s\" says %s", pack->source->name,
                   rest ? arena_printf(&a, "more, %u other finding%s among it", rest,
                                       rest == 1 ? "" : "s")
                        : "more");
    arena_free(&a);
}
