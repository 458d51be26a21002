/* verify.c -- what the verifier says of models, for tests.
 *
 *     verify MODEL...
 *
 * For each: a line `CODE MODEL`, the code that the command would exit with, then the
 * diagnostics, indented.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

#include <stdio.h>

static enum rw_code verify(struct ir_model *m, struct diag_sink *diags) {
    ir_add_missing_imports(m, diags);
    enum rw_code inferred = ir_infer_strictly(m, diags);
    enum rw_code code = ir_verify_model(m, diags);
    return code == RW_OK ? inferred : code;
}

static void print(const struct diag_sink *diags) {
    struct buf b = {0};
    for (uint32_t i = 0; i < diags->list.len; i++) {
        buf_puts(&b, "    ");
        diag_print(&diags->list.at[i], &b);
    }
    fputs(buf_text(&b), stdout);
    buf_free(&b);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        struct arena a = ARENA_EMPTY;
        struct diag_sink diags;
        diag_init(&diags, &a);
        struct ir_model *m = ir_model_read(&a, argv[i], &diags);
        enum rw_code code = m ? verify(m, &diags) : RW_FORMAT;
        printf("%d %s\n", (int)code, argv[i]);
        print(&diags);
        if (m) ir_model_close(m);
        arena_free(&a);
    }
    return 0;
}
