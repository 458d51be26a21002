/* constants.h -- nodes over constants computed by ONNX Runtime, where it is there.
 *
 * The runtime is looked for and started when the first node comes, never before. Each node
 * is a model of its own, run in the worker of ort.h with little time and memory. Where there
 * is no runtime, and after a crash or a job that takes too long, nothing is computed any
 * more, and nobody is told but who asks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_CONSTANTS_H
#define JUDGE_CONSTANTS_H

#include "judge/ort.h"

struct judge_constants;
/* library: as in judge_options. */
struct judge_constants *judge_constants_new(const char *library);
/* For pm_options. */
const struct ir_runtime *judge_constants_runtime(const struct judge_constants *c);
/* Its version, "1.32.0"; NULL: it was not started, or is not there. */
const char *judge_constants_version(const struct judge_constants *c);
void judge_constants_close(struct judge_constants *c);

#endif
