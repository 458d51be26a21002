/* cmd_check.c -- onnxrw check and infer: what is known of a model without running it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cli.h"
#include "ir/infer.h"
#include "ir/verify.h"

#include <stdio.h>

static struct ir_model *read_and_infer(struct session *s, enum rw_code *code) {
    struct ir_model *m = ir_model_read(&s->arena, s->options.args.at[0], &s->diags);
    *code = RW_FORMAT;
    if (!m) return NULL;
    ir_add_missing_imports(m, &s->diags);
    *code = ir_infer_model(m, &s->diags);
    return m;
}

static uint32_t count_nodes(const struct ir_model *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) n += m->graphs.at[i]->live;
    return n;
}

int cmd_check(struct session *s) {
    enum rw_code code;
    struct ir_model *m = read_and_infer(s, &code);
    if (!m) return (int)code;
    enum rw_code verified = ir_verify_model(m, &s->diags);
    if (code == RW_OK) code = verified;
    session_flush(s);
    if (code == RW_OK && s->options.verbosity >= 0)
        printf("%s: no errors in %u node%s\n", s->options.args.at[0], count_nodes(m),
               plural(count_nodes(m)));
    ir_model_close(m);
    return code == RW_OK ? RW_OK : RW_WRONG;
}

int cmd_infer(struct session *s) {
    enum rw_code code;
    const char *path = s->options.args.at[0], *out = s->options.out;
    struct ir_write_options w = {.durable = s->options.durable, .types = true};
    struct ir_model *m = read_and_infer(s, &code);
    if (!m) return (int)code;
    if (!out)
        out = rw_streq(path, "-") ? "-" : session_rename(s, path, ".onnx", ".infer.onnx");
    if (code == RW_OK) code = ir_model_write(m, out, &w, &s->diags);
    ir_model_close(m);
    return (int)code;
}
