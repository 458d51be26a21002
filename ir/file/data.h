/* data.h -- the data file of an output: the tensors that do not lie in the model file.
 *
 * While messages are made, each such tensor is given a place; then the file is written in
 * that order. Tensors with the same bytes (one range of a file, one block of memory) share
 * a place. Private to ir/.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_DATA_H
#define IR_DATA_H

#include "ir/file/files.h"
#include "ir/file/sink.h"

#define IR_DATA_LEAST 1024u /* smaller tensors stay in the model */
#define IR_DATA_PAGE 4096u  /* larger ones begin at a page, to be mapped; others at ... */
#define IR_DATA_LINE 64u    /* ... a line of the cache */

struct ir_datum {
    const struct ir_tensor *tensor;
    uint64_t offset;
};
struct ir_data {
    struct arena *a;
    const char *location; /* as tensors refer to it: a name in the folder of the model */
    bool all;             /* tensors of the model file too, not those alone that are new */
    VEC(struct ir_datum) items;
    struct map places; /* hash of where the bytes are -> number of the item */
    uint64_t size;
};

/* For a model at `model_path`: "NAME.data", or "NAME.2.data" ... where that is a file that
 * the model itself refers to. */
struct ir_data *ir_data_new(struct arena *a, const struct ir_source *s,
                            const char *model_path, bool all);
/* Does the tensor go there? */
bool ir_data_takes(const struct ir_data *d, const struct ir_tensor *t);
/* Its offset; the tensor must live until the file is written. */
uint64_t ir_data_place(struct ir_data *d, const struct ir_tensor *t);
bool ir_data_write(const struct ir_data *d, struct ir_model *m, struct ir_sink *sink);

#endif
