/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_rank.h"

#include <math.h>

#include "stats_math.h"

/* The smallest K with P(at most K of N below) >= WANTED. */
static uint64_t
binomial_quantile(double wanted, uint64_t n, double p)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (stats_binomial_p((double) middle, (double) n, p) >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool
stats_rank_interval(uint64_t *low, uint64_t *high, uint64_t n, double p,
                    double level)
{
    double beyond = (1 - level) / 2;

    /* The value of rank K lies above when at most K - 1 lie below. */
    *low = binomial_quantile(beyond, n, p);
    *high = binomial_quantile(1 - beyond, n, p) + 1;
    return *low >= 1 && *high <= n;
}
