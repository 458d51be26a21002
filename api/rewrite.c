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

/* Warnings are about the input, and were given when it was read. */
static enum rw_code verify_result(struct ir_model *m, const struct ir_interface *before,
                                  struct diag_sink *diags) {
    uint32_t said = diags->list.len, warnings = diags->count[DIAG_WARNING];
    TRY(ir_verify_kept(m, before, diags));
    TRY(ir_verify_model(m, diags));
    diags->list.len = said;
    diags->count[DIAG_WARNING] = warnings;
    return RW_OK;
}

enum rw_code api_rewrite(const struct pm_auto *rules, struct ir_model *m,
                         const struct pm_options *o, struct arena *report_arena,
                         struct pm_report *report, struct diag_sink *diags) {
    struct arena tmp = ARENA_EMPTY;
    const struct ir_interface *before = ir_interface_of(m, &tmp);
    enum rw_code code = pm_run(rules, m, o, report_arena, report, diags);
    if (code == RW_OK && o->verify != PM_VERIFY_OFF && m->edits != 0)
        code = verify_result(m, before, diags);
    arena_free(&tmp);
    return code;
}
