/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_pool.h"

#include <math.h>

#include "stats_math.h"

/* A variance of 0 has no logarithm; nothing that is measured has one. */
#define FLOOR 1e-5 /* of the mean variance */

/* What the logarithm of a variance with DF is too low by, on average. */
static double
bias(double df)
{
    return stats_digamma(df / 2) - log(df / 2);
}

void
stats_pool_init(struct stats_pool *pool, const double *variances,
                const double *df, size_t n)
{
    double weight = 0, sum = 0, mean = 0, squares = 0, chance = 0, rest;
    double count = 0;

    for (size_t i = 0; i < n; i++) {
        if (df[i] > 0) {
            count++;
            weight += df[i];
            sum += df[i] * variances[i];
        }
    }
    *pool = (struct stats_pool){count > 0 ? sum / weight : NAN,
                                count > 0 ? INFINITY : NAN, weight};
    if (count < 2 || sum == 0)
        return;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            double e;

            if (!(df[i] > 0))
                continue;
            e = log(fmax(variances[i], pool->variance * FLOOR)) - bias(df[i]);
            if (pass == 0) {
                mean += e / count;
            } else {
                squares += (e - mean) * (e - mean) / (count - 1);
                chance += stats_trigamma(df[i] / 2) / count;
            }
        }
    }
    rest = squares - chance;
    if (rest > 0) {
        pool->df = 2 * stats_trigamma_inverse(rest);
        pool->variance = exp(mean + bias(pool->df));
    }
}

double
stats_pool_variance(const struct stats_pool *pool, double variance, double df,
                    double *pooled_df)
{
    *pooled_df = fmin(pool->df + df, pool->df_max);
    if (isinf(pool->df) || !(df > 0))
        return pool->variance;
    return (pool->df * pool->variance + df * variance) / (pool->df + df);
}
