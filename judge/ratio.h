/* ratio.h -- what times that were measured in pairs say of how much faster one is.
 *
 * Processes of one and the same graph differ by up to a third, and machines drift: so what
 * counts is the ratio of a pair, and how these scatter. Nothing is assumed of their
 * distribution but that its logarithm is as likely above as below the truth.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RATIO_H
#define JUDGE_RATIO_H

#include "base/base.h"

#define JUDGE_PAIRS 100 /* most of them */

/* `is`: the estimate of Hodges and Lehmann, the median of all means of two logarithms. The
 * true ratio is from low to high with a confidence of 95 %, by Wilcoxon's signed ranks, which
 * takes six pairs; with fewer these are the least and the greatest, and not `sure`. */
struct judge_ratio {
    double is, low, high;
    bool sure;
};
/* Of n pairs (1 .. JUDGE_PAIRS), b[i] / a[i]; all times are positive. */
struct judge_ratio judge_ratio_of(uint32_t n, const double *a, const double *b);

double judge_median(uint32_t n, const double *x);

#endif
