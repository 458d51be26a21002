/* model.h -- model files: skeleton reading, splicing, external data.
 *
 * Reading maps the file, walks it at wire level, and unpacks everything but the large
 * payloads of tensors, which stay ranges of the file. Writing packs the messages the same
 * way and copies the ranges through a small buffer. What was not rewritten is written from the
 * messages it was read from, unknown fields included; a model without edits is copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_MODEL_H
#define IR_MODEL_H

#include "ir/graph.h"

enum ir_weights { IR_WEIGHTS_COPY, IR_WEIGHTS_SHARE, IR_WEIGHTS_EXTERNAL };

/* Reads a model from a file ("-": standard input, kept in a temporary file). NULL and
 * diagnostics when it cannot be read, is malformed or refers outside its folder (the
 * caller exits with RW_FORMAT). Nodes out of order are sorted with a warning. The model
 * lives in *a and keeps the file mapped until ir_model_close. */
struct ir_model *ir_model_read(struct arena *a, const char *path, struct diag_sink *diags);
/* The same from bytes, which must outlive the model: for tests and fuzzing. `folder` is
 * where external data may be, or NULL: nowhere. */
struct ir_model *ir_model_read_bytes(struct arena *a, const void *bytes, size_t len,
                                     const char *name, const char *folder,
                                     struct diag_sink *diags);
/* The model as it was when m was read, once more; m must stay open until it is closed. */
struct ir_model *ir_model_reread(struct arena *a, const struct ir_model *m,
                                 struct diag_sink *diags);
void ir_model_close(struct ir_model *m);

struct ir_write_options {
    enum ir_weights weights;
    bool durable; /* fsync file and folder before returning */
    bool types;   /* describe all values with a known type, in place of what the file said */
};
/* Writes the model: complete under its name, or not at all. "-": standard output. */
enum rw_code ir_model_write(struct ir_model *m, const char *path,
                            const struct ir_write_options *o, struct diag_sink *diags);
/* The same to memory. External data stays where it is, see ir_model_folder; with
 * IR_WEIGHTS_SHARE so do weights that are in a file of that folder. */
enum rw_code ir_model_write_bytes(struct ir_model *m, enum ir_weights weights,
                                  struct buf *out, struct diag_sink *diags);
/* The bytes that the model was read from, which live as long; NULL when it was edited, or
 * made in memory. */
const void *ir_model_bytes(const struct ir_model *m, size_t *len);
/* The folder of the model's external data; NULL: it can have none. */
const char *ir_model_folder(const struct ir_model *m);
/* Bytes of the input file, 0 for a model made in memory. */
uint64_t ir_model_file_size(const struct ir_model *m);

#endif
