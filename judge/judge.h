/* judge.h -- the public header of judge/: ONNX Runtime as the independent judge.
 *
 * Headers of judge/ that are not included here are private to the folder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "judge/bench.h"
#include "judge/compare.h"
#include "judge/constants.h"
#include "judge/diff.h"
#include "judge/inputs.h"
#include "judge/layers.h"
#include "judge/noise.h"
#include "judge/npz.h"
#include "judge/ort.h"
#include "judge/ratio.h"
#include "judge/rewrites.h"
#include "judge/rules.h"

#endif
