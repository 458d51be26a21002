/* npz.h -- reading arrays of numpy: .npz files, stored or compressed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_NPZ_H
#define JUDGE_NPZ_H

#include "judge/ort.h"

/* All arrays of a file, in its order. Keys `in:NAME` stand for NAME, and where a file has
 * such keys the others are left out. RW_FORMAT with a diagnostic. Numpy has no name for
 * bfloat16 and smaller types: an array of uint16, uint8 or void stands for one by its
 * bits, see judge_fit. */
enum rw_code judge_npz_read(const char *path, struct arena *a, struct diag_sink *diags,
                            struct judge_values *out);
/* The values that the model's inputs ask for, in their types: bits are taken for the
 * types that numpy does not have, other types must agree. RW_FORMAT with a diagnostic
 * that names the input which is missing or does not fit. */
enum rw_code judge_fit(const struct ir_model *m, const struct judge_values *given,
                       const char *path, struct arena *a, struct diag_sink *diags,
                       struct judge_values *out);

#endif
