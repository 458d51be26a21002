/* text.h -- ONNX text syntax in and out (docs/Syntax.md of the ONNX repository).
 *
 * Printing and parsing are inverse to each other: nothing that the graph holds is lost
 * (what the standard's syntax lacks is written in extensions that docs/text.md lists).
 * Constants of up to 8 elements are printed; larger ones too with `all`, else as a
 * reference that only a reader of the same model resolves: `float[768, 768] w = ...`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TEXT_H
#define IR_TEXT_H

#include "ir/graph.h"

struct ir_text_options {
    bool all; /* every constant in full */
};
void ir_text_print(const struct ir_model *m, const struct ir_text_options *o, struct buf *out);
void ir_text_print_node(const struct ir_graph *g, ir_node n, struct buf *out);
/* NULL and diagnostics with line and column when the text is wrong. A text that starts
 * with a graph (no `<ir_version ...>`) gets the newest versions. */
struct ir_model *ir_text_parse(struct arena *a, const struct diag_source *source,
                               struct diag_sink *diags);

#endif
