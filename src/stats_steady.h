/* SPDX-License-Identifier: MIT */
/*
 * When a run may stop, and where its warm-up ends. All see a series: one
 * value for each of N equal stretches of time, in order.
 */
#ifndef S3PERF_STATS_STEADY_H
#define S3PERF_STATS_STEADY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * When to look at the interval of confidence again: looking all the time
 * would stop at the first lucky moment. At least twice the fewest blocks, and
 * a tenth more each time. (Glynn and Whitt, Ann. Appl. Prob. 2, 1992: stopping
 * by width is right in the end, but not for short runs.)
 * Returns: the length of the series at which to look next.
 */
size_t stats_steady_next(size_t looked);

/* What warp documents of its --autoterm: cut all that was measured into 25
 * blocks; the last 7 lie within PCT percent of the last one. */
#define STATS_AUTOTERM_BLOCKS 25
#define STATS_AUTOTERM_STEADY 7
bool stats_steady_autoterm(const double *rates, size_t n, double pct);

/*
 * How many values to leave out in front: MSER (White, Simulation 69, 1997), the
 * cut that makes the standard error of what is left smallest, on batches
 * of five as MSER-5 (White, Cobb and Spratt, 2000) where there are 50 or more.
 * Returns: false when there are fewer than 10, or the best cut lies in the
 *          second half: the series is too short, or never settled.
 */
bool stats_steady_warmup(size_t *out, const double *values, size_t n);

#endif
