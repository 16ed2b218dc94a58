/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_steady.h"

#include <math.h>

#define BATCH 5
#define BATCHED_FROM 250
#define WARMUP_MIN 40
#define KEPT                                                                   \
    4 /* no cut leaves less than a 4th: few values are alike by chance */

static double
mean_of(const double *values, size_t from, size_t to)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum / (double) (to - from);
}

static double
block_mean(const double *values, size_t n, size_t block)
{
    return mean_of(values, block * n / STATS_AUTOTERM_BLOCKS,
                   (block + 1) * n / STATS_AUTOTERM_BLOCKS);
}

double
stats_steady_distance(const double *rates, size_t n)
{
    double now, farthest = 0;

    if (n < STATS_AUTOTERM_BLOCKS)
        return NAN;
    now = block_mean(rates, n, STATS_AUTOTERM_BLOCKS - 1);
    if (!(now > 0))
        return NAN;
    for (size_t i = 2; i <= STATS_AUTOTERM_STEADY; i++)
        farthest = fmax(
            farthest,
            fabs(block_mean(rates, n, STATS_AUTOTERM_BLOCKS - i) - now) / now);
    return farthest;
}

bool
stats_steady_warmup(size_t *out, const double *values, size_t n)
{
    size_t batch = n >= BATCHED_FROM ? BATCH : 1, count = n / batch, best = 0;
    double sum = 0, squares = 0, least = INFINITY, origin;

    if (n < WARMUP_MIN)
        return false;
    /* From the end, so that each cut needs one value more; what does not
     * fill a batch is left out in front. */
    values += n - count * batch;
    origin = mean_of(values, 0, count * batch); /* keeps the squares small */
    for (size_t left = 1; left <= count; left++) {
        size_t cut = count - left;
        double value = mean_of(values, cut * batch, (cut + 1) * batch) - origin;
        double size = (double) left, error;

        sum += value;
        squares += value * value;
        error = (squares - sum * sum / size) / (size * size);
        if (left >= count / KEPT && error <= least) {
            least = error;
            best = cut;
        }
    }
    if (best >= count / 2)
        return false;
    *out = best > 0 ? best * batch + n - count * batch : 0;
    return true;
}
