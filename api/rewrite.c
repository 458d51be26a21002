/* rewrite.c -- see rewrite.h. SPDX-License-Identifier: Apache-2.0 */
#include "api/rewrite.h"

#include "ir/verify.h"

/* NULL when there is none: a model can do without being raised. */
static const struct rule_pack *opset_pack(struct arena *a, const struct dsl_paths *paths,
                                          struct diag_sink *diags) {
    struct diag_sink own;
    diag_init(&own, a);
    const struct rule_pack *pack = dsl_load(a, "opset.rules", paths, &own);
    if (!pack)
        diag_where(diags, DIAG_WARNING, "opset.rules",
                   "not loaded, so operators that changed their meaning are not raised");
    return pack;
}

const struct pm_auto *api_compile(struct arena *a, const struct rule_pack *const *packs,
                                  uint32_t n, const struct dsl_paths *paths,
                                  struct diag_sink *diags) {
    const struct rule_pack **all = arena_new_array(a, const struct rule_pack *, n + 1);
    memcpy(all, packs, n * sizeof *all);
    for (uint32_t i = 0; i < n; i++)
        if (packs[i]->raises_opset) return pm_compile(a, packs, n, diags);
    all[n] = opset_pack(a, paths, diags);
    return pm_compile(a, all, all[n] ? n + 1 : n, diags);
}

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
