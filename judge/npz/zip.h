/* zip.h -- the members of a zip file in memory, stored or deflated. Private to judge/.
 *
 * Nothing is trusted: offsets and sizes are checked against the file, and a size that the
 * compressed bytes cannot give is refused before anything is allocated.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_NPZ_ZIP_H
#define JUDGE_NPZ_ZIP_H

#include "base/arena.h"

struct zip {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t at, end; /* what is left of the directory */
    uint64_t packed;  /* of the members so far, which share no bytes */
};
/* false: this is no zip file, or one of several parts. */
bool judge_zip_open(struct zip *z, const void *bytes, uint64_t size);

struct zip_member {
    const char *name; /* in the arena */
    const uint8_t *bytes;
    uint64_t packed, size;
    uint16_t method;
};
enum zip_next { ZIP_END, ZIP_MEMBER, ZIP_DAMAGED };
enum zip_next judge_zip_next(struct zip *z, struct arena *a, struct zip_member *out);
/* The contents: of the file where stored, else in *a; NULL: damaged, encrypted, or
 * compressed in another way. */
const uint8_t *judge_zip_read(const struct zip_member *m, struct arena *a);

#endif
