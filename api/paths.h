/* paths.h -- where rule packs are looked up. SPDX-License-Identifier: Apache-2.0 */
#ifndef API_PATHS_H
#define API_PATHS_H

#include "dsl/dsl.h"

/* $ONNXRW_RULES; what was installed beside the program or the shared library, or, when that
 * lies in its build folder, the source tree; the folder that the build was made to be
 * installed in. */
struct dsl_paths api_paths(struct arena *a);

#endif
