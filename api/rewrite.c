/* rewrite.c -- see rewrite.h. SPDX-License-Identifier: Apache-2.0 */
#include "api/rewrite.h"

#include "ir/verify.h"

enum rw_code api_prepare(struct ir_model *m, enum pm_verify verify,
                         struct diag_sink *diags) {
    ir_add_missing_imports(m, diags);
    enum rw_code code = ir_infer_model(m, diags);
    if (code == RW_OK && verify != PM_VERIFY_OFF) code = ir_verify_model(m, diags);
    return code == RW_OK ? RW_OK : RW_FORMAT;
}

enum rw_code api_rewrite(const struct pm_auto *rules, struct ir_model *m,
                         const struct pm_options *o, struct arena *report_arena,
                         struct pm_report *report, struct diag_sink *diags) {
    TRY(pm_run(rules, m, o, report_arena, report, diags));
    if (o->verify == PM_VERIFY_OFF || m->edits == 0) return RW_OK;
    return ir_verify_model(m, diags);
}
