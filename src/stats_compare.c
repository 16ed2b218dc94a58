/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_compare.h"

#include <math.h>
#include <stdbool.h>

#include "stats_math.h"

void
stats_compare_two(struct stats_difference *d, const double mean[2],
                  const double error[2], const double df[2])
{
    double a = error[STATS_A] * error[STATS_A];
    double b = error[STATS_B] * error[STATS_B];

    *d = (struct stats_difference){.n = {1, 1},
                                   .change = mean[STATS_B] - mean[STATS_A],
                                   .deviation = NAN,
                                   .error = sqrt(a + b),
                                   .q = NAN};
    d->df = (a + b) * (a + b) / (a * a / df[STATS_A] + b * b / df[STATS_B]);
    d->p = stats_t_two_sided(d->change / d->error, d->df);
}

void
stats_compare_finish(struct stats_difference *d, double deviation, double df)
{
    double a = (double) d->n[STATS_A], b = (double) d->n[STATS_B];

    d->deviation = deviation;
    d->error = deviation * sqrt(1 / a + 1 / b);
    d->df = df;
    d->p = d->q = stats_t_two_sided(d->change / d->error, df);
}

double
stats_compare_half(const struct stats_difference *d, double level)
{
    return stats_t_quantile((1 + level) / 2, d->df) * d->error;
}

enum stats_verdict
stats_compare_verdict(const struct stats_difference *d, double alpha,
                      double threshold)
{
    double half = stats_compare_half(d, 1 - alpha);

    if (isnan(half) || isnan(d->q))
        return STATS_CANNOT_TELL;
    if (d->q <= alpha && fabs(d->change) >= threshold)
        return d->change < 0 ? STATS_LOWER : STATS_HIGHER;
    return fabs(d->change) + half < threshold ? STATS_SAME : STATS_CANNOT_TELL;
}

double
stats_compare_effect(const struct stats_difference *d)
{
    return d->change / d->deviation * (1 - 3 / (4 * d->df - 1));
}

double
stats_compare_detectable(const struct stats_difference *d, double alpha,
                         double threshold)
{
    double power = stats_t_quantile(STATS_POWER, d->df) * d->error;

    return fmax(threshold, stats_compare_half(d, 1 - alpha)) + power;
}

unsigned
stats_compare_needed(const struct stats_difference *d, double alpha,
                     double threshold)
{
    double a = (double) d->n[STATS_A], b = (double) d->n[STATS_B];
    double per_unit = d->df / (a + b - 2), change = fabs(d->change);
    bool seen = change >= threshold;
    double power = seen ? STATS_POWER : (1 + STATS_POWER) / 2;

    if (!(a + b > 2) || isnan(d->error) || isnan(d->change) ||
        isnan(d->deviation) || !(fmax(change, threshold) > 0))
        return 0;
    /* What many tests take away from one of them. */
    if (d->q > d->p)
        alpha *= d->p / d->q;
    for (unsigned n = (unsigned) fmax(fmin(a, b) + 1, 2); n <= STATS_NEEDED_MAX;
         n++) {
        double df = per_unit * (2.0 * n - 2);
        double reach =
            stats_t_quantile(1 - alpha / 2, df) + stats_t_quantile(power, df);

        if (reach * d->deviation * sqrt(2.0 / n) <= fmax(change, threshold))
            return n;
    }
    return STATS_NEEDED_MAX + 1;
}
