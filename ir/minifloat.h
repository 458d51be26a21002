/* minifloat.h -- floating types of 8 and 4 bits, to and from float.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_MINIFLOAT_H
#define IR_MINIFLOAT_H

#include "ir/type.h"

enum ir_minifloat_round {
    IR_ROUND_EVEN, /* to nearest, ties to even: all types but E8M0 */
    IR_ROUND_UP,   /* E8M0: away from zero ... */
    IR_ROUND_DOWN, /* ... towards zero, ... */
    IR_ROUND_NEAREST /* ... to nearest, ties up */
};

bool ir_is_minifloat(enum ir_dtype t);
/* The value of a bit pattern; exact. */
float ir_minifloat_to_float(enum ir_dtype t, uint8_t bits);
/* The pattern nearest to f. Beyond the largest value: that value when `saturate`, else
 * infinity or NaN. false where the standard leaves the result open: NaN to E2M1,
 * negative numbers to E8M0. */
bool ir_minifloat_from_float(enum ir_dtype t, float f, bool saturate,
                             enum ir_minifloat_round round, uint8_t *bits);

#endif
