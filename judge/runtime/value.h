/* value.h -- tensors to and from the runtime. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RUNTIME_VALUE_H
#define JUDGE_RUNTIME_VALUE_H

#include "judge/runtime/runtime.h"

/* The text of an error, which is released; NULL for none. */
const char *judge_runtime_failed(struct runtime *r, ort_result status, struct arena *a);
/* Shares the bytes of t, which stay. */
ort_result judge_runtime_give(struct runtime *r, const struct ir_tensor *t, struct arena *a,
                              struct ort_value **out);
/* v NULL, or what is no tensor: out->kind is set. */
ort_result judge_runtime_take(struct runtime *r, struct ort_value *v, struct arena *a,
                              struct judge_value *out);

#endif
