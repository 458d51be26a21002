/* datafiles.h -- the external data of a model that is written to another folder: it goes
 * along, at the same place relative to the model. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_DATAFILES_H
#define IR_DATAFILES_H

#include "ir/file/files.h"

struct ir_datafiles;

/* Which of the source's external files the model still refers to, by number. What is
 * carried along unread (training, sparse tensors, functions) may refer to all. */
const bool *ir_datafiles_kept(const struct ir_model *m, struct arena *a);
/* Copies the files to keep that are not there yet, under temporary names; *out is NULL
 * where nothing is to be done. A file of that name with other contents is not replaced: it may
 * belong to another model. RW_OUTPUT with a diagnostic, and nothing remains. */
enum rw_code ir_datafiles_copy(const struct ir_source *s, const bool *kept,
                               const char *model_path, struct arena *a,
                               struct diag_sink *diags, struct ir_datafiles **out);
/* Gives the files their names; false with errno. NULL: nothing to do. */
bool ir_datafiles_commit(struct ir_datafiles *d, bool durable);
/* keep false: removes what was written. */
void ir_datafiles_close(struct ir_datafiles *d, bool keep);

#endif
