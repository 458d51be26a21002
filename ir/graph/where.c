/* where.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/where.h"

#include "ir/file/files.h"

const char *ir_model_name(const struct ir_model *m) {
    if (m->source) return m->source->name;
    return m->main->name && *m->main->name ? m->main->name : "model";
}

/* The name of a node, or else of its first output. */
static const char *name_of(const struct ir_graph *g, ir_node n) {
    const char *name = ir_nod(g, n)->name;
    ir_value first = ir_output(g, n, 0);
    if (name && *name) return name;
    return first == IR_NONE ? NULL : ir_val(g, first)->name;
}

struct diag_subject ir_node_subject(const struct ir_graph *g, ir_node n) {
    return (struct diag_subject){g->name, name_of(g, n), ir_op_name(g, n)};
}

const char *ir_node_where(const struct ir_graph *g, ir_node n, struct arena *a) {
    struct buf b = {0};
    const char *own = ir_nod(g, n)->name, *name = name_of(g, n);
    buf_printf(&b, "%s: node ", ir_model_name(g->model));
    if (!own || !*own) buf_puts(&b, name ? "of " : "");
    if (name) buf_quote(&b, name);
    buf_printf(&b, " (%s)", ir_op_name(g, n));
    const char *text = arena_strdup(a, buf_text(&b));
    buf_free(&b);
    return text;
}

void ir_diag_node(struct diag_sink *diags, enum diag_level level, const struct ir_graph *g,
                  ir_node n, const char *text) {
    struct arena words = ARENA_EMPTY;
    diag_where(diags, level, ir_node_where(g, n, &words), "%s", text);
    diag_about(diags, ir_node_subject(g, n));
    arena_free(&words);
}
