/* ratio.c -- see ratio.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/ratio.h"
#include "base/arena.h"

#include <math.h>

#define DOUBT 0.025 /* at each end */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(uint32_t n, double *x) { qsort(x, n, sizeof *x, by_size); }

static double middle(uint32_t n, const double *sorted) {
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double judge_median(uint32_t n, const double *x) {
    struct arena a = ARENA_EMPTY;
    double *sorted = arena_copy(&a, x, n * sizeof *x);
    sort(n, sorted);
    double median = middle(n, sorted);
    arena_free(&a);
    return median;
}

/* How many of the means of two may be left out at each end: the most k such that the sum of
 * the ranks above the truth is k or less with that doubt. -1: even none is too many. */
static int64_t may_leave_out(uint32_t n, struct arena *a) {
    uint32_t most = n * (n + 1) / 2;
    double *ways = arena_zalloc(a, (most + 1) * sizeof *ways); /* of a sum, as chances */
    double chance = 0;
    ways[0] = 1;
    for (uint32_t rank = 1; rank <= n; rank++)
        for (uint32_t sum = rank * (rank + 1) / 2 + 1; sum-- > 0;)
            ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
    for (uint32_t k = 0; k <= most; k++)
        if ((chance += ways[k]) > DOUBT) return (int64_t)k - 1;
    return most;
}

struct judge_ratio judge_ratio_of(uint32_t n, const double *a, const double *b) {
    struct arena tmp = ARENA_EMPTY;
    uint32_t nmeans = n * (n + 1) / 2, k = 0;
    double *logs = arena_new_array(&tmp, double, n);
    double *means = arena_new_array(&tmp, double, nmeans);
    for (uint32_t i = 0; i < n; i++) logs[i] = log(b[i] / a[i]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++) means[k++] = (logs[i] + logs[j]) / 2;
    sort(nmeans, means);
    int64_t out = may_leave_out(n, &tmp);
    uint32_t ends = out > 0 ? (uint32_t)out : 0;
    struct judge_ratio r = {exp(middle(nmeans, means)), exp(means[ends]),
                            exp(means[nmeans - 1 - ends]), out >= 0};
    arena_free(&tmp);
    return r;
}
