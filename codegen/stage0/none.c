/* none.c -- the first onnxrw of a build, which compiles the packs for the others, has none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codegen/codegen.h"

const struct cg_header *cg_builtin(void) { return NULL; }
