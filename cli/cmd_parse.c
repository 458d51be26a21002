/* cmd_parse.c -- onnxrw parse: ONNX text to a model.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cli.h"
#include "ir/text.h"

enum rw_code cmd_parse(struct session *s) {
    const char *path = s->options.args.at[0], *out = s->options.out;
    if (!out) out = rw_streq(path, "-") ? "-" : session_rename(s, path, ".txt", ".onnx");
    const struct diag_source *source = session_read(s, path);
    struct ir_model *m = source ? ir_text_parse(&s->arena, source, &s->diags) : NULL;
    if (!m) return RW_FORMAT;
    struct ir_write_options o = {.weights = IR_WEIGHTS_COPY, .durable = s->options.durable};
    return ir_model_write(m, out, &o, &s->diags);
}
