/* run_passes.c -- runs whole-graph passes over a model, for tests.
 *
 *     run_passes PASS,PASS,... IN OUT
 *
 * Types are inferred before; the graph's invariants are checked after each pass. Prints
 * how much each pass changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

#include <stdio.h>

static void print(const struct diag_sink *diags) {
    struct buf b = {0};
    diag_print_all(diags, DIAG_ERROR, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
}

static bool is_sound(const struct ir_model *m, struct diag_sink *diags) {
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (!ir_graph_check(m->graphs.at[i], diags)) return false;
    return true;
}

static enum rw_code run(struct ir_model *m, char *names, struct diag_sink *diags) {
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        const struct ir_pass *pass = ir_pass_find(name);
        if (!pass) return RW_USAGE;
        printf("%s %u\n", name, pass->run(m, NULL));
        if (!is_sound(m, diags)) return RW_WRONG;
    }
    return RW_OK;
}

static enum rw_code rewrite(struct arena *a, char **argv, struct diag_sink *diags) {
    struct ir_model *m = ir_model_read(a, argv[2], diags);
    if (!m) return RW_FORMAT;
    enum rw_code code = ir_infer_model(m, diags);
    if (code == RW_OK) code = run(m, argv[1], diags);
    if (code == RW_OK)
        code = ir_model_write(m, argv[3], &(struct ir_write_options){0}, diags);
    ir_model_close(m);
    return code;
}

int main(int argc, char **argv) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    if (argc != 4) return RW_USAGE;
    diag_init(&diags, &a);
    enum rw_code code = rewrite(&a, argv, &diags);
    print(&diags);
    arena_free(&a);
    return (int)code;
}
