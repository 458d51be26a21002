/* npy.h -- one array in numpy's format. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_NPZ_NPY_H
#define JUDGE_NPZ_NPY_H

#include "ir/ir.h"

/* The array in *a; NULL, and *why, for what is damaged or no plain numbers or texts. */
struct ir_tensor *judge_npy_read(const uint8_t *bytes, uint64_t len, struct arena *a,
                                 const char **why);

#endif
