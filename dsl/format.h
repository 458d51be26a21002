/* format.h -- printing syntax trees: shared by the formatter's two halves.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_FORMAT_H
#define DSL_FORMAT_H

#include "dsl/ast.h"

#define FORMAT_WIDTH 92u

/* An expression on one line, with marks where it may be broken: byte 1, then the depth. */
void dsl_print_expr(struct buf *out, const struct ast *e, uint32_t depth);
void dsl_print_type(struct buf *out, const struct ast_type *t);
void dsl_print_words(struct buf *out, const struct ast_words *w, uint32_t depth);
void dsl_print_break(struct buf *out, uint32_t depth);
/* Text with marks, laid out from the buffer's present column: on one line if it fits, else
 * broken at the outermost marks, continued at `indent` spaces. */
void dsl_layout(struct buf *out, const char *marked, uint32_t indent);
uint32_t dsl_column(const struct buf *out);

#endif
