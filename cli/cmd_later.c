/* cmd_later.c -- commands of the contract that are not there yet.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cli.h"

enum rw_code cmd_later(struct session *s) {
    return session_usage(s, "this command is not there yet");
}
