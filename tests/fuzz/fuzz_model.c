/* fuzz_model.c -- any bytes as a model: read, verified, inferred, simplified, printed,
 * rebuilt, written to nowhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void change_all(struct ir_model *m) {
    for (uint32_t i = 0; i < m->graphs.len; i++)
        for (ir_node n = 0; n < m->graphs.at[i]->nodes.len; n++)
            m->graphs.at[i]->nodes.at[n].flags |= IR_NODE_CHANGED;
    m->edits++;
}

/* Values that are asked for must be readable or refused. */
static void read_constants(struct ir_model *m, struct arena *a) {
    for (uint32_t i = 0; i < m->graphs.len; i++)
        for (ir_value v = 0; v < m->graphs.at[i]->values.len; v++) {
            struct arena_mark mark = arena_mark(a);
            struct ir_tensor *t = ir_const(m->graphs.at[i], v);
            if (t && t->nbytes < 1 << 20) ir_tensor_read(m, t, a);
            arena_reset(a, mark);
        }
}

static void run_passes(struct ir_model *m) {
    size_t n;
    const struct ir_pass *all = ir_pass_all(&n);
    for (size_t i = 0; i < n; i++)
        all[i].run(m, &(struct ir_pass_options){.fold_limit = 1 << 16});
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct ir_model *m = ir_model_read_bytes(&a, bytes, len, "fuzz", NULL, &diags);
    rw_assert(m || diags.count[DIAG_ERROR]);
    if (m) {
        for (uint32_t i = 0; i < m->graphs.len; i++)
            rw_assert(ir_graph_check(m->graphs.at[i], &diags));
        read_constants(m, &a);
        ir_add_missing_imports(m, &diags);
        ir_verify_model(m, &diags);
        if (ir_infer_model(m, &diags) == RW_OK) {
            run_passes(m);
            struct buf text = {0};
            for (uint32_t i = 0; i < m->graphs.len; i++)
                rw_assert(ir_graph_check(m->graphs.at[i], &diags));
            ir_text_print(m, &(struct ir_text_options){0}, &text);
            buf_free(&text);
        }
        change_all(m);
        ir_model_write(m, "/dev/null", &(struct ir_write_options){0}, &diags);
        ir_model_close(m);
    }
    arena_free(&a);
    return 0;
}
