/* roundtrip.c -- reads a model and writes it, for tests.
 *
 *     roundtrip [--rebuild] [--share] IN [OUT]
 *
 * --rebuild: every node is written from the graph and not from the message it was read
 * from, as if each had been edited. Without OUT the model is only read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

#include <stdio.h>

static void change_all(struct ir_model *m) {
    for (uint32_t i = 0; i < m->graphs.len; i++)
        for (ir_node n = 0; n < m->graphs.at[i]->nodes.len; n++)
            m->graphs.at[i]->nodes.at[n].flags |= IR_NODE_CHANGED;
    m->edits++;
}

static void print(const struct diag_sink *diags) {
    struct buf b = {0};
    diag_print_all(diags, DIAG_NOTE, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
}

int main(int argc, char **argv) {
    struct ir_write_options options = {0};
    bool rebuild = false;
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (rw_streq(argv[at], "--rebuild")) rebuild = true;
        else if (rw_streq(argv[at], "--share")) options.weights = IR_WEIGHTS_SHARE;
    }
    if (at == argc) return RW_USAGE;
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct ir_model *m = ir_model_read(&a, argv[at], &diags);
    enum rw_code code = m ? RW_OK : RW_FORMAT;
    for (uint32_t i = 0; m && i < m->graphs.len; i++)
        if (!ir_graph_check(m->graphs.at[i], &diags)) code = RW_WRONG;
    if (m && rebuild) change_all(m);
    if (code == RW_OK && at + 1 < argc) code = ir_model_write(m, argv[at + 1], &options, &diags);
    print(&diags);
    if (m) ir_model_close(m);
    arena_free(&a);
    return (int)code;
}
