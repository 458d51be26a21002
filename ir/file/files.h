/* files.h -- the files behind a model: its own, mapped while the model lives, and those
 * with external data. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_FILES_H
#define IR_FILES_H

#include "base/os.h"
#include "ir/graph.h"
#include "ir/file/skeleton.h"

struct ir_external {
    const char *location; /* as in the model */
    struct os_stamp stamp;
};

/* What the messages of a graph said, to tell afterwards what was renamed or removed. */
struct ir_graph_read {
    const char *const *names; /* of the values that were read, by id */
    uint32_t n;
};

struct ir_source {
    const char *name;    /* in messages */
    const char *path;    /* NULL: no file with a name */
    const char *folder;  /* of external data; NULL: none */
    struct os_file file; /* closed: bytes in memory */
    const uint8_t *bytes;
    uint64_t size;
    bool mapped;
    bool lent;           /* file and bytes are those of another source */
    const struct ir_payload *payloads;
    uint32_t npayloads;
    struct arena *arena;
    struct intern locations; /* id - 1 is the index in externals */
    VEC(struct ir_external) externals;
    VEC(struct ir_graph_read) graphs; /* by index in model->graphs */
    struct os_file open; /* the external file that was read last */
    sym_t open_location;
};

/* Opens the file, or takes bytes that outlive the model. RW_FORMAT with a diagnostic. */
enum rw_code ir_source_open(struct arena *a, const char *path, struct ir_source **out,
                            struct diag_sink *diags);
struct ir_source *ir_source_of_bytes(struct arena *a, const void *bytes, size_t len,
                                     const char *name, const char *folder);
/* The same files once more; the first source must outlive the second. */
struct ir_source *ir_source_again(struct arena *a, const struct ir_source *s);
void ir_source_close(struct ir_source *s);
/* Are the files as they were when the model was read? */
bool ir_source_unchanged(const struct ir_source *s);

#endif
