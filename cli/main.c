/* main.c -- the onnxrw command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/base.h"

#include <stdio.h>

int main(void) {
    puts("onnxrw " ONNXRW_VERSION);
    return RW_OK;
}
