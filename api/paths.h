/* paths.h -- where rule packs are looked up. SPDX-License-Identifier: Apache-2.0 */
#ifndef API_PATHS_H
#define API_PATHS_H

#include "dsl/dsl.h"

/* $ONNXRW_RULES, the installed folder, the source tree of a build that is not installed. */
struct dsl_paths api_paths(struct arena *a);

#endif
