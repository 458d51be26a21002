/* lint.c -- advice on a pack that is right: for `rules check`, not for every run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"

static bool has(const struct rule *r, bool near) {
    for (uint32_t i = 0; i < r->nexamples; i++)
        if (r->examples[i].is_near == near) return true;
    return false;
}

static void lint_rule(const struct rule *r, struct diag_sink *diags) {
    if (!has(r, false)) {
        diag_at(diags, DIAG_WARNING, r->at, "\"%s\" has no example", r->name);
        diag_at(diags, DIAG_HELP, r->at, "write: example { ONNX text } => Operator 1");
    } else if (!has(r, true) && r->nwhere) {
        diag_at(diags, DIAG_WARNING, r->at,
                "\"%s\" has conditions, but no near miss that fails one", r->name);
        diag_at(diags, DIAG_HELP, r->at,
                "write: near \"title\" { ONNX text } => \"the condition\"");
    }
}

void dsl_lint(const struct rule_pack *pack, struct diag_sink *diags) {
    for (uint32_t i = 0; i < pack->nrules; i++)
        if (pack->rules[i]->at.source == pack->source) lint_rule(pack->rules[i], diags);
}
