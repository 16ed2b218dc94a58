/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_steady.h"

#include <math.h>

#include "stats_blocks.h"

#define BATCH 5
#define BATCHED_FROM 50
#define WARMUP_MIN 10

size_t
stats_steady_next(size_t looked)
{
    size_t more = looked + looked / 10 + 1;

    return more > 2 * STATS_BLOCKS_MIN ? more : 2 * STATS_BLOCKS_MIN;
}

static double
mean_of(const double *values, size_t from, size_t to)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum / (double) (to - from);
}

bool
stats_steady_autoterm(const double *rates, size_t n, double pct)
{
    double now, near;

    if (n < STATS_AUTOTERM_BLOCKS)
        return false;
    now = mean_of(rates, n - n / STATS_AUTOTERM_BLOCKS, n);
    near = now * pct / 100;
    for (size_t i = 2; i <= STATS_AUTOTERM_STEADY; i++) {
        size_t block = STATS_AUTOTERM_BLOCKS - i;
        double rate = mean_of(rates, block * n / STATS_AUTOTERM_BLOCKS,
                              (block + 1) * n / STATS_AUTOTERM_BLOCKS);

        if (!(fabs(rate - now) <= near))
            return false;
    }
    return now > 0;
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
        /* A few values at the end may look alike by chance. */
        if (left >= BATCH && error <= least) {
            least = error;
            best = cut;
        }
    }
    if (best > count / 2)
        return false;
    *out = best > 0 ? best * batch + n - count * batch : 0;
    return true;
}
