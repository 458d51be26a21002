/* text.h -- ONNX text syntax in and out (docs/Syntax.md of the ONNX repository).
 *
 * Printing and parsing are inverse to each other: nothing that the graph holds is lost
 * (what the standard's syntax lacks is written in extensions that docs/text.md lists).
 * Constants of up to 8 elements are printed; larger ones too with `all`, else as a
 * reference to the bytes in the model's file (as external data), or, where there is no
 * such range, as `...`, which only says that something is there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TEXT_H
#define IR_TEXT_H

#include "ir/graph.h"

struct ir_text_options {
    bool all;         /* every constant in full */
    const char *file; /* the model's file without its folder, to refer to; then nothing is
                         left out. Or NULL */
};
void ir_text_print(const struct ir_model *m, const struct ir_text_options *o,
                   struct buf *out);
/* One node as a line (a body takes more) without indentation or newline. */
void ir_text_print_node(const struct ir_graph *g, ir_node n, struct buf *out);

/* A graph as a flowchart of Mermaid (https://mermaid.js.org), bodies as one node. */
void ir_text_draw(const struct ir_graph *g, struct buf *out);

/* NULL and one diagnostic with line and column when the text is wrong. All that stands
 * in front of the inputs may be left out: a text without `<ir_version ..., opset_import
 * ...>` gets the newest versions, and imports the other domains that it uses. */
struct ir_model *ir_text_parse(struct arena *a, const struct diag_source *source,
                               struct diag_sink *diags);
/* The same for a part of a text: an example in a rules file. */
struct ir_model *ir_text_parse_span(struct arena *a, struct span at,
                                    struct diag_sink *diags);

#endif
