/* pending.c -- stand-ins until the reader of model files lands; then this file goes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/source.h"

__attribute__((weak)) bool ir_source_read(struct ir_model *m, const struct ir_tensor *t,
                                          uint64_t first_byte, uint64_t n, void *out) {
    RW_UNUSED(m), RW_UNUSED(t), RW_UNUSED(first_byte), RW_UNUSED(n), RW_UNUSED(out);
    return false;
}

__attribute__((weak)) const void *ir_source_field(struct ir_model *m,
                                                  const struct ir_tensor *t, size_t *len) {
    RW_UNUSED(m), RW_UNUSED(t);
    *len = 0;
    return NULL;
}
