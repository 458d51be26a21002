/* source.h -- the bytes of tensors that stayed in files. Private to ir/.
 *
 * The reader of model files implements these; a model made in memory has no such tensors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SOURCE_H
#define IR_SOURCE_H

#include "ir/graph.h"

/* Bytes first_byte .. first_byte + n of the raw layout of a tensor stored IR_IN_FILE or
 * IR_EXTERNAL. false when they are not there (any more) or m is NULL. */
bool ir_source_read(struct ir_model *m, const struct ir_tensor *t, uint64_t first_byte,
                    uint64_t n, void *out);
/* So many bytes of the tensor from `at` on lie in a hole of their file: they are zeros,
 * and need not be read. */
uint64_t ir_source_hole(struct ir_model *m, const struct ir_tensor *t, uint64_t at);
/* The encoded bytes (packed, without key and length) of the typed field of a tensor stored
 * IR_AS_PROTO when the field was left in the file; NULL when it is in t->proto. */
const void *ir_source_field(struct ir_model *m, const struct ir_tensor *t, size_t *len);

#endif
