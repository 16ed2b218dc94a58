/* SPDX-License-Identifier: MIT */
/*
 * When a run may stop, and where its warm-up ends. All see a series: one
 * value for each of N equal stretches of time, in order.
 */
#ifndef S3PERF_STATS_STEADY_H
#define S3PERF_STATS_STEADY_H

#include <stdbool.h>
#include <stddef.h>

/* What warp documents of its --autoterm: cut all that was measured into 25
 * blocks; the last 7 lie near the last one. Returns: how far the farthest of
 * them is off, as a share of the last; NaN with fewer than 25 values, or when
 * the last block is 0. */
#define STATS_AUTOTERM_BLOCKS 25
#define STATS_AUTOTERM_STEADY 7
double stats_steady_distance(const double *rates, size_t n);

/*
 * How many values to leave out in front: MSER (White, Simulation 69, 1997), the
 * cut that makes the standard error of what is left smallest, on batches
 * of five as MSER-5 (White, Cobb and Spratt, 2000) where there are 250 or
 * more.
 * Returns: false when there are fewer than 40, or the best cut lies in the
 *          second half: the series is too short, or never settled.
 */
bool stats_steady_warmup(size_t *out, const double *values, size_t n);

#endif
