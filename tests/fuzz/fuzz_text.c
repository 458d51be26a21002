/* fuzz_text.c -- any bytes as ONNX text: what parses prints, and reads the same again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static struct ir_model *parse(struct arena *a, const char *text, size_t len) {
    struct diag_sink *diags = arena_new(a, struct diag_sink);
    struct diag_source *source = arena_new(a, struct diag_source);
    diag_init(diags, a);
    *source = (struct diag_source){"fuzz", arena_strndup(a, text, len), len};
    struct ir_model *m = ir_text_parse(a, source, diags);
    rw_assert(m || diags->count[DIAG_ERROR]);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct ir_text_options all = {.all = true};
    struct buf once = {0}, again = {0};
    diag_init(&diags, &a);
    struct ir_model *m = parse(&a, (const char *)bytes, len);
    if (m) {
        for (uint32_t i = 0; i < m->graphs.len; i++)
            rw_assert(ir_graph_check(m->graphs.at[i], &diags));
        ir_text_print(m, &all, &once);
        struct ir_model *second = parse(&a, buf_text(&once), once.len);
        rw_assert(second);
        ir_text_print(second, &all, &again);
        rw_assert(rw_streq(buf_text(&once), buf_text(&again)));
        ir_model_write(m, "/dev/null", &(struct ir_write_options){0}, &diags);
    }
    buf_free(&once);
    buf_free(&again);
    arena_free(&a);
    return 0;
}
