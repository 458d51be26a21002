/* fuzz_check.c -- what `onnxrw check` does with a model: inferred strictly, verified. The
 * verdict comes with a word, and asking twice gives it twice.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check(struct ir_model *m, struct arena *a, struct diag_sink *diags) {
    ir_add_missing_imports(m, diags);
    enum rw_code inferred = ir_infer_strictly(m, diags);
    enum rw_code verified = ir_verify_model(m, diags);
    const struct ir_interface *was = ir_interface_of(m, a);
    rw_assert((inferred == RW_OK && verified == RW_OK) == !diags->count[DIAG_ERROR]);
    rw_assert(ir_verify_model(m, diags) == verified);
    rw_assert(ir_verify_kept(m, was, diags) == RW_OK);
    for (uint32_t i = 0; i < m->graphs.len; i++)
        rw_assert(ir_graph_check(m->graphs.at[i], diags));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct ir_model *m = ir_model_read_bytes(&a, bytes, len, "fuzz", NULL, &diags);
    rw_assert(m || diags.count[DIAG_ERROR]);
    if (m) {
        check(m, &a, &diags);
        ir_model_close(m);
    }
    arena_free(&a);
    return 0;
}
