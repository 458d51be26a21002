/* rewrite.h -- the steps between reading and writing, for the command and the library.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_REWRITE_H
#define API_REWRITE_H

#include "dsl/dsl.h"
#include "ir/ir.h"
#include "matcher/matcher.h"

/* Completes imports and infers types. RW_FORMAT when the model has a fault that no runtime
 * would let pass: it is the input's then, not that of a rewrite. */
enum rw_code api_prepare(struct ir_model *m, enum pm_verify verify,
                         struct diag_sink *diags);
/* pm_run, and a look at what came out: RW_WRONG when that is no valid model. */
enum rw_code api_rewrite(const struct pm_auto *rules, struct ir_model *m,
                         const struct pm_options *o, struct arena *report_arena,
                         struct pm_report *report, struct diag_sink *diags);

#endif
