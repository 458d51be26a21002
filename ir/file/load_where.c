/* load_where.c -- errors of the reader, and the words for where they are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

#include <stdarg.h>

static const char *name_of(const Onnx__NodeProto *p) {
    if (p->name && *p->name) return p->name;
    return p->n_output ? p->output[0] : NULL;
}

static void add_node(struct buf *b, const Onnx__NodeProto *p) {
    buf_puts(b, "node ");
    if (p->name && *p->name) buf_quote(b, p->name);
    else if (p->n_output) buf_puts(b, "of "), buf_quote(b, p->output[0]);
    buf_printf(b, " (%s)", p->op_type ? p->op_type : "");
}

const char *ir_node_words(struct ir_load *l, const Onnx__NodeProto *p) {
    struct buf b = {0};
    add_node(&b, p);
    const char *text = arena_strdup(&l->scratch, buf_text(&b));
    buf_free(&b);
    return text;
}

enum rw_code ir_load_error(struct ir_load *l, struct ir_spot at, const char *format, ...) {
    struct buf where = {0};
    va_list args;
    buf_puts(&where, l->source->name);
    if (at.node) buf_puts(&where, ": "), add_node(&where, at.node);
    if (at.kind) {
        buf_printf(&where, ": %s ", at.kind);
        buf_quote(&where, at.name ? at.name : "");
    }
    va_start(args, format);
    diag_where(l->diags, DIAG_ERROR, buf_text(&where), "%s",
               arena_vprintf(&l->scratch, format, args));
    va_end(args);
    if (at.node)
        diag_about(l->diags, (struct diag_subject){.node = name_of(at.node),
                                                   .op = at.node->op_type});
    buf_free(&where);
    return RW_FORMAT;
}
