/* where.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/where.h"

#include "ir/file/files.h"

const char *ir_model_name(const struct ir_model *m) {
    if (m->source) return m->source->name;
    return m->main->name && *m->main->name ? m->main->name : "model";
}

const char *ir_node_where(const struct ir_graph *g, ir_node n, struct arena *a) {
    struct buf b = {0};
    const char *name = ir_nod(g, n)->name;
    ir_value first = ir_output(g, n, 0);
    buf_printf(&b, "%s: node ", ir_model_name(g->model));
    if (name && *name) buf_quote(&b, name);
    else if (first != IR_NONE) buf_puts(&b, "of "), buf_quote(&b, ir_val(g, first)->name);
    buf_printf(&b, " (%s)", ir_op_name(g, n));
    const char *text = arena_strdup(a, buf_text(&b));
    buf_free(&b);
    return text;
}
