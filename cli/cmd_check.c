/* cmd_check.c -- onnxrw check and infer: what is known of a model without running it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/json.h"
#include "ir/infer.h"
#include "ir/verify.h"

#include <stdio.h>

/* --- check --------------------------------------------------------------------------- */

static enum rw_code judge(struct ir_model *m, struct diag_sink *diags) {
    ir_add_missing_imports(m, diags);
    enum rw_code inferred = ir_infer_strictly(m, diags);
    enum rw_code verified = ir_verify_model(m, diags);
    return inferred == RW_OK && verified == RW_OK ? RW_OK : RW_WRONG;
}

static uint32_t count_nodes(const struct ir_model *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) n += m->graphs.at[i]->live;
    return n;
}

static void print_json(struct session *s) {
    struct buf text = {0};
    json_diagnostics(&s->diags, s->options.args.at[0], &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    s->printed = s->diags.list.len;
}

enum rw_code cmd_check(struct session *s) {
    const char *path = s->options.args.at[0];
    if (s->options.json) s->diags.error_limit = JSON_ERRORS;
    struct ir_model *m = ir_model_read(&s->arena, path, &s->diags);
    enum rw_code code = m ? judge(m, &s->diags) : RW_FORMAT;
    if (s->options.json) print_json(s);
    session_flush(s);
    if (code == RW_OK && s->options.verbosity >= 0 && !s->options.json)
        printf("%s: no errors in %u node%s\n", path, count_nodes(m),
               plural(count_nodes(m)));
    if (m) ir_model_close(m);
    return code;
}

/* --- infer --------------------------------------------------------------------------- */

static const char *default_output(struct session *s, const char *path) {
    if (rw_streq(path, "-") || s->options.json) return "-";
    return session_rename(s, path, ".onnx", ".infer.onnx");
}

static enum rw_code write_values(struct session *s, const struct ir_model *m,
                                 const char *out) {
    struct buf text = {0};
    json_values(m, &text);
    enum rw_code code = session_write(s, out, &text);
    buf_free(&text);
    return code;
}

enum rw_code cmd_infer(struct session *s) {
    const char *path = s->options.args.at[0];
    const char *out = s->options.out ? s->options.out : default_output(s, path);
    struct ir_write_options w = {.durable = s->options.durable, .types = true};
    struct ir_model *m = ir_model_read(&s->arena, path, &s->diags);
    if (!m) return RW_FORMAT;
    ir_add_missing_imports(m, &s->diags);
    enum rw_code code = ir_infer_model(m, &s->diags);
    if (code == RW_OK && s->options.json) code = write_values(s, m, out);
    else if (code == RW_OK) code = ir_model_write(m, out, &w, &s->diags);
    ir_model_close(m);
    return code;
}
