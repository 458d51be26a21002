/* private.h -- what the printing half of ir/text_*.c shares.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TEXT_PRIVATE_H
#define IR_TEXT_PRIVATE_H

#include "ir/text.h"

#define TEXT_SMALL 8u /* constants of up to so many elements are printed in full */

struct text_printer {
    struct buf *out;
    const struct ir_text_options *options;
    struct ir_model *model;
    struct arena scratch; /* of the constant being printed */
};

/* --- text_print_value.c: types, constants, attributes ------------------------------- */
/* A name, in quotes where it is no identifier or would be taken for a type. */
void text_print_name(struct buf *out, const char *name);
/* "..." as the standard escapes: a backslash before quotes and backslashes, all other
 * bytes as they are. Bytes with a NUL among them as x"...". */
void text_print_string(struct buf *out, const char *bytes, size_t len);
/* `float[N, 3]`; `float` is a scalar, `float[]` of unknown rank. */
void text_print_type(struct buf *out, const struct ir_dims *d, const struct ir_type *t);
/* `float[3] NAME = {1, 2, 3}`; without name and sign when name is NULL. */
void text_print_tensor(struct text_printer *p, const struct ir_tensor *t, const char *name);
/* The value of an attribute that holds no graphs. */
void text_print_attr_value(struct text_printer *p, const struct ir_attr *a);
/* The name of an attribute's type as it stands behind the colon: "ints". */
const char *text_attr_type_name(enum ir_attr_type t);
/* The type of that name, or IR_ATTR_UNDEFINED. */
enum ir_attr_type text_attr_type(const char *name);

#endif
