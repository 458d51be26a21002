/* json.h -- what tools read: diagnostics and types of values as JSON. The form is part of
 * the contract (docs/verifier.md); members may be added.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "cli/cli.h"

#define JSON_ERRORS 1000 /* tools read more than people */

/* A string, or null. Bytes that are no UTF-8 become U+FFFD. */
void json_string(struct buf *b, const char *text);
/* A list of {level, file, graph, node, op, text}, in order; with line and column where it is
 * about a text, and id where it has one. */
void json_diagnostics(const struct diag_sink *diags, const char *file, struct buf *out);
/* A list of {graph, name, type, dims}: all values of the model. dims has numbers and
 * symbols as strings; it is null where the rank is not known and for what is no tensor. */
void json_values(const struct ir_model *m, struct buf *out);

#endif
