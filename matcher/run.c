/* run.c -- a stand-in until the rewriting loop lands here.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/matcher.h"

enum rw_code pm_run(const struct pm_auto *p, struct ir_model *m, const struct pm_options *o,
                    struct arena *report_arena, struct pm_report *report,
                    struct diag_sink *diags) {
    RW_UNUSED(p), RW_UNUSED(m), RW_UNUSED(o), RW_UNUSED(report_arena), RW_UNUSED(report);
    diag_where(diags, DIAG_ERROR, NULL, "the rewriting loop is not there yet");
    return RW_USAGE;
}
