/* cmd_print.c -- onnxrw print: a model as ONNX text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "cli/cli.h"
#include "ir/text.h"

enum rw_code cmd_print(struct session *s) {
    const char *path = s->options.args.at[0];
    const char *out = s->options.out ? s->options.out : "-";
    struct ir_model *m = ir_model_read(&s->arena, path, &s->diags);
    if (!m) return RW_FORMAT;
    struct ir_text_options o = {.all = s->options.all,
                                .file = rw_streq(path, "-") ? NULL : os_basename(path)};
    struct buf text = {0};
    ir_text_print(m, &o, &text);
    enum rw_code code = session_write(s, out, &text);
    buf_free(&text);
    ir_model_close(m);
    return code;
}
