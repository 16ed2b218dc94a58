/* SPDX-License-Identifier: MIT */
/* Whether counts are what a distribution makes likely. */
#ifndef S3PERF_CHI_SQUARE_H
#define S3PERF_CHI_SQUARE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether chance has a sum of squares as large as SQUARE more often than
 * once in a million: Wilson and Hilferty 1931, at 4.753 deviations. */
static bool
chi_square_is_likely(double square, double degrees)
{
    double spread = 2 / (9 * degrees);
    double limit = degrees * pow(1 - spread + 4.753 * sqrt(spread), 3);

    if (square > limit)
        printf("# chi-square %g, %g degrees allow %g\n", square, degrees,
               limit);
    return square <= limit;
}

/* Whether COUNTS of N cells are likely where SHARES, of any sum, are
 * expected; NULL: the same for each. */
static bool __attribute__((unused))
chi_square_fits(const uint64_t *counts, const double *shares, size_t n)
{
    double total = 0, sum = 0, square = 0;

    for (size_t i = 0; i < n; i++) {
        total += (double) counts[i];
        sum += shares != NULL ? shares[i] : 1;
    }
    for (size_t i = 0; i < n; i++) {
        double share = shares != NULL ? shares[i] : 1;
        double want = total * share / sum, off = (double) counts[i] - want;

        square += off * off / want;
    }
    return chi_square_is_likely(square, (double) n - 1);
}

#endif
