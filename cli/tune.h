/* tune.h -- what tune found, for people and for tools.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "api/tune.h"
#include "cli/cli.h"

struct tune_found {
    const struct session *s;
    const struct api_tune *tune;
    const char *in, *out;
    uint32_t nodes; /* now */
};
/* `without gelu: 1.02 (0.99-1.06) of the time, stays` */
void tune_print_choice(const struct api_choice *c, struct buf *out);
void tune_print_text(const struct tune_found *f, struct buf *out);
void tune_print_json(const struct tune_found *f, struct buf *out);

#endif
